//===- KamiGroupedOps.td - Products of many sizes ---------*- tablegen -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_IR_KAMIGROUPEDOPS_TD
#define KAMI_IR_KAMIGROUPEDOPS_TD

include "kami/IR/KamiProblemOps.td"
include "kami/IR/KamiWarpOps.td"

def Kami_FlatMatrices : MemRefRankOf<[F8E4M3FN, F8E5M2, F8E4M3FNUZ, F8E5M2FNUZ, F16, BF16, F32, F64, I8, I32], [1]>;
def Kami_Positions : MemRefRankOf<[I64], [1]>;
def Kami_Counts : MemRefRankOf<[I32, I64], [1]>;
/// α or β: of all products, as in kami.gemm, or of each.
def Kami_GroupScale : AnyTypeOf<[Kami_Scale, MemRefRankOf<[F16, BF16, F32, F64, I32], [0, 1]>],
                                "float or i32, or memref of rank 0 or 1 of it">;

def Kami_GroupedGemmOp : Kami_Op<"grouped_gemm", [
    AttrSizedOperandSegments, IsolatedFromAbove, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Matrix products of sizes of their own, C_p ← α_p·A_p·B_p + β_p·C_p";
  let description = [{
    As many products as `sizes` has entries, whose m, n and k, and all else, are
    read by the kernel: the host need not know them. Product p multiplies A_p,
    m × k (k × m with `transpose_a`), with B_p, k × n (n × k with `transpose_b`).
    The rows of A_p begin at the element `at` says of the memref, `leading`
    elements apart, or one behind the other where there is no `leading`; so do
    B_p's and C_p's. With `bytes`, `at` counts bytes, multiples of the element's:
    with memrefs that begin at address 0 these are pointers.

    Sizes may be 0: where m or n is, nothing happens, where k is, C_p becomes
    β_p·C_p. Negative ones count as 0, and the positions of a matrix without
    elements may be anything.

    The rest is the caller's promise, which the kernel reads when it is too late to
    ask for more: positions, and with `bytes` pointers, of matrices with elements
    are within the memrefs, and so are those that leading dimensions lead to; a C's
    leading dimension is at least n, and no C overlaps another product's matrices.
    Nobody checks that on a device, where breaking it means wrong elements, or an
    illegal address. `kami-run` refuses what breaks it, since it has all the
    numbers before anything runs.

    α and β are those of all products, as `kami.gemm` has them, or of each.
    Accumulator, `precision`, `unsigned` and `reproducible` are `kami.gemm`'s,
    too.

    `epilogue` is `kami.gemm`'s: what becomes of α_p·sum + β_p·C_p, in the
    accumulator's type, before it is stored. Its operands' maps take the number of
    the product, m and n: a scale of each product is at `(p, m, n) -> (p)`, a row
    of biases for each at `(p, m, n) -> (p, n)`. Along m and n they have as many
    elements as the largest product needs.

    `typical` is what a planner takes for the size of a product, 128 each if
    nothing is said: results do not depend on it but in the order of the sum.
    Where it is small, a block is dealt whole products (`deal = products` of the
    plan): a product that is much larger then takes one block long.

    Example:

    ```mlir
    kami.grouped_gemm ins(%a, %b : memref<?xf16>, memref<?xf16>) outs(%c : memref<?xf32>)
        at(%aAt, %bAt, %cAt : memref<?xi64>, memref<?xi64>, memref<?xi64>)
        sizes(%m, %n, %k : memref<?xi32>, memref<?xi32>, memref<?xi32>)
        leading(%lda, %ldb, %ldc : memref<?xi32>, memref<?xi32>, memref<?xi32>)
        beta(%beta : memref<?xf32>) transpose_b accumulator(f32)
        epilogue(%x: f32, %s = %scale : memref<?xf32> at affine_map<(p, m, n) -> (p)>) {
          %y = arith.mulf %x, %s : f32
          kami.yield %y : f32
        }
    ```

    Constraints:
    * (C1) types, `precision` and `unsigned` are those of a `kami.gemm` on real
      numbers
    * (C2) memrefs are contiguous
    * (C3) `at`, `sizes`, `leading` and scales of rank 1 have one extent, as far as
      it is known
    * (C4) `leading` are three, or none
    * (C5) `typical` are three extents from 1 to 2^31
    * (C6) the epilogue is as in `kami.gemm`, with maps from the product, m and n,
      and operands in memrefs or scalars; unless there is one without β, C's
      elements have the accumulator's type or are narrower floats
  }];
  let arguments = (ins
    Kami_FlatMatrices:$a, Kami_FlatMatrices:$b, Kami_FlatMatrices:$c,
    Kami_Positions:$aAt, Kami_Positions:$bAt, Kami_Positions:$cAt,
    Kami_Counts:$m, Kami_Counts:$n, Kami_Counts:$k,
    Variadic<Kami_Counts>:$leading,
    Optional<Kami_GroupScale>:$alpha, Optional<Kami_GroupScale>:$beta,
    Variadic<Kami_ElementSource>:$epilogueOperands,
    UnitAttr:$bytes, UnitAttr:$transposeA, UnitAttr:$transposeB,
    TypeAttr:$accumulator, OptionalAttr<Kami_PrecisionAttr>:$precision,
    UnitAttr:$unsignedA, UnitAttr:$unsignedB,
    DefaultValuedAttr<BoolAttr, "true">:$reproducible,
    OptionalAttr<DenseI64ArrayAttr>:$typical, OptionalAttr<Kami_PlanAttr>:$plan,
    OptionalAttr<AffineMapArrayAttr>:$epilogueMaps);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  let assemblyFormat = [{
    `ins` `(` $a `,` $b `:` type($a) `,` type($b) `)` `outs` `(` $c `:` type($c) `)`
    `at` `(` $aAt `,` $bAt `,` $cAt `:` type($aAt) `,` type($bAt) `,` type($cAt) `)`
    (`bytes` $bytes^)?
    `sizes` `(` $m `,` $n `,` $k `:` type($m) `,` type($n) `,` type($k) `)`
    (`leading` `(` $leading^ `:` type($leading) `)`)?
    (`alpha` `(` $alpha^ `:` type($alpha) `)`)? (`beta` `(` $beta^ `:` type($beta) `)`)?
    (`transpose_a` $transposeA^)? (`transpose_b` $transposeB^)?
    `accumulator` `(` $accumulator `)` (`precision` `` $precision^)?
    (`unsigned_a` $unsignedA^)? (`unsigned_b` $unsignedB^)?
    (`reproducible` `=` $reproducible^)?
    (`typical` $typical^)?
    (`epilogue` custom<ElementRegion>($epilogueOperands, type($epilogueOperands),
                                      $epilogueMaps, $epilogue)^)?
    (`plan` `(` $plan^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Type getElementType(Role role) {
      ::mlir::Value matrices = role == Role::A ? getA() : role == Role::B ? getB() : getC();
      return ::mlir::cast<::mlir::MemRefType>(matrices.getType()).getElementType();
    }
    ::mlir::Value getAt(Role role) {
      return role == Role::A ? getAAt() : role == Role::B ? getBAt() : getCAt();
    }
    /// The entry of `leading`; null where there is none.
    ::mlir::Value getLeading(Role role) {
      return getLeading().empty() ? ::mlir::Value() : getLeading()[unsigned(role)];
    }
    /// The epilogue is C's; A and B have no region.
    bool hasElementRegion(Role role) { return role == Role::C && !getEpilogue().empty(); }
    ::mlir::Region &getElementRegion(Role role) {
      assert(role == Role::C && "only C has a region");
      return getEpilogue();
    }
    ::mlir::OperandRange getElementOperands(Role role) {
      assert(role == Role::C && "only C has a region");
      return getEpilogueOperands();
    }
    ::llvm::SmallVector<::mlir::AffineMap> getElementMaps(Role role);

    /// Extents to plan for.
    ::kami::Extents getTypicalExtents() {
      if (!getTypical())
        return {128, 128, 128};
      ::llvm::ArrayRef<int64_t> extents = *getTypical();
      return {extents[0], extents[1], extents[2]};
    }
  }];
}

def Kami_DealTilesOp : Kami_Op<"deal_tiles", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "The tiles of all products that are one block's";
  let description = [{
    Products have tiles of `tile_m × tile_n` of their C, as many as cover its m × n
    elements, none where one is 0 or negative, and fewer than 2³² all together,
    of fewer than 2³² products.
    A tile takes as long as its product is deep, in tiles of `tile_k`. All tiles
    are in one order: those of deep products before those of shallow ones, and
    a product's, row by row, beside each other. Depths are alike whose three
    leading bits are, and from 448 on; products that are follow each other by
    the threads that count them, which take turns, and are 128 at most.

    `blocks` blocks take tiles of that order in turns, every other turn the other
    way round: in turn t, block b has the tile t × blocks + b, or t × blocks +
    blocks − 1 − b where t is odd. So all blocks have about as much work, begin
    with what takes long, and are at the same few products at any time. `count`
    is how many tiles the block has. Those of as many turns as `dealt` has rows,
    from `first` on, are listed there: row t − first is the product, and the
    tile's number among that one's tiles.

    With `holding`, so many of the last whole turns, and what is less than a turn,
    are no block's, unless there are 2¹⁶ tiles or more, or more products than
    `rest` has words. But the first two turns are dealt, and of turns from a
    multiple of 32 on none or two. `left` is how many tiles are no block's, the
    first of which is behind `count` turns. Whose they are is said in `rest`:
    each product's word has the number of its first tile in the order, times 2¹⁶,
    and how many it has. Else `left` is 0, and `rest` says nothing.

    All threads of the block execute the op, with the same operands. It has
    barriers and needs `scratch` between them; `dealt` is there, and `scratch` free,
    behind the next one.

    Example:

    ```mlir
    %count, %left = kami.deal_tiles %block of 264 from %turn in %m, %n, %k by [64, 128, 32]
        to %dealt through %scratch by 128
        : memref<?xi32>, memref<?xi32>, memref<?xi32>,
          memref<32x2xi32, #gpu.address_space<workgroup>>,
          memref<29200xi8, #gpu.address_space<workgroup>>
    ```

    Constraints:
    * (C1) there are three extents, which are positive
    * (C2) `blocks` is positive
    * (C3) there are whole warps of threads, 1024 at most
    * (C4) `dealt` has two columns of 32 bits, a known number of rows, and is in
      workgroup memory, dense
    * (C5) scratch is in workgroup memory, starts at no offset, and is large
      enough: 132 bytes for each thread that counts, and 4 for each warp of them,
      rounded up to 8, and 24 for each of them and turn of products whose sizes
      it has at a time, one turn or more
    * (C6) what is held are no fewer than 0 turns, one or more if there is a
      `rest`, which is in workgroup memory, dense
  }];
  let arguments = (ins Index:$block, Index:$first, Kami_Counts:$m,
                       Kami_Counts:$n, Kami_Counts:$k,
                       MemRefRankOf<[I32], [2]>:$dealt, Kami_SharedBuffer:$scratch,
                       Optional<MemRefRankOf<[I32], [1]>>:$rest,
                       I64Attr:$blocks, DenseI64ArrayAttr:$extents,
                       I64Attr:$threads,
                       DefaultValuedAttr<I64Attr, "0">:$held);
  let results = (outs Index:$count, Index:$left);
  let assemblyFormat = [{
    $block `of` $blocks `from` $first `in` $m `,` $n `,` $k `by` $extents
    `to` $dealt `through` $scratch `by` $threads
    (`holding` $held `to` $rest^ `:` type($rest))? attr-dict
    `:` type($m) `,` type($n) `,` type($k) `,` type($dealt) `,` type($scratch)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Into how many classes depths fall, 0 the shallow one.
    static constexpr int64_t depthClasses = 32;
    /// The class of a depth, in tiles.
    static int64_t depthClass(int64_t tiles);
    /// How many of a block's threads count products.
    static int64_t countingThreads(int64_t threads);
    /// Of a product's word in `rest`, so many bits count its tiles; with as many
    /// tiles as that has room for, nothing is held.
    static constexpr int64_t tileBits = 16;
    static constexpr int64_t heldLimit = int64_t(1) << tileBits;
    /// How many of `all` turns are dealt where `held` of them need not be.
    static int64_t dealtOf(int64_t all, int64_t held);
    /// Turns that are always dealt, of the first ones and of those of a list of
    /// so many, so that blocks know two tiles when they take the first.
    static constexpr int64_t dealtAnyhow = 2, listedTogether = 32;
    /// Bytes of scratch that so many threads need: for counts, and for the sizes
    /// of a turn of products, of which they have one or more at a time.
    static int64_t countBytes(int64_t threads);
    static int64_t turnBytes(int64_t threads);
    static int64_t scratchBytes(int64_t threads, int64_t turns) {
      return countBytes(threads) + turns * turnBytes(threads);
    }
  }];
}

def Kami_PrefixSumOp : Kami_Op<"prefix_sum", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Sums of what the lanes of a warp have";
  let description = [{
    `before` is the sum of the values of all lanes of the warp before this one, 0
    for its first; `all` that of all its lanes. Sums wrap around.

    All lanes of the warp execute the op together, which is why it is not without
    effects: nobody moves it to where some do not.

    Example: `%before, %all = kami.prefix_sum %tiles`
  }];
  let arguments = (ins I32:$value);
  let results = (outs I32:$before, I32:$all);
  let assemblyFormat = "$value attr-dict";
}

class Kami_TicketOp<string mnemonic> : Kami_Op<mnemonic, [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let hasVerifier = 1;
}

def Kami_OpenTicketsOp : Kami_TicketOp<"open_tickets"> {
  let summary = "Find the counter of this launch";
  let description = [{
    Blocks of one launch share a counter of tickets, which begins at 0, and from
    which `kami.take_ticket` takes. The block keeps the second of the two words
    for where it is, the first for tickets (`kami.publish_ticket`).

    All threads of the block execute the op, once, before the first ticket.

    A device needs no help of a host for it: counters are in a variable of the
    module, and a launch's number says which is its own. So launches may overlap,
    on streams or in graphs. A counter is free again when the last block has
    had its last ticket.

    Example: `kami.open_tickets %words by 256 : memref<2xi32, #gpu.address_space<workgroup>>`

    Constraints:
    * (C1) there are whole warps of threads, 1024 at most
    * (C2) there are two words in workgroup memory, dense
  }];
  let arguments = (ins MemRefRankOf<[I32], [1]>:$words, I64Attr:$threads);
  let assemblyFormat = "$words `by` $threads attr-dict `:` type($words)";
}

def Kami_TakeTicketOp : Kami_TicketOp<"take_ticket"> {
  let summary = "Take the next number of a launch's counter";
  let description = [{
    The first thread of the block's last warp has a number then that no other block
    of the launch gets, the next one of 0, 1, …, and tells the others by
    `kami.publish_ticket`. Nobody waits for it before that: what is between the
    two hides the way to memory and back. `blocks` blocks take tickets.

    All threads of the block execute the op. What the others have as its result
    says nothing.

    Example:

    ```mlir
    %ticket = kami.take_ticket %words of 264 by 256
        : memref<2xi32, #gpu.address_space<workgroup>>
    ```

    Constraints:
    * (C1) there are whole warps of threads, 1024 at most
    * (C2) there are two words in workgroup memory, dense
    * (C3) `blocks` is positive
  }];
  let arguments = (ins MemRefRankOf<[I32], [1]>:$words, I64Attr:$blocks, I64Attr:$threads);
  let results = (outs I32:$ticket);
  let assemblyFormat = "$words `of` $blocks `by` $threads attr-dict `:` type($words)";
}

def Kami_PublishTicketOp : Kami_TicketOp<"publish_ticket"> {
  let summary = "Tell a block its ticket";
  let description = [{
    The first of the two words becomes the ticket; threads find it there behind a
    barrier. A block takes tickets until it has one that is `limit` or more, which
    is the same for all, and none afterwards; each of them is published, before the
    next is taken. Who has the last of all clears the launch's counter.

    All threads of the block execute the op.

    Example:

    ```mlir
    kami.publish_ticket %ticket in %words up_to %left of 264 by 256
        : memref<2xi32, #gpu.address_space<workgroup>>
    ```

    Constraints: as `kami.take_ticket`.
  }];
  let arguments = (ins I32:$ticket, MemRefRankOf<[I32], [1]>:$words, Index:$limit,
                       I64Attr:$blocks, I64Attr:$threads);
  let assemblyFormat = [{
    $ticket `in` $words `up_to` $limit `of` $blocks `by` $threads attr-dict `:` type($words)
  }];
}

#endif // KAMI_IR_KAMIGROUPEDOPS_TD
