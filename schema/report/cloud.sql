-- Every configuration of job ?1 that takes at most ?3 ms, by time and spread of memory, those of one cell of
-- a grid as one point.
WITH point AS MATERIALIZED (
    SELECT iteration_ms AS x, sqrt(memory_variance) AS y FROM memx_configs WHERE job = ?1 AND iteration_ms <= ?3),
side AS (SELECT min(x) AS least, max((?3 - min(x)) / 100, 1e-9) AS x, max(max(y) / 60, 1e-9) AS y FROM point)
SELECT avg(point.x), avg(point.y), count(*) FROM point, side
GROUP BY CAST((point.x - least) / side.x AS INT), CAST(point.y / side.y AS INT)
ORDER BY 1, 2
