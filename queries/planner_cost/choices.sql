-- What would each planner choose for a job by its own cost, and what would MemX? This prints the first five of AMP,
-- FaSOP, Metis and HexiScale, and makes `seen`: everyone's first, and MemX's prediction of it, which
-- queries/compare_planners.sql prints and queries/draw_planners.sql draws. Read it in the directory that holds
-- queries/.
.read queries/planner_cost/fasop.sql
.read queries/planner_cost/metis.sql
.read queries/planner_cost/hexiscale.sql
DROP TABLE IF EXISTS temp.choice;
DROP TABLE IF EXISTS temp.seen;
DROP TABLE IF EXISTS temp.quickest;
DROP TABLE IF EXISTS temp.unfit;
DROP TABLE IF EXISTS temp.readable;
CREATE TEMP TABLE readable AS
SELECT job FROM asked WHERE NOT EXISTS (SELECT 1 FROM memx_why(asked.job, 'default') WHERE reason = 'cannot be read');
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
                         ORDER BY iteration_ms LIMIT 1) FROM readable AS a;
-- MemX's, of a space that the row names, whatever the job's own is; and within 10 % of the fastest of that space.
CREATE TEMP TABLE quickest AS
SELECT q.job, q.space, p.config, p.iteration_ms
FROM (SELECT job, column1 AS space, (SELECT config FROM memx_configs AS c WHERE c.job = a.job AND c.space = column1
                                     ORDER BY iteration_ms LIMIT 1) AS config
      FROM readable AS a, (VALUES ('default'), ('free'))) AS q, memx_predict(q.job, q.config) AS p
WHERE q.config IS NOT NULL;
INSERT INTO choice(who, job, config)
SELECT who, job, config FROM (
    SELECT 1 AS place, 'memx ' || space || ', fastest' AS who, job, space, config FROM quickest
    UNION ALL
    SELECT 2, 'memx ' || space || ', best phi', job, space,
           (SELECT config FROM memx_configs AS c WHERE c.job = q.job AND c.space = q.space ORDER BY phi LIMIT 1)
    FROM quickest AS q
    UNION ALL
    SELECT 3, 'memx ' || space || ', within 10 %', job, space,
           (SELECT config FROM memx_configs AS c WHERE c.job = q.job AND c.space = q.space
            AND c.iteration_ms <= 1.10 * q.iteration_ms ORDER BY phi LIMIT 1)
    FROM quickest AS q)
ORDER BY job, space, place;
DELETE FROM choice WHERE config IS NULL;

-- phi of a job whose own space has nothing that fits is over no medians: it is left out.
CREATE TEMP TABLE seen AS
SELECT c.place, c.who, c.cost_ms, p.*, p.simulated_ms, iif(p.slowdown IS NULL, '-', printf('%.3f', p.phi)) AS phi_text,
       headroom >= (SELECT reserve FROM asked_reserve AS j WHERE j.job = c.job) AS fits
FROM choice AS c, memx_predict(c.job, c.config) AS p;
-- Why a job has no rows of MemX's, or none at all.
CREATE TEMP TABLE unfit AS
SELECT a.job, iif(reason = 'cannot be read', example,
                  printf('job %s: nothing fits in MemX''s default space, nor in the free one; e.g. %s', w.job, example)) AS why
FROM asked AS a, memx_why(a.job, 'default') AS w
WHERE (reason = 'cannot be read' OR reason = 'memory' AND a.job NOT IN (SELECT job FROM quickest));
