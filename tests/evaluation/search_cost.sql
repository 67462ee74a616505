-- What a search costs: the MemX paper's four cases, on job mix20 with a predictor trained on synthetic measurements,
-- and beside them what its 26.5 s leaves out, measuring and training. Reads `stages.sql` of the testbed, see
-- search_cost.sh; prints lines of claim, what, who, value, unit, data, note.
--
-- base: tp 2, dp 1, micro batch 1 on the 20 GPUs, about as many configurations as the paper's base (31,240 / 14).
-- pp_dp: as many times the nodes, batch with them, so that only PP and DP are new: tp 2, micro batch 1 on 20 to 140
-- GPUs. micro_batch: the same with micro batches 1, 2, 4 and 8. amp: its space on the 20 GPUs. Each is a scan that
-- prices every configuration, in this order on one connection, so that what was predicted before is known.
CREATE TEMP TABLE clock(at REAL);
CREATE TEMP TABLE step(step INTEGER PRIMARY KEY, what TEXT, configurations INTEGER, started REAL, ended REAL,
                       predictions INTEGER);
CREATE TEMP TABLE size(times INTEGER, job TEXT);
WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 7)
INSERT INTO size SELECT n, 'cost-' || (20 * n) FROM n;
INSERT INTO memx_cluster(cluster, inter_gbs) SELECT size.job, inter_gbs FROM size, memx_cluster WHERE cluster = 'mix20';
INSERT INTO memx_node(cluster, ordinal, device, gpus)
SELECT size.job, row_number() OVER (PARTITION BY size.job ORDER BY ordinal, n.times) - 1, device, gpus
FROM memx_node, size JOIN size AS n ON n.times <= size.times WHERE cluster = 'mix20';
INSERT INTO memx_space(space, param, value)
SELECT 'cost-one', param, value FROM memx_space WHERE space = 'default' UNION ALL
SELECT 'cost-one', column1, column2 FROM (VALUES ('tp', 2), ('micro_batch', 1)) UNION ALL
SELECT 'cost-base', param, value FROM memx_space WHERE space = 'default' UNION ALL
SELECT 'cost-base', column1, column2 FROM (VALUES ('tp', 2), ('dp', 1), ('micro_batch', 1)) UNION ALL
SELECT 'cost-four', param, value FROM memx_space WHERE space = 'default' UNION ALL
SELECT 'cost-four', column1, column2
FROM (VALUES ('tp', 2), ('micro_batch', 1), ('micro_batch', 2), ('micro_batch', 4), ('micro_batch', 8));
INSERT INTO memx_job(job, cluster, model, framework, global_batch, weights, predictor)
SELECT size.job, size.job, model, framework, global_batch * times, weights, 'cost'
FROM size, memx_job AS j WHERE j.job = 'mix20';

INSERT INTO clock VALUES (julianday('now'));
SELECT memx_train('cost') IS NULL;
INSERT INTO step(what, started) SELECT 'train', at FROM clock;
UPDATE step SET ended = julianday('now'), predictions = 0, configurations = (SELECT count(*) FROM memx_profile);

UPDATE clock SET at = julianday('now');
INSERT INTO step(what, configurations)
SELECT 'base', count(*) FROM memx_configs WHERE job = 'cost-20' AND space = 'cost-base' AND iteration_ms > 0;
UPDATE step SET started = at, ended = julianday('now'), predictions = (SELECT count(*) FROM memx_cache)
FROM clock WHERE what = 'base';
UPDATE clock SET at = julianday('now');
INSERT INTO step(what, configurations)
SELECT 'pp_dp', count(*) FROM size, memx_configs AS c WHERE c.job = size.job AND c.space = 'cost-one' AND iteration_ms > 0;
UPDATE step SET started = at, ended = julianday('now'), predictions = (SELECT count(*) FROM memx_cache)
FROM clock WHERE what = 'pp_dp';
UPDATE clock SET at = julianday('now');
INSERT INTO step(what, configurations)
SELECT 'micro_batch', count(*) FROM size, memx_configs AS c
WHERE c.job = size.job AND c.space = 'cost-four' AND iteration_ms > 0;
UPDATE step SET started = at, ended = julianday('now'), predictions = (SELECT count(*) FROM memx_cache)
FROM clock WHERE what = 'micro_batch';
UPDATE clock SET at = julianday('now');
INSERT INTO step(what, configurations)
SELECT 'amp', count(*) FROM memx_configs WHERE job = 'cost-20' AND space = 'amp' AND iteration_ms > 0;
UPDATE step SET started = at, ended = julianday('now'), predictions = (SELECT count(*) FROM memx_cache)
FROM clock WHERE what = 'amp';
-- Without listing: the best ten of every split and every level on every stage.
UPDATE clock SET at = julianday('now');
INSERT INTO step(what, configurations)
SELECT 'top_ten_free', (SELECT feasible_exact FROM memx_reference WHERE job = 'cost-20' AND space = 'free')
FROM (SELECT max(phi) FROM (SELECT phi FROM memx_configs WHERE job = 'cost-20' AND space = 'free' ORDER BY phi LIMIT 10));
UPDATE step SET started = at, ended = julianday('now'), predictions = (SELECT count(*) FROM memx_cache)
FROM clock WHERE what = 'top_ten_free';

CREATE TEMP TABLE bill AS -- start-up of a launch is assumed, iterations are those of memx_measure's flags
SELECT 'stages' AS what, count(*) AS launches, sum(60e3 + 20 * expected_time_ms) / 3.6e6 AS hours,
       sum(gpus * (60e3 + 20 * expected_time_ms)) / 3.6e6 AS gpu_hours
FROM launch
UNION ALL
SELECT 'every_configuration', count(*), sum(60e3 + 20 * iteration_ms) / 3.6e6, sum(20 * (60e3 + 20 * iteration_ms)) / 3.6e6
FROM memx_configs WHERE job = 'cost-20'
UNION ALL
SELECT 'amps_configurations', count(*), sum(60e3 + 20 * iteration_ms) / 3.6e6, sum(20 * (60e3 + 20 * iteration_ms)) / 3.6e6
FROM memx_configs WHERE job = 'cost-20' AND space = 'amp';

.mode tabs
WITH told AS (
    SELECT now.step, now.what, now.configurations, 86400 * (now.ended - now.started) AS seconds,
           now.predictions - before.predictions AS predicted
    FROM step AS now JOIN step AS before ON before.step = now.step - 1)
SELECT 'search_cost', what || metric.column1, 'memx',
       CASE metric.column1 WHEN '' THEN configurations || '' WHEN '_seconds' THEN printf('%.3f', seconds)
                           ELSE printf('%d', predicted) END,
       metric.column2, CASE metric.column1 WHEN '_seconds' THEN 'measured here' ELSE 'counted' END,
       CASE what WHEN 'base' THEN '20 GPUs, tp 2, dp 1, micro batch 1'
                 WHEN 'pp_dp' THEN printf('tp 2, micro batch 1, 20 to 140 GPUs: %.1f times the base',
                                          1.0 * configurations / (SELECT configurations FROM step WHERE what = 'base'))
                 WHEN 'micro_batch' THEN 'and micro batches 2, 4 and 8'
                 WHEN 'amp' THEN '20 GPUs, space amp' ELSE '20 GPUs, the best ten by phi of space free' END || '; what was predicted before is known'
FROM told, (VALUES ('', 'configurations'), ('_seconds', 's'), ('_predictions', 'stages predicted')) AS metric
ORDER BY step, metric.column1;
SELECT 'search_cost', 'training', 'memx', printf('%.2f', 86400 * (ended - started)), 's', 'measured here',
       printf('memx_train on %d stages, trees and validation included', configurations)
FROM step WHERE what = 'train';
SELECT 'search_cost', 'measuring_' || what, iif(what = 'stages', 'memx', 'measuring all'), printf('%.1f', hours), 'h',
       'predicted', printf('%d launches one after the other, %.0f GPU hours; a launch is 60 s to start (assumed) and 20 iterations',
                           launches, gpu_hours)
FROM bill;
VALUES ('search_cost', 'pp_dp', 'paper', '31240', 'configurations', 'published', '14 times its base space'),
       ('search_cost', 'pp_dp_seconds', 'paper', '26.5', 's', 'published', '6.5 % more than its base space; without measuring and training'),
       ('search_cost', 'measuring_every_configuration', 'paper', '408', 'h', 'published', 'AMP, which measures each: about 17 days, extrapolated');
