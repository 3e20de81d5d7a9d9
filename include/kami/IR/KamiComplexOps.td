//===- KamiComplexOps.td - Parts of complex matrices ------*- tablegen -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_IR_KAMICOMPLEXOPS_TD
#define KAMI_IR_KAMICOMPLEXOPS_TD

include "kami/IR/KamiBlockOps.td"

def Kami_ComplexPartOp : Kami_Op<"complex_part", [Pure]> {
  let summary = "The real or the imaginary parts of a matrix's elements, in place";
  let description = [{
    A view: a complex number in memory is its real part followed by its imaginary
    part, so that either is a matrix with twice the strides.

    Example:

    ```mlir
    %re = kami.complex_part %m real : memref<64x32xcomplex<f32>>
        -> memref<64x32xf32, strided<[64, 2]>>
    %im = kami.complex_part %m imaginary : memref<64x32xcomplex<f32>>
        -> memref<64x32xf32, strided<[64, 2], offset: 1>>
    ```

    Constraints:
    * (C1) the source's elements are complex floats, its layout has strides
    * (C2) the result has the source's extents and memory space, the parts' type,
      twice the strides and offset, and one more for the imaginary part
  }];
  let arguments = (ins AnyStridedMemRef:$source, UnitAttr:$imaginary);
  let results = (outs AnyStridedMemRef:$result);
  let assemblyFormat = [{
    $source ( `imaginary` $imaginary^ ) : ( `real` )? attr-dict
    `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
  let builders = [
    OpBuilder<(ins "::mlir::Value":$source, "bool":$imaginary)>
  ];
  let extraClassDeclaration = [{
    /// The view's type; null if the source has no such parts.
    static ::mlir::MemRefType viewType(::mlir::MemRefType source, bool imaginary);
  }];
}

def Kami_AsRealOp : Kami_Op<"as_real", [Pure]> {
  let summary = "A complex matrix as a real one, in place";
  let description = [{
    A view: a complex number in memory is its real part followed by its imaginary
    part, so that adjacent numbers of the last dimension are twice as many
    adjacent reals.

    Example:

    ```mlir
    %r = kami.as_real %m : memref<64x32xcomplex<f32>, strided<[40, 1]>>
        -> memref<64x64xf32, strided<[80, 1]>>
    ```

    Constraints:
    * (C1) the source's elements are complex floats, adjacent along its last
      dimension
    * (C2) the result has the parts' type, twice the last extent, twice the offset
      and the other strides, and the source's memory space
  }];
  let arguments = (ins AnyStridedMemRef:$source);
  let results = (outs AnyStridedMemRef:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$source)>];
  let extraClassDeclaration = [{
    /// The view's type; null if the source has no such parts.
    static ::mlir::MemRefType viewType(::mlir::MemRefType source);
  }];
}

def Kami_CombineOp : Kami_Op<"combine", [IsolatedFromAbove, RecursiveMemoryEffects,
                                        RecursivelySpeculatable]> {
  let summary = "Make a distributed C, element by element, of others";
  let description = [{
    Applies the region to the elements at the same place of each matrix, which
    are in the same lane's registers.

    Example:

    ```mlir
    %r = kami.combine (%x = %sum : !c, %y = %other : !c) -> !c {
      %z = arith.subf %x, %y : f32
      kami.yield %z : f32
    }
    ```

    Constraints:
    * (C1) at least one matrix
    * (C2) matrices and result are of one type, of role c
    * (C3) the region's arguments and what it yields are of the element type
    * (C4) the operations of the region are pure `arith` and `math` on integers
      and floats
  }];
  let arguments = (ins Variadic<Kami_DistributedType>:$matrices);
  let results = (outs Kami_DistributedType:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    custom<MappedFragments>($matrices, type($matrices), type($result), $body) attr-dict
  }];
  let hasVerifier = 1;
}

#endif // KAMI_IR_KAMICOMPLEXOPS_TD
