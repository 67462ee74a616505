-- memx_measure(job [, jitter]): the stages to measure for a job, less those that memx_profile has; a row
-- there without measurements, as of a stage that ran out of memory, counts too. Stages leave the job's
-- reserve of the card free, by the analytic model.
--
-- Every stage runs on one node with Megatron-LM as it is: `flags` start a pipeline, as short as it can be,
-- that has such a stage, on `gpus` GPUs.
--   1. A whole factorial of the parameters that act together: least, middle and greatest tp, micro batch,
--      layers and recompute level, and sequence length, heads and groups where the space varies them, on
--      a pipeline of one stage. Middle: nearest the geometric mean. Where a number of layers does not fit
--      the card, the greatest that does.
--   2. What only adds to that, one at a time at the middle: dp, and the first, middle and last stage of
--      pipelines, with as many micro batches in flight as they hold.
--   3. Up to four more values of layers and of micro batch, between those of one cell: the sweeps by which
--      memx_linearity tells whether the three values of the others may be interpolated.
-- A parameter that memx_sensitivity has found to move neither time nor memory on the device (keep = 0), with
-- the job's framework, and model where that was measured, stays at its least value.
--
-- jitter = 1, without 3: micro batch and layers are drawn from the least, middle and greatest third of their
-- range (by logarithm) by a low-discrepancy sequence (R2: multiples of 1/g and 1/g^2, g^3 = g + 1), and the N
-- of a middle level block<N> goes through all values. A tree learns more from such points than from a grid's
-- corners; a grid has the sweeps that memx_linearity and memx_augmented need.
WITH
degrees AS MATERIALIZED (
    SELECT value ->> 0 AS device, value ->> 1 AS tp, value ->> 2 AS dp, value ->> 3 AS micro_batch,
           value ->> 4 AS seq_length, value ->> 5 AS heads, value ->> 6 AS kv_groups,
           value ->> 7 AS sequence_parallel, value ->> 8 AS distributed_optimizer, value ->> 9 AS least_pp,
           value ->> 10 AS pp, value ->> 11 AS node_gpus
    FROM json_each(?3, '$.degrees')),
task AS MATERIALIZED (
    SELECT m.*, f.framework, 1 - (?3 ->> 'reserve') AS share
    FROM memx_model AS m, memx_framework AS f
    WHERE m.model = ?3 ->> 'model' AND f.framework = ?3 ->> 'framework'),
level AS MATERIALIZED (
    SELECT value AS recompute, row_number() OVER (
        ORDER BY value <> 'none', value <> 'selective', value = 'full', value NOT GLOB 'block*',
                 CAST(ltrim(value, 'blockunifrm') AS INTEGER)) AS number
    FROM json_each(?3, '$.levels')),

-- Per device the degrees other than dp, with the least dp, where some stage fits.
own_dp AS (
    SELECT *, max(pp) OVER same AS most_pp, row_number() OVER (same ORDER BY dp, distributed_optimizer) AS n
    FROM degrees
    WINDOW same AS (PARTITION BY device, tp, micro_batch, seq_length, heads, kv_groups, sequence_parallel)),
tried AS MATERIALIZED (
    SELECT d.device, d.tp, d.dp, d.micro_batch, d.seq_length, d.heads, d.kv_groups, d.sequence_parallel,
           d.distributed_optimizer, l.recompute,
           t.share * (SELECT memory_mib FROM memx_device AS c WHERE c.device = d.device) AS memory_mib,
           stage_estimate(d.device, t.model, t.framework, (t.layers + most_pp - 1) / most_pp, 1, 1, d.tp,
                          d.dp, d.micro_batch, d.seq_length, d.heads, d.kv_groups, l.recompute, 1,
                          d.sequence_parallel, d.distributed_optimizer) ->> 'total_mib' AS total_mib
    FROM own_dp AS d, task AS t, level AS l WHERE d.n = 1),
core AS MATERIALIZED (
    SELECT DISTINCT device, tp, dp, micro_batch, seq_length, heads, kv_groups, sequence_parallel,
                    distributed_optimizer, memory_mib
    FROM tried WHERE total_mib <= memory_mib),
-- Selective where it saves less than 3 % of the peak is none, as in the search (ext/core/tables.c).
useful AS (
    SELECT s.device, l.recompute, row_number() OVER (PARTITION BY s.device ORDER BY l.number) - 1 AS n,
           count(*) OVER (PARTITION BY s.device) - 1 AS last
    FROM (SELECT DISTINCT device FROM core) AS s, level AS l
    WHERE l.recompute <> 'selective'
          OR NOT EXISTS (SELECT 1 FROM level WHERE recompute = 'none')
          OR EXISTS (SELECT 1 FROM tried AS a JOIN tried AS b USING (device, tp, micro_batch, seq_length,
                                                                     heads, kv_groups, sequence_parallel)
                     WHERE a.device = s.device AND a.recompute = 'none' AND b.recompute = 'selective'
                           AND b.total_mib < 0.97 * a.total_mib AND b.total_mib <= b.memory_mib)),

-- Least, middle and greatest: steps 0, 1 and 2.
fixed AS MATERIALIZED (
    SELECT device, parameter
    FROM (SELECT s.*, rank() OVER (PARTITION BY s.device, s.parameter ORDER BY s.model <> t.model) AS rank
          FROM sensitivity AS s JOIN task AS t USING (framework))
    WHERE rank = 1
    GROUP BY device, parameter
    HAVING max(keep) = 0 AND count(time_change_pct) > 0 AND count(memory_change_pct) > 0),
whole AS MATERIALIZED (
    WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n
                            WHERE n < (SELECT max(layers) FROM task) OR n < (SELECT max(micro_batch) FROM core)
                            LIMIT 100000)
    SELECT n FROM n),
value AS (
    SELECT DISTINCT device, 'tp' AS parameter, tp AS value FROM core
    UNION SELECT device, 'micro_batch', micro_batch FROM core
    UNION SELECT device, 'seq_length', seq_length FROM core
    UNION SELECT device, 'heads', heads FROM core
    UNION SELECT device, 'kv_groups', kv_groups FROM core
    UNION SELECT d.device, 'layers', n
          FROM (SELECT device, min(least_pp) AS pp FROM degrees GROUP BY device) AS d, task AS t, whole
          WHERE n <= t.layers - d.pp + 1),
extent AS MATERIALIZED (
    SELECT device, parameter, min(value) AS least, max(value) AS most FROM value GROUP BY device, parameter),
inside AS (
    SELECT v.*, row_number() OVER (
               PARTITION BY device, parameter
               ORDER BY max(1.0 * value * value, 1.0 * least * most) / min(1.0 * value * value, 1.0 * least * most),
                        value) AS n
    FROM value AS v JOIN extent AS e USING (device, parameter) WHERE value > least AND value < most),
step AS MATERIALIZED (
    SELECT device, parameter, step, value
    FROM (SELECT device, parameter, 0 AS step, least AS value FROM extent
          UNION ALL SELECT device, parameter, 1, value FROM inside WHERE n = 1
          UNION ALL SELECT device, parameter, 2, most FROM extent WHERE most > least
          UNION ALL SELECT device, 'recompute', CASE n WHEN 0 THEN 0 WHEN last THEN 2 ELSE 1 END, recompute
                    FROM useful WHERE n IN (0, last / 2, last))
    WHERE step = 0 OR (device, parameter) NOT IN (SELECT device, parameter FROM fixed)),

-- 1. The factorial, each cell with its number in the sequence.
cell AS MATERIALIZED (
    SELECT c.device, c.tp, c.dp, mb.value AS micro_batch, c.seq_length, c.heads, c.kv_groups,
           c.sequence_parallel, c.distributed_optimizer, c.memory_mib, r.value AS recompute,
           mb.step AS micro_batch_step, r.step AS recompute_step, l.step AS layers_step, l.value AS layers,
           (((((tp.step * 3 + mb.step) * 3 + r.step) * 3 + l.step) * 3 + seq.step) * 3 + hd.step) * 3
           + kv.step + 1 AS number
    FROM core AS c
         JOIN step AS tp ON (tp.device, tp.parameter, tp.value) = (c.device, 'tp', c.tp)
         JOIN step AS mb ON (mb.device, mb.parameter, mb.value) = (c.device, 'micro_batch', c.micro_batch)
         JOIN step AS seq ON (seq.device, seq.parameter, seq.value) = (c.device, 'seq_length', c.seq_length)
         JOIN step AS hd ON (hd.device, hd.parameter, hd.value) = (c.device, 'heads', c.heads)
         JOIN step AS kv ON (kv.device, kv.parameter, kv.value) = (c.device, 'kv_groups', c.kv_groups)
         JOIN step AS r ON (r.device, r.parameter) = (c.device, 'recompute')
         JOIN step AS l ON (l.device, l.parameter) = (c.device, 'layers')),
-- The three parts of a range by logarithm: up to a third, two thirds and all of it.
third AS MATERIALIZED (
    SELECT device, parameter, step,
           ifnull(lag(upper) OVER (PARTITION BY device, parameter ORDER BY step), least - 1) + 1 AS lower, upper
    FROM (SELECT e.device, e.parameter, e.least, k.step,
                 (SELECT max(n) FROM whole
                  WHERE 1.0 * n * n * n <= CASE k.step WHEN 0 THEN 1.0 * least * least * most
                                                       WHEN 1 THEN 1.0 * least * most * most
                                                       ELSE 1.0 * most * most * most END) AS upper
          FROM extent AS e, (SELECT 0 AS step UNION ALL SELECT 1 UNION ALL SELECT 2) AS k
          WHERE e.parameter IN ('micro_batch', 'layers'))),
drawn AS MATERIALIZED (
    SELECT c.*, CASE WHEN ?2 AND mb.upper >= mb.lower THEN
                    mb.lower + CAST((number * 0.7548776662466927 - CAST(number * 0.7548776662466927 AS INTEGER))
                                    * (mb.upper - mb.lower + 1) AS INTEGER)
                ELSE c.micro_batch END AS drawn_micro_batch,
           CASE WHEN ?2 AND l.upper >= l.lower THEN
                    l.lower + CAST((number * 0.5698402909980532 - CAST(number * 0.5698402909980532 AS INTEGER))
                                   * (l.upper - l.lower + 1) AS INTEGER)
                ELSE c.layers END AS drawn_layers
    FROM cell AS c
         JOIN third AS mb ON (mb.device, mb.parameter, mb.step) = (c.device, 'micro_batch', c.micro_batch_step)
         JOIN third AS l ON (l.device, l.parameter, l.step) = (c.device, 'layers', c.layers_step)),
-- Memory is straight over layers: of how many fit, two of them tell.
held AS MATERIALIZED (
    SELECT d.*, t.layers AS all_layers,
           stage_estimate(d.device, t.model, t.framework, 1, 1, 1, tp, dp, drawn_micro_batch, d.seq_length,
                          d.heads, d.kv_groups, recompute, 1, sequence_parallel,
                          distributed_optimizer) ->> 'total_mib' AS one_mib,
           stage_estimate(d.device, t.model, t.framework, t.layers, 1, 1, tp, dp, drawn_micro_batch,
                          d.seq_length, d.heads, d.kv_groups, recompute, 1, sequence_parallel,
                          distributed_optimizer) ->> 'total_mib' AS all_mib
    FROM drawn AS d, task AS t),
fitting AS MATERIALIZED (
    SELECT *, min(drawn_layers,
                  CASE WHEN all_mib <= memory_mib THEN all_layers
                       ELSE 1 + CAST((memory_mib - one_mib) / (all_mib - one_mib) * (all_layers - 1) AS INTEGER)
                       END) AS fitting_layers
    FROM held WHERE one_mib <= memory_mib),
single AS (
    SELECT device, fitting_layers AS layers, 1 AS first_stage, 1 AS last_stage, tp, dp,
           drawn_micro_batch AS micro_batch, seq_length, heads, kv_groups,
           CASE WHEN ?2 AND recompute_step = 1 AND recompute GLOB 'block*' AND fitting_layers > 2
                THEN 'block' || (1 + number % (fitting_layers - 1)) ELSE recompute END AS recompute,
           1 AS in_flight, sequence_parallel, distributed_optimizer
    FROM fitting),

-- 2. One at a time, at the middle cells of each tp, with the least and the greatest level.
middle AS MATERIALIZED (
    SELECT c.*, most_pp, node_gpus
    FROM cell AS c
         JOIN (SELECT device, max(pp) AS most_pp, max(node_gpus) AS node_gpus FROM degrees GROUP BY device)
             USING (device)
    WHERE recompute_step <> 1
          AND (micro_batch_step, layers_step) = (
              (SELECT min(step) FROM step AS s WHERE s.device = c.device AND s.parameter = 'micro_batch'
                                                     AND step = (SELECT count(*) > 2 FROM step AS n
                                                                 WHERE n.device = c.device
                                                                       AND n.parameter = 'micro_batch')),
              (SELECT count(*) > 2 FROM step AS s WHERE s.device = c.device AND s.parameter = 'layers'))),
dps AS (
    SELECT m.*, d.dp AS other_dp, d.distributed_optimizer AS other_optimizer,
           row_number() OVER (PARTITION BY m.device, m.number ORDER BY d.dp, d.distributed_optimizer) AS n,
           count(*) OVER (PARTITION BY m.device, m.number) AS last
    FROM middle AS m JOIN degrees AS d USING (device, tp, micro_batch, seq_length, heads, kv_groups,
                                              sequence_parallel)
    WHERE (m.device, 'dp') NOT IN (SELECT device, parameter FROM fixed)),
pipeline AS (
    SELECT m.*, min(most_pp, node_gpus / (tp * dp)) AS longest FROM middle AS m),
length AS (
    SELECT p.*, whole.n AS stages
    FROM pipeline AS p, whole
    WHERE whole.n IN (2, (longest + 2) / 2, longest) AND whole.n BETWEEN 2 AND longest
          AND (whole.n = min(3, longest) OR (device, 'in_flight') NOT IN (SELECT device, parameter FROM fixed))),
-- 3. The sweeps. Cubes spare us roots, which not every SQLite has.
dense AS MATERIALIZED (
    SELECT device, parameter, (SELECT max(n) FROM whole
                               WHERE 1.0 * n * n * n <= 1.0 * least * most * iif(k.value, most, least)) AS value
    FROM (SELECT device, parameter, lag(value) OVER (PARTITION BY device, parameter ORDER BY step) AS least,
                 value AS most
          FROM step WHERE parameter IN ('layers', 'micro_batch')),
         (SELECT 0 AS value UNION ALL SELECT 1) AS k
    WHERE least IS NOT NULL AND NOT ifnull(?2, 0)),
sweep AS (
    SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY device ORDER BY tp DESC, number) AS n
                   FROM middle WHERE recompute_step = 0) WHERE n = 1),
wanted(device, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, heads, kv_groups, recompute,
      in_flight, sequence_parallel, distributed_optimizer) AS (
    SELECT * FROM single
    UNION
    SELECT device, iif(parameter = 'layers', value, layers), 1, 1, tp, dp,
           iif(parameter = 'micro_batch', value, micro_batch), seq_length, heads, kv_groups, recompute, 1,
           sequence_parallel, distributed_optimizer
    FROM sweep JOIN dense USING (device)
    UNION
    SELECT device, layers, 1, 1, tp, other_dp, micro_batch, seq_length, heads, kv_groups, recompute, 1,
           sequence_parallel, other_optimizer
    FROM dps WHERE n IN (1, (last + 1) / 2, last)
    UNION
    SELECT device, layers, place = 0, place = stages - 1, tp, dp, micro_batch, seq_length, heads, kv_groups,
           recompute, stages - place, sequence_parallel, distributed_optimizer
    FROM (SELECT length.*, place FROM length, (SELECT 0 AS place UNION ALL SELECT 1) WHERE place < stages)),
-- Levels as they are written on so many layers: block<all> is full.
candidate AS (
    SELECT DISTINCT device, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, heads, kv_groups,
           CASE WHEN recompute GLOB 'block*' AND substr(recompute, 6) + 0 >= layers THEN 'full'
                WHEN recompute NOT GLOB 'uniform*' THEN recompute
                WHEN min(substr(recompute, 8) + 0, layers) = 1 THEN 'full'
                ELSE 'uniform' || min(substr(recompute, 8) + 0, layers) END AS recompute,
           in_flight, sequence_parallel, distributed_optimizer
    FROM wanted),
priced AS MATERIALIZED (
    SELECT c.*, t.model, t.framework,
           stage_estimate(c.device, t.model, t.framework, c.layers, first_stage, last_stage, tp, dp,
                          micro_batch, c.seq_length, c.heads, c.kv_groups, recompute, in_flight,
                          sequence_parallel, distributed_optimizer) AS estimate
    FROM candidate AS c, task AS t
    WHERE (c.device, t.model, t.framework, c.layers, first_stage, last_stage, tp, dp, micro_batch,
               c.seq_length, c.heads, c.kv_groups, recompute, in_flight, sequence_parallel,
               distributed_optimizer)
              NOT IN (SELECT device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
                             seq_length, heads, kv_groups, recompute, in_flight, sequence_parallel,
                             distributed_optimizer
                      FROM profile WHERE model = ?3 ->> 'model')),
staged AS (
    SELECT p.*, CASE WHEN first_stage AND last_stage THEN 1 WHEN first_stage THEN in_flight
                     WHEN last_stage THEN 2 ELSE in_flight + 1 END AS stages
    FROM priced AS p)
SELECT s.device, s.model, s.framework, s.layers, first_stage, last_stage, tp, dp, micro_batch, s.seq_length,
       s.heads, s.kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer,
       estimate ->> 'time_ms' AS expected_time_ms, estimate ->> 'total_mib' AS expected_peak_mib,
       tp * dp * stages AS gpus,
       stage_flags(s.model, s.framework, s.layers, stages, tp, micro_batch, micro_batch * dp * stages, s.seq_length,
                   s.heads, s.kv_groups, recompute, sequence_parallel, distributed_optimizer)
       -- NullTokenizer adds one word
       || ' --mock-data --tokenizer-type NullTokenizer --vocab-size ' || (t.vocab - 1)
       || ' --lr 1e-5 --train-iters 20 --eval-iters 0 --log-interval 1 --timing-log-level 2' AS flags
FROM staged AS s, task AS t
WHERE estimate ->> 'total_mib' <= (SELECT max(memory_mib) FROM core AS c WHERE c.device = s.device)
ORDER BY s.device, first_stage + last_stage <> 2, tp, dp, s.seq_length, s.heads, s.kv_groups, micro_batch,
         s.layers, recompute = 'full', recompute <> 'none', first_stage DESC, in_flight, recompute,
         sequence_parallel, distributed_optimizer
