-- Nothing is stale: whatever is updated, the next query sees it, and a rollback as well.
-- A line: what was changed, whether the answer changed, and whether it is the old one after the rollback.

CREATE TEMP TABLE fixed AS SELECT config FROM memx_configs WHERE job = 'xy' ORDER BY phi LIMIT 1;
CREATE TEMP VIEW answer AS
    SELECT count(*) || ' ' || total(iteration_ms) || ' ' || total(peak_mib) || ' ' || total(phi) || ' ' ||
           (SELECT iteration_ms || ' ' || peak_mib || ' ' || phi || ' ' || headroom
               FROM memx_predict('xy', (SELECT config FROM fixed))) || ' ' ||
           (SELECT total(time_ms) || ' ' || total(capacity_mib) || ' ' || total(peak_mib)
               FROM memx_stages('xy', (SELECT config FROM fixed))) || ' ' ||
           (SELECT feasible || ' ' || iteration_ms FROM memx_reference('xy')) || ' ' ||
           (SELECT total(count) FROM memx_why('xy')) AS text FROM memx_configs WHERE job = 'xy';
CREATE TEMP TABLE seen AS SELECT text FROM answer;

BEGIN;
UPDATE memx_device SET memory_mib = 30000 WHERE device = 'X-32GB';
SELECT 'device: memory', answer.text <> seen.text FROM answer, seen;
ROLLBACK;
SELECT 'device: memory', answer.text = seen.text FROM answer, seen;

BEGIN;
UPDATE memx_device SET peak_tflops = 310 WHERE device = 'X-32GB';
SELECT 'device: compute', answer.text <> seen.text FROM answer, seen;
ROLLBACK;
SELECT 'device: compute', answer.text = seen.text FROM answer, seen;

BEGIN;
UPDATE memx_device SET context_mib = 4001 WHERE device = 'Y-64GB';
SELECT 'device: context', answer.text <> seen.text FROM answer, seen;
ROLLBACK;
SELECT 'device: context', answer.text = seen.text FROM answer, seen;

BEGIN;
UPDATE memx_device SET vendor = 'vendor Y' WHERE device = 'X-32GB';
SELECT 'device: vendor', answer.text <> seen.text FROM answer, seen;
ROLLBACK;
SELECT 'device: vendor', answer.text = seen.text FROM answer, seen;

BEGIN;
UPDATE memx_model SET ffn_hidden = 11136 WHERE model = 'llama2-7b';
SELECT 'model', answer.text <> seen.text FROM answer, seen;
ROLLBACK;
SELECT 'model', answer.text = seen.text FROM answer, seen;

BEGIN;
UPDATE memx_model SET vocab = 64000 WHERE model = 'llama2-7b';
SELECT 'model: vocabulary', answer.text <> seen.text FROM answer, seen;
ROLLBACK;
SELECT 'model: vocabulary', answer.text = seen.text FROM answer, seen;

BEGIN;
UPDATE memx_framework SET optimizer_bytes = 16 WHERE framework = 'megatron-bf16';
SELECT 'framework', answer.text <> seen.text FROM answer, seen;
ROLLBACK;
SELECT 'framework', answer.text = seen.text FROM answer, seen;

BEGIN;
UPDATE memx_framework SET dropout = 1 WHERE framework = 'megatron-bf16';
SELECT 'framework: flag', answer.text <> seen.text FROM answer, seen;
ROLLBACK;
SELECT 'framework: flag', answer.text = seen.text FROM answer, seen;

BEGIN;
UPDATE memx_cluster SET inter_gbs = 25 WHERE cluster = 'xy';
SELECT 'cluster', answer.text <> seen.text FROM answer, seen;
ROLLBACK;
SELECT 'cluster', answer.text = seen.text FROM answer, seen;

BEGIN;
UPDATE memx_cluster SET overhead_ms = 11 WHERE cluster = 'xy';
SELECT 'cluster: overhead', answer.text <> seen.text FROM answer, seen;
ROLLBACK;
SELECT 'cluster: overhead', answer.text = seen.text FROM answer, seen;

BEGIN;
UPDATE memx_node SET link_gbs = 63 WHERE cluster = 'xy' AND ordinal = 1;
SELECT 'node: link', answer.text <> seen.text FROM answer, seen;
ROLLBACK;
SELECT 'node: link', answer.text = seen.text FROM answer, seen;

BEGIN;
UPDATE memx_node SET inter_gbs = 20 WHERE cluster = 'xy' AND ordinal = 1;
SELECT 'node: network', answer.text <> seen.text FROM answer, seen;
ROLLBACK;
SELECT 'node: network', answer.text = seen.text FROM answer, seen;

BEGIN;
UPDATE memx_job SET global_batch = 512 WHERE job = 'xy';
SELECT 'job: batch', answer.text <> seen.text FROM answer, seen;
ROLLBACK;
SELECT 'job: batch', answer.text = seen.text FROM answer, seen;

BEGIN;
UPDATE memx_job SET reserve = 0.15 WHERE job = 'xy';
SELECT 'job: reserve', answer.text <> seen.text FROM answer, seen;
ROLLBACK;
SELECT 'job: reserve', answer.text = seen.text FROM answer, seen;

BEGIN;
UPDATE memx_job SET weights = 'safe' WHERE job = 'xy';
SELECT 'job: weights', answer.text <> seen.text FROM answer, seen;
ROLLBACK;
SELECT 'job: weights', answer.text = seen.text FROM answer, seen;

BEGIN;
UPDATE memx_job SET framework = 'megatron-fp16' WHERE job = 'xy';
SELECT 'job: framework', answer.text <> seen.text FROM answer, seen;
ROLLBACK;
SELECT 'job: framework', answer.text = seen.text FROM answer, seen;

BEGIN;
UPDATE memx_job SET space = 'megatron' WHERE job = 'xy';
SELECT 'job: space', answer.text <> seen.text FROM answer, seen;
ROLLBACK;
SELECT 'job: space', answer.text = seen.text FROM answer, seen;

BEGIN;
DELETE FROM memx_space WHERE space = 'default' AND value = 'block1';
SELECT 'space: a value less', answer.text <> seen.text FROM answer, seen;
ROLLBACK;
SELECT 'space: a value less', answer.text = seen.text FROM answer, seen;

BEGIN;
INSERT INTO memx_space VALUES ('default', 'recompute', 'block3');
SELECT 'space: a value more', answer.text <> seen.text FROM answer, seen;
ROLLBACK;
SELECT 'space: a value more', answer.text = seen.text FROM answer, seen;

BEGIN;
UPDATE memx_space SET value = 'uniform' WHERE space = 'default' AND param = 'layer_split';
SELECT 'space: another rule', answer.text <> seen.text FROM answer, seen;
ROLLBACK;
SELECT 'space: another rule', answer.text = seen.text FROM answer, seen;

-- A node's device by another name; and that name given to another device.
INSERT INTO memx_alias(name, device) VALUES ('our card', 'X-32GB');
UPDATE memx_node SET device = 'our card' WHERE cluster = 'xy' AND ordinal = 0;
SELECT 'alias, same device', answer.text = seen.text FROM answer, seen;
UPDATE memx_alias SET device = 'Y-64GB' WHERE name = 'our card';
SELECT 'alias, other device', group_concat(DISTINCT devices) FROM memx_configs WHERE job = 'xy' AND pp = 2;
UPDATE memx_node SET device = 'X-32GB' WHERE cluster = 'xy' AND ordinal = 0;

-- Weights of the user's own.
INSERT INTO memx_weights(weights, w_time, w_peak, w_variance) VALUES ('mine', 1, 0, 0);
UPDATE memx_job SET weights = 'mine' WHERE job = 'xy';
CREATE TEMP TABLE mine AS SELECT config FROM memx_configs WHERE job = 'xy' ORDER BY phi LIMIT 1;
UPDATE memx_weights SET w_time = 0, w_peak = 1 WHERE weights = 'mine';
SELECT 'weights', config <> (SELECT config FROM memx_configs WHERE job = 'xy' ORDER BY phi LIMIT 1)
    FROM mine;
SELECT 'phi()', phi(2, 3, 5, 'mine');
UPDATE memx_weights SET w_time = 1, w_peak = 0 WHERE weights = 'mine';
SELECT 'phi()', phi(2, 3, 5, 'mine');
UPDATE memx_job SET weights = 'default' WHERE job = 'xy';
SELECT 'as at first', answer.text = seen.text FROM answer, seen;

-- Within one statement: an update that reads what it changes sees what was there before.
UPDATE memx_cluster SET overhead_ms = (SELECT round(min(iteration_ms)) FROM memx_configs WHERE job = 'lab6')
    WHERE cluster = 'lab6';
SELECT 'twice', overhead_ms > 1000, (SELECT min(iteration_ms) FROM memx_configs
    WHERE job = 'lab6') > 1.9 * overhead_ms
    FROM memx_cluster WHERE cluster = 'lab6';

-- A job that comes and goes.
INSERT INTO memx_job(job, cluster, model, framework, global_batch) VALUES ('new', 'lab6', 'gpt2', 'megatron-fp16', 8);
SELECT 'inserted', count(*) > 0 FROM memx_configs WHERE job = 'new';
UPDATE memx_job SET job = 'newer' WHERE job = 'new';
SELECT 'renamed', group_concat(DISTINCT job) FROM memx_configs WHERE job LIKE 'new%';
DELETE FROM memx_job WHERE job = 'newer';
SELECT 'deleted', count(*) FROM memx_configs WHERE job LIKE 'new%';
SELECT count(*) FROM memx_configs WHERE job = 'newer';

-- A temporary table of the same name comes first, as everywhere in SQLite.
CREATE TEMP TABLE memx_job AS SELECT * FROM main.memx_job WHERE job = 'lab6';
SELECT 'temporary table', group_concat(DISTINCT job) FROM memx_configs;
DROP TABLE temp.memx_job;
SELECT 'dropped', group_concat(DISTINCT job) FROM memx_configs;
