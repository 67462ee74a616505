#!/usr/bin/env bash
# Everything that MemX's paper claims, as a table a claim: the paper's figure, MemX's here, each other planner's; and
# behind the tables the same figures one a line, separated by tabs:
#
#   CLAIM.WHAT.WHO   value   unit   data: note
#
#   tests/evaluation.sh [PART...]    all parts, or those named: search_cost, planners, lab6, real, answers
#
# `make evaluation` builds what is needed and calls this. A part is tests/evaluation/PART.sh, which prints lines of
# claim, what, who, value, unit, data, note and says at its top what they are. `data` is what a figure rests on:
# published (the paper's), real (measured by others), synthetic (measured on fixtures/testbed.c, which invents its
# hardware), predicted (by MemX), measured here, counted.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

export BUILD=${BUILD:-build} SQLITE3=${SQLITE3:-sqlite3}
# The sqlite3 shell with the extension, for all parts.
memx() {
    local shell
    read -ra shell <<<"$SQLITE3"
    "${shell[@]}" -batch -bail -init /dev/null -cmd ".load ./$BUILD/memx" "$@"
}
export -f memx
# search_cost first and alone: it measures seconds.
parts=(search_cost planners lab6 real answers)
for name in "$@"; do
    case " ${parts[*]} " in
    *" $name "*) ;;
    *)
        echo "tests/evaluation.sh: no part '$name'; there are: ${parts[*]}" >&2
        exit 2
        ;;
    esac
done
[ $# -gt 0 ] && parts=("$@")

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0
part() { "tests/evaluation/$1.sh" >"$scratch/$1" || { echo "tests/evaluation.sh: part $1 fails" >&2; return 1; }; }
# Seconds are measured with nothing beside them; all else runs at once.
running=()
for name in "${parts[@]}"; do
    if [ "$name" = search_cost ]; then
        part "$name" || failed=1
    else
        part "$name" &
        running+=($!)
    fi
done
for pid in "${running[@]}"; do wait "$pid" || failed=1; done
for name in "${parts[@]}"; do cat "$scratch/$name" >>"$scratch/figures"; done
{
    echo 'CREATE TABLE seen(claim, what, who, value, unit, data, note);'
    echo '.mode tabs'
    echo ".import \"$scratch/figures\" seen"
    echo '.read tests/evaluation/report.sql'
    echo '.mode list'
    echo ".output \"$scratch/tables\""
    echo 'SELECT commands FROM told ORDER BY place;'
    echo '.output'
    echo ".read \"$scratch/tables\""
    echo '.mode tabs'
    echo '.print'
    echo "SELECT claim || '.' || what || '.' || who, value, unit, data || ': ' || note FROM seen WHERE value <> '' ORDER BY rowid;"
} | memx :memory: || failed=1
exit $failed
