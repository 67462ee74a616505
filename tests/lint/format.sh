#!/usr/bin/env bash
# All C is laid out as .clang-format says.
set -euo pipefail
cd "$(dirname "$0")/../.."
clang_format=${CLANG_FORMAT:-clang-format}
command -v "$clang_format" >/dev/null || { echo "no $clang_format"; exit 77; }

version=$("$clang_format" --version | sed -nE 's/.*version ([0-9]+).*/\1/p')
case $version in
14 | 15 | 16) ;;
*) echo "clang-format $version differs from 14 to 16, which are meant"; exit 77 ;;
esac

find ext fixtures tests -name '*.[ch]' -exec "$clang_format" --dry-run --Werror {} + ||
    { echo "\`$clang_format -i FILE\` lays a file out"; exit 1; }
