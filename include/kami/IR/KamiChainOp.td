//===- KamiChainOp.td - Three matrices multiplied ---------*- tablegen -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_IR_KAMICHAINOP_TD
#define KAMI_IR_KAMICHAINOP_TD

include "kami/IR/KamiProblemOps.td"

def Kami_TensorOrMemRef : AnyTypeOf<[AnyRankedTensor, AnyNon0RankedMemRef],
                                    "ranked tensor or memref of rank 2 or more">;

def Kami_ChainOp : Kami_Op<"chain", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Batched product of three matrices D ← α·A·B·C + β·D";
  let description = [{
    A is `m × k`, B `k × n`, C `n × q` and D `m × q`, each but D transposed in
    memory if it is said; batch dimensions are as those of `kami.gemm`.

    One of A·B and B·C is computed first, in the accumulator's type, rounded to
    the operands' type, and multiplied with the third matrix: it stays with the
    blocks that make it, in registers where the plans allow it, and never goes
    through device memory. `association` says which one; else the cost model
    chooses. Right association is computed as the transposed product
    Dᵀ = (Cᵀ·Bᵀ)·Aᵀ, so that `plans` are always those of a left one: of the first
    product, whose tile's n is a part of the intermediate's columns, and of the
    second, whose tile has that as k.

    `alpha` and `beta` are as in `kami.gemm`, and so is `precision`.

    Example:

    ```mlir
    // (U·Vᵀ)·X of rank 16 is U·(Vᵀ·X).
    kami.chain ins(%u, %v, %x : memref<256x16xf16>, memref<256x16xf16>, memref<256x64xf16>)
               outs(%d : memref<256x64xf32>) transpose_b accumulator(f32)
    ```

    Constraints:
    * (C1) operands are all tensors, or all memrefs; there is a result, of D's
      type, where they are tensors
    * (C2) every operand has at least two dimensions, D no fewer than the others
    * (C3) A, B and C have floats of one type
    * (C4) the extents of m, k, n and q agree between the operands, and are not 0
    * (C5) batch extents equal D's, or are 1
    * (C6) `alpha` and `beta` have the accumulator's type, and if they are in
      memory are what D is
    * (C7) the accumulator is a float at least as wide as the operands', and D's
      elements have its type or are narrower floats
    * (C8) `precision` only where operands and accumulator are f32
    * (C9) `plans` only with an `association`; their warps are in as many rows and
      no columns or layers, and the first tile's m and n are the second's m and k
  }];
  let arguments = (ins
    Kami_TensorOrMemRef:$a, Kami_TensorOrMemRef:$b, Kami_TensorOrMemRef:$c,
    Kami_TensorOrMemRef:$d,
    Optional<Kami_ScaleSource>:$alpha, Optional<Kami_ScaleSource>:$beta,
    UnitAttr:$transposeA, UnitAttr:$transposeB, UnitAttr:$transposeC,
    TypeAttr:$accumulator, OptionalAttr<Kami_PrecisionAttr>:$precision,
    OptionalAttr<Kami_AssociationAttr>:$association,
    OptionalAttr<Kami_PlanAttr>:$first, OptionalAttr<Kami_PlanAttr>:$second);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    `ins` `(` $a `,` $b `,` $c `:` type($a) `,` type($b) `,` type($c) `)`
    `outs` `(` $d `:` type($d) `)`
    (`alpha` `(` $alpha^ `:` type($alpha) `)`)? (`beta` `(` $beta^ `:` type($beta) `)`)?
    (`transpose_a` $transposeA^)? (`transpose_b` $transposeB^)? (`transpose_c` $transposeC^)?
    `accumulator` `(` $accumulator `)` (`precision` `` $precision^)?
    (`association` `` $association^)? (`plans` `(` $first^ `,` $second `)`)?
    attr-dict (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getDMutable(); }

    /// A, B and C, by number.
    ::mlir::Value getFactor(unsigned i) { return getOperand(i); }
    bool isTransposed(unsigned i) {
      return i == 0 ? getTransposeA() : i == 1 ? getTransposeB() : getTransposeC();
    }
    ::mlir::ShapedType getDType() { return ::mlir::cast<::mlir::ShapedType>(getD().getType()); }
    ::mlir::Type getOperandType() {
      return ::mlir::getElementTypeOrSelf(getA().getType());
    }
    bool hasTensorSemantics() { return ::mlir::isa<::mlir::TensorType>(getD().getType()); }
    int64_t getBatchRank() { return getDType().getRank() - 2; }
    /// m, k, n and q, or `ShapedType::kDynamic`.
    ::std::array<int64_t, 4> getExtents();

    /// The same chain of other operands, on tensors if D is one.
    ChainOp cloneWith(::mlir::OpBuilder &builder, ::mlir::ValueRange operands);
  }];
}

#endif // KAMI_IR_KAMICHAINOP_TD
