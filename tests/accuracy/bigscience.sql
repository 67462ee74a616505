-- The set-ups tried before the 176B training of bigscience (bigscience-workshop/bigscience,
-- train/tr11-176B-ml/chronicles-prequel.md): up to 48 nodes of eight A100-SXM-80GB, four Omni-Path
-- links of 100 Gbit/s a node, Megatron-DeepSpeed, ZeRO stage 1, full recompute, 2048 tokens.
--
-- A row names a size and a day; layers and width stand in the headings of the same document and are
-- repeated in `shape` below. Exceptions, inferred: of the 14400 wide models only 20B and 200B have their
-- layers and heads there; the others get the multiple of the stages nearest to their size, and the
-- 200B's 96 heads. The vocabulary, 250 880, and full recompute are those of the training that followed.
-- Memory is what nvidia-smi showed on the fullest node, in whole GB, read as 1000 MiB: one row says
-- 80 GB, on cards of 81 251 MiB. Seconds are of one iteration, the second; the document warns that they
-- vary.
-- import: bigscience/tables.csv measured

-- From 02-28 on gradients are summed in fp32 and precision is bf16, all else as before.
INSERT INTO memx_framework(framework, activation_bytes, parameter_bytes, gradient_bytes, optimizer_bytes,
                           optimizer_temp_bytes, logit_bytes, logits_sharded, alpha_act, fused_attention,
                           dropout, sequence_parallel, distributed_optimizer, score_bytes, source)
SELECT 'megatron-deepspeed-bf16', b.activation_bytes, b.parameter_bytes, b.gradient_bytes,
       b.optimizer_bytes, b.optimizer_temp_bytes, b.logit_bytes, b.logits_sharded, b.alpha_act,
       m.fused_attention, m.dropout, m.sequence_parallel, m.distributed_optimizer, m.score_bytes,
       'deepspeed-bf16 with the attention of megatron-deepspeed-fp16'
FROM memx_framework AS b JOIN memx_framework AS m
WHERE b.framework = 'deepspeed-bf16' AND m.framework = 'megatron-deepspeed-fp16';

-- ends: how many layers fewer the first and the last stage have, since embedding and head count as a
-- layer each there. Where a width does not say its heads, 96 at 14400, else 64.
CREATE TABLE shape(size TEXT, from_day TEXT, layers INTEGER, hidden INTEGER, heads INTEGER, ends INTEGER,
                   PRIMARY KEY(size, from_day));
INSERT INTO shape VALUES
    ('20B', '', 8, 14400, 32, 0), ('183B', '', 72, 14400, 96, 0), ('191B', '', 77, 14400, 96, 0),
    ('194B', '', 78, 14400, 96, 0), ('195B', '', 77, 14400, 96, 0), ('200B', '', 80, 14400, 96, 0),
    ('205B', '', 81, 14400, 96, 0),
    ('18B', '', 6, 14336, 64, 0), ('177B', '', 96, 12288, 64, 0), ('181B', '', 72, 14336, 64, 0),
    ('182B', '', 78, 13824, 64, 0), ('187B', '', 80, 13824, 64, 0), ('196B', '', 84, 13824, 64, 0),
    ('176B', '', 70, 14336, 64, 1), ('178B', '', 82, 13312, 64, 1), ('184B', '', 100, 12288, 64, 1),
    ('195B', '02-27', 106, 12288, 64, 1), ('203B', '', 94, 13312, 64, 1),
    ('206B', '', 82, 14336, 64, 1);

-- 'A=1; B=2', one field a row; what is empty, and a unit without a number, is NULL.
CREATE TABLE field AS
SELECT m.rowid AS id, trim(substr(part.value, 1, instr(part.value, '=') - 1)) AS name,
       nullif(nullif(trim(substr(part.value, instr(part.value, '=') + 1)), ''), 'GB') AS value
FROM measured AS m, json_each('["' || replace(m.row, ';', '","') || '"]') AS part;

CREATE TABLE run AS
WITH wide AS (
    SELECT id, max(value) FILTER (WHERE name = 'Size') AS size,
           max(substr(value, 1, 5)) FILTER (WHERE name = 'Notes') AS day,
           max(CAST(value AS INTEGER) * iif(name = 'Nodes', 8, 1))
               FILTER (WHERE name IN ('GPUs', 'Nodes')) AS gpus,
           CAST(max(value) FILTER (WHERE name = 'Layers') AS INTEGER) AS depth,
           CAST(max(value) FILTER (WHERE name = 'NHEADS') AS INTEGER) AS own_heads,
           ifnull(CAST(max(value) FILTER (WHERE name = 'DP') AS INTEGER), 1) AS dp,
           CAST(max(value) FILTER (WHERE name = 'TP') AS INTEGER) AS tp,
           CAST(max(value) FILTER (WHERE name = 'PP') AS INTEGER) AS pp,
           CAST(max(value) FILTER (WHERE name = 'MBS') AS INTEGER) AS mbs,
           CAST(max(value) FILTER (WHERE name = 'GBS') AS INTEGER) AS own_gbs,
           max(value) FILTER (WHERE name = 'ZS') AS zero,
           max(value) FILTER (WHERE name = 'Mem') AS memory,
           CAST(max(value) FILTER (WHERE name = 'Sec/it') AS REAL) AS seconds
    FROM field GROUP BY id)
SELECT id, w.size, w.day, gpus, dp, tp, pp, mbs, memory, nullif(seconds, 0) AS seconds,
       -- 182B is two shapes: the tables of 84 layers hold these times
       iif(seconds IN (125.52, 135.55, 122.93, 129.17, 103.82, 113.21, 129.61) AND w.size = '182B',
           84, ifnull(depth, layers)) AS layers,
       iif(seconds IN (125.52, 135.55, 122.93, 129.17, 103.82, 113.21, 129.61) AND w.size = '182B',
           13312, hidden) AS hidden,
       ifnull(own_heads, heads) AS heads, ends,
       -- the text's batch, where a row has none; 18B: 512 says the heading, and the row's TFLOPS agree
       iif(w.size = '18B', 512, ifnull(own_gbs, 2048)) AS gbs,
       iif(zero = '0', '.do0', '') AS knobs,
       iif(w.day >= '02-28', 'megatron-deepspeed-bf16', 'megatron-deepspeed-fp16') AS framework
FROM wide AS w JOIN shape AS s ON s.size = w.size AND s.from_day = (
    SELECT max(from_day) FROM shape WHERE size = w.size AND from_day <= w.day);

-- Tables of the document repeat rows of earlier ones.
CREATE TABLE distinct_run AS
SELECT 'bigscience-' || min(id) AS job, count(*) AS times, size, framework, knobs, layers, hidden, heads,
       ends, gpus, dp, tp, pp, mbs, gbs, max(memory) AS memory, seconds
FROM run WHERE tp * dp * pp = gpus
GROUP BY size, framework, knobs, layers, hidden, heads, gpus, dp, tp, pp, mbs, gbs, seconds,
         iif(seconds IS NULL, id, 0);

INSERT INTO setup(job, device, gpus, inter_gbs, flow_gbs, framework, layers, hidden, heads, vocab,
                  seq_length, learned_positions, tp, dp, pp, micro_batch, global_batch, recompute, knobs,
                  split)
SELECT job, 'A100-SXM-80GB', gpus, 50, 12.5, framework, layers, hidden, heads, 250880, 2048, 0, tp, dp, pp,
       mbs, gbs, 'full', knobs,
       CASE WHEN ends OR layers % pp > 0 THEN ( -- 78 layers on 12 stages: 11 of 7 and one of 1
           SELECT json_group_array(
               iif(ends, (layers + 2) / pp - (n IN (0, pp - 1)),
                   min((layers + pp - 1) / pp, layers - n * ((layers + pp - 1) / pp))))
           FROM (SELECT n FROM ordinal WHERE n < pp ORDER BY n)) END
FROM distinct_run;

CREATE TABLE predicted AS
SELECT p.job, p.model || ' with ' || p.framework || ' on ' || p.gpus || ' at ' || p.global_batch AS family,
       memory, seconds, iteration_ms, peak_mib, headroom_mib
FROM plan AS p JOIN distinct_run USING (job), memx_predict(p.job, p.config);

INSERT INTO point
SELECT 'bigscience.analytic', 'time', family, job, 1000 * seconds, iteration_ms
FROM predicted WHERE seconds IS NOT NULL
UNION ALL
SELECT 'bigscience.analytic', 'peak', family, job, 1000.0 * CAST(memory AS INTEGER), peak_mib
FROM predicted WHERE memory GLOB '[0-9]*';

-- A subset named after the errors were seen, by a rule that is older: widths that a kernel takes whole.
-- NVIDIA's guide to matrix products asks for multiples of 64 half precision elements on A100, and of
-- 8 at least. The document finds the same: 14400 is a quarter
-- slower than 13824.
INSERT INTO point
SELECT 'bigscience.analytic_aligned', kind, family, job, measured, predicted
FROM point JOIN setup USING (job)
WHERE kind = 'time' AND hidden % (64 * tp) = 0 AND hidden / heads % 8 = 0;

INSERT INTO extra
SELECT 'bigscience.analytic', 'peak', 'oom_called', count(*) FILTER (WHERE headroom_mib < 0), 'rows',
       'of ' || count(*) || ' that ran out of memory, predicted not to fit the card'
FROM predicted WHERE memory = 'OOM';

INSERT INTO left_out
SELECT 'bigscience.analytic', count(*), 'degrees do not make the number of GPUs'
FROM run WHERE tp * dp * pp <> gpus
UNION ALL
SELECT 'bigscience.analytic', (SELECT count(*) FROM run WHERE tp * dp * pp = gpus) - count(*),
       'repeated from an earlier table'
FROM distinct_run
UNION ALL
SELECT 'bigscience.analytic', count(*), 'neither time nor memory' FROM distinct_run
WHERE seconds IS NULL AND memory IS NULL
UNION ALL
SELECT 'bigscience.analytic', (SELECT count(*) FROM measured) - count(*), 'no shape for its size' FROM run;

INSERT INTO floor
SELECT 'bigscience.analytic', kind, avg(percent),
       'greatest over least of set-ups run more than once: mean of ' || count(*)
FROM (SELECT kind, 100 * (max(measured) / min(measured) - 1) AS percent
      FROM point JOIN setup USING (job) WHERE name = 'bigscience.analytic'
      GROUP BY kind, layers, hidden, heads, framework, gpus, tp, dp, pp, micro_batch, global_batch, knobs
      HAVING count(*) > 1)
GROUP BY kind;

INSERT INTO note VALUES
('bigscience.analytic', 'time', 'ms of the second iteration; nothing fitted'),
('bigscience.analytic', 'peak',
 'total memory as nvidia-smi shows it, whole GB read as 1000 MiB; nothing fitted'),
('bigscience.analytic_aligned', 'time',
 'the rows whose widths are multiples of 64 on every GPU, heads of 8');

INSERT INTO held_set VALUES ('bigscience', '{"memory": "total", "validate": 0}');
INSERT INTO hold
SELECT what, CASE what WHEN 'by_model' THEN json_array(s.layers, s.hidden, s.framework) WHEN 'by_tp' THEN s.tp
                       WHEN 'by_pp' THEN s.pp ELSE s.micro_batch END, m.id
FROM memx_run AS m JOIN setup AS s USING (job),
     (SELECT 'by_model' AS what UNION ALL SELECT 'by_tp' UNION ALL SELECT 'by_pp' UNION ALL SELECT 'by_mbs');
INSERT INTO note
SELECT 'bigscience.' || what, kind, 'each ' || substr(what, 4) || ' predicted after training on the others'
FROM (SELECT DISTINCT what FROM hold), (SELECT 'time' AS kind UNION ALL SELECT 'peak');
