-- A filter gives the rows that it gives on a stored copy of the table, pushed down or not. A line shows
-- the filter, whether any row passes, and 1 where the copy agrees.
.read tests/sql/setup/small_jobs.sql
DELETE FROM memx_job WHERE job IN ('mix20', 'xy');
CREATE TEMP TABLE copy AS SELECT *, simulated_ms, same_task FROM memx_configs;


-- Whole numbers, with every operator.
SELECT 'tp < 2', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp < 2) FROM memx_configs
    WHERE tp < 2;
SELECT 'tp <= 2', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp <= 2) FROM memx_configs
    WHERE tp <= 2;
SELECT 'tp > 1', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp > 1) FROM memx_configs
    WHERE tp > 1;
SELECT 'tp >= 2', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp >= 2) FROM memx_configs
    WHERE tp >= 2;
SELECT 'tp <> 2', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp <> 2) FROM memx_configs
    WHERE tp <> 2;
SELECT 'tp IS 2', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp IS 2) FROM memx_configs
    WHERE tp IS 2;
SELECT 'tp IS NOT 2', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp IS NOT 2)
    FROM memx_configs WHERE tp IS NOT 2;
SELECT 'tp = -1', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp = -1) FROM memx_configs
    WHERE tp = -1;
SELECT 'tp > 0', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp > 0) FROM memx_configs
    WHERE tp > 0;
SELECT 'tp <= 0', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp <= 0) FROM memx_configs
    WHERE tp <= 0;
SELECT 'pp = 2', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE pp = 2) FROM memx_configs
    WHERE pp = 2;
SELECT 'pp < 4', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE pp < 4) FROM memx_configs
    WHERE pp < 4;
SELECT 'pp >= 4', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE pp >= 4) FROM memx_configs
    WHERE pp >= 4;
SELECT 'dp = 4', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE dp = 4) FROM memx_configs
    WHERE dp = 4;
SELECT 'dp < 4', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE dp < 4) FROM memx_configs
    WHERE dp < 4;
SELECT 'dp >= 4', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE dp >= 4) FROM memx_configs
    WHERE dp >= 4;
SELECT 'micro_batch = 1', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE micro_batch = 1)
    FROM memx_configs WHERE micro_batch = 1;
SELECT 'micro_batch < 4', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE micro_batch < 4)
    FROM memx_configs WHERE micro_batch < 4;
SELECT 'micro_batch >= 8', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE micro_batch >= 8)
    FROM memx_configs WHERE micro_batch >= 8;
SELECT 'seq_length = 2048', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE seq_length = 2048)
    FROM memx_configs WHERE seq_length = 2048;
SELECT 'seq_length < 2048', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE seq_length < 2048)
    FROM memx_configs WHERE seq_length < 2048;
SELECT 'seq_length >= 2048', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE seq_length >= 2048)
    FROM memx_configs WHERE seq_length >= 2048;
SELECT 'heads = 24', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE heads = 24)
    FROM memx_configs WHERE heads = 24;
SELECT 'heads < 24', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE heads < 24)
    FROM memx_configs WHERE heads < 24;
SELECT 'kv_groups = 12', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE kv_groups = 12)
    FROM memx_configs WHERE kv_groups = 12;
SELECT 'kv_groups >= 12', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE kv_groups >= 12)
    FROM memx_configs WHERE kv_groups >= 12;
SELECT 'sequence_parallel = 1', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE sequence_parallel = 1)
    FROM memx_configs WHERE sequence_parallel = 1;
SELECT 'sequence_parallel = 0', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE sequence_parallel = 0)
    FROM memx_configs WHERE sequence_parallel = 0;
SELECT 'sequence_parallel', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE sequence_parallel)
    FROM memx_configs WHERE sequence_parallel;
SELECT 'NOT sequence_parallel', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE NOT sequence_parallel)
    FROM memx_configs WHERE NOT sequence_parallel;
SELECT 'distributed_optimizer < 1', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE distributed_optimizer < 1)
    FROM memx_configs WHERE distributed_optimizer < 1;
SELECT 'distributed_optimizer', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE distributed_optimizer)
    FROM memx_configs WHERE distributed_optimizer;

-- Ranges and lists.
SELECT 'tp BETWEEN 2 AND 4', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp BETWEEN 2 AND 4)
    FROM memx_configs WHERE tp BETWEEN 2 AND 4;
SELECT 'tp BETWEEN 4 AND 2', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp BETWEEN 4 AND 2)
    FROM memx_configs WHERE tp BETWEEN 4 AND 2;
SELECT 'tp NOT BETWEEN 2 AND 4', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE tp NOT BETWEEN 2 AND 4)
    FROM memx_configs WHERE tp NOT BETWEEN 2 AND 4;
SELECT 'pp BETWEEN 2 AND 5', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE pp BETWEEN 2 AND 5)
    FROM memx_configs WHERE pp BETWEEN 2 AND 5;
SELECT 'tp IN (1, 2)', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp IN (1, 2))
    FROM memx_configs WHERE tp IN (1, 2);
SELECT 'tp IN ()', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp IN ()) FROM memx_configs
    WHERE tp IN ();
SELECT 'tp IN (SELECT 2)', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp IN (SELECT 2))
    FROM memx_configs WHERE tp IN (SELECT 2);
SELECT 'tp NOT IN (1, 3)', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp NOT IN (1, 3))
    FROM memx_configs WHERE tp NOT IN (1, 3);
SELECT 'tp NOT IN (1, NULL)', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp NOT IN (1, NULL))
    FROM memx_configs WHERE tp NOT IN (1, NULL);
SELECT 'micro_batch IN (1, 16, 4)', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE micro_batch IN (1, 16, 4))
    FROM memx_configs WHERE micro_batch IN (1, 16, 4);
SELECT 'seq_length IN (1024, 2048)', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE seq_length IN (1024, 2048))
    FROM memx_configs WHERE seq_length IN (1024, 2048);
SELECT 'dp IN (1, 8) AND tp IN (1, 2)', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE dp IN (1, 8) AND tp IN (1, 2))
    FROM memx_configs WHERE dp IN (1, 8) AND tp IN (1, 2);
SELECT '(tp, pp) = (2, 3)', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE (tp, pp) = (2, 3))
    FROM memx_configs WHERE (tp, pp) = (2, 3);
SELECT '(tp, pp) > (2, 3)', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE (tp, pp) > (2, 3))
    FROM memx_configs WHERE (tp, pp) > (2, 3);
SELECT '(tp, pp) IN (VALUES (2, 3), (1, 2))', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE (tp, pp) IN (VALUES (2, 3), (1, 2)))
    FROM memx_configs WHERE (tp, pp) IN (VALUES (2, 3), (1, 2));

-- Real numbers.
SELECT 'tp = 2.0', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp = 2.0) FROM memx_configs
    WHERE tp = 2.0;
SELECT 'tp = 2.5', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp = 2.5) FROM memx_configs
    WHERE tp = 2.5;
SELECT 'tp < 2.5', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp < 2.5) FROM memx_configs
    WHERE tp < 2.5;
SELECT 'tp > 1.5', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp > 1.5) FROM memx_configs
    WHERE tp > 1.5;
SELECT 'tp BETWEEN 1.5 AND 2.5', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE tp BETWEEN 1.5 AND 2.5)
    FROM memx_configs WHERE tp BETWEEN 1.5 AND 2.5;
SELECT 'tp IN (1, 2.0, 2.5)', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp IN (1, 2.0, 2.5))
    FROM memx_configs WHERE tp IN (1, 2.0, 2.5);
SELECT 'sequence_parallel = 0.5', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE sequence_parallel = 0.5)
    FROM memx_configs WHERE sequence_parallel = 0.5;
SELECT 'distributed_optimizer > 0.5', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE distributed_optimizer > 0.5)
    FROM memx_configs WHERE distributed_optimizer > 0.5;
SELECT 'seq_length >= 1024.5', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE seq_length >= 1024.5)
    FROM memx_configs WHERE seq_length >= 1024.5;

-- Text, which the column turns into a number where it is one.
SELECT 'tp = ''2''', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp = '2') FROM memx_configs
    WHERE tp = '2';
SELECT 'tp = ''2.0''', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp = '2.0')
    FROM memx_configs WHERE tp = '2.0';
SELECT 'tp = '' 2 ''', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp = ' 2 ')
    FROM memx_configs WHERE tp = ' 2 ';
SELECT 'tp = ''two''', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp = 'two')
    FROM memx_configs WHERE tp = 'two';
SELECT 'tp < ''two''', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp < 'two')
    FROM memx_configs WHERE tp < 'two';
SELECT 'tp > ''two''', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp > 'two')
    FROM memx_configs WHERE tp > 'two';
SELECT 'tp IN (''1'', ''2'')', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp IN ('1', '2'))
    FROM memx_configs WHERE tp IN ('1', '2');
SELECT 'tp LIKE ''2''', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp LIKE '2')
    FROM memx_configs WHERE tp LIKE '2';
SELECT 'tp = x''32''', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp = x'32')
    FROM memx_configs WHERE tp = x'32';
SELECT 'tp > x''32''', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp > x'32')
    FROM memx_configs WHERE tp > x'32';

-- NULL.
SELECT 'tp = NULL', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp = NULL)
    FROM memx_configs WHERE tp = NULL;
SELECT 'tp < NULL', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp < NULL)
    FROM memx_configs WHERE tp < NULL;
SELECT 'tp IS NULL', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp IS NULL)
    FROM memx_configs WHERE tp IS NULL;
SELECT 'tp IS NOT NULL', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp IS NOT NULL)
    FROM memx_configs WHERE tp IS NOT NULL;
SELECT 'tp IN (NULL, 2)', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp IN (NULL, 2))
    FROM memx_configs WHERE tp IN (NULL, 2);
SELECT 'tp BETWEEN NULL AND 4', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE tp BETWEEN NULL AND 4)
    FROM memx_configs WHERE tp BETWEEN NULL AND 4;
SELECT 'config IS NULL', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE config IS NULL)
    FROM memx_configs WHERE config IS NULL;
SELECT 'job = NULL', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE job = NULL)
    FROM memx_configs WHERE job = NULL;

-- Beyond what any column holds.
SELECT 'tp > 1e300', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp > 1e300)
    FROM memx_configs WHERE tp > 1e300;
SELECT 'tp < 1e300', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp < 1e300)
    FROM memx_configs WHERE tp < 1e300;
SELECT 'tp < -1e300', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp < -1e300)
    FROM memx_configs WHERE tp < -1e300;
SELECT 'tp < 9e999', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp < 9e999)
    FROM memx_configs WHERE tp < 9e999;
SELECT 'tp > -9e999', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp > -9e999)
    FROM memx_configs WHERE tp > -9e999;
SELECT 'tp = 9223372036854775807', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE tp = 9223372036854775807)
    FROM memx_configs WHERE tp = 9223372036854775807;
SELECT 'tp <= 9223372036854775807', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE tp <= 9223372036854775807)
    FROM memx_configs WHERE tp <= 9223372036854775807;
SELECT 'tp >= -9223372036854775808', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE tp >= -9223372036854775808)
    FROM memx_configs WHERE tp >= -9223372036854775808;
SELECT 'tp <= 1e15', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp <= 1e15)
    FROM memx_configs WHERE tp <= 1e15;
SELECT 'tp >= 999999999999999', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE tp >= 999999999999999)
    FROM memx_configs WHERE tp >= 999999999999999;

-- Combined, and with what cannot be pushed down.
SELECT 'tp = 1 AND tp = 2', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp = 1 AND tp = 2)
    FROM memx_configs WHERE tp = 1 AND tp = 2;
SELECT 'tp >= 1 AND tp < 2 AND pp > 2 AND pp <= 4', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE tp >= 1 AND tp < 2 AND pp > 2 AND pp <= 4)
    FROM memx_configs WHERE tp >= 1 AND tp < 2 AND pp > 2 AND pp <= 4;
SELECT 'tp = 1 OR tp = 4', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp = 1 OR tp = 4)
    FROM memx_configs WHERE tp = 1 OR tp = 4;
SELECT 'tp = 1 OR pp = 2 OR dp = 2', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE tp = 1 OR pp = 2 OR dp = 2)
    FROM memx_configs WHERE tp = 1 OR pp = 2 OR dp = 2;
SELECT 'tp = pp', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp = pp) FROM memx_configs
    WHERE tp = pp;
SELECT 'tp < pp', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp < pp) FROM memx_configs
    WHERE tp < pp;
SELECT 'tp + 0 = 2', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp + 0 = 2)
    FROM memx_configs WHERE tp + 0 = 2;
SELECT '-tp = -2', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE -tp = -2) FROM memx_configs
    WHERE -tp = -2;
SELECT 'NOT tp = 2', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE NOT tp = 2)
    FROM memx_configs WHERE NOT tp = 2;
SELECT 'tp = abs(-2)', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp = abs(-2))
    FROM memx_configs WHERE tp = abs(-2);
SELECT 'tp = 2 COLLATE NOCASE', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE tp = 2 COLLATE NOCASE)
    FROM memx_configs WHERE tp = 2 COLLATE NOCASE;
SELECT 'tp * pp * dp = 12', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp * pp * dp = 12)
    FROM memx_configs WHERE tp * pp * dp = 12;
SELECT '1 = 1', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE 1 = 1) FROM memx_configs
    WHERE 1 = 1;
SELECT 'tp = 2 AND 1', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp = 2 AND 1)
    FROM memx_configs WHERE tp = 2 AND 1;

-- Names.
SELECT 'job = ''any''', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE job = 'any')
    FROM memx_configs WHERE job = 'any';
SELECT 'job <> ''any''', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE job <> 'any')
    FROM memx_configs WHERE job <> 'any';
SELECT 'job > ''l''', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE job > 'l')
    FROM memx_configs WHERE job > 'l';
SELECT 'job BETWEEN ''any'' AND ''b''', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE job BETWEEN 'any' AND 'b')
    FROM memx_configs WHERE job BETWEEN 'any' AND 'b';
SELECT 'job IN (''any'', ''pair'')', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE job IN ('any', 'pair'))
    FROM memx_configs WHERE job IN ('any', 'pair');
SELECT 'job IN (SELECT job FROM memx_job WHERE global_batch = 6)', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE job IN (SELECT job FROM memx_job WHERE global_batch = 6))
    FROM memx_configs WHERE job IN (SELECT job FROM memx_job WHERE global_batch = 6);
SELECT 'job = ''any'' OR tp = 2', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE job = 'any' OR tp = 2)
    FROM memx_configs WHERE job = 'any' OR tp = 2;
SELECT 'job LIKE ''p%''', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE job LIKE 'p%')
    FROM memx_configs WHERE job LIKE 'p%';
SELECT 'job = ''ANY'' COLLATE NOCASE', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE job = 'ANY' COLLATE NOCASE)
    FROM memx_configs WHERE job = 'ANY' COLLATE NOCASE;
SELECT 'cluster = ''odd''', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE cluster = 'odd')
    FROM memx_configs WHERE cluster = 'odd';
SELECT 'cluster = ''ODD'' COLLATE NOCASE', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE cluster = 'ODD' COLLATE NOCASE)
    FROM memx_configs WHERE cluster = 'ODD' COLLATE NOCASE;
SELECT 'cluster <> ''odd''', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE cluster <> 'odd')
    FROM memx_configs WHERE cluster <> 'odd';
SELECT 'cluster IN (''odd'', ''pair'')', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE cluster IN ('odd', 'pair'))
    FROM memx_configs WHERE cluster IN ('odd', 'pair');
SELECT 'cluster = ''odd'' AND model = ''small-gqa''', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE cluster = 'odd' AND model = 'small-gqa')
    FROM memx_configs WHERE cluster = 'odd' AND model = 'small-gqa';
SELECT 'cluster = ''odd'' AND job = ''pair''', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE cluster = 'odd' AND job = 'pair')
    FROM memx_configs WHERE cluster = 'odd' AND job = 'pair';
SELECT 'model = ''small-gqa''', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE model = 'small-gqa')
    FROM memx_configs WHERE model = 'small-gqa';
SELECT 'model IN (''small-gqa'', ''gpt2'')', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE model IN ('small-gqa', 'gpt2'))
    FROM memx_configs WHERE model IN ('small-gqa', 'gpt2');
SELECT 'model = ''SMALL-GQA'' COLLATE NOCASE', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE model = 'SMALL-GQA' COLLATE NOCASE)
    FROM memx_configs WHERE model = 'SMALL-GQA' COLLATE NOCASE;
SELECT 'config > ''tp2''', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE config > 'tp2')
    FROM memx_configs WHERE config > 'tp2';
SELECT 'config LIKE ''tp2%''', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE config LIKE 'tp2%')
    FROM memx_configs WHERE config LIKE 'tp2%';
SELECT 'devices LIKE ''%|%''', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE devices LIKE '%|%')
    FROM memx_configs WHERE devices LIKE '%|%';
SELECT 'layers = ''3,3,3''', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE layers = '3,3,3')
    FROM memx_configs WHERE layers = '3,3,3';
SELECT 'recompute GLOB ''*block*''', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE recompute GLOB '*block*')
    FROM memx_configs WHERE recompute GLOB '*block*';
SELECT 'predictor = ''analytic''', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE predictor = 'analytic')
    FROM memx_configs WHERE predictor = 'analytic';

-- Measures.
SELECT 'slowdown <= 1.1', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE slowdown <= 1.1)
    FROM memx_configs WHERE slowdown <= 1.1;
SELECT 'slowdown < 1.5 AND tp = 1', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE slowdown < 1.5 AND tp = 1)
    FROM memx_configs WHERE slowdown < 1.5 AND tp = 1;
SELECT 'slowdown = 1', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE slowdown = 1)
    FROM memx_configs WHERE slowdown = 1;
SELECT 'phi < 1', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE phi < 1) FROM memx_configs
    WHERE phi < 1;
SELECT 'phi BETWEEN 0.5 AND 1', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE phi BETWEEN 0.5 AND 1)
    FROM memx_configs WHERE phi BETWEEN 0.5 AND 1;
SELECT 'iteration_ms < 500', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE iteration_ms < 500)
    FROM memx_configs WHERE iteration_ms < 500;
SELECT 'peak_mib <= 8000', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE peak_mib <= 8000)
    FROM memx_configs WHERE peak_mib <= 8000;
SELECT 'memory_variance < 1e6', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE memory_variance < 1e6)
    FROM memx_configs WHERE memory_variance < 1e6;
SELECT 'headroom >= 0.5', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE headroom >= 0.5)
    FROM memx_configs WHERE headroom >= 0.5;
SELECT 'headroom > 0.5 AND phi < 1 AND slowdown <= 1.2', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE headroom > 0.5 AND phi < 1 AND slowdown <= 1.2)
    FROM memx_configs WHERE headroom > 0.5 AND phi < 1 AND slowdown <= 1.2;
SELECT 'headroom_mib > 10000', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE headroom_mib > 10000)
    FROM memx_configs WHERE headroom_mib > 10000;
SELECT 'bubble < 0.1', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE bubble < 0.1)
    FROM memx_configs WHERE bubble < 0.1;
SELECT 'tokens_per_s > 50000', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE tokens_per_s > 50000)
    FROM memx_configs WHERE tokens_per_s > 50000;
SELECT 'slowest_stage = tightest_stage', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE slowest_stage = tightest_stage)
    FROM memx_configs WHERE slowest_stage = tightest_stage;
SELECT 'simulated_ms <= iteration_ms', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE simulated_ms <= iteration_ms)
    FROM memx_configs WHERE simulated_ms <= iteration_ms;
SELECT 'same_task = 0', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE same_task = 0)
    FROM memx_configs WHERE same_task = 0;
SELECT 'same_task = 1 AND tp = 2', count(*) > 0, count(*)
    = (SELECT count(*) FROM copy WHERE same_task = 1 AND tp = 2)
    FROM memx_configs WHERE same_task = 1 AND tp = 2;

-- Bound parameters: known only when the query runs.
.parameter init
.parameter set :tp 2
.parameter set :job "'any'"
.parameter set :nothing NULL
SELECT ':tp', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp = :tp) FROM memx_configs
    WHERE tp = :tp;
SELECT ':tp, :job', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp <= :tp AND job = :job)
    FROM memx_configs WHERE tp <= :tp AND job = :job;
SELECT ':nothing', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE tp < :nothing)
    FROM memx_configs WHERE tp < :nothing;
SELECT 'unbound', count(*) > 0, count(*) = (SELECT count(*) FROM copy WHERE job = :unbound)
    FROM memx_configs WHERE job = :unbound;
SELECT 'LIMIT', count(*)
    FROM (SELECT 1 FROM memx_configs WHERE job = :job ORDER BY phi LIMIT :tp OFFSET :tp);

-- shards cut a scan into parts that add up to it, for many processes at once.
SELECT 'shards', count(*) = (SELECT count(*) FROM copy WHERE job = 'any'), count(DISTINCT config) = count(*)
    FROM (VALUES (0), (1), (2)) AS part CROSS JOIN memx_configs WHERE shards = 3 AND shard = part.column1
        AND job = 'any';
