-- memx_init(): creates the tables and fills the catalog; again, it changes nothing of what a user wrote.
.open :memory:
.read '|echo .load $MEMX'
SELECT 'empty', count(*) FROM sqlite_schema;
SELECT memx_init() LIKE 'MemX %: tables of version 1';
SELECT 'tables', count(*) FROM sqlite_schema WHERE type = 'table' AND name LIKE 'memx\_%' ESCAPE '\';
SELECT 'no views', count(*) FROM sqlite_schema WHERE type = 'view';
SELECT 'catalog', (SELECT count(*) FROM memx_device) >= 46, (SELECT count(*) FROM memx_model) >= 28,
       (SELECT count(*) FROM memx_framework) >= 8, (SELECT group_concat(space) FROM (SELECT DISTINCT space FROM memx_space ORDER BY space)),
       (SELECT count(*) FROM memx_job), (SELECT count(*) FROM memx_weights);
SELECT 'devices without a source', count(*) FROM memx_device WHERE source = '';
SELECT 'models without a source', count(*) FROM memx_model WHERE source = '';

-- Nothing to search yet: no row, no error.
SELECT 'no jobs', count(*) FROM memx_configs;
SELECT 'no jobs', count(*) FROM memx_why;
SELECT count(*) FROM memx_configs WHERE job = 'mine';

-- A cluster, a job, an answer.
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('mine', 12.5);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('mine', 0, 'A100-SXM-80GB', 2),
    ('mine', 1, 'V100-SXM2-32GB', 2);
INSERT INTO memx_job(job, cluster, model, framework, global_batch)
VALUES ('mine', 'mine', 'llama-7b', 'megatron-fp16', 16);
SELECT 'rows', count(*) > 0 FROM memx_configs WHERE cluster = 'mine';

-- A user's edits: a figure corrected, a row taken out, values of a space changed, rows added.
UPDATE memx_device SET memory_mib = 80000, note = 'ours' WHERE device = 'A100-SXM-80GB';
DELETE FROM memx_model WHERE model = 'gpt2-xl';
UPDATE memx_framework SET alpha_act = 1.3 WHERE framework = 'megatron-bf16';
DELETE FROM memx_space WHERE space = 'default' AND value IN ('block1', 'selective');
DELETE FROM memx_space WHERE space = 'megatron';
INSERT INTO memx_alias(name, device) VALUES ('our card', 'A100-SXM-80GB');
INSERT INTO memx_weights(weights, w_time, w_peak, w_variance) VALUES ('ours', 1, 0, 0);
CREATE TEMP TABLE rows AS SELECT min(phi) AS phi, count(*) AS n FROM memx_configs;
SELECT memx_init() LIKE 'MemX %: tables of version 1';
SELECT 'survived', memory_mib, note FROM memx_device WHERE device = 'A100-SXM-80GB';
SELECT 'survived', alpha_act FROM memx_framework WHERE framework = 'megatron-bf16';
SELECT 'survived', group_concat(value)
    FROM (SELECT value FROM memx_space WHERE space = 'default' AND param = 'recompute' ORDER BY value);
SELECT 'survived', (SELECT device FROM memx_alias WHERE name = 'our card'), (SELECT w_time FROM memx_weights
    WHERE weights = 'ours');
SELECT 'survived', (SELECT count(*) FROM memx_configs) = n, (SELECT min(phi) FROM memx_configs) = phi
    FROM rows;
SELECT 'came back', model FROM memx_model WHERE model = 'gpt2-xl';
SELECT 'came back', count(*) > 0 FROM memx_space WHERE space = 'megatron';
SELECT 'one version', count(*), max(version) FROM memx_schema;

-- All or nothing, inside a transaction too.
.open :memory:
.read '|echo .load $MEMX'
BEGIN;
SELECT memx_init() LIKE 'MemX%';
SELECT 'inside', count(*) > 0 FROM memx_device;
ROLLBACK;
SELECT 'rolled back', count(*) FROM sqlite_schema;
SAVEPOINT mine;
SELECT memx_init() LIKE 'MemX%';
RELEASE mine;
SELECT 'released', count(*) > 0 FROM memx_device;

-- A table of that name that is somebody else's: an error, and nothing half done.
.open :memory:
.read '|echo .load $MEMX'
CREATE TABLE memx_job(title TEXT);
SELECT memx_init();
SELECT 'left alone', group_concat(name) FROM sqlite_schema;

-- Tables of a newer version are left alone.
.open :memory:
.read '|echo .load $MEMX'
SELECT memx_init() LIKE 'MemX%';
UPDATE memx_schema SET version = 99;
DELETE FROM memx_model;
SELECT memx_init();
SELECT 'left alone', count(*) FROM memx_model;

-- Not from a view or a trigger: it writes.
CREATE TABLE t(x);
CREATE TRIGGER tr AFTER INSERT ON t BEGIN SELECT memx_init(); END;
INSERT INTO t VALUES (1);
CREATE VIEW v AS SELECT memx_init();
SELECT * FROM v;
CREATE VIEW w AS SELECT memx_views();
SELECT * FROM w;
