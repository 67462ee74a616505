-- ColossalAI's published benchmark (hpcaitech/ColossalAI, README): llama-7b under ZeRO-2 on 8 H200, 36 sequences
-- of 4096 a GPU.
--
-- ZeRO-2 is the row of protrain_configs in which every chunk persists: parameters whole, gradients and optimizer
-- divided. Assumed, since it is not published: one micro batch, every block checkpointed. Other rows are left out:
-- tensor and pipeline parallelism, and llama-70b, whose parameters alone do not fit whole.
-- import: published/peak_memory_misc.csv measured

CREATE TABLE run AS SELECT printf('zero-%02d', rowid) AS job, *,
    CASE WHEN source NOT LIKE 'ColossalAI%' THEN 'another source, or settings incomplete'
         WHEN method NOT LIKE 'zero2(dp8)%' THEN 'parallelism not modelled, or weights do not fit whole' END AS why
FROM measured;
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('8-H200', 400);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('8-H200', 0, 'H200', 8);
INSERT INTO memx_job(job, cluster, model, framework, global_batch, seq_length, reserve, predictor)
SELECT job, '8-H200', model, 'deepspeed-fp16', 288, 4096, 0, 'analytic' FROM run WHERE why IS NULL;

CREATE TABLE zero AS
SELECT run.*, c.iteration_ms, c.gpu_peak_mib - d.context_mib AS allocated_mib
FROM run, memx_device AS d, protrain_configs AS c
WHERE why IS NULL AND d.device = 'H200-SXM-141GB' AND c.job = run.job AND c.micro_batch = 36 AND c.n_swap = 0
  AND c.n_checkpoint = 32 AND c.n_buffer = 0;
INSERT INTO point
SELECT 'colossalai_zero2.analytic', 'time', job, job, 1000.0 * 288 / 17.13, iteration_ms FROM zero
UNION ALL SELECT 'colossalai_zero2.analytic', 'peak', job, job, peak_mem + 0.0, allocated_mib FROM zero;

INSERT INTO left_out SELECT 'colossalai_zero2.analytic', count(*), why FROM run WHERE why IS NOT NULL GROUP BY why;

INSERT INTO note VALUES
('colossalai_zero2.analytic', 'time', 'ms an iteration, from samples a second, by protrain_configs; nothing fitted'),
('colossalai_zero2.analytic', 'peak', 'peak of the allocator, by protrain_configs; nothing fitted');
