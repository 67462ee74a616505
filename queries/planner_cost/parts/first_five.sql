-- The first five of own_cost(planner, job, config, cost_ms), a planner's own costs of a job's configurations, and
-- MemX's prediction of each; needs parts/asked.sql.
--
-- near: how many of its configurations it puts within 1 % of this one. `tight`: less free than the job keeps. own_s
-- is its cost, all else MemX's prediction.
SELECT iif((SELECT count(*) FROM asked) > 1, c.job || ' ', '') || planner AS planner,
       (SELECT count(*) FROM own_cost AS b
        WHERE b.job = c.job AND b.cost_ms BETWEEN 0.99 * c.cost_ms AND 1.01 * c.cost_ms) AS near,
       printf('%.1f', cost_ms / 1000) AS own_s,
       printf('%.1f', iteration_ms / 1000) AS memx_s, printf('%.1f', peak_mib / 1024) AS peak_gib,
       printf('%.0f %%', 100 * headroom) AS free, printf('%.3f', phi) AS phi,
       CASE WHEN headroom < 0 THEN 'no: ' || (
                SELECT device || ', stage ' || stage FROM memx_stages(c.job, c.config) ORDER BY headroom LIMIT 1)
            WHEN headroom < (SELECT reserve FROM asked_reserve AS j WHERE j.job = c.job) THEN 'tight'
            ELSE 'yes' END AS fits, c.config
FROM (SELECT *, row_number() OVER (PARTITION BY job ORDER BY round(cost_ms, 3), config) AS place FROM own_cost) AS c,
     memx_predict(c.job, c.config) AS p
WHERE place <= 5 ORDER BY c.job, place;
