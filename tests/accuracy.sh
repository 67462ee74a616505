#!/usr/bin/env bash
# Compares predictions with published measurements and prints one figure a line, separated by tabs:
#
#   SET.WHAT.METRIC   value   unit   note
#
#   tests/accuracy.sh [SET...]     all sets, or those named
#
# `make accuracy` builds what is needed and calls this. Every set is a file tests/accuracy/SET.sql; its
# lines `-- import: FILE TABLE` name the measurements, below DATA_DIR (default ../shared/data), that
# the sqlite3 shell imports first. They are not part of this repository: a set whose files are missing
# is skipped, and says so. A set that is a script, tests/accuracy/SET.sh, makes its own. WHAT is `analytic` for the analytic model without any calibration, or what was
# held out: by_model is predicted after memx_train() on the runs of all other models, and so on.
#
# METRIC: time_mape and peak_mape, mean of |predicted - measured| / measured; max_error, the greatest
# of these; order_accuracy, how many pairs of runs of one model, cluster and batch that were measured
# more than 10 % apart are predicted in the right order; spearman, rank correlation; floor, how far
# runs of one set-up lie apart; rows and left_out. For memory they begin with peak_.
set -u
cd "$(dirname "$0")/.." || exit 1

BUILD=${BUILD:-build}
SQLITE3=${SQLITE3:-sqlite3}
DATA_DIR=${DATA_DIR:-../shared/data}
export MEMX_IMPORT=$DATA_DIR/sailor # for queries/import_sailor.sql

sets=(vtrain_multi vtrain_single narayanan2021_table1 narayanan2021_table2 mosaic_llmfoundry korthikanti2022_table4 korthikanti2022_table5
    bigscience torchtitan colossalai_zero2 internevo_7b internevo_memory sailor_runs sailor_per_gpu sailor_imported megatron_golden megatron_experts
    synthetic_mix20)
[ $# -gt 0 ] && sets=("$@")

[ -d "$DATA_DIR" ] || echo "accuracy: no measurements in $DATA_DIR (set DATA_DIR)" >&2

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# The shell's commands for one set: tables and views, the measurements, the set, the report.
script() { # SET FILE TABLE [FILE TABLE]...
    local set=$1
    shift
    echo '.bail on'
    echo '.output /dev/null'
    echo '.read tests/accuracy/common.sql'
    while [ $# -gt 1 ]; do
        echo ".import --csv \"$DATA_DIR/$1\" $2"
        shift 2
    done
    echo ".read tests/accuracy/$set.sql"
    # Trains without each group in turn.
    echo 'CREATE TABLE run_kept AS SELECT * FROM memx_run;'
    echo 'CREATE TABLE run_gpu_kept AS SELECT * FROM memx_run_gpu;'
    echo 'CREATE TABLE profile_kept AS SELECT * FROM memx_profile;'
    echo '.mode list'
    echo ".output $scratch/holds"
    echo "SELECT printf('INSERT INTO holding VALUES (%Q, %Q, %Q, %Q);%s.read tests/accuracy/hold_out.sql',"
    echo "              set_name, what, grp, options, char(10))"
    echo 'FROM held_set, (SELECT DISTINCT what, grp FROM hold) ORDER BY what, grp;'
    echo '.output /dev/null'
    echo ".read $scratch/holds"
    echo '.output'
    echo '.mode tabs'
    echo 'SELECT figure, value, unit, note FROM figure ORDER BY place, kind DESC, position;'
}

failed=0
for set in "${sets[@]}"; do
    if [ -e "tests/accuracy/$set.sh" ]; then
        BUILD=$BUILD SQLITE3=$SQLITE3 "tests/accuracy/$set.sh" ||
            { echo "accuracy: $set failed" >&2; failed=1; }
        continue
    fi
    file=tests/accuracy/$set.sql
    [ -e "$file" ] || { echo "accuracy: no $file" >&2; failed=1; continue; }
    read -r -a imports <<<"$(sed -n 's/^-- import: //p' "$file" | tr '\n' ' ')"
    missing=''
    for ((i = 0; i < ${#imports[@]}; i += 2)); do
        [ -e "$DATA_DIR/${imports[i]}" ] || missing=${imports[i]}
    done
    if [ -n "$missing" ]; then
        echo "accuracy: $set skipped, no $DATA_DIR/$missing" >&2
        continue
    fi
    rm -f "$scratch/accuracy.db"
    script "$set" "${imports[@]}" >"$scratch/script"
    # SQLITE3 may be several words.
    $SQLITE3 -batch -init /dev/null -cmd ".load ./$BUILD/memx" "$scratch/accuracy.db" \
        <"$scratch/script" || { echo "accuracy: $set failed" >&2; failed=1; }
done
exit $failed
