-- What has been measured: a row per configuration of memx_profile, by the catalog's own names and the
-- model's own heads, with the means of its measurements, which may all be NULL. Memory is reserved_mib where
-- any row of the table has it, else allocated_mib: never a mix of the two. (memx_train also looks at the runs'
-- memory, and takes total_mib before allocated_mib.)
SELECT min(id) AS id, device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
       seq_length, heads, kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer,
       avg(time_ms) AS time_ms, avg(memory_mib) AS memory_mib, reserved
FROM (
    SELECT p.id, coalesce((SELECT device FROM memx_device AS d WHERE d.device = p.device),
                          (SELECT device FROM memx_alias AS a WHERE a.name = p.device), p.device) AS device,
           p.model, p.framework, p.layers, p.first_stage, p.last_stage, p.tp, p.dp, p.micro_batch,
           p.seq_length, coalesce(p.heads, m.heads) AS heads,
           coalesce(p.kv_groups, iif(m.kv_groups = m.heads, p.heads, NULL), m.kv_groups) AS kv_groups,
           -- as it is written on so many layers
           CASE WHEN p.recompute GLOB 'block*' THEN iif(substr(p.recompute, 6) + 0 >= p.layers, 'full', p.recompute)
                WHEN p.recompute NOT GLOB 'uniform*' THEN p.recompute
                WHEN min(substr(p.recompute, 8) + 0, p.layers) = 1 THEN 'full'
                ELSE 'uniform' || min(substr(p.recompute, 8) + 0, p.layers) END AS recompute,
           p.in_flight, p.sequence_parallel AND p.tp > 1 AS sequence_parallel,
           iif(p.dp > 1, p.distributed_optimizer, 0) AS distributed_optimizer, p.time_ms,
           iif(held.reserved, p.reserved_mib, p.allocated_mib) AS memory_mib, held.reserved
    FROM memx_profile AS p LEFT JOIN memx_model AS m ON m.model = p.model,
         (SELECT EXISTS (SELECT 1 FROM memx_profile WHERE reserved_mib IS NOT NULL) AS reserved) AS held)
GROUP BY device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, heads,
         kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer
