#!/usr/bin/env bash
# Installs tests/hosts/package.json into the directory $1, where Node 20 or newer and npm are there; where
# no binary was made for this machine, it is compiled. Never fails: tests/shell/host_node.sh tells what is
# missing, from $1/npm.log.
set -u
dir=$1
mkdir -p "$dir" && cp "$(dirname "$0")/package.json" "$dir" || exit 1
major=$(node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/')
if [ "${major:-0}" -lt 20 ] || ! command -v npm >/dev/null; then
    echo "Node 20 or newer and npm are needed; there is ${major:+Node $major}${major:-none};" \
        "rm -r $dir when they are there" >"$dir/npm.log"
    exit 0
fi
# Headers that came with Node need not be fetched. What make was told about MemX is not for others.
headers=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
[ -e "$headers/include/node/node.h" ] && export npm_config_nodedir=$headers
unset MAKEFLAGS MFLAGS CPPFLAGS LDFLAGS CC V
echo "  NPM  $dir"
cd "$dir" || exit 1
# -O1: it is only asked whether it works.
CFLAGS=-O1 CXXFLAGS=-O1 JOBS=2 npm install --fetch-retries=1 --no-package-lock --no-audit --no-fund --foreground-scripts >npm.log 2>&1 ||
    echo "npm could not install what package.json lists; rm -r $dir to try again" >>npm.log
exit 0
