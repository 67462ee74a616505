-- What the tables themselves refuse, by type, sign and size. The name of each rule is the sentence that
-- SQLite prints.

CREATE TEMP TABLE before AS SELECT (SELECT count(*) FROM memx_device) AS devices,
    (SELECT count(*) FROM memx_model) AS models,
    (SELECT count(*) FROM memx_node) AS nodes, (SELECT count(*) FROM memx_job) AS jobs,
        (SELECT count(*) FROM memx_space) AS spaces;

-- Devices: name, memory, rates.
INSERT INTO memx_device(device, vendor, memory_mib, peak_tflops, memory_gbs, link_gbs) VALUES ('RTX 5090',
    'NVIDIA', 32768, 200, 1800, 32);
INSERT INTO memx_device(device, vendor, memory_mib, peak_tflops, memory_gbs, link_gbs) VALUES ('', 'NVIDIA',
    32768, 200, 1800, 32);
INSERT INTO memx_device(device, vendor, memory_mib, peak_tflops, memory_gbs,
    link_gbs) VALUES (printf('%.65c', 'x'), 'NVIDIA', 32768, 200, 1800, 32);
INSERT INTO memx_device(device, vendor, memory_mib, peak_tflops, memory_gbs, link_gbs) VALUES (NULL,
    'NVIDIA', 32768, 200, 1800, 32);
INSERT INTO memx_device(device, vendor, memory_mib, peak_tflops, memory_gbs, link_gbs) VALUES ('new',
    'NVIDIA', 0, 200, 1800, 32);
INSERT INTO memx_device(device, vendor, memory_mib, peak_tflops, memory_gbs, link_gbs) VALUES ('new',
    'NVIDIA', '32 GB', 200, 1800, 32);
INSERT INTO memx_device(device, vendor, memory_mib, peak_tflops, memory_gbs, link_gbs) VALUES ('new',
    'NVIDIA', 9e999, 200, 1800, 32);
INSERT INTO memx_device(device, vendor, memory_mib, peak_tflops, memory_gbs, link_gbs) VALUES ('new',
    'NVIDIA', NULL, 200, 1800, 32);
INSERT INTO memx_device(device, vendor, memory_mib, peak_tflops, memory_gbs, link_gbs) VALUES ('new',
    'NVIDIA', x'33', 200, 1800, 32);
INSERT INTO memx_device(device, vendor, memory_mib, peak_tflops, memory_gbs, link_gbs) VALUES ('new',
    'NVIDIA', 32768, -200, 1800, 32);
INSERT INTO memx_device(device, vendor, memory_mib, peak_tflops, memory_gbs, link_gbs) VALUES ('T4',
    'NVIDIA', 32768, 200, 1800, 32);
UPDATE memx_device SET efficiency = 87 WHERE device = 'T4';
UPDATE memx_device SET alpha_static = 0 WHERE device = 'T4';
UPDATE memx_device SET host_gbs = 'fast' WHERE device = 'T4';
UPDATE memx_device SET certainty = 'sure' WHERE device = 'T4';

-- Clusters and nodes.
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('my cluster', 10);
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('mine', 0);
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('mine', 'ten');
INSERT INTO memx_cluster(cluster, inter_gbs, latency_us) VALUES ('mine', 10, -1);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('lab6', 2, 'T4', 0);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('lab6', 2, 'T4', -4);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('lab6', 2, 'T4', 2.5);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('lab6', 2, 'T4', 'four');
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('lab6', 2, 'T4', 9223372036854775807);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('lab6', -1, 'T4', 4);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('lab6', 0, 'T4', 4);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('lab6', 2, '', 4);
INSERT INTO memx_alias(name, device) VALUES (' card ', 'T4');
INSERT INTO memx_alias(name, device) VALUES ('tesla T4', 'T4');

-- Models.
INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length)
    VALUES ('new', 0, 4096, 32, 32, 128, 11008, 32000, 4096);
INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length)
    VALUES ('new', 32, 4096, 32, 5, 128, 11008, 32000, 4096);
INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length)
    VALUES ('new', 32, 4096.5, 32, 32, 128, 11008, 32000, 4096);
INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length)
    VALUES ('new', 32, 4096, 32, 32, 128, 11008, '32k', 4096);
INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length,
    norm)
    VALUES ('new', 32, 4096, 32, 32, 128, 11008, 32000, 4096, 'LayerNorm');
INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length,
    experts)
    VALUES ('new', 32, 4096, 32, 32, 128, 11008, 32000, 4096, 8);

-- Jobs.
INSERT INTO memx_job(job, cluster, model, global_batch) VALUES ('new job', 'xy', 'gpt2', 64);
INSERT INTO memx_job(job, cluster, model, global_batch) VALUES ('new', 'xy', 'gpt2', 0);
INSERT INTO memx_job(job, cluster, model, global_batch) VALUES ('new', 'xy', 'gpt2', 'many');
INSERT INTO memx_job(job, cluster, model, global_batch) VALUES ('new', 'xy', 'gpt2', 1e30);
INSERT INTO memx_job(job, cluster, model, global_batch) VALUES ('new', 'xy', 'gpt2', NULL);
INSERT INTO memx_job(job, cluster, model, global_batch, seq_length) VALUES ('new', 'xy', 'gpt2', 64, 0);
INSERT INTO memx_job(job, cluster, model, global_batch, reserve) VALUES ('new', 'xy', 'gpt2', 64, 1);
INSERT INTO memx_job(job, cluster, model, global_batch) VALUES ('xy', 'xy', 'gpt2', 64);

-- Spaces.
INSERT INTO memx_space(space, param, value) VALUES ('mine', 'tpp', '2');
INSERT INTO memx_space(space, param, value) VALUES ('mine', 'tp', '0');
INSERT INTO memx_space(space, param, value) VALUES ('mine', 'tp', 'two');
INSERT INTO memx_space(space, param, value) VALUES ('mine', 'tp', '1,2');
INSERT INTO memx_space(space, param, value) VALUES ('mine', 'sequence_parallel', 'yes');
INSERT INTO memx_space(space, param, value) VALUES ('mine', 'recompute', 'block');
INSERT INTO memx_space(space, param, value) VALUES ('mine', 'recompute', 'uniform0');
INSERT INTO memx_space(space, param, value) VALUES ('mine', 'layer_split', 'even');
INSERT INTO memx_space(space, param, value) VALUES ('mine', 'layer_skew', '9');
INSERT INTO memx_space(space, param, value) VALUES ('mine', 'layer_split', 'free'),
    ('mine', 'layer_split', 'time');

-- Measurements.
INSERT INTO memx_run(job, config, iteration_ms) VALUES ('xy', 'tp1', -1);
INSERT INTO memx_run(job, config, iteration_ms) VALUES ('xy', 'tp1', 'slow');
INSERT INTO memx_run(job, config, oom) VALUES ('xy', 'tp1', 'yes');
INSERT INTO memx_run_gpu(run, rank, reserved_mib) VALUES (1, -1, 1000);
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
    seq_length, in_flight,
    sequence_parallel, distributed_optimizer, time_ms) VALUES ('T4', 'gpt2', 'fp32', 4, 1, 0, 1, 1, 1, 1024,
        0, 0, 0, 12);
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
    seq_length, in_flight,
    sequence_parallel, distributed_optimizer, time_ms) VALUES ('T4', 'gpt2', 'fp32', 4, 1, 0, 1, 1, 1, 1024,
        1, 0, 0, '12 ms');

-- Numbers that came as text of a number are numbers; a whole number may stand for a real one.
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('mine', '12.5');
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('mine', '0', 'T4', '4');
SELECT 'as numbers', memx_cluster.inter_gbs, typeof(gpus), typeof(ordinal) FROM memx_cluster
    JOIN memx_node USING (cluster) WHERE cluster = 'mine';

-- With foreign keys, references are checked at once; without, by whoever reads (broken_jobs.sql).
PRAGMA foreign_keys = ON;
INSERT INTO memx_job(job, cluster, model, global_batch) VALUES ('new', 'nowhere', 'gpt2', 64);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('nowhere', 0, 'T4', 4);
DELETE FROM memx_model WHERE model = 'llama2-7b';
DELETE FROM memx_cluster WHERE cluster = 'mine';
SELECT 'nodes went with it', count(*) FROM memx_node WHERE cluster = 'mine';

SELECT 'unchanged', (SELECT count(*) FROM memx_device) = devices,
    (SELECT count(*) FROM memx_model) = models,
    (SELECT count(*) FROM memx_node) = nodes, (SELECT count(*) FROM memx_job) = jobs,
        (SELECT count(*) FROM memx_space) = spaces FROM before;
