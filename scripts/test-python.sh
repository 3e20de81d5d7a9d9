#!/bin/sh
# test-python.sh BUILD [REPORT]: style, types and tests of python/, on BUILD's
# libkami.so; leaves a JUnit report at REPORT. Exits with 77 where the private
# environment cannot be made.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
report=${2:-}
python=$(scripts/python-env.sh "$build") || exit 77
KAMI_LIBRARY=$build/lib/libkami.so
PYTHONPATH=$PWD/python
PYTHONDONTWRITEBYTECODE=1
HYPOTHESIS_STORAGE_DIRECTORY=$build/hypothesis
export KAMI_LIBRARY PYTHONPATH PYTHONDONTWRITEBYTECODE HYPOTHESIS_STORAGE_DIRECTORY
cd python
"$python" -m ruff check --no-cache .
"$python" -m ruff format --no-cache --check .
"$python" -m mypy --cache-dir="$build/mypy-cache"
"$python" -m mypy --cache-dir="$build/mypy-cache" --python-version=3.10
"$python" -m pytest -q -p no:cacheprovider \
  ${report:+--junitxml="$report"}
