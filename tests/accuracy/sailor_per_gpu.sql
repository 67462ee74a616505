-- Memory of every GPU in six runs of OPT-350 on GH200-96GB, fp32, tensor parallel over four GPUs a
-- node (eth-easl/sailor, branch of the artifact): the mean over each stage's GPUs against the stage.
--
-- The layers of the stages are those of Sailor's other runs with as many stages, the embedding and the head
-- counting as one each, from the last stage to the first: in the order of the others no figure for a layer
-- explains the stages' memory (errors up to 45 %), in this one does (6 %). Inferred, that is, from what is
-- predicted here; but it is one choice for twelve rows.
-- This is another framework than that of sailor_runs: its
-- activations take nearly twice the room, which only calibration can know.
-- import: sailor/runs_per_gpu.csv measured

CREATE TABLE run AS
SELECT config AS job, stage, count(*) AS gpus, avg(CAST(max_allocated_mb AS REAL)) AS allocated_mib,
       avg(CAST(max_reserved_mb AS REAL)) AS reserved_mib, avg(CAST(total_mb AS REAL)) AS total_mib,
       avg(CAST(iter_ms AS REAL)) AS iteration_ms, nodes, gbs, dp, pp, mbs
FROM measured GROUP BY config, stage;

INSERT INTO setup(job, device, gpus, gpus_per_node, inter_gbs, flow_gbs, framework, layers, hidden, heads,
                  vocab, seq_length, tied_embeddings, tp, dp, pp, micro_batch, global_batch, recompute,
                  split)
SELECT job, 'GH200-96GB', 4 * nodes, 4, 100, 25, 'fp32', 24, 1024, 16, 50304, 2048, 0, 4, dp, pp, mbs, gbs,
       'none', CASE pp WHEN '2' THEN '[13,11]' WHEN '4' THEN '[6,7,7,4]' END
FROM run GROUP BY job;

INSERT INTO point
SELECT 'sailor_per_gpu.' || base, 'peak', p.job, p.job || ' stage ' || r.stage,
       iif(base = 'analytic', total_mib, reserved_mib),
       iif(base = 'analytic', s.peak_mib, s.peak_mib - s.context_mib)
FROM (SELECT 'analytic' AS base UNION ALL SELECT 'analytic_reserved'),
     plan AS p JOIN run AS r USING (job), memx_stages(p.job, p.config) AS s
WHERE s.stage = CAST(r.stage AS INTEGER);

INSERT INTO point
SELECT 'sailor_per_gpu.analytic', 'time', p.gpus || ' at ' || p.global_batch, p.job, avg(r.iteration_ms), c.iteration_ms
FROM plan AS p JOIN run AS r USING (job), memx_predict(p.job, p.config) AS c GROUP BY p.job;

INSERT INTO note VALUES
('sailor_per_gpu.analytic', 'time', 'ms an iteration, TF32 assumed; nothing fitted'),
('sailor_per_gpu.analytic', 'peak', 'total memory, mean over a stage''s GPUs; nothing fitted'),
('sailor_per_gpu.analytic_reserved', 'peak',
 'reserved by the allocator, against the peak less the context; nothing fitted');

-- Each of the six runs is predicted from the other five, for each of the three ways to count.
INSERT INTO memx_run(id, job, config, iteration_ms, source)
SELECT row_number() OVER (ORDER BY job), job, config,
       (SELECT avg(iteration_ms) FROM run WHERE run.job = plan.job), '' FROM plan;
INSERT INTO memx_run_gpu(run, rank, allocated_mib, reserved_mib, total_mib)
SELECT r.id, CAST(m.rank AS INTEGER), CAST(max_allocated_mb AS REAL), CAST(max_reserved_mb AS REAL), CAST(total_mb AS REAL)
FROM measured AS m JOIN memx_run AS r ON r.job = m.config;
INSERT INTO held_set
SELECT 'sailor_per_gpu', json_object('memory', metric, 'validate', 0)
FROM (SELECT 'allocated' AS metric UNION ALL SELECT 'reserved' UNION ALL SELECT 'total');
INSERT INTO hold SELECT 'by_config', id, id FROM memx_run;
INSERT INTO note
SELECT 'sailor_per_gpu.by_config' || suffix, 'peak', metric || ' memory, each run after training on the five others'
FROM (SELECT 'total' AS metric, '' AS suffix UNION ALL SELECT 'reserved', '_reserved'
      UNION ALL SELECT 'allocated', '_allocated');
INSERT INTO note VALUES ('sailor_per_gpu.by_config', 'time', 'ms an iteration, each run after training on the five others');
