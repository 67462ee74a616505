"""MemX over ODBC, through pyodbc: odbc.py DATABASE EXTENSION. Prints what is wrong, and exits with 1 then."""
import sys, threading, time

import pyodbc

database, extension = sys.argv[1:]
bad = False


def check(what, got, wanted):
    global bad
    print("ok:" if got == wanted else "WRONG:", what, "" if got == wanted else f"{got!r}, not {wanted!r}")
    bad = bad or got != wanted


def fails(what, cursor, query, message):
    try:
        check(what, cursor.execute(query).fetchall(), f"an error: {message}")
    except pyodbc.Error as error:
        check(what, message if message in str(error) else str(error), message)


def types(cursor, query):
    cursor.execute(query)
    return [column[1].__name__ for column in cursor.description]


TEXT, LONG, BIG, DOUBLE, WORD = pyodbc.SQL_VARCHAR, pyodbc.SQL_LONGVARCHAR, pyodbc.SQL_BIGINT, pyodbc.SQL_DOUBLE, 4
FREE = "FROM memx_configs WHERE job = 'mix20' AND space = 'free' AND max_rows = 9000000000000000"
for options in ("BigInt=1", "BigInt=1;StepAPI=1;NoTXN=1"):
    print(options)
    db = pyodbc.connect(f"Driver=SQLite3;Database={database};LoadExt={extension};{options}", autocommit=True)
    cursor = db.cursor()

    # What a BI tool lists: tables, views, and the type of every column.
    tables = {row.table_name: row.table_type for row in cursor.tables()}
    for table in ("memx_device", "memx_cluster", "memx_node", "memx_model", "memx_job", "memx_run", "memx_predictor"):
        check(f"{table} is listed", tables.get(table), "TABLE")
    views = ("memx_best", "memx_fastest", "memx_all_configs", "memx_measured", "memx_run_stages")
    for view in views:
        check(f"{view} is listed", tables.get(view), "VIEW")
    seen = {}
    for table, kind in tables.items():
        for c in db.cursor().columns(table=table):
            seen[table, c.column_name] = c.data_type
            if not c.type_name or c.data_type not in (TEXT, LONG, BIG, DOUBLE, WORD):
                check(f"{table}.{c.column_name} has a type", (c.type_name, c.data_type), "one of five")
            if c.data_type == WORD and c.column_name not in ("id", "run"):
                check(f"{table}.{c.column_name} holds 64 bits", c.type_name, "BIGINT")
    for table, column, kind in (
        ("memx_best", "phi", DOUBLE), ("memx_best", "config", LONG), ("memx_fastest", "iteration_ms", DOUBLE),
        ("memx_all_configs", "tp", BIG), ("memx_all_configs", "job", TEXT), ("memx_all_configs", "phi", DOUBLE),
        ("memx_measured", "predicted_total_mib", DOUBLE), ("memx_measured", "fits", BIG),
        ("memx_run_stages", "weighted_ms", DOUBLE), ("memx_node", "gpus", BIG), ("memx_device", "memory_mib", DOUBLE),
    ):  # fmt: skip
        check(f"{table}.{column}", seen.get((table, column)), kind)

    # The ten best through a view, as the table itself has them.
    best = cursor.execute("SELECT config, tp, phi FROM memx_all_configs WHERE job = 'mix20' ORDER BY phi LIMIT 10").fetchall()
    check("ten rows", len(best), 10)
    check("in order", [r.phi for r in best], sorted(r.phi for r in best))
    check("types of a row", [type(x).__name__ for x in best[0]], ["str", "int", "float"])
    rows = cursor.execute("SELECT config, tp, phi FROM memx_configs WHERE job = ? ORDER BY phi LIMIT ?", "mix20", 10).fetchall()
    check("the same with parameters", [tuple(r) for r in rows], [tuple(r) for r in best])
    check("memx_best", cursor.execute("SELECT config FROM memx_best WHERE job = 'mix20'").fetchone()[0], best[0].config)
    config = best[0].config
    stages = cursor.execute("SELECT stage, device, layers FROM memx_stages(?, ?)", "mix20", config).fetchall()
    check("stages", [type(x).__name__ for x in stages[0]], ["int", "str", "int"])
    check("layers add up", sum(s.layers for s in stages), 32)

    # A column whose first row is NULL has its own type all the same; what does not fit 32 bits is not cut.
    cursor.execute("DELETE FROM memx_run_gpu")
    cursor.execute("DELETE FROM memx_run")
    cursor.execute("INSERT INTO memx_run(id, job, config) VALUES (1, 'mix20', 'none')")
    cursor.execute("INSERT INTO memx_run(id, job, config, iteration_ms, total_mib) VALUES (2, 'mix20', ?, 31000.5, 20000)", config)
    check("NULL first", types(cursor, "SELECT iteration_ms, total_mib FROM memx_run ORDER BY id"), ["float", "float"])
    check("its rows", [tuple(r) for r in cursor.fetchall()], [(None, None), (31000.5, 20000.0)])
    query = "SELECT predicted_ms, gpus, fits, predicted_total_mib FROM memx_measured ORDER BY id"
    check("NULL first, in a view", types(cursor, query), ["float", "int", "int", "float"])
    rows = cursor.fetchall()
    check("its rows", [tuple(rows[0]), [type(x).__name__ for x in rows[1]]], [(None,) * 4, ["float", "int", "int", "float"]])
    query = "SELECT max_rows, tp FROM memx_configs WHERE job = 'xy' AND max_rows = 34359738368 LIMIT 1"
    check("64 bits", cursor.execute(query).fetchone()[0], 34359738368)
    feasible = cursor.execute("SELECT feasible, feasible_exact FROM memx_reference('mix20', 'free')").fetchone()
    check("10^15 rows", (feasible[0] > 8e15, int(feasible[1]) > 8 * 10**15), (True, True))

    # Messages come through whole.
    fails("a job that is not there", cursor, "SELECT * FROM memx_configs WHERE job = 'mix21'", "no job 'mix21'; nearest: mix20")

    # SQLCancel, from another thread, ends a scan of days; the connection goes on.
    for query in (f"SELECT count(*) {FREE}", f"SELECT config {FREE} AND bubble < 0 ORDER BY iteration_ms LIMIT 1"):
        cursor = db.cursor()
        asked = []

        def cancel():
            asked.append(time.monotonic())
            cursor.cancel()

        timer = threading.Timer(0.3, cancel)
        timer.start()
        fails("cancelled", cursor, query, "interrupted")
        took = time.monotonic() - asked[0]
        timer.join()
        check(f"soon: {took:.3f} s", took < 1, True)
        rows = db.cursor().execute("SELECT count(config) FROM memx_configs WHERE job = 'xy'").fetchone()
        check("goes on", int(rows[0]) > 100, True)
    db.close()

# Without StepAPI what is computed has the type of its first row's value; with BigInt=1 of 64 bits.
db = pyodbc.connect(f"Driver=SQLite3;Database={database};LoadExt={extension};BigInt=1", autocommit=True)
query = "SELECT tp * 34359738368 AS a, round(phi, 3) AS b FROM memx_configs WHERE job = 'mix20' ORDER BY phi LIMIT 1"
check("computed", types(db.cursor(), query), ["int", "float"])
check("its value", db.cursor().execute(query).fetchone()[0], 4 * 34359738368)
db.close()

# A LoadExt that does not load is no error of the connection.
db = pyodbc.connect(f"Driver=SQLite3;Database={database};LoadExt=/nowhere/memx.so", autocommit=True)
fails("not loaded", db.cursor(), "SELECT memx_version()", "no such function: memx_version")
sys.exit(bad)
