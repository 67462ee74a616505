#!/usr/bin/env bash
# Random clusters, models and spaces, small enough to list: whatever the way that a row is reached, it is the
# same row. A scan, the lookup of its key, memx_predict, memx_stages, memx_gpus, memx_reference, memx_why,
# filters and orders must agree; orders and filters are made once more in Python.
#
#   tests/shell/random_jobs.sh [FIRST [COUNT]]     other seeds than those of every day
set -euo pipefail
: "${MEMX:=./build/memx}" "${DEMO_DB:=build/demo.db}"
python=$(tests/hosts/find_python.sh) || { echo "no python3 whose sqlite3 loads extensions"; exit 77; }

ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" ${PRELOAD:-} "$python" - "$MEMX" "$DEMO_DB" "${1:-1}" "${2:-200}" <<'PYTHON'
import math, random, sqlite3, statistics, sys

extension, demo, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
catalog = sqlite3.connect(f"file:{demo}?immutable=1", uri=True)
devices = [row[0] for row in catalog.execute("SELECT device FROM memx_device ORDER BY device")]
frameworks = [row[0] for row in catalog.execute("SELECT framework FROM memx_framework ORDER BY framework")]
MOST_ROWS, MOST_POINTS = 4000, 100  # listed; looked up one by one
failures = 0

def describe(db, pick):
    """Writes a random model, cluster, space and job 'j' into the database."""
    run = db.execute
    kv = pick([1, 2, 3, 4, 6])
    heads, head_dim = kv * pick([1, 2, 4, 5]), pick([32, 64, 80])
    hidden = pick([heads * head_dim, heads * head_dim, 256, 512, 1000])
    run("DELETE FROM memx_job")
    run("INSERT INTO memx_model(model, layers, hidden, heads, kv_groups, head_dim, ffn_hidden, vocab, seq_length, gated_mlp,"
        " tied_embeddings, biases, qkv_biases, learned_positions, norm) VALUES ('m',?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        (pick([2, 3, 4, 5, 6, 7, 8, 9, 12]), hidden, heads, kv, head_dim, pick([4 * hidden, 1001]),
         pick([1000, 32000, 50257, 151669]), pick([128, 512, 1024, 2048]), *[pick([0, 1]) for _ in range(5)],
         pick(["rmsnorm", "layernorm"])))
    run("INSERT INTO memx_cluster(cluster, inter_gbs, flow_gbs, latency_us, overhead_ms) VALUES ('c',?,?,?,?)",
        (pick([1, 10, 100]), pick([None, 1, 5]), pick([0, 20, 500]), pick([0, 10])))
    types = [pick(devices) for _ in range(pick([1, 2, 3]))]
    for node in range(pick([1, 2, 3, 4])):
        run("INSERT INTO memx_node(cluster, ordinal, device, gpus, link_gbs, inter_gbs) VALUES ('c',?,?,?,?,?)",
            (3 * node, pick(types), pick([1, 1, 2, 2, 3, 4]), pick([None, None, 7]), pick([None, None, 3])))
    run("UPDATE memx_device SET memory_mib = memory_mib * ?", (pick([1, 1, 1, 0.3, 0.2]),))
    rows = {("device_order", pick(["types", "given"])), ("stage_devices", pick(["vendor", "one", "any"])),
            ("layer_split", pick(["free", "uniform", "compute", "memory", "time"])), ("layer_skew", pick(["0", "1", "2"])),
            ("recompute_scope", pick(["stage", "device", "global"])), ("memory_limit", pick(["hard", "hard", "ignore"]))}
    rows |= {("recompute", pick(["none", "selective", "full", "block1", "block2", "block9", "uniform1", "uniform2", "uniform3"]))
             for _ in range(pick([0, 1, 2, 3, 4]))}
    for parameter, values in (("tp", [1, 2, 3, 4]), ("pp", [1, 2, 3, 4]), ("dp", [1, 2, 3, 4]), ("micro_batch", [1, 2, 3, 4, 6]),
                              ("sequence_parallel", [0, 1]), ("distributed_optimizer", [0, 1]), ("seq_length", [64, 128, 777]),
                              ("heads", [heads, 2 * heads]), ("kv_groups", [kv, 1])):
        if pick([0, 0, 0, 1]):
            rows |= {(parameter, str(pick(values))) for _ in range(pick([1, 2, 3]))}
    for row in sorted(rows):
        run("INSERT INTO memx_space VALUES ('s',?,?)", row)
    run("INSERT INTO memx_job(job, cluster, model, framework, global_batch, seq_length, space, weights, reserve)"
        " VALUES ('j', 'c', 'm', ?, ?, ?, 's', ?, ?)",
        (pick(frameworks), pick([1, 2, 6, 8, 12, 24]), pick([None, 256]), pick(["default", "safe", "throughput"]),
         pick([None, 0, 0.05, 0.5])))

def check(seed):
    global failures
    chance = random.Random(seed)
    db = sqlite3.connect(":memory:", isolation_level=None)
    catalog.backup(db)
    db.enable_load_extension(True)
    db.load_extension(extension)
    db.row_factory = sqlite3.Row
    def ask(sql, *arguments): return db.execute(sql, arguments).fetchall()
    def expect(good, *what):
        global failures
        if not good:
            failures += 1
            print("seed", seed, *what, flush=True)

    describe(db, chance.choice)
    why = {row["reason"]: row["count"] for row in ask("SELECT * FROM memx_why('j')")}
    if "cannot be read" in why: return
    reference, = ask("SELECT * FROM memx_reference('j')")
    rows = reference["feasible"]
    expect(why["feasible"] == rows and reference["feasible_exact"] == str(int(rows)), "feasible", why, tuple(reference))
    expect(rows > 0 or len(why) > 1, "no rows and no reason")
    if not 0 < rows <= MOST_ROWS: return

    everything = "SELECT *, simulated_ms, same_task FROM "
    scan = ask(everything + "memx_configs WHERE job = 'j'")
    expect(len(scan) == rows == len({row["config"] for row in scan}), "rows", len(scan), rows)
    expect(min(row["slowdown"] for row in scan) == 1, "least slowdown")
    for column in ("iteration_ms", "peak_mib", "memory_variance"):
        median = statistics.median(row[column] for row in scan)
        expect(math.isclose(median, reference[column], rel_tol=1e-9), "median", column, median, reference[column])

    layers = ask("SELECT layers FROM memx_model WHERE model = 'm'")[0][0]
    for row in chance.sample(scan, min(len(scan), MOST_POINTS)):
        config = row["config"]
        expect([tuple(row)] == [tuple(r) for r in ask(everything + "memx_predict('j', ?)", config)], "memx_predict", config)
        expect([tuple(row)] == [tuple(r) for r in ask(everything + "memx_configs WHERE job = 'j' AND config = ?", config)], "lookup", config)
        expect(all(not isinstance(x, float) or math.isfinite(x) for x in row) and 0 <= row["bubble"] < 1, "figures", tuple(row))
        stages = ask("SELECT *, context_mib + static_mib + activation_mib + work_mib + logits_mib + optimizer_mib AS parts"
                     " FROM memx_stages('j', ?)", config)
        expect(sum(s["layers"] for s in stages) == layers and len(stages) == row["pp"], "layers", config)
        expect(all(abs(s["parts"] - s["peak_mib"]) < 0.01 for s in stages), "parts", config)
        expect(min(s["headroom"] for s in stages) == row["headroom"], "headroom of stages", config)
        gpus = ask("SELECT * FROM memx_gpus('j', ?)", config)
        peaks = [g["peak_mib"] for g in gpus]
        expect(len(gpus) == row["tp"] * row["pp"] * row["dp"] and max(peaks) == row["peak_mib"], "GPUs", config)
        expect(math.isclose(statistics.pvariance(peaks), row["memory_variance"], rel_tol=1e-6, abs_tol=1e-3), "variance", config)
        expect(min(g["headroom"] for g in gpus) == row["headroom"], "headroom of GPUs", config)

    # Ties go by the order of the scan, and sorted() is stable.
    for column in ("phi", "iteration_ms", "peak_mib", "memory_variance"):
        got = [r["config"] for r in ask(f"SELECT config FROM memx_configs WHERE job = 'j' ORDER BY {column}")]
        expect(got == [r["config"] for r in sorted(scan, key=lambda r: r[column])], "order by", column)
    got = [r["config"] for r in ask("SELECT config FROM memx_configs WHERE job = 'j' ORDER BY"
           " phi(iteration_ms, peak_mib, memory_variance, (SELECT weights FROM memx_job))")]
    expect(got == [r["config"] for r in sorted(scan, key=lambda r: r["phi"])], "order by phi()")
    operators = {"=": lambda x, a, b: x == a, "<": lambda x, a, b: x < a, "<=": lambda x, a, b: x <= a, ">": lambda x, a, b: x > a,
                 ">=": lambda x, a, b: x >= a, "<>": lambda x, a, b: x != a, "BETWEEN": lambda x, a, b: a <= x <= b,
                 "IN": lambda x, a, b: x in (a, b)}
    columns = ("tp", "pp", "dp", "micro_batch", "seq_length", "heads", "kv_groups", "sequence_parallel", "distributed_optimizer",
               "iteration_ms", "peak_mib", "headroom", "slowdown", "phi", "memory_variance")
    for _ in range(10):
        column, operator = chance.choice(columns), chance.choice(list(operators))
        order = chance.choice(("phi", "phi", "iteration_ms", "peak_mib", "memory_variance"))
        a, b = chance.choice(scan)[column], chance.choice(scan)[column]
        text = {"BETWEEN": "BETWEEN ?1 AND ?2", "IN": "IN (?1, ?2)"}.get(operator, operator + " ?1 OR ?2 IS NULL")
        got = [r["config"] for r in ask(f"SELECT config FROM memx_configs WHERE job = 'j' AND ({column} {text}) ORDER BY {order} LIMIT 7", a, b)]
        if "OR" in text:  # the same without the OR, which hides the filter from the table
            plain = [r["config"] for r in ask(f"SELECT config FROM memx_configs WHERE job = 'j' AND {column} {operator} ?1 ORDER BY {order} LIMIT 7", a)]
            expect(plain == got, "filter", column, operator, a, order)
        good = [r for r in scan if operators[operator](r[column], a, b)]
        expect(got == [r["config"] for r in sorted(good, key=lambda r: r[order])[:7]], "filter", column, text, a, b, order)
    db.close()

for seed in range(first, first + count): check(seed)
print(f"{count} jobs, {failures} disagreements")
sys.exit(failures > 0)
PYTHON
