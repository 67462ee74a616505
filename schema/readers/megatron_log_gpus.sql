-- megatron_log_gpus(text): the memory of every rank that a training log of Megatron-LM tells of.
-- A run's text is long and is not to be read again for each of its ranks.
WITH r AS MATERIALIZED (SELECT value ->> 'run' AS run, value -> 'gpus' AS gpus FROM json_each(?2, '$.runs'))
SELECT r.run, g.value ->> 0 AS rank, CAST(g.value ->> 1 AS REAL) AS allocated_mib,
       CAST(g.value ->> 2 AS REAL) AS reserved_mib,
       CAST(g.value ->> 3 AS REAL) AS total_mib
FROM r, json_each(r.gpus) AS g
