-- How do a planner's layer profiles get in? Files of the JSON layout that Metis reads, one per device, tp
-- and micro batch, become rows of memx_profile; files that cannot be right are left out and listed.
--
--   MEMX_IMPORT=profiles sqlite3 -cmd '.load ./memx' my.db <queries/import_planner_json.sql
--
-- MEMX_IMPORT names the folder; files are found below it, as .../MODEL/DEVICE/mbs2_tmp4.json (tmp: tp) or
-- as DeviceType.A100_tp4_bs2.json. MEMX_FRAMEWORK: the framework that was profiled (fp32 unless set). The
-- model is model.model_name, which memx_model must have, with its sequence length; device: any spelling.
-- Read: execution_time.layer_compute_total_ms, the first entry the embedding, then the layers, then the
-- head. Four rows: the whole model, one layer (the median of the inner ones), embedding and first layer,
-- last layer and head. Memory is not read: it is per layer, and no peak.
DROP TABLE IF EXISTS temp.folder;
DROP TABLE IF EXISTS temp.file;
DROP TABLE IF EXISTS temp.given;
.import --schema temp --ascii '|printf "path\037framework\036%s\037%s\036" "$MEMX_IMPORT" "${MEMX_FRAMEWORK:-fp32}"' folder

BEGIN;
-- name: below the folder; device and degrees: from the name.
CREATE TEMP TABLE file(name TEXT PRIMARY KEY, base TEXT, parent TEXT, text TEXT, model TEXT, device TEXT, tp INTEGER,
                       micro_batch INTEGER, depth INTEGER, whole REAL, one REAL, first REAL, last REAL,
                       why TEXT);
INSERT INTO file(name, text)
SELECT substr(f.name, length(top) + 2), CAST(f.data AS TEXT)
FROM (SELECT rtrim(path, '/') AS top FROM temp.folder WHERE path <> ''), fsdir(top) AS f
WHERE f.name GLOB '*.json';
UPDATE file SET why = 'no JSON' WHERE json_valid(text) IS NOT 1;
UPDATE file SET base = replace(name, rtrim(name, replace(name, '/', '')), ''),
                parent = rtrim(rtrim(name, replace(name, '/', '')), '/');
UPDATE file SET parent = replace(parent, rtrim(parent, replace(parent, '/', '')), '');
UPDATE file SET
    model = text ->> '$.model.model_name',
    device = iif(base GLOB 'DeviceType.*_tp*', substr(base, 12, instr(base, '_tp') - 12), parent),
    tp = CAST(substr(base, CASE WHEN base GLOB '*tmp[0-9]*' THEN instr(base, 'tmp') + 3
                                ELSE instr(base, '_tp') + 3 END) AS INTEGER),
    micro_batch = CAST(substr(base, CASE WHEN base GLOB '*mbs[0-9]*' THEN instr(base, 'mbs') + 3
                                         ELSE instr(base, '_bs') + 3 END) AS INTEGER),
    depth = (SELECT layers FROM memx_model AS m WHERE m.model = text ->> '$.model.model_name')
WHERE why IS NULL;
UPDATE file SET why = CASE
    WHEN model IS NULL THEN 'no model.model_name'
    WHEN depth IS NULL THEN printf('no model ''%s''; insert it into memx_model', model)
    WHEN tp < 1 OR micro_batch < 1 THEN 'the name says no tp and micro batch'
    WHEN json_type(text, '$.execution_time.layer_compute_total_ms') IS NOT 'array'
        THEN 'no execution_time.layer_compute_total_ms'
    WHEN EXISTS (SELECT 1 FROM json_each(text, '$.execution_time.layer_compute_total_ms')
                 WHERE type NOT IN ('real', 'integer') OR value < 0) THEN 'a time is no number from 0'
    WHEN json_array_length(text, '$.execution_time.layer_compute_total_ms') < depth + 2
        THEN printf('%d times, %d are needed', json_array_length(text, '$.execution_time.layer_compute_total_ms'),
                    depth + 2)
    WHEN json_array_length(text, '$.execution_time.layer_compute_total_ms')
         <> json_array_length(text, '$.execution_memory.layer_memory_total_mb')
        THEN printf('%d times, but memory of %d layers',
                    json_array_length(text, '$.execution_time.layer_compute_total_ms'),
                    json_array_length(text, '$.execution_memory.layer_memory_total_mb'))
    END
WHERE why IS NULL;
UPDATE file SET (whole, one, first, last) = (
    SELECT sum(value), median(value) FILTER (WHERE key BETWEEN 1 AND depth),
           sum(value) FILTER (WHERE key <= 1), sum(value) FILTER (WHERE key >= depth)
    FROM json_each(text, '$.execution_time.layer_compute_total_ms'))
WHERE why IS NULL;

CREATE TEMP TABLE given AS
SELECT name, stage.column1 AS stage, device, file.model, framework, tp, micro_batch,
       iif(stage.column1 = 'whole', depth, 1) AS layers, stage.column2 AS first_stage,
       stage.column3 AS last_stage, m.seq_length,
       CASE stage.column1 WHEN 'whole' THEN whole WHEN 'one layer' THEN one WHEN 'first' THEN first
                          ELSE last END AS time_ms,
       printf('%s: %s, %s', replace(top, rtrim(top, replace(top, '/', '')), ''), name, stage.column1) AS source,
       NULL AS predicted, NULL AS id, NULL AS why
FROM (SELECT rtrim(path, '/') AS top, framework FROM temp.folder), file JOIN memx_model AS m ON m.model = file.model,
     (VALUES ('whole', 1, 1), ('one layer', 0, 0), ('first', 1, 0), ('last', 0, 1)) AS stage
WHERE why IS NULL ORDER BY name;
UPDATE given SET predicted = stage_estimate(device, model, framework, layers, first_stage, last_stage, tp, 1,
                                            micro_batch, seq_length, NULL, NULL, 'none', 1, 0, 0);
UPDATE given SET why = CASE
    WHEN predicted IS NULL THEN 'the name says no device'
    WHEN predicted ->> 'problem' IS NOT NULL THEN predicted ->> 'problem'
    WHEN NOT time_ms > 0 THEN 'the times add up to 0'
    WHEN time_ms < 0.01 * (predicted ->> 'time_ms') THEN 'less than a hundredth of what is predicted'
    WHEN time_ms > 1000 * (predicted ->> 'time_ms') THEN 'more than 1000 times what is predicted'
    WHEN EXISTS (SELECT 1 FROM memx_profile AS p
                 WHERE p.source = given.source AND p.time_ms = given.time_ms) THEN 'is there already'
    END;
UPDATE given SET id = (SELECT coalesce(max(id), 0) FROM memx_profile) + place
FROM (SELECT rowid AS row, row_number() OVER (ORDER BY rowid) AS place FROM given WHERE why IS NULL) AS kept
WHERE kept.row = given.rowid;
INSERT OR IGNORE INTO memx_profile(id, device, model, framework, layers, first_stage, last_stage, tp, dp,
                                   micro_batch, seq_length, in_flight, sequence_parallel,
                                   distributed_optimizer, time_ms, source)
SELECT id, device, model, framework, layers, first_stage, last_stage, tp, 1, micro_batch, seq_length, 1, 0, 0,
       time_ms, source
FROM given WHERE id IS NOT NULL ORDER BY id;
UPDATE given SET why = 'breaks a rule of the table; .schema memx_profile shows them'
WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM memx_profile);
COMMIT;
SELECT 'memx_profile' AS file, (SELECT count(*) FROM given WHERE why IS NULL) || ' stages of '
       || (SELECT count(DISTINCT name) FROM given WHERE why IS NULL) || ' files went in, of '
       || (SELECT count(*) FROM file) || ' files' AS why
UNION ALL
SELECT * FROM (SELECT name, why FROM (
    SELECT name, why FROM file WHERE why IS NOT NULL
    UNION SELECT name, why FROM given WHERE why IS NOT NULL) ORDER BY name);
