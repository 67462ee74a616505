-- torchtitan's published runs (pytorch/torchtitan, BSD-3): llama3 8B in bf16 under FSDP on H100 of
-- 96 GB, eight a node, 400 Gbit/s of network a GPU.
--
-- FSDP's sharding of weights and gradients is not modelled: these are predicted as if only the
-- optimizer state were divided, so memory must come out too large, and each row's op-wise selective
-- recompute as Megatron-LM's. Float8, context parallelism and rows without settings are left out.
-- Its card is no catalog device: an H100 with 96 GB of HBM2e; memory bandwidth as the H100 PCIe's, the
-- other HBM2e model, the rest as the H100 SXM's.
-- import: published/torchtitan_perf_mem.csv measured

INSERT INTO memx_device(device, vendor, memory_mib, peak_tflops, efficiency, memory_gbs, link_gbs, certainty)
SELECT 'H100-96GB-HBM2e', vendor, 96 * 1024, peak_tflops, efficiency,
       (SELECT memory_gbs FROM memx_device WHERE device = 'H100-PCIe-80GB'), link_gbs, 'low'
FROM memx_device WHERE device = 'H100-SXM-80GB';

CREATE TABLE run AS SELECT printf('torchtitan-%02d', rowid) AS job, *,
    CASE WHEN gbs = '' THEN 'settings incomplete'
         WHEN parallelism LIKE '%Float8%' THEN 'Float8'
         WHEN parallelism NOT IN ('FSDP', 'FSDP+compile') THEN 'parallelism not modelled' END AS why
FROM measured;

INSERT INTO setup(job, device, gpus, inter_gbs, flow_gbs, framework, catalog_model, layers, seq_length,
                  tp, dp, pp, micro_batch, global_batch, recompute)
SELECT job, r.gpu, gpus, 400, 50, 'torchtitan-fsdp', r.model, layers, seq, 1, gpus, 1, local_batch,
       gbs, 'selective'
FROM run AS r JOIN memx_model AS m ON m.model = r.model
WHERE why IS NULL;

INSERT INTO point
SELECT 'torchtitan.analytic', kind, p.model || ' on ' || p.gpus, p.job,
       CASE kind WHEN 'time' THEN 1000.0 * gbs * seq / (tok_per_s_per_gpu * r.gpus)
       ELSE 1024.0 * peak_mem_gib END,
       CASE kind WHEN 'time' THEN c.iteration_ms ELSE c.peak_mib - s.context_mib END
FROM (SELECT 'time' AS kind UNION ALL SELECT 'peak'), plan AS p JOIN run AS r USING (job),
     memx_predict(p.job, p.config) AS c, memx_stages(p.job, p.config) AS s;

INSERT INTO left_out SELECT 'torchtitan.analytic', count(*), why FROM run WHERE why IS NOT NULL GROUP BY why;

INSERT INTO note VALUES
('torchtitan.analytic', 'time', 'ms an iteration, from tokens a second; nothing fitted; FSDP not modelled'),
('torchtitan.analytic', 'peak',
 'greatest reserved memory of the allocator; nothing fitted; FSDP not modelled: only the optimizer is divided');
