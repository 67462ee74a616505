#!/usr/bin/env bash
# Faults, hostile input, threads and kills, as lines of name, value, unit, note, separated by tabs; exit code 1 when
# anything was wrong. `make reliability` builds what is needed and calls this.
#
#   tests/reliability.sh           for 30 to 45 minutes, with sanitizers (build-asan, build-tsan)
#   tests/reliability.sh short     for two minutes, with the build at hand, as tests/shell/reliability.sh does
#
#   faults.*    tests/reliability/faults.c: a fault at each of many points of each statement of script.sql,
#                   and of utf16.sql in a database of such texts
#   fuzz.*      tests/fuzz/fuzz.c: random changes of tests/fuzz/corpus
#   threads.*   tests/reliability/threads.c: connections that read, train and load at once
#   kills       tests/reliability/kills.sh: kill -9 during training and initialising
#   refusals    tests/shell/refusals.sh: authorizers, triggers and locks that stop what writes, a test of its own
#   digits      tests/reliability/digits.sh: the same rows however it was compiled (long form only)
set -u
cd "$(dirname "$0")/.." || exit 1
export BUILD=${BUILD:-build} SQLITE3=${SQLITE3:-sqlite3}
export MEMX=${MEMX:-./$BUILD/memx} DEMO_DB=${DEMO_DB:-$BUILD/demo.db}
TMP_DIR=$(mktemp -d) || exit 1
export TMP_DIR
trap 'rm -rf "$TMP_DIR"' EXIT
: >"$TMP_DIR/failed" # names of parts, a line each

# part NAME COMMAND...: its lines, and one about a failure; the sanitizers' reports stand in them.
part() {
    local name=$1 code=0
    shift
    "$@" >"$TMP_DIR/$name.out" 2>&1 || code=$?
    cat "$TMP_DIR/$name.out"
    [ $code -eq 0 ] && return
    printf '%s.failed\t%d\texit code\t%s\n' "$name" $code "$*"
    echo "$name" >>"$TMP_DIR/failed"
}
faults() { # NAME BUILD SCRIPT POINTS [KIND]
    mkdir "$TMP_DIR/$1"
    part "$1" "$2/tests/reliability/faults" "tests/reliability/$3.sql" "$4" "$TMP_DIR/$1" "${@:5}"
}
threads() {
    cp "$DEMO_DB" "$TMP_DIR/$1.db"
    $SQLITE3 -batch -bail -init /dev/null -cmd ".load $MEMX" "$TMP_DIR/$1.db" <tests/reliability/base.sql >/dev/null
    part "$1" "$2/tests/reliability/threads" "$TMP_DIR/$1.db" "${@:3}"
}

case ${1:-long} in
short)
    faults faults "$BUILD" script 1
    faults faults_utf16 "$BUILD" utf16 1
    part fuzz "$BUILD/tests/fuzz/fuzz" -cells=17 -changes=10 tests/fuzz/corpus
    threads threads "$BUILD" 5
    threads threads_loading "$BUILD" 5 "$MEMX"
    part kills tests/reliability/kills.sh 5
    ;;
long)
    { # beside the rest, on a core of its own
        echo '# address and undefined-behaviour sanitizers'
        for kind in own_allocations sqlite_allocations io_errors full_disks; do
            faults ${kind}_asan "$BUILD-asan" script 1000000 $kind
        done
        faults interrupts_asan "$BUILD-asan" script 6 interrupts
        part fuzz_asan "$BUILD-asan/tests/fuzz/fuzz" -cells=29 -changes=300 tests/fuzz/corpus
        threads threads_asan "$BUILD-asan" 30
        echo '# address and undefined-behaviour sanitizers, where texts are UTF-16'
        for kind in own_allocations sqlite_allocations; do
            faults ${kind}_utf16_asan "$BUILD-asan" utf16 1000000 $kind
        done
        echo '# thread sanitizer'
        # XGBoost makes what its boosters share when it is first used, behind guards of C++. Built without this sanitizer,
        # it shows its memcpy() and not its look at the guard: a race, if two threads use it first; none after one has.
        echo race:libxgboost.so >"$TMP_DIR/tsan.txt"
        TSAN_OPTIONS=suppressions="$TMP_DIR/tsan.txt" threads threads_tsan "$BUILD-tsan" 60
    } >"$TMP_DIR/sanitized" &
    echo '# build without sanitizers'
    for kind in own_allocations sqlite_allocations io_errors full_disks; do
        faults $kind "$BUILD" script 1000000 $kind
    done
    faults interrupts "$BUILD" script 60 interrupts
    part fuzz "$BUILD/tests/fuzz/fuzz" -cells=5 -changes=3000 tests/fuzz/corpus
    threads threads "$BUILD" 30
    threads threads_loading "$BUILD" 30 "$MEMX"
    part kills tests/reliability/kills.sh 100
    part digits tests/reliability/digits.sh
    echo '# build without sanitizers, where texts are UTF-16'
    for kind in own_allocations sqlite_allocations; do
        faults ${kind}_utf16 "$BUILD" utf16 1000000 $kind
    done
    wait
    cat "$TMP_DIR/sanitized"
    ;;
*)
    echo "tests/reliability.sh: no '$1'; there is: short" >&2
    exit 2
    ;;
esac
failed=$(wc -l <"$TMP_DIR/failed")
printf 'reliability.open\t%d\tparts\tthat found something wrong\n' "$failed"
[ "$failed" -eq 0 ]
