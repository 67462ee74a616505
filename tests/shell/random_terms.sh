#!/usr/bin/env bash
# Random conditions over memx_configs, with OR, IN and DISTINCT, against the same over a plain table that holds its rows
# for each job, space and weights. Every term of an OR names these three, as whoever writes it must: the answers are
# then the same.
set -euo pipefail
python=$(tests/hosts/find_python.sh) || { echo "no python3 whose sqlite3 loads extensions"; exit 77; }
cp "$DEMO_DB" "$TMP_DIR/my.db"
ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" ${PRELOAD:-} "$python" - "$TMP_DIR/my.db" "$MEMX" 600 <<'PYTHON'
import random
import sqlite3
import sys

c = sqlite3.connect(sys.argv[1])
c.enable_load_extension(True)
c.load_extension(sys.argv[2])
random.seed(20)

names = {"job": ["xy", "lab6"], "space": ["default", "megatron", "amp"], "weights": ["default", "safe"]}
c.execute("CREATE TEMP TABLE plain AS SELECT *, space, weights FROM memx_configs LIMIT 0")
for job in names["job"]:
    for space in names["space"]:
        for weights in names["weights"]:
            c.execute("INSERT INTO plain SELECT *, space, weights FROM memx_configs WHERE job = ? AND space = ? "
                      "AND weights = ?", (job, space, weights))
configs = [row[0] for row in c.execute("SELECT DISTINCT config FROM plain ORDER BY config")]


def quoted(values):
    return ", ".join("'%s'" % value for value in values)


def named(column):
    if random.random() < 0.6:
        return "%s = %s" % (column, quoted([random.choice(names[column])]))
    return "%s IN (%s)" % (column, quoted(random.sample(names[column], random.randint(1, len(names[column])))))


def number():
    return "%s %s %d" % (random.choice(["tp", "pp", "dp", "micro_batch"]),
                         random.choice(["=", "<", "<=", ">", ">=", "<>"]), random.choice([1, 2, 4, 8]))


def condition():
    return random.choice([
        number, number, lambda: "(%s OR %s)" % (number(), number()), lambda: "tp IN (1, 2)",
        lambda: "phi < %g" % random.choice([0.1, 0.5, 1, 2]), lambda: "slowdown <= %g" % random.choice([1.05, 1.5]),
        lambda: "headroom > %g" % random.choice([0.05, 0.2]), lambda: "config = %s" % quoted(random.sample(configs, 1)),
        lambda: "config IN (%s)" % quoted(random.sample(configs, 5))])()


def term():
    parts = [named(column) for column in names] + [condition() for _ in range(random.randint(0, 3))]
    random.shuffle(parts)
    return "(%s)" % " AND ".join(parts)


questions = ("SELECT count(*), total(phi) FROM %s",
             "SELECT count(DISTINCT config), min(phi), max(iteration_ms) FROM %s",
             "SELECT count(*) FROM (SELECT DISTINCT job, config FROM %s)",
             "SELECT count(*) FROM (SELECT DISTINCT job, config, space FROM %s)",
             "SELECT group_concat(x) FROM (SELECT job || space || weights || config AS x FROM %s ORDER BY x LIMIT 50)",
             "SELECT group_concat(x) FROM (SELECT printf('%%.12g', phi) AS x FROM %s ORDER BY phi LIMIT 20)")


def answer(question, table, where):
    ordered = question.split("ORDER BY")
    if len(ordered) == 2:
        sql = ordered[0] % table + "WHERE " + where + " ORDER BY" + ordered[1]
    else:
        sql = question.replace("%s", table + " WHERE " + where)
    row = c.execute(sql).fetchone()
    return [round(value, 6) if isinstance(value, float) else value for value in row]


bad = found = 0
for _ in range(int(sys.argv[3])):
    where = " OR ".join(term() for _ in range(random.randint(1, 3)))
    if random.random() < 0.3:
        where = "(%s) AND %s" % (where, condition())
    question = random.choice(questions)
    ours, plain = (answer(question, table, where) for table in ("memx_configs", "plain"))
    found += plain[0] not in (None, 0)
    if ours != plain:
        bad += 1
        print("WHERE", where, "of", question, "is", ours, "and of the plain table", plain)
print("terms\t%d\tqueries\tthat find something: %d; wrong: %d" % (int(sys.argv[3]), found, bad))
sys.exit(bad > 0 or found < int(sys.argv[3]) // 3)
PYTHON
