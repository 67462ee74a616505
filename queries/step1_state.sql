-- Step 1 of 4, for a team that tries MemX: how do our runs stand? From memx_run and memx_run_gpu alone,
-- nothing is predicted: for each measured run the memory in use on its fullest GPU, the spread (standard
-- deviation over its GPUs), the least free share of a card and whose that is, and whether there is anything
-- to gain. Then every GPU of each job's newest run that did not run out of memory.
--
-- In use is total_mib where it was measured, else the allocator's reserved_mib (else allocated_mib, which is too
-- little) and the context_mib of the card. Which card a rank is, and what it holds, memx_gpus says, from the run's
-- job and config; where these cannot be read the context is left out, and the row says so. Spread and least free
-- share are of runs of which every GPU was measured. Chosen here: tight is less free than the job's reserve (10 %
-- where it has none), ample twice that; even is a spread of up to 10 % of the mean. queries/import_run.sql loads
-- runs. Read this in the directory that holds queries/.
BEGIN;
DROP TABLE IF EXISTS temp.readable;
.read queries/steps/parts/synthetic_runs.sql
CREATE TEMP TABLE readable AS
SELECT id, job, config, iif(job IS NULL, 'it names no job', config_problem(job, config)) AS problem FROM memx_run;
CREATE TEMP TABLE place AS
SELECT r.id, at.rank, at.device, at.stage, at.capacity_mib
FROM (SELECT * FROM readable WHERE problem IS NULL) AS r, memx_gpus(r.job, r.config) AS at;
CREATE TEMP TABLE held AS
SELECT g.run, g.rank, p.device, p.stage, p.capacity_mib,
       coalesce(g.total_mib, coalesce(g.reserved_mib, g.allocated_mib) + coalesce(d.context_mib, 0)) AS mib,
       g.total_mib IS NULL AND d.context_mib IS NULL AS without_context
FROM memx_run_gpu AS g LEFT JOIN place AS p ON p.id = g.run AND p.rank = g.rank
     LEFT JOIN memx_device AS d ON d.device = p.device
WHERE coalesce(g.total_mib, g.reserved_mib, g.allocated_mib) IS NOT NULL;
CREATE TEMP TABLE state AS
SELECT r.id, r.job, r.config, r.iteration_ms, r.oom, r.source, coalesce(j.reserve, 0.10) AS reserve, p.problem,
       (SELECT count(*) FROM held WHERE run = r.id) AS gpus, (SELECT count(*) FROM place WHERE id = r.id) AS of_gpus,
       coalesce((SELECT max(mib) FROM held WHERE run = r.id), r.total_mib) AS peak_mib,
       (SELECT max(without_context) FROM held WHERE run = r.id) AS without_context,
       (SELECT avg(mib) FROM held WHERE run = r.id) AS mean_mib,
       (SELECT sqrt(max(0, avg(mib * mib) - avg(mib) * avg(mib))) FROM held WHERE run = r.id) AS spread_mib,
       (SELECT min(1 - mib / capacity_mib) FROM held WHERE run = r.id) AS free,
       (SELECT max(1 - mib / capacity_mib) FROM held WHERE run = r.id) AS most_free,
       (SELECT printf('rank %d: %s, stage %d', rank, device, stage) FROM held
        WHERE run = r.id AND capacity_mib > 0 ORDER BY mib / capacity_mib DESC, rank LIMIT 1) AS tightest
FROM memx_run AS r JOIN readable AS p USING (id) LEFT JOIN memx_job AS j ON j.job = r.job;
SELECT id AS run, coalesce(job, '-') AS job, iif(iteration_ms IS NULL, '-', printf('%.1f', iteration_ms / 1000)) AS seconds,
       gpus || iif(problem IS NULL, ' of ' || of_gpus, '') AS gpus_measured,
       iif(peak_mib IS NULL, '-', printf('%.1f', peak_mib / 1024) || iif(without_context, ' without context', '')) AS peak_gib,
       iif(spread_mib IS NULL OR problem IS NOT NULL OR gpus < of_gpus, '-', printf('%.0f', spread_mib)) AS spread_mib,
       iif(free IS NULL OR gpus < of_gpus, '-', printf('%.0f %%', 100 * free)) AS least_free, coalesce(tightest, '-') AS tightest_gpu,
       CASE WHEN oom THEN 'yes: it ran out of memory; step 4 finds what fits'
            WHEN problem IS NOT NULL THEN 'cannot tell: ' || problem
            WHEN gpus = 0 THEN 'cannot tell: no memory per GPU'
            WHEN gpus < of_gpus THEN printf('cannot tell: %d of %d GPUs measured', gpus, of_gpus)
                                     || iif(free < reserve, ', the tightest of these nearly full', '')
            WHEN free IS NULL THEN 'cannot tell: what was measured are not the ranks of this config'
            WHEN free < reserve THEN printf('yes: the tightest card is nearly full, another has %.0f %% free; step 3',
                                            100 * most_free)
            WHEN spread_mib <= 0.1 * mean_mib AND free >= 2 * reserve
                THEN 'no: memory is even and every card has room; leave it, or trade memory for speed (step 4)'
            WHEN spread_mib <= 0.1 * mean_mib THEN 'little: every card is about as full as the tightest'
            WHEN free >= 2 * reserve THEN 'perhaps: uneven, but no card is tight; step 2 if the job is to grow'
            ELSE printf('yes: uneven, one card has %.0f %% free and another %.0f %%; steps 2 to 4', 100 * free,
                        100 * most_free) END AS to_gain, source, config
FROM state
UNION ALL
SELECT NULL, '-', '-', '-', '-', '-', '-', '-', 'nothing was measured yet: queries/import_run.sql loads runs', '-', '-'
WHERE NOT EXISTS (SELECT 1 FROM state) ORDER BY 1;

SELECT job, run, stage, device, printf('%.0f', capacity_mib / 1024) AS card_gib,
       group_concat(printf('%.1f', mib / 1024), ' ') AS gib_in_use_by_rank
FROM (SELECT s.job, h.* FROM held AS h
      JOIN (SELECT job, max(id) AS id FROM state WHERE NOT oom AND gpus > 0 AND problem IS NULL GROUP BY job) AS s ON s.id = h.run
      ORDER BY h.run, h.rank)
GROUP BY run, stage, device, capacity_mib ORDER BY job, run, stage, min(rank);
ROLLBACK;
