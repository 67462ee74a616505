-- How do measured runs get in? Rows of a CSV file with a header go into memx_run, and into memx_run_gpu
-- where they name a rank; those that cannot be right are left out and listed with the reason, and so are
-- runs that are there already.
--
--   MEMX_IMPORT=runs.csv sqlite3 -cmd '.load ./memx' my.db <queries/import_run.sql
--
-- Columns, in any order: job (a row of memx_job) and config, which are needed; iteration_ms, oom, source
-- (else the file's name); rank, allocated_mib, reserved_mib, total_mib; run. A row is a run, or one GPU
-- of it: rows of the same `run` belong together and repeat the run's own columns. Without a rank,
-- total_mib is the greatest of all devices. Absurd is what is faster than the cards' peak, 1000 times
-- slower than predicted, or larger than the card. Rows of one run that are left out for the same reason are
-- listed once, at the first of them.
DROP TABLE IF EXISTS temp.csv;
DROP TABLE IF EXISTS temp.file;
DROP TABLE IF EXISTS temp.given;
DROP TABLE IF EXISTS temp.given_run;
.import --schema temp --csv '|if [ -z "$MEMX_IMPORT" ] || { [ -f "$MEMX_IMPORT" ] && ! grep -q "[^[:space:]]" "$MEMX_IMPORT"; }; then echo job; else cat "$MEMX_IMPORT"; fi' csv
.import --schema temp --ascii '|printf "name\036%s\036" "${MEMX_IMPORT##*/}"' file

BEGIN;
-- Types make numbers of what is one, and leave the rest text.
CREATE TEMP TABLE given(
    line INTEGER PRIMARY KEY, run TEXT, job TEXT, config TEXT, iteration_ms REAL, oom INTEGER, source TEXT,
    rank INTEGER, allocated_mib REAL, reserved_mib REAL, total_mib REAL, card_mib REAL, why TEXT);
INSERT INTO given(line) SELECT rowid + 1 FROM temp.csv;
-- A column that the file does not have is then the row's own here, which is NULL.
UPDATE given SET (run, job, config, iteration_ms, oom, source, rank, allocated_mib, reserved_mib,
                  total_mib) = (
    SELECT trim(run), trim(job), trim(config), trim(iteration_ms), trim(oom), trim(source), trim(rank),
           trim(allocated_mib), trim(reserved_mib), trim(total_mib)
    FROM temp.csv WHERE csv.rowid = given.line - 1);
UPDATE given SET
    run = coalesce(nullif(run, ''), 'line ' || line), job = nullif(job, ''), config = nullif(config, ''),
    iteration_ms = nullif(iteration_ms, ''), oom = coalesce(nullif(oom, ''), 0), rank = nullif(rank, ''),
    allocated_mib = nullif(allocated_mib, ''), reserved_mib = nullif(reserved_mib, ''),
    total_mib = nullif(total_mib, ''), source = coalesce(nullif(source, ''), (SELECT name FROM temp.file));

CREATE INDEX temp.given_by_run ON given(run, line);

-- A run is what its first row says.
CREATE TEMP TABLE given_run AS
SELECT run, min(line) AS line, job, config, iteration_ms, oom, source,
       CASE WHEN rank IS NULL THEN total_mib END AS total_mib,
       (SELECT max(coalesce(allocated_mib, reserved_mib, total_mib)) FROM given AS g
        WHERE g.run = given.run) AS mib,
       config_problem(job, config) AS problem, NULL AS canonical, NULL AS predicted_ms,
       NULL AS tflops, NULL AS peak_tflops, NULL AS why, NULL AS unlike, NULL AS id
FROM given GROUP BY run;
CREATE UNIQUE INDEX temp.given_run_by_run ON given_run(run);
UPDATE given_run SET (canonical, predicted_ms, tflops) = (
    SELECT p.config, p.iteration_ms, p.tflops_per_gpu
    FROM memx_predict(given_run.job, given_run.config) AS p)
WHERE problem IS NULL;
UPDATE given_run SET peak_tflops = (
    SELECT max(d.peak_tflops)
    FROM memx_job JOIN memx_node AS n USING (cluster) JOIN memx_device AS d ON d.device = coalesce(
        (SELECT device FROM memx_device WHERE device = n.device),
        (SELECT device FROM memx_alias WHERE name = n.device))
    WHERE memx_job.job = given_run.job);
UPDATE given_run SET why = CASE
    WHEN job IS NULL THEN 'no job'
    WHEN config IS NULL THEN 'no config'
    WHEN problem IS NOT NULL THEN problem
    WHEN oom NOT IN (0, 1) THEN printf('oom is %s; write 0 or 1', oom)
    WHEN iteration_ms IS NULL AND mib IS NULL AND NOT oom THEN 'nothing was measured'
    WHEN typeof(iteration_ms) = 'text' THEN printf('iteration_ms is %s, no number', iteration_ms)
    WHEN iteration_ms <= 0 THEN printf('iteration_ms is %g', iteration_ms)
    WHEN tflops * predicted_ms / iteration_ms > peak_tflops THEN printf(
        'iteration_ms is %g: %.0f TFLOPS a GPU, more than its peak (seconds?)', iteration_ms,
        tflops * predicted_ms / iteration_ms)
    WHEN iteration_ms > 1000 * predicted_ms THEN printf(
        'iteration_ms is %g, more than 1000 times the %.3g predicted (microseconds?)', iteration_ms,
        predicted_ms)
    END;
-- One after the other: each reads what the one before left.
UPDATE given SET why = (SELECT why FROM given_run AS r WHERE r.run = given.run);
UPDATE given_run SET unlike = u.columns
FROM (SELECT run, rtrim(iif(max(g.job IS NOT r.job), 'job, ', '') || iif(max(g.config IS NOT r.config), 'config, ', '')
                        || iif(max(g.iteration_ms IS NOT r.iteration_ms), 'iteration_ms, ', '')
                        || iif(max(g.oom IS NOT r.oom), 'oom, ', '')
                        || iif(max(g.source IS NOT r.source), 'source, ', ''), ', ') AS columns
      FROM given AS g JOIN given_run AS r USING (run) GROUP BY run) AS u
WHERE u.run = given_run.run;
UPDATE given SET why = (
    SELECT printf('%s: not as in line %d, where its run begins', unlike, r.line)
    FROM given_run AS r WHERE r.run = given.run)
WHERE why IS NULL AND (job, config, iteration_ms, oom, source) IS NOT (
    SELECT job, config, iteration_ms, oom, source FROM given_run AS r WHERE r.run = given.run);
-- What the card of that rank holds; without a rank, the largest.
UPDATE given SET card_mib = (
    SELECT max(g.capacity_mib) FROM given_run AS r, memx_gpus(r.job, r.config) AS g
    WHERE r.run = given.run AND (given.rank IS NULL OR g.rank = given.rank))
WHERE why IS NULL AND coalesce(rank, allocated_mib, reserved_mib, total_mib) IS NOT NULL;
UPDATE given SET why = CASE
    WHEN rank IS NULL AND coalesce(allocated_mib, reserved_mib) IS NOT NULL
        THEN 'allocated_mib and reserved_mib need a rank'
    WHEN rank IS NULL AND line > (SELECT line FROM given_run AS r WHERE r.run = given.run) THEN 'no rank'
    WHEN typeof(rank) = 'text' THEN printf('rank is %s, no whole number', rank)
    WHEN rank IS NOT NULL AND card_mib IS NULL THEN printf('rank is %s, and the run has no such GPU', rank)
    WHEN EXISTS (SELECT 1 FROM given AS g
                 WHERE g.run = given.run AND g.rank = given.rank AND g.line < given.line)
        THEN printf('rank %s stands in an earlier row', rank)
    WHEN rank IS NOT NULL AND coalesce(allocated_mib, reserved_mib, total_mib) IS NULL
        THEN 'no memory was measured'
    WHEN typeof(allocated_mib) = 'text' THEN printf('allocated_mib is %s, no number', allocated_mib)
    WHEN typeof(reserved_mib) = 'text' THEN printf('reserved_mib is %s, no number', reserved_mib)
    WHEN typeof(total_mib) = 'text' THEN printf('total_mib is %s, no number', total_mib)
    WHEN min(ifnull(allocated_mib, 1), ifnull(reserved_mib, 1), ifnull(total_mib, 1)) <= 0
        THEN printf('memory is %g', min(ifnull(allocated_mib, 1), ifnull(reserved_mib, 1), ifnull(total_mib, 1)))
    WHEN max(ifnull(allocated_mib, 0), ifnull(reserved_mib, 0), ifnull(total_mib, 0)) > 1.01 * card_mib
        THEN printf('more memory than the card''s %g MiB (bytes?)', card_mib)
    WHEN allocated_mib > 1.01 * reserved_mib THEN 'more allocated than reserved'
    WHEN reserved_mib > 1.01 * total_mib THEN 'more reserved than in use'
    END
WHERE why IS NULL;
UPDATE given_run SET total_mib = NULL
WHERE (SELECT why FROM given WHERE given.line = given_run.line) IS NOT NULL;
UPDATE given SET why = 'is there already' WHERE why IS NULL AND EXISTS (
    SELECT 1 FROM given_run AS r JOIN memx_run AS m ON (m.job, m.config, m.oom, m.source)
                                                     = (r.job, r.canonical, r.oom, r.source)
    WHERE r.run = given.run AND (m.iteration_ms, m.total_mib) IS (r.iteration_ms, r.total_mib));
-- A run goes in with what is left of its rows.
UPDATE given_run SET id = (SELECT coalesce(max(id), 0) FROM memx_run) + place
FROM (SELECT run, row_number() OVER (ORDER BY min(line)) AS place FROM given WHERE why IS NULL
      GROUP BY run) AS kept
WHERE kept.run = given_run.run;
INSERT OR IGNORE INTO memx_run(id, job, config, iteration_ms, oom, total_mib, source)
SELECT id, job, canonical, iteration_ms, oom, total_mib, source FROM given_run WHERE id IS NOT NULL ORDER BY id;
UPDATE given_run SET id = NULL WHERE id NOT IN (SELECT id FROM memx_run);
UPDATE given SET why = 'breaks a rule of the table; .schema memx_run shows them'
WHERE why IS NULL AND run IN (SELECT run FROM given_run WHERE id IS NULL);
INSERT OR IGNORE INTO memx_run_gpu(run, rank, allocated_mib, reserved_mib, total_mib)
SELECT r.id, g.rank, g.allocated_mib, g.reserved_mib, g.total_mib
FROM given AS g JOIN given_run AS r USING (run) WHERE g.why IS NULL AND g.rank IS NOT NULL;
UPDATE given SET why = 'breaks a rule of the table; .schema memx_run_gpu shows them'
WHERE why IS NULL AND rank IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM given_run AS r JOIN memx_run_gpu AS g ON g.run = r.id
                      WHERE r.run = given.run AND g.rank = given.rank);
COMMIT;
SELECT 'memx_run' AS what, NULL AS line,
       CASE WHEN name = '' THEN 'MEMX_IMPORT names no file' WHEN count(run) = 0 THEN name || ' has no rows'
            ELSE count(id) || ' of ' || count(run) || ' runs went in' END AS why
FROM temp.file LEFT JOIN given_run
UNION ALL
SELECT 'memx_run_gpu', NULL, count(*) FILTER (WHERE why IS NULL) || ' of ' || count(*) || ' rows went in'
FROM given WHERE rank IS NOT NULL GROUP BY NULL
UNION ALL
SELECT * FROM (
    SELECT 'left out', min(line) AS line, why || iif(count(*) = 1, '', printf(' (and %d more)', count(*) - 1))
    FROM given WHERE why IS NOT NULL GROUP BY run, why ORDER BY line);
