-- Joins, sub-selects, views, grouping: whatever the plan, the rows are the same as from a stored copy.
.read tests/sql/setup/small_jobs.sql
DELETE FROM memx_job WHERE job IN ('mix20', 'xy');
CREATE TEMP TABLE copy AS SELECT * FROM memx_configs;
CREATE TEMP TABLE wish(name TEXT, most_tp INTEGER);
INSERT INTO wish VALUES ('any', 1), ('pair', 2), ('blocks', NULL), ('lab6', 2);

-- Grouping and DISTINCT.
SELECT 'group by job', count(*) FROM (
    SELECT job, count(*), min(phi), max(phi), sum(tp) FROM memx_configs GROUP BY job
    EXCEPT SELECT job, count(*), min(phi), max(phi), sum(tp) FROM copy GROUP BY job);
SELECT 'group by others', count(*) FROM (
    SELECT tp, pp, recompute, count(*) FROM memx_configs GROUP BY tp, pp, recompute HAVING count(*) > 3
    EXCEPT SELECT tp, pp, recompute, count(*) FROM copy GROUP BY tp, pp, recompute HAVING count(*) > 3);
SELECT 'best row of each group', count(*) FROM (
    SELECT job, config, min(phi) FROM memx_configs GROUP BY job EXCEPT SELECT job, config, min(phi)
        FROM copy GROUP BY job);
SELECT 'distinct', (SELECT count(*) FROM (SELECT DISTINCT tp, pp, dp FROM memx_configs))
       = (SELECT count(*) FROM (SELECT DISTINCT tp, pp, dp FROM copy));
SELECT 'distinct in order', group_concat(tp) FROM (SELECT DISTINCT tp FROM memx_configs ORDER BY tp DESC);
SELECT 'count distinct', count(DISTINCT devices) = (SELECT count(DISTINCT devices) FROM copy)
    FROM memx_configs;
SELECT 'window', count(*) FROM (
    SELECT job, config FROM (SELECT job, config, row_number() OVER (PARTITION BY job ORDER BY phi) AS n
        FROM memx_configs) WHERE n <= 3
    EXCEPT SELECT job, config
        FROM (SELECT job, config, row_number() OVER (PARTITION BY job ORDER BY phi) AS n FROM copy)
        WHERE n <= 3);

-- Joins with a table that supplies the job, a bound, or a parameter.
SELECT 'job from a table', count(*) = (SELECT count(*) FROM copy JOIN wish ON name = job)
    FROM wish JOIN memx_configs ON name = job;
SELECT 'bound from a table', count(*)
    = (SELECT count(*) FROM copy JOIN wish ON name = job AND tp <= most_tp)
    FROM wish JOIN memx_configs ON name = job AND tp <= most_tp;
SELECT 'bound alone', count(*) = (SELECT count(*) FROM copy JOIN wish ON tp = most_tp) FROM memx_configs
    JOIN wish ON tp = most_tp;
SELECT 'space from a table', count(*) = (SELECT count(*) FROM copy)
    FROM memx_job AS j JOIN memx_configs AS c ON c.job = j.job AND c.space = j.space;
SELECT 'weights from a table', round(min(phi), 6) = (SELECT round(min(phi), 6) FROM memx_configs
    WHERE job = 'any' AND weights = 'safe')
    FROM (SELECT 'safe' AS w) AS t JOIN memx_configs AS c ON c.weights = t.w WHERE job = 'any';
SELECT 'left join', name, count(config) = (SELECT count(*) FROM copy WHERE job = name AND tp > 1)
    FROM wish LEFT JOIN memx_configs ON job = name AND tp > 1 GROUP BY name ORDER BY name;
SELECT 'left join to nothing', count(*), count(config) FROM wish LEFT JOIN memx_configs ON job = name
    AND tp > 99;
SELECT 'itself', count(*) > 0, count(*) = (SELECT count(*) FROM copy AS a
    JOIN copy AS b ON a.config = b.config AND a.job < b.job WHERE a.job = 'pair')
    FROM memx_configs AS a JOIN memx_configs AS b ON a.config = b.config AND a.job < b.job
        WHERE a.job = 'pair';
SELECT 'view', count(*) FROM memx_best
    WHERE phi <> (SELECT min(phi) FROM copy WHERE copy.job = memx_best.job);
SELECT 'chain', count(*) FROM memx_best AS b, memx_stages(b.job, b.config) AS s,
    memx_gpus(b.job, b.config) AS g
    WHERE g.stage = s.stage AND s.device NOT LIKE '%|%' AND g.peak_mib <> s.peak_mib;

-- Sub-selects.
SELECT 'correlated', count(*) FROM wish WHERE
    (SELECT config FROM memx_configs WHERE job = name ORDER BY phi LIMIT 1)
    <> (SELECT config FROM copy WHERE job = name ORDER BY phi LIMIT 1);
SELECT 'exists', group_concat(name) FROM wish
    WHERE EXISTS (SELECT 1 FROM memx_configs WHERE job = name AND tp = 2);
SELECT 'not exists', group_concat(name) FROM wish
    WHERE NOT EXISTS (SELECT 1 FROM memx_configs WHERE job = name AND tp = 2);
SELECT 'in', count(*) = (SELECT count(*) FROM copy WHERE job IN (SELECT name FROM wish))
    FROM memx_configs WHERE job IN (SELECT name FROM wish);
SELECT 'scalar', count(*) FROM memx_configs AS c
    WHERE job = 'pair' AND phi < (SELECT r.feasible FROM memx_reference(c.job) AS r) / 1e9;
SELECT 'with', count(*)
    FROM (WITH top AS MATERIALIZED (SELECT * FROM memx_configs WHERE job = 'pair' ORDER BY phi LIMIT 5)
    SELECT config FROM top EXCEPT SELECT config
        FROM (SELECT config FROM copy WHERE job = 'pair' ORDER BY phi LIMIT 5));

-- LIMIT is where a scan stops, never what it answers: with OFFSET, filters that only SQLite checks, and unions.
SELECT 'offset', count(*)
    FROM (SELECT config FROM memx_configs WHERE job = 'pair'
    ORDER BY iteration_ms, config LIMIT 5 OFFSET 100)
    WHERE config IN (SELECT config FROM copy WHERE job = 'pair'
        ORDER BY iteration_ms, config LIMIT 5 OFFSET 100);
SELECT 'offset beyond the end', count(*)
    FROM (SELECT 1 FROM memx_configs WHERE job = 'pair' LIMIT 5 OFFSET 506);
SELECT 'limit 0', count(*) FROM (SELECT 1 FROM memx_configs WHERE job = 'pair' LIMIT 0);
SELECT 'no limit', count(*) FROM (SELECT 1 FROM memx_configs WHERE job = 'pair' LIMIT -1);
SELECT 'filter of our own columns', count(*)
    FROM (SELECT config FROM memx_configs WHERE job = 'pair' AND slowest_stage = tightest_stage
    ORDER BY phi LIMIT 7);
SELECT 'filter that SQLite checks', count(*)
    FROM (SELECT config FROM memx_configs WHERE job = 'pair' AND config LIKE '%full%' ORDER BY phi LIMIT 7);
SELECT 'union', count(*), count(DISTINCT job)
    FROM (SELECT * FROM (SELECT * FROM memx_configs WHERE job = 'pair' ORDER BY phi LIMIT 3)
    UNION ALL SELECT * FROM (SELECT * FROM memx_configs WHERE job = 'any' ORDER BY phi LIMIT 4));

-- Two cursors on one table, and a table made from a query.
CREATE TABLE kept AS SELECT job, config, phi FROM memx_configs WHERE job = 'lab6';
SELECT 'kept', count(*) = (SELECT count(*) FROM copy WHERE job = 'lab6'), sum(k.phi <> c.phi) FROM kept AS k
    JOIN memx_configs AS c USING (job, config);
INSERT INTO memx_run(job, config, iteration_ms) SELECT job, config, iteration_ms * 1.1 FROM memx_configs
    WHERE job = 'lab6' ORDER BY phi LIMIT 20;
SELECT 'measured', count(*), round(mape(r.iteration_ms, p.iteration_ms), 4),
    round(spearman(r.iteration_ms, p.iteration_ms), 6)
    FROM memx_run AS r, memx_predict(r.job, r.config) AS p;
