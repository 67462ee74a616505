#!/usr/bin/env bash
# Prints a python3 whose sqlite3 loads extensions and that has these modules; fails where there is none. Some have no
# such sqlite3 (pyenv, macOS), so the system's is tried first.
#
#   find_python.sh [MODULE...]
for python in /usr/bin/python3 python3; do
    "$python" -c '
import importlib, sqlite3, sys
for name in sys.argv[1:]: importlib.import_module(name)
sqlite3.connect(":memory:").enable_load_extension(True)' "$@" 2>/dev/null && echo "$python" && exit
done
exit 1
