-- What memx_report says of the job ?1 itself: one row.
SELECT j.model, j.cluster, j.framework, j.global_batch, coalesce(j.seq_length, m.seq_length) AS seq_length,
       m.layers, j.space, j.weights, j.note, c.note AS cluster_note,
       (SELECT group_concat(gpus || ' × ' || device, ', ') FROM (
            SELECT n.device, sum(n.gpus) AS gpus FROM memx_node AS n WHERE n.cluster = j.cluster
            GROUP BY n.device ORDER BY min(n.ordinal))) AS gpus
FROM memx_job AS j LEFT JOIN memx_model AS m ON m.model = j.model
     LEFT JOIN memx_cluster AS c ON c.cluster = j.cluster
WHERE j.job = ?1
