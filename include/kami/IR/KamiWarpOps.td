//===- KamiWarpOps.td - What every warp does --------------*- tablegen -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_IR_KAMIWARPOPS_TD
#define KAMI_IR_KAMIWARPOPS_TD

include "kami/IR/KamiProblemOps.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

// All ops here are executed by whole warps, in SPMD form: every warp of the
// block runs the same code, and differs by its coordinates only.

def Kami_SharedBuffer : MemRefRankOf<[I8], [1]>;
def Kami_GlobalMatrix : MemRefRankOf<[AnyFloat, AnySignlessInteger], [2]>;

def Kami_WarpCoordinatesOp : Kami_Op<"warp_coordinates", [
    Pure, DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "Row, column and layer of the executing warp";
  let description = [{
    Warps are numbered by their threads' linear index, layer by layer, row by
    row: `warp = (layer · rows + row) · columns + column`.

    Example: `%row, %column, %layer = kami.warp_coordinates [2, 2, 1]`

    Constraints:
    * (C1) the grid's extents are positive
  }];
  let arguments = (ins DenseI64ArrayAttr:$grid);
  let results = (outs Index:$row, Index:$column, Index:$layer);
  let assemblyFormat = "$grid attr-dict";
  let hasVerifier = 1;
}

def Kami_LoadOp : Kami_Op<"load", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Read a warp's part of a matrix into registers";
  let description = [{
    Reads the `rows × columns` of the fragment from the matrix, starting at the
    given row and column. Floats are extended to the fragment's type, which has
    all their numbers: 8-bit floats may be multiplied as f16, and are so in
    registers and in shared memory. Elements of a fragment that holds tf32 numbers
    are rounded to them. Elements beyond the matrix's extents are 0 and are not
    read; `row_in_bounds` and `column_in_bounds` promise that there are none in
    that dimension.

    With `skewed_as`, which names a matrix in device memory with as many elements
    or fewer, the lines of adjacent elements of the source each begin as many
    elements later as that matrix's line of the same number begins behind a
    multiple of 16 bytes: as `kami.copy_async` with `keeps_skew` leaves them. That
    matrix is not read.

    With `interleaved_parts` the source is a matrix of complex numbers r + is as
    reals, r beside s along the dimension of adjacent elements, and the fragment
    is of a real matrix of twice the extent in the other dimension. Of role b it
    has [[r, s], [-s, r]] in the place of each number, or, so that the product is
    that of A's or B's conjugates (`conjugate_a`, `conjugate_b`), [[r, s],
    [s, -r]] or [[r, -s], [s, r]]. Of role a, whose columns have the adjacent
    elements, it has [r s], in half as many rows. `row` and `column` are that
    matrix's, and even.

    Example:

    ```mlir
    %f = kami.load %a[%row, %c0] : memref<50x23xf16> -> !kami.fragment<16x32xf16, a, #atom>
    %g = kami.load %tile[%row, %c0] row_in_bounds column_in_bounds skewed_as %d : memref<?x16xf64, strided<[?, 1], offset: ?>>
        : memref<64x18xf64, strided<[20, 1]>, #gpu.address_space<workgroup>> -> !kami.fragment<32x8xf64, a, #f64>
    ```

    Constraints:
    * (C1) the matrix's element type is the fragment's, without its sign, or a
      float whose numbers are all numbers of the fragment's
    * (C2) a matrix that the source is skewed as has its element type, and both
      are known to have adjacent elements in the same dimension
    * (C3) `interleaved_parts` only for a fragment of f32 or f64 elements of role b,
      or a, of a matrix of that type with adjacent elements in one dimension, of
      role a along columns; tiles are not interleaved, and the atom has known
      layouts and even extents of the operand. Of role b, what is odd of an
      element's row and column is of its lane, or of its value, alike.
      `conjugate_a` and `conjugate_b` only with it, of role b
  }];
  let arguments = (ins Kami_GlobalMatrix:$source, Index:$row, Index:$column,
                       UnitAttr:$rowInBounds, UnitAttr:$columnInBounds,
                       Optional<Kami_GlobalMatrix>:$skewedAs,
                       UnitAttr:$interleavedParts,
                       UnitAttr:$conjugateA, UnitAttr:$conjugateB);
  let results = (outs Kami_FragmentType:$result);
  let assemblyFormat = [{
    $source `[` $row `,` $column `]` (`row_in_bounds` $rowInBounds^)?
    (`column_in_bounds` $columnInBounds^)? (`skewed_as` $skewedAs^ `:` type($skewedAs))?
    (`interleaved_parts` $interleavedParts^)? (`conjugate_a` $conjugateA^)?
    (`conjugate_b` $conjugateB^)? attr-dict `:` type($source) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "mlir::Type":$type, "mlir::Value":$source,
                                 "mlir::Value":$row, "mlir::Value":$column,
                                 "bool":$rowInBounds, "bool":$columnInBounds), [{
    build($_builder, $_state, type, source, row, column, rowInBounds,
          columnInBounds, /*skewedAs=*/mlir::Value(),
          /*interleavedParts=*/false, /*conjugateA=*/false,
          /*conjugateB=*/false);
  }]>];
  let hasVerifier = 1;
}

def Kami_StoreOp : Kami_Op<"store", [AttrSizedOperandSegments,
                                    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Write α·fragment + β·matrix to the matrix";
  let description = [{
    Writes a warp's accumulators to its part of C, converted to C's element type
    after scaling. A missing `alpha` is 1. Without `beta`, or where it is 0 at
    run time, the old contents are not read. Elements beyond the matrix's
    extents are neither read nor written.

    Where a lane has few adjacent elements of a row, the warp's lanes exchange
    them `via` a buffer that no other warp uses, tile by tile, and write whole
    words of a row. What the buffer holds afterwards is undefined.

    Example:

    ```mlir
    kami.store %acc, %c[%row, %column] beta(%beta : f32)
        : !kami.fragment<16x64xf32, c, #atom>, memref<50x37xf32>
    kami.store %acc, %c[%row, %column] via %buffer : memref<2304xi8, #gpu.address_space<workgroup>>
        : !kami.fragment<16x64xf32, c, #atom>, memref<50x37xf16>
    ```

    Constraints:
    * (C1) the fragment's role is c
    * (C2) `alpha` and `beta` have the fragment's element type
    * (C3) the matrix's elements have the fragment's type or are narrower floats
    * (C4) the buffer is in workgroup memory and holds a tile's rows of the
      matrix's elements, as many columns as the fragment has and as fit into 128
      bytes, padded to an odd number of 16 bytes
    * (C5) with a buffer, no `beta` and a fragment that is not interleaved
  }];
  let arguments = (ins Kami_FragmentType:$value, Kami_GlobalMatrix:$dest,
                       Index:$row, Index:$column,
                       Optional<Kami_Scale>:$alpha, Optional<Kami_Scale>:$beta,
                       Optional<Kami_SharedBuffer>:$buffer,
                       UnitAttr:$rowInBounds, UnitAttr:$columnInBounds);
  let assemblyFormat = [{
    $value `,` $dest `[` $row `,` $column `]`
    (`alpha` `(` $alpha^ `:` type($alpha) `)`)? (`beta` `(` $beta^ `:` type($beta) `)`)?
    (`via` $buffer^ `:` type($buffer))?
    (`row_in_bounds` $rowInBounds^)? (`column_in_bounds` $columnInBounds^)?
    attr-dict `:` type($value) `,` type($dest)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What is in the buffer at a time.
    CopiedTile getRelayedTile();
  }];
}

def Kami_FillOp : Kami_Op<"fill", [Pure]> {
  let summary = "A fragment whose elements are all one value";
  let description = [{
    Example: `%acc = kami.fill %zero : f32 -> !kami.fragment<16x64xf32, c, #atom>`

    Constraints:
    * (C1) the value's type is the fragment's element type, without its sign
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs Kami_FragmentType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Kami_MapOp : Kami_Op<"map", [IsolatedFromAbove, RecursiveMemoryEffects,
                                RecursivelySpeculatable]> {
  let summary = "Make a fragment, element by element, of others";
  let description = [{
    Applies the region to the elements that lie at the same place of each
    fragment. No lane needs another's registers.

    Example:

    ```mlir
    %r = kami.map (%x = %acc : !c64x32, %y = %bias : !c64x32) -> !c64x32 {
      %z = arith.addf %x, %y : f32
      kami.yield %z : f32
    }
    ```

    Constraints:
    * (C1) at least one fragment
    * (C2) fragments and result are of one shape, role and atom
    * (C3) the region's arguments are of the fragments' element types, it yields
      the result's
    * (C4) the operations of the region are pure `arith` and `math` on integers
      and floats
  }];
  let arguments = (ins Variadic<Kami_FragmentType>:$fragments);
  let results = (outs Kami_FragmentType:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    custom<MappedFragments>($fragments, type($fragments), type($result), $body) attr-dict
  }];
  let hasVerifier = 1;
}

def Kami_ClipOp : Kami_Op<"clip", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "Set what lies beyond a matrix to zero";
  let description = [{
    Elements of rows, or columns, from the given one on are 0; it may lie before
    or beyond the fragment. A `kami.load` does the same with what it does not
    read; this is for elements that were computed of it.

    Example: `%g = kami.clip %f at column %count : !a64x16`
  }];
  let arguments = (ins Kami_FragmentType:$value, Kami_MatrixDimAttr:$dim, Index:$limit);
  let results = (outs Kami_FragmentType:$result);
  let assemblyFormat = "$value `at` custom<MatrixDim>($dim) $limit attr-dict `:` type($value)";
}

def Kami_RecastOp : Kami_Op<"recast", [Pure]> {
  let summary = "A part of a warp's C as its fragment of A or B";
  let description = [{
    The columns of `value` from `column` on, as many as the result has, converted
    to its element type; those that `value` does not have are 0. Every lane has
    the elements already, in other registers: sums become the operand of the next
    product where they are.

    Example: `%a = kami.recast %c column 16 : !c16x64 -> !a16x16`

    Constraints:
    * (C1) the value's role is c, the result's is not, and both have one number
      of rows
    * (C2) the result's elements have the value's type or are narrower floats
    * (C3) the lanes' registers of the result's tiles hold what those of the
      value's tiles do; the column is a multiple of the result's tile
  }];
  let arguments = (ins Kami_FragmentType:$value, ConfinedAttr<I64Attr, [IntNonNegative]>:$column);
  let results = (outs Kami_FragmentType:$result);
  let assemblyFormat = "$value `column` $column attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Kami_JoinOp : Kami_Op<"join", [Pure]> {
  let summary = "Fragments beside each other as one";
  let description = [{
    The columns of all fragments, in order: terms of a warp's A that came one
    after the other, and are multiplied at once. Every lane has the elements
    already.

    Example: `%a = kami.join %a0, %a1 : !a16x64, !a16x32 -> !a16x96`

    Constraints:
    * (C1) the fragments have the result's role, rows and atom, and its columns
      together
    * (C2) tiles are not interleaved
  }];
  let arguments = (ins Variadic<Kami_FragmentType>:$fragments);
  let results = (outs Kami_FragmentType:$result);
  let assemblyFormat = "$fragments attr-dict `:` type($fragments) `->` type($result)";
  let hasVerifier = 1;
}

def Kami_BroadcastOp : Kami_Op<"broadcast", [
    SameVariadicOperandSize, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Send fragments from their owners to the warps of a row or column";
  let description = [{
    Each fragment goes from the warp at position `from` of its group to every
    warp of the group: `along row` to the warps of the same row and layer, from
    the one in column `from`; `along column` to the warps of the same column and
    layer, from the one in row `from`. Other warps' values are ignored.

    The owners write their fragments to shared memory and keep their own copy in
    registers; a barrier; everyone else reads; a barrier. Fragments that one op
    names share the two barriers: they are one stage of the algorithm. `via` is
    a buffer of the fragment's bytes times the number of groups.

    With `no_trailing_barrier` the second barrier is left out: the buffers may
    only be written again after another one.

    All warps of the block execute the op. Its barriers hold up, and order the
    memory accesses of, the warps `within` one row, column or layer of the grid,
    or of the whole block if nothing is said (see `kami.barrier`).

    Example:

    ```mlir
    %a1, %b1 = kami.broadcast in [2, 2, 1]
        %a0 : !fragA along row from 0 via %bufA : memref<2048xi8, #gpu.address_space<workgroup>>,
        %b0 : !fragB along column from 0 via %bufB : memref<2048xi8, #gpu.address_space<workgroup>>
    ```

    Constraints:
    * (C1) at least one fragment, and one group, owner and buffer for each
    * (C2) the grid's extents are positive, an owner lies in its group
    * (C3) results have the operands' types
    * (C4) the buffers are in workgroup memory and large enough
    * (C5) the fragments' element types are the atom's
    * (C6) all fragments travel within the barriers' scope
  }];
  let arguments = (ins DenseI64ArrayAttr:$grid,
                       DefaultValuedAttr<Kami_BarrierScopeAttr, "::kami::BarrierScopeKind::Block">:$scope,
                       UnitAttr:$noTrailingBarrier,
                       Variadic<Kami_FragmentType>:$fragments,
                       Variadic<Kami_SharedBuffer>:$buffers,
                       Kami_GroupArrayAttr:$groups, DenseI64ArrayAttr:$owners);
  let results = (outs Variadic<Kami_FragmentType>:$results);
  let assemblyFormat = [{
    `in` $grid custom<ScopeClause>($scope) (`no_trailing_barrier` $noTrailingBarrier^)? custom<Messages>($fragments, type($fragments), $groups, $owners,
                                $buffers, type($buffers), type($results)) attr-dict
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    Group getGroup(unsigned i) {
      return ::mlir::cast<GroupAttr>(getGroups()[i]).getValue();
    }
    /// Warps in a group, and groups in the block.
    int64_t getGroupSize(unsigned i) {
      return getGroup(i) == Group::Row ? getGrid()[1] : getGrid()[0];
    }
    int64_t getGroupCount(unsigned i) {
      return getGrid()[0] * getGrid()[1] * getGrid()[2] / getGroupSize(i);
    }
  }];
}

def Kami_BarrierOp : Kami_Op<"barrier", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "A barrier among some warps of the block";
  let description = [{
    The warps `within` one row, column or layer of the grid wait for each other;
    what they wrote before is visible to each of them after. Rows and columns
    are those of a layer. All warps of the block execute the op, but other rows,
    columns or layers may be ahead or behind. Lowers to a named barrier where
    the target has them, else to one of the whole block, which holds up more
    warps than it has to.

    Example: `kami.barrier in [2, 4, 1] within row`

    Constraints:
    * (C1) the grid's extents are positive
  }];
  let arguments = (ins DenseI64ArrayAttr:$grid, Kami_BarrierScopeAttr:$scope);
  let assemblyFormat = "`in` $grid `within` custom<BarrierScope>($scope) attr-dict";
  let hasVerifier = 1;
}

def Kami_ShareOp : Kami_Op<"share", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Write a fragment to shared memory, in fragment order";
  let description = [{
    The buffer is an array of fragments; `slot` is the index in it. Who fetches
    the slot must be separated from this by a barrier.

    Example: `kami.share %b0, %buffer[%warp] : !fragB, memref<8192xi8, #gpu.address_space<workgroup>>`

    Constraints:
    * (C1) the buffer is in workgroup memory and holds at least one fragment
    * (C2) the fragment's element type is the atom's
  }];
  let arguments = (ins Kami_FragmentType:$value, Kami_SharedBuffer:$buffer,
                       Index:$slot);
  let assemblyFormat = "$value `,` $buffer `[` $slot `]` attr-dict `:` type($value) `,` type($buffer)";
  let hasVerifier = 1;
}

def Kami_FetchOp : Kami_Op<"fetch", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Read a fragment that was shared";
  let description = [{
    Example: `%b = kami.fetch %buffer[%owner] : memref<8192xi8, #gpu.address_space<workgroup>> -> !fragB`

    Constraints:
    * (C1) the buffer is in workgroup memory and holds at least one fragment
    * (C2) the fragment's element type is the atom's
  }];
  let arguments = (ins Kami_SharedBuffer:$buffer, Index:$slot);
  let results = (outs Kami_FragmentType:$result);
  let assemblyFormat = "$buffer `[` $slot `]` attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def Kami_MmaOp : Kami_Op<"mma", [Pure, AllTypesMatch<["c", "result"]>]> {
  let summary = "A warp's multiply-accumulate A·B + C on fragments";
  let description = [{
    One atom for every (row, column, k) tile of the fragments; for each tile of
    C the atoms add in the order of k.

    With `first = [r, c]` the atoms are those of the first r rows of tiles and c
    columns of tiles alone, and what else there is of C stays as it is: where
    the rest is beyond a matrix.

    Example: `%d = kami.mma %a, %b, %c : !fragA, !fragB, !fragC`

    Constraints:
    * (C1) the roles are a, b and c, and the atom is one
    * (C2) the extents agree
    * (C3) the element types are the atom's
    * (C4) halves of the fragments are as far apart, and not along k
    * (C5) `first` has two numbers, from 1 to how many rows and columns of tiles
      there are, and the atom is a matrix instruction whose lanes are known
  }];
  let arguments = (ins Kami_FragmentType:$a, Kami_FragmentType:$b, Kami_FragmentType:$c,
                       OptionalAttr<DenseI64ArrayAttr>:$first);
  let results = (outs Kami_FragmentType:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`first` `=` $first^)? attr-dict
    `:` type($a) `,` type($b) `,` type($c)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$a, "::mlir::Value":$b,
                                 "::mlir::Value":$c), [{
    build($_builder, $_state, c.getType(), a, b, c, ::mlir::DenseI64ArrayAttr());
  }]>];
  let extraClassDeclaration = [{
    /// Rows and columns of tiles of C that are added to.
    std::array<int64_t, 2> getTiles();
  }];
  let hasVerifier = 1;
}

def Kami_ReduceOp : Kami_Op<"reduce", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, AllTypesMatch<["value", "result"]>]> {
  let summary = "Add fragments over the layers of the grid";
  let description = [{
    The warps of layer 0 get the sum over all warps of their row and column,
    added in the order of the layers; what others get is their own value. Layer
    after layer goes through one buffer of rows × columns fragments: a barrier,
    that layer's warps write, a barrier, layer 0's warps read. The buffer may
    therefore overlay what is no longer needed.

    All warps of the block execute the op, and it orders their memory accesses
    as a barrier does.

    Example: `%sum = kami.reduce in [2, 2, 2] %acc via %buffer : !fragC, memref<16384xi8, #gpu.address_space<workgroup>>`

    Constraints:
    * (C1) the grid's extents are positive
    * (C2) the fragment's role is c
    * (C3) the buffer is in workgroup memory and large enough
    * (C4) the fragment's element type is the atom's
  }];
  let arguments = (ins DenseI64ArrayAttr:$grid, Kami_FragmentType:$value,
                       Kami_SharedBuffer:$buffer);
  let results = (outs Kami_FragmentType:$result);
  let assemblyFormat = "`in` $grid $value `via` $buffer attr-dict `:` type($value) `,` type($buffer)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // KAMI_IR_KAMIWARPOPS_TD
