-- How good are the predictions? For every data set (the source of memx_run and memx_profile up to a colon)
-- and device: the error of time (of an iteration, or of one micro batch through a stage) and of memory,
-- which is the greatest of a run's devices or of those measured, by the column that holds it: allocated,
-- reserved or total. 'stage memory': mean over each stage's devices, where a run has several.
--
--   mape, worst, over_50   mean and greatest |predicted - measured| / measured, in %; rows above 50 %
--   pairs, ordered         pairs of one family measured more than 10 % apart, and the share of them that is
--                          predicted in that order. Family: what one chooses between: runs of one model,
--                          framework, cluster, batch and length; stages that differ in tp, dp, micro batch
--                          and level alone; stages of one run. Not two rows of one configuration
--   spearman               rank correlation within families of 4 rows or more, their mean by rows
--   first                  families of several configurations whose measured best is predicted best
--   floor                  greatest over least of rows that differ in nothing, in %, less 1: their mean and
--                          number. No prediction can be surer
--   not_predicted          rows that measured this and have no prediction; memx_measured.problem says why
-- In this first table nothing is held out: with predictor analytic nothing was fitted, any other may have seen
-- the rows, runs and stages. It reads memx_measured; memx_views() makes that where it is not there.
--
-- The second table is what to believe of each stored predictor: its errors on rows that were held out, by
-- whole groups, while it was trained.
--   figure                 time and peak of a stage, iteration of a run
--   held_out, groups       what one group has in common; how many groups were left out in turn
--   calibrated, trees      MAPE in % on the groups left out, of the calibrated model alone and with trees
--   ordered                pairs in a group, more than 10 % apart, that come out in order, by what is used
--   used                   what searches use
SELECT 1 WHERE memx_views() IS NULL; -- which it never is
DROP TABLE IF EXISTS temp.seen;
DROP TABLE IF EXISTS temp.held;
DROP TABLE IF EXISTS temp.figure;
DROP TABLE IF EXISTS temp.point;
CREATE TEMP TABLE seen AS
SELECT *,
       json_array(kind, model, framework, device, cluster, global_batch, seq_length,
                  iif(kind = 'run', NULL, json_array(layers, first_stage, last_stage, in_flight))) AS family,
       json_array(config, iif(kind = 'run', NULL, json_array(
           tp, dp, micro_batch, recompute, heads, kv_groups, sequence_parallel,
           distributed_optimizer))) AS choice
FROM memx_measured;
CREATE TEMP TABLE figure AS
SELECT data_set, kind, device, 'time' AS figure, family, choice, measured_ms AS measured,
       predicted_ms AS predicted, predictor, 1 AS place
FROM seen WHERE measured_ms IS NOT NULL
UNION ALL
SELECT data_set, kind, device, 'allocated', family, choice, allocated_mib, predicted_allocated_mib, predictor, 2
FROM seen WHERE allocated_mib IS NOT NULL
UNION ALL
SELECT data_set, kind, device, 'reserved', family, choice, reserved_mib, predicted_reserved_mib, predictor, 3
FROM seen WHERE reserved_mib IS NOT NULL
UNION ALL
SELECT data_set, kind, device, 'total', family, choice, total_mib, predicted_total_mib, predictor, 4
FROM seen WHERE total_mib IS NOT NULL;
-- Stages of runs whose devices were measured one by one.
CREATE TEMP TABLE held AS
SELECT v.data_set, v.device, json_array(v.family, v.id) AS family, s.stage AS choice, v.predictor,
       avg(g.allocated_mib) AS allocated_mib, avg(g.reserved_mib) AS reserved_mib, avg(g.total_mib) AS total_mib,
       s.peak_mib - s.context_mib AS predicted_reserved_mib, s.peak_mib AS predicted_total_mib,
       s.peak_mib - s.context_mib - s.static_mib * (1 - 1 / (
           SELECT alpha_static FROM memx_device AS d
           WHERE d.device = substr(s.device, 1, instr(s.device || '(', '(') - 1))) AS predicted_allocated_mib
FROM (SELECT * FROM seen WHERE kind = 'run' AND problem IS NULL
                               AND EXISTS (SELECT 1 FROM memx_run_gpu WHERE run = seen.id)) AS v,
     memx_stages(v.job, v.config) AS s, memx_gpus(v.job, v.config) AS at
     JOIN memx_run_gpu AS g ON g.run = v.id AND g.rank = at.rank
WHERE at.stage = s.stage GROUP BY v.id, s.stage;
INSERT INTO figure
SELECT data_set, 'stage memory', device, 'allocated', family, choice, allocated_mib,
       predicted_allocated_mib, predictor, 5 FROM held WHERE allocated_mib IS NOT NULL
UNION ALL
SELECT data_set, 'stage memory', device, 'reserved', family, choice, reserved_mib,
       predicted_reserved_mib, predictor, 6 FROM held WHERE reserved_mib IS NOT NULL
UNION ALL
SELECT data_set, 'stage memory', device, 'total', family, choice, total_mib,
       predicted_total_mib, predictor, 7 FROM held WHERE total_mib IS NOT NULL;
-- Numbers for texts, and an order: for the pairs.
CREATE TEMP TABLE point AS
SELECT dense_rank() OVER (ORDER BY data_set, kind, device, place) AS part, data_set, kind, device, figure,
       dense_rank() OVER (ORDER BY data_set, kind, device, place, family) AS family,
       dense_rank() OVER (ORDER BY choice) AS choice, measured, predicted, predictor
FROM figure;
CREATE INDEX temp.point_by_family ON point(family);

WITH
sums AS (
    SELECT part, data_set, kind, device, figure, count(predicted) AS rows, mape(measured, predicted) AS mape,
           max(100 * abs(predicted / measured - 1)) AS worst,
           count(*) FILTER (WHERE abs(predicted / measured - 1) > 0.5) AS over_50,
           group_concat(DISTINCT predictor) AS predictor, count(*) - count(predicted) AS not_predicted
    FROM point GROUP BY part),
pairs AS (
    SELECT a.part, count(*) AS pairs,
           100 * avg((a.measured - b.measured) * (a.predicted - b.predicted) > 0) AS ordered
    FROM point AS a JOIN point AS b USING (family)
    WHERE a.rowid < b.rowid AND a.choice <> b.choice
          AND max(a.measured, b.measured) > 1.1 * min(a.measured, b.measured)
          AND a.predicted IS NOT NULL AND b.predicted IS NOT NULL
    GROUP BY a.part),
ranks AS (
    SELECT part, sum(rank * rows) / sum(rows) AS spearman
    FROM (SELECT part, count(*) AS rows, spearman(measured, predicted) AS rank FROM point
          WHERE predicted IS NOT NULL GROUP BY family HAVING count(*) >= 4)
    WHERE rank IS NOT NULL GROUP BY part),
best AS (
    SELECT part, choice = first_value(choice) OVER (PARTITION BY family ORDER BY predicted, measured) AS right,
           row_number() OVER (PARTITION BY family ORDER BY measured, predicted) AS place,
           family IN (SELECT family FROM point WHERE predicted IS NOT NULL GROUP BY family
                      HAVING count(DISTINCT choice) > 1) AS several
    FROM point WHERE predicted IS NOT NULL),
firsts AS (
    SELECT part, sum(right) || ' of ' || count(*) AS first FROM best WHERE several AND best.place = 1
    GROUP BY part),
floors AS (
    SELECT part, printf('%.2f (%d)', 100 * avg(ratio - 1), count(*)) AS floor
    FROM (SELECT part, max(measured) / min(measured) AS ratio FROM point GROUP BY family, choice
          HAVING count(*) > 1)
    GROUP BY part)
SELECT * FROM (
    SELECT data_set, kind, device, figure, rows, printf('%.2f', mape) AS mape, printf('%.2f', worst) AS worst,
           printf('%.1f %%', 100.0 * over_50 / rows) AS over_50, ifnull(pairs, 0) AS pairs,
           iif(ordered IS NULL, '-', printf('%.1f', ordered)) AS ordered,
           iif(spearman IS NULL, '-', printf('%.3f', spearman)) AS spearman, ifnull(first, '-') AS first,
           ifnull(floor, '-') AS floor, not_predicted, predictor
    FROM sums LEFT JOIN pairs USING (part) LEFT JOIN ranks USING (part) LEFT JOIN firsts USING (part)
         LEFT JOIN floors USING (part)
    ORDER BY part)
UNION ALL
SELECT 'nothing was measured yet', '-', '-', '-', 0, '-', '-', '-', 0, '-', '-', '-', '-', 0, '-'
WHERE NOT EXISTS (SELECT 1 FROM point);

SELECT p.predictor, f.key AS figure, h.key AS held_out, h.value ->> 'groups' AS groups, h.value ->> 'rows' AS rows,
       printf('%.2f', h.value ->> 'calibrated_mape') AS calibrated,
       iif(f.value ->> 'used' IS NULL AND h.value ->> 'calibrated_mape' = h.value ->> 'learned_mape', '-',
           printf('%.2f', h.value ->> 'learned_mape')) AS trees,
       printf('%.1f', iif(f.value ->> 'used', h.value ->> 'learned_order', h.value ->> 'calibrated_order')) AS ordered,
       iif(f.value ->> 'used', 'trees', 'calibrated model') AS used
FROM memx_predictor AS p, json_each(p.errors) AS f, json_each(f.value, '$.held_out') AS h
WHERE f.type = 'object'
UNION ALL
SELECT 'no predictor yet', '-', '-', 0, 0, '-', '-', '-', '-'
WHERE NOT EXISTS (SELECT 1 FROM memx_predictor);
