-- The job's space, and into the files design and configs what memx_measure proposes for it and what the testbed is to run: what does not
-- fit by prediction too.
INSERT INTO memx_space(space, param, value) VALUES
    ('lab6', 'device_order', 'given'), ('lab6', 'layer_split', 'uniform'),
    ('lab6', 'micro_batch', '1'), ('lab6', 'micro_batch', '2'), ('lab6', 'micro_batch', '4'),
    ('lab6', 'seq_length', '1024'), ('lab6', 'seq_length', '2048'),
    ('lab6', 'heads', '32'), ('lab6', 'heads', '64'), ('lab6', 'kv_groups', '16'), ('lab6', 'kv_groups', '32'),
    ('lab6', 'recompute', 'none'), ('lab6', 'recompute', 'selective'), ('lab6', 'recompute', 'block1'),
    ('lab6', 'recompute', 'full'), ('lab6', 'recompute_scope', 'global'),
    ('lab6-all', 'memory_limit', 'ignore');
INSERT INTO memx_space(space, param, value) SELECT 'lab6-all', param, value FROM memx_space WHERE space = 'lab6';
UPDATE memx_job SET space = 'lab6' WHERE job = 'lab6';
CREATE TABLE listed AS
SELECT job, config FROM memx_configs WHERE job = 'lab6' AND space = 'lab6-all'
UNION
SELECT job, replace(config, ':none', ':selective') FROM memx_configs WHERE job = 'lab6' AND space = 'lab6-all';
.mode tabs
.once design
SELECT device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, heads, kv_groups,
       recompute, in_flight, sequence_parallel, distributed_optimizer
FROM memx_measure('lab6');
.once configs
SELECT job, config, model, global_batch FROM listed JOIN memx_job USING (job);
