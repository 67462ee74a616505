#!/usr/bin/env bash
# One task of run.sh, which copies this file to OUT:
#
#   task.sh OUT TODO FROM     the task on line FROM + 1 of file TODO; under Slurm, of the array's index further on
set -euo pipefail
out=$1
line=$(($3 + ${SLURM_ARRAY_TASK_ID:-0} + 1))
n=$(sed -n "${line}p" "$2")
[ -n "$n" ] || { echo "task.sh: file '$2' has no line $line" >&2; exit 2; }
[ ! -e "$out/task-$n.db" ] || exit 0
log=$out/logs/task-$n.txt

scratch=$(mktemp -d "${SCRATCH:-${SLURM_TMPDIR:-${TMPDIR:-/tmp}}}/memx.XXXXXX")
trap 'rm -rf "$scratch" "$out/.task-$n.$$"' EXIT
trap 'exit 143' TERM INT
cp "$out/input.db" "$scratch/input.db"
export OMP_NUM_THREADS=1 MEMX_TASK=$n
# BEGIN: an error where the task left a transaction open, whose rows would be lost.
# shellcheck disable=SC2086 # a command, perhaps of several words
$SQLITE3 -batch -bail -init /dev/null -cmd ".load '$out/memx'" -cmd "ATTACH '$scratch/result.db' AS out" \
    -cmd ".parameter set :task $n" -cmd ".parameter set :tasks $(cat "$out/tasks")" \
    "$scratch/input.db" < <(cat "$out/task.sql" && printf '\n;BEGIN;COMMIT;\n') >"$log" 2>&1 ||
    { echo "task $n failed: $(grep -m 1 -i error "$log")"; exit 1; }
[ -s "$scratch/result.db" ] || { echo "error: task $n made no table in schema out" | tee -a "$log"; exit 1; }
# A name that nobody reads until it is whole.
cp "$scratch/result.db" "$out/.task-$n.$$"
mv "$out/.task-$n.$$" "$out/task-$n.db"
