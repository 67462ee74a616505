"""MemX in Python's sqlite3 module: python.py DATABASE EXTENSION. Prints what is wrong, and exits with 1 then."""
import sqlite3, sys, threading, time

database, extension = sys.argv[1:]
bad = False


def check(what, got, wanted):
    global bad
    print("ok:" if got == wanted else "WRONG:", what, "" if got == wanted else f"{got!r}, not {wanted!r}")
    bad = bad or got != wanted


def connect():
    db = sqlite3.connect(database)
    db.enable_load_extension(True)
    db.load_extension(extension)
    db.enable_load_extension(False)
    return db


def fails(what, db, query, message):
    try:
        check(what, db.execute(query).fetchall(), f"an error: {message}")
    except sqlite3.Error as error:
        check(what, message if message in str(error) else str(error), message)


# What one meets first.
plain = sqlite3.connect(database)
fails("not loaded", plain, "SELECT memx_version()", "no such function: memx_version")
try:
    plain.load_extension(extension)  # some builds of SQLite allow it from the start, Debian's among them
except sqlite3.OperationalError as error:
    check("not allowed", str(error), "not authorized")
try:
    plain.enable_load_extension(True)
    plain.load_extension("/nowhere/memx")
    check("not there", "loaded", "an error")
except sqlite3.OperationalError as error:
    check("not there", "cannot open shared object file" in str(error), True)
plain.close()

TOP = "SELECT config, tp, iteration_ms, phi FROM memx_configs WHERE job = ? ORDER BY phi LIMIT 10"
db = connect()
db.row_factory = sqlite3.Row
rows = db.execute(TOP, ("mix20",)).fetchall()
check("the ten best", (len(rows), [r["phi"] for r in rows]), (10, sorted(r["phi"] for r in rows)))
check("types", [type(x) for x in rows[0]], [str, int, float, float])
# A ranked search goes on row by row for as long as it is asked.
search = db.execute("SELECT config, phi FROM memx_configs('free') WHERE job = 'mix20' ORDER BY phi")
check("one after the other", [next(search)["phi"] <= next(search)["phi"] for _ in range(100)], [True] * 100)
search.close()
fails("its messages", db, "SELECT * FROM memx_configs WHERE job = 'mix21'", "no job 'mix21'; nearest: mix20")

# interrupt() from another thread; a progress handler, as hosts with a time limit set one (Datasette does).
LONG = "SELECT count(*) FROM memx_configs WHERE job = 'mix20' AND space = 'free' AND max_rows = 9000000000000000"
asked = []
timer = threading.Timer(0.3, lambda: (asked.append(time.monotonic()), db.interrupt()))
timer.start()
fails("interrupt()", db, LONG, "interrupted")
check("soon after it", time.monotonic() - asked[0] < 0.5, True)
timer.join()
for steps in (1, 1000):
    end = time.monotonic() + 0.3
    db.set_progress_handler(lambda: 1 if time.monotonic() >= end else 0, steps)
    fails(f"a time limit, asked every {steps} steps", db, LONG, "interrupted")
    check("soon after it", time.monotonic() - end < 0.5, True)
    db.set_progress_handler(None, 0)
check("goes on", len(db.execute(TOP, ("xy",)).fetchall()), 10)
db.close()

# Threads, each with a connection of its own, which all give the same.
answers = {}


def work(number):
    own = connect()
    answers[number] = [own.execute(TOP, (job,)).fetchall() for job in ("mix20", "lab6", "xy") for _ in range(3)]
    own.close()


threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
for t in threads:
    t.start()
for t in threads:
    t.join()
check("threads", len(answers) == 6 and all(a == answers[0] for a in answers.values()), True)

# Two connections to one file: what one commits, the other's next query sees.
one, two = connect(), connect()
before = two.execute(TOP, ("xy",)).fetchall()
with one:
    one.execute("UPDATE memx_job SET global_batch = 2 * global_batch WHERE job = 'xy'")
check("another connection's change", two.execute(TOP, ("xy",)).fetchall() != before, True)
with one:
    one.execute("UPDATE memx_job SET global_batch = global_batch / 2 WHERE job = 'xy'")
check("and back", two.execute(TOP, ("xy",)).fetchall(), before)
sys.exit(bad)
