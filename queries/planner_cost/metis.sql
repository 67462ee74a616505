-- What would Metis choose for a job, and what does MemX say of it? Metis's own cost of each configuration
-- of space `metis` (USENIX ATC 2024; github.com/SamsungLabs/Metis, model/cost_estimator.py), its first five,
-- and beside them MemX's prediction. Read it in the directory that holds queries/.
--
--   cost = (m - 1) max_s e_s + sum_s e_s + m * fb_sync + max_s update + max_s DP sync + sum over cuts of c
--          + m * batch_generator
--
--   e        layers of a stage by the profile of its own device, TP degree and micro batch, forward and backward
--            (_get_execution_cost). Here MemX's time_ms of the stage less micro_batch_ms
--   fb_sync  what a micro batch costs the last stage beyond its layers; here the framework's micro_batch_ms
--   update   twice (data_loader.py) the optimizer's time for the whole model, by layers / TP; of one profile
--            for all devices, here MemX's update_bytes a parameter over the slowest device's memory
--   sync     2 (D - 1) / D bytes of the stage's weights, 32 bit as in its example profile, over the link if
--            the stage lies within one node, else the network (model/cluster_bandwidth.py)
--   c        micro batch * sequence * hidden of 32 bit over the link or the network; one way
--
-- Data sheet bandwidths in GB/s: the code reads the link's where it means the network's (gpu_cluster.py), and
-- README and code count them in different units. What is not written: batch_generator, an input that no
-- formula gives (0 here; it adds m times the same); degrees that differ from stage to stage; a replica's own
-- micro batch in stages of mixed devices, of which mix20 has none; and its memory check, five times
-- (load_balancer.py, mem_coef) what a layer was measured to hold: a row is here if it fits by MemX's
-- prediction, and what Metis would split anew by memory is left out.
.read queries/planner_cost/parts/asked.sql
DROP VIEW IF EXISTS temp.metis_formula;
DROP TABLE IF EXISTS temp.metis_cost;
DROP TABLE IF EXISTS temp.metis_row;
DROP TABLE IF EXISTS temp.metis_node;
-- Space `metis` at any level: that of `amp`, layers by compute, less what does not fit.
CREATE TEMP TABLE metis_row AS
WITH layout AS MATERIALIZED (
    SELECT c.job, c.config, coalesce(e.level, 'none') AS level, layer_split(c.job, c.config, 'compute') AS split
    FROM asked AS a JOIN memx_configs AS c ON c.job = a.job LEFT JOIN asked_level AS e ON e.job = a.job
    WHERE c.space = 'amp' AND a.job NOT IN (SELECT job FROM asked_config)),
plan AS (
    SELECT job, substr(config, 1, instr(config, '/')) || (
               SELECT group_concat(stage) FROM (
                   SELECT substr(s.value, 1, instr(s.value, '*')) || l.value || ':' || level AS stage
                   FROM json_each('["' || replace(substr(config, instr(config, '/') + 1), ',', '","') || '"]') AS s
                        JOIN json_each('[' || split || ']') AS l ON l.key = s.key
                   ORDER BY s.key)) AS config
    FROM layout)
SELECT r.job, r.config
FROM plan AS r JOIN asked_reserve USING (job), memx_predict(r.job, r.config)
WHERE headroom >= reserve
UNION
SELECT job, config FROM asked JOIN asked_config USING (job);

CREATE TEMP TABLE metis_node AS
SELECT j.job, n.ordinal AS node, d.memory_gbs * d.memory_efficiency AS memory_gbs,
       coalesce(n.inter_gbs, c.inter_gbs) AS inter_gbs,
       coalesce(n.link_gbs, d.link_gbs) AS link_gbs
FROM memx_job AS j JOIN memx_cluster AS c USING (cluster) JOIN memx_node AS n USING (cluster)
     JOIN memx_device AS d ON d.device = coalesce((SELECT device FROM memx_device WHERE device = n.device),
                                                  (SELECT device FROM memx_alias WHERE name = n.device))
WHERE j.job IN (SELECT job FROM asked);

CREATE TEMP VIEW metis_formula AS
WITH plan AS MATERIALIZED (
    SELECT row_number() OVER () AS n, r.job, r.config, p.tp, p.dp, p.micro_batches, f.micro_batch_ms,
           m.layers AS model_layers,
           4e-6 * p.micro_batch * p.seq_length * m.hidden AS message_mb, -- GB/s are 1e6 bytes a ms
           4e-6 * (2 * m.hidden * (m.heads + m.kv_groups) * m.head_dim
                   + (2 + m.gated_mlp) * m.hidden * m.ffn_hidden) / p.tp AS layer_mb,
           4e-6 * m.hidden * m.vocab / p.tp AS end_mb,
           2e-6 * f.update_bytes
           * coalesce(m.published_parameters, m.layers * (2 * m.hidden * (m.heads + m.kv_groups) * m.head_dim
                          + (2 + m.gated_mlp) * m.hidden * m.ffn_hidden) + 2 * m.hidden * m.vocab)
           / (SELECT min(memory_gbs) FROM metis_node AS d WHERE d.job = r.job) / p.tp AS update_ms
    FROM metis_row AS r, memx_predict(r.job, r.config) AS p JOIN memx_model AS m ON m.model = p.model
         JOIN memx_job AS j ON j.job = r.job JOIN memx_framework AS f USING (framework)),
place AS MATERIALIZED (
    SELECT p.n, g.stage, min(d.node) AS low, max(d.node) AS high, min(d.link_gbs) AS link_gbs,
           min(d.inter_gbs) AS inter_gbs
    FROM plan AS p, memx_gpus(p.job, p.config) AS g JOIN metis_node AS d ON d.job = p.job AND d.node = g.node
    GROUP BY p.n, g.stage),
stage AS MATERIALIZED (
    SELECT p.n, s.stage, s.time_ms - p.micro_batch_ms AS stage_ms,
           p.update_ms * s.layers / p.model_layers AS update_ms,
           2.0 * (p.dp - 1) / p.dp * (s.layers * layer_mb + (s.first_stage + s.last_stage) * end_mb)
           / iif(a.low = a.high, a.link_gbs, a.inter_gbs) AS sync_ms,
           message_mb / iif(min(a.low, b.low) = max(a.high, b.high), a.link_gbs, min(a.inter_gbs, b.inter_gbs))
           AS hop_ms
    FROM plan AS p, memx_stages(p.job, p.config) AS s
         JOIN place AS a ON a.n = p.n AND a.stage = s.stage
         LEFT JOIN place AS b ON b.n = p.n AND b.stage = s.stage + 1)
SELECT p.job, p.config,
       (micro_batches - 1) * max(stage_ms) + sum(stage_ms) + micro_batches * micro_batch_ms
       + max(s.update_ms) + max(sync_ms) + total(hop_ms) AS cost_ms
FROM plan AS p JOIN stage AS s USING (n) GROUP BY p.n;
CREATE TEMP TABLE metis_cost AS SELECT * FROM metis_formula;

DROP TABLE IF EXISTS temp.own_cost;
CREATE TEMP TABLE own_cost AS
SELECT 'metis' AS planner, job, config, cost_ms FROM metis_cost;
.read queries/planner_cost/parts/first_five.sql
