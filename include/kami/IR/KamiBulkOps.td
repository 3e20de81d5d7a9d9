//===- KamiBulkOps.td - Tiles that the copy engine brings -*- tablegen -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_IR_KAMIBULKOPS_TD
#define KAMI_IR_KAMIBULKOPS_TD

include "kami/IR/KamiCopyOps.td"

// Every thread of the block executes the ops here, and the block's first one, or
// its first warp, does what there is to do, but where an op says `every_warp`:
// others know of the mbarriers behind the next barrier after they begin to count.
// They are the same at warp level and at target level.

def Kami_MBarriers : MemRefRankOf<[I64], [1]>;

def Kami_MBarrierInitOp : Kami_Op<"mbarrier_init", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "mbarrier.init: begin to count what copies bring";
  let description = [{
    Each word of `barriers` becomes an mbarrier, in its phase of parity 0, that
    waits for so many arrivals, and for the bytes that these announce. The engine
    sees them, and what the block's first thread has written before.

    Example: `kami.mbarrier_init %barriers arrivals 2 : memref<3xi64, #gpu.address_space<workgroup>>`

    Constraints:
    * (C1) the words are in workgroup memory, as many as their type says, and start
      at no offset
    * (C2) there is at least one arrival
  }];
  let arguments = (ins Kami_MBarriers:$barriers, I64Attr:$arrivals);
  let assemblyFormat = "$barriers `arrivals` $arrivals attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

def Kami_MBarrierInvalOp : Kami_Op<"mbarrier_inval", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "mbarrier.inval: words are words again";
  let description = [{
    The words of `barriers` may be anything else from here on. All that the
    mbarriers counted has been waited for.

    Example: `kami.mbarrier_inval %barriers : memref<3xi64, #gpu.address_space<workgroup>>`

    Constraints:
    * (C1) the words are as in `kami.mbarrier_init`
  }];
  let arguments = (ins Kami_MBarriers:$barriers);
  let assemblyFormat = "$barriers attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

def Kami_MBarrierArriveOp : Kami_Op<"mbarrier_arrive", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "mbarrier.arrive: in place of copies that bring nothing";
  let description = [{
    Arrives so many times at the mbarrier, without bytes, where there is no tile to
    copy in a phase that is waited for. Or a lane of every warp does, `every_warp`,
    once: what the warp's lanes and their matrix unit have read before, may be
    overwritten by who has waited for the phase.

    Example: `kami.mbarrier_arrive %barriers[%stage] arrivals 2 : memref<3xi64, #gpu.address_space<workgroup>>`

    Constraints:
    * (C1) the words are as in `kami.mbarrier_init`
    * (C2) there is at least one arrival, and one of every warp
  }];
  let arguments = (ins Kami_MBarriers:$barriers, Index:$index, I64Attr:$arrivals,
                       UnitAttr:$everyWarp);
  let assemblyFormat = "$barriers `[` $index `]` `arrivals` $arrivals (`every_warp` $everyWarp^)? attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

def Kami_MBarrierWaitOp : Kami_Op<"mbarrier_wait", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "mbarrier.try_wait.parity: wait for what copies bring";
  let description = [{
    Waits until the mbarrier has completed its phase of that parity, 0 or 1: what
    the copies of the phase bring is there. After the next barrier of the block,
    everybody, and every warp's `kami.group_mma`, sees it. Where `every_warp` waits
    itself, it does without a barrier. A phase that is not the mbarrier's present
    one counts as completed: before its first one that is the phase of parity 1.

    Example: `kami.mbarrier_wait %barriers[%stage] parity %parity : memref<3xi64, #gpu.address_space<workgroup>>`

    Constraints:
    * (C1) the words are as in `kami.mbarrier_init`
  }];
  let arguments = (ins Kami_MBarriers:$barriers, Index:$index, I32:$parity,
                       UnitAttr:$everyWarp);
  let assemblyFormat = "$barriers `[` $index `]` `parity` $parity (`every_warp` $everyWarp^)? attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

/// A matrix, or a batch of them.
def Kami_BulkSource : MemRefRankOf<[AnyFloat, AnySignlessInteger], [2, 3]>;

def Kami_TensorMapOp : Kami_Op<"tensor_map", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Describe a matrix in device memory to the copy engine";
  let description = [{
    The map of that number in `maps`, of 128 bytes each, becomes one of the source
    as it lies in device memory, in boxes that arrive as the matrix: a source's
    place, extents and strides are known only at run time. It is a matrix, or, of
    three dimensions, a batch of them, which one map serves. Nothing may be on its
    way by the map that was there before. With `rounded`, elements become the
    nearest numbers of tf32 on their way, as `kami.round_placed` makes them. The
    map is on its way to where the engine reads it until `kami.acquire_map`.

    The engine reads maps in device memory only. Lowering keeps them in a variable
    of the module, of which a block takes a part when it begins that no block has
    which is resident with it, so that launches of a kernel may overlap.

    Example:

    ```mlir
    kami.tensor_map %b as #kami.shared_matrix<32x128xf32, b, k_major, swizzle = 128> in %maps[%i] rounded
        : memref<?x?xf32, strided<[1, ?], offset: ?>>, memref<256xi8, #gpu.address_space<workgroup>>
    ```

    Constraints:
    * (C1) the source has the matrix's element type, adjacent along its swizzle
      rows' dimension; its lines, of all its matrices, begin at multiples of 16
      bytes
    * (C2) the matrix has swizzle rows of 32, 64 or 128 bytes, and 256 lines at
      most
    * (C3) maps are at least 128 bytes of workgroup memory that start at no offset
    * (C4) only f32 elements are rounded
  }];
  let arguments = (ins Kami_BulkSource:$source, Kami_SharedBuffer:$maps,
                       Index:$index, Kami_SharedMatrixAttr:$matrix,
                       UnitAttr:$rounded);
  let assemblyFormat = "$source `as` $matrix `in` $maps `[` $index `]` (`rounded` $rounded^)? attr-dict `:` type($source) `,` type($maps)";
  let hasVerifier = 1;
}

def Kami_AcquireMapOp : Kami_Op<"acquire_map", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "fence.proxy.tensormap: have the engine see a map";
  let description = [{
    Waits until the map of that number, which `kami.tensor_map` has made, is where
    the engine reads it; copies by it may start from here on.

    Example: `kami.acquire_map %maps[%i] : memref<256xi8, #gpu.address_space<workgroup>>`

    Constraints:
    * (C1) maps are as in `kami.tensor_map`
  }];
  let arguments = (ins Kami_SharedBuffer:$maps, Index:$index);
  let assemblyFormat = "$maps `[` $index `]` attr-dict `:` type($maps)";
  let hasVerifier = 1;
}

def Kami_PlaceBulkOp : Kami_Op<"place_bulk", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "cp.async.bulk.tensor: have a matrix copied to where the matrix unit reads it";
  let description = [{
    Starts to copy the matrix from the given row and column on of what the map of
    that number describes, of a batch the matrix of that number, to the buffer.
    What is beyond the source's extents is not read, and arrives as zeros. The
    copy arrives at the mbarrier, once, with all its bytes: behind a
    `kami.mbarrier_wait` and a barrier, or where every warp waits, `kami.group_mma`
    may read it; until then the buffer must neither be read nor written otherwise.
    What the matrix unit read of it before needs a barrier, or every warp's arrival
    that is waited for, what threads wrote there a fence as well
    (`kami.copy_wait` with `for_matrix_unit`).

    Example:

    ```mlir
    kami.place_bulk %maps[%i] at[%k, %c0] to %buffer in #matrix arrive %barriers[%stage]
        : memref<256xi8, #gpu.address_space<workgroup>>, memref<16384xi8, #gpu.address_space<workgroup>>, memref<3xi64, #gpu.address_space<workgroup>>
    ```

    Constraints:
    * (C1) the buffer is in workgroup memory, starts at no offset, and holds the
      matrix
    * (C2) maps and barriers are as in `kami.tensor_map`, of the same matrix, and
      `kami.mbarrier_init`
    * (C3) the number of a matrix is given if, and only if, the map is of a batch
  }];
  let arguments = (ins Kami_SharedBuffer:$maps, Index:$map, Index:$row,
                       Index:$column, Kami_SharedBuffer:$buffer,
                       Kami_SharedMatrixAttr:$matrix, Kami_MBarriers:$barriers,
                       Index:$index, Optional<Index>:$product);
  let assemblyFormat = [{
    $maps `[` $map `]` `at` `[` $row `,` $column `]` (`of` `[` $product^ `]`)? `to` $buffer `in` $matrix
    `arrive` $barriers `[` $index `]` attr-dict
    `:` type($maps) `,` type($buffer) `,` type($barriers)
  }];
  let hasVerifier = 1;
}

#endif // KAMI_IR_KAMIBULKOPS_TD
