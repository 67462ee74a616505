#!/usr/bin/env bash
# Node with better-sqlite3, which brings a newer SQLite of its own.
set -euo pipefail
[ -z "${PRELOAD:-}" ] || { echo "not under sanitizers"; exit 77; }
export NODE_MODULES=$PWD/$BUILD/hosts/node_modules
[ -d "$NODE_MODULES/better-sqlite3" ] ||
    { echo "no better-sqlite3: $(tail -n 1 "$BUILD/hosts/npm.log" 2>/dev/null || echo "make test installs it")"; exit 77; }
node -e 'new (require(process.env.NODE_MODULES + "/better-sqlite3"))(":memory:")' >"$TMP_DIR/log" 2>&1 ||
    { echo "better-sqlite3 does not start: $(grep -m 1 Error "$TMP_DIR/log"); rm -r $BUILD/hosts"; exit 77; }
cp "$DEMO_DB" "$TMP_DIR/my.db"
node tests/hosts/node.js "$TMP_DIR/my.db" "$MEMX"
