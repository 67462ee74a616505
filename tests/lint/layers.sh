#!/usr/bin/env bash
# Arrows only go sql -> predict -> core, read from the #include lines: core knows neither XGBoost nor
# SQLite, predict does not know SQLite, sql does not know XGBoost. And the top level holds what it
# should and nothing else.
#
# A file is named relative to ext/ in full, "core/model.h", so that the first word tells the layer.
# Since every header keeps the rule itself, nothing comes in indirectly.
set -euo pipefail
cd "$(dirname "$0")/../.."
shopt -s nullglob
bad=0
complain() {
    echo "$*"
    bad=1
}

# check FOLDER 'LAYERS' 'PATTERN': what files of FOLDER may include by a quoted name, and the system
# headers (a regular expression) they may not.
check() {
    local file includes line where name
    for file in "ext/$1"/*.[ch]; do
        includes=$(grep -nE '^[[:space:]]*(#|%:|\?\?=)[[:space:]]*(include|import|embed)' "$file" || true)
        while IFS= read -r line; do
            [ -n "$line" ] || continue
            where=$file:${line%%:*}
            # The name with the quote or bracket that opens it.
            name=$(sed -nE 's/^[0-9]+:[^[:alpha:]]*include[[:space:]]*(["<][^">]+)[">].*/\1/p' <<<"$line")
            case $name in
            \"*..*)
                complain "$where: \"${name#?}\" must be named from ext/"
                ;;
            \"*)
                name=${name#?}
                case " $2 " in
                *" ${name%%/*} "*) ;;
                *) complain "$where: $1 may not include \"$name\", only of: $2" ;;
                esac
                ;;
            \<*)
                name=${name#?}
                ! grep -Eq "$3" <<<"$name" || complain "$where: $1 may not include <$name>"
                ;;
            *) complain "$where: an include must name its file" ;;
            esac
        done <<<"$includes"
    done
}

# Names of system headers may not lead into our tree either.
own='(^|/)(core|predict|sql)/|\.\.'
check core 'core' "^sqlite3|^xgboost|$own"
check predict 'core predict' "^sqlite3|$own"
check sql 'core predict sql schema.h sqlite3ext.h' "^xgboost|$own"

for entry in ext/*; do
    case $entry in
    ext/core | ext/predict | ext/sql | ext/*.c | ext/*.h) ;;
    *) complain "$entry: ext/ holds core, predict, sql and the entry point" ;;
    esac
done
for entry in ext/*/*; do
    case $entry in
    *.[ch]) ;;
    *) complain "$entry: a layer is one folder of .c and .h files" ;;
    esac
done

# Where git knows, what it tracks; else all but what is made.
entries=$({ git ls-files 2>/dev/null || true; } | cut -d/ -f1 | sort -u)
for entry in ${entries:-*}; do
    case $entry in
    .*) ;;
    Makefile | README.md | LICENSE | ext | schema | fixtures | tests | queries) ;;
    build* | memx.so | memx.dylib) ;;
    *) complain "$entry: does not belong at the top level" ;;
    esac
done
exit $bad
