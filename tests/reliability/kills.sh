#!/usr/bin/env bash
# Kills the shell at a random moment of memx_train() or memx_init(): the database opens, integrity_check says ok, the
# predictor that was there still serves with the same rows or the new one does, and the killed statement succeeds.
#
#   kills.sh COUNT    needs BUILD, MEMX, DEMO_DB, SQLITE3, TMP_DIR as tests/run.sh sets them
set -u
count=$1 bad=0 killed=0 old=0
base=$TMP_DIR/base.db db=$TMP_DIR/killed.db
shell() { $SQLITE3 -batch -bail -init /dev/null -cmd ".load $MEMX" "$@"; }
wrong() { echo "kills: $*"; bad=$((bad + 1)); }

question="SELECT config, predictor, phi FROM memx_configs WHERE job = 'mix20' ORDER BY phi LIMIT 2"
cp "$DEMO_DB" "$base"
shell "$base" <tests/reliability/base.sql >/dev/null || exit 1
train="SELECT length(memx_train('served', '{\"rounds\": 40, \"least_rows\": 5}'))" # other trees than base.sql's
before=$(shell "$base" "$question")
cp "$base" "$db"
shell "$db" "$train" >/dev/null || exit 1
after=$(shell "$db" "$question")
[ "$before" != "$after" ] || { echo 'kills: training again changes nothing'; exit 1; }

# strike SQL: runs it and kills it after a moment, somewhere up to its usual time.
strike() {
    local moment=$((RANDOM % (usual + 1)))
    # shellcheck disable=SC2086 # several words
    (exec $SQLITE3 -batch -bail -init /dev/null -cmd ".load $MEMX" "$db" "$1" >/dev/null 2>&1) &
    sleep "$(printf '0.%03d' "$moment")"
    kill -9 $! 2>/dev/null && killed=$((killed + 1))
    wait $! 2>/dev/null
}

usual_of() { # ms of a statement
    local began
    began=$(date +%s%N)
    shell "$db" "$1" >/dev/null || return 1
    usual=$((($(date +%s%N) - began) / 1000000))
    [ "$usual" -lt 990 ] || usual=990
}

for ((i = 0; i < count; i++)); do
    cp "$base" "$db"
    rm -f "$db-journal"
    [ "$i" -gt 0 ] || { usual_of "$train"; cp "$base" "$db"; }
    strike "$train"
    [ "$($SQLITE3 -batch "$db" 'PRAGMA integrity_check')" = ok ] || wrong "train $i: the file is damaged"
    now=$(shell "$db" "$question" 2>&1)
    [ "$now" = "$before" ] && old=$((old + 1))
    [ "$now" = "$before" ] || [ "$now" = "$after" ] || wrong "train $i: another answer: ${now%%$'\n'*}"
    shell "$db" "$train" >/dev/null || wrong "train $i: does not succeed afterwards"
done
init="SELECT memx_init()"
for ((i = 0; i < count; i++)); do
    rm -f "$db" "$db-journal"
    [ "$i" -gt 0 ] || { usual_of "$init"; rm -f "$db"; }
    strike "$init"
    [ "$($SQLITE3 -batch "$db" 'PRAGMA integrity_check')" = ok ] || wrong "init $i: the file is damaged"
    tables=$($SQLITE3 -batch "$db" "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'memx%'")
    [ "$tables" = 0 ] || [ "$($SQLITE3 -batch "$db" 'SELECT count(*) > 5 FROM memx_space')" = 1 ] || wrong "init $i: half done"
    shell "$db" "$init" >/dev/null || wrong "init $i: does not succeed afterwards"
done
printf 'kills\t%d\tkills\tof %d attempts at memx_train() and memx_init(); the predictor before still served %d times of %d; wrong: %d\n' \
    "$killed" $((2 * count)) "$old" "$count" "$bad"
[ "$bad" -eq 0 ]
