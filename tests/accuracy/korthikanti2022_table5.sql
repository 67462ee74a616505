-- Table 5 of arXiv:2205.05198: GPT of 22 to 1000 billion parameters on 8 to 2240 A100-SXM-80GB of
-- Selene, eight network cards of 200 Gbit/s a node, fp16; full recompute without sequence
-- parallelism, and selective recompute with it.
--
-- Interleaved schedules are not modelled yet: those rows are predicted as plain 1F1B, whose idle share
-- is larger.
-- import: published/korthikanti2022_table5.csv measured

CREATE TABLE run AS
SELECT printf('korthikanti-%d-%s-%s', rowid, model, CASE WHEN mode LIKE 'full%' THEN 'full'
              ELSE 'selective' END) AS job, *
FROM measured;

INSERT INTO setup(job, device, gpus, inter_gbs, flow_gbs, framework, layers, hidden, heads, vocab,
                  seq_length, tp, dp, pp, micro_batch, global_batch, recompute, knobs)
SELECT job, gpu, gpus, 200, 25, 'megatron-2022', layers, hidden, heads, vocab, seq, tp, dp, pp, mbs,
       gbs, CASE WHEN mode LIKE 'full%' THEN 'full' ELSE 'selective' END,
       CASE WHEN mode LIKE 'full%' THEN '' ELSE '.sp1' END
FROM run;

INSERT INTO point
SELECT 'korthikanti2022_table5.' || what.name, 'time',
       printf('%s on %d at %d', p.model, p.gpus, p.global_batch), p.job,
       1000 * iter_time_s, prediction.iteration_ms
FROM plan AS p JOIN run USING (job), memx_predict(p.job, p.config) AS prediction,
     (SELECT 'analytic' AS name UNION ALL SELECT 'analytic_as_1f1b') AS what
WHERE what.name = 'analytic_as_1f1b' OR interleave = '1';

INSERT INTO left_out
SELECT 'korthikanti2022_table5.analytic', count(*), 'interleaved schedule, not modelled yet'
FROM run WHERE interleave <> '1';

INSERT INTO note VALUES
('korthikanti2022_table5.analytic', 'time',
 'ms an iteration; nothing fitted; rows without interleaving'),
('korthikanti2022_table5.analytic_as_1f1b', 'time',
 'all rows, interleaved ones predicted as plain 1F1B, since interleaving is not modelled yet');
