-- How do vTrain's measured runs get in (VIA-Research/vTrain, MICRO'24: GPT on 2 to 512 A100-SXM-80GB)?
-- MEMX_IMPORT names the folder that holds multi_node.csv and single_node.csv; models, clusters and jobs
-- come of the rows by themselves. What cannot be right or be predicted is left out and listed.
--
--   MEMX_IMPORT=vtrain sqlite3 -cmd '.load ./memx' my.db <queries/import_vtrain.sql
--
-- Taken from the authors' text and tools: Megatron-DeepSpeed, full recompute, eight GPUs a node, 800
-- Gbit/s a node with cards of 200, and a vocabulary of 50257. GPUs that a job does not use are left away.
-- single_node.csv is composed, not raw: 954 rows of 32 (hidden, tp, micro batch).
DROP TABLE IF EXISTS temp.multi;
DROP TABLE IF EXISTS temp.single;
DROP TABLE IF EXISTS temp.given;
.import --schema temp --csv '|f=$MEMX_IMPORT/multi_node.csv; if [ -n "$MEMX_IMPORT" ] && { [ -s "$f" ] || [ ! -f "$f" ]; }; then cat "$f"; else echo dataset,gpu,params_b,gpus,gbs,mbs,hidden,heads,layers,seq,tp,dp,pp,iter_time_ms; fi' multi
.import --schema temp --csv '|f=$MEMX_IMPORT/single_node.csv; if [ -n "$MEMX_IMPORT" ] && { [ -s "$f" ] || [ ! -f "$f" ]; }; then cat "$f"; else echo dataset,gpu,params_b,gpus,gbs,mbs,hidden,heads,layers,seq,tp,dp,pp,iter_time_ms; fi' single

BEGIN;
-- Types make numbers of what is one, and leave the rest text.
CREATE TEMP TABLE given(
    source TEXT, line INTEGER, device TEXT, gpus INTEGER, global_batch INTEGER, micro_batch INTEGER,
    hidden INTEGER, heads INTEGER, layers INTEGER, seq_length INTEGER, tp INTEGER, dp INTEGER, pp INTEGER,
    iteration_ms REAL, model TEXT, cluster TEXT, job TEXT, config TEXT, id INTEGER, why TEXT);
INSERT INTO given(source, line, device, gpus, global_batch, micro_batch, hidden, heads, layers, seq_length,
                  tp, dp, pp, iteration_ms)
SELECT 'vtrain/multi_node.csv', rowid + 1, gpu, gpus, gbs, mbs, hidden, heads, layers, seq, tp, dp, pp,
       iter_time_ms FROM temp.multi
UNION ALL
SELECT 'vtrain/single_node.csv', rowid + 1, gpu, gpus, gbs, mbs, hidden, heads, layers, seq, tp, dp, pp,
       iter_time_ms FROM temp.single;
UPDATE given SET why = CASE
    WHEN typeof(iteration_ms) <> 'real' THEN printf('iter_time_ms is ''%s'', no number', iteration_ms)
    WHEN iteration_ms <= 0 OR iteration_ms > 1e9 THEN printf('iter_time_ms is %g', iteration_ms)
    WHEN (typeof(gpus), typeof(global_batch), typeof(micro_batch), typeof(hidden), typeof(heads),
          typeof(layers), typeof(seq_length), typeof(tp), typeof(dp), typeof(pp))
         <> ('integer', 'integer', 'integer', 'integer', 'integer', 'integer', 'integer', 'integer',
             'integer', 'integer') THEN 'a figure is no whole number'
    WHEN min(gpus, global_batch, micro_batch, hidden, heads, layers, seq_length, tp, dp, pp) < 1
        THEN 'a figure is below 1'
    WHEN max(gpus, layers) > 65536 THEN 'more than 65536 GPUs or layers'
    WHEN gpus > 8 AND gpus % 8 > 0 THEN 'no whole number of nodes of 8'
    WHEN layers < pp THEN 'more stages than layers'
    END;
UPDATE given SET model = printf('gpt-%d-%d-%d-%d', layers, hidden, heads, seq_length),
                 cluster = printf('vtrain-%d', gpus),
                 job = printf('vtrain-%d-%d-%d-%d-on-%d-at-%d', layers, hidden, heads, seq_length, gpus,
                              global_batch)
WHERE why IS NULL;
UPDATE given SET config = printf('tp%d.dp%d.mb%d/', tp, dp, micro_batch) || (
    WITH RECURSIVE stage(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM stage WHERE n + 1 < pp)
    SELECT group_concat(device || '*' || (layers / pp + (n < layers % pp)) || ':full') FROM stage)
WHERE why IS NULL;

INSERT OR IGNORE INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab,
                                 seq_length, gated_mlp, tied_embeddings, biases, learned_positions, norm)
SELECT DISTINCT model, layers, hidden, heads, heads, hidden / heads, 4 * hidden, 50257, seq_length, 0, 1, 1,
                1, 'layernorm'
FROM given WHERE why IS NULL;
INSERT OR IGNORE INTO memx_cluster(cluster, inter_gbs, flow_gbs, note)
SELECT DISTINCT cluster, 100, 25, 'vTrain''s: eight GPUs a node' FROM given WHERE why IS NULL;
WITH RECURSIVE node(cluster, device, gpus, ordinal) AS (
    SELECT DISTINCT cluster, device, gpus, 0 FROM given WHERE why IS NULL
    UNION ALL
    SELECT cluster, device, gpus, ordinal + 1 FROM node WHERE 8 * (ordinal + 1) < gpus)
INSERT OR IGNORE INTO memx_node(cluster, ordinal, device, gpus)
SELECT cluster, ordinal, device, min(8, gpus) FROM node;
INSERT OR IGNORE INTO memx_job(job, cluster, model, framework, global_batch)
SELECT DISTINCT job, cluster, model, 'megatron-deepspeed-fp16', global_batch FROM given WHERE why IS NULL;

UPDATE given SET why = iif(config IS NULL, 'no gpu', config_problem(job, config)) WHERE why IS NULL;
UPDATE given SET config = (SELECT p.config FROM memx_predict(given.job, given.config) AS p) WHERE why IS NULL;
UPDATE given SET why = 'is there already' WHERE why IS NULL AND EXISTS (
    SELECT 1 FROM memx_run AS m
    WHERE (m.job, m.config, m.iteration_ms, m.source)
          = (given.job, given.config, given.iteration_ms, given.source || ': line ' || given.line));
UPDATE given SET id = (SELECT coalesce(max(id), 0) FROM memx_run) + place
FROM (SELECT rowid AS row, row_number() OVER (ORDER BY source, line) AS place FROM given WHERE why IS NULL) AS kept
WHERE kept.row = given.rowid;
INSERT OR IGNORE INTO memx_run(id, job, config, iteration_ms, source)
SELECT id, job, config, iteration_ms, source || ': line ' || line FROM given WHERE id IS NOT NULL
ORDER BY id;
UPDATE given SET why = 'breaks a rule of the table; .schema memx_run shows them'
WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM memx_run);
DELETE FROM memx_job WHERE job IN (SELECT job FROM given WHERE why IS NOT NULL)
                           AND NOT EXISTS (SELECT 1 FROM memx_run WHERE memx_run.job = memx_job.job);
COMMIT;
SELECT 'memx_run' AS what, NULL AS line,
       iif(count(*) = 0, 'there are no rows; MEMX_IMPORT must name their folder',
           count(*) FILTER (WHERE why IS NULL) || ' of ' || count(*) || ' rows went in') AS why FROM given
UNION ALL
SELECT * FROM (SELECT source, line, why FROM given WHERE why IS NOT NULL ORDER BY source, line);
