-- OR and DISTINCT over tables whose rows depend on arguments: each row once, and none for another. SQLite takes what
-- two terms of an OR find under one number, or under one key, for one row, and leaves out a DISTINCT over a key.
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('pair', 10);
INSERT INTO memx_node(cluster, ordinal, device, gpus, host_memory_mib) VALUES ('pair', 0, 'RTX 3090', 2, 40000);
INSERT INTO memx_job(job, cluster, model, framework, global_batch) VALUES
    ('p', 'pair', 'gpt2-large', 'deepspeed-fp16', 6), ('q', 'pair', 'gpt2-large', 'deepspeed-fp16', 2);
CREATE TEMP TABLE pick AS SELECT min(config) AS a, max(config) AS b FROM memx_configs WHERE job = 'xy';
CREATE TEMP TABLE trained AS SELECT min(config) AS a, max(config) AS b FROM protrain_configs WHERE job = 'p';

-- Several values of a parameter.
SELECT 'spaces', (SELECT count(*) FROM memx_configs WHERE (job = 'xy' AND space = 'default') OR (job = 'xy' AND space = 'megatron'))
    - (SELECT count(*) FROM memx_configs('default') WHERE job = 'xy') - (SELECT count(*) FROM memx_configs('megatron') WHERE job = 'xy');
SELECT 'spaces of jobs', (SELECT count(*) FROM memx_configs WHERE (job = 'lab6' AND space = 'default') OR (job = 'xy' AND space = 'megatron'))
    - (SELECT count(*) FROM memx_configs('default') WHERE job = 'lab6') - (SELECT count(*) FROM memx_configs('megatron') WHERE job = 'xy');
SELECT 'weights', (SELECT count(*) FROM memx_configs WHERE (job = 'lab6' AND weights = 'default') OR (job = 'lab6' AND weights = 'safe'))
    - 2 * (SELECT count(*) FROM memx_configs WHERE job = 'lab6');
SELECT 'shards', (SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND ((shards = 2 AND shard = 0) OR (shards = 2 AND shard = 1)))
    - (SELECT count(*) FROM memx_configs WHERE job = 'lab6');
SELECT 'either', (SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND (tp = 1 OR pp = 2))
    - (SELECT sum(tp = 1 OR pp = 2) FROM memx_configs WHERE job = 'lab6');
SELECT 'why', (SELECT count(*) FROM memx_why WHERE (job = 'xy' AND space = 'default') OR (job = 'xy' AND space = 'free') OR (job = 'lab6' AND space = 'free'))
    - (SELECT count(*) FROM memx_why('xy', 'default')) - (SELECT count(*) FROM memx_why('xy', 'free')) - (SELECT count(*) FROM memx_why('lab6', 'free'));
SELECT 'why, twice', (SELECT count(*) FROM memx_why WHERE job = 'xy' OR (job = 'xy' AND space = 'default'))
    - (SELECT count(*) FROM memx_why('xy'));
SELECT 'references', group_concat(job || ' ' || space, ', ')
FROM (SELECT job, space FROM memx_reference WHERE (job = 'xy' AND space = 'default') OR (job = 'xy' AND space = 'free') OR (job = 'lab6' AND space = 'free') ORDER BY job, space);
SELECT 'why of ProTrain', (SELECT count(*) FROM protrain_why WHERE (job = 'p' AND count > 0) OR (job = 'q' AND count > 0))
    - (SELECT count(*) FROM protrain_why('p') WHERE count > 0) - (SELECT count(*) FROM protrain_why('q') WHERE count > 0);

SELECT 'max_rows of ProTrain', (SELECT count(*) FROM protrain_configs WHERE (job = 'p' AND max_rows = 1000000) OR (job = 'q' AND max_rows = 1000000))
    - (SELECT count(*) FROM protrain_configs WHERE job IN ('p', 'q'));

-- One parameter beside the OR, the next in its terms; and what is shown is no NULL.
SELECT 'weights in a space', (SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND space = 'megatron' AND (weights = 'safe' OR weights = 'default' AND tp > 0))
    - 2 * (SELECT count(*) FROM memx_configs('megatron') WHERE job = 'lab6');
SELECT 'shards beside', (SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND shards = 2 AND (shard = 0 OR shard = 1 AND tp > 0))
    - (SELECT count(*) FROM memx_configs WHERE job = 'lab6');
SELECT 'joined', sum(n) - sum(2 * (SELECT count(*) FROM memx_configs(o.space) AS s WHERE s.job = 'lab6'))
FROM (SELECT a.space, count(*) AS n FROM memx_configs AS a
    JOIN memx_configs AS b ON b.job = a.job AND b.config = a.config AND b.space = a.space AND (b.weights = 'default' OR b.weights = 'safe')
    WHERE a.space IN ('megatron', 'default') AND a.job = 'lab6' GROUP BY 1) AS o;
SELECT 'measured', (SELECT count(*) FROM memx_measure('lab6') WHERE (jitter = 0 AND tp = 1) OR (jitter = 1 AND tp = 2))
    - (SELECT count(*) FROM memx_measure('lab6', 0) WHERE tp = 1) - (SELECT count(*) FROM memx_measure('lab6', 1) WHERE tp = 2);
SELECT 'NULL', (SELECT count(*) FROM memx_configs WHERE job = 'xy' AND shard IS NULL), (SELECT count(*) FROM memx_configs WHERE job = 'xy' AND pareto IS NULL),
    shard, shards, pareto, shard IS NULL FROM memx_configs WHERE job = 'xy' LIMIT 1;
SELECT 'names of arguments', (SELECT count(*) FROM memx_why WHERE (space_name = 'default' AND count > 0) OR (space_name = 'megatron' AND count > 0))
    - (SELECT count(*) FROM memx_why WHERE space = 'default' AND count > 0) - (SELECT count(*) FROM memx_why WHERE space = 'megatron' AND count > 0),
    (SELECT count(*) FROM memx_reference('xy') WHERE space_name = 'default' OR (space_name = 'megatron' AND feasible > 0));
SELECT 'collation of a space', (SELECT count(*) FROM memx_reference WHERE job = 'xy' AND space = 'megatron' COLLATE NOCASE),
    (SELECT count(*) FROM memx_why('xy', 'megatron' COLLATE NOCASE)) - (SELECT count(*) FROM memx_why('xy', 'megatron'));
SELECT 'rows by number', (SELECT count(*) FROM memx_why WHERE rowid = 5),
    (SELECT count(*) FROM memx_why WHERE rowid IN (SELECT rowid FROM memx_why)) - (SELECT count(*) FROM memx_why);

-- Several configurations.
SELECT 'predicted', count(*), count(DISTINCT config) FROM pick, memx_predict WHERE (job_name = 'xy' AND config_text = a) OR (job_name = 'xy' AND config_text = b);
SELECT 'predicted twice', count(*) FROM pick, memx_predict WHERE (job_name = 'xy' AND config_text = a) OR (job_name = 'xy' AND config_text = a AND tp > 0);
SELECT 'stages', count(*) - (SELECT count(*) FROM pick, memx_stages('xy', a)) - (SELECT count(*) FROM pick, memx_stages('xy', b))
FROM pick, memx_stages WHERE (job = 'xy' AND config = a) OR (job = 'xy' AND config = b);
SELECT 'GPUs', count(*) - (SELECT count(*) FROM pick, memx_gpus('xy', a)) - (SELECT count(*) FROM pick, memx_gpus('xy', b))
FROM pick, memx_gpus WHERE (job = 'xy' AND config = a) OR (job = 'xy' AND config = b);
SELECT 'stages of a job', count(*) - (SELECT count(*) FROM pick, memx_stages('xy', a)) - (SELECT count(*) FROM pick, memx_stages('xy', b))
FROM memx_stages WHERE job = 'xy' AND (config = (SELECT a FROM pick) AND stage >= 0 OR config = (SELECT b FROM pick));
SELECT 'weights of one', group_concat(weights) FROM (SELECT weights FROM memx_predict('xy', (SELECT a FROM pick)) WHERE weights = 'default' OR (weights = 'throughput' AND tp > 0) ORDER BY 1);
SELECT 'weights of one, joined', group_concat(weights) FROM (SELECT p.weights FROM pick LEFT JOIN memx_predict AS p
    ON (p.job_name = 'xy' AND p.config_text = a AND p.weights = 'default') OR (p.job_name = 'xy' AND p.config_text = a AND p.weights = 'throughput') ORDER BY 1);
-- An argument that no term sets is read: the job's own.
SELECT 'own weights', count(*), count(DISTINCT weights) FROM pick, memx_predict WHERE (job = 'xy' AND config = a) OR (job = 'xy' AND config = b);
SELECT 'own weights of one', count(weights) FROM memx_predict WHERE job = 'xy' AND (config = (SELECT a FROM pick) OR (config = (SELECT b FROM pick) AND tp > 0));
SELECT 'weights of one term', group_concat(weights) FROM (SELECT weights FROM memx_predict
    WHERE (job = 'xy' AND config = (SELECT a FROM pick)) OR (job = 'xy' AND config = (SELECT b FROM pick) AND weights = 'throughput') ORDER BY 1);
SELECT 'own jitter', count(*) - (SELECT count(*) FROM memx_measure('xy') WHERE tp = 1) - (SELECT count(*) FROM memx_measure('lab6') WHERE tp = 2), count(jitter)
FROM memx_measure WHERE (job_name = 'xy' AND tp = 1) OR (job_name = 'lab6' AND tp = 2);
SELECT count(*) FROM memx_stages WHERE config = 'x' AND (job = 'xy' OR (job = 'lab6' AND stage = 0));
SELECT count(*) FROM memx_gpus WHERE job = 'xy';
SELECT count(*) FROM protrain_blocks WHERE config = 'x';
SELECT 'blocks', count(*) - (SELECT count(*) FROM trained, protrain_blocks('p', a)) - (SELECT count(*) FROM trained, protrain_blocks('p', b))
FROM trained, protrain_blocks WHERE (job = 'p' AND config = a) OR (job = 'p' AND config = b);

-- Several documents.
CREATE TEMP TABLE list AS SELECT column1 AS text FROM (VALUES ('name, memory.total [MiB]' || char(10) || 'Tesla T4, 15360 MiB'),
    ('name, memory.total [MiB]' || char(10) || 'NVIDIA A100-SXM4-80GB, 81920 MiB'));
SELECT 'listings', group_concat(device, ', ') FROM (SELECT device FROM nvidia_smi
    WHERE (listing = (SELECT min(text) FROM list) AND gpus > 0) OR (listing = (SELECT max(text) FROM list) AND gpus > 0) ORDER BY device);

SELECT 'what was listed', count(*), (SELECT count(*) FROM list, nvidia_smi(text) AS a, nvidia_smi AS b WHERE b.listing = a.listing),
    (SELECT count(*) FROM list, nvidia_smi(text) WHERE listing = (SELECT min(text) FROM list))
FROM list, nvidia_smi(text) WHERE listing IS NOT NULL AND listing = text;
CREATE TEMP TABLE logs AS SELECT column1 AS bytes FROM (VALUES (readfile('tests/inputs/train.log')), (readfile('tests/inputs/srun.log')));
SELECT 'logs', count(*), (SELECT count(*) FROM logs, megatron_log(bytes) WHERE log_text = bytes),
    (SELECT count(*) FROM megatron_log WHERE (log_text = (SELECT min(bytes) FROM logs) AND run > 0) OR (log_text = (SELECT max(bytes) FROM logs) AND run = 1))
FROM logs, megatron_log(bytes);
SELECT 'bytes', typeof(listing) FROM list, nvidia_smi WHERE (listing = text AND gpus > 0 AND device = 'T4') OR (listing = CAST(text AS BLOB) AND gpus = 1 AND device = 'T4') ORDER BY 2;
-- What was given, as it was, not what was found instead.
SELECT 'what was given', model, given_name FROM hf_config('{"model_type":"gpt2","n_layer":2,"n_embd":64,"n_head":2,"vocab_size":100,"n_positions":32}');
SELECT 'what was given', max(model = given_name), max(given_name) FROM hf_config('{"model_type":"gpt2","n_layer":2,"n_embd":64,"n_head":2,"vocab_size":100,"n_positions":32}', 'small');
SELECT 'what was given', job, job_name, node_order, log_text = readfile('tests/inputs/train.log')
FROM megatron_log(readfile('tests/inputs/train.log'), 'xy');
SELECT 'what was given', count(*) > 0, min(job_name), max(jitter IS NOT NULL) FROM memx_measure('xy');
SELECT 'real', count(*) = (SELECT count(*) FROM memx_measure('xy', 1)) FROM memx_measure('xy', 1.0);

-- What was predicted before, by signature.
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
    recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib)
SELECT s.device, s.model, s.framework, s.layers, s.first_stage, s.last_stage, s.tp, s.dp, s.micro_batch, s.seq_length,
    s.recompute, s.in_flight, s.sequence_parallel, s.distributed_optimizer, s.time_ms * 1.1, s.peak_mib - s.context_mib
FROM (SELECT config FROM memx_configs WHERE job = 'lab6' LIMIT 200) AS c, memx_stages('lab6', c.config) AS s WHERE instr(s.device, '|') = 0;
SELECT memx_train('june', '{"rounds": 5, "validate": 0, "trees": "always"}') ->> '$.predictor';
SELECT count(*) > 0 FROM memx_configs WHERE job = 'lab6';
SELECT 'cached', count(*) FROM memx_cache
WHERE (signature = (SELECT min(signature) FROM memx_cache) AND tp > 0) OR (signature = (SELECT max(signature) FROM memx_cache) AND tp > 0);

-- DISTINCT
SELECT 'distinct', (SELECT count(*) FROM (SELECT DISTINCT job, config FROM memx_configs WHERE job = 'xy' AND space IN ('default', 'megatron')))
    - (SELECT count(*) FROM (SELECT DISTINCT job, config || '' FROM memx_configs WHERE job = 'xy' AND space IN ('default', 'megatron'))),
    (SELECT count(*) FROM (SELECT DISTINCT job, config FROM memx_configs WHERE job = 'xy' AND weights IN ('default', 'safe')))
    - (SELECT count(*) FROM memx_configs WHERE job = 'xy'),
    (SELECT count(*) FROM (SELECT DISTINCT job, config FROM protrain_configs WHERE job = 'p' AND max_rows IN (1000000, 2000000)))
    - (SELECT count(*) FROM protrain_configs WHERE job = 'p');

-- One value cannot be a range of them: what is not an equality compares with the job's own.
SELECT 'own space', count(*) FROM memx_configs WHERE job = 'xy' AND space LIKE 'mega%';
