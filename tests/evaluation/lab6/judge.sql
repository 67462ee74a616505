-- One seed's figures: claim, what, who, value, unit, note. `truth` is what the testbed ran.
CREATE TEMP TABLE gpu AS -- on a card the context, which no allocator sees, comes on top
SELECT t.config, g.reserved_mib, g.reserved_mib + d.context_mib AS held, d.memory_mib
FROM truth AS t JOIN truth_gpu AS g ON g.run = t.id
     JOIN memx_gpus(t.job, t.config) AS m ON m.rank = g.rank JOIN memx_device AS d USING (device);
CREATE TEMP TABLE run AS
SELECT p.config, p.tp, p.pp, p.dp, p.micro_batch, p.seq_length, p.heads, p.kv_groups, p.same_task AS own,
       substr(p.recompute, 1, instr(p.recompute, ',') - 1) AS level, t.iteration_ms AS ms, h.*
FROM truth AS t JOIN listed USING (job, config), memx_predict(t.job, t.config) AS p
     JOIN (SELECT config AS held_config, max(held) AS peak, max(reserved_mib) AS reserved,
                  max(0, avg(held * held) - avg(held) * avg(held)) AS variance
           FROM gpu GROUP BY config) AS h ON h.held_config = t.config
WHERE NOT t.oom;
ALTER TABLE run ADD COLUMN phi REAL;
ALTER TABLE run ADD COLUMN token_phi REAL;
UPDATE run SET phi = phi(run.ms / m.ms, run.peak / m.peak, run.variance / m.variance, 'safe'),
               token_phi = phi(run.ms / seq_length, run.peak, run.variance, 'safe')
FROM (SELECT median(ms) AS ms, median(peak) AS peak, median(variance) AS variance FROM run) AS m;

-- What each would take: of all, and of the job's own task alone.
CREATE TEMP TABLE task AS SELECT column1 AS own, column2 AS suffix FROM (VALUES (0, ''), (1, ', own task'));
CREATE TEMP TABLE aim AS SELECT column1 AS aim FROM (VALUES ('fastest'), ('pick'));
CREATE TEMP TABLE predicted(who, config, ms, phi);
CREATE TEMP TABLE pick(who, own, aim, config);
INSERT INTO pick
SELECT 'truth', own, aim,
       iif(aim = 'pick', (SELECT config FROM run AS r WHERE r.own >= task.own ORDER BY phi, config LIMIT 1),
           (SELECT config FROM run AS r WHERE r.own >= task.own ORDER BY ms, config LIMIT 1))
FROM task, aim;
.read tests/evaluation/lab6/picks.sql
UPDATE memx_job SET predictor = 'analytic' WHERE job = 'lab6';
.read tests/evaluation/lab6/picks.sql

.mode tabs
-- A pick that runs out of memory has no figures.
CREATE TEMP TABLE placed AS
SELECT task.own, config, ms, variance, 100 * (ms / min(ms) OVER (PARTITION BY task.own) - 1) AS slower,
       rank() OVER (PARTITION BY task.own ORDER BY ms) AS by_time,
       rank() OVER (PARTITION BY task.own ORDER BY phi) AS by_phi
FROM task JOIN run ON run.own >= task.own;
WITH figure AS (
    SELECT pick.*, p.ms, p.variance, p.slower, p.by_time, p.by_phi FROM pick LEFT JOIN placed AS p USING (own, config))
SELECT 'deployment', aim || suffix || detail, who, value, unit, config
FROM task JOIN (
    SELECT 1 AS n, own, who, aim, config, '' AS detail, ms AS value, 'ms' AS unit FROM figure
    UNION ALL SELECT 2, own, who, aim, config, ': variance', variance, 'MiB^2' FROM figure
    UNION ALL SELECT 3, own, who, aim, config, ': slower than the fastest', slower, '%' FROM figure
              WHERE (who, aim) <> ('truth', 'fastest')
    UNION ALL SELECT 4, own, who, aim, config, ': place by time', by_time, 'place' FROM figure
              WHERE (who, aim) <> ('truth', 'fastest')
    UNION ALL SELECT 5, own, who, aim, config, ': place by phi', by_phi, 'place' FROM figure
              WHERE (who, aim) <> ('truth', 'pick')) USING (own)
ORDER BY own, aim, n, who;

-- Of their own: against the fastest of these and of the list with the job's own task.
CREATE TEMP TABLE theirs AS
SELECT o.who, o.what, o.config, t.iteration_ms AS ms, h.variance, 100 * (1 - h.fullest) AS free,
       iif(t.id IS NULL, (SELECT 'out of memory on ' || device || ', stage ' || stage || ': '
                          FROM memx_stages(o.job, o.config) ORDER BY headroom LIMIT 1), '') || o.config AS note
FROM own AS o LEFT JOIN truth AS t ON t.config = o.config AND NOT t.oom
     LEFT JOIN (SELECT config, max(0, avg(held * held) - avg(held) * avg(held)) AS variance,
                       max(held / memory_mib) AS fullest
                FROM gpu GROUP BY config) AS h ON h.config = t.config;
SELECT 'own', what || detail, who, value, unit, note
FROM (SELECT 1 AS n, what, who, '' AS detail, ms AS value, 'ms' AS unit, note FROM theirs
      UNION ALL SELECT 2, what, who, ': slower than the fastest run',
                       100 * (ms / min((SELECT min(ms) FROM theirs), (SELECT min(ms) FROM run WHERE own)) - 1), '%', note
                FROM theirs
      UNION ALL SELECT 3, what, who, ': variance', variance, 'MiB^2', note FROM theirs
      UNION ALL SELECT 4, what, who, ': free on the fullest card', free, '%', note FROM theirs)
ORDER BY what, n, who;

SELECT 'orders', 'time and phi' || suffix, 'truth', spearman(ms, phi), '', count(*)
FROM task JOIN run ON run.own >= task.own GROUP BY task.own
UNION ALL
SELECT 'orders', 'time and phi, mean over tasks', 'truth', avg(rho), '', sum(rows)
FROM (SELECT spearman(ms, phi) AS rho, count(*) AS rows FROM run GROUP BY seq_length, heads, kv_groups)
UNION ALL
SELECT 'orders', 'time and phi, by token', 'truth', spearman(ms / seq_length, token_phi), '', count(*) FROM run;
SELECT 'orders', 'time, predicted and true' || suffix, who, spearman(p.ms, run.ms), '', count(*)
FROM task JOIN run ON run.own >= task.own JOIN predicted AS p USING (config) GROUP BY task.own, who
UNION ALL
SELECT 'orders', 'phi, predicted and true' || suffix, who, spearman(p.phi, run.phi), '', count(*)
FROM task JOIN run ON run.own >= task.own JOIN predicted AS p USING (config) GROUP BY task.own, who;

CREATE TEMP TABLE pair AS
SELECT CASE o.level WHEN 'block1' THEN 'full-block' WHEN 'full' THEN 'full-uniform' ELSE o.level END AS level,
       100 * (1 - o.peak / n.peak) AS peak, 100 * (1 - o.reserved / n.reserved) AS reserved, 100 * (o.ms / n.ms - 1) AS lost
FROM run AS n JOIN run AS o USING (tp, pp, dp, micro_batch, seq_length, heads, kv_groups)
WHERE n.level = 'none' AND o.level <> 'none'
      AND 2 * pp = (SELECT layers FROM memx_job JOIN memx_model USING (model) WHERE job = 'lab6');
SELECT 'levels', level || detail, 'truth', value, '%', pairs
FROM (SELECT 1 AS n, level, ': peak saved' AS detail, median(peak) AS value, count(*) AS pairs FROM pair GROUP BY level
      UNION ALL SELECT 2, level, ': time lost', median(lost), count(*) FROM pair GROUP BY level
      UNION ALL SELECT 3, level, ': peak saved, allocator alone', median(reserved), count(*) FROM pair GROUP BY level)
ORDER BY level, n;
