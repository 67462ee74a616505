#!/usr/bin/env bash
# Python's sqlite3 module: loading, ranked search, interrupt(), progress handlers, threads.
set -euo pipefail
python=$(tests/hosts/find_python.sh) || { echo "no python3 whose sqlite3 loads extensions"; exit 77; }
cp "$DEMO_DB" "$TMP_DIR/my.db"
"$python" -c 'import sqlite3, sys; print("Python", sys.version.split()[0], "with SQLite", sqlite3.sqlite_version)'
ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" ${PRELOAD:-} "$python" tests/hosts/python.py "$TMP_DIR/my.db" "$MEMX"
