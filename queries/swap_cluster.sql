-- Does a pick survive an exchange of nodes? In the cluster of each job, one device type is exchanged for
-- each card of the catalog that has less memory (from half of it) or more (up to twice). In how many of
-- these exchanges does a pick still fit, changed in nothing but the card's name: the fastest, the one of
-- the best phi, and the one of the best phi at most 10 % slower than the fastest? Beside it, the share
-- of the tightest card that it then leaves free (median; below 0: what is missing). A job keeps 10 %
-- free unless its reserve says otherwise. All is rolled back.
BEGIN;
CREATE TEMP TABLE pick AS
SELECT job,
       (SELECT config FROM memx_configs AS c WHERE c.job = j.job ORDER BY iteration_ms LIMIT 1) AS fastest,
       (SELECT config FROM memx_configs AS c WHERE c.job = j.job ORDER BY phi LIMIT 1) AS best,
       (SELECT config FROM memx_configs AS c WHERE c.job = j.job AND slowdown <= 1.10
        ORDER BY phi LIMIT 1) AS near
FROM memx_job AS j WHERE job IN ('mix20', 'lab6', 'xy');

-- Every exchange is a cluster and a job of its own.
CREATE TEMP TABLE exchange AS
SELECT 'exchange-' || row_number() OVER (ORDER BY job, gone.device, came.device) AS name,
       job, cluster, gone.device AS gone, came.device AS came,
       iif(came.memory_mib < gone.memory_mib, 'less', 'more') AS memory, coalesce(reserve, 0.10) AS reserve
FROM memx_job JOIN memx_framework AS f USING (framework)
     JOIN (SELECT DISTINCT cluster, device FROM memx_node) AS node USING (cluster)
     JOIN memx_device AS gone ON gone.device = node.device
     JOIN memx_device AS came ON came.memory_mib BETWEEN gone.memory_mib / 2 AND gone.memory_mib * 2
                                 AND came.memory_mib <> gone.memory_mib AND came.bf16 >= f.bf16
                                 AND came.certainty <> 'invented'
WHERE job IN ('mix20', 'lab6', 'xy')
      AND came.device NOT IN (SELECT device FROM memx_node WHERE memx_node.cluster = memx_job.cluster);
INSERT INTO memx_cluster(cluster, inter_gbs, flow_gbs, inter_efficiency, latency_us, overhead_ms, note)
SELECT e.name, c.inter_gbs, c.flow_gbs, c.inter_efficiency, c.latency_us, c.overhead_ms, ''
FROM exchange AS e JOIN memx_cluster AS c USING (cluster);
INSERT INTO memx_node(cluster, ordinal, device, gpus, link_gbs, inter_gbs)
SELECT e.name, n.ordinal, iif(n.device = e.gone, e.came, n.device), n.gpus, n.link_gbs, n.inter_gbs
FROM exchange AS e JOIN memx_node AS n USING (cluster);
INSERT INTO memx_job(job, cluster, model, framework, global_batch, seq_length, reserve)
SELECT e.name, e.name, j.model, j.framework, j.global_batch, j.seq_length, j.reserve
FROM exchange AS e JOIN memx_job AS j USING (job);

SELECT e.job, e.gone AS exchanged, e.memory AS for_one_with, count(*) AS exchanges,
       sum(f.headroom >= e.reserve) AS fastest_fits, sum(b.headroom >= e.reserve) AS best_phi_fits,
       sum(n.headroom >= e.reserve) AS best_within_10_fits,
       printf('%.0f %%', 100 * median(f.headroom)) AS fastest_free,
       printf('%.0f %%', 100 * median(b.headroom)) AS best_phi_free,
       printf('%.0f %%', 100 * median(n.headroom)) AS best_within_10_free
FROM exchange AS e JOIN pick USING (job),
     memx_predict(e.name, replace(pick.fastest, e.gone, e.came)) AS f,
     memx_predict(e.name, replace(pick.best, e.gone, e.came)) AS b,
     memx_predict(e.name, replace(pick.near, e.gone, e.came)) AS n
GROUP BY e.job, e.gone, e.memory
ORDER BY e.job, e.gone, e.memory;
ROLLBACK;
