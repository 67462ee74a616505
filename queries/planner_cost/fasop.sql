-- What would FaSOP choose for a job, and what does MemX say of it? As the MemX paper has it, which wrote
-- FaSOP anew on AMP's code: AMP's cost (queries/planner_cost/amp.sql, which this reads and which prints
-- AMP's choice first) over what does not run out of memory. Read it in the directory that holds queries/.
--
-- Which memory model the paper gave it, it does not say: here a configuration is out when MemX predicts less
-- headroom than the job keeps. What github.com/AvatarHwang/FASOP (FASOP/estimate.py) does beyond that is
-- not written, since the paper's comparison is not of it: a cost of each device type's own profile, the
-- split of the slowest stage by these, bandwidths divided among ranks with fitted factors, an all-reduce of
-- the embeddings.
.read queries/planner_cost/amp.sql
DROP TABLE IF EXISTS temp.fasop_cost;
CREATE TEMP TABLE fasop_cost AS
SELECT c.job, c.config, cost_ms
FROM amp_cost AS c JOIN asked_reserve AS j ON j.job = c.job, memx_predict(c.job, c.config) AS p
WHERE headroom >= reserve;

-- near: how many of its configurations it puts within 1 % of this one. `tight`: less free than the job keeps. own_s
-- is its cost, all else MemX's prediction.
WITH cost AS (SELECT job, config, cost_ms FROM fasop_cost)
SELECT iif((SELECT count(*) FROM asked) > 1, c.job || ' ', '') || 'fasop' AS planner,
       (SELECT count(*) FROM cost AS b
        WHERE b.job = c.job AND b.cost_ms BETWEEN 0.99 * c.cost_ms AND 1.01 * c.cost_ms) AS near,
       printf('%.1f', cost_ms / 1000) AS own_s,
       printf('%.1f', iteration_ms / 1000) AS memx_s, printf('%.1f', peak_mib / 1024) AS peak_gib,
       printf('%.0f %%', 100 * headroom) AS free, printf('%.3f', phi) AS phi,
       CASE WHEN headroom < 0 THEN 'no: ' || (
                SELECT device || ', stage ' || stage FROM memx_stages(c.job, c.config) ORDER BY headroom LIMIT 1)
            WHEN headroom < (SELECT reserve FROM asked_reserve AS j WHERE j.job = c.job) THEN 'tight'
            ELSE 'yes' END AS fits, c.config
FROM (SELECT *, row_number() OVER (PARTITION BY job ORDER BY round(cost_ms, 3), config) AS place FROM cost) AS c,
     memx_predict(c.job, c.config) AS p
WHERE place <= 5 ORDER BY c.job, place;
