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

#endif // KAMI_IR_KAMITARGETOPS_TD
