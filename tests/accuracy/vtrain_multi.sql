-- vTrain's runs on many nodes (VIA-Research/vTrain, MICRO'24): GPT on 64 to 512 A100-SXM-80GB, eight
-- a node with 800 Gbit/s between nodes, Megatron-DeepSpeed, 1F1B, full recompute.
--
-- The table has no vocabulary: 50257, the default of vTrain's configurations. One network card of
-- 200 Gbit/s bounds a single flow.
-- import: vtrain/multi_node.csv measured

CREATE TABLE run AS SELECT 'vtrain-multi-' || rowid AS job, * FROM measured;

INSERT INTO setup(job, device, gpus, inter_gbs, flow_gbs, framework, layers, hidden, heads, vocab,
                  seq_length, tp, dp, pp, micro_batch, global_batch, recompute)
SELECT job, gpu, gpus, 100, 25, 'megatron-deepspeed-fp16', layers, hidden, heads, 50257, seq, tp, dp,
       pp, mbs, gbs, 'full'
FROM run WHERE CAST(tp AS INTEGER) <= 8;

INSERT INTO left_out
SELECT 'vtrain_multi.analytic', count(*), 'tp 16, a tensor parallel group over two nodes'
FROM run WHERE CAST(tp AS INTEGER) > 8;

INSERT INTO point
SELECT 'vtrain_multi.analytic', 'time', p.model || ' on ' || p.gpus || ' at ' || p.global_batch,
       p.job, CAST(iter_time_ms AS REAL), prediction.iteration_ms
FROM plan AS p JOIN run USING (job), memx_predict(p.job, p.config) AS prediction;

-- The three rows of 3.6B that break the trend of their neighbours by 25 to 45 %.
INSERT INTO point
SELECT 'vtrain_multi.analytic_trend', kind, family, point.job, point.measured, predicted
FROM point JOIN run USING (job)
WHERE NOT (params_b = '3.6' AND ((tp = '8' AND mbs IN ('2', '64')) OR (tp = '4' AND mbs = '2')));

INSERT INTO floor
SELECT 'vtrain_multi.analytic', 'time', avg(percent),
       'greatest over least of set-ups measured more than once: mean of ' || count(*)
FROM (SELECT 100 * (max(iter_time_ms + 0) / min(iter_time_ms + 0) - 1) AS percent FROM run
      GROUP BY params_b, gpus, gbs, mbs, tp, dp, pp HAVING count(*) > 1);

INSERT INTO note VALUES
('vtrain_multi.analytic', 'time',
 'ms an iteration; nothing fitted: data-sheet and nominal constants'),
('vtrain_multi.analytic_trend', 'time',
 'the same without three 3.6B rows that break their neighbours'' trend: tp8 mbs64, tp8 mbs2, tp4 mbs2');

INSERT INTO held_set(set_name) VALUES ('vtrain_multi');
INSERT INTO hold
SELECT what, CASE what WHEN 'by_model' THEN 'hidden ' || s.hidden WHEN 'by_tp' THEN 'tp ' || s.tp
                       WHEN 'by_pp' THEN 'pp ' || s.pp ELSE 'mbs ' || s.micro_batch END, m.id
FROM memx_run AS m JOIN setup AS s USING (job),
     (SELECT 'by_model' AS what UNION ALL SELECT 'by_tp' UNION ALL SELECT 'by_pp' UNION ALL SELECT 'by_mbs');
INSERT INTO note
SELECT 'vtrain_multi.' || what, 'time', 'each ' || substr(what, 4) || ' predicted after training on the others; odd rows left in'
FROM (SELECT DISTINCT what FROM hold);

-- The same with the stages that the runs imply (memx_run_stages) beside them, as rows of memx_profile.
SELECT memx_views();
CREATE TABLE implied AS
SELECT row_number() OVER (ORDER BY run, stage) AS id, s.* FROM memx_run_stages AS s;
INSERT INTO memx_profile(id, device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
    heads, kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, source)
SELECT id, device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, heads, kv_groups,
       recompute, in_flight, sequence_parallel, distributed_optimizer, weighted_ms, 'implied' FROM implied;
INSERT INTO hold_profile -- runs alone
SELECT DISTINCT what, grp, id FROM hold, implied;
INSERT INTO hold SELECT what || '_stages', grp, run FROM hold;
INSERT INTO hold_profile SELECT what, grp, id FROM hold JOIN implied USING (run) WHERE what LIKE '%_stages';
INSERT INTO note
SELECT what, 'time', text || ', and on the stages that these imply'
FROM (SELECT name || '_stages' AS what, text FROM note WHERE name LIKE 'vtrain_multi.by_%');
