-- hf_config: config.json files in the shape of their makers give the rows of the catalog.
CREATE TEMP TABLE file(name TEXT PRIMARY KEY, json TEXT);
INSERT INTO file VALUES
    ('llama2-7b', '{"architectures": ["LlamaForCausalLM"], "attention_bias": false, "bos_token_id": 1, "hidden_act": "silu", "hidden_size": 4096, "initializer_range": 0.02, "intermediate_size": 11008, "max_position_embeddings": 4096, "model_type": "llama", "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 32, "pretraining_tp": 1, "rms_norm_eps": 1e-05, "rope_scaling": null, "tie_word_embeddings": false, "torch_dtype": "bfloat16", "vocab_size": 32000}'),
    ('llama2-70b', '{"architectures": ["LlamaForCausalLM"], "attention_bias": false, "bos_token_id": 1, "hidden_act": "silu", "hidden_size": 8192, "initializer_range": 0.02, "intermediate_size": 28672, "max_position_embeddings": 4096, "model_type": "llama", "num_attention_heads": 64, "num_hidden_layers": 80, "num_key_value_heads": 8, "pretraining_tp": 1, "rms_norm_eps": 1e-05, "rope_scaling": null, "tie_word_embeddings": false, "torch_dtype": "bfloat16", "vocab_size": 32000}'),
    ('llama3-8b', '{"architectures": ["LlamaForCausalLM"], "attention_bias": false, "bos_token_id": 1, "hidden_act": "silu", "hidden_size": 4096, "initializer_range": 0.02, "intermediate_size": 14336, "max_position_embeddings": 8192, "model_type": "llama", "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8, "pretraining_tp": 1, "rms_norm_eps": 1e-05, "rope_scaling": null, "tie_word_embeddings": false, "torch_dtype": "bfloat16", "vocab_size": 128256, "rope_theta": 500000.0}'),
    ('llama3.1-405b', '{"architectures": ["LlamaForCausalLM"], "attention_bias": false, "bos_token_id": 1, "hidden_act": "silu", "hidden_size": 16384, "initializer_range": 0.02, "intermediate_size": 53248, "max_position_embeddings": 131072, "model_type": "llama", "num_attention_heads": 128, "num_hidden_layers": 126, "num_key_value_heads": 8, "pretraining_tp": 1, "rms_norm_eps": 1e-05, "rope_scaling": {"factor": 8.0, "original_max_position_embeddings": 8192, "rope_type": "llama3"}, "tie_word_embeddings": false, "torch_dtype": "bfloat16", "vocab_size": 128256, "mlp_bias": false}'),
    ('llama3.2-1b', '{"architectures": ["LlamaForCausalLM"], "attention_bias": false, "bos_token_id": 1, "hidden_act": "silu", "hidden_size": 2048, "initializer_range": 0.02, "intermediate_size": 8192, "max_position_embeddings": 131072, "model_type": "llama", "num_attention_heads": 32, "num_hidden_layers": 16, "num_key_value_heads": 8, "pretraining_tp": 1, "rms_norm_eps": 1e-05, "rope_scaling": {"factor": 32.0, "original_max_position_embeddings": 8192}, "tie_word_embeddings": true, "torch_dtype": "bfloat16", "vocab_size": 128256, "head_dim": 64}'),
    ('llama-7b', '{"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 32000, "max_position_embeddings": 2048}'),
    ('mistral-7b', '{"model_type": "mistral", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 32000, "max_position_embeddings": 8192, "sliding_window": 4096}'),
    ('qwen2.5-0.5b', '{"model_type": "qwen2", "hidden_size": 896, "num_hidden_layers": 24, "num_attention_heads": 14, "num_key_value_heads": 2, "intermediate_size": 4864, "vocab_size": 151936, "max_position_embeddings": 32768, "tie_word_embeddings": true, "use_sliding_window": false}'),
    ('qwen2.5-72b', '{"model_type": "qwen2", "hidden_size": 8192, "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8, "intermediate_size": 29568, "vocab_size": 152064, "max_position_embeddings": 32768, "tie_word_embeddings": false}'),
    ('gpt2-xl', '{"model_type": "gpt2", "activation_function": "gelu_new", "n_ctx": 1024, "n_embd": 1600, "n_head": 25, "n_layer": 48, "n_positions": 1024, "n_inner": null, "vocab_size": 50257}'),
    ('gpt2', '{"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024, "vocab_size": 50257}'),
    ('mixtral-8x7b', '{"model_type": "mixtral", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 32000, "max_position_embeddings": 32768, "num_local_experts": 8, "num_experts_per_tok": 2, "sliding_window": null}'),
    ('deepseek-v3', '{"model_type": "deepseek_v3", "first_k_dense_replace": 3, "hidden_size": 7168, "intermediate_size": 18432, "kv_lora_rank": 512, "max_position_embeddings": 163840, "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1, "num_attention_heads": 128, "num_experts_per_tok": 8, "num_hidden_layers": 61, "num_key_value_heads": 128, "num_nextn_predict_layers": 1, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 129280, "rope_scaling": {"factor": 40, "original_max_position_embeddings": 4096, "type": "yarn"}}'),
    ('qwen3-0.6b', '{"model_type": "qwen3", "hidden_size": 1024, "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 3072, "vocab_size": 151936, "max_position_embeddings": 40960, "tie_word_embeddings": true, "attention_bias": false}'),
    ('qwen3-30b-a3b', '{"model_type": "qwen3_moe", "hidden_size": 2048, "num_hidden_layers": 48, "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128, "intermediate_size": 6144, "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8, "vocab_size": 151936, "max_position_embeddings": 40960, "tie_word_embeddings": false}'),
    ('gpt-neox-20b', '{"model_type": "gpt_neox", "hidden_act": "gelu_fast", "hidden_size": 6144, "num_hidden_layers": 44, "num_attention_heads": 64, "intermediate_size": 24576, "vocab_size": 50432, "max_position_embeddings": 2048, "rotary_pct": 0.25, "tie_word_embeddings": false}'),
    ('deepseek-v2-lite', '{"model_type": "deepseek_v2", "first_k_dense_replace": 1, "hidden_size": 2048, "intermediate_size": 10944, "kv_lora_rank": 512, "max_position_embeddings": 163840, "moe_intermediate_size": 1408, "n_routed_experts": 64, "n_shared_experts": 2, "num_attention_heads": 16, "num_experts_per_tok": 6, "num_hidden_layers": 27, "num_key_value_heads": 16, "q_lora_rank": null, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 102400, "rope_scaling": {"original_max_position_embeddings": 4096}}');
CREATE TEMP TABLE found AS SELECT c.* FROM file, hf_config(json, file.name) AS c;
-- Those of the catalog, and whether all that is counted is the same.
SELECT model, f.family = m.family, count(*) OVER () FROM found AS f JOIN memx_model AS m USING (model) ORDER BY model;
CREATE TEMP VIEW shape AS
SELECT 'found' AS whose, model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length, gated_mlp, tied_embeddings, biases, qkv_biases,
       learned_positions, norm, experts, experts_per_token, expert_ffn_hidden, shared_experts, dense_layers, q_lora_rank,
       kv_lora_rank, qk_nope_dim, qk_rope_dim, v_head_dim FROM found
UNION ALL
SELECT 'catalog', model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length, gated_mlp, tied_embeddings, biases, qkv_biases,
       learned_positions, norm, experts, experts_per_token, expert_ffn_hidden, shared_experts, dense_layers, q_lora_rank,
       kv_lora_rank, qk_nope_dim, qk_rope_dim, v_head_dim FROM memx_model WHERE model IN (SELECT model FROM found);
SELECT 'differ', * FROM (SELECT * FROM shape WHERE model IN (SELECT model FROM memx_model)
                         GROUP BY model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length, gated_mlp, tied_embeddings, biases, qkv_biases,
       learned_positions, norm, experts, experts_per_token, expert_ffn_hidden, shared_experts, dense_layers, q_lora_rank,
       kv_lora_rank, qk_nope_dim, qk_rope_dim, v_head_dim HAVING count(*) <> 2);
.mode line
SELECT * FROM found WHERE model NOT IN (SELECT model FROM memx_model) ORDER BY model;
.mode list

-- Into the table, and into a search.
INSERT INTO memx_model SELECT * FROM found WHERE model NOT IN (SELECT model FROM memx_model);
SELECT changes();
INSERT INTO memx_job(job, cluster, model, global_batch, seq_length) VALUES ('small', 'mix20', 'qwen3-0.6b', 64, 4096);
SELECT count(*) > 0 FROM memx_configs WHERE job = 'small';

-- Names: given, of the path, made of the shape. As bytes, with a byte order mark, with Windows line ends.
SELECT model FROM hf_config('{"_name_or_path": "org/Some-Model_1.5", ' || (SELECT substr(json, 2) FROM file WHERE name = 'gpt2'));
SELECT model FROM hf_config('{"_name_or_path": "C:\\models\\x y", ' || (SELECT substr(json, 2) FROM file WHERE name = 'gpt2'));
SELECT model, layers FROM hf_config((SELECT json FROM file WHERE name = 'gpt2'));
SELECT model, hidden FROM hf_config(CAST(char(65279) || (SELECT replace(json, ', ', ',' || char(13, 10)) FROM file WHERE name = 'gpt2') AS BLOB), 'b');
SELECT model, hidden, family FROM hf_config('{"model_type": "qwen2_vl", "text_config": ' || (SELECT json FROM file WHERE name = 'qwen2.5-0.5b') || '}', 'vl');

-- What is no config.json, and what it lacks.
SELECT * FROM hf_config;
SELECT * FROM hf_config(NULL);
SELECT * FROM hf_config('');
SELECT * FROM hf_config('{"model_type": "llama"');
SELECT * FROM hf_config('[]');
SELECT * FROM hf_config('3');
SELECT * FROM hf_config('{}');
SELECT * FROM hf_config('{"model_type": 7}');
SELECT * FROM hf_config('{"model_type": "bert", "hidden_size": 768}');
SELECT * FROM hf_config('{"model_type": "llama", "hidden_size": 4096, "num_attention_heads": null}');
SELECT * FROM hf_config((SELECT json_remove(json, '$.kv_lora_rank', '$.n_routed_experts') FROM file WHERE name = 'deepseek-v3'));
SELECT * FROM hf_config((SELECT json_set(json, '$.hidden_size', '4096') FROM file WHERE name = 'llama2-7b'));
SELECT * FROM hf_config((SELECT json_set(json, '$.hidden_size', 4096.5) FROM file WHERE name = 'llama2-7b'));
SELECT * FROM hf_config((SELECT json_set(json, '$.num_hidden_layers', 0) FROM file WHERE name = 'llama2-7b'));
SELECT * FROM hf_config((SELECT json_set(json, '$.num_hidden_layers', json('[1]')) FROM file WHERE name = 'llama2-7b'));
SELECT * FROM hf_config((SELECT json_set(json, '$.num_attention_heads', 33) FROM file WHERE name = 'llama2-7b'));
SELECT * FROM hf_config('{"model_type": "gpt2"}' || char(0) || 'x');
SELECT * FROM hf_config(x'fffe7b007d00');
SELECT * FROM hf_config(CAST(x'7b22ff' AS TEXT));
-- Many of them at once.
SELECT count(*), sum(layers) FROM file AS a, file AS b, hf_config(a.json);
-- Column by column those of the table.
SELECT count(*), sum(a.name = b.name) FROM pragma_table_info('memx_model') AS a JOIN pragma_table_info('found') AS b USING (cid);
