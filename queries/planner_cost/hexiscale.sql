-- What would HexiScale choose for a job, and what does MemX say of it? HexiScale's own cost of each of its
-- configurations (arXiv:2409.01143; github.com/Relaxed-System-Lab/FlashFlex, experimental/cost_modeling.py),
-- its first five, and beside them MemX's prediction. Read it in the directory that holds queries/.
--
--   cost = 1.8 * max over pipelines of P + 1.1 * DP       (overall_cost: its two fudge factors)
--
--   P    a pass of the micro batches through the pipeline, in step: in each step the slowest of the stages
--        that are at work, computing and sending (pipeline_cost)
--   stage, a layer: 72 b s h^2 (1 + s / 6h + V / 16Lh) FLOPs over the peak of its devices together, and eight
--        transfers of b s h to each other TP rank, 1 / TP of it each (mb_tp_layer_comm_cost); 96 and twelve
--        where the layer is recomputed
--   send twice the quickest way from a rank to a rank, and from there 1 / TP to each other one (mb_pp_comm_cost)
--   DP   each layer after the other: 2 * 12 h^2 / (TP D) to each other replica (dp_layer_comm_cost)
--   out of memory: 8 bytes a parameter, 12 h^2 a layer, embeddings whole at the ends; activations, 16 bit,
--        of b s h / TP a layer and two more (MemoryCost): far less than what training holds
--
-- Half precision, data sheet peaks and GB/s. Layers in proportion to FLOPS, as the MemX paper has it; the
-- public code (experimental/layer_partition.py) shares them by memory, which gives the second table.
-- Not written: TP degrees that differ from stage to stage, and a batch for each pipeline.
.read queries/planner_cost/parts/asked.sql
DROP VIEW IF EXISTS temp.hexiscale_cost;
DROP VIEW IF EXISTS temp.hexiscale_formula;
DROP TABLE IF EXISTS temp.hexiscale_all;
DROP TABLE IF EXISTS temp.hexiscale_row;
DROP TABLE IF EXISTS temp.hexiscale_node;
-- Space `amp` is space `hexiscale` with stages of several devices and rows that do not fit.
CREATE TEMP TABLE hexiscale_row AS
WITH layout AS MATERIALIZED (
    SELECT c.job, rule.value AS rule, c.config, coalesce(e.level, 'none') AS level,
           layer_split(c.job, c.config, rule.value) AS split
    FROM asked AS a JOIN memx_configs AS c ON c.job = a.job LEFT JOIN asked_level AS e ON e.job = a.job,
         json_each('["compute", "memory"]') AS rule
    WHERE c.space = 'amp' AND instr(c.devices, '|') = 0 AND a.job NOT IN (SELECT job FROM asked_config))
SELECT job, rule, substr(config, 1, instr(config, '/')) || (
           SELECT group_concat(stage) FROM (
               SELECT substr(s.value, 1, instr(s.value, '*')) || l.value || ':' || level AS stage
               FROM json_each('["' || replace(substr(config, instr(config, '/') + 1), ',', '","') || '"]') AS s
                    JOIN json_each('[' || split || ']') AS l ON l.key = s.key
               ORDER BY s.key)) AS config
FROM layout
UNION
SELECT job, 'compute', config FROM asked JOIN asked_config USING (job);

CREATE TEMP TABLE hexiscale_node AS
SELECT j.job, n.ordinal AS node, d.memory_mib, d.peak_tflops,
       coalesce(n.inter_gbs, c.inter_gbs) AS inter_gbs,
       coalesce(n.link_gbs, d.link_gbs) AS link_gbs
FROM memx_job AS j JOIN memx_cluster AS c USING (cluster) JOIN memx_node AS n USING (cluster)
     JOIN memx_device AS d ON d.device = coalesce((SELECT device FROM memx_device WHERE device = n.device),
                                                  (SELECT device FROM memx_alias WHERE name = n.device))
WHERE j.job IN (SELECT job FROM asked);

CREATE TEMP VIEW hexiscale_formula AS
WITH plan AS MATERIALIZED (
    SELECT row_number() OVER () AS n, r.job, r.config, r.rule, p.tp, p.pp, p.dp, p.micro_batches, p.layers, p.recompute,
           m.hidden, m.vocab, p.seq_length,
           2e-6 * p.micro_batch * p.seq_length * m.hidden AS message_mb, -- GB/s are 1e6 bytes a ms
           2e-6 * 12 * m.hidden * m.hidden AS layer_mb,
           72e-9 * p.micro_batch * p.seq_length * m.hidden * m.hidden
           * (1 + p.seq_length / (6.0 * m.hidden) + m.vocab / (16.0 * m.layers * m.hidden)) AS layer_gflop
    FROM hexiscale_row AS r, memx_predict(r.job, r.config) AS p JOIN memx_model AS m ON m.model = p.model),
gpu AS MATERIALIZED (
    SELECT p.n, p.tp, p.pp, p.dp, g.stage, g.dp_rank, g.tp_rank, d.*
    FROM plan AS p, memx_gpus(p.job, p.config) AS g JOIN hexiscale_node AS d ON d.job = p.job AND d.node = g.node),
-- From a rank of a stage to one of the next, which passes it on to its fellows.
way AS (
    SELECT a.n, a.stage, a.dp_rank,
           min(1 / iif(a.node = b.node, a.link_gbs, min(a.inter_gbs, b.inter_gbs))
               + (b.tp - 1.0) / b.tp / b.link_gbs) AS per_gbs
    FROM gpu AS a JOIN gpu AS b ON b.n = a.n AND b.stage = a.stage + 1 AND b.dp_rank = a.dp_rank
    GROUP BY a.n, a.stage, a.dp_rank),
-- From a replica to all others; the code counts the first TP rank.
fan AS (
    SELECT n, stage, max(per_gbs) AS per_gbs
    FROM (SELECT a.n, a.stage, a.dp_rank,
                 sum(1 / iif(a.node = b.node, a.link_gbs, min(a.inter_gbs, b.inter_gbs))) AS per_gbs
          FROM gpu AS a JOIN gpu AS b ON b.n = a.n AND b.stage = a.stage AND b.dp_rank <> a.dp_rank AND b.tp_rank = 0
          WHERE a.tp_rank = 0
          GROUP BY a.n, a.stage, a.dp_rank)
    GROUP BY n, stage),
stage AS MATERIALIZED (
    SELECT l.n, l.micro_batches, l.pp, g.stage, g.dp_rank, g.dp_rank = 0 AS one,
           (l.value + again / 3.0) * layer_gflop / (g.peak_tflops * l.tp)
           + (8 * l.value + 4 * again) * (l.tp - 1.0) / l.tp * message_mb / g.link_gbs
           + coalesce(2 * message_mb * w.per_gbs, 0) AS step_ms,
           coalesce(2.0 * l.value * layer_mb / (l.tp * l.dp) * f.per_gbs, 0) AS sync_ms,
           -- MiB beyond what the card has
           (8.0 * (l.value * 12.0 * hidden * hidden / l.tp
                   + iif(g.stage = 0, hidden * (vocab + l.seq_length), 0)
                   + iif(g.stage = l.pp - 1, hidden * (vocab + 1), 0))
            + 1e6 * message_mb * (1.0 * l.value / l.tp + 2)) / 1048576 - g.memory_mib AS over_mib
    FROM (SELECT plan.*, l.key, l.value,
                 CASE WHEN r.value = 'full' OR r.value GLOB 'uniform*' THEN l.value
                      WHEN r.value GLOB 'block*' THEN substr(r.value, 6) + 0 ELSE 0 END AS again
          FROM plan, json_each('[' || layers || ']') AS l
               JOIN json_each('["' || replace(recompute, ',', '","') || '"]') AS r ON r.key = l.key) AS l
         JOIN gpu AS g ON g.n = l.n AND g.stage = l.key AND g.tp_rank = 0
         LEFT JOIN way AS w ON w.n = g.n AND w.stage = g.stage AND w.dp_rank = g.dp_rank
         LEFT JOIN fan AS f ON f.n = g.n AND f.stage = g.stage),
-- Between filling and draining, all steps are equal: only one of them is counted here.
step AS (
    SELECT 0 AS step UNION ALL
    SELECT step + 1 FROM step WHERE step < (SELECT max(min(micro_batches, pp) + pp) FROM plan) - 2),
pass AS (
    SELECT n, dp_rank, sum(slowest_ms) + max(0, micro_batches - pp) * max(slowest_ms) AS pass_ms
    FROM (SELECT n, dp_rank, micro_batches, pp, step, max(step_ms) AS slowest_ms
          FROM stage JOIN step ON step BETWEEN stage AND stage + min(micro_batches, pp) - 1
          GROUP BY n, dp_rank, step)
    GROUP BY n, dp_rank),
pipe AS (SELECT n, max(pass_ms) AS pass_ms FROM pass GROUP BY n),
rest AS (
    SELECT n, sum(sync_ms) FILTER (WHERE one) AS sync_ms, max(over_mib) AS over_mib
    FROM stage GROUP BY n)
SELECT p.job, p.rule, p.config, 1.8 * pass_ms + 1.1 * sync_ms AS cost_ms
FROM plan AS p JOIN pipe USING (n) JOIN rest USING (n) WHERE over_mib <= 0;
CREATE TEMP TABLE hexiscale_all AS SELECT * FROM hexiscale_formula;
CREATE TEMP VIEW hexiscale_cost AS SELECT job, config, cost_ms FROM hexiscale_all WHERE rule = 'compute';

DROP TABLE IF EXISTS temp.own_cost;
CREATE TEMP TABLE own_cost AS
SELECT 'hexiscale' AS planner, job, config, cost_ms FROM hexiscale_cost;
.read queries/planner_cost/parts/first_five.sql

DROP TABLE IF EXISTS temp.own_cost;
CREATE TEMP TABLE own_cost AS
SELECT 'by memory' AS planner, job, config, cost_ms FROM hexiscale_all WHERE rule = 'memory';
.read queries/planner_cost/parts/first_five.sql
