-- The lines of the report from those of every seed: claim, what, who, value, unit, data, note.
CREATE TABLE metric(metric TEXT PRIMARY KEY, kind TEXT, unit TEXT, text TEXT);
INSERT INTO metric VALUES
    ('time_mape', 'mean', '%', 'its cost against true time'),
    ('time_spearman', 'mean', '', 'rank correlation of its cost with true time'),
    ('max_error', 'max', '%', 'the greatest error of time of any seed'),
    ('memory_mape', 'mean', '%', 'reserved memory of each GPU'),
    ('phi_spearman', 'mean', '', 'rank correlation with true phi'),
    ('top1_time', 'count', 'seeds', 'in which its first of these truly is the fastest of them'),
    ('top1_phi', 'count', 'seeds', 'in which its first of these truly has their least phi'),
    ('top1_time_above_least', 'mean', '%', 'true time of its first of these above the least of them'),
    ('top1_phi_above_least', 'mean', '%', 'true phi of its first of these above the least of them'),
    ('time_above_least', 'mean', '%', 'true time of its first above the least of all that ran, where it runs'),
    ('phi_above_least', 'mean', '%', 'true phi of its first above the least of all that ran, where it runs'),
    ('above_its_list', 'mean', '%', 'its first above the best of the 100 or 50 that it puts first, by their order'),
    ('time_truly_first', 'count', 'seeds', 'in which its first truly is the fastest of all that ran'),
    ('phi_truly_first', 'count', 'seeds', 'in which its first truly has the least phi of all that ran'),
    ('out_of_memory', 'count', 'seeds', 'in which its first runs out of memory');
CREATE TABLE part(part TEXT PRIMARY KEY, text TEXT);
INSERT INTO part VALUES
    ('all', 'all planners'' configurations that run, no recompute'),
    ('own', 'its own configurations that run'),
    ('own, micro batch 2', 'its own of micro batch 2 that run'),
    ('sample', 'a sample of MemX''s default space that runs, recompute too');
CREATE TABLE who(place INTEGER PRIMARY KEY, who TEXT);
INSERT INTO who(who) VALUES
    ('paper'), ('paper_fasop'), ('paper_metis'), ('amp'), ('fasop'), ('metis'), ('hexiscale'), ('hexiscale_by_memory'),
    ('memx'), ('memx_phi'), ('memx_within'),
    ('memx_free'), ('memx_free_phi'), ('true_time');
CREATE TABLE line(claim TEXT, what TEXT, who TEXT, value TEXT, unit TEXT, data TEXT, note TEXT);

INSERT INTO line(claim, what, who, value, unit, data, note) VALUES
    ('errors_20', 'time_mape', 'paper', '12.17', '%', 'published', '1,628 measured configurations'),
    ('errors_20', 'time_spearman', 'paper', '0.90', '', 'published', ''),
    ('errors_20', 'max_error', 'paper', '29.77', '%', 'published', ''),
    ('errors_20', 'memory_mape', 'paper', '6.5', '%', 'published', 'about'),
    ('errors_20', 'time_mape', 'paper_metis', '14.91', '%', 'published', 'the best of the others'),
    ('errors_20', 'time_spearman', 'paper_metis', '0.87', '', 'published', ''),
    ('errors_20', 'time_mape', 'paper_fasop', '76.47', '%', 'published', 'at micro batch 2'),
    ('orders_20', 'time_spearman', 'paper', '0.90', '', 'published', ''),
    ('orders_20', 'time_spearman', 'paper_metis', '0.87', '', 'published', ''),
    ('orders_20', 'phi_spearman', 'paper_metis', '-0.07', '', 'published', 'MemX''s own is not printed'),
    ('first_20', 'top1_time', 'paper', 'yes', '', 'published', 'the only planner whose first is'),
    ('first_20', 'top1_phi', 'paper', 'yes', '', 'published', 'the only planner whose first is'),
    ('errors_40', 'time_mape', 'paper', '14.22', '%', 'published', 'truth extrapolated from 20 GPUs by compute'),
    ('errors_40', 'memory_mape', 'paper', '6.5', '%', 'published', 'about; the same'),
    ('errors_60', 'time_mape', 'paper', '16.19', '%', 'published', 'the same; its text says 14.91'),
    ('errors_60', 'memory_mape', 'paper', '6.5', '%', 'published', 'about; the same'),
    ('errors_60', 'time_spearman', 'paper', '0.87', '', 'published', 'the same');

WITH cut AS (
    SELECT *, iif(instr(what, '.'), substr(what, 1, instr(what, '.') - 1), what) AS metric,
           substr(what, instr(what, '.') + 1) AS rest FROM seen WHERE claim <> 'never_worse'),
named AS (
    SELECT c.*, m.kind, m.unit, m.text,
           (SELECT text FROM part WHERE part = substr(rest, instr(rest, '.') + 1)) AS part_text
    FROM cut AS c JOIN metric AS m USING (metric))
INSERT INTO line
SELECT claim, what, who,
       CASE kind WHEN 'mean' THEN printf(iif(unit = '', '%.3f', '%.2f'), avg(value))
                 WHEN 'max' THEN printf('%.2f', max(value)) ELSE printf('%d', sum(value)) END,
       unit, 'synthetic',
       printf('%s %d seeds: ', iif(kind = 'mean', 'mean of', 'of'), count(*)) || text
       || iif(part_text IS NULL, '', '; ' || part_text || iif(note = '', '', printf(', %.0f a seed', avg(note))))
       || iif(metric = 'out_of_memory' AND sum(value) > 0,
              '; on ' || group_concat(DISTINCT note) FILTER (WHERE note <> ''), '')
       || iif(claim GLOB 'errors_[46]0' OR claim GLOB 'orders_[46]0',
              '; trained on 20 GPUs, truth is the testbed itself', '')
       || CASE WHEN metric LIKE '%above%' THEN printf('; worst %.2f', max(value))
               WHEN metric LIKE '%spearman' THEN printf('; worst %.3f', min(value)) ELSE '' END
FROM named GROUP BY claim, what, who;

INSERT INTO line
SELECT claim, what, who, printf('%d', sum(value)), 'cases', iif(what LIKE 'predicted%', 'predicted', 'synthetic'),
       printf('of %d, seeds by profiles, in which its first that fits is ', count(*))
       || iif(what LIKE '%time%', 'faster', 'less in phi') || ' than MemX''s first of the free space'
       || iif(sum(value) > 0, printf(', at most by %.2f %%', max(note)), '')
FROM seen WHERE claim = 'never_worse' GROUP BY what, who;

SELECT claim, what, who, value, unit, data, note FROM line JOIN who USING (who)
ORDER BY claim, iif(instr(what, '.'), substr(what, 1, instr(what, '.') - 1), what), data, what, place;
