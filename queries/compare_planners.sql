-- What would the other planners choose for a job, and what would MemX? A row per choice: what its planner
-- believes it costs (own_s), what MemX predicts and simulates, how much of the tightest card is free, and the
-- place that it would take in MemX's space default by phi and by time, whatever the job's own space is (in
-- brackets: it does not fit). Everything is predicted; vendors B and C of mix20 are invented. Read it in the
-- directory that holds queries/; the costs, and what of them could not be written, are in queries/planner_cost.
-- For a job of your own, before reading it: CREATE TEMP TABLE asked AS SELECT 'try' AS job.
--
-- megatron has no cost of its own, `space only`: the fastest by MemX's prediction of even layers and one
-- recompute level. MemX's own rows name their space: the fastest, the best phi, and the best phi at most 10 %
-- slower than the fastest of that space. phi is over the medians of the job's own space (a dash: it has none).
CREATE TEMP TABLE IF NOT EXISTS asked(job TEXT PRIMARY KEY);
INSERT INTO asked SELECT 'mix20' WHERE NOT EXISTS (SELECT 1 FROM asked);
.output /dev/null
.read queries/planner_cost/choices.sql
.output
DROP TABLE IF EXISTS temp.listed;
CREATE TEMP TABLE listed AS
SELECT c.job, phi, iteration_ms FROM readable AS a JOIN memx_configs AS c ON c.job = a.job WHERE c.space = 'default';
SELECT why FROM unfit;
SELECT iif((SELECT count(*) FROM asked) > 1, job || ' ', '') || who AS who,
       CASE WHEN cost_ms IS NOT NULL THEN printf('%.1f', cost_ms / 1000)
            WHEN who = 'megatron' THEN 'space only' ELSE '' END AS own_s,
       printf('%.1f', iteration_ms / 1000) AS memx_s, printf('%.1f', simulated_ms / 1000) AS simulated_s,
       printf('%.1f', peak_mib / 1024) AS peak_gib,
       printf('%.0f', sqrt(memory_variance)) AS spread_mib,
       printf('%.0f %%', 100 * headroom) AS free, phi_text AS phi,
       (SELECT iif(count(*) = 0, '-', printf(iif(s.fits, '%d', '(%d)'), 1 + sum(l.phi < s.phi)))
        FROM listed AS l WHERE l.job = s.job) AS phi_place,
       (SELECT iif(count(*) = 0, '-', printf(iif(s.fits, '%d', '(%d)'), 1 + sum(l.iteration_ms < s.iteration_ms)))
        FROM listed AS l WHERE l.job = s.job) AS time_place,
       CASE WHEN fits THEN 'yes'
            ELSE (SELECT iif(headroom < 0, 'no: ', 'less than kept free: ') || device || ', stage ' || stage
                         || printf(', %.1f of %.0f GiB', peak_mib / 1024, capacity_mib / 1024)
                  FROM memx_stages(s.job, s.config) ORDER BY headroom LIMIT 1) END AS fits,
       config
FROM seen AS s ORDER BY job, place;

-- Does any choice that fits beat MemX's free one in what that is ordered by? Of all jobs asked that have one.
WITH free AS (
    SELECT job, max(iteration_ms) FILTER (WHERE who = 'memx free, fastest') AS fastest_ms,
           max(phi) FILTER (WHERE who = 'memx free, best phi') AS best_phi,
           max(phi) FILTER (WHERE who = 'memx free, within 10 %') AS within_phi
    FROM seen GROUP BY job HAVING fastest_ms IS NOT NULL),
beside AS (
    SELECT count(*) AS choices, sum(iteration_ms < fastest_ms) AS faster, sum(phi < best_phi) AS less,
           sum(phi < within_phi AND iteration_ms <= 1.10 * fastest_ms) AS within
    FROM seen JOIN free USING (job) WHERE fits)
SELECT column2 AS claim, CASE column1 WHEN 1 THEN faster WHEN 2 THEN less ELSE within END AS choices
FROM beside, (VALUES (1, 'faster than memx free, fastest'), (2, 'less in phi than memx free, best phi'),
                     (3, 'less in phi than memx free, within 10 %, and at most 10 % slower than memx free, fastest'))
WHERE choices > 0;

-- What each planner's space can reach, ranked by MemX's prediction instead: how many configurations fit, the
-- fastest of them, the best phi, and how many of its configurations do not fit.
SELECT iif((SELECT count(*) FROM asked) > 1, job || ' ', '') || space AS space,
       count(*) FILTER (WHERE fits) AS fit, count(*) FILTER (WHERE NOT fits) AS do_not_fit,
       iif(max(fits), printf('%.1f', min(iteration_ms) FILTER (WHERE fits) / 1000), '-') AS fastest_s,
       iif(max(fits) AND max(scaled), printf('%.3f', min(phi) FILTER (WHERE fits)), '-') AS best_phi
FROM (SELECT c.job, column1 AS space, headroom >= reserve AS fits, iteration_ms, phi,
             slowdown IS NOT NULL AS scaled
      FROM readable AS a, (VALUES ('amp'), ('fasop'), ('metis'), ('hexiscale'), ('megatron'), ('default')),
           memx_configs AS c JOIN asked_reserve AS j ON j.job = c.job
      WHERE c.job = a.job AND c.space = column1)
GROUP BY job, space ORDER BY job, min(phi) FILTER (WHERE fits) DESC;
