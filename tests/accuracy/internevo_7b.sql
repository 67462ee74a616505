-- InternEvo's published throughput of a 7B LLaMA-like model on 8 to 1024 A100-SXM-80GB, four network
-- cards of 100 Gbit/s a node, bf16, optimizer state divided over eight GPUs.
--
-- Packing samples into one leaves the model unchanged: the table's micro batch counts sequences. The
-- division over eight is predicted as one over all GPUs, and gradients as synchronized after the
-- backward pass, though InternEvo hides a part of that behind it.
-- import: published/internevo_7b.csv measured

INSERT INTO memx_model(model, family, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab,
                       seq_length, gated_mlp, tied_embeddings, qkv_biases)
VALUES ('internlm-7b', 'internlm', 32, 4096, 32, 32, 128, 11008, 103168, 2048, 1, 0, 1);

CREATE TABLE run AS SELECT printf('internevo-%02d', rowid) AS job, *, "GPU Num" * "Micro Bsz" * "Micro Num" AS gbs
FROM measured;

INSERT INTO setup(job, device, gpus, inter_gbs, flow_gbs, framework, catalog_model, layers, seq_length,
                  tp, dp, pp, micro_batch, global_batch, recompute)
SELECT job, gpu, "GPU Num", 50, 12.5, 'deepspeed-fp16', model, 32, "Seq Len", TP, "GPU Num", 1, "Micro Bsz",
       gbs, iif("Activation Ckpt" = 'TRUE', 'full', 'none')
FROM run;

INSERT INTO point
SELECT 'internevo_7b.analytic', 'time', p.gpus || ' at ' || p.global_batch, p.job,
       1000.0 * gbs * "Seq Len" / (TGS * p.gpus), iteration_ms
FROM plan AS p JOIN run USING (job), memx_predict(p.job, p.config);

INSERT INTO note VALUES
('internevo_7b.analytic', 'time', 'ms an iteration, from tokens a second; nothing fitted');
