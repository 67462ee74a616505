#!/usr/bin/env bash
# The pages of memx_report are well-formed XML, their ids are unique and lead somewhere, every table has a
# caption and heads, every picture a title and a description, and the style sheet's colours can be read.
set -euo pipefail
python=
for p in /usr/bin/python3 python3; do
    "$p" -c 'import xml.etree.ElementTree, html' 2>/dev/null && python=$p && break
done
[ -n "$python" ] || { echo "no python3 to parse XML with"; exit 77; }

cp "$DEMO_DB" "$TMP_DIR/my.db"
$SQLITE3 -batch -init /dev/null -cmd ".load $MEMX" "$TMP_DIR/my.db" <<SQL
UPDATE memx_job SET note = '<b>&amp;' || char(1, 0xfffe, 0x1f600) WHERE job = 'lab6';
INSERT INTO memx_run(job, config, iteration_ms, source)
    SELECT 'lab6', config, 2 * iteration_ms, ']]>' FROM memx_configs WHERE job = 'lab6' ORDER BY phi LIMIT 2;
.mode list
.once $TMP_DIR/mix20.html
SELECT memx_report('mix20');
.once $TMP_DIR/lab6.html
SELECT memx_report('lab6');
.once $TMP_DIR/asked.html
SELECT memx_report('xy', 'tp2.dp8.mb1/X-32GB(8)|Y-64GB(8)*32:block3');
SQL

"$python" - "$TMP_DIR"/*.html schema/report/style.css <<'PYTHON'
import re, sys
import xml.etree.ElementTree as ET

bad = False
def wrong(*what):
    global bad
    bad = True
    print(*what)

for path in sys.argv[1:-1]:
    name = path.split("/")[-1]
    text = open(path, encoding="utf-8").read()
    root = ET.fromstring(text)
    up = {child: parent for parent in root.iter() for child in parent}
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    for i in set(ids):
        if ids.count(i) > 1: wrong(name, "has id", i, "twice")
    for e in root.iter():
        refs = (e.get("aria-labelledby") or "").split()
        if e.tag == "a": refs.append(e.get("href").lstrip("#"))
        for ref in refs:
            if ref not in ids: wrong(name, e.tag, "refers to", ref)
        if e.tag in ("script", "img", "link", "iframe", "object"): wrong(name, "has a", e.tag)
        for key, value in e.attrib.items():
            if key.startswith("on") or "://" in value: wrong(name, key, value)
        if e.tag == "table":
            if e.find("caption") is None: wrong(name, "a table without a caption")
            columns = len(e.findall("thead/tr/th"))
            for row in e.iter("tr"):
                cells = sum(int(c.get("colspan", 1)) for c in row)
                if cells != columns: wrong(name, "a row of", cells, "cells among", columns)
            if any(th.get("scope") is None for th in e.iter("th")): wrong(name, "a head without a scope")
        if e.tag == "svg" and up[e].tag != "svg" and e.get("aria-hidden") != "true":
            if e.get("role") != "img" or not e.findtext("title") or not e.findtext("desc"):
                wrong(name, "a picture without words")
        for key in ("x", "width", "cx", "x1", "x2"):
            value = e.get(key, "")
            if value.endswith("%") and not -0.5 <= float(value[:-1]) <= 100.5: wrong(name, e.tag, key, value)
        for key in ("width", "height"):
            if e.get(key, "0").rstrip("%").startswith("-"): wrong(name, e.tag, key, e.get(key))
    levels = [int(e.tag[1]) for e in root.iter() if re.fullmatch("h[1-6]", e.tag)]
    if levels[0] != 1 or any(b > a + 1 for a, b in zip(levels, levels[1:])): wrong(name, "headings", levels)
    if re.search(r"\b(nan|inf|null)\b", "".join(root.find("body").itertext())): wrong(name, "says nan, inf or null")
    used = {c for e in root.iter() for c in (e.get("class") or "").split()}
    style = root.findtext("head/style")
    if not re.search(r"\.scroll \{[^}]*\blocal\b[^}]*\bscroll\b", style): wrong(name, "a table goes on without a sign of it")
    for c in used:
        if not re.search(r"\.%s\b" % re.escape(c), style): wrong(name, "class", c, "has no style")

# Contrast (WCAG 2): text 4.5:1 on the page and on panels, what is drawn 3:1 on the page.
def light(hex):
    parts = [int(hex[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
def contrast(a, b):
    low, high = sorted((light(a), light(b)))
    return (high + 0.05) / (low + 0.05)
modes = re.findall(r":root \{(.*?)\}", open(sys.argv[-1]).read(), re.S)
if len(modes) != 2: wrong("style.css has", len(modes), "modes")
for mode in modes:
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", mode))
    pairs = [(t, on, 4.5) for t in ("ink", "soft", "accent", "bad") for on in ("page", "panel")]
    pairs += [("number", "forward", 4.5), ("number-back", "backward", 4.5)]
    pairs += [(c, "page", 3.0) for c in colours
              if c not in ("page", "panel", "ink", "soft", "accent", "bad", "line", "free", "number", "number-back")]
    for a, b, least in pairs:
        if contrast(colours[a], colours[b]) < least:
            wrong("style.css:", a, "on", b, "has", round(contrast(colours[a], colours[b]), 2))
sys.exit(bad)
PYTHON
