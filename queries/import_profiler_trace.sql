-- How does a block's real memory get in? A trace of PyTorch's profiler over one transformer block, forward and
-- backward, becomes rows of memx_op, which protrain_configs then walks instead of its analytic operators.
--
--   MEMX_IMPORT=trace.json MEMX_MODEL=gpt2-xl MEMX_FRAMEWORK=deepspeed-fp16 MEMX_DEVICE=RTX3090 MEMX_MICRO_BATCH=4 \
--     sqlite3 -cmd '.load ./memx' my.db <queries/import_profiler_trace.sql
--
-- The trace is what export_chrome_trace writes: torch.profiler.profile(activities=[CPU, CUDA], profile_memory=True)
-- under CUDA_LAUNCH_BLOCKING=1, so that an operator lasts as long as its kernels, around
--   y = block(x); y.backward(torch.ones_like(y))
-- after some rounds of the same to warm up, gradients of parameters there already. Read: events of cat cpu_op that
-- lie in no other one (ts, dur), and "[memory]" events of the device (args "Total Allocated", "Device Type" 1; of
-- the host where there are none). Backward begins with the first autograd::engine operator. MEMX_SEQ_LENGTH: the
-- model's unless set. Rows of the same model, framework, device, sequence length and micro batch are replaced.
DROP TABLE IF EXISTS temp.trace;
.import --schema temp --ascii '|printf "path\037model\037framework\037device\037micro_batch\037seq_length\036%s\037%s\037%s\037%s\037%s\037%s\036" "$MEMX_IMPORT" "$MEMX_MODEL" "${MEMX_FRAMEWORK:-deepspeed-fp16}" "$MEMX_DEVICE" "$MEMX_MICRO_BATCH" "$MEMX_SEQ_LENGTH"' trace

BEGIN;
CREATE TEMP TABLE given AS
SELECT path, t.model, framework, CAST(micro_batch AS INTEGER) AS micro_batch,
       coalesce((SELECT d.device FROM memx_device AS d WHERE d.device = t.device),
                (SELECT a.device FROM memx_alias AS a WHERE a.name = t.device)) AS device,
       iif(t.seq_length = '', m.seq_length, CAST(t.seq_length AS INTEGER)) AS seq_length,
       CAST(readfile(nullif(path, '')) AS TEXT) AS text, NULL AS why
FROM temp.trace AS t LEFT JOIN memx_model AS m ON m.model = t.model;
UPDATE given SET why = CASE
    WHEN path = '' THEN 'MEMX_IMPORT names no trace'
    WHEN text IS NULL THEN 'there is no file ' || path
    WHEN NOT json_valid(text) THEN path || ' is no JSON'
    WHEN json_type(text, '$.traceEvents') IS NOT 'array' THEN path || ' has no traceEvents'
    WHEN NOT EXISTS (SELECT 1 FROM memx_model AS m WHERE m.model = given.model)
        THEN printf('MEMX_MODEL: no model ''%s''; insert it into memx_model', model)
    WHEN NOT EXISTS (SELECT 1 FROM memx_framework AS f WHERE f.framework = given.framework)
        THEN printf('MEMX_FRAMEWORK: no framework ''%s''; insert it into memx_framework', framework)
    WHEN device IS NULL THEN 'MEMX_DEVICE: no such device; insert it into memx_device'
    WHEN micro_batch < 1 THEN 'MEMX_MICRO_BATCH: write the number of sequences'
    END;

CREATE TEMP TABLE event AS
SELECT e.value ->> '$.name' AS name, e.value ->> '$.cat' AS cat, e.value ->> '$.tid' AS tid,
       CAST(e.value ->> '$.ts' AS REAL) AS ts, CAST(e.value ->> '$.dur' AS REAL) AS dur,
       e.value ->> '$.args."Total Allocated"' AS allocated, e.value ->> '$.args."Device Type"' AS device_type
FROM given, json_each(text, '$.traceEvents') AS e
WHERE why IS NULL AND (e.value ->> '$.cat' = 'cpu_op' OR e.value ->> '$.name' = '[memory]');
CREATE TEMP TABLE level(ts REAL PRIMARY KEY, allocated REAL);
INSERT OR REPLACE INTO level
SELECT ts, allocated FROM event
WHERE name = '[memory]' AND allocated IS NOT NULL
  AND device_type IS (SELECT max(device_type) FROM event WHERE name = '[memory]') ORDER BY ts;
-- Outermost operators, each until the next one starts.
CREATE TEMP TABLE operator AS
SELECT *, lead(ts, 1, 9e18) OVER (ORDER BY ts) AS next, CAST(NULL AS REAL) AS base,
       ts >= (SELECT coalesce(min(ts), 9e18) FROM event WHERE name LIKE 'autograd::engine%') AS backward
FROM event AS o
WHERE cat = 'cpu_op' AND dur IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM event AS p WHERE p.cat = 'cpu_op' AND p.tid = o.tid AND p.rowid <> o.rowid
                  AND p.ts <= o.ts AND p.ts + p.dur >= o.ts + o.dur
                  AND (p.ts < o.ts OR p.dur > o.dur OR p.rowid < o.rowid));
-- What is allocated before it: the last level, or what the first one on record says less its own bytes is not
-- known, so that counts as nothing.
UPDATE operator SET base = coalesce((SELECT allocated FROM level WHERE level.ts < operator.ts
                                     ORDER BY level.ts DESC LIMIT 1), 0);
UPDATE given SET why = 'the trace has no memory events; profile with profile_memory=True'
WHERE why IS NULL AND NOT EXISTS (SELECT 1 FROM level);
UPDATE given SET why = 'the trace has no operators (cat cpu_op)'
WHERE why IS NULL AND NOT EXISTS (SELECT 1 FROM operator WHERE NOT backward);

DELETE FROM memx_op
WHERE (model, framework, device, seq_length, micro_batch) IN
      (SELECT model, framework, device, seq_length, micro_batch FROM given WHERE why IS NULL);
INSERT INTO memx_op(model, framework, device, micro_batch, seq_length, phase, ordinal, op, time_ms, intra_mib,
                    inter_mib, kept_mib, source)
SELECT model, framework, device, micro_batch, seq_length, iif(backward, 'backward', 'forward'),
       row_number() OVER (PARTITION BY backward ORDER BY o.ts) - 1, substr(name, 1, 64), dur / 1000,
       coalesce((SELECT max(allocated) FROM level WHERE level.ts BETWEEN o.ts AND o.ts + dur) - base, 0) / 1048576,
       coalesce((SELECT max(allocated) FROM level WHERE level.ts > o.ts + dur AND level.ts < next) - base, 0) / 1048576,
       (coalesce((SELECT allocated FROM level WHERE level.ts >= o.ts AND level.ts < next ORDER BY level.ts DESC LIMIT 1),
                 base) - base) / 1048576,
       replace(path, rtrim(path, replace(path, '/', '')), '')
FROM given, operator AS o WHERE why IS NULL;
COMMIT;

SELECT coalesce(why, (SELECT printf('%d operators went in, %d of them backward; a block keeps %.1f MiB',
                                    count(*), sum(phase = 'backward'),
                                    sum(kept_mib) FILTER (WHERE phase = 'forward'))
                      FROM memx_op AS o
                      WHERE (o.model, o.framework, o.device, o.seq_length, o.micro_batch) =
                            (given.model, given.framework, given.device, given.seq_length, given.micro_batch)))
       AS memx_op
FROM given;
