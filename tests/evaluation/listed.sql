-- What the testbed runs: the planners' configurations, fitting or not, and MemX's fastest by either profile.
.read queries/planner_cost/fasop.sql
.read queries/planner_cost/hexiscale.sql
CREATE TEMP TABLE listed AS
SELECT job, config FROM amp_row UNION SELECT job, config FROM hexiscale_row;
UPDATE memx_job SET predictor = 'measured' WHERE job = 'mix20';
INSERT INTO listed SELECT job, config FROM memx_configs WHERE job = 'mix20' ORDER BY iteration_ms LIMIT 100;
UPDATE memx_job SET predictor = 'analytic' WHERE job = 'mix20';
INSERT INTO listed SELECT job, config FROM memx_configs WHERE job = 'mix20' ORDER BY iteration_ms LIMIT 100;
CREATE TEMP TABLE once AS SELECT DISTINCT job, config FROM listed;
DELETE FROM listed;
INSERT INTO listed SELECT * FROM once;
