-- What is best for job mix20 where the predictions are off? A task is one draw: the matrix rate, memory bandwidth and
-- links of every device type, and the network's rate, each times a factor of its own, log-normal with a standard
-- deviation of 10 %; then the ten best and the fastest are searched anew. Synthetic: the factors are hashes of the task's
-- number, so that every run draws the same. After merging, how often is what among the best?
--
--   SELECT by, count(*) AS draws, config FROM best WHERE place = 1 GROUP BY by, config ORDER BY by, draws DESC;
CREATE TEMP TABLE factor AS
    WITH own AS (
        SELECT what, :task * 1000003 + row_number() OVER (ORDER BY what) AS seed
        FROM (SELECT device || ' ' || kind.column1 AS what FROM memx_device, (VALUES ('flops'), ('memory'), ('link')) AS kind
              UNION ALL SELECT cluster FROM memx_cluster)),
    -- Three rounds of multiplying and shifting; x ^ y is (x | y) - (x & y).
    h0 AS (SELECT what, (seed * 1103515245 + 12345) & 0x7fffffff AS a, (seed * 362437069 + 521288629) & 0x7fffffff AS b FROM own),
    h1 AS (SELECT what, ((a | (a >> 15)) - (a & (a >> 15))) * 739982445 & 0x7fffffff AS a,
                  ((b | (b >> 15)) - (b & (b >> 15))) * 739982445 & 0x7fffffff AS b FROM h0),
    h2 AS (SELECT what, ((a | (a >> 12)) - (a & (a >> 12))) * 695893305 & 0x7fffffff AS a,
                  ((b | (b >> 12)) - (b & (b >> 12))) * 695893305 & 0x7fffffff AS b FROM h1),
    h3 AS (SELECT what, (a | (a >> 15)) - (a & (a >> 15)) AS a, (b | (b >> 15)) - (b & (b >> 15)) AS b FROM h2)
    SELECT what, exp(0.1 * sqrt(-2 * ln((a + 0.5) / 2147483648.0)) * cos(2 * pi() * b / 2147483648.0)) AS factor FROM h3;
UPDATE memx_device SET
    peak_tflops = peak_tflops * (SELECT factor FROM factor WHERE what = device || ' flops'),
    memory_gbs = memory_gbs * (SELECT factor FROM factor WHERE what = device || ' memory'),
    link_gbs = link_gbs * (SELECT factor FROM factor WHERE what = device || ' link')
WHERE device IN (SELECT device FROM memx_node);
UPDATE memx_cluster SET inter_gbs = inter_gbs * (SELECT factor FROM factor WHERE what = cluster);

CREATE TABLE out.best AS
SELECT :task AS draw, 'phi' AS by, row_number() OVER () AS place, * FROM (
    SELECT config, iteration_ms, slowdown, peak_mib, memory_variance, phi
    FROM memx_configs WHERE job = 'mix20' ORDER BY phi LIMIT 10)
UNION ALL
SELECT :task, 'time', row_number() OVER (), * FROM (
    SELECT config, iteration_ms, slowdown, peak_mib, memory_variance, phi
    FROM memx_configs WHERE job = 'mix20' ORDER BY iteration_ms LIMIT 10);
