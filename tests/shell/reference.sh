#!/usr/bin/env bash
# README.md's reference says what there is, and nothing else: the functions and how many arguments they take,
# the virtual tables with their arguments and columns, the stored tables and views with theirs; and every file
# of ext/, query and folder of schema/ and tests/ has its place in it. A line for each difference.
#
# What it reads of README.md: tables under "### Functions", "### Virtual tables", "### Stored tables" and
# "### Views". The first cell has names in backquotes, with arguments, those in brackets optional; the third
# one columns in backquotes, hidden ones behind "hidden:". **... columns**, or **columns of ...**, stands for
# those that a paragraph beginning so names, or the first cells of the table behind it.
set -euo pipefail
bad=0
# differences WHAT: two sorted lists, of README.md and of what is there.
differences() {
    local found
    found=$({ comm -23 "$2" "$3" | sed "s/\$/: README.md has it, it is not there/"
        comm -13 "$2" "$3" | sed "s/\$/: it is there, README.md does not have it/"; } | sed "s/^/$1 /")
    [ -z "$found" ] || { echo "$found"; bad=1; }
}
sorted() { LC_ALL=C sort -u; }
export LC_ALL=C

awk -v out="$TMP_DIR/said" '
function trim(s) { gsub(/^ +| +$/, "", s); return s }
# The identifiers in backquotes of a text, one after the other, to list[].
function ticked(text, list,   n, part, count, i) {
    count = split(text, part, "`"); n = 0
    for (i = 2; i <= count; i += 2) if (part[i] ~ /^[a-z_][a-z0-9_]*$/) list[++n] = part[i]
    return n
}
# name(a, b [, c [, d]]): sets name, args (a b c d), least and most.
function signature(text,   inside, c, i, depth, word) {
    name = text; sub(/[[(].*/, "", name); inside = substr(text, length(name) + 1)
    args = ""; least = most = depth = 0; word = ""
    for (i = 1; i <= length(inside) + 1; i++) {
        c = substr(inside, i, 1)
        if (c ~ /[a-z_0-9]/ && c != "") { word = word c; continue }
        if (word != "") { args = args (most ? " " : "") word; most++; if (!depth) least++ }
        word = ""
        if (c == "[") depth++
        if (c == "]") depth--
    }
}
function columns_of(table, cell,   at, part, list, n, i, group, rest) {
    at = index(cell, "hidden:")
    part = at ? substr(cell, 1, at - 1) : cell
    rest = part
    while (match(rest, /\*\*[^*]+\*\*/)) {
        group = substr(rest, RSTART + 2, RLENGTH - 4); rest = substr(rest, RSTART + RLENGTH)
        if (!(group in members)) print "group " group >out
        n = split(members[group], list, " ")
        for (i = 1; i <= n; i++) print "column " table " " list[i] >out
    }
    n = ticked(part, list)
    for (i = 1; i <= n; i++) print "column " table " " list[i] >out
    n = at ? ticked(substr(cell, at), list) : 0
    for (i = 1; i <= n; i++) print "column " table " " list[i] " hidden" >out
}
# First pass: groups.
NR == FNR {
    if (match($0, /^\*\*([a-zA-Z]+ columns|columns of [a-z_]+)\*\*/)) {
        group = substr($0, 3, RLENGTH - 4); state = 1
    } else if ($0 == "" && state == 1) { state = 2; next }
    if (state == 2 && $0 !~ /^\|/ || $0 == "" && state == 2) state = 0
    text = $0
    if (state == 2) { split($0, cell, "|"); text = cell[2] }
    if (state) { n = ticked(text, list); for (i = 1; i <= n; i++) members[group] = members[group] " " list[i] }
    next
}
/^##/ { section = $0 }
section ~ /^### (Functions|Virtual tables|Stored tables|Views)$/ && /^\| `/ {
    # Tables with columns have three cells; what is between backquotes may hold a bar.
    count = split($0, cell, " [|] ")
    if (section != "### Functions" && count < 3) next
    first = substr(cell[1], 3); n = split(first, sig, "`")
    for (i = 2; i <= n; i += 2) {
        signature(sig[i])
        if (section == "### Functions") {
            for (k = least; k <= most; k++) print "function " name " of " k >out
            continue
        }
        kind = section == "### Views" ? "view" : section == "### Stored tables" ? "table" : "module"
        print kind " " name >out
        if (args != "") print "arguments " name " " args >out
        m = split(args, arg, " ")
        for (k = 1; k <= m; k++) print "column " name " " arg[k] " hidden" >out
        columns_of(name, cell[3])
    }
}' README.md README.md
sorted <"$TMP_DIR/said" >"$TMP_DIR/documented"

# Arguments are the first hidden columns: as many of them as README.md has.
grep '^arguments' "$TMP_DIR/documented" | while read -r _ name args; do
    count=$(wc -w <<<"$args")
    echo "SELECT 'arguments $name ' || (SELECT group_concat(name, ' ') FROM (
              SELECT name FROM pragma_table_xinfo('$name') WHERE hidden = 1 ORDER BY cid LIMIT $count));"
done >"$TMP_DIR/arguments.sql"
{
    cat <<SQL
CREATE TEMP TABLE f AS SELECT name, narg FROM pragma_function_list;
CREATE TEMP TABLE m AS SELECT name FROM pragma_module_list;
.load $MEMX
.output /dev/null
SELECT memx_init(), memx_views(), memx_watch('$TMP_DIR/progress.db');
ATTACH '$TMP_DIR/progress.db' AS progress;
.output
CREATE TEMP TABLE module AS SELECT DISTINCT name FROM pragma_module_list EXCEPT SELECT name FROM m;
CREATE TEMP TABLE stored AS
SELECT name, type, 'main' AS place FROM main.sqlite_schema WHERE type IN ('table', 'view')
UNION ALL SELECT name, type, 'progress' FROM progress.sqlite_schema WHERE type = 'table';
SELECT DISTINCT 'function ' || name || ' of ' || narg
FROM (SELECT name, narg FROM pragma_function_list EXCEPT SELECT name, narg FROM f);
SELECT 'module ' || name FROM module;
SELECT 'column ' || m.name || ' ' || x.name || iif(x.hidden = 1, ' hidden', '')
FROM module AS m, pragma_table_xinfo(m.name) AS x;
SELECT type || ' ' || name FROM stored;
SELECT 'column ' || s.name || ' ' || x.name FROM stored AS s, pragma_table_xinfo(s.name, s.place) AS x;
SQL
    cat "$TMP_DIR/arguments.sql"
} | $SQLITE3 -batch -bail -init /dev/null "$TMP_DIR/reference.db" >"$TMP_DIR/there" 2>&1 || { cat "$TMP_DIR/there"; exit 1; }
sorted <"$TMP_DIR/there" >"$TMP_DIR/registered"
[ "$(grep -c '^column' "$TMP_DIR/registered")" -gt 300 ] || { echo "no columns were found"; exit 1; }
differences reference: "$TMP_DIR/documented" "$TMP_DIR/registered"

# Queries.
sed -n 's/^| `\(queries\/\)\{0,1\}\([a-z0-9_/]*\.sql\)` | .*/\2/p' README.md | sorted >"$TMP_DIR/documented"
find queries -name '*.sql' -not -path 'queries/*/*/*' | sed 's|^queries/||' | sorted >"$TMP_DIR/registered"
differences queries: "$TMP_DIR/documented" "$TMP_DIR/registered"

# The map: under "ext/core/" and its like, stems to the left of two spaces or more; folders end with a slash.
awk '/^## Map of the tree/ { on = 1 } /^Arrows go/ { on = 0 } on' README.md |
    awk '/^[a-z]/ { top = $1; sub(/[^\/]*$/, "", top) }
         /^  [a-z]/ { sub(/^  /, ""); sub(/  .*/, ""); n = split($0, name, ", *")
                      for (i = 1; i <= n; i++) print top name[i] }
         /^[a-z]+\/ / { print $1 } /^ext\/[a-z.]+/ { print $1 }' | sorted >"$TMP_DIR/documented"
{
    echo ext/memx.c
    find ext schema queries tests fixtures -mindepth 1 -maxdepth 1 -type d | sed 's|$|/|'
    echo ext/ schema/ queries/ tests/ fixtures/ | tr ' ' '\n' | grep -v '^ext/$'
    find ext -mindepth 2 -name '*.[ch]' | sed 's/\.[ch]$//'
} | sorted >"$TMP_DIR/registered"
differences map: "$TMP_DIR/documented" "$TMP_DIR/registered"

# Links within README.md lead somewhere.
sed -n 's/^##* //p' README.md | tr '[:upper:] ' '[:lower:]-' | tr -cd 'a-z0-9_\n-' | sorted >"$TMP_DIR/headings"
grep -oE '\]\(#[^)]*\)' README.md | sed 's/](#//; s/)//' | sorted >"$TMP_DIR/links"
for link in $(comm -23 "$TMP_DIR/links" "$TMP_DIR/headings"); do echo "README.md has no heading #$link"; bad=1; done
grep -oE '\]\([^#h][^)]*\)' README.md | sed 's/](//; s/)//' | while read -r file; do
    [ -e "$file" ] || echo "README.md shows $file, which is not there"
done >"$TMP_DIR/files"
[ ! -s "$TMP_DIR/files" ] || { cat "$TMP_DIR/files"; bad=1; }
exit $bad
