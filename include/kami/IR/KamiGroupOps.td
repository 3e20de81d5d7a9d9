//===- KamiGroupOps.td - What four warps do in unison -----*- tablegen -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_IR_KAMIGROUPOPS_TD
#define KAMI_IR_KAMIGROUPOPS_TD

include "kami/IR/KamiWarpOps.td"

// Ops of warp level for instructions that read operands from shared memory.

def Kami_PlaceOp : Kami_Op<"place", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Write a fragment to shared memory, where the matrix unit reads it";
  let description = [{
    Writes the fragment to the `rows × columns` of the matrix that start at the
    given row and column. The matrix starts at the buffer's first byte, aligned
    as its layout wants; row and column are multiples of the fragment's tile.

    After the next barrier, every warp's `kami.group_mma` sees what was written:
    the op includes the fence between ordinary stores and the matrix unit's
    reads, so that a barrier is all that has to stand between the two.

    Example:

    ```mlir
    kami.place %b, %buffer[%k, %n] in #kami.shared_matrix<64x128xf16, b, k_major, swizzle = 128>
        : !kami.fragment<16x32xf16, b, #wgmma>, memref<16384xi8, #gpu.address_space<workgroup>>
    ```

    Constraints:
    * (C1) the fragment has the matrix's role and element type, and is not
      larger than the matrix
    * (C2) the buffer is in workgroup memory, starts at no offset, and holds the
      matrix
  }];
  let arguments = (ins Kami_FragmentType:$value, Kami_SharedBuffer:$buffer,
                       Index:$row, Index:$column, Kami_SharedMatrixAttr:$matrix);
  let assemblyFormat = [{
    $value `,` $buffer `[` $row `,` $column `]` `in` $matrix attr-dict
    `:` type($value) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def Kami_LoadPlacedOp : Kami_Op<"load_placed", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Read a fragment from a matrix in shared memory";
  let description = [{
    Reads the `rows × columns` of the fragment that start at the given row and
    column of the matrix, which lies in the buffer as for `kami.place`. Elements
    are read as they are: what a fragment of tf32 numbers reads was rounded
    before, as `kami.place_bulk` does by a `rounded` map.

    What is read was written by `kami.place`, or copied by `kami.place_bulk`, a
    barrier ago.

    Example:

    ```mlir
    #matrix = #kami.shared_matrix<128x32xf32, a, mn_major, swizzle = 128>
    %a = kami.load_placed %buffer[%m, %k] in #matrix
        : memref<16384xi8, #gpu.address_space<workgroup>> -> !kami.fragment<16x32xf32, a, #tf32>
    ```

    Constraints:
    * (C1) the fragment has the matrix's role and element type, and is not
      larger than the matrix
    * (C2) the buffer is as in `kami.place`
    * (C3) the fragment's tiles are not interleaved
  }];
  let arguments = (ins Kami_SharedBuffer:$buffer, Index:$row, Index:$column,
                       Kami_SharedMatrixAttr:$matrix);
  let results = (outs Kami_FragmentType:$result);
  let assemblyFormat = [{
    $buffer `[` $row `,` $column `]` `in` $matrix attr-dict
    `:` type($buffer) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Kami_GroupMmaOp : Kami_Op<"group_mma", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, AllTypesMatch<["c", "result"]>]> {
  let summary = "Four warps' multiply-accumulate A·B + C, with B in shared memory";
  let description = [{
    Each warp gets A·B + C for its own A and C, and for one B, the window of the
    matrix at the given row and column that is as deep as A and as wide as C.
    What the four warps of a group compute need not be adjacent in the product.
    A group is four consecutive warps of the block, the first of them a multiple
    of four; all of a group execute the op, with the same windows.

    A may lie in shared memory, too. Then the group's rows are one window: row
    tile i of the warp at position w of its group is the 16 rows from
    64 · i + 16 · w on.

    The op issues the instructions for all rows, columns and steps of k, and
    waits for them: it is complete when it returns, and nothing has to be said
    about registers. What it reads from shared memory was written by
    `kami.place`, or copied by `kami.place_async`, a barrier ago. If it is
    `pending`, the matrix unit may still be at work, and the result is for a
    `kami.group_wait` alone; until then nothing may write what is read.

    Example:

    ```mlir
    %d = kami.group_mma %a, %buffer[%k, %n] in #kami.shared_matrix<64x128xf16, b, k_major, swizzle = 128>, %c
        : !kami.fragment<16x64xf16, a, #wgmma>, memref<16384xi8, #gpu.address_space<workgroup>>, !kami.fragment<16x64xf32, c, #wgmma>
    %e = kami.group_mma %bufferA[%m, %k] in #matrixA, %buffer[%k, %n] in #matrixB, %c depth 64
        : memref<16384xi8, #gpu.address_space<workgroup>>, memref<16384xi8, #gpu.address_space<workgroup>>, !kami.fragment<16x64xf32, c, #wgmma>
    ```

    Constraints:
    * (C1) C's role is c, and its atom's instruction is wgmma
    * (C2) A is a fragment of role a with C's atom and rows, or a buffer with a
      row, a column, a matrix and a `depth`, the k extent, a positive multiple
      of the atom's
    * (C3) a matrix has its operand's role and the atom's type, and is not
      smaller than the window
    * (C4) the buffers are in workgroup memory, start at no offset, and hold the
      matrices
    * (C5) fragments have the atom's elements
    * (C6) a `kami.group_wait` is the only user of what is pending
    * (C7) elements of 32 bits are adjacent along k
  }];
  let arguments = (ins AnyTypeOf<[Kami_FragmentType, Kami_SharedBuffer]>:$a,
                       Kami_SharedBuffer:$b, Index:$row, Index:$column,
                       Kami_FragmentType:$c, Variadic<Index>:$aIndices,
                       OptionalAttr<Kami_SharedMatrixAttr>:$aMatrix,
                       Kami_SharedMatrixAttr:$bMatrix,
                       OptionalAttr<I64Attr>:$depth, UnitAttr:$pending);
  let results = (outs Kami_FragmentType:$result);
  let assemblyFormat = [{
    $a (`[` $aIndices^ `]` `in` $aMatrix)? `,` $b `[` $row `,` $column `]` `in` $bMatrix
    `,` $c (`depth` $depth^)? (`pending` $pending^)? attr-dict `:` type($a) `,` type($b) `,` type($c)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The extent of the sum.
    int64_t getK();
    MmaAtomAttr getAtom() { return getC().getType().getAtom(); }
  }];
}

def Kami_GroupWaitOp : Kami_Op<"group_wait", [AllTypesMatch<["value", "result"]>]> {
  let summary = "Wait for pending multiply-accumulates";
  let description = [{
    The result is the sum that was `pending`, complete. All warps of a group
    execute the op. What stands between a `kami.group_mma` and it is done while
    the matrix unit is at work.

    Example: `%e = kami.group_wait %d : !kami.fragment<16x64xf32, c, #wgmma>`

    Constraints:
    * (C1) the value is a pending `kami.group_mma`'s
  }];
  let arguments = (ins Kami_FragmentType:$value);
  let results = (outs Kami_FragmentType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

#endif // KAMI_IR_KAMIGROUPOPS_TD
