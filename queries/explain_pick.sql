-- Why is the best configuration of cluster mix20 what it is? Its stages: layers and recompute, time of
-- one micro batch and share of it spent waiting, and what each card holds (GiB). peak_gib is more than state and
-- activations: driver, libraries and communicators take memx_device.context_mib, 4000 MiB unless measured.
SELECT s.stage, s.device, s.gpus, s.layers, s.recompute,
       printf('%.0f', s.time_ms) AS time_ms, printf('%.0f %%', 100 * s.idle) AS idle,
       s.in_flight, printf('%.1f', s.static_mib / 1024) AS state_gib,
       printf('%.1f', (s.activation_mib + s.work_mib + s.logits_mib) / 1024) AS activation_gib,
       printf('%.1f', s.peak_mib / 1024) AS peak_gib,
       printf('%.0f', s.capacity_mib / 1024) AS card_gib,
       printf('%.0f %%', 100 * s.headroom) AS free
FROM (SELECT job, config FROM memx_configs WHERE cluster = 'mix20' ORDER BY phi LIMIT 1) AS pick,
     memx_stages(pick.job, pick.config) AS s;
