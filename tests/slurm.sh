#!/usr/bin/env bash
# queries/scale_out on a real Slurm, started here for the purpose: an array over the default space of mix20 times 100
# weightings, a task of it killed in the middle and another cancelled, merged and compared with one process row for row.
# `make slurm-test` calls this, as root: Slurm and MUNGE are installed with apt-get where they are missing. Prints lines of
# name, value, unit, note; exit code 1 when anything was wrong.
#
#   tests/slurm.sh [TASKS]
set -u
cd "$(dirname "$0")/.." || exit 1
tasks=${1:-40}
memx=${MEMX:-./${BUILD:-build}/memx} demo=${DEMO_DB:-${BUILD:-build}/demo.db}
die() { echo "tests/slurm.sh: $*" >&2; exit 1; }

[ "$(id -u)" = 0 ] || die "starts slurmctld and slurmd: run it as root"
if ! command -v slurmctld >/dev/null || ! command -v slurmd >/dev/null || ! command -v munged >/dev/null; then
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends slurm-wlm munge >/dev/null ||
        die "apt-get install slurm-wlm munge"
fi
dir=$(mktemp -d) || exit 1
export SLURM_CONF=$dir/slurm.conf
munged=
stop() {
    for pid in "$dir"/slurmctld.pid "$dir"/slurmd.pid; do [ -e "$pid" ] && kill "$(cat "$pid")" 2>/dev/null; done
    [ -z "$munged" ] || kill "$(cat /run/munge/munged.pid)" 2>/dev/null
    sleep 1
    rm -rf "$dir"
}
trap stop EXIT

# ---- one node, which is this machine ----
node=$(hostname -s)
mkdir -p "$dir/state" "$dir/spool" "$dir/log" /run/munge /var/log/munge /var/lib/munge
chown munge:munge /run/munge /var/log/munge /var/lib/munge && chmod 755 /run/munge
if ! munge -n 2>/dev/null | unmunge >/dev/null 2>&1; then
    runuser -u munge -- /usr/sbin/munged && munged=yes
    munge -n | unmunge >/dev/null || die "MUNGE does not start"
fi
cat >"$SLURM_CONF" <<CONF
ClusterName=memx
SlurmctldHost=$node(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd.log
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MaxArraySize=1001
SchedulerParameters=batch_sched_delay=0,sched_interval=1
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=$node Default=YES MaxTime=INFINITE State=UP
CONF
slurmctld -f "$SLURM_CONF" && sleep 2 && slurmd -f "$SLURM_CONF" || die "Slurm does not start: $(tail -n 3 "$dir"/log/*)"
for _ in $(seq 30); do
    [ "$(sinfo -h -o %T 2>/dev/null)" = idle ] && break
    sleep 1
done
[ "$(sinfo -h -o %T)" = idle ] || die "the node is $(sinfo -h -o %T)"
printf 'slurm.version\t%s\t\ton one node of %s CPUs\n' "$(sinfo --version | sed 's/.* //')" "$(nproc)"

# ---- the array; one task is killed, one cancelled ----
export MEMX=$memx SCRATCH=$dir
sweep=queries/scale_out/tasks/sweep_weights.sql
start=$(date +%s)
queries/scale_out/run.sh $sweep "$demo" "$dir/array" "$tasks" >"$dir/run.txt" 2>&1 &
runner=$!
killed=0 cancelled=0
for _ in $(seq 1200); do
    kill -0 $runner 2>/dev/null || break
    if [ $killed = 0 ] && pid=$(pgrep -f "sqlite3.*$dir/array" | head -n 1) && [ -n "$pid" ] && kill -9 "$pid" 2>/dev/null; then
        killed=1
    elif [ $killed = 1 ] && [ $cancelled = 0 ]; then
        job=$(squeue -h -t running -r -o %i | tail -n 1)
        [ -n "$job" ] && scancel "$job" && cancelled=1
    fi
    sleep 0.1
done
wait $runner
code=$?
seconds=$(($(date +%s) - start))
printf 'slurm.tasks\t%d\ttasks\tof %d are done, in %d s, waiting for Slurm included\n' "$(find "$dir/array" -name 'task-*.db' | wc -l)" "$tasks" $seconds
printf 'slurm.killed\t%d\ttasks\tby kill -9 while they ran; cancelled by scancel: %d; each was tried again\n' $killed $cancelled
printf 'slurm.started\t%d\ttasks\tby Slurm, of whatever end\n' "$(find "$dir/array/logs" -name 'slurm-*' | wc -l)"

# ---- one process, and the comparison ----
LOCAL=1 queries/scale_out/run.sh $sweep "$demo" "$dir/one" 1 >>"$dir/run.txt" 2>&1
queries/scale_out/merge.sh "$dir/array" "$dir/array.db" >>"$dir/run.txt" 2>&1
queries/scale_out/merge.sh "$dir/one" "$dir/one.db" >>"$dir/run.txt" 2>&1
read -r configs scores same_config same_score weightings <<<"$(sqlite3 -batch -init /dev/null -separator ' ' "$dir/array.db" "
    ATTACH '$dir/one.db' AS one;
    CREATE INDEX one.by_config ON config(config);
    CREATE TEMP TABLE pair AS SELECT a.id AS a, b.id AS b FROM main.config AS a CROSS JOIN one.config AS b USING (config)
        WHERE a.iteration_ms = b.iteration_ms AND a.peak_mib = b.peak_mib AND a.memory_variance = b.memory_variance;
    SELECT (SELECT count(*) FROM one.config), (SELECT count(*) FROM one.score), (SELECT count(*) FROM pair),
        (SELECT count(*) FROM pair CROSS JOIN weighting AS w CROSS JOIN main.score AS s CROSS JOIN one.score AS t
            WHERE s.weighting = w.weighting AND s.id = pair.a AND t.weighting = w.weighting AND t.id = pair.b
                AND s.phi = t.phi),
        (SELECT count(*) FROM (SELECT * FROM main.weighting INTERSECT SELECT * FROM one.weighting))")"
rows=$(sqlite3 -batch -init /dev/null "$dir/array.db" 'SELECT (SELECT count(*) FROM config) || (SELECT count(*) FROM score)')
printf 'slurm.merged\t%s\tscores\tof %s configurations under %s weightings; one process: %s of %s; equal in every digit: %s and %s\n' \
    "$scores" "$configs" "$weightings" "$scores" "$configs" "$same_score" "$same_config"
[ $code -eq 0 ] && [ $killed = 1 ] && [ $cancelled = 1 ] && [ "${weightings:-0}" = 100 ] && [ "${configs:-0}" -gt 0 ] &&
    [ "$rows" = "$configs$scores" ] && [ "$same_config" = "$configs" ] && [ "$same_score" = "$scores" ] && exit 0
cat "$dir/run.txt"
exit 1
