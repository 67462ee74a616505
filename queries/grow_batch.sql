-- What does headroom buy? Among the configurations of job mix20 at most 10 % slower than the fastest, the
-- one that leaves the least of its tightest card free, the fastest, the best by phi, and the one that
-- leaves the most: the largest micro batch, and the longest sequence, that still fit with the same layout
-- (degrees, devices, layers and recompute), and the tokens a second there. Fitting leaves the share free
-- that the job keeps (its reserve, 10 % unless set). A longer sequence is another training task, and its
-- attention costs more per token; sequences are tried in steps of 1024 up to 64 K.
BEGIN;
CREATE TEMP TABLE pick(pick, config);
INSERT INTO pick SELECT 'least headroom', config FROM memx_configs
WHERE job = 'mix20' AND slowdown <= 1.10 ORDER BY headroom, iteration_ms LIMIT 1;
INSERT INTO pick SELECT 'fastest', config FROM memx_configs
WHERE job = 'mix20' ORDER BY iteration_ms LIMIT 1;
INSERT INTO pick SELECT 'best phi within 10 %', config FROM memx_configs
WHERE job = 'mix20' AND slowdown <= 1.10 ORDER BY phi LIMIT 1;
INSERT INTO pick SELECT 'most headroom', config FROM memx_configs
WHERE job = 'mix20' AND slowdown <= 1.10 ORDER BY headroom DESC, iteration_ms LIMIT 1;
INSERT INTO pick SELECT 'best phi', config FROM memx_configs WHERE job = 'mix20' ORDER BY phi LIMIT 1;

CREATE TEMP TABLE now AS
SELECT pick.rowid AS place, pick, p.* FROM pick, memx_predict('mix20', pick.config) AS p;
-- The same layout with another micro batch that divides the batch, or another sequence length.
CREATE TEMP TABLE grown AS
WITH RECURSIVE n(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < 256)
SELECT place, 'mb' AS grown, n AS size,
       replace(config, '.mb' || micro_batch || '.', '.mb' || n || '.') AS config
FROM now, n WHERE global_batch % (dp * n) = 0
UNION ALL
SELECT place, 'seq', 1024 * n, replace(config, '.seq' || seq_length || '/', '.seq' || (1024 * n) || '/')
FROM now, n WHERE n <= 64;
CREATE TEMP TABLE fitting AS
SELECT place, grown, size, p.tokens_per_s
FROM grown, memx_predict('mix20', grown.config) AS p
WHERE p.headroom >= (SELECT coalesce(reserve, 0.10) FROM memx_job WHERE job = 'mix20');
SELECT pick, printf('%.0f %%', 100 * headroom) AS free, tp, pp, dp,
       printf('%.0f', now.tokens_per_s) AS tokens_per_s, now.micro_batch, b.size AS largest_micro_batch,
       printf('%.0f', b.tokens_per_s) AS tokens_per_s_at_mb, now.seq_length, s.size AS longest_sequence,
       printf('%.0f', s.tokens_per_s) AS tokens_per_s_at_seq, now.config
FROM now
JOIN (SELECT place, max(size) AS size, tokens_per_s FROM fitting
      WHERE grown = 'mb' GROUP BY place) AS b USING (place)
JOIN (SELECT place, max(size) AS size, tokens_per_s FROM fitting
      WHERE grown = 'seq' GROUP BY place) AS s USING (place)
ORDER BY place;
ROLLBACK;
