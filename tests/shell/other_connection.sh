#!/usr/bin/env bash
# What another process commits, an open connection sees in its next query: nothing that a connection keeps
# between queries is stale.
set -euo pipefail
db=$TMP_DIR/shared.db
cp "$DEMO_DB" "$db"

# One connection for the whole test; ask QUERY prints its answer in one line.
coproc SESSION { exec $SQLITE3 -batch -init /dev/null -cmd ".load $MEMX" "$db" 2>&1; }
ask() {
    printf '%s;\nSELECT char(4);\n' "$1" >&"${SESSION[1]}"
    local line answer=''
    while IFS= read -r -t 60 line <&"${SESSION[0]}"; do
        [ "$line" = $'\004' ] && { printf '%s\n' "$answer"; return; }
        answer=$answer${answer:+ }$line
    done
    echo "no answer to $1" >&2
    exit 1
}
elsewhere() { $SQLITE3 -batch -init /dev/null -cmd ".load $MEMX" "$db" "$1"; }

everything="SELECT count(*), total(iteration_ms), total(peak_mib), total(phi) FROM memx_configs WHERE job = 'lab6'"
one="SELECT iteration_ms, peak_mib, headroom, phi FROM memx_predict('lab6', 'tp2.dp1.mb1/V100-SXM2-16GB*2:full,V100-SXM2-16GB*2:full,T4*2:full')"
failed=0
# changes WHAT SQL [WHO]: after the SQL, run elsewhere unless by `ask`, both answers are others, and as of a
# new connection.
changes() {
    local all_before one_before all_after one_after
    all_before=$(ask "$everything"); one_before=$(ask "$one")
    "${3:-elsewhere}" "$2" >/dev/null
    all_after=$(ask "$everything"); one_after=$(ask "$one")
    if [ "$all_before" = "$all_after" ] || [ "$one_before" = "$one_after" ]; then
        echo "$1: the same as before: $all_after, $one_after"; failed=1
    elif [ "$all_after" != "$(elsewhere "$everything")" ] || [ "$one_after" != "$(elsewhere "$one")" ]; then
        echo "$1: not what a new connection sees: $all_after, $one_after"; failed=1
    else
        echo "ok: $1"
    fi
}
changes device "UPDATE memx_device SET peak_tflops = 60, context_mib = 4100 WHERE device = 'T4'"
changes model "UPDATE memx_model SET ffn_hidden = 11264 WHERE model = 'llama2-6layer'"
changes framework "UPDATE memx_framework SET alpha_act = 1.05, layer_ms = 2 WHERE framework = 'megatron-fp16'"
changes cluster "UPDATE memx_cluster SET overhead_ms = 25 WHERE cluster = 'lab6'"
changes node "UPDATE memx_node SET inter_gbs = 5 WHERE cluster = 'lab6' AND ordinal = 1"
changes job "UPDATE memx_job SET global_batch = 128 WHERE job = 'lab6'"
changes weights "UPDATE memx_job SET weights = 'throughput' WHERE job = 'lab6'"
changes space "UPDATE memx_space SET value = 'uniform' WHERE space = 'default' AND param = 'layer_split'"

# The same with a predictor, whose answers a connection keeps by signature. (Synthetic.)
elsewhere "UPDATE memx_space SET value = 'time' WHERE space = 'default' AND param = 'layer_split';
    INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
        recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib)
    SELECT s.device, s.model, s.framework, s.layers, s.first_stage, s.last_stage, s.tp, s.dp, s.micro_batch, s.seq_length,
        s.recompute, s.in_flight, s.sequence_parallel, s.distributed_optimizer,
        s.time_ms * iif(s.micro_batch <= 2, 1.15, 0.96), (s.peak_mib - s.context_mib) * 1.03
    FROM (SELECT config, row_number() OVER () AS n FROM memx_configs WHERE job = 'lab6') AS c,
        memx_stages('lab6', c.config) AS s WHERE n % 5 = 0 AND instr(s.device, '|') = 0"
train="SELECT memx_train('june', '{\"rounds\": 20}') IS NOT NULL"
changes 'a predictor' "$train"
tp=70
for who in elsewhere ask; do
    tp=$((tp + 1))
    changes "device, by $who" "UPDATE memx_device SET peak_tflops = $tp, context_mib = context_mib + 1 WHERE device = 'T4'" $who
    changes "framework, by $who" "UPDATE memx_framework SET alpha_act = alpha_act + 0.01, layer_ms = layer_ms + 1
        WHERE framework = 'megatron-fp16'" $who
    changes "model, by $who" "UPDATE memx_model SET ffn_hidden = ffn_hidden + 256 WHERE model = 'llama2-6layer'" $who
    changes "link, by $who" "UPDATE memx_node SET link_gbs = $tp - 67 WHERE cluster = 'lab6'" $who
    changes "job, by $who" "UPDATE memx_job SET global_batch = global_batch * 2 WHERE job = 'lab6'" $who
    changes "leaf, by $who" "UPDATE memx_tree SET leaf = leaf + 0.5 WHERE leaf IS NOT NULL" $who
    elsewhere "UPDATE memx_profile SET time_ms = time_ms * iif(layers > 2, 1.2, 1.1)"
    changes "trained again, by $who" "$train" $who
    changes "no predictor, by $who" "DELETE FROM memx_predictor; DELETE FROM memx_tree" $who
    changes "trained anew, by $who" "$train" $who
done
[ "$(ask "SELECT count(*) > 1000 FROM memx_cache")" = 1 ] || { echo "nothing was in the cache"; failed=1; }

# Jobs come and go, and tables are made by another process.
elsewhere "INSERT INTO memx_job(job, cluster, model, framework, global_batch) VALUES ('new', 'lab6', 'gpt2', 'fp32', 8)"
[ "$(ask "SELECT count(*) > 10 FROM memx_configs WHERE job = 'new'")" = 1 ] || { echo "a new job is not seen"; failed=1; }
elsewhere "DELETE FROM memx_job WHERE job = 'new'"
case $(ask "SELECT count(*) FROM memx_configs WHERE job = 'new'") in
*"no job 'new'"*) ;;
*) echo "a deleted job is seen"; failed=1 ;;
esac

# Inside a read transaction nothing moves; after it everything has.
elsewhere "PRAGMA journal_mode = WAL" >/dev/null
ask "BEGIN" >/dev/null
before=$(ask "$everything")
elsewhere "UPDATE memx_cluster SET overhead_ms = 50 WHERE cluster = 'lab6'"
[ "$(ask "$everything")" = "$before" ] || { echo "a transaction sees what was committed after it began"; failed=1; }
ask "COMMIT" >/dev/null
[ "$(ask "$everything")" != "$before" ] || { echo "after the transaction the old answer"; failed=1; }

eval "exec ${SESSION[1]}>&-"
wait "$SESSION_PID" || true
exit $failed
