-- Peaks of Megatron-LM's functional tests (NVIDIA/Megatron-LM, tests/functional_tests): a GPT of 12 layers, 512
-- wide, 1024 tokens, on one node of eight H100: allocated memory of the one rank that logs, the last.
--
-- Dense ones without FP8 or uneven stages, on dev images; those with context parallelism or an interleaved pipeline are
-- shown apart, and trained on only where one says so. Of the interleaved, those that were begun anew and those that
-- went on from a checkpoint differ by 1.5 GB, as much as the logits are. Transformer
-- Engine's tests have fused attention; those without it ("mcore_tp1_...") Megatron-LM's own, with dropout. The
-- vocabulary is GPT-2's, 50257. Where gradients and optimizer are not divided the tests say nothing else.
-- import: megatron_golden/runs.csv measured

INSERT INTO memx_framework(framework, activation_bytes, parameter_bytes, gradient_bytes, optimizer_bytes,
                           logit_bytes, logits_sharded, alpha_act, fused_attention, dropout, sequence_parallel,
                           distributed_optimizer, score_bytes, source)
VALUES ('megatron-te-bf16', 2, 2, 4, 12, 6, 1, 1.0, 1, 1, 0, 0, 0, 'megatron-bf16 with dropout'),
       ('megatron-local-bf16', 2, 2, 4, 12, 6, 1, 1.0, 0, 1, 0, 0, 12, 'megatron-bf16 without fused attention'),
       ('megatron-local-fp16', 2, 2, 4, 12, 6, 1, 1.0, 0, 1, 0, 0, 12, 'megatron-local-bf16 in fp16');

CREATE TABLE run AS
SELECT 'golden-' || rowid AS job, *, iif("case" LIKE '%mcore_te%', 'te', 'local') AS attention,
       iif(vpp_layers = '', 1, layers / pp / vpp_layers) AS vp,
       iif(cp > 1, '_cp', iif(vpp_layers <> '', '_vp', '')) AS apart
FROM measured
WHERE gpu = 'dgx_h100' AND env = 'dev' AND "case" LIKE 'gpt/gpt3_mcore%' AND hidden = '512' AND layers = '12'
      AND num_experts = '' AND pp_layout = '' AND fp8 = '' AND "case" NOT LIKE '%dp_last%'
      AND "case" NOT LIKE '%tunable_overlap%'
      AND first_stage_layers = '' AND last_stage_layers = '' AND max_mem_bytes <> ''
      AND "case" NOT LIKE '%frozen%' AND "case" NOT LIKE '%swiglu%' AND "case" NOT LIKE '%account%'
      AND "case" NOT LIKE '%uneven%' AND "case" NOT LIKE '%cross_entropy_loss_fusion%'
      AND "case" NOT LIKE '%defer_embedding%' AND kv_groups IN ('', heads);

INSERT INTO setup(job, device, gpus, inter_gbs, framework, layers, hidden, heads, vocab, seq_length,
                  tied_embeddings, tp, dp, pp, micro_batch, global_batch, recompute, knobs)
SELECT job, 'H100-SXM-80GB', 8, 400, 'megatron-' || attention || iif(fp16 = 'true', '-fp16', '-bf16'), layers, hidden,
       heads, 50257, seq, "case" NOT LIKE '%untie%', tp, 8 / tp / pp / cp, pp, mbs, gbs,
       iif(recompute_granularity = 'full', 'full', iif(recompute_granularity = '', 'none', recompute_granularity)),
       iif(sp = 'true' AND tp > 1, '.sp1', '') || iif(dist_opt = 'true', '.do1', '') ||
       iif(cp > 1, '.cp' || cp, '') || iif(vp > 1, '.vp' || vp, '')
FROM run;

INSERT INTO memx_run(job, config, source) SELECT job, config, '' FROM plan;
INSERT INTO memx_run_gpu(run, rank, allocated_mib)
SELECT m.id, 7, max_mem_bytes / 1048576.0 FROM run JOIN memx_run AS m USING (job);

INSERT INTO point
SELECT 'megatron_golden' || run.apart || '.analytic', 'peak', s.device, r.job, g.allocated_mib,
       s.peak_mib - s.context_mib - s.static_mib * (1 - 1 / d.alpha_static)
FROM memx_run AS r JOIN run USING (job) JOIN memx_run_gpu AS g ON g.run = r.id, memx_stages(r.job, r.config) AS s
     JOIN memx_device AS d ON d.device = s.device
WHERE s.last_stage;

INSERT INTO held_set VALUES ('megatron_golden', '{"memory": "allocated", "validate": 0}');
INSERT INTO hold
SELECT what, iif(what = 'by_tp', s.tp, s.pp), m.id
FROM memx_run AS m JOIN setup AS s USING (job), (SELECT 'by_tp' AS what UNION ALL SELECT 'by_pp')
WHERE s.knobs NOT LIKE '%.cp%' AND s.knobs NOT LIKE '%.vp%';
-- Trained on all others.
INSERT INTO hold SELECT 'by' || apart, apart, m.id FROM memx_run AS m JOIN run USING (job) WHERE apart <> '';

INSERT INTO left_out
SELECT 'megatron_golden.analytic', (SELECT count(*) FROM measured) - count(*),
       'other models, cards and images; experts, FP8, data parallel ranks last, groups of micro batches other than the stages, and two options that hold logits longer: cross_entropy_loss_fusion, defer_embedding_wgrad_compute' FROM run;
INSERT INTO floor
SELECT name, 'peak', avg(percent), 'greatest over least of set-ups run more than once: mean of ' || count(*)
FROM (SELECT name, 100 * (max(measured) / min(measured) - 1) AS percent FROM point JOIN setup USING (job)
      GROUP BY name, framework, tied_embeddings, tp, pp, micro_batch, global_batch, recompute, knobs HAVING count(*) > 1)
GROUP BY name;
INSERT INTO note VALUES
('megatron_golden.analytic', 'peak', 'allocated memory of the last rank on H100; nothing fitted'),
('megatron_golden.by_tp_allocated', 'peak', 'each tp predicted after training on the others'),
('megatron_golden.by_pp_allocated', 'peak', 'each pp predicted after training on the others'),
('megatron_golden_cp.analytic', 'peak', 'the same with context parallelism'),
('megatron_golden_vp.analytic', 'peak', 'the same with an interleaved pipeline'),
('megatron_golden.by_cp_allocated', 'peak', 'context parallelism after training on all other runs'),
('megatron_golden.by_vp_allocated', 'peak', 'interleaved pipelines after training on all other runs');
