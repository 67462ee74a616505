-- What planners.sh needs once for all seeds: the larger jobs, and what does not depend on measurements.
INSERT INTO memx_cluster(cluster, inter_gbs, note)
SELECT column1, inter_gbs, 'mix20, ' || column2 || ' times' FROM memx_cluster, (VALUES ('mix40', 2), ('mix60', 3))
WHERE cluster = 'mix20';
INSERT INTO memx_node(cluster, ordinal, device, gpus)
SELECT column1, column2 * ordinal + copy.value, device, gpus
FROM memx_node, (VALUES ('mix40', 2), ('mix60', 3)), json_each('[0, 1, 2]') AS copy
WHERE cluster = 'mix20' AND copy.value < column2;
INSERT INTO memx_model(model, family, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length,
                       gated_mlp, tied_embeddings, biases, qkv_biases, learned_positions, norm, source)
SELECT model || '-' || (layers * value) || 'layer', family, layers * value, hidden, heads, kv_groups, head_dim,
       ffn_hidden, vocab, seq_length, gated_mlp, tied_embeddings, biases, qkv_biases, learned_positions, norm,
       model || ', longer'
FROM memx_model, json_each('[2, 3]') WHERE model = 'llama2-7b';
INSERT INTO memx_job(job, cluster, model, framework, global_batch)
SELECT 'mix' || (20 * value), 'mix' || (20 * value), j.model || '-' || (m.layers * value) || 'layer', framework,
       global_batch
FROM memx_job AS j JOIN memx_model AS m USING (model), json_each('[2, 3]') WHERE job = 'mix20';

-- WHO's own configurations; those that all are judged by, and a sample with recompute for MemX; what is run; costs;
-- MemX's first ones.
CREATE TABLE own(profile, who, job, config);
CREATE TABLE shared(job, config, PRIMARY KEY(job, config));
CREATE TABLE sample(job, config, PRIMARY KEY(job, config));
CREATE TABLE planned(job, config, PRIMARY KEY(job, config));
CREATE TABLE cost(profile, who, job, config, cost_ms);
CREATE TABLE pick(profile, who, job, config, place);
CREATE TABLE predicted(profile, job, config, iteration_ms, phi, fits);

UPDATE memx_job SET predictor = 'analytic' WHERE job LIKE 'mix%';
CREATE TEMP TABLE asked AS SELECT 'mix20' AS job;
.output /dev/null
.read queries/planner_cost/hexiscale.sql
.read queries/planner_cost/amp.sql
.output
INSERT INTO shared SELECT job, config FROM amp_row UNION SELECT job, config FROM hexiscale_row;
INSERT INTO sample SELECT job, config FROM memx_configs WHERE job = 'mix20' AND shard = 0 AND shards = 120;
-- Each stage two and three times, of those that may run.
CREATE TEMP TABLE longer AS
SELECT part, 'mix' || (20 * times.value) AS job, substr(config, 1, instr(config, '/')) || (
           SELECT group_concat(value) FROM (
               SELECT s.value
               FROM json_each('["' || replace(substr(config, instr(config, '/') + 1), ',', '","') || '"]') AS s
                    JOIN json_each('[1, 2, 3]') AS copy ON copy.value <= times.value
               ORDER BY s.key)) AS config
FROM (SELECT 'shared' AS part, s.config FROM shared AS s, memx_predict(s.job, s.config) WHERE headroom > -0.2
      UNION ALL SELECT 'sample', config FROM sample), json_each('[2, 3]') AS times;
INSERT INTO shared SELECT job, config FROM longer WHERE part = 'shared';
INSERT INTO sample SELECT job, config FROM longer WHERE part = 'sample';

INSERT INTO asked VALUES ('mix40'), ('mix60');
.output /dev/null
.read queries/planner_cost/hexiscale.sql
.output
INSERT INTO own
SELECT column1, iif(rule = 'compute', 'hexiscale', 'hexiscale_by_memory'), job, config
FROM hexiscale_row, (VALUES ('analytic'), ('measured')) WHERE job = 'mix20' OR column1 = 'measured';
INSERT INTO cost
SELECT column1, iif(rule = 'compute', 'hexiscale', 'hexiscale_by_memory'), job, config, cost_ms
FROM hexiscale_all, (VALUES ('analytic'), ('measured')) WHERE job = 'mix20' OR column1 = 'measured';
DELETE FROM hexiscale_row;
INSERT INTO hexiscale_row
SELECT job, '', config FROM shared
WHERE (job, config) NOT IN (SELECT job, config FROM cost WHERE who = 'hexiscale');
INSERT INTO cost
SELECT column1, 'hexiscale', job, config, cost_ms
FROM hexiscale_formula, (VALUES ('analytic'), ('measured')) WHERE job = 'mix20' OR column1 = 'measured';
INSERT INTO planned
SELECT job, config FROM shared UNION SELECT job, config FROM sample UNION SELECT job, config FROM own;
DELETE FROM asked WHERE job <> 'mix20';
.read tests/evaluation/planners_profile.sql
CREATE TABLE truth(id INTEGER PRIMARY KEY, job, config, iteration_ms REAL, oom, source);
CREATE TABLE truth_gpu(run, rank, allocated_mib REAL, reserved_mib REAL, PRIMARY KEY(run, rank));
