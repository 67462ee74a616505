-- One table for each claim, from the lines in `seen` (claim, what, who, value, unit, data, note), and behind them the
-- same figures one a line. tests/evaluation.sh fills `seen`; only claims that have lines are shown.
CREATE TABLE claim(place INTEGER PRIMARY KEY, claim TEXT, shape TEXT, title TEXT);
INSERT INTO claim(claim, shape, title) VALUES
    ('errors_20', 'table', 'How well does a planner predict on 20 GPUs?'),
    ('orders_20', 'table', 'Does a planner put configurations in order, by time and by memory balance?'),
    ('first_20', 'table', 'Is what a planner puts first truly good, and does it run?'),
    ('errors_40', 'table', 'The same on 40 GPUs, the pipeline lengthened: errors'),
    ('orders_40', 'table', 'Orders on 40 GPUs'),
    ('first_40', 'table', 'First places on 40 GPUs'),
    ('errors_60', 'table', 'Errors on 60 GPUs'),
    ('orders_60', 'table', 'Orders on 60 GPUs'),
    ('first_60', 'table', 'First places on 60 GPUs'),
    ('never_worse', 'table', 'Does a planner''s pick that fits ever beat MemX''s of the free space?'),
    ('search_cost', 'table', 'What does a search cost?'),
    ('deployment', 'table', 'On 4 V100 and 2 T4: the fastest configuration against the best phi, weights safe'),
    ('own', 'table', 'On 4 V100 and 2 T4, no layers given: what would each planner run?'),
    ('orders', 'table', 'On 4 V100 and 2 T4: how far apart are the orders by time and by phi?'),
    ('levels', 'table', 'On 4 V100 and 2 T4: what does each recompute level save and cost, nothing else changed?'),
    ('real_vtrain_multi', 'table', 'Real: GPT of 3.6, 18 and 175 B on 64 to 512 A100 (VIA-Research/vTrain)'),
    ('real_vtrain_single', 'table', 'Real: GPT on 1 to 8 A100 (VIA-Research/vTrain)'),
    ('real_sailor', 'table', 'Real: OPT and GPT-Neo on 4 to 256 GH200 (eth-easl/sailor)'),
    ('open', 'answers', 'What the paper left open'),
    ('steps', 'answers', 'Four steps for a team, on the demo''s job');

-- A row for each claim and what: a cell for each who. Data and note are MemX's, or else the first measured ones. Of the
-- planners' two profiles the tables show what was measured, the lines behind them both; what the paper prints stands
-- beside what all planners were asked.
CREATE VIEW cell AS
SELECT claim, iif(data = 'published' AND (claim, what || '.all') IN (SELECT claim, replace(what, '.measured', '') FROM seen),
                  what || '.all', replace(what, '.measured', '')) AS what,
       who, value || iif(unit = '', '', ' ' || unit) AS cell, data, note, s.rowid AS place
FROM seen AS s WHERE what NOT GLOB '*.analytic*';
CREATE TABLE line AS
SELECT claim, min(place) FILTER (WHERE data <> 'published') AS line, what, max(cell) FILTER (WHERE who = 'paper') AS paper, max(cell) FILTER (WHERE who = 'memx') AS memx,
       max(cell) FILTER (WHERE who = 'memx_analytic') AS untrained, max(cell) FILTER (WHERE who = 'amp') AS amp,
       max(cell) FILTER (WHERE who = 'fasop') AS fasop, max(cell) FILTER (WHERE who = 'metis') AS metis,
       max(cell) FILTER (WHERE who = 'hexiscale') AS hexiscale,
       max(cell) FILTER (WHERE who = 'truth') AS truth, max(cell) FILTER (WHERE who = 'memx_phi') AS by_phi,
       max(cell) FILTER (WHERE who = 'memx_within') AS within,
       group_concat(who || ' ' || cell, ', ') FILTER (
           WHERE who NOT IN ('paper', 'truth', 'memx_phi', 'memx_within', 'memx', 'memx_analytic', 'amp', 'fasop', 'metis', 'hexiscale')) AS others,
       coalesce(max(data) FILTER (WHERE who = 'memx'), max(data) FILTER (WHERE data <> 'published'), 'published') AS data,
       coalesce(max(note) FILTER (WHERE who = 'memx'), max(note) FILTER (WHERE data <> 'published'), max(note)) AS note
FROM (SELECT * FROM cell ORDER BY place) GROUP BY claim, what;

-- What is printed of a claim, as the shell's commands: a table of the columns that have anything, and the notes.
CREATE VIEW told AS
SELECT place, printf('.print
.print "%s"
.mode box --wrap 0
SELECT what', title)
              || iif(max(l.paper) IS NULL, '', ', paper') || iif(max(l.memx) IS NULL, '', ', memx')
              || iif(max(l.by_phi) IS NULL, '', ', by_phi AS "memx, by phi"')
              || iif(max(l.within) IS NULL, '', ', within AS "memx, within 10 %"')
              || iif(max(l.truth) IS NULL, '', ', truth')
              || iif(max(l.untrained) IS NULL, '', ', untrained AS "memx, nothing fitted"')
              || iif(max(l.amp) IS NULL, '', ', amp') || iif(max(l.fasop) IS NULL, '', ', fasop')
              || iif(max(l.metis) IS NULL, '', ', metis') || iif(max(l.hexiscale) IS NULL, '', ', hexiscale')
              || iif(max(l.others) IS NULL, '', ', others')
              || printf(', data FROM line WHERE claim = %Q ORDER BY line;
', claim) AS commands
FROM claim JOIN line AS l USING (claim) WHERE shape = 'table' GROUP BY claim
UNION ALL
SELECT place + 0.5, printf('.mode list
SELECT printf(''  %%s: %%s'', group_concat(what, '', ''), note)
FROM (SELECT * FROM line WHERE claim = %Q ORDER BY line) GROUP BY note ORDER BY min(line);', claim)
FROM claim WHERE shape = 'table' AND claim IN (SELECT claim FROM line)
UNION ALL
SELECT place, printf('.print
.print "%s"
.mode list
SELECT printf(''  %%s (%%s): %%s'', what, data, note) FROM line WHERE claim = %Q ORDER BY line;',
                     title, claim)
FROM claim WHERE shape = 'answers' AND claim IN (SELECT claim FROM line);
