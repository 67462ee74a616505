-- A database in which memx_init() has not run: every table says so, and says what to do. What needs no
-- table works.
.open :memory:
.read '|echo .load $MEMX'

SELECT * FROM memx_configs;
SELECT config FROM memx_configs WHERE cluster = 'mix20' ORDER BY phi LIMIT 10;
SELECT config FROM memx_configs('free') WHERE job = 'mix20';
SELECT * FROM memx_predict('mix20', 'tp1.dp1.mb1/A*1:none');
SELECT * FROM memx_stages('mix20', 'tp1.dp1.mb1/A*1:none');
SELECT * FROM memx_gpus('mix20', 'tp1.dp1.mb1/A*1:none');
SELECT * FROM memx_reference;
SELECT * FROM memx_reference('mix20');
SELECT * FROM memx_why;
SELECT * FROM memx_why('mix20');
SELECT * FROM memx_sensitivity;
SELECT * FROM memx_linearity;
SELECT * FROM memx_augmented;
SELECT * FROM memx_estimates;
SELECT * FROM memx_measure('mix20');
SELECT 'views', memx_views();
SELECT * FROM memx_best;

SELECT 'phi', round(phi(1.1, 1, 0.5), 3), round(phi(1.1, 1, 0.5, 'safe'), 3);
SELECT 'version', memx_version() GLOB '[0-9]*.[0-9]*.[0-9]*';
SELECT 'debug', memx_debug() LIKE 'memx %, commit %, schema 1; built for SQLite 3.%, running in 3.%; XGBoost %.%.%; compiler %';
SELECT 'median', median(value) FROM json_each('[1, 2, 4]');

-- A part of the tables is not enough either.
SELECT memx_init() LIKE 'MemX%';
PRAGMA foreign_keys = OFF;
DROP TABLE memx_alias;
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('mine', 12.5);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('mine', 0, 'A100-SXM-80GB', 2);
INSERT INTO memx_job(job, cluster, model, global_batch) VALUES ('mine', 'mine', 'gpt2', 16);
SELECT count(*) FROM memx_configs;
SELECT count(*) FROM memx_why;
SELECT memx_init() LIKE 'MemX%';
SELECT 'mended', count(*) > 0 FROM memx_configs;
