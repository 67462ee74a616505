-- megatron_log and megatron_log_gpus: what a training log says, and what it cannot.
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('pair', 3);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('pair', 0, 'RTX4090', 4), ('pair', 1, 'RTX3090', 4);
INSERT INTO memx_job(job, cluster, model, global_batch, seq_length) VALUES ('try', 'pair', 'llama3.2-3b', 64, 4096),
    ('short', 'pair', 'llama3.2-3b', 64, 2048), ('batch', 'pair', 'llama3.2-3b', 128, 4096),
    ('other', 'pair', 'llama2-7b', 64, 4096), ('single', 'pair', 'llama3.2-3b', 64, 4096);
UPDATE memx_job SET framework = 'fp32' WHERE job = 'single';

.mode line
SELECT * FROM megatron_log(readfile('tests/inputs/train.log'), 'try');
.mode list
.headers on
SELECT *, typeof(reserved_mib) FROM megatron_log_gpus(readfile('tests/inputs/train.log'));
-- srun's prefixes, CR LF, ranks on one line, a launch that failed before, one that ran out of memory after.
SELECT run, line, config, iteration_ms, iterations, warm_up, oom, oom_rank, oom_line, ranks, layers, recompute, notes
FROM megatron_log(readfile('tests/inputs/srun.log'), 'try');
SELECT * FROM megatron_log_gpus(readfile('tests/inputs/srun.log'));
-- Cut in the midst of a number; NULs and bytes that are no UTF-8.
SELECT config, iteration_ms, iterations, ranks, notes FROM megatron_log(readfile('tests/inputs/cut.log'), 'try');
.headers off

-- Nodes in another order; jobs that it is not; none.
SELECT 'nodes', config FROM megatron_log(readfile('tests/inputs/train.log'), 'try', '1,0');
SELECT 'nodes', problem FROM megatron_log(readfile('tests/inputs/train.log'), 'try', '1,2');
SELECT j.job, ifnull(config, problem) FROM memx_job AS j, megatron_log(readfile('tests/inputs/train.log'), j.job)
    WHERE cluster = 'pair' ORDER BY j.job;
SELECT 'no job', job, config, problem, iteration_ms, tp, pp, dp FROM megatron_log(readfile('tests/inputs/train.log'));
SELECT 'no job', count(*), min(config) FROM megatron_log(readfile('tests/inputs/train.log'), NULL);
SELECT * FROM megatron_log(readfile('tests/inputs/train.log'), 'tri');
SELECT * FROM megatron_log(readfile('tests/inputs/train.log'), 'try' || char(0) || 'x');

-- What is no log.
SELECT * FROM megatron_log;
SELECT * FROM megatron_log(NULL);
SELECT * FROM megatron_log(readfile('tests/inputs/no such file'));
SELECT * FROM megatron_log('');
SELECT * FROM megatron_log(zeroblob(100));
SELECT * FROM megatron_log(x'fffe690074006500');
SELECT * FROM megatron_log('a' || char(10) || 'b');
SELECT * FROM megatron_log(42);
SELECT * FROM megatron_log_gpus;
SELECT * FROM megatron_log_gpus('x');

-- A log without arguments, and one without anything else.
SELECT iteration_ms, problem FROM megatron_log(' iteration 1/ 2 | elapsed time per iteration (ms): 1993.9 |', 'try');
SELECT iteration_ms, ranks, problem FROM megatron_log('  micro_batch_size ................ 2', 'try');
SELECT problem FROM megatron_log('  micro_batch_size ................ two', 'try');
-- More lines that cannot be read than are shown.
SELECT notes FROM megatron_log((
    WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 9)
    SELECT group_concat(' iteration ' || n || '/ 9 | elapsed time per iteration (ms): ' || iif(n = 3, '7.5', 'x') || ' |', char(10))
    FROM n));
-- 10 MB, as text.
SELECT iterations, warm_up, iteration_ms, mean_ms FROM megatron_log((
    WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 65000)
    SELECT group_concat(printf(' iteration %8d/  65000 | consumed samples: %12d | elapsed time per iteration (ms): %.1f | learning rate: 1.0E-05 | global batch size:    64 |', n, n * 64, 1000 + n % 10), char(10))
    FROM n));

-- Into the tables, and what is predicted beside it.
INSERT INTO memx_run(job, config, iteration_ms, oom, source)
SELECT job, config, iteration_ms, oom, 'train.log' FROM megatron_log(readfile('tests/inputs/train.log'), 'try');
INSERT INTO memx_run_gpu(run, rank, allocated_mib, reserved_mib)
SELECT (SELECT max(id) FROM memx_run), rank, allocated_mib, reserved_mib FROM megatron_log_gpus(readfile('tests/inputs/train.log'));
SELECT r.config, p.iteration_ms > 0, g.rank, g.reserved_mib, m.peak_mib > g.reserved_mib
FROM memx_run AS r JOIN memx_run_gpu AS g ON g.run = r.id, memx_predict(r.job, r.config) AS p,
     memx_gpus(r.job, r.config) AS m
WHERE m.rank = g.rank ORDER BY g.rank;
