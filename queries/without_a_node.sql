-- What does each node buy? A job always runs on all GPUs of its cluster; here job mix20 is searched again
-- on the cluster less one node, for each node in turn (rolled back). For a job of your own:
--   CREATE TEMP TABLE asked AS SELECT 'try' AS job;
-- before reading this file.
BEGIN;
CREATE TEMP TABLE IF NOT EXISTS asked AS SELECT 'mix20' AS job;
CREATE TEMP TABLE less AS
SELECT j.job, j.cluster, n.ordinal, 'less-' || n.ordinal || '-' || substr(j.job, 1, 50) AS name,
       n.gpus || ' ' || n.device AS without
FROM memx_job AS j JOIN memx_node AS n USING (cluster) WHERE j.job = (SELECT job FROM temp.asked);
INSERT INTO memx_cluster
SELECT l.name, c.inter_gbs, c.flow_gbs, c.inter_efficiency, c.latency_us, c.overhead_ms, ''
FROM memx_cluster AS c JOIN less AS l USING (cluster);
INSERT INTO memx_node(cluster, ordinal, device, gpus, link_gbs, inter_gbs, host_memory_mib, host_memory_gbs)
SELECT l.name, kept.ordinal, kept.device, kept.gpus, kept.link_gbs, kept.inter_gbs,
       kept.host_memory_mib, kept.host_memory_gbs
FROM less AS l JOIN memx_node AS kept USING (cluster) WHERE kept.ordinal <> l.ordinal;
INSERT INTO memx_job(job, cluster, model, framework, global_batch, seq_length, space, weights, predictor, reserve)
SELECT l.name, l.name, j.model, j.framework, j.global_batch, j.seq_length, j.space, j.weights, j.predictor, j.reserve
FROM less AS l JOIN memx_job AS j USING (job);
SELECT coalesce((SELECT without FROM less WHERE name = c.job), 'nothing') AS without,
       printf('%.1f', min(iteration_ms) / 1000) AS seconds,
       printf('%.0f', tokens_per_s) AS tokens_per_s, printf('%.0f', tflops_per_gpu) AS tflops_per_gpu,
       tp, pp, dp, layers
FROM memx_configs AS c
WHERE job IN (SELECT job FROM temp.asked UNION ALL SELECT name FROM less)
GROUP BY job ORDER BY (SELECT ordinal FROM less WHERE name = c.job);
ROLLBACK;
