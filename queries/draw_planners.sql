-- How do the planners' choices and MemX's lie, as a picture? Time against the spread of memory, the least spread that
-- MemX's default space has up to each time as a line, choices as dots: an SVG, for browsers in light and dark. All is
-- predicted. Read it in the directory that holds queries/; for a job of your own write it in place of mix20.
--
--   sqlite3 -list -noheader -cmd '.load ./memx' build/demo.db <queries/draw_planners.sql >planners.svg
CREATE TEMP TABLE IF NOT EXISTS asked(job TEXT PRIMARY KEY);
INSERT INTO asked SELECT 'mix20' WHERE NOT EXISTS (SELECT 1 FROM asked);
.output /dev/null
.read queries/planner_cost/choices.sql
.output
DROP TABLE IF EXISTS temp.dot;
DROP TABLE IF EXISTS temp.front;
DROP TABLE IF EXISTS temp.frame;
-- One dot for all who choose the same; of several jobs the first.
CREATE TEMP TABLE dot AS
SELECT group_concat(replace(who, 'memx, ', 'memx: '), ' and ') AS who, max(who LIKE 'memx%') AS ours, fits,
       iteration_ms / 1000 AS seconds, max(10, sqrt(memory_variance)) AS spread, headroom
FROM (SELECT * FROM seen WHERE job = (SELECT min(job) FROM asked) AND who NOT LIKE 'memx free%' ORDER BY place)
GROUP BY config;
CREATE TEMP TABLE front AS
SELECT seconds, max(10, sqrt(least)) AS spread
FROM (SELECT iteration_ms / 1000 AS seconds, memory_variance,
             min(memory_variance) OVER (ORDER BY iteration_ms, memory_variance) AS least
      FROM memx_configs WHERE job = (SELECT min(job) FROM asked) AND pareto = 1)
WHERE memory_variance = least;
-- Pixels from seconds and from spread: the latter by its logarithm.
CREATE TEMP TABLE frame AS
SELECT *, 600 / (high - low) AS per_second, 360 / (ln(top) - ln(bottom)) AS per_log,
       (SELECT column1 * pow(10, floor(log10(high - low)) - 1) AS width FROM (VALUES (1), (2), (5), (10), (20))
        WHERE (high - low) / (column1 * pow(10, floor(log10(high - low)) - 1)) <= 8 ORDER BY column1 LIMIT 1) AS tick
FROM (SELECT min(seconds) - 0.06 * (max(seconds) - min(seconds)) - 0.001 AS low,
             max(seconds) + 0.06 * (max(seconds) - min(seconds)) + 0.001 AS high,
             0.8 * min(spread) AS bottom, 1.25 * max(spread) AS top FROM dot);

WITH RECURSIVE
second(value) AS (
    SELECT ceil(low / tick) * tick FROM frame
    UNION ALL SELECT value + tick FROM second, frame WHERE value + tick < high),
power(value) AS (SELECT 16.0 UNION ALL SELECT 2 * value FROM power, frame WHERE 2 * value < top),
grid AS (
    SELECT 1 AS part, value AS place,
           printf('<path class="grid" d="M%.1f 60v360"/><text x="%.1f" y="440" text-anchor="middle">%g</text>',
                  80 + (value - low) * per_second, 80 + (value - low) * per_second, value) AS text
    FROM second, frame
    UNION ALL
    SELECT 2, value, printf('<path class="grid" d="M80 %.1fh600"/><text x="72" y="%.1f" text-anchor="end">%s</text>',
                            420 - (ln(value) - ln(bottom)) * per_log, 424 - (ln(value) - ln(bottom)) * per_log,
                            iif(value < 1024, printf('%.0f MiB', value), printf('%.0f GiB', value / 1024)))
    FROM power, frame WHERE value > bottom),
-- A step at each configuration, to the edge of the picture.
step AS (
    SELECT seconds, 80 + (seconds - low) * per_second AS x, 420 - (ln(spread) - ln(bottom)) * per_log AS y
    FROM front, frame WHERE seconds < high),
line AS (
    SELECT 'M' || group_concat(text, '') AS path
    FROM (SELECT iif(row_number() OVER (ORDER BY seconds) = 1, printf('%.1f %.1f', x, y),
                     printf('H%.1fV%.1f', x, y)) AS text
          FROM step ORDER BY seconds)),
-- Labels stand below each other, 17 apart at least and within the frame; above the line where there is room.
label AS (
    SELECT *, min(max(y - 11 - 17 * n) OVER (ORDER BY n) + 17 * n, 414 + 17 * (n - count(*) OVER ())) AS label_y,
           iif(x + 15 + 7 * length(who) + 95 * (NOT fits) > 700, -1, 1) AS side
    FROM (SELECT *, 80 + (seconds - low) * per_second AS x, 420 - (ln(spread) - ln(bottom)) * per_log AS y,
                 row_number() OVER (ORDER BY spread DESC, seconds) AS n
          FROM dot, frame)),
shown AS (
    SELECT 4 AS part, n, printf('<path class="lead" d="M%.1f %.1fL%.1f %.1f"/>', x, y, x + 12 * side, label_y)
              || printf('<text class="name" x="%.1f" y="%.1f" text-anchor="%s">%s%s</text>', x + 15 * side, label_y + 4,
                        iif(side > 0, 'start', 'end'), who, iif(fits, '', ', does not fit')) AS text
    FROM label
    UNION ALL
    SELECT 5, n, iif(ours, printf('<circle class="ours" cx="%.1f" cy="%.1f" r="6"/>', x, y),
                     printf('<path class="%s" d="M%.1f %.1fl7 7l-7 7l-7 -7z"/>', iif(fits, 'theirs', 'not'), x, y - 7))
    FROM label)
SELECT text FROM (
    SELECT 0 AS part, 0 AS place, printf(
'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 480" role="img" aria-labelledby="title desc">
<title id="title">Choices for job %s: time against spread of memory</title>
<desc id="desc">Predicted seconds an iteration, and standard deviation of memory over all GPUs. %s.</desc>
<style>
text { font: 13px sans-serif; fill: #57606a }
.head { font-size: 15px; font-weight: bold; fill: #1f2328 }
.paper { fill: #ffffff }
.grid { stroke: #d8dee4; fill: none }
.front { stroke: #0969da; stroke-width: 2; fill: none }
.lead { stroke: #8c959f; fill: none }
.name { fill: #1f2328; stroke: #ffffff; stroke-width: 4; paint-order: stroke }
.ours { fill: #0969da; stroke: #ffffff }
.theirs { fill: #bc4c00; stroke: #ffffff }
.not { fill: #ffffff; stroke: #bc4c00; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
text { fill: #9198a1 }
.head { fill: #f0f6fc }
.paper { fill: #0d1117 }
.grid { stroke: #2a313c }
.front { stroke: #4493f8 }
.lead { stroke: #656c76 }
.name { fill: #f0f6fc; stroke: #0d1117 }
.ours { fill: #4493f8; stroke: #0d1117 }
.theirs { fill: #f0883e; stroke: #0d1117 }
.not { fill: #0d1117; stroke: #f0883e }
}
</style>
<rect class="paper" width="720" height="480"/>
<text class="head" x="80" y="26">Choices for job %s</text>
<text x="80" y="46">spread of memory over all GPUs; the line: the least of MemX''s default space up to a time</text>
<text x="380" y="464" text-anchor="middle">seconds an iteration, predicted</text>',
        (SELECT min(job) FROM asked),
        (SELECT group_concat(text, '; ') FROM (
             SELECT printf('%s%s: %.1f s, %.0f MiB, %.0f %% free', who, iif(fits, '', ' (does not fit)'), seconds,
                           spread, 100 * headroom) AS text
             FROM dot ORDER BY seconds)),
        (SELECT min(job) FROM asked)) AS text
    UNION ALL SELECT * FROM grid
    UNION ALL SELECT 3, 0, '<path class="front" d="' || path || '"/>' FROM line
    UNION ALL SELECT * FROM shown
    UNION ALL SELECT 6, 0, '</svg>')
ORDER BY part, place;
