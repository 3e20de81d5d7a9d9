#!/bin/sh
# demo.sh [BUILD]: three products on their way from what is computed to a checked
# result: the candidates for a plan, warp-level IR, PTX, and a run on a GPU or,
# without one, in the simulator. Then one of them for chips of three vendors.
# Ends with 1 if anything is wrong.
set -eu
cd "$(dirname "$0")/.."
bin=$(cd "${1:-build}/bin" && pwd)
target=sm_90
format=ptx
pattern='mma\.sync'
example=test/Examples/matmul-64.mlir
planned=test/Examples/matmul-64-planned.mlir

out=$(mktemp -d)
finish() {
  status=$?
  rm -rf "$out"
  [ "$status" = 0 ] || echo "demo: failed" >&2
}
trap finish EXIT

heading() {
  printf '\n== %s\n\n' "$1"
}

# plan COUNT FLAG...: the first COUNT candidates that fit and 4 that do not.
plan() {
  most=$1
  shift
  "$bin/kami-plan" --target=$target --all "$@" >"$out/plan"
  awk -v most="$most" '
    NR <= 2 { print; next }
    $NF == "best" || /the best.s cycles$/ || /as fast, decided/ {
      if (++fit <= most) print
      next
    }
    ++refused <= 4 { line[refused] = $0 }
    END {
      if (fit > most) printf "... and %d more that fit\n", fit - most
      if (!refused) print "none had to be refused"
      for (i = 1; i <= refused && i <= 4; ++i) print line[i]
      if (refused > 4) printf "... and %d more that do not fit\n", refused - 4
    }' "$out/plan"
}

# compile FLAG...: the kernel, and what it asks of the device.
compile() {
  "$bin/kami-compile" "$@" --target=$target --emit=$format -o "$out/kernel"
  cp "$out/kernel" "$out/text"
  if [ $format = spirv ]; then
    "$translate" --deserialize-spirv "$out/kernel" >"$out/text"
  fi
  instructions=$(grep -c "$pattern" "$out/text") || {
    echo "no matrix instruction in the code of: $*" >&2
    exit 1
  }
  python3 - "$out/kernel.json" $format "$instructions" <<'END'
import json, sys
kernel = json.load(open(sys.argv[1]))
spills = kernel.get("spill_bytes")
print(f"kernel     {kernel['kernel']}, {kernel['grid'][0]} blocks of "
      f"{kernel['block'][0]} threads")
print(f"{sys.argv[2]:<10} {sys.argv[3]} matrix instructions")
print(f"registers  {kernel['registers']} a thread, "
      + ("as planned" if spills is None else f"{spills} bytes spilled"))
print(f"shared     {kernel['shared_bytes']} bytes a block")
END
}

# run FLAG...: the verdict. Several such runs must all be right.
runs=0
launcher=
run() {
  $launcher "$bin/kami-run" "$@" --target=$target >"$out/run" || {
    cat "$out/run"
    echo "wrong: $*" >&2
    exit 1
  }
  cat "$out/run"
  grep -q 'verdict *right' "$out/run"
  sed -n 's/^ *device *//p' "$out/run" >>"$out/devices"
  runs=$((runs + 1))
}

heading "64 x 64 x 64, f16: linalg.matmul"
grep -v '^//' "$example" | sed '/./,$!d'
heading "the plan: candidates for one product"
plan 8 --gemm=64x64x64 --type=f16
heading "the plan: 16384 of them"
plan 3 --gemm=64x64x64 --type=f16 --batch=16384
heading "the kernel"
compile "$example" --type=f16
heading "the result"
run "$example" --type=f16

heading "the same product, its plan written by hand: what every warp does"
# kami-opt gives types and attributes their short names.
"$bin/kami-compile" "$planned" --target=$target --emit=warp -o "$out/warp"
"$bin/kami-opt" "$out/warp" >"$out/short"
grep '^!' "$out/short"
sed -n '/^ *gpu\.func/,/gpu\.return/p' "$out/short" >"$out/func"
sed 's/^    //' "$out/func"
grep -q 'kami\.broadcast' "$out/func"
echo
compile "$planned"
echo
run "$planned"

heading "50 x 37 x 23, f16, C = A·B + C/2"
plan 5 --gemm=50x37x23 --type=f16
echo
compile --gemm=50x37x23 --type=f16 --beta=0.5
echo
run --gemm=50x37x23 --type=f16 --beta=0.5

heading "128 x 128 x 128, f64"
plan 5 --gemm=128x128x128 --type=f64
echo
compile --gemm=128x128x128 --type=f64
echo
run --gemm=128x128x128 --type=f64

# vendor TARGET FORMAT PATTERN: the plan, the kernel and the verdict for a chip.
vendor() {
  target=$1 format=$2 pattern=$3
  printf '\n-- %s\n\n' "$target"
  "$bin/kami-plan" --target=$target --gemm=64x64x64 --type=f16 --batch=16 >"$out/plan"
  sed -n 1,4p "$out/plan"
  echo
  compile --gemm=64x64x64 --type=f16 --batch=16
  echo
  run --gemm=64x64x64 --type=f16 --batch=16
}

heading "64 x 64 x 64, f16, 16 of them: three vendors, and whoever has Vulkan"
. scripts/llvm.sh
translate=$LLVM_PREFIX/bin/mlir-translate
vendor sm_90 ptx '\(wgmma\.mma_async\|mma\.sync\)'
vendor gfx942 asm '^[[:space:]]v_mfma'
vendor gfx1100 asm '^[[:space:]]v_wmma'
vendor xe-hpc spirv 'CooperativeMatrixMulAdd'
if vulkan=$(scripts/vulkan.sh ${KAMI_VULKAN:+"$KAMI_VULKAN"}); then
  launcher=$vulkan/bin/vulkan-run
  vendor lavapipe spirv 'CooperativeMatrixMulAdd'
else
  echo "SPIR-V is not run: no software device of Vulkan"
fi

devices=$(sort -u "$out/devices" | sed '2,$s/^/, /' | tr -d '\n')
printf '\ndemo: %d products, all right, on: %s\n' "$runs" "$devices"
