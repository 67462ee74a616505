-- What is there to choose from? The configurations of job mix20 that no other one beats: whatever is
-- faster has a higher peak or spreads its memory more, and so on. At most 25 of them, evenly along the
-- front, by time.
WITH front AS (
    SELECT iteration_ms, peak_mib, memory_variance, slowdown, headroom, phi, config,
           row_number() OVER (ORDER BY iteration_ms, peak_mib, memory_variance, config) AS place,
           count(*) OVER () AS places
    FROM memx_configs WHERE job = 'mix20' AND pareto = 1)
SELECT place || ' of ' || places AS place, printf('%.1f', iteration_ms / 1000) AS seconds,
       printf('%.2f', slowdown) AS slowdown, printf('%.1f', peak_mib / 1024) AS peak_gib,
       printf('%.0f', sqrt(memory_variance)) AS spread_mib, printf('%.0f %%', 100 * headroom) AS free,
       printf('%.3f', phi) AS score, config
FROM front
WHERE front.place = 1 OR 24 * (front.place - 1) / (places - 1) > 24 * (front.place - 2) / (places - 1)
ORDER BY front.place;
