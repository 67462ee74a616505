-- Layers always add up to the model's. (30 layers on 4 stages once trained 28 of them, without a word.)
INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length)
    VALUES ('thirty', 30, 2048, 16, 16, 128, 5504, 32000, 2048),
        ('forty', 40, 2048, 16, 16, 128, 5504, 32000, 2048);
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('four', 25), ('sixteen', 25);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('four', 0, 'A100-SXM-40GB', 4),
    ('sixteen', 0, 'A100-SXM-40GB', 8), ('sixteen', 1, 'V100-SXM2-32GB', 8);
INSERT INTO memx_job(job, cluster, model, framework, global_batch)
VALUES ('thirty', 'four', 'thirty', 'megatron-bf16', 32),
    ('forty', 'sixteen', 'forty', 'megatron-fp16', 32);

-- 30 layers, 4 stages: no rule drops the rest of the division, in no space.
SELECT space, count(*) > 0, min(total), max(total), min(stages), max(stages) FROM (
    SELECT c.space, (SELECT sum(value) FROM json_each('[' || layers || ']')) AS total,
           (SELECT count(*) FROM json_each('[' || layers || ']')) AS stages
    FROM (VALUES ('default'), ('free'), ('megatron')) AS s, memx_configs AS c
        WHERE c.space = column1 AND job = 'thirty' AND pp = 4)
    GROUP BY space;
SELECT 'uniform', layers FROM memx_configs WHERE job = 'thirty' AND space = 'megatron' AND pp = 4
    AND micro_batch = 1 AND recompute = 'none,none,none,none';
SELECT 'as its stages say', sum(layers), count(*) FROM memx_stages('thirty',
    'tp1.dp1.mb1/A100-SXM-40GB*8:none,A100-SXM-40GB*8:none,A100-SXM-40GB*7:none,A100-SXM-40GB*7:none');

-- The 28 layers of that run are refused, with what is missing.
SELECT phi FROM memx_predict('thirty',
    'tp1.dp1.mb1/A100-SXM-40GB*7:none,A100-SXM-40GB*7:none,A100-SXM-40GB*7:none,A100-SXM-40GB*7:none');

-- 40 layers on 16 stages: every stage can be set, not the first and the last alone.
SELECT 'sixteen stages', count(*) > 0, max(layers LIKE '_,_,_,_,_,_,_,_,_,_,_,_,_,_,_,_'),
    count(DISTINCT layers) > 10
    FROM memx_configs WHERE job = 'forty' AND pp = 16;
SELECT 'any split', layers FROM memx_predict('forty', 'tp1.dp1.mb1/' ||
    'A100-SXM-40GB*3:none,A100-SXM-40GB*3:none,A100-SXM-40GB*3:none,A100-SXM-40GB*4:none,A100-SXM-40GB*3:none,A100-SXM-40GB*3:none,A100-SXM-40GB*3:none,A100-SXM-40GB*3:none,' ||
    'V100-SXM2-32GB*2:none,V100-SXM2-32GB*2:none,V100-SXM2-32GB*2:none,V100-SXM2-32GB*2:none,V100-SXM2-32GB*2:none,V100-SXM2-32GB*2:none,V100-SXM2-32GB*2:none,V100-SXM2-32GB*1:none');

-- Memory is the greatest stage's, not that of an average one: 12,6,6,6 is heavier than 8,8,7,7.
SELECT 'greatest stage', uneven.peak_mib > 1.2 * even.peak_mib, uneven.tightest_stage FROM
    memx_predict('thirty',
        'tp1.dp1.mb1/A100-SXM-40GB*8:none,A100-SXM-40GB*8:none,A100-SXM-40GB*7:none,A100-SXM-40GB*7:none') AS even,
    memx_predict('thirty',
        'tp1.dp1.mb1/A100-SXM-40GB*12:none,A100-SXM-40GB*6:none,A100-SXM-40GB*6:none,A100-SXM-40GB*6:none') AS uneven;
SELECT 'average', avg(peak_mib) < 0.8 * max(peak_mib) FROM
    memx_stages('thirty',
        'tp1.dp1.mb1/A100-SXM-40GB*12:none,A100-SXM-40GB*6:none,A100-SXM-40GB*6:none,A100-SXM-40GB*6:none');

-- Levels are the stage's own: raising the heaviest stage's alone brings the peak down.
SELECT 'level of one stage', full.peak_mib < none.peak_mib, full.tightest_stage FROM
    memx_predict('thirty',
        'tp1.dp1.mb1/A100-SXM-40GB*12:none,A100-SXM-40GB*6:none,A100-SXM-40GB*6:none,A100-SXM-40GB*6:none') AS none,
    memx_predict('thirty',
        'tp1.dp1.mb1/A100-SXM-40GB*12:full,A100-SXM-40GB*6:none,A100-SXM-40GB*6:none,A100-SXM-40GB*6:none') AS full;
