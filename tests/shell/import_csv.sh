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
left="left out|4|no device 'GH-97'; nearest: GH-96, H100, H800; or insert it into memx_device, another name of a card into memx_alias
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

# Without a column or a field of it, dp is 1, and nothing is shared among replicas.
cat >"$TMP_DIR/no_dp.csv" <<'CSV'
device,model,framework,layers,tp,micro_batch,time_ms
A100,llama2-7b,megatron-bf16,4,1,1,80
A100,llama2-7b,megatron-bf16,4,2,1,40
CSV
cat >"$TMP_DIR/some_dp.csv" <<'CSV'
device,model,framework,layers,tp,micro_batch,time_ms,dp,distributed_optimizer
A100,llama2-7b,megatron-bf16,4,1,1,80,,
A100,llama2-7b,megatron-bf16,4,1,1,80,1,
A100,llama2-7b,megatron-bf16,4,1,1,80,2,
A100,llama2-7b,megatron-bf16,4,1,1,80,2,0
CSV
same 'no dp' 'memx_profile||2 of 2 rows went in' "$(import import_profile no_dp.csv)"
same 'some dp' 'memx_profile||4 of 4 rows went in' "$(import import_profile some_dp.csv)"
same 'what follows from it' "no_dp.csv|1|1|0|0
no_dp.csv|2|1|1|0
some_dp.csv|1|1|0|0
some_dp.csv|1|1|0|0
some_dp.csv|1|2|0|1
some_dp.csv|1|2|0|0" "$(ask "SELECT source, tp, dp, sequence_parallel, distributed_optimizer FROM memx_profile
                             WHERE source LIKE '%dp.csv' ORDER BY id")"

# Frameworks that share more among replicas, and what a row itself says.
ask "CREATE TEMP TABLE copy AS SELECT * FROM memx_framework WHERE framework = 'megatron-bf16';
     UPDATE copy SET framework = 'zero2', distributed_optimizer = 2; INSERT INTO memx_framework SELECT * FROM copy;
     UPDATE copy SET framework = 'zero3', distributed_optimizer = 3; INSERT INTO memx_framework SELECT * FROM copy"
cat >"$TMP_DIR/zero.csv" <<'CSV'
device,model,framework,layers,tp,micro_batch,time_ms,dp,distributed_optimizer
A100,llama2-7b,zero2,4,1,1,80,1,
A100,llama2-7b,zero2,4,1,1,80,2,
A100,llama2-7b,zero3,4,1,1,80,2,
A100,llama2-7b,zero3,4,1,1,80,2,2
CSV
same 'zero' 'memx_profile||4 of 4 rows went in' "$(import import_profile zero.csv)"
same 'what replicas share' "zero2|1|0
zero2|2|2
zero3|2|3
zero3|2|2" "$(ask "SELECT framework, dp, distributed_optimizer FROM memx_profile WHERE source = 'zero.csv' ORDER BY id")"

# A row that the table refuses is listed, and the others go in.
ask "CREATE TRIGGER refuse BEFORE INSERT ON memx_profile WHEN new.tp = 2 BEGIN SELECT raise(IGNORE); END;
     DELETE FROM memx_profile WHERE source = 'no_dp.csv'"
same 'a refused row' "memx_profile||1 of 2 rows went in
left out|3|breaks a rule of the table; .schema memx_profile shows them" "$(import import_profile no_dp.csv)"
ask 'DROP TRIGGER refuse'

# Nothing to read.
: >"$TMP_DIR/empty.csv"
printf '\n \n' >"$TMP_DIR/blank.csv"
echo device,job,model >"$TMP_DIR/header.csv"
for file in empty blank header; do
    same "$file" "memx_profile||$file.csv has no rows" "$(import import_profile $file.csv)"
    same "$file" "memx_run||$file.csv has no rows" "$(import import_run $file.csv)"
done

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
left="left out|4|iteration_ms: not as in line 2, where its run begins
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

# What is wrong with many rows of a run is said once.
{
    echo run,job,config,iteration_ms,rank,reserved_mib,source
    for rank in 0 1 2 3 4 5; do
        echo "a,lab6,$config,360$rank,$rank,9000,s$((rank / 4))"
        echo "b,lab7,$config,3600,$rank,9000,"
        echo "c,lab6,$config,3600,$rank,9000,"
    done
} >"$TMP_DIR/many.csv"
same 'many rows' "memx_run||2 of 3 runs went in
memx_run_gpu||7 of 18 rows went in
left out|3|no job 'lab7'; nearest: lab6, xy, mix20; or insert it into memx_job (and 5 more)
left out|5|iteration_ms, source: not as in line 2, where its run begins (and 4 more)" "$(import import_run many.csv)"
# A run whose own row is left out for its memory has none.
printf 'run,job,config,iteration_ms,rank,reserved_mib,total_mib\nd,lab6,%s,3700,,,9e9\nd,lab6,%s,3700,0,9000,\n' \
    "$config" "$config" >"$TMP_DIR/own.csv"
same 'its own row' "memx_run||1 of 1 runs went in
memx_run_gpu||1 of 1 rows went in
left out|2|more memory than the card's 16384 MiB (bytes?)" "$(import import_run own.csv)"
same 'no memory of its own' '3700.0|' "$(ask "SELECT iteration_ms, total_mib FROM memx_run WHERE source = 'own.csv'")"

# Of published sets too a bad row is listed and the others go in, and an empty file has none.
mkdir "$TMP_DIR/set"
: | tee "$TMP_DIR/set/single_node.csv" "$TMP_DIR/set/layer_profiles.csv" >"$TMP_DIR/set/runs_per_gpu.csv"
cat >"$TMP_DIR/set/multi_node.csv" <<'CSV'
dataset,gpu,params_b,gpus,gbs,mbs,hidden,heads,layers,seq,tp,dp,pp,iter_time_ms
x,A100-SXM-80GB,1,8,64,1,2048,16,24,2048,8,1,1,4000
x,A100-SXM-80GB,1,8000000000000,64,1,2048,16,24,2048,8,1,1,4000
x,A100-SXM-80GB,1,8,64,1,2048,16,24,2048,8,1,1,fast
x,A100-SXM-8,1,8,64,1,2048,16,25,2048,8,1,1,4000
CSV
cat >"$TMP_DIR/set/runs.csv" <<'CSV'
file,cluster,model,N,gbs,mbs,pp,dp,layers_per_stage,gpu_per_stage,tp_per_stage,real_iter_s,max_mem_bytes
a,x,OPT-350,1,64,1,1,1,26,GH-96x4,4,2.5,40000000000
a,x,OPT-350,1,64,1,1,1,26,GH-96x4,4,2.5,40000000000
b,x,OPT-350,1,64,1,1,1,26,"GH-""96x4",4,2.5,40000000000
c,x,OPT-350,1,64,1,1,1,26,GH-96x4,4,,40000000000
d,x,OPT-350,1,64,1,2,1,26,GH-96x4,4,2.5,40000000000
CSV
same 'vtrain' "memx_run||1 of 4 rows went in
vtrain/multi_node.csv|3|more than 65536 GPUs or layers
vtrain/multi_node.csv|4|iter_time_ms is 'fast', no number
vtrain/multi_node.csv|5|job 'vtrain-25-2048-16-2048-on-8-at-64', config 'tp8.dp1.mb1/A100-SXM-8*25:full': position 13: no device 'A100-SXM-8' in cluster 'vtrain-8'; it has A100-SXM-80GB" "$(import import_vtrain set)"
same 'sailor' "memx_profile|0 of 0 stages went in
memx_run|1 of 4 runs went in
memx_run_gpu|0 of 0 rows went in
sailor/runs.csv: b|its stages cannot be read
sailor/runs.csv: c|iteration_ms is 0.0
sailor/runs.csv: d|another number of stages than pp says
sailor/runs.csv: a|stands there 2 times; the first was taken" "$(import import_sailor set)"
# A card of one's own, called what is an alias of another.
ask "CREATE TEMP TABLE own AS SELECT * FROM memx_device WHERE device = 'GH200-96GB';
     UPDATE own SET device = 'GH-96'; INSERT INTO memx_device SELECT * FROM own"
sed -i '2,$d' "$TMP_DIR/set/runs.csv"
echo 'e,x,OPT-350,2,64,1,2,1,"12|14",GH-96x4|GH-96x4,4|4,2.5,40000000000' >>"$TMP_DIR/set/runs.csv"
same 'sailor, a card of its name' 'memx_run|1 of 1 runs went in' "$(import import_sailor set | sed -n 2p)"
same 'its configuration' 'tp4.dp1.mb1.seq2048/GH-96*11:none,GH-96*13:none|GH-96' \
    "$(ask "SELECT config, (SELECT group_concat(DISTINCT device) FROM memx_node WHERE cluster = 'sailor-GH-96-2')
            FROM memx_run WHERE source LIKE '%: e'")"

# In a new database, evaluate.sql makes what it reads.
db=$TMP_DIR/new.db
ask 'SELECT memx_init()' >/dev/null
import import_profile some_dp.csv >/dev/null
for time in first again; do
    same "evaluated, $time" 'some_dp.csv|stage|A100-SXM-80GB|time|4' \
        "$($SQLITE3 -batch -bail -init /dev/null -cmd ".load $MEMX" "$db" <queries/evaluate.sql 2>&1 | head -n 1 | cut -d'|' -f1-5)"
done
db=$TMP_DIR/jobs.db

# A file that is not there is an error, and nothing changes.
if import import_run absent.csv >"$TMP_DIR/out"; then echo "an absent file is no error"; failed=1; fi
same 'an absent file' 9 "$(ask 'SELECT count(*) FROM memx_run')"
exit $failed
