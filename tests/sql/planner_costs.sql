-- The other planners' costs, on any job: one device type and several, several jobs at once as one at a time,
-- given configurations at any recompute level, one stage.
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('one', 50), ('alike', 50);
INSERT INTO memx_node(cluster, ordinal, device, gpus)
SELECT 'alike', value, 'A100-SXM-80GB', 8 FROM json_each('[0, 1, 2, 3]');
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('one', 0, 'A100-SXM-80GB', 8);
INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length)
VALUES ('small', 24, 2048, 16, 16, 128, 8192, 50257, 2048);
INSERT INTO memx_job(job, cluster, model, framework, global_batch) VALUES
    ('one', 'one', 'small', 'megatron-bf16', 64), ('alike', 'alike', 'small', 'megatron-bf16', 256);

.output /dev/null
CREATE TEMP TABLE asked AS SELECT 'mix20' AS job UNION SELECT 'one' UNION SELECT 'alike' UNION SELECT 'lab6';
.read queries/planner_cost/fasop.sql
.read queries/planner_cost/metis.sql
.read queries/planner_cost/hexiscale.sql
CREATE TEMP TABLE together AS
SELECT 'amp' AS who, * FROM amp_cost UNION ALL SELECT 'fasop', * FROM fasop_cost
UNION ALL SELECT 'metis', * FROM metis_cost UNION ALL SELECT rule, job, config, cost_ms FROM hexiscale_all;
CREATE TEMP TABLE alone AS SELECT * FROM together WHERE 0;
DELETE FROM asked;
INSERT INTO asked VALUES ('alike');
.read queries/planner_cost/fasop.sql
.read queries/planner_cost/metis.sql
.read queries/planner_cost/hexiscale.sql
INSERT INTO alone
SELECT 'amp' AS who, * FROM amp_cost UNION ALL SELECT 'fasop', * FROM fasop_cost
UNION ALL SELECT 'metis', * FROM metis_cost UNION ALL SELECT rule, job, config, cost_ms FROM hexiscale_all;
DELETE FROM asked;
INSERT INTO asked VALUES ('lab6');
.read queries/planner_cost/fasop.sql
.read queries/planner_cost/metis.sql
.read queries/planner_cost/hexiscale.sql
INSERT INTO alone
SELECT 'amp' AS who, * FROM amp_cost UNION ALL SELECT 'fasop', * FROM fasop_cost
UNION ALL SELECT 'metis', * FROM metis_cost UNION ALL SELECT rule, job, config, cost_ms FROM hexiscale_all;
.output
.print -- costs of every job: rows, without a cost
SELECT job, who, count(*), count(*) - count(cost_ms) FROM together GROUP BY job, who;
.print -- one at a time: rows, of them other than together
SELECT count(*), (SELECT count(*) FROM (SELECT * FROM alone EXCEPT SELECT * FROM together)) FROM alone;

.print -- the same three configurations at three levels, one stage among them: cost over that of none
CREATE TABLE skeleton(text);
INSERT INTO skeleton VALUES ('tp1.dp8.mb1.seq2048/A100-SXM-80GB*24:'), ('tp8.dp1.mb1.seq2048/A100-SXM-80GB*24:'),
    ('tp2.dp2.mb2.seq2048/A100-SXM-80GB*12:LEVEL,A100-SXM-80GB*12:');
DELETE FROM asked_config;
INSERT INTO asked_config
SELECT 'one', replace(text, 'LEVEL', value) || value FROM skeleton, json_each('["none", "full", "block6"]');
DELETE FROM asked;
INSERT INTO asked VALUES ('one');
.output /dev/null
.read queries/planner_cost/fasop.sql
.read queries/planner_cost/metis.sql
.read queries/planner_cost/hexiscale.sql
.output
WITH cost AS (
    SELECT 'amp' AS who, * FROM amp_cost UNION ALL SELECT 'metis', * FROM metis_cost
    UNION ALL SELECT 'hexiscale', * FROM hexiscale_cost)
SELECT who, substr(config, 1, 7), printf('%.0f', min(cost_ms)) AS none_ms,
       printf('%.3f', max(cost_ms) FILTER (WHERE config LIKE '%full') / min(cost_ms)) AS full,
       printf('%.3f', max(cost_ms) FILTER (WHERE config LIKE '%block6') / min(cost_ms)) AS block6
FROM cost GROUP BY who, substr(config, 1, 7);

.print -- at level full, all its own
DELETE FROM asked_config;
INSERT INTO asked_level VALUES ('one', 'full');
.read queries/planner_cost/metis.sql
