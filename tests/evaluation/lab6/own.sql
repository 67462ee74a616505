-- What each planner would run of its own space: its first by its own cost. The job's predictor is what is known.
CREATE TEMP TABLE asked AS SELECT 'lab6' AS job;
.read queries/planner_cost/fasop.sql
.read queries/planner_cost/metis.sql
.read queries/planner_cost/hexiscale.sql
CREATE TABLE own AS
SELECT who, 'first' AS what, job, config
FROM (SELECT who, job, config, row_number() OVER (PARTITION BY who ORDER BY round(cost_ms, 3), config) AS place
      FROM (SELECT 'amp' AS who, * FROM amp_cost UNION ALL SELECT 'fasop', * FROM fasop_cost
            UNION ALL SELECT 'metis', * FROM metis_cost UNION ALL SELECT 'hexiscale', * FROM hexiscale_cost))
WHERE place = 1;
INSERT INTO own
SELECT 'memx', 'first', job, config FROM (
    SELECT job, config FROM memx_configs WHERE job = 'lab6' AND space = 'default' ORDER BY iteration_ms LIMIT 1)
UNION ALL
SELECT 'memx', 'least phi', job, config FROM (
    SELECT job, config FROM memx_configs WHERE job = 'lab6' AND space = 'default' ORDER BY phi LIMIT 1)
UNION ALL
SELECT 'memx', 'least phi within 10 %', job, config FROM (
    SELECT job, config FROM memx_configs WHERE job = 'lab6' AND space = 'default' AND slowdown <= 1.10 ORDER BY phi LIMIT 1);
