-- What would AMP choose for a job, and what does MemX say of it? AMP's own cost of each of its
-- configurations (arXiv:2210.07297; github.com/DachengLi1/AMP, cost_het_cluster.py and pipe.py), its
-- first five, and beside them MemX's prediction. Read it in the directory that holds queries/. For mix20, or
-- beforehand, here as in the other files:
--
--   CREATE TEMP TABLE asked AS SELECT 'try' AS job;   -- another job, or several
--   CREATE TEMP TABLE asked_config(job, config);      -- a job's configurations to price, instead of its own
--   CREATE TEMP TABLE asked_level(job, level);        -- recompute in its own, which does not choose it: none
--
--   cost = (m - 1) max_s e_s + sum_s e_s + sum over cuts of c + max over (stage, TP rank) of DP sync
--
--   e    layers of a stage by one profile for all: three times the forward pass of a layer, measured at micro
--        batch 1, averaged over the device types by their share of the GPUs, times the micro batch
--        (get_cost_e). Here the profile is MemX's forward_ms, and four times for a layer that is recomputed
--   c    micro batch * sequence * hidden over the slowest link between the TP ranks of two stages, mean over
--        the replicas; one way (get_cost_c). 32-bit words, as its cluster files count bandwidth; the data
--        sheet's GB/s of the node or of the links within it
--   sync 2 (D - 1) / D words of 12 hidden^2 a layer, and hidden * vocab at either end (once where both are
--        one stage), over the slowest link of the ring (dp_cost; the code takes the ring's last link, which
--        is meant otherwise)
--
-- There is no memory in it. Its split minimises the slowest stage over these averaged layers (pipe_ast): even,
-- remainders first, which is exact as long as the head costs no more than a layer. So space `amp`, whose
-- split knows each device's own speed, is better than AMP's own picks, and the picks here are AMP's layouts
-- with even layers. Not written: orders that part nodes of one type, which its annealing may try.
.read queries/planner_cost/parts/asked.sql
DROP VIEW IF EXISTS temp.amp_formula;
DROP TABLE IF EXISTS temp.amp_cost;
DROP TABLE IF EXISTS temp.amp_row;
DROP TABLE IF EXISTS temp.amp_profile;
DROP TABLE IF EXISTS temp.amp_node;
CREATE TEMP TABLE amp_row AS
WITH layout AS MATERIALIZED (
    SELECT c.job, c.config, coalesce(e.level, 'none') AS level, layer_split(c.job, c.config, 'uniform') AS split
    FROM asked AS a JOIN memx_configs AS c ON c.job = a.job LEFT JOIN asked_level AS e ON e.job = a.job
    WHERE c.space = 'amp' AND a.job NOT IN (SELECT job FROM asked_config))
SELECT job, substr(config, 1, instr(config, '/')) || (
           SELECT group_concat(stage) FROM (
               SELECT substr(s.value, 1, instr(s.value, '*')) || l.value || ':' || level AS stage
               FROM json_each('["' || replace(substr(config, instr(config, '/') + 1), ',', '","') || '"]') AS s
                    JOIN json_each('[' || split || ']') AS l ON l.key = s.key
               ORDER BY s.key)) AS config
FROM layout
UNION
SELECT job, config FROM asked JOIN asked_config USING (job);

CREATE TEMP TABLE amp_node AS
SELECT j.job, n.ordinal AS node, n.gpus, d.device, coalesce(n.inter_gbs, c.inter_gbs) AS inter_gbs,
       coalesce(n.link_gbs, d.link_gbs) AS link_gbs
FROM memx_job AS j JOIN memx_cluster AS c USING (cluster) JOIN memx_node AS n USING (cluster)
     JOIN memx_device AS d ON d.device = coalesce((SELECT device FROM memx_device WHERE device = n.device),
                                                  (SELECT device FROM memx_alias WHERE name = n.device))
WHERE j.job IN (SELECT job FROM asked);

-- What it would have measured: a layer, in the longest stage there is, if possible neither the first nor the
-- last, and the head, at micro batch 1, by TP; the mean of the device types.
CREATE TEMP TABLE amp_profile AS
WITH stage AS MATERIALIZED (
    SELECT c.job, s.device, s.tp, s.layers, s.first_stage, s.last_stage, s.forward_ms
    FROM asked AS a JOIN memx_configs AS c ON c.job = a.job, memx_stages(c.job, c.config) AS s
    WHERE c.space = 'amp' AND c.micro_batch = 1),
layer AS (
    SELECT job, device, tp, max(layers - 1e6 * first_stage - 1e9 * last_stage), forward_ms / layers AS layer_ms
    FROM stage GROUP BY job, device, tp),
head AS ( -- without it where all are in one stage
    SELECT job, device, tp, avg(forward_ms - stage.layers * layer_ms) AS head_ms, min(first_stage) AS whole
    FROM stage JOIN layer USING (job, device, tp) WHERE last_stage GROUP BY job, device, tp, first_stage),
share AS (
    SELECT job, device, 1.0 * sum(gpus) / (SELECT sum(gpus) FROM amp_node AS b WHERE b.job = a.job) AS share
    FROM amp_node AS a GROUP BY job, device),
-- A stage on several types counts where there is no other.
known AS (
    SELECT job, tp, layer_ms, coalesce(share, 1e-9) AS share,
           (SELECT head_ms FROM head AS h WHERE (h.job, h.device, h.tp) = (l.job, l.device, l.tp)
            ORDER BY whole LIMIT 1) AS head_ms
    FROM layer AS l LEFT JOIN share USING (job, device))
SELECT job, tp, sum(share * layer_ms) / sum(share) AS layer_ms,
       coalesce(sum(share * head_ms) / sum(share) FILTER (WHERE head_ms IS NOT NULL), 0) AS head_ms
FROM known GROUP BY job, tp;

CREATE TEMP VIEW amp_formula AS
WITH plan AS MATERIALIZED (
    SELECT row_number() OVER () AS n, r.job, r.config, p.tp, p.pp, p.dp, p.micro_batch, p.micro_batches, p.layers,
           p.recompute,
           4e-6 * p.micro_batch * p.seq_length * m.hidden AS message_mb, -- GB/s are 1e6 bytes a ms
           4e-6 * 12 * m.hidden * m.hidden / p.tp AS layer_mb, 4e-6 * m.hidden * m.vocab / p.tp AS end_mb
    FROM amp_row AS r, memx_predict(r.job, r.config) AS p JOIN memx_model AS m ON m.model = p.model),
stage AS MATERIALIZED (
    SELECT n, l.key AS stage,
           l.value * layer_mb + (l.key = 0 OR l.key = pp - 1) * end_mb AS weights_mb,
           micro_batch * ((3 * l.value + CASE WHEN r.value = 'full' OR r.value GLOB 'uniform*' THEN l.value
                                              WHEN r.value GLOB 'block*' THEN substr(r.value, 6) + 0
                                              ELSE 0 END) * layer_ms
                          + 3 * (l.key = pp - 1) * head_ms) AS stage_ms
    FROM plan JOIN amp_profile USING (job, tp), json_each('[' || layers || ']') AS l
         JOIN json_each('["' || replace(recompute, ',', '","') || '"]') AS r ON r.key = l.key),
gpu AS MATERIALIZED (
    SELECT p.n, g.stage, g.dp_rank, g.tp_rank, d.node, d.inter_gbs, d.link_gbs
    FROM plan AS p, memx_gpus(p.job, p.config) AS g JOIN amp_node AS d ON d.job = p.job AND d.node = g.node),
hop AS (
    SELECT n, stage, dp_rank,
           min(iif(a.node = b.node, a.link_gbs, min(a.inter_gbs, b.inter_gbs))) AS gbs
    FROM gpu AS a JOIN (SELECT n, stage - 1 AS stage, dp_rank, tp_rank, node, inter_gbs FROM gpu) AS b
         USING (n, stage, dp_rank, tp_rank)
    GROUP BY n, stage, dp_rank),
ring AS (
    SELECT a.n, a.stage, min(iif(a.node = b.node, a.link_gbs, min(a.inter_gbs, b.inter_gbs))) AS gbs
    FROM plan AS p JOIN gpu AS a USING (n)
         JOIN gpu AS b ON b.n = a.n AND b.stage = a.stage
                          AND b.tp_rank = a.tp_rank AND b.dp_rank = (a.dp_rank + 1) % p.dp
    GROUP BY a.n, a.stage, a.tp_rank),
pipe AS (SELECT n, max(stage_ms) AS slowest_ms, sum(stage_ms) AS sum_ms FROM stage GROUP BY n),
sent AS (SELECT n, sum(1 / gbs) AS per_gbs FROM hop GROUP BY n),
synced AS (
    SELECT n, max(weights_mb / gbs) AS weights_ms
    FROM stage JOIN ring USING (n, stage) GROUP BY n)
SELECT job, config,
       (micro_batches - 1) * slowest_ms + sum_ms + coalesce(message_mb * per_gbs / dp, 0)
       + coalesce(2.0 * (dp - 1) / dp * weights_ms, 0) AS cost_ms
FROM plan JOIN pipe USING (n) LEFT JOIN sent USING (n) LEFT JOIN synced USING (n);
CREATE TEMP TABLE amp_cost AS SELECT * FROM amp_formula;

DROP TABLE IF EXISTS temp.own_cost;
CREATE TEMP TABLE own_cost AS
SELECT 'amp' AS planner, job, config, cost_ms FROM amp_cost;
.read queries/planner_cost/parts/first_five.sql
