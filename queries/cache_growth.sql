-- How much of what a predictor has said is still good when a cluster grows? Eight GPUs of two types, tp 2,
-- four stages; then the same asked again, with twice the global batch, with twice the nodes of each type as
-- data parallelism (dp 2, twice the batch) or as a longer pipeline (pp 8), and with a node of a third type.
-- A prediction is made once per signature, that is once per stage in all that it depends on: the batch is
-- no part of it, dp and the micro batches in flight are. memx_cache holds what was predicted on this
-- connection; `known` was there before the step, `predicted` is new, `reused` was asked for again. The
-- predictor is trained on made-up measurements, and all is rolled back.
BEGIN;
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('grow-8', 28), ('grow-16', 28), ('grow-12', 28);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES
    ('grow-8', 0, 'B-32GB', 4), ('grow-8', 1, 'C-32GB', 4),
    ('grow-16', 0, 'B-32GB', 4), ('grow-16', 1, 'B-32GB', 4),
    ('grow-16', 2, 'C-32GB', 4), ('grow-16', 3, 'C-32GB', 4),
    ('grow-12', 0, 'A100-SXM-80GB', 4), ('grow-12', 1, 'B-32GB', 4), ('grow-12', 2, 'C-32GB', 4);
INSERT INTO memx_space(space, param, value)
SELECT column1, param, value FROM memx_space, (VALUES ('grow-dp1'), ('grow-dp2')) WHERE space = 'default';
INSERT INTO memx_space(space, param, value) VALUES
    ('grow-dp1', 'tp', '2'), ('grow-dp1', 'dp', '1'), ('grow-dp2', 'tp', '2'), ('grow-dp2', 'dp', '2');
INSERT INTO memx_job(job, cluster, model, framework, global_batch, space, predictor) VALUES
    ('first', 'grow-8', 'llama2-7b', 'megatron-bf16', 64, 'grow-dp1', 'analytic'),
    ('twice-the-batch', 'grow-8', 'llama2-7b', 'megatron-bf16', 128, 'grow-dp1', 'growth'),
    ('twice-the-dp', 'grow-16', 'llama2-7b', 'megatron-bf16', 128, 'grow-dp2', 'growth'),
    ('twice-the-pp', 'grow-16', 'llama2-7b', 'megatron-bf16', 64, 'grow-dp1', 'growth'),
    ('a-third-type', 'grow-12', 'llama2-7b', 'megatron-bf16', 64, 'grow-dp1', 'growth');

-- A predictor: small micro batches take 15 % longer than the analytic model says, large ones 4 % less.
DELETE FROM memx_profile;
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
                         recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms)
SELECT s.device, s.model, s.framework, s.layers, s.first_stage, s.last_stage, s.tp, s.dp, s.micro_batch, s.seq_length,
       s.recompute, s.in_flight, s.sequence_parallel, s.distributed_optimizer,
       s.time_ms * iif(s.micro_batch <= 2, 1.15, 0.96)
FROM (SELECT config, row_number() OVER () AS n FROM memx_configs WHERE job = 'first') AS c,
     memx_stages('first', c.config) AS s
WHERE n % 20 = 0;
SELECT 'trained on ' || (memx_train('growth', '{"rounds": 20}') ->> 'rows') || ' stages';
UPDATE memx_job SET predictor = 'growth' WHERE job = 'first';

CREATE TEMP TABLE step(step INTEGER PRIMARY KEY, what, configurations, predictions, hits);
CREATE TEMP TRIGGER after_step AFTER INSERT ON step BEGIN
    UPDATE step SET (predictions, hits) = (SELECT count(*), coalesce(sum(hits), 0) FROM memx_cache)
    WHERE step = new.step;
END;
INSERT INTO step(what) VALUES ('before');
INSERT INTO step(what, configurations) SELECT job, count(*) FROM memx_configs WHERE job = 'first';
INSERT INTO step(what, configurations) SELECT 'again', count(*) FROM memx_configs WHERE job = 'first';
INSERT INTO step(what, configurations) SELECT job, count(*) FROM memx_configs WHERE job = 'twice-the-batch';
INSERT INTO step(what, configurations) SELECT job, count(*) FROM memx_configs WHERE job = 'twice-the-dp';
INSERT INTO step(what, configurations) SELECT job, count(*) FROM memx_configs WHERE job = 'twice-the-pp';
INSERT INTO step(what, configurations) SELECT job, count(*) FROM memx_configs WHERE job = 'a-third-type';
SELECT now.what AS step, now.configurations, before.predictions AS known,
       now.predictions - before.predictions AS predicted, now.hits - before.hits AS reused
FROM step AS now JOIN step AS before ON before.step = now.step - 1
ORDER BY now.step;
ROLLBACK;
