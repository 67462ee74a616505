#!/usr/bin/env bash
# How the search grows with the cluster: the exact top ten by phi of every split of 126 layers with three levels a stage,
# on 64 to 16,384 synthetic accelerators of 1, 4 and 8 types (tests/bench/ranked.c). Lines of name, value, unit, note,
# separated by tabs; `make growth` calls this.
#
#   growth.GPUS.TYPES     milliseconds of one core in a fresh process, with the skeletons (degrees times device orders), the boxes and
#                         items that were looked at, and the memory that it took
#   growth.count...       the same for counting all configurations, which the reference of phi does once a connection
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build}
ranked=$BUILD/tests/bench/ranked
mkdir -p "$BUILD/tests/bench"
${CC:-cc} -O2 -std=c11 -Iext -o "$ranked" tests/bench/ranked.c "$BUILD"/ext/core/*.o -lm || exit 1

for model in 126 405b; do
    [ $model = 126 ] && name='126 layers of hidden 4096' || name='Llama 3.1 405B'
    for gpus in 64 256 1024 4096 16384; do
        [ $model = 405b ] && [ $gpus -lt 1024 ] && continue
        for types in 1 4 8; do
            read -r ms skeletons boxes items mib _ <<<"$("$ranked" $gpus $types $model 3 phi 10)"
            read -r exponent count_ms <<<"$("$ranked" $gpus $types $model 3 count 0)"
            printf 'growth.%s.%d.%d\t%.0f\tms\t%s: %d skeletons, %d boxes, %d items, %.0f MiB\n' \
                $model $gpus $types "$ms" "$name" "$skeletons" "$boxes" "$items" "$mib"
            printf 'growth.count.%s.%d.%d\t%d\tms\t%s: 10^%s configurations\n' $model $gpus $types $count_ms "$name" "$exponent"
        done
    done
done
