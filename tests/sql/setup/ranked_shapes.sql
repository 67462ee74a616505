-- Shapes of a query over `t`, each as it stands and with a unary plus before what it orders by, which hides
-- the order from the table: both lists go into `seen`. Read once for every t by tests/sql/ranked.sql.
-- a is the fourth row by phi, b one further down.

-- As it stands, and with each measure.
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('iteration_ms',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY iteration_ms LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY +iteration_ms LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('peak_mib',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY peak_mib LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY +peak_mib LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('memory_variance',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY memory_variance LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY +memory_variance LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('slowdown',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY slowdown LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY +slowdown LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi bound, by time',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi < 1 ORDER BY iteration_ms LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi < 1 ORDER BY +iteration_ms LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('rates',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tokens_per_s > 12000 AND tflops_per_gpu >= 20 ORDER BY peak_mib LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tokens_per_s > 12000 AND tflops_per_gpu >= 20 ORDER BY +peak_mib LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('ASC',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY phi ASC LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY +phi ASC LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('DESC',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY phi DESC LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY +phi DESC LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('NULLS LAST',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY phi NULLS LAST LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY +phi NULLS LAST LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('two keys',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY phi, config LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY +phi, config LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('two measures',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY peak_mib, iteration_ms LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY +peak_mib, iteration_ms LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('job, phi',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY job, phi LIMIT 400)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY +job, +phi LIMIT 400)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('job, peak_mib',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY job, peak_mib LIMIT 400)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY +job, +peak_mib LIMIT 400)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('job, phi DESC',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY job, phi DESC LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY +job, +phi DESC LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('by position',
    (SELECT group_concat(phi, ';') FROM (SELECT phi FROM t ORDER BY phi LIMIT 20)),
    (SELECT group_concat(phi, ';') FROM (SELECT phi FROM t ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('by alias',
    (SELECT group_concat(score, ';') FROM (SELECT phi AS score FROM t ORDER BY score LIMIT 20)),
    (SELECT group_concat(score, ';') FROM (SELECT phi AS score FROM t ORDER BY +score LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('every column',
    (SELECT group_concat(x || slowdown || devices || tokens_per_s || tightest_stage, ';') FROM (SELECT *
        FROM t ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x || slowdown || devices || tokens_per_s || tightest_stage, ';') FROM (SELECT *
        FROM t ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('without the column',
    (SELECT group_concat(config, ';') FROM (SELECT config FROM t ORDER BY iteration_ms LIMIT 20)),
    (SELECT group_concat(config, ';') FROM (SELECT config FROM t ORDER BY +iteration_ms LIMIT 20)));

-- LIMIT and OFFSET.
INSERT INTO seen(shape, ranked, sorted) VALUES ('no LIMIT',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown < 1.5 ORDER BY phi)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown < 1.5 ORDER BY +phi)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('LIMIT 1',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY phi LIMIT 1)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY +phi LIMIT 1)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('LIMIT -1',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown < 1.5 ORDER BY phi LIMIT -1)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown < 1.5 ORDER BY +phi LIMIT -1)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('LIMIT 5 OFFSET 3',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY phi LIMIT 5 OFFSET 3)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY +phi LIMIT 5 OFFSET 3)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('LIMIT 7 OFFSET 150',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY phi LIMIT 7 OFFSET 150)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY +phi LIMIT 7 OFFSET 150)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('LIMIT -1 OFFSET 50',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown < 1.5 ORDER BY phi LIMIT -1 OFFSET
        50)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown < 1.5 ORDER BY +phi LIMIT -1 OFFSET
        50)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('LIMIT :rows',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY phi LIMIT :rows)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY +phi LIMIT :rows)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('LIMIT :rows OFFSET :skip',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY phi LIMIT :rows OFFSET :skip)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY +phi LIMIT :rows OFFSET :skip)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('LIMIT of a sub-select',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY phi LIMIT (SELECT 2 + 3) OFFSET (SELECT
        :skip))),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t ORDER BY +phi LIMIT (SELECT 2 + 3) OFFSET (SELECT
        :skip))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('a LIMIT within',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM (SELECT * FROM t ORDER BY phi LIMIT 30) ORDER BY phi
        LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM (SELECT * FROM t ORDER BY +phi LIMIT 30) ORDER BY +phi
        LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('another order within',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM (SELECT * FROM t ORDER BY phi LIMIT 30) ORDER BY
        iteration_ms LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM (SELECT * FROM t ORDER BY +phi LIMIT 30) ORDER BY
        +iteration_ms LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('OFFSET behind the end',
    (SELECT group_concat(x, ';') FROM (SELECT 'no row' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        slowdown = 1 ORDER BY phi LIMIT 5 OFFSET 1000))),
    (SELECT group_concat(x, ';') FROM (SELECT 'no row' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        slowdown = 1 ORDER BY +phi LIMIT 5 OFFSET 1000))));

-- Terms that reach the table, and terms that do not and hide LIMIT from it.
INSERT INTO seen(shape, ranked, sorted) VALUES ('pp BETWEEN 2 AND 3',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE pp BETWEEN 2 AND 3 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE pp BETWEEN 2 AND 3 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('pp >= 2 AND pp < 4',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE pp >= 2 AND pp < 4 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE pp >= 2 AND pp < 4 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp = 2',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp = 2 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp = 2 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp = 2.0',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp = 2.0 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp = 2.0 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp IS 2',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp IS 2 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp IS 2 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp = ''2''',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp = '2' ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp = '2' ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp <> 2',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp <> 2 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp <> 2 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp IS NOT 2',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp IS NOT 2 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp IS NOT 2 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('NOT tp = 2',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE NOT tp = 2 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE NOT tp = 2 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp NOT BETWEEN 2 AND 3',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp NOT BETWEEN 2 AND 3 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp NOT BETWEEN 2 AND 3 ORDER BY +phi LIMIT
        20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp = 1 OR tp = 2',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp = 1 OR tp = 2 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp = 1 OR tp = 2 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp = 1 OR pp = 4',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp = 1 OR pp = 4 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp = 1 OR pp = 4 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('(tp = 2 OR 0)',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE (tp = 2 OR 0) ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE (tp = 2 OR 0) ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp = 2 OR phi < 0.3',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp = 2 OR phi < 0.3 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp = 2 OR phi < 0.3 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('1 = 1',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE 1 = 1 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE 1 = 1 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('true',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE true ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE true ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp = 2 AND 1',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp = 2 AND 1 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp = 2 AND 1 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp = 2 AND 1 = 1',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp = 2 AND 1 = 1 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp = 2 AND 1 = 1 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp = abs(-2)',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp = abs(-2) ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp = abs(-2) ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp + 0 = 2',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp + 0 = 2 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp + 0 = 2 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp IN (1, 2)',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp IN (1, 2) ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp IN (1, 2) ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp IN (1, 2) AND pp IN (2, 4)',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp IN (1, 2) AND pp IN (2, 4) ORDER BY phi
        LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp IN (1, 2) AND pp IN (2, 4) ORDER BY +phi
        LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp IN (SELECT 2 UNION SELECT 4)',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp IN (SELECT 2 UNION SELECT 4) ORDER BY phi
        LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp IN (SELECT 2 UNION SELECT 4) ORDER BY +phi
        LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp NOT IN (2, 4)',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp NOT IN (2, 4) ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp NOT IN (2, 4) ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp IN (1, NULL)',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp IN (1, NULL) ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp IN (1, NULL) ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp IN (1, ''x'', 2.0)',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp IN (1, 'x', 2.0) ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp IN (1, 'x', 2.0) ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('(tp, pp) IN (VALUES (1, 2), (2, 4), (2, 2))',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE (tp, pp) IN (VALUES (1, 2), (2, 4), (2, 2))
        ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE (tp, pp) IN (VALUES (1, 2), (2, 4), (2, 2))
        ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('(tp, pp) = (2, 2)',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE (tp, pp) = (2, 2) ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE (tp, pp) = (2, 2) ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('(tp, pp) > (1, 2)',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE (tp, pp) > (1, 2) ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE (tp, pp) > (1, 2) ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('(tp, pp) < (2, 4)',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE (tp, pp) < (2, 4) ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE (tp, pp) < (2, 4) ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('config LIKE ''tp2%''',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE config LIKE 'tp2%' ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE config LIKE 'tp2%' ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('config GLOB ''tp2*''',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE config GLOB 'tp2*' ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE config GLOB 'tp2*' ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('config > ''tp2''',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE config > 'tp2' ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE config > 'tp2' ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('config IS NOT NULL',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE config IS NOT NULL ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE config IS NOT NULL ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi IS NOT NULL',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi IS NOT NULL ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi IS NOT NULL ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi NOT NULL AND pp > 1',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi NOT NULL AND pp > 1 ORDER BY phi LIMIT
        20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi NOT NULL AND pp > 1 ORDER BY +phi LIMIT
        20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('devices LIKE ''%,%''',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE devices LIKE '%,%' ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE devices LIKE '%,%' ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('recompute NOT LIKE ''%full%''',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE recompute NOT LIKE '%full%' ORDER BY phi LIMIT
        20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE recompute NOT LIKE '%full%' ORDER BY +phi LIMIT
        20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('layers IN (SELECT layers FROM t LIMIT 50)',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE layers IN (SELECT layers FROM t LIMIT 50) ORDER
        BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE layers IN (SELECT layers FROM t LIMIT 50) ORDER
        BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('job LIKE ''%''',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE job LIKE '%' ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE job LIKE '%' ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('cluster >= ''a''',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE cluster >= 'a' ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE cluster >= 'a' ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('lower(job) = job',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE lower(job) = job ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE lower(job) = job ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('model = (SELECT model FROM memx_job WHERE job = ''xy'')',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE model = (SELECT model FROM memx_job WHERE job =
        'xy') ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE model = (SELECT model FROM memx_job WHERE job =
        'xy') ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('random() % 2 < 2',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE random() % 2 < 2 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE random() % 2 < 2 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp = pp',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp = pp ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp = pp ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp < pp',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp < pp ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE tp < pp ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi = phi',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi = phi ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi = phi ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi > headroom',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi > headroom ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi > headroom ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi * 1e4 > iteration_ms',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi * 1e4 > iteration_ms ORDER BY phi LIMIT
        20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi * 1e4 > iteration_ms ORDER BY +phi LIMIT
        20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('iteration_ms > peak_mib',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms > peak_mib ORDER BY phi LIMIT
        20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms > peak_mib ORDER BY +phi LIMIT
        20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('slowdown > phi',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown > phi ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown > phi ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi > tp AND pp = 2',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi > tp AND pp = 2 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi > tp AND pp = 2 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('CASE WHEN tp = 2 THEN phi < 1 ELSE phi < 0.9 END',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE CASE WHEN tp = 2 THEN phi < 1 ELSE phi < 0.9
        END ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE CASE WHEN tp = 2 THEN phi < 1 ELSE phi < 0.9
        END ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi(iteration_ms, peak_mib, memory_variance) > 0',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi(iteration_ms, peak_mib, memory_variance) >
        0 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi(iteration_ms, peak_mib, memory_variance) >
        0 ORDER BY +phi LIMIT 20)));

-- Bounds on what is ranked by, and on the rest. a is a row near the top, b one further down.
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi < b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi < (SELECT phi FROM b) ORDER BY phi LIMIT
        20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi < (SELECT phi FROM b) ORDER BY +phi LIMIT
        20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi <= b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi <= (SELECT phi FROM b) ORDER BY phi LIMIT
        20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi <= (SELECT phi FROM b) ORDER BY +phi LIMIT
        20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi > b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi > (SELECT phi FROM b) ORDER BY phi LIMIT
        20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi > (SELECT phi FROM b) ORDER BY +phi LIMIT
        20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi >= b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi >= (SELECT phi FROM b) ORDER BY phi LIMIT
        20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi >= (SELECT phi FROM b) ORDER BY +phi LIMIT
        20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi = b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi = (SELECT phi FROM b) ORDER BY phi LIMIT
        20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi = (SELECT phi FROM b) ORDER BY +phi LIMIT
        20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi <> b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi <> (SELECT phi FROM b) ORDER BY phi LIMIT
        20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi <> (SELECT phi FROM b) ORDER BY +phi LIMIT
        20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('iteration_ms < b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms < (SELECT iteration_ms FROM b)
        ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms < (SELECT iteration_ms FROM b)
        ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('iteration_ms <= b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms <= (SELECT iteration_ms FROM b)
        ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms <= (SELECT iteration_ms FROM b)
        ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('iteration_ms > b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms > (SELECT iteration_ms FROM b)
        ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms > (SELECT iteration_ms FROM b)
        ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('iteration_ms >= b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms >= (SELECT iteration_ms FROM b)
        ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms >= (SELECT iteration_ms FROM b)
        ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('iteration_ms = b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms = (SELECT iteration_ms FROM b)
        ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms = (SELECT iteration_ms FROM b)
        ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('iteration_ms <> b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms <> (SELECT iteration_ms FROM b)
        ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms <> (SELECT iteration_ms FROM b)
        ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('peak_mib < b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib < (SELECT peak_mib FROM b) ORDER BY
        phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib < (SELECT peak_mib FROM b) ORDER BY
        +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('peak_mib <= b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib <= (SELECT peak_mib FROM b) ORDER BY
        phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib <= (SELECT peak_mib FROM b) ORDER BY
        +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('peak_mib > b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib > (SELECT peak_mib FROM b) ORDER BY
        phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib > (SELECT peak_mib FROM b) ORDER BY
        +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('peak_mib >= b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib >= (SELECT peak_mib FROM b) ORDER BY
        phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib >= (SELECT peak_mib FROM b) ORDER BY
        +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('peak_mib = b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib = (SELECT peak_mib FROM b) ORDER BY
        phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib = (SELECT peak_mib FROM b) ORDER BY
        +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('peak_mib <> b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib <> (SELECT peak_mib FROM b) ORDER BY
        phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib <> (SELECT peak_mib FROM b) ORDER BY
        +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('memory_variance < b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance < (SELECT memory_variance FROM
        b) ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance < (SELECT memory_variance FROM
        b) ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('memory_variance <= b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance <= (SELECT memory_variance FROM
        b) ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance <= (SELECT memory_variance FROM
        b) ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('memory_variance > b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance > (SELECT memory_variance FROM
        b) ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance > (SELECT memory_variance FROM
        b) ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('memory_variance >= b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance >= (SELECT memory_variance FROM
        b) ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance >= (SELECT memory_variance FROM
        b) ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('memory_variance = b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance = (SELECT memory_variance FROM
        b) ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance = (SELECT memory_variance FROM
        b) ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('memory_variance <> b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance <> (SELECT memory_variance FROM
        b) ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance <> (SELECT memory_variance FROM
        b) ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('slowdown < b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown < (SELECT slowdown FROM b) ORDER BY
        phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown < (SELECT slowdown FROM b) ORDER BY
        +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('slowdown <= b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown <= (SELECT slowdown FROM b) ORDER BY
        phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown <= (SELECT slowdown FROM b) ORDER BY
        +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('slowdown > b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown > (SELECT slowdown FROM b) ORDER BY
        phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown > (SELECT slowdown FROM b) ORDER BY
        +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('slowdown >= b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown >= (SELECT slowdown FROM b) ORDER BY
        phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown >= (SELECT slowdown FROM b) ORDER BY
        +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('slowdown = b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown = (SELECT slowdown FROM b) ORDER BY
        phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown = (SELECT slowdown FROM b) ORDER BY
        +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('slowdown <> b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown <> (SELECT slowdown FROM b) ORDER BY
        phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown <> (SELECT slowdown FROM b) ORDER BY
        +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('headroom < b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE headroom < (SELECT headroom FROM b) ORDER BY
        phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE headroom < (SELECT headroom FROM b) ORDER BY
        +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('headroom <= b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE headroom <= (SELECT headroom FROM b) ORDER BY
        phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE headroom <= (SELECT headroom FROM b) ORDER BY
        +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('headroom > b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE headroom > (SELECT headroom FROM b) ORDER BY
        phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE headroom > (SELECT headroom FROM b) ORDER BY
        +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('headroom >= b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE headroom >= (SELECT headroom FROM b) ORDER BY
        phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE headroom >= (SELECT headroom FROM b) ORDER BY
        +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('headroom = b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE headroom = (SELECT headroom FROM b) ORDER BY
        phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE headroom = (SELECT headroom FROM b) ORDER BY
        +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('headroom <> b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE headroom <> (SELECT headroom FROM b) ORDER BY
        phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE headroom <> (SELECT headroom FROM b) ORDER BY
        +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi between a and b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi BETWEEN min((SELECT phi FROM a), (SELECT
        phi FROM b)) AND max((SELECT phi FROM a), (SELECT phi FROM b)) ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi BETWEEN min((SELECT phi FROM a), (SELECT
        phi FROM b)) AND max((SELECT phi FROM a), (SELECT phi FROM b)) ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('iteration_ms between a and b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms BETWEEN min((SELECT iteration_ms
        FROM a), (SELECT iteration_ms FROM b)) AND max((SELECT iteration_ms FROM a), (SELECT iteration_ms
        FROM b)) ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms BETWEEN min((SELECT iteration_ms
        FROM a), (SELECT iteration_ms FROM b)) AND max((SELECT iteration_ms FROM a), (SELECT iteration_ms
        FROM b)) ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('peak_mib between a and b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib BETWEEN min((SELECT peak_mib FROM a),
        (SELECT peak_mib FROM b)) AND max((SELECT peak_mib FROM a), (SELECT peak_mib FROM b)) ORDER BY phi
        LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib BETWEEN min((SELECT peak_mib FROM a),
        (SELECT peak_mib FROM b)) AND max((SELECT peak_mib FROM a), (SELECT peak_mib FROM b)) ORDER BY +phi
        LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('memory_variance between a and b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance BETWEEN min((SELECT
        memory_variance FROM a), (SELECT memory_variance FROM b)) AND max((SELECT memory_variance FROM a),
        (SELECT memory_variance FROM b)) ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance BETWEEN min((SELECT
        memory_variance FROM a), (SELECT memory_variance FROM b)) AND max((SELECT memory_variance FROM a),
        (SELECT memory_variance FROM b)) ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('slowdown between a and b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown BETWEEN min((SELECT slowdown FROM a),
        (SELECT slowdown FROM b)) AND max((SELECT slowdown FROM a), (SELECT slowdown FROM b)) ORDER BY phi
        LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown BETWEEN min((SELECT slowdown FROM a),
        (SELECT slowdown FROM b)) AND max((SELECT slowdown FROM a), (SELECT slowdown FROM b)) ORDER BY +phi
        LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('headroom between a and b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE headroom BETWEEN min((SELECT headroom FROM a),
        (SELECT headroom FROM b)) AND max((SELECT headroom FROM a), (SELECT headroom FROM b)) ORDER BY phi
        LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE headroom BETWEEN min((SELECT headroom FROM a),
        (SELECT headroom FROM b)) AND max((SELECT headroom FROM a), (SELECT headroom FROM b)) ORDER BY +phi
        LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi <= b by iteration_ms',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi <= (SELECT phi FROM b) ORDER BY
        iteration_ms LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi <= (SELECT phi FROM b) ORDER BY
        +iteration_ms LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi > b by iteration_ms',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi > (SELECT phi FROM b) ORDER BY iteration_ms
        LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi > (SELECT phi FROM b) ORDER BY
        +iteration_ms LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('iteration_ms <= b by iteration_ms',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms <= (SELECT iteration_ms FROM b)
        ORDER BY iteration_ms LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms <= (SELECT iteration_ms FROM b)
        ORDER BY +iteration_ms LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('iteration_ms > b by iteration_ms',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms > (SELECT iteration_ms FROM b)
        ORDER BY iteration_ms LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms > (SELECT iteration_ms FROM b)
        ORDER BY +iteration_ms LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('peak_mib <= b by iteration_ms',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib <= (SELECT peak_mib FROM b) ORDER BY
        iteration_ms LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib <= (SELECT peak_mib FROM b) ORDER BY
        +iteration_ms LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('peak_mib > b by iteration_ms',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib > (SELECT peak_mib FROM b) ORDER BY
        iteration_ms LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib > (SELECT peak_mib FROM b) ORDER BY
        +iteration_ms LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('memory_variance <= b by iteration_ms',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance <= (SELECT memory_variance FROM
        b) ORDER BY iteration_ms LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance <= (SELECT memory_variance FROM
        b) ORDER BY +iteration_ms LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('memory_variance > b by iteration_ms',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance > (SELECT memory_variance FROM
        b) ORDER BY iteration_ms LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance > (SELECT memory_variance FROM
        b) ORDER BY +iteration_ms LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi <= b by peak_mib',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi <= (SELECT phi FROM b) ORDER BY peak_mib
        LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi <= (SELECT phi FROM b) ORDER BY +peak_mib
        LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi > b by peak_mib',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi > (SELECT phi FROM b) ORDER BY peak_mib
        LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi > (SELECT phi FROM b) ORDER BY +peak_mib
        LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('iteration_ms <= b by peak_mib',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms <= (SELECT iteration_ms FROM b)
        ORDER BY peak_mib LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms <= (SELECT iteration_ms FROM b)
        ORDER BY +peak_mib LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('iteration_ms > b by peak_mib',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms > (SELECT iteration_ms FROM b)
        ORDER BY peak_mib LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms > (SELECT iteration_ms FROM b)
        ORDER BY +peak_mib LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('peak_mib <= b by peak_mib',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib <= (SELECT peak_mib FROM b) ORDER BY
        peak_mib LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib <= (SELECT peak_mib FROM b) ORDER BY
        +peak_mib LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('peak_mib > b by peak_mib',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib > (SELECT peak_mib FROM b) ORDER BY
        peak_mib LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib > (SELECT peak_mib FROM b) ORDER BY
        +peak_mib LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('memory_variance <= b by peak_mib',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance <= (SELECT memory_variance FROM
        b) ORDER BY peak_mib LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance <= (SELECT memory_variance FROM
        b) ORDER BY +peak_mib LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('memory_variance > b by peak_mib',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance > (SELECT memory_variance FROM
        b) ORDER BY peak_mib LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance > (SELECT memory_variance FROM
        b) ORDER BY +peak_mib LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi <= b by memory_variance',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi <= (SELECT phi FROM b) ORDER BY
        memory_variance LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi <= (SELECT phi FROM b) ORDER BY
        +memory_variance LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi > b by memory_variance',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi > (SELECT phi FROM b) ORDER BY
        memory_variance LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE phi > (SELECT phi FROM b) ORDER BY
        +memory_variance LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('iteration_ms <= b by memory_variance',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms <= (SELECT iteration_ms FROM b)
        ORDER BY memory_variance LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms <= (SELECT iteration_ms FROM b)
        ORDER BY +memory_variance LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('iteration_ms > b by memory_variance',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms > (SELECT iteration_ms FROM b)
        ORDER BY memory_variance LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE iteration_ms > (SELECT iteration_ms FROM b)
        ORDER BY +memory_variance LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('peak_mib <= b by memory_variance',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib <= (SELECT peak_mib FROM b) ORDER BY
        memory_variance LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib <= (SELECT peak_mib FROM b) ORDER BY
        +memory_variance LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('peak_mib > b by memory_variance',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib > (SELECT peak_mib FROM b) ORDER BY
        memory_variance LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE peak_mib > (SELECT peak_mib FROM b) ORDER BY
        +memory_variance LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('memory_variance <= b by memory_variance',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance <= (SELECT memory_variance FROM
        b) ORDER BY memory_variance LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance <= (SELECT memory_variance FROM
        b) ORDER BY +memory_variance LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('memory_variance > b by memory_variance',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance > (SELECT memory_variance FROM
        b) ORDER BY memory_variance LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE memory_variance > (SELECT memory_variance FROM
        b) ORDER BY +memory_variance LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('three bounds',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown <= 1.5 AND headroom >= 0.2 AND phi >
        (SELECT phi FROM a) ORDER BY peak_mib LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown <= 1.5 AND headroom >= 0.2 AND phi >
        (SELECT phi FROM a) ORDER BY +peak_mib LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('bounds twice',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown <= 1.5 AND slowdown <= 1.7 AND
        slowdown > 1.1 AND slowdown >= 1.05 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown <= 1.5 AND slowdown <= 1.7 AND
        slowdown > 1.1 AND slowdown >= 1.05 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('bounds in parameters',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown <= :slow AND tp >= :two AND pp < :many
        ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE slowdown <= :slow AND tp >= :two AND pp < :many
        ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('going on behind b',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE (phi, config) > (SELECT phi, config FROM b)
        ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE (phi, config) > (SELECT phi, config FROM b)
        ORDER BY +phi LIMIT 20)));

-- Bounds that no row meets, that are no numbers, or beyond what a column holds.
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi < NULL',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <
        NULL ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <
        NULL ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi = NULL',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi =
        NULL ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi =
        NULL ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi IS NULL',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi IS
        NULL ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi IS
        NULL ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('slowdown IN (NULL)',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        slowdown IN (NULL) ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        slowdown IN (NULL) ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi > :nothing',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi >
        :nothing ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi >
        :nothing ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi < :unbound',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <
        :unbound ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <
        :unbound ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp < NULL',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE tp <
        NULL ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE tp <
        NULL ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi BETWEEN NULL AND 1',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi
        BETWEEN NULL AND 1 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi
        BETWEEN NULL AND 1 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi < ''x''',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <
        'x' ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <
        'x' ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi > ''x''',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi >
        'x' ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi >
        'x' ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi < ''0.5''',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <
        '0.5' ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <
        '0.5' ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi > ''0.5''',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi >
        '0.5' ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi >
        '0.5' ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('''0.5'' > phi',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE '0.5'
        > phi ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE '0.5'
        > phi ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('slowdown <= ''1.2''',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        slowdown <= '1.2' ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        slowdown <= '1.2' ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp <= ''2''',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE tp <=
        '2' ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE tp <=
        '2' ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('headroom > ''''',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        headroom > '' ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        headroom > '' ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi < x''30''',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <
        x'30' ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <
        x'30' ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi > x''30''',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi >
        x'30' ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi >
        x'30' ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi < 0',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <
        0 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <
        0 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi <= 0',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <=
        0 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <=
        0 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('slowdown < 1',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        slowdown < 1 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        slowdown < 1 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('slowdown = 1',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        slowdown = 1 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        slowdown = 1 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('headroom > 1',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        headroom > 1 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        headroom > 1 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('headroom < 0',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        headroom < 0 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        headroom < 0 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('iteration_ms = 0',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        iteration_ms = 0 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        iteration_ms = 0 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi < -1e300',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <
        -1e300 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <
        -1e300 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi < 1e-300',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <
        1e-300 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <
        1e-300 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi < 1e300',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <
        1e300 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <
        1e300 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi > 1e300',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi >
        1e300 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi >
        1e300 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi < 9e999',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <
        9e999 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi <
        9e999 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi > -9e999',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi >
        -9e999 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi >
        -9e999 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi > 9e999',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi >
        9e999 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi >
        9e999 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi >= 9e999',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi >=
        9e999 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi >=
        9e999 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('phi = 9e999',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi =
        9e999 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE phi =
        9e999 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('iteration_ms < 9223372036854775807',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        iteration_ms < 9223372036854775807 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        iteration_ms < 9223372036854775807 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('iteration_ms > 9223372036854775807',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        iteration_ms > 9223372036854775807 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        iteration_ms > 9223372036854775807 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('iteration_ms >= -9223372036854775808',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        iteration_ms >= -9223372036854775808 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        iteration_ms >= -9223372036854775808 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('iteration_ms < -9223372036854775808',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        iteration_ms < -9223372036854775808 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        iteration_ms < -9223372036854775808 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('memory_variance < 9007199254740993',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        memory_variance < 9007199254740993 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        memory_variance < 9007199254740993 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('memory_variance > 9007199254740993',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        memory_variance > 9007199254740993 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        memory_variance > 9007199254740993 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('memory_variance < 9e15',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        memory_variance < 9e15 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        memory_variance < 9e15 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('peak_mib <= 9000000000000001',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        peak_mib <= 9000000000000001 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        peak_mib <= 9000000000000001 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('iteration_ms <= 99999999999999999999',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        iteration_ms <= 99999999999999999999 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        iteration_ms <= 99999999999999999999 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp < 9223372036854775807',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE tp <
        9223372036854775807 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE tp <
        9223372036854775807 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp > 9223372036854775807',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE tp >
        9223372036854775807 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE tp >
        9223372036854775807 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp >= -9223372036854775808',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE tp >=
        -9223372036854775808 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE tp >=
        -9223372036854775808 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp <= 1e300',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE tp <=
        1e300 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE tp <=
        1e300 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('tp > 1e300',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE tp >
        1e300 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE tp >
        1e300 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('micro_batch < 1.5',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        micro_batch < 1.5 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        micro_batch < 1.5 ORDER BY +phi LIMIT 3))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('micro_batch >= 1.5',
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        micro_batch >= 1.5 ORDER BY phi LIMIT 3))),
    (SELECT group_concat(x, ';') FROM (SELECT 'x' AS x UNION ALL SELECT x FROM (SELECT x FROM t WHERE
        micro_batch >= 1.5 ORDER BY +phi LIMIT 3))));

-- Parts of larger queries.
INSERT INTO seen(shape, ranked, sorted) VALUES ('sub-select',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM (SELECT * FROM t WHERE tp = 2) WHERE pp > 1 ORDER BY
        phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM (SELECT * FROM t WHERE tp = 2) WHERE pp > 1 ORDER BY
        +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('CTE',
    (SELECT group_concat(x, ';') FROM (WITH c AS (SELECT * FROM t) SELECT x FROM c WHERE pp > 1 ORDER BY phi
        LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (WITH c AS (SELECT * FROM t) SELECT x FROM c WHERE pp > 1 ORDER BY
        +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('CTE ranked',
    (SELECT group_concat(x, ';') FROM (WITH c AS (SELECT * FROM t ORDER BY phi LIMIT 9) SELECT x FROM c
        ORDER BY iteration_ms)),
    (SELECT group_concat(x, ';') FROM (WITH c AS (SELECT * FROM t ORDER BY +phi LIMIT 9) SELECT x FROM c
        ORDER BY +iteration_ms)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('CTE MATERIALIZED',
    (SELECT group_concat(x, ';') FROM (WITH c AS MATERIALIZED (SELECT * FROM t ORDER BY phi LIMIT 9) SELECT
        x FROM c)),
    (SELECT group_concat(x, ';') FROM (WITH c AS MATERIALIZED (SELECT * FROM t ORDER BY +phi LIMIT 9) SELECT
        x FROM c)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('CTE used twice',
    (SELECT group_concat(x, ';') FROM (WITH c AS (SELECT * FROM t ORDER BY phi LIMIT 9) SELECT c.x || d.x AS
        x FROM c JOIN c AS d ON d.config >= c.config)),
    (SELECT group_concat(x, ';') FROM (WITH c AS (SELECT * FROM t ORDER BY +phi LIMIT 9) SELECT c.x || d.x
        AS x FROM c JOIN c AS d ON d.config >= c.config)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('recursive CTE',
    (SELECT group_concat(x, ';') FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE
        i < 3) SELECT (SELECT x FROM t WHERE pp >= i ORDER BY phi LIMIT 1) AS x FROM n)),
    (SELECT group_concat(x, ';') FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE
        i < 3) SELECT (SELECT x FROM t WHERE pp >= i ORDER BY +phi LIMIT 1) AS x FROM n)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('UNION ALL',
    (SELECT group_concat(x, ';') FROM (SELECT x, phi FROM t WHERE tp = 1 UNION ALL SELECT x, phi FROM t
        WHERE tp = 2 ORDER BY 2 LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x, phi FROM t WHERE tp = 1 UNION ALL SELECT x, phi FROM t
        WHERE tp = 2 ORDER BY 2 LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('UNION ALL of ranked',
    (SELECT group_concat(x, ';') FROM (SELECT * FROM (SELECT x FROM t WHERE tp = 1 ORDER BY phi LIMIT 5)
        UNION ALL SELECT * FROM (SELECT x FROM t WHERE tp = 2 ORDER BY phi LIMIT 5))),
    (SELECT group_concat(x, ';') FROM (SELECT * FROM (SELECT x FROM t WHERE tp = 1 ORDER BY +phi LIMIT 5)
        UNION ALL SELECT * FROM (SELECT x FROM t WHERE tp = 2 ORDER BY +phi LIMIT 5))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('UNION',
    (SELECT group_concat(x, ';') FROM (SELECT * FROM (SELECT x FROM t ORDER BY phi LIMIT 5) UNION SELECT *
        FROM (SELECT x FROM t ORDER BY peak_mib LIMIT 5))),
    (SELECT group_concat(x, ';') FROM (SELECT * FROM (SELECT x FROM t ORDER BY +phi LIMIT 5) UNION SELECT *
        FROM (SELECT x FROM t ORDER BY +peak_mib LIMIT 5))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('EXCEPT',
    (SELECT group_concat(x, ';') FROM (SELECT * FROM (SELECT x FROM t ORDER BY phi LIMIT 15) EXCEPT SELECT *
        FROM (SELECT x FROM t ORDER BY phi LIMIT 5))),
    (SELECT group_concat(x, ';') FROM (SELECT * FROM (SELECT x FROM t ORDER BY +phi LIMIT 15) EXCEPT SELECT
        * FROM (SELECT x FROM t ORDER BY +phi LIMIT 5))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('DISTINCT rows',
    (SELECT group_concat(x, ';') FROM (SELECT DISTINCT x FROM t ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT DISTINCT x FROM t ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('DISTINCT phi',
    (SELECT group_concat(x, ';') FROM (SELECT DISTINCT phi AS x FROM t ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT DISTINCT phi AS x FROM t ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('DISTINCT peak_mib',
    (SELECT group_concat(x, ';') FROM (SELECT DISTINCT peak_mib AS x FROM t ORDER BY peak_mib LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT DISTINCT peak_mib AS x FROM t ORDER BY +peak_mib LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('DISTINCT tp by tp',
    (SELECT group_concat(x, ';') FROM (SELECT DISTINCT tp AS x FROM t ORDER BY tp)),
    (SELECT group_concat(x, ';') FROM (SELECT DISTINCT tp AS x FROM t ORDER BY +tp)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('DISTINCT of a ranked list',
    (SELECT group_concat(x, ';') FROM (SELECT DISTINCT tp AS x FROM (SELECT * FROM t ORDER BY phi LIMIT
        50))),
    (SELECT group_concat(x, ';') FROM (SELECT DISTINCT tp AS x FROM (SELECT * FROM t ORDER BY +phi LIMIT
        50))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('GROUP BY tp',
    (SELECT group_concat(x, ';') FROM (SELECT tp || ' ' || min(phi) AS x FROM t GROUP BY tp ORDER BY
        min(phi))),
    (SELECT group_concat(x, ';') FROM (SELECT tp || ' ' || min(phi) AS x FROM t GROUP BY tp ORDER BY
        +min(phi))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('GROUP BY peak_mib',
    (SELECT group_concat(x, ';') FROM (SELECT peak_mib || ' ' || count(*) || ' ' || min(phi) AS x FROM t
        GROUP BY peak_mib ORDER BY peak_mib LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT peak_mib || ' ' || count(*) || ' ' || min(phi) AS x FROM t
        GROUP BY +peak_mib ORDER BY +peak_mib LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('GROUP BY phi HAVING',
    (SELECT group_concat(x, ';') FROM (SELECT phi || ' ' || count(*) AS x FROM t GROUP BY phi HAVING
        count(*) > 0 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT phi || ' ' || count(*) AS x FROM t GROUP BY +phi HAVING
        count(*) > 0 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('GROUP BY phi',
    (SELECT group_concat(x, ';') FROM (SELECT sum(n) || ' ' || count(*) AS x FROM (SELECT count(*) AS n FROM
        t GROUP BY phi))),
    (SELECT group_concat(x, ';') FROM (SELECT sum(n) || ' ' || count(*) AS x FROM (SELECT count(*) AS n FROM
        t GROUP BY +phi))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('min(phi)',
    (SELECT group_concat(x, ';') FROM (SELECT min(phi) AS x FROM t)),
    (SELECT group_concat(x, ';') FROM (SELECT min(+phi) AS x FROM t)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('min(iteration_ms)',
    (SELECT group_concat(x, ';') FROM (SELECT min(iteration_ms) AS x FROM t WHERE pp > 1)),
    (SELECT group_concat(x, ';') FROM (SELECT min(+iteration_ms) AS x FROM t WHERE pp > 1)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('max(phi)',
    (SELECT group_concat(x, ';') FROM (SELECT max(phi) AS x FROM t)),
    (SELECT group_concat(x, ';') FROM (SELECT max(+phi) AS x FROM t)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('the row of min(phi)',
    (SELECT group_concat(x, ';') FROM (SELECT x, min(phi) FROM t WHERE tp = 2)),
    (SELECT group_concat(x, ';') FROM (SELECT x, min(+phi) FROM t WHERE tp = 2)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('the row of min(peak_mib)',
    (SELECT group_concat(x, ';') FROM (SELECT x, min(peak_mib) FROM t WHERE slowdown < 1.3)),
    (SELECT group_concat(x, ';') FROM (SELECT x, min(+peak_mib) FROM t WHERE slowdown < 1.3)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('min() of nothing',
    (SELECT group_concat(x, ';') FROM (SELECT coalesce(min(phi), 'none') AS x FROM t WHERE slowdown < 0.5)),
    (SELECT group_concat(x, ';') FROM (SELECT coalesce(min(+phi), 'none') AS x FROM t WHERE slowdown <
        0.5)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('count over a ranked list',
    (SELECT group_concat(x, ';') FROM (SELECT count(*) || sum(tp) AS x FROM (SELECT tp FROM t ORDER BY phi
        LIMIT 50))),
    (SELECT group_concat(x, ';') FROM (SELECT count(*) || sum(tp) AS x FROM (SELECT tp FROM t ORDER BY +phi
        LIMIT 50))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('count(DISTINCT phi)',
    (SELECT group_concat(x, ';') FROM (SELECT count(DISTINCT phi) AS x FROM t)),
    (SELECT group_concat(x, ';') FROM (SELECT count(DISTINCT +phi) AS x FROM t)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('row_number()',
    (SELECT group_concat(x, ';') FROM (SELECT x || ' ' || row_number() OVER (ORDER BY phi) AS x FROM t LIMIT
        20)),
    (SELECT group_concat(x, ';') FROM (SELECT x || ' ' || row_number() OVER (ORDER BY +phi) AS x FROM t
        LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('rank by tp',
    (SELECT group_concat(x, ';') FROM (SELECT * FROM (SELECT x || ' ' || r AS x, r FROM (SELECT x, tp, phi,
        rank() OVER (PARTITION BY tp ORDER BY phi) AS r FROM t) WHERE r <= 3 ORDER BY tp, r))),
    (SELECT group_concat(x, ';') FROM (SELECT * FROM (SELECT x || ' ' || r AS x, r FROM (SELECT x, tp, phi,
        rank() OVER (PARTITION BY tp ORDER BY +phi) AS r FROM t) WHERE r <= 3 ORDER BY tp, r))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('lag() and sum()',
    (SELECT group_concat(x, ';') FROM (SELECT * FROM (SELECT x || coalesce(lag(x) OVER w, '') || sum(tp)
        OVER w AS x FROM t WINDOW w AS (ORDER BY phi)) LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT * FROM (SELECT x || coalesce(lag(x) OVER w, '') || sum(tp)
        OVER w AS x FROM t WINDOW w AS (ORDER BY +phi)) LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('count(*) OVER ()',
    (SELECT group_concat(x, ';') FROM (SELECT x || ' ' || count(*) OVER () AS x FROM t WHERE slowdown < 1.2
        ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x || ' ' || count(*) OVER () AS x FROM t WHERE slowdown < 1.2
        ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('FILTER',
    (SELECT group_concat(x, ';') FROM (SELECT count(*) FILTER (WHERE tp = 2) AS x FROM (SELECT tp FROM t
        ORDER BY phi LIMIT 50))),
    (SELECT group_concat(x, ';') FROM (SELECT count(*) FILTER (WHERE tp = 2) AS x FROM (SELECT tp FROM t
        ORDER BY +phi LIMIT 50))));
INSERT INTO seen(shape, ranked, sorted) VALUES ('IN a ranked list',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE config IN (SELECT config FROM t ORDER BY phi
        LIMIT 5) ORDER BY iteration_ms)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE config IN (SELECT config FROM t ORDER BY +phi
        LIMIT 5) ORDER BY +iteration_ms)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('EXISTS',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE EXISTS (SELECT 1 FROM memx_job AS j WHERE j.job
        = t.job AND j.global_batch >= t.dp) ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM t WHERE EXISTS (SELECT 1 FROM memx_job AS j WHERE j.job
        = t.job AND j.global_batch >= t.dp) ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('scalar sub-select',
    (SELECT group_concat(x, ';') FROM (SELECT (SELECT x FROM t ORDER BY phi LIMIT 1) || (SELECT x FROM t
        ORDER BY iteration_ms LIMIT 1) AS x)),
    (SELECT group_concat(x, ';') FROM (SELECT (SELECT x FROM t ORDER BY +phi LIMIT 1) || (SELECT x FROM t
        ORDER BY +iteration_ms LIMIT 1) AS x)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('scalar sub-select, OFFSET',
    (SELECT group_concat(x, ';') FROM (SELECT (SELECT x FROM t ORDER BY phi LIMIT 1 OFFSET 4) AS x)),
    (SELECT group_concat(x, ';') FROM (SELECT (SELECT x FROM t ORDER BY +phi LIMIT 1 OFFSET 4) AS x)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('best of each tp',
    (SELECT group_concat(x, ';') FROM (SELECT (SELECT x FROM t WHERE t.tp = k.tp ORDER BY phi LIMIT 1) AS x
        FROM (VALUES (1), (2), (4), (8), (16)) AS v JOIN (SELECT DISTINCT column1 AS tp FROM (VALUES (1),
        (2), (4))) AS k ON k.tp = v.column1)),
    (SELECT group_concat(x, ';') FROM (SELECT (SELECT x FROM t WHERE t.tp = k.tp ORDER BY +phi LIMIT 1) AS x
        FROM (VALUES (1), (2), (4), (8), (16)) AS v JOIN (SELECT DISTINCT column1 AS tp FROM (VALUES (1),
        (2), (4))) AS k ON k.tp = v.column1)));

-- Joins.
INSERT INTO seen(shape, ranked, sorted) VALUES ('job first',
    (SELECT group_concat(x, ';') FROM (SELECT x || j.global_batch AS x FROM memx_job AS j CROSS JOIN t ON
        t.job = j.job ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x || j.global_batch AS x FROM memx_job AS j CROSS JOIN t ON
        t.job = j.job ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('job behind',
    (SELECT group_concat(x, ';') FROM (SELECT x || j.global_batch AS x FROM t CROSS JOIN memx_job AS j ON
        t.job = j.job ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x || j.global_batch AS x FROM t CROSS JOIN memx_job AS j ON
        t.job = j.job ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('job either way',
    (SELECT group_concat(x, ';') FROM (SELECT x || j.global_batch AS x FROM t JOIN memx_job AS j USING (job)
        ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x || j.global_batch AS x FROM t JOIN memx_job AS j USING (job)
        ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('job LEFT JOIN',
    (SELECT group_concat(x, ';') FROM (SELECT x || j.global_batch AS x FROM t LEFT JOIN memx_job AS j USING
        (job) ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x || j.global_batch AS x FROM t LEFT JOIN memx_job AS j USING
        (job) ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('LEFT JOIN behind jobs',
    (SELECT group_concat(x, ';') FROM (SELECT j.job || coalesce(x, ' none') AS x FROM memx_job AS j LEFT
        JOIN t ON t.job = j.job AND t.slowdown < 1.05 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT j.job || coalesce(x, ' none') AS x FROM memx_job AS j LEFT
        JOIN t ON t.job = j.job AND t.slowdown < 1.05 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('cluster first',
    (SELECT group_concat(x, ';') FROM (SELECT x AS x FROM memx_cluster AS c CROSS JOIN t ON t.cluster =
        c.cluster AND t.tp < 4 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x AS x FROM memx_cluster AS c CROSS JOIN t ON t.cluster =
        c.cluster AND t.tp < 4 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('values first',
    (SELECT group_concat(x, ';') FROM (SELECT x || v.column1 AS x FROM (VALUES (2), (1), (4)) AS v CROSS
        JOIN t ON t.tp = v.column1 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x || v.column1 AS x FROM (VALUES (2), (1), (4)) AS v CROSS
        JOIN t ON t.tp = v.column1 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('values behind',
    (SELECT group_concat(x, ';') FROM (SELECT x || v.column1 AS x FROM t CROSS JOIN (VALUES (2), (1), (4))
        AS v ON t.tp = v.column1 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x || v.column1 AS x FROM t CROSS JOIN (VALUES (2), (1), (4))
        AS v ON t.tp = v.column1 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('values either way',
    (SELECT group_concat(x, ';') FROM (SELECT x || v.column1 AS x FROM t JOIN (VALUES (2), (1), (4)) AS v ON
        t.tp = v.column1 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x || v.column1 AS x FROM t JOIN (VALUES (2), (1), (4)) AS v ON
        t.tp = v.column1 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('bounds from a table',
    (SELECT group_concat(x, ';') FROM (SELECT x || v.column1 AS x FROM (VALUES (1.1), (1.3)) AS v CROSS JOIN
        t ON t.slowdown <= v.column1 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x || v.column1 AS x FROM (VALUES (1.1), (1.3)) AS v CROSS JOIN
        t ON t.slowdown <= v.column1 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('bounds from a table behind',
    (SELECT group_concat(x, ';') FROM (SELECT x || v.column1 AS x FROM t CROSS JOIN (VALUES (1.1), (1.3)) AS
        v ON t.slowdown <= v.column1 ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x || v.column1 AS x FROM t CROSS JOIN (VALUES (1.1), (1.3)) AS
        v ON t.slowdown <= v.column1 ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('order of the other table',
    (SELECT group_concat(x, ';') FROM (SELECT x FROM memx_job AS j JOIN t USING (job) WHERE t.slowdown <=
        1.02 ORDER BY j.global_batch, phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x FROM memx_job AS j JOIN t USING (job) WHERE t.slowdown <=
        1.02 ORDER BY +j.global_batch, +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('each row twice',
    (SELECT group_concat(x, ';') FROM (SELECT x || v.column1 AS x FROM t CROSS JOIN (VALUES (1), (2)) AS v
        ORDER BY phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x || v.column1 AS x FROM t CROSS JOIN (VALUES (1), (2)) AS v
        ORDER BY +phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('with itself',
    (SELECT group_concat(x, ';') FROM (SELECT a.x || b.x AS x FROM t AS a CROSS JOIN t AS b ON b.job = a.job
        AND b.tp = a.tp AND b.slowdown <= 1.01 WHERE a.slowdown <= 1.02 ORDER BY a.phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT a.x || b.x AS x FROM t AS a CROSS JOIN t AS b ON b.job = a.job
        AND b.tp = a.tp AND b.slowdown <= 1.01 WHERE a.slowdown <= 1.02 ORDER BY +a.phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('its stages',
    (SELECT group_concat(x, ';') FROM (SELECT x || s.layers AS x FROM t CROSS JOIN memx_stages(t.job,
        t.config) AS s WHERE s.stage = 0 ORDER BY t.phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x || s.layers AS x FROM t CROSS JOIN memx_stages(t.job,
        t.config) AS s WHERE s.stage = 0 ORDER BY +t.phi LIMIT 20)));
INSERT INTO seen(shape, ranked, sorted) VALUES ('predicted',
    (SELECT group_concat(x, ';') FROM (SELECT x || p.phi AS x FROM t CROSS JOIN memx_predict(t.job,
        t.config) AS p ORDER BY t.phi LIMIT 20)),
    (SELECT group_concat(x, ';') FROM (SELECT x || p.phi AS x FROM t CROSS JOIN memx_predict(t.job,
        t.config) AS p ORDER BY +t.phi LIMIT 20)));
