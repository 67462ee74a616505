-- Step 4 of 4: what does the full search find for the job that runs today? Its configuration today (each job's
-- newest run in memx_run that did not run out of memory; where all did, the newest, and marked so) beside the
-- fastest, the best phi, the best phi at most 10 % slower than the fastest, and what recompute_plan makes of
-- today's own stages and layers: for time, for phi, and with at least 20 % of every card free. In the job's own
-- space; the bounded pick also in the space free, which has every split and every level per stage: within 10 % of
-- the fastest there. All figures are predictions, by what `predictor` names.
--
-- Before it is trusted, the MemX paper would have a predictor trained on what matters, and its errors noted:
-- memx_measure(job) lists what to measure, queries/evaluate.sql shows the errors. The demo has no runs: where
-- memx_run is empty, a configuration of job mix20 stands for today's, which nobody ran (synthetic).
CREATE TEMP TABLE today AS
SELECT job, config, iif(oom, printf('today: run %d, which ran out of memory', id), 'today: run ' || id) AS what, oom
FROM (SELECT *, row_number() OVER (PARTITION BY job ORDER BY oom, id DESC) AS n FROM memx_run
      WHERE (oom OR iteration_ms IS NOT NULL) AND job IS NOT NULL AND config_problem(job, config) IS NULL)
WHERE n = 1;
INSERT INTO today
SELECT 'mix20', 'tp1.dp2.mb1.seq4096/B-32GB*3:none,B-32GB*3:none,B-32GB*3:none,B-32GB*3:none,'
                || 'C-32GB*2:none,C-32GB*2:none,C-32GB*2:none,C-32GB*2:none,A100-SXM-80GB*6:none,A100-SXM-80GB*6:none',
       'today: synthetic, not run', 0
WHERE NOT EXISTS (SELECT 1 FROM memx_run) AND EXISTS (SELECT 1 FROM memx_job WHERE job = 'mix20');

CREATE TEMP TABLE pick AS
SELECT job, 1 AS place, what, config FROM today
UNION ALL
SELECT job, 2, 'fastest', (SELECT config FROM memx_configs AS c WHERE c.job = t.job ORDER BY iteration_ms LIMIT 1)
FROM today AS t
UNION ALL
SELECT job, 3, 'best phi', (SELECT config FROM memx_configs AS c WHERE c.job = t.job ORDER BY phi LIMIT 1)
FROM today AS t
UNION ALL
SELECT job, 4, 'best phi within 10 %',
       (SELECT config FROM memx_configs AS c WHERE c.job = t.job AND slowdown <= 1.10 ORDER BY phi LIMIT 1)
FROM today AS t
UNION ALL
SELECT job, 5, 'the same of space free',
       (SELECT config FROM memx_configs('free') AS c
        WHERE c.job = f.job AND c.iteration_ms <= 1.10 * f.fastest_ms ORDER BY phi LIMIT 1)
FROM (SELECT job, (SELECT iteration_ms FROM memx_configs('free') AS c WHERE c.job = t.job ORDER BY iteration_ms LIMIT 1)
                  AS fastest_ms FROM today AS t) AS f
WHERE fastest_ms IS NOT NULL;
-- Today's stages with the levels of the plan, which are in the same order; NULL where a stage fits at no level.
INSERT INTO pick
SELECT job, place, what, substr(config, 1, instr(config, '/')) || (
           SELECT group_concat(substr(s.value, 1, instr(s.value, ':')) || l.value)
           FROM json_each('["' || replace(substr(config, instr(config, '/') + 1), ',', '","') || '"]') AS s
                JOIN json_each('["' || replace(plan, ',', '","') || '"]') AS l ON l.key = s.key)
FROM (SELECT job, config, 6 + o.column2 AS place, 'recompute_plan: ' || o.column1 AS what,
             recompute_plan(job, config, o.column1) AS plan
      FROM today, (VALUES ('time', 0), ('phi', 1), ('headroom=0.2', 2)) AS o)
WHERE plan IS NOT NULL;

SELECT pick.job, pick.what, printf('%.1f', p.iteration_ms / 1000) AS seconds,
       printf('%+.1f %%', round(100 * (p.iteration_ms / t.iteration_ms - 1), 1) + 0.0) AS time_to_today,
       iif(p.slowdown IS NULL, '-', printf('%.2f', p.slowdown)) AS slowdown, printf('%.1f', p.peak_mib / 1024) AS peak_gib,
       printf('%.0f', sqrt(p.memory_variance)) AS spread_mib, printf('%.0f %%', 100 * p.headroom) AS free,
       iif(p.slowdown IS NULL, '-', printf('%.3f', p.phi)) AS score, p.predictor || ', predicted' AS predictor, p.config
FROM pick JOIN today ON today.job = pick.job,
     memx_predict(pick.job, pick.config) AS p, memx_predict(today.job, today.config) AS t
WHERE pick.config IS NOT NULL ORDER BY pick.job, pick.place;

SELECT t.job, iif(t.oom, t.what || '. ', '')
              || printf('predicted: the fastest takes %+.1f %% of time against today and leaves %.0f instead of %.0f %% of '
                     || 'the tightest card free; the best phi within 10 %% takes %+.1f %%, leaves %.0f %%, spread %.0f instead of %.0f MiB',
                     round(100 * (f.iteration_ms / n.iteration_ms - 1), 1) + 0.0, 100 * f.headroom, 100 * n.headroom,
                     round(100 * (b.iteration_ms / n.iteration_ms - 1), 1) + 0.0, 100 * b.headroom,
                     sqrt(b.memory_variance), sqrt(n.memory_variance)) AS verdict
FROM today AS t JOIN pick AS pf ON pf.job = t.job AND pf.place = 2 JOIN pick AS pb ON pb.job = t.job AND pb.place = 4,
     memx_predict(t.job, t.config) AS n, memx_predict(t.job, pf.config) AS f, memx_predict(t.job, pb.config) AS b
WHERE pf.config IS NOT NULL
UNION ALL
SELECT t.job, iif(t.oom, t.what || '. ', '') || 'predicted: nothing fits in the job''s own space'
              || iif(EXISTS (SELECT 1 FROM pick WHERE pick.job = t.job AND place = 5 AND config IS NOT NULL),
                     '; above is what does of the space free', ', nor in the space free')
FROM today AS t JOIN pick AS pf ON pf.job = t.job AND pf.place = 2 WHERE pf.config IS NULL
UNION ALL
SELECT '-', iif(EXISTS (SELECT 1 FROM memx_run), 'no run has a job, a config that can be read and a time: queries/step1_state.sql says which',
                'nothing was measured yet: queries/import_run.sql loads runs') WHERE NOT EXISTS (SELECT 1 FROM today)
ORDER BY 1;
DROP TABLE pick;
DROP TABLE today;
