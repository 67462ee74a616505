-- megatron_log_gpus(text): the memory of every rank that a training log of Megatron-LM tells of.
SELECT r.value ->> 'run' AS run, g.value ->> 0 AS rank, CAST(g.value ->> 1 AS REAL) AS allocated_mib,
       CAST(g.value ->> 2 AS REAL) AS reserved_mib,
       CAST(g.value ->> 3 AS REAL) AS total_mib, NULL AS log_text
FROM json_each(?2, '$.runs') AS r, json_each(r.value, '$.gpus') AS g
