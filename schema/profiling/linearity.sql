-- memx_linearity: whether a measurement is a straight line along a parameter, from the sweep with the most
-- points, of equally long ones the least straight. Least squares of y on x, and on x and x^2, with x and y
-- measured from their means.
--
-- A straight line (interpolate = 1): R2 above 0.95, at least 5 points, and no point further than 5 % from
-- the line between the sweep's ends, bend_pct. R2 alone lets through what grows a little faster than
-- straight, such as time over sequence length, and that line is wrong by 20 % at the small end.
WITH measured AS (
    SELECT s.*, o.output, iif(o.output = 'time', s.time_ms, s.memory_mib) AS y, CAST(s.value AS REAL) AS x
    FROM sweeps AS s, (SELECT 'time' AS output UNION ALL SELECT 'peak') AS o
    WHERE s.parameter IN ('layers', 'tp', 'dp', 'micro_batch', 'seq_length', 'heads', 'kv_groups',
                          'in_flight')
          AND iif(o.output = 'time', s.time_ms, s.memory_mib) IS NOT NULL),
centred AS (
    SELECT *, x - avg(x) OVER sweep AS u, y - avg(y) OVER sweep AS v,
           first_value(x) OVER line AS x0, last_value(x) OVER line AS x1,
           first_value(y) OVER line AS y0, last_value(y) OVER line AS y1
    FROM measured
    WINDOW sweep AS (PARTITION BY parameter, output, sweep),
           line AS (PARTITION BY parameter, output, sweep ORDER BY x
                    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)),
sums AS (
    SELECT device, framework, model, parameter, output, sweep, count(*) AS n, min(value) AS least,
           max(value) AS most, avg(x) AS x, avg(y) AS y, total(u * u) AS uu, total(u * u * u) AS uuu,
           total(u * u * u * u) - total(u * u) * total(u * u) / count(*) AS qq,
           total(u * v) AS uv, total(u * u * v) AS qv, total(v * v) AS vv,
           max((y0 + (y1 - y0) * (x - x0) / (x1 - x0)) / y - 1) * 100 AS above,
           min((y0 + (y1 - y0) * (x - x0) / (x1 - x0)) / y - 1) * 100 AS below
    FROM centred GROUP BY parameter, output, sweep HAVING n > 2),
varying AS (
    -- R2 of a constant has no meaning: NULL
    SELECT *, iif(vv > 1e-18 * n * y * y, vv, NULL) AS varied FROM sums),
fits AS (
    SELECT *, uv / uu AS slope, uv * uv / (uu * varied) AS r2,
           iif(above > -below, above, below) AS bend_pct,
           -- both terms' shares of the explained sum of squares, by Cramer's rule
           iif(n > 3, (uv * (uv * qq - qv * uuu) + qv * (qv * uu - uv * uuu))
                      / ((uu * qq - uuu * uuu) * varied), NULL) AS r2_quadratic
    FROM varying),
ranked AS (
    SELECT *, row_number() OVER (PARTITION BY device, framework, model, parameter, output
                                 ORDER BY n DESC, abs(bend_pct) DESC, sweep) AS rank
    FROM fits),
judged AS (
    SELECT *, CASE WHEN n >= 5 AND r2 > 0.95 AND abs(bend_pct) <= 5 THEN 'line'
                   WHEN parameter = 'seq_length' AND n >= 6 AND r2_quadratic > 0.95 THEN 'quadratic'
                   ELSE 'none' END AS fit
    FROM ranked WHERE rank = 1)
SELECT device, framework, model, parameter, output, least, most, n AS points, slope,
       y - slope * x AS intercept, r2, r2_quadratic, bend_pct, fit, fit = 'line' AS interpolate
FROM judged
ORDER BY device, framework, model, parameter, output
