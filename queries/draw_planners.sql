-- How do the planners' choices and MemX's lie, as a picture? Time against the spread of memory, the least spread that
-- MemX's space default has up to each time as a line, choices as dots: an SVG, for browsers in light and dark. MemX's
-- are of space default too, whatever the job's own is; the fastest of the free space is drawn where it is another. All
-- is predicted. Read it in the directory that holds queries/; for a job of your own, before reading it: CREATE TEMP
-- TABLE asked AS SELECT 'try' AS job. What cannot be drawn is said in the picture.
--
--   sqlite3 -cmd '.load ./memx' build/demo.db <queries/draw_planners.sql >planners.svg
.mode list
.headers off
CREATE TEMP TABLE IF NOT EXISTS asked(job TEXT PRIMARY KEY);
INSERT INTO asked SELECT 'mix20' WHERE NOT EXISTS (SELECT 1 FROM asked);
.output /dev/null
.read queries/planner_cost/choices.sql
.output
DROP TABLE IF EXISTS temp.drawn;
DROP TABLE IF EXISTS temp.dot;
DROP TABLE IF EXISTS temp.front;
DROP TABLE IF EXISTS temp.frame;
-- Of several jobs the first that has anything to draw.
CREATE TEMP TABLE drawn AS
SELECT job, replace(replace(iif(length(job) > 50, substr(job, 1, 48) || '...', job), '&', '&amp;'), '<', '&lt;') AS name
FROM (SELECT coalesce((SELECT min(job) FROM seen), (SELECT min(job) FROM asked)) AS job);
-- One dot for all who choose the same.
CREATE TEMP TABLE dot AS
SELECT group_concat(replace(replace(who, 'memx default, ', 'memx: '), 'memx free, ', 'memx free: '), char(10)) AS who,
       max(who LIKE 'memx%') AS ours, fits, iteration_ms / 1000 AS seconds, sqrt(memory_variance) AS spread_mib,
       max(10, sqrt(memory_variance)) AS spread, headroom
FROM (SELECT * FROM seen AS s
      WHERE job = (SELECT job FROM drawn)
            AND (who NOT LIKE 'memx free%'
                 OR NOT EXISTS (SELECT 1 FROM seen AS o WHERE o.job = s.job AND o.who LIKE 'memx default%')
                 OR who = 'memx free, fastest'
                    AND config NOT IN (SELECT config FROM seen AS o
                                       WHERE o.job = s.job AND o.who = 'memx default, fastest'))
      ORDER BY place)
GROUP BY config;
CREATE TEMP TABLE front AS
SELECT seconds, max(10, sqrt(least)) AS spread
FROM (SELECT iteration_ms / 1000 AS seconds, memory_variance,
             min(memory_variance) OVER (ORDER BY iteration_ms, memory_variance) AS least
      FROM readable AS a JOIN memx_configs AS c ON c.job = a.job
      WHERE a.job = (SELECT job FROM drawn) AND c.space = 'default' AND pareto = 1)
WHERE memory_variance = least;
-- Pixels from seconds and from spread: the latter by its logarithm, all up to 10 MiB as 10.
CREATE TEMP TABLE frame AS
SELECT *, 600 / (high - low) AS per_second, 360 / (ln(top) - ln(bottom)) AS per_log,
       (SELECT column1 * pow(10, floor(log10(high - low)) - 1) AS width FROM (VALUES (1), (2), (5), (10), (20))
        WHERE (high - low) / (column1 * pow(10, floor(log10(high - low)) - 1)) <= 8 ORDER BY column1 LIMIT 1) AS tick
FROM (SELECT min(seconds) - max(0.06 * (max(seconds) - min(seconds)), 0.005 * max(seconds)) AS low,
             max(seconds) + max(0.06 * (max(seconds) - min(seconds)), 0.005 * max(seconds)) AS high,
             0.8 * min(spread) AS bottom, max(1.25 * max(spread), 3 * min(spread)) AS top FROM dot HAVING count(*) > 0);

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
    FROM power, frame WHERE value > bottom
    UNION ALL
    SELECT 2, 10, printf('<path class="grid" d="M80 %.1fh600"/><text x="72" y="%.1f" text-anchor="end">to 10 MiB</text>',
                         420 - (ln(10) - ln(bottom)) * per_log, 424 - (ln(10) - ln(bottom)) * per_log)
    FROM frame WHERE bottom < 10),
-- A step at each configuration, to the edge of the picture.
step AS (
    SELECT seconds, 80 + (seconds - low) * per_second AS x, 420 - (ln(spread) - ln(bottom)) * per_log AS y
    FROM front, frame WHERE seconds < high),
line AS (
    SELECT 'M' || group_concat(text, '') AS path
    FROM (SELECT iif(row_number() OVER (ORDER BY seconds) = 1, printf('%.1f %.1f', x, y),
                     printf('H%.1fV%.1f', x, y)) AS text
          FROM step ORDER BY seconds)),
-- Labels stand below each other, within the frame, right of their dots and above the line, or left and below; one that
-- has no room on either side is broken into lines. A letter is taken to be 7 wide.
room AS (
    SELECT *, 7 * length(who) + 95 * (NOT fits) AS width, 1 + length(who) - length(replace(who, char(10), '')) AS whos,
           80 + (seconds - low) * per_second AS x, 420 - (ln(spread) - ln(bottom)) * per_log AS y,
           row_number() OVER (ORDER BY spread DESC, seconds) AS n
    FROM dot, frame),
broken AS (
    SELECT *, iif(whos > 1 AND x + 15 + width + 28 * (whos - 1) > 715 AND x - 15 - width - 28 * (whos - 1) < 5, whos, 1)
              AS lines
    FROM room),
sided AS (
    SELECT *, iif(x + 15 + iif(lines = 1, width + 28 * (whos - 1), width / whos + 60) > 715, -1, 1) AS side FROM broken),
high AS (
    SELECT *, iif(side < 0 AND ours, y + 14, y - 11) AS wanted_y,
           sum(15 * lines + 2) OVER (ORDER BY n) - 15 * lines - 2 AS above, sum(15 * lines + 2) OVER () AS all_high
    FROM sided),
label AS (
    SELECT *, max(66, min(max(wanted_y - above) OVER (ORDER BY n) + above, 431 - all_high + above)) AS label_y FROM high),
shown AS (
    SELECT 4 AS part, n, printf('<path class="lead" d="M%.1f %.1fL%.1f %.1f"/>', x, y, x + 12 * side, label_y)
              || printf('<text class="name" x="%.1f" y="%.1f" text-anchor="%s">%s%s</text>', x + 15 * side, label_y + 4,
                        iif(side > 0, 'start', 'end'),
                        replace(who, char(10), iif(lines = 1, ' and ', printf(' and<tspan x="%.1f" dy="15">', x + 15 * side))),
                        iif(fits, '', ', does not fit') || iif(lines = 1, '', replace(printf('%*s', lines - 1, ''), ' ', '</tspan>'))) AS text
    FROM label
    UNION ALL
    SELECT 5, n, iif(ours, printf('<circle class="ours" cx="%.1f" cy="%.1f" r="6"/>', x, y),
                     printf('<path class="%s" d="M%.1f %.1fl7 7l-7 7l-7 -7z"/>', iif(fits, 'theirs', 'not'), x, y - 7))
    FROM label),
-- What there is to say where there is nothing to draw, in lines of up to 95 letters.
said(n, line, rest) AS (
    SELECT 0, '', coalesce((SELECT why FROM unfit JOIN drawn USING (job)), 'nothing fits') || ' ' WHERE NOT EXISTS (SELECT 1 FROM dot)
    UNION ALL
    SELECT n + 1, rtrim(substr(rest, 1, 95), replace(substr(rest, 1, 95), ' ', '')),
           substr(rest, 1 + length(rtrim(substr(rest, 1, 95), replace(substr(rest, 1, 95), ' ', ''))))
    FROM said WHERE rest LIKE '% %')
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
<text x="80" y="46">%s</text>
<text x="380" y="464" text-anchor="middle">%s</text>',
        name,
        (SELECT group_concat(text, '; ') FROM (
             SELECT printf('%s%s: %.1f s, %.0f MiB, %.0f %% free', replace(who, char(10), ' and '),
                           iif(fits, '', ' (does not fit)'), seconds, spread_mib, 100 * headroom) AS text
             FROM dot ORDER BY seconds)),
        name,
        CASE WHEN EXISTS (SELECT 1 FROM front)
                 THEN 'spread of memory over all GPUs; the line: the least of MemX''s default space up to a time'
             WHEN EXISTS (SELECT 1 FROM dot)
                 THEN 'spread of memory over all GPUs; of MemX''s default space nothing fits' ELSE '' END,
        iif(EXISTS (SELECT 1 FROM dot), 'seconds an iteration, predicted', '')) AS text
    FROM drawn
    UNION ALL SELECT * FROM grid
    UNION ALL SELECT 3, 0, '<path class="front" d="' || path || '"/>' FROM line WHERE path <> ''
    UNION ALL SELECT * FROM shown
    UNION ALL SELECT 5, n, printf('<text x="20" y="%d">%s</text>', 56 + 20 * n, replace(replace(rtrim(line), '&', '&amp;'), '<', '&lt;'))
              FROM said WHERE n > 0
    UNION ALL SELECT 6, 0, '</svg>')
ORDER BY part, place;
