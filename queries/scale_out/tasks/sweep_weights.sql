-- Every feasible configuration of job mix20 under 100 weightings of time, peak and variance: a shard a task. As in
-- memx_configs, phi is relative to the medians of the job's space. After merging, what the weights decide:
--
--   SELECT w_time, w_peak, w_variance, min(phi), config
--   FROM score JOIN weighting USING (weighting) JOIN config USING (id) GROUP BY weighting;
CREATE TABLE out.weighting(weighting INTEGER, w_time REAL, w_peak REAL, w_variance REAL);
CREATE TEMP TABLE weighting AS
    WITH RECURSIVE part(n, share) AS (VALUES (0, 0.05) UNION ALL SELECT n + 1, share + 0.1 FROM part WHERE n < 9)
    SELECT 10 * t.n + p.n AS weighting, t.share AS w_time, (1 - t.share) * p.share AS w_peak,
           (1 - t.share) * (1 - p.share) AS w_variance
    FROM part AS t CROSS JOIN part AS p;
-- Task 0 keeps them for all.
INSERT INTO out.weighting SELECT * FROM temp.weighting WHERE :task = 0;

-- id: unlike those of other tasks.
CREATE TABLE out.config(id INTEGER PRIMARY KEY, config TEXT, iteration_ms REAL, peak_mib REAL, memory_variance REAL);
INSERT INTO out.config
SELECT (:task << 32) + row_number() OVER (), config, iteration_ms, peak_mib, memory_variance
FROM memx_configs WHERE job = 'mix20' AND shards = :tasks AND shard = :task;
CREATE TEMP TABLE id(config TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID;
INSERT INTO id SELECT config, id FROM out.config;

CREATE TABLE out.score(weighting INTEGER, id INTEGER, phi REAL, PRIMARY KEY(weighting, id)) WITHOUT ROWID;
INSERT INTO out.score
SELECT w.weighting, id.id, c.phi
FROM (SELECT weighting, json_array(w_time, w_peak, w_variance) AS weights FROM temp.weighting) AS w
CROSS JOIN memx_configs AS c CROSS JOIN id
WHERE c.job = 'mix20' AND c.weights = w.weights AND c.shards = :tasks AND c.shard = :task AND id.config = c.config
ORDER BY 1, 2;
