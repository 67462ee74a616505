-- Table 4 of arXiv:2205.05198: forward and backward time of one layer of the 22B model, micro batch 4,
-- tensor parallel over the 8 A100-SXM-80GB of a node, under every kind of recompute.
--
-- One stage of two layers less one of a single layer: embedding, head and the fixed cost of a micro
-- batch cancel out.
-- import: published/korthikanti2022_table4_layer.csv measured

CREATE TABLE run AS
SELECT rowid AS id, *,
       CASE WHEN mode LIKE '%full%' THEN 'full' WHEN mode LIKE '%selective%' THEN 'selective'
            ELSE 'none' END AS recompute
FROM measured;

INSERT INTO setup(job, device, gpus, inter_gbs, flow_gbs, framework, layers, hidden, heads, vocab,
                  seq_length, tp, dp, pp, micro_batch, global_batch, recompute, knobs)
SELECT printf('layer-%d-%d', id, n), 'A100-SXM-80GB', 8, 200, 25, 'megatron-2022', n, 6144, 64, 51200,
       2048, 8, 1, 1, 4, 4, recompute, CASE WHEN mode LIKE '%SP%' THEN '.sp1' ELSE '' END
FROM run, ordinal WHERE n IN (1, 2);

CREATE TABLE layer AS
SELECT run.id, run.mode, max(forward_ms) - min(forward_ms) AS forward_ms,
       max(backward_ms) - min(backward_ms) AS backward_ms
FROM run, plan AS p, memx_stages(p.job, p.config) WHERE p.job GLOB printf('layer-%d-*', run.id)
GROUP BY run.id;

INSERT INTO point
SELECT 'korthikanti2022_table4.' || pass, 'time', '', mode, CAST(measured AS REAL), predicted
FROM (SELECT 'forward' AS pass, run.mode, fwd_ms AS measured, forward_ms AS predicted
      FROM run JOIN layer USING (id)
      UNION ALL
      SELECT 'backward', run.mode, bwd_ms, backward_ms FROM run JOIN layer USING (id)
      UNION ALL
      SELECT 'analytic', run.mode, total_ms, forward_ms + backward_ms FROM run JOIN layer USING (id));

INSERT INTO note VALUES
('korthikanti2022_table4.analytic', 'time', 'ms of one layer, both passes; nothing fitted'),
('korthikanti2022_table4.forward', 'time', 'ms of one layer''s forward pass'),
('korthikanti2022_table4.backward', 'time', 'ms of one layer''s backward pass with its recompute');
