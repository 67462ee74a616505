#!/usr/bin/env bash
# Cuts work into tasks that know nothing of each other, and runs them: as job arrays where there is Slurm (sbatch), else
# on this machine's cores. Run again after a break, it goes on with what is missing.
#
#   queries/scale_out/run.sh TASK.sql DATABASE OUT TASKS
#
#   TASK.sql   what one task does, in the sqlite3 shell with MemX loaded, on a copy of DATABASE of its own. Its number
#              is :task, from 0, of :tasks; the tables that it makes in schema `out` are its result. tasks/ has examples.
#   OUT        a directory that every node sees. It gets a snapshot of DATABASE, the extension, TASK.sql, a result
#              task-N.db for every task that is done, and the tasks' logs. merge.sh makes one database of the results.
#
# No database is opened over a network: a task copies the snapshot to scratch space of its own, works there, and moves
# its result to OUT in one step. So a task may be killed, or run twice.
#
# In the environment: MEMX, the extension (memx.so here, else the installed one); SQLITE3, the shell; TRIES, how often a
# failed task is tried (3); SCRATCH, a directory on each node's own disk (else Slurm's or the system's temporary one);
# CORES, how many tasks run here at once; LOCAL=1, no Slurm though it is there. sbatch reads its own: SBATCH_PARTITION,
# SBATCH_TIMELIMIT, SBATCH_ACCOUNT, SBATCH_MEM_PER_CPU. It makes arrays of up to 1,000 tasks.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
die() { echo "run.sh: $*" >&2; exit 2; }

[ $# -eq 4 ] || die "write run.sh TASK.sql DATABASE OUT TASKS"
task=$1 database=$2 tasks=$4
[ -r "$task" ] || die "no file '$task'"
[ -r "$database" ] || die "no database '$database'"
case $tasks in '' | *[!0-9]* | 0*) die "TASKS is '$tasks'; write a whole number from 1" ;; esac
mkdir -p "$3/logs" || die "cannot write to '$3'"
out=$(cd "$3" && pwd)
case $out in *\'*) die "OUT may not have a quote in its name" ;; esac
sqlite3=${SQLITE3:-sqlite3}
memx=
for file in "${MEMX:-./memx}" "$(pkg-config --variable=extension memx 2>/dev/null || true)"; do
    for kind in '' .so .dylib; do [ -z "$memx" ] && [ -f "$file$kind" ] && memx=$file$kind; done
done
[ -n "$memx" ] || die "no extension: write MEMX=PATH/memx.so"

# What all tasks share is written once; another run's directory is not touched.
claimed=
if [ ! -e "$out/tasks" ]; then
    # Only one may write, and nobody reads before it is whole.
    mkdir "$out/setup" || die "another run.sh makes '$out' ready, or broke off there: remove '$out/setup' if it did"
    claimed=$out/setup
    trap 'rm -rf "$claimed"' EXIT
fi
if [ -e "$out/tasks" ]; then
    { [ "$(cat "$out/tasks")" = "$tasks" ] && cmp -s "$task" "$out/task.sql"; } ||
        die "'$out' has $(cat "$out/tasks") tasks of another run; name another directory"
else
    # shellcheck disable=SC2086 # a command, perhaps of several words
    $sqlite3 -batch -bail -init /dev/null "$database" "VACUUM INTO '$claimed/input.db'" || die "cannot copy '$database'"
    mv "$claimed/input.db" "$out/input.db"
    cp "$memx" "$out/memx.${memx##*.}"
    cp "$task" "$out/task.sql"
    cp "$here/task.sh" "$out/task.sh"
    echo "$tasks" >"$claimed/tasks"
    mv "$claimed/tasks" "$out/tasks"
fi
[ -z "$claimed" ] || rm -rf "$claimed"
trap 'rm -f "$out"/todo-*-"$$"-*' EXIT

missing() {
    local n
    for ((n = 0; n < tasks; n++)); do [ -e "$out/task-$n.db" ] || echo "$n"; done
}
# Arrays are over lines of a file, so that an array's size is what is missing and no more.
on_slurm() {
    local todo=$1 count from
    count=$(wc -l <"$todo")
    for ((from = 0; from < count; from += 1000)); do
        sbatch --wait --quiet --requeue --job-name=memx --cpus-per-task=1 --output="$out/logs/slurm-%A_%a.txt" \
            --array="0-$((count - from > 1000 ? 999 : count - from - 1))" "$out/task.sh" "$out" "$todo" "$from" || true
    done
}
here() { # xargs: 123 where a task failed
    seq 0 $(($(wc -l <"$1") - 1)) | xargs -P "${CORES:-$(getconf _NPROCESSORS_ONLN)}" -I{} bash "$out/task.sh" "$out" "$1" {} || true
}

export SQLITE3=$sqlite3
for ((try = 1; try <= ${TRIES:-3}; try++)); do
    todo=$out/todo-$(date +%s)-$$-$try
    missing >"$todo"
    [ -s "$todo" ] || { rm "$todo"; break; }
    if [ -z "${LOCAL:-}" ] && command -v sbatch >/dev/null; then on_slurm "$todo"; else here "$todo"; fi
    rm "$todo"
done
failed=$(missing | wc -l)
echo "$((tasks - failed)) of $tasks tasks are done in $out"
[ "$failed" -eq 0 ] && exit
missing | head -n 5 | while read -r n; do
    echo "task $n: $(grep -s -m 1 -i error "$out/logs/task-$n.txt" || echo "never began; LOCAL=1 runs it without Slurm")"
done >&2
exit 1
