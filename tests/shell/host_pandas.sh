#!/usr/bin/env bash
# pandas: read_sql_query gives every column its dtype; rows in chunks; measurements from a frame.
set -euo pipefail
[ -z "${PRELOAD:-}" ] || { echo "not under sanitizers"; exit 77; }
python=$(tests/hosts/find_python.sh pandas) || { echo "no python3 with pandas whose sqlite3 loads extensions"; exit 77; }
cp "$DEMO_DB" "$TMP_DIR/my.db"
"$python" tests/hosts/dataframe.py "$TMP_DIR/my.db" "$MEMX"
