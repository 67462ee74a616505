#!/usr/bin/env bash
# The pictures in queries/pictures are what queries/draw_*.sql draw now. ACCEPT=1 writes them.
set -euo pipefail

shown=0
for query in queries/draw_*.sql; do
    name=$(basename "$query" .sql)
    picture=queries/pictures/${name#draw_}.svg
    cp "$DEMO_DB" "$TMP_DIR/db"
    $SQLITE3 -batch -bail -init /dev/null -cmd ".load $MEMX" "$TMP_DIR/db" <"$query" >"$TMP_DIR/drawn"
    if [ -n "${ACCEPT:-}" ]; then cp "$TMP_DIR/drawn" "$picture"; fi
    cmp "$TMP_DIR/drawn" "$picture" || { echo "$picture is not what $query draws; ACCEPT=1 tests/run.sh shell/pictures"; exit 1; }
    shown=$((shown + 1))
done
[ "$shown" -eq "$(find queries/pictures -name '*.svg' | wc -l)" ] || { echo "a picture that no query draws"; exit 1; }
