"""What stops memx_train(), memx_calibrate(), memx_init() and memx_views() from outside: authorizers that refuse or
ignore transactions, triggers that leave out rows, a broken foreign key, another connection's lock. Nothing changes,
nothing stays open, and the error says why. And what reads when others write, or hide columns, or show rows by chance.

    refusals.py BASE DATABASE EXTENSION   BASE: the demo with base.sql
"""
import shutil
import sqlite3
import sys

base, path, extension = sys.argv[1:]
bad = 0


def connect(fresh=True):
    if fresh:
        shutil.copy(base, path)
    c = sqlite3.connect(path, isolation_level=None)
    c.enable_load_extension(True)
    c.load_extension(extension)
    return c


def state(c):
    return c.in_transaction, c.execute("SELECT count(*), (SELECT count(*) FROM memx_tree) FROM memx_predictor").fetchone()


def call(c, function):
    try:
        c.execute("SELECT " + function).fetchone()
        return None
    except sqlite3.Error as e:
        return str(e)


def wrong(*what):
    global bad
    bad += 1
    print(*what)


OK, DENY, IGNORE, READ, TRANSACTION, FUNCTION, SAVEPOINT = 0, 1, 2, 20, 22, 31, 32
sqlite3_busy = 5
functions = ("memx_train('served')", "memx_calibrate('mix20')", "memx_init()", "memx_views()")
for answer in (DENY, IGNORE):
    for of in ((TRANSACTION, "BEGIN"), (TRANSACTION, "COMMIT"), (TRANSACTION, "ROLLBACK"),
               (SAVEPOINT, "BEGIN"), (SAVEPOINT, "RELEASE"), (SAVEPOINT, "ROLLBACK")):
        if answer == IGNORE and of == (SAVEPOINT, "BEGIN"):
            continue  # nobody can tell before it is released; the caller's own transaction still undoes it
        for function in functions:
            for inside in (False, True):
                c = connect()
                c.execute("DROP VIEW IF EXISTS memx_best")  # memx_views() then has something to do
                if inside:
                    c.execute("BEGIN")
                before = state(c)
                c.set_authorizer(lambda action, name, *rest: answer if (action, name) == of else 0)
                error = call(c, function)
                c.set_authorizer(None)
                met = of[0] == (SAVEPOINT if inside else TRANSACTION)
                if answer == DENY and met and "not authorized" not in (error or ""):
                    wrong(of, function, inside, "is refused and says", error)
                if error and state(c) != before:
                    wrong(of, function, inside, error, "left", state(c), "of", before)
                if not error and c.in_transaction != inside:
                    wrong(of, function, inside, "leaves a transaction open")
                c.close()

# A constraint that fails only at the commit.
c = connect()
before = state(c)
c.executescript("""
    PRAGMA foreign_keys = on;
    CREATE TABLE mine(p, FOREIGN KEY (p) REFERENCES memx_predictor(predictor) DEFERRABLE INITIALLY DEFERRED);
    CREATE TRIGGER late AFTER INSERT ON memx_predictor BEGIN INSERT INTO mine(p) VALUES ('nobody'); END;""")
error = call(c, functions[0])
if "FOREIGN KEY" not in (error or "") or state(c) != before:
    wrong("a foreign key:", error, state(c))
c.executescript("DROP TRIGGER late; DROP TABLE mine")

# Triggers that leave out what is written.
for when in ("INSERT ON memx_predictor", "DELETE ON memx_tree", "DELETE ON memx_predictor"):
    c.execute("CREATE TRIGGER leaves_out BEFORE %s BEGIN SELECT raise(ignore); END" % when)
    error = call(c, functions[0])
    if not error or state(c) != before:
        wrong("a trigger before", when, error, state(c))
    c.execute("DROP TRIGGER leaves_out")

# Another connection that reads.
c.execute("PRAGMA busy_timeout = 0")
other = connect(fresh=False)
rows = other.execute("SELECT * FROM memx_tree")
rows.fetchone()
error = call(c, functions[0])
if error is None or "locked" not in error or state(c) != before:
    wrong("a reader:", error, state(c))
rows.close()
if call(c, functions[0]):
    wrong("does not succeed afterwards")

# A database that is locked: the message says so and blames nothing else, and the code is one that hosts ask again on.
lock = connect(fresh=False)
lock.execute("BEGIN EXCLUSIVE")
locked = functions + ("memx_train('served', '{\"rounds\": 3}')", "memx_report('xy')", "config_problem('xy', 'tp1')",
                      "count(*) FROM memx_configs WHERE job = 'xy'", "count(*) FROM memx_predict('xy', 'tp1')")
for function in locked:
    try:
        c.execute("SELECT " + function).fetchone()
        wrong(function, "does without the lock")
    except sqlite3.Error as e:
        if "database is locked" not in str(e) or "options" in str(e) or "drop" in str(e) or "again" in str(e):
            wrong(function, "is locked and says", e)
        if getattr(e, "sqlite_errorcode", sqlite3_busy) != sqlite3_busy:
            wrong(function, "is locked and answers", e.sqlite_errorcode)
lock.execute("ROLLBACK")

# What an authorizer denies is no fault of the tables, the options or the predictor.
for what, function, action, name in ((READ, "memx_init()", "memx_device", "peak_tflops"),
                                     (FUNCTION, "memx_init()", None, "coalesce"),
                                     (FUNCTION, "memx_train('served', '{\"rounds\": 3}')", None, "json_extract"),
                                     (READ, "count(*) FROM memx_configs WHERE job = 'mix20'", "memx_predictor", "ranges")):
    c.set_authorizer(lambda a, table, column, *rest: DENY if (a, table, column) == (what, action, name) else OK)
    error = call(c, function)
    c.set_authorizer(None)
    if name not in (error or "") or "drop it" in error or "write JSON" in error or "train it again" in error:
        wrong(function, "without", name, "says", error)

# A trigger's own message, in one line.
c.executescript("""DELETE FROM memx_alias; CREATE TRIGGER two BEFORE INSERT ON memx_alias
    BEGIN SELECT raise(abort, 'two
lines'); END;""")
error = call(c, "memx_init()")
if error != "memx_init(): two lines":
    wrong("a trigger says", repr(error))
c.close()

# A view that has a row at one time and not at another: an answer or an error each time.
c = connect()
c.executescript("""
    DROP VIEW memx_best; DROP VIEW memx_fastest; DROP VIEW memx_all_configs; DROP VIEW memx_run_stages; DROP VIEW memx_measured;
    PRAGMA legacy_alter_table = 1; ALTER TABLE memx_model RENAME TO m;
    CREATE VIEW memx_model AS SELECT * FROM m WHERE random() % 2 = 0""")
for k in range(20):
    for function in ("count(*) FROM memx_why", "count(*) FROM memx_reference", "memx_report('xy')", "memx_train('served')"):
        try:
            if c.execute("SELECT " + function).fetchone()[0] is None:
                wrong(function, "answers NULL")
        except sqlite3.Error as e:
            if not any(why in str(e) for why in ("no model", "learned from", "no configuration fits")):
                wrong(function, "by chance says", e)
c.close()

# Between the reads of one call another connection commits: the answer is of one state, as before or as after.
config = "tp8.dp1.mb1.seq4096/X-32GB*11:full,Y-64GB*21:none"
changes = ("UPDATE memx_cluster SET inter_gbs = 0.1 WHERE cluster = 'xy'", "UPDATE memx_model SET ffn_hidden = 22016",
           "UPDATE memx_device SET peak_tflops = peak_tflops / 2")
for mode in ("delete", "wal"):
    for function in ("memx_trace('xy', ?)", "memx_report('xy', ?)"):
        answers = []
        for when in ("before", "after", "between"):
            c = connect()
            c.execute("PRAGMA journal_mode = " + mode)
            other = sqlite3.connect(path, isolation_level=None, timeout=0)
            tried = []

            def commit(statement):
                if "FROM memx_model" not in statement or tried:
                    return
                tried.append(statement)
                try:
                    other.execute("BEGIN IMMEDIATE")
                    for change in changes:
                        other.execute(change)
                    other.execute("COMMIT")
                except sqlite3.OperationalError:  # it must wait for the call
                    other.execute("ROLLBACK")

            if when == "after":
                commit("FROM memx_model")
            if when == "between":
                c.set_trace_callback(commit)
            answers.append(c.execute("SELECT " + function, (config,)).fetchone()[0])
            c.set_trace_callback(None)
            if when == "between" and not tried:
                wrong(function, "read no model")
            other.close()
            c.close()
        if answers[0] == answers[1] or answers[2] not in answers[:2]:
            wrong(mode, function, "is of neither state")

# A progress handler that interrupts once, and then no more: what follows must not go on by itself.
once = 0
for function in ("memx_views()", "memx_init()"):
    for inside in (False, True):
        for k in range(1, 300):
            c = connect()
            c.execute("DELETE FROM memx_alias")
            c.execute("DROP VIEW IF EXISTS memx_fastest")
            if inside:
                c.execute("BEGIN")
                c.execute("INSERT INTO memx_weights(weights, w_time, w_peak, w_variance) VALUES ('zz', 0.5, 0.3, 0.2)")
            ticks = iter(range(1, 1 << 30))
            c.set_progress_handler(lambda: next(ticks) == k, 1)
            error = call(c, function)
            c.set_progress_handler(None, 0)
            if error is None:
                c.close()
                break
            once += 1
            if "interrupt" not in error:
                wrong(function, inside, k, "interrupted once, and says", error)
            if c.in_transaction:
                c.execute("ROLLBACK")
            left = c.execute("SELECT (SELECT count(*) FROM memx_alias), (SELECT count(*) FROM sqlite_schema "
                             "WHERE name = 'memx_fastest'), (SELECT count(*) FROM memx_weights WHERE weights = 'zz')").fetchone()
            if left != (0, 0, 0):
                wrong(function, inside, k, "interrupted once, and left", left)
            c.close()

# Columns that an authorizer makes NULL: an answer or an error.
c = connect()
reads = set()
c.set_authorizer(lambda action, table, column, *rest: (reads.add((table, column)) if action == READ else None, OK)[1])
c.execute("SELECT memx_report('xy')").fetchone()
for read in sorted(reads, key=str):
    c.set_authorizer(lambda action, table, column, *rest: IGNORE if action == READ and (table, column) == read else OK)
    call(c, "memx_report('xy')")
c.set_authorizer(None)
if call(c, "memx_report('xy')"):
    wrong("no report afterwards")

print("refusals\t%d\tcalls\twrong: %d" % (2 * 6 * 4 * 2 - 8 + 6 + len(locked) + 5 + 80 + 12 + once + len(reads), bad))
sys.exit(bad > 0)
