#!/usr/bin/env bash
# The MemX paper's deployment on lab6 (4 V100, 2 T4, a model of 6 layers, 226 measured configurations), done again
# on the testbed's synthetic cards (fixtures/testbed.c): data sheets and hidden values, none of which was fitted to
# the paper's figures. Prints lines of seven fields, separated by tabs:
#
#   claim  what  who  value  unit  data  note
#
# claim  deployment  the fastest, and the pick, which has the least phi under the weights `safe`: true time, true
#                    variance, how much slower than the truly fastest, place by true time and by true phi
#        orders      rank correlations over the configurations that run
#        levels      medians over pairs of configurations that differ in the recompute level alone
#        own     the first of each planner's own space by its own cost, layers as it likes, its profile predicted after
#                memx_train() (queries/planner_cost); MemX's are the fastest and the least phi of its default space
# who    paper  as printed;  truth  by the testbed without noise;  memx  what was predicted after memx_train() on what
#        memx_measure proposes, measured by the testbed with noise;  memx_analytic  what was, with nothing learned
# data   published, or synthetic: the mean over SEEDS, other hidden values each (of these cards' speeds; what they
#        hold is the same for every seed)
#
# The configurations are 264, of which 254 run: V100 before T4, two layers a stage or one, every tp, pp and dp, micro
# batch 1, 2 or 4, sequence length 1024 or 2048, 32 or 64 heads, 16 or 32 groups, one level for all stages. MemX's
# space leaves out `selective`, which saves next to nothing under fused attention; the testbed runs it all the same.
#
# Lengths, heads and groups other than the job's change what is trained: `own task` is without them, `mean over
# tasks` is of the eight such tasks, each by itself. An iteration is 64 sequences of whatever length, so a shorter
# one is less work; `by token` is with time over the length.
#
# The paper does not say which layers full-block recomputes. Here it is block1, the first of each stage (Megatron-LM:
# --recompute-method block --recompute-num-layers 1), half of a stage of two layers, as its saving is about half of
# full-uniform's. full-uniform is `full`: all layers, one at a time. Pairs are of stages of two layers: on one layer
# these are the same. Peak and variance are of all that a card holds, the driver's context with it.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

BUILD=${BUILD:-build}
read -ra shell <<<"${SQLITE3:-sqlite3} -batch -bail -init /dev/null"
SEEDS=${SEEDS:-101 102 103}
parts=tests/evaluation/lab6

memx() { "${shell[@]}" -cmd ".load ./$BUILD/memx" "$@"; }
die() { echo "tests/evaluation/lab6.sh: $*" >&2; exit 1; }

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# What runs and what is measured is the same for every seed: nothing is known yet.
cp "$BUILD/demo.db" "$scratch/lab6.db" || die "no demo database"
{
    echo ".cd \"$scratch\""
    cat "$parts/listed.sql"
} | memx "$scratch/lab6.db" || die "what to run cannot be listed"

for seed in $SEEDS; do
    export MEMX_TESTBED_SEED=$seed
    cp "$scratch/lab6.db" "$scratch/db" &&
        "$BUILD/testbed" stages <"$scratch/design" >"$scratch/stages.sql" || die "the testbed fails"
    {
        echo ".read \"$scratch/stages.sql\""
        echo "SELECT memx_train('memx');"
        echo "UPDATE memx_job SET predictor = 'memx' WHERE job = 'lab6';"
        cat "$parts/own.sql"
    } | memx "$scratch/db" >"$scratch/first_fives" || die "seed $seed: the planners fail"
    memx -tabs "$scratch/db" "SELECT job, config, 'llama2-6layer', 64 FROM own EXCEPT SELECT job, config, 'llama2-6layer', 64 FROM listed" |
        cat "$scratch/configs" - | MEMX_TESTBED_NOISE=0 "$BUILD/testbed" runs |
        sed 's/memx_run/truth/g' >"$scratch/truth.sql" || die "the testbed fails"
    {
        echo 'CREATE TABLE truth(id INTEGER PRIMARY KEY, job, config, iteration_ms REAL, oom, source);'
        echo 'CREATE TABLE truth_gpu(run, rank, allocated_mib REAL, reserved_mib REAL);'
        echo ".read \"$scratch/truth.sql\""
        cat "$parts/judge.sql"
    } | memx "$scratch/db" | sed "s/^/$seed	/" >>"$scratch/figures" || die "seed $seed fails"
done

{
    echo 'CREATE TABLE seen(seed, claim, what, who, value REAL, unit, note);'
    echo '.mode tabs'
    echo ".import \"$scratch/figures\" seen"
    cat "$parts/report.sql"
} | memx :memory:
