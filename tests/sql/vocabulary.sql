-- The vocabulary is padded as Megatron-LM pads it, to a multiple of 128 * tp, and what it costs is
-- on the first and the last stage.
INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab,
    seq_length) VALUES
    ('odd', 8, 2048, 16, 16, 128, 5504, 151669, 1024),       -- no multiple of anything
    ('by-128', 8, 2048, 16, 16, 128, 5504, 151680, 1024),
    ('by-512', 8, 2048, 16, 16, 128, 5504, 152064, 1024),
    ('less', 8, 2048, 16, 16, 128, 5504, 32000, 1024);
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('c', 25);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('c', 0, 'A100-SXM-80GB', 8);
INSERT INTO memx_job(job, cluster, model, global_batch) SELECT model, 'c', model, 8 FROM memx_model
    WHERE model IN ('odd', 'by-128', 'by-512', 'less');

-- tp 4: 151669 counts as 152064 in memory and time; tp 1: as 151680.
SELECT 'tp 4', odd.peak_mib = padded.peak_mib, odd.iteration_ms = padded.iteration_ms FROM
    memx_predict('odd', 'tp4.dp1.mb1/A100-SXM-80GB*4:none,A100-SXM-80GB*4:none') AS odd,
    memx_predict('by-512', 'tp4.dp1.mb1/A100-SXM-80GB*4:none,A100-SXM-80GB*4:none') AS padded;
SELECT 'tp 1', odd.peak_mib = padded.peak_mib, odd.iteration_ms = padded.iteration_ms FROM
    memx_predict('odd', 'tp1.dp4.mb1/A100-SXM-80GB*4:none,A100-SXM-80GB*4:none') AS odd,
    memx_predict('by-128', 'tp1.dp4.mb1/A100-SXM-80GB*4:none,A100-SXM-80GB*4:none') AS padded;
SELECT 'tp 4 pads more than tp 1', odd.static_mib > padded.static_mib FROM
    memx_stages('by-512', 'tp1.dp4.mb1/A100-SXM-80GB*4:none,A100-SXM-80GB*4:none') AS odd,
    memx_stages('odd', 'tp1.dp4.mb1/A100-SXM-80GB*4:none,A100-SXM-80GB*4:none') AS padded
        WHERE odd.stage = 0 AND padded.stage = 0;

-- A middle stage does not know of it; the first and the last hold it, the last computes it.
SELECT big.stage, big.static_mib > small.static_mib AS static, big.logits_mib > small.logits_mib AS logits,
    big.time_ms > small.time_ms AS time
    FROM memx_stages('odd',
        'tp2.dp1.mb1/A100-SXM-80GB*2:none,A100-SXM-80GB*2:none,A100-SXM-80GB*2:none,A100-SXM-80GB*2:none') AS big
    JOIN memx_stages('less',
        'tp2.dp1.mb1/A100-SXM-80GB*2:none,A100-SXM-80GB*2:none,A100-SXM-80GB*2:none,A100-SXM-80GB*2:none') AS small USING (stage);

-- 151669 words are as much work as six of these layers: the fastest split leaves the last stage one.
SELECT 'layers beside the head', substr(layers, -2) FROM memx_configs WHERE job = 'odd' AND space = 'free'
    AND pp = 4 ORDER BY iteration_ms LIMIT 1;
SELECT 'heaviest of equal layers', slowest_stage, tightest_stage
    FROM memx_predict('odd',
        'tp2.dp1.mb1/A100-SXM-80GB*2:none,A100-SXM-80GB*2:none,A100-SXM-80GB*2:none,A100-SXM-80GB*2:none');

-- Tied embeddings: one table fewer on a single stage, the same on two.
UPDATE memx_model SET tied_embeddings = 1 WHERE model = 'by-128';
SELECT 'tied, one stage', tied.static_mib < untied.static_mib FROM
    memx_stages('by-128', 'tp1.dp8.mb1/A100-SXM-80GB*8:none') AS tied,
        memx_stages('odd', 'tp1.dp8.mb1/A100-SXM-80GB*8:none') AS untied;
SELECT 'tied, two stages', sum(tied.static_mib = untied.static_mib) FROM
    memx_stages('by-128', 'tp1.dp4.mb1/A100-SXM-80GB*4:none,A100-SXM-80GB*4:none') AS tied
    JOIN memx_stages('odd',
        'tp1.dp4.mb1/A100-SXM-80GB*4:none,A100-SXM-80GB*4:none') AS untied USING (stage);
