//===- KamiTargetOps.td - Instructions upstream lacks -----*- tablegen -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_IR_KAMITARGETOPS_TD
#define KAMI_IR_KAMITARGETOPS_TD

include "kami/IR/KamiWarpOps.td"

def Kami_MmaSyncOp : Kami_Op<"mma_sync", [Pure, AllTypesMatch<["c", "result"]>]> {
  let summary = "NVIDIA's mma.sync, for shapes and types that nvgpu.mma.sync lacks";
  let description = [{
    Each lane passes its registers of A, B and C as flat vectors in the order of
    the atom's fragment maps, and gets its registers of D. `nvgpu.mma.sync` is
    used where it is right; it rejects f64 beyond m8n8k4 and floats of 8 bits,
    leaves bf16 unconverted, and saturates sums of i8, which wrap here.

    Example:

    ```mlir
    %d = kami.mma_sync %a, %b, %c atom #dmma : vector<4xf64>, vector<2xf64>, vector<4xf64>
    ```

    Constraints:
    * (C1) the atom's instruction is mma_sync
    * (C2) each vector has as many elements of the atom's type, without its
      sign, as a lane holds
    * (C3) the atom is one product
  }];
  let arguments = (ins AnyVectorOfNonZeroRank:$a, AnyVectorOfNonZeroRank:$b,
                       AnyVectorOfNonZeroRank:$c, Kami_MmaAtomAttr:$atom);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $c `atom` $atom attr-dict `:` type($a) `,` type($b) `,` type($c)
  }];
  let hasVerifier = 1;
}

def Kami_StMatrixOp : Kami_Op<"stmatrix"> {
  let summary = "NVIDIA's stmatrix: a warp writes 8×8 matrices to shared memory";
  let description = [{
    Writes 1, 2 or 4 core matrices, of 8 rows of 16 bytes in one piece each. Lane
    l says by its indices where row l mod 8 of matrix l / 8 begins, at a multiple
    of 16 bytes; where there are fewer than 32 rows, the indices of the other
    lanes do not matter. `value[i]` is the lane's register of matrix i: its
    elements are those of row l / 4 from byte 4 · (l mod 4) on. With `transpose`,
    which takes elements of 16 bits, they are those of column l / 4 from row
    2 · (l mod 4) on.

    Every lane of the warp executes the op. It is the inverse of
    `nvgpu.ldmatrix`; upstream has it on pointers only, of which nobody can say
    whether they stay within a matrix.

    Example:

    ```mlir
    kami.stmatrix %registers, %c[%row, %column]
        : vector<4x2xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>
    ```

    Constraints:
    * (C1) the matrix is in workgroup memory, and its last stride is 1
    * (C2) there are as many indices as the matrix has dimensions
    * (C3) the value has 1, 2 or 4 rows of 32 bits, of the matrix's elements
    * (C4) with `transpose`, elements have 16 bits
  }];
  let arguments = (ins FixedVectorOfRankAndType<[2], [AnyFloat, AnySignlessInteger]>:$value,
                       Arg<AnyNon0RankedMemRef, "", [MemWriteAt<0, FullEffect>]>:$dest,
                       Variadic<Index>:$indices, UnitAttr:$transpose);
  let assemblyFormat = [{
    $value `,` $dest `[` $indices `]` (`transpose` $transpose^)? attr-dict
    `:` type($value) `,` type($dest)
  }];
  let hasVerifier = 1;
}

#endif // KAMI_IR_KAMITARGETOPS_TD
