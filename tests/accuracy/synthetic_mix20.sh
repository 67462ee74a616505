#!/usr/bin/env bash
# Judges predictors on the synthetic measurements of mix20 (fixtures/testbed.c), in place of those that the
# MemX paper made and did not publish: for each of SEEDS, other hidden values, 36,740 records of 1,628
# configurations. Nothing was tuned to any of them. `tests/accuracy.sh synthetic_mix20` calls this.
#
# Trained on what memx_measure proposes for the testbed's five jobs, least, middle and greatest value of each
# parameter, measured by the testbed too (2 % as many rows as records), and tested on all records of other
# stages and on whole configurations. WHAT is the design, or what differs from it:
#
#   analytic           nothing learned
#   by_design          SELECT memx_train(): calibrated, trees where validation lets them pass, interpolated rows
#   calibrated         no residual: trees never
#   trees_always       trees whatever validation says
#   no_augmentation    trees_always without interpolated rows
#   jittered           no_augmentation, on as many points off the corners: memx_measure(job, 1)
#   no_calibration     trees on the ratio to the analytic model as it is; this and the next two by
#                      tests/accuracy/ablation.c, for single stages only
#   no_analytic_features   the same, and no feature says what the analytic model makes of a stage
#   raw_labels         trees on the logarithm of the measurement itself
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

BUILD=${BUILD:-build}
read -ra shell <<<"${SQLITE3:-sqlite3} -batch -bail -init /dev/null"
SEEDS=${SEEDS:-101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120}
parts=tests/accuracy/synthetic_mix20

memx() { "${shell[@]}" -cmd ".load ./$BUILD/memx" "$@"; }

# seed N: the figures of one seed, into its file.
seed() {
    local dir=$scratch/$1
    export MEMX_TESTBED_SEED=$1
    mkdir "$dir" && cp "$scratch/jobs.db" "$dir/db" || return 1
    "$BUILD/testbed" configs >"$dir/configs" &&
        "$BUILD/testbed" records | sed 's/memx_profile(/record(/' >"$dir/records.sql" &&
        "$BUILD/testbed" runs <"$dir/configs" | sed 's/memx_run/seen/g' >"$dir/seen.sql" &&
        MEMX_TESTBED_NOISE=0 "$BUILD/testbed" runs <"$dir/configs" |
        sed 's/memx_run/truth/g' >"$dir/truth.sql" &&
        "$BUILD/testbed" stages <"$scratch/design" >"$dir/design.sql" &&
        "$BUILD/testbed" stages <"$scratch/jittered" >"$dir/jittered.sql" || return 1
    {
        echo ".cd $dir"
        cat "$parts/seed.sql"
        train jittered jittered '{"trees": "always", "augment": 0, "validate": 0}'
        train design no_augmentation '{"trees": "always", "augment": 0, "validate": 0}'
        train design trees_always '{"trees": "always", "validate": 0}'
        train design calibrated '{"trees": "never", "validate": 0}'
        train design by_design '{}'
        # The last one is analytic: the ablation goes on from it.
        for what in jittered no_augmentation trees_always calibrated by_design analytic; do
            echo "UPDATE memx_job SET predictor = '$what' WHERE cluster = 'mix20';"
            cat "$parts/judge.sql"
        done
        cat "$parts/ablation.sql"
    } | memx "$dir/db" >"$dir/log" || return 1
    "$BUILD/tests/accuracy/ablation" <"$dir/stages" >>"$dir/figures" || return 1
    sed "s/^/$1\t/" "$dir/figures" >"$scratch/figures.$1"
    rm -r "$dir"
    echo "accuracy: synthetic_mix20 seed $1 done" >&2
}

# train ROWS PREDICTOR OPTIONS
train() {
    echo 'DELETE FROM memx_profile;'
    echo ".read $1.sql"
    echo '.once /dev/null'
    echo "SELECT memx_train('$2', '$3');"
}

if [ "${1:-}" = --seed ]; then
    scratch=$2
    seed "$3"
    exit
fi

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# What to measure is the same for every seed: nothing is measured yet.
cp "$BUILD/demo.db" "$scratch/jobs.db" && "$BUILD/testbed" jobs | memx "$scratch/jobs.db" || exit 1
measure() { # JITTER
    echo '.mode tabs'
    echo "SELECT m.device, m.model, m.framework, m.layers, first_stage, last_stage, tp, dp, micro_batch,
        m.seq_length, m.heads, m.kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer
        FROM memx_job AS j, memx_measure(j.job, $1) AS m WHERE j.cluster = 'mix20';"
}
measure 0 | memx "$scratch/jobs.db" >"$scratch/design" || exit 1
rows=$(wc -l <"$scratch/design")
# As many, evenly picked.
measure 1 | memx "$scratch/jobs.db" |
    awk -v n="$rows" '{ line[NR] = $0 } END { for (i = 0; i < n; i++) print line[1 + int(i * NR / n)] }' \
        >"$scratch/jittered" || exit 1

# shellcheck disable=SC2086 # a list of words
printf '%s\n' $SEEDS | xargs -P 2 -n 1 tests/accuracy/synthetic_mix20.sh --seed "$scratch" || exit 1
cat "$scratch"/figures.* >"$scratch/figures"
{
    echo 'CREATE TABLE seen(seed INTEGER, what TEXT, metric TEXT, value REAL);'
    echo '.mode tabs'
    echo ".import $scratch/figures seen"
    cat "$parts/report.sql"
} | memx :memory:
