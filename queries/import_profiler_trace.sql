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
-- model's unless set. Rows of the same model, framework, device, sequence length and micro batch are replaced, all at
-- once: where one operator cannot go in, none does, old rows stay, and each such operator is listed.
DROP TABLE IF EXISTS temp.trace;
DROP TABLE IF EXISTS temp.given;
DROP TABLE IF EXISTS temp.event;
DROP TABLE IF EXISTS temp.level;
DROP TABLE IF EXISTS temp.operator;
.import --schema temp --ascii '|kind=none; if [ -d "$MEMX_IMPORT" ]; then kind=folder; elif [ -e "$MEMX_IMPORT" ]; then kind=file; fi; printf "path\037kind\037model\037framework\037device\037micro_batch\037seq_length\036%s\037%s\037%s\037%s\037%s\037%s\037%s\036" "$MEMX_IMPORT" "$kind" "$MEMX_MODEL" "${MEMX_FRAMEWORK:-deepspeed-fp16}" "$MEMX_DEVICE" "$MEMX_MICRO_BATCH" "$MEMX_SEQ_LENGTH"' trace

-- went: operators that went in.
CREATE TEMP TABLE given AS
SELECT path, t.model, framework, CAST(micro_batch AS INTEGER) AS micro_batch,
       coalesce((SELECT d.device FROM memx_device AS d WHERE d.device = t.device),
                (SELECT a.device FROM memx_alias AS a WHERE a.name = t.device)) AS device,
       iif(t.seq_length = '', m.seq_length, CAST(t.seq_length AS INTEGER)) AS seq_length,
       CASE kind WHEN 'file' THEN CAST(readfile(path) AS TEXT) END AS text, NULL AS went,
       CASE WHEN path = '' THEN 'MEMX_IMPORT names no trace'
            WHEN kind = 'folder' THEN path || ' is a folder; write the name of the trace in it'
            WHEN kind = 'none' THEN 'there is no file ' || path
            WHEN m.model IS NULL THEN printf('MEMX_MODEL: no model ''%s''; insert it into memx_model', t.model)
            WHEN NOT EXISTS (SELECT 1 FROM memx_framework AS f WHERE f.framework = t.framework)
                THEN printf('MEMX_FRAMEWORK: no framework ''%s''; insert it into memx_framework', framework)
            WHEN micro_batch = '' OR micro_batch GLOB '*[^0-9]*' OR micro_batch + 0 NOT BETWEEN 1 AND 1e9
                THEN printf('MEMX_MICRO_BATCH is ''%s''; write the number of sequences, a whole one from 1', micro_batch)
            WHEN t.seq_length <> '' AND (t.seq_length GLOB '*[^0-9]*' OR t.seq_length + 0 NOT BETWEEN 1 AND 1e8)
                THEN printf('MEMX_SEQ_LENGTH is ''%s''; write the number of tokens, a whole one from 1', t.seq_length)
            END AS why
FROM temp.trace AS t LEFT JOIN memx_model AS m ON m.model = t.model;
UPDATE given SET why = CASE
    WHEN device IS NULL THEN 'MEMX_DEVICE: no such device; insert it into memx_device'
    WHEN text IS NULL THEN path || ' cannot be read'
    WHEN NOT json_valid(text) THEN path || ' is no JSON'
    WHEN json_type(text, '$.traceEvents') IS NOT 'array' THEN path || ' has no traceEvents'
    END
WHERE why IS NULL;

-- Operators and changes of memory; why: it cannot be one. What is no object is neither.
CREATE TEMP TABLE event AS
SELECT e.key AS place, v ->> '$.name' AS name, v ->> '$.cat' AS cat, v ->> '$.tid' AS tid, v ->> '$.ts' AS ts,
       v ->> '$.dur' AS dur, v ->> '$.args."Total Allocated"' AS allocated,
       v ->> '$.args."Device Type"' AS device_type, NULL AS why
FROM given, (SELECT key, CASE type WHEN 'object' THEN value ELSE '{}' END AS v
             FROM given, json_each(CASE WHEN why IS NULL THEN text END, '$.traceEvents')) AS e
WHERE v ->> '$.cat' = 'cpu_op' AND v ->> '$.dur' IS NOT NULL
      OR v ->> '$.name' = '[memory]' AND v ->> '$.args."Total Allocated"' IS NOT NULL;
UPDATE event SET why = CASE
    WHEN typeof(ts) NOT IN ('integer', 'real') OR abs(ts) > 9e17 THEN 'its ts is no number of us'
    WHEN name = '[memory]' AND typeof(allocated) NOT IN ('integer', 'real') OR abs(allocated) > 1e15
        THEN 'its Total Allocated is no number of bytes'
    WHEN name <> '[memory]' AND (typeof(dur) NOT IN ('integer', 'real') OR dur NOT BETWEEN 0 AND 1e12)
        THEN 'its dur is no number of us from 0'
    WHEN name IS NULL OR name = '' OR instr(name, char(0)) > 0 THEN 'it has no name'
    END;
UPDATE event SET ts = CAST(ts AS REAL), dur = CAST(dur AS REAL) WHERE why IS NULL;
CREATE TEMP TABLE level(ts REAL PRIMARY KEY, allocated REAL);
INSERT OR REPLACE INTO level
SELECT ts, allocated FROM event
WHERE why IS NULL AND name = '[memory]'
  AND device_type IS (SELECT max(device_type) FROM event WHERE name = '[memory]') ORDER BY ts;
-- Outermost operators, each until the next one starts.
CREATE TEMP TABLE operator AS
SELECT *, lead(ts, 1, 9e18) OVER (ORDER BY ts) AS next, CAST(NULL AS REAL) AS base,
       ts >= (SELECT coalesce(min(ts), 9e18) FROM event WHERE name LIKE 'autograd::engine%') AS backward
FROM event AS o
WHERE why IS NULL AND cat = 'cpu_op'
  AND NOT EXISTS (SELECT 1 FROM event AS p WHERE p.why IS NULL AND p.cat = 'cpu_op' AND p.tid = o.tid AND p.rowid <> o.rowid
                  AND p.ts <= o.ts AND p.ts + p.dur >= o.ts + o.dur
                  AND (p.ts < o.ts OR p.dur > o.dur OR p.rowid < o.rowid));
-- What is allocated before it: the last level, or what the first one on record says less its own bytes is not
-- known, so that counts as nothing.
UPDATE operator SET base = coalesce((SELECT allocated FROM level WHERE level.ts < operator.ts
                                     ORDER BY level.ts DESC LIMIT 1), 0);
UPDATE given SET why = CASE
    WHEN EXISTS (SELECT 1 FROM event WHERE event.why IS NOT NULL)
        THEN printf('nothing went in: %d of the trace''s operators and memory events cannot be read',
                    (SELECT count(*) FROM event WHERE event.why IS NOT NULL))
    WHEN NOT EXISTS (SELECT 1 FROM level) THEN 'the trace has no memory events; profile with profile_memory=True'
    WHEN NOT EXISTS (SELECT 1 FROM operator) THEN 'the trace has no operators (cat cpu_op)'
    WHEN NOT EXISTS (SELECT 1 FROM operator WHERE NOT backward)
        THEN 'all operators are backward: none comes before the first autograd::engine one; record block(x), too'
    WHEN (SELECT count(*) FROM operator) > 10000 THEN 'more than 10000 operators; record one block'
    END
WHERE why IS NULL;

-- One statement, so that a rule of the table that is broken leaves everything as it was.
CREATE TEMP TRIGGER go AFTER UPDATE OF went ON given BEGIN
    DELETE FROM memx_op
    WHERE (model, framework, device, seq_length, micro_batch) =
          (new.model, new.framework, new.device, new.seq_length, new.micro_batch);
    INSERT INTO memx_op(model, framework, device, micro_batch, seq_length, phase, ordinal, op, time_ms, intra_mib,
                        inter_mib, kept_mib, source)
    SELECT new.model, new.framework, new.device, new.micro_batch, new.seq_length, iif(backward, 'backward', 'forward'),
           row_number() OVER (PARTITION BY backward ORDER BY o.ts) - 1, substr(name, 1, 64), dur / 1000,
           coalesce((SELECT max(allocated) FROM level WHERE level.ts BETWEEN o.ts AND o.ts + dur) - base, 0) / 1048576,
           coalesce((SELECT max(allocated) FROM level WHERE level.ts > o.ts + dur AND level.ts < next) - base, 0) / 1048576,
           (coalesce((SELECT allocated FROM level WHERE level.ts >= o.ts AND level.ts < next
                      ORDER BY level.ts DESC LIMIT 1), base) - base) / 1048576,
           replace(new.path, rtrim(new.path, replace(new.path, '/', '')), '')
    FROM operator AS o;
END;
UPDATE given SET went = (SELECT count(*) FROM operator) WHERE why IS NULL;
DROP TRIGGER temp.go;

SELECT 'memx_op' AS what, CASE
           WHEN why IS NOT NULL THEN why
           WHEN went IS NULL THEN 'nothing went in: the message above says why; .schema memx_op shows its rules'
           ELSE (SELECT printf('%d operators went in, %d of them backward; a block keeps %.1f MiB',
                               count(*), sum(phase = 'backward'), sum(kept_mib) FILTER (WHERE phase = 'forward'))
                 FROM memx_op AS o
                 WHERE (o.model, o.framework, o.device, o.seq_length, o.micro_batch) =
                       (given.model, given.framework, given.device, given.seq_length, given.micro_batch))
           END AS why
FROM given
UNION ALL
SELECT printf('traceEvents[%d], %s', place, coalesce(nullif(substr(name, 1, 64), ''), '?')), why FROM event WHERE why IS NOT NULL
UNION ALL
SELECT 'traceEvents', printf('%d entries are no objects, and were passed over', count(*))
FROM given, json_each(CASE WHEN json_valid(text) THEN text END, '$.traceEvents') AS e WHERE type <> 'object'
GROUP BY NULL HAVING count(*) > 0;
