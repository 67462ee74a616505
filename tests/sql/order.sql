-- Two spellings of the best ten: ORDER BY phi, the column, and ORDER BY phi(iteration_ms, peak_mib,
-- memory_variance), the function, give the same rows in the same order.
.read tests/sql/setup/small_jobs.sql

CREATE TEMP TABLE by_column(n INTEGER PRIMARY KEY, job, config);
CREATE TEMP TABLE by_function(n INTEGER PRIMARY KEY, job, config);

-- mix20, the full list, under its own weights.
INSERT INTO by_column(job, config) SELECT job, config FROM memx_configs WHERE cluster = 'mix20'
    ORDER BY phi;
INSERT INTO by_function(job, config)
    SELECT job, config FROM memx_configs WHERE cluster = 'mix20'
        ORDER BY phi(iteration_ms, peak_mib, memory_variance);
SELECT 'mix20', count(*) > 20000, sum(f.config <> c.config) FROM by_column AS c
    JOIN by_function AS f USING (n);

-- Under others.
DELETE FROM by_column;
DELETE FROM by_function;
INSERT INTO by_column(job, config) SELECT job, config FROM memx_configs
    WHERE cluster = 'xy' AND weights = 'throughput' ORDER BY phi;
INSERT INTO by_function(job, config) SELECT job, config FROM memx_configs WHERE cluster = 'xy'
    ORDER BY phi(iteration_ms, peak_mib, memory_variance, 'throughput');
SELECT 'throughput', count(*) > 2000, sum(f.config <> c.config) FROM by_column AS c
    JOIN by_function AS f USING (n);

-- Every job.
DELETE FROM by_column;
DELETE FROM by_function;
INSERT INTO by_column(job, config) SELECT job, config FROM memx_configs ORDER BY job, phi;
INSERT INTO by_function(job, config) SELECT c.job, config FROM memx_configs AS c JOIN memx_job USING (job)
    ORDER BY c.job, phi(iteration_ms, peak_mib, memory_variance, memx_job.weights);
SELECT 'every job', count(*) > 30000, sum(f.config <> c.config OR f.job <> c.job) FROM by_column AS c
    JOIN by_function AS f USING (n);

-- The first ten of each are the first ten of the list; OFFSET goes on from there.
CREATE TEMP TABLE ten AS SELECT 'phi' AS by, config
    FROM (SELECT config FROM memx_configs WHERE cluster = 'mix20' ORDER BY phi LIMIT 10)
    UNION ALL SELECT 'offset', config FROM (SELECT config FROM memx_configs WHERE cluster = 'mix20'
        ORDER BY phi LIMIT 7 OFFSET 3)
    UNION ALL SELECT 'phi()', config FROM (SELECT config FROM memx_configs WHERE cluster = 'mix20'
        ORDER BY phi(iteration_ms, peak_mib, memory_variance) LIMIT 10)
    UNION ALL SELECT '+phi', config FROM (SELECT config FROM memx_configs WHERE cluster = 'mix20'
        ORDER BY +phi LIMIT 10);
SELECT by, count(*), min(n) - (SELECT min(n) FROM by_column WHERE job = 'mix20') AS first,
       max(n) - (SELECT min(n) FROM by_column WHERE job = 'mix20') AS last
    FROM ten JOIN by_column AS c USING (config) WHERE c.job = 'mix20' GROUP BY by ORDER BY by;

-- The other measures, and downwards: the same order as that of a stored copy.
CREATE TEMP TABLE copy AS SELECT * FROM memx_configs WHERE job IN ('xy', 'any');
CREATE TEMP TABLE sorted(n INTEGER PRIMARY KEY, x);
INSERT INTO sorted(x) SELECT iteration_ms FROM memx_configs WHERE job IN ('xy', 'any')
    ORDER BY iteration_ms;
SELECT 'iteration_ms', count(*) = (SELECT count(*) FROM copy), sum(x < before)
    FROM (SELECT x, lag(x) OVER (ORDER BY n) AS before FROM sorted);
DELETE FROM sorted;
INSERT INTO sorted(x) SELECT peak_mib FROM memx_configs WHERE job IN ('xy', 'any') ORDER BY peak_mib DESC;
SELECT 'peak_mib DESC', count(*) = (SELECT count(*) FROM copy), sum(x > before)
    FROM (SELECT x, lag(x) OVER (ORDER BY n) AS before FROM sorted);
DELETE FROM sorted;
INSERT INTO sorted(x) SELECT memory_variance FROM memx_configs WHERE job IN ('xy', 'any')
    ORDER BY memory_variance, config;
SELECT 'memory_variance', count(*) = (SELECT count(*) FROM copy), sum(x < before)
    FROM (SELECT x, lag(x) OVER (ORDER BY n) AS before FROM sorted);
SELECT 'least', (SELECT min(phi) FROM memx_configs WHERE job = 'xy') = min(phi),
    (SELECT max(phi) FROM memx_configs WHERE job = 'xy') = max(phi),
       (SELECT phi FROM memx_configs WHERE job = 'xy' ORDER BY phi LIMIT 1) = min(phi),
       (SELECT phi FROM memx_configs WHERE job = 'xy' ORDER BY phi DESC LIMIT 1) = max(phi) FROM copy
           WHERE job = 'xy';
SELECT 'its row', (SELECT config FROM (SELECT config, min(phi) FROM memx_configs WHERE job = 'xy'))
       = (SELECT config FROM memx_configs WHERE job = 'xy' ORDER BY phi LIMIT 1);
SELECT 'by job', group_concat(job) FROM (SELECT DISTINCT job FROM memx_configs ORDER BY job);
SELECT 'by job downwards', group_concat(job) FROM (SELECT DISTINCT job FROM memx_configs ORDER BY job DESC);

-- Ties go by the order of the scan, whatever filters: here all variances are 0.
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('two', 10);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('two', 0, 'A100-SXM-80GB', 2);
INSERT INTO memx_space(space, param, value) VALUES ('ties', 'pp', '1'), ('ties', 'recompute', 'none');
INSERT INTO memx_job(job, cluster, model, global_batch, space) VALUES ('ties', 'two', 'gpt2', 8, 'ties');
CREATE TEMP TABLE ties(n INTEGER PRIMARY KEY, config);
INSERT INTO ties(config) SELECT config FROM memx_configs WHERE job = 'ties';
CREATE TEMP TABLE tied(n INTEGER PRIMARY KEY, config);
INSERT INTO tied(config) SELECT config FROM memx_configs WHERE job = 'ties' ORDER BY memory_variance;
SELECT 'ties', count(*) > 4, sum(tied.config <> ties.config) FROM tied JOIN ties USING (n);
DELETE FROM tied;
INSERT INTO tied(config) SELECT config FROM memx_configs
    WHERE job = 'ties' AND micro_batch IN (1, 2, 4, 8) ORDER BY memory_variance;
SELECT 'ties under IN', count(*) > 4, sum(tied.config <> ties.config) FROM tied JOIN ties USING (n);
