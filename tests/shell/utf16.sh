#!/usr/bin/env bash
# A database in UTF-16: the same names fit, the same rows are learned from, the same configurations come out.
set -eu

for encoding in UTF-8 UTF-16le UTF-16be; do
    db=$TMP_DIR/$encoding.db
    $SQLITE3 -batch -init /dev/null "$db" "PRAGMA encoding = '$encoding'; CREATE TABLE t(x)"
    $SQLITE3 -batch -init /dev/null -cmd ".load $MEMX" "$db" >"$TMP_DIR/$encoding" 2>&1 <<'SQL' || true
SELECT memx_init() IS NOT NULL;
.read fixtures/xy.sql
INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
    in_flight, sequence_parallel, distributed_optimizer, time_ms)
SELECT 'A100-SXM-80GB', 'llama2-7b', 'megatron-bf16', value, 1, 1, 1, 1, 1, 4096, 1, 0, 0, 40.0 * value
FROM json_each('[1,2,3,4,5,6,7,8]');
SELECT memx_train('same') ->> 'rows';
INSERT INTO memx_alias VALUES (replace(printf('%064d', 0), '0', 'x'), 'A100-SXM-80GB');
INSERT INTO memx_alias VALUES (replace(printf('%065d', 0), '0', 'x'), 'A100-SXM-80GB');
SELECT count(*) > 0, sum(iteration_ms) FROM memx_configs WHERE job = 'xy';
SQL
done
grep -qx 8 "$TMP_DIR/UTF-8" || { cat "$TMP_DIR/UTF-8"; exit 1; }
grep -q 'text of 1 to 64 characters' "$TMP_DIR/UTF-8" || { cat "$TMP_DIR/UTF-8"; exit 1; }
diff "$TMP_DIR/UTF-8" "$TMP_DIR/UTF-16le"
diff "$TMP_DIR/UTF-8" "$TMP_DIR/UTF-16be"
