-- Step 3 of 4: what would full recompute cost, and save, on the tightest stage alone of what runs today? That is
-- each job's newest run in memx_run that did not run out of memory (where all did, the newest); all figures are
-- predictions, so that this is known before anything is run. Beside it full recompute on every stage, and the MemX
-- paper's 8.5 % of time for 7.6 % of memory (published: full-block throughout on 4 V100 and 2 T4, figure 8, median
-- of 18 pairs; of memory, the peak). Where memx_run has the configuration too, what was measured stands in rows of
-- its own.
--
-- A minus: less time, or more memory: variance grows where the stage then holds less than the others, which keep
-- what they hold. The tightest stage, by share of its card, need not hold the greatest peak, and what it saves may
-- leave memory more uneven: stage_peak_saved and stage_free are of that stage. Read this in the directory that holds
-- queries/.
BEGIN;
.read queries/steps/parts/synthetic_runs.sql
-- The newest of them with full recompute too: older runs, which have lesser ids.
CREATE TEMP TABLE recomputed AS
SELECT column1 AS id, column2 AS config, column3 AS iteration_ms, column4 AS reserved_mib
FROM (VALUES
    (-1, 'tp1.dp2.mb1.seq4096/B-32GB*3:full,B-32GB*3:none,B-32GB*3:none,B-32GB*3:none,C-32GB*2:none,C-32GB*2:none,C-32GB*2:none,C-32GB*2:none,A100-SXM-80GB*6:none,A100-SXM-80GB*6:none',
     28355, '[10768,10666,24222,24030,22768,22628,20822,20322,12264,12272,11256,11336,10186,10126,9098,9128,20972,20750,19888,20032]'),
    (0, 'tp1.dp2.mb1.seq4096/B-32GB*3:full,B-32GB*3:full,B-32GB*3:full,B-32GB*3:full,C-32GB*2:full,C-32GB*2:full,C-32GB*2:full,C-32GB*2:full,A100-SXM-80GB*6:full,A100-SXM-80GB*6:full',
     31961, '[10812,10706,9156,9062,9066,9032,8980,8822,6722,6736,6724,6790,6568,6726,6584,6566,15182,15326,16856,16794]'))
WHERE EXISTS (SELECT 1 FROM synthetic);
INSERT INTO memx_run(id, job, config, iteration_ms, source)
SELECT id, 'mix20', config, iteration_ms, 'synthetic: testbed seed 1' FROM recomputed;
INSERT INTO memx_run_gpu(run, rank, reserved_mib)
SELECT r.id, g.key, g.value FROM recomputed AS r, json_each(r.reserved_mib) AS g;

CREATE TEMP TABLE today AS
SELECT r.id, r.job, r.oom, p.config, p.tightest_stage AS stage
FROM (SELECT *, row_number() OVER (PARTITION BY job ORDER BY oom, id DESC) AS n FROM memx_run
      WHERE (oom OR iteration_ms IS NOT NULL) AND job IS NOT NULL AND config_problem(job, config) IS NULL) AS r,
     memx_predict(r.job, r.config) AS p
WHERE r.n = 1;
-- The stages of a configuration stand behind the slash, with commas between; a level behind the colon.
CREATE TEMP TABLE changed AS
WITH stage AS (
    SELECT t.job, s.key AS stage, s.value AS text, substr(s.value, 1, instr(s.value, ':')) || 'full' AS full
    FROM today AS t, json_each('["' || replace(substr(config, instr(config, '/') + 1), ',', '","') || '"]') AS s)
SELECT job, 1 AS place, iif(oom, 'today, which ran out of memory', 'today') AS what, config FROM today
UNION ALL
SELECT job, 2, 'full on the tightest stage', substr(config, 1, instr(config, '/'))
       || (SELECT group_concat(iif(s.stage = t.stage, full, text))
           FROM (SELECT * FROM stage WHERE job = t.job ORDER BY stage) AS s)
FROM today AS t
UNION ALL
SELECT job, 3, 'full on every stage', substr(config, 1, instr(config, '/'))
       || (SELECT group_concat(full) FROM (SELECT * FROM stage WHERE job = t.job ORDER BY stage))
FROM today AS t;
CREATE TEMP TABLE figure AS
SELECT c.job, c.place, c.what, 'predicted' AS figures, p.iteration_ms, p.peak_mib, p.memory_variance AS variance,
       s.peak_mib AS stage_mib, s.headroom, s.stage, s.device, p.config, s.context_mib
FROM changed AS c JOIN today AS t USING (job), memx_predict(c.job, c.config) AS p, memx_stages(c.job, c.config) AS s
WHERE s.stage = t.stage;
-- What was measured, with the card's context as in step 1.
INSERT INTO figure
SELECT f.job, f.place, f.what, iif(r.source LIKE 'synthetic%', 'synthetic run', 'measured run'), r.iteration_ms,
       max(g.mib), max(0, avg(g.mib * g.mib) - avg(g.mib) * avg(g.mib)), max(iif(g.stage = f.stage, g.mib, NULL)),
       min(iif(g.stage = f.stage, 1 - g.mib / g.capacity_mib, NULL)), f.stage, f.device, f.config, NULL
FROM figure AS f JOIN memx_run AS r ON r.job = f.job AND r.config = f.config AND r.oom = 0
     JOIN (SELECT c.job, c.place, at.stage, at.capacity_mib, m.run,
                  coalesce(m.total_mib, coalesce(m.reserved_mib, m.allocated_mib) + d.context_mib) AS mib
           FROM changed AS c, memx_gpus(c.job, c.config) AS at JOIN memx_device AS d ON d.device = at.device
                JOIN memx_run_gpu AS m ON m.rank = at.rank) AS g ON (g.job, g.place, g.run) = (f.job, f.place, r.id)
GROUP BY r.id HAVING count(*) = (SELECT count(*) FROM memx_gpus(f.job, f.config)); -- every GPU was measured

WITH shown AS (
    SELECT n.job, n.figures, n.place, n.what || iif(n.place = 2, printf(': %s, stage %d', n.device, n.stage), '') AS what,
           printf('%.1f', n.iteration_ms / 1000) AS seconds,
           printf('%.1f %%', 100 * (n.iteration_ms / t.iteration_ms - 1)) AS time_lost,
           printf('%.1f %%', 100 * (1 - n.peak_mib / t.peak_mib)) AS peak_saved,
           printf('%.1f %%', 100 * (1 - n.variance / t.variance)) AS variance_saved,
           printf('%.1f %%', 100 * (1 - n.stage_mib / t.stage_mib)) AS stage_peak_saved,
           printf('%.0f %%', 100 * n.headroom) AS stage_free, n.config
    FROM figure AS n JOIN (SELECT * FROM figure WHERE place = 1 GROUP BY job, figures) AS t
         ON (t.job, t.figures) = (n.job, n.figures)
    UNION ALL
    VALUES ('paper', 'published', 1, 'full-block throughout', '-', '8.5 %', '7.6 %', '-', '-', '-', '-'))
SELECT job, figures, what, seconds, time_lost, peak_saved, variance_saved, stage_peak_saved, stage_free, config
FROM shown ORDER BY job = 'paper', job, figures, place;

SELECT n.job, iif(d.oom, printf('run %d ran out of memory. ', d.id), '')
              || printf('predicted: full recompute on the tightest stage (%d, %s) costs %.1f %% of time, %s, and %s; paper, '
                        || 'published: 1.1 %% of time for a percent of peak',
           n.stage, n.device, 100 * (n.iteration_ms / t.iteration_ms - 1),
           iif(n.peak_mib < t.peak_mib,
               printf('saves %.1f %% of the peak (%.1f %% of time for a percent of peak)', 100 * (1 - n.peak_mib / t.peak_mib),
                      (n.iteration_ms / t.iteration_ms - 1) / (1 - n.peak_mib / t.peak_mib)),
               'leaves the peak (another card holds it, or the stage was at full)'),
           iif(n.variance <= t.variance, printf('saves %.1f %% of the variance', 100 * (1 - n.variance / t.variance)),
               printf('the variance grows by %.1f %%, since the other stages keep what they hold', 100 * (n.variance / t.variance - 1))))
              || coalesce((SELECT printf('; %s: %.1f %% of time for %.1f %% of the peak', m.figures,
                                         100 * (m.iteration_ms / o.iteration_ms - 1), 100 * (1 - m.peak_mib / o.peak_mib))
                           FROM figure AS m JOIN figure AS o ON (o.job, o.figures, o.place) = (m.job, m.figures, 1)
                           WHERE m.job = n.job AND m.place = 2 AND m.figures <> 'predicted' LIMIT 1), '') AS verdict
FROM figure AS n JOIN figure AS t ON t.job = n.job AND t.figures = n.figures AND t.place = 1 JOIN today AS d ON d.job = n.job
WHERE n.place = 2 AND n.figures = 'predicted'
UNION ALL
SELECT '-', iif(EXISTS (SELECT 1 FROM memx_run), 'no run has a job, a config that can be read and a time: queries/step1_state.sql says which',
                'nothing was measured yet: queries/import_run.sql loads runs') WHERE NOT EXISTS (SELECT 1 FROM today);
ROLLBACK;
