-- Nothing has been measured: two different workstations, and still a ranked answer, at once.
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('home', 1.25);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('home', 0, 'RTX 4090', 1),
    ('home', 1, 'RTX 3090', 1);
INSERT INTO memx_job(job, cluster, model, global_batch) VALUES ('home', 'home', 'gpt2-large', 8);

SELECT 'measured', (SELECT count(*) FROM memx_profile), (SELECT count(*) FROM memx_run),
    (SELECT count(*) FROM memx_predictor);
SELECT 'rows', count(*) > 10, group_concat(DISTINCT predictor), min(iteration_ms) > 0 FROM memx_configs
    WHERE job = 'home';
SELECT 'fastest', tp, pp, dp, slowdown FROM memx_configs WHERE job = 'home' ORDER BY iteration_ms LIMIT 1;
SELECT 'on a slow network', dp FROM memx_configs WHERE job = 'home' AND pp = 2
    ORDER BY iteration_ms LIMIT 1;
SELECT 'of its stages', group_concat(DISTINCT predictor) FROM memx_best AS b, memx_stages(b.job, b.config)
    WHERE b.job = 'home';

-- Rows without any measurement in them change nothing.
CREATE TEMP TABLE best AS SELECT config, phi FROM memx_configs WHERE job = 'home' ORDER BY phi LIMIT 1;
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
    seq_length, in_flight,
                         sequence_parallel, distributed_optimizer)
    VALUES ('RTX 4090', 'gpt2-large', 'megatron-bf16', 4, 1, 0, 1, 1, 1, 1024, 1, 0, 0);
INSERT INTO memx_run(job, config, oom) SELECT 'home', config, 1 FROM best;
SELECT 'the same', c.config = best.config, c.phi = best.phi, c.predictor FROM best, memx_configs AS c
    WHERE c.job = 'home' ORDER BY c.phi LIMIT 1;
