#!/bin/sh
# build-peers.sh [--arch=90a] [--jobs=N] [--mathdx=DIR] [--cutlass=DIR] [OUT]
#
# Builds what kami-bench times beside kami's own kernels: OUT/libkami-peers.so,
# and OUT/kami-peers-check, which tells whether the peers are right. OUT is
# build-peers unless given. Needs nvcc, in $NVCC, in PATH or in /usr/local/cuda,
# and gets the headers of cuBLASDx and CUTLASS with pip into OUT; --mathdx and
# --cutlass name unpacked releases to be used instead (folders that have
# include/). --mathdx=none goes without cuBLASDx.
set -eu
cd "$(dirname "$0")/.."
sources=tools/kami-bench/peers

complain() {
  echo "build-peers: $1" >&2
  exit 1
}

arch=90a
jobs=$(nproc)
mathdx=
cutlass=
out=build-peers
for argument; do
  case "$argument" in
  --arch=*) arch=${argument#*=} ;;
  --jobs=*) jobs=${argument#*=} ;;
  --mathdx=*) mathdx=${argument#*=} ;;
  --cutlass=*) cutlass=${argument#*=} ;;
  -*) complain "expected --arch, --jobs, --mathdx or --cutlass, but got '$argument'" ;;
  *) out=$argument ;;
  esac
done

nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
[ -x "$nvcc" ] || complain "no nvcc in \$NVCC, PATH or /usr/local/cuda/bin"
mkdir -p "$out/objects"
out=$(cd "$out" && pwd)

# get PACKAGE==VERSION: its files, in $out/packages/PACKAGE==VERSION.
get() {
  [ -e "$out/packages/$1" ] && return
  [ -x "$out/venv/bin/pip" ] || python3 -m venv "$out/venv"
  "$out/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps \
    --target "$out/packages/$1.part" "$1"
  mv "$out/packages/$1.part" "$out/packages/$1"
}
if [ -z "$cutlass" ]; then
  get nvidia-cutlass==4.2.0.0
  cutlass=$out/packages/nvidia-cutlass==4.2.0.0/cutlass_library/source
fi
if [ -z "$mathdx" ]; then
  get nvidia-mathdx==25.6.0
  mathdx=$out/packages/nvidia-mathdx==25.6.0/nvidia/mathdx
fi

[ -e "$cutlass/include/cute/tensor.hpp" ] ||
  complain "expected include/cute/tensor.hpp in '$cutlass'"
[ "$mathdx" = none ] || [ -e "$mathdx/include/cublasdx.hpp" ] ||
  complain "expected include/cublasdx.hpp in '$mathdx'"

digits=$(echo "$arch" | tr -d '[:lower:]')
files="Registry LimitFma LimitMma CuteMmaF16 CuteMmaOdd CuteMmaOther"
[ "$digits" -ge 90 ] && files="$files CuteMmaF64Large"
# Warp-group instructions are sm_90a's alone.
[ "$arch" = 90a ] &&
  files="$files LimitWgmma CuteWgmmaF16 CuteWgmmaOther CuteWgmmaOdd"
[ "$mathdx" = none ] ||
  files="$files CublasDxF16 CublasDxHalves CublasDxOther CublasDxOdd"

# compile FILE: an object, unless it is newer than all that it is made of. A
# release of MathDx comes with the CUTLASS that it was tried with.
compile() {
  object=$out/objects/$1.sm_$arch.o
  if [ -e "$object" ] && [ -z "$(find "$sources" -name "$1.cu" -newer "$object" \
    -o -name '*.h' -newer "$object" -o -name '*.cuh' -newer "$object")" ]; then
    return
  fi
  case $1 in
  CublasDx*) headers="-isystem $mathdx/include -isystem $mathdx/external/cutlass/include" ;;
  *) headers="-isystem $cutlass/include" ;;
  esac
  echo "build-peers: $1"
  # shellcheck disable=SC2086 # headers are several words
  "$nvcc" -std=c++17 -O3 -DNDEBUG -DKAMI_PEERS_SM="${digits}0" -I"$sources" \
    $headers -gencode="arch=compute_$arch,code=sm_$arch" \
    --expt-relaxed-constexpr -Xfatbin=-compress-all -Xcompiler=-fPIC \
    -Xptxas=-v -c "$sources/$1.cu" -o "$object.part" \
    >"$object.log" 2>&1 || {
    cat "$object.log" >&2
    complain "cannot compile $1.cu"
  }
  mv "$object.part" "$object"
}

# As many at once as asked for: each of `jobs` shells takes every jobs-th file.
job=0
pids=
while [ "$job" -lt "$jobs" ]; do
  (
    number=0
    for file in $files; do
      [ $((number % jobs)) != "$job" ] || compile "$file"
      number=$((number + 1))
    done
  ) &
  pids="$pids $!"
  job=$((job + 1))
done
for pid in $pids; do
  wait "$pid" || exit 1
done

objects=
for file in $files; do
  objects="$objects $out/objects/$file.sm_$arch.o"
done
# shellcheck disable=SC2086 # objects too
"$nvcc" -shared -Xlinker=-s -o "$out/libkami-peers.so" $objects
"$nvcc" -std=c++17 -O2 -Xlinker=-s -I"$sources" "$sources/Check.cu" \
  -o "$out/kami-peers-check" -ldl
echo "build-peers: $out/libkami-peers.so"
