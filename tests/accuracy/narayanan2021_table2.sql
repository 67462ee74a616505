-- Table 2 of arXiv:2104.04473: GPT of 175 and 530 billion parameters under ZeRO-3 (DeepSpeed, without offloading) on
-- 384 to 2240 GPUs of Selene, DGX A100 with eight network cards of 200 Gbit/s a node, fp16, full recompute.
--
-- Iteration times are derived from the days that the paper prints for 300 billion tokens, whole ones. The rows with
-- tensor and pipeline parallelism do not say how they interleave, and are left out. Whether DeepSpeed's transfers hid
-- behind computing is not said: both are predicted. DeepSpeed gathered parameter by parameter then, a dozen collectives
-- a layer over more than a thousand ranks, where MemX counts one a layer, as FSDP has it: these come out far too fast.
-- import: published/narayanan2021_table2.csv measured

INSERT INTO memx_framework(framework, activation_bytes, parameter_bytes, gradient_bytes, optimizer_bytes,
                           optimizer_temp_bytes, logit_bytes, alpha_act, fused_attention, dropout, distributed_optimizer,
                           score_bytes, dp_overlap, source)
SELECT 'zero3-' || column1, 2, 2, 2, 12, 4, 6, 1.1, 0, 1, 3, 12, column1, 'megatron-deepspeed-fp16 with ZeRO stage 3'
FROM (VALUES (0), (1));

CREATE TABLE run AS
SELECT printf('table2-%d-%s', measured.rowid, overlap) AS job, *, days_300B_tokens * 86400e3 / (300e9 / (gbs * 2048)) AS iteration_ms
FROM measured, (SELECT 0 AS overlap UNION ALL SELECT 1) WHERE scheme = 'ZeRO-3';

INSERT INTO setup(job, device, gpus, inter_gbs, flow_gbs, framework, layers, hidden, heads, vocab, seq_length, tp, dp, pp,
                  micro_batch, global_batch, recompute)
SELECT job, 'A100-SXM-80GB', gpus, 200, 25, 'zero3-' || overlap, iif(params_b < 200, 96, 105),
       iif(params_b < 200, 12288, 20480), iif(params_b < 200, 96, 128), 51200, 2048, 1, gpus, 1, mbs, gbs, 'full'
FROM run;

INSERT INTO point
SELECT iif(overlap, 'narayanan2021_table2.analytic', 'narayanan2021_table2.analytic_blocking'), 'time', p.model, p.job,
       r.iteration_ms, c.iteration_ms
FROM plan AS p JOIN run AS r USING (job), memx_predict(p.job, p.config) AS c;
INSERT INTO left_out
SELECT 'narayanan2021_table2.analytic', count(*), 'tensor and pipeline parallelism, interleaving not said'
FROM measured WHERE scheme <> 'ZeRO-3';
INSERT INTO note VALUES
('narayanan2021_table2.analytic', 'time', 'ms an iteration of ZeRO-3, from days a training; transfers hidden; nothing fitted'),
('narayanan2021_table2.analytic_blocking', 'time', 'the same, no transfer hidden');
