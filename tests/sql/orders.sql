-- More device orders than are searched: the query answers, and says so.
INSERT INTO memx_cluster(cluster, inter_gbs, latency_us, overhead_ms) VALUES ('eight', 25, 20, 10), ('ten', 25, 20, 10);
INSERT INTO memx_node(cluster, ordinal, device, gpus, inter_gbs)
    SELECT 'eight', row_number() OVER (ORDER BY device) - 1, device, 8, 25
    FROM (SELECT device FROM memx_device WHERE bf16 AND certainty <> 'invented' AND memory_mib > 20000 ORDER BY device LIMIT 8);
INSERT INTO memx_node(cluster, ordinal, device, gpus, inter_gbs)
    SELECT 'ten', value, iif(value < 5, 'A100-SXM-80GB', 'H100-SXM-80GB'), 8, 25 + value
    FROM json_each('[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]');
INSERT INTO memx_job(job, cluster, model, space, global_batch)
    VALUES ('eight', 'eight', 'llama2-7b', 'free', 64), ('ten', 'ten', 'llama2-7b', 'default', 80);
INSERT INTO memx_space SELECT 'loose', param, value FROM memx_space WHERE space = 'default' AND param <> 'device_order';
INSERT INTO memx_space VALUES ('loose', 'device_order', 'nodes');

.mode line
SELECT job, space, method FROM memx_reference('eight') UNION ALL SELECT job, space, method FROM memx_reference('ten')
UNION ALL SELECT job, space, method FROM memx_reference('ten', 'loose');
SELECT job, space, reason, count, unit, example FROM memx_why('eight') WHERE unit = 'orders'
UNION ALL SELECT job, space, reason, count, unit, example FROM memx_why('ten', 'loose') WHERE unit = 'orders';
.mode list
-- Two types are searched in both orders, and nodes that differ as they are given too.
SELECT 'more than types', (SELECT count(*) FROM memx_configs WHERE job = 'ten' AND space = 'loose')
    >= (SELECT count(*) FROM memx_configs WHERE job = 'ten');
SELECT 'eight', count(*) = 10 FROM (SELECT phi FROM memx_configs WHERE job = 'eight' ORDER BY phi LIMIT 10);
