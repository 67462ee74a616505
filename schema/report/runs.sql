-- The newest runs of job ?1 beside their predictions. Memory of the fullest GPU: all in use, else what the
-- allocator reserved, and the like of it predicted.
WITH run AS (
    SELECT id, job, config, source, iteration_ms, oom, config_problem(job, config) AS problem,
           coalesce(total_mib, (SELECT max(total_mib) FROM memx_run_gpu WHERE run = r.id)) AS total_mib,
           (SELECT max(reserved_mib) FROM memx_run_gpu WHERE run = r.id) AS reserved_mib,
           count(*) OVER () AS runs
    FROM memx_run AS r WHERE job = ?1 ORDER BY id DESC LIMIT 20)
SELECT run.id, run.config, run.source, run.problem, run.oom, run.iteration_ms, p.iteration_ms AS predicted_ms,
       coalesce(run.total_mib, run.reserved_mib) AS memory_mib,
       iif(run.total_mib IS NOT NULL, p.peak_mib,
           (SELECT max(peak_mib - context_mib) FROM memx_stages(p.job, p.config))) AS predicted_mib,
       p.headroom, run.runs
FROM run LEFT JOIN memx_predict(iif(problem IS NULL, run.job, NULL), run.config) AS p
ORDER BY run.id DESC
