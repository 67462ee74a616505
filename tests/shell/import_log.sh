#!/usr/bin/env bash
# queries/import_megatron_log.sql: what of a training log goes in, and every reason to leave a run or a rank out.
set -eu
failed=0
db=$TMP_DIR/jobs.db
cp "$DEMO_DB" "$db"
import() { $SQLITE3 -batch -init /dev/null -cmd ".load $MEMX" "$db" <queries/import_megatron_log.sql 2>&1; }
ask() { $SQLITE3 -batch -bail -init /dev/null -cmd ".load $MEMX" "$db" "$1" 2>&1; }
same() { # WHAT EXPECTED FOUND
    [ "$2" = "$3" ] && return
    echo "$1:"
    diff <(echo "$2") <(echo "$3") || true
    failed=1
}
ask "INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('pair', 3);
     INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('pair', 0, 'RTX4090', 4), ('pair', 1, 'RTX3090', 4);
     INSERT INTO memx_job(job, cluster, model, global_batch, seq_length) VALUES ('try', 'pair', 'llama3.2-3b', 64, 4096)"
export MEMX_JOB=try MEMX_IMPORT=tests/inputs/train.log

same 'a log' "memx_run||1 of 1 runs went in
memx_run_gpu||4 of 4 ranks went in" "$(import)"
same 'again' "memx_run||0 of 1 runs went in
memx_run_gpu||0 of 4 ranks went in
left out|1|is there already" "$(import)"
same 'two runs' "memx_run||2 of 2 runs went in
memx_run_gpu||4 of 4 ranks went in" "$(MEMX_IMPORT=tests/inputs/srun.log import)"
same 'a cut log' "memx_run||1 of 1 runs went in
memx_run_gpu||4 of 4 ranks went in
not read||line 76: elapsed time per iteration is '17'" "$(MEMX_IMPORT=tests/inputs/cut.log import)"
same 'what went in' "1|try|tp2.dp2.mb1.seq4096/RTX4090*18:none,RTX3090*10:none|17404.4|0|train.log|0:19022.0,1:19020.0,4:11890.0,5:11888.0
2|try|tp1.dp2.mb1.seq4096/RTX4090*5:full,RTX4090*8:block6,RTX3090*8:block6,RTX3090*7:block6|18028.5|0|srun.log: run 1|0:20202.0,2:16002.0,4:14002.0,6:18002.0
3|try|tp1.dp2.mb4.seq4096/RTX4090*5:none,RTX4090*8:none,RTX3090*8:none,RTX3090*7:none||1|srun.log: run 2|
4|try|tp2.dp2.mb1.seq4096/RTX4090*18:none,RTX3090*10:none|17373.2|0|cut.log|0:19022.0,1:19020.0,4:11890.0,5:11888.0" \
    "$(ask "SELECT id, job, config, iteration_ms, oom, source,
                   (SELECT group_concat(rank || ':' || reserved_mib) FROM memx_run_gpu WHERE run = id)
            FROM memx_run ORDER BY id")"
same 'learned from' "1" "$(ask "SELECT json_extract(memx_calibrate('pair'), '\$.runs') > 0")"

# A configuration of the user's own; nodes in another order.
same 'config' "memx_run||1 of 1 runs went in
memx_run_gpu||4 of 4 ranks went in" \
    "$(MEMX_CONFIG='tp2.dp2.mb1.seq4096/RTX4090*18:block2,RTX3090*10:none' import)"
same 'a bad config' "memx_run||0 of 1 runs went in
memx_run_gpu||0 of 4 ranks went in
left out|1|job 'try', config 'tp2': the text ends at position 4; write '.' and a further knob, or '/' and the stages" \
    "$(MEMX_CONFIG=tp2 import)"
same 'nodes' "memx_run||1 of 1 runs went in
memx_run_gpu||4 of 4 ranks went in" "$(MEMX_NODES=1,0 import)"
same 'the newest' "tp2.dp2.mb1.seq4096/RTX4090*18:block2,RTX3090*10:none
tp2.dp2.mb1.seq4096/RTX3090*18:none,RTX4090*10:none" "$(ask "SELECT config FROM memx_run WHERE id > 4 ORDER BY id")"

# What cannot be: too fast, too slow, more than the card, no such rank, no measurement.
change() { sed "$1" tests/inputs/train.log >"$TMP_DIR/changed.log"; }
change 's/(ms): [0-9.]*/(ms): 100.0/'
same 'too fast' "memx_run||0 of 1 runs went in
memx_run_gpu||0 of 4 ranks went in
left out|1|an iteration takes 100 ms: 7702 TFLOPS a GPU, more than its peak (another model?)" \
    "$(MEMX_IMPORT=$TMP_DIR/changed.log import)"
change 's/(ms): [0-9.]*/(ms): 90000000.0/'
same 'too slow' "memx_run||0 of 1 runs went in
memx_run_gpu||0 of 4 ranks went in
left out|1|an iteration takes 9e+07 ms, more than 1000 times the 1.65e+04 predicted" \
    "$(MEMX_IMPORT=$TMP_DIR/changed.log import | sed 's/the [0-9.e+]* predicted/the 1.65e+04 predicted/')"
change 's/\[Rank 5\]/[Rank 8]/; s/max reserved: 19022/max reserved: 39022/'
same 'ranks' "memx_run||1 of 1 runs went in
memx_run_gpu||2 of 4 ranks went in
left out|1|rank 0 has more memory than its card's 24564 MiB (are the nodes in another order?) (and 1 more)" \
    "$(MEMX_IMPORT=$TMP_DIR/changed.log import | sed "s/card's [0-9.]* MiB/card's 24564 MiB/")"
sed '/elapsed time/d; /memory (MB)/d' tests/inputs/train.log >"$TMP_DIR/changed.log"
same 'nothing measured' "memx_run||0 of 1 runs went in
left out|1|nothing was measured" "$(MEMX_IMPORT=$TMP_DIR/changed.log import)"

same 'no job' "memx_run||0 of 1 runs went in
memx_run_gpu||0 of 4 ranks went in
left out|1|no job; set MEMX_JOB to a row of memx_job" "$(MEMX_JOB='' import)"
same 'another job' "memx_run||0 of 1 runs went in
memx_run_gpu||0 of 4 ranks went in
left out|1|num_layers is 28 in the log and 32 in job 'mix20'; name a job of the same" "$(MEMX_JOB=mix20 import)"
same 'no file' "memx_run||$TMP_DIR/none.log: no such file" "$(MEMX_IMPORT=$TMP_DIR/none.log import)"
same 'no name' "memx_run||MEMX_IMPORT names no file" "$(MEMX_IMPORT='' import)"
: >"$TMP_DIR/empty.log"
same 'an empty file' "megatron_log: the text is empty
memx_run||0 of 0 runs went in" "$(MEMX_IMPORT=$TMP_DIR/empty.log import | sed 's/.*near line [0-9]*: //' | uniq)"
ask "DELETE FROM memx_job WHERE job <> 'try'; DELETE FROM memx_run"
same 'the only job' "memx_run||1 of 1 runs went in
memx_run_gpu||4 of 4 ranks went in" "$(MEMX_JOB='' import)"
exit $failed
