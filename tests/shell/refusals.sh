#!/usr/bin/env bash
# Authorizers, triggers and locks that stop what writes: tests/reliability/refusals.py.
set -euo pipefail
for python in /usr/bin/python3 python3; do
    "$python" -c 'import sqlite3; sqlite3.connect(":memory:").enable_load_extension(True)' 2>/dev/null && break
    python=
done
[ -n "$python" ] || { echo "no python3 whose sqlite3 loads extensions"; exit 77; }
cp "$DEMO_DB" "$TMP_DIR/base.db"
$SQLITE3 -batch -bail -init /dev/null -cmd ".load $MEMX" "$TMP_DIR/base.db" <tests/reliability/base.sql >/dev/null
ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" ${PRELOAD:-} "$python" tests/reliability/refusals.py \
    "$TMP_DIR/base.db" "$TMP_DIR/my.db" "$MEMX"
