#!/usr/bin/env bash
# How many configurations each shipped space has for each job of the demo, counted once more in Python
# from what README.md says of spaces: degrees, orders of device types, splits, levels, memory. Nothing
# but the price of single stages is taken from the extension (memx_stages). The counts must be those of
# memx_reference and, where the space can be listed, of memx_configs. Further spaces, and a framework
# that recomputes attention selectively, reach what the shipped ones leave out.
#
#   tests/shell/space_counts.sh
set -euo pipefail
: "${MEMX:=./build/memx}" "${DEMO_DB:=build/demo.db}"
python=$(tests/hosts/find_python.sh) || { echo "no python3 whose sqlite3 loads extensions"; exit 77; }

ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" ${PRELOAD:-} "$python" - "$MEMX" "$DEMO_DB" <<'PYTHON'
import heapq, itertools, math, sqlite3, sys
from fractions import Fraction

extension, demo = sys.argv[1:]
SHIPPED = ("default", "free", "megatron", "amp", "fasop", "metis", "hexiscale")
JOBS = ("mix20", "lab6", "xy")
LISTED = 10_000_000  # memx_configs refuses to list more
db = sqlite3.connect(":memory:", isolation_level=None)
sqlite3.connect(f"file:{demo}?immutable=1", uri=True).backup(db)
db.enable_load_extension(True)
db.load_extension(extension)
db.row_factory = sqlite3.Row
def ask(sql, *arguments): return db.execute(sql, arguments).fetchall()

# --- Jobs and spaces of our own -------------------------------------------------------------------

def copy(table, key, old, new, **changes):
    row = dict(ask(f"SELECT * FROM {table} WHERE {key} = ?", old)[0], **{key: new}, **changes)
    db.execute(f"INSERT INTO {table}({','.join(row)}) VALUES ({','.join('?' * len(row))})", list(row.values()))

def space_like(old, new, *rows):
    db.execute("INSERT INTO memx_space SELECT ?1, param, value FROM memx_space WHERE space = ?2", (new, old))
    for param in {param for param, _ in rows}:
        db.execute("DELETE FROM memx_space WHERE space = ? AND param = ?", (new, param))
    for row in rows: db.execute("INSERT INTO memx_space VALUES (?,?,?)", (new, *row))

copy("memx_framework", "framework", "megatron-bf16", "unfused", fused_attention=0)
copy("memx_framework", "framework", "megatron-fp16", "unfused-fp16", fused_attention=0)
copy("memx_job", "job", "mix20", "mix20-unfused", framework="unfused", reserve=0.03)
copy("memx_job", "job", "xy", "xy-unfused", framework="unfused", reserve=0)
db.execute("INSERT INTO memx_cluster(cluster, inter_gbs) VALUES ('odd', 10)")
for row in ((0, "V100-SXM2-16GB", 4), (1, "X-32GB", 4), (2, "T4", 2), (3, "V100-SXM2-16GB", 2)):
    db.execute("INSERT INTO memx_node(cluster, ordinal, device, gpus) VALUES ('odd',?,?,?)", row)
copy("memx_job", "job", "lab6", "odd", cluster="odd", global_batch=96)
copy("memx_job", "job", "lab6", "odd-unfused", cluster="odd", global_batch=96, framework="unfused-fp16")
space_like("default", "memory1", ("layer_split", "memory"), ("stage_devices", "any"))
space_like("default", "compute2", ("layer_split", "compute"), ("layer_skew", "2"), ("recompute_scope", "stage"))
space_like("default", "uniform1", ("layer_split", "uniform"), ("recompute_scope", "global"), ("memory_limit", "ignore"))
space_like("default", "any", ("stage_devices", "any"), ("layer_skew", "2"))
OWN_SPACES = ("memory1", "compute2", "uniform1", "any")
OWN_JOBS = ("mix20-unfused", "xy-unfused", "odd", "odd-unfused")

# --- Skeletons ------------------------------------------------------------------------------------

class Job:
    def __init__(self, name):
        self.name = name
        row, = ask("SELECT j.*, m.layers, m.heads, m.kv_groups, coalesce(j.seq_length, m.seq_length) AS seq,"
                   " coalesce(j.reserve, 0.10) AS kept FROM memx_job AS j JOIN memx_model AS m USING (model) WHERE job = ?", name)
        self.layers, self.heads, self.kv, self.seq = row["layers"], row["heads"], row["kv_groups"], row["seq"]
        self.batch, self.reserve = row["global_batch"], Fraction(str(row["kept"]))
        self.nodes = [tuple(r) for r in ask("SELECT ordinal, device, gpus FROM memx_node WHERE cluster = ? ORDER BY ordinal", row["cluster"])]
        self.vendor, self.rate, self.memory = {}, {}, {}
        for d in ask("SELECT * FROM memx_device WHERE device IN (SELECT device FROM memx_node)"):
            self.vendor[d["device"]], self.memory[d["device"]] = d["vendor"], d["memory_mib"]
            self.rate[d["device"]] = d["peak_tflops"] * d["efficiency"]
        self.prices = {}  # what a stage's price depends on: (ns, KiB, fits)

    def degrees(self):
        gpus = sum(node[2] for node in self.nodes)
        for tp in range(1, gpus + 1):
            if gpus % tp or self.heads % tp or self.kv % tp or any(node[2] % tp for node in self.nodes): continue
            for pp in range(1, self.layers + 1):
                dp = gpus // tp // pp
                if tp * pp * dp != gpus or self.batch % dp: continue
                for mb in range(1, self.batch // dp + 1):
                    if self.batch // dp % mb == 0: yield tp, pp, dp, mb

    def skeletons(self, span):
        """Degrees, with the stages' devices: per stage ((device, GPUs), ...) in rank order."""
        types = list(dict.fromkeys(node[1] for node in self.nodes))
        for tp, pp, dp, mb in self.degrees():
            seen = set()
            for order in itertools.permutations(types):
                gpus = [(device, node[0], i) for device in order for node in self.nodes if node[1] == device for i in range(node[2])]
                stages = [gpus[s * tp * dp:(s + 1) * tp * dp] for s in range(pp)]
                same = tuple(frozenset(stage) for stage in stages)
                if same in seen: continue
                seen.add(same)
                kinds = [{gpu[0] for gpu in stage} for stage in stages]
                if span == "one" and any(len(kind) > 1 for kind in kinds): continue
                if span == "vendor" and any(len({self.vendor[d] for d in kind}) > 1 for kind in kinds): continue
                yield (tp, pp, dp, mb), tuple(tuple((device, len(list(g))) for device, g in itertools.groupby(stage, lambda gpu: gpu[0])) for stage in stages)

def canonical(level, layers): return "full" if level == "block1" and layers == 1 else level

def key(job, degrees, stages, s):
    """What a stage's price depends on besides its layers and level."""
    tp, pp, dp, mb = degrees
    batches = job.batch // dp // mb
    return tp, dp, mb, stages[s], s == 0, s == pp - 1, min(batches, pp - s)

# --- Prices ---------------------------------------------------------------------------------------

def layer_counts(job, pp): return range(1, job.layers - pp + 2) if pp > 1 else [job.layers]

def price(job, skeletons, levels):
    """Prices every (layers, level) of every stage, many stages with each configuration text."""
    texts = []
    asked = set()
    for degrees, stages in skeletons:
        tp, pp, dp, mb = degrees
        keys = [key(job, degrees, stages, s) for s in range(pp)]
        wanted = [[(l, level) for l in layer_counts(job, pp) for level in levels
                   if canonical(level, l) == level and (k, l, level) not in asked] for k in keys]
        for k, w in zip(keys, wanted): asked.update((k, *choice) for choice in w)
        while any(wanted):
            # The stage with the most left to ask goes first; each takes the largest that leaves one layer to all others.
            rest, choice = job.layers, [None] * pp
            turn = sorted(range(pp), key=lambda s: -len(wanted[s]))
            for i, s in enumerate(turn):
                room = rest - (pp - 1 - i)
                if i == pp - 1:
                    choice[s] = next((w for w in wanted[s] if w[0] == room), (room, "none"))
                else:
                    choice[s] = next((w for w in reversed(wanted[s]) if w[0] <= room), (1, "none"))
                if choice[s] in wanted[s]: wanted[s].remove(choice[s])
                rest -= choice[s][0]
            text = ",".join(f"{'|'.join(f'{d}({n})' for d, n in stages[s]) if len(stages[s]) > 1 else stages[s][0][0]}*{l}:{level}"
                            for s, (l, level) in enumerate(choice))
            texts.append((f"tp{tp}.dp{dp}.mb{mb}.seq{job.seq}/{text}", keys, choice))
    db.execute("CREATE TEMP TABLE asked(id INTEGER PRIMARY KEY, config TEXT)")
    db.execute("BEGIN")
    db.executemany("INSERT INTO asked VALUES (?,?)", ((i, t[0]) for i, t in enumerate(texts)))
    db.execute("COMMIT")
    cursor = db.execute("SELECT a.id, s.stage, s.layers, s.recompute, s.in_flight, s.time_ms, s.peak_mib, s.capacity_mib"
                        " FROM asked AS a CROSS JOIN memx_stages(?, a.config) AS s", (job.name,))
    cursor.row_factory = None
    usable = {}
    for i, s, l, level, flight, ms, peak, capacity in cursor:
        k = texts[i][1][s]
        assert (l, level) == texts[i][2][s] and flight == k[-1], texts[i]
        if capacity not in usable: usable[capacity] = math.floor(round(capacity * 1024) * (1 - job.reserve))
        kib = round(peak * 1024)
        value = round(ms * 1e6), kib, kib <= usable[capacity]
        if job.prices.setdefault((k, l, level), value) != value:
            sys.exit(f"{job.name}: stage {s} of {texts[i][0]} has another price elsewhere: {value}, {job.prices[k, l, level]}")
    db.execute("DROP TABLE asked")
    return len(texts)

# --- Counting -------------------------------------------------------------------------------------

def proportional(weights, layers):
    """Largest remainder, ties to earlier stages; at least one each."""
    weights = [Fraction(w) for w in weights]
    exact = [layers * w / sum(weights) for w in weights]
    out = [math.floor(x) for x in exact]
    for s in sorted(range(len(out)), key=lambda s: out[s] - exact[s])[:layers - sum(out)]: out[s] += 1
    while min(out) < 1:  # taken from where there is most beyond the share
        out[max(range(len(out)), key=lambda s: (out[s] - exact[s], -s) if out[s] > 1 else (-math.inf, 0))] -= 1
        out[out.index(0)] += 1
    return out

def by_time(tables, layers, ignore):
    """Layers one by one to the stage that is then fastest, ties to earlier ones, within memory while that can be and counts."""
    out = [1] * len(tables)
    if len(out) in (1, layers): return [layers // len(out)] * len(out)
    heap = [(not (table[2][2] or ignore), table[2][0], s) for s, table in enumerate(tables)]
    heapq.heapify(heap)
    for _ in range(layers - len(out)):
        s = heap[0][2]
        out[s] += 1
        last = out[s] + 1 >= len(tables[s])
        after = (True, math.inf, s) if last else (not (tables[s][out[s] + 1][2] or ignore), tables[s][out[s] + 1][0], s)
        heapq.heapreplace(heap, after)
    return out

def moved(base, skew):
    yield tuple(base)
    for s in range(len(base) - 1):
        for d in range(1, skew + 1):
            for to, of in ((s, s + 1), (s + 1, s)):
                if base[of] > d:
                    split = list(base)
                    split[to] += d
                    split[of] -= d
                    yield tuple(split)

def count(job, space):
    rows = {}
    for param, value in ask("SELECT param, value FROM memx_space WHERE space = ?", space): rows.setdefault(param, []).append(value)
    def one(param, otherwise): return rows.get(param, [otherwise])[0]
    assert one("device_order", "types") == "types"
    rule, skew, scope = one("layer_split", "free"), int(one("layer_skew", "0")), one("recompute_scope", "stage" if one("layer_split", "free") == "free" else "device")
    levels = rows.get("recompute", ["none", "selective", "full"])
    ignore = one("memory_limit", "hard") == "ignore"
    tables, total = {}, 0

    def stage_tables(k, pp):
        """Per level, by layers: (ns, KiB, fits), whatever it is called there; and whether it can be chosen."""
        most = job.layers - pp + 1
        if k not in tables:
            priced, chosen = {}, {}
            for level in levels:
                priced[level], chosen[level] = [None] * (most + 1), [False] * (most + 1)
                for l in layer_counts(job, pp):
                    priced[level][l] = job.prices[k[1:], l, canonical(level, l)]
                    _, kib, fits = priced[level][l]
                    none = job.prices[k[1:], l, "none"][1]
                    chosen[level][l] = (canonical(level, l) == level and (fits or ignore)
                                        and (level != "selective" or 100 * (none - kib) >= 3 * none))
            tables[k] = priced, chosen
        return tables[k]

    for degrees, stages in job.skeletons(one("stage_devices", "vendor")):
        pp = degrees[1]
        most = job.layers - pp + 1
        stage = [stage_tables((pp, *key(job, degrees, stages, s)), pp) for s in range(pp)]
        kinds = [frozenset(device for device, _ in gpus) for gpus in stages]
        group = {"stage": list(range(pp)), "device": kinds, "global": [0] * pp}[scope]
        members = [[s for s in range(pp) if group[s] == g] for g in dict.fromkeys(group)]
        if rule == "free":
            assert scope == "stage"
            ways = [1] + [0] * job.layers  # by layers given
            for _, chosen in stage:
                options = [sum(chosen[level][l] for level in levels) for l in range(most + 1)]
                ways = [sum(ways[n - l] * options[l] for l in range(1, min(n, most) + 1)) for n in range(job.layers + 1)]
            total += ways[job.layers]
        elif rule == "time":
            able = [[level for level in levels if all(any(stage[s][1][level]) for s in member)] for member in members]
            for picked in itertools.product(*able):
                level = [None] * pp
                for member, name in zip(members, picked):
                    for s in member: level[s] = name
                base = by_time([stage[s][0][level[s]] for s in range(pp)], job.layers, ignore)
                chosen = [stage[s][1][level[s]] for s in range(pp)]
                total += sum(all(map(list.__getitem__, chosen, split)) for split in set(moved(base, skew)))
        else:
            weights = {"uniform": [1] * pp, "compute": [min(job.rate[d] for d in kind) for kind in kinds],
                       "memory": [min(job.memory[d] for d in kind) for kind in kinds]}[rule]
            for split in set(moved(proportional(weights, job.layers), skew)):
                total += math.prod(sum(all(stage[s][1][level][split[s]] for s in member) for level in levels) for member in members)
    return total

# --- Comparison -----------------------------------------------------------------------------------

failures, counts = 0, {}
def compare(job, space):
    global failures
    mine = counts[job.name, space] = count(job, space)
    theirs = ask("SELECT feasible_exact FROM memx_reference(?,?)", job.name, space)
    theirs = int(theirs[0][0]) if theirs else 0
    listed = ask("SELECT count(*) FROM memx_configs WHERE job = ? AND space = ?", job.name, space)[0][0] if theirs <= LISTED else theirs
    if not mine == theirs == listed:
        failures += 1
        print(f"{job.name} {space}: counted {mine}, memx_reference {theirs}, memx_configs {listed}", flush=True)

for name in JOBS + OWN_JOBS:
    job = Job(name)
    texts = price(job, list(job.skeletons("any")), ("none", "selective", "block1", "full"))
    print(f"{name}: {len(job.prices)} prices of stages from {texts} configurations", flush=True)
    for space in SHIPPED + OWN_SPACES: compare(job, space)

for names in (JOBS, OWN_JOBS):
    print(f"\n{'space':10}" + "".join(f"{name:>20}" for name in names))
    for space in SHIPPED + OWN_SPACES: print(f"{space:10}" + "".join(f"{counts[name, space]:>20}" for name in names))
if not 25_000 <= counts["mix20", "default"] <= 40_000:
    failures += 1
    print("the default space of mix20 must have 25,000 to 40,000 configurations")
print(f"{len(counts)} counts, {failures} failures")
sys.exit(failures > 0)
PYTHON
