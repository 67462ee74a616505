-- What the job's predictor makes of what ran, and what it picks from the job's space.
INSERT INTO predicted
SELECT iif(j.predictor = 'analytic', 'memx_analytic', 'memx'), run.config, p.iteration_ms, p.phi
FROM memx_job AS j, run, memx_predict(j.job, run.config) AS p WHERE j.job = 'lab6';
INSERT INTO pick
SELECT iif(j.predictor = 'analytic', 'memx_analytic', 'memx'), own, aim,
       iif(aim = 'pick', (SELECT config FROM memx_configs AS c WHERE c.job = j.job AND c.same_task >= task.own
                          ORDER BY c.phi LIMIT 1),
           (SELECT config FROM memx_configs AS c WHERE c.job = j.job AND c.same_task >= task.own
            ORDER BY c.iteration_ms LIMIT 1))
FROM memx_job AS j, task, aim WHERE j.job = 'lab6';
