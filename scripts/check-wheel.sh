#!/bin/sh
# check-wheel.sh WHEEL: installs the wheel in an empty environment and runs
# there what docs/Python.md shows.
set -eu
cd "$(dirname "$0")/.."
wheel=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
root=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -m venv "$scratch/env"
"$scratch/env/bin/pip" install -q --disable-pip-version-check "$wheel"
cd "$scratch"
KAMI_CACHE_DIR=$scratch/cache
export KAMI_CACHE_DIR
env/bin/python -m kami | tee shown
grep -q '^compiled ahead: [1-9]' shown
env/bin/python -m kami check
env/bin/python "$root/scripts/run-python-docs.py" "$root/docs/Python.md" "$root/README.md"
