-- (job, config) is a key: looking a row up by it gives the row that the scan gave, in every column, and
-- nothing where there is none.
.read tests/sql/setup/small_jobs.sql

-- A quarter of mix20 is enough here, and the other jobs in full.
CREATE TEMP TABLE scanned AS
    SELECT *, same_task FROM memx_configs WHERE job <> 'mix20'
    UNION ALL
    SELECT *, same_task FROM memx_configs WHERE job = 'mix20' AND shards = 40 AND shard = 7;
CREATE TEMP TABLE found AS
    SELECT c.*, c.same_task FROM scanned AS s CROSS JOIN memx_configs AS c
    WHERE c.job = s.job AND c.config = s.config;

SELECT 'some of every job', count(DISTINCT job) = (SELECT count(*) FROM memx_job) FROM scanned;
SELECT 'keys are unique', count(*) - count(DISTINCT job || ' ' || config) FROM scanned;
SELECT 'all found', (SELECT count(*) FROM scanned) - count(*) FROM found;
SELECT 'scanned otherwise', count(*) FROM (SELECT * FROM scanned EXCEPT SELECT * FROM found);
SELECT 'found otherwise', count(*) FROM (SELECT * FROM found EXCEPT SELECT * FROM scanned);

-- The same in other spaces than the job's own.
CREATE TEMP TABLE others AS
    SELECT *, space FROM memx_configs WHERE job IN ('lab6', 'pair') AND space = 'free' AND tp = 1
    UNION ALL
    SELECT *, space FROM memx_configs WHERE job IN ('mix20', 'xy') AND space = 'megatron'
    UNION ALL
    SELECT *, space FROM memx_configs WHERE job = 'megatron' AND space = 'default' AND micro_batch = 4;
SELECT space, count(*) > 20, count(*) - sum(EXISTS (SELECT 1 FROM memx_configs AS c
        WHERE c.job = o.job AND c.config = o.config AND c.space = o.space AND c.phi = o.phi))
    FROM others AS o GROUP BY space;

-- A key that is no row of the space, but is one elsewhere.
SELECT 'not in the default space', count(*) FROM memx_configs
    WHERE job = 'xy' AND config = 'tp1.dp8.mb1.seq4096/X-32GB*2:none,Y-64GB*30:none';
SELECT 'does not fit', count(*) FROM memx_configs
    WHERE job = 'xy' AND space = 'free' AND config = 'tp1.dp8.mb1.seq4096/X-32GB*31:none,Y-64GB*1:none';
SELECT 'level not offered', count(*) FROM memx_configs
    WHERE job = 'xy' AND space = 'free' AND config = 'tp1.dp8.mb1.seq4096/X-32GB*8:block3,Y-64GB*24:none';
SELECT 'another spelling', count(*) FROM memx_configs
    WHERE job = 'xy' AND space = 'free' AND config = 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none';
SELECT 'another job', count(*) FROM memx_configs
    WHERE cluster = 'mix20' AND config = (SELECT config FROM memx_configs WHERE job = 'xy' LIMIT 1);
SELECT 'key and a filter', count(*), sum(tp = 1) FROM memx_configs
    WHERE job = 'xy' AND space = 'free' AND config = 'tp1.dp8.mb1.seq4096/X-32GB*8:none,Y-64GB*24:none'
        AND tp = 1;
SELECT 'key and a filter against it', count(*) FROM memx_configs
    WHERE job = 'xy' AND space = 'free' AND config = 'tp1.dp8.mb1.seq4096/X-32GB*8:none,Y-64GB*24:none'
        AND tp > 1;
SELECT 'config alone', group_concat(job) FROM memx_configs
    WHERE config = (SELECT config FROM memx_configs WHERE job = 'xy' ORDER BY phi LIMIT 1);

-- Malformed text equals no row's; memx_predict says what is wrong with it (bad_configs.sql).
SELECT 'malformed', count(*) FROM memx_configs WHERE job = 'xy' AND config = 'tp1.dp8';
SELECT 'malformed, of any job', count(*) FROM memx_configs WHERE config = 'tp1.dp8';
SELECT 'null', count(*) FROM memx_configs WHERE job = 'xy' AND config = NULL;
SELECT 'several', count(*) FROM memx_configs WHERE job = 'xy' AND config IN
    (SELECT config FROM memx_configs WHERE job = 'xy' AND tp = 8 LIMIT 5);
