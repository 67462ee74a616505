-- InternEvo's published peaks (InternLM/InternEvo, Apache-2.0): InternLM of 7 and 20 B on 3 to 16 A800 of 80 GB, bf16,
-- activation checkpointing, four micro batches of one sequence, in whole GB.
--
-- fsdp=True is ZeRO-3 and zero1=-1 ZeRO-1 over all replicas, in deepspeed-bf16's bytes a parameter; 2,048 tokens a
-- sequence and what of the card counts are not said: InternEvo's default length and the allocator's peak are assumed.
-- import: published/peak_memory_misc.csv measured

INSERT INTO memx_model(model, family, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length,
                       gated_mlp, tied_embeddings, qkv_biases)
VALUES ('internlm-7b', 'internlm', 32, 4096, 32, 32, 128, 11008, 103168, 2048, 1, 0, 1),
       ('internlm-20b', 'internlm', 60, 5120, 40, 40, 128, 13824, 103168, 2048, 1, 0, 0);

CREATE TABLE run AS
SELECT printf('internevo-memory-%02d', rowid) AS job, *, CAST(devices AS INTEGER) AS gpus,
       CAST(substr(devices, instr(devices, 'tp=') + 3) AS INTEGER) AS tp,
       CAST(substr(devices, instr(devices, 'pp=') + 3) AS INTEGER) AS pp, method LIKE '%fsdp=True%' AS fsdp
FROM measured WHERE source LIKE 'InternEvo%';

INSERT INTO setup(job, device, gpus, gpus_per_node, inter_gbs, framework, catalog_model, layers, seq_length, tp, dp, pp,
                  micro_batch, global_batch, recompute, knobs)
SELECT job, 'A800-SXM-80GB', gpus, min(gpus, 8), 100, 'deepspeed-bf16', model, iif(model LIKE '%-7b', 32, 60), 2048, tp,
       gpus / tp / pp, pp, 1, 4 * gpus / tp / pp, 'full', iif(fsdp AND gpus > tp * pp, '.do3', '')
FROM run;

CREATE TABLE held AS
SELECT p.job, p.model || ' on ' || p.gpus AS family, peak_mem * 1e9 / 1048576 AS measured,
       max(s.peak_mib - s.context_mib) AS predicted, p.tp * p.pp = 1 AS zero
FROM plan AS p JOIN run AS r USING (job), memx_stages(p.job, p.config) AS s GROUP BY p.job;
INSERT INTO point SELECT 'internevo_memory.analytic', 'peak', family, job, measured, predicted FROM held;
INSERT INTO point SELECT 'internevo_memory_zero3.analytic', 'peak', family, job, measured, predicted FROM held WHERE zero;
INSERT INTO left_out SELECT 'internevo_memory.analytic', count(*), 'other sources' FROM measured WHERE source NOT LIKE 'InternEvo%';
INSERT INTO note VALUES
('internevo_memory.analytic', 'peak', 'greatest memory of any GPU, in whole GB; nothing fitted; sequence length assumed'),
('internevo_memory_zero3.analytic', 'peak', 'of these, ZeRO-3 alone');
