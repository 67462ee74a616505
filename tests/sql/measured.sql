-- memx_measured and memx_run_stages, and what they ask: config_problem() and stage_estimate().
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('m', 100);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('m', 0, 'A100', 8), ('m', 1, 'a100-80gb', 8);
INSERT INTO memx_job(job, cluster, model, framework, global_batch)
VALUES ('m', 'm', 'llama2-7b', 'megatron-bf16', 64);

-- A stage as memx_stages shows it is estimated the same, whatever the configuration.
SELECT 'as memx_stages', count(*), sum(abs(e ->> 'time_ms' - time_ms) < 1e-3),
       sum(abs(e ->> 'total_mib' - peak_mib) < 1e-2),
       sum(abs(e ->> 'reserved_mib' - (peak_mib - context_mib)) < 1e-2),
       sum(abs(e ->> 'allocated_mib' - (peak_mib - context_mib - static_mib * (1 - 1 / 1.05))) < 1e-2)
FROM (SELECT s.*, stage_estimate(s.device, s.model, s.framework, s.layers, s.first_stage, s.last_stage, s.tp,
                                 s.dp, s.micro_batch, s.seq_length, s.heads, s.kv_groups, s.recompute,
                                 s.in_flight, s.sequence_parallel, s.distributed_optimizer) AS e
      FROM memx_configs AS c, memx_stages(c.job, c.config) AS s
      WHERE c.job = 'm' AND c.space = 'megatron');

-- What cannot be predicted is answered, not refused.
CREATE TABLE stage(device, model, framework, layers, tp, heads, recompute, flag);
INSERT INTO stage VALUES
    ('A100', 'llama2-7b', 'megatron-bf16', 1, 2, 16, 'block1', 1),
    ('A10O', 'llama2-7b', 'megatron-bf16', 1, 2, NULL, 'none', 1),
    ('A100', 'llama2-7bb', 'megatron-bf16', 1, 2, NULL, 'none', 1),
    ('A100', 'llama2-7b', 'mega"tron\bf16', 1, 2, NULL, 'none', 1),
    ('T4', 'llama2-7b', 'megatron-bf16', 1, 2, NULL, 'none', 1),
    ('A100', 'llama2-7b', 'megatron-bf16', 33, 2, NULL, 'none', 1),
    ('A100', 'llama2-7b', 'megatron-bf16', 1.5, 2, NULL, 'none', 1),
    ('A100', 'llama2-7b', 'megatron-bf16', 1, 3, NULL, 'none', 1),
    ('A100', 'llama2-7b', 'megatron-bf16', 1, 2, 7, 'none', 1),
    ('A100', 'llama2-7b', 'megatron-bf16', 1, 2, NULL, 'some', 1),
    ('A100', 'llama2-7b', 'megatron-bf16', 1, 2, NULL, 'none', 2),
    ('A100', 'llama2-7b', 'megatron-bf16', NULL, 2, NULL, 'none', 1);
SELECT 'stage', coalesce(json_valid(e), 0), coalesce(e ->> 'problem', e ->> 'predictor')
FROM (SELECT stage_estimate(device, model, framework, layers, 1, 1, tp, 1, 1, 4096, heads, NULL, recompute, 1,
                            flag, 0) AS e FROM stage);
SELECT 'config', config_problem('m', 'tp8.dp1.mb1/A100-SXM-80GB*16:none,A100-SXM-80GB*16:none');
SELECT 'config', config_problem('m', 'tp8.dp1.mb1/A100-SXM-80GB*16:none,A100-SXM-80GB*15:none');
SELECT 'config', config_problem('none', 'tp8');
SELECT 'config', config_problem('m', NULL), config_problem(NULL, 'tp8');

-- Runs as predicted but for known factors; one with four of its 16 devices measured, one with context parallelism.
INSERT INTO memx_run(id, job, config, iteration_ms, oom, source)
SELECT v.column1, 'm', p.config, p.iteration_ms * v.column2, v.column1 = 4, 'log: ' || v.column1
FROM (VALUES (1, 1.0, 'tp8.dp1.mb1/A100-SXM-80GB*16:none,A100-SXM-80GB*16:none'),
             (2, 1.25, 'tp4.dp4.mb1/A100-SXM-80GB*32:full'),
             (3, 0.8, 'tp8.dp1.mb2/A100-SXM-80GB*17:none,A100-SXM-80GB*15:none'),
             (4, NULL, 'tp1.dp16.mb4/A100-SXM-80GB*32:none'),
             (7, 1.0, 'tp4.dp2.mb1.cp2/A100-SXM-80GB*32:full')) AS v, memx_predict('m', v.column3) AS p;
INSERT INTO memx_run(id, job, config, iteration_ms) VALUES (5, 'm', 'tp8', 7), (6, NULL, 'tp8', 7);
INSERT INTO memx_run_gpu(run, rank, allocated_mib, reserved_mib, total_mib)
SELECT 1, rank, NULL, g.peak_mib - 4000, g.peak_mib FROM memx_run AS r, memx_gpus(r.job, r.config) AS g
WHERE r.id = 1 AND g.rank BETWEEN 8 AND 11;
UPDATE memx_run SET total_mib = 20000 WHERE id = 2;
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
                         seq_length, in_flight, sequence_parallel, distributed_optimizer, time_ms,
                         allocated_mib, source)
VALUES ('A100', 'llama2-7b', 'megatron-bf16', 2, 0, 0, 2, 1, 1, 4096, 2, 1, 0, 12, 900, 'bench'),
       ('A10O', 'llama2-7b', 'megatron-bf16', 2, 0, 0, 2, 1, 1, 4096, 2, 1, 0, 12, NULL, '');
SELECT kind, id, data_set, device, model, tp, gpus, layers, round(measured_ms / predicted_ms, 6) AS time,
       round(allocated_mib / predicted_allocated_mib, 2) AS allocated,
       round(reserved_mib / predicted_reserved_mib, 6) AS reserved,
       round(total_mib / predicted_total_mib, 3) AS total, oom, fits, predictor, problem
FROM memx_measured;

-- The inverse of 1F1B: alike stages only, of runs that ended. With the time that was predicted, the
-- weighted time is the predicted one, and the mean over the schedule is the plain one.
SELECT run, stage, layers, first_stage, last_stage, in_flight, round(r.time_ms, 3), round(weighted_ms, 3),
       round(reserved_mib), source
FROM memx_run_stages AS r;
SELECT 'as predicted', count(*), sum(abs(v.weighted_ms - s.time_ms) < 1e-6)
FROM memx_run AS r, memx_stages(r.job, r.config) AS s JOIN memx_run_stages AS v ON v.run = r.id AND v.stage = s.stage
WHERE r.id = 1;
SELECT 'adds up', abs(time_ms * (p.micro_batches + p.pp - 1) + overhead_ms - r.iteration_ms) < 1e-6
FROM memx_run_stages AS v CROSS JOIN memx_run AS r ON r.id = v.run, memx_predict(r.job, r.config) AS p;

-- Stages are compared with what was learned, where something was.
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
                         recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib, source)
SELECT s.device, s.model, s.framework, s.layers, s.first_stage, s.last_stage, s.tp, s.dp, s.micro_batch, s.seq_length,
       s.recompute, s.in_flight, s.sequence_parallel, s.distributed_optimizer, 1.2 * s.time_ms,
       1.06 * (s.peak_mib - s.context_mib), 'slow'
FROM memx_configs AS c, memx_stages(c.job, c.config) AS s WHERE c.job = 'm' AND c.space = 'megatron';
CREATE TEMP VIEW slow AS
SELECT count(*) > 40 AS many, mape(measured_ms, predicted_ms) > 16 AS time_off, mape(reserved_mib, predicted_reserved_mib) > 5 AS memory_off,
       count(predicted_allocated_mib) AS not_measured, group_concat(DISTINCT predictor) AS predictor, max(problem) AS problem
FROM memx_measured WHERE data_set = 'slow';
SELECT 'before', * FROM slow;
SELECT memx_train('may', '{"validate": 0, "trees": "never"}') ->> 'predictor';
SELECT 'after', * FROM slow;
SELECT 'runs too', id, predictor FROM memx_measured WHERE kind = 'run' AND id < 3;
SELECT 'by id', predictor, problem FROM memx_measured WHERE kind = 'stage' AND id IN (1, 2);
