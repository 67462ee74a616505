-- Real runs beside every planner's cost: vTrain's on 64 to 512 A100 and on one node of them, Sailor's on GH200. Prints
-- lines of claim, what, who, value, unit, data, note. Claims real_SET: jobs of a set of which several configurations
-- were run, on one device type; the planners' own splits are not asked, only what they would have said of these.
--
-- memx, amp, metis: after memx_train() on the other groups of the set (a model of vTrain's many nodes, a hidden size of
-- its single nodes, a job of Sailor's), AMP's and Metis's costs by the same trained profile of a stage as MemX;
-- memx_analytic, amp_analytic, metis_analytic: nothing fitted, all by MemX's analytic profile. HexiScale takes data
-- sheets, which nothing trains. AMP and FaSOP have one cost.
CREATE TABLE run AS
SELECT r.id, r.job, r.config, r.iteration_ms, r.total_mib,
       CASE WHEN r.job LIKE 'sailor%' THEN 'sailor' WHEN m.gpus > 8 THEN 'vtrain_multi' ELSE 'vtrain_single' END AS set_name,
       CASE WHEN r.job LIKE 'sailor%' THEN r.job ELSE 'hidden ' || m.hidden END AS grp
FROM memx_run AS r JOIN (SELECT job, hidden, sum(n.gpus) AS gpus, count(DISTINCT n.device) AS types
                         FROM memx_job AS j JOIN memx_model USING (model) JOIN memx_node AS n USING (cluster)
                         GROUP BY job) AS m USING (job)
WHERE types = 1 AND r.iteration_ms IS NOT NULL;
CREATE TABLE holding(set_name TEXT, grp TEXT);
CREATE TABLE cost(id INTEGER, who TEXT, cost_ms REAL, peak_mib REAL, spread_mib REAL); -- memory: MemX's alone
CREATE TABLE held AS -- the fullest GPU and the deviation over GPUs, as measured; what a card's driver holds is equal for all
SELECT r.id, coalesce(r.total_mib, max(g.total_mib)) AS peak_mib,
       sqrt(max(0, avg(g.total_mib * g.total_mib) - avg(g.total_mib) * avg(g.total_mib))) AS spread_mib
FROM run AS r LEFT JOIN memx_run_gpu AS g ON g.run = r.id GROUP BY r.id;
DELETE FROM memx_run_gpu;
DELETE FROM memx_profile;
UPDATE memx_job SET predictor = 'analytic';
INSERT INTO cost
SELECT id, 'memx_analytic', p.iteration_ms, p.peak_mib, sqrt(p.memory_variance)
FROM run, memx_predict(run.job, run.config) AS p;

-- The planners' costs of these configurations, nothing fitted.
CREATE TEMP TABLE asked AS SELECT DISTINCT job FROM run;
CREATE TEMP TABLE asked_config AS SELECT DISTINCT job, config FROM run;
.read queries/planner_cost/fasop.sql
.read queries/planner_cost/metis.sql
.read queries/planner_cost/hexiscale.sql
INSERT INTO cost(id, who, cost_ms)
SELECT id, who, cost_ms
FROM run JOIN (SELECT 'amp_analytic' AS who, * FROM amp_cost
               UNION ALL SELECT 'metis_analytic', * FROM metis_cost
               UNION ALL SELECT 'hexiscale', * FROM hexiscale_cost) USING (job, config);

-- @groups: real.sh has each of them predicted here.

-- A configuration that was measured more than once counts once, as their mean.
CREATE TABLE seen AS
SELECT set_name, job, who, config, avg(iteration_ms) AS true_ms, avg(cost_ms) AS cost_ms
FROM run JOIN cost USING (id) GROUP BY set_name, job, who, config;
CREATE TABLE family AS
SELECT set_name, job, who, count(*) AS rows, spearman(true_ms, cost_ms) AS spearman,
       100 * ((SELECT true_ms FROM seen AS s WHERE s.job = t.job AND s.who = t.who ORDER BY cost_ms, config LIMIT 1)
              / min(true_ms) - 1) AS lost
FROM seen AS t GROUP BY set_name, job, who HAVING count(*) > 1;

.mode tabs
WITH pair AS (
    SELECT a.set_name, a.who, (a.true_ms < b.true_ms) = (a.cost_ms < b.cost_ms) AS right
    FROM seen AS a JOIN seen AS b USING (job, who)
    WHERE a.config < b.config AND max(a.true_ms, b.true_ms) > 1.02 * min(a.true_ms, b.true_ms)),
figure AS (
    SELECT set_name, 1 AS place, 'time_mape' AS what, who, printf('%.2f', mape(true_ms, cost_ms)) AS value, '%' AS unit,
           printf('%d configurations of %d jobs; worst %.0f', count(*), count(DISTINCT job),
                  max(100 * abs(cost_ms / true_ms - 1))) AS note
    FROM seen GROUP BY set_name, who
    UNION ALL
    SELECT set_name, 2, 'spearman', who, printf('%.3f', sum(rows * spearman) / sum(rows)), '',
           printf('within jobs of 4 configurations or more, %d of them', count(*))
    FROM family WHERE rows >= 4 AND spearman IS NOT NULL GROUP BY set_name, who
    UNION ALL
    SELECT set_name, 3, 'order', who, printf('%.1f', 100 * avg(right)), '%',
           printf('of %d pairs of a job more than 2 %% apart in the right order', count(*))
    FROM pair GROUP BY set_name, who
    UNION ALL
    SELECT set_name, 6, measure.value || '_order', who, printf('%.0f', sum((a_true < b_true) = (a_told < b_told))), 'pairs',
           printf('of %d of a job more than 2 %% apart, in the right order by %s of the GPUs', count(*),
                  iif(measure.value = 'peak', 'the fullest', 'the deviation'))
    FROM json_each('["peak", "spread"]') AS measure JOIN (
        SELECT a.set_name, k.value AS kind, c.who, iif(k.value = 'peak', h.peak_mib, h.spread_mib) AS a_true,
               iif(k.value = 'peak', i.peak_mib, i.spread_mib) AS b_true,
               iif(k.value = 'peak', c.peak_mib, c.spread_mib) AS a_told,
               iif(k.value = 'peak', d.peak_mib, d.spread_mib) AS b_told
        FROM run AS a JOIN run AS b ON b.job = a.job AND b.id > a.id AND b.config <> a.config
             JOIN held AS h ON h.id = a.id JOIN held AS i ON i.id = b.id
             JOIN cost AS c ON c.id = a.id JOIN cost AS d ON d.id = b.id AND d.who = c.who,
             json_each('["peak", "spread"]') AS k
        WHERE c.peak_mib IS NOT NULL) ON kind = measure.value
    WHERE max(a_true, b_true) > 1.02 * min(a_true, b_true)
    GROUP BY set_name, measure.value, who
    UNION ALL
    SELECT set_name, 4, 'first', who, printf('%.2f', avg(lost)), '%',
           printf('its first of each job above the fastest measured, mean of %d jobs; worst %.1f', count(*), max(lost))
    FROM family GROUP BY set_name, who
    UNION ALL
    SELECT set_name, 5, 'first_right', who, printf('%.0f', sum(lost = 0)), 'jobs',
           printf('of %d whose first is the fastest measured', count(*))
    FROM family GROUP BY set_name, who)
SELECT 'real_' || set_name, what, who, value, unit, 'real', note
FROM figure ORDER BY set_name, place, who;
