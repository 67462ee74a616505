-- memx_augmented: training rows between measured ones, along approved lines only. (Synthetic: 10 % slower
-- than the analytic model, and 2 % more memory.)
SELECT 'nothing measured', count(*) FROM memx_augmented;
CREATE TEMP TABLE stage AS
SELECT d.value AS device, 'llama2-7b' AS model, 'megatron-bf16' AS framework, l.value AS layers, 0 AS first_stage,
       0 AS last_stage, t.value AS tp, 1 AS dp, m.value AS micro_batch, s.value AS seq_length,
       'none' AS recompute, 1 AS in_flight, t.value > 1 AS sequence_parallel, 0 AS distributed_optimizer
FROM json_each('["A100-SXM-80GB"]') AS d, json_each('[1, 2, 4, 8, 16]') AS l, json_each('[2, 4]') AS t,
     json_each('[1, 2, 3, 4, 6]') AS m, json_each('[1024, 2048, 3072, 4096, 6144, 8192]') AS s;
CREATE TEMP VIEW predicted AS
SELECT *, stage_estimate(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
                         NULL, NULL, recompute, in_flight, sequence_parallel, distributed_optimizer) AS estimate
FROM stage;

-- A dense sweep of each parameter on tp 4, and the corners and middle of a grid on tp 2.
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
    seq_length, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib, source)
SELECT device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, recompute,
       in_flight, sequence_parallel, distributed_optimizer, 1.1 * (estimate ->> 'time_ms'),
       1.02 * (estimate ->> 'reserved_mib'), 'synthetic'
FROM predicted
WHERE (tp = 4 AND (layers = 4) + (micro_batch = 1) + (seq_length = 4096) >= 2)
   OR (tp = 2 AND layers IN (1, 4, 16) AND micro_batch IN (1, 3, 6) AND seq_length IN (1024, 4096, 8192));
.mode column
.headers on
SELECT parameter, output, points, round(bend_pct, 1) AS bend_pct, fit, interpolate FROM memx_linearity;

-- Time only where time is straight: not along the sequence.
SELECT substr(origin, 1, instr(origin, ' ')) AS parameter, count(*), count(time_ms), count(reserved_mib),
       count(allocated_mib), count(id), min(weight), max(weight), min(source) FROM memx_augmented GROUP BY 1;
SELECT round((SELECT count(*) FROM memx_augmented) * 1.0 / count(*), 1) AS factor FROM memx_profile;

-- Between two measured neighbours: one of the sweeps.
SELECT device, layers, tp, micro_batch, seq_length, heads, kv_groups, origin,
       round(time_ms / (e ->> 'time_ms'), 3) AS time_ratio, round(reserved_mib / (e ->> 'reserved_mib'), 3) AS memory_ratio
FROM (SELECT *, stage_estimate(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
                               heads, kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer) AS e
      FROM memx_augmented)
WHERE tp = 2 AND micro_batch = 3 AND seq_length = 4096 AND layers NOT IN (1, 16) AND layers <> 4;
SELECT group_concat(DISTINCT micro_batch) FROM memx_augmented WHERE origin LIKE 'micro_batch%';
SELECT count(DISTINCT seq_length), sum(seq_length % 128) FROM memx_augmented WHERE origin LIKE 'seq_length%';
SELECT max(n) AS most_in_an_interval FROM (SELECT count(*) AS n FROM memx_augmented GROUP BY origin);
SELECT 'measured ones are not among them', count(*) FROM memx_augmented JOIN memx_profile
    USING (device, model, layers, tp, micro_batch, seq_length, recompute);

-- What is 10 % slower stays so between the points, whatever the curve between them.
SELECT round(max(abs(time_ms / (e ->> 'time_ms') - 1.1)), 6) AS time_error,
       round(max(abs(reserved_mib / (e ->> 'reserved_mib') - 1.02)), 3) AS memory_error
FROM (SELECT *, stage_estimate(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
                               heads, kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer) AS e
      FROM memx_augmented);

-- Its columns are those of memx_profile, in their order, then origin and weight.
.headers off
SELECT 'columns', (SELECT group_concat(name) FROM pragma_table_info('memx_profile')) || ',origin,weight'
    = (SELECT group_concat(name) FROM pragma_table_info('memx_augmented'));
SELECT 'both', count(*) > 300 FROM (SELECT *, NULL, 1.0 FROM memx_profile UNION ALL SELECT * FROM memx_augmented);
SELECT 'while its table is written', (SELECT count(*) FROM memx_augmented) FROM memx_profile LIMIT 1;
SAVEPOINT a;
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
    seq_length, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib)
SELECT device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, recompute,
       in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib FROM memx_augmented;
SELECT 'inserted', changes() = count(*) FROM memx_profile WHERE source = '' ;
ROLLBACK TO a;

-- Where no row has reserved_mib, allocated_mib is interpolated. Without its dense sweep nothing is approved.
UPDATE memx_profile SET allocated_mib = reserved_mib, reserved_mib = NULL;
SELECT 'allocated', count(allocated_mib) > 0, count(reserved_mib) FROM memx_augmented;
DELETE FROM memx_profile WHERE tp = 4;
SELECT 'no dense sweep', count(*) FROM memx_augmented;
ROLLBACK TO a;

-- No points between neighbours that are next to each other, and none that cannot run: heads that tp does
-- not divide.
DELETE FROM memx_profile;
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
    heads, recompute, in_flight, sequence_parallel, distributed_optimizer, reserved_mib)
SELECT 'A100-SXM-80GB', 'llama2-7b', 'megatron-bf16', 4, 0, 0, 8, 1, 1, 4096, h.value, 'none', 1, 1, 0, 100 * h.value
FROM json_each('[8, 16, 24, 32, 64]') AS h;
SELECT heads, kv_groups, reserved_mib, time_ms, origin FROM memx_augmented;
UPDATE memx_profile SET heads = NULL, layers = heads / 8, tp = 4 WHERE heads <> 64;
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
    recompute, in_flight, sequence_parallel, distributed_optimizer, reserved_mib)
VALUES ('A100-SXM-80GB', 'llama2-7b', 'megatron-bf16', 5, 0, 0, 4, 1, 1, 4096, 'none', 1, 1, 0, 4000);
SELECT 'neighbours', (SELECT sum(interpolate) FROM memx_linearity), count(*) FROM memx_augmented;
-- A device that no catalog knows has no analytic time.
UPDATE memx_profile SET device = 'unheard-of', layers = layers * 2;
SELECT 'unknown', (SELECT sum(interpolate) FROM memx_linearity), count(*) FROM memx_augmented;
