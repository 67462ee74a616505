-- Two query groups and 8-way tensor parallelism do not go together: said by memx_why, and by memx_predict.
INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab,
    seq_length) VALUES
    ('gqa2', 8, 2048, 16, 2, 128, 5504, 32000, 1024), ('mha', 8, 2048, 16, 16, 128, 5504, 32000, 1024),
    ('gqa6', 8, 3072, 24, 6, 128, 8192, 32000, 1024);
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('c', 25);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('c', 0, 'A100-SXM-80GB', 8);
INSERT INTO memx_job(job, cluster, model, global_batch) SELECT model, 'c', model, 8 FROM memx_model
    WHERE model IN ('gqa2', 'mha', 'gqa6');
INSERT INTO memx_space(space, param, value) VALUES ('tp8', 'tp', '8'), ('tp4', 'tp', '4');

SELECT 'rows', count(*) FROM memx_configs WHERE job = 'gqa2' AND space = 'tp8';
SELECT reason, count, example FROM memx_why('gqa2', 'tp8') WHERE reason LIKE 'kv_groups%';
SELECT phi FROM memx_predict('gqa2', 'tp8.dp1.mb1/A100-SXM-80GB*8:none');
SELECT 'degrees left', group_concat(tp) FROM (SELECT DISTINCT tp FROM memx_configs WHERE job = 'gqa2'
    ORDER BY tp);

-- 6 groups over 4 is no whole number either.
SELECT reason, example FROM memx_why('gqa6', 'tp4') WHERE reason LIKE 'kv_groups%';
SELECT 'heads alone would do', 24 % 4 = 0, (SELECT count(*) FROM memx_configs
    WHERE job = 'gqa6' AND tp = 4);

-- Plain multi-head attention has a group for each head.
SELECT 'multi-head', group_concat(tp) FROM (SELECT DISTINCT tp FROM memx_configs WHERE job = 'mha'
    ORDER BY tp);

-- Fewer groups are fewer parameters and less to keep.
SELECT 'lighter', gqa.static_mib < mha.static_mib, gqa.activation_mib < mha.activation_mib FROM
    memx_stages('gqa2', 'tp2.dp4.mb1/A100-SXM-80GB*8:none') AS gqa,
        memx_stages('mha', 'tp2.dp4.mb1/A100-SXM-80GB*8:none') AS mha;
