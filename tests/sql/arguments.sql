-- What is missing from a call, or too much of it, and what to write.

SELECT * FROM memx_predict;
SELECT * FROM memx_predict('xy');
SELECT * FROM memx_predict WHERE job = 'xy';
SELECT * FROM memx_stages;
SELECT * FROM memx_gpus('xy');
SELECT count(*) FROM memx_configs AS c JOIN memx_stages AS s ON s.stage = c.slowest_stage
    WHERE c.job = 'lab6';

-- max_rows: a scan that SQLite could hardly mean ends before its first row, with the count.
INSERT INTO memx_space(space, param, value) VALUES
    ('every', 'memory_limit', 'ignore'), ('every', 'recompute', 'none'), ('every', 'recompute', 'full');
SELECT count(*) FROM memx_configs WHERE job = 'xy' AND space = 'every';
SELECT count(*) FROM memx_configs('every');
SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND space = 'every' AND max_rows = 2000;
SELECT 'enough', count(*) = feasible FROM memx_configs, memx_reference('lab6', 'every')
    WHERE memx_configs.job = 'lab6' AND memx_configs.space = 'every' AND max_rows = feasible
        GROUP BY feasible;
SELECT 'one less', count(*) FROM memx_configs
    WHERE job = 'lab6' AND space = 'every' AND max_rows
        = (SELECT feasible - 1 FROM memx_reference('lab6', 'every'));
SELECT 'filters come first', count(*) FROM memx_configs
    WHERE job = 'lab6' AND space = 'every' AND max_rows = 2000 AND tp = 2 AND micro_batch = 1;
SELECT 'a key is no scan', count(*) FROM memx_configs WHERE job = 'xy' AND space = 'free' AND max_rows = 1
    AND config = 'tp1.dp8.mb1.seq4096/X-32GB*8:none,Y-64GB*24:none';
SELECT 'as 1e9', count(*) > 100 FROM memx_configs WHERE job = 'lab6' AND max_rows = 1e9;
SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND max_rows = 0;
SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND max_rows = -1;
SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND max_rows = 1.5;
SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND max_rows = 'many';

-- shards
SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND shards = 4;
SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND shard = 1;
SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND shards = 4 AND shard = 4;
SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND shards = 4 AND shard = -1;
SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND shards = 0 AND shard = 0;
SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND shards = 'four' AND shard = 0;
SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND shards = 4 AND shard = :not_set;

-- NULL is never equal to anything.
SELECT 'null', count(*) FROM memx_configs WHERE job = 'lab6' AND space = NULL;
SELECT 'null', count(*) FROM memx_configs WHERE job = 'lab6' AND weights = NULL;
SELECT 'null', count(*) FROM memx_configs WHERE job = 'lab6' AND max_rows = NULL;
SELECT 'null', count(*) FROM memx_configs(NULL);
SELECT 'null', count(*) FROM memx_why(NULL);

-- The tables are read only.
INSERT INTO memx_configs(job) VALUES ('mine');
UPDATE memx_configs SET tp = 1;
DELETE FROM memx_stages;
DROP TABLE memx_configs;
