-- The catalog of training frameworks. memx_init() runs this file after tables.sql; a row that is there
-- already, perhaps corrected by a user, stays as it is.
--
-- Bytes a parameter read: weights + gradients + optimizer state, the last divided by dp under the
-- distributed optimizer. A reference such as 6 + 12/dp in a source is their sum. Traffic and launch
-- constants that are not listed keep the defaults of the table; score_bytes is 12 with unfused attention.

INSERT INTO memx_framework(framework, activation_bytes, parameter_bytes, gradient_bytes, optimizer_bytes,
                           optimizer_temp_bytes, logit_bytes, logits_sharded, alpha_act, fused_attention,
                           dropout, sequence_parallel, distributed_optimizer, matmul_share, score_bytes,
                           tp_overlap, dp_overlap, bf16, selective_products, p2p_overlap_interleaved, source)
VALUES
  ('megatron-bf16', 2, 2, 4, 12, 0,  6, 1, 1.0,  1, 0, 1, 1,  1.0, 0, 1, 0, 1, 0, 1,
   'Megatron-LM docs, dist_optimizer: 18 bytes a parameter with bf16 weights and fp32 gradients, or 6 + 12/dp. Interleaved, messages go in the background (--overlap-p2p-communication is the default there). Logits: 6 bytes fit the peaks of Megatron-LM''s functional tests on H100.'),
  ('megatron-bf16-precision-aware', 2, 2, 2, 8, 0,  6, 1, 1.0,  1, 0, 1, 1,  1.0, 0, 1, 0, 1, 0, 1,
   'megatron-bf16 with gradients reduced and kept in bf16 (--grad-reduce-in-bf16) and Adam''s moments in bf16 (--use-precision-aware-optimizer): 4 + 8/dp bytes a parameter.'),
  ('megatron-fp16', 2, 2, 2, 16, 0,  6, 1, 1.0,  1, 0, 1, 1,  1.0, 0, 1, 0, 0, 0, 1,
   'Megatron-LM docs, dist_optimizer: 20 bytes a parameter with fp16 weights and gradients, or 4 + 16/dp. The rest as megatron-bf16.'),
  ('megatron-2021', 2, 2, 2, 16, 0,  6, 1, 1.0,  0, 1, 0, 0,  1.0, 12, 0, 0, 0, 0, 0,
   'The set-up of arXiv:2104.04473: fp16, unfused attention, dropout, collectives of the backward pass not hidden.'),
  ('megatron-2022', 2, 2, 2, 16, 0,  6, 1, 1.0,  0, 1, 0, 0,  1.0, 12, 1, 0, 0, 0, 0,
   'The set-up of arXiv:2205.05198: as megatron-2021, with collectives hidden behind weight gradients (Megatron-LM, tensor_parallel/layers.py). For its sequence parallelism write sp1 in a configuration.'),
  ('deepspeed-bf16', 2, 2, 6, 12, 4,  6, 1, 1.1,  1, 0, 0, 1,  1.0, 0, 0, 0, 1, 0, 0,
   'ZeRO stage 1 (arXiv:1910.02054) as DeepSpeed''s bf16 optimizer does it: 8 + 12/dp bytes a parameter, and 4/dp on top while it steps. alpha_act: fitted to published peaks.'),
  ('deepspeed-fp16', 2, 2, 2, 12, 4,  6, 1, 1.1,  1, 0, 0, 1,  1.0, 0, 0, 0, 0, 0, 0,
   'ZeRO stage 1 (arXiv:1910.02054): 4 + 12/dp bytes a parameter, and 4/dp on top while it steps. alpha_act: fitted to published peaks.'),
  ('megatron-deepspeed-fp16', 2, 2, 2, 12, 4,  6, 1, 1.1,  0, 1, 0, 1,  1.0, 12, 0, 0, 0, 0, 0,
   'Megatron-DeepSpeed as in the 176B experiments of bigscience and in vTrain''s measurements: fp16, ZeRO stage 1 with 4 + 12/dp bytes a parameter, unfused attention, dropout.'),
  ('torchtitan-fsdp', 2, 4, 4, 8, 0,  12, 1, 1.0,  1, 0, 1, 3,  1.0, 0, 0, 1, 1, 1, 0,
   'pytorch/torchtitan: bf16 compute over fp32 weights, gradients and Adam state, all divided (FSDP, ZeRO stage 3), the next unit fetched while one computes; op-wise selective recompute. Logits: 12 bytes, the output of log-softmax in fp32, the gradient that comes into it and the one that goes out; divided over tensor parallelism (loss parallel).'),
  ('fp32', 4, 4, 4, 16, 0,  8, 1, 1.1,  0, 0, 0, 0,  0.5, 12, 0, 0, 0, 0, 0,
   'fp32 training with Adam as in Sailor''s measurements (eth-easl/sailor): 24 bytes a parameter. Matrix products in TF32, at half the half-precision rate; fp32-no-tf32 is without.'),
  ('fp32-no-tf32', 4, 4, 4, 16, 0,  8, 1, 1.1,  0, 0, 0, 0,  0.125, 12, 0, 0, 0, 0, 0,
   'fp32, on devices without TF32 or where it is off: matrix products at the vector rate, an eighth of V100''s half-precision rate (15.7 of 125 TFLOPS, NVIDIA''s data sheet), a sixteenth of A100''s.')
ON CONFLICT DO NOTHING;
