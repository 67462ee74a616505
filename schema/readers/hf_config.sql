-- hf_config(json [, name]): a row of memx_model, column by column, from a Hugging Face config.json. Fields that say
-- nothing of the shape are passed over; `problem` names those that are missing or no numbers.
WITH
given AS (
    SELECT *, CASE WHEN valid THEN text ELSE '{}' END AS whole
    FROM (SELECT name, text, json_valid(text) OR json_valid(text || '') AS valid -- as MEMX_SQL_JSON
          FROM (SELECT ?3 ->> 'name' AS name, ?3 ->> 'text' AS text))),
-- A model of several kinds of input holds its language model under text_config.
document AS MATERIALIZED (
    SELECT name, valid, whole,
           CASE WHEN json_type(whole, '$.hidden_size') IS NULL AND json_type(whole, '$.text_config') = 'object'
                THEN whole -> 'text_config' ELSE whole END AS j
    FROM given),
-- extra: a further set of fields. tied: what tie_word_embeddings is where it is not said. qkv: query, key and
-- value have biases whatever is said. neox: biases, position and norm as in GPT.
kind(model_type, family, fields, extra, tied, qkv) AS (
    VALUES ('llama', 'llama', 'base', '', 0, 0), ('mistral', 'mistral', 'base', '', 0, 0),
           ('qwen2', 'qwen2', 'base', '', 0, 1), ('qwen3', 'qwen3', 'base', '', 0, 0),
           ('mixtral', 'mixtral', 'base', 'mixtral', 0, 0), ('qwen2_moe', 'qwen2', 'base', 'qwen_moe', 0, 1),
           ('qwen3_moe', 'qwen3', 'base', 'qwen_moe', 0, 0), ('deepseek_v2', 'deepseek', 'base', 'deepseek', 0, 0),
           ('deepseek_v3', 'deepseek', 'base', 'deepseek', 0, 0), ('gpt2', 'gpt2', 'gpt2', '', 1, 1),
           ('gpt_neox', 'gpt_neox', 'base', '', 0, 1)),
field(fields, name, needed, least) AS (
    VALUES ('base', 'num_hidden_layers', 1, 1), ('base', 'hidden_size', 1, 1), ('base', 'num_attention_heads', 1, 1),
           ('base', 'num_key_value_heads', 0, 1), ('base', 'head_dim', 0, 1), ('base', 'intermediate_size', 1, 1),
           ('base', 'vocab_size', 1, 1), ('base', 'max_position_embeddings', 1, 1),
           ('gpt2', 'n_layer', 1, 1), ('gpt2', 'n_embd', 1, 1), ('gpt2', 'n_head', 1, 1), ('gpt2', 'n_inner', 0, 1),
           ('gpt2', 'vocab_size', 1, 1), ('gpt2', 'n_positions', 1, 1),
           ('mixtral', 'num_local_experts', 1, 1), ('mixtral', 'num_experts_per_tok', 1, 1),
           ('qwen_moe', 'num_experts', 1, 1), ('qwen_moe', 'num_experts_per_tok', 1, 1),
           ('qwen_moe', 'moe_intermediate_size', 1, 1), ('qwen_moe', 'shared_expert_intermediate_size', 0, 0),
           ('deepseek', 'n_routed_experts', 1, 1), ('deepseek', 'num_experts_per_tok', 1, 1),
           ('deepseek', 'moe_intermediate_size', 1, 1), ('deepseek', 'n_shared_experts', 0, 0),
           ('deepseek', 'first_k_dense_replace', 0, 0), ('deepseek', 'q_lora_rank', 0, 1),
           ('deepseek', 'kv_lora_rank', 1, 1), ('deepseek', 'qk_nope_head_dim', 1, 1),
           ('deepseek', 'qk_rope_head_dim', 1, 1), ('deepseek', 'v_head_dim', 1, 1)),
config AS MATERIALIZED (
    SELECT d.*, k.*, coalesce(d.j ->> 'model_type', d.whole ->> 'model_type') AS said
    FROM document AS d LEFT JOIN kind AS k ON k.model_type = coalesce(d.j ->> 'model_type', d.whole ->> 'model_type')),
found AS MATERIALIZED (
    SELECT f.*, json_type(c.j, '$.' || f.name) AS type, c.j -> f.name AS value
    FROM config AS c JOIN field AS f ON f.fields IN (c.fields, c.extra)),
shape AS MATERIALIZED (
    SELECT c.*, coalesce(j ->> 'num_hidden_layers', j ->> 'n_layer') AS layers,
           coalesce(j ->> 'hidden_size', j ->> 'n_embd') AS hidden,
           coalesce(j ->> 'num_attention_heads', j ->> 'n_head') AS heads,
           coalesce(j ->> 'rope_scaling' ->> 'original_max_position_embeddings',
                    j ->> 'rope_parameters' ->> 'original_max_position_embeddings',
                    j ->> 'max_position_embeddings', j ->> 'n_positions') AS seq_length,
           coalesce(j ->> 'attention_bias', family = 'gpt_neox') AS attention_bias,
           fields = 'gpt2' OR family = 'gpt_neox' AS gpt,
           replace(j ->> '_name_or_path',
                   rtrim(j ->> '_name_or_path', replace(j ->> '_name_or_path', '/', '')), '') AS path
    FROM config AS c)
SELECT coalesce(name, CASE WHEN path <> '' AND length(path) <= 64 AND path NOT GLOB '*[^A-Za-z0-9._-]*' THEN path END,
                said || '-' || layers || 'x' || hidden) AS model,
       family, layers, hidden, heads, coalesce(j ->> 'num_key_value_heads', heads) AS kv_groups,
       CASE WHEN extra = 'deepseek' THEN (j ->> 'qk_nope_head_dim') + (j ->> 'qk_rope_head_dim')
            ELSE coalesce(j ->> 'head_dim', CASE WHEN said GLOB 'qwen3*' THEN 128 END, hidden / heads) END AS head_dim,
       coalesce(j ->> 'intermediate_size', j ->> 'n_inner', 4 * hidden) AS ffn_hidden,
       j ->> 'vocab_size' AS vocab, seq_length, NOT gpt AS gated_mlp,
       coalesce(j ->> 'tie_word_embeddings', whole ->> 'tie_word_embeddings', tied) AS tied_embeddings,
       fields = 'gpt2' OR (attention_bias AND (family = 'gpt_neox' OR coalesce(j ->> 'mlp_bias', 0))) AS biases,
       qkv OR attention_bias AS qkv_biases, fields = 'gpt2' AS learned_positions,
       iif(gpt, 'layernorm', 'rmsnorm') AS norm,
       coalesce(j ->> 'num_local_experts', j ->> 'n_routed_experts', j ->> 'num_experts') AS experts,
       CASE WHEN extra <> '' THEN j ->> 'num_experts_per_tok' END AS experts_per_token,
       CASE WHEN extra <> '' THEN coalesce(j ->> 'moe_intermediate_size', j ->> 'intermediate_size') END
           AS expert_ffn_hidden,
       CASE WHEN extra <> '' THEN coalesce(j ->> 'n_shared_experts', (j ->> 'shared_expert_intermediate_size')
                                           / (j ->> 'moe_intermediate_size'), 0) END AS shared_experts,
       CASE WHEN extra <> '' THEN coalesce(j ->> 'first_k_dense_replace', 0) END AS dense_layers,
       CASE WHEN extra = 'deepseek' THEN j ->> 'q_lora_rank' END AS q_lora_rank,
       CASE WHEN extra = 'deepseek' THEN j ->> 'kv_lora_rank' END AS kv_lora_rank,
       CASE WHEN extra = 'deepseek' THEN j ->> 'qk_nope_head_dim' END AS qk_nope_dim,
       CASE WHEN extra = 'deepseek' THEN j ->> 'qk_rope_head_dim' END AS qk_rope_dim,
       CASE WHEN extra = 'deepseek' THEN j ->> 'v_head_dim' END AS v_head_dim,
       NULL AS published_parameters, 'config.json' AS source, '' AS note,
       CASE
       WHEN NOT valid THEN 'the text is no JSON; give what config.json holds, as readfile(''config.json'')'
       WHEN said IS NULL THEN 'model_type is missing; is it a config.json of Hugging Face?'
       WHEN family IS NULL THEN printf('model_type ''%s'' is not known; it reads %s; insert others into memx_model',
                                       substr(said, 1, 60), (SELECT group_concat(model_type, ', ') FROM kind))
       WHEN EXISTS (SELECT 1 FROM found WHERE needed AND coalesce(type, 'null') = 'null')
           THEN printf('config.json of model_type ''%s'' lacks %s', said,
                       (SELECT group_concat(name, ', ') FROM found WHERE needed AND coalesce(type, 'null') = 'null'))
       WHEN EXISTS (SELECT 1 FROM found WHERE type NOT IN ('integer', 'null') OR (type = 'integer' AND CAST(value AS INTEGER) < least))
           THEN (SELECT printf('%s is %s; a whole number from %d is needed', name, substr(value, 1, 40), least)
                 FROM found
                 WHERE type NOT IN ('integer', 'null') OR (type = 'integer' AND CAST(value AS INTEGER) < least) LIMIT 1)
       WHEN hidden % heads <> 0 AND extra <> 'deepseek' AND json_type(j, '$.head_dim') IS NOT 'integer'
           THEN printf('hidden_size %d is no multiple of num_attention_heads %d, and head_dim is missing', hidden, heads)
       END AS problem
FROM shape
