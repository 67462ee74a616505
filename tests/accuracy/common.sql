-- What every set of measurements shares. tests/accuracy.sh reads this file into an empty database
-- first, then imports the set's CSV files as tables of text, and reads the set's own file.
--
-- A set's file does three things:
--   INSERT INTO setup     a row per measured run: where it ran, what it trained, how it was cut.
--                         Clusters, nodes, models and jobs come of it by themselves, and view `plan`
--                         adds the configuration's text.
--   INSERT INTO point     a row per measured figure beside its prediction, from plan and
--                         memx_predict.
--   INSERT INTO left_out  what was not used, and why; INSERT INTO note the words for the report.
--   INSERT INTO hold      which runs are held out together, under what name: for each such group
--                         tests/accuracy/hold_out.sql trains on all the others, and predicts it.
-- View `figure` then makes the lines that are printed.

SELECT memx_init();

-- Numbers from 0, for stages and nodes.
CREATE TABLE ordinal(n INTEGER PRIMARY KEY);
INSERT INTO ordinal
    WITH RECURSIVE o(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM o WHERE n < 1023) SELECT n FROM o;

-- ---- What ran ----

CREATE TABLE setup(
    job TEXT PRIMARY KEY,
    device TEXT NOT NULL,
    gpus INTEGER NOT NULL,          -- of the whole job
    gpus_per_node INTEGER NOT NULL DEFAULT 8,
    inter_gbs REAL NOT NULL,        -- of one node, data sheet
    flow_gbs REAL,                  -- of one network card
    framework TEXT NOT NULL,
    catalog_model TEXT,             -- a model of the catalog, or else the shape:
    layers INTEGER NOT NULL,
    hidden INTEGER, heads INTEGER, vocab INTEGER, seq_length INTEGER,
    learned_positions INTEGER NOT NULL DEFAULT 1,
    tied_embeddings INTEGER NOT NULL DEFAULT 1,
    tp INTEGER NOT NULL, dp INTEGER NOT NULL, pp INTEGER NOT NULL,
    micro_batch INTEGER NOT NULL, global_batch INTEGER NOT NULL,
    recompute TEXT NOT NULL,
    knobs TEXT NOT NULL DEFAULT '', -- '.sp1' and the like
    split TEXT                      -- JSON array, layers of every stage; NULL: as even as they go
);

-- A GPT: GELU, LayerNorm, biases.
CREATE TRIGGER setup_model AFTER INSERT ON setup WHEN new.catalog_model IS NULL BEGIN
    INSERT OR IGNORE INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden,
                                     vocab, seq_length, gated_mlp, tied_embeddings, biases,
                                     learned_positions, norm)
    VALUES (printf('gpt-%d-%d-%d-%d-%d-%d', new.layers, new.hidden, new.heads, new.vocab,
                   new.seq_length, new.learned_positions),
            new.layers, new.hidden, new.heads, new.heads, new.hidden / new.heads, 4 * new.hidden,
            new.vocab, new.seq_length, 0, new.tied_embeddings, 1, new.learned_positions, 'layernorm');
END;

CREATE TRIGGER setup_job AFTER INSERT ON setup BEGIN
    INSERT OR IGNORE INTO memx_cluster(cluster, inter_gbs, flow_gbs)
    VALUES (printf('%s-%d-%g', new.device, new.gpus, new.inter_gbs), new.inter_gbs, new.flow_gbs);
    INSERT OR IGNORE INTO memx_node(cluster, ordinal, device, gpus)
    SELECT printf('%s-%d-%g', new.device, new.gpus, new.inter_gbs), n, new.device,
           min(new.gpus_per_node, new.gpus)
    FROM ordinal WHERE n < max(1, new.gpus / new.gpus_per_node);
    INSERT INTO memx_job(job, cluster, model, framework, global_batch, seq_length, predictor)
    VALUES (new.job, printf('%s-%d-%g', new.device, new.gpus, new.inter_gbs),
            ifnull(new.catalog_model,
                   printf('gpt-%d-%d-%d-%d-%d-%d', new.layers, new.hidden, new.heads, new.vocab,
                          new.seq_length, new.learned_positions)),
            new.framework, new.global_batch, new.seq_length, 'analytic');
END;

CREATE VIEW plan AS
SELECT s.*, j.model, j.cluster,
       printf('tp%d.dp%d.mb%d%s/', tp, dp, micro_batch, knobs) ||
       (SELECT group_concat(device || '*' || stage_layers || ':' || recompute, ',')
        FROM (SELECT device, recompute,
                     ifnull(json_extract(split, '$[' || n || ']'),
                            layers / pp + (n < layers % pp)) AS stage_layers
              FROM ordinal WHERE n < pp ORDER BY n)) AS config
FROM setup AS s JOIN memx_job AS j USING (job);

-- ---- What came out ----

CREATE TABLE point(
    name TEXT NOT NULL,       -- SET.WHAT
    kind TEXT NOT NULL,       -- time or peak
    family TEXT NOT NULL,     -- runs that a user would choose between: same model, cluster, batch
    job TEXT,
    measured REAL NOT NULL CHECK (typeof(measured) = 'real' AND measured > 0),
    predicted REAL NOT NULL CHECK (typeof(predicted) = 'real' AND predicted > 0)
);
CREATE TABLE left_out(name TEXT NOT NULL, rows INTEGER NOT NULL, why TEXT NOT NULL);
CREATE TABLE note(name TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL);
-- Figures that only one set has.
CREATE TABLE extra(name TEXT NOT NULL, kind TEXT NOT NULL, metric TEXT NOT NULL, value TEXT NOT NULL,
                   unit TEXT NOT NULL, text TEXT NOT NULL);
-- Differences between runs of one set-up, in percent: no prediction can be surer.
CREATE TABLE floor(name TEXT NOT NULL, kind TEXT NOT NULL, percent REAL, text TEXT NOT NULL);

-- Pairs of a family that were measured more than 10 % apart; not two runs of one set-up, though.
CREATE VIEW pair AS
SELECT a.name, a.kind, (a.measured - b.measured) * (a.predicted - b.predicted) > 0 AS right
FROM point AS a JOIN point AS b USING (name, kind, family)
     LEFT JOIN setup AS s ON s.job = a.job LEFT JOIN setup AS t ON t.job = b.job
WHERE a.rowid < b.rowid AND max(a.measured, b.measured) > 1.1 * min(a.measured, b.measured)
  AND (s.job IS NULL OR a.job IS b.job OR
       (s.tp, s.dp, s.pp, s.micro_batch, s.recompute, s.knobs, s.split) IS NOT
       (t.tp, t.dp, t.pp, t.micro_batch, t.recompute, t.knobs, t.split));

CREATE VIEW family_rank AS
SELECT name, kind, count(*) AS rows, spearman(measured, predicted) AS rank
FROM point GROUP BY name, kind, family HAVING count(*) >= 4;

-- ---- What is held out ----

-- Runs of memx_run that are held out together: WHAT is by_model and so on.
CREATE TABLE hold(what TEXT NOT NULL, grp TEXT NOT NULL, run INTEGER NOT NULL, PRIMARY KEY(what, grp, run));
-- Rows of memx_profile that go with them.
CREATE TABLE hold_profile(what TEXT NOT NULL, grp TEXT NOT NULL, id INTEGER NOT NULL);
CREATE TABLE holding(set_name TEXT, what TEXT, grp TEXT, options TEXT); -- the present one
-- The set's name, and memx_train's options.
CREATE TABLE held_set(set_name TEXT NOT NULL, options TEXT NOT NULL DEFAULT '{"validate": 0}');

-- Pairs of runs that one would choose between, at least one of them held out, both predicted by the same
-- training: whether they come out in order.
CREATE TABLE hold_pair(name TEXT NOT NULL, kind TEXT NOT NULL, right INTEGER NOT NULL);

-- Runs, where a set has not put them into memx_run itself: what ran says `setup`, measured figures its points.
CREATE TRIGGER held_set_runs AFTER INSERT ON held_set WHEN NOT EXISTS (SELECT 1 FROM memx_run) BEGIN
    INSERT INTO memx_run(job, config, iteration_ms, total_mib, source)
    SELECT plan.job, plan.config, max(t.measured), max(m.measured), new.set_name
    FROM plan LEFT JOIN point AS t ON (t.name, t.kind, t.job) = (new.set_name || '.analytic', 'time', plan.job)
         LEFT JOIN point AS m ON (m.name, m.kind, m.job) = (new.set_name || '.analytic', 'peak', plan.job)
    WHERE coalesce(t.measured, m.measured) IS NOT NULL GROUP BY plan.job;
END;

-- Runs whose GPUs were measured one by one: how far the deviation over their stages is off.
CREATE VIEW spread AS
SELECT name, job, sqrt(max(0, avg(measured * measured) - avg(measured) * avg(measured))) AS measured,
       sqrt(max(0, avg(predicted * predicted) - avg(predicted) * avg(predicted))) AS predicted,
       avg(measured) AS mean
FROM point WHERE kind = 'peak' AND family LIKE '% stage memory' GROUP BY name, job HAVING count(*) > 1;

-- The lines of the report. place keeps the order in which a set wrote its notes.
CREATE VIEW figure AS
WITH line(name, kind, position, metric, value, unit, text) AS (
    SELECT name, kind, 1, 'mape', printf('%.2f', mape(measured, predicted)), '%',
           (SELECT text FROM note WHERE note.name = point.name AND note.kind = point.kind) ||
           printf('; predictions %+.1f %% on average', 100 * avg(predicted / measured - 1))
    FROM point GROUP BY name, kind
    UNION ALL
    SELECT name, kind, 2, 'max_error', printf('%.2f', max(100 * abs(predicted / measured - 1))), '%',
           (SELECT printf('%s: %.6g measured, %.6g predicted', job, w.measured, w.predicted)
            FROM point AS w WHERE w.name = point.name AND w.kind = point.kind
            ORDER BY abs(w.predicted / w.measured - 1) DESC LIMIT 1)
    FROM point GROUP BY name, kind
    UNION ALL
    SELECT name, kind, 3, 'order_accuracy', printf('%.1f', 100 * avg(right)), '%',
           printf('of %d pairs of one model, cluster and batch, measured more than 10 %% apart%s', count(*),
                  iif(name IN (SELECT name FROM hold_pair), ', at least one of each held out', ''))
    FROM (SELECT name, kind, right FROM pair WHERE (name, kind) NOT IN (SELECT name, kind FROM hold_pair)
          UNION ALL SELECT name, kind, right FROM hold_pair)
    GROUP BY name, kind
    UNION ALL
    SELECT name, kind, 4, 'spearman', printf('%.3f', sum(rank * rows) / sum(rows)), '',
           'within groups of one model, cluster and batch of 4 rows or more: mean of ' || count(*)
    FROM family_rank WHERE rank IS NOT NULL AND name NOT IN (SELECT name FROM hold_pair) -- one training each
    GROUP BY name, kind
    UNION ALL
    SELECT name, kind, 5, 'floor', printf('%.2f', percent), '%', text
    FROM floor WHERE percent IS NOT NULL
    UNION ALL
    SELECT name, 'peak', 6, 'deviation', printf('%.2f', 100 * avg(abs(predicted - measured) / mean)), '%',
           printf('standard deviation over the stages of %d runs: error as a share of the mean peak', count(*))
    FROM spread GROUP BY name
    UNION ALL
    SELECT name, kind, 6, metric, value, unit, text FROM extra
    UNION ALL
    SELECT name, kind, 7, 'rows', printf('%d', count(*)), 'rows', 'measured and predicted'
    FROM point GROUP BY name, kind
    UNION ALL
    SELECT name, '', 8, 'left_out', printf('%d', sum(rows)), 'rows',
           group_concat(rows || ': ' || why, '; ')
    FROM left_out WHERE rows > 0 GROUP BY name)
SELECT (SELECT min(rowid) FROM note WHERE note.name = line.name) AS place, kind, position,
       name || '.' || CASE WHEN kind = 'peak' THEN 'peak_' WHEN metric = 'mape' THEN 'time_' ELSE '' END ||
       metric AS figure, value, unit, text AS note
FROM line;
