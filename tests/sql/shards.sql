-- shards and shard: a row is in one part, and in the same one in every scan, order and lookup.
CREATE TEMP TABLE parts AS
    SELECT n.column1 AS shards, s.value AS shard, config, tp, layers, recompute, iteration_ms
    FROM (VALUES (2), (3), (7)) AS n, json_each('[0, 1, 2, 3, 4, 5, 6]') AS s
    CROSS JOIN memx_configs AS c
    WHERE c.job = 'mix20' AND c.shards = n.column1 AND c.shard = s.value AND s.value < n.column1;
CREATE INDEX temp.by_config ON parts(shards, config);
CREATE TEMP TABLE whole AS SELECT config FROM memx_configs WHERE job = 'mix20';
SELECT 'each row once', shards, count(*) = (SELECT count(*) FROM whole) AS all_of_them,
       count(DISTINCT config) = count(*) AS once
    FROM parts GROUP BY shards;
SELECT 'within 20 % of each other', shards, count(*) AS parts, min(part) * 1.2 >= max(part) AS balanced
    FROM (SELECT shards, shard, count(*) AS part FROM parts GROUP BY shards, shard) GROUP BY shards;

-- A filter keeps what of the part passes it; an order changes nothing.
SELECT 'filtered', count(*) > 0, count(*) = (SELECT count(*) FROM parts
        WHERE shards = 7 AND shard = 3 AND tp = 2),
       sum(config IN (SELECT config FROM parts WHERE shards = 7 AND shard = 3)) = count(*)
    FROM memx_configs WHERE job = 'mix20' AND tp = 2 AND shards = 7 AND shard = 3;
SELECT 'ordered', count(*) = 50, sum(config IN (SELECT config FROM parts WHERE shards = 3 AND shard = 1))
    FROM (SELECT config FROM memx_configs WHERE job = 'mix20' AND shards = 3 AND shard = 1
        ORDER BY iteration_ms LIMIT 50);
-- Lookups: found in its own part, and in no other.
SELECT 'looked up', shards, count(*), sum(shard = was) = count(*)
    FROM (SELECT p.shards, p.shard AS was, s.value AS shard
        FROM (SELECT * FROM parts WHERE rowid % 997 = 0) AS p, json_each('[0, 1, 2, 3, 4, 5, 6]') AS s
        CROSS JOIN memx_configs AS c
        WHERE c.job = 'mix20' AND c.config = p.config AND c.shards = p.shards AND c.shard = s.value
            AND s.value < p.shards)
    GROUP BY shards;
SELECT 'looked for', count(*) FROM parts WHERE rowid % 997 = 0;
