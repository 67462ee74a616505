#!/usr/bin/env bash
# memx_watch(): another connection reads how far a training, a calibration or a scan is; lines on standard
# error; nothing is written unless asked, and no fault of the file fails the work.
set -euo pipefail
fail() { echo "$*"; exit 1; }
db=$TMP_DIR/my.db
cp "$DEMO_DB" "$db"
shell() { $SQLITE3 -batch -init /dev/null -cmd ".load $MEMX" "$db" "$@" 2>&1; }
shell >/dev/null <<'SQL'
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6)
    INSERT INTO memx_profile(device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length,
        in_flight, sequence_parallel, distributed_optimizer, time_ms, reserved_mib)
    SELECT 'A100-SXM-80GB', 'llama2-7b', 'megatron-fp16', 2 * l.i, 0, 0, 1, 1, m.i, 1024 * s.i, 1, 0, 0,
        l.i * m.i * s.i * 5.0 * (1 + 0.1 * (l.i % 3)), 3000 + 500 * l.i * m.i
    FROM n AS l, n AS m, n AS s;
SQL
scan="SELECT count(*) FROM memx_configs WHERE job = 'mix20' AND space = 'free' AND max_rows = 9000000000000000"

# Lines, on standard error alone, only where asked.
timeout -s INT -k 9 4 $SQLITE3 -batch -init /dev/null -cmd ".load $MEMX" "$db" \
    "SELECT memx_watch('stderr')" "$scan" >"$TMP_DIR/out" 2>"$TMP_DIR/lines" || true
[ "$(cat "$TMP_DIR/out")" = stderr ] || fail "standard output: $(cat "$TMP_DIR/out")"
grep -qE '^memx_configs: rows of job mix20: [1-9][0-9]* of 8886765594901306, [0-9.]+ s$' "$TMP_DIR/lines" ||
    fail "lines: $(cat "$TMP_DIR/lines")"
grep -qE '^memx_configs: .* s, interrupted$' "$TMP_DIR/lines" || fail "the last line: $(cat "$TMP_DIR/lines")"
timeout -s INT -k 9 2 $SQLITE3 -batch -init /dev/null -cmd ".load $MEMX" "$db" \
    "SELECT memx_watch('stderr')" "SELECT memx_watch(NULL)" "$scan" >/dev/null 2>"$TMP_DIR/lines" || true
! grep -q memx_configs "$TMP_DIR/lines" || fail "not asked: $(cat "$TMP_DIR/lines")"

# What is refused, and leaves no trace.
ln -s my.db "$TMP_DIR/link.db"
for path in "$db" "$TMP_DIR/link.db" '' ':memory:' "$TMP_DIR/none/p.db" "$TMP_DIR"; do
    case $(shell "SELECT memx_watch('$path')" || true) in
    *'memx_watch: '*) ;;
    *) fail "memx_watch('$path') is not refused" ;;
    esac
done
# Nor what stands beside one's own database.
case $(shell "PRAGMA journal_mode = wal" "SELECT memx_watch('$db-wal')" || true) in
*'is open in this connection'*) ;;
*) fail "memx_watch('$db-wal') is not refused" ;;
esac
shell "PRAGMA journal_mode = delete" >/dev/null
# Nor is a file made of what is no file's name, or another's table taken.
$SQLITE3 "$TMP_DIR/theirs.db" 'CREATE TABLE memx_progress(x); INSERT INTO memx_progress VALUES (1)'
$SQLITE3 "$TMP_DIR/view.db" 'CREATE VIEW memx_progress AS SELECT 1 AS id'
for target in 42 4.5 "x'61'" "'stdout'" "'STDOUT'" "'$TMP_DIR/theirs.db'" "'$TMP_DIR/view.db'"; do
    case $(shell "SELECT memx_watch($target)" || true) in
    *'memx_watch'*': '*) ;;
    *) fail "memx_watch($target) is not refused" ;;
    esac
done
[ "$($SQLITE3 "$TMP_DIR/theirs.db" 'SELECT * FROM memx_progress')" = 1 ] || fail "another's table was changed"
[ "$(shell "SELECT memx_watch('STDERR')")" = stderr ] || fail "STDERR is not stderr"
for name in 42 4.5 a stdout STDOUT STDERR; do
    [ ! -e "$name" ] || fail "a file $name"
done
[ "$(shell "SELECT count(*) FROM sqlite_schema WHERE name = 'memx_progress'")" = 0 ] || fail "a table in one's own database"
case $(shell "CREATE VIEW v AS SELECT memx_watch('stderr')" "SELECT * FROM v" || true) in
*unsafe*) ;; *) fail "a view may call memx_watch" ;;
esac
# What ends soon is not written either.
shell "SELECT memx_watch('$TMP_DIR/short.db')" "SELECT phi FROM memx_configs WHERE job = 'xy' ORDER BY phi LIMIT 1" >/dev/null
[ "$($SQLITE3 "$TMP_DIR/short.db" 'SELECT count(*) FROM memx_progress WHERE seconds < 0.5')" = 0 ] || fail "a row for a short query"

python=$(tests/hosts/find_python.sh) || { echo "lines are written; for the rest, no python3 whose sqlite3 loads extensions"; exit 77; }
ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" ${PRELOAD:-} "$python" - "$MEMX" "$db" "$TMP_DIR/progress.db" <<'PYTHON'
import os, sqlite3, sys, threading, time

extension, database, file = sys.argv[1:]
bad = False


def check(what, got, wanted=True):
    global bad
    print("ok:" if got == wanted else "WRONG:", what, "" if got == wanted else f"{got!r}, not {wanted!r}")
    bad = bad or got != wanted


def connect():
    db = sqlite3.connect(database, check_same_thread=False, isolation_level=None)
    db.enable_load_extension(True)
    db.load_extension(extension)
    return db


def rows(path):
    other = sqlite3.connect(path, timeout=10)
    other.row_factory = sqlite3.Row
    found = [dict(r) for r in other.execute("SELECT * FROM memx_progress ORDER BY id")]
    other.close()
    return found


def watch(db, sql, stop=None, most=60, meanwhile=None):
    """Runs it in a thread and answers what was seen of it, row after row, and its result."""
    answer, seen, known = [], [], 0 if meanwhile or not os.path.exists(file) else len(rows(file))

    def run():
        try:
            answer.append(db.execute(sql).fetchall())
        except sqlite3.Error as error:
            answer.append(str(error))

    thread = threading.Thread(target=run)
    begin = time.monotonic()
    thread.start()
    while thread.is_alive():
        time.sleep(0.1)
        if meanwhile:
            meanwhile()
            continue
        now = rows(file)[known:]
        if now and (not seen or now[0] != seen[-1]):
            seen.append(now[0])
        if time.monotonic() - begin > most or stop and stop(seen):
            db.interrupt()
    thread.join()
    seen += rows(file)[known:] if not meanwhile else []
    return seen, answer[0]


db = connect()
check("answers the file", db.execute("SELECT memx_watch(?)", (file,)).fetchone()[0], os.path.realpath(file))

# A scan, which another connection reads while it goes on.
FREE = "FROM memx_configs WHERE job = 'mix20' AND space = 'free' AND max_rows = 9000000000000000"
three = lambda seen: len({r["done"] for r in seen if r["what"] == seen[-1]["what"]}) >= 3
last = lambda seen: [r for r in seen if r["what"] == seen[-1]["what"]]  # what went before is told as well
seen, answer = watch(db, f"SELECT count(*) {FREE}", three)
seen = last(seen)
check("a scan was interrupted", answer, "interrupted")
check("of three numbers", len({r["done"] for r in seen}) >= 3)
check("they grow", [r["done"] for r in seen], sorted(r["done"] for r in seen))
check("so does time", [r["seconds"] for r in seen], sorted(r["seconds"] for r in seen))
check("what it is", {(r["work"], r["what"], r["total"], r["process"]) for r in seen},
      {("memx_configs", "rows of job mix20", 8886765594901306, os.getpid())})
check("its state", (seen[0]["state"], seen[-1]["state"]), ("running", "interrupted"))
# A ranked search knows no total.
seen, answer = watch(db, f"SELECT config {FREE} AND bubble < 0 ORDER BY iteration_ms LIMIT 1", three)
check("a ranked search", (answer, three(seen), seen[-1]["total"]), ("interrupted", True, None))
seen = last(seen)
check("grows", [r["done"] for r in seen], sorted(r["done"] for r in seen))
# The outer table of a join is what is told.
seen, answer = watch(db, f"SELECT count(*) FROM (SELECT tp {FREE}) AS a, memx_configs AS b WHERE b.job = 'xy' AND b.tp = a.tp", three)
check("a join", {r["what"] for r in last(seen)}, {"rows of job mix20"})

# A training, and a calibration.
seen, answer = watch(db, """SELECT memx_train('watched', '{"rounds": 200, "augment": 0}') ->> 'rows'""")
check("a training", answer, [(216,)])
check("is seen", len(seen) >= 2 and {r["work"] for r in seen} == {"memx_train"})
check("its steps", {r["what"].split(",")[0] for r in seen} <= {"groups held out", "rounds of trees", "sweeps over the constants",
      "rows of memx_profile read", "rows of memx_augmented read", "runs read"})
check("ends", seen[-1]["state"], "ended")
db.execute("SELECT memx_watch(NULL)")
quiet = db.execute("""SELECT memx_train('quiet', '{"rounds": 200, "augment": 0}') ->> 'figures'""").fetchone()
check("learns the same", db.execute("SELECT count(DISTINCT ranges), count(*) FROM memx_predictor").fetchone(), (1, 2))
db.execute("SELECT memx_watch(?)", (file,))
seen, answer = watch(db, "SELECT memx_calibrate('mix20') ->> 'predictor'")
check("a calibration", answer, [("mix20",)])
check("is told", all(r["work"] == "memx_calibrate" for r in seen))

# From its beginning, where SQLite looks for neighbours among many rows, and when it is interrupted there.
columns = """device, model, framework, layers, first_stage, last_stage, tp, dp, micro_batch, seq_length, in_flight,
    sequence_parallel, distributed_optimizer, time_ms, reserved_mib"""
many = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
many.enable_load_extension(True)
many.load_extension(extension)
sqlite3.connect(database).backup(many)
many.execute(f"""WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
    INSERT INTO memx_profile({columns}) SELECT {columns.replace('seq_length', 'seq_length + i').replace('time_ms', 'time_ms + i')}
    FROM memx_profile, n""")
many.execute("SELECT memx_watch(?)", (file,))
seen, answer = watch(many, "SELECT memx_train('many')", lambda seen: seen)
check("is interrupted", answer, "interrupted")
check("is seen at once", seen[0]["seconds"] < 3 and seen[0]["what"] in ("rows of memx_profile read", "rows of memx_augmented read"))
check("and its end", seen[-1]["state"], "interrupted")
many.close()

# Whatever happens to the file, the work goes on: it is locked, it is gone, it is no database.
sql = f"SELECT sum(phi > 0) FROM (SELECT phi {FREE} LIMIT 9000000)"
begin = time.monotonic()
count = db.execute(sql).fetchall()
check(f"long enough: {time.monotonic() - begin:.1f} s", time.monotonic() - begin > 0.6)
holder = sqlite3.connect(file, isolation_level=None)
holder.execute("BEGIN EXCLUSIVE")
check("locked", watch(db, sql, meanwhile=lambda: None)[1], count)
holder.execute("ROLLBACK")
holder.close()
os.remove(file)
check("gone", watch(db, sql, meanwhile=lambda: None)[1], count)
with open(file, "w") as f:
    f.write("no database at all, " * 100)
check("damaged", watch(db, sql, meanwhile=lambda: None)[1], count)
check("is left as it was", open(file).read(11), "no database")
os.remove(file)
sqlite3.connect(file).execute("CREATE TABLE memx_progress(x)")
check("another table of that name", watch(db, sql, meanwhile=lambda: None)[1], count)
os.remove(file)
os.mkdir(file)
check("a directory", watch(db, sql, meanwhile=lambda: None)[1], count)
os.rmdir(file)

# A file that was attached since is not written: the work's own locks would be in the way.
db.execute("SELECT memx_watch(?)", (file,))
db.execute("ATTACH ? AS own", (file,))
check("attached since", watch(db, sql, meanwhile=lambda: None)[1], count)
check("not written", db.execute("SELECT count(*) FROM own.memx_progress").fetchone(), (0,))
db.execute("DETACH own")

# A host that forbids ATTACH forbids this.
db.set_authorizer(lambda action, *rest: sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH else sqlite3.SQLITE_OK)
try:
    db.execute("SELECT memx_watch(?)", (file + "2",))
    check("ATTACH is forbidden", "allowed", "refused")
except sqlite3.Error as error:
    check("ATTACH is forbidden", "does not let SQL open files" in str(error))
check("no file", os.path.exists(file + "2"), False)
db.close()
sys.exit(bad)
PYTHON
