#!/usr/bin/env bash
# queries/import_profile.sql and import_run.sql: what goes in, and every reason to leave a row out.
set -eu
failed=0
db=$TMP_DIR/jobs.db
cp "$DEMO_DB" "$db"
import() { MEMX_IMPORT=$TMP_DIR/$2 $SQLITE3 -batch -bail -init /dev/null -cmd ".load $MEMX" "$db" <"queries/$1.sql" 2>&1; }
ask() { $SQLITE3 -batch -bail -init /dev/null -cmd ".load $MEMX" "$db" "$1" 2>&1; }
same() { # WHAT EXPECTED FOUND
    [ "$2" = "$3" ] && return
    echo "$1:"
    diff <(echo "$2") <(echo "$3") || true
    failed=1
}

# Columns in an order of its own, some absent.
cat >"$TMP_DIR/stages.csv" <<'CSV'
model,device,framework,layers,tp,micro_batch,time_ms,allocated_mib,reserved_mib,dp
llama2-7b,GH-96,fp32,4,2,1,30.5,9000,9500,
llama2-7b,GH-96,fp32,4,2,1,30.6,9000,9500,
llama2-7b,GH-97,fp32,4,2,1,30.5,,,
llama2-7b,GH-96,fp32,4,2,1,NaN,,,
llama2-7b,GH-96,fp32,4,2,1,0,,,
llama2-7b,GH-96,fp32,4,2,1,0.03,,,
llama2-7b,GH-96,fp32,4,2,1,1e999,,,
llama2-7b,GH-96,fp32,4.5,2,1,3,,,
llama2-7b,GH-96,fp32,,2,1,3,,,
llama2-7b,GH-96,fp32,4,2,1,,,,
llama2-7b,GH-96,fp32,4,2,1,31,9000000000,,
llama2-7b,GH-96,fp32,4,2,1,31,9000,8000,
llama2-7b,GH-96,fp32,4,2,1,-31,,,2
llama2-7b,GH-96,fp32,4,3,1,31,,,2
CSV
left="left out|4|no device 'GH-97'; nearest: GH-96, H100, H800; or insert it into memx_device
left out|5|time_ms is NaN, no number
left out|6|time_ms is 0
left out|7|time_ms is 0.03, and 10.0537 at the card's peak (seconds?)
left out|8|time_ms is Inf, more than 1000 times the 69.9 predicted (microseconds?)
left out|9|layers is '4.5'; write a whole number
left out|10|no layers
left out|11|nothing was measured
left out|12|more memory than the card's 98304 MiB (bytes?)
left out|13|more allocated than reserved
left out|14|time_ms is -31
left out|15|tp 3 does not divide heads 32 and kv_groups 32"
same 'stages' "memx_profile||2 of 14 rows went in
$left" "$(import import_profile stages.csv)"
same 'stages again' "memx_profile||0 of 14 rows went in
left out|2|is there already
left out|3|is there already
$left" "$(import import_profile stages.csv)"
same 'their defaults' "GH-96|llama2-7b|fp32|4|0|0|2|1|1|4096|||none|1|0|0|30.5|9000.0|9500.0|stages.csv" \
    "$(ask "SELECT device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, heads,
            kv_groups, recompute, in_flight, sequence_parallel, distributed_optimizer, time_ms, allocated_mib,
            reserved_mib, source FROM memx_profile LIMIT 1")"

config='"tp1.dp2.mb1/T4*1:none,V100-SXM2-16GB*3:none,V100-SXM2-16GB*2:none"'
{
    echo run,job,config,iteration_ms,oom,rank,allocated_mib,reserved_mib,total_mib
    echo "a,lab6,$config,3500,,0,8000,9000,"
    echo "a,lab6,$config,3500,,1,8000,9000,"
    echo "a,lab6,$config,3501,,2,8000,9000,"
    echo "a,lab6,$config,3500,,9,8000,9000,"
    echo "a,lab6,$config,3500,,1,8000,9000,"
    echo "a,lab6,$config,3500,,3,80000,9000,"
    echo ",lab6,$config,3510,,,,,9100"
    echo ",lab6,$config,3.5,,,,,"
    echo ",lab6,$config,nan,,,,,"
    echo ",lab6,$config,,1,,,,"
    echo ",lab6,$config,,,,,,"
    echo ",lab6,tp1,10,,,,,"
    echo ",lab7,$config,10,,,,,"
    echo ",,$config,10,,,,,"
    echo ",lab6,$config,0,,,,,"
    echo ",lab6,$config,1e9,,,,,"
    echo ",lab6,$config,3400,2,,,,"
    echo ",lab6,$config,3400,,,100,,"
} >"$TMP_DIR/runs.csv"
left="left out|4|differs from the first row of its run
left out|5|rank is 9, and the run has no such GPU
left out|6|rank 1 stands in an earlier row
left out|7|more memory than the card's 16384 MiB (bytes?)
left out|9|iteration_ms is 3.5: 54151 TFLOPS a GPU, more than its peak (seconds?)
left out|10|iteration_ms is nan, no number
left out|12|nothing was measured
left out|13|job 'lab6', config 'tp1': the text ends at position 4; write '.' and a further knob, or '/' and the stages
left out|14|no job 'lab7'; nearest: lab6, xy, mix20; or insert it into memx_job
left out|15|no job
left out|16|iteration_ms is 0
left out|17|iteration_ms is 1e+09, more than 1000 times the 3.41e+03 predicted (microseconds?)
left out|18|oom is 2; write 0 or 1
left out|19|allocated_mib and reserved_mib need a rank"
same 'runs' "memx_run||3 of 13 runs went in
memx_run_gpu||2 of 6 rows went in
$left" "$(import import_run runs.csv)"
same 'they are canonical' "1|tp1.dp2.mb1.seq2048/T4*1:none,V100-SXM2-16GB*3:none,V100-SXM2-16GB*2:none|3500.0|0||runs.csv
2|tp1.dp2.mb1.seq2048/T4*1:none,V100-SXM2-16GB*3:none,V100-SXM2-16GB*2:none|3510.0|0|9100.0|runs.csv
3|tp1.dp2.mb1.seq2048/T4*1:none,V100-SXM2-16GB*3:none,V100-SXM2-16GB*2:none||1||runs.csv" \
    "$(ask 'SELECT id, config, iteration_ms, oom, total_mib, source FROM memx_run')"
same 'their GPUs' "1|0|8000.0|9000.0|
1|1|8000.0|9000.0|" "$(ask 'SELECT * FROM memx_run_gpu')"
same 'runs again' 'memx_run||0 of 13 runs went in' "$(import import_run runs.csv | head -n 1)"

# A file that is not there is an error, and nothing changes.
if import import_run absent.csv >"$TMP_DIR/out"; then echo "an absent file is no error"; failed=1; fi
same 'an absent file' 3 "$(ask 'SELECT count(*) FROM memx_run')"
exit $failed
