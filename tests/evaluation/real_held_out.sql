-- The group in `holding` predicted after training on the other runs of its set, nothing else being there.
DELETE FROM memx_run;
INSERT INTO memx_run(id, job, config, iteration_ms, total_mib, source)
SELECT id, job, config, iteration_ms, total_mib, set_name FROM run JOIN holding USING (set_name) WHERE run.grp <> holding.grp;
SELECT memx_train('held', '{"validate": 0}');
UPDATE memx_job SET predictor = 'held' WHERE job IN (SELECT job FROM run JOIN holding USING (set_name, grp));
INSERT INTO cost
SELECT id, 'memx', p.iteration_ms, p.peak_mib, sqrt(p.memory_variance)
FROM run JOIN holding USING (set_name, grp), memx_predict(run.job, run.config) AS p;
-- What takes a profile takes the same one.
DELETE FROM asked;
INSERT INTO asked SELECT DISTINCT job FROM run JOIN holding USING (set_name, grp);
.read queries/planner_cost/amp.sql
.read queries/planner_cost/metis.sql
INSERT INTO cost(id, who, cost_ms)
SELECT id, who, cost_ms
FROM run JOIN (SELECT 'amp' AS who, * FROM amp_cost UNION ALL SELECT 'metis', * FROM metis_cost) USING (job, config);
UPDATE memx_job SET predictor = 'analytic' WHERE predictor = 'held';
DELETE FROM holding;
