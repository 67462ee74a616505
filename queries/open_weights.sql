-- How does the pick move as the weights move, and as slowdown is bounded? The MemX paper fixed three sets of
-- weights beforehand and varied none. Here every set on a grid over the simplex, in steps of 0.1 (66 of them, the
-- corners included), asks for its best phi under each of six bounds on slowdown: 2, 5, 10, 20, 50 % and none. For
-- each job and bound: how many different configurations are picked, how many of the 66 pick the commonest one, and
-- how far time and spread range. Then the picks themselves, of the bound 10 % and of none.
--
-- inner: of the 36 sets that give each measure 0.1 at least, as the shipped ones do. All figures are predictions,
-- in the job's own space. For jobs of your own, before reading it: CREATE TEMP TABLE asked AS SELECT 'try' AS job.
-- bound 1.10 is slowdown <= 1.10; a dash: none.
BEGIN;
CREATE TEMP TABLE IF NOT EXISTS asked(job TEXT PRIMARY KEY);
CREATE TEMP TABLE demo AS SELECT 1 AS yes WHERE NOT EXISTS (SELECT 1 FROM asked);
INSERT INTO asked SELECT job FROM memx_job, demo WHERE job IN ('mix20', 'lab6', 'xy');
DELETE FROM asked WHERE rowid NOT IN (SELECT min(rowid) FROM asked GROUP BY job);
SELECT example AS left_out FROM asked AS a, memx_why(a.job) WHERE reason = 'cannot be read';
DELETE FROM asked WHERE EXISTS (SELECT 1 FROM memx_why(asked.job) WHERE reason = 'cannot be read');
INSERT INTO memx_weights(weights, w_time, w_peak, w_variance)
WITH RECURSIVE n(n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM n WHERE n < 10)
SELECT printf('grid-%d-%d-%d', t.n, p.n, 10 - t.n - p.n), t.n / 10.0, p.n / 10.0, (10 - t.n - p.n) / 10.0
FROM n AS t JOIN n AS p ON t.n + p.n <= 10;
CREATE TEMP TABLE picked AS
SELECT j.job, b.column1 AS bound, w.weights, w.w_time, w.w_peak, w.w_variance,
       (SELECT config FROM memx_configs AS c
        WHERE c.job = j.job AND c.weights = w.weights AND c.slowdown <= b.column1 ORDER BY phi LIMIT 1) AS config
FROM asked AS j, (VALUES (1.02), (1.05), (1.10), (1.20), (1.50), (1e9)) AS b, memx_weights AS w
WHERE w.weights GLOB 'grid-*';
CREATE TEMP TABLE figure AS
SELECT c.*, p.slowdown, p.peak_mib, p.memory_variance, p.headroom
FROM (SELECT job, bound, config, count(*) AS sets,
             sum(min(w_time, w_peak, w_variance) > 0.05) AS inner_sets,
             printf('%.1f to %.1f', min(w_time), max(w_time)) AS w_time,
             printf('%.1f to %.1f', min(w_peak), max(w_peak)) AS w_peak,
             printf('%.1f to %.1f', min(w_variance), max(w_variance)) AS w_variance
      FROM picked WHERE config IS NOT NULL GROUP BY job, bound, config) AS c, memx_predict(c.job, c.config) AS p;
CREATE TEMP TABLE moved AS
SELECT job, bound, iif(bound < 1e9, printf('%.2f', bound), '-') AS shown, count(*) AS picks, max(sets) AS commonest,
       sum(inner_sets > 0) AS inner_picks, max(inner_sets) AS inner_commonest,
       min(slowdown) AS least, max(slowdown) AS most, sqrt(min(memory_variance)) AS least_spread,
       sqrt(max(memory_variance)) AS most_spread, min(headroom) AS least_free, max(headroom) AS most_free
FROM figure GROUP BY job, bound;

SELECT job, shown AS bound, picks, commonest || ' of 66' AS commonest, inner_picks,
       inner_commonest || ' of 36' AS inner_commonest, printf('%.2f to %.2f', least, most) AS slowdown,
       printf('%.0f to %.0f', least_spread, most_spread) AS spread_mib,
       printf('%.0f to %.0f %%', 100 * least_free, 100 * most_free) AS free, 'predicted' AS figures
FROM moved ORDER BY job, moved.bound;

SELECT job, iif(bound < 1e9, printf('%.2f', bound), '-') AS bound, sets, inner_sets, w_time, w_peak, w_variance,
       printf('%.2f', slowdown) AS slowdown, printf('%.1f', peak_mib / 1024) AS peak_gib,
       printf('%.0f', sqrt(memory_variance)) AS spread_mib, printf('%.0f %%', 100 * headroom) AS free,
       'predicted' AS figures, config
FROM figure WHERE figure.bound IN (1.10, 1e9) ORDER BY job, figure.bound, slowdown, config;

SELECT n.job, printf('predicted: without a bound 66 sets of weights pick %d configurations, 1.00 to %.2f times the time '
                     || 'of the fastest, and the commonest is picked by %d; at most 10 %% slower they pick %d, and one of '
                     || 'them is picked by %d, and by %d of the 36 sets in which every measure counts',
                     n.picks, n.most, n.commonest, b.picks, b.commonest, b.inner_commonest) AS answer
FROM moved AS n JOIN moved AS b ON b.job = n.job AND b.bound = 1.10 WHERE n.bound = 1e9
UNION ALL
SELECT 'all', iif(min(agree) FILTER (WHERE bound = 1.10) > min(agree) FILTER (WHERE bound = 1e9)
                  AND max(slowdown) FILTER (WHERE bound = 1.10) < max(slowdown) FILTER (WHERE bound = 1e9),
                  'So the weights matter less than the bound', 'So the bound does not settle the weights here')
              || printf(': of the 36 inner sets %.0f to %.0f %% agree on one configuration within 10 %%, at %.2f to %.2f times '
                        || 'the time of the fastest, and %.0f to %.0f %% without a bound, at %.2f to %.2f times',
                        min(agree) FILTER (WHERE bound = 1.10), max(agree) FILTER (WHERE bound = 1.10),
                        min(slowdown) FILTER (WHERE bound = 1.10), max(slowdown) FILTER (WHERE bound = 1.10),
                        min(agree) FILTER (WHERE bound = 1e9), max(agree) FILTER (WHERE bound = 1e9),
                        min(slowdown) FILTER (WHERE bound = 1e9), max(slowdown) FILTER (WHERE bound = 1e9))
FROM (SELECT job, bound, 100.0 * max(inner_sets) / 36 AS agree, slowdown   -- of the one that most agree on
      FROM figure GROUP BY job, bound)
GROUP BY NULL
UNION ALL
SELECT job, 'predicted: nothing fits in its own space' FROM asked WHERE job NOT IN (SELECT job FROM moved)
UNION ALL
SELECT '-', 'no job to ask about: before reading this, CREATE TEMP TABLE asked AS SELECT ''try'' AS job, with jobs of memx_job'
WHERE NOT EXISTS (SELECT 1 FROM asked);
ROLLBACK;
