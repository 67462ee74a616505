-- Which configurations suit cluster mix20 best? The ten with the least phi: fast, small on the fullest
-- card and even between cards. Each stage reads device*layers:recompute.
SELECT printf('%.3f', phi) AS score, printf('%.1f', iteration_ms / 1000) AS seconds,
       printf('%.2f', slowdown) AS slowdown, printf('%.1f', peak_mib / 1024) AS peak_gib,
       printf('%.0f', sqrt(memory_variance)) AS spread_mib, printf('%.0f %%', 100 * headroom) AS free,
       config
FROM memx_configs
WHERE cluster = 'mix20'
ORDER BY phi LIMIT 10;
