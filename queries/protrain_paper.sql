-- How near does ProTrain's model come to ProTrain's paper (arXiv:2406.08334, MLSys 2026)? Its machines and models
-- are added, predicted, set beside the published figures, and taken out again. Nothing is fitted but host memory,
-- and that to the largest models of one GPU: what they say is nothing new, those of four GPUs are the check.
--
-- Assumed, and not the paper's word: 512 GiB of host memory for the RTX 3090, 1 TiB for the A100,
-- what is sold and comes nearest to 16 bytes a parameter of its largest models; a driver context of 1000 MiB; PCIe without
-- peer-to-peer at half of its rate between 3090s; sequences of 1024; GPT-2 shapes as PatrickStar has them
-- (arXiv:2108.05818); the batch with the most tokens a second, up to 32 a GPU, without accumulation.
-- DeepSpeed: ZeRO-3 with all of it offloaded and every block checkpointed, as a row of the same space (n_persist 0,
-- buffers for its 1e9 live parameters), its optimizer after backward instead of beside it. Its largest models: the
-- same, at batch 1. Colossal-AI's, FSDP's and other planners' rows of the paper are not modelled.
SAVEPOINT protrain_paper;
UPDATE memx_device SET context_mib = 1000 WHERE device IN ('RTX3090', 'A100-SXM-80GB');
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES
    ('paper-1x3090', 12.5), ('paper-4x3090', 12.5), ('paper-1xA100', 25), ('paper-4xA100', 25);
INSERT INTO memx_node(cluster, ordinal, device, gpus, link_gbs, host_memory_mib) VALUES
    ('paper-1x3090', 0, 'RTX3090', 1, 16, 524288), ('paper-4x3090', 0, 'RTX3090', 4, 16, 524288),
    ('paper-1xA100', 0, 'A100-SXM-80GB', 1, NULL, 1048576), ('paper-4xA100', 0, 'A100-SXM-80GB', 4, NULL, 1048576);

-- GPT-2 ladder, and OPT; LLaMA and Mistral are in the catalog, but for LLaMA-34B (Code Llama's shape).
INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length, gated_mlp,
                       tied_embeddings, biases, qkv_biases, learned_positions, norm)
SELECT model, layers, hidden, hidden / 128, hidden / 128, 128, 4 * hidden, 50257, 1024, 0, 1, 1, 1, 1, 'layernorm'
FROM (SELECT 'paper-gpt2-1b' AS model, 20 AS layers, 2048 AS hidden UNION ALL
      VALUES ('paper-gpt2-5b', 24, 4096), ('paper-gpt2-10b', 50, 4096), ('paper-gpt2-15b', 78, 4096),
             ('paper-gpt2-20b', 25, 8192), ('paper-gpt2-30b', 37, 8192), ('paper-gpt2-40b', 50, 8192),
             ('paper-opt-13b', 40, 5120), ('paper-opt-30b', 48, 7168));
INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length)
VALUES ('paper-llama-34b', 48, 8192, 64, 8, 128, 22016, 32000, 1024);
-- One more layer of 0.8 B parameters at a time: how large may a model be?
WITH RECURSIVE depth(n) AS (VALUES (24) UNION ALL SELECT n + 1 FROM depth WHERE n < 124)
INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length, gated_mlp,
                       tied_embeddings, biases, qkv_biases, learned_positions, norm)
SELECT 'paper-deep-' || n, n, 8192, 64, 64, 128, 32768, 50257, 1024, 0, 1, 1, 1, 1, 'layernorm' FROM depth;

CREATE TEMP TABLE paper_job(job TEXT PRIMARY KEY, machine TEXT, gpus INTEGER, model TEXT, layers INTEGER, batch INTEGER,
                            parameters REAL, best TEXT, deepspeed TEXT);
INSERT INTO paper_job(job, machine, gpus, model, layers, batch)
SELECT printf('paper.%s.%s.%d', substr(cluster, 7), model, batch), substr(cluster, 7), gpus, model, layers, batch
FROM memx_node
     JOIN (SELECT model, layers FROM memx_model WHERE model LIKE 'paper-%' AND model NOT LIKE 'paper-deep-%'
               OR model IN ('mistral-7b', 'llama2-13b'))
     JOIN (SELECT 1 AS batch UNION ALL VALUES (2), (4), (8), (16), (32))
WHERE cluster LIKE 'paper-%' AND (gpus = 4 OR model = 'paper-gpt2-10b' OR model = 'paper-llama-34b' AND cluster = 'paper-1xA100');
INSERT INTO memx_job(job, cluster, model, framework, global_batch, seq_length, reserve, predictor)
SELECT job, 'paper-' || machine, model,
       iif(model LIKE '%gpt2%' OR model LIKE '%opt%', 'megatron-deepspeed-fp16', 'deepspeed-fp16'),
       batch * gpus, 1024, 0, 'analytic'
FROM paper_job;
UPDATE paper_job SET best = (SELECT config FROM protrain_configs AS c WHERE c.job = paper_job.job
                             AND c.micro_batch = paper_job.batch ORDER BY c.iteration_ms LIMIT 1);
UPDATE paper_job SET deepspeed = (
    SELECT printf('mb%d.chunk%d.persist0.buffer%d.swap0.ckpt%d', micro_batch, chunk_mib, min(2048 / chunk_mib, chunks),
                  layers)
    FROM protrain_configs AS c WHERE c.job = paper_job.job AND c.config = best);
CREATE TEMP TABLE paper_row AS
SELECT p.machine, p.model, p.batch, what, c.*, iif(what = 'best', c.iteration_ms,
       c.forward_ms + c.backward_ms + c.cpu_optimizer_ms) AS time_ms, p.batch * p.gpus * 1024 AS tokens
FROM (SELECT *, 'best' AS what, best AS config FROM paper_job UNION ALL
      SELECT *, 'deepspeed', deepspeed FROM paper_job) AS p
     JOIN protrain_configs AS c ON c.job = p.job AND c.config = p.config;
-- The batch with the most tokens a second.
CREATE TEMP TABLE paper_speed AS
SELECT machine, model, what, batch, config, max(1000.0 * tokens / time_ms) AS tokens_per_s, gpu_peak_mib, headroom
FROM paper_row GROUP BY machine, model, what;

INSERT INTO memx_job(job, cluster, model, framework, global_batch, reserve, predictor)
SELECT 'paper-deep.' || cluster || '.' || layers, cluster, model, 'megatron-deepspeed-fp16', gpus, 0, 'analytic'
FROM memx_node JOIN memx_model ON model LIKE 'paper-deep-%'
WHERE cluster IN ('paper-1x3090', 'paper-1xA100', 'paper-4xA100');
CREATE TEMP TABLE paper_deep AS
SELECT what, substr(cluster, 7) AS machine, max(layers) AS layers,
       (max(layers) * 12 * 8192.0 * 8192 + 50257 * 8192.0) / 1e9 AS billions
FROM (SELECT 'ProTrain' AS what UNION ALL VALUES ('DeepSpeed')), memx_job JOIN memx_model USING (model)
WHERE job LIKE 'paper-deep.%'
  AND CASE what WHEN 'ProTrain'
      THEN EXISTS (SELECT 1 FROM protrain_configs AS c WHERE c.job = memx_job.job AND c.max_rows = 1000000000)
      ELSE EXISTS (SELECT 1 FROM protrain_configs AS c WHERE c.job = memx_job.job AND c.max_rows = 1000000000
                   AND c.n_persist = 0 AND c.n_swap = 0 AND c.n_checkpoint = layers AND c.n_buffer = 2048 / c.chunk_mib)
      END
GROUP BY what, cluster;

-- What is published, and what the model says.
WITH ratio AS (
    SELECT a.machine, a.model, a.tokens_per_s / b.tokens_per_s AS x, a.tokens_per_s
    FROM paper_speed AS a JOIN paper_speed AS b USING (machine, model) WHERE a.what = 'best' AND b.what = 'deepspeed'),
figure(place, figure, machine, paper, model, unit, why) AS (
    SELECT 1, 'largest model, ' || what, machine, p, billions, 'B parameters', why
    FROM paper_deep JOIN (
        SELECT 'ProTrain' AS what, '1x3090' AS machine, 34.0 AS p,
               'fitted: the machine''s host memory is inferred from this figure' AS why
        UNION ALL VALUES ('ProTrain', '1xA100', 75, 'fitted: the machine''s host memory is inferred from this figure'),
                         ('ProTrain', '4xA100', 87, 'with the host memory of one GPU: the check'),
                         ('DeepSpeed', '1x3090', 15, 'the model has its chunks, buffers and checkpoints alone: what its own code holds is not in it'),
                         ('DeepSpeed', '4xA100', 37, 'the model has its chunks, buffers and checkpoints alone: what its own code holds is not in it'))
         USING (what, machine)
    UNION ALL
    SELECT 2, 'speed-up over DeepSpeed, ' || model, machine, p, x, 'x',
           'DeepSpeed as a row of this model: what its own code costs beside is not in it'
    FROM ratio LEFT JOIN (SELECT '4xA100' AS machine, 'mistral-7b' AS model, 1.43 AS p UNION ALL
                          VALUES ('4xA100', 'paper-gpt2-10b', 1.28), ('4xA100', 'llama2-13b', 1.46),
                                 ('4xA100', 'paper-gpt2-20b', 1.47)) USING (machine, model)
    WHERE machine LIKE '4x%'
    UNION ALL
    SELECT 3, 'mean tokens/s of the models that fit', '4x3090', 2090, avg(tokens_per_s), 'tokens/s',
           'models and batches of the mean are not known; the 1 B model weighs most here'
    FROM ratio WHERE machine = '4x3090'
    UNION ALL
    SELECT 3, 'mean speed-up over DeepSpeed', '4xA100', 1.85, avg(x), 'x',
           'models and batches of the mean are not known'
    FROM ratio WHERE machine = '4xA100'
    UNION ALL
    SELECT 3, 'mean speed-up over DeepSpeed', '4x3090', 1.77, avg(x), 'x',
           'the least of 1.77 to 2.71 over three systems; which one it is of is not said'
    FROM ratio WHERE machine = '4x3090'
    UNION ALL
    SELECT 4, '1 to 4 GPUs, paper-gpt2-10b', '4x3090', 3.5, a.tokens_per_s / b.tokens_per_s, 'x',
           'four GPUs share the host''s memory bandwidth; what else they share is not modelled'
    FROM ratio AS a JOIN ratio AS b USING (model)
    WHERE a.machine = '4x3090' AND b.machine = '1x3090' AND model = 'paper-gpt2-10b'
    UNION ALL
    SELECT 4, '1 to 4 GPUs, paper-llama-34b, ' || which, '4xA100', p, a.tokens_per_s / b.tokens_per_s, 'x',
           'published as 2.49 to 3.58; of which batches is not known'
    FROM ratio AS a JOIN ratio AS b USING (model),
         (SELECT 'least' AS which, 2.49 AS p UNION ALL VALUES ('most', 3.58))
    WHERE a.machine = '4xA100' AND b.machine = '1xA100' AND model = 'paper-llama-34b'
    UNION ALL
    SELECT 5, 'card that DeepSpeed''s defaults use, paper-gpt2-10b, batch ' || batch, machine, 35.6,
           100 * (1 - headroom), '%', 'the batch of the figure is not known'
    FROM paper_row WHERE what = 'deepspeed' AND model = 'paper-gpt2-10b' AND machine = '4x3090'
    UNION ALL
    SELECT 6, 'DeepSpeed''s defaults slower, paper-gpt2-10b, batch ' || d.batch, d.machine, 1.18,
           d.time_ms / b.time_ms, 'x', 'than the best row of that batch; the paper''s yardstick is not known'
    FROM paper_row AS d JOIN paper_row AS b USING (machine, model, batch)
    WHERE d.what = 'deepspeed' AND b.what = 'best' AND model = 'paper-gpt2-10b' AND d.machine = '4x3090'
    UNION ALL
    SELECT 7, 'peak that hooks miss, paper-gpt2-10b, batch 16', machine, 17.2,
           100 * transient_mib * 1.1 / gpu_peak_mib, '%', 'of the best row; the paper has 3.06 GB of 17.8'
    FROM paper_row WHERE what = 'best' AND model = 'paper-gpt2-10b' AND batch = 16 AND machine = '4x3090')
SELECT figure, machine, paper, round(model, 2) AS model, unit,
       CASE WHEN paper IS NOT NULL THEN printf('%+.0f %%', 100 * (model / paper - 1)) END AS gap, why
FROM figure ORDER BY place, machine, length(figure), figure;

DROP TABLE temp.paper_deep;
DROP TABLE temp.paper_speed;
DROP TABLE temp.paper_row;
DROP TABLE temp.paper_job;
ROLLBACK TO protrain_paper;
RELEASE protrain_paper;
