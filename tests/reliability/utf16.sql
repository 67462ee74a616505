-- What reads texts, in a database whose own are UTF-16: each must become UTF-8, which takes memory (faults.c).
PRAGMA encoding = 'UTF-16le';
CREATE TABLE note(text); -- an empty database forgets its encoding
SELECT memx_init();
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('two', 50);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('two', 0, 'A100-SXM-80GB', 2), ('two', 1, 'V100-SXM2-32GB', 2);
INSERT INTO memx_job(job, cluster, model, framework, global_batch, seq_length) VALUES ('j', 'two', 'gpt2', 'megatron-fp16', 8, 256);
SELECT config, iteration_ms, phi FROM memx_configs WHERE job = 'j' AND space = 'free' ORDER BY phi LIMIT 2;
SELECT * FROM memx_predict('j', 'tp1.dp2.mb1/A100-SXM-80GB*8:none,V100-SXM2-32GB*4:full');
SELECT stage, device, recompute, time_ms, signature FROM memx_stages('j', 'tp1.dp2.mb1/A100-SXM-80GB*8:none,V100-SXM2-32GB*4:full');
SELECT recompute_plan('j', 'tp1.dp2.mb1/A100-SXM-80GB*8:none,V100-SXM2-32GB*4:full', 'headroom=0.1');
SELECT layer_split('j', 'tp1.dp2.mb1/A100-SXM-80GB*8:none,V100-SXM2-32GB*4:full', 'time');
SELECT phi(2, 3, 4, '[0.5, 0.25, 0.25, 1]'), phi(2, 3, 4);
SELECT reason, count, example FROM memx_why('j');
SELECT megatron_args('j', 'tp1.dp2.mb1/A100-SXM-80GB*8:none,V100-SXM2-32GB*4:full');
SELECT device, gpus, name FROM nvidia_smi('name, memory.total [MiB]
Tesla T4, 15360 MiB
');
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
SELECT model, layers FROM hf_config
WHERE (json_text = '{"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 2, "intermediate_size": 128, "vocab_size": 100, "max_position_embeddings": 64, "model_type": "llama"}' AND given_name = 5 AND layers = 2)
   OR (json_text = '{"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 2, "intermediate_size": 128, "vocab_size": 100, "max_position_embeddings": 64, "model_type": "llama"}' AND given_name = 'six' AND heads = 2);
INSERT INTO memx_run(job, config, iteration_ms, source) SELECT 'j', config, 1.2 * iteration_ms, 'mine' FROM memx_configs WHERE job = 'j' ORDER BY phi LIMIT 3;
