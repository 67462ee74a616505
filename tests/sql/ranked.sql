-- Ranked queries, whatever the shape: the same rows in the same order as a sort gives, which the unary plus
-- in `ORDER BY +phi` asks for. Over the default spaces of mix20, xy and lab6, and over all jobs at once, whose
-- rows are merged. A line shows the shape, and 1 where the lists agree and one of them has a row at least.
.parameter init
.parameter set :rows 6
.parameter set :skip 4
.parameter set :slow 1.4
.parameter set :two 2
.parameter set :many 4
.parameter set :nothing NULL
CREATE TEMP TABLE seen(n INTEGER PRIMARY KEY, space, shape, ranked, sorted);
CREATE TEMP VIEW everything AS SELECT *, job || ' ' || config || ' ' || phi AS x FROM memx_configs;

CREATE TEMP VIEW t AS SELECT * FROM everything WHERE job = 'mix20';
CREATE TEMP TABLE a AS SELECT * FROM t ORDER BY phi LIMIT 1 OFFSET 3;
CREATE TEMP TABLE b AS SELECT * FROM t ORDER BY phi LIMIT 1 OFFSET 60;
.read '|awk -f tests/sql/setup/ranked_shapes.awk tests/sql/setup/ranked_shapes.txt'
UPDATE seen SET space = 'mix20';

DROP VIEW t;
CREATE TEMP VIEW t AS SELECT * FROM everything WHERE job = 'xy';
DELETE FROM a; INSERT INTO a SELECT * FROM t ORDER BY phi LIMIT 1 OFFSET 3;
DELETE FROM b; INSERT INTO b SELECT * FROM t ORDER BY phi LIMIT 1 OFFSET 60;
.read '|awk -f tests/sql/setup/ranked_shapes.awk tests/sql/setup/ranked_shapes.txt'
UPDATE seen SET space = 'xy' WHERE space IS NULL;

DROP VIEW t;
CREATE TEMP VIEW t AS SELECT * FROM everything WHERE job = 'lab6';
DELETE FROM a; INSERT INTO a SELECT * FROM t ORDER BY phi LIMIT 1 OFFSET 3;
DELETE FROM b; INSERT INTO b SELECT * FROM t ORDER BY phi LIMIT 1 OFFSET 60;
.read '|awk -f tests/sql/setup/ranked_shapes.awk tests/sql/setup/ranked_shapes.txt'
UPDATE seen SET space = 'lab6' WHERE space IS NULL;

DROP VIEW t;
CREATE TEMP VIEW t AS SELECT * FROM everything;
DELETE FROM a; INSERT INTO a SELECT * FROM t ORDER BY phi LIMIT 1 OFFSET 3;
DELETE FROM b; INSERT INTO b SELECT * FROM t ORDER BY phi LIMIT 1 OFFSET 60;
.read '|awk -f tests/sql/setup/ranked_shapes.awk tests/sql/setup/ranked_shapes.txt'
UPDATE seen SET space = 'all' WHERE space IS NULL;

SELECT shape, min(ranked IS sorted) AND max(ranked IS NOT NULL) FROM seen GROUP BY shape ORDER BY min(n);
SELECT 'wrong', space, shape, ranked, sorted FROM seen WHERE ranked IS NOT sorted ORDER BY n;

-- What a view does not show: parameters, parts, and the best of each job in one query.
CREATE TEMP TABLE pairs(n INTEGER PRIMARY KEY, shape, ranked, sorted);
INSERT INTO pairs(shape, ranked, sorted) VALUES ('weights',
    (SELECT group_concat(config || phi) FROM (SELECT config, phi FROM memx_configs WHERE weights = 'throughput'
        ORDER BY phi LIMIT 50)),
    (SELECT group_concat(config || phi) FROM (SELECT config, phi FROM memx_configs WHERE weights = 'throughput'
        ORDER BY +phi LIMIT 50))),
  ('weights in a list',
    (SELECT group_concat(config || phi) FROM (SELECT config, phi FROM memx_configs
        WHERE weights IN ('throughput', 'safe', '[0, 0, 1]') AND job = 'xy' ORDER BY phi LIMIT 50)),
    (SELECT group_concat(config || phi) FROM (SELECT config, phi FROM memx_configs
        WHERE weights IN ('throughput', 'safe', '[0, 0, 1]') AND job = 'xy' ORDER BY +phi LIMIT 50))),
  ('weights of a table',
    (SELECT group_concat(column1 || config || phi) FROM (SELECT column1, config, phi
        FROM (VALUES ('throughput'), ('[0, 1, 0]')) CROSS JOIN memx_configs
        WHERE weights = column1 AND job = 'mix20' ORDER BY phi LIMIT 50)),
    (SELECT group_concat(column1 || config || phi) FROM (SELECT column1, config, phi
        FROM (VALUES ('throughput'), ('[0, 1, 0]')) CROSS JOIN memx_configs
        WHERE weights = column1 AND job = 'mix20' ORDER BY +phi LIMIT 50))),
  ('space',
    (SELECT group_concat(config || phi) FROM (SELECT config, phi FROM memx_configs('megatron')
        ORDER BY phi LIMIT 50)),
    (SELECT group_concat(config || phi) FROM (SELECT config, phi FROM memx_configs('megatron')
        ORDER BY +phi LIMIT 50))),
  ('spaces',
    (SELECT group_concat(config || space) FROM (SELECT config, space FROM memx_configs
        WHERE space IN ('megatron', 'amp', 'metis') ORDER BY iteration_ms LIMIT 50)),
    (SELECT group_concat(config || space) FROM (SELECT config, space FROM memx_configs
        WHERE space IN ('megatron', 'amp', 'metis') ORDER BY +iteration_ms LIMIT 50))),
  ('memory ignored',
    (SELECT group_concat(config || headroom) FROM (SELECT config, headroom FROM memx_configs('amp')
        WHERE headroom < 0 ORDER BY iteration_ms LIMIT 50)),
    (SELECT group_concat(config || headroom) FROM (SELECT config, headroom FROM memx_configs('amp')
        WHERE headroom < 0 ORDER BY +iteration_ms LIMIT 50))),
  ('a shard',
    (SELECT group_concat(config) FROM (SELECT config FROM memx_configs WHERE shards = 7 AND shard = 3
        ORDER BY phi LIMIT 50)),
    (SELECT group_concat(config) FROM (SELECT config FROM memx_configs WHERE shards = 7 AND shard = 3
        ORDER BY +phi LIMIT 50))),
  ('shards together',
    (SELECT group_concat(config) FROM (SELECT config FROM memx_configs WHERE job = 'xy' ORDER BY phi LIMIT 50)),
    (SELECT group_concat(config) FROM (SELECT config FROM (VALUES (0), (1), (2)) CROSS JOIN memx_configs
        WHERE shards = 3 AND shard = column1 AND job = 'xy' ORDER BY phi LIMIT 50))),
  ('one config',
    (SELECT group_concat(config || phi) FROM (SELECT config, phi FROM memx_configs
        WHERE config = (SELECT config FROM b) ORDER BY phi LIMIT 5)),
    (SELECT group_concat(config || phi) FROM (SELECT config, phi FROM memx_configs
        WHERE config = (SELECT config FROM b) ORDER BY +phi LIMIT 5))),
  ('configs',
    (SELECT group_concat(config || phi) FROM (SELECT config, phi FROM memx_configs
        WHERE config IN (SELECT config FROM a UNION SELECT config FROM b) ORDER BY phi LIMIT 5)),
    (SELECT group_concat(config || phi) FROM (SELECT config, phi FROM memx_configs
        WHERE config IN (SELECT config FROM a UNION SELECT config FROM b) ORDER BY +phi LIMIT 5))),
  ('jobs in a list',
    (SELECT group_concat(job || config) FROM (SELECT job, config FROM memx_configs
        WHERE job IN ('xy', 'lab6', 'xy') ORDER BY phi LIMIT 50)),
    (SELECT group_concat(job || config) FROM (SELECT job, config FROM memx_configs
        WHERE job IN ('xy', 'lab6', 'xy') ORDER BY +phi LIMIT 50))),
  ('cluster and job',
    (SELECT group_concat(job || config) FROM (SELECT job, config FROM memx_configs
        WHERE cluster = 'xy' AND job = 'xy' AND model = 'llama2-7b' ORDER BY peak_mib LIMIT 50)),
    (SELECT group_concat(job || config) FROM (SELECT job, config FROM memx_configs
        WHERE cluster = 'xy' AND job = 'xy' AND model = 'llama2-7b' ORDER BY +peak_mib LIMIT 50))),
  ('a model''s jobs',
    (SELECT group_concat(job || config) FROM (SELECT job, config FROM memx_configs
        WHERE model = 'llama2-7b' ORDER BY memory_variance LIMIT 50)),
    (SELECT group_concat(job || config) FROM (SELECT job, config FROM memx_configs
        WHERE model = 'llama2-7b' ORDER BY +memory_variance LIMIT 50))),
  ('best of each job',
    (SELECT group_concat((SELECT config FROM memx_configs AS c WHERE c.job = j.job ORDER BY phi LIMIT 1))
        FROM memx_job AS j),
    (SELECT group_concat((SELECT config FROM memx_configs AS c WHERE c.job = j.job ORDER BY +phi LIMIT 1))
        FROM memx_job AS j)),
  ('best of each cluster',
    (SELECT group_concat((SELECT config FROM memx_configs AS c WHERE c.cluster = k.cluster AND c.slowdown < 1.2
        ORDER BY phi LIMIT 1 OFFSET 2)) FROM memx_cluster AS k),
    (SELECT group_concat((SELECT config FROM memx_configs AS c WHERE c.cluster = k.cluster AND c.slowdown < 1.2
        ORDER BY +phi LIMIT 1 OFFSET 2)) FROM memx_cluster AS k)),
  ('memx_best',
    (SELECT group_concat(job || config) FROM (SELECT job, config FROM memx_best ORDER BY job)),
    (SELECT group_concat(job || config) FROM (SELECT job, (SELECT config FROM memx_configs AS c
        WHERE c.job = j.job ORDER BY +phi LIMIT 1) AS config FROM memx_job AS j ORDER BY job)));
SELECT shape, ranked = sorted FROM pairs ORDER BY n;
SELECT 'wrong', shape, ranked, sorted FROM pairs WHERE ranked IS NOT sorted ORDER BY n;

-- A job whose own space has nothing: its phi is not divided by anything, and slowdown is NULL.
INSERT INTO memx_space(space, param, value) VALUES ('nothing', 'tp', '16');
UPDATE memx_job SET space = 'nothing' WHERE job = 'xy';
SELECT 'no reference', count(*), group_concat(config) = (SELECT group_concat(config)
        FROM (SELECT config FROM memx_configs('default') ORDER BY +phi LIMIT 600))
    FROM (SELECT config FROM memx_configs('default') ORDER BY phi LIMIT 600);
SELECT 'no slowdown', count(*) FROM (SELECT 1 FROM memx_configs('default') WHERE job = 'xy' AND slowdown < 9
    ORDER BY phi LIMIT 5);
SELECT 'no slowdown', count(*) FROM (SELECT 1 FROM memx_configs('default')
    WHERE job = 'xy' AND slowdown IS NULL ORDER BY phi LIMIT 5);
UPDATE memx_job SET space = 'default' WHERE job = 'xy';

-- max_rows: as many may come, and no more be asked for.
SELECT 'max_rows', count(*) FROM (SELECT 1 FROM memx_configs WHERE job = 'lab6' AND max_rows = 5
    ORDER BY phi LIMIT 5);
SELECT 'max_rows of all', count(*) > 200 FROM (SELECT 1 FROM memx_configs WHERE job = 'lab6'
    AND max_rows = (SELECT feasible FROM memx_reference('lab6')) ORDER BY phi);
SELECT 'max_rows and bounds', count(*) FROM (SELECT 1 FROM memx_configs WHERE job = 'lab6' AND max_rows = 5
    AND slowdown = 1 ORDER BY phi);
SELECT count(*) FROM (SELECT 1 FROM memx_configs WHERE job = 'lab6' AND max_rows = 5 ORDER BY phi);
SELECT count(*) FROM (SELECT 1 FROM memx_configs WHERE job = 'lab6' AND max_rows = 5 ORDER BY phi LIMIT 6);
SELECT count(*) FROM (SELECT 1 FROM memx_configs WHERE job = 'lab6' AND max_rows = 5 AND bubble < 0
    ORDER BY phi LIMIT 1);

-- How many sorts SQLite plans: none where it passes the order to the table.
.once '|echo "plain|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' ORDER BY phi LIMIT 5;
.once '|echo "iteration_ms|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' ORDER BY iteration_ms LIMIT 5;
.once '|echo "peak_mib|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' ORDER BY peak_mib LIMIT 5;
.once '|echo "memory_variance|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' ORDER BY memory_variance LIMIT 5;
.once '|echo "all jobs|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs ORDER BY phi LIMIT 5;
.once '|echo "job, phi|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs ORDER BY job, phi;
.once '|echo "job|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs ORDER BY job;
.once '|echo "no LIMIT|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' ORDER BY phi;
.once '|echo "another space|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs('free') WHERE job = 'mix20' ORDER BY phi LIMIT 5;
.once '|echo "weights|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' AND weights = 'safe' ORDER BY phi LIMIT 5;
.once '|echo "bounds|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' AND slowdown <= 1.1 AND headroom > 0.1 AND phi < 1 ORDER BY phi LIMIT 5;
.once '|echo "BETWEEN|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' AND tp BETWEEN 1 AND 2 ORDER BY phi LIMIT 5;
.once '|echo "OR|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' AND (tp = 1 OR pp = 2) ORDER BY phi LIMIT 5;
.once '|echo "1 = 1|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' AND 1 = 1 ORDER BY phi LIMIT 5;
.once '|echo "LIKE|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' AND config LIKE 'tp2%' ORDER BY phi LIMIT 5;
.once '|echo "IN|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' AND tp IN (1, 2) ORDER BY phi LIMIT 5;
.once '|echo "NOT IN|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' AND tp NOT IN (1, 2) ORDER BY phi LIMIT 5;
.once '|echo "OFFSET|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' ORDER BY phi LIMIT 5 OFFSET 5;
.once '|echo "view|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT x FROM t ORDER BY phi LIMIT 5;
.once '|echo "CTE|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN WITH c AS (SELECT * FROM memx_configs WHERE job = 'mix20') SELECT config FROM c ORDER BY phi LIMIT 5;
.once '|echo "table first behind it|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs AS c CROSS JOIN memx_job AS j USING (job) WHERE c.job = 'mix20' ORDER BY phi LIMIT 5;
.once '|echo "best of each job|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT job, (SELECT config FROM memx_configs AS c WHERE c.job = j.job ORDER BY phi LIMIT 1) FROM memx_job AS j;
.once '|echo "column of another|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' AND phi > headroom ORDER BY phi LIMIT 5;
.once '|echo "row_number()|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config, row_number() OVER (ORDER BY phi) FROM memx_configs WHERE job = 'mix20' LIMIT 5;
.once '|echo "memx_best|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT * FROM memx_best;
-- And those that it has to sort, since they ask for something else.
.once '|echo "unary plus|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' ORDER BY +phi LIMIT 5;
.once '|echo "the function|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' ORDER BY phi(iteration_ms, peak_mib, memory_variance) LIMIT 5;
.once '|echo "DESC|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' ORDER BY phi DESC LIMIT 5;
.once '|echo "NULLS LAST|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' ORDER BY phi NULLS LAST LIMIT 5;
.once '|echo "two keys|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' ORDER BY phi, config LIMIT 5;
.once '|echo "another column|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' ORDER BY tokens_per_s LIMIT 5;
.once '|echo "jobs in a list|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job IN ('mix20', 'xy') ORDER BY phi LIMIT 5;
.once '|echo "one config|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' AND config = 'x' ORDER BY phi;
.once '|echo "pareto|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_configs WHERE job = 'mix20' AND pareto = 1 ORDER BY phi;
.once '|echo "behind a table|$(grep -c "TEMP B-TREE FOR ORDER BY")"'
EXPLAIN QUERY PLAN SELECT config FROM memx_job AS j CROSS JOIN memx_configs AS c USING (job) ORDER BY phi LIMIT 5;

.print -- nothing of the job's own space fits: slowdown is NULL, and within no bound, however large the space asked
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('narrow', 6);
INSERT INTO memx_node(cluster, ordinal, device, gpus)
VALUES ('narrow', 0, 'L40S', 2), ('narrow', 1, 'L40S', 2), ('narrow', 2, 'T4', 2), ('narrow', 3, 'A100-SXM-80GB', 2);
INSERT INTO memx_job(job, cluster, model, framework, global_batch, seq_length, space, reserve)
VALUES ('narrow', 'narrow', 'llama2-7b', 'megatron-fp16', 32, 1024, 'megatron', 0.05);
SELECT feasible, fastest_ms FROM memx_reference('narrow');
SELECT count(*) FROM (SELECT config FROM memx_configs
                      WHERE job = 'narrow' AND space = 'free' AND slowdown <= 1.10 ORDER BY phi LIMIT 1);
SELECT count(*) FROM (SELECT config FROM memx_configs
                      WHERE job = 'narrow' AND space = 'free' AND slowdown >= 1 ORDER BY iteration_ms LIMIT 3);
SELECT config IS NOT NULL, slowdown IS NULL FROM memx_configs
WHERE job = 'narrow' AND space = 'free' ORDER BY iteration_ms LIMIT 1;
