-- memx_sensitivity: how much a parameter moves time and memory of a stage, at most, in sweeps where only it
-- differs. keep: 1 where either moves by more than 5 %.
SELECT device, framework, model, parameter, max(points), count(*),
       iif(parameter = 'recompute', substr(min(least), 8), min(least)),
       iif(parameter = 'recompute', substr(max(most), 8), max(most)),
       max(time_change_pct) AS time_change_pct, max(memory_change_pct) AS memory_change_pct,
       ifnull(max(time_change_pct) > 5, 0) OR ifnull(max(memory_change_pct) > 5, 0) AS keep
FROM (
    SELECT device, framework, model, parameter, sweep, count(*) AS points, min(ordered) AS least,
           max(ordered) AS most,
           iif(count(time_ms) > 1, (max(time_ms) / min(time_ms) - 1) * 100, NULL) AS time_change_pct,
           iif(count(memory_mib) > 1, (max(memory_mib) / min(memory_mib) - 1) * 100, NULL)
               AS memory_change_pct
    FROM (
        -- Levels from the one that recomputes least to the one that recomputes most.
        SELECT *, CASE WHEN parameter <> 'recompute' THEN value
                       WHEN value = 'none' THEN '000000 none' WHEN value = 'selective' THEN '100000 selective'
                       WHEN value = 'full' THEN '400000 full'
                       ELSE printf('%d%05d %s', iif(value GLOB 'block*', 2, 3), ltrim(value, 'blockunifrm'), value)
                       END AS ordered
        FROM sweeps)
    GROUP BY parameter, sweep)
GROUP BY device, framework, model, parameter
HAVING count(time_change_pct) + count(memory_change_pct) > 0
ORDER BY device, framework, model, parameter
