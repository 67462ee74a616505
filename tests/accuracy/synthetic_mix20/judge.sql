-- The figures of the predictor that the jobs name. In order of jobs, as LIMIT keeps it: so each is read once.
DROP TABLE IF EXISTS whole;
DROP TABLE IF EXISTS part;
CREATE TABLE whole AS
SELECT run, p.iteration_ms, p.phi
FROM (SELECT * FROM point ORDER BY job LIMIT -1) AS c, memx_predict(c.job, c.config) AS p;
CREATE TABLE part AS
SELECT c.id AS run, s.stage, s.time_ms, s.peak_mib - s.context_mib AS reserved_mib
FROM (SELECT * FROM seen ORDER BY job LIMIT -1) AS c, memx_stages(c.job, c.config) AS s;
CREATE UNIQUE INDEX part_stage ON part(run, stage);

.mode tabs
.output figures_more
WITH
what AS (SELECT predictor AS what FROM memx_job WHERE job = 'mix20'),
stage AS (
    SELECT 100 * abs(p.time_ms / t.time_ms - 1) AS time, 100 * abs(p.reserved_mib / t.reserved_mib - 1) AS peak
    FROM test AS t JOIN part AS p USING (run, stage)),
iteration AS (SELECT 100 * abs(iteration_ms / seen_ms - 1) AS time FROM whole JOIN point USING (run)),
rank AS (
    SELECT count(*) AS rows, spearman(true_ms, iteration_ms) AS time, spearman(true_phi, phi) AS phi
    FROM whole JOIN point USING (run) GROUP BY family HAVING count(*) >= 4),
-- Of the job mix20 as it is, the predicted first among its configurations.
task AS (
    SELECT * FROM whole JOIN point USING (run)
    WHERE job = 'mix20' AND seq_length = (SELECT seq_length FROM memx_model WHERE model = 'llama2-7b')),
first AS (
    SELECT 100 * ((SELECT true_ms FROM task ORDER BY iteration_ms, run LIMIT 1) / min(true_ms) - 1) AS time,
           100 * ((SELECT true_phi FROM task ORDER BY phi, run LIMIT 1) / min(true_phi) - 1) AS phi
    FROM task),
-- The same of every job and length with 50 configurations or more.
firsts AS (
    SELECT avg(time) AS time, avg(phi) AS phi
    FROM (SELECT 100 * (first_value(true_ms) OVER (PARTITION BY family ORDER BY iteration_ms, run)
                        / min(true_ms) OVER (PARTITION BY family) - 1) AS time,
                 100 * (first_value(true_phi) OVER (PARTITION BY family ORDER BY phi, run)
                        / min(true_phi) OVER (PARTITION BY family) - 1) AS phi,
                 row_number() OVER (PARTITION BY family) AS n, count(*) OVER (PARTITION BY family) AS rows
          FROM whole JOIN point USING (run))
    WHERE n = 1 AND rows >= 50)
SELECT what, column1, column2 FROM what, (
    SELECT 'time_mape' AS column1, avg(time) AS column2 FROM iteration
    UNION ALL SELECT 'max_error', max(time) FROM iteration
    UNION ALL SELECT 'over_50', 100 * avg(time > 50) FROM iteration
    UNION ALL SELECT 'stage_time_mape', avg(time) FROM stage
    UNION ALL SELECT 'stage_max_error', max(time) FROM stage
    UNION ALL SELECT 'stage_over_50', 100 * avg(time > 50) FROM stage
    UNION ALL SELECT 'peak_mape', avg(peak) FROM stage
    UNION ALL SELECT 'peak_max_error', max(peak) FROM stage
    UNION ALL SELECT 'spearman', sum(rows * time) / sum(rows) FROM rank
    UNION ALL SELECT 'phi_spearman', sum(rows * phi) / sum(rows) FROM rank
    UNION ALL SELECT 'first_time', time FROM first
    UNION ALL SELECT 'first_phi', phi FROM first
    UNION ALL SELECT 'first_time_is_best', time = 0 FROM first
    UNION ALL SELECT 'first_phi_is_best', phi = 0 FROM first
    UNION ALL SELECT 'firsts_time', time FROM firsts
    UNION ALL SELECT 'firsts_phi', phi FROM firsts
    UNION ALL SELECT 'test_rows', count(*) FROM stage);
.output
.shell cat figures_more >>figures
