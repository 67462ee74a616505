-- memx_cache: what predictors answered, by signature. The measurements are made up here, as in train.sql.
SELECT 'analytic predictions are not kept', count(*) > 0, (SELECT count(*) FROM memx_cache)
FROM memx_configs WHERE job = 'lab6';
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
    recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib)
SELECT s.device, s.model, s.framework, s.layers, s.first_stage, s.last_stage, s.tp, s.dp, s.micro_batch, s.seq_length,
    s.recompute, s.in_flight, s.sequence_parallel, s.distributed_optimizer,
    s.time_ms * iif(s.micro_batch <= 2, 1.15, 0.96), (s.peak_mib - s.context_mib) * 1.03
FROM (SELECT config, row_number() OVER () AS n FROM memx_configs WHERE job = 'lab6') AS c, memx_stages('lab6', c.config) AS s
WHERE n % 5 = 0 AND instr(s.device, '|') = 0;
SELECT 'trained', memx_train('june', '{"rounds": 20}') ->> '$.figures.time.used';

-- One configuration: its stages are predicted, and join with their rows.
CREATE TEMP TABLE pick AS SELECT 'lab6' AS job, 'tp2.dp1.mb1/V100-SXM2-16GB*2:full,V100-SXM2-16GB*2:full,T4*2:full' AS config;
SELECT 'one configuration', count(*) FROM pick, memx_predict(pick.job, pick.config);
SELECT 'its stages are predicted', count(*), group_concat(device || ' ' || layers || ' ' || recompute || ' ' || in_flight, ', ') FROM memx_cache;
SELECT 'joined', count(*), sum(s.device = c.device AND s.framework = c.framework AND s.layers = c.layers
    AND s.first_stage = c.first_stage AND s.last_stage = c.last_stage AND s.tp = c.tp AND s.dp = c.dp
    AND s.micro_batch = c.micro_batch AND s.seq_length = c.seq_length AND s.heads = c.heads AND s.kv_groups = c.kv_groups
    AND s.recompute = c.recompute AND s.in_flight = c.in_flight AND s.sequence_parallel = c.sequence_parallel
    AND s.distributed_optimizer = c.distributed_optimizer AND s.cp = c.cp AND s.ep = c.ep AND s.vp = c.vp) AS same_fields,
    sum(s.time_ms = c.time_ms AND s.forward_ms = c.forward_ms AND s.backward_ms = c.backward_ms AND s.peak_mib = c.peak_mib) AS same_prediction,
    sum(s.predictor = c.predictor || iif(c.extrapolated, ' (extrapolated)', '')) AS same_predictor
FROM pick, memx_stages(pick.job, pick.config) AS s JOIN memx_cache AS c USING (signature);
SELECT 'the cache first', count(*) FROM memx_cache AS c CROSS JOIN pick CROSS JOIN memx_stages(pick.job, pick.config) AS s
WHERE s.signature = c.signature;
SELECT 'asked for again, not predicted again', count(*), min(hits) > 0 FROM memx_cache;
SELECT 'columns of memx_profile that are missing', group_concat(name) FROM pragma_table_info('memx_profile')
WHERE name NOT IN (SELECT name FROM pragma_table_info('memx_cache'));

-- All of them: a row per signature, and no two for the same stage. Each configuration alone gives the rows of
-- the scan, through the same predictions.
CREATE TEMP TABLE listed AS SELECT * FROM memx_configs WHERE job = 'lab6';
CREATE TEMP TABLE after AS SELECT count(*) AS n, sum(hits) AS hits FROM memx_cache;
SELECT 'signatures', count(*) = count(DISTINCT signature), count(*) > 100 FROM memx_cache;
SELECT 'stages', count(*) = (SELECT n FROM after) FROM
    (SELECT DISTINCT predictor, device, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, heads,
     kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer, cp, ep, vp, link_gbs, hidden, head_dim, ffn_hidden,
     vocab, gated_mlp, tied_embeddings, biases, qkv_biases, learned_positions, norm, experts FROM memx_cache);
SELECT 'one by one', count(*) = (SELECT count(*) FROM listed), sum(p.iteration_ms = c.iteration_ms AND p.peak_mib = c.peak_mib
    AND p.memory_variance = c.memory_variance AND p.predictor = c.predictor) = count(*)
FROM listed AS c, memx_predict(c.job, c.config) AS p;
SELECT 'nothing new for that', count(*) = n, sum(c.hits) > after.hits FROM memx_cache AS c, after;
SELECT 'each by its signature', count(*) = n FROM after, memx_cache AS a JOIN memx_cache AS b USING (signature);
SELECT 'ranked', count(*), (SELECT count(*) = n FROM memx_cache, after) FROM
    (SELECT config FROM memx_configs WHERE job = 'lab6' ORDER BY phi LIMIT 5);

-- Context parallelism, interleaved chunks and experts tell rows apart that are alike otherwise.
CREATE TEMP TABLE of_experts AS SELECT * FROM memx_model WHERE model = 'llama2-6layer';
UPDATE of_experts SET model = 'of-experts', experts = 4, experts_per_token = 1, expert_ffn_hidden = ffn_hidden;
INSERT INTO memx_model SELECT * FROM of_experts;
INSERT INTO memx_job(job, cluster, model, framework, global_batch)
SELECT m.column1, cluster, m.column1, framework, 96
FROM memx_job, (VALUES ('llama2-6layer'), ('of-experts')) AS m WHERE job = 'lab6';
SELECT c.cp, c.ep, c.vp, c.experts, c.device, c.layers, c.tp, c.dp
FROM (VALUES ('llama2-6layer', 'dp1.mb1.cp2'), ('llama2-6layer', 'dp2.mb1'), ('llama2-6layer', 'dp2.mb1.vp2'),
             ('of-experts', 'dp2.mb1'), ('of-experts', 'dp2.mb1.ep2')) AS v,
     memx_stages(v.column1, 'tp1.' || v.column2 || '/V100-SXM2-16GB*2:full,V100-SXM2-16GB*2:full,T4*2:full') AS s
     JOIN memx_cache AS c USING (signature) WHERE s.stage = 0;

-- Signatures that are none.
SELECT 'no signature', count(*) FROM memx_cache
WHERE signature = 'x' OR signature = (SELECT upper(max(signature)) FROM memx_cache WHERE signature GLOB '*[a-f]*');
SELECT 'no signature', count(*) FROM memx_cache WHERE signature = '';
SELECT 'no signature', count(*) FROM memx_cache WHERE signature = 17;
SELECT 'no signature', count(*) FROM memx_cache WHERE signature = x'00';
SELECT 'no signature', count(*) FROM memx_cache WHERE signature = NULL;
SELECT 'no signature', count(*) FROM memx_cache WHERE signature = (SELECT upper(max(signature)) FROM memx_cache WHERE signature GLOB '*[a-f]*');
SELECT 'in any case', count(*) FROM memx_cache WHERE signature COLLATE NOCASE = (SELECT upper(max(signature)) FROM memx_cache WHERE signature GLOB '*[a-f]*');
DELETE FROM memx_cache;

-- Whatever changes, the answer is another and what it needs is predicted; as it was again, the answer is as
-- before and nothing is predicted.
CREATE TEMP VIEW answer AS SELECT total(iteration_ms) || ' ' || total(peak_mib) || ' ' ||
    (SELECT total(time_ms) || ' ' || total(peak_mib) FROM pick, memx_stages(pick.job, pick.config)) AS text
FROM memx_configs WHERE job = 'lab6';
CREATE TEMP TABLE report(step INTEGER PRIMARY KEY, what, text, n);
CREATE TEMP TRIGGER after_report AFTER INSERT ON report BEGIN
    UPDATE report SET n = (SELECT count(*) FROM memx_cache) WHERE step = new.step;
END;
INSERT INTO report(what, text) SELECT 'as trained', text FROM answer;
UPDATE memx_device SET peak_tflops = peak_tflops * 2 WHERE device = 'T4';
INSERT INTO report(what, text) SELECT 'device', text FROM answer;
UPDATE memx_device SET peak_tflops = peak_tflops / 2 WHERE device = 'T4';
INSERT INTO report(what, text) SELECT 'back', text FROM answer;
UPDATE memx_device SET context_mib = context_mib + 64 WHERE device = 'T4';
INSERT INTO report(what, text) SELECT 'context', text FROM answer;
UPDATE memx_device SET context_mib = context_mib - 64 WHERE device = 'T4';
INSERT INTO report(what, text) SELECT 'back', text FROM answer;
UPDATE memx_framework SET alpha_act = alpha_act * 2 WHERE framework = 'megatron-fp16';
INSERT INTO report(what, text) SELECT 'framework', text FROM answer;
UPDATE memx_framework SET alpha_act = alpha_act / 2 WHERE framework = 'megatron-fp16';
INSERT INTO report(what, text) SELECT 'back', text FROM answer;
UPDATE memx_model SET ffn_hidden = ffn_hidden + 256 WHERE model = 'llama2-6layer';
INSERT INTO report(what, text) SELECT 'model', text FROM answer;
UPDATE memx_model SET ffn_hidden = ffn_hidden - 256 WHERE model = 'llama2-6layer';
INSERT INTO report(what, text) SELECT 'back', text FROM answer;
UPDATE memx_job SET seq_length = 1024 WHERE job = 'lab6';
INSERT INTO report(what, text) SELECT 'sequence length', text FROM answer;
UPDATE memx_job SET seq_length = NULL WHERE job = 'lab6';
INSERT INTO report(what, text) SELECT 'back', text FROM answer;
UPDATE memx_node SET link_gbs = 7 WHERE cluster = 'lab6';
INSERT INTO report(what, text) SELECT 'link', text FROM answer;
UPDATE memx_node SET link_gbs = NULL WHERE cluster = 'lab6';
INSERT INTO report(what, text) SELECT 'back', text FROM answer;
CREATE TEMP TABLE trees AS SELECT * FROM memx_tree; UPDATE memx_tree SET leaf = leaf + 1 WHERE leaf IS NOT NULL;
INSERT INTO report(what, text) SELECT 'leaf', text FROM answer;
DELETE FROM memx_tree; INSERT INTO memx_tree SELECT * FROM trees;
INSERT INTO report(what, text) SELECT 'back', text FROM answer;
UPDATE memx_predictor SET label_sd_time = label_sd_time * 2;
INSERT INTO report(what, text) SELECT 'deviation', text FROM answer;
UPDATE memx_predictor SET label_sd_time = label_sd_time / 2;
INSERT INTO report(what, text) SELECT 'back', text FROM answer;
UPDATE memx_profile SET time_ms = time_ms * iif(layers > 2, 2, 1); SELECT 'trained', memx_train('june', '{"rounds": 20}') IS NOT NULL;
INSERT INTO report(what, text) SELECT 'trained again from other rows', text FROM answer;
UPDATE memx_profile SET time_ms = time_ms / iif(layers > 2, 2, 1); SELECT 'trained', memx_train('june', '{"rounds": 20}') IS NOT NULL;
INSERT INTO report(what, text) SELECT 'back', text FROM answer;
UPDATE memx_cluster SET overhead_ms = overhead_ms + 8 WHERE cluster = 'lab6';
INSERT INTO report(what, text) SELECT 'no stage depends on the overhead', text FROM answer;
UPDATE memx_cluster SET overhead_ms = overhead_ms - 8 WHERE cluster = 'lab6';
UPDATE memx_job SET predictor = 'analytic' WHERE job = 'lab6';
INSERT INTO report(what, text) SELECT 'analytic', text FROM answer;
UPDATE memx_job SET predictor = NULL WHERE job = 'lab6';
INSERT INTO report(what, text) SELECT 'back', text FROM answer;
DELETE FROM memx_predictor;
DELETE FROM memx_tree;
INSERT INTO report(what, text) SELECT 'no predictor', text FROM answer;
SELECT r.what, iif(r.text = seen.text, 'as before', 'another answer') AS answer,
       iif(r.n > before.n, 'new predictions', 'none') AS predicted
FROM report AS r JOIN report AS before ON before.step = r.step - 1 JOIN report AS seen ON seen.step = 1 ORDER BY r.step;
