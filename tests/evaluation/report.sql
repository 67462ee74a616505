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
    ('real', 'answers', 'Real runs that others measured'),
    ('open', 'answers', 'What the paper left open'),
    ('steps', 'answers', 'Four steps for a team, on the demo''s job');

-- What a row is, in words: of its name, or of the part before the first dot and of the rest. Names without any are shown as
-- they are, and behind all of them the unit.
CREATE TABLE word(name TEXT PRIMARY KEY, words TEXT);
INSERT INTO word VALUES
    ('time_mape', 'mean error of time'), ('max_error', 'greatest error of time'), ('memory_mape', 'mean error of memory'),
    ('time_spearman', 'order by time'), ('phi_spearman', 'order by phi'),
    ('top1_time.all', 'first of the same list, by time: is the fastest'),
    ('top1_phi.all', 'first of the same list, by phi: has the least'),
    ('top1_time_above_least.all', 'first of the same list, by time: above the least'),
    ('top1_phi_above_least.all', 'first of the same list, by phi: above the least'),
    ('top1_time.sample', 'first of the sample, by time: is the fastest'),
    ('top1_phi.sample', 'first of the sample, by phi: has the least'),
    ('top1_time_above_least.sample', 'first of the sample, by time: above the least'),
    ('top1_phi_above_least.sample', 'first of the sample, by phi: above the least'),
    ('time_above_least', 'own first: time above the least run'), ('phi_above_least', 'own first: phi above the least run'),
    ('above_its_list', 'own first above the best of its own list'),
    ('time_truly_first', 'own first is the fastest run'), ('phi_truly_first', 'own first has the least phi run'),
    ('out_of_memory', 'own first runs out of memory'),
    ('all', 'the same list for all'), ('own', 'each its own'), ('own, micro batch 2', 'own, micro batch 2'),
    ('sample', 'sample with recompute'),
    ('predicted_time_20', '20 GPUs, faster, predicted'), ('predicted_phi_20', '20 GPUs, less in phi, predicted'),
    ('predicted_time_40', '40 GPUs, faster, predicted'), ('predicted_phi_40', '40 GPUs, less in phi, predicted'),
    ('predicted_time_60', '60 GPUs, faster, predicted'), ('predicted_phi_60', '60 GPUs, less in phi, predicted'),
    ('true_time_20', '20 GPUs, faster in truth'), ('true_phi_20', '20 GPUs, less in phi in truth'),
    ('true_time_40', '40 GPUs, faster in truth'), ('true_phi_40', '40 GPUs, less in phi in truth'),
    ('true_time_60', '60 GPUs, faster in truth'), ('true_phi_60', '60 GPUs, less in phi in truth'),
    ('base_seconds', 'base'), ('base_predictions', 'base'),
    ('pp_dp', 'PP and DP'), ('pp_dp_seconds', 'PP and DP'), ('pp_dp_predictions', 'PP and DP'),
    ('micro_batch', 'and micro batch'), ('micro_batch_seconds', 'and micro batch'),
    ('micro_batch_predictions', 'and micro batch'),
    ('amp', 'AMP''s space'), ('amp_seconds', 'AMP''s space'), ('amp_predictions', 'AMP''s space'),
    ('top_ten_free', 'best ten of space free'), ('top_ten_free_seconds', 'best ten of space free'),
    ('top_ten_free_predictions', 'best ten of space free'),
    ('measuring_stages', 'measuring the stages that MemX asks for'),
    ('measuring_every_configuration', 'measuring every configuration'),
    ('measuring_amps_configurations', 'measuring AMP''s configurations'),
    ('spearman', 'order within jobs'), ('order', 'pairs in the right order'),
    ('first', 'first above the fastest measured'), ('first_right', 'first is the fastest measured'),
    ('peak_order', 'in the right order by peak'), ('spread_order', 'in the right order by spread');

-- A row for each claim and what: a cell for each who. Data and note are MemX's, or else the first measured ones; the
-- worst that notes name, everyone's. Of the planners' two profiles the tables show what was measured, the lines behind
-- them both; what the paper prints stands beside what all planners were asked.
CREATE VIEW cell AS
SELECT claim, iif(data = 'published' AND (claim, what || '.all') IN (SELECT claim, replace(what, '.measured', '') FROM seen),
                  what || '.all', replace(what, '.measured', '')) AS what,
       who, value AS cell, iif(unit = 'place', '', unit) AS unit,
       data, replace(iif(instr(note, '; worst '), substr(note, 1, instr(note, '; worst ') - 1), note), ' 1 seeds', ' 1 seed') AS note,
       iif(instr(note, '; worst '), substr(note, instr(note, '; worst ') + 8) || iif(unit = '%', ' %', ''), NULL) AS worst,
       s.rowid AS place
FROM seen AS s WHERE what NOT GLOB '*.analytic*';
CREATE TABLE line AS
SELECT claim, max(unit) AS unit, min(place) FILTER (WHERE data <> 'published') AS line, what, max(cell) FILTER (WHERE who = 'paper') AS paper, max(cell) FILTER (WHERE who = 'memx') AS memx,
       max(cell) FILTER (WHERE who = 'memx_analytic') AS untrained, max(cell) FILTER (WHERE who = 'amp') AS amp,
       max(cell) FILTER (WHERE who = 'amp_analytic') AS amp_untrained,
       max(cell) FILTER (WHERE who = 'fasop') AS fasop, max(cell) FILTER (WHERE who = 'metis') AS metis,
       max(cell) FILTER (WHERE who = 'metis_analytic') AS metis_untrained,
       max(cell) FILTER (WHERE who = 'hexiscale') AS hexiscale,
       max(cell) FILTER (WHERE who = 'truth') AS truth, max(cell) FILTER (WHERE who = 'memx_phi') AS by_phi,
       max(cell) FILTER (WHERE who = 'memx_within') AS within,
       group_concat(replace(who, '_', ' ') || ' ' || cell, ', ') FILTER (
           WHERE who NOT IN ('paper', 'truth', 'memx_phi', 'memx_within', 'memx', 'memx_analytic', 'amp', 'amp_analytic',
                             'fasop', 'metis', 'metis_analytic', 'hexiscale')) AS others,
       coalesce(max(data) FILTER (WHERE who = 'memx'), max(data) FILTER (WHERE data <> 'published'), 'published') AS data,
       coalesce(max(note) FILTER (WHERE who = 'memx'), max(note) FILTER (WHERE data <> 'published'), max(note))
       || ifnull('; worst: ' || group_concat(replace(who, '_', ' ') || ' ' || worst, ', '), '') AS note
FROM (SELECT * FROM cell ORDER BY place) GROUP BY claim, what;
-- In words; where all rows of a claim rest on the same, its title says on what.
ALTER TABLE line ADD COLUMN name;
UPDATE line SET name = coalesce(
    iif(claim IN ('deployment', 'own', 'orders', 'levels'), what, NULL),
    (SELECT words FROM word WHERE word.name = what),
    (SELECT a.words || '; ' || b.words FROM word AS a, word AS b
     WHERE instr(what, '.') AND a.name = substr(what, 1, instr(what, '.') - 1) AND b.name = substr(what, instr(what, '.') + 1)),
    what) || iif(unit = '', '', ', ' || unit);
CREATE TABLE base AS
SELECT claim, iif(count(DISTINCT data) = 1, max(data), NULL) AS data FROM line GROUP BY claim;

-- What is printed of a claim, as the shell's commands: a table of the columns that have anything, and the notes.
CREATE VIEW told AS
SELECT place, printf('.print
.print "%s"
.mode box --wrap 0
SELECT name AS what', title || ifnull(' (' || nullif(base.data, 'real') || ')', ''))
              || iif(max(l.paper) IS NULL, '', ', paper') || iif(max(l.memx) IS NULL, '', ', memx')
              || iif(max(l.by_phi) IS NULL, '', ', by_phi AS "memx, by phi"')
              || iif(max(l.within) IS NULL, '', ', within AS "memx, within 10 %"')
              || iif(max(l.truth) IS NULL, '', ', truth')
              || iif(max(l.untrained) IS NULL, '', ', untrained AS "memx, untrained"')
              || iif(max(l.amp) IS NULL, '', ', amp') || iif(max(l.amp_untrained) IS NULL, '', ', amp_untrained AS "amp, untrained"')
              || iif(max(l.fasop) IS NULL, '', ', fasop')
              || iif(max(l.metis) IS NULL, '', ', metis')
              || iif(max(l.metis_untrained) IS NULL, '', ', metis_untrained AS "metis, untrained"')
              || iif(max(l.hexiscale) IS NULL, '', ', hexiscale')
              || iif(max(l.others) IS NULL, '', ', others')
              || iif(base.data IS NULL, ', data', '') || printf(' FROM line WHERE claim = %Q ORDER BY line;
', claim) AS commands
FROM claim JOIN base USING (claim) JOIN line AS l USING (claim) WHERE shape = 'table' GROUP BY claim
UNION ALL
SELECT place + 0.5, printf('.mode list
SELECT printf(''  %%s: %%s'', group_concat(name, ''; ''), note)
FROM (SELECT * FROM line WHERE claim = %Q ORDER BY line) GROUP BY note ORDER BY min(line);', claim)
FROM claim WHERE shape = 'table' AND claim IN (SELECT claim FROM line)
UNION ALL
SELECT place, printf('.print
.print "%s"
.mode list
SELECT printf(''  %%s (%%s): %%s'', what, data, iif(instr(note, data || '': '') = 1, substr(note, length(data) + 3), note))
FROM line WHERE claim = %Q ORDER BY line;',
                     title, claim)
FROM claim WHERE shape = 'answers' AND claim IN (SELECT claim FROM line);
