#!/usr/bin/env bash
# The same rows, bit for bit, however the library was compiled: without optimisation, with all of it and for this
# processor, and by clang where there is one. -ffp-contract=off and no -ffast-math are what makes it so.
#
#   digits.sh    needs DEMO_DB, SQLITE3, TMP_DIR; builds into TMP_DIR
set -u
db=$TMP_DIR/digits.db
cp "$DEMO_DB" "$db"
cat >"$TMP_DIR/digits.sql" <<'SQL'
SELECT config, hex(ieee754_to_blob(iteration_ms)), hex(ieee754_to_blob(peak_mib)), hex(ieee754_to_blob(memory_variance)),
       hex(ieee754_to_blob(phi)), hex(ieee754_to_blob(simulated_ms))
FROM memx_configs WHERE job IN ('xy', 'lab6');
SELECT config, hex(ieee754_to_blob(phi)) FROM memx_configs WHERE job = 'mix20' AND space = 'free' ORDER BY phi LIMIT 20;
SELECT config, hex(ieee754_to_blob(phi)) FROM memx_configs WHERE job = 'mix20' AND space = 'wide' ORDER BY phi LIMIT 20;
SELECT stage, hex(ieee754_to_blob(time_ms)), hex(ieee754_to_blob(peak_mib)), hex(ieee754_to_blob(rate_iteration))
FROM memx_stages('mix20', (SELECT config FROM memx_configs WHERE job = 'mix20' ORDER BY phi LIMIT 1));
SELECT memx_report('xy');
SQL
failed=0 rows=0
# compiled NAME COMPILER CFLAGS: a build and what it answers, compared with the first.
compiled() {
    make -s BUILD="$TMP_DIR/$1" CC="$2" CFLAGS="$3" WERROR= "$TMP_DIR/$1/memx.so" >"$TMP_DIR/$1.log" 2>&1 || {
        tail -3 "$TMP_DIR/$1.log"
        failed=1
        return
    }
    # A base trained by this build too: training is compared as well.
    cp "$db" "$TMP_DIR/$1.db"
    { cat tests/reliability/base.sql "$TMP_DIR/digits.sql"; } |
        $SQLITE3 -batch -bail -init /dev/null -cmd ".load $TMP_DIR/$1/memx" "$TMP_DIR/$1.db" >"$TMP_DIR/$1.rows" 2>&1 || failed=1
    rows=$(wc -l <"$TMP_DIR/$1.rows")
    cmp "$TMP_DIR/plain.rows" "$TMP_DIR/$1.rows" || failed=1
    builds="${builds:-}${builds:+, }$2 $3"
}
compiled plain "${CC:-cc}" -O0
compiled most "${CC:-cc}" '-O3 -march=native'
compiled sized "${CC:-cc}" -Os
command -v clang >/dev/null && compiled clang clang '-O3 -march=native'
printf 'digits\t%d\tlines\tthe same bit for bit by %s; wrong: %d\n' "$rows" "$builds" $failed
exit $failed
