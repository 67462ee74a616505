-- Ranked lists to the very end: every row of a space, each once, in the order that sorting gives. They come in
-- passes, which must join without a gap or a repeat. A line shows the order, the number of rows, how many
-- positions differ from the sorted list, and how many rows came twice.
INSERT INTO memx_space SELECT column1, param, value FROM memx_space, (VALUES ('five'), ('four'), ('few'))
    WHERE space = 'free';
INSERT INTO memx_space(space, param, value) VALUES
    ('five', 'tp', '4'), ('five', 'pp', '5'), ('five', 'micro_batch', '32'),
    ('four', 'pp', '4'), ('four', 'micro_batch', '8'),
    ('few', 'pp', '2'), ('few', 'pp', '3');
CREATE TEMP TABLE sorted(n INTEGER PRIMARY KEY, row);
CREATE TEMP TABLE ranked(n INTEGER PRIMARY KEY, row);
CREATE TEMP VIEW result AS SELECT (SELECT count(*) FROM sorted) AS rows,
    (SELECT count(*) FROM sorted LEFT JOIN ranked USING (n) WHERE ranked.row IS NOT sorted.row)
        + (SELECT count(*) FROM ranked) - (SELECT count(*) FROM sorted) AS wrong,
    (SELECT count(*) - count(DISTINCT row) FROM ranked) AS twice;

-- The default space of mix20.
DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT config FROM memx_configs WHERE job = 'mix20'
    ORDER BY +phi;
INSERT INTO ranked(row) SELECT config FROM memx_configs WHERE job = 'mix20'
    ORDER BY phi;
SELECT 'mix20 by phi', * FROM result;
DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT config FROM memx_configs WHERE job = 'mix20'
    ORDER BY +iteration_ms;
INSERT INTO ranked(row) SELECT config FROM memx_configs WHERE job = 'mix20'
    ORDER BY iteration_ms;
SELECT 'mix20 by iteration_ms', * FROM result;
DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT config FROM memx_configs WHERE job = 'mix20'
    ORDER BY +peak_mib;
INSERT INTO ranked(row) SELECT config FROM memx_configs WHERE job = 'mix20'
    ORDER BY peak_mib;
SELECT 'mix20 by peak_mib', * FROM result;
DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT config FROM memx_configs WHERE job = 'mix20'
    ORDER BY +memory_variance;
INSERT INTO ranked(row) SELECT config FROM memx_configs WHERE job = 'mix20'
    ORDER BY memory_variance;
SELECT 'mix20 by memory_variance', * FROM result;

-- Every split and level of five stages; of four, of several degrees; of the small cluster.
DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT config FROM memx_configs WHERE space = 'five' AND job = 'mix20'
    ORDER BY +phi;
INSERT INTO ranked(row) SELECT config FROM memx_configs WHERE space = 'five' AND job = 'mix20'
    ORDER BY phi;
SELECT 'five stages by phi', * FROM result;
DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT config FROM memx_configs WHERE space = 'five' AND job = 'mix20'
    ORDER BY +iteration_ms;
INSERT INTO ranked(row) SELECT config FROM memx_configs WHERE space = 'five' AND job = 'mix20'
    ORDER BY iteration_ms;
SELECT 'five stages by iteration_ms', * FROM result;
DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT config FROM memx_configs WHERE space = 'five' AND job = 'mix20'
    ORDER BY +peak_mib;
INSERT INTO ranked(row) SELECT config FROM memx_configs WHERE space = 'five' AND job = 'mix20'
    ORDER BY peak_mib;
SELECT 'five stages by peak_mib', * FROM result;
DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT config FROM memx_configs WHERE space = 'five' AND job = 'mix20'
    ORDER BY +memory_variance;
INSERT INTO ranked(row) SELECT config FROM memx_configs WHERE space = 'five' AND job = 'mix20'
    ORDER BY memory_variance;
SELECT 'five stages by memory_variance', * FROM result;

DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT config FROM memx_configs WHERE space = 'four' AND job = 'xy'
    ORDER BY +phi;
INSERT INTO ranked(row) SELECT config FROM memx_configs WHERE space = 'four' AND job = 'xy'
    ORDER BY phi;
SELECT 'four stages by phi', * FROM result;
DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT config FROM memx_configs WHERE space = 'four' AND job = 'xy'
    ORDER BY +iteration_ms;
INSERT INTO ranked(row) SELECT config FROM memx_configs WHERE space = 'four' AND job = 'xy'
    ORDER BY iteration_ms;
SELECT 'four stages by iteration_ms', * FROM result;
DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT config FROM memx_configs WHERE space = 'four' AND job = 'xy'
    ORDER BY +peak_mib;
INSERT INTO ranked(row) SELECT config FROM memx_configs WHERE space = 'four' AND job = 'xy'
    ORDER BY peak_mib;
SELECT 'four stages by peak_mib', * FROM result;
DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT config FROM memx_configs WHERE space = 'four' AND job = 'xy'
    ORDER BY +memory_variance;
INSERT INTO ranked(row) SELECT config FROM memx_configs WHERE space = 'four' AND job = 'xy'
    ORDER BY memory_variance;
SELECT 'four stages by memory_variance', * FROM result;

DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT config FROM memx_configs WHERE space = 'free' AND job = 'lab6'
    ORDER BY +phi;
INSERT INTO ranked(row) SELECT config FROM memx_configs WHERE space = 'free' AND job = 'lab6'
    ORDER BY phi;
SELECT 'lab6 by phi', * FROM result;
DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT config FROM memx_configs WHERE space = 'free' AND job = 'lab6'
    ORDER BY +iteration_ms;
INSERT INTO ranked(row) SELECT config FROM memx_configs WHERE space = 'free' AND job = 'lab6'
    ORDER BY iteration_ms;
SELECT 'lab6 by iteration_ms', * FROM result;
DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT config FROM memx_configs WHERE space = 'free' AND job = 'lab6'
    ORDER BY +peak_mib;
INSERT INTO ranked(row) SELECT config FROM memx_configs WHERE space = 'free' AND job = 'lab6'
    ORDER BY peak_mib;
SELECT 'lab6 by peak_mib', * FROM result;
DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT config FROM memx_configs WHERE space = 'free' AND job = 'lab6'
    ORDER BY +memory_variance;
INSERT INTO ranked(row) SELECT config FROM memx_configs WHERE space = 'free' AND job = 'lab6'
    ORDER BY memory_variance;
SELECT 'lab6 by memory_variance', * FROM result;

-- Bounds in the middle of a list, from both sides.
DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT config FROM memx_configs WHERE space = 'five' AND job = 'mix20' AND phi > 0.5 AND slowdown < 4 AND headroom >= 0.15
    ORDER BY +phi;
INSERT INTO ranked(row) SELECT config FROM memx_configs WHERE space = 'five' AND job = 'mix20' AND phi > 0.5 AND slowdown < 4 AND headroom >= 0.15
    ORDER BY phi;
SELECT 'bounds by phi', * FROM result;
DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT config FROM memx_configs WHERE space = 'five' AND job = 'mix20' AND phi > 0.5 AND slowdown < 4 AND headroom >= 0.15
    ORDER BY +iteration_ms;
INSERT INTO ranked(row) SELECT config FROM memx_configs WHERE space = 'five' AND job = 'mix20' AND phi > 0.5 AND slowdown < 4 AND headroom >= 0.15
    ORDER BY iteration_ms;
SELECT 'bounds by iteration_ms', * FROM result;
DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT config FROM memx_configs WHERE space = 'five' AND job = 'mix20' AND phi > 0.5 AND slowdown < 4 AND headroom >= 0.15
    ORDER BY +peak_mib;
INSERT INTO ranked(row) SELECT config FROM memx_configs WHERE space = 'five' AND job = 'mix20' AND phi > 0.5 AND slowdown < 4 AND headroom >= 0.15
    ORDER BY peak_mib;
SELECT 'bounds by peak_mib', * FROM result;
DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT config FROM memx_configs WHERE space = 'five' AND job = 'mix20' AND phi > 0.5 AND slowdown < 4 AND headroom >= 0.15
    ORDER BY +memory_variance;
INSERT INTO ranked(row) SELECT config FROM memx_configs WHERE space = 'five' AND job = 'mix20' AND phi > 0.5 AND slowdown < 4 AND headroom >= 0.15
    ORDER BY memory_variance;
SELECT 'bounds by memory_variance', * FROM result;

-- All jobs: merged, and one behind the other.
DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT job || config FROM memx_configs WHERE space = 'few'
    ORDER BY +phi;
INSERT INTO ranked(row) SELECT job || config FROM memx_configs WHERE space = 'few'
    ORDER BY phi;
SELECT 'merged by phi', * FROM result;
DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT job || config FROM memx_configs WHERE space = 'few'
    ORDER BY +peak_mib;
INSERT INTO ranked(row) SELECT job || config FROM memx_configs WHERE space = 'few'
    ORDER BY peak_mib;
SELECT 'merged by peak_mib', * FROM result;

DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT job || config FROM memx_configs WHERE space = 'few'
    ORDER BY +job, +phi;
INSERT INTO ranked(row) SELECT job || config FROM memx_configs WHERE space = 'few'
    ORDER BY job, phi;
SELECT 'job by job by phi', * FROM result;
DELETE FROM sorted; DELETE FROM ranked;
INSERT INTO sorted(row) SELECT job || config FROM memx_configs WHERE space = 'few'
    ORDER BY +job, +iteration_ms;
INSERT INTO ranked(row) SELECT job || config FROM memx_configs WHERE space = 'few'
    ORDER BY job, iteration_ms;
SELECT 'job by job by iteration_ms', * FROM result;
