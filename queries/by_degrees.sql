-- How do the degrees compare? For each tp and pp of job mix20, its fastest configuration: the ten best of
-- a ranking are often close relatives, this shows the others.
SELECT tp, pp, dp, micro_batch, printf('%.1f', min(iteration_ms) / 1000) AS seconds,
       printf('%.2f', slowdown) AS slowdown, printf('%.1f', peak_mib / 1024) AS peak_gib,
       printf('%.0f %%', 100 * headroom) AS free, count(*) AS configurations, layers, recompute
FROM memx_configs
WHERE job = 'mix20'
GROUP BY tp, pp
ORDER BY min(iteration_ms);
