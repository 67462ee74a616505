-- Views for tools that see only tables and views, such as BI clients over ODBC. memx_views() runs this
-- file, memx_init() does not: while a view over a virtual table exists and MemX is not loaded, every
-- ALTER TABLE RENAME in the database fails.

-- Every job's best configuration, by the column phi under the job's own space and weights. A job
-- without a feasible configuration has no row; memx_why says why. (With min(), SQLite takes the other
-- columns from the row that holds the minimum.)
CREATE VIEW IF NOT EXISTS memx_best AS
SELECT job, config, devices, layers, recompute, iteration_ms, slowdown, tokens_per_s, peak_mib,
       memory_variance, headroom, min(phi) AS phi
FROM memx_configs GROUP BY job;

-- Every job's fastest configuration.
CREATE VIEW IF NOT EXISTS memx_fastest AS
SELECT job, config, devices, layers, recompute, min(iteration_ms) AS iteration_ms, slowdown,
       tokens_per_s, peak_mib, memory_variance, headroom, phi
FROM memx_configs GROUP BY job;

-- Every feasible configuration of every job: the visible columns of memx_configs.
CREATE VIEW IF NOT EXISTS memx_all_configs AS
SELECT job, cluster, model, config, tp, pp, dp, micro_batch, micro_batches, global_batch, seq_length,
       heads, kv_groups, sequence_parallel, distributed_optimizer, devices, layers, recompute,
       iteration_ms, slowdown, tokens_per_s, tflops_per_gpu, bubble, p2p_ms, dp_sync_ms, peak_mib,
       memory_variance, headroom, headroom_mib, slowest_stage, tightest_stage, predictor, phi
FROM memx_configs;
