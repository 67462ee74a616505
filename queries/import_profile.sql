-- How do measured stages get in? Rows of a CSV file with a header go into memx_profile; those that cannot
-- be right are left out and listed with the reason, and so are rows that are there already.
--
--   MEMX_IMPORT=stages.csv sqlite3 -cmd '.load ./memx' my.db <queries/import_profile.sql
--
-- Columns have the names of memx_profile, in any order. Needed: device, model, framework, layers, tp,
-- micro_batch, and one of time_ms, allocated_mib and reserved_mib. Otherwise first_stage and last_stage
-- are 0, dp and in_flight 1, recompute none, seq_length the model's, sequence_parallel and
-- distributed_optimizer the framework's, source the file's name. Absurd is what is faster than the card's
-- peak, 1000 times slower than predicted, or larger than the card.
DROP TABLE IF EXISTS temp.csv;
DROP TABLE IF EXISTS temp.file;
DROP TABLE IF EXISTS temp.given;
.import --schema temp --csv '|if [ -z "$MEMX_IMPORT" ] || { [ -f "$MEMX_IMPORT" ] && ! grep -q "[^[:space:]]" "$MEMX_IMPORT"; }; then echo device; else cat "$MEMX_IMPORT"; fi' csv
.import --schema temp --ascii '|printf "name\036%s\036" "${MEMX_IMPORT##*/}"' file

BEGIN;
-- Types make numbers of what is one, and leave the rest text.
CREATE TEMP TABLE given(
    line INTEGER PRIMARY KEY, device TEXT, model TEXT, framework TEXT, layers INTEGER, first_stage INTEGER,
    last_stage INTEGER, tp INTEGER, dp INTEGER, micro_batch INTEGER, seq_length INTEGER, heads INTEGER,
    kv_groups INTEGER, recompute TEXT, in_flight INTEGER, sequence_parallel INTEGER,
    distributed_optimizer INTEGER, time_ms REAL, allocated_mib REAL, reserved_mib REAL, source TEXT,
    predicted TEXT, id INTEGER, why TEXT);
INSERT INTO given(line) SELECT rowid + 1 FROM temp.csv;
-- A column that the file does not have is then the row's own here, which is NULL.
UPDATE given SET (
    device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, heads,
    kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, allocated_mib,
    reserved_mib, source) = (
    SELECT trim(device), trim(model), trim(framework), trim(layers), trim(first_stage), trim(last_stage),
           trim(tp), trim(dp), trim(micro_batch), trim(seq_length), trim(heads), trim(kv_groups),
           trim(recompute), trim(in_flight), trim(sequence_parallel), trim(distributed_optimizer),
           trim(time_ms), trim(allocated_mib), trim(reserved_mib), trim(source)
    FROM temp.csv WHERE csv.rowid = given.line - 1);
-- Expressions see what was there before: what follows from another column comes in a second round.
UPDATE given SET
    device = nullif(device, ''), model = nullif(model, ''), framework = nullif(framework, ''),
    layers = nullif(layers, ''), tp = nullif(tp, ''), micro_batch = nullif(micro_batch, ''),
    first_stage = coalesce(nullif(first_stage, ''), 0), last_stage = coalesce(nullif(last_stage, ''), 0),
    dp = coalesce(nullif(dp, ''), 1), in_flight = coalesce(nullif(in_flight, ''), 1),
    heads = nullif(heads, ''), kv_groups = nullif(kv_groups, ''),
    recompute = coalesce(nullif(recompute, ''), 'none'), seq_length = nullif(seq_length, ''),
    sequence_parallel = nullif(sequence_parallel, ''),
    distributed_optimizer = nullif(distributed_optimizer, ''),
    time_ms = nullif(time_ms, ''), allocated_mib = nullif(allocated_mib, ''),
    reserved_mib = nullif(reserved_mib, ''),
    source = coalesce(nullif(source, ''), (SELECT name FROM temp.file));
UPDATE given SET
    seq_length = coalesce(seq_length, (
        SELECT m.seq_length FROM memx_model AS m WHERE m.model = given.model)),
    sequence_parallel = coalesce(sequence_parallel, tp > 1 AND (
        SELECT f.sequence_parallel FROM memx_framework AS f WHERE f.framework = given.framework)),
    distributed_optimizer = coalesce(distributed_optimizer, iif(dp > 1, (
        SELECT f.distributed_optimizer FROM memx_framework AS f WHERE f.framework = given.framework), 0));
UPDATE given SET predicted = stage_estimate(
    device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, coalesce(seq_length, 1),
    heads, kv_groups, recompute, in_flight, coalesce(sequence_parallel, 0),
    coalesce(distributed_optimizer, 0));

-- The card, and the ms in which it could do no more than the matrix products.
CREATE TEMP VIEW bound AS
SELECT g.line, d.memory_mib,
       6e3 * g.layers * g.micro_batch * g.seq_length / g.tp / (1e12 * d.peak_tflops)
       * (m.hidden * m.head_dim * 2.0 * (m.heads + m.kv_groups) + (2 + m.gated_mlp) * m.hidden * m.ffn_hidden)
           AS least_ms
FROM given AS g JOIN memx_model AS m ON m.model = g.model
     JOIN memx_device AS d ON d.device = coalesce(
         (SELECT device FROM memx_device WHERE device = g.device),
         (SELECT device FROM memx_alias WHERE name = g.device));
UPDATE given SET why = CASE
    WHEN device IS NULL THEN 'no device'
    WHEN model IS NULL THEN 'no model'
    WHEN framework IS NULL THEN 'no framework'
    WHEN layers IS NULL THEN 'no layers'
    WHEN tp IS NULL THEN 'no tp'
    WHEN micro_batch IS NULL THEN 'no micro_batch'
    WHEN predicted ->> 'problem' IS NOT NULL THEN predicted ->> 'problem'
    WHEN coalesce(time_ms, allocated_mib, reserved_mib) IS NULL THEN 'nothing was measured'
    WHEN typeof(time_ms) = 'text' THEN printf('time_ms is %s, no number', time_ms)
    WHEN typeof(allocated_mib) = 'text' THEN printf('allocated_mib is %s, no number', allocated_mib)
    WHEN typeof(reserved_mib) = 'text' THEN printf('reserved_mib is %s, no number', reserved_mib)
    WHEN time_ms <= 0 THEN printf('time_ms is %g', time_ms)
    WHEN allocated_mib <= 0 THEN printf('allocated_mib is %g', allocated_mib)
    WHEN reserved_mib <= 0 THEN printf('reserved_mib is %g', reserved_mib)
    WHEN time_ms < (SELECT least_ms FROM bound WHERE bound.line = given.line) THEN printf(
        'time_ms is %g, and %g at the card''s peak (seconds?)', time_ms,
        (SELECT least_ms FROM bound WHERE bound.line = given.line))
    WHEN time_ms > 1000 * (predicted ->> 'time_ms') THEN printf(
        'time_ms is %g, more than 1000 times the %.3g predicted (microseconds?)', time_ms,
        predicted ->> 'time_ms')
    WHEN max(ifnull(allocated_mib, 0), ifnull(reserved_mib, 0))
         > 1.01 * (SELECT memory_mib FROM bound WHERE bound.line = given.line) THEN printf(
        'more memory than the card''s %g MiB (bytes?)',
        (SELECT memory_mib FROM bound WHERE bound.line = given.line))
    WHEN allocated_mib > 1.01 * reserved_mib THEN 'more allocated than reserved'
    END;
UPDATE given SET why = 'is there already' WHERE why IS NULL AND EXISTS (
    SELECT 1 FROM memx_profile AS p
    WHERE (p.device, p.model, p.framework, p.layers, p.first_stage, p.last_stage, p.tp, p.dp,
           p.micro_batch, p.seq_length, p.recompute, p.in_flight, p.sequence_parallel,
           p.distributed_optimizer, p.source)
          = (given.device, given.model, given.framework, given.layers, given.first_stage,
             given.last_stage, given.tp, given.dp, given.micro_batch, given.seq_length, given.recompute,
             given.in_flight, given.sequence_parallel, given.distributed_optimizer, given.source)
      AND (p.heads, p.kv_groups, p.time_ms, p.allocated_mib, p.reserved_mib)
          IS (given.heads, given.kv_groups, given.time_ms, given.allocated_mib, given.reserved_mib));
UPDATE given SET id = (SELECT coalesce(max(id), 0) FROM memx_profile) + place
FROM (SELECT line, row_number() OVER (ORDER BY line) AS place FROM given WHERE why IS NULL) AS kept
WHERE kept.line = given.line;
INSERT OR IGNORE INTO memx_profile(id, device, model, framework, layers, first_stage, last_stage, tp, dp,
                                   micro_batch, seq_length, heads, kv_groups, recompute, in_flight,
                                   sequence_parallel, distributed_optimizer, time_ms, allocated_mib,
                                   reserved_mib, source)
SELECT id, device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, heads,
       kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, allocated_mib,
       reserved_mib, source
FROM given WHERE id IS NOT NULL ORDER BY line;
UPDATE given SET why = 'breaks a rule of the table; .schema memx_profile shows them'
WHERE id IS NOT NULL AND id NOT IN (SELECT id FROM memx_profile);
DROP VIEW temp.bound;
COMMIT;
SELECT 'memx_profile' AS what, NULL AS line,
       CASE WHEN name = '' THEN 'MEMX_IMPORT names no file' WHEN count(line) = 0 THEN name || ' has no rows'
            ELSE count(line) FILTER (WHERE why IS NULL) || ' of ' || count(line) || ' rows went in' END AS why
FROM temp.file LEFT JOIN given
UNION ALL
SELECT * FROM (SELECT 'left out', line, why FROM given WHERE why IS NOT NULL ORDER BY line);
