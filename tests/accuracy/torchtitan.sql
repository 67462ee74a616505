-- torchtitan's published runs (pytorch/torchtitan, BSD-3): Llama 3.1 of 8, 70 and 405 B under FSDP, with tensor,
-- pipeline and context parallelism, on H100 of 96 GB, eight a node, 400 Gbit/s of network a GPU.
--
-- The card is no catalog device: HBM2e of 2.4 TB/s, a power limit of 500 W, and a peak that its owners put below the
-- H100 SXM's without knowing it; the rest is taken as the H100 SXM's. So times come out too short.
--
-- Float8 computes products in 8 bits from what bf16 keeps: its peaks are predicted as bf16's (measured, they are
-- within 0.4 %), its times not at all. Beside a pipeline FSDP leaves parameters gathered and gradients whole between
-- micro batches (parallelize_llama.py: no resharding after forward), so that only 12 bytes are divided there; a local
-- batch is cut into as many micro batches as the pipeline has stages, torchtitan's default then. Rows without settings
-- are left out.
-- import: published/torchtitan_perf_mem.csv measured

INSERT INTO memx_device(device, vendor, memory_mib, peak_tflops, efficiency, memory_gbs, link_gbs, certainty)
SELECT 'H100-96GB-HBM2e', vendor, 96 * 1024, peak_tflops, efficiency, 2400, link_gbs, 'low'
FROM memx_device WHERE device = 'H100-SXM-80GB';
INSERT INTO memx_framework(framework, activation_bytes, parameter_bytes, gradient_bytes, optimizer_bytes, logit_bytes,
                           logits_sharded, sequence_parallel, distributed_optimizer, dp_overlap, bf16,
                           selective_products, source)
SELECT 'torchtitan-pipeline', activation_bytes, 2, 4, 12, logit_bytes, logits_sharded, sequence_parallel, 1, dp_overlap,
       bf16, selective_products, 'torchtitan-fsdp beside a pipeline'
FROM memx_framework WHERE framework = 'torchtitan-fsdp';

CREATE TABLE run AS
WITH degree AS (
    SELECT rowid AS id, *, parallelism LIKE '%Float8%' AS float8, parallelism LIKE '%PP8%' AS pipeline,
           parallelism LIKE '%Interleaved%' AS interleaved,
           iif(parallelism GLOB '*CP[0-9]*', CAST(substr(parallelism, instr(parallelism, 'CP') + 2, 1) AS INTEGER), 1) AS cp,
           iif(parallelism LIKE '%TP8%', 8, 1) AS tp
    FROM measured)
SELECT printf('torchtitan-%02d', id) AS job, *, iif(pipeline, 8, 1) AS pp, gpus / tp / iif(pipeline, 8, 1) / cp AS dp,
       iif(pipeline, iif(interleaved, 16, 8), 1) AS micro_batches,
       CASE WHEN local_batch = '' THEN 'settings incomplete' END AS why
FROM degree;

INSERT INTO setup(job, device, gpus, inter_gbs, flow_gbs, framework, catalog_model, layers, seq_length,
                  tp, dp, pp, micro_batch, global_batch, recompute, knobs, split)
SELECT job, r.gpu, gpus, 400, 50, iif(pipeline, 'torchtitan-pipeline', 'torchtitan-fsdp'), m.model, layers, seq, tp, dp,
       pp, local_batch / micro_batches, local_batch * dp, iif(act_ckpt = 'full', 'full', 'selective'),
       iif(cp > 1, '.cp' || cp, '') || iif(interleaved, '.vp2', ''),
       iif(interleaved, '[16,16,16,16,16,16,16,14]', NULL)
FROM run AS r JOIN memx_model AS m ON m.model = replace(r.model, 'llama3-405b', 'llama3.1-405b')
WHERE why IS NULL;

INSERT INTO point
SELECT 'torchtitan.analytic', 'time', p.model || ' on ' || p.gpus, p.job,
       1000.0 * p.global_batch * seq / (tok_per_s_per_gpu * r.gpus), c.iteration_ms
FROM plan AS p JOIN run AS r USING (job), memx_predict(p.job, p.config) AS c WHERE NOT float8;

CREATE TABLE held AS
SELECT p.job, p.model || ' on ' || p.gpus AS family, 1024.0 * peak_mem_gib AS measured, r.float8, r.pipeline, r.cp,
       r.interleaved, max(s.peak_mib - s.context_mib) AS predicted
FROM plan AS p JOIN run AS r USING (job), memx_stages(p.job, p.config) AS s GROUP BY p.job;
INSERT INTO point
SELECT 'torchtitan' || what || '.analytic', 'peak', family, job, measured, predicted
FROM (SELECT '' AS what, * FROM held
      UNION ALL SELECT '_fsdp', held.* FROM held JOIN setup USING (job) WHERE tp = 1 AND pp = 1
      UNION ALL SELECT '_cp', * FROM held WHERE cp > 1
      UNION ALL SELECT '_pipeline', * FROM held WHERE pipeline);

-- All GPUs hold the same without a pipeline: the first stands for them.
INSERT INTO memx_run(job, config, source)
SELECT job, config, iif(r.tp > 1, 'tp', iif(r.cp > 1, 'cp', 'dp' || r.gpus)) FROM plan JOIN run AS r USING (job) WHERE NOT pipeline;
INSERT INTO memx_run_gpu(run, rank, reserved_mib) SELECT m.id, 0, measured FROM memx_run AS m JOIN held USING (job);
INSERT INTO held_set VALUES ('torchtitan', '{"memory": "reserved", "validate": 0}');
INSERT INTO hold SELECT 'by_parallelism', source, id FROM memx_run;

INSERT INTO left_out SELECT 'torchtitan.analytic', count(*), why FROM run WHERE why IS NOT NULL GROUP BY why;
INSERT INTO floor
SELECT 'torchtitan.analytic', 'peak', 100 * avg(max_gib / min_gib - 1),
       'greatest over least of set-ups that differ in compiling, Float8 or AsyncTP alone: mean of ' || count(*)
FROM (SELECT max(measured) AS max_gib, min(measured) AS min_gib FROM held JOIN setup USING (job)
      GROUP BY device, gpus, catalog_model, layers, seq_length, tp, dp, pp, micro_batch, knobs HAVING count(*) > 1);

INSERT INTO note VALUES
('torchtitan.analytic', 'time',
 'ms an iteration, from tokens a second, rows without Float8; nothing fitted; cards limited to 500 W'),
('torchtitan.analytic', 'peak', 'greatest reserved memory of the allocator, FSDP as ZeRO-3; nothing fitted'),
('torchtitan_fsdp.analytic', 'peak', 'of these, FSDP with or without context parallelism alone'),
('torchtitan_cp.analytic', 'peak', 'of these, with context parallelism'),
('torchtitan.by_parallelism_reserved', 'peak',
 'without a pipeline: data parallelism over 8, over 128, with context and with tensor parallelism, each after training on the others'),
('torchtitan_pipeline.analytic', 'peak', 'of these, with a pipeline of eight stages');
