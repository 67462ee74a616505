-- Fastest, best balanced, or balanced at a bounded price? Three picks for job mix20 in its own space, and
-- in the space free, which has every split and every level on every stage: the least iteration time, the
-- least phi, and the least phi among those at most 10 % slower than the fastest. The more there is to
-- choose from, the more time the second gives for even memory; the third is what most teams want.
WITH picks(space, pick, config) AS (
    SELECT * FROM (SELECT space, 'fastest', config FROM memx_configs('default')
                   WHERE job = 'mix20' ORDER BY iteration_ms LIMIT 1)
    UNION ALL
    SELECT * FROM (SELECT space, 'best phi', config FROM memx_configs('default')
                   WHERE job = 'mix20' ORDER BY phi LIMIT 1)
    UNION ALL
    SELECT * FROM (SELECT space, 'best phi within 10 %', config FROM memx_configs('default')
                   WHERE job = 'mix20' AND slowdown <= 1.10 ORDER BY phi LIMIT 1)
    UNION ALL
    SELECT * FROM (SELECT space, 'fastest', config FROM memx_configs('free')
                   WHERE job = 'mix20' ORDER BY iteration_ms LIMIT 1)
    UNION ALL
    SELECT * FROM (SELECT space, 'best phi', config FROM memx_configs('free')
                   WHERE job = 'mix20' ORDER BY phi LIMIT 1)
    UNION ALL
    SELECT * FROM (SELECT space, 'best phi within 10 %', config FROM memx_configs('free')
                   WHERE job = 'mix20' AND slowdown <= 1.10 ORDER BY phi LIMIT 1))
SELECT space || ': ' || pick AS pick, printf('%.1f', iteration_ms / 1000) AS seconds,
       printf('%.2f', slowdown) AS slowdown, printf('%.1f', peak_mib / 1024) AS peak_gib,
       printf('%.0f', sqrt(memory_variance)) AS spread_mib,
       printf('%.0f %%', 100 * headroom) AS free, printf('%.3f', phi) AS score, p.config
FROM picks, memx_predict('mix20', picks.config) AS p;
