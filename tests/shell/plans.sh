#!/usr/bin/env bash
# EXPLAIN QUERY PLAN shows what is left to the tables and what SQLite does itself; no query that can be
# answered ends with "no query solution".
set -euo pipefail
cp "$DEMO_DB" "$TMP_DIR/plans.db"
failed=0
shell() { $SQLITE3 -batch -init /dev/null -cmd ".load $MEMX" "$TMP_DIR/plans.db" "$@" 2>&1 || true; }

# plan WHAT PATTERN QUERY: the plan, on one line, is as the pattern says.
plan() {
    local shown
    shown=$(shell "EXPLAIN QUERY PLAN $3" | tr '\n' ' ')
    case $shown in
    $2) echo "ok: $1" ;;
    *) echo "$1: wanted $2, got: $shown"; failed=1 ;;
    esac
}
plan 'a scan' '*SCAN memx_configs VIRTUAL TABLE INDEX *' 'SELECT * FROM memx_configs'
plan 'a filter' '*SCAN memx_configs VIRTUAL TABLE INDEX *:?*' "SELECT * FROM memx_configs WHERE cluster = 'mix20' AND tp <= 2"
plan 'an order that SQLite makes' '*VIRTUAL TABLE INDEX*USE TEMP B-TREE FOR ORDER BY*' \
    "SELECT config FROM memx_configs WHERE job = 'mix20' ORDER BY phi(iteration_ms, peak_mib, memory_variance) LIMIT 10"
plan 'the job is in order already' '*VIRTUAL TABLE INDEX [!B]*' 'SELECT job FROM memx_configs ORDER BY job'
plan 'lookup in a join' '*SCAN r*SCAN p VIRTUAL TABLE INDEX *' 'SELECT p.phi FROM memx_run AS r, memx_predict(r.job, r.config) AS p'
plan 'stages of each row' '*memx_configs*memx_stages VIRTUAL TABLE INDEX *' 'SELECT * FROM memx_configs, memx_stages(memx_configs.job, memx_configs.config)'
plan 'reversed, the same order' '*memx_configs*memx_stages VIRTUAL TABLE*' \
    'SELECT * FROM memx_stages AS memx_stages JOIN memx_configs ON memx_stages.job = memx_configs.job AND memx_stages.config = memx_configs.config'
plan 'reasons' '*SCAN memx_why VIRTUAL TABLE INDEX *' "SELECT * FROM memx_why('xy')"

# Every one of these has an answer, or a message of ours.
while IFS= read -r query; do
    answer=$(shell "$query" | head -c 300)
    case $answer in
    *'no query solution'* | *'constraint failed'* | *malfunction* | '')
        echo "$query: ${answer:-nothing}"; failed=1 ;;
    *) echo "ok: $query" ;;
    esac
done <<'SQL'
SELECT count(*) FROM memx_predict AS p JOIN memx_run AS r ON p.job = r.job AND p.config = r.config
SELECT count(*) FROM memx_run AS r LEFT JOIN memx_predict AS p ON p.job = r.job AND p.config = r.config
SELECT count(*) FROM memx_predict AS p LEFT JOIN memx_run AS r ON p.job = r.job
SELECT count(*) FROM memx_stages AS s, memx_gpus AS g WHERE s.job = g.job AND s.config = g.config
SELECT count(*) FROM memx_predict WHERE job = 'xy' OR config = 'tp1'
SELECT count(*) FROM memx_predict WHERE job LIKE 'x%' AND config = 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none'
SELECT count(*) FROM memx_predict WHERE job IN ('xy', 'lab6') AND config = 'tp1.dp8.mb1.seq4096/X-32GB*8:none,Y-64GB*24:none'
SELECT count(*) FROM memx_predict WHERE job = 'xy' AND config IN (SELECT config FROM memx_configs WHERE job = 'xy' LIMIT 3)
SELECT count(*) FROM memx_predict WHERE job = 'XY' COLLATE NOCASE AND config = 'tp1.dp8.mb1.seq4096/X-32GB*8:none,Y-64GB*24:none'
SELECT count(*) FROM memx_configs AS a JOIN memx_configs AS b ON a.space = b.space AND a.job = 'lab6' AND b.job = 'lab6'
SELECT count(*) FROM memx_configs AS a JOIN memx_configs AS b ON a.max_rows = b.peak_mib WHERE a.job = 'lab6' AND b.job = 'lab6'
SELECT count(*) FROM memx_job AS j LEFT JOIN memx_configs AS c ON c.space = j.space AND c.job = j.job
SELECT count(*) FROM memx_job AS j RIGHT JOIN memx_configs AS c ON c.space = j.space AND c.job = j.job
SELECT count(*) FROM memx_job AS j FULL JOIN memx_configs AS c ON c.space = j.space AND c.job = j.job
SELECT count(*) FROM memx_configs AS c LEFT JOIN memx_job AS j ON c.space = j.space AND c.job = j.job
SELECT count(*) FROM memx_configs WHERE (job, config) IN (SELECT job, config FROM memx_best)
SELECT count(*) FROM memx_configs WHERE job = (SELECT job FROM memx_job ORDER BY job LIMIT 1) AND space = (SELECT min(space) FROM memx_space)
SELECT count(*) FROM memx_configs WHERE (job = 'lab6' AND space = 'megatron') OR (job = 'xy' AND space = 'default')
SELECT count(*) FROM memx_configs WHERE space IN ('default', 'megatron') AND job = 'lab6'
SELECT count(*) FROM memx_configs WHERE space > 'd'
SELECT count(*) FROM memx_configs WHERE space LIKE 'd%'
SELECT count(*) FROM memx_configs WHERE weights <> 'safe'
SELECT count(*) FROM memx_configs NATURAL JOIN memx_job
SELECT count(*) FROM memx_reference AS r JOIN memx_why AS w ON r.job = w.job AND r.space = w.space
SELECT count(*) FROM memx_why AS w RIGHT JOIN memx_job AS j ON w.job = j.job
SELECT count(*) FROM memx_job AS j, memx_why(j.job, 'free') WHERE reason = 'feasible'
SELECT count(*) FROM memx_stages('xy', 'tp1.dp8.mb1/X-32GB*8:none,Y-64GB*24:none') AS a JOIN memx_stages AS b USING (job, config, stage)
SELECT count(*) FROM memx_configs AS c WHERE c.job = 'lab6' AND EXISTS (SELECT 1 FROM memx_stages(c.job, c.config) WHERE idle > 0.3)
SELECT (SELECT count(*) FROM memx_gpus(b.job, b.config)) FROM memx_best AS b
SQL
exit $failed
