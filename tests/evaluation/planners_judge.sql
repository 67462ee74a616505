-- Costs and picks against `truth`, on one seed: a line each of claim, what, who, value, and what the note needs.
-- True phi: of the testbed's time, and of reserved memory and context of each GPU; not over the medians, which
-- change neither order nor ratio.
CREATE TEMP TABLE gpu AS
SELECT t.job, t.config, j.predictor AS profile, g.reserved_mib, d.context_mib,
       p.peak_mib - d.context_mib AS predicted_mib, g.reserved_mib + d.context_mib AS held_mib
FROM truth AS t JOIN memx_job AS j USING (job), memx_gpus(t.job, t.config) AS p
     JOIN truth_gpu AS g ON g.run = t.id AND g.rank = p.rank
     JOIN memx_device AS d ON d.device = p.device
WHERE NOT t.oom;
CREATE TEMP TABLE ran(job, config, true_ms, true_phi, memory_mape, PRIMARY KEY(job, config));
INSERT INTO ran
SELECT job, config, iteration_ms,
       phi(iteration_ms, max(held_mib), max(0, avg(held_mib * held_mib) - avg(held_mib) * avg(held_mib))),
       mape(reserved_mib, predicted_mib)
FROM truth JOIN gpu USING (job, config) GROUP BY job, config;

CREATE TEMP TABLE point AS
SELECT 'own' AS part, profile, who, job, config, cost_ms, NULL AS phi, true_ms, true_phi, memory_mape
FROM own JOIN price USING (profile, who, job, config) JOIN ran USING (job, config)
UNION ALL
SELECT 'all', profile, who, job, config, cost_ms, NULL, true_ms, true_phi, memory_mape
FROM shared JOIN price USING (job, config) JOIN ran USING (job, config) WHERE who IN ('amp', 'metis', 'hexiscale')
UNION ALL
SELECT 'all', profile, 'memx', job, config, iteration_ms, phi, true_ms, true_phi, memory_mape
FROM shared JOIN predicted USING (job, config) JOIN ran USING (job, config)
UNION ALL
SELECT 'sample', profile, 'memx', job, config, iteration_ms, phi, true_ms, true_phi, memory_mape
FROM sample JOIN predicted USING (job, config) JOIN ran USING (job, config);

CREATE TEMP TABLE fitting AS
SELECT profile, who, job, config, iteration_ms, phi
FROM (SELECT *, row_number() OVER (PARTITION BY profile, who, job ORDER BY round(cost_ms, 3), config) AS place
      FROM own JOIN price USING (profile, who, job, config) JOIN predicted USING (profile, job, config) WHERE fits)
WHERE place = 1;

.mode tabs
WITH error AS (
    SELECT job, profile, part, who, mape(true_ms, cost_ms) AS time_mape, spearman(true_ms, cost_ms) AS time_spearman,
           max(100 * abs(cost_ms / true_ms - 1)) AS max_error, NULL AS memory_mape, count(*) AS rows
    FROM point GROUP BY job, profile, part, who HAVING count(*) > 1
    UNION ALL
    SELECT job, profile, 'own, micro batch 2', who, mape(true_ms, cost_ms), NULL, NULL, NULL, count(*)
    FROM point WHERE who = 'fasop' AND part = 'own' AND config GLOB '*.mb2.*' GROUP BY job, profile HAVING count(*) > 1
    UNION ALL
    SELECT job, profile, part, who, NULL, NULL, NULL, avg(memory_mape), count(*)
    FROM point WHERE who = 'memx' AND profile = (SELECT predictor FROM memx_job WHERE job = 'mix20')
    GROUP BY job, profile, part)
SELECT replace(job, 'mix', 'errors_'), column1 || '.' || profile || '.' || part, who,
       CASE column1 WHEN 'time_mape' THEN time_mape WHEN 'time_spearman' THEN time_spearman
                    WHEN 'max_error' THEN max_error ELSE memory_mape END AS value, rows
FROM error, (VALUES ('time_mape'), ('time_spearman'), ('max_error'), ('memory_mape')) WHERE value IS NOT NULL;

-- memx_phi: MemX's predicted phi. true_time: what a planner that knew time perfectly would reach.
SELECT replace(job, 'mix', 'orders_'), column1 || '.' || profile || '.' || part, who,
       iif(column1 = 'time_spearman', spearman(true_ms, cost_ms), spearman(true_phi, cost_ms)), count(*)
FROM point, (VALUES ('time_spearman'), ('phi_spearman')) WHERE part <> 'own'
GROUP BY job, profile, part, who, column1
UNION ALL
SELECT replace(job, 'mix', 'orders_'), 'phi_spearman.' || profile || '.' || part, 'memx_phi',
       spearman(true_phi, phi), count(*)
FROM point WHERE who = 'memx' GROUP BY job, profile, part
UNION ALL
SELECT replace(job, 'mix', 'orders_'), 'phi_spearman.' || profile || '.' || part, 'true_time',
       spearman(true_phi, true_ms), count(*)
FROM point WHERE who = 'memx' GROUP BY job, profile, part;

-- Above the least of all that ran, and of MemX's also above the least of the list that it is the first of.
WITH least AS (SELECT job, min(true_ms) AS ms, min(true_phi) AS phi FROM ran GROUP BY job),
listed AS (
    SELECT profile, who, job, min(true_ms) AS list_ms, min(true_phi) AS list_phi
    FROM pick JOIN ran USING (job, config) GROUP BY profile, who, job),
tried AS (
    SELECT job, profile, who, config, true_ms IS NULL AS oom, true_ms / ms AS time, true_phi / l.phi AS phi,
           iif(who LIKE '%phi' OR who LIKE '%within', true_phi / list_phi, true_ms / list_ms) AS list
    FROM first JOIN least AS l USING (job) LEFT JOIN listed USING (profile, who, job)
         LEFT JOIN ran USING (job, config)),
line AS (
    SELECT job, profile, who, column1 AS metric, '' AS note,
           CASE column1 WHEN 'time_above_least' THEN 100 * (time - 1) WHEN 'phi_above_least' THEN 100 * (phi - 1)
                        WHEN 'above_its_list' THEN 100 * (list - 1)
                        WHEN 'time_truly_first' THEN coalesce(time < 1 + 1e-9, 0)
                        ELSE coalesce(phi < 1 + 1e-9, 0) END AS value
    FROM tried, (VALUES ('time_above_least'), ('phi_above_least'), ('above_its_list'), ('time_truly_first'),
                        ('phi_truly_first'))
    UNION ALL
    SELECT job, profile, who, 'out_of_memory', coalesce((
               SELECT device || ' at stage ' || min(stage)
                      || iif(count(*) > 1, printf(' and %d stages more', count(*) - 1), '')
               FROM full AS f WHERE f.job = t.job AND f.config = t.config), ''), oom
    FROM tried AS t)
SELECT replace(job, 'mix', 'first_'), metric || '.' || profile, who, value, note FROM line
WHERE value IS NOT NULL AND NOT (metric = 'time_truly_first' AND who IN ('memx_phi', 'memx_within', 'memx_free_phi'))
      AND NOT (metric = 'phi_truly_first' AND who IN ('memx', 'memx_within', 'memx_free'));

-- As the paper has it: the first of the same configurations for all, those that run.
WITH ordered AS (
    SELECT job, profile, part, who, cost_ms AS cost, true_ms, true_phi FROM point WHERE part <> 'own'
    UNION ALL
    SELECT job, profile, part, 'memx_phi', phi, true_ms, true_phi FROM point WHERE who = 'memx' AND part <> 'own'),
ratio AS (
    SELECT job, profile, part, who, row_number() OVER (PARTITION BY job, profile, part, who ORDER BY cost) AS place,
           true_ms / min(true_ms) OVER (PARTITION BY job, part) AS time,
           true_phi / min(true_phi) OVER (PARTITION BY job, part) AS phi
    FROM ordered)
SELECT replace(job, 'mix', 'first_'), column1 || '.' || profile || '.' || part, who,
       CASE column1 WHEN 'top1_time_above_least' THEN 100 * (time - 1) WHEN 'top1_phi_above_least' THEN 100 * (phi - 1)
                    WHEN 'top1_time' THEN time < 1 + 1e-9 ELSE phi < 1 + 1e-9 END, ''
FROM ratio, (VALUES ('top1_time_above_least'), ('top1_phi_above_least'), ('top1_time'), ('top1_phi')) WHERE place = 1;

-- A planner's first that MemX takes to fit, against MemX's first of the free space.
WITH free AS (
    SELECT profile, iif(who = 'memx_free', 'time', 'phi') AS what, job, p.iteration_ms, p.phi, true_ms, true_phi
    FROM first JOIN predicted AS p USING (profile, job, config) LEFT JOIN ran USING (job, config)
    WHERE who IN ('memx_free', 'memx_free_phi')),
case_ AS (
    SELECT p.profile, p.who, f.what, p.job, r.true_ms IS NOT NULL AS runs,
           iif(what = 'time', p.iteration_ms / f.iteration_ms, p.phi / f.phi) AS predicted,
           iif(what = 'time', r.true_ms / f.true_ms, r.true_phi / f.true_phi) AS truth
    FROM fitting AS p JOIN free AS f USING (profile, job) LEFT JOIN ran AS r USING (job, config))
SELECT 'never_worse', 'predicted_' || what || '_' || substr(job, 4), who, predicted < 1 - 1e-9, 100 * (1 - predicted)
FROM case_
UNION ALL
SELECT 'never_worse', 'true_' || what || '_' || substr(job, 4), who,
       runs AND (truth IS NULL OR truth < 1 - 1e-9), 100 * (1 - truth)
FROM case_;
