-- What does recompute cost, and what does it save? The fastest configuration of each job, and the same
-- with full recompute on its tightest stage alone: the time lost, and what peak and variance fall by (a
-- minus: they rise). The tightest stage, by share of its card, need not hold the peak of all cards: what
-- that stage itself saves, and what its card keeps free, stand beside. Last, what the MemX paper measured.
WITH fastest(job, config) AS MATERIALIZED (
    SELECT job, (SELECT config FROM memx_configs AS c WHERE c.job = j.job ORDER BY iteration_ms LIMIT 1)
    FROM memx_job AS j WHERE job IN ('mix20', 'lab6', 'xy')),
was AS MATERIALIZED (
    SELECT p.job, p.config, p.iteration_ms, p.peak_mib, p.memory_variance, p.tightest_stage
    FROM fastest, memx_predict(fastest.job, fastest.config) AS p),
stages AS MATERIALIZED (
    SELECT was.job, s.stage, s.device, s.layers, s.peak_mib, s.headroom,
           iif(s.stage = was.tightest_stage, 'full', s.recompute) AS recompute
    FROM was, memx_stages(was.job, was.config) AS s),
-- The degrees as they are, then the stages in order.
changed(job, config) AS MATERIALIZED (
    SELECT job, substr(config, 1, instr(config, '/'))
           || (SELECT group_concat(device || '*' || layers || ':' || recompute)
               FROM (SELECT * FROM stages WHERE stages.job = was.job ORDER BY stage))
    FROM was),
shown AS (
    SELECT was.job, old.device || '*' || old.layers || ' at stage ' || old.stage AS full_recompute,
           printf('%.1f %%', 100 * (now.iteration_ms / was.iteration_ms - 1)) AS time_lost,
           printf('%.1f %%', 100 * (1 - now.peak_mib / was.peak_mib)) AS peak_saved,
           printf('%.1f %%', 100 * (1 - now.memory_variance / was.memory_variance)) AS variance_saved,
           printf('%.1f %%', 100 * (1 - new.peak_mib / old.peak_mib)) AS stage_saved,
           printf('%.0f -> %.0f %%', 100 * old.headroom, 100 * new.headroom) AS stage_free
    FROM was JOIN changed USING (job), memx_predict(was.job, changed.config) AS now
         JOIN stages AS old ON old.job = was.job AND old.stage = was.tightest_stage,
         memx_stages(was.job, changed.config) AS new
    WHERE new.stage = old.stage
    UNION ALL
    VALUES ('paper', 'full-block throughout, 4 V100 and 2 T4: figure 8, time the median of 18 pairs',
            '8.5 %', '7.6 %', '-', '-', '-'))
SELECT * FROM shown ORDER BY job = 'paper', job;
