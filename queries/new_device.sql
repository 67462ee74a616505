-- How does a device get in that the catalog does not know, and does measuring it change what to run? From
-- nothing: D-48GB with the figures of its data sheet, on a cluster beside A100s; the best configurations of that
-- cluster before; 38 measured stages, and memx_train(); then the best ones after. To do the same for a card
-- of yours, change the names and figures, and end with COMMIT.
--
-- The measurements are synthetic: build/testbed made them, whose cards keep other figures to themselves
-- than the data sheet has. What to measure, memx_measure('d48') says, with launch flags.
BEGIN;
INSERT INTO memx_device(device, vendor, memory_mib, peak_tflops, memory_gbs, link_gbs, certainty, source)
VALUES ('D-48GB', 'vendor D', 49152, 178, 1550, 100, 'invented', 'data sheet');
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('d48', 28);
INSERT INTO memx_node(cluster, ordinal, device, gpus)
VALUES ('d48', 0, 'A100-SXM-80GB', 4), ('d48', 1, 'D-48GB', 4), ('d48', 2, 'D-48GB', 4);
INSERT INTO memx_job(job, cluster, model, framework, global_batch)
VALUES ('d48', 'd48', 'llama2-13b', 'megatron-bf16', 64);

-- The fastest, and the best phi of those at most 10 % slower, by what the data sheets say.
CREATE TEMP TABLE pick(predictor TEXT, what TEXT, place INTEGER, config TEXT, iteration_ms REAL, phi REAL, headroom REAL);
CREATE TEMP VIEW best AS
SELECT predictor, 'fastest' AS what, row_number() OVER () AS place, config, iteration_ms, phi, headroom
FROM (SELECT * FROM memx_configs WHERE job = 'd48' ORDER BY iteration_ms LIMIT 3)
UNION ALL
SELECT predictor, 'best phi', row_number() OVER (), config, iteration_ms, phi, headroom
FROM (SELECT * FROM memx_configs WHERE job = 'd48' AND slowdown <= 1.1 ORDER BY phi LIMIT 3);
INSERT INTO pick SELECT * FROM best;

-- Stages, 27 of the new card and 11 of the other one: a job whose predictor is NULL takes the newest that has
-- seen all of its cluster's devices, so a few of each are needed (or name it in memx_job.predictor: an unseen
-- card is then predicted by its data sheet). All of llama2-13b, dp 1, sequences of 4096. Memory is the
-- allocator's peak.
CREATE TEMP TABLE measured(device TEXT, first_stage INTEGER, last_stage INTEGER, in_flight INTEGER, layers INTEGER,
    tp INTEGER, recompute TEXT, micro_batch INTEGER, time_ms REAL, reserved_mib REAL);
INSERT INTO measured VALUES
    ('D-48GB', 0, 0, 2, 4, 1, 'none', 1, 278.82, 27594), ('D-48GB', 0, 0, 2, 4, 1, 'full', 1, 352.62, 23396),
    ('D-48GB', 0, 0, 2, 4, 1, 'full', 4, 1447.22, 28082), ('D-48GB', 0, 0, 2, 4, 2, 'none', 1, 153.84, 14074),
    ('D-48GB', 0, 0, 2, 4, 2, 'full', 1, 203.27, 12050), ('D-48GB', 0, 0, 2, 4, 2, 'none', 4, 608.92, 23040),
    ('D-48GB', 0, 0, 2, 4, 2, 'full', 4, 792.15, 14418), ('D-48GB', 0, 0, 2, 4, 4, 'none', 1, 92.77, 7268),
    ('D-48GB', 0, 0, 2, 4, 4, 'full', 1, 123.71, 6302), ('D-48GB', 0, 0, 2, 4, 4, 'none', 4, 354.78, 11798),
    ('D-48GB', 0, 0, 2, 4, 4, 'full', 4, 472.87, 7530), ('D-48GB', 0, 0, 2, 1, 1, 'none', 1, 71.30, 7564),
    ('D-48GB', 0, 0, 2, 1, 4, 'none', 1, 23.72, 2160), ('D-48GB', 0, 0, 2, 1, 4, 'none', 4, 87.27, 3656),
    ('D-48GB', 1, 0, 2, 4, 1, 'none', 1, 275.52, 30304), ('D-48GB', 0, 1, 1, 4, 1, 'none', 1, 314.08, 28514),
    ('D-48GB', 1, 0, 2, 4, 2, 'none', 4, 614.83, 23808), ('D-48GB', 0, 1, 1, 4, 2, 'none', 4, 680.92, 19796),
    ('D-48GB', 1, 0, 2, 4, 4, 'none', 1, 91.73, 7902), ('D-48GB', 0, 1, 1, 4, 4, 'none', 1, 102.11, 7394),
    ('D-48GB', 1, 0, 2, 4, 4, 'none', 4, 359.72, 12376), ('D-48GB', 0, 1, 1, 4, 4, 'none', 4, 385.91, 10002),
    ('D-48GB', 0, 0, 2, 12, 2, 'full', 1, 613.19, 34054), ('D-48GB', 0, 0, 2, 12, 4, 'full', 1, 373.06, 17438),
    ('D-48GB', 0, 0, 2, 12, 4, 'full', 2, 705.83, 17930), ('D-48GB', 0, 0, 2, 12, 4, 'none', 1, 274.54, 21114),
    ('D-48GB', 1, 0, 3, 12, 4, 'full', 1, 375.76, 18098), ('A100-SXM-80GB', 0, 0, 2, 4, 1, 'none', 1, 154.54, 27628),
    ('A100-SXM-80GB', 0, 0, 2, 4, 4, 'none', 1, 45.41, 7040), ('A100-SXM-80GB', 0, 0, 2, 4, 4, 'none', 4, 175.41, 11472),
    ('A100-SXM-80GB', 0, 0, 2, 4, 2, 'full', 4, 428.41, 14108), ('A100-SXM-80GB', 0, 0, 2, 4, 4, 'full', 1, 62.04, 5946),
    ('A100-SXM-80GB', 0, 0, 2, 4, 2, 'none', 1, 79.73, 13918), ('A100-SXM-80GB', 1, 0, 2, 4, 2, 'none', 1, 83.36, 15236),
    ('A100-SXM-80GB', 0, 1, 1, 4, 2, 'none', 1, 88.63, 14108), ('A100-SXM-80GB', 1, 0, 2, 4, 4, 'none', 4, 176.37, 12074),
    ('A100-SXM-80GB', 0, 1, 1, 4, 4, 'none', 4, 200.80, 9904), ('A100-SXM-80GB', 0, 0, 2, 16, 4, 'none', 1, 186.32, 27496);
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
                         recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib, source)
SELECT device, 'llama2-13b', 'megatron-bf16', layers, first_stage, last_stage, tp, 1, micro_batch, 4096,
       recompute, in_flight, tp > 1, 0, time_ms, reserved_mib, 'synthetic testbed seed 1'
FROM measured;

SELECT printf('learned from %d stages; error of their time %.1f %% by the data sheets, %.1f %% now; a job keeps '
              || '%.0f %% of a card free', report ->> '$.rows', report ->> '$.figures.time.nominal_mape',
              report ->> '$.figures.time.learned_mape', 100 * (report ->> '$.figures.reserve')) AS memx_train
FROM (SELECT memx_train('d48') AS report);

-- Which constants moved by 1 % or more: factors on the catalog's figures, of memory what the allocator holds
-- of the state and of the activations, and a fixed part in MiB.
SELECT c.value ->> '$.device' AS device, f.key AS constant,
       printf(iif(f.key GLOB '*_mib', '%+.0f MiB', 'x %.2f'), f.value) AS now
FROM memx_predictor AS p, json_each(p.ranges, '$.calibration') AS c, json_each(c.value) AS f
WHERE p.predictor = 'd48' AND f.type = 'real'
      AND abs(f.value - (f.key NOT GLOB '*_mib')) > iif(f.key GLOB '*_mib', 1, 0.01);

INSERT INTO pick SELECT * FROM best;
SELECT predictor, what, place, printf('%.2f', iteration_ms / 1000) AS seconds, printf('%.3f', phi) AS phi,
       printf('%.0f %%', 100 * headroom) AS free, config
FROM pick ORDER BY what DESC, predictor, place;

-- What stood first before and what does now, both as it is predicted now, and as the testbed runs it
-- (MEMX_TESTBED_NOISE=0).
SELECT p.what, p.predictor AS first_by, printf('%.2f', p.iteration_ms / 1000) AS said_then,
       printf('%.2f', now.iteration_ms / 1000) AS said_now, printf('%.2f', run.column2 / 1000) AS measured,
       printf('%.3f', now.phi) AS phi_now, p.config
FROM pick AS p, memx_predict('d48', p.config) AS now
     LEFT JOIN (VALUES
         ('tp2.dp2.mb1.seq4096/A100-SXM-80GB*19:none,D-48GB*11:none,D-48GB*10:none', 14786.0),
         ('tp2.dp2.mb1.seq4096/A100-SXM-80GB*20:none,D-48GB*10:none,D-48GB*10:none', 14100.2),
         ('tp2.dp2.mb1.seq4096/D-48GB*11:none,D-48GB*12:none,A100-SXM-80GB*17:none', 15955.5),
         ('tp2.dp2.mb1.seq4096/D-48GB*11:none,D-48GB*11:none,A100-SXM-80GB*18:block1', 14814.2),
         ('tp2.dp2.mb1.seq4096/D-48GB*11:none,D-48GB*11:none,A100-SXM-80GB*18:none', 14800.8)) AS run
         ON run.column1 = p.config
WHERE place = 1 ORDER BY what DESC, p.predictor;
ROLLBACK;
