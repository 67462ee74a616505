-- memx_calibrate: from measured runs of a cluster to a predictor for its jobs. The runs are made up here
-- from MemX's own predictions under another network, other overheads and other memory. (Synthetic.)
SELECT memx_calibrate('mix20');
SELECT memx_calibrate('mix21');
SELECT memx_calibrate('mix20', 'analytic');
SELECT memx_calibrate('mix20', 'june', '{"memory": "virtual"}');

UPDATE memx_cluster SET inter_efficiency = 0.35, overhead_ms = 150 WHERE cluster = 'mix20';
UPDATE memx_device SET efficiency = 0.8 * efficiency WHERE device = 'C-32GB';
UPDATE memx_framework SET alpha_act = 1.2 WHERE framework = 'megatron-bf16';
CREATE TEMP TABLE run AS
SELECT row_number() OVER () AS id, config, iteration_ms FROM (
    SELECT config, iteration_ms, row_number() OVER () AS n FROM memx_configs WHERE job = 'mix20')
WHERE n % 1500 = 0;
CREATE TEMP TABLE gpu AS
SELECT run.id, g.rank, g.peak_mib - 4000 AS reserved_mib, g.peak_mib + 500 AS total_mib
FROM run, memx_gpus('mix20', run.config) AS g WHERE g.rank % 4 = 0;
UPDATE memx_cluster SET inter_efficiency = 0.8, overhead_ms = 10 WHERE cluster = 'mix20';
UPDATE memx_device SET efficiency = efficiency / 0.8 WHERE device = 'C-32GB';
UPDATE memx_framework SET alpha_act = 1.0 WHERE framework = 'megatron-bf16';
INSERT INTO memx_run(id, job, config, iteration_ms, source) SELECT id, 'mix20', config, iteration_ms, 'synthetic' FROM run;
INSERT INTO memx_run_gpu(run, rank, reserved_mib, total_mib) SELECT * FROM gpu;
-- Not used, each with its reason.
INSERT INTO memx_run(job, config, iteration_ms, oom, source) VALUES
    ('mix20', (SELECT config FROM run LIMIT 1), NULL, 1, 'synthetic'),
    ('mix20', 'tp2', 5000.0, 0, 'synthetic'),
    ('mix20', (SELECT config FROM run LIMIT 1), 5.0, 0, 'synthetic'),
    ('mix20', (SELECT config FROM run LIMIT 1), NULL, 0, 'synthetic'),
    (NULL, 'anything', 5000.0, 0, 'synthetic'),
    ('xy', 'of another cluster', 5000.0, 0, 'synthetic');

.mode line
WITH report(r) AS MATERIALIZED (SELECT memx_calibrate('mix20'))
SELECT r ->> 'predictor' AS predictor, r ->> 'cluster' AS cluster, r ->> 'rows' AS rows, r ->> 'runs' AS runs,
    r ->> 'left_out' AS left_out,
    (SELECT group_concat(w.value ->> 'why', '; ') FROM json_each(r, '$.why_left_out') AS w) AS why,
    r ->> 'memory' AS memory, r ->> '$.figures.time.trees' AS trees,
    r ->> '$.figures.iteration.nominal_mape' > 3 * (r ->> '$.figures.iteration.calibrated_mape') AS time_better,
    r ->> '$.figures.peak.nominal_mape' > 3 * (r ->> '$.figures.peak.calibrated_mape') AS memory_better,
    r ->> '$.figures.iteration.held_out.row.groups' AS left_out_one_by_one,
    r ->> '$.figures.iteration.nominal_mape' > 2 * (r ->> '$.figures.iteration.held_out.row.calibrated_mape') AS held_out_better,
    (SELECT group_concat(printf('%s %.2f', c.value ->> 'device', c.value ->> 'activation_factor'), '; ')
     FROM json_each(r, '$.calibration') AS c) AS activations,
    (SELECT group_concat(printf('%s %.1f', c.value ->> 'device', coalesce(c.value ->> '$.factors.efficiency.factor', 1)), '; ')
     FROM json_each(r, '$.calibration') AS c) AS efficiency,
    (SELECT max(c.value ->> 'context_shift_mib') BETWEEN 490 AND 510 FROM json_each(r, '$.calibration') AS c) AS more_context
FROM report;
.mode list

-- Jobs on the cluster use it, and nobody else.
SELECT 'used', predictor FROM memx_configs WHERE job = 'mix20' ORDER BY phi LIMIT 1;
SELECT 'not used', predictor FROM memx_configs WHERE job = 'xy' ORDER BY phi LIMIT 1;
SELECT 'runs come out', max(abs(p.iteration_ms / run.iteration_ms - 1)) < 0.08 FROM run, memx_predict('mix20', run.config) AS p;
SELECT 'GPUs come out', max(abs(g.peak_mib / gpu.total_mib - 1)) < 0.03
FROM run, memx_gpus('mix20', run.config) AS g JOIN gpu ON gpu.id = run.id AND gpu.rank = g.rank;
-- The reserve follows from the errors of held-out peaks, unless the job says one.
SELECT 'reserve', json_extract(errors, '$.reserve') FROM memx_predictor;
SELECT 'headroom kept', min(headroom) BETWEEN 0.0499 AND 0.1 FROM memx_configs WHERE job = 'mix20';
UPDATE memx_job SET reserve = 0.2 WHERE job = 'mix20';
SELECT 'headroom asked for', min(headroom) >= 0.2 FROM memx_configs WHERE job = 'mix20';
