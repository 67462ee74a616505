-- How does a training log get in? The runs of a Megatron-LM log go into memx_run, the memory of their ranks
-- into memx_run_gpu; what cannot be right is left out and listed with the reason, and so are runs that are
-- there already.
--
--   MEMX_IMPORT=train.log MEMX_JOB=try sqlite3 -cmd '.load ./memx' my.db <queries/import_megatron_log.sql
--
-- MEMX_JOB names the row of memx_job that was run, whose cluster says the devices; it may be left out where
-- there is one job. MEMX_NODES: the nodes' ordinals in the order of ranks, as 2,0,1, where that is not
-- ascending. MEMX_CONFIG: the configuration, where the log cannot say it, as with stages that recompute
-- differently. A run that a log of several holds is named by its number, as train.log: run 2. Absurd is what
-- is faster than the cards' peak, 1000 times slower than predicted, or larger than the card.
DROP TABLE IF EXISTS temp.file;
DROP TABLE IF EXISTS temp.given_run;
DROP TABLE IF EXISTS temp.given_gpu;
.import --schema temp --ascii '|printf "path\037job\037nodes\037config\036%s\037%s\037%s\037%s\036" "$MEMX_IMPORT" "$MEMX_JOB" "$MEMX_NODES" "$MEMX_CONFIG"' file

BEGIN;
UPDATE file SET job = coalesce(nullif(job, ''), (SELECT min(job) FROM memx_job HAVING count(*) = 1));
CREATE TEMP TABLE given_run(
    run INTEGER PRIMARY KEY, line INTEGER, job TEXT, config TEXT, iteration_ms REAL, oom INTEGER, ranks INTEGER,
    notes TEXT, source TEXT, why TEXT, canonical TEXT, predicted_ms REAL, tflops REAL, peak_tflops REAL, id INTEGER);
CREATE TEMP TABLE given_gpu(
    run INTEGER, rank INTEGER, allocated_mib REAL, reserved_mib REAL, total_mib REAL, card_mib REAL, why TEXT);
INSERT INTO given_run(run, line, job, config, iteration_ms, oom, ranks, notes, source, why)
SELECT run, line, f.job, coalesce(nullif(f.config, ''), log.config), iteration_ms, oom, ranks, log.notes,
       replace(path, rtrim(path, replace(path, '/', '')), '') || iif(count(*) OVER () > 1, ': run ' || run, ''),
       CASE WHEN f.job IS NULL THEN 'no job; set MEMX_JOB to a row of memx_job'
            WHEN f.config <> '' THEN config_problem(f.job, f.config)
            ELSE problem END
FROM temp.file AS f, megatron_log(readfile(path), f.job, nullif(f.nodes, '')) AS log
WHERE path <> '' AND readfile(path) IS NOT NULL;
INSERT INTO given_gpu(run, rank, allocated_mib, reserved_mib, total_mib)
SELECT g.* FROM temp.file, megatron_log_gpus(readfile(path)) AS g
WHERE path <> '' AND readfile(path) IS NOT NULL;

UPDATE given_run SET (canonical, predicted_ms, tflops) = (
    SELECT p.config, p.iteration_ms, p.tflops_per_gpu FROM memx_predict(given_run.job, given_run.config) AS p)
WHERE why IS NULL;
UPDATE given_run SET peak_tflops = (
    SELECT max(d.peak_tflops)
    FROM memx_job JOIN memx_node AS n USING (cluster) JOIN memx_device AS d ON d.device = coalesce(
        (SELECT device FROM memx_device WHERE device = n.device),
        (SELECT device FROM memx_alias WHERE name = n.device))
    WHERE memx_job.job = given_run.job);
UPDATE given_run SET why = CASE
    WHEN iteration_ms IS NULL AND NOT oom AND ranks = 0 THEN 'nothing was measured'
    WHEN tflops * predicted_ms / iteration_ms > peak_tflops THEN printf(
        'an iteration takes %g ms: %.0f TFLOPS a GPU, more than its peak (another model?)', iteration_ms,
        tflops * predicted_ms / iteration_ms)
    WHEN iteration_ms > 1000 * predicted_ms THEN printf(
        'an iteration takes %g ms, more than 1000 times the %.3g predicted', iteration_ms, predicted_ms)
    WHEN EXISTS (SELECT 1 FROM memx_run AS m
                 WHERE (m.job, m.config, m.oom, m.source) = (given_run.job, canonical, given_run.oom, given_run.source)
                       AND m.iteration_ms IS given_run.iteration_ms) THEN 'is there already'
    END
WHERE why IS NULL;
UPDATE given_run SET id = (SELECT coalesce(max(id), 0) FROM memx_run) + place
FROM (SELECT run, row_number() OVER (ORDER BY run) AS place FROM given_run WHERE why IS NULL) AS kept
WHERE kept.run = given_run.run;
INSERT OR IGNORE INTO memx_run(id, job, config, iteration_ms, oom, source)
SELECT id, job, canonical, iteration_ms, oom, source FROM given_run WHERE id IS NOT NULL ORDER BY id;
UPDATE given_run SET id = NULL, why = 'breaks a rule of the table; .schema memx_run shows them'
WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM memx_run);

UPDATE given_gpu SET card_mib = (
    SELECT capacity_mib FROM given_run AS r, memx_gpus(r.job, r.canonical) AS g
    WHERE r.run = given_gpu.run AND g.rank = given_gpu.rank)
WHERE run IN (SELECT run FROM given_run WHERE id IS NOT NULL);
UPDATE given_gpu SET why = CASE
    WHEN run IN (SELECT run FROM given_run WHERE id IS NULL) THEN ''
    WHEN card_mib IS NULL THEN printf('the run has no rank %d', rank)
    WHEN max(ifnull(allocated_mib, 0), ifnull(reserved_mib, 0), ifnull(total_mib, 0)) > 1.01 * card_mib
        THEN printf('rank %d has more memory than its card''s %g MiB (are the nodes in another order?)', rank, card_mib)
    WHEN allocated_mib > 1.01 * reserved_mib THEN printf('rank %d has more allocated than reserved', rank)
    END;
INSERT OR IGNORE INTO memx_run_gpu(run, rank, allocated_mib, reserved_mib, total_mib)
SELECT r.id, g.rank, g.allocated_mib, g.reserved_mib, g.total_mib
FROM given_gpu AS g JOIN given_run AS r USING (run) WHERE g.why IS NULL;
COMMIT;
SELECT 'memx_run' AS what, NULL AS line,
       CASE WHEN path = '' THEN 'MEMX_IMPORT names no file'
            WHEN readfile(path) IS NULL THEN printf('%s: no such file', path)
            ELSE count(id) || ' of ' || count(run) || ' runs went in' END AS why
FROM temp.file LEFT JOIN given_run
UNION ALL
SELECT 'memx_run_gpu', NULL, count(*) FILTER (WHERE why IS NULL) || ' of ' || count(*) || ' ranks went in'
FROM given_gpu GROUP BY NULL
UNION ALL
SELECT * FROM (SELECT 'left out', line, why FROM given_run WHERE why IS NOT NULL ORDER BY run)
UNION ALL
SELECT * FROM (
    SELECT 'left out', min(line), min(g.why) || iif(count(*) = 1, '', printf(' (and %d more)', count(*) - 1))
    FROM given_gpu AS g JOIN given_run USING (run) WHERE g.why <> '' GROUP BY run)
UNION ALL
SELECT * FROM (SELECT 'not read', NULL, notes FROM given_run WHERE notes IS NOT NULL LIMIT 1);
