-- memx_train takes the rows of memx_augmented for its trees, and for nothing else: they are no
-- measurements, so neither constants nor errors follow from them. (Synthetic: a time that bends.)
CREATE TEMP TABLE stage AS
SELECT d.value AS device, 'llama2-7b' AS model, 'megatron-bf16' AS framework, l.value AS layers, 0 AS first_stage,
       0 AS last_stage, t.value AS tp, 1 AS dp, m.value AS micro_batch, 4096 AS seq_length, 'none' AS recompute,
       1 AS in_flight, t.value > 1 AS sequence_parallel, 0 AS distributed_optimizer
FROM json_each('["A100-SXM-80GB", "B-32GB"]') AS d, json_each('[1, 2, 4, 8, 16]') AS l, json_each('[1, 2, 4]') AS t,
     json_each('[1, 2, 3, 4, 6]') AS m;
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
    seq_length, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib, source)
SELECT device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, recompute,
       in_flight, sequence_parallel, distributed_optimizer, (1.1 + 0.1 / micro_batch) * (e ->> 'time_ms'),
       (1.02 + 0.05 / tp) * (e ->> 'reserved_mib'), 'synthetic'
FROM (SELECT *, stage_estimate(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
                               seq_length, NULL, NULL, recompute, in_flight, sequence_parallel,
                               distributed_optimizer) AS e FROM stage);
SELECT 'with', r ->> '$.rows', (r ->> '$.augmented') = (SELECT count(*) FROM memx_augmented), r ->> '$.augmented' > 150,
       r ->> '$.figures.time.rows', r ->> '$.left_out'
FROM (SELECT memx_train('with', '{"trees": "always"}') AS r);
SELECT 'without', memx_train('without', '{"trees": "always", "augment": 0}') ->> '$.augmented';
SELECT 'calibrated alike', count(DISTINCT ranges -> '$.calibration'), min(json_array_length(ranges, '$.calibration'))
FROM memx_predictor;
SELECT 'judged alike', count(DISTINCT errors -> '$.time.held_out'), count(DISTINCT errors -> '$.peak.held_out'),
       min((SELECT count(*) FROM json_each(errors, '$.peak.held_out'))), count(DISTINCT errors ->> '$.reserve') FROM memx_predictor;
SELECT 'other trees', count(DISTINCT trees)
FROM (SELECT predictor, group_concat(leaf) AS trees FROM memx_tree GROUP BY predictor);
SELECT 'only where enough was measured',
       memx_train('few', '{"trees": "always", "least_rows": 151, "validate": 0}') ->> '$.figures.time.trees';
SELECT 'not of a cluster', memx_calibrate('mix20', 'c', '{"validate": 0}') ->> '$.augmented';
