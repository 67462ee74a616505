"""What MemX answers in a host whose numbers have a decimal comma is what it answers elsewhere.

argv: a copy of the demo database, the library."""
import locale
import sqlite3
import sys

CONFIG = "tp4.dp1.mb2.seq4096/C-32GB*4:none,C-32GB*5:none,B-32GB*6:none,B-32GB*7:none,A100-SXM-80GB*10:full"
LOG = open("tests/inputs/train.log").read()
SMI = "name, memory.total [MiB]\nNVIDIA A100-SXM4-80GB, 81920 MiB\nTesla T4, 15360.5 MiB\n"
READS_JSON = [
    ("SELECT * FROM memx_measure('mix20')", ()),
    ("SELECT * FROM megatron_log(?)", (LOG,)),
    ("SELECT * FROM nvidia_smi(?)", (SMI,)),
    ("SELECT phi(1.5, 2.5, 3.5, '[0.5, 0.25, 0.25]')", ()),
]
QUERIES = READS_JSON + [
    ("SELECT * FROM memx_configs WHERE job = 'mix20' ORDER BY phi LIMIT 10", ()),
    ("SELECT recompute_plan_detail('mix20', ?, 'headroom=0.2')", (CONFIG,)),
    ("SELECT stage_estimate('T4', 'llama2-7b', 'megatron-fp16', 1, 0, 0, 1, 1, 1, 1024, 32, 32, 'none', 1, 0, 0)", ()),
    ("SELECT megatron_args('mix20', ?), memx_trace('mix20', ?)", (CONFIG, CONFIG)),
    ("SELECT memx_report('lab6')", ()),
    ("SELECT config FROM protrain_configs WHERE job = 'one' ORDER BY iteration_ms LIMIT 5", ()),
    ("SELECT deepspeed_config(job, config) FROM protrain_configs WHERE job = 'one' ORDER BY iteration_ms LIMIT 5", ()),
]


ONE = """
INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('one', 3);
INSERT INTO memx_node(cluster, ordinal, device, gpus, host_memory_mib, host_memory_gbs) VALUES ('one', 0, 'RTX3090', 4, 400000, 150);
INSERT INTO memx_job(job, cluster, model, global_batch, seq_length) VALUES ('one', 'one', 'llama2-7b', 64, 1024);
"""


def answers():
    db = sqlite3.connect(sys.argv[1])
    db.enable_load_extension(True)
    db.load_extension(sys.argv[2])
    found = []
    for sql, values in QUERIES:
        try:
            found.append(db.execute(sql, values).fetchall())
        except sqlite3.Error as error:
            found.append(str(error))
    db.close()
    return found


with sqlite3.connect(sys.argv[1]) as db:
    db.executescript(ONE)
usual = answers()
locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
assert locale.localeconv()["decimal_point"] == ","
# Some SQLites until 3.41 read JSON by the locale: MemX then refuses what needs it.
flawed = sqlite3.connect(":memory:").execute("SELECT '[1.5]' ->> 0").fetchone() != (1.5,)
refused = 0
for (sql, _), one, other in zip(QUERIES, usual, answers()):
    assert isinstance(one, list) and one, (sql, one)
    if flawed and isinstance(other, str) and "reads 1.5 in JSON as 1" in other:
        refused += 1
    else:
        assert one == other, (sql, one if isinstance(other, str) else [a for a in zip(one, other) if a[0] != a[1]][:1])
assert refused == (len(READS_JSON) if flawed else 0), refused
print("SQLite", sqlite3.sqlite_version, "reads JSON by the locale" if flawed else "reads JSON as anywhere")
