-- memx_sensitivity: sweeps in which one parameter differs, and how far they move time and memory.
-- (Synthetic.)
SELECT 'nothing measured', count(*) FROM memx_sensitivity;

CREATE TEMP VIEW profile AS
SELECT device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, heads,
       recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, allocated_mib, reserved_mib
FROM memx_profile;
CREATE TEMP TRIGGER measured INSTEAD OF INSERT ON profile BEGIN
    INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
        seq_length, heads, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms,
        allocated_mib, reserved_mib)
    VALUES (coalesce(new.device, 'B-32GB'), coalesce(new.model, 'llama2-7b'),
        coalesce(new.framework, 'megatron-bf16'), coalesce(new.layers, 4), coalesce(new.first_stage, 0),
        coalesce(new.last_stage, 0), coalesce(new.tp, 2), coalesce(new.dp, 1), coalesce(new.micro_batch, 1),
        coalesce(new.seq_length, 4096), new.heads, coalesce(new.recompute, 'none'),
        coalesce(new.in_flight, 1), coalesce(new.sequence_parallel, 0),
        coalesce(new.distributed_optimizer, 0), new.time_ms, new.allocated_mib, new.reserved_mib);
END;
INSERT INTO profile(layers, time_ms) VALUES (4, 100);
SELECT 'one row', count(*) FROM memx_sensitivity;

-- A second number of layers makes a sweep; a third that differs in two ways is in none.
INSERT INTO profile(layers, time_ms) VALUES (8, 200);
INSERT INTO profile(layers, tp, time_ms) VALUES (12, 4, 170);
.mode column
.headers on
SELECT * FROM memx_sensitivity;

-- The same stage measured twice counts by its mean; what was not measured does not.
INSERT INTO profile(layers, time_ms) VALUES (8, 240), (16, NULL);
SELECT parameter, points, sweeps, least, most, time_change_pct, memory_change_pct, keep FROM memx_sensitivity;

-- Memory is reserved_mib as soon as any row has it, and never compared with allocated_mib.
UPDATE memx_profile SET allocated_mib = 1000 * layers;
SELECT parameter, memory_change_pct FROM memx_sensitivity;
UPDATE memx_profile SET reserved_mib = 5000 WHERE layers = 4;
SELECT parameter, memory_change_pct FROM memx_sensitivity;
UPDATE memx_profile SET reserved_mib = 5100 WHERE layers = 8;
SELECT parameter, memory_change_pct, keep FROM memx_sensitivity;

-- Keep or fix: more than 5 % of either. Levels go from the least to the most that is computed again.
DELETE FROM memx_profile;
INSERT INTO profile(in_flight, dp, distributed_optimizer, recompute, time_ms, reserved_mib) VALUES
    (1, 1, 0, 'none', 100, 9000), (2, 1, 0, 'none', 101, 9600), (4, 1, 0, 'none', 100, 10800), -- memory alone
    (1, 2, 0, 'none', 103, 9100),                                                               -- dp: neither
    (1, 1, 0, 'selective', 104, 8900), (1, 1, 0, 'full', 133, 8000);
SELECT parameter, points, sweeps, least, most, round(time_change_pct, 2) AS time_change_pct,
       round(memory_change_pct, 2) AS memory_change_pct, keep FROM memx_sensitivity;

-- tp 1 knows no sequence parallelism, and is the least value of the sweep with it all the same; heads take
-- the model's groups along, one for each.
DELETE FROM memx_profile;
INSERT INTO profile(tp, sequence_parallel, time_ms) VALUES (1, 0, 200), (2, 1, 110), (4, 1, 65);
INSERT INTO profile(heads, time_ms) VALUES (16, 160), (64, 300);
INSERT INTO profile(time_ms) VALUES (220);
SELECT parameter, points, sweeps, least, most, round(time_change_pct) AS time_change_pct FROM memx_sensitivity;

-- A level is one however it is written: on four layers uniform8 is uniform4, on one layer full.
DELETE FROM memx_profile;
INSERT INTO profile(layers, recompute, micro_batch, time_ms) VALUES
    (4, 'uniform4', 1, 100), (4, 'uniform8', 2, 190), (4, 'uniform8', 1, 102), (4, 'uniform2', 4, 300),
    (1, 'full', 1, 25), (1, 'uniform8', 2, 45), (1, 'uniform1', 4, 85), (1, 'block1', 8, 165);
SELECT parameter, points, sweeps, least, most, round(time_change_pct) AS time_change_pct FROM memx_sensitivity;

-- Levels go by their number, not by their text.
DELETE FROM memx_profile;
INSERT INTO profile(layers, recompute, time_ms) VALUES (16, 'block2', 100), (16, 'block10', 120), (16, 'block9', 118);
SELECT parameter, points, least, most FROM memx_sensitivity;

-- Aliases are their device; models and frameworks are each their own.
DELETE FROM memx_profile;
INSERT INTO profile(device, model, framework, layers, time_ms) VALUES
    ('NVIDIA A100-SXM4-80GB', NULL, NULL, 2, 20), ('A100-SXM-80GB', NULL, NULL, 4, 40),
    ('A100-SXM-80GB', 'llama2-13b', NULL, 4, 60), ('A100-SXM-80GB', 'llama2-13b', NULL, 5, 62),
    ('A100-SXM-80GB', NULL, 'megatron-fp16', 2, 20), ('unheard-of', NULL, NULL, 2, 30),
    ('unheard-of', NULL, NULL, 3, 40);
SELECT device, framework, model, least, most, round(time_change_pct, 1) AS time_change_pct, keep
FROM memx_sensitivity;
SELECT a.device, count(*) FROM memx_sensitivity AS a JOIN memx_sensitivity AS b USING (parameter) GROUP BY 1;
