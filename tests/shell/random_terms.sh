#!/usr/bin/env bash
# Random conditions over the tables that take arguments, with OR, IN, DISTINCT and joins, against the same over plain
# tables that hold their rows for each value of the arguments. Every term of an OR sets all of them, or what stands beside
# it the first and its terms the others: the answers are then the same.
set -euo pipefail
python=$(tests/hosts/find_python.sh) || { echo "no python3 whose sqlite3 loads extensions"; exit 77; }
cp "$DEMO_DB" "$TMP_DIR/my.db"
ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" ${PRELOAD:-} "$python" - "$TMP_DIR/my.db" "$MEMX" 600 <<'PYTHON'
import itertools
import random
import re
import sqlite3
import sys

c = sqlite3.connect(sys.argv[1])
c.enable_load_extension(True)
c.load_extension(sys.argv[2])
random.seed(20)

jobs, spaces, weights = ["xy", "lab6"], ["default", "megatron", "amp"], ["default", "safe"]
configs = [row[0] for row in c.execute("SELECT DISTINCT config FROM memx_configs WHERE job = 'lab6' AND space IN "
                                       "('default', 'megatron', 'amp') ORDER BY config")]
some = random.sample(configs, 8)
# Of each table: the arguments and their values, what else to compare, a column to add up and what names a row.
tables = {
    "memx_configs": ({"job": jobs, "space": spaces, "weights": weights}, ["tp", "pp", "dp", "micro_batch"], "phi", "config"),
    "memx_predict": ({"job_name": ["lab6"], "config_text": some, "weights": weights}, ["tp", "pp", "dp"], "phi", "config"),
    "memx_stages": ({"job": ["lab6"], "config": some}, ["stage", "layers", "tp"], "time_ms", "stage"),
    "memx_gpus": ({"job": ["lab6"], "config": some}, ["stage", "rank"], "rank", "rank"),
    "memx_why": ({"job_name": jobs, "space_name": spaces}, ["count"], "count", "reason"),
    "memx_reference": ({"job_name": jobs, "space_name": spaces}, ["feasible"], "peak_mib", "method"),
}
for table, (arguments, _, _, _) in tables.items():
    listed = ", ".join(["*"] + list(arguments))
    where = " AND ".join(name + " = ?" for name in arguments)
    first = [values[0] for values in arguments.values()]
    c.execute("CREATE TEMP TABLE plain_%s AS SELECT %s FROM %s WHERE %s LIMIT 0" % (table, listed, table, where), first)
    for values in itertools.product(*arguments.values()):
        c.execute("INSERT INTO plain_%s SELECT %s FROM %s WHERE %s" % (table, listed, table, where), values)


def quoted(values):
    return ", ".join("'%s'" % value for value in values)


def named(column, values):
    if random.random() < 0.6:
        return "%s = %s" % (column, quoted([random.choice(values)]))
    return "%s IN (%s)" % (column, quoted(random.sample(values, random.randint(1, len(values)))))


def number(numbers):
    return "%s %s %d" % (random.choice(numbers), random.choice(["=", "<", "<=", ">", ">=", "<>"]),
                         random.choice([0, 1, 2, 4, 8]))


def condition(table):
    numbers = tables[table][1]
    makers = [lambda: number(numbers)] * 2 + [lambda: "(%s OR %s)" % (number(numbers), number(numbers)),
                                              lambda: "%s IN (1, 2)" % numbers[0]]
    if table == "memx_configs":
        makers += [lambda: "phi < %g" % random.choice([0.1, 0.5, 1, 2]),
                   lambda: "slowdown <= %g" % random.choice([1.05, 1.5]),
                   lambda: "headroom > %g" % random.choice([0.05, 0.2]),
                   lambda: "config = %s" % quoted(random.sample(configs, 1)),
                   lambda: "config IN (%s)" % quoted(random.sample(configs, 5))]
    return random.choice(makers)()


def term(table, names):
    parts = [named(name, tables[table][0][name]) for name in names]
    parts += [condition(table) for _ in range(random.randint(0, 3))]
    random.shuffle(parts)
    return "(%s)" % " AND ".join(parts)


# T is the table, W the condition, V the column to add up, R what names a row, A the arguments.
questions = ("SELECT count(*), total(V) FROM T WHERE W",
             "SELECT count(DISTINCT R), min(V), max(V) FROM T WHERE W",
             "SELECT count(*) FROM (SELECT DISTINCT A, R FROM T WHERE W)",
             "SELECT count(*) FROM (SELECT DISTINCT R FROM T WHERE W)",
             "SELECT count(*), total(V) FROM few LEFT JOIN T ON W",
             "SELECT count(*) FROM few WHERE n > 1 AND EXISTS (SELECT 1 FROM T WHERE W)",
             "SELECT group_concat(x) FROM (SELECT A || R AS x FROM T WHERE W ORDER BY x LIMIT 50)",
             "SELECT group_concat(x) FROM (SELECT printf('%.12g', V) AS x FROM T WHERE W ORDER BY V LIMIT 20)")
c.execute("CREATE TEMP TABLE few AS SELECT column1 AS n FROM (VALUES (1), (2), (3))")


def answer(question, table, name, where):
    arguments, _, value, row = tables[table]
    texts = {"T": name, "W": where, "V": value, "R": row, "A": " || ".join(arguments)}
    sql = re.sub(r"\b[TWVRA]\b", lambda match: texts[match.group()], question)
    found = c.execute(sql).fetchone()
    return [round(value, 6) if isinstance(value, float) else value for value in found]


bad = found = 0
for _ in range(int(sys.argv[3])):
    table = random.choice(list(tables) + ["memx_configs"] * 3)
    names = list(tables[table][0])
    beside = random.randrange(len(names))
    where = " OR ".join(term(table, names[beside:]) for _ in range(random.randint(1, 3)))
    outside = [named(name, tables[table][0][name]) for name in names[:beside]]
    for part in outside + [condition(table)] * (random.random() < 0.3):
        where = "(%s) AND %s" % (where, part)
    question = random.choice(questions)
    ours, plain = (answer(question, table, name, where) for name in (table, "plain_" + table))
    found += plain[0] not in (None, 0)
    if ours != plain:
        bad += 1
        print("WHERE", where, "of", table, "in", question, "is", ours, "and of the plain table", plain)
print("terms\t%d\tqueries\tthat find something: %d; wrong: %d" % (int(sys.argv[3]), found, bad))
sys.exit(bad > 0 or found < int(sys.argv[3]) // 3)
PYTHON
