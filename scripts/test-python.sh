#!/bin/sh
# test-python.sh BUILD [REPORT]: style, types and tests of python/, on BUILD's
# libkami.so; leaves a JUnit report at REPORT. Exits with 77 where the private
# environment cannot be made. KAMI_TEST_TORCH=1 installs PyTorch into BUILD,
# 5 GB with what it loads, and tests its operators; they are skipped without.
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
# Beside the environment, since types are checked against what that has.
if [ -n "${KAMI_TEST_TORCH:-}" ]; then
  wanted=requirements-torch.txt
  if ! cmp -s "$wanted" "$build/torch/installed.txt"; then
    rm -rf "$build/torch"
    "$python" -m pip install -q --disable-pip-version-check \
      --target="$build/torch" -r "$wanted" >&2 &&
      cp "$wanted" "$build/torch/installed.txt" || rm -rf "$build/torch"
  fi
  [ -d "$build/torch" ] ||
    echo "PyTorch cannot be installed; its tests are skipped" >&2
  PYTHONPATH=$PYTHONPATH:$build/torch
fi
"$python" -m pytest -q -p no:cacheprovider \
  ${report:+--junitxml="$report"}
