-- A device's own name wins over an alias: 'T4' is also written for the A100 here, and nothing is another for that.
-- lab6 has T4 and V100; the measurements are MemX's own predictions times a factor. (Synthetic.)
.output /dev/null
CREATE TEMP TABLE asked AS SELECT 'lab6' AS job;
.read queries/planner_cost/amp.sql
.read queries/planner_cost/metis.sql
.read queries/planner_cost/hexiscale.sql
CREATE TEMP VIEW cost AS
SELECT 'amp' AS who, * FROM amp_cost UNION ALL SELECT 'metis', * FROM metis_cost
UNION ALL SELECT rule, job, config, cost_ms FROM hexiscale_all;
CREATE TEMP TABLE before AS SELECT * FROM cost;
DROP VIEW cost; -- what it is made of is made anew below
INSERT INTO memx_alias(name, device) VALUES ('T4', 'A100-SXM-80GB');
.read queries/planner_cost/amp.sql
.read queries/planner_cost/metis.sql
.read queries/planner_cost/hexiscale.sql
CREATE TEMP VIEW cost AS
SELECT 'amp' AS who, * FROM amp_cost UNION ALL SELECT 'metis', * FROM metis_cost
UNION ALL SELECT rule, job, config, cost_ms FROM hexiscale_all;
.output
SELECT 'costs of ' || who, count(*) > 0, sum(b.cost_ms IS NOT c.cost_ms) AS others
FROM before AS b LEFT JOIN cost AS c USING (who, job, config) GROUP BY who;

-- Calibrated for a cluster: rows of its own devices, of T4 here and not of A100.
CREATE TEMP TABLE stage AS
SELECT DISTINCT d.value AS device, s.layers, s.tp, s.micro_batch, s.in_flight
FROM memx_configs AS c, memx_stages('lab6', c.config) AS s, json_each('["T4", "A100-SXM-80GB", "V100-SXM2-16GB"]') AS d
WHERE c.job = 'lab6' AND s.device = 'T4' AND s.recompute = 'none' AND s.dp = 1;
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
                         in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib)
SELECT device, 'llama2-6layer', 'megatron-fp16', layers, 0, 0, tp, 1, micro_batch, 2048, in_flight, 0, 0,
       1.1 * (e ->> 'time_ms'), e ->> 'reserved_mib'
FROM (SELECT *, stage_estimate(device, 'llama2-6layer', 'megatron-fp16', layers, 0, 0, tp, 1, micro_batch, 2048, NULL, NULL,
                               'none', in_flight, 0, 0) AS e FROM stage);
SELECT 'rows', device, count(*) FROM memx_profile GROUP BY device;
WITH report(r) AS MATERIALIZED (SELECT memx_calibrate('lab6'))
SELECT 'for a cluster', r ->> 'rows' - (SELECT count(*) FROM memx_profile WHERE device <> 'A100-SXM-80GB') AS more,
       (SELECT group_concat(c.value ->> 'device') FROM json_each(r, '$.calibration') AS c)
FROM report;
SELECT 'its jobs use it', predictor FROM memx_configs WHERE job = 'lab6' LIMIT 1;

-- What was not calibrated on T4 is not chosen for a cluster with T4.
DELETE FROM memx_predictor;
DELETE FROM memx_profile WHERE device = 'T4';
SELECT 'trained', memx_train('without', '{"validate": 0, "trees": "never"}') IS NOT NULL;
SELECT 'other devices', predictor FROM memx_configs WHERE job = 'lab6' LIMIT 1;
