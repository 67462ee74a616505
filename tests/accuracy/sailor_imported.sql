-- Sailor's measurements as queries/import_sailor.sql brings them in: layer profiles of seven cards, runs on
-- GH-96 and on mixed cards, memory of every GPU. What is held out is predicted from all the rest: profiles and
-- runs of the other model.
-- import: sailor/runs.csv measured
.read queries/import_sailor.sql

INSERT INTO held_set VALUES ('sailor_gh96', '{"memory": "total", "validate": 0}');
INSERT INTO hold
SELECT what, CASE what WHEN 'by_model' THEN j.model WHEN 'by_pp' THEN p.pp ELSE p.micro_batch END, r.id
FROM memx_run AS r JOIN memx_job AS j USING (job), memx_predict(r.job, r.config) AS p,
     (SELECT 'by_model' AS what UNION ALL SELECT 'by_pp' UNION ALL SELECT 'by_mbs')
WHERE r.source LIKE 'sailor/runs.csv%' AND j.cluster LIKE '%GH-96%';
INSERT INTO hold_profile
SELECT 'by_model', j.model, p.id
FROM (SELECT DISTINCT model FROM memx_run JOIN memx_job USING (job)) AS j JOIN memx_profile AS p USING (model);
INSERT INTO note
SELECT 'sailor_gh96.' || what, kind, 'each ' || substr(what, 4) || ' predicted after training on the others'' runs'
       || iif(kind = 'time', ' and on layer profiles of other models', ': total memory, greatest of any GPU')
FROM (SELECT DISTINCT what FROM hold), (SELECT 'time' AS kind UNION ALL SELECT 'peak');

-- The three runs on mixed cards, one by one. Their network is not described; 1.25 GB/s a node is a guess.
SELECT memx_train('all', '{"memory": "total", "validate": 0}');
UPDATE memx_job SET predictor = 'all' WHERE cluster NOT LIKE '%GH-96%';
INSERT INTO extra
SELECT 'sailor_mixed.in_sample', 'time', 'run_' || row_number() OVER (ORDER BY r.id),
       printf('%+.1f', 100 * (p.iteration_ms / r.iteration_ms - 1)), '%',
       printf('%s pp %d dp %d: %.0f ms measured, %.0f predicted, no network given', r.job, p.pp, p.dp, r.iteration_ms, p.iteration_ms)
FROM memx_run AS r JOIN memx_job AS j USING (job), memx_predict(r.job, r.config) AS p
WHERE j.cluster NOT LIKE '%GH-96%';
UPDATE memx_job SET predictor = 'analytic';
INSERT INTO note VALUES ('sailor_mixed.in_sample', 'time', '');
