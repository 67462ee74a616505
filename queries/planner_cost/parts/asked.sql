-- What the files in queries/planner_cost are asked for: the jobs, and what was said of them beforehand, as
-- amp.sql describes; and the share of a card that each job keeps free. Prints nothing.
CREATE TEMP TABLE IF NOT EXISTS asked(job TEXT PRIMARY KEY);
INSERT INTO asked SELECT 'mix20' WHERE NOT EXISTS (SELECT 1 FROM asked);
DELETE FROM asked WHERE rowid NOT IN (SELECT min(rowid) FROM asked GROUP BY job); -- each once
CREATE TEMP TABLE IF NOT EXISTS asked_config(job TEXT, config TEXT);
CREATE TEMP TABLE IF NOT EXISTS asked_level(job TEXT PRIMARY KEY, level TEXT);
DROP TABLE IF EXISTS temp.asked_reserve;
CREATE TEMP TABLE asked_reserve AS -- the share of a card to keep free
SELECT job, coalesce(j.reserve, (
           SELECT errors ->> '$.reserve' FROM memx_predictor WHERE predictor = replace((
               SELECT c.predictor FROM memx_configs AS c WHERE c.job = j.job AND space = 'amp' LIMIT 1),
               ' (extrapolated)', '')), 0.10) AS reserve
FROM asked JOIN memx_job AS j USING (job);
