#!/usr/bin/env bash
# Sets the other planners' own costs and choices (queries/planner_cost) beside MemX's, on the synthetic
# measurements of mix20 (fixtures/testbed.c), and prints one figure a line, separated by tabs:
#
#   planners.PROFILE.WHO.METRIC   value   unit   note
#
# `make evaluation` builds what is needed and calls this. For each of SEEDS, other hidden values. PROFILE is what
# planners and MemX know of a stage: `analytic`, data sheets through MemX's analytic model, or `measured`, that
# after memx_train() on what memx_measure proposes for the job, measured by the testbed with its noise.
# HexiScale takes data sheets in both. The truth is the testbed's without noise, of every layout of AMP with even
# layers, with layers by FLOPS and by memory (those of them that run are the set of all), and of MemX's 100
# fastest by either profile. WHO is a planner; `hexiscale_by_memory` shares layers as HexiScale's public code
# does; for `memx` the pick is the fastest of the default space. METRIC:
#
#   own_mape, own_spearman   error and rank correlation of its cost over those of its configurations that run
#   all_mape, all_spearman   the same over the set of all, whoever's they are
#   first                    true time of its own first pick above the least that the testbed ran; of the seeds
#                            in which it runs
#   out_of_memory            seeds in which that pick does not; on which device, the note says
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

BUILD=${BUILD:-build}
read -ra shell <<<"${SQLITE3:-sqlite3} -batch -bail -init /dev/null"
SEEDS=${SEEDS:-101 102 103 104}

memx() { "${shell[@]}" -cmd ".load ./$BUILD/memx" "$@"; }
die() { echo "tests/evaluation.sh: $*" >&2; exit 1; }

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# What is measured is the same for every seed: nothing is known yet.
cp "$BUILD/demo.db" "$scratch/db" || die "no demo database"
memx -tabs "$scratch/db" "SELECT device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch,
    seq_length, heads, kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer
    FROM memx_measure('mix20')" >"$scratch/design" || die "memx_measure fails"

for seed in $SEEDS; do
    export MEMX_TESTBED_SEED=$seed
    cp "$BUILD/demo.db" "$scratch/db" &&
        "$BUILD/testbed" stages <"$scratch/design" >"$scratch/stages.sql" || die "the testbed fails"
    {
        echo ".read $scratch/stages.sql"
        echo '.output /dev/null'
        echo "SELECT memx_train('measured');"
        echo '.read tests/evaluation/listed.sql'
        echo ".output $scratch/configs"
        echo '.mode tabs'
        echo 'SELECT job, config, model, global_batch FROM listed JOIN memx_job USING (job) ORDER BY config;'
    } | memx "$scratch/db" || die "seed $seed: what to run cannot be listed"
    MEMX_TESTBED_NOISE=0 "$BUILD/testbed" runs <"$scratch/configs" |
        sed 's/memx_run/truth/g' >"$scratch/truth.sql" || die "the testbed fails"
    {
        echo 'CREATE TABLE truth(id INTEGER PRIMARY KEY, job, config, iteration_ms REAL, oom, source);'
        echo 'CREATE TABLE truth_gpu(run, rank, allocated_mib REAL, reserved_mib REAL);'
        echo ".read $scratch/truth.sql"
        for profile in analytic measured; do
            echo "UPDATE memx_job SET predictor = '$profile' WHERE job = 'mix20';"
            cat tests/evaluation/planners.sql
        done
    } | memx "$scratch/db" | sed "s/^/$seed	/" >>"$scratch/figures" || die "seed $seed fails"
done

{
    echo 'CREATE TABLE seen(seed, profile, who, metric, value REAL, note);'
    echo '.mode tabs'
    echo ".import $scratch/figures seen"
    cat tests/evaluation/report.sql
} | memx :memory:
