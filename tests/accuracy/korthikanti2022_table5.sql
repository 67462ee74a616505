-- Table 5 of arXiv:2205.05198: GPT of 22 to 1000 billion parameters on 8 to 2240 A100-SXM-80GB of
-- Selene, eight network cards of 200 Gbit/s a node, fp16; full recompute without sequence
-- parallelism, and selective recompute with it.
--
-- Interleaving is the paper's; beside it the same rows as if they did not.
-- import: published/korthikanti2022_table5.csv measured

CREATE TABLE run AS
SELECT printf('korthikanti-%d-%s-%s', rowid, model, CASE WHEN mode LIKE 'full%' THEN 'full'
              ELSE 'selective' END) AS job, *
FROM measured;

INSERT INTO setup(job, device, gpus, inter_gbs, flow_gbs, framework, layers, hidden, heads, vocab,
                  seq_length, tp, dp, pp, micro_batch, global_batch, recompute, knobs)
SELECT job, gpu, gpus, 200, 25, 'megatron-2022', layers, hidden, heads, vocab, seq, tp, dp, pp, mbs,
       gbs, CASE WHEN mode LIKE 'full%' THEN 'full' ELSE 'selective' END,
       CASE WHEN mode LIKE 'full%' THEN '' ELSE '.sp1' END || iif(interleave > 1, '.vp' || interleave, '')
FROM run;

CREATE TABLE predicted AS
SELECT printf('%s on %d at %d', p.model, p.gpus, p.global_batch) AS family, p.job, r.interleave + 0 AS vp,
       1000 * iter_time_s AS measured, c.iteration_ms,
       (SELECT iteration_ms FROM memx_predict(p.job, replace(p.config, '.vp' || r.interleave, ''))) AS as_1f1b_ms
FROM plan AS p JOIN run AS r USING (job), memx_predict(p.job, p.config) AS c;
INSERT INTO point
SELECT 'korthikanti2022_table5.' || name, 'time', family, job, measured, iif(name = 'analytic_as_1f1b', as_1f1b_ms, iteration_ms)
FROM predicted, (SELECT column1 AS name FROM (VALUES ('analytic'), ('analytic_interleaved'), ('analytic_as_1f1b')))
WHERE name = 'analytic' OR vp > 1;

INSERT INTO note VALUES
('korthikanti2022_table5.analytic', 'time', 'ms an iteration; nothing fitted'),
('korthikanti2022_table5.analytic_interleaved', 'time', 'of these, the rows that interleave'),
('korthikanti2022_table5.analytic_as_1f1b', 'time', 'the same rows predicted as if they did not');
