-- What threads.c and kills.sh read and train again: a predictor for the devices of mix20, from synthetic rows.
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
    recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib)
SELECT d.column1, j.model, j.framework, l.value, 0, 0, 1, 1, m.value, 1024, 'none', 1, 0, 0,
       l.value * m.value * (12 + d.column2) + 3, 4000 + 900 * l.value * (1 + m.value) + d.column2
FROM memx_job AS j, (VALUES ('A100-SXM-80GB', 0), ('B-32GB', 7), ('C-32GB', 13)) AS d, json_each('[1,2,3,4]') AS l,
     json_each('[1,2]') AS m
WHERE j.job = 'mix20';
UPDATE memx_job SET predictor = iif(job = 'mix20', 'served', 'analytic');
SELECT json_extract(memx_train('served', '{"rounds": 20, "least_rows": 5}'), '$.rows');
