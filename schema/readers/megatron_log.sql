-- megatron_log(text [, job [, nodes]]): the runs of a training log of Megatron-LM.
SELECT value ->> 'run' AS run, value ->> 'line' AS line, ?4 ->> 'job' AS job, value ->> 'config' AS config,
       value ->> 'problem' AS problem, CAST(value ->> 'iteration_ms' AS REAL) AS iteration_ms,
       CAST(value ->> 'mean_ms' AS REAL) AS mean_ms,
       value ->> 'iterations' AS iterations, value ->> 'warm_up' AS warm_up,
       CAST(value ->> 'tflops_per_gpu' AS REAL) AS tflops_per_gpu, CAST(value ->> 'compute_ms' AS REAL) AS compute_ms,
       value ->> 'oom' AS oom, value ->> 'oom_rank' AS oom_rank,
       value ->> 'oom_line' AS oom_line, json_array_length(value, '$.gpus') AS ranks,
       value ->> 'tp' AS tp, value ->> 'pp' AS pp, value ->> 'dp' AS dp, value ->> 'cp' AS cp,
       value ->> 'ep' AS ep, value ->> 'vp' AS vp, value ->> 'micro_batch' AS micro_batch,
       value ->> 'global_batch' AS global_batch, value ->> 'seq_length' AS seq_length, value ->> 'hidden' AS hidden,
       value ->> 'ffn_hidden' AS ffn_hidden, value ->> 'heads' AS heads,
       value ->> 'kv_groups' AS kv_groups, value ->> 'sequence_parallel' AS sequence_parallel,
       value ->> 'distributed_optimizer' AS distributed_optimizer, value ->> 'layers' AS layers,
       value ->> 'recompute' AS recompute, value ->> 'trained_in' AS trained_in,
       (?4 ->> 'notes') || iif(?4 ->> 'noted' > 5, printf('; and %d more', (?4 ->> 'noted') - 5), '') AS notes
FROM json_each(?4, '$.runs')
