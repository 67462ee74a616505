-- Mixtures of experts: ep as a knob of spaces, configurations and columns; what stages then hold.
.mode list
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('h', 400);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES
    ('h', 0, 'H100-SXM-80GB', 8), ('h', 1, 'H100-SXM-80GB', 8), ('h', 2, 'H100-SXM-80GB', 8), ('h', 3, 'H100-SXM-80GB', 8);
INSERT INTO memx_job(job, cluster, model, framework, global_batch, seq_length) VALUES
    ('mixtral', 'h', 'mixtral-8x7b', 'megatron-bf16', 256, 4096), ('dense', 'h', 'llama2-7b', 'megatron-bf16', 256, 4096),
    ('latent', 'h', 'deepseek-v3', 'megatron-bf16', 256, 4096);

-- Every degree that divides dp and the experts; 1 of a dense model.
SELECT job, group_concat(ep, ' ') FROM (SELECT DISTINCT job, ep FROM memx_configs
    WHERE job IN ('mixtral', 'dense') ORDER BY job, ep) GROUP BY job;
SELECT 'wrong rows', count(*) FROM memx_configs WHERE job = 'mixtral'
    AND (dp % ep <> 0 OR 8 % ep <> 0 OR (ep > 1) <> (config LIKE '%.ep' || ep || '/%'));
-- Ranked as sorted, and with a bound.
SELECT 'ranked', (SELECT config FROM memx_configs WHERE job = 'mixtral' AND ep >= 4 ORDER BY iteration_ms LIMIT 1)
    = (SELECT config FROM memx_configs WHERE job = 'mixtral' AND ep + 0 >= 4 ORDER BY iteration_ms + 0, tp, pp, micro_batch, ep LIMIT 1);
-- A row is what its text says.
SELECT 'same', count(*) FROM memx_configs AS c, memx_predict(c.job, c.config) AS p
    WHERE c.job = 'mixtral' AND c.tp = 2 AND c.iteration_ms = p.iteration_ms AND c.peak_mib = p.peak_mib AND c.ep = p.ep
    HAVING count(*) = (SELECT count(*) FROM memx_configs WHERE job = 'mixtral' AND tp = 2) AND count(*) > 100;
-- More of them share a layer's experts: less state, later sync, the same FLOPs.
SELECT ep, round(static_mib) AS static_mib, round(activation_mib) AS activation_mib, round(dp_sync_ms) AS dp_sync_ms, round(time_ms) AS time_ms
FROM (VALUES ('tp1.dp16.mb1.seq4096/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none'), ('tp1.dp16.mb1.seq4096.ep2/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none'),
             ('tp1.dp16.mb1.seq4096.ep8/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none')) AS c, memx_stages('mixtral', c.column1) WHERE stage = 0;
SELECT count(DISTINCT signature) FROM (VALUES ('1'), ('2'), ('8')) AS c,
    memx_stages('mixtral', 'tp1.dp16.mb1.seq4096.ep' || column1 || '/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none') WHERE stage = 0;
-- Its spaces.
INSERT INTO memx_space(space, param, value) VALUES ('mine', 'ep', 8), ('mine', 'ep', 3), ('mine', 'tp', 1), ('mine', 'pp', 2), ('mine', 'micro_batch', 1);
SELECT reason, count, example FROM memx_why('mixtral', 'mine') WHERE reason LIKE 'ep %';
SELECT reason, count, example FROM memx_why('dense', 'mine') WHERE reason LIKE 'ep %';
SELECT DISTINCT ep FROM memx_configs('mine') WHERE job = 'mixtral';
-- What cannot be.
SELECT ep FROM memx_predict('dense', 'tp1.dp16.mb1.ep2/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none');
SELECT ep FROM memx_predict('mixtral', 'tp1.dp16.mb1.ep16/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none');
SELECT ep FROM memx_predict('mixtral', 'tp8.dp2.mb1.ep4/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none');
SELECT ep FROM memx_predict('mixtral', 'tp1.dp16.mb1.ep0/H100-SXM-80GB*16:none,H100-SXM-80GB*16:none');
-- Dense first layers are on the first stage.
SELECT ep FROM memx_predict('latent', 'tp1.dp16.mb1.ep16/H100-SXM-80GB*2:full,H100-SXM-80GB*59:full');
SELECT ep, pp, headroom < 0 FROM memx_predict('latent', 'tp1.dp16.mb1.ep16/H100-SXM-80GB*3:full,H100-SXM-80GB*58:full');
SELECT gpu_peak_mib FROM protrain_configs WHERE job = 'mixtral';
SELECT config_problem('latent', 'tp1.dp16.mb1.hd64/H100-SXM-80GB*3:full,H100-SXM-80GB*58:full');
