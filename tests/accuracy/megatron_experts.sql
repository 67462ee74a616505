-- Peaks of Megatron-LM's functional tests of mixtures of experts (NVIDIA/Megatron-LM, tests/functional_tests/
-- test_cases/moe): a GPT of 12 layers, 512 wide, 1024 tokens, 8 experts of 2048 in every layer, of which a token uses
-- one, expert parallel size 2, on one node of eight A100 or H100: allocated memory of the one rank that logs, the
-- last. And of its release test of Mixtral 8x7B (test_cases/mixtral), tp 2, pp 4, ep 4, sequences of 4096, a
-- vocabulary of 256,000: peak and time of an iteration of 1024 sequences. How many GPUs that had is not said: 128,
-- since on 64 A100 it would reach 83 % of their peak.
--
-- Tests without context parallelism, frozen layers, another expert tensor parallel size, several optimizer
-- instances, Muon or a checkpoint of another kind. Transformer Engine, no biases, dropout, sequence parallelism.
-- import: megatron_golden/runs.csv measured

INSERT INTO memx_framework(framework, activation_bytes, parameter_bytes, gradient_bytes, optimizer_bytes,
                           logit_bytes, logits_sharded, alpha_act, fused_attention, dropout, sequence_parallel,
                           distributed_optimizer, score_bytes, source)
VALUES ('megatron-te-bf16', 2, 2, 4, 12, 6, 1, 1.0, 1, 1, 1, 1, 0, 'megatron-bf16 with dropout'),
       ('megatron-unfused-bf16', 2, 2, 4, 12, 6, 1, 1.0, 0, 1, 1, 1, 12, 'the same with --attention-backend unfused');
INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length, gated_mlp,
                       tied_embeddings, learned_positions, norm, experts, experts_per_token, expert_ffn_hidden)
VALUES ('gpt-8-experts', 12, 512, 8, 8, 64, 2048, 50257, 1024, 0, 1, 1, 'layernorm', 8, 1, 2048);
INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length, gated_mlp,
                       experts, experts_per_token, expert_ffn_hidden)
VALUES ('mixtral-256k', 32, 4096, 32, 8, 128, 14336, 256000, 4096, 1, 8, 2, 14336);

CREATE TABLE run AS
SELECT 'experts-' || rowid AS job, *, "case" LIKE 'mixtral/%' AS mixtral,
       tp = '2' AS unfused
FROM measured
WHERE gpu IN ('dgx_a100', 'dgx_h100') AND env IN ('dev', 'lts') AND max_mem_bytes <> ''
      AND ("case" IN ('moe/gpt3_mcore_te_tp2_pp1_te_8experts2parallel_ddp_average_in_collective',
                      'moe/gpt3_mcore_te_tp2_pp1_te_8experts2parallel_dist_optimizer',
                      'moe/gpt3_mcore_te_tp2_pp1_te_8experts2parallel_overlap_grad_reduce_param_gather_groupedGEMM',
                      'moe/gpt3_mcore_te_tp1_pp2_resume_torch_dist_reshard_2x1x4_te_8experts2parallel_dist_optimizer',
                      'mixtral/mixtral_8x7b_alltoall_tp2pp4ep4_release'));

INSERT INTO setup(job, device, gpus, inter_gbs, framework, catalog_model, layers, seq_length, tp, dp, pp, micro_batch,
                  global_batch, recompute, knobs)
SELECT job, iif(gpu = 'dgx_a100', 'A100-SXM-80GB', 'H100-SXM-80GB'), gpus, iif(gpu = 'dgx_a100', 200, 400),
       iif(mixtral, 'megatron-bf16', iif(unfused, 'megatron-unfused-bf16', 'megatron-te-bf16')),
       iif(mixtral, 'mixtral-256k', 'gpt-8-experts'), layers, seq, tp, gpus / tp / pp, pp, mbs, gbs, 'none', '.ep' || ep
FROM (SELECT *, iif(mixtral, 128, 8) AS gpus FROM run);

INSERT INTO memx_run(job, config, source) SELECT job, config, '' FROM plan;
INSERT INTO point
SELECT iif(mixtral, 'megatron_mixtral.analytic', 'megatron_experts.analytic'), 'peak', s.device, r.job, max_mem_bytes / 1048576.0,
       s.peak_mib - s.context_mib - s.static_mib * (1 - 1 / d.alpha_static)
FROM run JOIN memx_run AS r USING (job), memx_stages(r.job, r.config) AS s JOIN memx_device AS d ON d.device = s.device
WHERE s.last_stage;
INSERT INTO point
SELECT 'megatron_mixtral.analytic', 'time', p.cluster, r.job, iter_time_s_median * 1000.0, p.iteration_ms
FROM run JOIN memx_run AS r USING (job), memx_predict(r.job, r.config) AS p WHERE mixtral;

INSERT INTO left_out
SELECT 'megatron_experts.analytic', count(*) - (SELECT count(*) FROM run),
       'interleaving, context parallelism, frozen layers, other expert tensor parallel sizes, FSDP, Muon, several optimizer instances, other cards'
FROM measured WHERE num_experts <> '';
INSERT INTO floor
SELECT 'megatron_experts.analytic', 'peak', avg(percent), 'greatest over least of set-ups run more than once: mean of ' || count(*)
FROM (SELECT 100 * (max(measured) / min(measured) - 1) AS percent FROM point JOIN setup USING (job) WHERE name LIKE '%experts%'
      GROUP BY framework, tp, pp HAVING count(*) > 1);
INSERT INTO note VALUES
('megatron_experts.analytic', 'peak', 'allocated memory of the last rank; nothing fitted'),
('megatron_mixtral.analytic', 'peak', 'the same of Mixtral 8x7B'),
('megatron_mixtral.analytic', 'time', 'an iteration of Mixtral 8x7B; nothing fitted');
