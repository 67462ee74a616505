-- Step 2 of 4: would another of the runs that we already made do better? Measured figures only, nothing is
-- predicted: the runs of each job ranked anew by phi under each of the three shipped weights, and in plain
-- words whether the best is another than the fastest, how much slower, and how much less its memory spreads;
-- once among all and once among those at most 10 % slower than the fastest.
--
-- Runs compete where the job and the number of GPUs are the same; several of one configuration count as one, by
-- their means. Memory in use is as in step 1. Runs that cannot be ranked are counted, with the reason. The score is
-- phi over the phi of the medians of these runs, as the MemX paper takes the medians of its candidates: 1 is a
-- typical run. Read this in the directory that holds queries/.
BEGIN;
DROP TABLE IF EXISTS temp.readable;
.read queries/steps/parts/synthetic_runs.sql
CREATE TEMP TABLE readable AS
SELECT id, job, config, oom, iteration_ms, iif(job IS NULL, 'it names no job', config_problem(job, config)) AS problem
FROM memx_run;
CREATE TEMP TABLE card AS
SELECT r.id, at.rank, d.context_mib
FROM (SELECT * FROM readable WHERE problem IS NULL) AS r, memx_gpus(r.job, r.config) AS at
     JOIN memx_device AS d ON d.device = at.device;
CREATE TEMP TABLE spread AS
SELECT card.id AS run, count(*) AS of_gpus, count(mib) AS gpus, max(mib) AS peak_mib,
       max(0, avg(mib * mib) - avg(mib) * avg(mib)) AS variance
FROM card LEFT JOIN (
         SELECT g.run, g.rank, coalesce(g.total_mib, coalesce(g.reserved_mib, g.allocated_mib) + context_mib) AS mib
         FROM memx_run_gpu AS g JOIN card ON card.id = g.run AND card.rank = g.rank) AS h
     ON h.run = card.id AND h.rank = card.rank
GROUP BY card.id;
CREATE TEMP TABLE dropped AS
SELECT r.id, r.job, CASE WHEN problem IS NOT NULL THEN problem WHEN oom THEN 'ran out of memory'
                         WHEN iteration_ms IS NULL THEN 'no time was measured'
                         WHEN s.gpus = 0 THEN 'no memory per GPU was measured'
                         ELSE printf('%d of %d GPUs measured', s.gpus, s.of_gpus) END AS why
FROM readable AS r LEFT JOIN spread AS s ON s.run = r.id
WHERE problem IS NOT NULL OR oom OR iteration_ms IS NULL OR s.gpus < s.of_gpus;
CREATE TEMP TABLE point AS
SELECT r.job, s.gpus, r.config, min(r.id) AS run, count(*) AS runs, avg(r.iteration_ms) AS iteration_ms,
       avg(s.peak_mib) AS peak_mib, avg(s.variance) AS variance,
       iif(max(r.source LIKE 'synthetic%'), 'synthetic', 'measured') AS figures
FROM memx_run AS r JOIN spread AS s ON s.run = r.id
WHERE r.id NOT IN (SELECT id FROM dropped) GROUP BY r.job, s.gpus, r.config;
CREATE TEMP TABLE ranked AS
SELECT p.*, w.column1 AS weights, p.iteration_ms / ref.fastest_ms AS slowdown,
       phi(p.iteration_ms, p.peak_mib, p.variance, w.column1)
       / phi(ref.iteration_ms, ref.peak_mib, ref.variance, w.column1) AS score
FROM point AS p
     JOIN (SELECT job, gpus, min(iteration_ms) AS fastest_ms, median(iteration_ms) AS iteration_ms,
                  median(peak_mib) AS peak_mib, median(variance) AS variance
           FROM point GROUP BY job, gpus) AS ref USING (job, gpus),
     (VALUES ('default'), ('safe'), ('throughput')) AS w;

SELECT job, weights, rank() OVER (PARTITION BY job, gpus, weights ORDER BY score) AS place, run,
       printf('%.1f', iteration_ms / 1000) AS seconds, printf('%.2f', slowdown) AS slowdown,
       printf('%.1f', peak_mib / 1024) AS peak_gib, printf('%.0f', sqrt(variance)) AS spread_mib,
       printf('%.3f', score) AS score, figures, config
FROM ranked ORDER BY job, gpus, weights, score, run;

-- What was not ranked.
SELECT coalesce(job, '-') AS job, count(*) AS runs_left_out, why, group_concat(id, ', ') AS runs
FROM (SELECT * FROM dropped ORDER BY id) GROUP BY job, why ORDER BY job, min(id);

-- The best, beside the fastest: of several that are as fast the one with the least phi.
WITH best AS (
    SELECT r.*, b.column1 AS bound,
           row_number() OVER (PARTITION BY job, gpus, weights, b.column1 ORDER BY score, run) AS place,
           count(*) OVER (PARTITION BY job, gpus, weights, b.column1) AS among
    FROM ranked AS r, (VALUES (NULL), (1.10)) AS b WHERE b.column1 IS NULL OR slowdown <= b.column1),
fastest AS (
    SELECT *, row_number() OVER (PARTITION BY job, gpus, weights ORDER BY slowdown, score, run) AS place,
           count(*) OVER (PARTITION BY job, gpus, weights) AS configs FROM ranked)
SELECT b.job, b.weights, iif(b.bound IS NULL, 'all', printf('at most %.0f %% slower', 100 * (b.bound - 1))) AS among,
       CASE WHEN b.run = f.run AND b.bound IS NOT NULL AND b.among = 1 THEN printf('only the fastest, run %d, is among these', f.run)
            WHEN b.run = f.run THEN printf('the best by phi is the fastest, run %d', f.run)
            ELSE printf('the best by phi is run %d, not the fastest, run %d: %.1f %% slower, spread %.0f instead of %.0f '
                        || 'MiB%s, peak %.1f instead of %.1f GiB', b.run, f.run, 100 * (b.slowdown - 1),
                        sqrt(b.variance), sqrt(f.variance), iif(f.variance > 0, printf(' (%+.0f %%)', 100 * (sqrt(b.variance / f.variance) - 1)), ''),
                        b.peak_mib / 1024, f.peak_mib / 1024) END || ' (' || b.figures || ')' AS verdict
FROM best AS b JOIN fastest AS f ON f.job = b.job AND f.gpus = b.gpus AND f.weights = b.weights AND f.place = 1
WHERE b.place = 1 AND f.configs > 1
UNION ALL
SELECT job, '-', '-', printf('of %d GPUs one configuration alone can be ranked, run %d: nothing to choose', gpus, min(run))
FROM point GROUP BY job, gpus HAVING count(*) = 1
UNION ALL
SELECT '-', '-', '-', iif(EXISTS (SELECT 1 FROM dropped), 'no run can be ranked: see why above',
                          'nothing was measured yet: queries/import_run.sql loads runs')
WHERE NOT EXISTS (SELECT 1 FROM point);
ROLLBACK;
