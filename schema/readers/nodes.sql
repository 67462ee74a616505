-- nvidia_smi(csv) and rocm_smi(json): the nodes that the cards listed there make.
SELECT value ->> 0 AS ordinal, value ->> 1 AS device, value ->> 2 AS gpus, CAST(value ->> 3 AS REAL) AS memory_mib,
       value ->> 4 AS name, value ->> 5 AS host
FROM json_each(?2)
