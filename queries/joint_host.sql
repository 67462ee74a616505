-- What do pipelines gain from ProTrain's means, the host's memory? Space `host` is the default one whose stages may also
-- swap the activations of their first layers (swap<N>) and keep a share of the optimizer's state on the host
-- (offload<X>). First a job that fits at no recompute level: LLaMA2-13B at 16,384 tokens on 16 hosts with one 32 GB V100
-- each, where early stages hold 16 micro batches; full recompute keeps an input for each of their layers, swapping
-- none. Then the fastest of three searches at the same headroom: MemX's default space, ProTrain's (data parallel, chunks),
-- and space `host`: LLaMA2-7B on 2 x 4 RTX 3090 and 2 x 4 V100, 24 and 10 Gbit/s between nodes, and on 8 RTX 3090 of one. A search that finds
-- nothing says so. All figures are predictions, all is rolled back.
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
INSERT INTO memx_job(job, cluster, model, framework, global_batch, seq_length) VALUES
    ('joint-long', 'joint-long', 'llama2-13b', 'megatron-fp16', 64, 16384),
    ('joint-node-4096', 'joint-node', 'llama2-7b', 'megatron-fp16', 64, 4096),
    ('joint-3090-2048', 'joint-3090', 'llama2-7b', 'megatron-fp16', 64, 2048),
    ('joint-3090-4096', 'joint-3090', 'llama2-7b', 'megatron-fp16', 64, 4096),
    ('joint-v100-4096', 'joint-v100', 'llama2-7b', 'megatron-fp16', 64, 4096),
    ('joint-v100-8192', 'joint-v100', 'llama2-7b', 'megatron-fp16', 64, 8192);

SELECT iif(space = 'joint-recompute', 'every split and recompute level', 'and swapping') AS searched,
       feasible_exact AS configurations, 'predicted' AS figures,
       coalesce((SELECT printf('%.1f s', iteration_ms / 1000) FROM memx_configs AS c
                 WHERE c.job = r.job AND c.space = r.space ORDER BY iteration_ms LIMIT 1), 'nothing fits') AS fastest,
       (SELECT layers || ' at ' || recompute FROM memx_configs AS c
        WHERE c.job = r.job AND c.space = r.space ORDER BY iteration_ms LIMIT 1) AS layers
FROM (SELECT 'joint-recompute' AS asked UNION ALL SELECT 'joint-swap'),
     memx_reference('joint-long', asked) AS r;

CREATE TEMP TABLE found AS
SELECT j.job, h.column1 AS headroom,
       (SELECT iteration_ms FROM memx_configs AS c
        WHERE c.job = j.job AND c.headroom >= h.column1 ORDER BY iteration_ms LIMIT 1) AS recompute_ms,
       (SELECT iteration_ms FROM protrain_configs AS c
        WHERE c.job = j.job AND c.headroom >= h.column1 ORDER BY iteration_ms LIMIT 1) AS protrain_ms,
       (SELECT config FROM memx_configs AS c
        WHERE c.job = j.job AND c.space = 'host' AND c.headroom >= h.column1 ORDER BY iteration_ms LIMIT 1) AS config
FROM memx_job AS j, (VALUES (0.1), (0.2), (0.3)) AS h WHERE j.job GLOB 'joint-[3nv]*';
CREATE TEMP TABLE beside AS
SELECT found.*, p.iteration_ms AS joint_ms FROM found LEFT JOIN memx_predict(found.job, found.config) AS p;
SELECT job, printf('%.0f %%', 100 * headroom) AS free, iif(recompute_ms IS NULL, '-', printf('%.1f s', recompute_ms / 1000)) AS memx,
       iif(protrain_ms IS NULL, '-', printf('%.1f s', protrain_ms / 1000)) AS protrain,
       iif(joint_ms IS NULL, '-', printf('%.1f s', joint_ms / 1000)) AS joint, 'predicted' AS figures, config
FROM beside ORDER BY job, headroom;

SELECT printf('predicted: in %d of %d cases the joint search is faster than either alone, by up to %.0f %% of the better one; in %d '
              || 'ProTrain''s data parallelism stays ahead, where its gathers stay within a node', sum(joint_ms < 0.9995 * better_ms), count(*), 100 * (1 - min(joint_ms / better_ms)),
              sum(joint_ms > better_ms)) AS answer
FROM (SELECT *, min(coalesce(recompute_ms, 1e18), coalesce(protrain_ms, 1e18)) AS better_ms FROM beside)
GROUP BY NULL;
ROLLBACK;
