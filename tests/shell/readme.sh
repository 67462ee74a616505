#!/usr/bin/env bash
# What README.md shows holds: its SQL runs as written, in order, in one new database; the numbers on its
# first screen and in its tables of picks are those of the demo database.
set -eu
fail() { echo "$*"; exit 1; }

# Every ```sql block, one after the other; the first asks the demo cluster, so it runs there.
awk '/^```sql/ { on = 1; n++; next } /^```/ { on = 0 } on { print > "'"$TMP_DIR"'/block" n ".sql" }' README.md
cd_sql() { sed "s|^\.load ./memx|.load $MEMX|; s|readfile('train.log')|readfile('tests/inputs/train.log')|g"; }
cd_sql <"$TMP_DIR/block1.sql" | $SQLITE3 -batch -bail -init /dev/null "$DEMO_DB" >"$TMP_DIR/out1" 2>&1 ||
    fail "the first query fails: $(cat "$TMP_DIR/out1")"
[ "$(wc -l <"$TMP_DIR/out1")" -eq 10 ] || fail "the first query does not give ten rows"
blocks=$(grep -c '^```sql' README.md)
for n in $(seq 2 "$blocks"); do
    f=$TMP_DIR/block$n.sql
    ! grep -q ':task' "$f" || continue # a task of queries/scale_out, which shell/scale_out runs
    if grep -q '^-- sqlite3 build/demo.db' "$f"; then
        cd_sql <"$f" | $SQLITE3 -batch -bail -init /dev/null "$DEMO_DB" >"$TMP_DIR/out3" 2>&1 ||
            fail "what the score rewards: $(tail -n 1 "$TMP_DIR/out3")"
    else
        cat "$f"
    fi
done | cd_sql |
    $SQLITE3 -batch -bail -init /dev/null "$TMP_DIR/my.db" >"$TMP_DIR/out2" 2>&1 ||
    fail "the user's path fails: $(tail -n 1 "$TMP_DIR/out2")"

# The first screen: the numbers of its rows, in order.
ask() { $SQLITE3 -batch -init /dev/null -cmd ".load $MEMX" "$DEMO_DB" <"queries/$1.sql"; }
grep -E '^0\.[0-9]+  [0-9.]+ ' README.md | sed 's/  *tp.*//; s/   */|/g' >"$TMP_DIR/shown"
[ -s "$TMP_DIR/shown" ] || fail "no rows on the first screen"
ask top_ten | sed 's/|tp[0-9].*//' | head -n "$(wc -l <"$TMP_DIR/shown")" | diff "$TMP_DIR/shown" - ||
    fail "the first screen is not what queries/top_ten.sql prints"

# The table of picks.
grep -E '^\| `.*(ORDER BY).* \| [0-9.]+ \|' README.md | sed 's/^| `[^`]*`: `[^`]*` | //; s/ |$//; s/ | /|/g' >"$TMP_DIR/picks"
ask best | cut -d'|' -f2-6 | diff "$TMP_DIR/picks" - || fail "the table of picks is not what queries/best.sql prints"

# The table of planners.
grep -E '^\| (amp|fasop|metis|hexiscale|megatron|memx)[^|]* \|' README.md | sed 's/^| //; s/ |$//; s/ *| */|/g' >"$TMP_DIR/planners"
[ -s "$TMP_DIR/planners" ] || fail "no table of planners"
ask compare_planners | cut -d'|' -f1-5,7-10 | head -n "$(wc -l <"$TMP_DIR/planners")" | diff "$TMP_DIR/planners" - ||
    fail "the table of planners is not what queries/compare_planners.sql prints"

count=$($SQLITE3 -batch -init /dev/null -cmd ".load $MEMX" "$DEMO_DB" "SELECT printf('%,d', count(*)) FROM memx_configs WHERE job = 'mix20'")
free=$($SQLITE3 -batch -init /dev/null -cmd ".load $MEMX" "$DEMO_DB" "SELECT printf('%,d', feasible_exact) FROM memx_reference('mix20', 'free')")
[ "$(grep -c "$free" README.md)" -eq 2 ] || fail "README.md does not name the $free configurations of free"
grep -q "$count" README.md || fail "README.md does not name the $count configurations of mix20"


# A log goes in once, however often it is read; ranks of a run that is there are its own.
log=$(grep -l '^INSERT INTO memx_run(job' "$TMP_DIR"/block*.sql)
cd_sql <"$log" | $SQLITE3 -batch -bail -init /dev/null -cmd ".load $MEMX" "$TMP_DIR/my.db" >/dev/null 2>"$TMP_DIR/out4" ||
    fail "a log read twice: $(cat "$TMP_DIR/out4")"
count=$($SQLITE3 "$TMP_DIR/my.db" "SELECT (SELECT count(*) || ',' || count(DISTINCT source) FROM memx_run), count(*) FROM memx_run_gpu")
[ "$count" = '1,1|4' ] || fail "a log read twice makes $count runs and ranks"

# What is shown on a database of one's own needs nothing of the demo's.
$SQLITE3 -batch -init /dev/null -cmd ".load $MEMX" "$TMP_DIR/own.db" "SELECT memx_init()" >/dev/null
for query in $(grep -hoE 'my\.db <queries/[a-z0-9_]*\.sql' README.md queries/*.sql | sed 's/.*<//' | sort -u); do
    case $query in */import_*) continue ;; esac
    $SQLITE3 -batch -bail -init /dev/null -cmd ".load $MEMX" "$TMP_DIR/own.db" <"$query" >"$TMP_DIR/out5" 2>&1 ||
        fail "$query on one's own database: $(tail -n 1 "$TMP_DIR/out5")"
done
