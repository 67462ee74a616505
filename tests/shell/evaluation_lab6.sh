#!/usr/bin/env bash
# What tests/evaluation/lab6.sh prints: its form, the truth of one seed, and what must hold of picks.
set -euo pipefail
unset MEMX_TESTBED_QUIRKS MEMX_TESTBED_NOISE
SEEDS=101 tests/evaluation/lab6.sh >"$TMP_DIR/lines"
failed=0

value() { # WHAT WHO
    awk -F'\t' -v what="$1" -v who="$2" '$2 == what && $3 == who { print $4 }' "$TMP_DIR/lines"
}
same() { # WHAT WANTED GOT
    if [ "$2" = "$3" ]; then
        echo "ok: $1"
    else
        echo "$1: wanted $2, got $3"
        failed=1
    fi
}

same 'lines of other than seven fields, or without a value' 0 \
    "$(awk -F'\t' 'NF != 7 || $4 !~ /^-?[0-9.]+$/' "$TMP_DIR/lines" | wc -l)"
same 'claims, who, data' 'deployment memx synthetic,deployment memx_analytic synthetic,deployment paper published,deployment truth synthetic,levels paper published,levels truth synthetic,orders memx synthetic,orders memx_analytic synthetic,orders paper published,orders truth synthetic,own amp synthetic,own fasop synthetic,own hexiscale synthetic,own memx synthetic,own metis synthetic' \
    "$(cut -f1,3,6 "$TMP_DIR/lines" | tr '\t' ' ' | sort -u | paste -sd,)"
same 'a line for each claim, what and who' '' "$(cut -f1-3 "$TMP_DIR/lines" | sort | uniq -d)"

# Other figures where the testbed itself was changed.
while IFS='|' read -r what wanted; do
    same "truth, $what" "$wanted" "$(value "$what" truth)"
done <<'EOF'
fastest|3556
fastest: place by phi|32.0
pick|3984
pick: slower than the fastest|12.1
pick, own task|9052
time and phi|0.671
time and phi, own task|0.290
time and phi, mean over tasks|0.307
full-block: peak saved|6.2
full-block: time lost|13.3
full-uniform: peak saved|9.2
full-uniform: time lost|26.9
EOF

# Nothing is faster than the fastest; what was learned finds it, or what is about as fast.
for who in memx memx_analytic; do
    for task in '' ', own task'; do
        same "$who$task: not faster than the truth" 1 \
            "$(awk -v a="$(value "fastest$task" $who)" -v b="$(value "fastest$task" truth)" 'BEGIN { print (a >= b) }')"
    done
done
same 'memx: within 3 % of the fastest' 1 \
    "$(awk -v x="$(value 'fastest: slower than the fastest' memx)" 'BEGIN { print (x < 3) }')"
same 'memx orders time better than with nothing learned' 1 \
    "$(awk -v a="$(value 'time, predicted and true' memx)" -v b="$(value 'time, predicted and true' memx_analytic)" 'BEGIN { print (a > b) }')"
exit $failed
