-- Views for tools that see only tables and views, such as BI clients over ODBC. memx_views() runs this
-- file, memx_init() does not: while a view over a virtual table exists and MemX is not loaded, every
-- ALTER TABLE RENAME in the database fails. It replaces those that read otherwise, as an older MemX may have left
-- them. Each ends with a semicolon at the end of its last line, and has none at the end of another.

-- ODBC tells the type of a column from its declaration alone, and takes what is computed for text where the
-- first row holds NULL. So a view here shows columns as they are; or it has an arm without rows, `typed`,
-- first (SQLite describes a view by its first arm) and last (and a result by the last one). From 3.41 on an arm
-- whose column might hold text where the first has a number, or the reverse, makes that column a BLOB: what is
-- computed by a function or a subquery is cast.

-- Every job's best configuration, by the column phi under the job's own space and weights. A job
-- without a feasible configuration has no row; memx_why says why.
CREATE VIEW main.memx_best AS
SELECT c.job, c.config, c.devices, c.layers, c.recompute, c.iteration_ms, c.slowdown, c.tokens_per_s,
       c.peak_mib, c.memory_variance, c.headroom, c.phi
FROM memx_job AS j CROSS JOIN memx_configs AS c ON c.job = j.job AND c.config = (
    SELECT config FROM memx_configs WHERE job = j.job ORDER BY phi LIMIT 1);

-- Every job's fastest configuration.
CREATE VIEW main.memx_fastest AS
SELECT c.job, c.config, c.devices, c.layers, c.recompute, c.iteration_ms, c.slowdown, c.tokens_per_s,
       c.peak_mib, c.memory_variance, c.headroom, c.phi
FROM memx_job AS j CROSS JOIN memx_configs AS c ON c.job = j.job AND c.config = (
    SELECT config FROM memx_configs WHERE job = j.job ORDER BY iteration_ms LIMIT 1);

-- Every feasible configuration of every job: the visible columns of memx_configs.
CREATE VIEW main.memx_all_configs AS
SELECT job, cluster, model, config, tp, pp, dp, micro_batch, micro_batches, global_batch, seq_length,
       heads, kv_groups, cp, ep, vp, sequence_parallel, distributed_optimizer, devices, layers, recompute,
       iteration_ms, slowdown, tokens_per_s, tflops_per_gpu, bubble, p2p_ms, dp_sync_ms, peak_mib,
       memory_variance, headroom, headroom_mib, slowest_stage, tightest_stage, predictor, phi
FROM memx_configs;

-- Stages of measured runs whose stages are alike: one device type, as many layers each, one recompute
-- level. The columns of memx_profile, then run and stage.
--
-- 1F1B takes (m + p - 1) stage times, m micro batches on p stages, where every stage takes the same, so
--   time_ms = (iteration_ms - overhead_ms) / (m + p - 1).
-- That all take the same is an assumption: the last one also has the head, so that with p > 1 its time is
-- rather more, the others' less. weighted_ms shares the same total out as the prediction does:
--   weighted_ms = predicted time of the stage * (iteration_ms - overhead_ms)
--                 / ((m - 1) * greatest predicted time + sum of predicted times).
-- overhead_ms: what the predicted iteration has beside the stages' own time: transfers, gradient sync,
-- optimizer step, the cluster's overhead_ms. A run that took no longer than that has no row.
CREATE VIEW main.memx_run_stages AS
WITH typed AS (
    SELECT device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, heads,
           kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, allocated_mib,
           reserved_mib, source, id AS run, in_flight AS stage, time_ms AS weighted_ms, time_ms AS overhead_ms
    FROM memx_profile WHERE 0),
run AS MATERIALIZED (
    SELECT r.id, r.job, r.config, r.iteration_ms, r.source, p.micro_batches AS m, p.pp,
           p.iteration_ms AS predicted_ms
    FROM (SELECT * FROM memx_run WHERE iteration_ms IS NOT NULL AND oom = 0
                                       AND config_problem(job, config) IS NULL) AS r,
         memx_predict(r.job, r.config) AS p
    WHERE p.cp = 1 AND p.ep = 1 AND p.vp = 1), -- memx_profile has none of them
stage AS MATERIALIZED (
    SELECT run.id AS run, s.* FROM run, memx_stages(run.job, run.config) AS s),
alike AS (
    SELECT run, max(time_ms) AS greatest, sum(time_ms) AS sum FROM stage GROUP BY run
    HAVING count(DISTINCT device) = 1 AND count(DISTINCT layers) = 1 AND count(DISTINCT recompute) = 1
           AND max(instr(device, '|')) = 0),
net AS (
    SELECT run.*, predicted_ms - ((m - 1) * greatest + sum) AS overhead_ms, (m - 1) * greatest + sum AS total
    FROM run JOIN alike ON alike.run = run.id),
held AS MATERIALIZED (
    SELECT g.run, at.stage, max(g.allocated_mib) AS allocated_mib, max(g.reserved_mib) AS reserved_mib
    FROM net JOIN memx_run_gpu AS g ON g.run = net.id, memx_gpus(net.job, net.config) AS at
    WHERE at.rank = g.rank GROUP BY g.run, at.stage)
SELECT * FROM typed
UNION ALL
SELECT s.device, s.model, s.framework, s.layers, s.first_stage, s.last_stage, s.tp, s.dp, s.micro_batch,
       s.seq_length, s.heads, s.kv_groups, s.recompute, s.in_flight, s.sequence_parallel,
       s.distributed_optimizer, (net.iteration_ms - overhead_ms) / (m + net.pp - 1) AS time_ms,
       CAST(held.allocated_mib AS DOUBLE) AS allocated_mib, CAST(held.reserved_mib AS DOUBLE) AS reserved_mib,
       net.source, s.run, s.stage, s.time_ms * (net.iteration_ms - overhead_ms) / total AS weighted_ms,
       CAST(overhead_ms AS DOUBLE) AS overhead_ms
FROM net JOIN stage AS s ON s.run = net.id LEFT JOIN held ON held.run = s.run AND held.stage = s.stage
WHERE net.iteration_ms > overhead_ms
UNION ALL
SELECT * FROM typed;

-- Every measured run and stage beside its prediction.
--   kind, id                    run: a row of memx_run; stage: a row of memx_profile
--   source, data_set            the row's source, and its part before a colon and a space
--   device                      as the catalog calls it; of a run on several types 'A+B'
--   job, cluster, config, gpus, global_batch, pp, micro_batches     of a run; NULL of a stage
--   layers, first_stage, last_stage, in_flight                      of a stage; layers of a run: all
--   measured_ms, predicted_ms   a run's iteration; forward and backward of one micro batch of a stage
--   allocated_mib, reserved_mib, total_mib, and predicted_ before each: the greatest of the run's
--                               devices, or of those that were measured; the stage's. allocated: in
--                               tensors; reserved: by the allocator, the predicted peak less context_mib;
--                               total: with the context. The prediction of allocated_mib is without
--                               alpha_static. NULL: not measured, and then not predicted either.
--   oom, fits                   1: ran out of memory; 1: predicted to fit the card (runs)
--   predictor                   whose prediction it is: of the run's job; of a stage as memx_estimates has it
--   problem                     why there is no prediction; NULL where there is one
CREATE VIEW main.memx_measured AS
WITH
typed AS (
    SELECT p.recompute AS kind, p.id, p.source, p.source AS data_set, p.source AS device, p.model, p.framework,
           j.job, j.cluster, r.config, p.tp AS gpus, p.tp, p.tp AS pp, p.dp, p.micro_batch,
           p.tp AS micro_batches, j.global_batch, p.seq_length, p.heads, p.kv_groups, r.config AS layers,
           r.config AS recompute, p.first_stage, p.last_stage, p.in_flight, p.sequence_parallel,
           p.distributed_optimizer, p.time_ms AS measured_ms, p.time_ms AS predicted_ms,
           p.allocated_mib, p.allocated_mib AS predicted_allocated_mib,
           p.reserved_mib, p.reserved_mib AS predicted_reserved_mib,
           r.total_mib, r.total_mib AS predicted_total_mib,
           r.oom, r.oom AS fits, p.source AS predictor, p.source AS problem
    FROM memx_profile AS p, memx_run AS r, memx_job AS j WHERE 0),
run AS (
    SELECT r.id, r.source, r.job, r.config, r.iteration_ms, r.oom, j.cluster, j.model, j.framework,
           j.global_batch, coalesce(j.seq_length, model.seq_length) AS seq_length,
           CASE WHEN r.job IS NULL THEN 'the run names no job'
                ELSE config_problem(r.job, r.config) END AS problem,
           (SELECT max(allocated_mib) FROM memx_run_gpu WHERE run = r.id) AS allocated_mib,
           (SELECT max(reserved_mib) FROM memx_run_gpu WHERE run = r.id) AS reserved_mib,
           coalesce(r.total_mib, (SELECT max(total_mib) FROM memx_run_gpu WHERE run = r.id)) AS total_mib,
           r.total_mib IS NULL AND EXISTS (SELECT 1 FROM memx_run_gpu WHERE run = r.id) AS by_rank
    FROM memx_run AS r LEFT JOIN memx_job AS j ON j.job = r.job
         LEFT JOIN memx_model AS model ON model.model = j.model),
-- Of the stages whose devices were measured, or of all of them. Without JSON: until SQLite 3.40 its functions are
-- refused in views where the schema is not trusted.
peaks AS (
    SELECT run.id, max(peak_mib - context_mib - static_mib * (1 - 1 / (
               SELECT alpha_static FROM memx_device AS d
               WHERE d.device = substr(s.device, 1, instr(s.device || '(', '(') - 1)))) AS allocated_mib,
           max(peak_mib - context_mib) AS reserved_mib, max(peak_mib) AS total_mib
    FROM (SELECT * FROM run
          WHERE problem IS NULL AND coalesce(allocated_mib, reserved_mib, total_mib) IS NOT NULL) AS run,
         memx_stages(run.job, run.config) AS s
    WHERE NOT by_rank OR s.stage IN (
        SELECT at.stage FROM memx_gpus(run.job, run.config) AS at
        WHERE at.rank IN (SELECT rank FROM memx_run_gpu WHERE run = run.id))
    GROUP BY run.id)
SELECT * FROM typed
UNION ALL
SELECT 'run' AS kind, r.id, r.source,
       CAST(substr(r.source, 1, instr(r.source || ': ', ': ') - 1) AS TEXT) AS data_set,
       CAST((SELECT group_concat(device, '+') FROM (
           SELECT DISTINCT coalesce((SELECT device FROM memx_device AS d WHERE d.device = n.device),
                                    (SELECT device FROM memx_alias AS a WHERE a.name = n.device),
                                    n.device) AS device
           FROM memx_node AS n WHERE n.cluster = r.cluster ORDER BY 1)) AS TEXT) AS device,
       r.model, r.framework, r.job, r.cluster, r.config, p.tp * p.cp * p.pp * p.dp AS gpus, p.tp, p.pp, p.dp,
       p.micro_batch, p.micro_batches, r.global_batch,
       CAST(coalesce(p.seq_length, r.seq_length) AS BIGINT) AS seq_length,
       p.heads, p.kv_groups, p.layers, p.recompute, NULL AS first_stage, NULL AS last_stage,
       NULL AS in_flight, p.sequence_parallel, p.distributed_optimizer,
       r.iteration_ms AS measured_ms, p.iteration_ms AS predicted_ms,
       CAST(r.allocated_mib AS DOUBLE) AS allocated_mib,
       CAST(iif(r.allocated_mib IS NULL, NULL, peaks.allocated_mib) AS DOUBLE) AS predicted_allocated_mib,
       CAST(r.reserved_mib AS DOUBLE) AS reserved_mib,
       CAST(iif(r.reserved_mib IS NULL, NULL, peaks.reserved_mib) AS DOUBLE) AS predicted_reserved_mib,
       CAST(r.total_mib AS DOUBLE) AS total_mib,
       CAST(iif(r.total_mib IS NULL, NULL, peaks.total_mib) AS DOUBLE) AS predicted_total_mib,
       r.oom, p.headroom >= 0 AS fits, p.predictor, CAST(r.problem AS TEXT) AS problem
FROM run AS r LEFT JOIN memx_predict(iif(r.problem IS NULL, r.job, NULL), r.config) AS p
     LEFT JOIN peaks ON peaks.id = r.id
UNION ALL
SELECT 'stage', s.id, s.source, CAST(substr(s.source, 1, instr(s.source || ': ', ': ') - 1) AS TEXT),
       CAST(coalesce((SELECT device FROM memx_device AS d WHERE d.device = s.device),
                (SELECT device FROM memx_alias AS a WHERE a.name = s.device), s.device) AS TEXT),
       s.model, s.framework, NULL, NULL, NULL, NULL, s.tp, NULL, s.dp, s.micro_batch, NULL, NULL,
       s.seq_length, s.heads, s.kv_groups, CAST(s.layers AS TEXT), s.recompute, s.first_stage, s.last_stage,
       s.in_flight, s.sequence_parallel, s.distributed_optimizer,
       s.time_ms, CAST(iif(s.time_ms IS NULL, NULL, e.time_ms) AS DOUBLE),
       s.allocated_mib, CAST(iif(s.allocated_mib IS NULL, NULL, e.allocated_mib) AS DOUBLE),
       s.reserved_mib, CAST(iif(s.reserved_mib IS NULL, NULL, e.reserved_mib) AS DOUBLE),
       NULL, NULL, NULL, NULL, e.predictor, e.problem
FROM memx_estimates AS e JOIN memx_profile AS s ON s.id = e.id
UNION ALL
SELECT * FROM typed;
