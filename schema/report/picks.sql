-- The three picks of job ?1 in its own space, as queries/best.sql has them, and the configuration ?2 where
-- that is given. What is asked about has the greatest `place`.
WITH picks(place, config) AS (
    SELECT * FROM (SELECT 0, config FROM memx_configs WHERE job = ?1 ORDER BY iteration_ms LIMIT 1)
    UNION ALL
    SELECT * FROM (SELECT 1, config FROM memx_configs WHERE job = ?1 ORDER BY phi LIMIT 1)
    UNION ALL
    SELECT * FROM (SELECT 2, config FROM memx_configs WHERE job = ?1 AND slowdown <= 1.10 ORDER BY phi LIMIT 1)
    UNION ALL
    SELECT 3, ?2 WHERE ?2 IS NOT NULL)
SELECT picks.place, p.config, p.iteration_ms, p.slowdown, p.peak_mib, sqrt(p.memory_variance) AS spread_mib,
       p.headroom, p.phi, p.tokens_per_s, p.bubble, p.simulated_ms, p.slowest_stage, p.tightest_stage,
       p.headroom_mib, p.predictor
FROM picks, memx_predict(?1, picks.config) AS p
ORDER BY picks.place
