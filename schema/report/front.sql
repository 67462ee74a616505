-- What nothing beats in job ?1's own space by time and spread of memory, up to ?3 ms.
SELECT iteration_ms, spread_mib, slowdown, peak_mib, headroom, config FROM (
    SELECT iteration_ms, sqrt(memory_variance) AS spread_mib, slowdown, peak_mib, headroom, config,
           memory_variance, min(memory_variance) OVER (
               ORDER BY iteration_ms, memory_variance, peak_mib, config
               ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM memx_configs WHERE job = ?1 AND pareto = 1)
WHERE (before IS NULL OR memory_variance < before) AND iteration_ms <= ?3
ORDER BY iteration_ms
