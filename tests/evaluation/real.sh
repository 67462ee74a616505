#!/usr/bin/env bash
# Real runs that others measured and published, where several configurations of one job were run: who puts them in
# order, and whose first is the fastest; see real.sql. Prints its lines, or one that says what is missing. Called by
# tests/evaluation.sh, from the top directory.
set -euo pipefail

DATA_DIR=${DATA_DIR:-../shared/data}
if [ ! -d "$DATA_DIR/vtrain" ] || [ ! -d "$DATA_DIR/sailor" ]; then
    printf 'real\tskipped\tmemx\t0\trows\treal\tno measurements in %s (DATA_DIR)\n' "$DATA_DIR"
    exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cp "$BUILD/demo.db" "$scratch/db"
MEMX_IMPORT=$DATA_DIR/vtrain memx "$scratch/db" <queries/import_vtrain.sql >"$scratch/imported"
MEMX_IMPORT=$DATA_DIR/sailor memx "$scratch/db" <queries/import_sailor.sql >>"$scratch/imported"
{
    echo '.output /dev/null'
    sed -n '/^-- @groups/q; p' tests/evaluation/real.sql
    echo '.mode list'
    echo ".output \"$scratch/groups\""
    echo "SELECT printf('INSERT INTO holding VALUES (%Q, %Q);%s.read tests/evaluation/real_held_out.sql', set_name, grp, char(10))"
    echo 'FROM (SELECT DISTINCT set_name, grp FROM run);'
    echo '.output /dev/null'
    echo ".read \"$scratch/groups\""
    sed '1,/^-- @groups/d; /^\.mode tabs/i .output' tests/evaluation/real.sql
} | memx "$scratch/db"
