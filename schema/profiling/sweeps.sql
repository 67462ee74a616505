-- Sweeps: measured configurations that are equal but for one parameter. A row per parameter, sweep and
-- value; `sweep` is the text of all that stays the same.
SELECT * FROM (
    SELECT *, count(*) OVER (PARTITION BY parameter, sweep) AS points
    FROM (
        SELECT v.parameter, p.device, p.framework, p.model, p.id, p.time_ms, p.memory_mib,
               CASE v.parameter
                   WHEN 'layers' THEN p.layers WHEN 'tp' THEN p.tp WHEN 'dp' THEN p.dp
                   WHEN 'micro_batch' THEN p.micro_batch WHEN 'seq_length' THEN p.seq_length
                   WHEN 'heads' THEN p.heads WHEN 'kv_groups' THEN p.kv_groups
                   WHEN 'in_flight' THEN p.in_flight WHEN 'recompute' THEN p.recompute
                   WHEN 'sequence_parallel' THEN p.sequence_parallel
                   ELSE p.distributed_optimizer END AS value,
               format('%s %s %s', p.device, p.framework, p.model)
               || format(' stage%d%d', p.first_stage, p.last_stage)
               || iif(v.parameter = 'layers', '', ' layers' || p.layers)
               || iif(v.parameter = 'tp', '', ' tp' || p.tp)
               || iif(v.parameter = 'dp', '', ' dp' || p.dp)
               || iif(v.parameter = 'micro_batch', '', ' mb' || p.micro_batch)
               || iif(v.parameter = 'seq_length', '', ' seq' || p.seq_length)
               || iif(v.parameter = 'heads', '', ' hd' || ifnull(p.heads, ''))
               -- one for every head goes with the heads
               || iif(v.parameter = 'kv_groups' OR (v.parameter = 'heads' AND p.kv_groups = p.heads), '',
                      ' kv' || ifnull(p.kv_groups, ''))
               || iif(v.parameter = 'recompute', '', ' ' || p.recompute)
               || iif(v.parameter = 'in_flight', '', ' n' || p.in_flight)
               || iif(v.parameter = 'sequence_parallel', '', ' sp' || sp.value)
               || iif(v.parameter = 'distributed_optimizer', '', ' do' || opt.value) AS sweep
        FROM profile AS p,
             (SELECT column1 AS parameter
              FROM (VALUES ('layers'), ('tp'), ('dp'), ('micro_batch'), ('seq_length'), ('heads'),
                           ('kv_groups'), ('recompute'), ('in_flight'), ('sequence_parallel'),
                           ('distributed_optimizer'))) AS v
             -- A tp of 1 has no sequence parallelism, a dp of 1 no distributed optimizer: the least value
             -- of a sweep with them as of one without.
             JOIN (SELECT 0 AS value UNION ALL SELECT 1) AS sp
                 ON sp.value = p.sequence_parallel OR (v.parameter = 'tp' AND p.tp = 1)
             JOIN (SELECT column1 AS value FROM (VALUES (0), (1), (2), (3))) AS opt
                 ON opt.value = p.distributed_optimizer OR (v.parameter = 'dp' AND p.dp = 1)
        WHERE p.time_ms IS NOT NULL OR p.memory_mib IS NOT NULL))
WHERE points > 1
