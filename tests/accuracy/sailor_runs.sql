-- Sailor's runs on GH200-96GB (eth-easl/sailor, SOSP'25): OPT-350 and GPT-Neo-2.7 in fp32, four GPUs a
-- node with a network card of 200 Gbit/s each, tensor parallel over the node, no recompute.
--
-- A stage's layers count the embedding and the head as one each; vocabulary and sequence follow from
-- the set's own layer sizes. Whether matrix products ran in TF32 is not said and differed between the
-- models; the framework row takes TF32. The runs on mixed cards have a network that is not described.
-- import: sailor/runs.csv measured

CREATE TABLE run AS
SELECT printf('sailor-%02d-%s', rowid, model) AS job, *,
       '[' || replace(layers_per_stage, '|', ',') || ']' AS stages
FROM measured;

INSERT INTO setup(job, device, gpus, gpus_per_node, inter_gbs, flow_gbs, framework, layers, hidden, heads,
                  vocab, seq_length, tied_embeddings, tp, dp, pp, micro_batch, global_batch, recompute,
                  split)
SELECT job, 'GH200-96GB', 4 * N, 4, 100, 25, 'fp32', iif(model = 'OPT-350', 24, 32),
       iif(model = 'OPT-350', 1024, 2560), iif(model = 'OPT-350', 16, 20), 50304, 2048,
       model <> 'OPT-350', 4, substr(dp, 1, instr(dp || '|', '|') - 1), pp, mbs, gbs, 'none',
       (SELECT json_group_array(value - (key = 0) - (key = pp - 1)) FROM json_each(stages))
FROM run WHERE cluster = 'clariden';

INSERT INTO point
SELECT 'sailor_runs.analytic', kind, p.model || ' on ' || p.gpus || ' at ' || p.global_batch, p.job,
       CASE kind WHEN 'time' THEN 1000.0 * real_iter_s ELSE max_mem_bytes / 1048576.0 END,
       CASE kind WHEN 'time' THEN iteration_ms ELSE peak_mib END
FROM (SELECT 'time' AS kind UNION ALL SELECT 'peak'), plan AS p JOIN run AS r USING (job),
     memx_predict(p.job, p.config);

INSERT INTO left_out
SELECT 'sailor_runs.analytic', count(*), 'mixed cards, network not described' FROM run
WHERE cluster <> 'clariden';

INSERT INTO note VALUES
('sailor_runs.analytic', 'time', 'ms an iteration, TF32 assumed; nothing fitted, no profiles used'),
('sailor_runs.analytic', 'peak', 'greatest total memory of any GPU; nothing fitted');
