-- Where on the simplex of weights is which configuration picked? A picture (SVG) for job mix20: every set of weights in
-- steps of 0.1 asks for its best phi, once among all configurations and once among those at most 10 % slower than the
-- fastest; sets with one number pick the same configuration. queries/open_weights.sql has the figures. All of it is
-- predicted. For a job of your own, before reading it: CREATE TEMP TABLE asked AS SELECT 'try' AS job. For a file that a
-- browser opens:
--
--   sqlite3 -cmd '.load ./memx' build/demo.db <queries/draw_weights.sql >weights.svg
.mode list
.headers off
BEGIN;
DROP TABLE IF EXISTS temp.drawn;
DROP TABLE IF EXISTS temp.unfit;
DROP TABLE IF EXISTS temp.dot;
CREATE TEMP TABLE IF NOT EXISTS asked(job TEXT PRIMARY KEY);
INSERT INTO asked SELECT 'mix20' WHERE NOT EXISTS (SELECT 1 FROM asked);
CREATE TEMP TABLE drawn AS -- of several jobs the first
SELECT job, replace(replace(job, '&', '&amp;'), '<', '&lt;') AS name FROM (SELECT min(job) AS job FROM asked);
-- Where there is nothing to draw, why.
CREATE TEMP TABLE unfit AS
SELECT iif(reason = 'cannot be read', example, printf('job %s: nothing of its space fits; e.g. %s', job, example)) AS why
FROM (SELECT w.*, sum(iif(w.reason = 'feasible', w.count, 0)) OVER () AS feasible FROM drawn, memx_why(drawn.job) AS w)
WHERE reason = 'cannot be read' OR reason = 'memory' AND feasible = 0;
INSERT INTO memx_weights(weights, w_time, w_peak, w_variance)
WITH RECURSIVE n(n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM n WHERE n < 10)
SELECT printf('draw-%d-%d-%d', t.n, p.n, 10 - t.n - p.n), t.n / 10.0, p.n / 10.0, (10 - t.n - p.n) / 10.0
FROM n AS t JOIN n AS p ON t.n + p.n <= 10;
-- Time is the upper corner of a triangle, peak the left and variance the right one; sides of 300.
CREATE TEMP TABLE dot AS
SELECT b.column1 AS bound, 30 + b.column3 + 300 * (w_variance + w_time / 2) AS x, 340 - 260 * w_time AS y,
       (SELECT config FROM memx_configs AS c
        WHERE c.job = drawn.job AND c.weights = w.weights AND c.slowdown <= b.column2 ORDER BY phi LIMIT 1) AS config
FROM drawn, (VALUES ('all', 1e9, 0), ('at most 10 % slower', 1.10, 380)) AS b, memx_weights AS w
WHERE w.weights GLOB 'draw-*' AND NOT EXISTS (SELECT 1 FROM unfit);
CREATE TEMP TABLE pick AS -- numbered from the fastest
SELECT row_number() OVER (ORDER BY slowdown, c.config) AS n, p.config, p.slowdown, p.headroom,
       sqrt(p.memory_variance) AS spread_mib
FROM (SELECT DISTINCT config FROM dot WHERE config IS NOT NULL) AS c, drawn, memx_predict(drawn.job, c.config) AS p;
CREATE TEMP TABLE colour(n INTEGER PRIMARY KEY, fill TEXT, ink TEXT); -- eight that most people can tell apart
INSERT INTO colour VALUES (1, '#0072b2', '#fff'), (2, '#e69f00', '#000'), (3, '#009e73', '#000'), (4, '#cc79a7', '#000'),
    (5, '#56b4e9', '#000'), (6, '#d55e00', '#000'), (7, '#f0e442', '#000'), (8, '#999', '#000');

SELECT printf('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 740 %d" role="img" aria-labelledby="title desc" '
              || 'font-family="system-ui, sans-serif" font-size="13">', 440 + 20 * count(*)) || '
<style>
  svg { background: #fff } text { fill: #222 } .side { stroke: #bbb; fill: none }
  @media (prefers-color-scheme: dark) { svg { background: #16181c } text { fill: #ddd } .side { stroke: #555 } }
</style>
<title id="title">Which configuration each set of weights picks for job ' || name || '</title>
<desc id="desc">' || (
    SELECT group_concat(said, '. ') FROM (
        SELECT printf('%s: %s', bound, group_concat(said, ', ')) AS said
        FROM (SELECT bound, printf('pick %d by %d of 66 sets', pick.n, count(*)) AS said
              FROM dot JOIN pick USING (config) GROUP BY bound, pick.n) GROUP BY bound)) || '</desc>
<text x="20" y="24" font-size="15" font-weight="bold">The best phi of job ' || name || ' as its weights move (predicted)</text>'
FROM pick, drawn HAVING count(*) > 0
UNION ALL
SELECT printf('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 740 120" font-family="system-ui, sans-serif" font-size="13">
<style>svg { background: #fff } text { fill: #222 } @media (prefers-color-scheme: dark) { svg { background: #16181c } text { fill: #ddd } }</style>
<text x="20" y="24" font-size="15" font-weight="bold">Job %s</text>', name)
FROM drawn WHERE NOT EXISTS (SELECT 1 FROM pick)
UNION ALL
SELECT text FROM (
    WITH RECURSIVE said(n, line, rest) AS ( -- in lines of up to 95 letters
        SELECT 0, '', coalesce((SELECT why FROM unfit), 'nothing fits') || ' ' WHERE NOT EXISTS (SELECT 1 FROM pick)
        UNION ALL
        SELECT n + 1, rtrim(substr(rest, 1, 95), replace(substr(rest, 1, 95), ' ', '')),
               substr(rest, 1 + length(rtrim(substr(rest, 1, 95), replace(substr(rest, 1, 95), ' ', ''))))
        FROM said WHERE rest LIKE '% %')
    SELECT printf('<text x="20" y="%d">%s</text>', 32 + 20 * n, replace(replace(rtrim(line), '&', '&amp;'), '<', '&lt;')) AS text
    FROM said WHERE n > 0)
UNION ALL
SELECT printf('<text x="%d" y="48">%s</text>
<path class="side" d="M%d 340h300l-150-260z"/>
<text x="%d" y="65" text-anchor="middle">time only</text>
<text x="%d" y="372">peak only</text>
<text x="%d" y="372" text-anchor="end">variance only</text>',
              20 + x, iif(bound = 'all', 'among all', bound || ' than the fastest'), 30 + x, 180 + x, 10 + x, 350 + x)
FROM (SELECT 'all' AS bound, 0 AS x UNION ALL SELECT 'at most 10 % slower', 380) WHERE EXISTS (SELECT 1 FROM pick)
UNION ALL
SELECT printf('<circle cx="%g" cy="%g" r="11" fill="%s"/><text x="%g" y="%g" text-anchor="middle" font-size="11" style="fill:%s">%d</text>',
              x, y, fill, x, y + 4, ink, pick.n)
FROM dot JOIN pick USING (config) JOIN colour ON colour.n = min(pick.n, 8)
UNION ALL
SELECT printf('<circle cx="31" cy="%d" r="9" fill="%s"/><text x="31" y="%d" text-anchor="middle" font-size="10" style="fill:%s">%d</text>'
              || '<text x="50" y="%d">%.2f times the time of the fastest, spread %.0f MiB, %.0f %% of the tightest card free</text>',
              400 + 20 * pick.n, fill, 404 + 20 * pick.n, ink, pick.n, 404 + 20 * pick.n, slowdown, spread_mib, 100 * headroom)
FROM pick JOIN colour ON colour.n = min(pick.n, 8)
UNION ALL
SELECT '</svg>';
ROLLBACK;
