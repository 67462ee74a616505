#!/usr/bin/env bash
# The queries that import published measurements take all of them but what they name, and
# queries/evaluate.sql says of them what tests/accuracy.sh says.
set -eu
[ -n "${DATA_DIR:-}" ] || { echo "no measurements"; exit 77; }
for file in sailor/runs.csv sailor/metis_format vtrain/multi_node.csv; do
    [ -e "$DATA_DIR/$file" ] || { echo "no $DATA_DIR/$file"; exit 77; }
done
db=$TMP_DIR/jobs.db
cp "$DEMO_DB" "$db"
shell() { $SQLITE3 -batch -bail -init /dev/null -cmd ".load $MEMX" "$db"; }
import() { MEMX_IMPORT=$DATA_DIR/$2 shell <"queries/import_$1.sql"; }
cat >"$TMP_DIR/expected" <<'OUT'
memx_run||1010 of 1016 rows went in
6 stage 0 cuts a tensor parallel group of 16 between nodes
memx_profile|840 of 924 stages went in
memx_run|29 of 29 runs went in
memx_run_gpu|328 of 328 rows went in
21 26 layers, 34 are needed: not this model's
memx_profile|672 stages of 168 files went in, of 178 files
10 34 times, but memory of 35 layers
0
OUT
# Rows that are left out for the same reason are counted.
counted() { awk -F'|' '/^memx/ { print; next } { sub(/^.*: stage 0/, "stage 0", $NF); n[$NF]++ } END { for (w in n) print n[w], w }'; }
{
    import vtrain vtrain | counted
    import sailor sailor | counted
    import planner_json sailor/metis_format | counted
    echo "SELECT count(*) FROM memx_measured WHERE problem IS NOT NULL;" | shell
} >"$TMP_DIR/out"
diff "$TMP_DIR/expected" "$TMP_DIR/out"

# The same figures, computed by other means from the same files.
shell <queries/evaluate.sql >"$TMP_DIR/figures"
figure() { awk -F'|' -v set="$1" -v kind="$2" -v device="$3" -v what="$4" '$1 == set && $2 == kind && $3 == device && $4 == what { print $5, $6, $7, $10 }' "$TMP_DIR/figures"; }
# accuracy NAME PREFIX: rows, MAPE, greatest error, order, of tests/accuracy.sh.
tests/accuracy.sh vtrain_multi vtrain_single sailor_runs sailor_per_gpu >"$TMP_DIR/accuracy"
accuracy() {
    awk -F'\t' -v name="$1" -v kind="$2" '
        { v[$1] = $2 }
        END { p = kind == "peak" ? "peak_" : ""
              print v[name "." p "rows"], v[name "." kind "_mape"], v[name "." p "max_error"], v[name "." p "order_accuracy"] }' \
        "$TMP_DIR/accuracy"
}
same() { # SET KIND DEVICE FIGURE, NAME time|peak
    local here there
    here=$(figure "$1" "$2" "$3" "$4")
    there=$(accuracy "$5" "$6")
    [ -n "$here" ] && [ "$here" = "$there" ] || { echo "$1, $2, $4: evaluate '$here', accuracy '$there'"; failed=1; }
}
failed=0
same vtrain/multi_node.csv run A100-SXM-80GB time vtrain_multi.analytic time
same vtrain/single_node.csv run A100-SXM-80GB time vtrain_single.analytic time
same sailor/runs.csv run GH200-96GB time sailor_runs.analytic time
same sailor/runs.csv run GH200-96GB total sailor_runs.analytic peak
same sailor/runs_per_gpu.csv run GH200-96GB time sailor_per_gpu.analytic time
same sailor/runs_per_gpu.csv 'stage memory' GH200-96GB total sailor_per_gpu.analytic peak
same sailor/runs_per_gpu.csv 'stage memory' GH200-96GB reserved sailor_per_gpu.analytic_reserved peak
[ "$(awk -F'|' '$1 == "vtrain/multi_node.csv" { print $13 }' "$TMP_DIR/figures")" = '0.05 (1)' ] ||
    { echo "another noise floor"; failed=1; }
exit $failed
