#!/usr/bin/env bash
# The sqlite3 shell loads the extension with .load, -cmd, an init file and load_extension(); each way that
# fails ends with a message that README.md ("When loading fails") explains.
set -euo pipefail
fail() { echo "$*"; exit 1; }
# shellcheck disable=SC2086
shell() { $SQLITE3 -batch -init "${rc:-/dev/null}" "$@" 2>&1 || true; }
cp "$DEMO_DB" "$TMP_DIR/my.db"
so=so
[ -e "$MEMX.so" ] || so=dylib
path=$(cd "$(dirname "$MEMX")" && pwd)/memx
version=$(shell -cmd ".load $MEMX" :memory: 'SELECT memx_version()')
case $version in [0-9]*.[0-9]*.[0-9]*) ;; *) fail "-cmd: $version" ;; esac

# says WHAT PATTERN OUTPUT: in one of its lines.
says() {
    case $3 in *$2*) echo "ok: $1" ;; *) fail "$1: wanted $2, got: $3" ;; esac
}
is() { [ "$3" = "$2" ] || fail "$1: wanted $2, got: $3"; echo "ok: $1"; }

is '.load' "$version" "$(printf '.load %s\nSELECT memx_version();\n' "$MEMX" | shell :memory:)"
is 'with its suffix' "$version" "$(shell -cmd ".load $MEMX.$so" :memory: 'SELECT memx_version()')"
is 'load_extension()' "$version" "$(shell :memory: "SELECT load_extension('$MEMX')" 'SELECT memx_version()' | tail -n 1)"
is 'a path with blanks' "$version" "$(mkdir "$TMP_DIR/a b" && cp "$MEMX.$so" "$TMP_DIR/a b/memx.$so" &&
    shell -cmd ".load '$TMP_DIR/a b/memx'" :memory: 'SELECT memx_version()')"
# The shell takes the home directory from the system, whatever HOME is; -init reads another file instead.
rc=$TMP_DIR/sqliterc
echo ".load $path" >"$rc"
is 'an init file' "$version" "$(shell :memory: 'SELECT memx_version()')"
is 'a search after it' 10 "$(shell "$TMP_DIR/my.db" \
    "SELECT count(*) FROM (SELECT config FROM memx_configs WHERE job = 'mix20' ORDER BY phi LIMIT 10)")"
is 'loaded twice' "$version" "$(shell -cmd ".load $MEMX" :memory: 'SELECT memx_version()')"
rc=

# What goes wrong.
says 'not loaded, a table' 'no such table: memx_configs' "$(shell :memory: 'SELECT * FROM memx_configs')"
says 'not loaded, a function' 'no such function: memx_init' "$(shell :memory: 'SELECT memx_init()')"
says 'not loaded, a view' 'no such table: main.memx_configs' "$(shell "$TMP_DIR/my.db" 'SELECT * FROM memx_all_configs')"
is 'stored tables need nothing' 1 "$(shell "$TMP_DIR/my.db" "SELECT count(*) FROM memx_job WHERE job = 'mix20'")"
says 'a missing file' 'cannot open shared object file' "$(shell -cmd ".load $TMP_DIR/none" :memory: 'SELECT 1')"
says 'no slash' 'cannot open shared object file' "$(shell -cmd '.load memx' :memory: 'SELECT 1')"
echo 'not a library at all' >"$TMP_DIR/text.so"
says 'not a library' 'file too short' "$(shell -cmd ".load $TMP_DIR/text" :memory: 'SELECT 1')"
cp "$MEMX.$so" "$TMP_DIR/renamed.$so"
says 'a renamed file' 'sqlite3_renamed_init' "$(shell -cmd ".load $TMP_DIR/renamed" :memory: 'SELECT 1')"
is 'a renamed file, its entry point named' "$version" \
    "$(shell -cmd ".load $TMP_DIR/renamed sqlite3_memx_init" :memory: 'SELECT memx_version()')"
if [ "$so" = so ]; then
    # Byte 4 of the file says 32 or 64 bit, byte 18 which processor.
    other() { cp "$MEMX.so" "$2" && printf "$3" | dd of="$2" bs=1 seek="$1" conv=notrunc 2>/dev/null; }
    other 4 "$TMP_DIR/bits.so" '\001'
    says 'of 32 bit' 'wrong ELF class' "$(shell -cmd ".load $TMP_DIR/bits" :memory: 'SELECT 1')"
    other 18 "$TMP_DIR/arch.so" '\363'
    says 'of another processor' "$TMP_DIR/arch.so: cannot open shared object file" \
        "$(shell -cmd ".load $TMP_DIR/arch" :memory: 'SELECT 1')"
fi
says 'safe mode' 'cannot run .load in safe mode' "$(printf '.load %s\n' "$MEMX" | shell -safe :memory:)"
says 'an empty database' 'run SELECT memx_init() in it first' \
    "$(shell -cmd ".load $MEMX" :memory: 'SELECT * FROM memx_configs')"

# A SQLite that is too old.
# shellcheck disable=SC2086
if ${CC:-cc} -o "$TMP_DIR/old" tests/hosts/old_sqlite.c $(pkg-config --cflags sqlite3 2>/dev/null) -ldl 2>"$TMP_DIR/log"; then
    is 'too old' '1 MemX needs SQLite 3.38 or newer; this is 3.37.2' "$(${PRELOAD:-} "$TMP_DIR/old" "$MEMX.$so")"
fi
