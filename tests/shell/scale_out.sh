#!/usr/bin/env bash
# queries/scale_out on this machine's cores: the merged result of more tasks than SQLite attaches is that of one; a task
# that is killed or fails is tried again; a run that broke off goes on; what is asked wrongly is said.
# `make slurm-test` does the same with job arrays.
set -u
failed=0
export LOCAL=1 MEMX SQLITE3 SCRATCH=$TMP_DIR
here=queries/scale_out
db=$TMP_DIR/my.db
cp "$DEMO_DB" "$db"
run() { "$here/run.sh" "$@" 2>&1; }
same() { # WHAT EXPECTED FOUND
    [ "$2" = "$3" ] && return
    echo "$1:"
    diff <(echo "$2") <(echo "$3") || true
    failed=1
}

# ---- more tasks than SQLite attaches at once, and one ----
same 'twelve' "12 of 12 tasks are done in $TMP_DIR/twelve" "$(run $here/tasks/keep_all.sql "$db" "$TMP_DIR/twelve" 12)"
same 'one' "1 of 1 tasks are done in $TMP_DIR/one" "$(run $here/tasks/keep_all.sql "$db" "$TMP_DIR/one" 1)"
same 'merged' '' "$($here/merge.sh "$TMP_DIR/twelve" "$TMP_DIR/twelve.db" 2>&1; $here/merge.sh "$TMP_DIR/one" "$TMP_DIR/one.db" 2>&1)"
same 'row for row' '28575|0|0' "$($SQLITE3 -batch -init /dev/null "$TMP_DIR/twelve.db" "ATTACH '$TMP_DIR/one.db' AS one;
    SELECT (SELECT count(*) FROM main.config),
           (SELECT count(*) FROM (SELECT * FROM main.config EXCEPT SELECT * FROM one.config)),
           (SELECT count(*) FROM (SELECT * FROM one.config EXCEPT SELECT * FROM main.config))")"
same 'nothing is left' '' "$(find "$TMP_DIR" -name 'memx.??????' -o -name '.task-*' -o -name 'todo-*')"

# ---- a task that is killed at its first try ----
cat >"$TMP_DIR/odd.sql" <<SQL
CREATE TABLE out.t AS SELECT :task AS task, count(*) AS rows FROM memx_configs
    WHERE job = 'xy' AND shards = :tasks AND shard = :task;
.system echo >>$TMP_DIR/tried
.shell [ "\$MEMX_TASK" != 2 ] || [ -e $TMP_DIR/killed ] || { touch $TMP_DIR/killed; kill -9 \$PPID; }
SQL
same 'killed' "5 of 5 tasks are done in $TMP_DIR/odd" "$(run "$TMP_DIR/odd.sql" "$db" "$TMP_DIR/odd" 5 | grep -v 'task 2 failed\|Killed')"
same 'it was killed' yes "$([ -e "$TMP_DIR/killed" ] && echo yes)"
same 'six tries' 6 "$(wc -l <"$TMP_DIR/tried" | tr -d ' ')"

# ---- one that always fails; the run goes on once its cause is gone ----
printf 'CREATE TABLE out.t AS SELECT :task AS task, x FROM asked, (SELECT 1 AS one) WHERE :task <> 1 OR nowhere(1);\n' >"$TMP_DIR/bad.sql"
$SQLITE3 -batch "$db" 'CREATE TABLE asked(x); INSERT INTO asked VALUES (7)'
found=$(TRIES=2 run "$TMP_DIR/bad.sql" "$db" "$TMP_DIR/bad" 3; echo "exit $?")
same 'all fail' "0 of 3 tasks are done in $TMP_DIR/bad
exit 1" "$(grep 'done in\|exit' <<<"$found")"
same 'with the reason' 3 "$(grep -c '^task [0-2]: .*no such function: nowhere' <<<"$found")"
same 'merging says what is missing' "merge.sh: 3 of 3 tasks are missing (0,1,2); run.sh goes on with them" \
    "$($here/merge.sh "$TMP_DIR/bad" "$TMP_DIR/bad.db" 2>&1)"
rm "$TMP_DIR/twelve/task-7.db" "$TMP_DIR/twelve/task-11.db"
same 'goes on' "12 of 12 tasks are done in $TMP_DIR/twelve" "$(run $here/tasks/keep_all.sql "$db" "$TMP_DIR/twelve" 12)"

# ---- what a task leaves undone ----
printf 'SELECT 1;\n' >"$TMP_DIR/nothing.sql"
same 'no table' 'task 0: error: task 0 made no table in schema out' \
    "$(TRIES=1 run "$TMP_DIR/nothing.sql" "$db" "$TMP_DIR/nothing" 1 | grep '^task 0:')"
printf 'CREATE TABLE out.t(x); BEGIN; INSERT INTO out.t VALUES (:task)' >"$TMP_DIR/open.sql"
same 'a transaction' 1 "$(TRIES=1 run "$TMP_DIR/open.sql" "$db" "$TMP_DIR/open" 1 | grep -c '^task 0:.*within a transaction')"
printf 'CREATE TABLE out.config AS SELECT config FROM memx_configs WHERE job = %s AND shards = :task_count AND shard = :task;' "'xy'" >"$TMP_DIR/slip.sql"
same 'a misspelt parameter' 1 "$(TRIES=1 run "$TMP_DIR/slip.sql" "$db" "$TMP_DIR/slip" 1 | grep -c '^task 0:.*shards is NULL')"
printf 'CREATE TABLE out.a(x); INSERT INTO out.a VALUES (:task);\n.shell [ $MEMX_TASK = 0 ] || touch %s/second\n' "$TMP_DIR" >"$TMP_DIR/two.sql"
run "$TMP_DIR/two.sql" "$db" "$TMP_DIR/two" 2 >/dev/null
$SQLITE3 -batch "$TMP_DIR/two/task-1.db" 'CREATE TABLE b(y)'
same 'other tables' 'merge.sh: task 1 has other tables or columns than task 0' "$($here/merge.sh "$TMP_DIR/two" "$TMP_DIR/two.db" 2>&1)"
touch "$TMP_DIR/file"
same 'no directory' "run.sh: cannot write to '$TMP_DIR/file'" "$(run "$TMP_DIR/two.sql" "$db" "$TMP_DIR/file" 2 | tail -n 1)"
mkdir -p "$TMP_DIR/claimed/setup"
same 'claimed' "run.sh: another run.sh makes '$TMP_DIR/claimed' ready, or broke off there: remove '$TMP_DIR/claimed/setup' if it did" \
    "$(run "$TMP_DIR/two.sql" "$db" "$TMP_DIR/claimed" 2 | tail -n 1)"

# ---- what is asked wrongly ----
same 'another run' "run.sh: '$TMP_DIR/twelve' has 12 tasks of another run; name another directory" \
    "$(run $here/tasks/keep_all.sql "$db" "$TMP_DIR/twelve" 13)"
same 'no number' "run.sh: TASKS is 'many'; write a whole number from 1" "$(run $here/tasks/keep_all.sql "$db" "$TMP_DIR/x" many)"
same 'no database' "run.sh: no database '$TMP_DIR/none.db'" "$(run $here/tasks/keep_all.sql "$TMP_DIR/none.db" "$TMP_DIR/x" 2)"
same 'too few' 'run.sh: write run.sh TASK.sql DATABASE OUT TASKS' "$(run $here/tasks/keep_all.sql)"
same 'no extension' 'run.sh: no extension: write MEMX=PATH/memx.so' \
    "$(MEMX=$TMP_DIR/none PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR=$TMP_DIR run $here/tasks/keep_all.sql "$db" "$TMP_DIR/x" 2)"
same 'merged before' "merge.sh: '$TMP_DIR/one.db' is there already" "$($here/merge.sh "$TMP_DIR/one" "$TMP_DIR/one.db" 2>&1)"

# ---- the other examples ----
for task in sweep_weights draw_errors; do
    same "$task" "3 of 3 tasks are done in $TMP_DIR/$task" "$(run $here/tasks/$task.sql "$db" "$TMP_DIR/$task" 3)"
    same "$task merged" '' "$($here/merge.sh "$TMP_DIR/$task" "$TMP_DIR/$task.db" 2>&1)"
done
same 'weights decide' '100|28575|2857500|1' "$($SQLITE3 -batch -init /dev/null "$TMP_DIR/sweep_weights.db" "
    SELECT (SELECT count(*) FROM weighting), (SELECT count(*) FROM config), (SELECT count(*) FROM score),
           (SELECT count(DISTINCT id) > 1 FROM (SELECT id, min(phi) FROM score GROUP BY weighting))")"
same 'draws differ' '60|3|1' "$($SQLITE3 -batch -init /dev/null "$TMP_DIR/draw_errors.db" "
    SELECT count(*), count(DISTINCT draw), count(DISTINCT iteration_ms) > 30 FROM best")"
exit $failed
