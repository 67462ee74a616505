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

DROP TABLE IF EXISTS temp.own_cost;
CREATE TEMP TABLE own_cost AS
SELECT 'fasop' AS planner, job, config, cost_ms FROM fasop_cost;
.read queries/planner_cost/parts/first_five.sql
