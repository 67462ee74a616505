#!/usr/bin/env bash
# ODBC: unixODBC and SQLite's driver with LoadExt, through isql and through pyodbc.
set -euo pipefail
fail() { echo "$*"; exit 1; }
[ -z "${PRELOAD:-}" ] || { echo "not under sanitizers"; exit 77; }
command -v isql >/dev/null || { echo "no isql (unixODBC)"; exit 77; }
odbcinst -q -d -n SQLite3 >/dev/null 2>&1 || { echo "no ODBC driver SQLite3 (libsqliteodbc)"; exit 77; }
db=$TMP_DIR/my.db
cp "$DEMO_DB" "$db"
memx=$(cd "$(dirname "$MEMX")" && pwd)/memx.so

# A DSN, as README.md has it; and without one.
printf '[memx]\nDriver=SQLite3\nDatabase=%s\nLoadExt=%s\nBigInt=1\n' "$db" "$memx" >"$TMP_DIR/odbc.ini"
export ODBCINI=$TMP_DIR/odbc.ini
printf "SELECT config, phi FROM memx_all_configs WHERE job = 'mix20' ORDER BY phi LIMIT 10\nhelp memx_best\nhelp\n" |
    isql memx -b -d'|' >"$TMP_DIR/rows" 2>&1 || fail "isql: $(cat "$TMP_DIR/rows")"
# shellcheck disable=SC2086
$SQLITE3 -batch -init /dev/null -cmd ".load $MEMX" "$db" \
    "SELECT config FROM memx_configs WHERE job = 'mix20' ORDER BY phi LIMIT 10" >"$TMP_DIR/wanted"
head -n 10 "$TMP_DIR/rows" | cut -d'|' -f1 | diff "$TMP_DIR/wanted" - || fail "isql answers other rows than the shell"
grep -q '|memx_best|phi|8|DOUBLE|' "$TMP_DIR/rows" || fail "isql's help does not know memx_best.phi"
grep -q 'memx_all_configs|VIEW' "$TMP_DIR/rows" || fail "isql's help does not list the views"
echo 'SELECT memx_version()' | isql -k "Driver=SQLite3;Database=$db;LoadExt=$memx" -b -d'|' >"$TMP_DIR/version" 2>&1 ||
    fail "without a DSN: $(cat "$TMP_DIR/version")"
grep -qx '[0-9.]*' "$TMP_DIR/version" || fail "without a DSN: $(cat "$TMP_DIR/version")"

for python in /usr/bin/python3 python3; do
    "$python" -c 'import pyodbc' 2>/dev/null && break
    python=
done
[ -n "$python" ] || { echo "isql works; for the rest, no python3 with pyodbc"; exit 77; }
"$python" tests/hosts/odbc.py "$db" "$memx"
