-- vTrain's runs on one node (VIA-Research/vTrain, MICRO'24): small GPTs on 2 to 8 A100-SXM-80GB,
-- Megatron-DeepSpeed, 1F1B, full recompute.
--
-- The published times are composed, not raw: T(16 micro batches) - T(8) is exactly twice T(8) - T(4)
-- throughout. Rows of the same hidden, tp and micro batch share a layer profile, so a second figure
-- gives every profile the same weight. GPUs of the node that a job does not use are left away.
-- import: vtrain/single_node.csv measured

CREATE TABLE run AS SELECT printf('vtrain-single-%03d', rowid) AS job, * FROM measured;

INSERT INTO setup(job, device, gpus, inter_gbs, flow_gbs, framework, layers, hidden, heads, vocab,
                  seq_length, tp, dp, pp, micro_batch, global_batch, recompute)
SELECT job, gpu, gpus, 100, 25, 'megatron-deepspeed-fp16', layers, hidden, heads, 50257, seq, tp, dp,
       pp, mbs, gbs, 'full'
FROM run;

INSERT INTO point
SELECT 'vtrain_single.analytic', 'time', p.model || ' on ' || p.gpus || ' at ' || p.global_batch,
       p.job, CAST(iter_time_ms AS REAL), prediction.iteration_ms
FROM plan AS p JOIN run USING (job), memx_predict(p.job, p.config) AS prediction;

INSERT INTO extra
SELECT 'vtrain_single.analytic', 'time', 'time_mape_by_profile', printf('%.2f', avg(error)), '%',
       printf('%d profiles (hidden, tp, micro batch) weighted alike', count(*))
FROM (SELECT mape(p.measured, p.predicted) AS error FROM point AS p JOIN run USING (job)
      GROUP BY hidden, tp, mbs);

INSERT INTO note VALUES
('vtrain_single.analytic', 'time',
 'ms an iteration; nothing fitted: data-sheet and nominal constants');

INSERT INTO held_set(set_name) VALUES ('vtrain_single');
INSERT INTO hold
SELECT what, CASE what WHEN 'by_hidden' THEN s.hidden WHEN 'by_tp' THEN s.tp ELSE s.micro_batch END, m.id
FROM memx_run AS m JOIN setup AS s USING (job),
     (SELECT 'by_hidden' AS what UNION ALL SELECT 'by_tp' UNION ALL SELECT 'by_mbs');
INSERT INTO note
SELECT 'vtrain_single.' || what, 'time', 'each ' || substr(what, 4) || ' predicted after training on the others'
FROM (SELECT DISTINCT what FROM hold);
