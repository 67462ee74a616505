-- Does recompute per stage beat the best uniform level? The MemX paper lets every stage choose, but never took the
-- choice away to see what is lost. Here it is: the same spaces, with a level of its own for every stage (scope
-- stage), for every device type (device), and one for all stages, the best of them (global); the fastest, the best
-- phi, and the best phi at most 10 % slower than the fastest of the job's own space. Levels: none, selective,
-- block1, full. Layers are free, so that only the scope differs; and once more under the split that makes the
-- slowest stage fast (rule time, no layer moved), as in most planners, where no stage can make up for its level by
-- giving layers away; scope stage is left out there, since ten stages have more assignments of levels than MemX lists.
--
-- Jobs: the demo's; and, where memory is short, LLaMA2-13B on mix20 (mix20-13b) and LLaMA2-7B cut to 12 layers on
-- lab6 (lab6-12layer), which are added and rolled back; or your own: before reading this, CREATE TEMP TABLE asked
-- AS SELECT 'try' AS job. All figures are predictions. A pick's seconds, then what it gained on global of the
-- measure that it is ordered by; spread, free and config are of the finest scope.
BEGIN;
CREATE TEMP TABLE IF NOT EXISTS asked(job TEXT PRIMARY KEY);
CREATE TEMP TABLE demo AS SELECT 1 AS yes WHERE NOT EXISTS (SELECT 1 FROM asked);
INSERT INTO asked SELECT job FROM memx_job, demo WHERE job IN ('mix20', 'lab6', 'xy');
DELETE FROM asked WHERE rowid NOT IN (SELECT min(rowid) FROM asked GROUP BY job);
SELECT example AS left_out FROM asked AS a, memx_why(a.job) WHERE reason = 'cannot be read';
DELETE FROM asked WHERE EXISTS (SELECT 1 FROM memx_why(asked.job) WHERE reason = 'cannot be read');
INSERT OR IGNORE INTO memx_model(model, family, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length)
SELECT 'llama2-12layer', family, 12, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length
FROM memx_model, demo WHERE model = 'llama2-6layer';
INSERT OR IGNORE INTO memx_job(job, cluster, model, framework, global_batch, weights)
SELECT more.* FROM demo, asked JOIN (
    SELECT 'mix20-13b', 'mix20' AS cluster, 'llama2-13b', 'megatron-bf16', 256, 'default' UNION ALL
    SELECT 'lab6-12layer', 'lab6', 'llama2-12layer', 'megatron-fp16', 64, 'safe') AS more ON more.cluster = asked.job;
INSERT INTO asked SELECT job FROM memx_job, demo WHERE job IN ('mix20-13b', 'lab6-12layer');
INSERT INTO memx_space(space, param, value)
SELECT 'open-' || split.column1 || '-' || scope.column1, s.param,
       CASE s.param WHEN 'recompute_scope' THEN scope.column1 WHEN 'layer_split' THEN split.column1 ELSE s.value END
FROM memx_space AS s, (VALUES ('stage'), ('device'), ('global')) AS scope, (VALUES ('free'), ('time')) AS split
WHERE s.space = 'free';
CREATE TEMP TABLE pick AS
WITH wanted AS (
    SELECT job, split.column1 AS split, scope.column2 AS place, scope.column1 AS scope,
           'open-' || split.column1 || '-' || scope.column1 AS space
    FROM asked, (VALUES ('global', 1), ('device', 2), ('stage', 3)) AS scope, (VALUES ('free'), ('time')) AS split
    WHERE NOT (split.column1 = 'time' AND scope.column1 = 'stage'))
SELECT job, split, place, scope, 1 AS pick, 'fastest' AS what,
       (SELECT config FROM memx_configs AS c WHERE c.job = a.job AND c.space = a.space
        ORDER BY iteration_ms LIMIT 1) AS config
FROM wanted AS a
UNION ALL
SELECT job, split, place, scope, 2, 'best phi within 10 %',
       (SELECT config FROM memx_configs AS c WHERE c.job = a.job AND c.space = a.space AND slowdown <= 1.10
        ORDER BY phi LIMIT 1)
FROM wanted AS a
UNION ALL
SELECT job, split, place, scope, 3, 'best phi',
       (SELECT config FROM memx_configs AS c WHERE c.job = a.job AND c.space = a.space ORDER BY phi LIMIT 1)
FROM wanted AS a;
CREATE TEMP TABLE figure AS
SELECT pick.*, p.iteration_ms, p.slowdown, p.peak_mib, p.memory_variance, p.headroom, p.phi,
       iif(pick = 1, p.iteration_ms, p.phi) AS measure
FROM pick, memx_predict(pick.job, pick.config) AS p WHERE pick.config IS NOT NULL;
-- A row for each job, split and pick; what there is only under one scope stands alone.
CREATE TEMP TABLE beside AS
SELECT d.job, d.split, d.pick, d.what, g.measure AS global, d.measure AS device, s.measure AS stage,
       g.iteration_ms AS global_ms, d.iteration_ms AS device_ms, s.iteration_ms AS stage_ms,
       sqrt(coalesce(s.memory_variance, d.memory_variance)) AS spread_mib, coalesce(s.headroom, d.headroom) AS free,
       coalesce(s.config, d.config) AS config
FROM figure AS d LEFT JOIN figure AS g ON (g.job, g.split, g.pick, g.scope) = (d.job, d.split, d.pick, 'global')
     LEFT JOIN figure AS s ON (s.job, s.split, s.pick, s.scope) = (d.job, d.split, d.pick, 'stage')
WHERE d.scope = 'device';
SELECT job, split || ' split' AS layers, what, iif(global IS NULL, '-', printf('%.2f', global_ms / 1000)) AS global_seconds,
       iif(global IS NULL, 'nothing there', printf('%.2f s, %.1f %%', device_ms / 1000,
                                                   round(100 * (1 - device / global), 1) + 0.0)) AS device_gained,
       CASE WHEN stage IS NULL THEN '-' WHEN global IS NULL THEN 'nothing there'
            ELSE printf('%.2f s, %.1f %%', stage_ms / 1000, round(100 * (1 - stage / global), 1) + 0.0) END AS stage_gained,
       printf('%.0f', spread_mib) AS spread_mib, printf('%.0f %%', 100 * free) AS free, 'predicted' AS figures, config
FROM beside ORDER BY job, split, pick;

SELECT what, printf('predicted, layers free: for the %s a level per stage beats the best uniform level in %d of %d jobs '
                    || '(of %s by up to %s %%, median of all %s %%), and it beats a level per device type in %d; a uniform '
                    || 'level gets there not at all in %d', what, sum(ifnull(stage < 0.9995 * global, 1)), count(*),
                    iif(pick = 1, 'time', 'phi'), iif(max(stage / global) IS NULL, '-', printf('%.1f', max(100 * (1 - stage / global)))),
                    iif(max(stage / global) IS NULL, '-', printf('%.1f', median(100 * (1 - stage / global)))),
                    sum(ifnull(stage < 0.9995 * device, 1)), sum(global IS NULL)) AS answer
FROM beside WHERE split = 'free' GROUP BY pick
UNION ALL
SELECT 'all', printf('So in time recompute per stage pays off in %d of %d jobs%s', faster, jobs,
                     iif(faster = 0, '', printf(' (%s), in %d of them against a uniform level that recomputes throughout', names, short)))
              || iif(near IS NULL, '', printf('; in phi it gains at most %.1f %% within 10 %% of the fastest', near))
              || iif(far IS NULL, '', printf(', and at most %.1f %% without that bound, at %.2f to %.2f times the time of the fastest',
                                             far, least, most))
FROM (SELECT count(DISTINCT job) AS jobs, sum(pick = 1 AND gained) AS faster,
             sum(pick = 1 AND gained AND ifnull(uniform NOT LIKE '%:none%', 1)) AS short,
             group_concat(iif(pick = 1 AND gained, job || iif(global IS NULL, ', where a uniform level has nothing',
                                                             printf(', %.0f %% faster', 100 * (1 - stage / global))), NULL), '; ') AS names,
             max(iif(pick = 2, 100 * (1 - stage / global), NULL)) AS near,
             max(iif(pick = 3, 100 * (1 - stage / global), NULL)) AS far,
             min(iif(pick = 3, stage_ms / first_ms, NULL)) AS least, max(iif(pick = 3, stage_ms / first_ms, NULL)) AS most
      FROM (SELECT b.*, ifnull(stage < 0.9995 * global, 1) AS gained,
                   (SELECT config FROM figure AS g WHERE (g.job, g.split, g.pick, g.scope) = (b.job, b.split, b.pick, 'global')) AS uniform,
                   (SELECT stage_ms FROM beside AS f WHERE f.job = b.job AND f.split = 'free' AND f.pick = 1) AS first_ms
            FROM beside AS b WHERE split = 'free' AND stage IS NOT NULL))
WHERE EXISTS (SELECT 1 FROM beside)
UNION ALL
SELECT job, 'predicted: nothing fits at any level' FROM asked WHERE job NOT IN (SELECT job FROM beside)
UNION ALL
SELECT '-', 'no job to ask about: before reading this, CREATE TEMP TABLE asked AS SELECT ''try'' AS job, with jobs of memx_job'
WHERE NOT EXISTS (SELECT 1 FROM asked);
ROLLBACK;
