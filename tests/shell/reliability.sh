#!/usr/bin/env bash
# The short form of `make reliability`.
exec tests/reliability.sh short
