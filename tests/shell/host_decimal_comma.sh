#!/usr/bin/env bash
# A host that writes numbers with a decimal comma, as one does that calls setlocale() on a German system.
set -euo pipefail
python=$(tests/hosts/find_python.sh) || { echo "no python3 whose sqlite3 loads extensions"; exit 77; }
localedef -i de_DE -f UTF-8 "$TMP_DIR/de_DE.UTF-8" >"$TMP_DIR/log" 2>&1 ||
    { echo "no localedef, or no sources of locales (Debian: locales)"; exit 77; }
cp "$DEMO_DB" "$TMP_DIR/my.db"
ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" LOCPATH=$TMP_DIR ${PRELOAD:-} \
    "$python" tests/hosts/decimal_comma.py "$TMP_DIR/my.db" "$MEMX"
