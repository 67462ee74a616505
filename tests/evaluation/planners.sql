-- Every planner's cost of every configuration in `truth`, and its own first pick, against the truth; a line each
-- of profile, who, metric, value, note. The profile is the job's predictor.
.output /dev/null
.read queries/planner_cost/fasop.sql
.read queries/planner_cost/metis.sql
.read queries/planner_cost/hexiscale.sql
.output
.mode tabs
DROP TABLE IF EXISTS temp.cost;
DROP TABLE IF EXISTS temp.point;
DROP TABLE IF EXISTS temp.shared;
CREATE TEMP TABLE cost AS
SELECT 'amp' AS who, 1 AS own, config, cost_ms FROM amp_cost
UNION ALL SELECT 'fasop', 1, config, cost_ms FROM fasop_cost
UNION ALL SELECT 'metis', 1, config, cost_ms FROM metis_cost
UNION ALL SELECT 'hexiscale', 1, config, cost_ms FROM hexiscale_cost
UNION ALL SELECT 'hexiscale_by_memory', 1, config, cost_ms FROM hexiscale_all WHERE rule = 'memory'
UNION ALL SELECT * FROM (SELECT 'memx', 1, config, iteration_ms FROM memx_configs
                         WHERE job = 'mix20' ORDER BY iteration_ms LIMIT 1);
-- The set of all: no planner here but MemX knows recompute.
CREATE TEMP TABLE shared AS
SELECT t.job, t.config FROM truth AS t
WHERE NOT oom AND config IN (SELECT config FROM amp_row UNION ALL SELECT config FROM hexiscale_row);
DELETE FROM amp_row;
DELETE FROM metis_row;
DELETE FROM hexiscale_row;
INSERT INTO amp_row SELECT job, config FROM shared;
INSERT INTO metis_row SELECT job, config FROM shared;
INSERT INTO hexiscale_row SELECT job, '', config FROM shared;
INSERT INTO cost
SELECT 'amp', 0, config, cost_ms FROM amp_cost -- and FaSOP's
UNION ALL SELECT 'metis', 0, config, cost_ms FROM metis_cost
UNION ALL SELECT 'hexiscale', 0, config, cost_ms FROM hexiscale_formula
UNION ALL SELECT 'memx', 0, t.config, p.iteration_ms FROM shared AS t, memx_predict(t.job, t.config) AS p;
CREATE TEMP TABLE point AS
SELECT who, own, config, cost_ms, iteration_ms AS true_ms FROM cost JOIN truth USING (config) WHERE NOT oom;

WITH figure AS (
    SELECT who, own, mape(true_ms, cost_ms) AS mape, spearman(true_ms, cost_ms) AS spearman, count(*) AS rows
    FROM point GROUP BY who, own HAVING count(*) > 1)
SELECT predictor, who, iif(own, 'own_', 'all_') || column1, iif(column1 = 'mape', mape, spearman), rows
FROM figure, memx_job, (VALUES ('mape'), ('spearman')) WHERE job = 'mix20';

WITH pick AS MATERIALIZED (
    SELECT who, config, row_number() OVER (PARTITION BY who ORDER BY round(cost_ms, 3), config) AS place
    FROM cost WHERE own),
tried AS MATERIALIZED (
    SELECT job, predictor, who, config, iteration_ms, oom
    FROM pick JOIN truth USING (config) JOIN memx_job USING (job) WHERE place = 1)
SELECT predictor, who, 'first', 100 * (iteration_ms / (SELECT min(iteration_ms) FROM truth WHERE NOT oom) - 1), config
FROM tried WHERE NOT oom
UNION ALL
SELECT predictor, who, 'out_of_memory', oom, iif(oom, (
           SELECT device || ', stage ' || stage FROM memx_stages(tried.job, tried.config) ORDER BY headroom LIMIT 1), '')
FROM tried;
