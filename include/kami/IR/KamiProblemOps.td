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
include "mlir/Interfaces/ControlFlowInterfaces.td"
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
/// α and β: a value, or where in memory the kernel finds it.
def Kami_ComplexScale : AnyTypeOf<[Complex<F32>, Complex<F64>], "complex number">;
def Kami_ScaleSource : AnyTypeOf<[Kami_Scale, Kami_ComplexScale,
                                  MemRefRankOf<[F16, BF16, F32, F64, I32, Kami_ComplexScale], [0]>,
                                  0DTensorOf<[F16, BF16, F32, F64, I32, Kami_ComplexScale]>],
                                 "float, i32 or complex number, or memref or tensor of rank 0 of it">;
/// What the regions of kami.gemm read besides the product's elements.
def Kami_ElementSource : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef,
                                    AnySignlessInteger, AnyFloat],
                                   "ranked tensor, strided memref, integer or float">;

def Kami_GemmOp : Kami_Op<"gemm", [
    AttrSizedOperandSegments, DestinationStyleOpInterface, IsolatedFromAbove,
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
    once, at the end. `alpha` and `beta` are of the accumulator's type, or of
    rank 0 with such an element, which the kernel reads; a missing `alpha` is 1.
    A missing `beta` is 0, and where β is 0, also at run time, C's old contents
    are never read.

    Any extent may be 0. Where m, n or one of the batch is, nothing happens; where
    k is, all sums are 0, and C becomes β·C, or what the epilogue makes of it.

    Regions say what happens to single elements, in registers, on their way. They
    see no value from outside but those that they name.

    * `epilogue` maps α·sum + β·C, in the accumulator's type, to the element of C
      that is stored, instead of the conversion.
    * `prologue_a` and `prologue_b` map an element of A or B as it lies in memory
      to the one that is multiplied, which may be of another type.

    The first argument is that element. Each further one is an element of a
    tensor or memref, or a scalar: the map after `at` takes the batch dimensions
    of C and (m, n), (m, k) or (k, n), in the product's sense, whatever is
    transposed, to the operand's dimensions. A bias of C's columns is at
    `(m, n) -> (n)`, a residual at `(m, n) -> (m, n)`.

    Integers of 8 bits have a sign, or with `unsigned_a` or `unsigned_b` none;
    their sums wrap. f32 elements are multiplied as they are, unless `precision`
    allows less: `tf32` rounds each to 10 bits of mantissa, `tf32x3` multiplies
    each as a sum of two such numbers, which loses the last bits and turns
    infinities into NaN.

    With `layers(count, span)`, both known only at run time and at least 1, a sum is
    taken as by a plan with so many layers: term i belongs to part
    `(i / span) mod count`, and parts are added one after the other. So one kernel
    adds up in the order of any plan.

    Complex numbers are multiplied part by part, with `conjugate_a` or
    `conjugate_b` of the conjugates; α and β are complex, too. `precision` says how
    the parts are multiplied.

    With `interleaved_parts` the matrices are of complex numbers seen as reals
    (`kami.as_real`), and the product is one of reals: A is m × k, or k/2 × 2m with
    `transpose_a`, C is m × n, and B, of k/2 × n reals, or n/2 × k with
    `transpose_b`, is multiplied as the k × n matrix that has [[r, s], [-s, r]] in
    the place of each r + is; conjugates are as for complex numbers.
    `kami-interleave-parts` makes one where a plan says so.

    Sums are `reproducible`: the bits of a product do not depend on how many
    others are in the batch, where it is among them, or how many blocks share the
    work. `reproducible = false` leaves the planner free to choose another order
    of the sums for another batch.

    `aligned_rows` is the caller's promise that what is stored as rows of A and B
    begins at multiples of 16 bytes, also where strides are known only at run time.
    A function whose arguments these are says so once the product has become a
    kernel (`kami.aligned_rows`); who calls it with other strides is refused.
    With `aligned_rows_if`, it is where the condition, which all threads agree on,
    is true: of a block's product of copied operands, the sum is computed in one
    of two ways, and C is stored in one.

    On tensors the result is the new C; on memrefs C is written in place. Its
    elements must not overlap each other, A, B or what regions read. The verifier
    sees that where strides are static, or where C is A or B; that strides known at
    run time, or two memrefs, keep it, and that memrefs are what their types and
    descriptors say, is the caller's promise. Nobody checks it on a device, where
    breaking it means wrong elements, or an illegal address.

    Inside a kernel, the product is that of one block, and A, B and C may also be
    distributed over it already; the result is then the new C, distributed.
    Memrefs may be in workgroup memory. Every thread of the block takes part, and
    what other threads wrote to memory operands must be separated by a barrier.

    There, a block may take products in turn, and start to copy the operands of
    the next one before it is done with one, where their plan says
    `next = prefetched`: `next` names that one's A and B, which are looked at only
    if there is one. `turn` counts the tiles of k that came before, 0 for the
    block's first product, which copies its first tiles itself; a product takes
    as many turns as it has tiles of k, but no fewer than the plan's stages less
    one. Between such products, the block's shared memory is theirs. Where the
    plan says `copies = bulk` instead, a product makes the maps of the next one's
    operands, unless those of a batch serve all of its products, and `turn` counts
    the products before whose maps were made so; 0 is for one that makes its own.
    Where it says both, `turn` is twice the count of tiles, and one more for every
    other product; a product whose rows are not aligned neither follows another
    one nor is followed.

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

    kami.gemm ins(%a, %b : memref<32x64xcomplex<f32>>, memref<32x48xcomplex<f32>>)
              outs(%c : memref<64x48xcomplex<f32>>) transpose_a conjugate_a
              accumulator(complex<f32>)

    // relu(A·B + bias), where A is 8-bit integers with a scale for each row.
    kami.gemm ins(%q, %b : memref<64x32xi8>, memref<32x48xf16>)
              outs(%c : memref<64x48xf16>) accumulator(f32)
        prologue_a(%x: i8, %s = %scale : memref<64xf16> at affine_map<(m, k) -> (m)>) {
          %y = arith.sitofp %x : i8 to f16
          %z = arith.mulf %y, %s : f16
          kami.yield %z : f16
        }
        epilogue(%x: f32, %b0 = %bias : memref<48xf32> at affine_map<(m, n) -> (n)>) {
          %zero = arith.constant 0.0 : f32
          %y = arith.addf %x, %b0 : f32
          %z = arith.maximumf %y, %zero : f32
          %t = arith.truncf %z : f32 to f16
          kami.yield %t : f16
        }
    ```

    Constraints:
    * (C1) operands are all tensors, or none is; there is a result, of C's type,
      unless C is a memref
    * (C2) every operand has at least two dimensions, C no fewer than A or B
    * (C3) the types that A's and B's elements are multiplied in are equal, or
      each is f16 or a float of 8 bits
    * (C4) the extents of m, n and k agree between the operands
    * (C5) batch extents equal C's, or are 1
    * (C6) `alpha` and `beta` have the accumulator's type
    * (C7) the accumulator is at least as wide as the elements that are
      multiplied; unless there is an epilogue without β, C's elements have its
      type or are narrower floats
    * (C8) elements and accumulator are all floats or all integers; C's may
      differ where there is an epilogue without β
    * (C9) `precision` only where the accumulator and what is multiplied are f32,
      and no prologue makes it
    * (C10) `unsigned_a` and `unsigned_b` only where the elements that are
      multiplied are integers, and no prologue of that operand makes them
    * (C11) distributed operands have the role of their place, are not transposed,
      and have one plan, which is the product's if it has any; a distributed A or
      B has no prologue
    * (C12) a region's arguments are the element's type, for the epilogue the
      accumulator's, and that of each operand's elements; it yields C's element
      type, or the type that is multiplied
    * (C13) the operations of a region are pure `arith` and `math` on integers
      and floats
    * (C14) the operands of regions and the scales are of (C1)'s kind, or scalars
    * (C15) a region's operand has a map from as many dimensions as C has to as
      many as it has: each one of C's, once, or 0; extents agree, and are 1 at a
      0. A scalar has none
    * (C16) where any of A, B, C and the accumulator is complex, all are of one
      type, complex f32 or complex f64, and there are no regions
    * (C17) `conjugate_a` and `conjugate_b` only where elements are complex, or
      with `interleaved_parts`
    * (C18) a C that is a memref is neither A nor B, and no two of its elements
      have one address, as far as its strides are static
    * (C19) `next` only for a plan that prefetches or copies in bulk, and of the
      types of A and B
    * (C20) not both `aligned_rows` and `aligned_rows_if`, and the latter only for
      a plan of copied operands
    * (C21) `layers` only where A and B are memrefs, without prologues,
      `aligned_rows`, `aligned_rows_if` and `next`; a plan is for one layer, and
      neither packs products nor prefetches or copies in bulk
    * (C22) `interleaved_parts` only where A, B and C are memrefs and, like the
      accumulator, of f32 or f64, A's and B's elements adjacent along their last
      dimension, n and k are even, there are neither regions nor `layers`, and a
      plan says `complex = interleaved`
  }];
  let arguments = (ins
    Kami_MatrixOperand:$a, Kami_MatrixOperand:$b, Kami_MatrixOperand:$c,
    Optional<Kami_ScaleSource>:$alpha, Optional<Kami_ScaleSource>:$beta,
    Variadic<Kami_ElementSource>:$prologueAOperands,
    Variadic<Kami_ElementSource>:$prologueBOperands,
    Variadic<Kami_ElementSource>:$epilogueOperands,
    Optional<AnyMemRef>:$nextA, Optional<AnyMemRef>:$nextB,
    Optional<I1>:$hasNext, Optional<Index>:$turn,
    Optional<I1>:$areRowsAligned,
    Optional<Index>:$layers, Optional<Index>:$layerK,
    UnitAttr:$transposeA, UnitAttr:$transposeB, TypeAttr:$accumulator,
    OptionalAttr<Kami_PlanAttr>:$plan, OptionalAttr<Kami_PrecisionAttr>:$precision,
    UnitAttr:$unsignedA, UnitAttr:$unsignedB,
    UnitAttr:$conjugateA, UnitAttr:$conjugateB, UnitAttr:$interleavedParts,
    DefaultValuedAttr<BoolAttr, "true">:$reproducible,
    UnitAttr:$alignedRows,
    OptionalAttr<AffineMapArrayAttr>:$prologueAMaps,
    OptionalAttr<AffineMapArrayAttr>:$prologueBMaps,
    OptionalAttr<AffineMapArrayAttr>:$epilogueMaps);
  let regions = (region MaxSizedRegion<1>:$prologueA, MaxSizedRegion<1>:$prologueB,
                        MaxSizedRegion<1>:$epilogue);
  let results = (outs Optional<Kami_MatrixResult>:$result);
  let assemblyFormat = [{
    `ins` `(` $a `,` $b `:` type($a) `,` type($b) `)` `outs` `(` $c `:` type($c) `)`
    (`alpha` `(` $alpha^ `:` type($alpha) `)`)? (`beta` `(` $beta^ `:` type($beta) `)`)?
    (`transpose_a` $transposeA^)? (`transpose_b` $transposeB^)?
    (`conjugate_a` $conjugateA^)? (`conjugate_b` $conjugateB^)?
    (`interleaved_parts` $interleavedParts^)?
    `accumulator` `(` $accumulator `)` (`precision` `` $precision^)?
    (`unsigned_a` $unsignedA^)? (`unsigned_b` $unsignedB^)?
    (`reproducible` `=` $reproducible^)? (`aligned_rows` $alignedRows^)?
    (`aligned_rows_if` $areRowsAligned^)?
    (`layers` `(` $layers^ `,` $layerK `)`)?
    (`prologue_a` custom<ElementRegion>($prologueAOperands, type($prologueAOperands),
                                        $prologueAMaps, $prologueA)^)?
    (`prologue_b` custom<ElementRegion>($prologueBOperands, type($prologueBOperands),
                                        $prologueBMaps, $prologueB)^)?
    (`epilogue` custom<ElementRegion>($epilogueOperands, type($epilogueOperands),
                                      $epilogueMaps, $epilogue)^)?
    (`next` `(` $nextA^ `,` $nextB `:` type($nextA) `,` type($nextB) `)`
     `if` $hasNext `turn` $turn)?
    (`plan` `(` $plan^ `)`)?
    attr-dict (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let builders = [
    /// Without regions.
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$a, "::mlir::Value":$b,
                   "::mlir::Value":$c, "::mlir::Value":$alpha, "::mlir::Value":$beta,
                   "bool":$transposeA, "bool":$transposeB,
                   "::mlir::Type":$accumulator, "PlanAttr":$plan,
                   CArg<"PrecisionAttr", "{}">:$precision,
                   CArg<"bool", "false">:$unsignedA, CArg<"bool", "false">:$unsignedB)>
  ];
  let extraClassDeclaration = [{
    /// C, unless it is distributed: then nothing is updated in place.
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      unsigned count = ::mlir::isa<DistributedType>(getC().getType()) ? 0 : 1;
      return ::mlir::MutableOperandRange(getOperation(), 2, count);
    }

    ::mlir::ShapedType getAType() { return ::mlir::cast<::mlir::ShapedType>(getA().getType()); }
    ::mlir::ShapedType getBType() { return ::mlir::cast<::mlir::ShapedType>(getB().getType()); }
    ::mlir::ShapedType getCType() { return ::mlir::cast<::mlir::ShapedType>(getC().getType()); }
    /// Whether its elements are complex numbers.
    bool isComplex() { return ::mlir::isa<::mlir::ComplexType>(getAccumulator()); }
    bool hasTensorSemantics() { return ::mlir::isa<::mlir::TensorType>(getC().getType()); }
    /// The plan of the operands that are distributed; null where none is.
    PlanAttr getDistribution();

    /// What A's and B's elements are multiplied as: those of memory, unless a
    /// prologue makes others of them.
    ::mlir::Type getMultipliedType(Role role);

    /// The prologue of A or B, or, for C, the epilogue. Empty if there is none.
    ::mlir::Region &getElementRegion(Role role) {
      return role == Role::A ? getPrologueA() : role == Role::B ? getPrologueB() : getEpilogue();
    }
    bool hasElementRegion(Role role) { return !getElementRegion(role).empty(); }
    bool hasElementRegions() {
      return hasElementRegion(Role::A) || hasElementRegion(Role::B) || hasElementRegion(Role::C);
    }
    /// What it reads besides the element itself, and where.
    ::mlir::MutableOperandRange getElementOperandsMutable(Role role) {
      return role == Role::A   ? getPrologueAOperandsMutable()
             : role == Role::B ? getPrologueBOperandsMutable()
                               : getEpilogueOperandsMutable();
    }
    ::mlir::OperandRange getElementOperands(Role role) {
      return role == Role::A   ? getPrologueAOperands()
             : role == Role::B ? getPrologueBOperands()
                               : getEpilogueOperands();
    }
    ::llvm::SmallVector<::mlir::AffineMap> getElementMaps(Role role);
    void setElementMaps(Role role, ::llvm::ArrayRef<::mlir::AffineMap> maps);

    /// The same product of other operands, on tensors if C is one.
    GemmOp cloneWith(::mlir::OpBuilder &builder, ::mlir::ValueRange operands);

    int64_t getBatchRank() { return getCType().getRank() - 2; }
    /// Extents, or `ShapedType::kDynamic`. k is taken from A, or from B where
    /// only B's is static.
    int64_t getM();
    int64_t getN();
    int64_t getK();
    /// Rows (dim 0), or columns, of A or B as it is multiplied.
    int64_t multipliedExtent(Role role, unsigned dim);
  }];
}

def Kami_YieldOp : Kami_Op<"yield", [Pure, ReturnLike, Terminator,
                                    ParentOneOf<["GemmOp", "GroupedGemmOp", "MapOp", "CombineOp"]>]> {
  let summary = "The element that a region makes";
  let description = [{
    Example: `kami.yield %x : f16`
  }];
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // KAMI_IR_KAMIPROBLEMOPS_TD
