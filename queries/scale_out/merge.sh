#!/usr/bin/env bash
# Makes one database of the results of all tasks of run.sh:
#
#   queries/scale_out/merge.sh OUT RESULT.db
#
# Tables and indexes are those of task 0, rows those of all tasks in order. One result after the other is attached, since
# SQLite attaches ten at once. RESULT.db is there when it is whole.
set -euo pipefail
die() { echo "merge.sh: $*" >&2; exit 2; }

[ $# -eq 2 ] || die "write merge.sh OUT RESULT.db"
out=$1 result=$2
[ -r "$out/tasks" ] || die "'$out' is no directory that run.sh made"
[ ! -e "$result" ] || die "'$result' is there already"
case $out$result in *\'*) die "OUT and RESULT.db may not have a quote in their names" ;; esac
tasks=$(cat "$out/tasks")
missing=$(for ((n = 0; n < tasks; n++)); do [ -e "$out/task-$n.db" ] || echo "$n"; done)
[ -z "$missing" ] ||
    die "$(wc -l <<<"$missing") of $tasks tasks are missing ($(head -n 5 <<<"$missing" | paste -sd, -)); run.sh goes on with them"

read -ra shell <<<"${SQLITE3:-sqlite3} -batch -bail -init /dev/null"
own="sql IS NOT NULL AND name NOT LIKE 'sqlite\_%' ESCAPE '\\'"
schema() { "${shell[@]}" "$out/task-0.db" "SELECT sql || ';' FROM sqlite_schema WHERE type $1 AND $own ORDER BY rowid"; }
insert=$("${shell[@]}" "$out/task-0.db" "SELECT 'INSERT INTO main.' || q || ' SELECT * FROM part.' || q || ';'
    FROM (SELECT '\"' || replace(name, '\"', '\"\"') || '\"' AS q FROM sqlite_schema WHERE type = 'table' AND $own ORDER BY rowid)")
tables="SELECT type, name, sql FROM sqlite_schema WHERE type = 'table' AND $own ORDER BY name"
first=$("${shell[@]}" "$out/task-0.db" "$tables")
[ -n "$first" ] || die "task 0 made no table"
for ((n = 1; n < tasks; n++)); do
    [ "$("${shell[@]}" "$out/task-$n.db" "$tables")" = "$first" ] || die "task $n has other tables or columns than task 0"
done
rm -f "$result.part"
trap 'rm -f "$result.part" "$result.part-journal"' EXIT
{
    # Nobody reads it before it is whole, and what breaks off is made anew.
    echo 'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;'
    schema "= 'table'"
    for ((n = 0; n < tasks; n++)); do
        echo "ATTACH '$out/task-$n.db' AS part; BEGIN; $insert COMMIT; DETACH part;"
    done
    schema "<> 'table'"
} | "${shell[@]}" "$result.part" >/dev/null
mv "$result.part" "$result"
