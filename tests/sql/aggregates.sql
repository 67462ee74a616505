-- median, mape, spearman and r2.
-- A line ends in 1 where a result agrees with the same statistic in plain SQL; other lines show
-- the result itself.

CREATE TABLE run(id INTEGER PRIMARY KEY, device TEXT, measured REAL, predicted REAL);
INSERT INTO run VALUES
    (1, 'A100', 100, 110), (2, 'A100', 200, 190), (3, 'A100', 400, 400), (4, 'A100', 50, 45),
    (5, 'V100', 300, 330), (6, 'V100', 150, 180), (7, 'V100', 300, 270),
    (8, 'T4', 500, 600), (9, 'T4', NULL, 10), (10, 'T4', 20, NULL);

-- 300 rows in scrambled order, with ties in y.
CREATE TABLE sample AS
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 299)
    SELECT i, (i * 617 + i * i * 31) % 1009 + 1 AS x, (i * i * 7) % 41 + i % 10 AS y FROM n;

-- Median: the middle value, or the mean of the middle two.
SELECT 'odd', median(value) FROM json_each('[5, 1, 3]');
SELECT 'even', median(value) FROM json_each('[5, 1, 3, 2]');
SELECT 'one', median(7);
SELECT 'equal', median(value) FROM json_each('[2, 2, 2, 2]');
SELECT 'mixed types', median(value) FROM json_each('[1, 2.5, 4]');
SELECT 'null rows', median(value) FROM json_each('[null, 1, null, 4]');
SELECT 'no rows', median(1) IS NULL WHERE 0;
SELECT 'only nulls', median(NULL) IS NULL;
SELECT 'no overflow', median(value) = 1.7e308 FROM json_each('[1.7e308, 1.7e308]');
SELECT 'distinct', median(DISTINCT value) FROM json_each('[1, 1, 1, 2, 3]');
SELECT 'filter', median(value) FILTER (WHERE value > 1) FROM json_each('[1, 1, 1, 2, 3]');
SELECT device, median(measured) FROM run GROUP BY device ORDER BY device;
SELECT 'by sorting', median(x) = (
        SELECT avg(x) FROM (SELECT x FROM sample ORDER BY x LIMIT 2 OFFSET 149))
    FROM sample;

-- Median over window frames.
SELECT 'last three', id, median(measured) OVER (ORDER BY id ROWS 2 PRECEDING)
    FROM run ORDER BY id;
SELECT 'so far', id, median(measured) OVER (ORDER BY id) FROM run WHERE id <= 4 ORDER BY id;
SELECT 'device', id, median(measured) OVER (PARTITION BY device) FROM run ORDER BY id;
SELECT 'near in value', id, median(predicted) OVER (
        ORDER BY measured RANGE BETWEEN 50 PRECEDING AND 50 FOLLOWING)
    FROM run WHERE id <= 7 ORDER BY id;
SELECT 'others', id, median(measured) OVER (
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW)
    FROM run WHERE id <= 4 ORDER BY id;
SELECT 'two on', id, median(measured) OVER (
        ORDER BY id ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING) IS NULL
    FROM run WHERE id <= 4 ORDER BY id;

-- Frames that grow, slide and shrink, against sorting each frame on its own.
CREATE TABLE windowed AS
    SELECT 'grows and slides' AS frame, i,
        median(x) OVER (ORDER BY i ROWS 100 PRECEDING) AS middle FROM sample
    UNION ALL SELECT 'slides', i,
        median(y) OVER (ORDER BY i ROWS BETWEEN 20 PRECEDING AND 20 FOLLOWING) FROM sample
    UNION ALL SELECT 'shrinks', i,
        median(x) OVER (ORDER BY i ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM sample;
CREATE TABLE frame_row AS
    SELECT 'grows and slides' AS frame, f.i, s.x AS value
        FROM sample AS f JOIN sample AS s ON s.i BETWEEN f.i - 100 AND f.i
    UNION ALL SELECT 'slides', f.i, s.y
        FROM sample AS f JOIN sample AS s ON s.i BETWEEN f.i - 20 AND f.i + 20
    UNION ALL SELECT 'shrinks', f.i, s.x FROM sample AS f JOIN sample AS s ON s.i >= f.i;
WITH placed AS (
        SELECT frame, i, value, count(*) OVER (PARTITION BY frame, i) AS n,
            row_number() OVER (PARTITION BY frame, i ORDER BY value) AS place
        FROM frame_row),
    sorted AS (
        SELECT frame, i, avg(value) AS middle FROM placed
        WHERE place IN ((n + 1) / 2, n / 2 + 1) GROUP BY frame, i)
SELECT frame, count(*), min(windowed.middle = sorted.middle)
    FROM windowed JOIN sorted USING (frame, i) GROUP BY frame ORDER BY frame;

-- mape: mean absolute error in percent of what was measured.
SELECT 'mape', mape(column1, column2) FROM (VALUES (2, 3), (4, 3), (8, 8), (-4, -5));
SELECT 'mape perfect', mape(measured, measured) FROM run;
SELECT 'mape by hand', device, abs(mape(measured, predicted)
        - 100 * avg(abs(predicted - measured) / abs(measured))) < 1e-9
    FROM run GROUP BY device ORDER BY device;
SELECT 'mape no rows', mape(measured, predicted) IS NULL FROM run WHERE id > 8;

-- spearman: correlation of ranks; equal values share the mean of their ranks.
SELECT 'rising', spearman(x, x * x) FROM sample;
SELECT 'falling', spearman(x, 1.0 / x) FROM sample;
SELECT 'ties', spearman(column1, column2) FROM (VALUES (1, 1), (2, 2), (2, 1), (3, 2));
SELECT 'two rows', spearman(column1, column2) FROM (VALUES (1, 5), (2, 4), (NULL, 9), (9, NULL));
SELECT 'one row', spearman(1, 2) IS NULL;
SELECT 'constant', spearman(x, 1) IS NULL, spearman(1, x) IS NULL FROM sample;
WITH ranked AS (
        SELECT rank() OVER (ORDER BY x) + (count(*) OVER (PARTITION BY x) - 1) / 2.0 AS a,
            rank() OVER (ORDER BY y) + (count(*) OVER (PARTITION BY y) - 1) / 2.0 AS b
        FROM sample)
SELECT 'spearman by hand', abs((SELECT spearman(x, y) FROM sample)
        - (avg(a * b) - avg(a) * avg(b))
        / sqrt((avg(a * a) - avg(a) * avg(a)) * (avg(b * b) - avg(b) * avg(b)))) < 1e-9
    FROM ranked;

-- r2: share of the variation of what was measured that the prediction explains.
SELECT 'perfect', r2(x, x) FROM sample;
SELECT 'mean', r2(column1, 2) FROM (VALUES (1), (2), (3));
SELECT 'worse than the mean', r2(column1, column2) FROM (VALUES (1, 3), (2, 2), (3, 1));
SELECT 'close values', r2(1e9 + column1, 1e9 + column2) FROM (VALUES (0, 0), (2, 1), (4, 4));
SELECT 'huge values', r2(column1, column2) FROM (VALUES (0, 0), (1e300, 5e299), (2e300, 2e300));
SELECT 'one row', r2(1, 2) IS NULL;
SELECT 'constant', r2(1, x) IS NULL FROM sample;
SELECT 'r2 by hand', abs(r2(measured, predicted)
        - (1 - sum((measured - predicted) * (measured - predicted))
        / sum((measured - mean) * (measured - mean)))) < 1e-12
    FROM run, (SELECT avg(measured) AS mean FROM run WHERE predicted IS NOT NULL)
    WHERE predicted IS NOT NULL;

-- A row with a NULL in either argument does not count, whatever the other one is.
SELECT 'nulls', mape(column1, column2), spearman(column1, column2), r2(column1, column2)
    FROM (VALUES (1, 1), (NULL, 7), (2, NULL), (NULL, 'abc'), (0, NULL), (4, 4));

-- Views and triggers may use all four in an untrusted schema.
PRAGMA trusted_schema = OFF;
CREATE VIEW agreement AS
    SELECT count(*) AS n, median(measured) AS middle, mape(measured, predicted) < 10 AS close,
        spearman(measured, predicted) > 0.9 AS ordered, r2(measured, predicted) > 0.9 AS explained
    FROM run;
SELECT 'view', * FROM agreement;

-- What is not a number is refused, in one line that says what to write.
SELECT median(value) FROM json_each('[1, "abc", 3]');
SELECT max(middle) FROM (
    SELECT median(value) OVER (ORDER BY key ROWS 1 PRECEDING) AS middle
    FROM json_each('[1, 2, 3, "it''s"]'));
SELECT median('12');
SELECT median('');
SELECT median('a text of two lines
that is too long to be quoted as a whole');
SELECT median(x'0102');
SELECT median(-9e999);
SELECT mape(1, 'fast');
SELECT mape(x'', 1);
SELECT mape(column1, column2) FROM (VALUES (1, 1), (0, 1));
SELECT mape(1, 9e999);
SELECT mape(1e-200, 1e200);
SELECT spearman('low', 1);
SELECT spearman(1, 9e999);
SELECT r2(1, 'none');
SELECT r2(-9e999, 1);
SELECT r2(column1, 1e200) FROM (VALUES (1e-200), (2e-200));
SELECT median();
SELECT r2(1, 2) OVER ();

-- After errors everything still works.
SELECT 'after errors', median(value), mape(value, 2 * value), spearman(value, value),
    r2(value, value) FROM json_each('[1, 2, 3]');
