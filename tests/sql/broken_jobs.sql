-- A job that cannot be read is skipped where all jobs are asked for, shown by memx_why, and an error
-- where it is named.

CREATE TEMP TABLE good AS SELECT job, count(*) AS rows, min(phi) AS phi FROM memx_configs GROUP BY job;

PRAGMA foreign_keys = OFF;
DELETE FROM memx_model WHERE model NOT IN ('llama2-7b', 'llama2-6layer', 'gpt2');
DELETE FROM memx_framework WHERE framework NOT IN ('megatron-bf16', 'megatron-fp16', 'fp32');
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('bare', 10), ('typo', 10);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('typo', 0, 'A100-SMX-80GB', 8);
INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length,
                       experts, experts_per_token, expert_ffn_hidden, biases)
    VALUES ('moe', 32, 4096, 32, 8, 128, 14336, 32000, 4096, 8, 2, 14336, 1);
INSERT INTO memx_job(job, cluster, model, framework, global_batch, space, weights, predictor) VALUES
    ('a-cluster',   'gone', 'llama2-7b', 'megatron-bf16', 64, 'default', 'default', NULL),
    ('a-device',    'typo', 'llama2-7b', 'megatron-bf16', 64, 'default', 'default', NULL),
    ('a-framework', 'xy',   'llama2-7b', 'gone',          64, 'default', 'default', NULL),
    ('a-model',     'xy',   'gone',      'megatron-bf16', 64, 'default', 'default', NULL),
    ('a-moe',       'xy',   'moe',       'megatron-bf16', 64, 'default', 'default', NULL),
    ('a-predictor', 'xy',   'llama2-7b', 'megatron-bf16', 64, 'default', 'default', 'gone'),
    ('a-space',     'xy',   'llama2-7b', 'megatron-bf16', 64, 'gone',    'default', NULL),
    ('a-weight',    'xy',   'llama2-7b', 'megatron-bf16', 64, 'default', 'gone',    NULL),
    ('no-nodes',    'bare', 'llama2-7b', 'megatron-bf16', 64, 'default', 'default', NULL);

-- Skipped, whatever the query.
SELECT 'all jobs', group_concat(job), sum(n <> rows OR least <> phi) FROM
    (SELECT job, count(*) AS n, min(phi) AS least FROM memx_configs GROUP BY job) JOIN good USING (job);
SELECT 'cluster xy', group_concat(DISTINCT job) FROM memx_configs WHERE cluster = 'xy';
SELECT 'in order', job FROM memx_configs WHERE cluster = 'xy' ORDER BY phi LIMIT 1;
SELECT 'a cluster without a good job', count(*) FROM memx_configs WHERE cluster = 'typo';
SELECT 'best', group_concat(job) FROM memx_best;
SELECT 'reference', group_concat(job) FROM memx_reference;

-- Shown.
.mode line
SELECT job, example FROM memx_why WHERE reason = 'cannot be read';
.mode list
SELECT 'one row each', count(*), sum(count) FROM memx_why WHERE job LIKE 'a-%' OR job = 'no-nodes';

-- Named.
SELECT count(*) FROM memx_configs WHERE job = 'a-cluster';
SELECT count(*) FROM memx_configs WHERE job = 'a-device';
SELECT count(*) FROM memx_configs WHERE job = 'a-moe' ORDER BY phi LIMIT 1;
SELECT count(*) FROM memx_configs WHERE job = 'a-space';
SELECT count(*) FROM memx_configs WHERE job = 'a-weight';
SELECT count(*) FROM memx_reference('a-model');
SELECT phi FROM memx_predict('a-framework', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none');
SELECT * FROM memx_stages('no-nodes', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none');

-- Reached through other tables, not named: skipped.
SELECT 'joined', count(DISTINCT c.job) FROM memx_job AS j JOIN memx_configs AS c ON c.job = j.job;
SELECT 'left join', j.job, count(c.job) > 0 FROM memx_job AS j LEFT JOIN memx_configs AS c ON c.job = j.job
    WHERE j.job IN ('a-cluster', 'a-moe', 'xy') GROUP BY j.job;
SELECT 'best of each', j.job, (SELECT config FROM memx_configs AS c WHERE c.job = j.job
    ORDER BY phi LIMIT 1) IS NOT NULL
    FROM memx_job AS j WHERE j.job IN ('a-cluster', 'a-weight', 'xy') ORDER BY j.job;

-- What is not needed is not missed: a space or weights of the query's own, a prediction without phi.
SELECT 'another space', count(*) > 100 FROM memx_configs WHERE job = 'a-weight' AND weights = 'safe';
SELECT 'no phi asked', round(headroom, 1)
    FROM memx_predict('a-weight', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none');
SELECT 'no phi asked', round(headroom, 1)
    FROM memx_predict('a-space', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none');

-- Mended, they are there at once.
UPDATE memx_node SET device = 'A100-SXM-80GB' WHERE cluster = 'typo';
UPDATE memx_job SET weights = 'default' WHERE job = 'a-weight';
SELECT 'mended', group_concat(DISTINCT job) FROM memx_configs WHERE job LIKE 'a-%';
