#!/usr/bin/env bash
# queries/import_planner_json.sql: files of both spellings, and every reason to leave one out.
set -eu
db=$TMP_DIR/jobs.db
cp "$DEMO_DB" "$db"
folder=$TMP_DIR/profiles
mkdir -p "$folder/llama2-6layer/T4"
# file NAME MODEL TIMES: with as much memory as times.
file() {
    printf '{"model": {"model_name": "%s"}, "execution_time": {"layer_compute_total_ms": [%s]},
             "execution_memory": {"layer_memory_total_mb": [%s]}}' "$2" "$3" "${4:-$3}" >"$folder/$1"
}
good=1,120,101,100,100,99,100,20
file llama2-6layer/T4/mbs1_tmp2.json llama2-6layer $good
file DeviceType.V100_tp4_bs2.json llama2-6layer $good
file a.json llama2-6layer $good
file DeviceType.V100_tp1_bs1.json llama2-6layers $good
file DeviceType.V100_tp1_bs2.json llama2-6layer 1,100,100
file DeviceType.V100_tp1_bs3.json llama2-6layer '1,120,101,"NaN",100,99,100,20'
file DeviceType.V100_tp1_bs4.json llama2-6layer 0,0,0,0,0,0,0,0
file DeviceType.V100_tp1_bs5.json llama2-6layer $good 1,2
file DeviceType.V101_tp1_bs6.json llama2-6layer $good
echo '{"model":' >"$folder/b.json"
echo '{}' >"$folder/c.json"
import() {
    MEMX_IMPORT=$folder MEMX_FRAMEWORK=megatron-fp16 $SQLITE3 -batch -bail -init /dev/null -cmd ".load $MEMX" "$db" \
        <queries/import_planner_json.sql 2>&1
}
cat >"$TMP_DIR/expected" <<'OUT'
memx_profile|8 stages of 2 files went in, of 11 files
DeviceType.V100_tp1_bs1.json|no model 'llama2-6layers'; insert it into memx_model
DeviceType.V100_tp1_bs2.json|3 times, 8 are needed
DeviceType.V100_tp1_bs3.json|a time is no number from 0
DeviceType.V100_tp1_bs4.json|the times add up to 0
DeviceType.V100_tp1_bs5.json|8 times, but memory of 2 layers
DeviceType.V101_tp1_bs6.json|no device 'V101'; nearest: V100, A10, A10G; or insert it into memx_device, another name of a card into memx_alias
a.json|the name says no tp and micro batch
b.json|no JSON
c.json|no model.model_name
V100|4|2|6|1|1|641.0|profiles: DeviceType.V100_tp4_bs2.json, whole
V100|4|2|1|0|0|100.0|profiles: DeviceType.V100_tp4_bs2.json, one layer
V100|4|2|1|1|0|121.0|profiles: DeviceType.V100_tp4_bs2.json, first
V100|4|2|1|0|1|120.0|profiles: DeviceType.V100_tp4_bs2.json, last
T4|2|1|6|1|1|641.0|profiles: llama2-6layer/T4/mbs1_tmp2.json, whole
T4|2|1|1|0|0|100.0|profiles: llama2-6layer/T4/mbs1_tmp2.json, one layer
T4|2|1|1|1|0|121.0|profiles: llama2-6layer/T4/mbs1_tmp2.json, first
T4|2|1|1|0|1|120.0|profiles: llama2-6layer/T4/mbs1_tmp2.json, last
memx_profile|0 stages of 0 files went in, of 11 files
OUT
{
    import
    $SQLITE3 -batch -init /dev/null "$db" "SELECT device, tp, micro_batch, layers, first_stage, last_stage, time_ms, source
        FROM memx_profile ORDER BY id"
    import | head -n 1
} >"$TMP_DIR/out" || true
diff "$TMP_DIR/expected" "$TMP_DIR/out"
