-- memx_stages(job, config): its rows add up to the configuration's own row.
.read tests/sql/setup/small_jobs.sql

CREATE TEMP TABLE c AS
    SELECT * FROM memx_configs WHERE job <> 'mix20'
    UNION ALL
    SELECT * FROM memx_configs WHERE job = 'mix20' AND shards = 20 AND shard = 1;
CREATE TEMP TABLE s AS
    SELECT c.job AS job_name, c.config AS config_name, s.* FROM c, memx_stages(c.job, c.config) AS s;
CREATE INDEX temp.s_key ON s(job_name, config_name, stage);

-- Parts of the memory add up to the peak; 1 KiB for each is the rounding.
SELECT 'parts', count(*) FROM s
    WHERE abs(context_mib + static_mib + activation_mib + work_mib + logits_mib + optimizer_mib - peak_mib) > 6.0 / 1024;
SELECT 'forward and backward', count(*) FROM s WHERE abs(forward_ms + backward_ms - time_ms) > 1e-6;
SELECT 'negative', count(*) FROM s
    WHERE min(context_mib, static_mib, activation_mib, work_mib, logits_mib, optimizer_mib, time_ms, idle,
        hop_ms, dp_sync_ms) < 0;
SELECT 'headroom', count(*) FROM s WHERE abs(headroom - (1 - peak_mib / capacity_mib)) > 1e-9;

-- Logits on the last stage alone; the first and the last are where they should be.
SELECT 'logits', count(*) FROM s WHERE (logits_mib > 0) <> (last_stage = 1);
SELECT 'first', count(*) FROM s WHERE (stage = 0) <> (first_stage = 1);
SELECT 'no hop after the last', count(*) FROM s WHERE last_stage = 1 AND hop_ms > 0;
SELECT 'nothing recomputed, nothing to recompute', count(*) FROM s
    WHERE recompute = 'full' AND rate_local IS NOT NULL;

-- One row of sums for every configuration, beside its own.
CREATE TEMP TABLE sums AS
    SELECT job_name AS job, config_name AS config, count(*) AS pp, sum(layers) AS layers, sum(gpus) AS gpus,
           max(peak_mib) AS peak_mib, min(headroom) AS headroom, min(capacity_mib - peak_mib) AS free_mib,
           max(time_ms) AS slowest_ms, sum(time_ms) AS time_ms, min(idle) AS idle,
               max(in_flight) AS in_flight,
           group_concat(layers) AS layer_list, group_concat(recompute) AS level_list,
               group_concat(device) AS device_list
    FROM s GROUP BY job_name, config_name;
SELECT 'configurations', count(*) - (SELECT count(*) FROM c) FROM sums;
SELECT 'layers', count(*) FROM sums JOIN memx_job USING (job) JOIN memx_model USING (model)
    WHERE sums.layers <> memx_model.layers;
SELECT 'stages', count(*) FROM sums JOIN c USING (job, config) WHERE sums.pp <> c.pp;
SELECT 'GPUs', count(*) FROM sums JOIN c USING (job, config) WHERE gpus <> tp * c.pp * dp;
SELECT 'peak', count(*) FROM sums JOIN c USING (job, config) WHERE abs(sums.peak_mib - c.peak_mib) > 1e-9
    AND NOT devices LIKE '%|%';
SELECT 'headroom', count(*) FROM sums JOIN c USING (job, config) WHERE sums.headroom <> c.headroom;
SELECT 'lists', count(*) FROM sums JOIN c USING (job, config)
    WHERE layer_list <> c.layers OR level_list <> c.recompute OR device_list <> c.devices;
SELECT 'the slowest never waits', count(*) FROM sums WHERE idle <> 0;
SELECT 'in flight', count(*) FROM sums JOIN c USING (job, config)
    WHERE in_flight <> min(micro_batches, c.pp);
SELECT 'slowest stage', count(*) FROM c JOIN sums USING (job, config) JOIN s ON s.job_name = c.job
        AND s.config_name = c.config AND s.stage = c.slowest_stage WHERE s.time_ms <> slowest_ms;
SELECT 'tightest stage', count(*) FROM c JOIN s ON s.job_name = c.job
        AND s.config_name = c.config AND s.stage = c.tightest_stage WHERE s.headroom <> c.headroom;

-- The iteration is never shorter than its slowest stage's work, nor than one micro batch through all.
SELECT 'iteration', count(*) FROM sums JOIN c USING (job, config)
    WHERE c.iteration_ms < micro_batches * slowest_ms OR c.iteration_ms < time_ms;

-- Names agree with memx_profile, so that a measured stage joins with USING.
SELECT 'columns of memx_profile that are missing', count(*) FROM pragma_table_info('memx_profile')
    WHERE name NOT IN ('id', 'allocated_mib', 'reserved_mib', 'source')
          AND name NOT IN (SELECT name FROM pragma_table_info('memx_stages'));
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
    seq_length,
                         recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms)
    SELECT device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
           recompute, in_flight, sequence_parallel, distributed_optimizer, 1000
    FROM memx_stages('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none');
SELECT 'joined with measurements', count(*), sum(p.time_ms = 1000) FROM memx_profile AS p
    JOIN memx_stages('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none') AS s
    USING (device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
        recompute, in_flight,
           sequence_parallel, distributed_optimizer);

SELECT 'null', count(*) FROM memx_stages('xy', NULL);
