-- Which configuration should job mix20 run? Its ten best by phi, from the analytic model alone: fast,
-- small on the fullest card, and even between cards.
SELECT config, round(iteration_ms) AS iteration_ms, round(slowdown, 2) AS slowdown,
       round(peak_mib) AS peak_mib, round(memory_variance) AS memory_variance,
       round(headroom, 2) AS headroom, round(phi, 4) AS phi
FROM memx_configs
WHERE cluster = 'mix20'
ORDER BY memx_configs.phi LIMIT 10;
