-- llm-foundry's published throughput (mosaicml/llm-foundry, Apache-2.0): MPT of 125 M to 70 B under FSDP on A100 of
-- 40 and 80 GB and H100, 512 to 65,536 tokens a sequence, with and without activation checkpointing, which is of whole
-- layers.
--
-- Shapes are llm-foundry's, and give the published count of parameters; a row that they do not is left out. FULL_SHARD is
-- ZeRO-3, SHARD_GRAD_OP ZeRO-2; mixed precision PURE reduces gradients in bf16, DEFAULT in fp32. A micro batch's
-- transfers overlap as in torchtitan. FP8 is not modelled and left out. Attention was Triton's FlashAttention of 2023,
-- slower than MemX has it: rows of up to 4,096 tokens are shown apart.
-- import: published/mosaic_llmfoundry.csv measured

CREATE TABLE shape(model TEXT PRIMARY KEY, hidden INTEGER, heads INTEGER, layers INTEGER);
INSERT INTO shape VALUES
    ('mpt-125m', 768, 12, 12), ('mpt-350m', 1024, 16, 24), ('mpt-760m', 1536, 12, 24), ('mpt-1b', 2048, 16, 24),
    ('mpt-3b', 2560, 20, 32), ('mpt-7b', 4096, 32, 32), ('mpt-13b', 5120, 40, 40), ('mpt-30b', 7168, 56, 48),
    ('mpt-70b', 8192, 64, 80);
INSERT INTO memx_framework(framework, activation_bytes, parameter_bytes, gradient_bytes, optimizer_bytes, logit_bytes,
                           distributed_optimizer, dp_overlap, bf16, source)
VALUES ('composer-DEFAULT', 2, 4, 4, 8, 12, 3, 1, 1, 'mosaicml/composer: FSDP, mixed precision DEFAULT'),
       ('composer-PURE', 2, 4, 2, 8, 12, 3, 1, 1, 'the same, PURE');

CREATE TABLE run AS
SELECT printf('mosaic-%03d', measured.rowid) AS job, *,
       CASE WHEN layers * (12 * hidden * hidden + 13 * hidden) + (50368 + seq + 2) * hidden <> params THEN 'another shape'
            WHEN precision = 'amp_fp8' THEN 'FP8' WHEN act_cpu_offload = 'True' THEN 'activations on the host'
            WHEN tok_per_s_per_gpu = '' THEN 'no throughput' END AS why
FROM measured JOIN shape USING (model);

INSERT INTO setup(job, device, gpus, inter_gbs, flow_gbs, framework, layers, hidden, heads, vocab, seq_length, tp, dp, pp,
                  micro_batch, global_batch, recompute, knobs)
SELECT job, CASE gpu WHEN 'h100_80gb' THEN 'H100-SXM-80GB' WHEN 'a100_80gb' THEN 'A100-SXM-80GB' ELSE 'A100-SXM-40GB' END,
       gpus, iif(gpu = 'h100_80gb', 400, 200), iif(gpu = 'h100_80gb', 50, 25), 'composer-' || mp_mode, layers, hidden,
       heads, 50368, seq, 1, gpus, 1, mbs, gbs, iif(act_ckpt = 'True', 'full', 'none'),
       iif(gpus > 1 AND sharding = 'SHARD_GRAD_OP', '.do2', '')
FROM run WHERE why IS NULL;

CREATE TABLE predicted AS
SELECT p.model || ' on ' || p.cluster AS family, p.job, r.gpu, r.seq + 0 AS seq,
       1000.0 * gbs * seq / (tok_per_s_per_gpu * p.gpus) AS measured, c.iteration_ms
FROM plan AS p JOIN run AS r USING (job), memx_predict(p.job, p.config) AS c;
INSERT INTO point SELECT 'mosaic_llmfoundry.analytic', 'time', family, job, measured, iteration_ms FROM predicted;
INSERT INTO point
SELECT 'mosaic_llmfoundry.analytic_' || substr(gpu, 1, 4) || '_to_4096', 'time', family, job, measured, iteration_ms
FROM predicted WHERE seq <= 4096;
INSERT INTO held_set VALUES ('mosaic_llmfoundry', '{"validate": 0}');
INSERT INTO hold
SELECT what, iif(what = 'by_model', r.model, r.seq), m.id
FROM memx_run AS m JOIN run AS r USING (job), (SELECT 'by_model' AS what UNION ALL SELECT 'by_seq');

INSERT INTO left_out SELECT 'mosaic_llmfoundry.analytic', count(*), why FROM run WHERE why IS NOT NULL GROUP BY why;
INSERT INTO floor
SELECT 'mosaic_llmfoundry.analytic', 'time', avg(percent), 'greatest over least of set-ups run more than once: mean of ' || count(*)
FROM (SELECT 100 * (max(measured) / min(measured) - 1) AS percent FROM predicted JOIN setup USING (job)
      GROUP BY device, gpus, framework, layers, hidden, setup.seq_length, micro_batch, global_batch, recompute, knobs
      HAVING count(*) > 1);
INSERT INTO note VALUES
('mosaic_llmfoundry.analytic', 'time', 'ms an iteration, from tokens a second; nothing fitted'),
('mosaic_llmfoundry.analytic_a100_to_4096', 'time', 'of these, on A100, sequences of up to 4,096 tokens'),
('mosaic_llmfoundry.analytic_h100_to_4096', 'time', 'the same on H100'),
('mosaic_llmfoundry.by_model', 'time', 'each model predicted after training on the others'),
('mosaic_llmfoundry.by_seq', 'time', 'each sequence length predicted after training on the others');
