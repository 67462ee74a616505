-- The paper's lines, and the mean over seeds with the least and the greatest in the note.
CREATE TABLE form(unit TEXT PRIMARY KEY, form TEXT);
INSERT INTO form VALUES ('ms', '%.0f'), ('MiB^2', '%.0f'), ('%', '%.1f'), ('place', '%.1f'), ('', '%.3f');
CREATE TABLE published(claim TEXT, what TEXT, value TEXT, unit TEXT, note TEXT);
INSERT INTO published VALUES
    ('deployment', 'fastest', '9211', 'ms', 'of 226 measured'),
    ('deployment', 'fastest: variance', '913000', 'MiB^2', ''),
    ('deployment', 'fastest: place by phi', '20', 'place', 'of 226'),
    ('deployment', 'pick', '10066', 'ms', 'tp 2, pp 3, dp 1, micro batch 2, full-block, length 1024, 64 heads, 16 groups'),
    ('deployment', 'pick: variance', '419000', 'MiB^2', ''),
    ('deployment', 'pick: slower than the fastest', '9.3', '%', ''),
    ('deployment', 'pick: place by phi', '1', 'place', 'of 226'),
    ('orders', 'time and phi', '0.66', '', '226 configurations, with those that change what is trained'),
    ('levels', 'full-block: peak saved', '7.6', '%', 'of 18 pairs; which layers it recomputes is not said'),
    ('levels', 'full-block: time lost', '8.5', '%', 'median of 18 pairs'),
    ('levels', 'full-uniform: peak saved', '13.9', '%', 'of 18 pairs'),
    ('levels', 'full-uniform: time lost', '19.2', '%', 'of 18 pairs');
CREATE TABLE claim(place INTEGER PRIMARY KEY, claim TEXT);
INSERT INTO claim(claim) VALUES ('deployment'), ('own'), ('orders'), ('levels');
CREATE TABLE who(place INTEGER PRIMARY KEY, who TEXT, data TEXT);
INSERT INTO who(who, data) VALUES ('paper', 'published'), ('truth', 'synthetic'), ('memx', 'synthetic'),
    ('memx_analytic', 'synthetic'), ('amp', 'synthetic'), ('fasop', 'synthetic'), ('metis', 'synthetic'),
    ('hexiscale', 'synthetic');
CREATE TABLE line(claim, what, who, value, unit, note, n);
INSERT INTO line
SELECT claim, what, who, ifnull(printf(form, avg(value)), '-'), unit,
       printf('mean of %d seeds' || iif(min(value) = max(value), '', ', ' || form || ' to ' || form), count(value), min(value),
              max(value))
       || iif(count(value) < count(*), printf('; out of memory in %d', count(*) - count(value)), '')
       || CASE WHEN unit = 'ms' THEN '; ' || group_concat(DISTINCT note)
               WHEN claim = 'orders' THEN printf('; %d configurations', max(note))
               WHEN claim = 'levels' THEN printf('; median of %d pairs', max(note)) ELSE '' END,
       min(n)
FROM (SELECT claim, what, who, nullif(value, '') AS value, unit, note, rowid AS n FROM seen) JOIN form USING (unit)
GROUP BY claim, what, who;
INSERT INTO line
SELECT claim, what, 'paper', value, unit, note,
       (SELECT min(n) FROM line AS l WHERE (l.claim, l.what) = (p.claim, p.what)) FROM published AS p;
SELECT claim, what, who, value, unit, data, note
FROM line JOIN claim USING (claim) JOIN who USING (who)
ORDER BY claim.place, min(n) OVER (PARTITION BY claim, what), who.place;
