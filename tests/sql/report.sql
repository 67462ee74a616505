-- memx_report(job [, config]): one HTML page about a pick. tests/shell/report.sh parses it.
CREATE TEMP TABLE page(name TEXT PRIMARY KEY, html TEXT);
INSERT INTO page VALUES ('mix20', memx_report('mix20')), ('lab6', memx_report('lab6')), ('xy', memx_report('xy'));
SELECT 'again', name, html = memx_report(name) FROM page;

-- It needs nothing else: no script, nothing of the network, no file.
SELECT name, html LIKE '<!DOCTYPE html>%</html>' || char(10) AS whole, html LIKE '%<script%' AS scripts,
       html LIKE '%http://%' OR html LIKE '%https://%' OR html LIKE '%//www%' AS links,
       html LIKE '% src=%' OR html LIKE '%url(%' OR html LIKE '%@import%' OR html LIKE '%<link%' AS loads,
       html LIKE '% onload=%' OR html LIKE '% onclick=%' OR html LIKE '%javascript:%' AS handlers,
       html LIKE '%<meta name="viewport"%' AS phone, html LIKE '%prefers-color-scheme: dark%' AS dark
FROM page;

CREATE TEMP VIEW counted AS
SELECT name, what, (length(html) - length(replace(html, what, ''))) / length(what) AS n
FROM page, (SELECT column1 AS what FROM (VALUES ('<section'), ('</section>'), ('<h1>'), ('<h2'), ('<svg role="img"'),
    ('<title id="'), ('<desc id="'), ('<table>'), ('<caption>'), ('role="region"'), ('class="mark '),
    ('class="mark pick"'), ('<svg class="front"'), ('class="card"'), ('class="limit"'), ('class="part static"'),
    ('class="track"'), ('<tbody class="chosen">'), ('id="ranking-top"')));
SELECT what, max(n) FILTER (WHERE name = 'mix20') AS mix20, max(n) FILTER (WHERE name = 'lab6') AS lab6,
       max(n) FILTER (WHERE name = 'xy') AS xy
FROM counted GROUP BY what ORDER BY what;

-- It is about the pick, and says its figures.
SELECT 'pick', name, instr(html, replace(replace(config, '/', '/</span><wbr/><span class="whole">'), ',',
                                         ',</span><wbr/><span class="whole">')) > 0 AS config,
       instr(html, printf('<dd>%.1f s<', iteration_ms / 1000)) + instr(html, printf('<dd>%.2f s<', iteration_ms / 1000)) > 0 AS time,
       instr(html, printf('<dd>%.1f GiB<', peak_mib / 1024)) > 0 AS peak,
       instr(html, printf('<dd>%.0f %%<', 100 * headroom)) > 0 AS free
FROM page, (SELECT job, config, iteration_ms, peak_mib, headroom,
                   row_number() OVER (PARTITION BY job ORDER BY phi) AS place
            FROM memx_configs WHERE slowdown <= 1.10) AS c
WHERE c.job = page.name AND place = 1;
SELECT 'stages', p.name, count(*), sum(instr(html, printf('stage %d: %d × %s', stage, gpus, device)) > 0)
FROM (SELECT name, html, (SELECT config FROM memx_configs WHERE job = name AND slowdown <= 1.10 ORDER BY phi LIMIT 1) AS c
      FROM page) AS p, memx_stages(p.name, p.c) AS s
GROUP BY p.name ORDER BY p.name;

-- What comes from the database is text, whatever it holds.
UPDATE memx_job SET note = '</p><script>alert("1")</script> & ''q'' ' || char(7, 0x202e) WHERE job = 'lab6';
UPDATE memx_cluster SET note = CAST(x'ff3c623e' AS TEXT) WHERE cluster = 'lab6';
INSERT INTO memx_run(job, config, iteration_ms, total_mib, oom, source)
    SELECT 'lab6', config, 1.1 * iteration_ms, 0.9 * peak_mib, 0, 'log: <img src=x onerror=alert(1)>'
    FROM memx_configs WHERE job = 'lab6' ORDER BY phi LIMIT 3;
INSERT INTO memx_run(job, config, oom) VALUES ('lab6', '<b>no config', 1);
INSERT INTO page VALUES ('hostile', memx_report('lab6'));
SELECT name, html LIKE '%<script%' OR html LIKE '%<img%' OR html LIKE '%<b>%' AS markup,
       instr(html, '&lt;/p&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;q&#39;') > 0 AS note,
       instr(html, '<bdi>&#65533;&lt;b&gt;</bdi>') > 0 AS cluster_note,
       instr(html, 'log: &lt;img src=x onerror=alert(1)&gt;') > 0 AS source,
       instr(html, '<code><span class="whole">&lt;b&gt;no config</span><wbr/></code>') > 0 AS config
FROM page WHERE name = 'hostile';
-- Runs stand beside their predictions, the newest first.
SELECT 'runs', instr(html, 'The newest 4 of 4 runs') > 0, (length(html) - length(replace(html, 'class="mark run"', ''))) / 16,
       (length(html) - length(replace(html, '<td>-9.1 %</td>', ''))) / 15,
       (length(html) - length(replace(html, '<td>+11.1 %</td>', ''))) / 16, html LIKE '%ran out of memory%'
FROM page WHERE name = 'hostile';

-- Of a configuration that is named: in the space or not, fitting or not.
INSERT INTO page VALUES
    ('asked', memx_report('xy', 'tp1.dp8.mb1/X-32GB*14:full,Y-64GB*18:none')),
    ('full', memx_report('xy', 'tp1.dp8.mb1/X-32GB*24:none,Y-64GB*8:none')),
    ('mixed', memx_report('xy', 'tp2.dp8.mb1/X-32GB(8)|Y-64GB(8)*32:block3'));
SELECT name, html LIKE '%The configuration asked about%' AS asked, html LIKE '%It does not fit: a card of stage 0 lacks%' AS full,
       html LIKE '%For comparison: the fastest%' AS compared, html LIKE '%X-32GB(8)|Y-64GB(8)%' AS mixed,
       html LIKE '%class="r%' AS recompute
FROM page WHERE name IN ('asked', 'full', 'mixed') ORDER BY name;

-- A space too large to draw, and one job of one GPU whose every measure of memory is alike.
UPDATE memx_job SET space = 'free' WHERE job = 'mix20';
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('one', 3);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('one', 0, 'RTX4090', 1);
INSERT INTO memx_job(job, cluster, model, global_batch, seq_length) VALUES
    ('small', 'one', 'gpt2', 8, 1024), ('large', 'one', 'llama2-7b', 8, 1024);
INSERT INTO page VALUES ('free', memx_report('mix20')), ('small', memx_report('small')),
    ('nothing', memx_report('large', 'tp1.dp1.mb1/RTX4090*32:full'));
SELECT name, html LIKE '%too large to draw%' AS large, instr(html, 'class="cloud" cx') > 0 AS cloud,
       html LIKE '%8,886,765,594,901,306 configurations%' AS counted, html LIKE '%inf%nan%' AS odd,
       html LIKE '%id="trade"%' AS traded, html LIKE '%nothing in the job&#39;s own space fits%' AS none_fits
FROM page WHERE name IN ('free', 'small', 'nothing') ORDER BY name;

-- Its sentences follow the figures: times of stages, cards that are alike, one card, nothing that fits.
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('alike', 3);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('alike', 0, 'RTX4090', 4), ('alike', 1, 'RTX4090', 4);
INSERT INTO memx_job(job, cluster, model, global_batch, seq_length) VALUES ('alike', 'alike', 'llama3.2-3b', 64, 4096);
INSERT INTO page VALUES ('alike', memx_report('alike', 'tp2.dp2.mb1.seq4096/RTX4090*14:none,RTX4090*14:none')),
    ('skewed', memx_report('alike', 'tp2.dp2.mb1.seq4096/RTX4090*18:none,RTX4090*10:none')),
    ('even', memx_report('alike', 'tp2.dp2.mb1.seq4096/RTX4090*16:none,RTX4090*12:none'));
SELECT name, html LIKE '%Faster%have more layers%' AS faster, html LIKE '%Larger cards have more layers%' AS larger,
       html LIKE '%all stages need much the same time%' AS same, html LIKE '%instead of 0 (%' AS zero,
       html GLOB '*<dt>Cards differ by*' AS differ, html LIKE '%Even memory gives%' AS even,
       html LIKE '%block1: the first one%' AS words
FROM page ORDER BY name;
SELECT 'waits', count(*), sum(less = round(100 * (1 - quick / slow))) FROM (
    SELECT name, CAST(substr(html, instr(html, ' less: the others') - 4, 2) AS INTEGER) AS less,
           min(time_ms) AS quick, max(time_ms) AS slow
    FROM page, memx_stages('alike', CASE name WHEN 'alike' THEN 'tp2.dp2.mb1.seq4096/RTX4090*14:none,RTX4090*14:none'
                                    WHEN 'skewed' THEN 'tp2.dp2.mb1.seq4096/RTX4090*18:none,RTX4090*10:none' END)
    WHERE name IN ('alike', 'skewed') GROUP BY name);
SELECT 'no score', html LIKE '%<td>-</td><td>%</td><td>-</td></tr>%' FROM page WHERE name = 'nothing';

-- Seen through a view of an untrusted schema.
PRAGMA trusted_schema = OFF;
CREATE VIEW pages AS SELECT job, memx_report(job) AS html FROM memx_job WHERE job = 'lab6';
SELECT 'view', html = (SELECT html FROM page WHERE name = 'hostile') FROM pages;

SELECT 'null', memx_report(NULL), memx_report('xy', NULL), memx_report(NULL, 'x');
SELECT memx_report('nobody');
SELECT memx_report('xy', 'tp1');
SELECT memx_report('xy', 'tp1.dp8.mb1/X-32GB*14:full,Y-64GB*17:none');
SELECT memx_report('large');
SELECT memx_report('xy' || char(0) || 'x');
UPDATE memx_job SET weights = 'gone' WHERE job = 'xy';
SELECT memx_report('xy');
