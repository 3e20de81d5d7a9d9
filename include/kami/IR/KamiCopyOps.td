//===- KamiCopyOps.td - Tiles on their way to a block -----*- tablegen -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_IR_KAMICOPYOPS_TD
#define KAMI_IR_KAMICOPYOPS_TD

include "kami/IR/KamiWarpOps.td"

// Every thread of the block executes the ops here, each for what it copies
// itself. A barrier after `kami.copy_wait` makes it everybody's.

def Kami_CopyAsyncOp : Kami_Op<"copy_async", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Start to copy a matrix to shared memory";
  let description = [{
    The `threads` threads of the block share the copy of `source` to the first
    rows and columns of `dest`, and fill the rest of `dest` with zeros. Nothing
    beyond the source's extents is read. What arrives may be read behind a
    `kami.copy_wait` and a barrier; until then `dest` must neither be read nor
    written otherwise.

    Lowers to copies of 16, 8 or 4 bytes without registers where elements are
    adjacent in the same dimension of both and aligned, which is tested at run
    time where it is not known, and to loads and stores elsewhere. With
    `aligned_rows`, lines of adjacent elements begin at multiples of 16 bytes.

    With `skewed`, lines begin anywhere. What arrives in `dest` and in the buffer
    `tails` are the words of 16 bytes that hold them: whole words are read, unless
    they reach beyond the line's end, so that up to 15 bytes before a line are.
    Nothing may read `dest` before a `kami.deskew`. With `keeps_skew`, such words
    arrive in `dest` only, whose lines have one more of them: a line begins there
    as many elements later as it begins behind a multiple of 16 bytes in device
    memory, where a `kami.load` of `skewed_as` the source finds it.

    Example:

    ```mlir
    kami.copy_async %a to %tile by 128
        : memref<?x32xf16, strided<[512, 1], offset: ?>>
          to memref<64x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>
    kami.copy_async %a to %tile by 128 skewed %tails
        : memref<?x32xf16, strided<[?, 1], offset: ?>>
          to memref<64x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>,
          memref<1024xi8, #gpu.address_space<workgroup>>
    kami.copy_async %d to %wide by 128 keeps_skew
        : memref<?x16xf64, strided<[?, 1], offset: ?>>
          to memref<64x18xf64, strided<[20, 1]>, #gpu.address_space<workgroup>>
    ```

    Constraints:
    * (C1) both matrices have elements of one type of 8, 16, 32 or 64 bits
    * (C2) dest is in workgroup memory, and has extents and strides that are
      known, none of them less than the source's
    * (C3) there is at least one thread
    * (C4) skewed lines are not aligned ones, are known to have adjacent elements
      in the source as in dest, and are whole pieces of 16 bytes in dest; their
      tails are in workgroup memory, start at no offset, and hold 16 bytes for
      each run of pieces, the largest power of two of them, 32 at most, that
      divides a line's; there are whole warps of 32 threads
    * (C5) lines that keep their skew are neither aligned nor put straight, are
      known to have adjacent elements in the source as in dest, and are whole
      pieces of 16 bytes in dest, one more than in the source
  }];
  let arguments = (ins Kami_GlobalMatrix:$source, Kami_GlobalMatrix:$dest,
                       Optional<Kami_SharedBuffer>:$tails,
                       I64Attr:$threads, UnitAttr:$alignedRows,
                       UnitAttr:$keepsSkew);
  let assemblyFormat = "$source `to` $dest `by` $threads (`aligned_rows` $alignedRows^)? (`skewed` $tails^)? (`keeps_skew` $keepsSkew^)? attr-dict `:` type($source) `to` type($dest) (`,` type($tails)^)?";
  let hasVerifier = 1;
}

def Kami_PlaceAsyncOp : Kami_Op<"place_async", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Start to copy a matrix to where the matrix unit reads it";
  let description = [{
    The `threads` threads of the block share the copy of `source` to the first
    rows and columns of the matrix in the buffer, and fill the rest of it with
    zeros. Nothing beyond the source's extents is read. What arrives may be read
    by `kami.group_mma` behind a `kami.copy_wait` with `for_matrix_unit` and a
    barrier; until then the matrix must neither be read nor written otherwise.

    Lowers to copies of 16, 8 or 4 bytes without registers where elements are
    adjacent in device memory along the dimension that they are in the matrix,
    and aligned, which is tested at run time where it is not known, and to loads
    and stores elsewhere. With `aligned_rows`, lines of adjacent elements begin at
    multiples of 16 bytes; `skewed` ones are as in `kami.copy_async`.

    Example:

    ```mlir
    kami.place_async %b to %buffer in #kami.shared_matrix<64x128xf16, b, mn_major, swizzle = 128> by 256
        : memref<?x128xf16, strided<[512, 1], offset: ?>>, memref<16384xi8, #gpu.address_space<workgroup>>
    ```

    Constraints:
    * (C1) source has the matrix's element type, and is not larger
    * (C2) the buffer is in workgroup memory, starts at no offset, and holds the
      matrix
    * (C3) there is at least one thread
    * (C4) skewed lines are as in `kami.copy_async`
  }];
  let arguments = (ins Kami_GlobalMatrix:$source, Kami_SharedBuffer:$buffer,
                       Optional<Kami_SharedBuffer>:$tails,
                       Kami_SharedMatrixAttr:$matrix, I64Attr:$threads,
                       UnitAttr:$alignedRows);
  let assemblyFormat = "$source `to` $buffer `in` $matrix `by` $threads (`aligned_rows` $alignedRows^)? (`skewed` $tails^)? attr-dict `:` type($source) `,` type($buffer) (`,` type($tails)^)?";
  let hasVerifier = 1;
}

def Kami_DeskewOp : Kami_Op<"deskew", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Put skewed lines straight";
  let description = [{
    Of a `skewed` copy of `source` to `dest`, which has arrived, makes what
    `kami.copy_async`, or with a matrix `kami.place_async`, would have copied.
    Every thread does so for what it has copied itself, so that the op stands
    between a `kami.copy_wait` and the barrier that makes a thread's copies
    everybody's. It needs no other barrier: the lanes that share a run of pieces
    are of one warp.

    With `rounded`, elements become the nearest numbers of tf32. With
    `for_matrix_unit`, `kami.group_mma` sees the lines, and what the thread has
    written before, after the next barrier.

    Lowers to loads of two words of 16 bytes for each piece, a shift of one by the
    bytes that its line begins behind a multiple of 16, and a store.

    Example:

    ```mlir
    kami.deskew %a to %tile by 128 tails %tails
        : memref<?x32xf16, strided<[?, 1], offset: ?>>
          to memref<64x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>,
          memref<1024xi8, #gpu.address_space<workgroup>>
    ```

    Constraints:
    * (C1) the operands are what the copy was given: see `kami.copy_async`, (C1)
      to (C4), or `kami.place_async`
    * (C2) only f32 elements are rounded
  }];
  let arguments = (ins Kami_GlobalMatrix:$source,
                       AnyTypeOf<[Kami_GlobalMatrix, Kami_SharedBuffer]>:$dest,
                       Kami_SharedBuffer:$tails,
                       OptionalAttr<Kami_SharedMatrixAttr>:$matrix,
                       I64Attr:$threads, UnitAttr:$rounded,
                       UnitAttr:$forMatrixUnit);
  let assemblyFormat = "$source `to` $dest (`in` $matrix^)? `by` $threads `tails` $tails (`rounded` $rounded^)? (`for_matrix_unit` $forMatrixUnit^)? attr-dict `:` type($source) `to` type($dest) `,` type($tails)";
  let hasVerifier = 1;
}

def Kami_RoundPlacedOp : Kami_Op<"round_placed", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Round what was placed to tf32 numbers";
  let description = [{
    Each of the `threads` threads of the block rounds the elements that it copied
    itself by the `kami.place_async` with the same `source`, `buffer`, `matrix`,
    `threads` and `aligned_rows`: to the nearest numbers of tf32, as `kami.load`
    does where a fragment is of tf32. The matrix unit would cut their low bits
    off. The source says which elements are whose, and is not read.

    Between the two stands a `kami.copy_wait` for what was copied, which need not
    be `for_matrix_unit`: the op includes the fence between ordinary stores and
    the matrix unit's reads. After the next barrier, every warp's
    `kami.group_mma` sees rounded elements.

    Lowers to loads and stores of the pieces that were copied, of 16 bytes or of
    one element.

    Example:

    ```mlir
    kami.copy_wait 1
    kami.round_placed %b to %buffer in #kami.shared_matrix<32x128xf32, b, k_major, swizzle = 128> by 256
        : memref<?x128xf32, strided<[1, 512], offset: ?>>, memref<16384xi8, #gpu.address_space<workgroup>>
    gpu.barrier
    ```

    Constraints:
    * (C1) source has the matrix's element type, f32, and is not larger
    * (C2) the buffer is in workgroup memory, starts at no offset, and holds the
      matrix
    * (C3) there is at least one thread
  }];
  let arguments = (ins Kami_GlobalMatrix:$source, Kami_SharedBuffer:$buffer,
                       Kami_SharedMatrixAttr:$matrix, I64Attr:$threads,
                       UnitAttr:$alignedRows);
  let assemblyFormat = "$source `to` $buffer `in` $matrix `by` $threads (`aligned_rows` $alignedRows^)? attr-dict `:` type($source) `,` type($buffer)";
  let hasVerifier = 1;
}

def Kami_CopyOutOp : Kami_Op<"copy_out", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Copy a matrix from shared memory";
  let description = [{
    The `threads` threads of the block share the copy of `source`'s first rows and
    columns to `dest`, as many as that has. A barrier has to stand between what
    others wrote to `source` and this.

    Lowers to words of 16 bytes where elements are adjacent in the same dimension
    of both and aligned, which is tested at run time where it is not known.

    Example:

    ```mlir
    kami.copy_out %tile to %c by 128
        : memref<64x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>
          to memref<?x32xf16, strided<[512, 1], offset: ?>>
    ```

    Constraints:
    * (C1) both matrices have elements of one type of 8, 16, 32 or 64 bits
    * (C2) source is in workgroup memory, and has extents and strides that are
      known, none of them less than the destination's
    * (C3) there is at least one thread
  }];
  let arguments = (ins Kami_GlobalMatrix:$source, Kami_GlobalMatrix:$dest,
                       I64Attr:$threads);
  let assemblyFormat = "$source `to` $dest `by` $threads attr-dict `:` type($source) `to` type($dest)";
  let hasVerifier = 1;
}

def Kami_CopyCommitOp : Kami_Op<"copy_commit", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "End a group of copies";
  let description = [{
    The copies that the thread has started since the last one are a group, which
    may be empty. Example: `kami.copy_commit`
  }];
  let assemblyFormat = "attr-dict";
}

def Kami_CopyWaitOp : Kami_Op<"copy_wait", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Wait for groups of copies";
  let description = [{
    Waits until, of the thread's groups of copies, only the last `pending` may be
    on their way. With `for_matrix_unit`, `kami.group_mma` sees what has arrived
    after the next barrier. Example: `kami.copy_wait 2`
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$pending,
                       UnitAttr:$forMatrixUnit);
  let assemblyFormat = "$pending (`for_matrix_unit` $forMatrixUnit^)? attr-dict";
}

#endif // KAMI_IR_KAMICOPYOPS_TD
