#!/usr/bin/env bash
# Databases that cannot be written, attached, temporary or in memory: a search works wherever the tables can
# be read, writes nothing, and what cannot work says why.
set -euo pipefail
failed=0
shell() { $SQLITE3 -batch -init /dev/null "$@" 2>&1 || true; }
load=".load $MEMX"
# expect WHAT PATTERN OUTPUT
expect() {
    case $3 in
    $2) echo "ok: $1" ;;
    *) echo "$1: wanted $2, got: $3"; failed=1 ;;
    esac
}
count="SELECT 'rows ' || count(*) FROM memx_configs WHERE job = 'lab6'"
db=$TMP_DIR/jobs.db
cp "$DEMO_DB" "$db"
rows=$(shell -cmd "$load" "$db" "$count")
expect 'a file' 'rows [1-9]*' "$rows"

# Read only, by option, by URI, by the file's mode (root may write all the same).
expect 'read only' "$rows" "$(shell -readonly -cmd "$load" "$db" "$count")"
expect 'read only, everything' 'ok' "$(shell -readonly -cmd "$load" "$db" "SELECT CASE WHEN
    (SELECT count(*) FROM memx_best) = 3 AND (SELECT count(*) FROM memx_why) > 3 AND (SELECT count(*) FROM memx_reference) = 3 AND
    (SELECT count(*) FROM memx_stages('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none')) = 2 AND
    (SELECT count(*) FROM memx_gpus('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none')) = 16 THEN 'ok' END")"
expect 'immutable' "$rows" "$(shell -cmd "$load" "file:$db?immutable=1" "$count")"
expect 'memx_init, read only, nothing to do' "MemX *" "$(shell -readonly -cmd "$load" "$db" "SELECT memx_init()")"
$SQLITE3 -batch -init /dev/null "$TMP_DIR/empty.db" "CREATE TABLE t(x)"
expect 'memx_init, read only' "*memx_init()*readonly*" "$(shell -readonly -cmd "$load" "$TMP_DIR/empty.db" "SELECT memx_init()")"
shell -cmd "$load" "$db" "SELECT memx_views()" >/dev/null
expect 'memx_views, read only, nothing to do' "memx_best, *" "$(shell -readonly -cmd "$load" "$db" "SELECT memx_views()")"
expect 'memx_views, read only' "*memx_views()*readonly*" "$(shell -readonly -cmd "$load" "$TMP_DIR/empty.db" "SELECT memx_views()")"

# Another process writes: memx_init waits no longer than the busy timeout, and says so; searches go on.
mkfifo "$TMP_DIR/writer"
$SQLITE3 -batch -init /dev/null "$db" <"$TMP_DIR/writer" >/dev/null 2>&1 &
exec 3>"$TMP_DIR/writer"
echo "ATTACH '$TMP_DIR/empty.db' AS empty; BEGIN IMMEDIATE; UPDATE memx_job SET note = 'held'; INSERT INTO empty.t VALUES (1);" >&3
for i in 1 2 3 4 5 6 7 8 9 10; do
    case $(shell "$TMP_DIR/empty.db" "BEGIN IMMEDIATE") in *locked*) break ;; esac
    sleep 0.2
done
expect 'a locked database is searched' "$rows" "$(shell -cmd "$load" "$db" "$count")"
expect 'memx_init, locked' "*memx_init()*locked*" "$(shell -cmd "$load" "$TMP_DIR/empty.db" "SELECT memx_init()")"
exec 3>&-
wait

# Attached: the tables are found as SQLite finds any, so the first database that has them counts.
expect 'attached' "$rows" "$(shell -cmd "$load" :memory: "ATTACH '$db' AS jobs" "$count")"
expect 'attached, joined' "3" "$(shell -cmd "$load" :memory: "ATTACH '$db' AS jobs" "SELECT count(*) FROM jobs.memx_job AS j WHERE EXISTS (SELECT 1 FROM memx_configs AS c WHERE c.job = j.job)")"
expect 'attached, read only' "$rows" "$(shell -cmd "$load" :memory: "ATTACH 'file:$db?mode=ro' AS jobs" "$count")"
expect 'attached beside ones own' '*1' "$(shell -cmd "$load" :memory: "SELECT memx_init()" "ATTACH '$db' AS jobs" "SELECT count(*) = 0 FROM memx_configs")"
expect 'detached' "*no table memx_job*memx_init()*" "$(shell -cmd "$load" :memory: "ATTACH '$db' AS jobs" "$count" "DETACH jobs" "$count")"

# In memory, and copied there.
expect 'in memory' "*${rows#rows }*" "$(shell -cmd "$load" :memory: ".restore '$db'" "$count")"
expect 'deserialized' "*rows*" "$(shell -cmd "$load" -cmd ".open --deserialize $db" -cmd "$load" :memory: "$count")"

# Nothing was written by all this, nor does an error leave anything behind: compared byte by byte.
cp "$DEMO_DB" "$TMP_DIR/untouched.db"
shell -cmd "$load" "$TMP_DIR/untouched.db" >/dev/null <<'SQL'
SELECT count(*), max(phi) FROM memx_configs;
SELECT * FROM memx_best;
SELECT * FROM memx_why;
SELECT * FROM memx_configs WHERE job = 'mix2o';
SELECT * FROM memx_predict('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*22:none');
SELECT count(*) FROM memx_configs WHERE job = 'mix20' AND space = 'free';
SELECT phi(-1, 1, 1);
INSERT INTO memx_job(job, cluster, model, global_batch) VALUES ('bad', 'xy', 'llama2-7b', 0);
INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('xy', 9, 'T4', 'many');
INSERT INTO memx_weights(weights, w_time, w_peak, w_variance) VALUES ('bad', 1, 1, 1);
SQL
if cmp -s "$DEMO_DB" "$TMP_DIR/untouched.db"; then echo "ok: untouched"; else echo "queries changed the file"; failed=1; fi
ls "$TMP_DIR" | grep -- '-journal\|-wal' && { echo "journals left behind"; failed=1; }
exit $failed
