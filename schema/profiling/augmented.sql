-- memx_augmented: training rows between neighbouring measured points of a sweep, along the parameters that
-- linearity approves for that output; the sweep itself may have two points or three. At most eight in an
-- interval, evenly spaced over the whole numbers between (for seq_length the multiples of 128). Memory is
-- interpolated as it is, time as measured over analytic, which keeps the curve's shape. Combinations that
-- cannot run, such as a tp that does not divide the heads, are left out.
WITH approved AS MATERIALIZED (
    SELECT device, framework, model, parameter, max(output = 'time') AS time, max(output = 'peak') AS peak
    FROM linearity WHERE interpolate GROUP BY device, framework, model, parameter),
-- The ends of each interval, with the parts of it that are wanted.
ends AS (
    SELECT s.parameter, s.id, s.value AS most, s.time_ms AS time1, s.memory_mib AS memory1,
           a.time, a.peak, lag(s.id) OVER sweep AS id0, lag(s.value) OVER sweep AS least,
           lag(s.time_ms) OVER sweep AS time0, lag(s.memory_mib) OVER sweep AS memory0
    FROM sweeps AS s JOIN approved AS a USING (device, framework, model, parameter)
    WINDOW sweep AS (PARTITION BY s.parameter, s.sweep ORDER BY s.value)),
span AS MATERIALIZED (
    SELECT *, CASE WHEN parameter = 'seq_length' THEN 128 ELSE 1 END AS unit
    FROM ends WHERE most > least
                    AND ((time AND time0 > 0 AND time1 > 0) OR (peak AND memory0 > 0 AND memory1 > 0))),
spaced AS (
    SELECT *, (most - 1) / unit - least / unit AS room, min(8, (most - 1) / unit - least / unit) AS count
    FROM span),
point AS (
    SELECT s.*, (least / unit + k.value * (room + 1) / (count + 1)) * unit AS at
    FROM spaced AS s, (WITH RECURSIVE k(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM k LIMIT 8)
                       SELECT value FROM k) AS k
    WHERE k.value <= count),
estimate AS MATERIALIZED (
    SELECT id, stage_estimate(device, model, framework, layers, first_stage, last_stage, tp, dp,
                              micro_batch, seq_length, heads, kv_groups, recompute, in_flight,
                              sequence_parallel, distributed_optimizer) ->> 'time_ms' AS time_ms
    FROM profile WHERE id IN (SELECT id FROM span UNION SELECT id0 FROM span)),
-- The upper end's configuration but for the parameter.
made AS (
    SELECT t.parameter, t.id0, t.id, t.least, t.most, t.at, t.time, t.peak, t.time0, t.time1, t.memory0,
           t.memory1, CAST(t.at - t.least AS REAL) / (t.most - t.least) AS share,
           p.device, p.model, p.framework,
           iif(parameter = 'layers', t.at, p.layers) AS layers, p.first_stage, p.last_stage,
           iif(parameter = 'tp', t.at, p.tp) AS tp, iif(parameter = 'dp', t.at, p.dp) AS dp,
           iif(parameter = 'micro_batch', t.at, p.micro_batch) AS micro_batch,
           iif(parameter = 'seq_length', t.at, p.seq_length) AS seq_length,
           iif(parameter = 'heads', t.at, p.heads) AS heads,
           iif(parameter = 'kv_groups' OR (parameter = 'heads' AND p.kv_groups = p.heads), t.at,
               p.kv_groups) AS kv_groups,
           p.recompute, iif(parameter = 'in_flight', t.at, p.in_flight) AS in_flight,
           p.sequence_parallel, p.distributed_optimizer, p.reserved
    FROM point AS t JOIN profile AS p USING (id)),
estimated AS MATERIALIZED (
    SELECT r.*, stage_estimate(device, model, framework, layers, first_stage, last_stage, tp, dp,
                               micro_batch, seq_length, heads, kv_groups, recompute, in_flight,
                               sequence_parallel, distributed_optimizer) ->> 'time_ms' AS analytic_ms
    FROM made AS r),
interpolated AS (
    SELECT r.*,
           iif(time, (time0 / e0.time_ms + share * (time1 / e1.time_ms - time0 / e0.time_ms)) * analytic_ms,
               NULL) AS time_ms,
           iif(peak, memory0 + share * (memory1 - memory0), NULL) AS memory_mib
    FROM estimated AS r JOIN estimate AS e0 ON e0.id = r.id0 JOIN estimate AS e1 ON e1.id = r.id
    WHERE analytic_ms > 0)
SELECT NULL AS id, device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
       seq_length, heads, kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms,
       iif(reserved, NULL, memory_mib) AS allocated_mib, iif(reserved, memory_mib, NULL) AS reserved_mib,
       'interpolated' AS source,
       format('%s between %d and %d, memx_profile id %d and %d', parameter, least, most, id0, id) AS origin,
       0.3 AS weight -- ours: less than a measured row, which they repeat
FROM interpolated WHERE time_ms IS NOT NULL OR memory_mib IS NOT NULL
ORDER BY id0, id, parameter, at
