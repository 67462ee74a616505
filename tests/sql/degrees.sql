-- ZeRO's stage, context parallelism and interleaved pipelines as knobs of spaces, configurations, columns and flags.
.mode list
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('h', 400);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('h', 0, 'H100-SXM-80GB', 8), ('h', 1, 'H100-SXM-80GB', 8);
INSERT INTO memx_job(job, cluster, model, framework, global_batch, seq_length, space) VALUES
    ('all', 'h', 'llama3-8b', 'megatron-bf16', 64, 8192, 'all'), ('own', 'h', 'llama3-8b', 'megatron-bf16', 64, 8192, 'free'),
    ('lean', 'h', 'llama3-8b', 'megatron-bf16-precision-aware', 64, 8192, 'free');
INSERT INTO memx_space(space, param, value) VALUES ('all', 'cp', 1), ('all', 'cp', 2), ('all', 'cp', 3), ('all', 'vp', 1),
    ('all', 'vp', 2), ('all', 'vp', 3), ('all', 'distributed_optimizer', 0), ('all', 'distributed_optimizer', 1),
    ('all', 'distributed_optimizer', 2), ('all', 'distributed_optimizer', 3), ('all', 'tp', 2), ('all', 'micro_batch', 1),
    ('all', 'recompute', 'full'), ('all', 'layer_split', 'uniform');

-- Without rows they are 1, and the framework's.
SELECT DISTINCT cp, vp, distributed_optimizer FROM memx_configs WHERE job = 'own' AND tp = 4 AND pp = 2 AND micro_batch = 1
    AND recompute = 'full,full' AND layers = '16,16';
-- A vp above 1 goes with pipelines alone; rows say what they are, and their text is them.
SELECT cp, vp, count(*), min(pp), count(DISTINCT distributed_optimizer) FROM memx_configs WHERE job = 'all' GROUP BY cp, vp;
SELECT 'wrong rows', count(*) FROM memx_configs WHERE job = 'all' AND (tp * cp * pp * dp <> 16
    OR (cp > 1) <> (config LIKE '%.cp2%') OR (vp > 1) <> (config LIKE '%.vp2/%')
    OR (distributed_optimizer <> 1 AND dp * cp > 1) <> (config LIKE '%.do_%'));
SELECT 'same', count(*) FROM memx_configs AS c, memx_predict(c.job, c.config) AS p
    WHERE c.job = 'all' AND c.iteration_ms = p.iteration_ms AND c.peak_mib = p.peak_mib AND c.layers = p.layers
    HAVING count(*) = (SELECT count(*) FROM memx_configs WHERE job = 'all');
SELECT 'ranked', (SELECT group_concat(config, ' ') FROM (SELECT config FROM memx_configs WHERE job = 'all' AND vp >= 2 AND cp = 2 ORDER BY phi LIMIT 5))
    = (SELECT group_concat(config, ' ') FROM (SELECT config FROM memx_configs WHERE job = 'all' AND vp >= 2 AND cp = 2 ORDER BY +phi LIMIT 5));
SELECT reason, count, example FROM memx_why('all') WHERE reason NOT IN ('feasible', 'batch not divisible');

-- What a stage holds and takes: state shared by more, activations of fewer tokens, chunks in flight.
SELECT distributed_optimizer AS zero, cp, vp, in_flight, layers, round(static_mib) AS static_mib, round(activation_mib) AS activation_mib,
       round(time_ms, 1) AS time_ms, round(dp_sync_ms, 1) AS dp_sync_ms
FROM (VALUES ('tp2.dp4.mb1'), ('tp2.dp4.mb1.do0'), ('tp2.dp4.mb1.do2'), ('tp2.dp4.mb1.do3'), ('tp2.dp2.mb1.cp2'), ('tp2.dp4.mb1.vp4'), ('tp2.dp4.mb1.vp2')) AS c,
     memx_stages('own', c.column1 || '/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none') WHERE stage = 0;
-- The bubble of an interleaved pipeline: simulated and by the formula.
SELECT vp, round(bubble, 4) AS bubble, round(iteration_ms / simulated_ms, 3) AS formula
FROM (VALUES (''), ('.vp2'), ('.vp4')) AS c, memx_predict('own', 'tp2.dp2.mb1' || c.column1
     || '/H100-SXM-80GB*8:none,H100-SXM-80GB*8:none,H100-SXM-80GB*8:none,H100-SXM-80GB*8:none');
SELECT count(DISTINCT signature) FROM (VALUES (''), ('.cp2'), ('.vp2'), ('.do2'), ('.do3')) AS c,
    memx_stages('own', 'tp2.dp' || iif(c.column1 = '.cp2', 2, 4) || '.mb1' || c.column1 || '/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none') WHERE stage = 0;
SELECT count(DISTINCT cp_rank), count(DISTINCT dp_rank), count(DISTINCT tp_rank), count(*), max(rank)
FROM memx_gpus('own', 'tp2.dp2.mb1.cp2/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none');
SELECT round(static_mib) FROM memx_stages('lean', 'tp2.dp4.mb1/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none') WHERE stage = 0;
SELECT count(*) > 100, json_extract(memx_trace('own', 'tp2.dp2.mb1.vp2/H100-SXM-80GB*8:none,H100-SXM-80GB*8:none,H100-SXM-80GB*8:none,H100-SXM-80GB*8:none'), '$.otherData.micro_batches')
FROM json_each(memx_trace('own', 'tp2.dp2.mb1.vp2/H100-SXM-80GB*8:none,H100-SXM-80GB*8:none,H100-SXM-80GB*8:none,H100-SXM-80GB*8:none'), '$.traceEvents')
WHERE value ->> '$.args.chunk' = 2;

-- What Megatron-LM is told.
SELECT substr(flags, instr(flags, '--tensor-model')) FROM (SELECT megatron_args(c.column1, c.column2) AS flags FROM (VALUES
    ('own', 'tp2.dp2.mb1.cp2.vp2/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none'),
    ('own', 'tp2.dp4.mb1.vp2/H100-SXM-80GB*18:none,H100-SXM-80GB*14:none'),
    ('own', 'tp2.dp8.mb1.do2/H100-SXM-80GB*32:none'), ('own', 'tp2.dp8.mb1.do3/H100-SXM-80GB*32:none'),
    ('lean', 'tp2.dp8.mb1/H100-SXM-80GB*32:none')) AS c);
SELECT megatron_args('lean', 'tp2.dp8.mb1.do0/H100-SXM-80GB*32:none');
SELECT cp, vp, config FROM megatron_log('  world_size ......... 16
  tensor_model_parallel_size ......... 2
  pipeline_model_parallel_size ......... 2
  context_parallel_size ......... 2
  virtual_pipeline_model_parallel_size ......... 4
  use_megatron_fsdp ......... True
  data_parallel_sharding_strategy ......... optim_grads
  micro_batch_size ......... 1
  global_batch_size ......... 64
  num_layers ......... 32
  hidden_size ......... 4096
  num_attention_heads ......... 32
  group_query_attention ......... True
  num_query_groups ......... 8
  seq_length ......... 8192
  sequence_parallel ......... True
', 'own');

-- Megatron-LM refuses experts over several ranks but in bf16; a moment in half precision wants its distributed
-- optimizer also where nobody divides with it; torchtitan's selective has no flag.
INSERT INTO memx_job(job, cluster, model, framework, global_batch, seq_length) VALUES
    ('experts', 'h', 'mixtral-8x7b', 'megatron-fp16', 64, 4096), ('fsdp', 'h', 'llama3-8b', 'torchtitan-fsdp', 64, 8192);
SELECT megatron_args('experts', 'tp1.dp16.mb1.ep8/H100-SXM-80GB*32:full');
SELECT instr(megatron_args('experts', 'tp1.dp16.mb1/H100-SXM-80GB*32:full'), 'grouped-gemm');
SELECT instr(megatron_args('lean', 'tp8.dp1.mb1/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none'), '--use-distributed-optimizer') > 0;
SELECT substr(megatron_args('fsdp', 'tp1.dp16.mb1/H100-SXM-80GB*32:selective'), 300);
-- Each level of a stage of chunks, as memx_stages has it.
SELECT abs(json_extract(recompute_plan_detail('own', 'tp2.dp4.mb1.vp4/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none'), '$.stages[0].levels[0].time_ms')
       / (SELECT time_ms FROM memx_stages('own', 'tp2.dp4.mb1.vp4/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none') WHERE stage = 0) - 1) < 1e-5;
-- The last stage sends to the first.
SELECT group_concat(hop_ms > 0, ' ') FROM memx_stages('own', 'tp2.dp4.mb1.vp4/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none');

-- What cannot be.
SELECT vp FROM memx_predict('own', 'tp2.dp8.mb1.vp2/H100-SXM-80GB*32:none');
SELECT vp FROM memx_predict('own', 'tp2.dp4.mb1.vp2/H100-SXM-80GB*17:none,H100-SXM-80GB*15:none');
SELECT vp FROM memx_predict('own', 'tp2.dp4.mb1.vp3/H100-SXM-80GB*18:none,H100-SXM-80GB*15:none');
SELECT vp FROM memx_predict('own', 'tp2.dp4.mb16.vp2/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none');
SELECT cp FROM memx_predict('own', 'tp2.dp4.mb1.cp2/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none');
SELECT cp FROM memx_predict('own', 'tp2.dp2.mb1.seq4097.cp2/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none');
SELECT cp FROM memx_predict('own', 'tp2.dp2.mb1.cp0/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none');
SELECT cp FROM memx_predict('own', 'tp2.dp2.mb1.cp99/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none');
SELECT cp FROM memx_predict('own', 'tp2.dp4.mb1.do4/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none');
INSERT INTO memx_space(space, param, value) VALUES ('bad', 'distributed_optimizer', '4');
INSERT INTO memx_space(space, param, value) VALUES ('bad', 'vp', '0');
