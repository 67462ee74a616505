-- With equal layers the first stages are the heavier ones: they hold more micro batches at once, and the
-- embedding; the last has the head and the logits.
INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length)
    VALUES ('m', 16, 2048, 16, 16, 128, 5504, 32000, 2048), ('deep', 96, 512, 8, 8, 64, 1408, 32000, 2048);
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('c', 25);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('c', 0, 'A100-SXM-80GB', 4);
INSERT INTO memx_job(job, cluster, model, global_batch) VALUES ('m', 'c', 'm', 32), ('two', 'c', 'm', 2),
    ('deep', 'c', 'deep', 32);
CREATE TEMP TABLE four AS SELECT * FROM memx_stages('m',
    'tp1.dp1.mb1/A100-SXM-80GB*4:none,A100-SXM-80GB*4:none,A100-SXM-80GB*4:none,A100-SXM-80GB*4:none');

SELECT stage, in_flight,
    round(activation_mib / (SELECT activation_mib FROM four WHERE stage = 3)) AS "times the last",
       static_mib > (SELECT static_mib FROM four WHERE stage = 1) AS embedding, logits_mib > 0 AS logits
           FROM four;
SELECT 'falls from stage to stage', count(*) FROM four AS a JOIN four AS b ON b.stage = a.stage + 1
    WHERE b.activation_mib >= a.activation_mib;

-- Never more than there are micro batches: two, on four stages.
SELECT group_concat(in_flight) FROM memx_stages('two',
    'tp1.dp1.mb1/A100-SXM-80GB*4:none,A100-SXM-80GB*4:none,A100-SXM-80GB*4:none,A100-SXM-80GB*4:none');

-- Everything that fills the card is itemised, the driver's share too.
SELECT stage, context_mib > 0, static_mib > 0, activation_mib > 0, work_mib >= 0, logits_mib >= 0,
       abs(context_mib + static_mib + activation_mib + work_mib + logits_mib + optimizer_mib - peak_mib) < 0.01
           FROM four;

-- The variance sees an uneven pipeline: even layers against a split that gives the first stage less.
SELECT 'variance', uneven.memory_variance < 0.5 * even.memory_variance, uneven.peak_mib < even.peak_mib FROM
    memx_predict('m', 'tp1.dp1.mb1/A100-SXM-80GB*4:none,A100-SXM-80GB*4:none,A100-SXM-80GB*4:none,A100-SXM-80GB*4:none') AS even,
    memx_predict('m', 'tp1.dp1.mb1/A100-SXM-80GB*3:none,A100-SXM-80GB*4:none,A100-SXM-80GB*5:none,A100-SXM-80GB*4:none') AS uneven;

-- Uniform recompute in groups of N keeps the input of each group and works on N layers at a time, so the
-- peak is not monotonic in N. On 96 small layers it is least in between. (Times of all are the same.)
CREATE TEMP TABLE groups AS SELECT column1 AS n, activation_mib, work_mib, peak_mib, time_ms
    FROM (VALUES (1), (2), (3), (4), (5), (8), (48), (96)),
        memx_stages('deep', 'tp1.dp4.mb8/A100-SXM-80GB*96:uniform' || column1);
SELECT 'inputs kept',
    group_concat(round(1 + 95 * (g.activation_mib - last.activation_mib) / (first.activation_mib - last.activation_mib),
    1), ' ')
    FROM groups AS g, groups AS first, groups AS last WHERE first.n = 1 AND last.n = 96;
SELECT 'layers of work', group_concat(round(g.work_mib / first.work_mib, 1), ' ')
    FROM groups AS g, groups AS first WHERE first.n = 1;
SELECT 'least peak', n BETWEEN 2 AND 5 FROM groups ORDER BY peak_mib LIMIT 1;
SELECT 'times', count(DISTINCT time_ms) FROM groups;

-- Levels: what they keep, what they cost. block2 of 16 recomputes two layers and keeps 14.
CREATE TEMP TABLE levels AS SELECT column1 AS level, s.*
    FROM (VALUES ('none'), ('selective'), ('block2'), ('block8'), ('full')),
    memx_stages('m', 'tp1.dp4.mb8/A100-SXM-80GB*16:' || column1) AS s;
SELECT 'less memory', count(*) FROM levels AS a JOIN levels AS b ON a.level = 'none' AND b.level <> 'none'
    WHERE b.activation_mib > a.activation_mib;
SELECT 'more time', count(*) FROM levels AS a JOIN levels AS b ON a.level = 'none' AND b.level <> 'none'
    WHERE b.time_ms < a.time_ms;
SELECT 'block8 is half way', round((n.time_ms - h.time_ms) / (n.time_ms - f.time_ms), 2)
    FROM levels AS n, levels AS h, levels AS f
    WHERE n.level = 'none' AND h.level = 'block8' AND f.level = 'full';
SELECT 'full is a forward pass more', round(f.backward_ms - n.backward_ms - n.forward_ms) <= 0,
    f.backward_ms > n.backward_ms, f.forward_ms = n.forward_ms
    FROM levels AS n, levels AS f WHERE n.level = 'none' AND f.level = 'full';
