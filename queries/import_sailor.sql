-- How do Sailor's measurements get in (eth-easl/sailor, SOSP'25: OPT, GPT-Neo and LLAMA in fp32)?
-- MEMX_IMPORT names the folder that holds layer_profiles.csv, runs.csv and runs_per_gpu.csv; models,
-- clusters and jobs come with them. What cannot be right or be predicted is left out and listed.
--
--   MEMX_IMPORT=sailor sqlite3 -cmd '.load ./memx' my.db <queries/import_sailor.sql
--
-- A layer profile (forward and backward of every layer at one device, tp and micro batch) becomes four
-- rows of memx_profile: the whole model, one layer (the median of the inner ones), embedding and first
-- layer, last layer and head. Embedding and head count as layers there, and in layers_per_stage; that
-- of runs_per_gpu.csv is not said and taken from the runs with as many stages, last stage first: in the order
-- of runs.csv no figure for a layer explains its stages' memory (45 % off), in this one does (6 %). It is
-- another version of the framework, whose activations take nearly twice the room: fp32-sailor-artifact.
-- V100 has no TF32, and A100-40's times of OPT-30 and LLAMA-3-8 are five times those of its other models: their
-- framework is fp32-no-tf32, the others' fp32.
-- Inferred from the set's layer sizes: vocabulary, sequence length, head ties. max_mem_bytes is taken as
-- all that is in use on the card. Between GH-96 nodes: four cards of 200 Gbit/s. The network of
-- the runs on mixed cards is not described: 1.25 GB/s a node is a guess, and their predictions with it.
DROP TABLE IF EXISTS temp.layer_csv;
DROP TABLE IF EXISTS temp.run_csv;
DROP TABLE IF EXISTS temp.gpu_csv;
DROP TABLE IF EXISTS temp.sailor_model;
DROP TABLE IF EXISTS temp.profile;
DROP TABLE IF EXISTS temp.given;
DROP TABLE IF EXISTS temp.given_gpu;
.import --schema temp --csv '|f=$MEMX_IMPORT/layer_profiles.csv; if [ -n "$MEMX_IMPORT" ] && { [ -s "$f" ] || [ ! -f "$f" ]; }; then cat "$f"; else echo model,gpu,mbs,tp,layer,fwd_s,bwd_s; fi' layer_csv
.import --schema temp --csv '|f=$MEMX_IMPORT/runs.csv; if [ -n "$MEMX_IMPORT" ] && { [ -s "$f" ] || [ ! -f "$f" ]; }; then cat "$f"; else echo file,cluster,model,N,gbs,mbs,pp,dp,layers_per_stage,gpu_per_stage,tp_per_stage,real_iter_s,max_mem_bytes; fi' run_csv
.import --schema temp --csv '|f=$MEMX_IMPORT/runs_per_gpu.csv; if [ -n "$MEMX_IMPORT" ] && { [ -s "$f" ] || [ ! -f "$f" ]; }; then cat "$f"; else echo config,nodes,gbs,dp,pp,mbs,stage,rank,iter_ms,max_allocated_mb,max_reserved_mb,total_mb; fi' gpu_csv

BEGIN;
CREATE TEMP TABLE sailor_model(name TEXT PRIMARY KEY, layers INTEGER, hidden INTEGER, heads INTEGER,
                               ffn_hidden INTEGER, seq_length INTEGER, gated INTEGER, tied INTEGER,
                               positions INTEGER, norm TEXT);
INSERT INTO sailor_model VALUES
    ('OPT-350', 24, 1024, 16, 4096, 2048, 0, 0, 1, 'layernorm'),
    ('OPT-30', 48, 7168, 56, 28672, 2048, 0, 0, 1, 'layernorm'),
    ('GPT-Neo-2.7', 32, 2560, 20, 10240, 2048, 0, 1, 1, 'layernorm'),
    ('LLAMA-3-8', 32, 4096, 32, 16384, 8192, 1, 1, 0, 'rmsnorm');
INSERT OR IGNORE INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab,
                                 seq_length, gated_mlp, tied_embeddings, biases, learned_positions, norm,
                                 source, note)
SELECT name, layers, hidden, heads, heads, hidden / heads, ffn_hidden, 50304, seq_length, gated, tied, 1,
       positions, norm, 'eth-easl/sailor', 'as its layer sizes say'
FROM sailor_model WHERE EXISTS (SELECT 1 FROM temp.layer_csv) OR EXISTS (SELECT 1 FROM temp.run_csv);

-- ---- Layers ----

CREATE TEMP TABLE profile(
    model TEXT, device TEXT, tp INTEGER, micro_batch INTEGER, stage TEXT, layers INTEGER, first_stage INTEGER,
    last_stage INTEGER, time_ms REAL, predicted TEXT, source TEXT, id INTEGER, why TEXT, framework TEXT DEFAULT 'fp32');
WITH layer AS MATERIALIZED (
    SELECT c.model, gpu, CAST(c.tp AS INTEGER) AS tp, CAST(mbs AS INTEGER) AS mbs, CAST(layer AS INTEGER) AS n,
           m.layers AS depth, iif(min(fwd_s + 0, bwd_s + 0) >= 0 AND fwd_s GLOB '[0-9]*' AND bwd_s GLOB '[0-9]*',
                                  1000.0 * (fwd_s + bwd_s), NULL) AS ms
    FROM temp.layer_csv AS c LEFT JOIN sailor_model AS m ON m.name = c.model),
part AS MATERIALIZED (
    SELECT model, gpu, tp, mbs, depth, count(*) AS entries, count(ms) AS numbers, sum(ms) AS whole,
           median(ms) FILTER (WHERE n BETWEEN 1 AND depth) AS one,
           sum(ms) FILTER (WHERE n <= 1) AS first, sum(ms) FILTER (WHERE n >= depth) AS last
    FROM layer GROUP BY model, gpu, tp, mbs)
INSERT INTO profile(model, device, tp, micro_batch, stage, layers, first_stage, last_stage, time_ms, predicted,
                    source, why)
SELECT model, gpu, tp, mbs, stage.column1, iif(stage.column1 = 'whole', depth, 1), stage.column2,
       stage.column3,
       CASE stage.column1 WHEN 'whole' THEN whole WHEN 'one layer' THEN one WHEN 'first' THEN first
                          ELSE last END,
       NULL, printf('sailor/layer_profiles.csv: %s %s mbs%d tp%d, %s', model, gpu, mbs, tp, stage.column1),
       CASE WHEN depth IS NULL THEN 'a model whose shape is not known'
            WHEN entries NOT BETWEEN depth + 2 AND depth + 3
                THEN printf('%d layers, %d are needed: not this model''s', entries, depth + 2)
            WHEN numbers < entries THEN 'a time is no number from 0' END
FROM part, (VALUES ('whole', 1, 1), ('one layer', 0, 0), ('first', 1, 0), ('last', 0, 1)) AS stage;
UPDATE profile SET framework = 'fp32-no-tf32'
WHERE device = 'V100-16' OR (device = 'A100-40' AND model IN ('OPT-30', 'LLAMA-3-8'));
UPDATE profile SET predicted = stage_estimate(
    device, model, framework, layers, first_stage, last_stage, tp, 1, micro_batch,
    (SELECT seq_length FROM sailor_model WHERE name = model), NULL, NULL, 'none', 1, 0, 0)
WHERE why IS NULL;
UPDATE profile SET why = CASE
    WHEN predicted IS NULL THEN 'a field is missing'
    WHEN predicted ->> 'problem' IS NOT NULL THEN predicted ->> 'problem'
    WHEN NOT time_ms > 0 THEN 'the times add up to 0'
    WHEN time_ms < 0.01 * (predicted ->> 'time_ms') THEN 'less than a hundredth of what is predicted'
    WHEN time_ms > 1000 * (predicted ->> 'time_ms') THEN 'more than 1000 times what is predicted'
    WHEN EXISTS (SELECT 1 FROM memx_profile AS p
                 WHERE p.source = profile.source AND p.time_ms = profile.time_ms) THEN 'is there already'
    END
WHERE why IS NULL;
UPDATE profile SET id = (SELECT coalesce(max(id), 0) FROM memx_profile) + place
FROM (SELECT rowid AS row, row_number() OVER (ORDER BY rowid) AS place FROM profile WHERE why IS NULL) AS kept
WHERE kept.row = profile.rowid;
INSERT OR IGNORE INTO memx_profile(id, device, model, framework, layers, first_stage, last_stage, tp, dp,
                                   micro_batch, seq_length, in_flight, sequence_parallel,
                                   distributed_optimizer, time_ms, source)
SELECT id, device, model, framework, layers, first_stage, last_stage, tp, 1, micro_batch,
       (SELECT seq_length FROM sailor_model WHERE name = model), 1, 0, 0, time_ms, source
FROM profile WHERE id IS NOT NULL ORDER BY id;
UPDATE profile SET why = 'breaks a rule of the table; .schema memx_profile shows them'
WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM memx_profile);

-- ---- Runs ----

CREATE TEMP TABLE given(
    source TEXT PRIMARY KEY, model TEXT, nodes INTEGER, node_gpus INTEGER, stage_nodes TEXT, global_batch INTEGER,
    micro_batch INTEGER, pp INTEGER, dp INTEGER, tp INTEGER, stage_layers TEXT, iteration_ms REAL,
    total_mib REAL, cluster TEXT, job TEXT, config TEXT, id INTEGER, why TEXT, framework TEXT);
-- stage_nodes: '[["GH-96","GH-96"],["GH-96"]]', the nodes of every stage; stage_layers: '[12,14]'.
INSERT OR IGNORE INTO given(source, model, nodes, node_gpus, stage_nodes, global_batch, micro_batch, pp, dp, tp,
                            stage_layers, iteration_ms, total_mib)
SELECT 'sailor/runs.csv: ' || coalesce(file, 'row ' || rowid), iif(model = 'GPT-NEO', 'GPT-Neo-2.7', model), N, tp_per_stage + 0,
       '[["' || replace(replace(replace(gpu_per_stage, 'x' || (tp_per_stage + 0), ''), '+', '","'),
                        '|', '"],["') || '"]]',
       gbs, mbs, pp, substr(dp, 1, instr(dp || '|', '|') - 1), tp_per_stage + 0,
       '[' || replace(layers_per_stage, '|', ',') || ']', 1000.0 * real_iter_s, max_mem_bytes / 1048576.0
FROM temp.run_csv
UNION ALL
SELECT 'sailor/runs_per_gpu.csv: ' || config, substr(config, 1, instr(config, '_') - 1), nodes, 4,
       (SELECT json_group_array(json(nodes)) FROM (
           SELECT (SELECT json_group_array('GH-96') FROM (
                       SELECT DISTINCT rank / 4 FROM temp.gpu_csv AS g
                       WHERE g.config = c.config AND g.stage = s.stage)) AS nodes
           FROM (SELECT DISTINCT stage FROM temp.gpu_csv AS g WHERE g.config = c.config) AS s
           ORDER BY s.stage + 0)),
       gbs, mbs, pp, dp, 4, CASE pp WHEN '1' THEN '[26]' WHEN '2' THEN '[14,12]' WHEN '4' THEN '[7,7,7,5]' END,
       avg(iter_ms + 0.0), NULL
FROM temp.gpu_csv AS c GROUP BY config;
CREATE TEMP TABLE given_gpu AS
SELECT 'sailor/runs_per_gpu.csv: ' || config AS source, CAST(rank AS INTEGER) AS rank,
       CAST(max_allocated_mb AS REAL) AS allocated_mib, CAST(max_reserved_mb AS REAL) AS reserved_mib,
       CAST(total_mb AS REAL) AS total_mib
FROM temp.gpu_csv;

UPDATE given SET why = CASE
    WHEN NOT EXISTS (SELECT 1 FROM sailor_model WHERE name = model) THEN 'a model whose shape is not known'
    WHEN (iteration_ms BETWEEN 1e-6 AND 1e9) IS NOT TRUE THEN printf('iteration_ms is %s', iteration_ms)
    WHEN NOT total_mib BETWEEN 1 AND 1e9 THEN printf('total_mib is %s', total_mib)
    WHEN json_valid(stage_layers) IS NOT 1 OR json_valid(stage_nodes) IS NOT 1 THEN 'its stages cannot be read'
    WHEN json_array_length(stage_layers) IS NOT pp OR json_array_length(stage_nodes) IS NOT pp
        THEN 'another number of stages than pp says'
    WHEN EXISTS (SELECT 1 FROM given_gpu AS g WHERE g.source = given.source
                 AND NOT (allocated_mib > 0 AND reserved_mib > 0 AND total_mib BETWEEN 1 AND 1e9))
        THEN 'a GPU''s memory is no number above 0'
    END;
-- The nodes, in order of the stages, under the catalog's names.
CREATE TEMP TABLE place AS
SELECT source, s.key AS stage, row_number() OVER (PARTITION BY source ORDER BY s.key, n.key) - 1 AS ordinal,
       coalesce((SELECT device FROM memx_device WHERE device = n.value),
                (SELECT device FROM memx_alias WHERE name = n.value), n.value) AS device, node_gpus AS gpus
FROM given, json_each(stage_nodes) AS s, json_each(s.value) AS n WHERE why IS NULL;
CREATE INDEX temp.place_by_run ON place(source, stage);
-- The stages as a configuration names them: the device, or each of several with its GPUs.
CREATE TEMP VIEW placed AS
SELECT source, stage,
       iif(count(*) = 1, device, group_concat(device || '(' || gpus || ')', '|')) AS devices
FROM (SELECT source, stage, device, sum(gpus) AS gpus FROM place
      GROUP BY source, stage, device ORDER BY source, stage, min(ordinal))
GROUP BY source, stage;
UPDATE given SET cluster = printf('sailor-%s-%d', iif((
    SELECT count(DISTINCT device) FROM place WHERE place.source = given.source) = 1, 'GH-96', 'mixed'), nodes)
WHERE why IS NULL;
UPDATE given SET framework = iif(source LIKE 'sailor/runs_per_gpu.csv%', 'fp32-sailor-artifact', 'fp32'),
                 job = printf('%s-%s-at-%d', cluster, model, global_batch) ||
                       iif(source LIKE 'sailor/runs_per_gpu.csv%', '-artifact', ''),
                 config = printf('tp%d.dp%d.mb%d/', tp, dp, micro_batch) || (
    SELECT group_concat(devices || '*' || layers || ':none') FROM (
        SELECT p.devices, l.value - (p.stage = 0) - (p.stage = pp - 1) AS layers
        FROM placed AS p JOIN json_each(stage_layers) AS l ON l.key = p.stage
        WHERE p.source = given.source ORDER BY p.stage))
WHERE why IS NULL;

INSERT OR IGNORE INTO memx_framework(framework, activation_bytes, parameter_bytes, gradient_bytes, optimizer_bytes,
                                     logit_bytes, logits_sharded, alpha_act, fused_attention, matmul_share,
                                     score_bytes, source)
SELECT DISTINCT given.framework, activation_bytes, parameter_bytes, gradient_bytes, optimizer_bytes, logit_bytes,
       logits_sharded, alpha_act, fused_attention, matmul_share, score_bytes, 'fp32, as eth-easl/sailor''s artifact'
FROM given, memx_framework AS f WHERE given.why IS NULL AND given.framework <> 'fp32' AND f.framework = 'fp32';
INSERT OR IGNORE INTO memx_cluster(cluster, inter_gbs, flow_gbs, note)
SELECT DISTINCT cluster, iif(cluster LIKE '%GH-96%', 100, 1.25), iif(cluster LIKE '%GH-96%', 25, NULL),
       iif(cluster LIKE '%GH-96%', 'Sailor''s', 'Sailor''s: the network is a guess')
FROM given WHERE why IS NULL;
INSERT OR IGNORE INTO memx_node(cluster, ordinal, device, gpus)
SELECT DISTINCT cluster, ordinal, device, gpus FROM given JOIN place USING (source);
INSERT OR IGNORE INTO memx_job(job, cluster, model, framework, global_batch)
SELECT DISTINCT job, cluster, model, framework, global_batch FROM given WHERE why IS NULL;
UPDATE given SET why = iif(config IS NULL, 'a field is missing', config_problem(job, config)) WHERE why IS NULL;
UPDATE given SET config = (SELECT p.config FROM memx_predict(given.job, given.config) AS p) WHERE why IS NULL;
UPDATE given SET why = 'is there already' WHERE why IS NULL AND EXISTS (
    SELECT 1 FROM memx_run AS m WHERE (m.job, m.config, m.source) = (given.job, given.config, given.source));
UPDATE given SET id = (SELECT coalesce(max(id), 0) FROM memx_run) + (
    SELECT count(*) FROM given AS g WHERE g.why IS NULL AND g.rowid <= given.rowid)
WHERE why IS NULL;
INSERT OR IGNORE INTO memx_run(id, job, config, iteration_ms, total_mib, source)
SELECT id, job, config, iteration_ms, total_mib, source FROM given WHERE why IS NULL ORDER BY id;
UPDATE given SET why = 'breaks a rule of the table; .schema memx_run shows them', id = NULL
WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM memx_run);
INSERT OR IGNORE INTO memx_run_gpu(run, rank, allocated_mib, reserved_mib, total_mib)
SELECT given.id, g.rank, g.allocated_mib, g.reserved_mib, g.total_mib
FROM given_gpu AS g JOIN given USING (source) WHERE given.why IS NULL;
DELETE FROM memx_job WHERE job IN (SELECT job FROM given WHERE why IS NOT NULL)
                           AND NOT EXISTS (SELECT 1 FROM memx_run WHERE memx_run.job = memx_job.job);
DROP VIEW temp.placed;
DROP TABLE temp.place;
COMMIT;
SELECT 'memx_profile' AS what, count(*) FILTER (WHERE why IS NULL) || ' of ' || count(*) || ' stages went in' AS why
FROM profile
UNION ALL
SELECT 'memx_run', count(id) || ' of ' || count(*) || ' runs went in' FROM given
UNION ALL
SELECT 'memx_run_gpu', (SELECT count(*) FROM memx_run_gpu WHERE run IN (SELECT id FROM given))
                       || ' of ' || count(*) || ' rows went in'
FROM given_gpu
UNION ALL
SELECT * FROM (SELECT substr(source, 1, instr(source, ', ') - 1) AS profile, why FROM profile
               WHERE why IS NOT NULL GROUP BY profile, why ORDER BY min(rowid))
UNION ALL
SELECT source, why FROM given WHERE why IS NOT NULL
UNION ALL
SELECT 'sailor/runs.csv: ' || file, 'stands there ' || count(*) || ' times; the first was taken'
FROM temp.run_csv WHERE file IS NOT NULL GROUP BY file HAVING count(*) > 1;
