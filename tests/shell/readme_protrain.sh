#!/usr/bin/env bash
# README.md's section on ProTrain shows what its two queries print.
set -eu
fail() { echo "$*"; exit 1; }
awk '/^## ProTrain/ { on = 1; print; next } /^## / { on = 0 } on' README.md | sed 's/\*\*//g' >"$TMP_DIR/section"

# Seconds of the three searches, in a row of the table, for every job with 10 % free.
jobs=0
while IFS='|' read -r job free recompute protrain host _; do
    [ "$free" = '10 %' ] || continue
    [ "$recompute" != - ] || recompute='nothing fits'
    grep -qF "| $recompute | $protrain | $host " "$TMP_DIR/section" || fail "$job: $recompute, $protrain, $host"
    jobs=$((jobs + 1))
done <tests/queries/joint_host.expected
[ $jobs -eq 6 ] || fail "$jobs jobs, six are shown"
answer=$(sed -n 's/.*of \([0-9]*\) cases.*fastest of the three in \([0-9]*\), by up to \([0-9]*\) %.*ProTrain alone in \([0-9]*\) .*/\1 \2 \3 \4/p' \
    tests/queries/joint_host.expected)
said=$(tr '\n' ' ' <"$TMP_DIR/section" |
    sed 's/.*of \([0-9]*\) cases .* fastest in \([0-9]*\), by up to \([0-9]*\) %, and ProTrain in the \([0-9]*\) of.*/\1 \2 \3 \4/')
[ "$answer" = "$said" ] || fail "who is ahead: $answer, not $said"

# The paper's figures that stand alone, with one decimal or three digits.
shown() { # FIGURE MACHINE FORMAT
    awk -F'|' -v f="$1" -v m="$2" -v format="$3" '$1 == f && $2 == m { printf format, $4 }' tests/queries/protrain_paper.expected
}
for figure in 'largest model, ProTrain:1x3090:%.1f' 'largest model, ProTrain:1xA100:%.1f' 'largest model, ProTrain:4xA100:%.1f' \
    'largest model, DeepSpeed:1x3090:%.1f' 'largest model, DeepSpeed:4xA100:%.1f' 'mean speed-up over DeepSpeed:4xA100:%.2f' \
    '1 to 4 GPUs, paper-gpt2-10b:4x3090:%.2f' '1 to 4 GPUs, paper-llama-34b, most:4xA100:%.2f' \
    'peak that hooks miss, paper-gpt2-10b, batch 16:4x3090:%.1f'; do
    IFS=: read -r name machine format <<<"$figure"
    value=$(shown "$name" "$machine" "$format")
    [ -n "$value" ] || fail "protrain_paper.sql prints no $name of $machine"
    grep -qF -- "$value" "$TMP_DIR/section" || fail "$name, $machine: $value is not shown"
done
