#!/usr/bin/env bash
# The extension shows the outside nothing but its entry point, and brings no SQLite of its own:
# SQLite loads extensions with RTLD_GLOBAL, and a host may carry another copy of it.
set -euo pipefail
[ -e "$MEMX.so" ] || { echo "only for ELF"; exit 77; }

exports=$(nm -D --defined-only "$MEMX.so" | awk '$2 != "A" { print $3 }')
if [ "$exports" != sqlite3_memx_init ]; then
    echo "$MEMX.so exports" $exports
    exit 1
fi
if nm -D --undefined-only "$MEMX.so" | grep ' sqlite3_'; then
    echo "$MEMX.so calls SQLite by name, not through sqlite3_api"
    exit 1
fi
if readelf -d "$MEMX.so" | grep 'NEEDED.*sqlite3'; then
    echo "$MEMX.so is linked with SQLite"
    exit 1
fi
