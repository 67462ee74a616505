-- What the two-step rule gives each stage of ?2, and why, beside the configuration's own levels; the rates
-- are ms of an iteration for each GiB that full recompute would save.
SELECT s.stage, s.device, s.layers, s.recompute, plan.value ->> 'level' AS level,
       plan.value ->> 'reason' AS reason, 1024 * s.rate_iteration AS rate
FROM memx_stages(?1, ?2) AS s, json_each(recompute_plan_detail(?1, ?2), '$.stages') AS plan
WHERE plan.key = s.stage
ORDER BY s.stage
