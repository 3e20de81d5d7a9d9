//===- KamiBlockOps.td - What a whole block does ----------*- tablegen -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_IR_KAMIBLOCKOPS_TD
#define KAMI_IR_KAMIBLOCKOPS_TD

include "kami/IR/KamiWarpOps.td"

// All ops here are executed by all threads of a block together, inside a
// kernel. Between them, matrices stay distributed over the block: with
// `kami.gemm`, which takes them too, they make kami a building block of a
// larger kernel.

def Kami_DistributeOp : Kami_Op<"distribute", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Spread a matrix in memory over the block's warps";
  let description = [{
    Every warp reads what it holds of the matrix, from device or workgroup
    memory. Floats are extended to the distributed matrix's type, as by
    `kami.load`. Elements beyond the matrix's extents, where these are known only at
    run time and smaller than the plan's tile, are 0 and are not read.

    A distributed C is read by layer 0, which holds it.

    It orders the block's memory accesses as a barrier does.

    Example:

    ```mlir
    %a = kami.distribute %matrix : memref<64x32xf16> -> !kami.distributed<64x32xf16, a, #plan>
    ```

    Constraints:
    * (C1) the element types are equal, or the matrix's is a float whose numbers
      are all numbers of the other
    * (C2) so are the extents, where they are static
  }];
  let arguments = (ins Kami_GlobalMatrix:$source);
  let results = (outs Kami_DistributedType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Kami_SplatOp : Kami_Op<"splat", [Pure]> {
  let summary = "A distributed matrix whose elements are all one value";
  let description = [{
    Where a loop that adds products to a distributed C begins.

    Example: `%c = kami.splat %zero : f32 -> !kami.distributed<64x64xf32, c, #plan>`

    Constraints:
    * (C1) the value's type is the element type
    * (C2) the role is c
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs Kami_DistributedType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Kami_RedistributeOp : Kami_Op<"redistribute", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Make a product's C an operand of the next";
  let description = [{
    The same matrix, its elements rounded to the result's type, as another
    product of the block wants it. Where each warp has what it needs, in lanes
    that keep it, nothing leaves the registers: with both plans' warps in rows
    that are as high, and A in registers. Else the matrix goes through shared
    memory.

    It orders the block's memory accesses as a barrier does.

    Example: `%h = kami.redistribute %c : !kami.distributed<64x32xf32, c, #first> -> !kami.distributed<64x32xf16, a, #second>`

    Constraints:
    * (C1) the value's role is c, the result's a or b
    * (C2) the extents are equal
    * (C3) the result's elements have the value's type or are narrower floats
    * (C4) both plans have one number of threads
  }];
  let arguments = (ins Kami_DistributedType:$value);
  let results = (outs Kami_DistributedType:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

def Kami_CollectOp : Kami_Op<"collect", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Write α·C + β·matrix to the matrix";
  let description = [{
    Every warp writes its part of a distributed C, as `kami.store` does: scaled
    in the accumulator's type, then converted to the matrix's; without `beta`, or
    where it is 0 at run time, the old contents are not read.

    Example: `kami.collect %c, %matrix : !kami.distributed<64x64xf32, c, #plan>, memref<64x64xf16>`

    Constraints:
    * (C1) the role is c
    * (C2) `alpha` and `beta` have its element type
    * (C3) the extents are equal, where they are static
    * (C4) the matrix's elements have the distributed one's type or are narrower
      floats
  }];
  let arguments = (ins Kami_DistributedType:$value, Kami_GlobalMatrix:$dest,
                       Optional<Kami_Scale>:$alpha, Optional<Kami_Scale>:$beta);
  let assemblyFormat = [{
    $value `,` $dest
    (`alpha` `(` $alpha^ `:` type($alpha) `)`)? (`beta` `(` $beta^ `:` type($beta) `)`)?
    attr-dict `:` type($value) `,` type($dest)
  }];
  let hasVerifier = 1;
}

#endif // KAMI_IR_KAMIBLOCKOPS_TD
