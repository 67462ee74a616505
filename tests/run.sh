#!/usr/bin/env bash
# Runs the tests and prints a line for each, and at the end how many passed, failed and were skipped.
#
#   tests/run.sh [NAME...]           those whose name begins so (sql/views, core); all without a name
#   tests/run.sh --accept NAME...    writes what they print now into their .expected
#
# `make test` builds what is run here and then calls this. A test is one of
#
#   tests/core/X_test.c         core/X       a cmocka program, linked with ext/core and ext/predict;
#   tests/predict/X_test.c      predict/X    every function of it counts
#   tests/property/X_test.c     property/X
#   tests/sql/X.sql             sql/X        prints exactly tests/sql/X.expected
#   queries/X.sql               queries/X    succeeds, with a row at least; and prints exactly
#                                            tests/queries/X.expected where that exists; X may
#                                            have a directory before it (what only others
#                                            read lies one deeper)
#   tests/lint/X.sh             lint/X       exit code: 0 passed, 77 skipped
#   tests/shell/X.sh            shell/X
#
# SQL runs in the sqlite3 shell on a fresh copy of the demo database, with the extension loaded, in the
# top directory. A line `-- needs: PATH` skips a script where PATH does not exist.
# Every test finds in its environment: BUILD, MEMX (the extension, as .load wants it), DEMO_DB,
# SQLITE3 (the shell's command, perhaps several words), DATA_DIR (only where there are measurements),
# TMP_DIR (empty, removed afterwards). No test may take longer than TEST_TIMEOUT seconds (600).
set -u
cd "$(dirname "$0")/.." || exit 1

BUILD=${BUILD:-build}
MEMX=./$BUILD/memx
DEMO_DB=$BUILD/demo.db
SQLITE3=${SQLITE3:-sqlite3}
DATA_DIR=${DATA_DIR:-../shared/data}
if [ -d "$DATA_DIR" ]; then export DATA_DIR; else unset DATA_DIR; fi

# Line by line, so that messages and rows stand in the order in which they were written.
command -v stdbuf >/dev/null && SQLITE3="stdbuf -oL $SQLITE3"
SQLITE3="${PRELOAD:-} $SQLITE3"
limit=''
command -v timeout >/dev/null && limit="timeout ${TEST_TIMEOUT:-600}"

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
out=$scratch/out
TMP_DIR=$scratch/tmp
export BUILD MEMX DEMO_DB SQLITE3 TMP_DIR
passed=0 failed=0 skipped=0

accept=no
if [ "${1:-}" = --accept ]; then
    accept=yes
    shift
    [ $# -gt 0 ] || { echo "which test? tests/run.sh --accept NAME" >&2; exit 1; }
fi
names=("$@")

# wanted NAME: whether it was asked for.
wanted() {
    [ ${#names[@]} -gt 0 ] || return 0
    local name
    for name in "${names[@]}"; do
        case $1 in "$name"*) [ $accept = no ] || [ "$1" = "$name" ] && return 0 ;; esac
    done
    return 1
}

pass() { passed=$((passed + 1)); echo "ok    $1"; }
skip() { skipped=$((skipped + 1)); echo "skip  $1${2:+  ($2)}"; }
# fail NAME WHY [FILE]: FILE is shown.
fail() {
    failed=$((failed + 1))
    echo "FAIL  $1  ($2)"
    [ -z "${3:-}" ] || sed 's/^/      | /' "$3"
}

fresh() { rm -rf "$TMP_DIR" && mkdir "$TMP_DIR"; }

# A program or script that tells by its exit code.
run_script() { # NAME COMMAND
    fresh
    $limit "$2" >"$out" 2>&1 </dev/null
    local code=$?
    case $code in
    0) pass "$1" ;;
    77) skip "$1" "$(tail -n 1 "$out")" ;;
    *) fail "$1" "$(exit_code $code)" "$out" ;;
    esac
}

exit_code() {
    case $1 in
    124) echo "longer than ${TEST_TIMEOUT:-600} s" ;;
    *) if [ "$1" -gt 128 ]; then echo "killed by signal $(($1 - 128))"; else echo "exit code $1"; fi ;;
    esac
}

# A cmocka program: one test for each function of it, from its TAP output. That it ends early, or
# fails outside of a function, is one failure more.
run_program() { # NAME PROGRAM
    [ -x "$2" ] || { fail "$1" "not built"; return; }
    fresh
    CMOCKA_MESSAGE_OUTPUT=TAP $limit "$2" >"$out" 2>&1 </dev/null
    local code=$? line name planned=0 seen=0 bad=0
    while IFS= read -r line; do
        case $line in
        1..*) planned=$((planned + ${line#1..})) ;;
        "ok "* | "not ok "*)
            seen=$((seen + 1))
            name="$1: ${line##* }"
            case $line in
            *"# SKIP"*) skip "$name" ;;
            ok*) pass "$name" ;;
            *)
                bad=$((bad + 1))
                # What follows it, up to the next result, says what was wrong.
                awk -v line="$line" '$0 == line { on = 1; next } /^(not )?ok / { on = 0 } on' \
                    "$out" >"$scratch/why"
                fail "$name" "$2" "$scratch/why"
                ;;
            esac
            ;;
        esac
    done <"$out"
    if [ "$seen" -eq 0 ]; then
        fail "$1" "no test ran, $(exit_code $code)" "$out"
    elif [ "$seen" -lt "$planned" ]; then
        fail "$1" "only $seen of $planned tests ran, $(exit_code $code)" "$out"
    elif [ $code -ne 0 ] && [ $bad -eq 0 ]; then
        fail "$1" "$(exit_code $code)" "$out"
    fi
}

# SQL on a copy of the demo database. The result is in $out, messages among it.
run_sql() { # FILE [SHELL OPTION...]
    local file=$1
    shift
    fresh
    cp "$DEMO_DB" "$TMP_DIR/test.db" &&
        $limit $SQLITE3 -batch -init /dev/null "$@" -cmd ".load $MEMX" "$TMP_DIR/test.db" \
            <"$file" >"$out" 2>&1
}

# What a script needs and does not find, or nothing.
missing() { # FILE
    sed -n 's/^-- needs: *//p' "$1" | while IFS= read -r path; do
        [ -e "$path" ] || { echo "no $path"; break; }
    done
}

compare() { # NAME EXPECTED
    if [ $accept = yes ]; then
        mkdir -p "$(dirname "$2")" && cp "$out" "$2" && pass "$1: wrote $2"
    elif [ ! -e "$2" ]; then
        fail "$1" "no $2; tests/run.sh --accept $1 writes it" "$out"
    elif diff -u "$2" "$out" >"$scratch/diff"; then
        pass "$1"
    else
        # The second header line would name a scratch file.
        sed '2s/.*/+++ now/' "$scratch/diff" >"$scratch/why"
        fail "$1" "differs from $2" "$scratch/why"
    fi
}

shopt -s nullglob

for file in tests/lint/*.sh; do
    name=lint/$(basename "$file" .sh)
    [ $accept = no ] && wanted "$name" && run_script "$name" "$file"
done

for kind in core predict property; do
    for file in tests/$kind/*_test.c; do
        name=$kind/$(basename "$file" _test.c)
        [ $accept = no ] && wanted "$name" && run_program "$name" "$BUILD/${file%.c}"
    done
done

for file in tests/sql/*.sql; do
    name=sql/$(basename "$file" .sql)
    wanted "$name" || continue
    why=$(missing "$file")
    if [ -n "$why" ]; then
        skip "$name" "$why"
        continue
    fi
    run_sql "$file"
    code=$?
    # The shell ends with 1 after an error, which a script may expect; a crash it may not.
    if [ $code -gt 1 ]; then
        fail "$name" "$(exit_code $code)" "$out"
    else
        compare "$name" "${file%.sql}.expected"
    fi
done

for file in queries/*.sql queries/*/*.sql; do
    name=${file%.sql}
    wanted "$name" || continue
    if ! run_sql "$file" -bail; then
        fail "$name" "no error is expected of a query" "$out"
    elif [ ! -s "$out" ]; then
        fail "$name" "no row"
    elif [ -e "tests/$name.expected" ] || [ $accept = yes ]; then
        compare "$name" "tests/$name.expected"
    else
        pass "$name"
    fi
done

for file in tests/shell/*.sh; do
    name=shell/$(basename "$file" .sh)
    [ $accept = no ] && wanted "$name" && run_script "$name" "$file"
done

[ $((passed + failed + skipped)) -gt 0 ] || fail "${names[*]:-all}" "there is no such test"
[ $skipped -eq 0 ] && tail='' || tail=", $skipped skipped"
echo "$passed passed, $failed failed$tail"
[ $failed -eq 0 ]
