-- The lines of the report: the mean over seeds, and in the note what it is.
CREATE TABLE metric(place INTEGER PRIMARY KEY, metric TEXT, unit TEXT, digits INTEGER, text TEXT);
INSERT INTO metric(metric, unit, digits, text) VALUES
    ('own_mape', '%', 2, 'its cost against true time, its own configurations that run'),
    ('own_spearman', '', 3, 'the same'),
    ('all_mape', '%', 2, 'its cost against true time, all configurations that run'),
    ('all_spearman', '', 3, 'the same'),
    ('first', '%', 2, 'true time of its pick above the least run'),
    ('out_of_memory', 'seeds', 0, 'in which its pick runs out of memory');
-- The MemX paper's, of its own cluster and 1,628 measured configurations.
CREATE TABLE published(who TEXT, metric TEXT, text TEXT);
INSERT INTO published VALUES
    ('memx', 'all_mape', '12.17'), ('memx', 'all_spearman', '0.90'),
    ('metis', 'all_mape', '14.91'), ('metis', 'all_spearman', '0.87');
CREATE TABLE who(place INTEGER PRIMARY KEY, who TEXT);
INSERT INTO who(who) VALUES ('amp'), ('fasop'), ('metis'), ('hexiscale'), ('hexiscale_by_memory'), ('memx');
SELECT 'planners.' || s.profile || '.' || s.who || '.' || s.metric,
       printf('%.*f', m.digits, iif(m.unit = 'seeds', sum(s.value), avg(s.value))), m.unit,
       'synthetic, ' || iif(m.unit = 'seeds', 'of ', 'mean of ') || count(*) || ' seeds: ' || m.text
       || iif(m.metric GLOB 'own_*' OR m.metric GLOB 'all_*', printf(', %.0f a seed', avg(s.note)), '')
       || iif(m.metric = 'first', printf('; worst %.2f', max(s.value)), '')
       || iif(m.unit = 'seeds' AND sum(s.value) > 0, ' (' || max(s.note) || ')', '')
       || ifnull('; published: ' || p.text, '')
FROM seen AS s JOIN metric AS m USING (metric) JOIN who AS w USING (who)
     LEFT JOIN published AS p ON p.who = s.who AND p.metric = s.metric
GROUP BY s.profile, s.who, s.metric ORDER BY s.profile, w.place, m.place;
