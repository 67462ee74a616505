-- A database that somebody else made: its views, triggers and constraints may search and explain, never write; and it
-- may hold more than one thinks.
PRAGMA trusted_schema = off;

.print -- views read
CREATE VIEW best AS SELECT config, round(phi, 6) FROM memx_configs WHERE job = 'xy' ORDER BY phi LIMIT 2;
SELECT * FROM best;
CREATE VIEW explains AS SELECT phi(1, 2, 3) > 0, length(recompute_plan('xy', (SELECT config FROM best LIMIT 1))) > 0;
SELECT * FROM explains;

.print -- and write nothing
CREATE VIEW trains AS SELECT memx_train('x');
SELECT * FROM trains;
CREATE VIEW calibrates AS SELECT memx_calibrate('xy');
SELECT * FROM calibrates;
CREATE VIEW initialises AS SELECT memx_init(), memx_views();
SELECT * FROM initialises;

.print -- nor do triggers
CREATE TABLE log(x);
CREATE TRIGGER inserted AFTER INSERT ON log BEGIN SELECT memx_init(); END;
INSERT INTO log VALUES (1);
DROP TRIGGER inserted;
INSERT INTO log VALUES (1), (2);
.print -- one that changes a job while all of its configurations are looked at
CREATE TRIGGER updated AFTER UPDATE ON log BEGIN
  UPDATE memx_job SET global_batch = 6 WHERE job = 'xy';
  UPDATE memx_job SET note = (SELECT count(*) FROM memx_configs WHERE job = 'xy' AND tp = 1) WHERE job = 'xy';
END;
SELECT count(*) FROM memx_configs WHERE job = 'xy' AND tp = 1;
UPDATE log SET x = 3;
SELECT global_batch, note FROM memx_job WHERE job = 'xy';
SELECT count(*) FROM memx_configs WHERE job = 'xy' AND tp = 1;

.print -- defaults, indexes, generated columns
CREATE TABLE with_default(a DEFAULT (memx_init()), b);
INSERT INTO with_default(b) VALUES (1);
CREATE TABLE scored(a, b AS (round(phi(a, 2, 3), 3)));
INSERT INTO scored(a) VALUES (1);
SELECT * FROM scored;
CREATE TABLE indexed(a);
CREATE INDEX by_plan ON indexed(recompute_plan('xy', a));
CREATE INDEX by_phi ON indexed(phi(a, 2, 3));
CREATE INDEX by_train ON indexed(memx_train(a));

.print -- SQLite calls what a CHECK names, though it may not; inside an INSERT it finds the database locked
CREATE TABLE checked(a, CHECK (memx_init() > 0));
INSERT INTO checked VALUES (1);
SELECT count(*) FROM checked;

.print -- recursion
CREATE VIEW circle AS SELECT config FROM memx_configs WHERE job IN (SELECT config FROM circle);
SELECT count(*) FROM circle;
WITH RECURSIVE chain(n, config) AS (
  SELECT 1, (SELECT config FROM memx_configs WHERE job = 'xy' ORDER BY phi LIMIT 1)
  UNION ALL
  SELECT n + 1, p.config FROM chain, memx_predict('xy', chain.config) AS p WHERE n < 3
)
SELECT n, config = (SELECT config FROM chain WHERE n = 2) FROM chain WHERE n > 1;
WITH RECURSIVE grown(n, tp) AS (
  VALUES (1, 1) UNION ALL SELECT n + 1, c.tp FROM grown, memx_configs AS c WHERE c.job = 'xy' AND n < 9 LIMIT 100
)
SELECT count(*), max(n) FROM grown;

.print -- tables of MemX are read-only, and a table of the same name hides one
DELETE FROM memx_configs;
INSERT INTO memx_why(reason) VALUES ('x');
UPDATE memx_stages SET time_ms = 0;
CREATE TEMP TABLE memx_configs(config);
SELECT count(*) FROM memx_configs;
DROP TABLE temp.memx_configs;
CREATE TEMP TABLE memx_job(job);
SELECT count(*) FROM memx_configs WHERE job = 'xy';
DROP TABLE temp.memx_job;

.print -- a hundred thousand jobs
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
INSERT INTO memx_job(job, cluster, model, framework, global_batch)
SELECT 'j' || i, 'xy', 'llama2-7b', 'megatron-bf16', 8 * i FROM n;
SELECT job, config FROM memx_configs WHERE job = 'j77777' ORDER BY phi LIMIT 1;
SELECT count(DISTINCT job) FROM (SELECT job FROM memx_configs WHERE tp = 8 LIMIT 20000);

.print -- tables of a later version: memx_init() leaves them as they are
UPDATE memx_schema SET version = 99;
SELECT memx_init();
SELECT count(*) FROM memx_configs WHERE job = 'xy' AND tp = 1;
PRAGMA integrity_check(1);
