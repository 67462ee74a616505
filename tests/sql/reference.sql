-- memx_reference(job [, space]): the medians that phi is divided by, and what follows from them.
.read tests/sql/setup/small_jobs.sql

-- They are the medians over the feasible configurations of the job's own space.
SELECT job, feasible = count(*) AND feasible_exact = count(*) AS feasible,
       r.iteration_ms = median(c.iteration_ms) AS time, r.peak_mib = median(c.peak_mib) AS peak,
       abs(r.memory_variance / median(c.memory_variance) - 1) < 1e-9 AS variance,
       fastest_ms = min(c.iteration_ms) AS fastest, method
    FROM memx_configs AS c JOIN memx_reference AS r USING (job) GROUP BY job;

-- phi is the job's phi over phi of the medians; slowdown is time over the least time, 1 at least.
SELECT 'phi', count(*) FROM memx_configs AS c JOIN memx_reference AS r USING (job) JOIN memx_job USING (job)
    WHERE abs(phi(c.iteration_ms, c.peak_mib, c.memory_variance, memx_job.weights)
              / phi(r.iteration_ms, r.peak_mib, r.memory_variance, memx_job.weights) / phi - 1) > 1e-9;
SELECT 'slowdown', count(*) FROM memx_configs AS c JOIN memx_reference AS r USING (job)
    WHERE abs(c.iteration_ms / r.fastest_ms / slowdown - 1) > 1e-12 OR slowdown < 1;
SELECT 'least slowdown', count(*) FROM (SELECT min(slowdown) AS least FROM memx_configs GROUP BY job)
    WHERE least <> 1;

-- They stay those of the job's own space, whatever space the query names: phi can be compared between
-- spaces, and slowdown falls below 1 where another space is faster.
SELECT 'another space', count(*) > 0, sum(free.phi <> own.phi OR free.slowdown <> own.slowdown)
    FROM memx_configs AS own
    CROSS JOIN memx_configs AS free ON free.job = own.job AND free.config = own.config
        AND free.space = 'free'
    WHERE own.job = 'lab6';
SELECT 'faster elsewhere', min(slowdown) < 1, round(min(slowdown), 9) = round(
        (SELECT fastest_ms FROM memx_reference('megatron', 'default')) / (SELECT fastest_ms
            FROM memx_reference('megatron')), 9)
    FROM memx_configs WHERE job = 'megatron' AND space = 'default';
SELECT 'whatever filter', (SELECT phi FROM memx_configs WHERE job = 'lab6' AND tp = 2
    ORDER BY config LIMIT 1)
       = (SELECT phi FROM memx_configs WHERE job = 'lab6' AND +tp = 2 ORDER BY config LIMIT 1);

-- Too many to list: counted to the last digit, medians from a sample that is the same each time.
SELECT job, space, feasible > 1e15, length(feasible_exact) >= 16, CAST(feasible_exact AS REAL) = feasible,
    method
    FROM memx_reference('mix20', 'free');
SELECT 'again', count(DISTINCT iteration_ms || ' ' || peak_mib || ' ' || memory_variance) FROM (
    SELECT * FROM memx_reference('mix20', 'free') UNION ALL SELECT * FROM memx_reference('mix20', 'free'));
SELECT 'the same count', (SELECT feasible FROM memx_reference('lab6', 'free'))
       = (SELECT count(*) FROM memx_configs WHERE job = 'lab6' AND space = 'free');

-- How it may be asked.
SELECT 'all jobs', count(*) = (SELECT count(*) FROM memx_job) FROM memx_reference;
SELECT 'by column', count(*) FROM memx_reference WHERE job = 'xy' AND space = 'default';
SELECT 'several', group_concat(job) FROM memx_reference WHERE job IN ('xy', 'lab6');
SELECT 'nocase', count(*) FROM memx_reference WHERE job = 'XY' COLLATE NOCASE;
SELECT 'one space of all jobs', group_concat(DISTINCT space), count(*) = (SELECT count(*) FROM memx_job)
    FROM memx_reference WHERE space = 'megatron';
SELECT 'null', count(*) FROM memx_reference(NULL);
SELECT * FROM memx_reference('mix2');
SELECT * FROM memx_reference('xy', 'fre');

-- Nothing feasible: no medians. phi is then what phi() says, and slowdown unknown.
UPDATE memx_device SET memory_mib = 3000 WHERE device = 'X-32GB';
SELECT feasible, feasible_exact, iteration_ms IS NULL, peak_mib IS NULL, fastest_ms IS NULL
    FROM memx_reference('xy');
SELECT slowdown IS NULL, phi = phi(iteration_ms, peak_mib, memory_variance)
    FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none');

-- More than 256 bits hold.
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('long', 50);
INSERT INTO memx_node(cluster, ordinal, device, gpus) SELECT 'long', value, 'A100-SXM-80GB', 8
    FROM generate_series(0, 19);
INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length)
    VALUES ('long', 480, 64, 4, 4, 16, 256, 1000, 64);
INSERT INTO memx_job(job, cluster, model, framework, global_batch, space)
    VALUES ('long', 'long', 'long', 'megatron-fp16', 8, 'long');
INSERT INTO memx_space VALUES ('long', 'tp', '1'), ('long', 'dp', '1'), ('long', 'layer_split', 'free'),
    ('long', 'recompute', 'none');
SELECT feasible, feasible_exact FROM memx_reference('long');
