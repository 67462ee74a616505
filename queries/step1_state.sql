-- Step 1 of 4, for a team that tries MemX: how do our runs stand? From memx_run and memx_run_gpu alone,
-- nothing is predicted: for each measured run the memory in use on its fullest GPU, the spread (standard
-- deviation over its GPUs), the least free share of a card and whose that is, and whether there is anything
-- to gain. Then every GPU of each job's newest run that did not run out of memory.
--
-- In use is total_mib where it was measured, else the allocator's reserved_mib (else allocated_mib, which
-- is too little) and the context_mib of the card. Which card a rank is, and what it holds, memx_gpus says,
-- from the run's job and config; where these cannot be read the context is left out, and the row says so. Spread
-- and least free share are of runs of which every GPU was measured. Chosen here: tight is less free than the job's reserve (10 % where it has
-- none), ample twice that; even is a spread of up to 10 % of the mean. queries/import_run.sql loads runs.
BEGIN;
DROP TABLE IF EXISTS temp.readable;
-- Synthetic runs of the demo's job, only where memx_run is empty: of build/testbed (seed 1), which knows nothing of the
-- predictor; a row is a run, its last column the MiB reserved on each GPU, rank 0 first.
CREATE TEMP TABLE synthetic AS
SELECT column1 AS id, column2 AS config, column3 AS iteration_ms, column4 AS oom, column5 AS reserved_mib
FROM (VALUES
    (1, 'tp1.dp2.mb1.seq4096/A100-SXM-80GB*4:none,A100-SXM-80GB*4:none,C-32GB*3:none,C-32GB*3:none,C-32GB*3:none,C-32GB*3:none,B-32GB*3:none,B-32GB*3:none,B-32GB*3:none,B-32GB*3:none',
     38473, 0, '[32158,31856,28194,27990,20936,20806,19294,18962,17692,17704,16176,16292,15212,15124,13290,13330,11626,11504,11550,11634]'),
    (2, 'tp2.dp2.mb1.seq4096/B-32GB*6:none,B-32GB*6:none,C-32GB*4:none,C-32GB*4:none,A100-SXM-80GB*12:none',
     30586, 0, '[17808,17712,17704,17646,15214,15304,15364,15454,8890,8952,9028,8974,7914,7950,7892,8034,18708,18744,18454,18558]'),
    (3, 'tp4.dp1.mb2.seq4096/C-32GB*4:none,C-32GB*5:none,B-32GB*6:none,B-32GB*7:none,A100-SXM-80GB*10:full',
     43592, 0, '[10064,10124,10292,10016,10602,10644,10492,10518,11648,11588,11564,11738,11338,11100,11460,11508,10438,10176,10246,10094]'),
    (4, 'tp1.dp2.mb1.seq4096/C-32GB*2:none,C-32GB*2:none,C-32GB*2:none,C-32GB*2:none,B-32GB*3:none,B-32GB*3:none,B-32GB*3:none,B-32GB*3:none,A100-SXM-80GB*6:none,A100-SXM-80GB*6:none',
     26620, 0, '[17734,17764,15294,15366,14098,14160,13266,13426,18502,18916,17304,16892,14998,15068,13270,13270,20722,20468,20116,19682]'),
    (5, 'tp1.dp4.mb1.seq4096/A100-SXM-80GB*12:none,C-32GB*4:none,C-32GB*4:none,B-32GB*6:none,B-32GB*6:none',
     25660, 0, '[54216,53682,53760,53258,16656,16596,16678,16384,14354,14420,14528,14674,18530,18980,18762,18710,16550,16708,16558,16500]'),
    (6, 'tp1.dp2.mb2.seq4096/B-32GB*3:none,B-32GB*3:none,B-32GB*3:none,B-32GB*3:none,C-32GB*2:none,C-32GB*2:none,C-32GB*2:none,C-32GB*2:none,A100-SXM-80GB*6:none,A100-SXM-80GB*6:none',
     NULL, 1, NULL),
    (7, 'tp1.dp2.mb1.seq4096/B-32GB*3:none,B-32GB*3:none,B-32GB*3:none,B-32GB*3:none,C-32GB*2:none,C-32GB*2:none,C-32GB*2:none,C-32GB*2:none,A100-SXM-80GB*6:none,A100-SXM-80GB*6:none',
     25471, 0, '[28234,27832,24894,23998,22888,22566,20730,20832,12478,12022,11340,11090,10148,9972,9250,9042,20500,20432,19820,19774]'))
WHERE NOT EXISTS (SELECT 1 FROM memx_run) AND EXISTS (SELECT 1 FROM memx_job WHERE job = 'mix20');
INSERT INTO memx_run(id, job, config, iteration_ms, oom, source)
SELECT id, 'mix20', config, iteration_ms, oom, 'synthetic: testbed seed 1' FROM synthetic;
INSERT INTO memx_run_gpu(run, rank, reserved_mib)
SELECT s.id, g.key, g.value FROM synthetic AS s, json_each(s.reserved_mib) AS g;

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
