-- Every feasible configuration of job mix20, kept with all that is predicted of it: a shard a task.
CREATE TABLE out.config AS
SELECT * FROM memx_configs WHERE job = 'mix20' AND shards = :tasks AND shard = :task;
