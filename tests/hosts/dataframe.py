"""MemX's rows as data frames of pandas: dataframe.py DATABASE EXTENSION."""
import sqlite3, sys, warnings

import pandas

database, extension = sys.argv[1:]
warnings.simplefilter("error")  # pandas has one for connections that it does not know
db = sqlite3.connect(database)
db.enable_load_extension(True)
db.load_extension(extension)
bad = False


def check(what, got, wanted):
    global bad
    print("ok:" if got == wanted else "WRONG:", what, "" if got == wanted else f"{got!r}, not {wanted!r}")
    bad = bad or got != wanted


top = pandas.read_sql_query("SELECT * FROM memx_configs WHERE job = ? ORDER BY phi LIMIT 10", db, params=["mix20"])
check("rows", len(top), 10)
check("in order", top.phi.is_monotonic_increasing, True)
for kind, columns in {
    "int64": "tp pp dp micro_batch micro_batches global_batch seq_length heads kv_groups slowest_stage tightest_stage",
    "float64": "iteration_ms slowdown tokens_per_s tflops_per_gpu bubble p2p_ms dp_sync_ms peak_mib memory_variance phi",
    "object": "job cluster model config devices layers recompute predictor",
}.items():
    for name in columns.split():
        check(name, str(top[name].dtype), kind)
check("no NULL", int(top.isna().sum().sum()), 0)

# The whole default space, and a question that SQL need not be asked.
every = pandas.read_sql_query("SELECT tp, dp, iteration_ms, peak_mib, phi FROM memx_configs WHERE job = 'mix20'", db)
check("all rows", len(every), db.execute("SELECT count(*) FROM memx_configs WHERE job = 'mix20'").fetchone()[0])
check("the best of them", every.phi.min(), top.phi[0])
by_sql = pandas.read_sql_query(
    "SELECT tp, min(iteration_ms) AS iteration_ms FROM memx_configs WHERE job = 'mix20' GROUP BY tp", db)  # fmt: skip
check("grouped", every.groupby("tp").iteration_ms.min().tolist(), by_sql.iteration_ms.tolist())

# Chunks of a search that nobody could list.
chunks = pandas.read_sql_query(
    "SELECT config, phi FROM memx_configs('free') WHERE job = 'mix20' ORDER BY phi", db, chunksize=50)  # fmt: skip
first, second = next(chunks), next(chunks)
check("chunks", (len(first), len(second), second.phi.min() >= first.phi.max()), (50, 50, True))
# Measurements go in from a frame.
runs = pandas.DataFrame({"job": "mix20", "config": top.config[:3], "iteration_ms": top.iteration_ms[:3] * 1.1})
runs.to_sql("memx_run", db, if_exists="append", index=False)
print(pandas.__version__)
sys.exit(bad)
