-- Nine small jobs, read by other tests: between them they use everything that a space may vary and a
-- cluster may hold. All their spaces together list a few thousand configurations.

-- Two makers, nodes of different size, links and memory; the A10 nodes are not neighbours.
INSERT INTO memx_cluster(cluster, inter_gbs, flow_gbs, latency_us) VALUES
    ('odd', 10, 4, 35),      -- 3 types in 4 nodes
    ('pair', 3, NULL, 100);  -- two workstations
INSERT INTO memx_node(cluster, ordinal, device, gpus, link_gbs, inter_gbs) VALUES
    ('odd', 0, 'A10', 2, NULL, NULL),
    ('odd', 3, 'MI210', 4, NULL, 5),
    ('odd', 5, 'A10', 2, 8, NULL),
    ('odd', 7, 'L4', 4, NULL, NULL),
    ('pair', 0, 'RTX-4090', 1, NULL, NULL),
    ('pair', 1, 'RTX-2080', 2, NULL, NULL);

-- A model with tied embeddings, biases and learned positions, and one with grouped queries.
INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length,
                       gated_mlp, tied_embeddings, biases, learned_positions, norm) VALUES
    ('small-gpt', 10, 1600, 20, 20, 80, 6400, 50257, 1024, 0, 1, 1, 1, 'layernorm'),
    ('small-gqa', 9, 2048, 24, 6, 128, 5504, 151669, 2048, 1, 0, 0, 0, 'rmsnorm');

INSERT INTO memx_space(space, param, value) VALUES
    ('any', 'stage_devices', 'any'), ('any', 'device_order', 'given'), ('any', 'layer_split', 'compute'),
    ('any', 'recompute_scope', 'device'), ('any', 'recompute', 'none'), ('any', 'recompute', 'full'),
    ('lengths', 'seq_length', '1024'), ('lengths', 'seq_length', '2048'), ('lengths', 'heads', '12'),
    ('lengths', 'heads', '24'), ('lengths', 'kv_groups', '3'), ('lengths', 'kv_groups', '12'),
    ('lengths', 'layer_split', 'time'), ('lengths', 'recompute_scope', 'global'),
    ('blocks', 'layer_split', 'uniform'), ('blocks', 'layer_skew', '1'), ('blocks', 'recompute', 'block2'),
    ('blocks', 'recompute', 'block4'), ('blocks', 'recompute', 'uniform2'),
        ('blocks', 'recompute', 'uniform3'),
    ('blocks', 'recompute', 'none'), ('blocks', 'recompute', 'full'), ('blocks', 'pp', '3'),
        ('blocks', 'tp', '1'),
    ('blocks', 'micro_batch', '2'),
    ('blocks', 'recompute_scope', 'device'),
    ('knobs', 'sequence_parallel', '0'), ('knobs', 'sequence_parallel', '1'),
        ('knobs', 'layer_split', 'memory'),
    ('knobs', 'distributed_optimizer', '0'), ('knobs', 'distributed_optimizer', '1'),
    ('knobs', 'recompute_scope', 'global'), ('knobs', 'stage_devices', 'any'),
    ('everything', 'memory_limit', 'ignore'), ('everything', 'layer_split', 'uniform'),
    ('everything', 'recompute_scope', 'global'), ('everything', 'stage_devices', 'any'),
    ('all', 'layer_split', 'free'), ('all', 'stage_devices', 'any');

INSERT INTO memx_job(job, cluster, model, framework, global_batch, seq_length, space, weights,
    reserve) VALUES
    ('any',        'odd',  'small-gqa', 'megatron-bf16',  48, NULL, 'any',        'default',    NULL),
    ('blocks',     'odd',  'small-gpt', 'megatron-fp16',  24, NULL, 'blocks',     'safe',       0.05),
    ('everything', 'odd',  'small-gqa', 'deepspeed-bf16', 24, 4096, 'everything', 'throughput', 0),
    ('knobs',      'odd',  'small-gpt', 'megatron-bf16',  48, 512,  'knobs',      'default',    NULL),
    ('lengths',    'odd',  'small-gqa', 'fp32',           24, NULL, 'lengths',    'default',    NULL),
    ('pair',       'pair', 'small-gpt', 'megatron-2022',   6, NULL, 'all',        'default',    NULL),
    ('pair-default', 'pair', 'small-gpt', 'deepspeed-fp16', 6, NULL, 'default',   'safe',       NULL),
    ('megatron',   'odd',  'small-gpt', 'megatron-bf16',  48, NULL, 'megatron',   'default',    NULL),
    ('one',        'pair', 'gpt2',      'fp32',            3, 256,  'default',    'throughput', 0.2);
