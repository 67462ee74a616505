#!/usr/bin/env bash
# What a search costs, beside the MemX paper's figures; see search_cost.sql. Prints its lines. Called by
# tests/evaluation.sh, from the top directory.
set -euo pipefail

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cp "$BUILD/demo.db" "$scratch/db"
memx -tabs "$scratch/db" "CREATE TABLE launch AS SELECT * FROM memx_measure('mix20');
    SELECT device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, heads, kv_groups,
           recompute, in_flight, sequence_parallel, distributed_optimizer FROM launch" |
    "$BUILD/testbed" stages >"$scratch/stages.sql"
{
    echo '.output /dev/null'
    echo ".read \"$scratch/stages.sql\""
    sed '/^\.mode tabs/i .output' tests/evaluation/search_cost.sql
} | memx "$scratch/db"
