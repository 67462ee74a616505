#!/usr/bin/env bash
# libFuzzer over tests/fuzz/fuzz.c for some seconds; `make fuzz` builds it and calls this. Prints runs, what they cover and
# findings as lines of name, value, unit, note; what is new is kept in BUILD/corpus, an input that fails in BUILD/found.
#
#   tests/fuzz.sh SECONDS
set -u
cd "$(dirname "$0")/.." || exit 1
BUILD=${BUILD:-build-fuzz}
mkdir -p "$BUILD/corpus" "$BUILD/found"
"$BUILD/tests/fuzz/fuzz" -max_total_time="${1:-600}" -max_len=4000 -timeout=60 -rss_limit_mb=4000 -print_final_stats=1 \
    -artifact_prefix="$BUILD/found/" "$BUILD/corpus" tests/fuzz/corpus >"$BUILD/fuzz.log" 2>&1
code=$?
figure() { sed -n "$1" "$BUILD/fuzz.log" | tail -1; }
printf 'fuzz.runs\t%s\tinputs\tin %s seconds; log: %s\n' "$(figure 's/^stat::number_of_executed_units: *//p')" "${1:-600}" "$BUILD/fuzz.log"
printf 'fuzz.covered\t%s\tedges\tof %s\n' "$(figure 's/.* cov: \([0-9]*\) .*/\1/p')" "$(figure 's/^INFO: Loaded .* (\([0-9]*\) .*counters).*/\1/p')"
printf 'fuzz.found\t%d\tinputs\tthat crash, leak or hang, in %s\n' "$(find "$BUILD/found" -type f | wc -l)" "$BUILD/found"
[ $code -eq 0 ] || tail -30 "$BUILD/fuzz.log"
exit $code
