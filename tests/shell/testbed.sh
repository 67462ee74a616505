#!/usr/bin/env bash
# The generator of synthetic measurements: its bytes are the same everywhere, seeds differ, its noise is
# what it says, what it prints loads, and it knows the configurations that MemX prints.
set -euo pipefail
testbed=$BUILD/testbed
unset MEMX_TESTBED_SEED MEMX_TESTBED_QUIRKS MEMX_TESTBED_NOISE
cp "$DEMO_DB" "$TMP_DIR/testbed.db"
failed=0
shell() { $SQLITE3 -batch -bail -init /dev/null -cmd ".load $MEMX" "$TMP_DIR/testbed.db" "$@"; }

same() { # WHAT WANTED GOT
    if [ "$2" = "$3" ]; then
        echo "ok: $1"
    else
        echo "$1: wanted $2, got $3"
        failed=1
    fi
}

# Other sums where the testbed itself was changed; predictors' figures are then to be measured again.
"$testbed" records >"$TMP_DIR/records.sql"
"$testbed" configs >"$TMP_DIR/configs"
head -n 40 "$TMP_DIR/configs" | "$testbed" runs >"$TMP_DIR/runs.sql"
same 'bytes of records' '2692760975 5210290' "$(cksum <"$TMP_DIR/records.sql")"
same 'bytes of runs' '2300813931 39615' "$(cksum <"$TMP_DIR/runs.sql")"

differ() { # WHAT FILE FILE
    if cmp -s "$2" "$3"; then
        echo "$1: the same bytes"
        failed=1
    else
        echo "ok: $1"
    fi
}
MEMX_TESTBED_SEED=2 "$testbed" records >"$TMP_DIR/seed.sql"
differ 'another seed' "$TMP_DIR/records.sql" "$TMP_DIR/seed.sql"
head -n 40 "$TMP_DIR/configs" | MEMX_TESTBED_QUIRKS=0 "$testbed" runs >"$TMP_DIR/quirks.sql"
differ 'no quirks' "$TMP_DIR/runs.sql" "$TMP_DIR/quirks.sql"
same 'quirks are labelled' "synthetic testbed seed 1 quirks 0" \
    "$(grep -o 'synthetic [^'\'']*' "$TMP_DIR/quirks.sql" | sort -u)"

# Measured, and the truth beside it: row by row, in the same order.
"$testbed" jobs | shell
shell <"$TMP_DIR/records.sql"
shell "CREATE TABLE noisy AS SELECT * FROM memx_profile; DELETE FROM memx_profile"
MEMX_TESTBED_NOISE=0 "$testbed" records | shell
shell "CREATE TABLE truth AS SELECT * FROM memx_profile"
"$testbed" runs <"$TMP_DIR/configs" | shell
same 'records, labels' "36740|synthetic testbed seed 1" \
    "$(shell "SELECT count(*), max(source) FROM noisy WHERE source = 'synthetic testbed seed 1'")"
same 'runs, configurations' '1837|1628|36740' \
    "$(shell "SELECT count(*), count(DISTINCT job || config), (SELECT count(*) FROM memx_run_gpu) FROM memx_run")"
same 'devices, models' '3|5' "$(shell "SELECT count(DISTINCT device), count(DISTINCT model) FROM noisy")"
same 'models that are there' '' "$(shell "PRAGMA foreign_key_check(memx_profile)")"
same 'noise: no bias, 2 %, of reserved memory about half, of allocated a tenth' '0|2.0|1|0.2' \
    "$(shell "SELECT abs(avg(t)) > 0.1, round(sqrt(avg(t * t)), 1), sqrt(avg(r * r)) BETWEEN 0.8 AND 1.05, round(sqrt(avg(a * a)), 1)
      FROM (SELECT 100 * (n.time_ms / t.time_ms - 1) AS t, 100 * (n.reserved_mib / t.reserved_mib - 1) AS r,
              100 * (n.allocated_mib / t.allocated_mib - 1) AS a
            FROM noisy AS n JOIN truth AS t USING (id))")"
same 'reserved holds allocated' 0 "$(shell "SELECT count(*) FROM noisy WHERE reserved_mib < allocated_mib")"

# The records are the stages of the configurations, and each record is one GPU's.
same 'canonical configurations' 0 \
    "$(shell "SELECT count(*) FROM memx_run AS r, memx_predict(r.job, r.config) AS p WHERE p.config <> r.config")"
key='device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, heads, kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer'
same 'the stages that MemX sees' '36740' \
    "$(shell "WITH stages AS (SELECT DISTINCT $key FROM memx_run AS r, memx_stages(r.job, r.config) AS s)
      SELECT count(*) FROM noisy JOIN stages USING ($key)")"
shell "CREATE TABLE runs AS SELECT * FROM memx_run; DELETE FROM memx_run_gpu; DELETE FROM memx_run"

# Stages by list: the same truth. heads and kv_groups may be left out.
{
    shell -cmd '.mode tabs' "SELECT $key FROM truth WHERE id % 50 = 0"
    shell -cmd '.mode tabs' "SELECT ${key/heads, kv_groups/\'\', \'\'} FROM truth WHERE id % 50 = 1"
} | MEMX_TESTBED_NOISE=0 "$testbed" stages >"$TMP_DIR/stages.sql"
shell "DELETE FROM memx_profile"
shell <"$TMP_DIR/stages.sql"
same 'stages by list' '1469|1469' \
    "$(shell "SELECT count(*), sum((time_ms, allocated_mib, reserved_mib) IN
      (SELECT time_ms, allocated_mib, reserved_mib FROM truth)) FROM memx_profile")"

# Runs of what a search finds, of what does not fit, of a stage on two devices, of named nodes.
{
    shell -cmd '.mode tabs' "SELECT job, config, model, global_batch FROM memx_configs WHERE job = 'mix20' ORDER BY phi LIMIT 50"
    printf 'mix20\t%s\tllama2-7b\t256\n' \
        'tp1.dp4.mb16.seq4096/C-32GB*12:none,C-32GB*5:none,B-32GB*5:none,B-32GB*5:none,A100-SXM-80GB*5:none' \
        'tp2.dp2.mb1.seq4096/A100-SXM-80GB(2)|C-32GB(2)*16:full,B-32GB*16:full' \
        'tp4.dp1.mb1.seq4096.sp0.do0.kv8/C-32GB@4*6:none,C-32GB*6:block2,B-32GB@2*20:uniform3'
} | "$testbed" runs | shell
same 'runs by list, one of which runs out of memory' '53|1|52|52' \
    "$(shell "SELECT count(*), sum(oom), count(iteration_ms), (SELECT count(DISTINCT run) FROM memx_run_gpu) FROM memx_run")"

# lab6: other cards, nodes, network and framework.
lab6_run() { # KNOBS LEVEL STAGE...
    local stages
    stages=$(printf "%s*2:$2," "${@:3}")
    printf 'lab6\t%s/%s\tllama2-6layer\t64\n' "$1" "${stages%,}"
}
v100=V100-SXM2-16GB
{
    for level in none selective block1 full; do
        lab6_run tp2.dp1.mb2.seq2048 $level $v100 $v100 T4
        lab6_run tp2.dp1.mb1.seq1024.hd64.kv16 $level T4 $v100 $v100
        lab6_run tp1.dp2.mb4.seq1024 $level $v100 $v100 T4
    done
    lab6_run tp1.dp2.mb8.seq2048 none $v100 $v100 T4
} | "$testbed" runs >"$TMP_DIR/lab6.sql"
same 'bytes of runs on lab6' '3578411625 6273' "$(cksum <"$TMP_DIR/lab6.sql")"
shell "DELETE FROM memx_run_gpu; DELETE FROM memx_run"
shell <"$TMP_DIR/lab6.sql"
same 'runs on lab6, of which the large micro batch runs out of memory' '13|72|mb8' \
    "$(shell "SELECT count(*), (SELECT count(*) FROM memx_run_gpu), group_concat(substr(r.config, 9, 3)) FILTER (WHERE oom)
      FROM memx_run AS r, memx_predict(r.job, r.config) AS p WHERE p.config = r.config")"
same 'cards of 16 GB are filled by half and more' 1 \
    "$(shell "SELECT min(peak) > 8192 AND max(peak) BETWEEN 12288 AND 16384
      FROM (SELECT max(reserved_mib) + 4000 AS peak FROM memx_run_gpu GROUP BY run)")"

# Stages between others, without noise: NAME of the figures, then what differs.
shell "CREATE TABLE stage(name, ms REAL, mib REAL)"
stage() { # NAME DEVICE FRAMEWORK LAYERS TP DP HEADS GROUPS
    printf '%s\tllama2-7b\t%s\t%s\t0\t0\t%s\t%s\t2\t2048\t%s\t%s\tnone\t1\t0\t1\n' "${@:2}" |
        MEMX_TESTBED_NOISE=0 "$testbed" stages >"$TMP_DIR/one.sql"
    shell "DELETE FROM memx_profile"
    shell <"$TMP_DIR/one.sql"
    shell "INSERT INTO stage SELECT '$1', time_ms, allocated_mib FROM memx_profile"
}
holds() { # WHAT CONDITION: of ms('NAME') and mib('NAME')
    local condition
    condition=$(sed -E "s/(ms|mib)\(([a-z0-9_]+)\)/(SELECT \1 FROM stage WHERE name = '\2')/g" <<<"$2")
    same "$1" 1 "$(shell "SELECT $condition")"
}
stage v100 $v100 megatron-fp16 2 1 1 32 32
stage t4 T4 megatron-fp16 2 1 1 32 32
stage a100 A100-SXM-80GB megatron-fp16 2 1 1 32 32
stage bf16 A100-SXM-80GB megatron-bf16 2 1 1 32 32
stage fp16_dp2 A100-SXM-80GB megatron-fp16 2 1 2 32 32
stage bf16_dp2 A100-SXM-80GB megatron-bf16 2 1 2 32 32
stage heads $v100 megatron-fp16 2 1 1 64 64
stage groups $v100 megatron-fp16 2 1 1 32 16
stage five $v100 megatron-fp16 5 1 1 32 32
stage v100_tp2 $v100 megatron-fp16 2 2 1 32 32
stage v100_tp4 $v100 megatron-fp16 2 4 1 32 32
stage t4_tp2 T4 megatron-fp16 2 2 1 32 32
MEMX_TESTBED_QUIRKS=0 stage v100_cool $v100 megatron-fp16 2 1 1 32 32
MEMX_TESTBED_QUIRKS=0 stage t4_cool T4 megatron-fp16 2 1 1 32 32
holds 'A100 is 2 to 4 times as fast as V100, that 2 to 5 times as T4' \
    'ms(v100) / ms(a100) BETWEEN 2 AND 4 AND ms(t4) / ms(v100) BETWEEN 2 AND 5'
holds 'T4 throttles, V100 hardly' 'ms(t4) > 1.1 * ms(t4_cool) AND ms(v100) BETWEEN ms(v100_cool) AND 1.05 * ms(v100_cool)'
holds 'half a stage each takes more than half, on T4 by far: PCIe' \
    'ms(v100_tp2) > ms(v100) / 2 AND ms(t4_tp2) - ms(t4) / 2 > 3 * (ms(v100_tp2) - ms(v100) / 2)'
holds 'V100 reaches one other by a third of its links' 'ms(v100_tp4) - ms(v100) / 4 < ms(v100_tp2) - ms(v100) / 2'
holds 'five layers do not fit 16 GB' 'ms(v100) > 0 AND ms(five) IS NULL'
# Two layers of 202,383,360 parameters; 20 bytes each, and 18, or 4 + 16 / dp and 6 + 12 / dp.
holds 'a parameter takes two bytes more in fp16, with dp 2 as many' \
    'abs((mib(a100) - mib(bf16)) / (2 * 2 * 202383360 / 1048576.0) - 1) < 0.01 AND abs(mib(fp16_dp2) / mib(bf16_dp2) - 1) < 0.001'
holds 'more heads share the same width, half of the groups take less' \
    'mib(heads) / mib(v100) BETWEEN 1 AND 1.01 AND mib(groups) < 0.98 * mib(v100)'

refused() { # LINE COMMAND MESSAGE
    local got
    got=$(printf '%b\n' "$1" | "$testbed" $2 2>&1 >/dev/null || true)
    same "refused: $3" "testbed: $3" "$got"
}
stage='B-32GB\tllama2-7b\tmegatron-bf16\t4\t0\t0\t2\t1\t1\t4096\t\t\tnone\t1\t1\t0'
refused "${stage/B-32GB/B-33GB}" stages 'line 1: no such device here: B-33GB'
refused "${stage/llama2-7b/gpt}" stages 'line 1: no such model here: gpt'
refused "${stage/none/half}" stages 'line 1: no such recompute level: half'
refused "${stage%\\t*}" stages 'line 1: wrong number of fields'
refused "${stage/\\t4\\t/\\t0\\t}" stages 'line 1: cannot use this layers'
refused 'j\ttp1.dp1.mb1.seq9/B-32GB*31:none\tllama2-7b\t4' runs "line 1: the stages' layers are not the model's: llama2-7b"
refused 'j\ttp1.dp1.mb3.seq9/B-32GB*32:none\tllama2-7b\t4' runs 'line 1: dp * mb does not divide the batch'
refused 'j\ttp8.dp1.mb1.seq9/B-32GB*32:none\tllama2-7b\t4' runs 'line 1: a tensor parallel group on two nodes: B-32GB'
refused 'j\tnonsense\tllama2-7b\t4' runs 'line 1: not a configuration: nonsense'
refused "${stage/B-32GB/T4}" stages 'line 1: no bf16 on this device: T4'
refused "${stage/bf16/fp8}" stages 'line 1: no such framework here: megatron-fp8'
refused "${stage/\\t\\t\\t/\\t48\\t48\\t}" stages "line 1: heads do not divide the model's width"
refused 'j\ttp4.dp1.mb1.seq9/T4*6:none\tllama2-6layer\t4' runs 'line 1: a tensor parallel group on two nodes: T4'
refused 'j\ttp1.dp1.mb1.seq9/T4*3:none,B-32GB*3:none\tllama2-6layer\t4' runs 'line 1: cards of two clusters: B-32GB'
refused '' nothing 'say what: records, configs, stages, runs or jobs'
MEMX_TESTBED_NOISE=x refused '' jobs 'cannot use this MEMX_TESTBED_NOISE'

# It judges the model, so it may not know it.
if grep -nE '#[[:space:]]*include[[:space:]]*"' fixtures/*.[ch] | grep -v '"testbed'; then
    echo 'fixtures/ includes what is not its own'
    failed=1
fi
exit $failed
