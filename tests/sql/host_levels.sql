-- Levels that use the host's memory: what they need, what fits, what they are called.
.print -- a device without host_gbs
INSERT INTO memx_device(device, vendor, memory_mib, peak_tflops, memory_gbs, link_gbs) VALUES ('Bare', 'x', 81920, 300, 2000, 300);
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('bare', 20), ('held', 20);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('bare', 0, 'Bare', 4);
INSERT INTO memx_node(cluster, ordinal, device, gpus, host_memory_mib) VALUES ('held', 0, 'A100-SXM-80GB', 4, 100000);
INSERT INTO memx_job(job, cluster, model, framework, global_batch, seq_length) VALUES
    ('bare', 'bare', 'llama2-7b', 'megatron-bf16', 64, 2048), ('held', 'held', 'llama2-7b', 'megatron-bf16', 64, 2048);
SELECT job, count(*) > 0 FROM memx_configs WHERE space = 'host' GROUP BY job;
SELECT reason, example FROM memx_why('bare', 'host');
SELECT count(*) FROM memx_configs WHERE job = 'bare' AND space = 'host';
SELECT phi FROM memx_predict('bare', 'tp1.dp1.mb1/Bare*8:none,Bare*8:none,Bare*8:swap1,Bare*8:none');
.print -- a card's part of its host: 95 % of 100,000 MiB over four; headroom is the least of cards and hosts
SELECT stage, recompute, round(host_mib), round(headroom, 3)
FROM memx_stages('held', 'tp1.dp1.mb1/A100-SXM-80GB*8:none,A100-SXM-80GB*8:offload50,A100-SXM-80GB*8:offload100,A100-SXM-80GB*8:swap4+offload100');
UPDATE memx_node SET host_memory_mib = 50000 WHERE cluster = 'held';
SELECT round(headroom, 3) FROM memx_predict('held', 'tp1.dp1.mb1/A100-SXM-80GB*8:none,A100-SXM-80GB*8:offload50,A100-SXM-80GB*8:offload100,A100-SXM-80GB*8:none');
SELECT recompute_plan('held', 'tp1.dp1.mb1/A100-SXM-80GB*8:none,A100-SXM-80GB*8:none,A100-SXM-80GB*8:none,A100-SXM-80GB*8:none', 'headroom=0.6', 'host');
.print -- texts
SELECT config_problem('held', 'tp1.dp4.mb1/A100-SXM-80GB*32:' || value)
FROM json_each('["none+offload5", "full+offload0", "swap99", "offload101", "offload50+swap2", "full+", "swap"]');
SELECT config FROM memx_predict('held', 'tp1.dp4.mb1/A100-SXM-80GB*32:block0+offload7');
