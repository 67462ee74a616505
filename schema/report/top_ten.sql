-- The ten least phi of job ?1 among what is at most 10 % slower than the fastest.
SELECT config, iteration_ms, slowdown, peak_mib,
       sqrt(memory_variance) AS spread_mib, headroom, phi
FROM memx_configs WHERE job = ?1 AND slowdown <= 1.10 ORDER BY phi LIMIT 10
