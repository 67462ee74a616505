#!/usr/bin/env bash
# Times MemX and prints one figure a line, separated by tabs: name, value, unit, note. The note says
# what is measured and, where there is a target, whether it is met. `make bench` calls this.
#
# Every value is a median. A scan's speed is also given as a ratio to SQLite's own generate_series, over
# as many rows in the same shell, one after the other: that depends less on the machine.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

BUILD=${BUILD:-build}
MEMX=./$BUILD/memx
read -ra shell <<<"${SQLITE3:-sqlite3} -batch -bail -init /dev/null"
host=$BUILD/tests/bench/host

scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
db=$scratch/bench.db

die() { echo "tests/bench.sh: $*" >&2; exit 1; }

mkdir -p "$BUILD/tests/bench"
# shellcheck disable=SC2086,SC2046 # lists of words
${CC:-cc} -O2 -o "$host" tests/bench/host.c $(pkg-config --cflags sqlite3 2>/dev/null) \
    $(pkg-config --libs sqlite3 2>/dev/null || echo -lsqlite3) || die "tests/bench/host.c does not compile"
cp "$BUILD/demo.db" "$db" || die "no demo database"
"${shell[@]}" "$db" <tests/bench/space.sql || die "tests/bench/space.sql fails"

# ---- arithmetic ----

# median [COLUMN]: of the lines of standard input.
median() {
    sort -g -k "${1:-1},${1:-1}" | awk -v c="${1:-1}" '{ v[NR] = $c } END {
        if (NR == 0) exit 1
        printf "%.9g\n", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

calc() { awk "BEGIN { printf \"%.9g\", $1 }"; }

# figure NAME VALUE UNIT NOTE [most|least TARGET]
figure() {
    local note=$4
    [ -n "$2" ] || die "no figure $1"
    if [ $# -gt 4 ]; then
        local met='not met' words='at least'
        [ "$5" = most ] && words='at most'
        awk "BEGIN { exit !($2 $([ "$5" = most ] && echo '<=' || echo '>=') $6) }" && met=met
        note="$note; target $words $6: $met"
    fi
    # Three digits after the point, fewer where the number is large.
    awk -v n="$1" -v x="$2" -v unit="$3" -v note="$note" 'BEGIN {
        digits = x >= 1000 ? 0 : x >= 10 ? 1 : 3
        printf "%s\t%.*f\t%s\t%s\n", n, digits, x, unit, note }'
}

# ---- scans, in the shell ----

best='SELECT count(*), max(phi + 0) FROM memx_configs'
scan="FROM memx_configs WHERE job = 'mix20' AND space = 'bench' AND max_rows = 100000000"
four='SELECT max(iteration_ms + 0), max(peak_mib + 0), max(memory_variance + 0), max(phi + 0)'

rows=$("${shell[@]}" -cmd ".load $MEMX" "$db" "SELECT count(*) $scan") || die "no scan"
series="FROM generate_series(1, $rows)"
# The first statement reads the references, which phi needs once.
{
    echo "$best WHERE job = 'mix20';"
    echo '.timer on'
    for _ in 1 2 3 4 5; do
        echo ".print series_max"; echo "SELECT max(value + 0) $series;"
        echo ".print four";       echo "$four $scan;"
        echo ".print series";     echo "SELECT count(*) $series;"
        echo ".print count";      echo "SELECT count(*) $scan;"
    done
} >"$scratch/scan.sql"
"${shell[@]}" -cmd ".load $MEMX" "$db" <"$scratch/scan.sql" >"$scratch/scan.out" || die "no scan"
# seconds WHAT: of the statement under that heading.
seconds() {
    awk -v what="$1" '/^[a-z_]+$/ { at = $0 } /^Run Time/ && at == what { print $4 }' \
        "$scratch/scan.out" | median
}
s_four=$(seconds four) s_count=$(seconds count)
s_series_max=$(seconds series_max) s_series=$(seconds series)

figure scan_measures "$(calc "$rows / $s_four")" rows/s \
    "max() of iteration_ms, peak_mib, memory_variance and phi over $rows rows" least 3000000
figure scan_measures_ratio "$(calc "$s_series_max / $s_four")" ratio \
    'to the rows/s of SELECT max(value + 0) FROM generate_series'
figure scan_count "$(calc "$rows / $s_count")" rows/s "count(*) of the same rows"
figure scan_count_ratio "$(calc "$s_series / $s_count")" ratio \
    'to the rows/s of SELECT count(*) FROM generate_series'
figure series_max "$(calc "$rows / $s_series_max")" rows/s 'generate_series, the yardstick'
figure series_count "$(calc "$rows / $s_series")" rows/s 'generate_series, the yardstick'

# ---- the default space ----

# query TIMES SQL [SETUP]: milliseconds of each run in one process; load: in one process each.
query() { "$host" query "$MEMX" "$db" "$@" || die "no query"; }
repeat() { local n=$1; shift; for ((; n > 0; n--)); do "$@"; done; }

best="$best WHERE cluster = 'mix20'"
feasible=$("${shell[@]}" -cmd ".load $MEMX" "$db" \
    "SELECT count(*) FROM memx_configs WHERE cluster = 'mix20'") || die "no default space"
what="SELECT count(*), max(phi + 0) over the $feasible configurations of mix20's default space"
figure default_warm "$(query 51 "$best" | tail -n +2 | median)" ms "$what, again in one process" most 30
figure default_cold "$(repeat 15 query 1 "$best" | median)" ms 'the same, first in its process'
"$host" process 20 "${shell[@]}" -cmd ".load $MEMX" "$db" "$best" >"$scratch/fresh" || die "no shell"
figure default_process "$(median <"$scratch/fresh")" ms \
    'the same, the whole process of a fresh shell with .load' most 300
figure default_process_user "$(median 2 <"$scratch/fresh")" ms 'its user time'

# ---- ranked search of mix20's free space ----

free="FROM memx_configs WHERE cluster = 'mix20' AND space = 'free'"
count=$("${shell[@]}" -cmd ".load $MEMX" "$db" \
    "SELECT feasible_exact FROM memx_reference('mix20', 'free')") || die "no free space"
# fresh SQL: medians of whole processes of a fresh shell, milliseconds and peak MiB.
fresh() {
    "$host" process 9 "${shell[@]}" -cmd ".load $MEMX" "$db" "$1" >"$scratch/fresh_free" || die "no shell"
}
fresh "SELECT * $free ORDER BY phi LIMIT 10"
figure free_top10_process "$(median <"$scratch/fresh_free")" ms \
    "exact top 10 by phi of the $count configurations of mix20's space free, a whole fresh shell" most 100
figure free_top10_memory "$(median 3 <"$scratch/fresh_free")" MiB 'its peak'
for limit in 1 10 100 10000; do
    top="SELECT max(n) FROM (SELECT phi, row_number() OVER () AS n FROM (SELECT phi $free"
    figure "free_top$limit" "$(query 9 "$top ORDER BY phi LIMIT $limit))" | median)" ms \
        "top $limit by phi, again in one process"
    figure "free_top${limit}_bounded" \
        "$(query 9 "$top AND slowdown <= 1.1 ORDER BY phi LIMIT $limit))" | median)" ms \
        'the same with slowdown <= 1.1'
done
for order in iteration_ms peak_mib memory_variance; do
    figure "free_top10_$order" "$(query 9 "SELECT * $free ORDER BY $order LIMIT 10" | median)" ms \
        "top 10 by $order, again in one process"
done
figure free_front "$(query 5 "SELECT count(*) $free AND pareto = 1" | median)" ms 'pareto = 1 there'

# ---- ranked search of larger spaces, without SQLite ----

ranked=$BUILD/tests/bench/ranked
# shellcheck disable=SC2086,SC2046 # lists of words
${CC:-cc} -O2 -std=c11 -Iext -o "$ranked" tests/bench/ranked.c "$BUILD"/ext/core/*.o -lm ||
    die "tests/bench/ranked.c does not compile"
# large NAME NOTE TARGET GPUS TYPES LAYERS LEVELS BY K [SLOWDOWN [ORDER]]: milliseconds against a target
# (0: none), items looked at, and memory.
large() {
    local name=$1 note=$2 target=$3 words
    shift 3
    read -ra words <<<"$("$ranked" "$@")" || die "no $name"
    note="$note; ${words[3]} items in ${words[2]} boxes of ${words[1]} skeletons, ${words[4]} MiB"
    if [ "$target" = 0 ]; then
        figure "$name" "${words[0]}" ms "$note"
    else
        figure "$name" "${words[0]}" ms "$note" most "$target"
    fi
}
exponent() { "$ranked" "$@" count 0 | cut -d' ' -f1; }
c64="64 GPUs of three types, 80 layers, 10^$(exponent 64 3 80 3)"
for k in 1 10 100 10000; do
    large "c64_top$k" "top $k by phi, $c64" "$([ $k = 10 ] && echo 500 || echo 0)" 64 3 80 3 phi $k
    large "c64_top${k}_bounded" 'the same with slowdown <= 1.1 (its fastest included)' \
        "$([ $k = 10 ] && echo 2000 || echo 0)" 64 3 80 3 phi $k 1.1
done
for by in iteration peak variance; do
    large "c64_top10_$by" "top 10 by $by" 0 64 3 80 3 $by 10
done
large c64_nodes_top10 'top 10 by phi, every order of the nodes' 2000 64 3 80 3 phi 10 0 nodes
large c64_nodes_top10_bounded 'the same with slowdown <= 1.1' 15000 64 3 80 3 phi 10 1.1 nodes
c1024="1,024 GPUs of four types, 126 layers, 10^$(exponent 1024 4 126 3)"
large c1024_top10 "top 10 by phi, $c1024" 5000 1024 4 126 3 phi 10
large c1024_top10_bounded 'the same with slowdown <= 1.1' 0 1024 4 126 3 phi 10 1.1
large c1024_top10_iteration 'top 10 by iteration' 0 1024 4 126 3 iteration 10
for layers in 20 40 160; do large "c64_layers$layers" "$layers layers" 0 64 3 $layers 3 phi 10; done
for levels in 1 2 6 10; do large "c64_levels$levels" "$levels levels" 0 64 3 80 $levels phi 10; done
for types in 1 2 4; do large "c64_types$types" "$types types" 0 64 $types 80 3 phi 10; done
for gpus in 16 32 128 256; do
    large "gpus${gpus}_top10" "$gpus GPUs" 0 $gpus 3 80 3 phi 10
done

# ---- ProTrain ----

# The paper's search takes 60 ms on average; this one takes every micro batch in.
"${shell[@]}" -cmd ".load $MEMX" "$db" "
    INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('four3090', 12.5);
    INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('four3090', 0, 'RTX3090', 4);
    INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length)
    VALUES ('thirty', 30, 4096, 32, 32, 128, 11008, 32000, 1024);
    INSERT INTO memx_job(job, cluster, model, framework, global_batch, seq_length, reserve)
    VALUES ('protrain', 'four3090', 'thirty', 'deepspeed-fp16', 32, 1024, 0)" || die "no job for ProTrain"
protrain="FROM protrain_configs WHERE job = 'protrain'"
rows=$("${shell[@]}" -cmd ".load $MEMX" "$db" "SELECT count(*) $protrain AND max_rows = 1000000000") || die "no ProTrain"
what="the fastest of the $rows configurations of 30 blocks like LLaMA2-7B's on 4 RTX 3090"
figure protrain_search "$(query 15 "SELECT * $protrain ORDER BY iteration_ms LIMIT 1" | median)" ms "$what" most 60
figure protrain_search_cold "$(repeat 9 query 1 "SELECT * $protrain ORDER BY iteration_ms LIMIT 1" | median)" ms \
    'the same, first in its process'
figure protrain_top1000 "$(query 9 "SELECT max(n) FROM (SELECT row_number() OVER () AS n FROM (
    SELECT iteration_ms $protrain ORDER BY iteration_ms LIMIT 1000))" | median)" ms 'the fastest 1,000'
figure protrain_scan "$(calc "$rows / $(query 3 "SELECT max(iteration_ms + 0), max(gpu_peak_mib + 0) $protrain
    AND max_rows = 1000000000" | median) * 1000")" rows/s 'max() of iteration_ms and gpu_peak_mib over all of them'

# ---- learning ----

# The testbed's 36,740 synthetic records; memx_train's own clock.
learned=$scratch/learned.db
cp "$BUILD/demo.db" "$learned" && "$BUILD/testbed" jobs | "${shell[@]}" -cmd ".load $MEMX" "$learned" &&
    "$BUILD/testbed" records | "${shell[@]}" "$learned" || die "no records"
# train OPTIONS: the report.
train() { "${shell[@]}" -cmd ".load $MEMX" "$learned" "SELECT memx_train('bench', '$1')"; }
# told PATH: of the reports on standard input, one a line.
told() { sed "s/'/''/g;s/.*/SELECT json_extract('&', '\$.$1');/" | "${shell[@]}" :memory:; }
rows=$("${shell[@]}" "$learned" 'SELECT count(*) FROM memx_profile')
repeat 5 train '{"trees": "always", "augment": 0, "validate": 0}' >"$scratch/trained" || die "no training"
figure train "$(told seconds.fit <"$scratch/trained" | median)" s \
    "memx_train: constants and trees from $rows synthetic stages, neither interpolated nor held out" most 3
figure train_all "$(told seconds.all <"$scratch/trained" | median)" s \
    'the same with reading, report and storing'
augmented='SELECT count(*), count(time_ms), count(reserved_mib) FROM memx_augmented'
count=$("${shell[@]}" -cmd ".load $MEMX" "$learned" "$augmented") || die "no augmented rows"
figure train_augmentation "$(calc "$("$host" query "$MEMX" "$learned" 3 "$augmented" | median) / 1000")" s \
    "memx_augmented there: rows, with a time, with a peak: ${count//|/, }"
train '{"augment": 0}' >"$scratch/trained" || die "no validated training"
figure train_validation "$(told seconds.validation <"$scratch/trained")" s \
    'learning without each group of the same rows, at most 4,000 of them each time'

# ---- predictions ----

# Another job with the same stages finds every prediction made: what it saves is what they cost.
"${shell[@]}" "$learned" "UPDATE memx_job SET predictor = 'bench' WHERE job = 'mix20';
    INSERT INTO memx_job(job, cluster, model, framework, global_batch, predictor)
    SELECT 'again', cluster, model, framework, global_batch, predictor FROM memx_job WHERE job = 'mix20'" ||
    die "no second job"
{
    echo '.timer on'
    for job in mix20 again; do
        echo "SELECT max(phi + 0) FROM memx_configs WHERE job = '$job';"
        echo ".print made $job"
    done
    echo '.timer off'
    echo "SELECT 'predictions', count(*), sum(hits) FROM memx_cache;"
} >"$scratch/search.sql"
for _ in 1 2 3 4 5 6 7 8 9; do
    "${shell[@]}" -cmd ".load $MEMX" "$learned" <"$scratch/search.sql" || die "no learned search"
done >"$scratch/search.out"
made=$(awk -F'|' '$1 == "predictions" { print $2; exit }' "$scratch/search.out")
figure predictions_default "$made" rows 'stages of the default space of mix20 that a trained predictor is asked for, once each'
figure predictions_default_cost "$(awk '/^Run Time/ { t = $4 } /^made mix20/ { first = t }
    /^made again/ { print 1000 * (first - t) }' "$scratch/search.out" | median)" ms \
    'what they take of the first search: the same search of another job, less' most 100
figure search_learned_cold "$(awk '/^Run Time/ { t = $4 } /^made mix20/ { print 1000 * t }' \
    "$scratch/search.out" | median)" ms 'that first search, max(phi) over the default space'

# New predictions as a cluster grows (queries/cache_growth.sql).
"${shell[@]}" -cmd ".load $MEMX" -cmd '.headers off' -cmd '.mode tabs' "$db" <queries/cache_growth.sql \
    >"$scratch/growth" || die "no growth"
while IFS=$'\t' read -r step configurations known made reused; do
    [ -n "$made" ] || continue
    figure "growth_${step//-/_}" "$made" rows \
        "new predictions for $configurations configurations, $known known before, asked for again $reused times"
done <"$scratch/growth"

# ---- loading ----

shell_ms() { "$host" process 30 "${shell[@]}" "$@" || die "no shell"; }
figure load "$(repeat 20 "$host" load "$MEMX" | median)" ms \
    'sqlite3_load_extension in a fresh process' most 15
with=$(shell_ms -cmd ".load $MEMX" :memory: 'SELECT 1' | median)
without=$(shell_ms :memory: 'SELECT 1' | median)
figure load_shell "$(calc "$with - $without")" ms \
    "a shell with .load less one without ($without ms)" most 15
figure load_init "$(shell_ms -cmd ".load $MEMX" :memory: 'SELECT memx_init()' | median)" ms \
    'a whole shell with .load and memx_init() in memory'

# ---- single configurations ----

keys="CREATE TEMP TABLE k AS SELECT row_number() OVER () AS n, job, config FROM memx_configs
      WHERE cluster = 'mix20'; DELETE FROM k WHERE n % 29 <> 0"
count=$((feasible / 29))
per_second() { calc "$count / ($(query 5 "$1" "$keys" | median) / 1000)"; }
figure key_lookup "$(per_second "SELECT max(c.iteration_ms + 0) FROM k CROSS JOIN memx_configs AS c
    WHERE c.job = k.job AND c.config = k.config")" rows/s \
    "memx_configs by (job, config), joined to $count keys"
figure predict "$(per_second "SELECT max(p.iteration_ms + 0), max(p.peak_mib + 0)
    FROM k CROSS JOIN memx_predict(k.job, k.config) AS p")" rows/s \
    "memx_predict joined to $count keys, iteration_ms and peak_mib"
figure predict_phi "$(per_second "SELECT max(p.phi + 0)
    FROM k CROSS JOIN memx_predict(k.job, k.config) AS p")" rows/s 'the same, phi'
reference="SELECT iteration_ms FROM memx_reference WHERE job = 'mix20'"
figure reference_cold "$(repeat 15 query 1 "$reference" | median)" ms \
    'memx_reference of the default space, first in its process'
figure reference_free_cold "$(repeat 7 query 1 "$reference AND space = 'free'" | median)" ms \
    'memx_reference of the space free (65,536 samples), first in its process'

# ---- memory ----

figure memory_shell "$(shell_ms :memory: 'SELECT 1' | median 3)" MiB 'peak of a shell without MemX'
figure memory_load "$(shell_ms -cmd ".load $MEMX" :memory: 'SELECT 1' | median 3)" MiB \
    'peak with .load'
figure memory_default "$(median 3 <"$scratch/fresh")" MiB "peak of default_process"
figure memory_scan "$("$host" process 1 "${shell[@]}" -cmd ".load $MEMX" "$db" "$four $scan" |
    median 3)" MiB 'peak of a shell that does scan_measures once'
