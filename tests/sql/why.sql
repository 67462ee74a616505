-- memx_why(job [, space]): what was dropped and why, each reason with a count and an example.

-- The demo's jobs, all at once and one by one.
SELECT 'reasons', group_concat(DISTINCT reason) FROM memx_why WHERE job = 'mix20';
SELECT 'all jobs', count(DISTINCT job) = (SELECT count(*) FROM memx_job) FROM memx_why;
SELECT 'the same alone', count(*) FROM (SELECT * FROM memx_why WHERE job = 'xy' EXCEPT SELECT *
    FROM memx_why('xy'));
SELECT 'feasible', count = (SELECT count(*) FROM memx_configs WHERE job = 'xy'), example IS NULL
    FROM memx_why('xy') WHERE reason = 'feasible';

-- Degrees. 12 GPUs in nodes of 8 and 4; 24 heads in 6 groups; 10 layers.
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('c', 10);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('c', 0, 'A100-SXM-80GB', 8),
    ('c', 1, 'MI210', 4);
INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length)
    VALUES ('m', 10, 3072, 24, 6, 128, 8192, 32000, 2048);
INSERT INTO memx_job(job, cluster, model, global_batch) VALUES ('j', 'c', 'm', 96);
SELECT reason, count, example FROM memx_why('j') WHERE reason NOT IN ('memory', 'feasible');

-- One value of a degree alone, so that nothing is left and the reason is plain.
INSERT INTO memx_space(space, param, value) VALUES
    ('heads', 'tp', '4'), ('heads', 'heads', '6'), ('heads', 'kv_groups', '6'), ('tp7', 'tp', '7'),
        ('tp3', 'tp', '3'),
    ('kv', 'tp', '4'), ('layers', 'pp', '12'), ('batch', 'micro_batch', '7'), ('gpus', 'pp', '5'),
    ('vary', 'heads', '7'), ('long', 'seq_length', '999999999'), ('one', 'stage_devices', 'one'),
        ('one', 'dp', '12');
SELECT column1, reason, count, example
    FROM (VALUES ('tp7'), ('gpus'), ('tp3'), ('heads'), ('kv'), ('layers'), ('batch'), ('vary'),
    ('long'), ('one')), memx_why('j', column1) WHERE reason <> 'feasible' OR count > 0;
SELECT 'no reason given', space FROM memx_space
    WHERE space IN ('tp7', 'gpus', 'tp3', 'heads', 'kv', 'layers', 'batch', 'vary', 'long', 'one')
    GROUP BY space HAVING (SELECT count(*) FROM memx_why('j', memx_space.space)
        WHERE reason <> 'feasible') = 0;
SELECT 'rows', count(*) FROM memx_configs
    WHERE job = 'j' AND space IN ('tp7', 'gpus', 'tp3', 'heads', 'kv', 'layers', 'batch', 'vary', 'long',
    'one');

-- Memory: a job that fits nowhere has no rows, and a reason that says on which device, at which level and
-- how short.
INSERT INTO memx_device(device, vendor, memory_mib, peak_tflops, memory_gbs, link_gbs, context_mib)
    VALUES ('small', 'v', 8192, 100, 500, 16, 4000), ('tiny', 'v', 3000, 100, 500, 16, 4000);
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('small', 10), ('tiny', 10);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('small', 0, 'small', 2),
    ('tiny', 0, 'tiny', 2), ('tiny', 1, 'T4', 4);
INSERT INTO memx_job(job, cluster, model, framework, global_batch)
VALUES ('small', 'small', 'llama2-7b', 'megatron-bf16', 8), ('tiny', 'tiny', 'gpt2', 'megatron-fp16', 8);
SELECT 'rows', count(*) FROM memx_configs WHERE job IN ('small', 'tiny');
SELECT job, reason, count > 0, example LIKE '%stage _ on ' || job
    || ' with % layers at % needs % MiB, % MiB more than the % MiB it may use'
    FROM memx_why WHERE job IN ('small', 'tiny') AND reason = 'memory';
SELECT job, reason, count FROM memx_why WHERE job IN ('small', 'tiny') AND reason = 'feasible';

-- The reserve counts: the same with a larger one leaves less.
CREATE TEMP TABLE before AS SELECT reason, count FROM memx_why('xy');
UPDATE memx_job SET reserve = 0.3 WHERE job = 'xy';
SELECT 'reserve 0.3', reason, w.count < b.count, w.count > b.count FROM memx_why('xy') AS w
    JOIN before AS b USING (reason)
    WHERE reason IN ('memory', 'feasible');

-- In a space of all splits and levels, what does not fit and what does are all there is.
CREATE TEMP TABLE free AS SELECT sum(count) AS all_of_them FROM memx_why('lab6', 'free')
    WHERE reason IN ('memory', 'feasible');
UPDATE memx_job SET reserve = 0.3 WHERE job = 'lab6';
SELECT 'sums', sum(count) = all_of_them FROM memx_why('lab6', 'free'), free
    WHERE reason IN ('memory', 'feasible');
INSERT INTO memx_space(space, param, value) VALUES ('none', 'memory_limit', 'ignore');
SELECT 'no limit, no reason', count(*), (SELECT count(*) FROM memx_configs
    WHERE job = 'small' AND space = 'none') > 0
    FROM memx_why('small', 'none') WHERE reason = 'memory';

-- One of a thing is one thing: node 1 of this cluster has 1 GPU.
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('lone', 10);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('lone', 0, 'T4', 1), ('lone', 1, 'T4', 1);
INSERT INTO memx_job(job, cluster, model, framework, global_batch)
VALUES ('lone', 'lone', 'gpt2', 'megatron-fp16', 1);
SELECT reason, count, example FROM memx_why('lone') WHERE reason NOT IN ('memory', 'feasible');

-- Five layers on two stages are 3 and 2: block2 is full on one of them and not on the other, so no level
-- is shared by both.
INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length)
VALUES ('five', 5, 1024, 16, 16, 64, 4096, 32000, 2048);
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('two', 25);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('two', 0, 'A100-SXM-80GB', 2);
INSERT INTO memx_space(space, param, value) VALUES ('shared', 'layer_split', 'uniform'),
    ('shared', 'recompute_scope', 'global'), ('shared', 'recompute', 'block2'), ('shared', 'pp', '2'),
    ('shared', 'micro_batch', '1');
INSERT INTO memx_job(job, cluster, model, global_batch, space) VALUES ('five', 'two', 'five', 8, 'shared');
SELECT reason, count, unit, example FROM memx_why('five');
