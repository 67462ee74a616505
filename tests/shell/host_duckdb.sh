#!/usr/bin/env bash
# DuckDB reads what queries/scale_out kept, as README says.
set -euo pipefail
[ -z "${PRELOAD:-}" ] || { echo "not under sanitizers"; exit 77; }
export NODE_MODULES=$PWD/$BUILD/hosts/node_modules
[ -d "$NODE_MODULES/@duckdb/node-api" ] ||
    { echo "no DuckDB: $(tail -n 1 "$BUILD/hosts/npm.log" 2>/dev/null || echo "make test installs it")"; exit 77; }
LOCAL=1 SCRATCH=$TMP_DIR queries/scale_out/run.sh queries/scale_out/tasks/keep_all.sql "$DEMO_DB" "$TMP_DIR/kept" 3
queries/scale_out/merge.sh "$TMP_DIR/kept" "$TMP_DIR/kept.db"
$SQLITE3 -batch -init /dev/null -csv -header "$TMP_DIR/kept.db" 'SELECT * FROM config' >"$TMP_DIR/config.csv"
node tests/hosts/duckdb.js "$TMP_DIR/config.csv" >"$TMP_DIR/found"
{
    $SQLITE3 -batch -init /dev/null "$TMP_DIR/kept.db" "SELECT count(*), count(DISTINCT config), sum(pp),
        round(sum(iteration_ms), 3), round(max(memory_variance), 3), printf('%.9g', min(phi)) FROM config"
    echo 'job VARCHAR, config VARCHAR, pp BIGINT, iteration_ms DOUBLE, peak_mib DOUBLE, memory_variance DOUBLE, phi DOUBLE'
    $SQLITE3 -batch -init /dev/null "$TMP_DIR/kept.db" 'SELECT config FROM config ORDER BY phi LIMIT 1'
} >"$TMP_DIR/wanted"
diff "$TMP_DIR/wanted" "$TMP_DIR/found"
