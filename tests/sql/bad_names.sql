-- A name that is nowhere is a slip of the pen, not an empty answer: the message names the three nearest.

SELECT count(*) FROM memx_configs WHERE job = 'mix2o';
SELECT count(*) FROM memx_configs WHERE job = 'MIX20';
SELECT count(*) FROM memx_configs WHERE cluster = 'mix2o';
SELECT count(*) FROM memx_configs WHERE model = 'llama2_7b';
SELECT count(*) FROM memx_configs WHERE job = 'mix20' AND space = 'fre';
SELECT count(*) FROM memx_configs WHERE cluster = 'mix20' AND space = 'fre' ORDER BY phi LIMIT 10;
SELECT count(*) FROM memx_configs('fre');
SELECT count(*) FROM memx_configs WHERE job = 'mix20' AND weights = 'saf';
SELECT count(*) FROM memx_configs WHERE job = '';
SELECT count(*) FROM memx_configs WHERE job = printf('%.200c', 'x');
SELECT count(*) FROM memx_configs WHERE job IN ('mix20', 'lab');
SELECT count(*) FROM memx_predict('lab', 'tp1');
SELECT count(*) FROM memx_stages('lab', 'tp1');
SELECT count(*) FROM memx_reference('lab');
SELECT count(*) FROM memx_reference('lab6', 'megaton');

-- memx_why says it as a row.
SELECT job, reason, example FROM memx_why('lab');
SELECT job, reason, example FROM memx_why('lab6', 'megaton');

-- Existing names that have nothing in common are no error.
SELECT 'nothing in common', count(*) FROM memx_configs WHERE job = 'mix20' AND cluster = 'lab6';
SELECT 'no job trains it', count(*) FROM memx_configs WHERE model = 'gpt2';
SELECT 'nor a blob of the same letters', count(*) FROM memx_configs WHERE job = x'6d69783230';

-- Devices: any spelling in memx_alias will do, and three different devices are named otherwise.
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('mine', 10);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('mine', 0, 'nvidia t4', 2),
    ('mine', 1, 'RTX 3080', 2);
INSERT INTO memx_job(job, cluster, model, framework, global_batch) VALUES ('mine', 'mine', 'gpt2', 'megatron-fp16', 8);
SELECT count(*) FROM memx_configs WHERE job = 'mine';
UPDATE memx_node SET device = 'A100-80GB' WHERE cluster = 'mine' AND ordinal = 1;
SELECT 'aliases', count(*) > 10, min(devices) FROM memx_configs
    WHERE job = 'mine' AND pp = 2 AND recompute = 'none,none';

-- Nodes that are not described, a framework that is not there.
DELETE FROM memx_node WHERE cluster = 'mine';
SELECT count(*) FROM memx_configs WHERE job = 'mine';
DELETE FROM memx_framework WHERE framework NOT IN ('megatron-bf16', 'megatron-fp16', 'fp32');
UPDATE memx_job SET framework = 'megatron-fp8' WHERE job = 'mine';
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('mine', 0, 'T4', 2);
SELECT count(*) FROM memx_configs WHERE job = 'mine';

-- bf16 on a card without it is refused, not searched.
UPDATE memx_job SET framework = 'megatron-bf16' WHERE job = 'mine';
UPDATE memx_node SET device = 'T4' WHERE cluster = 'mine';
SELECT count(*) FROM memx_configs WHERE job = 'mine';
SELECT reason, example FROM memx_why('mine');

-- Where no name is alike, a dozen and how many more there are.
SELECT * FROM memx_configs WHERE model = 'qqqqqqqqqqqqqqqqqqqqqqqqqqqqqq';
