-- Jobs whose weights are 'auto', and plans under a job's weights.

-- Weights 'auto': safe where the fastest configuration leaves less than 10 % free (even-tight: though the
-- cards are alike), throughput where cards differ by less than 10 % in memory and rate, else default.
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('even', 25);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES
    ('even', 0, 'A100-SXM-80GB', 4), ('even', 1, 'A100-PCIe-80GB', 4);
INSERT INTO memx_job(job, cluster, model, framework, global_batch, weights, reserve) VALUES
    ('auto-tight', 'xy', 'llama2-7b', 'megatron-bf16', 256, 'auto', 0),
    ('auto-even-tight', 'even', 'llama2-13b', 'megatron-bf16', 256, 'auto', 0),
    ('auto-even', 'even', 'llama2-7b', 'megatron-bf16', 256, 'auto', NULL),
    ('auto-mixed', 'mix20', 'llama2-7b', 'megatron-bf16', 256, 'auto', NULL);
CREATE TEMP TABLE resolved AS
    SELECT j.job, e.column1 AS weights, c.config, c.phi
    FROM memx_job AS j JOIN (VALUES ('safe'), ('throughput'), ('default')) AS e
    JOIN memx_configs AS c ON c.job = j.job AND c.weights = e.column1 WHERE j.weights = 'auto';
CREATE TEMP TABLE own AS
    SELECT j.job, c.config, c.phi AS own
    FROM memx_job AS j JOIN memx_configs AS c ON c.job = j.job WHERE j.weights = 'auto';
CREATE INDEX temp.own_key ON own(job, config);
SELECT 'auto', job, group_concat(weights) FROM (
    SELECT job, weights FROM resolved JOIN own USING (job, config) GROUP BY job, weights HAVING min(own = phi)
        AND count(*) = (SELECT count(*) FROM own WHERE own.job = resolved.job)) GROUP BY job;
SELECT 'why', job, round(headroom, 3) AS least_headroom,
       round(1 - min(memory_mib) / max(memory_mib), 3) AS memory,
       round(1 - min(peak_tflops * d.efficiency) / max(peak_tflops * d.efficiency), 3) AS rate
    FROM memx_job AS j JOIN memx_node USING (cluster) JOIN memx_device AS d USING (device)
    JOIN (SELECT job, headroom, min(iteration_ms) FROM memx_configs WHERE job LIKE 'auto-%' GROUP BY job)
        USING (job)
    GROUP BY job;
-- They follow the job as it is now.
BEGIN;
UPDATE memx_job SET reserve = 0.10 WHERE job = 'auto-tight';
SELECT 'no longer tight', (SELECT sum(phi) FROM memx_configs WHERE job = 'auto-tight')
       = (SELECT sum(phi) FROM memx_configs WHERE job = 'auto-tight' AND weights = 'default');
UPDATE memx_device SET memory_mib = 0.89 * memory_mib WHERE device = 'A100-PCIe-80GB';
UPDATE memx_job SET reserve = 0.05 WHERE job = 'auto-even';
SELECT 'no longer alike', (SELECT sum(phi) FROM memx_configs WHERE job = 'auto-even')
       = (SELECT sum(phi) FROM memx_configs WHERE job = 'auto-even' AND weights = 'default');
ROLLBACK;
-- Resolved on the job's own space, whatever space the query names; a query's weights come first.
INSERT INTO memx_space(space, param, value)
    SELECT 'tp8', param, value FROM memx_space WHERE space = 'default' UNION ALL VALUES ('tp8', 'tp', '8');
SELECT 'another space', (SELECT sum(phi) FROM memx_configs WHERE job = 'auto-tight' AND space = 'tp8')
       = (SELECT sum(phi) FROM memx_configs WHERE job = 'auto-tight' AND space = 'tp8' AND weights = 'safe'),
       (SELECT headroom FROM memx_configs WHERE job = 'auto-tight' AND space = 'tp8'
        ORDER BY iteration_ms LIMIT 1) > 0.1 AS roomy;
SELECT 'overridden', (SELECT sum(phi) FROM memx_configs WHERE job = 'auto-tight' AND weights = 'throughput')
       <> (SELECT sum(phi) FROM memx_configs WHERE job = 'auto-tight');
SELECT 'memx_predict', count(*), sum(p.phi <> own)
    FROM (SELECT * FROM own WHERE job <> 'auto-mixed' ORDER BY own LIMIT 100) AS o,
         memx_predict(o.job, o.config) AS p;
SELECT 'unreadable', count(*) FROM memx_why('auto-tight') WHERE example LIKE '%weights%';
-- A plan by phi takes the job's weights: its own in memx_weights, or those that auto stands for.
INSERT INTO memx_weights(weights, w_time, w_peak, w_variance) VALUES ('time-alone', 1, 0, 0);
INSERT INTO memx_job(job, cluster, model, framework, global_batch, weights, reserve) VALUES
    ('time-alone', 'xy', 'llama2-7b', 'megatron-bf16', 256, 'time-alone', 0),
    ('auto', 'xy', 'llama2-7b', 'megatron-bf16', 256, 'auto', 0),
    ('safe', 'xy', 'llama2-7b', 'megatron-bf16', 256, 'safe', 0),
    ('plain', 'xy', 'llama2-7b', 'megatron-bf16', 256, 'default', 0);
CREATE TEMP TABLE weighed AS SELECT config,
    recompute_plan('time-alone', config, 'time') AS t, recompute_plan('time-alone', config, 'phi') AS alone,
    recompute_plan('auto', config, 'phi') AS auto, recompute_plan('safe', config, 'phi') AS safe,
    recompute_plan('plain', config, 'phi') AS plain
    FROM memx_configs WHERE job = 'xy';
SELECT 'plans by phi', count(*) > 1000, sum(alone IS NOT t) AS time_alone, sum(auto IS NOT safe) AS auto,
       sum(auto IS NOT plain) > 0 AS other_weights, sum(plain IS NOT t) > 0 AS other_objective FROM weighed;
-- Weights add up to 1, in a table as in an array; and auto belongs to a job.
INSERT INTO memx_weights(weights, w_time, w_peak, w_variance) VALUES ('heavy', 0.5, 0.5, 0.5);
INSERT INTO memx_weights(weights, w_time, w_peak, w_variance) VALUES ('auto', 1, 0, 0);
SELECT phi(1, 1, 1, '[0.5, 0.5, 0.5]');
SELECT phi(1, 1, 1, 'auto');
SELECT count(*) FROM memx_configs WHERE job = 'auto' AND weights = 'auto';
SELECT count(*) FROM memx_predict('auto', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none') WHERE weights = 'auto';
-- Weights that are gone are named, with the job.
UPDATE memx_job SET weights = 'gone' WHERE job = 'plain';
SELECT recompute_plan('plain', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none', 'phi');
SELECT recompute_plan('plain', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none');
