-- shards and shard: parts of one scan, of one size, that together are it.
CREATE TEMP TABLE whole AS SELECT * FROM memx_configs WHERE job = 'mix20';
CREATE INDEX temp.by_config ON whole(config);
CREATE TEMP TABLE numbers AS
    WITH RECURSIVE n(n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM n WHERE n < 1023) SELECT n FROM n;
CREATE TEMP TABLE parts AS
    SELECT s.column1 AS shards, n AS shard, c.config, c.headroom, c.phi
    FROM (VALUES (2), (3), (7), (100), (1024)) AS s CROSS JOIN numbers CROSS JOIN memx_configs AS c
    WHERE n < s.column1 AND c.job = 'mix20' AND c.shards = s.column1 AND c.shard = n;
CREATE INDEX temp.by_shard ON parts(shards, shard, config);
SELECT 'each row once', shards, count(*) = (SELECT count(*) FROM whole) AS all_of_them,
       count(DISTINCT config) = count(*) AS once, sum(config IN (SELECT config FROM whole)) = count(*) AS no_other
    FROM parts GROUP BY shards;
SELECT 'of one size', shards, count(*) AS parts, max(part) - min(part) AS differ
    FROM (SELECT shards, shard, count(*) AS part FROM parts GROUP BY shards, shard) GROUP BY shards;
-- All columns, since predictions must be those of the whole.
SELECT 'row for row', count(*) FROM (SELECT * FROM whole EXCEPT
    SELECT * FROM (SELECT c.* FROM numbers CROSS JOIN memx_configs AS c
        WHERE n < 7 AND c.job = 'mix20' AND c.shards = 7 AND c.shard = n));

-- Ranked, a part is its rows in order; the best of all parts are the best of all.
CREATE TEMP TABLE ranked AS
    SELECT n AS shard, (SELECT json_group_array(config) FROM (SELECT config FROM memx_configs
        WHERE job = 'mix20' AND shards = 100 AND shard = n ORDER BY phi LIMIT 400)) AS found
    FROM numbers WHERE n < 100;
SELECT 'ranked', count(*), sum(found = (SELECT json_group_array(config) FROM (SELECT config FROM parts AS p
        WHERE p.shards = 100 AND p.shard = ranked.shard ORDER BY phi, p.rowid))) AS like_sorted
    FROM ranked;
-- The same in a space that no scan gets through: 16 lists of 20 hold the first 20 of all.
CREATE TEMP TABLE free AS
    SELECT n AS shard, b.value ->> 0 AS config, b.value ->> 1 AS phi
    FROM numbers CROSS JOIN json_each((SELECT json_group_array(json_array(config, phi)) FROM (SELECT config, phi
        FROM memx_configs WHERE job = 'mix20' AND space = 'free' AND shards = 16 AND shard = n ORDER BY phi LIMIT 20)))
        AS b
    WHERE n < 16;
SELECT 'free', count(*), count(DISTINCT config) AS once, (SELECT group_concat(phi) FROM (SELECT phi FROM free
        ORDER BY phi LIMIT 20)) = (SELECT group_concat(phi) FROM (SELECT phi FROM memx_configs
        WHERE job = 'mix20' AND space = 'free' ORDER BY phi LIMIT 20)) AS best
    FROM free;
-- More parts than rows.
SELECT 'more than rows', sum(rows), max(rows), count(*) FROM (SELECT (SELECT count(*) FROM memx_configs
    WHERE job = 'mix20' AND tp = 1 AND pp = 20 AND micro_batch = 2 AND shards = 1024 AND shard = n) AS rows FROM numbers);
SELECT 'no more', count(*) FROM memx_configs WHERE job = 'mix20' AND tp = 1 AND pp = 20 AND micro_batch = 2;

-- Bounds on degrees come first: what they leave is cut. Others keep what of a part passes them.
SELECT 'bounded', sum(rows) = (SELECT count(*) FROM whole WHERE tp = 2) AS all_of_them, max(rows) - min(rows) AS differ
    FROM (SELECT (SELECT count(*) FROM memx_configs WHERE job = 'mix20' AND tp = 2 AND shards = 50 AND shard = n)
        AS rows FROM numbers WHERE n < 50);
SELECT 'filtered', count(*) > 0, count(*) = (SELECT count(*) FROM parts
        WHERE shards = 7 AND shard = 3 AND headroom > 0.3)
    FROM memx_configs WHERE job = 'mix20' AND headroom > 0.3 AND shards = 7 AND shard = 3;
-- Look-ups: found in its own part, and in no other.
SELECT 'looked up', shards, count(*), sum(shard = was) = count(*)
    FROM (SELECT p.shards, p.shard AS was, n AS shard
        FROM (SELECT * FROM parts WHERE rowid % 997 = 0 AND shards < 10) AS p CROSS JOIN numbers
        CROSS JOIN memx_configs AS c
        WHERE n < p.shards AND c.job = 'mix20' AND c.config = p.config AND c.shards = p.shards AND c.shard = n)
    GROUP BY shards;
SELECT 'looked for', count(*) FROM parts WHERE rowid % 997 = 0 AND shards < 10;
-- All jobs at once: each is cut.
SELECT 'all jobs', sum(rows) = (SELECT count(*) FROM memx_configs), count(DISTINCT shard)
    FROM (SELECT n AS shard, (SELECT count(*) FROM memx_configs WHERE shards = 5 AND shard = n) AS rows
        FROM numbers WHERE n < 5);
