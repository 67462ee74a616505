-- memx_views(): views for tools that see tables and views alone; and views of one's own over the virtual
-- tables, which work where the schema is not trusted.
PRAGMA trusted_schema = OFF;

SELECT 'views', group_concat(name) FROM (SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name);
-- What an older MemX left is replaced.
DROP VIEW memx_measured;
CREATE VIEW memx_measured AS SELECT 1 AS old;
SELECT 'again', memx_views();
SELECT 'replaced', count(*) > 1, count(*) FILTER (WHERE name = 'old') FROM pragma_table_info('memx_measured');
-- Others' views of these names are left alone, and so are triggers on views that are as they should be.
ATTACH ':memory:' AS other;
CREATE VIEW other.memx_best AS SELECT 1 AS a;
CREATE TEMP VIEW memx_fastest AS SELECT 1 AS a;
DROP VIEW main.memx_best;
CREATE TRIGGER kept INSTEAD OF INSERT ON memx_all_configs BEGIN SELECT 1; END;
SELECT 'beside others', memx_views();
SELECT 'theirs', (SELECT count(*) FROM other.sqlite_schema), (SELECT count(*) FROM temp.sqlite_schema WHERE name = 'memx_fastest'),
    (SELECT count(*) FROM main.sqlite_schema WHERE name IN ('memx_best', 'kept'));
DROP VIEW temp.memx_fastest;
DROP TRIGGER kept;
DETACH other;
SELECT 'each can be read', (SELECT count(*) FROM memx_best), (SELECT count(*) FROM memx_fastest),
    (SELECT count(*) FROM memx_all_configs WHERE job = 'lab6') > 0, (SELECT count(*) FROM memx_run_stages),
    (SELECT count(*) FROM memx_measured);
SELECT 'columns that BI needs are there', count(*) FROM pragma_table_info('memx_configs')
    WHERE name NOT IN (SELECT name FROM pragma_table_info('memx_all_configs'));

-- One row a job: the best by phi, the fastest.
SELECT job, phi = (SELECT min(phi) FROM memx_configs AS c WHERE c.job = b.job) AS best,
       config = (SELECT config FROM memx_configs AS c WHERE c.job = b.job
           ORDER BY phi LIMIT 1) AS its_config FROM memx_best AS b;
SELECT job, slowdown AS fastest, config = (SELECT config FROM memx_configs AS c WHERE c.job = b.job
    ORDER BY iteration_ms LIMIT 1) AS its_config
    FROM memx_fastest AS b;
SELECT 'one job of it', job, round(phi, 9) = (SELECT round(min(phi), 9) FROM memx_configs WHERE job = 'xy')
    FROM memx_best WHERE job = 'xy';
SELECT 'all', count(*) = (SELECT count(*) FROM memx_configs) FROM memx_all_configs;
SELECT 'filtered', count(*) = (SELECT count(*) FROM memx_configs WHERE cluster = 'xy' AND tp = 2)
    FROM memx_all_configs WHERE cluster = 'xy' AND tp = 2;
SELECT 'in order', config = (SELECT config FROM memx_configs WHERE job = 'lab6' ORDER BY phi LIMIT 1)
    FROM memx_all_configs WHERE job = 'lab6' ORDER BY phi LIMIT 1;

-- Everything that only reads may stand in a view: it is innocuous.
CREATE VIEW v1 AS SELECT * FROM memx_configs WHERE job = 'lab6' AND slowdown <= 1.1;
CREATE VIEW v2 AS SELECT v1.job, s.* FROM v1, memx_stages(v1.job, v1.config) AS s;
CREATE VIEW v3 AS SELECT g.* FROM memx_configs AS c, memx_gpus(c.job, c.config) AS g
    WHERE c.job = 'lab6' AND c.slowdown = 1;
CREATE VIEW v4 AS SELECT p.* FROM memx_job AS j, memx_best AS b, memx_predict(b.job, b.config) AS p
    WHERE b.job = j.job;
CREATE VIEW v5 AS SELECT job, feasible FROM memx_reference;
CREATE VIEW v6 AS SELECT job, reason FROM memx_why;
CREATE VIEW v7 AS SELECT job, config, phi(iteration_ms, peak_mib, memory_variance, 'safe') AS score
    FROM memx_configs WHERE job = 'lab6';
CREATE VIEW v8 AS SELECT memx_version() AS version, memx_debug() AS debug, phi(1, 1, 1) AS one;
CREATE VIEW v9 AS SELECT job, median(iteration_ms) AS half, r2(iteration_ms, peak_mib) AS r
    FROM memx_configs GROUP BY job;
SELECT 'v1', count(*) > 0 FROM v1;
SELECT 'v2', count(*) > 0 FROM v2;
SELECT 'v3', count(*) FROM v3;
SELECT 'v4', count(*) FROM v4;
SELECT 'v5', count(*) FROM v5;
SELECT 'v6', count(*) > 0 FROM v6;
SELECT 'v7', count(*) > 0 FROM (SELECT * FROM v7 ORDER BY score LIMIT 5);
SELECT 'v8', count(*) FROM v8;
SELECT 'v9', count(*) FROM v9;

-- In a trigger too: what a query says is kept with the run.
CREATE TABLE plan(job TEXT, config TEXT, iteration_ms DOUBLE);
CREATE TRIGGER planned AFTER INSERT ON plan BEGIN
    UPDATE plan SET iteration_ms = (SELECT iteration_ms FROM memx_predict(NEW.job, NEW.config))
        WHERE rowid = NEW.rowid;
END;
INSERT INTO plan(job, config) SELECT job, config FROM memx_best WHERE job = 'lab6';
SELECT 'trigger', count(*), sum(plan.iteration_ms = memx_best.iteration_ms) FROM plan
    JOIN memx_best USING (job, config);

-- What writes may not.
CREATE VIEW w AS SELECT memx_views();
SELECT * FROM w;

-- phi() of three arguments may stand in an index; with a fourth it reads memx_weights.
CREATE TABLE measured(t REAL, m REAL, v REAL);
CREATE INDEX by_phi ON measured(phi(t, m, v));
SELECT 'index', count(*) FROM pragma_index_list('measured');
