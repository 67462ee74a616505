-- What do pipelines gain from ProTrain's means, the host's memory? Space `host` is the default one whose stages may also
-- swap the activations of their first layers (swap<N>) and keep a share of the optimizer's state on the host
-- (offload<X>). First a job that fits at no recompute level: LLaMA2-13B at 16,384 tokens on 16 hosts with one 32 GB V100
-- each, where early stages hold 16 micro batches; full recompute keeps an input for each of their layers, swapping
-- none. Three searches of it, and one with swapping alone: ProTrain's, which has no stages, is the fastest there.
-- Then the fastest of the three at the same headroom: MemX's default space, ProTrain's (data parallel, chunks),
-- and space `host`: LLaMA2-7B on 2 x 4 RTX 3090 and 2 x 4 V100, 24 and 10 Gbit/s between nodes, and on 8 RTX 3090 of
-- one. A search that finds nothing says so. All figures are predictions of the analytic models (ProTrain's has no
-- trained one beside it), and all is rolled back.
BEGIN;
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('joint-long', 3), ('joint-node', 3), ('joint-3090', 3), ('joint-v100', 1.25);
INSERT INTO memx_node(cluster, ordinal, device, gpus, host_memory_mib)
SELECT 'joint-long', value, 'V100-SXM2-32GB', 1, 524288 FROM json_each('[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]')
UNION ALL
SELECT 'joint-node', 0, 'RTX3090', 8, 524288
UNION ALL
SELECT column1, value, column2, 4, 262144
FROM (VALUES ('joint-3090', 'RTX3090'), ('joint-v100', 'V100-SXM2-32GB')), json_each('[0,1]');
INSERT INTO memx_space(space, param, value)
SELECT column1, param, value FROM memx_space, (VALUES ('joint-recompute'), ('joint-swap')) WHERE space = 'free'
UNION ALL
SELECT 'joint-swap', 'recompute', column1 FROM (VALUES ('swap1'), ('swap2'), ('swap3'));
INSERT INTO memx_job(job, cluster, model, framework, global_batch, seq_length, predictor) VALUES
    ('joint-long', 'joint-long', 'llama2-13b', 'megatron-fp16', 64, 16384, 'analytic'),
    ('joint-node-4096', 'joint-node', 'llama2-7b', 'megatron-fp16', 64, 4096, 'analytic'),
    ('joint-3090-2048', 'joint-3090', 'llama2-7b', 'megatron-fp16', 64, 2048, 'analytic'),
    ('joint-3090-4096', 'joint-3090', 'llama2-7b', 'megatron-fp16', 64, 4096, 'analytic'),
    ('joint-v100-4096', 'joint-v100', 'llama2-7b', 'megatron-fp16', 64, 4096, 'analytic'),
    ('joint-v100-8192', 'joint-v100', 'llama2-7b', 'megatron-fp16', 64, 8192, 'analytic');

CREATE TEMP TABLE long AS
WITH asked(place, searched, space) AS (
  VALUES (1, 'every split and recompute level', 'joint-recompute'),
         (2, 'and swapping', 'joint-swap'),
         (3, 'space host', 'host')
)
SELECT place, searched,
       (SELECT iteration_ms FROM memx_configs AS c WHERE c.job = 'joint-long' AND c.space = asked.space
        ORDER BY iteration_ms LIMIT 1) AS ms,
       (SELECT layers || ' at ' || recompute FROM memx_configs AS c WHERE c.job = 'joint-long' AND c.space = asked.space
        ORDER BY iteration_ms LIMIT 1) AS config
FROM asked
UNION ALL
SELECT 4, 'ProTrain',
       (SELECT iteration_ms FROM protrain_configs WHERE job = 'joint-long' ORDER BY iteration_ms LIMIT 1),
       (SELECT config FROM protrain_configs WHERE job = 'joint-long' ORDER BY iteration_ms LIMIT 1);
SELECT searched, iif(ms IS NULL, 'nothing fits', printf('%.1f s', ms / 1000)) AS fastest, 'predicted' AS figures,
       iif(ms = min(ms) OVER (), 'the fastest', '') AS of_all, config
FROM long ORDER BY place;

CREATE TEMP TABLE found AS
SELECT j.job, h.column1 AS headroom,
       (SELECT iteration_ms FROM memx_configs AS c
        WHERE c.job = j.job AND c.headroom >= h.column1 ORDER BY iteration_ms LIMIT 1) AS recompute_ms,
       (SELECT iteration_ms FROM protrain_configs AS c
        WHERE c.job = j.job AND c.headroom >= h.column1 ORDER BY iteration_ms LIMIT 1) AS protrain_ms,
       (SELECT config FROM memx_configs AS c
        WHERE c.job = j.job AND c.space = 'host' AND c.headroom >= h.column1 ORDER BY iteration_ms LIMIT 1) AS config
FROM memx_job AS j, (VALUES (0.1), (0.2), (0.3)) AS h WHERE j.job GLOB 'joint-*';
CREATE TEMP TABLE beside AS
SELECT found.*, p.iteration_ms AS joint_ms FROM found LEFT JOIN memx_predict(found.job, found.config) AS p;
SELECT job, printf('%.0f %%', 100 * headroom) AS free, iif(recompute_ms IS NULL, '-', printf('%.1f s', recompute_ms / 1000)) AS memx,
       iif(protrain_ms IS NULL, '-', printf('%.1f s', protrain_ms / 1000)) AS protrain,
       iif(joint_ms IS NULL, '-', printf('%.1f s', joint_ms / 1000)) AS joint, 'predicted' AS figures, config
FROM beside ORDER BY job, headroom;

-- Who is ahead where; a search that finds nothing is behind, and a tie is nobody's.
CREATE TEMP TABLE ahead AS
SELECT job, CASE WHEN host < 0.9995 * min(protrain, recompute) THEN 'host'
                 WHEN protrain < 0.9995 * min(host, recompute) THEN 'ProTrain'
                 WHEN recompute < 0.9995 * min(host, protrain) THEN 'recompute' END AS who,
       100 * (1 - host / min(protrain, recompute)) AS gain
FROM (SELECT job, coalesce(joint_ms, 1e18) AS host, coalesce(protrain_ms, 1e18) AS protrain,
             coalesce(recompute_ms, 1e18) AS recompute FROM beside);
SELECT printf('predicted: of %d cases, space host is the fastest of the three in %d, by up to %.0f %% of the next; '
              || 'ProTrain alone in %d (%s); recompute alone in %d', count(*), sum(who IS 'host'),
              max(gain) FILTER (WHERE who = 'host'), sum(who IS 'ProTrain'),
              coalesce((SELECT group_concat(job, ', ') FROM (SELECT DISTINCT job FROM ahead WHERE who = 'ProTrain'
                                                             ORDER BY job)), 'none'),
              sum(who IS 'recompute')) AS answer
FROM ahead;
ROLLBACK;
