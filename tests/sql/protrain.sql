-- ProTrain: protrain_configs streamed, ranked and looked up; protrain_blocks, protrain_why, deepspeed_config; errors.
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('pair', 10), ('two', 10);
INSERT INTO memx_node(cluster, ordinal, device, gpus, host_memory_mib) VALUES ('pair', 0, 'RTX 3090', 2, 40000),
    ('two', 0, 'RTX3090', 2, NULL), ('two', 1, 'RTX3090', 1, NULL);
INSERT INTO memx_job(job, cluster, model, framework, global_batch, reserve)
VALUES ('p', 'pair', 'gpt2-xl', 'megatron-deepspeed-fp16', 16, 0.1), ('q', 'two', 'gpt2-large', 'deepspeed-fp16', 6, NULL);
CREATE TEMP TABLE p AS SELECT *, row_number() OVER () AS n FROM protrain_configs WHERE job = 'p';

-- Every row fits, and is one choice.
SELECT 'rows', count(*) > 1000, count(*) = count(DISTINCT config), min(headroom) >= 0.1, min(host_headroom) >= 0.05,
       group_concat(DISTINCT chunk_mib), max(n_persist + n_buffer) <= min(chunks) FROM p;
SELECT 'as text', count(*) FROM p WHERE config <> printf('mb%d.chunk%d.persist%d.buffer%d.swap%d.ckpt%d', micro_batch,
       chunk_mib, n_persist, n_buffer, n_swap, n_checkpoint);
SELECT 'enumerated', count(*) FROM p AS a JOIN p AS b ON b.n = a.n + 1
WHERE (a.micro_batch, a.n_swap, a.n_checkpoint, a.n_persist, a.n_buffer) >=
      (b.micro_batch, b.n_swap, b.n_checkpoint, b.n_persist, b.n_buffer);
SELECT 'steps', count(*) FROM p WHERE micro_batch * micro_batches * 2 <> 16;
SELECT 'throughput', count(*) FROM p WHERE abs(tokens_per_s * iteration_ms / (16 * 1024 * 1000.0) - 1) > 1e-12;
-- Eq. 2, with the cluster's overhead of 10 ms.
SELECT 'eq. 2', count(*) FROM p WHERE abs(10 + forward_ms + backward_ms * (micro_batches - 1) / micro_batches
       + max(backward_ms / micro_batches + gpu_optimizer_ms, cpu_optimizer_ms) - iteration_ms) > 1e-4;
SELECT 'more buffers are never slower', count(*) FROM p AS a JOIN p AS b USING (micro_batch, n_swap, n_checkpoint, n_persist)
WHERE b.n_buffer = a.n_buffer + 1 AND (b.iteration_ms > a.iteration_ms OR b.gpu_peak_mib <= a.gpu_peak_mib);

-- Ranked is sorted, ties in order of enumeration.
CREATE TEMP TABLE r AS SELECT *, row_number() OVER () AS n FROM (SELECT * FROM protrain_configs WHERE job = 'p' ORDER BY iteration_ms);
CREATE TEMP TABLE s AS SELECT config, row_number() OVER (ORDER BY iteration_ms, n) AS n FROM p;
SELECT 'ranked', (SELECT count(*) FROM r) = (SELECT count(*) FROM p), count(*) FROM r JOIN s USING (n) WHERE r.config <> s.config;
SELECT 'same rows', count(*) FROM (SELECT job, config, iteration_ms, gpu_peak_mib, host_peak_mib, exposed_ms FROM r
    EXCEPT SELECT job, config, iteration_ms, gpu_peak_mib, host_peak_mib, exposed_ms FROM p);
SELECT 'bounded', (SELECT config FROM protrain_configs WHERE job = 'p' AND n_swap = 0 AND n_persist BETWEEN 2 AND 5.5 AND n_buffer < 4
                   AND n_checkpoint > 3 AND micro_batch IN (1, 2) ORDER BY iteration_ms LIMIT 1)
    = (SELECT config FROM p WHERE n_swap = 0 AND n_persist BETWEEN 2 AND 5 AND n_buffer < 4 AND n_checkpoint > 3
       AND micro_batch IN (1, 2) ORDER BY iteration_ms, n LIMIT 1);
SELECT 'bounded', (SELECT count(*) FROM protrain_configs('p') WHERE n_persist >= 3 AND n_buffer <= 7 AND n_checkpoint < 10)
    = (SELECT count(*) FROM p WHERE n_persist >= 3 AND n_buffer <= 7 AND n_checkpoint < 10);
SELECT 'text is no number', count(*) FROM protrain_configs('p') WHERE n_swap = 'x';
-- Bounds on time and memory begin and end the search: no more rows are tried than answer.
SELECT 'first 50', count(*), sum(r.config = c.config) FROM (SELECT config, row_number() OVER () AS n FROM (
    SELECT config FROM protrain_configs('p') WHERE iteration_ms <= (SELECT iteration_ms FROM r WHERE n = 50)
    AND max_rows = (SELECT count(*) FROM r WHERE iteration_ms <= (SELECT iteration_ms FROM r WHERE n = 50))
    ORDER BY iteration_ms)) AS c JOIN r USING (n);
SELECT 'from there', (SELECT config FROM protrain_configs('p') WHERE iteration_ms > (SELECT iteration_ms FROM r WHERE n = 5000)
    AND max_rows = 100 ORDER BY iteration_ms LIMIT 1)
    = (SELECT config FROM r WHERE iteration_ms > (SELECT iteration_ms FROM r WHERE n = 5000) ORDER BY n LIMIT 1);
CREATE TEMP TABLE asked AS
SELECT 1 AS q, config FROM (SELECT config FROM protrain_configs('p') WHERE headroom >= 0.6 AND max_rows = 8 ORDER BY iteration_ms LIMIT 3)
UNION ALL SELECT 2, config FROM (SELECT config FROM protrain_configs('p') WHERE gpu_peak_mib < 9000 AND max_rows = 8 ORDER BY iteration_ms LIMIT 3)
UNION ALL SELECT 3, config FROM (SELECT config FROM protrain_configs('p') WHERE host_headroom > 0.7 AND max_rows = 8 ORDER BY iteration_ms LIMIT 3)
UNION ALL SELECT 4, config FROM (SELECT config FROM protrain_configs('p') WHERE host_peak_mib BETWEEN 9000 AND 9500 AND max_rows = 8
                                 ORDER BY iteration_ms LIMIT 3)
UNION ALL SELECT 5, config FROM (SELECT config FROM protrain_configs('p') WHERE headroom BETWEEN 0.3 AND 0.31 AND max_rows = 8
                                 ORDER BY iteration_ms LIMIT 3);
CREATE TEMP TABLE wanted AS
SELECT 1 AS q, config FROM (SELECT config FROM r WHERE headroom >= 0.6 ORDER BY n LIMIT 3)
UNION ALL SELECT 2, config FROM (SELECT config FROM r WHERE gpu_peak_mib < 9000 ORDER BY n LIMIT 3)
UNION ALL SELECT 3, config FROM (SELECT config FROM r WHERE host_headroom > 0.7 ORDER BY n LIMIT 3)
UNION ALL SELECT 4, config FROM (SELECT config FROM r WHERE host_peak_mib BETWEEN 9000 AND 9500 ORDER BY n LIMIT 3)
UNION ALL SELECT 5, config FROM (SELECT config FROM r WHERE headroom BETWEEN 0.3 AND 0.31 ORDER BY n LIMIT 3);
SELECT 'by memory', count(*), count(DISTINCT a.q), sum(a.config IS w.config) FROM asked AS a JOIN wanted AS w ON w.rowid = a.rowid;
SELECT 'streamed', (SELECT count(*) FROM protrain_configs('p') WHERE headroom > 0.6 AND host_headroom <= 0.5 AND max_rows = 100000)
    = (SELECT count(*) FROM p WHERE headroom > 0.6 AND host_headroom <= 0.5);
EXPLAIN QUERY PLAN SELECT config FROM protrain_configs WHERE job = 'p' ORDER BY iteration_ms LIMIT 1;
EXPLAIN QUERY PLAN SELECT config FROM protrain_configs WHERE n_swap < 3 ORDER BY job, iteration_ms;
EXPLAIN QUERY PLAN SELECT config FROM protrain_configs WHERE job = 'p' ORDER BY gpu_peak_mib;

-- Several jobs, merged; those that are none are left out.
CREATE TEMP TABLE m AS SELECT job, config, iteration_ms, row_number() OVER () AS n
    FROM (SELECT job, config, iteration_ms FROM protrain_configs ORDER BY iteration_ms LIMIT 3000);
SELECT 'merged', group_concat(DISTINCT job), count(*) FROM m;
SELECT 'in order', count(*) FROM m AS a JOIN m AS b ON b.n = a.n + 1 WHERE a.iteration_ms > b.iteration_ms;
SELECT 'job by job', group_concat(job, ' ') FROM (SELECT DISTINCT job FROM protrain_configs WHERE job IN ('q', 'p') AND n_persist = 0
    AND n_buffer = 2 ORDER BY job, iteration_ms);

-- A list of jobs is ranked at once.
EXPLAIN QUERY PLAN SELECT config FROM protrain_configs WHERE job IN ('p', 'q') ORDER BY iteration_ms LIMIT 3;
SELECT 'a list', count(*), sum(m.config = c.config AND m.job = c.job) FROM (SELECT job, config, row_number() OVER () AS n FROM (
    SELECT job, config FROM protrain_configs WHERE job IN ('q', 'p', 'p', NULL, x'70') AND max_rows = 3000 ORDER BY iteration_ms
    LIMIT 3000)) AS c JOIN m USING (n);
SELECT 'a list', group_concat(DISTINCT job) FROM (SELECT job FROM protrain_configs WHERE job IN (SELECT 'p') AND max_rows = 9 ORDER BY iteration_ms LIMIT 9);
SELECT 'two lists', group_concat(DISTINCT job) FROM (SELECT job FROM protrain_configs WHERE job IN ('p', 'q') AND job_name IN ('q', 'xy')
    ORDER BY job, iteration_ms LIMIT 9);
SELECT 'a list', count(*) FROM protrain_configs WHERE job IN ('p', 'q') AND config = (SELECT config FROM p LIMIT 1);
SELECT 'a list', count(*) FROM protrain_configs WHERE job IN ('p', 'q') AND config IN (SELECT config FROM p LIMIT 2);

-- Looked up, joined, absent.
SELECT 'looked up', count(*), sum(c.iteration_ms = p.iteration_ms) FROM (SELECT * FROM p WHERE n % 997 = 0) AS p
    JOIN protrain_configs AS c ON c.job = p.job AND c.config = p.config;
SELECT 'absent', count(*) FROM protrain_configs WHERE job = 'p' AND config IN ('x', '', NULL, 'mb1.chunk64.persist0.buffer99999.swap0.ckpt0');
SELECT 'NULL', count(*) FROM protrain_configs WHERE job = NULL;
SELECT 'NULL', count(*) FROM protrain_blocks(NULL, 'x'), protrain_why(NULL);
SELECT 'NULL', deepspeed_config(NULL, 'x'), deepspeed_config('p', NULL);
SELECT 'a job more', count(*) FROM protrain_configs('q') WHERE job = 'p';

-- Blocks: swapped first, checkpointed between, what is kept last; parameters and chunks add up.
CREATE TEMP TABLE one AS SELECT config FROM p WHERE n_swap = 2 AND n_checkpoint = 20 AND n_persist = 8 LIMIT 1;
SELECT what, count(*), min(block), max(block), count(DISTINCT kept_mib), min(swapped_mib) > 0, min(recomputed_mib) > 0
    FROM one, protrain_blocks('p', one.config) GROUP BY what;
SELECT 'parameters', sum(parameters) = count(*) * min(parameters), count(*), sum(persistent_chunks) >= 2,
       min(transfer_ms) > 0, min(compute_ms) > 0 FROM one, protrain_blocks('p', one.config);
SELECT 'chunks', count(*) FROM one, protrain_blocks('p', one.config) WHERE last_chunk < first_chunk;
SELECT 'not fitting', count(*) FROM protrain_blocks('p', (SELECT printf('mb8.chunk%d.persist%d.buffer0.swap0.ckpt0', chunk_mib, chunks)
    FROM p LIMIT 1));

-- Why: all that there is.
SELECT 'why', reason, count > 0, unit, example IS NOT NULL FROM protrain_why('p');
-- An example is ruled out, as it says, and no choice of its kind is nearer.
CREATE TEMP TABLE why AS SELECT reason, substr(example, 1, instr(example, ' ') - 1) AS config, example FROM protrain_why('p')
    WHERE example IS NOT NULL;
SELECT 'ruled out', reason, count(*), (SELECT count(*) FROM p WHERE p.config = why.config),
       (SELECT count(*) FROM protrain_blocks('p', why.config)) FROM why GROUP BY reason;
SELECT example FROM why;
-- (n_persist, n_buffer) of C chunks: C (C - 1) / 2 + 2; pairs of n_swap up to 9 operators and n_checkpoint of 48 blocks.
SELECT 'all choices', sum(count) = (SELECT 4 * (c * (c - 1) / 2 + 2) FROM (SELECT min(chunks) AS c FROM p))
       * (SELECT sum(49 - value) FROM generate_series(0, 9)),
       sum(count) FILTER (WHERE reason = 'feasible') = (SELECT count(*) FROM p) FROM protrain_why WHERE job = 'p';
SELECT job, reason, example FROM protrain_why WHERE reason = 'cannot be read';
UPDATE memx_node SET host_memory_mib = 1000 WHERE cluster = 'pair';
SELECT reason, example FROM protrain_why('p');
UPDATE memx_node SET host_memory_mib = NULL WHERE cluster = 'pair';
UPDATE memx_device SET memory_mib = 4000 WHERE device = 'RTX3090';
SELECT reason, count > 0, example FROM protrain_why('p');
SELECT 'none', count(*) FROM protrain_configs('p');
UPDATE memx_device SET memory_mib = 24576 WHERE device = 'RTX3090';

-- DeepSpeed.
SELECT 'JSON', count(*), sum(json_valid(text)), group_concat(DISTINCT text ->> '$.zero_optimization.stage'),
       sum(text ->> '$.train_micro_batch_size_per_gpu' * (text ->> '$.gradient_accumulation_steps') * 2
           = text ->> '$.train_batch_size'), sum(text ->> '$._memx.config' = config)
    FROM (SELECT config, deepspeed_config('p', config) AS text FROM p WHERE n % 9973 = 0);
SELECT deepspeed_config('q', printf('mb1.chunk%d.persist2.buffer3.swap1.ckpt2', chunk_mib)) FROM protrain_configs('q') LIMIT 1;
SELECT json_remove(deepspeed_config('q', printf('mb2.chunk%d.persist%d.buffer0.swap0.ckpt0', chunk_mib, chunks)), '$._memx')
    FROM protrain_configs('q') LIMIT 1;

-- The space's micro batches.
INSERT INTO memx_space(space, param, value) VALUES ('mb', 'micro_batch', '2'), ('mb', 'micro_batch', '4'), ('mb', 'micro_batch', '3');
UPDATE memx_job SET space = 'mb' WHERE job = 'p';
SELECT 'space', group_concat(DISTINCT micro_batch) FROM protrain_configs('p') WHERE n_persist = 0;

-- Errors.
SELECT * FROM protrain_configs WHERE job = 'mix20';
SELECT * FROM protrain_configs('nobody');
SELECT * FROM protrain_configs WHERE job IN ('p', 'nobody') ORDER BY iteration_ms LIMIT 1;
SELECT * FROM protrain_configs('p') WHERE max_rows = 10;
SELECT count(*) FROM (SELECT config FROM protrain_configs('p') WHERE max_rows = 10 ORDER BY iteration_ms LIMIT 10);
SELECT config FROM protrain_configs('p') WHERE max_rows = 3 AND n_swap = 1 AND n_persist = 0 AND n_buffer = 2 ORDER BY iteration_ms;
SELECT * FROM protrain_configs('p') WHERE max_rows = 0;
SELECT * FROM protrain_blocks;
SELECT * FROM protrain_blocks('p', 'mb2');
SELECT * FROM protrain_blocks('xy', 'mb2');
SELECT * FROM protrain_blocks('p', 'mb3.chunk64.persist0.buffer2.swap0.ckpt0');
SELECT * FROM protrain_blocks('p', 'mb2.chunk64.persist0.buffer2.swap5.ckpt44');
SELECT deepspeed_config('p', 'mb4.chunk1.persist0.buffer2.swap0.ckpt0');
SELECT deepspeed_config('none', 'x');
UPDATE memx_device SET host_gbs = NULL WHERE device = 'RTX3090';
SELECT * FROM protrain_configs('q');
INSERT INTO memx_op(model, framework, device, micro_batch, seq_length, phase, ordinal, op, time_ms, intra_mib, inter_mib, kept_mib)
VALUES ('gpt2-xl', 'f', 'd', 1, 1, 'sideways', 0, 'x', 1, 1, 1, 1);
INSERT INTO memx_node(cluster, ordinal, device, gpus, host_memory_mib) VALUES ('pair', 9, 'T4', 1, 'much');
INSERT INTO memx_node(cluster, ordinal, device, gpus, host_memory_gbs) VALUES ('pair', 9, 'T4', 1, 0);
UPDATE memx_device SET host_efficiency = 2;
