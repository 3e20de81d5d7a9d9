//===- KamiGroupTargetOps.td - Warpgroup instructions -----*- tablegen -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_IR_KAMIGROUPTARGETOPS_TD
#define KAMI_IR_KAMIGROUPTARGETOPS_TD

include "kami/IR/KamiGroupOps.td"

// A warpgroup instruction works on registers after it has returned. Here that is
// dataflow: the fence hands on registers that the instructions may use, the wait
// hands on registers that the instructions have written, and nothing else may
// touch what is between the two.

def Kami_MatrixDescriptorOp : Kami_Op<"matrix_descriptor", [Pure]> {
  let summary = "Describe a window of a matrix in shared memory";
  let description = [{
    The window starts at the given row and column, which are multiples of what
    the layout wants; the instruction that takes the descriptor says how large it
    is. The matrix starts at the buffer's first byte.

    Example:

    ```mlir
    %d = kami.matrix_descriptor %buffer[%k, %n]
        : memref<16384xi8, #gpu.address_space<workgroup>> -> !kami.matrix_descriptor<#matrix>
    ```

    Constraints:
    * (C1) the buffer is in workgroup memory, starts at no offset, and holds the
      matrix
  }];
  let arguments = (ins Kami_SharedBuffer:$buffer, Index:$row, Index:$column);
  let results = (outs Kami_MatrixDescriptorType:$result);
  let assemblyFormat = [{
    $buffer `[` $row `,` $column `]` attr-dict `:` type($buffer) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Kami_WgmmaFenceOp : Kami_Op<"wgmma_fence", [
    RangedTypesMatchWith<"results have the values' types", "values", "results", "$_self">]> {
  let summary = "wgmma.fence: hand registers over to warpgroup instructions";
  let description = [{
    The results are the values, in registers that instructions may use from here
    on. Every register that an instruction reads or adds to passes through here
    after it was written last; accumulators may go from one instruction to the
    next of the same shape without.

    Example: `%r:2 = kami.wgmma_fence %a, %c : vector<8xf16>, vector<4xf32>`
  }];
  let arguments = (ins Variadic<AnyVectorOfNonZeroRank>:$values);
  let results = (outs Variadic<AnyVectorOfNonZeroRank>:$results);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

def Kami_WgmmaOp : Kami_Op<"wgmma", [
    AttrSizedOperandSegments,
    RangedTypesMatchWith<"results have C's types", "c", "results", "$_self">]> {
  let summary = "wgmma.mma_async: one instruction of a warpgroup";
  let description = [{
    m64nNkK: each lane passes its registers of its warp's 16 rows of A as a flat
    vector in the order of the atom's fragment map, or the group passes the
    descriptor of 64 rows. C is one vector for each 8 columns, in the order of
    the atom's map, from left to right, so that N is 8 times their number. B is
    the window of k × N elements at the descriptor. Where `accumulates` is there
    and false, C counts as zero, whatever its registers hold; it is the same for
    all lanes of the group.

    The instruction is asynchronous: registers come from `kami.wgmma_fence`, and
    results are those of `kami.wgmma_wait`, behind a `kami.wgmma_commit`.

    Example:

    ```mlir
    %d:2 = kami.wgmma %a, %b, [%c0, %c1] atom #wgmma
        : vector<8xf16>, !kami.matrix_descriptor<#matrix>, vector<4xf32>
    ```

    Constraints:
    * (C1) the atom's instruction is wgmma
    * (C2) A is a vector with as many elements of the atom's type as a lane
      holds, or the descriptor of a matrix with that role and type
    * (C3) B is the descriptor of a matrix with that role and type
    * (C4) C is 1 to 32 vectors with as many elements of the atom's type as a
      lane holds; of integers, up to 4 or an even number
  }];
  let arguments = (ins AnyTypeOf<[AnyVectorOfNonZeroRank, Kami_MatrixDescriptorType]>:$a,
                       Kami_MatrixDescriptorType:$b,
                       Variadic<AnyVectorOfNonZeroRank>:$c,
                       Optional<I1>:$accumulates, Kami_MmaAtomAttr:$atom);
  let results = (outs Variadic<AnyVectorOfNonZeroRank>:$results);
  let assemblyFormat = [{
    $a `,` $b `,` `[` $c `]` (`if` $accumulates^)? `atom` $atom attr-dict `:` type($a) `,` type($b) `,`
    custom<TileTypes>(type($c), ref($c))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getN() { return getC().size() * getAtom().getN(); }
  }];
}

def Kami_WgmmaCommitOp : Kami_Op<"wgmma_commit", [
    RangedTypesMatchWith<"results have the values' types", "values", "results", "$_self">]> {
  let summary = "wgmma.commit_group: end a group of instructions";
  let description = [{
    The results are the accumulators of all instructions since the last group,
    for `kami.wgmma_wait`. What stands between the two is done while instructions
    are.

    Example: `%e:2 = kami.wgmma_commit [%d#0, %d#1] : vector<4xf32>`

    Constraints:
    * (C1) at least one value, and all of one type
  }];
  let arguments = (ins Variadic<AnyVectorOfNonZeroRank>:$values);
  let results = (outs Variadic<AnyVectorOfNonZeroRank>:$results);
  let assemblyFormat = "`[` $values `]` attr-dict `:` custom<TileTypes>(type($values), ref($values))";
  let hasVerifier = 1;
}

def Kami_WgmmaWaitOp : Kami_Op<"wgmma_wait", [
    RangedTypesMatchWith<"results have the values' types", "values", "results", "$_self">]> {
  let summary = "wgmma.wait_group 0: wait for all groups of instructions";
  let description = [{
    The results are the accumulators, complete.

    Example: `%e:2 = kami.wgmma_wait [%d#0, %d#1] : vector<4xf32>`

    Constraints:
    * (C1) at least one value, and all of one type
  }];
  let arguments = (ins Variadic<AnyVectorOfNonZeroRank>:$values);
  let results = (outs Variadic<AnyVectorOfNonZeroRank>:$results);
  let assemblyFormat = "`[` $values `]` attr-dict `:` custom<TileTypes>(type($values), ref($values))";
  let hasVerifier = 1;
}

#endif // KAMI_IR_KAMIGROUPTARGETOPS_TD
