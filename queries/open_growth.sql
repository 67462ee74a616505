-- What does the even pick really buy when a job grows or nodes are exchanged? queries/grow_batch.sql and
-- queries/swap_cluster.sql show how far single picks of job mix20, and which picks of each job, go unchanged; here
-- both are weighed against what one could do instead: search anew after the change. For the demo's jobs, or your
-- own (before reading this: CREATE TEMP TABLE asked AS SELECT 'try' AS job), four picks: the fastest, the best phi,
-- and of those at most 10 % slower than the fastest the best phi and the one that leaves most of its tightest card
-- free. After each change: does a pick still fit with the same layout (degrees, devices, layers, recompute),
-- leaving the job's reserve, and at what share of the speed (tokens/s) of the fastest that a new search finds for
-- the changed job?
--
-- Changes: global batch times 2 and 4; micro batch times 2 and 4, the job as it is; sequences times 1.5, 2 and 4;
-- one device type exchanged for each card of the catalog with half to all but the same memory. All figures are
-- predictions. cases: changes after which a new search finds anything. speeds_pct: the four picks' median speeds where
-- they fit; expected_pct: their mean speeds over all cases, 0 where they do not. Rolled back.
BEGIN;
CREATE TEMP TABLE IF NOT EXISTS asked(job TEXT PRIMARY KEY);
CREATE TEMP TABLE demo AS SELECT 1 AS yes WHERE NOT EXISTS (SELECT 1 FROM asked);
INSERT INTO asked SELECT job FROM memx_job, demo WHERE job IN ('mix20', 'lab6', 'xy');
DELETE FROM asked WHERE rowid NOT IN (SELECT min(rowid) FROM asked GROUP BY job);
SELECT example AS left_out FROM asked AS a, memx_why(a.job) WHERE reason = 'cannot be read';
DELETE FROM asked WHERE EXISTS (SELECT 1 FROM memx_why(asked.job) WHERE reason = 'cannot be read');
CREATE TEMP TABLE pick AS
SELECT job, 1 AS place, 'fastest' AS pick,
       (SELECT config FROM memx_configs AS c WHERE c.job = j.job ORDER BY iteration_ms LIMIT 1) AS config
FROM asked AS j
UNION ALL
SELECT job, 2, 'best phi within 10 %',
       (SELECT config FROM memx_configs AS c WHERE c.job = j.job AND slowdown <= 1.10 ORDER BY phi LIMIT 1)
FROM asked AS j
UNION ALL
SELECT job, 3, 'most free within 10 %',
       (SELECT config FROM memx_configs AS c WHERE c.job = j.job AND slowdown <= 1.10
        ORDER BY headroom DESC, iteration_ms LIMIT 1)
FROM asked AS j
UNION ALL
SELECT job, 4, 'best phi', (SELECT config FROM memx_configs AS c WHERE c.job = j.job ORDER BY phi LIMIT 1)
FROM asked AS j;
CREATE TEMP TABLE now AS
SELECT pick.place, pick.pick, p.* FROM pick, memx_predict(pick.job, pick.config) AS p;

-- Every change that is another job, with a cluster of its own where nodes are exchanged.
CREATE TEMP TABLE change AS
SELECT 'open-' || row_number() OVER (ORDER BY job, kind, size, gone, came) AS target, *
FROM (
    SELECT j.job, 'global batch' AS kind, s.column1 AS size, NULL AS gone, NULL AS came
    FROM memx_job AS j, (VALUES (2), (4)) AS s
    UNION ALL
    SELECT j.job, 'sequence', s.column1, NULL, NULL FROM memx_job AS j, (VALUES (1.5), (2), (4)) AS s
    UNION ALL
    SELECT j.job, 'less memory', came.memory_mib / gone.memory_mib, gone.device, came.device
    FROM memx_job AS j JOIN memx_framework AS f USING (framework)
         JOIN (SELECT DISTINCT cluster, device FROM memx_node) AS node USING (cluster)
         JOIN memx_device AS gone ON gone.device = node.device
         JOIN memx_device AS came ON came.memory_mib >= gone.memory_mib / 2 AND came.memory_mib < gone.memory_mib
                                     AND came.bf16 >= f.bf16 AND came.certainty <> 'invented'
    WHERE came.device NOT IN (SELECT device FROM memx_node AS n WHERE n.cluster = j.cluster))
WHERE job IN (SELECT job FROM asked);
INSERT INTO memx_cluster
SELECT e.target, c.inter_gbs, c.flow_gbs, c.inter_efficiency, c.latency_us, c.overhead_ms, ''
FROM change AS e JOIN memx_job USING (job) JOIN memx_cluster AS c USING (cluster);
INSERT INTO memx_node(cluster, ordinal, device, gpus, link_gbs, inter_gbs, host_memory_mib, host_memory_gbs)
SELECT e.target, n.ordinal, iif(n.device = e.gone, e.came, n.device), n.gpus, n.link_gbs, n.inter_gbs,
       n.host_memory_mib, n.host_memory_gbs
FROM change AS e JOIN memx_job USING (job) JOIN memx_node AS n USING (cluster);
INSERT INTO memx_job(job, cluster, model, framework, global_batch, seq_length, space, weights, reserve)
SELECT e.target, e.target, j.model, j.framework, iif(e.kind = 'global batch', e.size, 1) * j.global_batch,
       CAST(iif(e.kind = 'sequence', e.size, 1) * coalesce(j.seq_length, m.seq_length) AS INTEGER), j.space, j.weights,
       j.reserve
FROM change AS e JOIN memx_job AS j USING (job) JOIN memx_model AS m USING (model);
-- The micro batch is a choice: another one is the same job.
INSERT INTO change
SELECT job, job, 'micro batch', s.column1, NULL, NULL FROM memx_job AS j, (VALUES (2), (4)) AS s
WHERE job IN (SELECT job FROM asked);

CREATE TEMP TABLE anew AS
SELECT target, (SELECT tokens_per_s FROM memx_configs AS c WHERE c.job = t.target ORDER BY iteration_ms LIMIT 1)
               AS tokens_per_s
FROM (SELECT DISTINCT target FROM change) AS t;
CREATE TEMP TABLE kept AS
SELECT e.job, e.kind, e.size, e.target, n.place, n.pick,
       CASE e.kind WHEN 'sequence' THEN replace(n.config, '.seq' || n.seq_length || '/',
                                                '.seq' || CAST(e.size * n.seq_length AS INTEGER) || '/')
                   WHEN 'micro batch' THEN replace(n.config, '.mb' || n.micro_batch || '.',
                                                   '.mb' || (e.size * n.micro_batch) || '.')
                   WHEN 'less memory' THEN replace(n.config, e.gone, e.came) ELSE n.config END AS config
FROM change AS e JOIN now AS n USING (job);
CREATE TEMP TABLE outcome AS
SELECT k.*, ifnull(p.headroom >= coalesce(j.reserve, 0.10), 0) AS fits, p.tokens_per_s / a.tokens_per_s AS speed
FROM kept AS k JOIN anew AS a USING (target) JOIN memx_job AS j ON j.job = k.target
     LEFT JOIN memx_predict(iif(config_problem(k.target, k.config) IS NULL, k.target, NULL), k.config) AS p
WHERE a.tokens_per_s IS NOT NULL;
CREATE TEMP TABLE tally AS
SELECT job, kind, place, pick, count(*) AS cases, sum(fits) AS fits, median(iif(fits, speed, NULL)) AS speed,
       avg(iif(fits, speed, 0)) AS expected
FROM outcome GROUP BY job, kind, place;

SELECT job, kind AS grows, cases,
       max(iif(place = 1, fits, NULL)) AS fit_of_fastest, max(iif(place = 2, fits, NULL)) AS of_best_phi_within_10,
       max(iif(place = 3, fits, NULL)) AS of_most_free_within_10, max(iif(place = 4, fits, NULL)) AS of_best_phi,
       group_concat(iif(speed IS NULL, '-', printf('%.0f', 100 * speed)), ', ') AS speeds_pct,
       group_concat(printf('%.0f', 100 * expected), ', ') AS expected_pct, 'predicted' AS figures
FROM (SELECT * FROM tally ORDER BY job, kind, place) GROUP BY job, kind ORDER BY job, kind;

CREATE TEMP TABLE summed AS
SELECT o.place, o.pick, count(*) AS cases, sum(o.fits) AS fits, median(iif(o.fits, o.speed, NULL)) AS speed,
       sum(o.fits AND NOT f.fits) AS gained, sum(f.fits AND NOT o.fits) AS lost, avg(iif(o.fits, o.speed, 0)) AS expected,
       (SELECT avg(slowdown) FROM now WHERE now.place = o.place) AS slowdown
FROM outcome AS o JOIN outcome AS f ON (f.target, f.kind, f.size, f.place) = (o.target, o.kind, o.size, 1)
GROUP BY o.place;
SELECT pick, printf('predicted: the %s, today %.0f %% slower than the fastest, still fits after %d of %d changes (%d where '
                    || 'the fastest does not, %d the other way round), there at a median %.0f %% of what a new search finds',
                    pick, 100 * (slowdown - 1), fits, cases, gained, lost, 100 * speed) AS answer
FROM summed WHERE fits > 0
UNION ALL
SELECT pick, printf('predicted: the %s fits after none of %d changes', pick, cases) FROM summed WHERE fits = 0
UNION ALL
SELECT 'all', printf('So evenness buys %s room by itself: kept unchanged, the best phi within 10 %% survives %+d of %d changes '
                     || 'against the fastest, the one that leaves most free %+d, at %.0f and %.0f %% of time. %s',
                     CASE WHEN e.fits <= f.fits THEN 'no' WHEN 2 * (e.fits - f.fits) < m.fits - f.fits THEN 'little'
                          ELSE 'most of the' END, e.fits - f.fits, f.cases, m.fits - f.fits, 100 * (e.slowdown - 1),
                     100 * (m.slowdown - 1),
                     CASE WHEN m.fits > max(e.fits, f.fits) THEN 'Who wants to grow without a new layout should order by headroom; '
                          WHEN e.fits > f.fits THEN 'Who wants to grow without a new layout may as well order by phi; '
                          ELSE 'No pick survives more of them than the fastest; ' END
                     || 'who can search anew and move to what is found need not pay in advance')
FROM summed AS f JOIN summed AS e ON e.place = 2 JOIN summed AS m ON m.place = 3 WHERE f.place = 1
UNION ALL
SELECT job, 'predicted: nothing fits in its own space' FROM asked WHERE job NOT IN (SELECT job FROM now)
UNION ALL
SELECT '-', 'no job to ask about: before reading this, CREATE TEMP TABLE asked AS SELECT ''try'' AS job, with jobs of memx_job'
WHERE NOT EXISTS (SELECT 1 FROM asked);
ROLLBACK;
