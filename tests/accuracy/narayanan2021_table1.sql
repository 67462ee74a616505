-- Table 1 of arXiv:2104.04473: GPT from 1.7 to 1008 billion parameters on 32 to 3072 GPUs of Selene,
-- DGX A100 with eight network cards of 200 Gbit/s a node, fp16, full recompute.
--
-- Micro batches and interleaving are those of the authors' published scripts. Iteration times are
-- derived from the TFLOPS that the paper prints. Where stages do not have whole chunks as the scripts cut them, MemX
-- has no such configuration.
-- import: published/narayanan2021_table1.csv measured

CREATE TABLE run AS SELECT printf('narayanan-%sB', params_b) AS job, interleave_v_from_script + 0 AS vp, * FROM measured;

INSERT INTO setup(job, device, gpus, inter_gbs, flow_gbs, framework, layers, hidden, heads, vocab,
                  seq_length, tp, dp, pp, micro_batch, global_batch, recompute, knobs)
SELECT job, gpu, gpus, 200, 25, 'megatron-2021', layers, hidden, heads, vocab, seq, tp, dp, pp,
       mbs_from_sc21_script, gbs, 'full', iif(vp > 1, '.vp' || vp, '')
FROM run;

CREATE TABLE predicted AS
SELECT p.job, p.model, r.vp, 1000 * iter_time_s_derived AS measured, c.iteration_ms,
       (SELECT iteration_ms FROM memx_predict(p.job, replace(p.config, '.vp' || r.vp, ''))) AS as_1f1b_ms
FROM plan AS p JOIN run AS r USING (job), memx_predict(p.job, p.config) AS c;
INSERT INTO point
SELECT 'narayanan2021_table1.' || name, 'time', model, job, measured, iif(name = 'analytic_as_1f1b', as_1f1b_ms, iteration_ms)
FROM predicted, (SELECT column1 AS name FROM (VALUES ('analytic'), ('analytic_interleaved'), ('analytic_as_1f1b')))
WHERE name = 'analytic' OR vp > 1;

INSERT INTO held_set VALUES ('narayanan2021_table1', '{"validate": 0}');
INSERT INTO hold
SELECT 'by_vp', iif(vp > 1, 'interleaved', 'not'), m.id FROM memx_run AS m JOIN run USING (job) WHERE vp > 1;

INSERT INTO note VALUES
('narayanan2021_table1.analytic', 'time',
 'ms an iteration, derived from the TFLOPS printed; nothing fitted'),
('narayanan2021_table1.analytic_interleaved', 'time', 'of these, the rows that interleave'),
('narayanan2021_table1.analytic_as_1f1b', 'time', 'the same rows predicted as if they did not'),
('narayanan2021_table1.by_vp', 'time', 'the same rows after training on those that do not');
