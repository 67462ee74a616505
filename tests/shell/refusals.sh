#!/usr/bin/env bash
# Authorizers, triggers and locks that stop what writes: tests/reliability/refusals.py.
set -euo pipefail
python=$(tests/hosts/find_python.sh) || { echo "no python3 whose sqlite3 loads extensions"; exit 77; }
cp "$DEMO_DB" "$TMP_DIR/base.db"
$SQLITE3 -batch -bail -init /dev/null -cmd ".load $MEMX" "$TMP_DIR/base.db" <tests/reliability/base.sql >/dev/null
ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" ${PRELOAD:-} "$python" tests/reliability/refusals.py \
    "$TMP_DIR/base.db" "$TMP_DIR/my.db" "$MEMX"
