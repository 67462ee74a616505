-- What planners and MemX make of the asked jobs by the predictor that these name: into own, cost, pick, planned
-- and predicted.
CREATE TEMP TABLE IF NOT EXISTS asked(job TEXT PRIMARY KEY);
DROP TABLE IF EXISTS temp.profile;
CREATE TEMP TABLE profile AS SELECT predictor AS profile FROM memx_job WHERE job = 'mix20';
.output /dev/null
.read queries/planner_cost/fasop.sql
.read queries/planner_cost/metis.sql
.output
INSERT INTO own
SELECT profile, 'amp', job, config FROM profile, amp_row
UNION ALL SELECT profile, 'fasop', job, config FROM profile, fasop_cost
UNION ALL SELECT profile, 'metis', job, config FROM profile, metis_row;
INSERT INTO cost
SELECT profile, 'amp', job, config, cost_ms FROM profile, amp_cost
UNION ALL SELECT profile, 'metis', job, config, cost_ms FROM profile, metis_cost;
-- The others' costs of what all are judged by.
CREATE TEMP TABLE other AS SELECT job, config FROM shared JOIN asked USING (job) EXCEPT SELECT * FROM amp_row;
DELETE FROM amp_row;
INSERT INTO amp_row SELECT * FROM other;
DROP TABLE other;
CREATE TEMP TABLE other AS SELECT job, config FROM shared JOIN asked USING (job) EXCEPT SELECT * FROM metis_row;
DELETE FROM metis_row;
INSERT INTO metis_row SELECT * FROM other;
DROP TABLE other;
INSERT INTO cost
SELECT profile, 'amp', job, config, cost_ms FROM profile, amp_formula
UNION ALL SELECT profile, 'metis', job, config, cost_ms FROM profile, metis_formula;

INSERT INTO pick
SELECT profile, who, job, value, key
FROM profile, (
    SELECT job, 'memx' AS who, (
               SELECT json_group_array(config) FROM (
                   SELECT config FROM memx_configs AS c WHERE c.job = a.job ORDER BY iteration_ms LIMIT 100)) AS list
    FROM asked AS a
    UNION ALL
    SELECT job, 'memx_phi' AS who, (
               SELECT json_group_array(config) FROM (
                   SELECT config FROM memx_configs AS c WHERE c.job = a.job ORDER BY phi LIMIT 100)) AS list
    FROM asked AS a
    UNION ALL
    SELECT job, 'memx_within' AS who, (
               SELECT json_group_array(config) FROM (
                   SELECT config FROM memx_configs AS c WHERE c.job = a.job AND slowdown <= 1.10
                   ORDER BY phi LIMIT 100)) AS list
    FROM asked AS a
    UNION ALL
    SELECT job, 'memx_free' AS who, (
               SELECT json_group_array(config) FROM (
                   SELECT config FROM memx_configs AS c WHERE c.job = a.job AND space = 'free'
                   ORDER BY iteration_ms LIMIT 50)) AS list
    FROM asked AS a
    UNION ALL
    SELECT job, 'memx_free_phi' AS who, (
               SELECT json_group_array(config) FROM (
                   SELECT config FROM memx_configs AS c WHERE c.job = a.job AND space = 'free'
                   ORDER BY phi LIMIT 50)) AS list
    FROM asked AS a), json_each(list);
INSERT OR IGNORE INTO planned
SELECT job, config FROM own UNION SELECT job, config FROM pick;
INSERT INTO predicted
SELECT profile, r.job, r.config, iteration_ms, phi, headroom >= reserve
FROM profile, asked JOIN planned AS r USING (job) JOIN asked_reserve USING (job), memx_predict(r.job, r.config);

DROP TABLE IF EXISTS price;
CREATE TABLE price AS -- the costs of whose name
SELECT profile, who, job, config, cost_ms FROM cost WHERE who <> 'hexiscale_by_memory'
UNION SELECT profile, 'fasop', job, config, cost_ms FROM cost WHERE who = 'amp'
UNION SELECT profile, 'hexiscale_by_memory', job, config, cost_ms FROM cost WHERE who LIKE 'hexiscale%';
CREATE INDEX price_config ON price(job, config);
DROP TABLE IF EXISTS first;
CREATE TABLE first AS -- choice of each
SELECT profile, who, job, config
FROM (SELECT *, row_number() OVER (PARTITION BY profile, who, job ORDER BY round(cost_ms, 3), config) AS place
      FROM own JOIN price USING (profile, who, job, config))
WHERE place = 1
UNION ALL
SELECT profile, who, job, config FROM pick WHERE place = 0;
