//===- KamiProblemOps.td - What is computed ---------------*- tablegen -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_IR_KAMIPROBLEMOPS_TD
#define KAMI_IR_KAMIPROBLEMOPS_TD

include "kami/IR/KamiTypes.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

class Kami_Op<string mnemonic, list<Trait> traits = []>
    : Op<Kami_Dialect, mnemonic, traits>;

def Kami_MatrixOperand : AnyTypeOf<[AnyRankedTensor, AnyNon0RankedMemRef, Kami_DistributedType],
                                   "ranked tensor or memref of rank 2 or more, or distributed matrix">;
def Kami_MatrixResult : AnyTypeOf<[AnyRankedTensor, Kami_DistributedType],
                                  "ranked tensor or distributed matrix">;
def Kami_Scale : AnyTypeOf<[F16, BF16, F32, F64, I32], "float or i32">;

def Kami_GemmOp : Kami_Op<"gemm", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<TilingInterface,
      ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation",
       "getResultTilePosition", "generateResultTileValue"]>]> {
  let summary = "Batched matrix product C ← α·A·B + β·C";
  let description = [{
    The last two dimensions are the matrix, the leading ones the batch. A is
    `m × k` (`k × m` with `transpose_a`), B is `k × n` (`n × k` with
    `transpose_b`), C is `m × n`. Batch dimensions of A and B broadcast to C's
    as in NumPy: they are aligned at the right, and a missing one or one of
    static extent 1 is repeated. An extent known only at run time is C's.

    Sums are taken in the accumulator type and converted to C's element type
    once, at the end. `alpha` and `beta` are of the accumulator's type; a
    missing `alpha` is 1. A missing `beta` is 0, and where β is 0, also at run
    time, C's old contents are never read.

    Integers of 8 bits have a sign, or with `unsigned_a` or `unsigned_b` none;
    their sums wrap. f32 elements are multiplied as they are, unless `precision`
    allows less: `tf32` rounds each to 10 bits of mantissa, `tf32x3` multiplies
    each as a sum of two such numbers, which loses the last bits and turns
    infinities into NaN.

    On tensors the result is the new C; on memrefs C is written in place and
    must not overlap A or B.

    Inside a kernel, the product is that of one block, and A, B and C may also be
    distributed over it already; the result is then the new C, distributed.
    Memrefs may be in workgroup memory. Every thread of the block takes part, and
    what other threads wrote to memory operands must be separated by a barrier.

    Example:

    ```mlir
    kami.gemm ins(%a, %b : memref<64x32xf16>, memref<32x48xf16>)
              outs(%c : memref<64x48xf32>) accumulator(f32)

    %d = kami.gemm ins(%a, %b : tensor<8x32x64xf16>, tensor<32x48xf16>)
                   outs(%c : tensor<8x64x48xf16>) beta(%beta : f32) transpose_a
                   accumulator(f32) -> tensor<8x64x48xf16>

    kami.gemm ins(%a, %b : memref<64x32xf32>, memref<32x48xf32>)
              outs(%c : memref<64x48xf32>) accumulator(f32) precision<tf32x3>

    kami.gemm ins(%a, %b : memref<64x32xi8>, memref<32x48xi8>)
              outs(%c : memref<64x48xi32>) accumulator(i32) unsigned_a
    ```

    Constraints:
    * (C1) operands are all tensors, or none is; there is a result, of C's type,
      unless C is a memref
    * (C2) every operand has at least two dimensions, C no fewer than A or B
    * (C3) A's and B's element types are equal, or both floats of 8 bits
    * (C4) the extents of m, n and k agree between the operands, and are not 0
    * (C5) batch extents equal C's, or are 1
    * (C6) `alpha` and `beta` have the accumulator's type
    * (C7) the accumulator is at least as wide as A's elements; C's elements
      have its type or are narrower floats
    * (C8) elements and accumulator are all floats or all integers
    * (C9) `precision` only where A, B and the accumulator are f32
    * (C10) `unsigned_a` and `unsigned_b` only where A and B are integers
    * (C11) distributed operands have the role of their place, are not transposed,
      and have one plan, which is the product's if it has any
  }];
  let arguments = (ins
    Kami_MatrixOperand:$a, Kami_MatrixOperand:$b, Kami_MatrixOperand:$c,
    Optional<Kami_Scale>:$alpha, Optional<Kami_Scale>:$beta,
    UnitAttr:$transposeA, UnitAttr:$transposeB, TypeAttr:$accumulator,
    OptionalAttr<Kami_PlanAttr>:$plan, OptionalAttr<Kami_PrecisionAttr>:$precision,
    UnitAttr:$unsignedA, UnitAttr:$unsignedB);
  let results = (outs Optional<Kami_MatrixResult>:$result);
  let assemblyFormat = [{
    `ins` `(` $a `,` $b `:` type($a) `,` type($b) `)` `outs` `(` $c `:` type($c) `)`
    (`alpha` `(` $alpha^ `:` type($alpha) `)`)? (`beta` `(` $beta^ `:` type($beta) `)`)?
    (`transpose_a` $transposeA^)? (`transpose_b` $transposeB^)?
    `accumulator` `(` $accumulator `)` (`precision` `` $precision^)?
    (`unsigned_a` $unsignedA^)? (`unsigned_b` $unsignedB^)? (`plan` `(` $plan^ `)`)?
    attr-dict (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// C, unless it is distributed: then nothing is updated in place.
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      unsigned count = ::mlir::isa<DistributedType>(getC().getType()) ? 0 : 1;
      return ::mlir::MutableOperandRange(getOperation(), 2, count);
    }

    ::mlir::ShapedType getAType() { return ::mlir::cast<::mlir::ShapedType>(getA().getType()); }
    ::mlir::ShapedType getBType() { return ::mlir::cast<::mlir::ShapedType>(getB().getType()); }
    ::mlir::ShapedType getCType() { return ::mlir::cast<::mlir::ShapedType>(getC().getType()); }
    bool hasTensorSemantics() { return ::mlir::isa<::mlir::TensorType>(getC().getType()); }
    /// The plan of the operands that are distributed; null where none is.
    PlanAttr getDistribution();

    int64_t getBatchRank() { return getCType().getRank() - 2; }
    /// Extents, or `ShapedType::kDynamic`. k is taken from A, or from B where
    /// only B's is static.
    int64_t getM();
    int64_t getN();
    int64_t getK();
  }];
}

#endif // KAMI_IR_KAMIPROBLEMOPS_TD
