#!/bin/sh
# assemble-types.sh OUT: compiles a product of each type for each chip, has ptxas
# assemble it, and prints the instructions that multiply and convert.
set -e
for chip in sm_80 sm_89 sm_90 sm_100 sm_120; do
  for type in tf32 tf32x3 f32 f64 f8E4M3FN i8 "u8 --type-b=i8" \
      "f8E5M2 --type-b=f8E4M3FN --output-type=f8E5M2"; do
    kami-compile --gemm=33x17x40 --beta=2 --type=$type --target=$chip \
        --algorithm=2d --warps=4 --emit=ptx -o "$1"
    ptxas -arch=$chip "$1" -o /dev/null
    echo "$chip $type"
    grep -oE "(mma.sync|fma.rn|cvt.rn.f16x2)[a-z0-9.]*" "$1" | sort -u
  done
done
