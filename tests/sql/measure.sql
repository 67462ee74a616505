-- memx_measure: what is still to be measured for a job, on one node each.
SELECT * FROM memx_measure;
SELECT * FROM memx_measure('mix2');
SELECT * FROM memx_measure('mix20', 2);
SELECT * FROM memx_measure('mix20', 'yes');
SELECT 'no job', count(*) FROM memx_measure(NULL);
CREATE TEMP TABLE plan AS SELECT * FROM memx_measure('mix20');
CREATE TEMP TABLE jittered AS SELECT * FROM memx_measure('mix20', 1);
.mode column
.headers on
SELECT device, count(*), min(layers), max(layers), group_concat(DISTINCT tp) AS tp,
       group_concat(DISTINCT micro_batch) AS micro_batch, group_concat(DISTINCT recompute) AS recompute, max(gpus)
FROM plan GROUP BY device;
SELECT device, count(*), min(layers), max(layers), count(DISTINCT layers), max(micro_batch), count(DISTINCT micro_batch),
       count(DISTINCT recompute), max(gpus)
FROM jittered GROUP BY device;

-- Every one of them runs on a node, fits with the job's reserve, and is there once.
.headers off
.mode list
SELECT 'fit', max(expected_peak_mib / memory_mib) <= 0.9, min(expected_time_ms) > 0
    FROM (SELECT * FROM plan UNION ALL SELECT * FROM jittered) JOIN memx_device USING (device);
SELECT 'twice', count(*) - (SELECT count(*) FROM (SELECT DISTINCT * FROM plan)) FROM plan;
SELECT 'dp within a node', max(tp * dp) FROM plan;
SELECT 'canonical levels', count(*) FROM plan WHERE recompute GLOB 'block*' AND substr(recompute, 6) >= layers;
SELECT 'the same again', count(*) FROM (SELECT * FROM jittered EXCEPT SELECT * FROM memx_measure('mix20', 1));
SELECT 'a grid, and points off it', (SELECT count(DISTINCT layers) FROM plan) < (SELECT count(DISTINCT layers) FROM jittered);
SELECT 'as a join', job, (SELECT count(*) FROM memx_measure(job)) > 20 FROM memx_job ORDER BY job;

-- Launch flags, of a stage alone and of one in the middle of a pipeline.
SELECT flags FROM plan WHERE device = 'B-32GB' AND tp = 2 AND dp = 2 LIMIT 1;
SELECT layers, first_stage, last_stage, in_flight, gpus, flags FROM plan
    WHERE device = 'C-32GB' AND first_stage + last_stage = 0 LIMIT 1;
SELECT substr(flags, instr(flags, '--recompute')) FROM plan WHERE recompute GLOB 'block*' LIMIT 1;
INSERT INTO memx_job(job, cluster, model, framework, global_batch) VALUES ('gqa', 'mix20', 'llama3-8b', 'fp32', 64),
    ('old', 'mix20', 'gpt2', 'megatron-2021', 64);
SELECT flags FROM memx_measure('gqa') LIMIT 1;
SELECT flags FROM memx_measure('old') WHERE recompute = 'selective' LIMIT 1;

-- Measured, inserted: not asked for again, whatever the device is called and whether it ran or not.
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
    heads, kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib, source)
SELECT iif(device = 'A100-SXM-80GB', 'NVIDIA A100-SXM4-80GB', device), model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, NULL, NULL,
    recompute, in_flight, sequence_parallel, distributed_optimizer, iif(layers = 1, NULL, expected_time_ms),
    iif(layers = 1, NULL, expected_peak_mib), 'synthetic'
FROM plan;
SELECT 'left', count(*) FROM memx_measure('mix20');
SELECT 'of the others', count(*) > 100 FROM memx_measure('mix20', 1);
DELETE FROM memx_profile WHERE id IN (SELECT id FROM memx_profile WHERE device = 'B-32GB' AND layers > 1 LIMIT 3);
SELECT 'of three that went missing', count(*), min(device), max(device) FROM memx_measure('mix20');
SELECT 'approved by its own sweeps', parameter, output, sum(interpolate) FROM memx_linearity
    WHERE parameter IN ('layers', 'micro_batch') GROUP BY parameter, output;
SELECT 'rows that interpolation adds', count(*) > 2 * (SELECT count(*) FROM memx_profile) FROM memx_augmented;
DELETE FROM memx_profile;

-- The same for the jittered set.
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
    heads, kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms)
SELECT device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, heads, kv_groups,
    recompute, in_flight, sequence_parallel, distributed_optimizer, expected_time_ms FROM jittered;
SELECT 'jittered, left', count(*) FROM memx_measure('mix20', 1);
DELETE FROM memx_profile;

-- A parameter that moves nothing is not varied: recompute levels, on this device and with this framework.
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
    recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib)
SELECT 'C-32GB', 'llama2-7b', 'megatron-bf16', 4, 0, 0, 2, 1, 1, 4096, value, 1, 1, 0, 100, 8000
FROM json_each('["none", "full"]');
SELECT device, group_concat(DISTINCT recompute) FROM memx_measure('mix20') GROUP BY device;
-- Of another model it is taken where the job's own was not measured.
UPDATE memx_profile SET model = 'llama2-13b';
SELECT 'another model', group_concat(DISTINCT recompute) FROM memx_measure('mix20') WHERE device = 'C-32GB';
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
    recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib)
SELECT 'C-32GB', 'llama2-7b', 'megatron-bf16', 4, 0, 0, 2, 1, 1, 4096, value, 1, 1, 0, 100, iif(value = 'none', 9000, 8000)
FROM json_each('["none", "full"]');
SELECT 'its own wins', group_concat(DISTINCT recompute) FROM memx_measure('mix20') WHERE device = 'C-32GB';
DELETE FROM memx_profile;

-- A space that varies more: sequence lengths; one value alone; a job that fits nowhere.
INSERT INTO memx_space SELECT 'long', param, value FROM memx_space WHERE space = 'default';
INSERT INTO memx_space VALUES ('long', 'seq_length', '2048'), ('long', 'seq_length', '4096'), ('long', 'seq_length', '8192'),
    ('long', 'seq_length', '16384'), ('long', 'tp', '4'), ('long', 'micro_batch', '2');
UPDATE memx_job SET space = 'long' WHERE job = 'mix20';
SELECT 'long', group_concat(DISTINCT seq_length), group_concat(DISTINCT tp), group_concat(DISTINCT micro_batch) FROM memx_measure('mix20');
INSERT INTO memx_job(job, cluster, model, framework, global_batch) VALUES ('huge', 'lab6', 'llama3.1-405b', 'fp32', 64);
SELECT 'huge', count(*) FROM memx_measure('huge');

-- uniform<N> on fewer layers than N is uniform<layers>, on one layer full; measured under either, not asked for again.
INSERT INTO memx_space SELECT 'chunks', param, value FROM memx_space WHERE space = 'default' AND param <> 'recompute';
INSERT INTO memx_space VALUES ('chunks', 'recompute', 'none'), ('chunks', 'recompute', 'uniform8'), ('chunks', 'recompute', 'full');
UPDATE memx_job SET space = 'chunks' WHERE job = 'mix20';
CREATE TEMP TABLE chunks AS SELECT * FROM memx_measure('mix20');
SELECT DISTINCT layers, recompute FROM chunks WHERE recompute NOT IN ('none', 'full') ORDER BY layers;
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
    recompute, in_flight, sequence_parallel, distributed_optimizer)
SELECT device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
    iif(recompute GLOB 'uniform*' AND layers < 8 AND tp = 1, 'uniform8', recompute), in_flight, sequence_parallel,
    distributed_optimizer FROM chunks;
SELECT 'uniform, left', count(*) FROM memx_measure('mix20');
DELETE FROM memx_profile;

-- A space that names no level has the usual ones; stages that use the host are not to be measured, as memx_profile
-- has no such rows.
INSERT INTO memx_space SELECT 'bare', param, value FROM memx_space WHERE space = 'default' AND param <> 'recompute';
UPDATE memx_job SET space = 'bare' WHERE job = 'mix20';
SELECT 'bare', group_concat(DISTINCT recompute), count(*) FROM memx_measure('mix20');
INSERT INTO memx_space SELECT 'with-host', param, value FROM memx_space WHERE space = 'bare';
INSERT INTO memx_space SELECT 'with-host', param, value FROM memx_space WHERE space = 'default' AND param = 'recompute';
INSERT INTO memx_space VALUES ('with-host', 'recompute', 'swap2'), ('with-host', 'recompute', 'none+offload50'),
    ('with-host', 'recompute', 'full+offload100');
UPDATE memx_node SET host_memory_mib = 500000 WHERE cluster = 'mix20';
UPDATE memx_device SET host_gbs = 16 WHERE host_gbs IS NULL;
CREATE TEMP TABLE usual AS SELECT * FROM memx_measure('mix20') WHERE 0;
UPDATE memx_job SET space = 'default' WHERE job = 'mix20';
INSERT INTO usual SELECT * FROM memx_measure('mix20');
UPDATE memx_job SET space = 'with-host' WHERE job = 'mix20';
SELECT 'with host', group_concat(DISTINCT recompute), count(*) = (SELECT count(*) FROM usual) FROM memx_measure('mix20');
UPDATE memx_job SET space = 'default' WHERE job = 'mix20';

-- block<N> on as many layers is full, and is proposed where the space does not name that.
INSERT INTO memx_space SELECT 'blocks', param, value FROM memx_space WHERE space = 'bare';
INSERT INTO memx_space VALUES ('blocks', 'recompute', 'block99999');
UPDATE memx_job SET space = 'blocks' WHERE job = 'mix20';
SELECT 'blocks', group_concat(DISTINCT recompute), count(*) FROM memx_measure('mix20');
UPDATE memx_space SET value = 'swap1' WHERE space = 'blocks' AND param = 'recompute';
SELECT count(*) FROM memx_measure('mix20');
UPDATE memx_job SET space = 'default' WHERE job = 'mix20';

-- A table that leads back here is refused.
ALTER TABLE memx_profile RENAME TO kept_profile;
CREATE TEMP VIEW memx_profile AS SELECT k.* FROM kept_profile AS k, memx_augmented;
SELECT count(*) FROM memx_measure('mix20');
