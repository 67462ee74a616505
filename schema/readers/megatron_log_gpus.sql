-- megatron_log_gpus(text): the memory of every rank that a training log of Megatron-LM tells of.
SELECT r.value ->> 'run' AS run, g.value ->> 0 AS rank, g.value ->> 1 AS allocated_mib, g.value ->> 2 AS reserved_mib,
       g.value ->> 3 AS total_mib, NULL AS text
FROM json_each(?2, '$.runs') AS r, json_each(r.value, '$.gpus') AS g
