#!/usr/bin/env bash
# The sentences in which the queries open_* and step* answer, as lines of claim, what, who, value, unit, data, note.
# Called by tests/evaluation.sh, from the top directory.
set -euo pipefail

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for query in open_recompute open_weights open_risk open_growth step1_state step2_rerank step3_tightest_stage step4_search; do
    cp "$BUILD/demo.db" "$scratch/db"
    memx -tabs -header "$scratch/db" <queries/$query.sql >"$scratch/out"
    # The answers stand in the column `answer`, `verdict` or `to_gain` of its last table that has one.
    awk -F '\t' -v query=$query -v OFS='\t' '
        { for (i = 1; i <= NF; i++) if ($i ~ /^(answer|verdict|to_gain)$/) { column = i; wide = NF; rows = 0; next } }
        column && NF == wide {
            of[rows] = (query ~ /^step1/ ? "run " : "") $1
            for (i = 2; i < column && query !~ /^step1/; i++) of[rows] = of[rows] ", " $i
            said[rows++] = $column
        }
        END {
            if (!rows) { print "no answer in " query > "/dev/stderr"; exit 1 }
            data = query ~ /risk|^step[12]/ ? "synthetic" : "predicted"
            for (i = 0; i < rows; i++)
                print query ~ /^open/ ? "open" : "steps", query ": " of[i], "memx", "", "", data, said[i]
        }' "$scratch/out"
done
