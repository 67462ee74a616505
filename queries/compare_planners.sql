-- What would the other planners choose for job mix20, and what would MemX? A row per choice: what its planner
-- believes it costs (own_s), what MemX predicts and simulates, how much of the tightest card is free, and the
-- place that it would take in MemX's default space by phi and by time (in brackets: it does not fit there).
-- Everything is predicted, on a cluster whose vendors B and C are invented. Read it in the directory that
-- holds queries/; the costs, and what of them could not be written, are in queries/planner_cost.
--
-- megatron has no cost of its own, `space only`: the fastest by MemX's prediction of even layers and one
-- recompute level. MemX's own rows are the fastest, the best phi, and the best phi at most 10 % slower than
-- the fastest, in its default space and in the free one.
.output /dev/null
.read queries/planner_cost/fasop.sql
.read queries/planner_cost/metis.sql
.read queries/planner_cost/hexiscale.sql
.output
DROP TABLE IF EXISTS temp.choice;
DROP TABLE IF EXISTS temp.listed;
DROP TABLE IF EXISTS temp.seen;
CREATE TEMP TABLE choice(place INTEGER PRIMARY KEY, who TEXT, job TEXT, config TEXT, cost_ms REAL);
INSERT INTO choice(who, job, config, cost_ms)
SELECT * FROM (SELECT 'amp', job, config, cost_ms FROM amp_cost ORDER BY round(cost_ms, 3), config LIMIT 1)
UNION ALL
SELECT * FROM (SELECT 'fasop', job, config, cost_ms FROM fasop_cost ORDER BY round(cost_ms, 3), config LIMIT 1)
UNION ALL
SELECT * FROM (SELECT 'metis', job, config, cost_ms FROM metis_cost ORDER BY round(cost_ms, 3), config LIMIT 1)
UNION ALL
SELECT * FROM (SELECT 'hexiscale', job, config, cost_ms FROM hexiscale_cost
               ORDER BY round(cost_ms, 3), config LIMIT 1)
UNION ALL
SELECT * FROM (SELECT 'hexiscale, by memory', job, config, cost_ms FROM hexiscale_all WHERE rule = 'memory'
               ORDER BY round(cost_ms, 3), config LIMIT 1)
UNION ALL
SELECT * FROM (SELECT 'megatron', job, config, NULL FROM memx_configs WHERE job = 'mix20' AND space = 'megatron'
               ORDER BY iteration_ms LIMIT 1);
INSERT INTO choice(who, job, config)
SELECT * FROM (SELECT 'memx, fastest', job, config FROM memx_configs WHERE job = 'mix20'
               ORDER BY iteration_ms LIMIT 1)
UNION ALL
SELECT * FROM (SELECT 'memx, best phi', job, config FROM memx_configs WHERE job = 'mix20' ORDER BY phi LIMIT 1)
UNION ALL
SELECT * FROM (SELECT 'memx, within 10 %', job, config FROM memx_configs
               WHERE job = 'mix20' AND slowdown <= 1.10 ORDER BY phi LIMIT 1)
UNION ALL
SELECT * FROM (SELECT 'memx free, fastest', job, config FROM memx_configs
               WHERE job = 'mix20' AND space = 'free' ORDER BY iteration_ms LIMIT 1)
UNION ALL
SELECT * FROM (SELECT 'memx free, best phi', job, config FROM memx_configs
               WHERE job = 'mix20' AND space = 'free' ORDER BY phi LIMIT 1)
UNION ALL
SELECT * FROM (SELECT 'memx free, within 10 %', job, config FROM memx_configs
               WHERE job = 'mix20' AND space = 'free' AND slowdown <= 1.10 ORDER BY phi LIMIT 1);

CREATE TEMP TABLE listed AS SELECT phi, iteration_ms FROM memx_configs WHERE job = 'mix20';
CREATE TEMP TABLE seen AS
SELECT c.place, c.who, c.cost_ms, p.*, p.simulated_ms,
       headroom >= coalesce((SELECT reserve FROM memx_job AS j WHERE j.job = c.job), 0.10) AS fits
FROM choice AS c, memx_predict(c.job, c.config) AS p;
SELECT who, CASE WHEN cost_ms IS NOT NULL THEN printf('%.1f', cost_ms / 1000)
                 WHEN who = 'megatron' THEN 'space only' ELSE '' END AS own_s,
       printf('%.1f', iteration_ms / 1000) AS memx_s, printf('%.1f', simulated_ms / 1000) AS simulated_s,
       printf('%.1f', peak_mib / 1024) AS peak_gib,
       printf('%.0f', sqrt(memory_variance)) AS spread_mib,
       printf('%.0f %%', 100 * headroom) AS free, printf('%.3f', phi) AS phi,
       (SELECT printf(iif(s.fits, '%d', '(%d)'), 1 + count(*)) FROM listed AS l WHERE l.phi < s.phi) AS phi_place,
       (SELECT printf(iif(s.fits, '%d', '(%d)'), 1 + count(*)) FROM listed AS l
        WHERE l.iteration_ms < s.iteration_ms) AS time_place,
       CASE WHEN fits THEN 'yes'
            ELSE (SELECT iif(headroom < 0, 'no: ', 'less than kept free: ') || device || ', stage ' || stage
                         || printf(', %.1f of %.0f GiB', peak_mib / 1024, capacity_mib / 1024)
                  FROM memx_stages(s.job, s.config) ORDER BY headroom LIMIT 1) END AS fits,
       config
FROM seen AS s ORDER BY place;

-- Does any choice that fits beat MemX's free one in what that is ordered by?
SELECT 'faster than memx free, fastest' AS claim, count(*) AS choices
FROM seen WHERE fits AND iteration_ms < (SELECT iteration_ms FROM seen WHERE who = 'memx free, fastest')
UNION ALL
SELECT 'less in phi than memx free, best phi', count(*)
FROM seen WHERE fits AND phi < (SELECT phi FROM seen WHERE who = 'memx free, best phi')
UNION ALL
SELECT 'less in phi than memx free, within 10 %, and as fast as that bound', count(*)
FROM seen WHERE fits AND phi < (SELECT phi FROM seen WHERE who = 'memx free, within 10 %')
                AND iteration_ms <= 1.10 * (SELECT iteration_ms FROM seen WHERE who = 'memx free, fastest');

-- What each planner's space can reach, ranked by MemX's prediction instead: how many configurations fit, the
-- fastest of them, the best phi, and how many of its configurations do not fit.
SELECT space, count(*) FILTER (WHERE fits) AS fit, count(*) FILTER (WHERE NOT fits) AS do_not_fit,
       printf('%.1f', min(iteration_ms) FILTER (WHERE fits) / 1000) AS fastest_s,
       printf('%.3f', min(phi) FILTER (WHERE fits)) AS best_phi
FROM (SELECT column1 AS space, headroom >= coalesce(j.reserve, 0.10) AS fits, iteration_ms, phi
      FROM (VALUES ('amp'), ('fasop'), ('metis'), ('hexiscale'), ('megatron'), ('default')),
           memx_configs AS c JOIN memx_job AS j ON j.job = c.job
      WHERE c.job = 'mix20' AND c.space = column1)
GROUP BY space ORDER BY min(phi) FILTER (WHERE fits) DESC;
