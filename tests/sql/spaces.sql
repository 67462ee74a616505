-- What each parameter of a space admits, and how the shipped spaces lie within each other.
.read tests/sql/setup/small_jobs.sql
DELETE FROM memx_job WHERE job NOT IN ('lab6', 'any', 'megatron', 'lengths', 'knobs', 'everything',
    'pair-default');
CREATE TEMP TABLE c AS SELECT * FROM memx_configs;
CREATE TEMP VIEW stage AS SELECT c.job, c.config, d.key AS stage, d.value AS device, r.value AS level
    FROM c, json_each('["' || replace(devices, ',', '","') || '"]') AS d
        JOIN json_each('["' || replace(recompute, ',', '","') || '"]') AS r ON r.key = d.key;

-- All of it, counted by hand: lab6 has 6 layers, 6 GPUs in nodes of 4 and 2, a batch of 64, and two orders of
-- its types. tp1 pp6: 1 split, 2^6 levels, 7 micro batches; tp2 pp3: 10 splits, 2^3 levels, 7 micro batches;
-- tp1 pp3 dp2: the same with 6 micro batches; dp 3 and 6 do not divide 64.
INSERT INTO memx_space(space, param, value) VALUES
    ('every', 'memory_limit', 'ignore'), ('every', 'recompute', 'none'), ('every', 'recompute', 'full');
SELECT 'every', count(*), 2 * (64 * 7 + 10 * 8 * 7 + 10 * 8 * 6) FROM memx_configs
    WHERE job = 'lab6' AND space = 'every';
SELECT 'by degrees', tp, pp, dp, count(*) FROM memx_configs WHERE job = 'lab6' AND space = 'every'
    GROUP BY tp, pp, dp;

-- free holds every row of default and of megatron.
SELECT 'default within free', count(*) > 0,
    sum(config NOT IN (SELECT config FROM memx_configs WHERE job = 'lab6' AND space = 'free'))
    FROM memx_configs WHERE job = 'lab6';
SELECT 'megatron within free', count(*) > 0,
    sum(config NOT IN (SELECT config FROM memx_configs WHERE job = 'lab6' AND space = 'free'))
    FROM memx_configs WHERE job = 'lab6' AND space = 'megatron';

-- megatron: equal layers as far as they divide, and one level for all.
SELECT 'megatron', count(*) > 0, sum(least < most - 1), sum(levels > 1) FROM (SELECT
    (SELECT min(value) FROM json_each('[' || layers || ']')) AS least,
        (SELECT max(value) FROM json_each('[' || layers || ']')) AS most,
    (SELECT count(DISTINCT level) FROM stage WHERE stage.job = c.job AND stage.config = c.config) AS levels
        FROM c WHERE job = 'megatron' AND pp <= 6);

-- recompute_scope device: one level for all stages of a device.
SELECT 'scope device', count(*) > 0, sum(levels > 1) FROM (SELECT count(DISTINCT level) AS levels FROM stage
    WHERE job IN ('any', 'lab6') GROUP BY job, config, device);

-- recompute: levels of the list alone, as far as a stage has the layers for them.
SELECT 'levels', group_concat(DISTINCT level)
    FROM (SELECT level FROM stage WHERE job = 'any' ORDER BY level);

-- stage_devices: one type, one maker, or any; device_order given.
SELECT 'any', max(devices LIKE '%A10%|%MI210%') FROM c WHERE job = 'any';
SELECT 'vendor', max(devices LIKE '%MI210%|%' OR devices LIKE '%|%MI210%') FROM memx_configs
    WHERE job = 'megatron' AND space = 'default';
INSERT INTO memx_space(space, param, value) SELECT 'one', param, value FROM memx_space
    WHERE space = 'default' AND param <> 'stage_devices';
INSERT INTO memx_space(space, param, value) VALUES ('one', 'stage_devices', 'one');
SELECT 'one', max(devices LIKE '%|%'), count(DISTINCT devices) > 1 FROM memx_configs
    WHERE job = 'megatron' AND space = 'one';
SELECT 'given', count(DISTINCT devices) FROM c WHERE job = 'any' AND tp = 1 AND pp = 6;
SELECT 'types', group_concat(devices, ' ')
    FROM (SELECT DISTINCT devices FROM memx_configs WHERE job = 'megatron' AND space = 'one' AND pp = 3
    ORDER BY devices);

-- Lists of degrees and knobs. What has no effect is not counted twice: sp with tp 1, do with dp 1.
SELECT 'lengths', group_concat(seq_length || ' ' || heads || ' ' || kv_groups, ', ') FROM
    (SELECT DISTINCT seq_length, heads, kv_groups FROM c WHERE job = 'lengths'
        ORDER BY seq_length, heads, kv_groups);
SELECT 'knobs', tp > 1, dp > 1, group_concat(DISTINCT sequence_parallel || distributed_optimizer) FROM
    (SELECT * FROM c WHERE job = 'knobs' ORDER BY sequence_parallel, distributed_optimizer)
        GROUP BY tp > 1, dp > 1;
INSERT INTO memx_space(space, param, value) SELECT 'some', param, value FROM memx_space
    WHERE space = 'megatron';
INSERT INTO memx_space(space, param, value) VALUES ('some', 'tp', '1'), ('some', 'tp', '2'),
    ('some', 'pp', '3'), ('some', 'micro_batch', '2'), ('some', 'micro_batch', '3');
SELECT 'some', count(*) > 0,
    count(*) FILTER (WHERE tp IN (1, 2) AND pp = 3 AND micro_batch IN (2, 3)) = count(*),
       count(*) = (SELECT count(*) FROM c WHERE job = 'megatron' AND tp IN (1, 2) AND pp = 3
           AND micro_batch IN (2, 3))
    FROM memx_configs WHERE job = 'megatron' AND space = 'some';

-- same_task: 0 where length or heads are not the model's, since another task is trained.
SELECT same_task, count(*) > 0, min(seq_length = 2048 AND heads = 24 AND kv_groups = 6),
    max(seq_length = 2048 AND heads = 24 AND kv_groups = 6)
    FROM memx_configs WHERE job = 'lengths' AND space = 'lengths' GROUP BY same_task;

-- memory_limit: hard leaves the reserve of every card free, ignore lets everything through.
SELECT 'hard', job, min(headroom) >= CASE job WHEN 'everything' THEN 0 ELSE 0.1 END - 1e-9 FROM c
    WHERE job <> 'everything' GROUP BY job;
INSERT INTO memx_space(space, param, value) SELECT 'unlimited', param, value FROM memx_space
    WHERE space = 'free';
INSERT INTO memx_space(space, param, value) VALUES ('unlimited', 'memory_limit', 'ignore');
SELECT 'vendor', group_concat(DISTINCT devices) FROM memx_configs
    WHERE job = 'pair-default' AND space = 'unlimited' AND devices LIKE '%|%';
SELECT 'ignore', min(headroom) < 0, sum(headroom >= 0.1 - 1e-9) = (SELECT count(*) FROM memx_configs
    WHERE job = 'lab6' AND space = 'free')
    FROM memx_configs WHERE job = 'lab6' AND space = 'unlimited';

-- layer_split: compute and memory give more layers to the device with more of it; layer_skew moves some.
INSERT INTO memx_space(space, param, value) VALUES ('compute', 'layer_split', 'compute'),
    ('compute', 'recompute', 'none'),
    ('memory', 'layer_split', 'memory'), ('memory', 'recompute', 'none'), ('skew', 'layer_split', 'memory'),
        ('skew', 'recompute', 'none'), ('skew', 'layer_skew', '2');
SELECT c.space, c.layers FROM (VALUES ('compute'), ('memory'), ('skew')) AS s
    JOIN memx_configs AS c ON c.space = s.column1
    WHERE c.job = 'lab6' AND devices = 'V100-SXM2-16GB,V100-SXM2-16GB,T4' AND tp = 2 AND micro_batch = 1;
