-- memx_estimates: every stage of memx_profile as the newest predictor of its device and framework has it. The
-- measurements are MemX's own predictions times known factors. (Synthetic.)
SELECT 'no rows', count(*) FROM memx_estimates;

CREATE TEMP TABLE picked AS
SELECT config FROM (SELECT config, row_number() OVER () AS n FROM memx_configs WHERE job = 'mix20')
WHERE n % 1433 = 0;
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
    seq_length, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib, source)
SELECT s.device, s.model, s.framework, s.layers, s.first_stage, s.last_stage, s.tp, s.dp, s.micro_batch,
    s.seq_length, s.recompute, s.in_flight, s.sequence_parallel, s.distributed_optimizer,
    s.time_ms * 1.2, (s.peak_mib - s.context_mib) * 1.06, 'synthetic'
FROM picked AS p, memx_stages('mix20', p.config) AS s WHERE instr(s.device, '|') = 0;
CREATE TEMP VIEW analytic AS
SELECT id, stage_estimate(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
                          seq_length, heads, kv_groups, recompute, in_flight, sequence_parallel,
                          distributed_optimizer) AS e
FROM memx_profile;
CREATE TEMP VIEW used AS
SELECT p.device, count(*) AS rows, e.predictor, e.problem
FROM memx_profile AS p JOIN memx_estimates AS e USING (id) WHERE p.source <> 'far away' GROUP BY p.device, e.predictor, e.problem;

-- Nothing was learned: as the function says.
SELECT 'analytic', count(*) = (SELECT count(*) FROM memx_profile), sum(abs(a.e ->> 'time_ms' - v.time_ms) > 1e-3),
       sum(abs(a.e ->> 'allocated_mib' - v.allocated_mib) > 1e-2), sum(abs(a.e ->> 'reserved_mib' - v.reserved_mib) > 1e-2),
       sum(abs(a.e ->> 'total_mib' - v.total_mib) > 1e-2), group_concat(DISTINCT v.predictor), max(v.problem)
FROM memx_estimates AS v JOIN analytic AS a USING (id);

-- What was learned: constants alone, then trees too, in a newer one.
SELECT 'trained', memx_train('first', '{"validate": 0, "trees": "never"}') ->> 'rows' = (SELECT count(*) FROM memx_profile);
UPDATE memx_predictor SET created = '2026-01-01T00:00:00Z';
SELECT * FROM used;
SELECT 'better', mape(p.time_ms, a.e ->> 'time_ms') > 16, mape(p.time_ms, v.time_ms) < 3,
       mape(p.reserved_mib, a.e ->> 'reserved_mib') > 5, mape(p.reserved_mib, v.reserved_mib) < 2
FROM memx_profile AS p JOIN analytic AS a USING (id) JOIN memx_estimates AS v USING (id);
SELECT 'as in its jobs', count(*) > 0, max(abs(v.time_ms - s.time_ms)) < 1e-6, max(abs(v.total_mib - s.peak_mib)) < 1e-6
FROM picked AS k, memx_stages('mix20', k.config) AS s
     JOIN memx_profile AS p USING (device, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, recompute, in_flight)
     JOIN memx_estimates AS v USING (id);
SELECT 'trained', memx_train('second', '{"validate": 0, "trees": "always", "rounds": 20}') IS NOT NULL;
UPDATE memx_predictor SET created = '2026-01-02T00:00:00Z' WHERE predictor = 'second';
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
                         recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, source)
VALUES ('B-32GB', 'llama2-7b', 'megatron-bf16', 32, 0, 0, 1, 1, 512, 4096, 'none', 1, 0, 0, 1e5, 'far away'),
       ('a100', 'llama2-7b', 'megatron-bf16', 4, 0, 0, 2, 1, 2, 4096, 'none', 2, 1, 0, 1e2, 'alias'),
       ('H100', 'llama2-7b', 'megatron-bf16', 4, 0, 0, 2, 1, 2, 4096, 'none', 2, 1, 0, 1e2, 'another card'),
       ('A100', 'llama2-7b', 'megatron-fp16', 4, 0, 0, 2, 1, 2, 4096, 'none', 2, 1, 0, 1e2, 'another framework');
SELECT 'second', * FROM used;
SELECT 'far away', e.predictor FROM memx_profile AS p JOIN memx_estimates AS e USING (id) WHERE p.source = 'far away';
UPDATE memx_predictor SET created = '2026-01-03T00:00:00Z' WHERE predictor = 'first';
SELECT 'first is newer', * FROM used;
UPDATE memx_predictor SET created = '2026-01-03T00:00:00Z';
SELECT 'stored last', * FROM used WHERE device = 'a100';
-- What the second was not calibrated on, the first was.
SAVEPOINT a;
UPDATE memx_predictor SET ranges = json_remove(ranges, (
    SELECT fullkey FROM json_each(ranges, '$.calibration') WHERE value ->> 'device' = 'B-32GB'))
WHERE predictor = 'second';
SELECT 'two of them', * FROM used;
ROLLBACK TO a;
UPDATE memx_predictor SET ranges = json_set(ranges, '$.cluster', 'mix20') WHERE predictor = 'second';
SELECT 'the second is for one cluster', * FROM used;
ROLLBACK TO a;
UPDATE memx_predictor SET ranges = iif(predictor = 'first', '{', json_set(ranges, '$.calibration', json('[1, {}, {"device": 2}]')));
SELECT 'none that can be read', * FROM used WHERE device = 'a100';
ROLLBACK TO a;
DELETE FROM memx_tree WHERE predictor = 'second' AND tree = 0;
SELECT 'a damaged one', * FROM used;
ROLLBACK TO a;

-- Rows that cannot be predicted say why, and spoil no other.
PRAGMA ignore_check_constraints = ON;
INSERT INTO memx_profile(id, device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
                         heads, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms)
VALUES (-1, 'A10O', 'llama2-7b', 'megatron-bf16', 4, 0, 0, 1, 1, 1, 4096, NULL, 'none', 1, 0, 0, 100),
       (-2, 'A100', 'llama2-7bb', 'megatron-bf16', 4, 0, 0, 1, 1, 1, 4096, NULL, 'none', 1, 0, 0, 100),
       (-3, 'A100', 'llama2-7b', 'megatron', 4, 0, 0, 1, 1, 1, 4096, NULL, 'none', 1, 0, 0, 100),
       (-4, 'T4', 'llama2-7b', 'megatron-bf16', 4, 0, 0, 1, 1, 1, 4096, NULL, 'none', 1, 0, 0, 100),
       (-5, 'A100', 'llama2-7b', 'megatron-bf16', 33, 0, 0, 1, 1, 1, 4096, NULL, 'none', 1, 0, 0, 100),
       (-6, 'A100', 'llama2-7b', 'megatron-bf16', 4, 0, 0, 3, 1, 1, 4096, NULL, 'none', 1, 0, 0, 100),
       (-7, 'A100', 'llama2-7b', 'megatron-bf16', 4.5, 0, 0, 1, 1, 1, 4096, NULL, 'none', 1, 0, 0, 100),
       (-8, 'A100', 'llama2-7b', 'megatron-bf16', 4, 2, 0, 1, 1, 1, 4096, NULL, 'none', 1, 0, 0, 100),
       (-9, 'A100', 'llama2-7b', 'megatron-bf16', 4, 0, 0, 1, 1, 1, 4096, 0, 'none', 1, 0, 0, 100),
       (-10, 'A100', 'llama2-7b', 'megatron-bf16', 4, 0, 0, 1, 1, 1, 4096, NULL, 'some', 1, 0, 0, 100),
       (-11, '', 'llama2-7b', 'megatron-bf16', 4, 0, 0, 1, 1, 1, 4096, NULL, 'none', 1, 0, 0, 100);
PRAGMA ignore_check_constraints = OFF;
SELECT * FROM memx_estimates WHERE id < 0;
SELECT 'the others', count(*), count(problem) FROM memx_estimates WHERE id > 0;

-- By its id, alone and again and again.
CREATE TEMP TABLE kept AS SELECT * FROM memx_estimates;
SELECT 'by id', count(*), sum(v.time_ms IS k.time_ms AND v.predictor IS k.predictor AND v.problem IS k.problem)
FROM kept AS k CROSS JOIN memx_estimates AS v ON v.id = k.id;
SELECT 'alone', sum((SELECT v.time_ms FROM memx_estimates AS v WHERE v.id = k.id) IS k.time_ms) = count(*) FROM kept AS k;
SELECT 'rowid', id FROM memx_estimates WHERE rowid = 3;
SELECT 'no such', count(*) FROM memx_estimates WHERE id IN (0, 1.5, NULL, 'x', -12, 1e300);
SELECT 'text', id FROM memx_estimates WHERE id = '3';
SELECT 'outer', count(*), count(v.id) FROM (SELECT 1 AS id UNION ALL SELECT 0) AS k LEFT JOIN memx_estimates AS v ON v.id = k.id;
SELECT 'with itself', count(*) FROM memx_estimates AS a JOIN memx_estimates AS b ON b.id = a.id;

-- A table of rows that leads back here.
ALTER TABLE memx_profile RENAME TO kept_profile;
CREATE VIEW memx_profile AS SELECT * FROM kept_profile WHERE id IN (SELECT id FROM memx_estimates);
SELECT 'leads back', count(*) FROM memx_estimates;
DROP VIEW memx_profile;
CREATE VIEW memx_profile AS SELECT * FROM kept_profile WHERE id > 0 ORDER BY random();
SELECT 'a view', count(*), count(problem) FROM memx_estimates;
