#!/usr/bin/env bash
# sqlite-utils with --load-extension: rows as JSON, CSV and a table; rows put in from CSV.
set -euo pipefail
fail() { echo "$*"; exit 1; }
[ -z "${PRELOAD:-}" ] || { echo "not under sanitizers"; exit 77; }
command -v sqlite-utils >/dev/null || { echo "no sqlite-utils"; exit 77; }
sqlite-utils query :memory: 'SELECT 1' --load-extension="$MEMX" >"$TMP_DIR/log" 2>&1 || {
    grep -q enable_load_extension "$TMP_DIR/log" && { echo "its Python's sqlite3 loads no extensions"; exit 77; }
    cat "$TMP_DIR/log"
    exit 1
}
db=$TMP_DIR/my.db
cp "$DEMO_DB" "$db"
ask() { sqlite-utils query "$db" "$@" --load-extension="$MEMX" 2>&1 || true; }
sqlite-utils --version

json=$(ask "SELECT tp, phi FROM memx_configs WHERE job = :job ORDER BY phi LIMIT 3" -p job mix20)
case $json in '[{"tp": 4, "phi": 0.0'*) ;; *) fail "JSON: $json" ;; esac
[ "$(ask "SELECT config FROM memx_best ORDER BY job" --csv | wc -l)" -eq 4 ] || fail "CSV of memx_best"
ask "SELECT job, slowdown FROM memx_fastest" --table | grep -q 'mix20  *1$' || fail "a table of memx_fastest"
case $(ask "SELECT * FROM memx_configs WHERE job = 'mix21'") in
*"no job 'mix21'; nearest: mix20"*) ;;
*) fail "a message: $(ask "SELECT * FROM memx_configs WHERE job = 'mix21'")" ;;
esac
# What is stored needs no extension.
sqlite-utils rows "$db" memx_job --limit 1 | grep -q global_batch || fail "rows of memx_job"
printf 'job,config,iteration_ms\nmix20,%s,31000\n' \
    "\"$(ask "SELECT config FROM memx_best WHERE job = 'mix20'" --csv | tail -n 1 | tr -d '"\r')\"" >"$TMP_DIR/runs.csv"
sqlite-utils insert "$db" memx_run "$TMP_DIR/runs.csv" --csv 2>&1 || fail "insert"
[ "$(ask "SELECT round(measured_ms) || '' AS x FROM memx_measured" --csv | tail -n 1 | tr -d '\r')" = 31000.0 ] ||
    fail "memx_measured: $(ask "SELECT * FROM memx_measured")"
