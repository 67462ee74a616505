#!/usr/bin/env bash
# Evaluates MemX beside the other planners: a figure a line, as tests/evaluation/planners.sh says. `make evaluation`
# builds what is needed and calls this.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
tests/evaluation/planners.sh
