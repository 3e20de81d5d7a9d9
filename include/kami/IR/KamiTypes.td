//===- KamiTypes.td - Types -------------------------------*- tablegen -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_IR_KAMITYPES_TD
#define KAMI_IR_KAMITYPES_TD

include "kami/IR/KamiAttrs.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

def Kami_FragmentType : TypeDef<Kami_Dialect, "Fragment"> {
  let mnemonic = "fragment";
  let summary = "A matrix spread over the registers of one warp";
  let description = [{
    A `rows × columns` matrix, cut into tiles of the atom's shape for its role,
    each spread over the warp's lanes by the atom's fragment map. Tiles are
    numbered row by row. The element type is what lies in the registers: the
    atom's for the role, where a matrix instruction or shared memory is involved,
    or any other before a prologue and after an epilogue.

    With `interleave = [r, c]` groups of r tiles along rows and of c along
    columns share their elements out so that what one lane of an operand holds of
    all of them is adjacent in the matrix (see kami/Layout/TileOrder.h); 0 is the
    plain order along that dimension. Registers are the same.

    With `apart = [r, c]` the second half of the tiles along rows begins r rows
    behind where the first begins, the second half along columns c columns; 0 is
    a half beside the other.

    Examples: `!kami.fragment<64x16xf16, a, #atom>`,
    `!kami.fragment<64x32xf16, a, #atom, interleave = [0, 2]>`,
    `!kami.fragment<32x16xf64, c, #atom, apart = [32, 0]>`

    Constraints:
    * (C1) the element type is an integer or float of at most 64 bits
    * (C2) the extents are positive multiples of the atom's for the role
    * (C3) groups are whole: their tiles divide the fragment's; and along k the
      atom's A and B agree on what a lane holds
    * (C4) of tiles that are apart there is an even number, in whole groups, one
      half is behind the other, and the atom is not opaque
  }];
  let parameters = (ins
    "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType,
    EnumParameter<Kami_RoleEnum>:$role, "MmaAtomAttr":$atom,
    OptionalArrayRefParameter<"int64_t">:$interleave,
    OptionalArrayRefParameter<"int64_t">:$apart);
  let builders = [
    TypeBuilder<(ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType,
                     "Role":$role, "MmaAtomAttr":$atom,
                     CArg<"::llvm::ArrayRef<int64_t>", "{}">:$interleave), [{
      return $_get($_ctxt, rows, columns, elementType, role, atom, interleave,
                   ::llvm::ArrayRef<int64_t>());
    }]>];
  let assemblyFormat = [{
    `<` custom<Shape>($rows, $columns, $elementType) `,` $role `,` $atom
    `` custom<Order>($interleave, $apart) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The orders of its rows and columns.
    TileOrder getRowOrder() const;
    TileOrder getColumnOrder() const;
    bool isPlain() const { return getInterleave().empty() && getApart().empty(); }
    /// Rows and columns from the first to the last.
    std::array<int64_t, 2> getSpan() const;
    /// The same with halves that are so far apart, or beside each other (0).
    FragmentType withHalves(std::array<int64_t, 2> apart) const;
    /// Row and column of what a lane holds as its `value`-th of a tile.
    std::array<int64_t, 2> getPlace(int64_t tile, unsigned lane, unsigned value) const;
    /// Rows and columns that are added where a bit of the lane is set.
    ::llvm::SmallVector<Coordinate> getLaneSteps() const;
    /// The same spread of other elements.
    FragmentType withElements(::mlir::Type elementType) const;
    const FragmentMap &getMap() const { return getAtom().getMap(getRole()); }
    int64_t getTileRows() const { return getRows() / getAtom().getRows(getRole()); }
    int64_t getTileColumns() const {
      return getColumns() / getAtom().getColumns(getRole());
    }
    /// Whether a matrix instruction takes its elements.
    bool hasAtomElementType() const {
      return getElementType() == getAtom().getElementType(getRole());
    }
    int64_t getNumTiles() const { return getTileRows() * getTileColumns(); }
    /// Bytes of the whole fragment, all lanes together, of the atom's elements.
    int64_t getByteSize() const {
      return getRows() * getColumns() *
             getAtom().getElementType(getRole()).getIntOrFloatBitWidth() / 8;
    }
    /// The type of its elements in registers and in memory, where integers
    /// have no sign.
    ::mlir::Type getStorageType() const;
  }];
}

def Kami_DistributedType : TypeDef<Kami_Dialect, "Distributed", [ShapedTypeInterface]> {
  let mnemonic = "distributed";
  let summary = "A matrix spread over a block's warps";
  let description = [{
    The A, B or C of a block's product, held by its warps as a plan says: each
    has its slices of A and B in registers, or, for those that the plan's slicing
    or its `resident` transport put there, in shared memory, and its part of C in
    registers. With several layers, layer 0 holds C.

    A value of this type does not change; every warp of the block takes part in
    the ops that make and use it.

    Example: `!kami.distributed<64x32xf16, a, #plan>`

    Constraints:
    * (C1) the element type is the plan's atom's for the role; of integers, the
      one without a sign
    * (C2) the extents are the plan's tile's for the role
    * (C3) the plan has one team
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        EnumParameter<Kami_RoleEnum>:$role, "PlanAttr":$plan);
  let assemblyFormat = "`<` custom<Matrix>($shape, $elementType) `,` $role `,` $plan `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The type of that operand of a product with that plan.
    static DistributedType get(Role role, PlanAttr plan);

    bool hasRank() const { return true; }
    ::mlir::ShapedType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape,
                                 ::mlir::Type elementType) const;
  }];
}

def Kami_MatrixDescriptorType : TypeDef<Kami_Dialect, "MatrixDescriptor"> {
  let mnemonic = "matrix_descriptor";
  let summary = "Where a window of a matrix in shared memory starts";
  let description = [{
    What a warpgroup instruction takes in place of registers: 64 bits in the
    form of "Matrix Descriptor Format" of the PTX ISA. Everything but the address
    follows from the matrix's layout.

    Example: `!kami.matrix_descriptor<#kami.shared_matrix<64x128xf16, b, k_major, swizzle = 128>>`
  }];
  let parameters = (ins "SharedMatrixAttr":$matrix);
  let assemblyFormat = "`<` $matrix `>`";
}

#endif // KAMI_IR_KAMITYPES_TD
