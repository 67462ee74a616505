#!/usr/bin/env bash
# Sets the other planners' own costs and choices (queries/planner_cost) beside MemX's, on the synthetic
# measurements of fixtures/testbed.c, and prints a figure a line, seven fields between tabs:
#
#   claim   what   who   value   unit   data   note
#
# data: `synthetic`, or `published` for what the MemX paper says, of its own cluster, of itself (who: paper) and of
# others (paper_metis). For each of SEEDS, other hidden values of the cards. What planners and MemX know of a stage
# is its profile: `analytic`, data sheets through MemX's analytic model, or `measured`, that after memx_train() on
# what memx_measure proposes for job mix20, measured by the testbed with its noise. HexiScale takes data sheets in
# both. The truth is the testbed's without noise.
#
#   errors_20   cost against true time, over all planners' configurations that run (`all`: AMP's layouts with even
#               layers, layers by FLOPS, by memory, no recompute), over each one's own, for MemX also over a
#               `sample` of its default space, with recompute
#   orders_20   rank correlation of costs with true time and with true phi (weights `default`), on `all`. memx_phi:
#               MemX's predicted phi; true_time: what knowing time perfectly would give
#   first_20    the first choice of each: true time and phi above the least of all that ran, whether it is the least,
#               and where it runs out of memory. memx, memx_phi, memx_within: the fastest, the best phi, the best phi
#               at most 10 % slower than the fastest, of the default space; memx_free, memx_free_phi: of the free one.
#               top1: as the paper has it, the first of the same configurations for all
#   *_40, *_60  the same for WIDE_SEEDS on two and three times mix20's nodes, with the model as much longer: each
#               stage of a 20-GPU configuration is there two or three times (`all`), the predictor still that of 20
#               GPUs. First choices are of the whole of their spaces
#   never_worse planners' first choices that fit against MemX's of the free space: cases in which they are faster, or
#               less in phi, by MemX's prediction (0, as long as its search is exact) and in truth
#
# `hexiscale_by_memory` shares layers as HexiScale's public code does. FaSOP is AMP less what does not fit.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

BUILD=${BUILD:-build}
read -ra shell <<<"${SQLITE3:-sqlite3} -batch -bail -init /dev/null"
SEEDS=${SEEDS:-101 102 103 104}
WIDE_SEEDS=${WIDE_SEEDS-101 102}
parts=tests/evaluation

memx() { "${shell[@]}" -cmd ".load ./$BUILD/memx" "$@"; }
die() { echo "tests/evaluation/planners.sh: $*" >&2; exit 1; }

stage_columns='device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, heads,
    kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer'

# seed N: the figures of one seed, into its file.
seed() {
    local dir=$scratch/$1 asked="('mix20')"
    case " $WIDE_SEEDS " in *" $1 "*) asked="('mix20'), ('mix40'), ('mix60')" ;; esac
    export MEMX_TESTBED_SEED=$1
    mkdir "$dir" && cp "$scratch/base.db" "$dir/db" &&
        "$BUILD/testbed" stages <"$scratch/design" >"$dir/stages.sql" || return 1
    {
        echo ".read \"$dir/stages.sql\""
        echo '.once /dev/null'
        echo "SELECT memx_train('measured');"
        echo "UPDATE memx_job SET predictor = 'measured' WHERE job LIKE 'mix%';"
        echo 'CREATE TEMP TABLE asked(job TEXT PRIMARY KEY);'
        echo "INSERT INTO asked VALUES $asked;"
        echo ".read \"$parts/planners_profile.sql\""
        echo '.mode tabs'
        echo 'SELECT job, config, model, global_batch FROM planned JOIN asked USING (job) JOIN memx_job USING (job);'
    } | memx "$dir/db" >"$dir/configs" || return 1
    MEMX_TESTBED_NOISE=0 "$BUILD/testbed" runs <"$dir/configs" | sed 's/memx_run/truth/g' >"$dir/truth.sql" || return 1
    # Which stages of first choices run out of memory.
    {
        echo ".read \"$dir/truth.sql\""
        echo 'CREATE TABLE full AS SELECT t.job, t.config, s.* FROM truth AS t, memx_stages(t.job, t.config) AS s
              WHERE oom AND t.config IN (SELECT config FROM first) ORDER BY t.id, s.stage;'
        echo '.mode tabs'
        echo "SELECT $stage_columns FROM full ORDER BY rowid;"
    } | memx "$dir/db" >"$dir/full" || return 1
    MEMX_TESTBED_NOISE=0 "$BUILD/testbed" stages <"$dir/full" | sed 's/memx_profile/full_stage/' >"$dir/full.sql" ||
        return 1
    {
        echo "CREATE TABLE full_stage($stage_columns, time_ms, allocated_mib, reserved_mib, source);"
        echo ".read \"$dir/full.sql\""
        echo 'DELETE FROM full WHERE (SELECT time_ms FROM full_stage AS f WHERE f.rowid = full.rowid) IS NOT NULL;'
        cat "$parts/planners_judge.sql"
    } | memx "$dir/db" | sed "s/^/$1\t/" >"$scratch/figures.$1" || return 1
    rm -r "$dir"
}

if [ "${1:-}" = --seed ]; then
    scratch=$2
    seed "$3" || die "seed $3 fails"
    exit
fi

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# What is measured is the same for every seed: nothing is known yet.
cp "$BUILD/demo.db" "$scratch/base.db" || die "no demo database"
memx -tabs "$scratch/base.db" "SELECT $stage_columns FROM memx_measure('mix20')" >"$scratch/design" ||
    die "memx_measure fails"
memx "$scratch/base.db" <"$parts/planners_base.sql" || die "what is the same for all seeds fails"

# shellcheck disable=SC2086 # a list of words
printf '%s\n' $SEEDS | xargs -P 2 -n 1 "$parts/planners.sh" --seed "$scratch" || exit 1
cat "$scratch"/figures.* >"$scratch/figures"
{
    echo 'CREATE TABLE seen(seed INTEGER, claim TEXT, what TEXT, who TEXT, value REAL, note TEXT);'
    echo '.mode tabs'
    echo ".import \"$scratch/figures\" seen"
    cat "$parts/planners_report.sql"
} | memx :memory:
