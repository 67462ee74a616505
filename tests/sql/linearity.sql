-- memx_linearity: along which parameters a measurement may be interpolated. (Synthetic.)
SELECT 'nothing measured', count(*) FROM memx_linearity;
CREATE TEMP TABLE stage AS
SELECT 'B-32GB' AS device, 'llama2-7b' AS model, 'megatron-bf16' AS framework, 4 AS layers, 0 AS first_stage,
       0 AS last_stage, 2 AS tp, 1 AS dp, 1 AS micro_batch, 4096 AS seq_length, 'none' AS recompute,
       1 AS in_flight, 1 AS sequence_parallel, 0 AS distributed_optimizer;
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
    seq_length, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib)
SELECT device, model, framework, l.value, first_stage, last_stage, tp, dp, micro_batch, seq_length, recompute,
       in_flight, sequence_parallel, distributed_optimizer, 3 + 20 * l.value, 500 + 900 * l.value
FROM stage, json_each('[1, 2, 4, 8]') AS l;
.mode column
.headers on
SELECT parameter, output, least, most, points, slope, intercept, round(r2, 6) AS r2, fit, interpolate
FROM memx_linearity;

-- Four points are too few. A fifth, without a time: memory passes, time does not.
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
    seq_length, recompute, in_flight, sequence_parallel, distributed_optimizer, reserved_mib)
SELECT device, model, framework, 12, first_stage, last_stage, tp, dp, micro_batch, seq_length, recompute,
       in_flight, sequence_parallel, distributed_optimizer, 11300 FROM stage;
SELECT parameter, output, most, points, slope, intercept, fit, interpolate FROM memx_linearity;

-- Attention grows with the square of the sequence. Over a short range R2 alone would let it pass: the line
-- between its ends is 22 % off inside. Memory along it is straight.
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
    seq_length, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib)
SELECT 'C-32GB', model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, s.value, recompute,
       in_flight, sequence_parallel, distributed_optimizer, 1e-2 * s.value + 8e-7 * s.value * s.value,
       2000 + 0.5 * s.value
FROM stage, json_each('[1024, 2048, 3072, 4096, 6144, 8192]') AS s;
SELECT parameter, output, points, round(r2, 4) AS r2, round(r2_quadratic, 6) AS r2_quadratic,
       round(bend_pct, 1) AS bend_pct, fit, interpolate FROM memx_linearity WHERE device = 'C-32GB';
-- With five points there is no judging a square.
DELETE FROM memx_profile WHERE device = 'C-32GB' AND seq_length = 3072;
SELECT output, points, round(r2, 4) AS r2, round(bend_pct, 1) AS bend_pct, fit, interpolate
FROM memx_linearity WHERE device = 'C-32GB';

-- A step, as of a kernel that takes whole tiles; a constant, which has no R2; and a little noise.
DELETE FROM memx_profile;
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
    seq_length, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib)
SELECT d.key, model, framework, layers, first_stage, last_stage, tp, dp, m.value, seq_length, recompute,
       in_flight, sequence_parallel, distributed_optimizer,
       CASE d.key WHEN 'A100-SXM-80GB' THEN 50 * ((m.value + 3) / 4) WHEN 'B-32GB' THEN 70.1
                  ELSE 10 * m.value * (1 + 0.01 * (m.value % 3 - 1)) END, 7000.0
FROM stage, json_each('{"A100-SXM-80GB": 0, "B-32GB": 0, "C-32GB": 0}') AS d,
     json_each('[1, 2, 3, 4, 6, 8, 12]') AS m;
SELECT device, output, points, round(r2, 4) AS r2, round(bend_pct, 1) AS bend_pct, fit, interpolate
FROM memx_linearity;

-- Of equally long sweeps the least straight decides.
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
    seq_length, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms)
SELECT 'C-32GB', model, framework, 8, first_stage, last_stage, tp, dp, m.value, seq_length, recompute,
       in_flight, sequence_parallel, distributed_optimizer, 30 + 10 * m.value + 0.4 * m.value * m.value
FROM stage, json_each('[1, 2, 3, 4, 6, 8, 12]') AS m;
SELECT device, points, round(bend_pct, 1) AS bend_pct, fit FROM memx_linearity
WHERE device = 'C-32GB' AND parameter = 'micro_batch' AND output = 'time';
-- A shorter one does not.
DELETE FROM memx_profile WHERE layers = 8 AND micro_batch = 12;
SELECT device, points, round(bend_pct, 1) AS bend_pct, fit FROM memx_linearity
WHERE device = 'C-32GB' AND parameter = 'micro_batch' AND output = 'time';

-- Two models on one device, one of them under an alias.
DELETE FROM memx_profile;
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
    seq_length, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms)
SELECT iif(m.value = 'llama2-7b', 'A100-SXM-80GB', 'NVIDIA A100-SXM4-80GB'), m.value, framework, l.value, first_stage, last_stage, tp, dp, micro_batch,
       seq_length, recompute, in_flight, sequence_parallel, distributed_optimizer,
       iif(m.value = 'llama2-7b', 20 * l.value, l.value * l.value)
FROM stage, json_each('[1, 2, 3, 4, 6]') AS l, json_each('["llama2-7b", "llama2-13b"]') AS m;
SELECT device, model, points, round(r2, 3) AS r2, fit FROM memx_linearity;
