-- What does each node buy? A job always runs on all GPUs of its cluster; here job mix20 is searched again
-- on the cluster less one node, for each node in turn (rolled back).
BEGIN;
INSERT INTO memx_cluster(cluster, inter_gbs, flow_gbs, inter_efficiency, latency_us, overhead_ms, note)
SELECT 'mix20-' || n.ordinal, c.inter_gbs, c.flow_gbs, c.inter_efficiency, c.latency_us, c.overhead_ms, ''
FROM memx_cluster AS c JOIN memx_node AS n USING (cluster) WHERE cluster = 'mix20';
INSERT INTO memx_node(cluster, ordinal, device, gpus, link_gbs, inter_gbs)
SELECT 'mix20-' || gone.ordinal, kept.ordinal, kept.device, kept.gpus, kept.link_gbs, kept.inter_gbs
FROM memx_node AS gone JOIN memx_node AS kept USING (cluster)
WHERE cluster = 'mix20' AND kept.ordinal <> gone.ordinal;
INSERT INTO memx_job(job, cluster, model, framework, global_batch)
SELECT cluster || '-' || ordinal, cluster || '-' || ordinal, model, framework, global_batch
FROM memx_job JOIN memx_node USING (cluster) WHERE job = 'mix20';
SELECT coalesce((SELECT gpus || ' ' || device FROM memx_node
                 WHERE cluster = 'mix20' AND job = 'mix20-' || ordinal), 'nothing') AS without,
       printf('%.1f', min(iteration_ms) / 1000) AS seconds,
       printf('%.0f', tokens_per_s) AS tokens_per_s, printf('%.0f', tflops_per_gpu) AS tflops_per_gpu,
       tp, pp, dp, layers
FROM memx_configs
WHERE job = 'mix20' OR job LIKE 'mix20-%'
GROUP BY job ORDER BY job;
ROLLBACK;
