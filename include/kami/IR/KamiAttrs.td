//===- KamiAttrs.td - Attributes and enums ----------------*- tablegen -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_IR_KAMIATTRS_TD
#define KAMI_IR_KAMIATTRS_TD

include "kami/IR/KamiDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

class Kami_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::kami";
  let genSpecializedAttr = 0;
}
class Kami_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<Kami_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def Kami_RoleEnum : Kami_Enum<"Role", "operand of a matrix product", [
    I32EnumAttrCase<"A", 0, "a">,
    I32EnumAttrCase<"B", 1, "b">,
    I32EnumAttrCase<"C", 2, "c">,
  ]>;

def Kami_GroupEnum : Kami_Enum<"Group", "warps that share two coordinates of the grid", [
    I32EnumAttrCase<"Row", 0, "row">,
    I32EnumAttrCase<"Column", 1, "column">,
  ]>;
def Kami_GroupAttr : Kami_EnumAttr<Kami_GroupEnum, "group">;
def Kami_GroupArrayAttr : TypedArrayAttrBase<Kami_GroupAttr, "array of groups">;

def Kami_BarrierScopeEnum : Kami_Enum<"BarrierScopeKind", "warps that a barrier holds up", [
    I32EnumAttrCase<"Row", 0, "row">,
    I32EnumAttrCase<"Column", 1, "column">,
    I32EnumAttrCase<"Layer", 2, "layer">,
    I32EnumAttrCase<"Block", 3, "block">,
  ]>;
def Kami_BarrierScopeAttr : Kami_EnumAttr<Kami_BarrierScopeEnum, "barrier_scope">;

def Kami_MatrixDimEnum : Kami_Enum<"MatrixDim", "dimension of a matrix", [
    I32EnumAttrCase<"Row", 0, "row">,
    I32EnumAttrCase<"Column", 1, "column">,
  ]>;
def Kami_MatrixDimAttr : Kami_EnumAttr<Kami_MatrixDimEnum, "matrix_dim">;

def Kami_AlgorithmEnum : Kami_Enum<"AlgorithmKind", "the paper's algorithms", [
    I32EnumAttrCase<"OneD", 0, "one_d">,
    I32EnumAttrCase<"TwoD", 1, "two_d">,
    I32EnumAttrCase<"ThreeD", 2, "three_d">,
  ]>;

def Kami_TransportEnum : Kami_Enum<"TransportKind", "how an operand reaches other warps", [
    I32EnumAttrCase<"Staged", 0, "staged">,
    I32EnumAttrCase<"DoubleBuffered", 1, "double_buffered">,
    I32EnumAttrCase<"Gathered", 2, "gathered">,
    I32EnumAttrCase<"Resident", 3, "resident">,
    I32EnumAttrCase<"Copied", 4, "copied">,
  ]>;

def Kami_UnitEnum : Kami_Enum<"UnitKind", "the compute unit that executes an atom", [
    I32EnumAttrCase<"Warp", 0, "warp">,
    I32EnumAttrCase<"WarpGroup", 1, "warpgroup">,
    I32EnumAttrCase<"Lane", 2, "lane">,
  ]>;

def Kami_PrecisionEnum : Kami_Enum<"Precision", "how f32 elements are multiplied", [
    I32EnumAttrCase<"TF32", 0, "tf32">,
    I32EnumAttrCase<"TF32x3", 1, "tf32x3">,
  ]>;
def Kami_PrecisionAttr : Kami_EnumAttr<Kami_PrecisionEnum, "precision">;

def Kami_AssociationEnum : Kami_Enum<"Association", "which of two products of a chain comes first", [
    I32EnumAttrCase<"Left", 0, "left">,
    I32EnumAttrCase<"Right", 1, "right">,
  ]>;
def Kami_AssociationAttr : Kami_EnumAttr<Kami_AssociationEnum, "association">;

def Kami_InstructionEnum : Kami_Enum<"InstructionKind", "family of matrix instructions", [
    I32EnumAttrCase<"MmaSync", 0, "mma_sync">,
    I32EnumAttrCase<"Mfma", 1, "mfma">,
    I32EnumAttrCase<"Wmma", 2, "wmma">,
    I32EnumAttrCase<"CooperativeMatrix", 3, "cooperative_matrix">,
    I32EnumAttrCase<"Fma", 4, "fma">,
    I32EnumAttrCase<"Wgmma", 5, "wgmma">,
  ]>;

def Kami_MajorEnum : Kami_Enum<"MajorKind", "the dimension along which elements are adjacent", [
    I32EnumAttrCase<"KMajor", 0, "k_major">,
    I32EnumAttrCase<"MNMajor", 1, "mn_major">,
  ]>;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class Kami_Attr<string name, string attrMnemonic> : AttrDef<Kami_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Kami_TargetAttr : Kami_Attr<"Target", "target"> {
  let summary = "The chip that code is generated for";
  let description = [{
    Stands on a module as `kami.target`. Whether the chip is known is checked by
    `kami-attach-target`; what it can do, by `kami-verify-target`.

    Example: `module attributes {kami.target = #kami.target<"sm_90">} {}`
  }];
  let parameters = (ins StringRefParameter<"the chip's name">:$chip);
  let assemblyFormat = "`<` $chip `>`";
}

def Kami_MmaAtomAttr : Kami_Attr<"MmaAtom", "mma_atom"> {
  let summary = "One matrix instruction";
  let description = [{
    The shape, types and operand layouts of an instruction. The layouts are
    names of fragment maps, (lane, value) → (row, column); together with the
    shape they are all that a lowering or a simulator needs.

    An atom is what one warp executes. `wgmma` is executed by four warps in
    unison and is up to 256 columns wide: its atom is a warp's 16 rows of 8
    columns, m64nNk16 is 4 × N / 8 of them. B's map is that of a fragment which
    is written to shared memory, where the instruction reads B.

    Example:

    ```mlir
    #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32,
                   ["nv.a.16x16.b16", "nv.b.16x8.b16", "nv.c.16x8.b32"]>
    ```

    Which lane of a warp holds which element of a `cooperative_matrix` is known to
    the device alone: its layouts are empty names, and `lanes` says how many
    lanes execute it.

    ```mlir
    #kami.mma_atom<cooperative_matrix 8x16x16, f16, f16, f32, ["", "", ""], lanes = 16>
    ```

    An operand type of `i8` stands for elements with a sign, `ui8` for elements
    without; both come from memory of `i8`.

    With f32 operands, `mma_sync` multiplies tf32 numbers: elements of A and B
    are rounded to them where a fragment of such an atom is loaded, to nearest,
    ties to even (away from zero on NVIDIA's chips before sm_90, which have no
    instruction for it). With `products = 3` they stay f32, and one atom is three
    instructions on operands split into high + low, both tf32: low·high, high·low
    and high·high are added to the sum, in this order. `fma` multiplies f32 as it
    is, by fused multiply-adds in the order of k, and extends narrower floats to
    the type of the sums first. An `fma` atom of 1×1×1 is a lane's own; there are
    no fragments of it.

    Constraints:
    * (C1) each layout is known
    * (C2) A's layout covers m × k, B's k × n, C's m × n
    * (C3) each layout is for elements as wide as the type's
    * (C4) the layouts are for one number of lanes, and C's has no replicas
    * (C5) `products` is 1 or 3, and 3 only with `mma_sync` on f32
    * (C6) with `fma`, each lane holds what A's rows and B's columns of its
      elements of C multiply; only there, a single lane may be all there are
    * (C7) the layouts of a `cooperative_matrix` are empty and (C1) to (C4) do not
      hold for it, but its shape is positive, its types are integers or floats,
      and `lanes` is a power of two from 2 to 128; only there, it is said
  }];
  let parameters = (ins
    EnumParameter<Kami_InstructionEnum>:$instruction,
    "int64_t":$m, "int64_t":$n, "int64_t":$k,
    "::mlir::Type":$aType, "::mlir::Type":$bType, "::mlir::Type":$cType,
    StringRefParameter<"A's fragment map">:$aLayout,
    StringRefParameter<"B's fragment map">:$bLayout,
    StringRefParameter<"C's fragment map">:$cLayout,
    DefaultValuedParameter<"int64_t", "1">:$products,
    DefaultValuedParameter<"int64_t", "0">:$opaqueLanes);
  let assemblyFormat = [{
    `<` $instruction custom<Extents>($m, $n, $k) `,` $aType `,` $bType `,` $cType `,`
    `[` $aLayout `,` $bLayout `,` $cLayout `]` `` custom<AtomCounts>($products, $opaqueLanes) `` `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The element type, tile extents and fragment map of an operand.
    ::mlir::Type getElementType(Role role) const;
    int64_t getRows(Role role) const;
    int64_t getColumns(Role role) const;
    /// The map of an operand that is not opaque.
    const FragmentMap &getMap(Role role) const;
    /// Whether only the device knows where elements lie.
    bool isOpaque() const { return getOpaqueLanes() != 0; }
    /// Lanes of the warp that executes it.
    int64_t getLanes() const {
      return isOpaque() ? getOpaqueLanes() : getMap(Role::A).lanes();
    }
    Extents getExtents() const { return {getM(), getN(), getK()}; }
    /// Whether the instruction reads f32 registers as tf32 numbers.
    bool isTF32() const;
    OperandMaps getOperandMaps() const { return {&getMap(Role::A), &getMap(Role::B)}; }
    /// Whether fragments of A and B hold tf32 numbers, rounded when loaded.
    bool roundsToTF32() const { return isTF32() && getProducts() == 1; }
  }];
}

def Kami_PlanAttr : Kami_Attr<"Plan", "plan"> {
  let summary = "How one block computes its part of a product";
  let description = [{
    Every decision that a lowering obeys: the grid of warps, the instruction,
    the tile of C that a block computes and how many terms of the sum it takes
    at a time, how operands reach the warps that do not hold them, and which
    slices of an operand wait in shared memory because registers have no room.

    An operand is sent slice by slice, through one buffer and two barriers
    (`staged`) or two buffers in turn and one barrier (`double_buffered`), or all
    at once (`gathered`), or lies in shared memory for as long as it lives
    (`resident`). Or nobody holds operands: all threads copy tiles of them from
    device memory to shared memory as they lie there, asynchronously, and every
    warp reads what it needs (`copied`). With `stages = s` shared memory has room
    for s tiles along k, of which one is multiplied while others arrive. With
    `output = relayed` the lanes of a warp exchange elements of C, of 16 bits at
    most or as wide as A's, in shared memory, unless β is given, and write what
    lies beside each other, in pieces of 16 bytes where rows are aligned. Where
    the block computes Cᵀ (see below), all of its threads do.

    `kami-assign-plan` writes one; one written by hand is obeyed, or refused
    with the reason.

    Example:

    ```mlir
    #kami.plan<one_d, grid = [4, 1, 1], unit = warp, atom = #atom,
               tile = 64x64x64, transport = staged,
               slices = {k = 16, shared = [0, 0]}>
    ```

    `interleave = [m, n, k]` deals the elements of so many tiles along a
    dimension to a warp's fragments such that each lane's are adjacent in memory
    (see `!kami.fragment`), which makes accesses wide. Sums are of the same
    terms.

    With `teams = t` a block has t times the grid's warps, and each team of them
    computes a tile of its own. Where operands are `copied`, these are t products
    that follow each other in the batch: they are *packed*, that is, all threads
    copy their matrices as one, every team multiplies one of them, and C's go
    back as one (`output = relayed`, of elements of any width, unless β is given).
    With `unit = lane` a team is of lanes, each of which has rows of C, the last
    one maybe fewer than the others. With `rounds = r` each team takes r products
    of a pack, one after the other, so that a block copies t times r as one.

    Warp groups have rows of what they multiply, 16 a warp. Where they stand in
    one column, these are rows of C. In one row of the grid each warp has columns
    of C instead, and the block computes Cᵀ = Bᵀ·Aᵀ: for tf32, of whose operands
    only the second is read where it was copied, with elements adjacent along k.
    The grid and the tile are C's all the same.

    With `blocks = b` there are no more blocks than b: each takes every so many-th
    tile (or team's tile) in turn. Without it, each tile has one of its own. With
    `next = prefetched` a block starts to copy the operands of the tile that it
    takes next while it is still busy with one.

    Rows of copied operands may begin anywhere. With `rows = skewed` those that
    do not begin at multiples of 16 bytes are copied as the words of 16 bytes that
    hold them, as asynchronously as others. What lanes read element by element
    stays so in shared memory; else rows are put straight once they have arrived
    (`kami.deskew`). Without it, narrower pieces are copied.

    With `copies = bulk` the copy engine brings both operands where rows are
    known to be aligned (`kami.place_bulk`), and rounds them to tf32 on the way.
    Of products whose next one is prefetched, several groups wait for it apart.
    Threads copy others, one product at a time, in as many of the stages as there
    is room for.

    Blocks in turn have equal numbers of tiles. With `taken = t` the last t turns
    are left, which blocks take a tile at a time, as they are done with others
    (`kami.take_ticket`): of a `kami.grouped_gemm`, whose tiles take as long as
    their products are deep, or of a product whose next tile is prefetched, since
    multiprocessors differ; there all turns but the first two, if t is as many.

    With `deal = products` a block of a `kami.grouped_gemm` has all tiles of every
    so many-th product, and looks at no other product. Without it, it has tiles
    of all products, shared out by their depth (`kami.deal_tiles`): for that it
    looks at all of them, which takes longer than to multiply many small ones.

    With `complex = interleaved` the plan is of complex matrices whose rows are
    multiplied as they lie in memory, each number's real part beside its
    imaginary one: as one product of m × n × k reals, of twice the columns and
    twice the terms (`kami-interleave-parts`). Without it, a plan for complex
    numbers is that of each of four products, of one part each.

    A block's sums are in registers while operands pass by. With
    `stationary = operand` an operand is: of groups that stand in one row, the
    block has its tile's columns of C in all rows, a tile of rows at a time, and
    its warps keep their columns of B, all terms, while rows of A pass by; of
    groups in one column likewise with rows of A and columns of B. What is read
    comes in whole rows, and C leaves a bit at a time. A product that the engine
    cannot bring so, or that is deeper than the tile, is computed tile by tile
    by blocks of their own.

    Constraints:
    * (C1) the grid's and the tile's extents are positive
    * (C2) the algorithm is the grid's: three_d with layers, else two_d with
      both rows and columns, else one_d
    * (C3) the slice's k is a positive multiple of the atom's
    * (C4) no more slices are shared than a warp holds
    * (C5) `gathered` and `resident` share all slices of every operand that is
      broadcast
    * (C6) the unit is the atom's: four warps in unison for wgmma, a lane for an
      fma of 1×1×1, else a warp
    * (C7) warp groups stand in one column and one layer of whole groups, with B
      resident and all or nothing of A in shared memory, or with both operands
      copied, of 16 bits or tf32, and one tile of rows a warp; or in one row, with
      operands copied for tf32, and one tile of columns a warp
    * (C8) interleaved tiles are a warp's, three counts, which divide those of its
      part of C and of a slice
    * (C9) several teams are of one warp each, which keeps no slices in shared
      memory, or of lanes
    * (C10) `copied` is for warps or lanes in one layer, which hold no slices and,
      but for warps that each have a packed product, interleave no tiles; only it
      has several stages, and relays C; lanes take nothing else
    * (C11) there are at most 2^31 - 1 blocks
    * (C12) what comes next is prefetched only by blocks in turn, of operands
      copied in two stages or more
    * (C13) packed products have one stage, and lanes have rows of C each, of 256
      sums at most in all rounds, of which only they have several
    * (C14) only rows of copied operands that are not packed are skewed
    * (C15) only copies for warp groups are bulk ones
    * (C16) only blocks in turn leave turns to be taken, 1024 at most, of 2^31
      tiles with one more for each block
    * (C17) an atom whose layouts are opaque is for one team of warps that hold
      operands, in tiles that are not interleaved
    * (C18) `complex = interleaved` is for warps or lanes, whose tiles, and those of
      a warp's atom, have even numbers of columns and terms, and are not
      interleaved
    * (C19) only blocks in turn that leave no turns to be taken deal products
    * (C20) only an operand of tf32 that is copied in bulk is stationary, where
      what comes next is prefetched and C is not relayed
  }];
  let parameters = (ins
    EnumParameter<Kami_AlgorithmEnum>:$algorithm,
    "int64_t":$gridM, "int64_t":$gridN, "int64_t":$gridK,
    EnumParameter<Kami_UnitEnum>:$unit,
    "MmaAtomAttr":$atom,
    "int64_t":$tileM, "int64_t":$tileN, "int64_t":$tileK,
    EnumParameter<Kami_TransportEnum>:$transport,
    "int64_t":$sliceK, "int64_t":$sharedA, "int64_t":$sharedB,
    OptionalArrayRefParameter<"int64_t">:$interleave,
    DefaultValuedParameter<"int64_t", "1">:$teams,
    DefaultValuedParameter<"int64_t", "1">:$rounds,
    DefaultValuedParameter<"int64_t", "1">:$stages,
    DefaultValuedParameter<"bool", "false">:$relaysC,
    DefaultValuedParameter<"int64_t", "0">:$blocks,
    DefaultValuedParameter<"bool", "false">:$prefetches,
    DefaultValuedParameter<"bool", "false">:$skewed,
    DefaultValuedParameter<"bool", "false">:$bulk,
    DefaultValuedParameter<"int64_t", "0">:$taken,
    DefaultValuedParameter<"bool", "false">:$dealsProducts,
    DefaultValuedParameter<"bool", "false">:$interleavesParts,
    DefaultValuedParameter<"bool", "false">:$stationary);
  let assemblyFormat = [{
    `<` $algorithm `,` `grid` `=` custom<Grid>($gridM, $gridN, $gridK) `,`
    `unit` `=` $unit `,` `atom` `=` $atom `,`
    `tile` `=` custom<Extents>($tileM, $tileN, $tileK) `,`
    `transport` `=` $transport `,`
    `slices` `=` `{` `k` `=` $sliceK `,` `shared` `=` `[` $sharedA `,` $sharedB `]` `}`
    `` custom<SharedWork>($interleave, $teams, $rounds, $stages, $relaysC, $blocks, $prefetches, $skewed, $bulk, $taken, $dealsProducts, $interleavesParts, $stationary) `` `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The most turns whose tiles are taken.
    static constexpr int64_t mostTaken = kami::mostTaken;
    /// Threads of a block.
    int64_t getThreads() const { return getTeams() * getGrid().warps() * getAtom().getLanes(); }
    /// Whether the teams' products are copied as one.
    bool isPacked() const {
      return getTransport() == TransportKind::Copied &&
             (getTeams() > 1 || getUnit() == UnitKind::Lane);
    }
    WarpGrid getGrid() const { return {getGridM(), getGridN(), getGridK()}; }
    Extents getTile() const { return {getTileM(), getTileN(), getTileK()}; }
    Slicing getSlicing() const { return {getSliceK(), getSharedA(), getSharedB()}; }
    Interleave getTileGroups() const {
      ::llvm::ArrayRef<int64_t> groups = getInterleave();
      return groups.empty() ? Interleave() : Interleave{groups[0], groups[1], groups[2]};
    }
  }];
}

def Kami_SharedMatrixAttr : Kami_Attr<"SharedMatrix", "shared_matrix"> {
  let summary = "How an operand lies in shared memory for the matrix unit";
  let description = [{
    `rows × columns` of operand A (m × k) or B (k × n), in one of the canonical
    layouts of NVIDIA's warpgroup instructions. Elements are adjacent along k
    (`k_major`) or along m or n (`mn_major`), in swizzle rows of 128, 64 or 32
    bytes, or of 16, which means that nothing is permuted. The matrix starts at
    a multiple of 8 swizzle rows (of 16 bytes where nothing is permuted), and
    takes as many bytes as its elements.

    A *window* of such a matrix is what one instruction reads. It starts at a
    multiple of 32 bytes of k, and of 8 along m or n (`k_major`) or of a swizzle
    row (`mn_major`).

    Example: `#kami.shared_matrix<64x128xf16, b, k_major, swizzle = 128>`

    Constraints:
    * (C1) the role is a or b
    * (C2) a swizzle row has 128, 64, 32 or 16 bytes
    * (C3) elements have 8, 16 or 32 bits; in `mn_major`, 16
    * (C4) k is a positive multiple of 32 bytes, the other extent of 8, the
      major one of a swizzle row
  }];
  let parameters = (ins
    "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType,
    EnumParameter<Kami_RoleEnum>:$role, EnumParameter<Kami_MajorEnum>:$major,
    "int64_t":$swizzle);
  let assemblyFormat = [{
    `<` custom<MatrixShape>($rows, $columns, $elementType) `,` $role `,` $major `,`
    `swizzle` `=` $swizzle `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The layout, which knows neither rows nor columns.
    ::kami::SharedMatrix getMatrix() const;
    /// The dimension that swizzle rows run along: 0 for rows, 1 for columns.
    unsigned getMajorDimension() const {
      return (getMatrix().major == ::kami::Major::K) == (getRole() == Role::A) ? 1 : 0;
    }
  }];
}

#endif // KAMI_IR_KAMIATTRS_TD
