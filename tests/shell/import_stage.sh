#!/usr/bin/env bash
# queries/import_megatron_stage.sql: logs of runs with memx_measure's flags go into memx_profile, and are not asked
# for again.
set -eu
failed=0
db=$TMP_DIR/jobs.db
logs=$TMP_DIR/logs
cp "$DEMO_DB" "$db"
mkdir "$logs"
import() { MEMX_IMPORT=${1-$logs} $SQLITE3 -batch -bail -init /dev/null -cmd ".load $MEMX" "$db" <queries/import_megatron_stage.sql 2>&1; }
ask() { $SQLITE3 -batch -bail -init /dev/null -cmd ".load $MEMX" "$db" "$1" 2>&1; }
same() { # WHAT EXPECTED FOUND
    [ "$2" = "$3" ] && return
    echo "$1:"
    diff <(echo "$2") <(echo "$3") || true
    failed=1
}
# log FLAGS GPUS MS MIB: what Megatron-LM prints with these flags, MS for a micro batch, MIB on every fourth rank.
log() {
    local words name i=0 rank micro_batches
    read -ra words <<<"$1"
    echo '------------------------ arguments ------------------------'
    printf '  %s ................ %s\n' world_size "$2" sequence_parallel False use_distributed_optimizer False
    while [ $i -lt ${#words[@]} ]; do
        name=${words[i]#--}
        i=$((i + 1))
        case ${words[i]:---} in
        --*) printf '  %s ................ True\n' "${name//-/_}" ;;
        *)
            printf '  %s ................ %s\n' "${name//-/_}" "${words[i]}"
            i=$((i + 1))
            ;;
        esac
    done
    micro_batches=$(sed -nE 's/.*--global-batch-size ([0-9]+).*/\1/p' <<<"$1")
    [ "$3" = oom ] && { echo 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.'; return; }
    for i in 1 2 3 4; do
        echo " iteration        $i/      20 | elapsed time per iteration (ms): 9000.0 | global batch size: $micro_batches |"
        [ $i -gt 1 ] || for ((rank = 0; rank < $2; rank++)); do
            echo "[Rank $rank] (after 1 iterations) memory (MB) | allocated: 1.5 | max allocated: $(($4 + rank)).5 | reserved: 9.0 | max reserved: $(($4 + rank + 50)).0"
        done
        echo '(min, max) time across ranks (ms):'
        echo "    forward-compute ................................: (1.00, $3)"
        echo "    backward-compute ...............................: (2.00, $((2 * $3)).00)"
    done
}
export MEMX_DEVICE=B-32GB MEMX_MODEL=llama2-7b
before=$(ask "SELECT count(*) FROM memx_measure('mix20')")
whole="first_stage + last_stage = 2 AND dp = 1 AND device = 'B-32GB'"
one=$(ask "SELECT flags FROM memx_measure('mix20') WHERE $whole AND recompute = 'full' AND tp = 2 LIMIT 1")
two=$(ask "SELECT flags FROM memx_measure('mix20') WHERE $whole AND recompute = 'none' AND tp = 1 LIMIT 1")
three=$(ask "SELECT flags FROM memx_measure('mix20') WHERE first_stage + last_stage = 0 AND device = 'B-32GB' AND tp = 1 AND dp = 1 LIMIT 1")
gpus=$(ask "SELECT gpus FROM memx_measure('mix20') WHERE first_stage + last_stage = 0 AND device = 'B-32GB' AND tp = 1 AND dp = 1 LIMIT 1")
log "$one" 2 400 9000 >"$logs/one.log"
log "$two" 1 oom 0 >"$logs/two.log"
log "$three" "$gpus" 900 7000 >"$logs/three.log"
echo 'no log' >"$logs/four.log"
echo 'not looked at' >"$logs/five.txt"
same 'a folder' "memx_profile||$((gpus + 2)) of $((gpus + 2)) stages went in
left out|four.log|no arguments of Megatron-LM" "$(import)"
same 'what went in' "one.log|2|full|600.0|9001.5|9051.0
two.log|1|none|||" "$(ask "SELECT source, tp, recompute, time_ms * micro_batch * dp, allocated_mib, reserved_mib
                          FROM memx_profile WHERE source IN ('one.log', 'two.log')" | sed 's/|1200.0|/|600.0|/; s/|2400.0|/|600.0|/; s/|4800.0|/|600.0|/')"
same 'a pipeline' "1|0|$gpus||7000.5
0|0|$((gpus - 1))||7001.5" "$(ask "SELECT first_stage, last_stage, in_flight, time_ms, allocated_mib FROM memx_profile
                               WHERE source = 'three.log' ORDER BY in_flight DESC LIMIT 2")"
same 'not asked for again' 1 "$(ask "SELECT $before - count(*) >= 3 FROM memx_measure('mix20')")"
same 'again' "memx_profile||0 of $((gpus + 2)) stages went in" "$(import | head -n 1)"

same 'one file' 'memx_profile||0 of 1 stages went in
left out|one.log, stage 0|is there already' "$(import "$logs/one.log")"
same 'another model' "left out|one.log, stage 0|hidden 4096 and ffn_hidden 11008 are not those of model 'llama3-8b'" \
    "$(MEMX_MODEL=llama3-8b import "$logs/one.log" | tail -n 1)"
same 'another precision' "left out|one.log, stage 0|the log trained in bf16 precision, which is not that of framework 'megatron-fp16'; set MEMX_FRAMEWORK" \
    "$(MEMX_FRAMEWORK=megatron-fp16 import "$logs/one.log" | tail -n 1)"
same 'no device' 'left out|one.log, stage 0|set MEMX_DEVICE and MEMX_MODEL' "$(MEMX_DEVICE='' import "$logs/one.log" | tail -n 1)"
same 'an unknown device' 1 "$(MEMX_DEVICE=B-33GB import "$logs/one.log" | grep -c "stage 0|no device 'B-33GB'; nearest: B-32GB")"
# What replicas share is ZeRO's stage, and none where there is one replica.
fsdp=$(ask "SELECT replace(flags, '--use-distributed-optimizer', '--use-megatron-fsdp --data-parallel-sharding-strategy')
            FROM memx_measure('mix20') WHERE first_stage + last_stage = 2 AND dp = 2 AND device = 'B-32GB' LIMIT 1")
for strategy in no_shard optim optim_grads optim_grads_params; do
    log "${fsdp/strategy/strategy $strategy}" 2 700 9000 >"$logs/zero_$strategy.log"
done
log "${fsdp/strategy/strategy optim_grads}" 1 700 9000 >"$logs/zero_alone.log"
import >"$TMP_DIR/out"
same 'what replicas share' "zero_alone.log|1|0
zero_no_shard.log|2|0
zero_optim.log|2|1
zero_optim_grads.log|2|2
zero_optim_grads_params.log|2|3" "$(ask "SELECT source, dp, distributed_optimizer FROM memx_profile WHERE source GLOB 'zero*' ORDER BY source")"

# A run is left out whole where memx_profile has no such stages, or nobody knows which stage it was.
others=$TMP_DIR/others
mkdir "$others"
middle=$(sed 's/ --use-distributed-optimizer//; s/--global-batch-size [0-9]*/--global-batch-size 48/' <<<"$three")
log "$middle --context-parallel-size 2" "$((2 * gpus))" 900 7000 >"$others/context.log"
log "$middle --expert-model-parallel-size 2" "$((2 * gpus))" 900 7000 >"$others/experts.log"
log "$middle --virtual-pipeline-model-parallel-size 5" "$gpus" 900 7000 >"$others/chunks.log"
log "$middle" "$gpus" oom 0 >"$others/full.log"
log "$(sed "s/--num-layers [0-9]*/--num-layers $((gpus + 1))/" <<<"$middle")" "$gpus" 900 7000 >"$others/uneven.log"
log "${middle/--pipeline-model-parallel-size /--pipeline-model-parallel-size x}" "$gpus" 900 7000 >"$others/word.log"
{
    log "$one" 2 400 9000
    log "$middle --context-parallel-size 2" "$((2 * gpus))" 900 7000
} >"$others/twice.log"
same 'runs that are left out' "memx_profile||1 of 1 stages went in
left out|chunks.log|cp 1, ep 1, vp 5: memx_profile has no column for what is above 1
left out|context.log|cp 2, ep 1, vp 1: memx_profile has no column for what is above 1
left out|experts.log|cp 1, ep 2, vp 1: memx_profile has no column for what is above 1
left out|full.log|a pipeline that ran out of memory: which stage did is not known
left out|twice.log: run 2|cp 2, ep 1, vp 1: memx_profile has no column for what is above 1
left out|uneven.log|the arguments do not say the layers of every stage
left out|word.log|line 18: pipeline_model_parallel_size is 'x$gpus', no whole number from 1" "$(import "$others")"
sed 's/max allocated: /max allocated: 9/' "$logs/one.log" >"$logs/large.log"
same 'too large' 'left out|large.log, stage 0|more memory than the card has' "$(import "$logs/large.log" | tail -n 1)"
sed 's/compute \(.*\)(\(.*\), .*)/compute \1(0.01, 0.02)/' "$logs/one.log" >"$logs/quick.log"
same 'too quick' 1 "$(import "$logs/quick.log" | grep -c 'quick.log, stage 0|a micro batch takes .* ms, predicted are')"
same 'no name' 'memx_profile||MEMX_IMPORT names no log or folder' "$(import '')"
mkdir "$TMP_DIR/none"
same 'no logs' "memx_profile||$TMP_DIR/none has no logs" "$(import "$TMP_DIR/none")"
exit $failed
