-- What tests/accuracy/ablation.c reads, a line per stage: weight, 0 for a test; ms and MiB measured; ms and MiB
-- by the analytic model; then what the stage is. memx_profile holds the design, `part` is the analytic model's.
CREATE TABLE line AS
SELECT coalesce(weight, 1.0) AS weight, device, model, layers, first_stage, last_stage, tp, dp, micro_batch,
       seq_length, recompute, in_flight, time_ms, reserved_mib,
       stage_estimate(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
                      heads, kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer) AS e
FROM (SELECT *, NULL AS weight FROM memx_profile
      UNION ALL
      SELECT id, device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, heads,
             kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, allocated_mib,
             reserved_mib, source, weight
      FROM memx_augmented)
WHERE coalesce(time_ms, reserved_mib) IS NOT NULL;
.mode tabs
.nullvalue nan
.output stages
SELECT weight, l.time_ms, l.reserved_mib, analytic_ms, analytic_mib, m.hidden, m.ffn_hidden, m.vocab, m.kv_groups,
       d.peak_tflops, d.memory_gbs, d.link_gbs, l.layers, tp, dp, micro_batch, l.seq_length, in_flight, first_stage,
       last_stage, recompute = 'selective',
       CASE WHEN recompute GLOB 'block*' THEN CAST(substr(recompute, 6) AS REAL) / l.layers
            ELSE recompute = 'full' OR recompute GLOB 'uniform*' END
FROM (SELECT weight, device, model, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, recompute,
             in_flight, time_ms, reserved_mib, e ->> 'time_ms' AS analytic_ms, e ->> 'reserved_mib' AS analytic_mib
      FROM line
      UNION ALL
      SELECT 0, t.device, t.model, t.layers, t.first_stage, t.last_stage, t.tp, t.dp, t.micro_batch, t.seq_length,
             t.recompute, t.in_flight, t.time_ms, t.reserved_mib, p.time_ms, p.reserved_mib
      FROM test AS t JOIN part AS p USING (run, stage)) AS l
     JOIN memx_model AS m USING (model) JOIN memx_device AS d USING (device);
.output
.once figures_more
SELECT 'by_design', column1, column2 FROM (
    SELECT 'measured' AS column1, count(*) AS column2 FROM memx_profile
    UNION ALL SELECT 'augmented', count(*) FROM memx_augmented
    UNION ALL SELECT 'time_trees', errors ->> '$.time.used' FROM memx_predictor WHERE predictor = 'by_design'
    UNION ALL SELECT 'peak_trees', errors ->> '$.peak.used' FROM memx_predictor WHERE predictor = 'by_design');
.shell cat figures_more >>figures
