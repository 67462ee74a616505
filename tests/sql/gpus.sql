-- memx_gpus(job, config): one row for each GPU; memory of the configuration is what these rows say.
.read tests/sql/setup/small_jobs.sql

CREATE TEMP TABLE c AS
    SELECT * FROM memx_configs WHERE job <> 'mix20'
    UNION ALL
    SELECT * FROM memx_configs WHERE job = 'mix20' AND shards = 20 AND shard = 2;
CREATE TEMP TABLE g AS
    SELECT c.job AS job_name, c.config AS config_name, g.* FROM c, memx_gpus(c.job, c.config) AS g;
CREATE INDEX temp.g_key ON g(job_name, config_name, stage);
CREATE TEMP TABLE sums AS
    SELECT job_name AS job, config_name AS config, count(*) AS gpus, max(peak_mib) AS peak_mib,
           avg(peak_mib * peak_mib) - avg(peak_mib) * avg(peak_mib) AS variance,
           min(headroom) AS headroom, min(capacity_mib - peak_mib) AS headroom_mib
    FROM g GROUP BY job_name, config_name;

SELECT 'configurations', count(*) - (SELECT count(*) FROM c) FROM sums;
SELECT 'GPUs', count(*) FROM sums JOIN c USING (job, config) WHERE gpus <> tp * pp * dp;
SELECT 'GPUs of the cluster', count(*) FROM sums JOIN memx_job USING (job)
    WHERE gpus <> (SELECT sum(n.gpus) FROM memx_node AS n WHERE n.cluster = memx_job.cluster);
SELECT 'peak', count(*) FROM sums JOIN c USING (job, config) WHERE sums.peak_mib <> c.peak_mib;
SELECT 'variance', count(*) FROM sums JOIN c USING (job, config)
    WHERE abs(variance - memory_variance) > 1e-9 * sums.peak_mib * sums.peak_mib;
SELECT 'headroom', count(*) FROM sums JOIN c USING (job, config) WHERE sums.headroom <> c.headroom;
SELECT 'headroom in MiB', count(*) FROM sums JOIN c USING (job, config)
    WHERE sums.headroom_mib <> c.headroom_mib;
SELECT 'tightest stage', count(*) FROM c WHERE NOT EXISTS (SELECT 1 FROM g WHERE g.job_name = c.job
    AND g.config_name = c.config AND g.stage = c.tightest_stage AND g.headroom = c.headroom);

-- Ranks run from 0 as Megatron-LM counts them: stage by stage, and in it tensor parallel ranks fastest.
SELECT 'ranks', count(*) FROM g JOIN c ON c.job = g.job_name AND c.config = g.config_name
    WHERE rank <> (stage * dp + dp_rank) * tp + tp_rank OR tp_rank >= tp OR dp_rank >= dp;

-- Every GPU of a node is used once, and has the node's device; a tensor parallel group lies in one node.
SELECT 'nodes', count(*)
    FROM (SELECT job_name, config_name, node, count(*) AS used, min(device) AS least, max(device) AS most
        FROM g GROUP BY job_name, config_name, node) AS n
    JOIN memx_job AS j ON j.job = n.job_name JOIN memx_node ON memx_node.cluster = j.cluster
        AND ordinal = node
    WHERE used <> gpus OR least <> most OR least <> coalesce(
        (SELECT d.device FROM memx_device AS d WHERE d.device = memx_node.device),
        (SELECT a.device FROM memx_alias AS a WHERE a.name = memx_node.device));
SELECT 'tensor parallel groups', count(*) FROM (SELECT count(DISTINCT node) AS nodes
        FROM g GROUP BY job_name, config_name, stage, dp_rank) WHERE nodes <> 1;

-- Stages of one device have one peak; on a mixed stage it depends on the device alone.
SELECT 'peaks of a stage', count(*) FROM (SELECT count(DISTINCT peak_mib) AS peaks FROM g
        GROUP BY job_name, config_name, stage, device) WHERE peaks <> 1;
SELECT 'mixed stages seen', count(*) > 100 FROM (SELECT 1 FROM g
        GROUP BY job_name, config_name, stage HAVING count(DISTINCT device) > 1);

SELECT rank, node, device, stage, dp_rank, tp_rank
    FROM memx_gpus('lab6', 'tp2.dp1.mb1/V100-SXM2-16GB*2:none,T4*2:none,V100-SXM2-16GB*2:none');
SELECT 'null', count(*) FROM memx_gpus(NULL, NULL);
