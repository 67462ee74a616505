-- pareto = 1: the rows that no other row of their space beats, being as good in time, peak and variance and
-- better in one.
.read tests/sql/setup/small_jobs.sql
INSERT INTO memx_space SELECT 'few', param, value FROM memx_space WHERE space = 'free';
INSERT INTO memx_space(space, param, value) VALUES ('few', 'pp', '1'), ('few', 'pp', '2'), ('few', 'pp', '3');

-- By definition, in the jobs' own spaces and in others: space, jobs, whether the front is what a stored copy
-- has, and whether it is a part of it.
CREATE TEMP TABLE copy(space, job, config, iteration_ms, peak_mib, memory_variance, tp, phi);
INSERT INTO copy SELECT 'own', job, config, iteration_ms, peak_mib, memory_variance, tp, phi FROM memx_configs;
INSERT INTO copy SELECT space, job, config, iteration_ms, peak_mib, memory_variance, tp, phi FROM memx_configs
    WHERE space IN ('megatron', 'amp', 'metis', 'few');
CREATE INDEX temp.of_copy ON copy(space, job, iteration_ms, peak_mib, memory_variance);
CREATE TEMP TABLE wanted AS SELECT * FROM copy AS one WHERE NOT EXISTS (
    SELECT 1 FROM copy AS other WHERE other.space = one.space AND other.job = one.job
        AND other.iteration_ms <= one.iteration_ms AND other.peak_mib <= one.peak_mib
        AND other.memory_variance <= one.memory_variance
        AND (other.iteration_ms < one.iteration_ms OR other.peak_mib < one.peak_mib
            OR other.memory_variance < one.memory_variance));
CREATE TEMP TABLE front AS SELECT 'own' AS space, job, config, phi, tp FROM memx_configs WHERE pareto = 1;
INSERT INTO front SELECT space, job, config, phi, tp FROM memx_configs
    WHERE pareto = 1 AND space IN ('megatron', 'amp', 'metis', 'few');
SELECT 'front', c.space, count(DISTINCT c.job) AS jobs,
    (SELECT count(*) FROM (SELECT job, config FROM wanted WHERE space = c.space
        EXCEPT SELECT job, config FROM front WHERE space = c.space)) AS missing,
    (SELECT count(*) FROM (SELECT job, config FROM front WHERE space = c.space
        EXCEPT SELECT job, config FROM wanted WHERE space = c.space)) AS beaten,
    (SELECT count(*) FROM front WHERE space = c.space) < count(*) AS fewer
    FROM copy AS c GROUP BY c.space;
-- In the order of the scan.
SELECT 'order', (SELECT group_concat(job || config) FROM (SELECT job, config FROM memx_configs WHERE pareto = 1))
    = (SELECT group_concat(job || config) FROM (SELECT job, config FROM wanted WHERE space = 'own' ORDER BY rowid));

-- Being on the front is a property of a row in its space: filters choose among those rows, and do not
-- make another front.
CREATE TEMP VIEW own AS SELECT * FROM front WHERE space = 'own';
SELECT 'tp = 2', count(*) > 0, count(*) = (SELECT count(*) FROM own WHERE tp = 2)
    FROM memx_configs WHERE pareto = 1 AND tp = 2;
SELECT 'tp IN (1, 4)', count(*) > 0, count(*) = (SELECT count(*) FROM own WHERE tp IN (1, 4))
    FROM memx_configs WHERE pareto = 1 AND tp IN (1, 4);
SELECT 'slowdown', count(*) > 0, count(*) = (SELECT count(*) FROM memx_configs JOIN own USING (job, config)
    WHERE slowdown > 1.1) FROM memx_configs WHERE pareto = 1 AND slowdown > 1.1;
SELECT 'LIKE', count(*) > 0, count(*) = (SELECT count(*) FROM own WHERE config LIKE '%full%')
    FROM memx_configs WHERE pareto = 1 AND config LIKE '%full%';
SELECT 'one of them', count(*) FROM memx_configs WHERE pareto = 1 AND job = 'mix20'
    AND config = (SELECT config FROM own WHERE job = 'mix20' LIMIT 1);
SELECT 'none of them', count(*) FROM memx_configs WHERE pareto = 1 AND job = 'mix20'
    AND config = (SELECT config FROM memx_configs WHERE job = 'mix20' ORDER BY iteration_ms DESC LIMIT 1);
SELECT 'each by name', count(*) = (SELECT count(*) FROM own WHERE job = 'xy') FROM own CROSS JOIN memx_configs AS c
    WHERE c.pareto = 1 AND own.job = 'xy' AND c.job = own.job AND c.config = own.config;
SELECT 'shards', sum(n) = (SELECT count(*) FROM own) FROM (SELECT column1 AS part, (SELECT count(*)
    FROM memx_configs WHERE pareto = 1 AND shards = 3 AND shard = column1) AS n FROM (VALUES (0), (1), (2)));
SELECT 'weights', count(*) = (SELECT count(*) FROM own) FROM memx_configs WHERE pareto = 1 AND weights = '[0, 1, 0]';
SELECT 'max_rows', count(*) = (SELECT count(*) FROM own) FROM memx_configs WHERE pareto = 1 AND max_rows = 1;
SELECT 'ranked', (SELECT group_concat(job || config) FROM (SELECT job, config FROM memx_configs WHERE pareto = 1
    ORDER BY phi)) = (SELECT group_concat(job || config) FROM (SELECT job, config FROM own ORDER BY phi));
SELECT 'LIMIT', (SELECT group_concat(config) FROM (SELECT config FROM memx_configs WHERE pareto = 1 AND job = 'xy'
    ORDER BY iteration_ms DESC LIMIT 3 OFFSET 2)) = (SELECT group_concat(config) FROM (SELECT config FROM wanted
    WHERE space = 'own' AND job = 'xy' ORDER BY iteration_ms DESC LIMIT 3 OFFSET 2));
SELECT 'the best of each measure', min(phi) = (SELECT min(phi) FROM memx_configs WHERE job = 'mix20'),
    min(iteration_ms) = (SELECT min(iteration_ms) FROM memx_configs WHERE job = 'mix20'),
    min(peak_mib) = (SELECT min(peak_mib) FROM memx_configs WHERE job = 'mix20'),
    min(memory_variance) = (SELECT min(memory_variance) FROM memx_configs WHERE job = 'mix20')
    FROM memx_configs WHERE job = 'mix20' AND pareto = 1;
SELECT 'equal rows stay together', count(*) > count(DISTINCT iteration_ms || ' ' || peak_mib || ' ' || memory_variance)
    FROM wanted;

-- How it may be asked for.
.parameter init
.parameter set :one 1
SELECT 'the value', min(pareto), max(pareto) FROM memx_configs WHERE job = 'lab6' AND pareto = 1;
SELECT 'not asked for', count(*) > 0, sum(pareto) FROM memx_configs WHERE job = 'lab6';
SELECT '1.0', count(*) > 0 FROM memx_configs WHERE job = 'lab6' AND pareto = 1.0;
SELECT ':one', count(*) > 0 FROM memx_configs WHERE job = 'lab6' AND pareto = :one;
SELECT 'IN (1)', count(*) > 0 FROM memx_configs WHERE job = 'lab6' AND pareto IN (1);
SELECT 'NULL', count(*) FROM memx_configs WHERE job = 'lab6' AND pareto = NULL;
SELECT 'of a table', count(*) > 0 FROM memx_configs AS c JOIN (SELECT 1 AS one) AS o ON c.pareto = o.one
    WHERE c.job = 'lab6';
SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND pareto = 0;
SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND pareto = 2;
SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND pareto = 'yes';
SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND pareto IN (0, 1);

-- A space too large to list: a part of its front. Ranked search within a row's own figures finds nothing
-- faster, smaller or more even. Last, rows and those that are the fastest, the smallest, the most even and the
-- best by phi.
CREATE TEMP TABLE large AS SELECT job, config, iteration_ms, peak_mib, memory_variance, slowdown, phi
    FROM memx_configs('free') WHERE job IN ('mix20', 'xy') AND pareto = 1;
SELECT 'within itself', job, count(*) > 5, sum(
    (SELECT iteration_ms FROM memx_configs('free') AS c WHERE c.job = l.job AND c.iteration_ms <= l.iteration_ms
        AND c.peak_mib <= l.peak_mib AND c.memory_variance <= l.memory_variance
        ORDER BY iteration_ms LIMIT 1) IS NOT iteration_ms) AS faster,
    sum((SELECT peak_mib FROM memx_configs('free') AS c WHERE c.job = l.job AND c.iteration_ms <= l.iteration_ms
        AND c.peak_mib <= l.peak_mib AND c.memory_variance <= l.memory_variance
        ORDER BY peak_mib LIMIT 1) IS NOT peak_mib) AS smaller,
    sum((SELECT memory_variance FROM memx_configs('free') AS c WHERE c.job = l.job
        AND c.iteration_ms <= l.iteration_ms AND c.peak_mib <= l.peak_mib
        AND c.memory_variance <= l.memory_variance
        ORDER BY memory_variance LIMIT 1) IS NOT memory_variance) AS evener
    FROM large AS l GROUP BY job;
SELECT 'distinct', count(*) = count(DISTINCT job || config) FROM large;
SELECT 'the fastest', job, min(slowdown) = 1 FROM large GROUP BY job;
SELECT 'the fastest has the least peak of its kind', job, min(peak_mib) <= (SELECT peak_mib
    FROM memx_configs('free') AS c WHERE c.job = l.job AND slowdown = 1 ORDER BY peak_mib LIMIT 1) * 1.01
    FROM large AS l WHERE slowdown = 1 GROUP BY job;
