-- Stored tables that are views, and lead back to MemX's own tables and functions: a one-line error each
-- time, however the circle is closed. Each block is undone.
PRAGMA trusted_schema = OFF;

SAVEPOINT a;
DROP TABLE memx_weights;
CREATE VIEW memx_weights AS SELECT 'own' AS weights, phi(1, 2, 3, 'own') AS w_time, 0 AS w_peak,
    0 AS w_variance, 1e-6 AS epsilon;
SELECT 'phi over phi', phi(1, 2, 3, 'own');
SELECT 'in a scan', count(*) FROM memx_configs WHERE job = 'xy' AND weights = 'own';
SELECT 'in a scan that computes it', max(phi) FROM memx_configs WHERE job = 'xy' AND weights = 'own';
ROLLBACK TO a;

-- The list of known weights, asked for in the same place.
DROP TABLE memx_weights;
CREATE VIEW memx_weights AS SELECT phi(1, 2, 3, 'b') AS weights, 1 AS w_time, 0 AS w_peak, 0 AS w_variance,
    1e-6 AS epsilon;
SELECT 'names over phi', phi(1, 2, 3, 'a');
ROLLBACK TO a;
DROP TABLE memx_weights;
CREATE VIEW memx_weights AS SELECT weights, 1 AS w_time, 0 AS w_peak, 0 AS w_variance, 1e-6 AS epsilon
    FROM memx_configs WHERE weights = 'mine';
SELECT 'weights over configs', phi(1, 2, 3, 'mine');
SELECT 'weights over configs, from there', count(*) FROM memx_configs WHERE weights = 'mine';
ROLLBACK TO a;

-- A name that is looked up.
DROP TABLE memx_cluster;
CREATE VIEW memx_cluster AS SELECT cluster, 1.0 AS inter_gbs, NULL AS flow_gbs, 1 AS inter_efficiency,
    1 AS latency_us, 0 AS overhead_ms FROM memx_configs WHERE cluster = 'nowhere';
SELECT 'no table leads to it', count(*) FROM memx_configs WHERE cluster = 'elsewhere';
SELECT 'cluster over configs', count(*) FROM memx_configs WHERE cluster = 'nowhere';
SELECT 'a job there', count(*) FROM memx_configs WHERE job = 'xy';
SELECT 'why', reason, example FROM memx_why('xy');
ROLLBACK TO a;
DROP TABLE memx_model;
CREATE VIEW memx_model AS SELECT DISTINCT model FROM memx_configs WHERE model = 'nothing';
SELECT 'model over configs', count(*) FROM memx_configs WHERE model = 'nothing';
ROLLBACK TO a;
DROP TABLE memx_job;
CREATE VIEW memx_job AS SELECT job, cluster, model, 'fp32' AS framework, 8 AS global_batch, NULL AS seq_length,
    'free' AS space, 'safe' AS weights, NULL AS predictor, 0.1 AS reserve FROM memx_configs WHERE job = 'nobody';
SELECT 'job over configs', count(*) FROM memx_configs WHERE job = 'nobody';
SELECT 'job over plans', recompute_plan('nobody', 'x');
ROLLBACK TO a;

-- The nearest names.
DROP TABLE memx_space;
CREATE VIEW memx_space AS SELECT recompute_plan('xy', 'tp1.dp1.mb1.seq4096/x*1:none') AS space, 'tp' AS param,
    '1' AS value;
SELECT 'space over a plan', count(*) FROM memx_configs WHERE job = 'xy';
SELECT 'a plan over it', recompute_plan('xy', 'tp1.dp1.mb1.seq4096/x*1:none');
SELECT 'reference', feasible FROM memx_reference('xy');
ROLLBACK TO a;
ALTER TABLE memx_device RENAME TO kept_device;
CREATE VIEW memx_device AS SELECT layer_split('xy', 'x', 'time') AS device, 'x' AS vendor, memory_mib, peak_tflops,
    efficiency, memory_gbs, memory_efficiency, link_gbs, host_gbs, host_efficiency, bf16, context_mib, alpha_static FROM kept_device;
SELECT 'device over a split', layer_split('xy', 'x', 'time');
SELECT 'predict', phi FROM memx_predict('xy', 'x');
ROLLBACK TO a;

RELEASE a;

-- Views that do not lead back are as good as tables, MemX's own names among what they call.
ALTER TABLE memx_weights RENAME TO kept_weights;
INSERT INTO kept_weights(weights, w_time, w_peak, w_variance, epsilon) VALUES ('mine', 1, 0, 0, 1e-6);
CREATE VIEW memx_weights AS SELECT weights, phi(w_time, 1, 1, 'safe') * 0 + 1 AS w_time, w_peak, w_variance,
    epsilon FROM kept_weights;
SELECT 'a view', phi(2, 3, 5, 'mine');
SELECT 'afterwards', count(*) > 0 FROM memx_configs WHERE job = 'xy' AND weights = 'mine';

-- Nor is anything left open: the shell would say so at its end.
DROP VIEW memx_weights;
CREATE VIEW memx_weights AS SELECT weights, w_time, w_peak, w_variance, epsilon FROM kept_weights
    WHERE NOT EXISTS (SELECT * FROM memx_predict(NULL, NULL));
SELECT 'over an empty table', count(*) > 0 FROM memx_configs WHERE job = 'xy' AND weights = 'mine';
SELECT 'again', phi(2, 3, 5, 'mine');
