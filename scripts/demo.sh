#!/bin/sh
# demo.sh [BUILD]: three products on their way from what is computed to a checked
# result: the candidates for a plan, warp-level IR, PTX, and a run on a GPU or,
# without one, in the simulator. Ends with 1 if anything is wrong.
set -eu
cd "$(dirname "$0")/.."
bin=$(cd "${1:-build}/bin" && pwd)
target=sm_90
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
  "$bin/kami-compile" "$@" --target=$target --emit=ptx -o "$out/kernel.ptx"
  instructions=$(grep -c 'mma\.sync' "$out/kernel.ptx") || {
    echo "no mma.sync in the PTX of: $*" >&2
    exit 1
  }
  python3 - "$out/kernel.ptx.json" "$instructions" <<'END'
import json, sys
kernel = json.load(open(sys.argv[1]))
spills = kernel.get("spill_bytes")
print(f"kernel     {kernel['kernel']}, {kernel['grid'][0]} blocks of "
      f"{kernel['block'][0]} threads")
print(f"PTX        {sys.argv[2]} lines with mma.sync")
print(f"registers  {kernel['registers']} a thread, "
      + ("as planned (no ptxas found)" if spills is None
         else f"{spills} bytes spilled (ptxas)"))
print(f"shared     {kernel['shared_bytes']} bytes a block")
END
}

# run FLAG...: the verdict. Several such runs must all be right.
runs=0
run() {
  "$bin/kami-run" "$@" --target=$target >"$out/run" || {
    cat "$out/run"
    echo "wrong: $*" >&2
    exit 1
  }
  cat "$out/run"
  grep -q 'verdict *right' "$out/run"
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

device=$(sed -n 's/^ *device *//p' "$out/run")
printf '\ndemo: %d products, all right, on: %s\n' "$runs" "$device"
