-- memx_train: from rows of memx_profile to a predictor that searches use. The measurements are made up
-- here, from MemX's own predictions: small micro batches 15 % slower, large ones 4 % faster, 3 % more
-- memory. (Synthetic.)
SELECT memx_train();
SELECT memx_train('analytic');
SELECT memx_train('june', 'rounds');
SELECT memx_train(NULL) IS NULL;

CREATE TEMP TABLE picked AS
SELECT config FROM (SELECT config, row_number() OVER () AS n FROM memx_configs WHERE job = 'mix20')
WHERE n % 373 = 0;
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
    seq_length, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib, source)
SELECT s.device, 'llama2-7b', 'megatron-bf16', s.layers, s.first_stage, s.last_stage, s.tp, s.dp, s.micro_batch,
    s.seq_length, s.recompute, s.in_flight, s.sequence_parallel, s.distributed_optimizer,
    s.time_ms * CASE WHEN s.micro_batch <= 2 THEN 1.15 ELSE 0.96 END, (s.peak_mib - s.context_mib) * 1.03, 'synthetic'
FROM picked AS p, memx_stages('mix20', p.config) AS s WHERE instr(s.device, '|') = 0;
CREATE TEMP TABLE before AS
SELECT config, iteration_ms, peak_mib, predictor FROM memx_configs WHERE job = 'mix20' ORDER BY phi LIMIT 5;

-- Rows that cannot be learned from are left out, counted and named.
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
    seq_length, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms)
VALUES ('no-such-card', 'llama2-7b', 'megatron-bf16', 4, 0, 0, 1, 1, 1, 4096, 'none', 1, 0, 0, 100.0),
       ('B-32GB', 'llama2-7b', 'megatron-bf16', 4, 0, 0, 3, 1, 1, 4096, 'none', 1, 0, 0, 100.0),
       ('B-32GB', 'llama2-7b', 'megatron-bf16', 4, 0, 0, 1, 1, 1, 4096, 'none', 1, 0, 0, 1e7),
       ('B-32GB', 'llama2-7b', 'megatron-bf16', 4, 0, 0, 1, 1, 1, 4096, 'none', 1, 0, 0, NULL);
CREATE TEMP TABLE report AS SELECT memx_train('june') AS r;
.mode line
WITH report(r) AS MATERIALIZED (SELECT memx_train('june'))
SELECT r ->> 'rows' = (SELECT count(*) - 4 FROM memx_profile) AS all_others, r ->> 'left_out' AS left_out, r ->> 'memory' AS memory,
    (SELECT group_concat(w.value ->> 'why', '; ') FROM json_each(r, '$.why_left_out') AS w) AS why,
    r ->> '$.figures.time.used' AS time_used, r ->> '$.figures.peak.used' AS peak_used,
    r ->> '$.figures.time.learned_mape' < 0.2 * (r ->> '$.figures.time.calibrated_mape') AS time_better,
    (SELECT group_concat(h.key) FROM json_each(r, '$.figures.time.held_out') AS h
     WHERE h.value ->> 'learned_mape' < h.value ->> 'calibrated_mape') AS held_out_better,
    (SELECT group_concat(printf('%s %.2f %.2f', c.value ->> 'device', c.value ->> 'static_factor', c.value ->> 'activation_factor'), '; ')
     FROM json_each(r, '$.calibration') AS c) AS calibration,
    (SELECT f.key FROM json_each(r, '$.features.time') AS f LIMIT 1) IS NOT NULL AS features_named,
    r ->> '$.figures.reserve' AS reserve, (SELECT group_concat(key) FROM json_each(r)) AS says
FROM report;
.mode list

-- The next query uses it, and says so.
SELECT 'predictor', group_concat(DISTINCT predictor) FROM
    (SELECT predictor FROM memx_configs WHERE job = 'mix20' ORDER BY phi LIMIT 5);
SELECT 'other jobs keep theirs', group_concat(DISTINCT predictor) FROM memx_configs WHERE job = 'xy';
SELECT 'ranked equals sorted', (SELECT group_concat(config) FROM (SELECT config FROM memx_configs WHERE job = 'mix20' ORDER BY phi LIMIT 20))
    = (SELECT group_concat(config) FROM (SELECT config FROM memx_configs WHERE job = 'mix20' ORDER BY +phi LIMIT 20));
SELECT 'measured stages come out', max(abs(p.time_ms / s.time_ms - 1)) < 0.02, max(abs(p.reserved_mib / (s.peak_mib - s.context_mib) - 1)) < 0.02
FROM picked AS k, memx_stages('mix20', k.config) AS s
JOIN memx_profile AS p USING (device, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, recompute, in_flight)
WHERE p.source = 'synthetic';
SELECT 'far away', predictor FROM memx_predict('mix20', 'tp1.dp1.mb1.seq4096/C-32GB*1:none,C-32GB*1:none,C-32GB*1:none,C-32GB*1:none,C-32GB*1:none,C-32GB*1:none,C-32GB*1:none,C-32GB*1:none,B-32GB*1:none,B-32GB*1:none,B-32GB*1:none,B-32GB*1:none,B-32GB*1:none,B-32GB*1:none,B-32GB*1:none,B-32GB*1:none,A100-SXM-80GB*1:none,A100-SXM-80GB*1:none,A100-SXM-80GB*1:none,A100-SXM-80GB*13:none');

-- Same rows, same trees; another predictor beside it; the job says which.
CREATE TEMP TABLE signed AS SELECT s.stage, s.signature FROM (SELECT config FROM before LIMIT 1) AS b, memx_stages('mix20', b.config) AS s;
CREATE TEMP TABLE first_trees AS SELECT * FROM memx_tree WHERE predictor = 'june';
SELECT 'again', memx_train('june') IS NOT NULL;
SELECT 'same trees', count(*) FROM (SELECT * FROM first_trees EXCEPT SELECT * FROM memx_tree);
SELECT 'same signatures', count(*) FROM (SELECT config FROM before LIMIT 1) AS b, memx_stages('mix20', b.config) AS s JOIN signed USING (stage, signature);
UPDATE memx_job SET predictor = 'analytic' WHERE job = 'mix20';
SELECT 'other signatures', count(*) FROM (SELECT config FROM before LIMIT 1) AS b, memx_stages('mix20', b.config) AS s JOIN signed USING (stage, signature);
SELECT 'analytic again', count(*) FROM before AS b, memx_predict('mix20', b.config) AS p
WHERE p.iteration_ms = b.iteration_ms AND p.predictor = 'analytic';
UPDATE memx_job SET predictor = 'may' WHERE job = 'mix20';
SELECT count(*) FROM memx_configs WHERE job = 'mix20';
UPDATE memx_job SET predictor = 'june' WHERE job = 'mix20';

-- Damage is refused, whatever it is.
SAVEPOINT damage;
DELETE FROM memx_tree WHERE predictor = 'june' AND output = 'time' AND tree = 3 AND node = 1;
SELECT count(*) FROM memx_configs WHERE job = 'mix20';
ROLLBACK TO damage;
UPDATE memx_tree SET yes = 1, no = 1, missing = 1 WHERE output = 'time' AND tree = 0 AND node = 0;
SELECT count(*) FROM memx_configs WHERE job = 'mix20';
ROLLBACK TO damage;
UPDATE memx_tree SET feature = 'vibes' WHERE output = 'time' AND tree = 0 AND node = 0;
SELECT count(*) FROM memx_configs WHERE job = 'mix20';
ROLLBACK TO damage;
UPDATE memx_tree SET yes = 9999 WHERE output = 'time' AND tree = 0 AND node = 0;
SELECT count(*) FROM memx_configs WHERE job = 'mix20';
ROLLBACK TO damage;
UPDATE memx_predictor SET features = '["hidden"]';
SELECT count(*) FROM memx_configs WHERE job = 'mix20';
ROLLBACK TO damage;
UPDATE memx_predictor SET ranges = '{';
SELECT count(*) FROM memx_configs WHERE job = 'mix20';
ROLLBACK TO damage;
DELETE FROM memx_tree WHERE predictor = 'june';
SELECT count(*) FROM memx_configs WHERE job = 'mix20';
ROLLBACK TO damage;
-- And by those who switch CHECKs off.
PRAGMA ignore_check_constraints = on;
DELETE FROM memx_tree WHERE tree > 0;
UPDATE memx_tree SET tree = -1;
SELECT count(*) FROM memx_configs WHERE job = 'mix20';
ROLLBACK TO damage;
UPDATE memx_tree SET yes = yes - 4294967296 WHERE output = 'time' AND tree = 0 AND node = 0;
SELECT count(*) FROM memx_configs WHERE job = 'mix20';
ROLLBACK TO damage;
PRAGMA ignore_check_constraints = off;
RELEASE damage;
SELECT 'whole again', predictor FROM memx_configs WHERE job = 'mix20' ORDER BY phi LIMIT 1;

-- A training inside a statement that may not write, or in a view.
CREATE VIEW sly AS SELECT memx_train('july');
SELECT * FROM sly;
PRAGMA query_only = 1;
SELECT memx_train('july');
PRAGMA query_only = 0;
SELECT group_concat(predictor) FROM memx_predictor;

-- Options that are none are refused, and so are values that XGBoost would refuse.
SELECT memx_train('july', '{"round": 5}');
SELECT memx_train('july', '[]');
SELECT memx_train('july', '5');
SELECT memx_train('july', '{"eta": 1e-300}');
SELECT memx_train('july', '{"trees": "some"}');

-- Of predictors of the same moment the last is the newest. A damaged one that others do not need harms nobody.
UPDATE memx_job SET predictor = NULL WHERE job = 'mix20';
SELECT memx_train('may', '{"validate": 0}') IS NOT NULL, memx_train('april', '{"validate": 0}') IS NOT NULL;
UPDATE memx_predictor SET created = '2026-01-01T00:00:00.000Z';
SELECT 'newest', predictor FROM memx_predict('mix20', (SELECT config FROM before LIMIT 1));
UPDATE memx_predictor SET ranges = json_set(ranges, '$.calibration', json('["x"]')) WHERE predictor = 'april';
SELECT 'next', predictor FROM memx_predict('mix20', (SELECT config FROM before LIMIT 1));
UPDATE memx_job SET predictor = 'april' WHERE job = 'mix20';
SELECT * FROM memx_predict('mix20', (SELECT config FROM before LIMIT 1));
UPDATE memx_job SET predictor = 'ANALYTIC' WHERE job = 'mix20';
SELECT 'analytic', predictor FROM memx_predict('mix20', (SELECT config FROM before LIMIT 1));

-- Beyond what was measured is said, with trees and without.
UPDATE memx_job SET predictor = 'may' WHERE job = 'mix20';
SELECT 'near', predictor FROM memx_predict('mix20', (SELECT config FROM picked LIMIT 1));
SELECT 'far', predictor FROM memx_predict('mix20', 'tp4.dp1.mb64.seq4096/A100-SXM-80GB*28:full,B-32GB*1:full,B-32GB*1:full,C-32GB*1:full,C-32GB*1:full');
