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
INSERT INTO amp_row SELECT job, config FROM shared JOIN asked USING (job) EXCEPT SELECT * FROM amp_row;
INSERT INTO metis_row SELECT job, config FROM shared JOIN asked USING (job) EXCEPT SELECT * FROM metis_row;
INSERT INTO cost
SELECT profile, 'amp', job, config, cost_ms FROM profile, amp_cost
UNION ALL SELECT profile, 'metis', job, config, cost_ms FROM profile, metis_cost;

INSERT INTO pick
SELECT profile, who, what, job, value, key
FROM profile, (
    SELECT job, 'memx' AS who, 'time' AS what, (
               SELECT json_group_array(config) FROM (
                   SELECT config FROM memx_configs AS c WHERE c.job = a.job ORDER BY iteration_ms LIMIT 100)) AS list
    FROM asked AS a
    UNION ALL
    SELECT job, 'memx', 'phi', (
               SELECT json_group_array(config) FROM (
                   SELECT config FROM memx_configs AS c WHERE c.job = a.job ORDER BY phi LIMIT 100))
    FROM asked AS a
    UNION ALL
    SELECT job, 'memx_free', 'time', (
               SELECT json_group_array(config) FROM (
                   SELECT config FROM memx_configs AS c WHERE c.job = a.job AND space = 'free'
                   ORDER BY iteration_ms LIMIT 10))
    FROM asked AS a
    UNION ALL
    SELECT job, 'memx_free', 'phi', (
               SELECT json_group_array(config) FROM (
                   SELECT config FROM memx_configs AS c WHERE c.job = a.job AND space = 'free' ORDER BY phi LIMIT 10))
    FROM asked AS a), json_each(list);
INSERT OR IGNORE INTO planned
SELECT job, config FROM own UNION SELECT job, config FROM pick;
INSERT INTO predicted
SELECT profile, r.job, r.config, iteration_ms, phi, headroom >= reserve
FROM profile, asked JOIN planned AS r USING (job) JOIN asked_reserve USING (job), memx_predict(r.job, r.config);
