#!/usr/bin/env bash
# `make install` puts everything where memx.pc says it is, what it puts there loads and answers, and
# `make uninstall` takes it away and nothing else.
set -euo pipefail
command -v pkg-config >/dev/null || { echo "no pkg-config"; exit 77; }
fail() { echo "$*"; exit 1; }
so=so
[ -e "$MEMX.so" ] || so=dylib

# -o: what is installed is what is tested here; nothing is built again.
unset MAKEFLAGS MFLAGS PREFIX LIBDIR DESTDIR
run_make() {
    make -s -o "$BUILD/memx.$so" BUILD="$BUILD" "$@" >"$TMP_DIR/log" 2>&1 ||
        fail "make $* fails: $(cat "$TMP_DIR/log")"
}
shell() { $SQLITE3 -batch -bail -init /dev/null "$@" 2>&1; }
files() { (cd "$1" && find . ! -type d | LC_ALL=C sort); }

# As a package is made: everything below DESTDIR, but for the places it will have.
stage=$TMP_DIR/stage
package=(DESTDIR="$stage" PREFIX=/usr LIBDIR=/usr/lib/any-linux-gnu)
run_make install "${package[@]}"
{
    echo ./usr/lib/any-linux-gnu/pkgconfig/memx.pc
    echo "./usr/lib/any-linux-gnu/sqlite3/memx.$so"
    echo ./usr/share/doc/memx/LICENSE
    echo ./usr/share/doc/memx/README.md
    for f in queries/*.sql queries/*/*.sql queries/*/*/*.sql queries/*/*.sh; do echo "./usr/share/memx/$f"; done
} | LC_ALL=C sort >"$TMP_DIR/wanted"
files "$stage" | diff "$TMP_DIR/wanted" - || fail "make install DESTDIR=... installs other files"
[ -z "$(find "$stage" ! -perm -0444)" ] || fail "not everyone may read what was installed"

pc() { PKG_CONFIG_LIBDIR=$stage/usr/lib/any-linux-gnu/pkgconfig pkg-config "$@" memx; }
[ "$(pc --variable=extension)" = "/usr/lib/any-linux-gnu/sqlite3/memx.$so" ] ||
    fail "memx.pc says that the extension is $(pc --variable=extension)"
version=$(shell -cmd ".load $stage$(pc --variable=extension)" :memory: "SELECT memx_version()") ||
    fail "what is in DESTDIR does not load: $version"
[ "$(pc --modversion)" = "$version" ] ||
    fail "memx.pc is of version $(pc --modversion), memx_version() says $version"

# As README.md installs it: a search through pkg-config alone.
local=$TMP_DIR/local
run_make install PREFIX="$local"
export PKG_CONFIG_LIBDIR=$local/lib/pkgconfig
query=$(pkg-config --variable=queries memx)/top_ten.sql
shell -cmd ".load $(pkg-config --variable=extension memx)" "$DEMO_DB" <"$query" >"$TMP_DIR/rows" ||
    fail "what is installed does not search: $(cat "$TMP_DIR/rows")"
[ "$(wc -l <"$TMP_DIR/rows")" -eq 10 ] || fail "an installed query gives: $(cat "$TMP_DIR/rows")"

# Again over itself, and away; another's extension stays.
run_make install PREFIX="$local"
echo other >"$local/lib/sqlite3/other.$so"
run_make uninstall PREFIX="$local"
[ "$(files "$local")" = "./lib/sqlite3/other.$so" ] || fail "left by make uninstall: $(files "$local")"
run_make uninstall "${package[@]}"
[ -z "$(files "$stage")" ] || fail "left by make uninstall: $(files "$stage")"
