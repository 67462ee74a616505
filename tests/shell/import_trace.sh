#!/usr/bin/env bash
# queries/import_profiler_trace.sql: a small trace, what cannot be one, and protrain_configs on its rows.
set -eu
db=$TMP_DIR/jobs.db
cp "$DEMO_DB" "$db"
sql() { $SQLITE3 -batch -bail -init /dev/null -cmd ".load $MEMX" "$db" "$1"; }
# MiB of the device (type 1) or of the host at a time in microseconds.
memory() {
    printf '{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","ts":%s,"tid":7,"args":{"Total Reserved":0,
             "Total Allocated":%d,"Bytes":1,"Addr":1,"Device Id":0,"Device Type":%d}},' "$1" $(($2 << 20)) "${3:-1}"
}
op() { printf '{"ph":"X","cat":"cpu_op","name":"%s","ts":%s,"dur":%s,"tid":%s,"args":{}},' "$1" "$2" "$3" "${4:-7}"; }
# 100 MiB are there before. linear: up to 130, 120 stay; softmax between the operators: up to 150; then 125. A second
# linear, with an operator inside: up to 165, 140 stay. Backward frees both.
trace=$TMP_DIR/trace.json
{
    printf '{"schemaVersion":1,"traceEvents":[{"ph":"M","name":"process_name","args":{"name":"python"}},'
    memory 5 100
    memory 6 9999 0
    op aten::linear 10 1000
    memory 20 130
    memory 900 120
    memory 1100 150
    memory 1200 125
    op aten::linear 1500 2000
    op aten::addmm 1600 1000
    memory 1700 165
    memory 3000 140
    op 'autograd::engine::evaluate_function: AddmmBackward0' 4000 3000 8
    memory 4500 170
    memory 6000 125
    op 'autograd::engine::evaluate_function: AddmmBackward0' 8000 1000 8
    memory 8100 160
    memory 8900 100
    printf '{"ph":"X","cat":"kernel","name":"gemm","ts":10,"dur":900,"tid":1}]}'
} >"$trace"
sql "INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('one', 10);
     INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('one', 0, 'RTX 3090', 1);
     INSERT INTO memx_job(job, cluster, model, framework, global_batch)
     VALUES ('one', 'one', 'gpt2-xl', 'deepspeed-fp16', 4);"
import() {
    MEMX_MODEL=${MEMX_MODEL-gpt2-xl} MEMX_DEVICE=${MEMX_DEVICE-RTX 3090} MEMX_MICRO_BATCH=${MEMX_MICRO_BATCH-2} \
        $SQLITE3 -batch -bail -init /dev/null -cmd ".load $MEMX" "$db" <queries/import_profiler_trace.sql 2>&1
}
echo '{"traceEvents":[]}' >"$TMP_DIR/empty.json"
echo '[' >"$TMP_DIR/broken.json"
mkdir "$TMP_DIR/folder"
# wrong NAME OLD NEW: the trace with something else in it.
wrong() { sed "s|$2|$3|" "$trace" >"$TMP_DIR/$1.json"; }
wrong objects '\[{"ph":"M"' '[1,"text",null,[2],true,{"ph":"M"'
wrong negative '"ts":1500,"dur":2000' '"ts":1500,"dur":-2000'
wrong text '"ts":1500,"dur":2000' '"ts":"then","dur":2000'
wrong nameless '"name":"aten::linear","ts":1500' '"name":"","ts":1500'
wrong bytes '"Total Allocated":131072000' '"Total Allocated":"much"'
sed 's|"name":"aten::[a-z]*"|"name":"autograd::engine::x"|g' "$trace" >"$TMP_DIR/backward.json"
{
    import
    MEMX_IMPORT=$TMP_DIR/none.json import | sed "s|$TMP_DIR/||"
    MEMX_IMPORT=$TMP_DIR/broken.json import | sed "s|$TMP_DIR/||"
    MEMX_IMPORT=$TMP_DIR/empty.json import
    MEMX_IMPORT=$trace MEMX_MODEL=gpt5 import
    MEMX_IMPORT=$trace MEMX_DEVICE=abacus import
    MEMX_IMPORT=$trace MEMX_MICRO_BATCH='' import
    MEMX_IMPORT=$trace MEMX_FRAMEWORK=none import
    MEMX_IMPORT=$trace import
    MEMX_IMPORT=$trace import # again: replaced
    # Odd input: a line each, and what was there stays.
    MEMX_IMPORT=$TMP_DIR/folder import | sed "s|$TMP_DIR/||"
    for n in 4abc 1.5 0 -1 2000000000 99999999999999999999; do MEMX_IMPORT=$trace MEMX_MICRO_BATCH=$n import; done
    for n in 0 -7 abc 1e3; do MEMX_IMPORT=$trace MEMX_SEQ_LENGTH=$n import; done
    for n in negative text nameless bytes backward; do MEMX_IMPORT=$TMP_DIR/$n.json import; done
    # A rule of the table that nothing above knows, in a shell that goes on after errors: old rows stay.
    sql "CREATE TRIGGER strict BEFORE INSERT ON memx_op WHEN new.ordinal = 1 BEGIN SELECT raise(ABORT, 'no more'); END"
    MEMX_IMPORT=$trace MEMX_MODEL=gpt2-xl MEMX_DEVICE='RTX 3090' MEMX_MICRO_BATCH=2 $SQLITE3 -batch -init /dev/null \
        -cmd ".load $MEMX" "$db" <queries/import_profiler_trace.sql 2>&1 | sed 's/near line [0-9]*/near line N/'
    sql "DROP TRIGGER strict; SELECT count(*), round(sum(time_ms), 3) FROM memx_op"
    MEMX_IMPORT=$TMP_DIR/objects.json import
    MEMX_IMPORT=$trace import
    sql "SELECT model, device, micro_batch, seq_length, phase, ordinal, op, time_ms, intra_mib, inter_mib, kept_mib, source
         FROM memx_op ORDER BY phase DESC, ordinal"
    # The walk: the block keeps 25 + 15 MiB; micro batch 4 twice as much.
    sql "SELECT micro_batch, operators, count(*) > 0 FROM protrain_configs('one') WHERE n_swap = 0 GROUP BY 1, 2"
    sql "SELECT c.micro_batch, b.what, b.kept_mib, b.recomputed_mib, b.compute_ms / c.micro_batches
         FROM (SELECT * FROM protrain_configs('one') WHERE n_checkpoint = 24 AND n_swap = 0 AND n_persist = 0
               AND n_buffer = 2) AS c, protrain_blocks(c.job, c.config) AS b WHERE block < 2"
    sql "DELETE FROM memx_op WHERE phase = 'forward'; SELECT example FROM protrain_why('one')"
} >"$TMP_DIR/out" || true
cat >"$TMP_DIR/expected" <<'OUT'
memx_op|MEMX_IMPORT names no trace
memx_op|there is no file none.json
memx_op|broken.json is no JSON
memx_op|the trace has no memory events; profile with profile_memory=True
memx_op|MEMX_MODEL: no model 'gpt5'; insert it into memx_model
memx_op|MEMX_DEVICE: no such device; insert it into memx_device
memx_op|MEMX_MICRO_BATCH is ''; write the number of sequences, a whole one from 1
memx_op|MEMX_FRAMEWORK: no framework 'none'; insert it into memx_framework
memx_op|4 operators went in, 2 of them backward; a block keeps 40.0 MiB
memx_op|4 operators went in, 2 of them backward; a block keeps 40.0 MiB
memx_op|folder is a folder; write the name of the trace in it
memx_op|MEMX_MICRO_BATCH is '4abc'; write the number of sequences, a whole one from 1
memx_op|MEMX_MICRO_BATCH is '1.5'; write the number of sequences, a whole one from 1
memx_op|MEMX_MICRO_BATCH is '0'; write the number of sequences, a whole one from 1
memx_op|MEMX_MICRO_BATCH is '-1'; write the number of sequences, a whole one from 1
memx_op|MEMX_MICRO_BATCH is '2000000000'; write the number of sequences, a whole one from 1
memx_op|MEMX_MICRO_BATCH is '99999999999999999999'; write the number of sequences, a whole one from 1
memx_op|MEMX_SEQ_LENGTH is '0'; write the number of tokens, a whole one from 1
memx_op|MEMX_SEQ_LENGTH is '-7'; write the number of tokens, a whole one from 1
memx_op|MEMX_SEQ_LENGTH is 'abc'; write the number of tokens, a whole one from 1
memx_op|MEMX_SEQ_LENGTH is '1e3'; write the number of tokens, a whole one from 1
memx_op|nothing went in: 1 of the trace's operators and memory events cannot be read
traceEvents[8], aten::linear|its dur is no number of us from 0
memx_op|nothing went in: 1 of the trace's operators and memory events cannot be read
traceEvents[8], aten::linear|its ts is no number of us
memx_op|nothing went in: 1 of the trace's operators and memory events cannot be read
traceEvents[8], ?|it has no name
memx_op|nothing went in: 2 of the trace's operators and memory events cannot be read
traceEvents[7], [memory]|its Total Allocated is no number of bytes
traceEvents[14], [memory]|its Total Allocated is no number of bytes
memx_op|all operators are backward: none comes before the first autograd::engine one; record block(x), too
Runtime error near line N: no more (19)
memx_op|nothing went in: the message above says why; .schema memx_op shows its rules
4|7.0
memx_op|4 operators went in, 2 of them backward; a block keeps 40.0 MiB
traceEvents|5 entries are no objects, and were passed over
memx_op|4 operators went in, 2 of them backward; a block keeps 40.0 MiB
gpt2-xl|RTX3090|2|1024|forward|0|aten::linear|1.0|30.0|50.0|25.0|trace.json
gpt2-xl|RTX3090|2|1024|forward|1|aten::linear|2.0|40.0|0.0|15.0|trace.json
gpt2-xl|RTX3090|2|1024|backward|0|autograd::engine::evaluate_function: AddmmBackward0|3.0|30.0|0.0|-15.0|trace.json
gpt2-xl|RTX3090|2|1024|backward|1|autograd::engine::evaluate_function: AddmmBackward0|1.0|35.0|0.0|-25.0|trace.json
1|scaled|1
2|profiled|1
4|scaled|1
1|checkpoint|3.125|20.0|5.0
1|none|20.0|0.0|3.5
2|checkpoint|6.25|40.0|10.0
2|none|40.0|0.0|7.0
4|checkpoint|12.5|80.0|20.0
4|none|80.0|0.0|14.0
job 'one': memx_op has backward operators of 'gpt2-xl/deepspeed-fp16/RTX3090/1024' alone; write its forward ones, too
OUT
diff "$TMP_DIR/expected" "$TMP_DIR/out"
