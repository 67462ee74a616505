-- Why does a job have no configuration? LLaMA2-70B is put on the six small cards of cluster lab6 (and
-- taken away again): what was ruled out, how often, and one example each.
BEGIN;
INSERT INTO memx_job(job, cluster, model, framework, global_batch)
VALUES ('too-big', 'lab6', 'llama2-70b', 'megatron-fp16', 64);
SELECT reason, count, unit, example FROM memx_why('too-big');
ROLLBACK;
