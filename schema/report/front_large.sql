-- The same where the space is too large for all of it: the most even ones within bounds on the time.
WITH bound(slowdown) AS (VALUES (1.0), (1.02), (1.05), (1.1), (1.2), (1.5)),
even AS (
    SELECT DISTINCT (SELECT config FROM memx_configs
                     WHERE job = ?1 AND slowdown <= bound.slowdown ORDER BY memory_variance LIMIT 1) AS config
    FROM bound)
SELECT p.iteration_ms, sqrt(p.memory_variance), p.slowdown, p.peak_mib, p.headroom, p.config
FROM even, memx_predict(?1, even.config) AS p
WHERE p.iteration_ms <= ?3
ORDER BY p.iteration_ms
