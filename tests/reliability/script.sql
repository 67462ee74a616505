-- What a user does, in statements that each fail at every point (faults.c): set up, describe, import, train, search,
-- look, report. Small: every statement is run some hundred times.
SELECT memx_init();
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('two', 50);
INSERT INTO memx_node(cluster, ordinal, device, gpus, host_memory_mib, host_memory_gbs)
VALUES ('two', 0, 'A100-SXM-80GB', 2, 256000, 100), ('two', 1, 'V100-SXM2-32GB', 2, 128000, 60);
INSERT INTO memx_node(cluster, ordinal, device, gpus, host_memory_mib, host_memory_gbs)
VALUES ('one', 0, 'RTX3090', 2, 128000, 50);
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('one', 12);
INSERT INTO memx_job(job, cluster, model, framework, global_batch, seq_length)
VALUES ('j', 'two', 'gpt2', 'megatron-fp16', 8, 256), ('pro', 'one', 'gpt2', 'deepspeed-fp16', 4, 256);
INSERT INTO memx_space(space, param, value) VALUES ('own', 'vp', 1), ('own', 'vp', 2), ('own', 'cp', 1), ('own', 'cp', 2), ('own', 'micro_batch', 1);
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
    recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib)
SELECT d.column1, 'gpt2', 'megatron-fp16', l.value, 0, 0, 1, 1, m.value, 256, 'none', 1, 0, 0,
       l.value * m.value * 0.4 + 1, 900 + 60 * l.value * m.value
FROM (VALUES ('A100-SXM-80GB'), ('V100-SXM2-32GB')) AS d, json_each('[2,3,4,6,8]') AS l, json_each('[1,2,4]') AS m;
SELECT device, parameter, points, keep FROM memx_sensitivity ORDER BY 1, 2;
SELECT device, parameter, output, r2 FROM memx_linearity ORDER BY 1, 2, 3;
SELECT count(*), sum(weight) FROM memx_augmented;
-- Nothing around it: what fails there fails when the training is committed.
SELECT memx_train('learned', '{"rounds": 4, "least_rows": 8}') IS NOT NULL;
SELECT count(*), max(phi + 0), min(iteration_ms), max(predictor) FROM memx_configs WHERE job = 'j';
SELECT config, iteration_ms, peak_mib, memory_variance, phi FROM memx_configs WHERE job = 'j' AND space = 'free' ORDER BY phi LIMIT 3;
SELECT config, phi FROM memx_configs WHERE job = 'j' AND space = 'own' AND slowdown <= 2 ORDER BY iteration_ms LIMIT 3;
SELECT count(*) FROM memx_configs WHERE job = 'j' AND pareto = 1 AND space = 'free';
SELECT * FROM memx_predict('j', 'tp1.dp2.mb1/A100-SXM-80GB*8:none,V100-SXM2-32GB*4:full');
SELECT stage, time_ms, peak_mib, rate_iteration, signature FROM memx_stages('j', 'tp1.dp2.mb1/A100-SXM-80GB*8:none,V100-SXM2-32GB*4:full');
SELECT count(*), sum(peak_mib) FROM memx_gpus('j', 'tp1.dp2.mb1/A100-SXM-80GB*8:none,V100-SXM2-32GB*4:full');
SELECT reason, count, example FROM memx_why('j', 'own');
SELECT * FROM memx_reference('j');
SELECT recompute_plan('j', 'tp1.dp2.mb1/A100-SXM-80GB*8:none,V100-SXM2-32GB*4:full', 'phi');
SELECT length(recompute_plan_detail('j', 'tp1.dp2.mb1/A100-SXM-80GB*8:none,V100-SXM2-32GB*4:full', 'headroom=0.1'));
SELECT layer_split('j', 'tp1.dp2.mb1/A100-SXM-80GB*8:none,V100-SXM2-32GB*4:full', 'time');
SELECT megatron_args('j', 'tp1.dp2.mb1/A100-SXM-80GB*8:none,V100-SXM2-32GB*4:full');
SELECT length(memx_trace('j', 'tp1.dp2.mb1/A100-SXM-80GB*8:none,V100-SXM2-32GB*4:full'));
SELECT length(memx_report('j', 'tp1.dp2.mb1/A100-SXM-80GB*8:none,V100-SXM2-32GB*4:full'));
SELECT run, config, iteration_ms, problem FROM megatron_log('  world_size ......... 4
  tensor_model_parallel_size ......... 1
  pipeline_model_parallel_size ......... 2
  micro_batch_size ......... 1
  global_batch_size ......... 8
  num_layers ......... 12
  hidden_size ......... 768
  num_attention_heads ......... 12
  seq_length ......... 256
  fp16 ......... True
 iteration 1/ 9 | consumed samples: 8 | elapsed time per iteration (ms): 103.5 | learning rate: 1.0E-4 | global batch size: 8 |
 iteration 2/ 9 | consumed samples: 16 | elapsed time per iteration (ms): 101.5 | learning rate: 1.0E-4 | global batch size: 8 |
', 'j');
SELECT layers, hidden, heads, kv_groups FROM hf_config('{"num_hidden_layers": 12, "hidden_size": 768, "num_attention_heads": 12, "intermediate_size": 3072, "vocab_size": 50257, "max_position_embeddings": 1024, "model_type": "llama"}');
-- Two terms that give the same text its own name each: a number that must become a text, and a text.
SELECT model, layers FROM hf_config
WHERE (json_text = '{"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 2, "intermediate_size": 128, "vocab_size": 100, "max_position_embeddings": 64, "model_type": "llama"}' AND given_name = 5 AND layers = 2)
   OR (json_text = '{"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 2, "intermediate_size": 128, "vocab_size": 100, "max_position_embeddings": 64, "model_type": "llama"}' AND given_name = 'six' AND heads = 2);
INSERT INTO memx_run(job, config, iteration_ms, source) SELECT 'j', config, 1.2 * iteration_ms, 'mine' FROM memx_configs WHERE job = 'j' ORDER BY phi LIMIT 3;
SELECT memx_calibrate('two') IS NOT NULL;
SELECT count(*), sum(expected_time_ms IS NULL) FROM memx_measure('j');
SELECT config, iteration_ms, gpu_peak_mib FROM protrain_configs WHERE job = 'pro' ORDER BY iteration_ms LIMIT 3;
SELECT json_extract(deepspeed_config('pro', (SELECT config FROM protrain_configs WHERE job = 'pro' ORDER BY iteration_ms LIMIT 1)), '$.train_batch_size');
SELECT phi(2, 3, 4, '[0.5, 0.25, 0.25, 1]'), phi(2, 3, 4);
SELECT memx_views();
SELECT count(*), mape(measured_ms, predicted_ms), median(predicted_ms) FROM memx_measured;
