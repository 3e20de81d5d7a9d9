#!/bin/sh
# format.sh: formats the C++ sources in place.
# format.sh --check: changes nothing; fails and shows what it would change.
set -eu
cd "$(dirname "$0")/.."
. scripts/llvm.sh

mode=-i
if [ "${1:-}" = --check ]; then
  mode="--dry-run -Werror"
fi
find include lib tools test python -name '*.h' -o -name '*.cpp' 2>/dev/null |
  sort | xargs -r "$LLVM_PREFIX/bin/clang-format" --style=file $mode
