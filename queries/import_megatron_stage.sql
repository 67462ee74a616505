-- How do the stages get in that memx_measure proposed? Logs of Megatron-LM runs with its flags become rows of
-- memx_profile; what cannot be right is left out and listed with the reason, and so is what is there already.
--
--   MEMX_IMPORT=logs MEMX_DEVICE=A100 MEMX_MODEL=llama2-7b sqlite3 -cmd '.load ./memx' my.db <queries/import_megatron_stage.sql
--
-- MEMX_IMPORT names a log, or a folder with *.log below it, all of one device (any spelling) and of stages of one
-- model. MEMX_FRAMEWORK: megatron-bf16 unless set. A run of one stage gives its time, from the timers of
-- --timing-log-level 2, and its memory; a pipeline gives a row per stage with the memory of its ranks alone. A stage
-- that ran out of memory goes in without figures, so that it is not asked for again. Left out whole: runs with cp, ep
-- or vp above 1, and pipelines that ran out of memory.
DROP TABLE IF EXISTS temp.folder;
DROP TABLE IF EXISTS temp.file;
DROP TABLE IF EXISTS temp.run;
DROP TABLE IF EXISTS temp.given;
.import --schema temp --ascii '|printf "path\037device\037model\037framework\036%s\037%s\037%s\037%s\036" "$MEMX_IMPORT" "$MEMX_DEVICE" "$MEMX_MODEL" "${MEMX_FRAMEWORK:-megatron-bf16}"' folder

BEGIN;
CREATE TEMP TABLE file(name TEXT PRIMARY KEY, data BLOB, why TEXT);
INSERT INTO file(name, data)
SELECT iif(f.name = top, replace(top, rtrim(top, replace(top, '/', '')), ''), substr(f.name, length(top) + 2)), f.data
FROM (SELECT rtrim(path, '/') AS top FROM temp.folder WHERE path <> '') JOIN fsdir(top) AS f
WHERE f.data IS NOT NULL AND (f.name = top OR f.name GLOB '*.log');
UPDATE file SET why = 'no arguments of Megatron-LM' WHERE NOT instr(data, CAST('micro_batch_size ..' AS BLOB));

CREATE TEMP TABLE given(
    name TEXT, run INTEGER, stage INTEGER, device TEXT, model TEXT, framework TEXT, layers INTEGER,
    first_stage INTEGER, last_stage INTEGER, tp INTEGER, dp INTEGER, micro_batch INTEGER, seq_length INTEGER,
    heads INTEGER, kv_groups INTEGER, recompute TEXT, in_flight INTEGER, sequence_parallel INTEGER,
    distributed_optimizer INTEGER, time_ms REAL, allocated_mib REAL, reserved_mib REAL, source TEXT, oom INTEGER,
    hidden INTEGER, ffn_hidden INTEGER, trained_in TEXT, predicted TEXT, why TEXT, PRIMARY KEY(name, run, stage));
-- Named no job, every log is said to lack one: what a log without another fault is answered is no reason here.
CREATE TEMP TABLE run AS
SELECT file.name, log.*, CASE
    WHEN problem IS NOT (SELECT problem FROM megatron_log('  micro_batch_size ........ 1')) THEN problem
    WHEN max(ifnull(cp, 1), ifnull(ep, 1), ifnull(vp, 1)) > 1
        THEN printf('cp %d, ep %d, vp %d: memx_profile has no column for what is above 1', ifnull(cp, 1), ifnull(ep, 1),
                    ifnull(vp, 1))
    WHEN oom AND pp > 1 THEN 'a pipeline that ran out of memory: which stage did is not known'
    WHEN log.layers IS NULL THEN 'the arguments do not say the layers of every stage'
    END AS why
FROM file, megatron_log(file.data) AS log WHERE file.why IS NULL;
-- A row per stage; of a run that is left out whole one alone, without a stage.
INSERT INTO given
SELECT r.name, r.run, s.key, f.device, f.model, f.framework, s.value, s.key = 0, s.key = pp - 1, tp, dp,
       micro_batch, seq_length, heads, kv_groups,
       iif(recompute GLOB 'block*' AND substr(recompute, 6) + 0 >= s.value, 'full', recompute),
       min(pp - s.key, global_batch / (dp * micro_batch)), ifnull(sequence_parallel, 0) AND tp > 1,
       iif(dp > 1, ifnull(distributed_optimizer, 0), 0), iif(pp = 1, compute_ms, NULL), NULL, NULL,
       r.name || iif(r.run > 1, ': run ' || r.run, ''), oom, hidden, ffn_hidden, trained_in, NULL, r.why
FROM temp.folder AS f, run AS r LEFT JOIN json_each(iif(r.why IS NULL, '[' || r.layers || ']', '[]')) AS s;
UPDATE given SET (allocated_mib, reserved_mib) = (
    SELECT max(g.allocated_mib), max(g.reserved_mib)
    FROM file, megatron_log_gpus(file.data) AS g
    WHERE file.name = given.name AND g.run = given.run AND g.rank / (tp * dp) = given.stage)
WHERE NOT oom;
UPDATE given SET time_ms = NULL WHERE oom;
UPDATE given SET predicted = stage_estimate(
    device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, heads, kv_groups,
    recompute, in_flight, sequence_parallel, distributed_optimizer);
UPDATE given SET why = CASE
    WHEN device = '' OR model = '' THEN 'set MEMX_DEVICE and MEMX_MODEL'
    WHEN predicted ->> 'problem' IS NOT NULL THEN predicted ->> 'problem'
    WHEN predicted IS NULL THEN 'the arguments lack a degree, the batch or the shape'
    WHEN (hidden, ffn_hidden) IS NOT (SELECT m.hidden, m.ffn_hidden FROM memx_model AS m WHERE m.model = given.model)
        THEN printf('hidden %d and ffn_hidden %d are not those of model ''%s''', hidden, ffn_hidden, model)
    WHEN trained_in <> (SELECT iif(f.bf16, 'bf16', iif(f.activation_bytes < 4, 'fp16', 'single'))
                        FROM memx_framework AS f WHERE f.framework = given.framework)
        THEN printf('the log trained in %s precision, which is not that of framework ''%s''; set MEMX_FRAMEWORK',
                    trained_in, framework)
    WHEN NOT oom AND coalesce(time_ms, allocated_mib, reserved_mib) IS NULL THEN 'nothing was measured'
    WHEN time_ms < (predicted ->> 'time_ms') / 20 OR time_ms > 1000 * (predicted ->> 'time_ms')
        THEN printf('a micro batch takes %g ms, predicted are %.3g', time_ms, predicted ->> 'time_ms')
    WHEN max(ifnull(allocated_mib, 0), ifnull(reserved_mib, 0)) > 1.01 * (
             SELECT d.memory_mib FROM memx_device AS d WHERE d.device = coalesce(
                 (SELECT device FROM memx_device WHERE device = given.device),
                 (SELECT device FROM memx_alias WHERE name = given.device))) THEN 'more memory than the card has'
    WHEN allocated_mib > 1.01 * reserved_mib THEN 'more allocated than reserved'
    WHEN EXISTS (SELECT 1 FROM memx_profile AS p
                 WHERE (p.device, p.model, p.framework, p.layers, p.first_stage, p.last_stage, p.tp, p.dp,
                        p.micro_batch, p.seq_length, p.recompute, p.in_flight, p.source)
                       = (given.device, given.model, given.framework, given.layers, given.first_stage,
                          given.last_stage, given.tp, given.dp, given.micro_batch, given.seq_length,
                          given.recompute, given.in_flight, given.source)
                       AND (p.time_ms, p.allocated_mib) IS (given.time_ms, given.allocated_mib)) THEN 'is there already'
    END
WHERE why IS NULL;
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
                         heads, kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms,
                         allocated_mib, reserved_mib, source)
SELECT device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, heads, kv_groups,
       recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, allocated_mib, reserved_mib, source
FROM given WHERE why IS NULL ORDER BY name, run, stage;
COMMIT;
SELECT 'memx_profile' AS what, NULL AS name,
       CASE WHEN path = '' THEN 'MEMX_IMPORT names no log or folder'
            WHEN NOT EXISTS (SELECT 1 FROM file) THEN path || ' has no logs'
            ELSE count(*) FILTER (WHERE given.name IS NOT NULL AND why IS NULL) || ' of '
                 || count(given.stage) || ' stages went in' END AS why
FROM temp.folder LEFT JOIN given
UNION ALL
SELECT * FROM (
    SELECT 'left out' AS what, name || ifnull(', stage ' || stage, '') AS name, why
    FROM (SELECT source AS name, stage, why FROM given UNION ALL SELECT name, NULL, why FROM file)
    WHERE why IS NOT NULL ORDER BY name, stage);
