-- Table 1 of arXiv:2104.04473: GPT from 1.7 to 1008 billion parameters on 32 to 3072 GPUs of Selene,
-- DGX A100 with eight network cards of 200 Gbit/s a node, fp16, full recompute.
--
-- Micro batches and interleaving are those of the authors' published scripts. Iteration times are
-- derived from the TFLOPS that the paper prints. Interleaved schedules are not modelled yet: those
-- rows are predicted as plain 1F1B, whose idle share is larger.
-- import: published/narayanan2021_table1.csv measured

CREATE TABLE run AS SELECT printf('narayanan-%sB', params_b) AS job, * FROM measured;

INSERT INTO setup(job, device, gpus, inter_gbs, flow_gbs, framework, layers, hidden, heads, vocab,
                  seq_length, tp, dp, pp, micro_batch, global_batch, recompute)
SELECT job, gpu, gpus, 200, 25, 'megatron-2021', layers, hidden, heads, vocab, seq, tp, dp, pp,
       mbs_from_sc21_script, gbs, 'full'
FROM run;

INSERT INTO point
SELECT 'narayanan2021_table1.' || what.name, 'time', p.model, p.job,
       1000 * iter_time_s_derived, prediction.iteration_ms
FROM plan AS p JOIN run USING (job), memx_predict(p.job, p.config) AS prediction,
     (SELECT 'analytic' AS name UNION ALL SELECT 'analytic_as_1f1b') AS what
WHERE what.name = 'analytic_as_1f1b' OR interleave_v_from_script = '1';

INSERT INTO left_out
SELECT 'narayanan2021_table1.analytic', count(*), 'interleaved schedule, not modelled yet'
FROM run WHERE interleave_v_from_script <> '1';

INSERT INTO note VALUES
('narayanan2021_table1.analytic', 'time',
 'ms an iteration, derived from the TFLOPS printed; nothing fitted; rows without interleaving'),
('narayanan2021_table1.analytic_as_1f1b', 'time',
 'all rows, interleaved ones predicted as plain 1F1B, since interleaving is not modelled yet');
