-- What would more memory buy? The fastest configuration of job mix20 at each micro batch, as the
-- cluster is and with the B-32GB and C-32GB cards swapped for 64 GB ones that are otherwise the same
-- (the change is rolled back). A dash: nothing fits.
BEGIN;
CREATE TEMP TABLE fastest(memory, micro_batch, seconds, recompute);
INSERT INTO fastest
SELECT '32 GB', micro_batch, min(iteration_ms) / 1000, recompute
FROM memx_configs WHERE job = 'mix20' GROUP BY micro_batch;
UPDATE memx_device SET memory_mib = 65536 WHERE device IN ('B-32GB', 'C-32GB');
INSERT INTO fastest
SELECT '64 GB', micro_batch, min(iteration_ms) / 1000, recompute
FROM memx_configs WHERE job = 'mix20' GROUP BY micro_batch;
SELECT new.micro_batch, iif(old.seconds IS NULL, '-', printf('%.1f', old.seconds)) AS seconds_32gb,
       printf('%.1f', new.seconds) AS seconds_64gb,
       coalesce(old.recompute, '-') AS recompute_32gb, new.recompute AS recompute_64gb
FROM fastest AS new
LEFT JOIN fastest AS old ON old.memory = '32 GB' AND old.micro_batch = new.micro_batch
WHERE new.memory = '64 GB' ORDER BY new.micro_batch;
ROLLBACK;
