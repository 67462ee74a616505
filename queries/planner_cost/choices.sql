-- What would each planner choose for a job by its own cost, and what would MemX? This prints the first five of AMP,
-- FaSOP, Metis and HexiScale, and makes `seen`: everyone's first, and MemX's prediction of it, which
-- queries/compare_planners.sql prints and queries/draw_planners.sql draws. Read it in the directory that holds
-- queries/.
.read queries/planner_cost/fasop.sql
.read queries/planner_cost/metis.sql
.read queries/planner_cost/hexiscale.sql
DROP TABLE IF EXISTS temp.choice;
DROP TABLE IF EXISTS temp.seen;
CREATE TEMP TABLE choice(place INTEGER PRIMARY KEY, who TEXT, job TEXT, config TEXT, cost_ms REAL);
INSERT INTO choice(who, job, config, cost_ms)
SELECT who, job, config, cost_ms
FROM (SELECT *, row_number() OVER (PARTITION BY job, who ORDER BY round(cost_ms, 3), config) AS n
      FROM (SELECT 1 AS place, 'amp' AS who, job, config, cost_ms FROM amp_cost
            UNION ALL SELECT 2, 'fasop', * FROM fasop_cost
            UNION ALL SELECT 3, 'metis', * FROM metis_cost
            UNION ALL SELECT 4, 'hexiscale', * FROM hexiscale_cost
            UNION ALL SELECT 5, 'hexiscale, by memory', job, config, cost_ms FROM hexiscale_all WHERE rule = 'memory'))
WHERE n = 1 ORDER BY job, place;
INSERT INTO choice(who, job, config)
SELECT 'megatron', job, (SELECT config FROM memx_configs AS c WHERE c.job = a.job AND space = 'megatron'
                         ORDER BY iteration_ms LIMIT 1) FROM asked AS a
UNION ALL
SELECT 'memx, fastest', job, (SELECT config FROM memx_configs AS c WHERE c.job = a.job
                              ORDER BY iteration_ms LIMIT 1) FROM asked AS a
UNION ALL
SELECT 'memx, best phi', job, (SELECT config FROM memx_configs AS c WHERE c.job = a.job
                               ORDER BY phi LIMIT 1) FROM asked AS a
UNION ALL
SELECT 'memx, within 10 %', job, (SELECT config FROM memx_configs AS c WHERE c.job = a.job AND slowdown <= 1.10
                                  ORDER BY phi LIMIT 1) FROM asked AS a
UNION ALL
SELECT 'memx free, fastest', job, (SELECT config FROM memx_configs AS c WHERE c.job = a.job AND space = 'free'
                                   ORDER BY iteration_ms LIMIT 1) FROM asked AS a
UNION ALL
SELECT 'memx free, best phi', job, (SELECT config FROM memx_configs AS c WHERE c.job = a.job AND space = 'free'
                                    ORDER BY phi LIMIT 1) FROM asked AS a
UNION ALL
SELECT 'memx free, within 10 %', job, (SELECT config FROM memx_configs AS c WHERE c.job = a.job
                                       AND space = 'free' AND slowdown <= 1.10 ORDER BY phi LIMIT 1) FROM asked AS a;
DELETE FROM choice WHERE config IS NULL;

CREATE TEMP TABLE seen AS
SELECT c.place, c.who, c.cost_ms, p.*, p.simulated_ms,
       headroom >= (SELECT reserve FROM asked_reserve AS j WHERE j.job = c.job) AS fits
FROM choice AS c, memx_predict(c.job, c.config) AS p;
