//===- KamiAttrs.cpp - Attributes of the dialect -------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/IR/KamiAttrs.h"
#include "TileGroups.h"
#include "kami/IR/KamiTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;
using mlir::failure;
using mlir::LogicalResult;
using mlir::ParseResult;
using mlir::success;

BarrierScope kami::toScope(BarrierScopeKind kind) {
  switch (kind) {
  case BarrierScopeKind::Row:
    return BarrierScope::Row;
  case BarrierScopeKind::Column:
    return BarrierScope::Column;
  case BarrierScopeKind::Layer:
    return BarrierScope::Layer;
  case BarrierScopeKind::Block:
    return BarrierScope::Block;
  }
  llvm_unreachable("covered switch");
}

BarrierScopeKind kami::toKind(BarrierScope scope) {
  switch (scope) {
  case BarrierScope::Row:
    return BarrierScopeKind::Row;
  case BarrierScope::Column:
    return BarrierScopeKind::Column;
  case BarrierScope::Layer:
    return BarrierScopeKind::Layer;
  case BarrierScope::Block:
    return BarrierScopeKind::Block;
  }
  llvm_unreachable("covered switch");
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// `, interleave = [0, 8, 2]`, `, teams = 4`, `, rounds = 2`, `, stages = 3`,
/// `, output = relayed`, `, blocks = 132`, `, next = prefetched`, `, rows =
/// skewed`, `, copies = bulk`, `, taken = 2`, `, deal = products`, `,
/// complex = interleaved` and `, stationary = operand`; nothing for what is not
/// said.
static ParseResult
parseSharedWork(mlir::AsmParser &parser, llvm::SmallVector<int64_t> &interleave,
                int64_t &teams, int64_t &rounds, int64_t &stages, bool &relaysC,
                int64_t &blocks, bool &prefetches, bool &skewed, bool &bulk,
                int64_t &taken, bool &dealsProducts, bool &interleavesParts,
                bool &stationary) {
  teams = rounds = stages = 1;
  relaysC = prefetches = skewed = bulk = false;
  dealsProducts = interleavesParts = stationary = false;
  blocks = taken = 0;
  while (succeeded(parser.parseOptionalComma())) {
    llvm::StringRef key;
    llvm::SMLoc location = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    int64_t *count = key == "teams"    ? &teams
                     : key == "rounds" ? &rounds
                     : key == "stages" ? &stages
                     : key == "blocks" ? &blocks
                     : key == "taken"  ? &taken
                                       : nullptr;
    if (count) {
      if (parser.parseInteger(*count))
        return failure();
    } else if (key == "output") {
      if (parser.parseKeyword("relayed"))
        return failure();
      relaysC = true;
    } else if (key == "next") {
      if (parser.parseKeyword("prefetched"))
        return failure();
      prefetches = true;
    } else if (key == "rows") {
      if (parser.parseKeyword("skewed"))
        return failure();
      skewed = true;
    } else if (key == "copies") {
      if (parser.parseKeyword("bulk"))
        return failure();
      bulk = true;
    } else if (key == "deal") {
      if (parser.parseKeyword("products"))
        return failure();
      dealsProducts = true;
    } else if (key == "complex") {
      if (parser.parseKeyword("interleaved"))
        return failure();
      interleavesParts = true;
    } else if (key == "stationary") {
      if (parser.parseKeyword("operand"))
        return failure();
      stationary = true;
    } else if (key == "interleave") {
      interleave.clear();
      if (parser.parseCommaSeparatedList(
              mlir::AsmParser::Delimiter::Square,
              [&] { return parser.parseInteger(interleave.emplace_back()); }))
        return failure();
    } else {
      return parser.emitError(location,
                              "expected 'interleave', 'teams', "
                              "'rounds', 'stages', 'output', 'blocks', "
                              "'next', 'rows', 'copies', 'taken', 'deal', "
                              "'complex' or 'stationary', but got '")
             << key << "'";
    }
  }
  return success();
}

static void printSharedWork(mlir::AsmPrinter &printer,
                            llvm::ArrayRef<int64_t> interleave, int64_t teams,
                            int64_t rounds, int64_t stages, bool relaysC,
                            int64_t blocks, bool prefetches, bool skewed,
                            bool bulk, int64_t taken, bool dealsProducts,
                            bool interleavesParts, bool stationary) {
  if (!interleave.empty()) {
    printer << ", interleave = [";
    llvm::interleaveComma(interleave, printer.getStream());
    printer << "]";
  }
  if (teams != 1)
    printer << ", teams = " << teams;
  if (rounds != 1)
    printer << ", rounds = " << rounds;
  if (stages != 1)
    printer << ", stages = " << stages;
  if (relaysC)
    printer << ", output = relayed";
  if (blocks != 0)
    printer << ", blocks = " << blocks;
  if (prefetches)
    printer << ", next = prefetched";
  if (skewed)
    printer << ", rows = skewed";
  if (bulk)
    printer << ", copies = bulk";
  if (taken != 0)
    printer << ", taken = " << taken;
  if (dealsProducts)
    printer << ", deal = products";
  if (interleavesParts)
    printer << ", complex = interleaved";
  if (stationary)
    printer << ", stationary = operand";
}

/// `, products = 3` and `, lanes = 16`; nothing for what is not said.
static ParseResult parseAtomCounts(mlir::AsmParser &parser, int64_t &products,
                                   int64_t &lanes) {
  products = 1;
  lanes = 0;
  while (succeeded(parser.parseOptionalComma())) {
    llvm::StringRef key;
    llvm::SMLoc location = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    if (key != "products" && key != "lanes")
      return parser.emitError(location,
                              "expected 'products' or 'lanes', but got '")
             << key << "'";
    if (parser.parseInteger(key == "lanes" ? lanes : products))
      return failure();
  }
  return success();
}

static void printAtomCounts(mlir::AsmPrinter &printer, int64_t products,
                            int64_t lanes) {
  if (products != 1)
    printer << ", products = " << products;
  if (lanes != 0)
    printer << ", lanes = " << lanes;
}

/// `16x8x16`
static ParseResult parseExtents(mlir::AsmParser &parser, int64_t &m, int64_t &n,
                                int64_t &k) {
  llvm::SMLoc location = parser.getCurrentLocation();
  llvm::SmallVector<int64_t> extents;
  if (parser.parseDimensionList(extents, /*allowDynamic=*/false,
                                /*withTrailingX=*/false))
    return failure();
  if (extents.size() != 3)
    return parser.emitError(location,
                            "expected three extents, m x n x k, but got ")
           << extents.size();
  m = extents[0];
  n = extents[1];
  k = extents[2];
  return success();
}

static void printExtents(mlir::AsmPrinter &printer, int64_t m, int64_t n,
                         int64_t k) {
  printer << m << 'x' << n << 'x' << k;
}

/// `[4, 1, 1]`
static ParseResult parseGrid(mlir::AsmParser &parser, int64_t &m, int64_t &n,
                             int64_t &k) {
  return mlir::failure(parser.parseLSquare() || parser.parseInteger(m) ||
                       parser.parseComma() || parser.parseInteger(n) ||
                       parser.parseComma() || parser.parseInteger(k) ||
                       parser.parseRSquare());
}

static void printGrid(mlir::AsmPrinter &printer, int64_t m, int64_t n,
                      int64_t k) {
  printer << '[' << m << ", " << n << ", " << k << ']';
}

/// `64x16xf16`
static ParseResult parseMatrixShape(mlir::AsmParser &parser, int64_t &rows,
                                    int64_t &columns, mlir::Type &elementType) {
  llvm::SMLoc location = parser.getCurrentLocation();
  llvm::SmallVector<int64_t> extents;
  if (parser.parseDimensionList(extents, /*allowDynamic=*/false))
    return failure();
  if (extents.size() != 2)
    return parser.emitError(location, "expected rows x columns, but got ")
           << extents.size() << " extents";
  rows = extents[0];
  columns = extents[1];
  return parser.parseType(elementType);
}

static void printMatrixShape(mlir::AsmPrinter &printer, int64_t rows,
                             int64_t columns, mlir::Type elementType) {
  printer << rows << 'x' << columns << 'x' << elementType;
}

#include "kami/IR/KamiEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "kami/IR/KamiAttrs.cpp.inc"

void KamiDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "kami/IR/KamiAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// PlanAttr
//===----------------------------------------------------------------------===//

/// Beyond this no block has room, and products of extents could overflow.
static constexpr int64_t maxTileExtent = int64_t(1) << 20;
static constexpr int64_t maxGridExtent = 1024;

static AlgorithmKind algorithmOf(const WarpGrid &grid) {
  if (grid.k > 1)
    return AlgorithmKind::ThreeD;
  return grid.m > 1 && grid.n > 1 ? AlgorithmKind::TwoD : AlgorithmKind::OneD;
}

/// (C4) and (C5).
static LogicalResult
verifySlicing(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
              const Partition &partition, TransportKind transport,
              const Slicing &slices) {
  struct {
    llvm::StringRef name;
    int64_t shared, held, receivers;
  } operands[] = {{"A", slices.sharedA, partition.heldA(), partition.grid.n},
                  {"B", slices.sharedB, partition.heldB(), partition.grid.m}};
  for (const auto &operand : operands) {
    if (operand.shared < 0 || operand.shared > operand.held)
      return emitError() << "expected 0 to " << operand.held
                         << " shared slices of " << operand.name
                         << ", as many as a warp holds, but got "
                         << operand.shared;
    bool sharesAll = transport == TransportKind::Gathered ||
                     transport == TransportKind::Resident;
    if (sharesAll && operand.receivers > 1 && operand.shared != operand.held)
      return emitError() << "expected " << stringifyTransportKind(transport)
                         << " transport to share all " << operand.held
                         << " slices of " << operand.name << ", but got "
                         << operand.shared;
  }
  return success();
}

/// What a warp holds at a time is a fragment: C, or a slice of an operand, or,
/// in unison, all of A's columns.
static LogicalResult
verifyHeld(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
           UnitKind unit, const Partition &partition, MmaAtomAttr atom) {
  int64_t columnsOfA =
      unit == UnitKind::WarpGroup ? partition.paddedK() : partition.sliceK;
  struct {
    Role role;
    int64_t rows, columns;
  } held[] = {{Role::A, partition.warpM, columnsOfA},
              {Role::B, partition.sliceK, partition.warpN},
              {Role::C, partition.warpM, partition.warpN}};
  for (auto [role, rows, columns] : held) {
    int64_t most = mostFragmentElements(atom.getElementType(role));
    if (columns > most / rows)
      return emitError() << "expected warps that hold at most " << most
                         << " elements of " << stringifyRole(role)
                         << " at a time, but got " << rows << "x" << columns;
  }
  return success();
}

LogicalResult
kami::verifyTileGroups(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                       MmaAtomAttr atom, llvm::ArrayRef<int64_t> groups,
                       llvm::ArrayRef<int64_t> tiles, bool alongK) {
  for (auto [group, count] : llvm::zip_equal(groups, tiles))
    if (group < 0 || (group > 0 && count % group != 0))
      return emitError()
             << "expected a count of interleaved tiles that divides " << count
             << ", but got " << group;
  if (alongK && !canInterleaveK(atom.getOperandMaps()))
    return emitError() << "expected an atom whose lanes hold the same terms of "
                          "A and of B, but got "
                       << atom;
  return success();
}

/// (C8).
static LogicalResult
verifyInterleave(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                 const Partition &partition, MmaAtomAttr atom,
                 llvm::ArrayRef<int64_t> interleave) {
  if (interleave.empty())
    return success();
  if (interleave.size() != 3 || atom.getInstruction() == InstructionKind::Wgmma)
    return emitError() << "expected interleaved tiles of warps, counted along "
                          "m, n and k, but got "
                       << interleave.size() << " counts";
  return verifyTileGroups(emitError, atom, interleave,
                          {partition.warpM / atom.getM(),
                           partition.warpN / atom.getN(),
                           partition.sliceK / atom.getK()},
                          /*alongK=*/interleave[2] > 0);
}

/// (C15).
static LogicalResult
verifyOpaqueWork(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                 MmaAtomAttr atom, bool isCopied, int64_t teams,
                 llvm::ArrayRef<int64_t> interleave) {
  if (atom.isOpaque() && (isCopied || teams != 1 || !interleave.empty()))
    return emitError() << "expected one team of warps that hold operands, in "
                          "tiles that are not interleaved, for an opaque "
                          "atom, but got "
                       << (isCopied     ? "copied operands"
                           : teams != 1 ? "several teams"
                                        : "interleaved tiles");
  return success();
}

/// (C6) and (C7).
static LogicalResult
verifyUnit(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
           UnitKind unit, MmaAtomAttr atom, const Partition &partition,
           TransportKind transport, int64_t sharedA, bool isTransposed) {
  bool isGroup = atom.getInstruction() == InstructionKind::Wgmma;
  UnitKind unitOfAtom = isGroup                ? UnitKind::WarpGroup
                        : atom.getLanes() == 1 ? UnitKind::Lane
                                               : UnitKind::Warp;
  if (unit != unitOfAtom)
    return emitError() << "expected unit " << stringifyUnitKind(unitOfAtom)
                       << " for this atom, but got " << stringifyUnitKind(unit);
  if (!isGroup)
    return success();
  const WarpGrid &grid = partition.grid;
  bool isCopied = transport == TransportKind::Copied;
  bool isResident = transport == TransportKind::Resident && !isTransposed &&
                    (sharedA == 0 || sharedA == partition.heldA());
  if (grid.m % warpsPerGroup != 0 || grid.n != 1 || grid.k != 1 ||
      !(isResident || isCopied))
    return emitError() << "expected warp groups in a grid of one column and "
                          "one layer, with B resident, and all or nothing of A "
                          "in shared memory, or with copied operands, or of "
                          "one row with these";
  auto bytes = [](mlir::Type type) { return type.getIntOrFloatBitWidth() / 8; };
  if (isCopied && !unitReadsCopies(partition, bytes(atom.getAType()),
                                   bytes(atom.getBType())))
    return emitError() << "expected warp groups with copied operands of 16 "
                          "bits and 16 rows a warp, or of tf32, and "
                       << maxGroupColumns << " columns at most, but got "
                       << partition.tile.m << "x" << partition.tile.n << " of "
                       << atom.getAType() << " and " << atom.getBType();
  if (isTransposed && readsEitherOrder(bytes(atom.getAType())))
    return emitError() << "expected warp groups in a row only for tf32";
  return success();
}

/// (C9), (C10) and (C13).
static LogicalResult
verifyCopiedWork(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                 UnitKind unit, const Partition &partition, bool isCopied,
                 bool holdsNothing, int64_t teams, int64_t rounds,
                 int64_t stages, bool relaysC) {
  const WarpGrid &grid = partition.grid;
  bool isLane = unit == UnitKind::Lane;
  if (teams < 1 || teams > maxGridExtent ||
      (teams > 1 && !isLane &&
       (unit == UnitKind::WarpGroup || grid.warps() != 1 || !holdsNothing)))
    return emitError() << "expected several teams only of single warps that "
                          "keep nothing in shared memory, but got "
                       << teams << " of " << grid.warps() << " warps";
  constexpr int64_t mostLaneSums = 256;
  if (rounds < 1 || rounds > mostLaneSums || (rounds > 1 && !isLane))
    return emitError() << "expected several rounds only of lanes, of "
                       << mostLaneSums << " at most, but got " << rounds;
  if (isLane && (!isCopied || grid.n != 1 ||
                 (grid.m - 1) * partition.warpM >= partition.tile.m ||
                 partition.warpM * partition.warpN > mostLaneSums / rounds))
    return emitError() << "expected lanes only of copied operands, in one "
                          "column, with rows of the tile's "
                       << partition.tile.m << " each and no more than "
                       << mostLaneSums << " sums, but got " << grid.m
                       << " times " << grid.n;
  if (isCopied && (teams > 1 || isLane) && stages > 1)
    return emitError() << "expected packed products in one stage, but got "
                       << stages;
  if (stages < 1 || stages > maxGridExtent || (stages > 1 && !isCopied))
    return emitError() << "expected several stages only of copied operands, "
                          "but got "
                       << stages;
  if (relaysC && !isCopied)
    return emitError() << "expected a relayed C only of copied operands";
  return success();
}

LogicalResult
PlanAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                 AlgorithmKind algorithm, int64_t gridM, int64_t gridN,
                 int64_t gridK, UnitKind unit, MmaAtomAttr atom, int64_t tileM,
                 int64_t tileN, int64_t tileK, TransportKind transport,
                 int64_t sliceK, int64_t sharedA, int64_t sharedB,
                 llvm::ArrayRef<int64_t> interleave, int64_t teams,
                 int64_t rounds, int64_t stages, bool relaysC, int64_t blocks,
                 bool prefetches, bool skewed, bool bulk, int64_t taken,
                 bool dealsProducts, bool interleavesParts, bool stationary) {
  for (int64_t extent : {gridM, gridN, gridK})
    if (extent < 1 || extent > maxGridExtent)
      return emitError() << "expected the grid's extents to be 1 to "
                         << maxGridExtent << ", but got " << extent;
  for (int64_t extent : {tileM, tileN, tileK})
    if (extent < 1 || extent > maxTileExtent)
      return emitError() << "expected the tile's extents to be 1 to "
                         << maxTileExtent << ", but got " << extent;
  WarpGrid grid{gridM, gridN, gridK};
  if (algorithm != algorithmOf(grid))
    return emitError() << "expected algorithm "
                       << stringifyAlgorithmKind(algorithmOf(grid))
                       << " for this grid, but got "
                       << stringifyAlgorithmKind(algorithm);
  if (sliceK < 1 || sliceK > maxTileExtent || sliceK % atom.getK() != 0)
    return emitError()
           << "expected the slice's k to be a multiple of the atom's "
           << atom.getK() << ", but got " << sliceK;
  Extents tile{tileM, tileN, tileK};
  bool isTransposed =
      unit == UnitKind::WarpGroup && kami::isTransposed(Unit::WarpGroup, grid);
  Partition partition(isTransposed ? transposed(tile) : tile,
                      isTransposed ? transposed(grid) : grid, atom.getExtents(),
                      sliceK);
  bool isCopied = transport == TransportKind::Copied;
  bool holdsNothing = sharedA + sharedB == 0;
  if (failed(verifyUnit(emitError, unit, atom, partition, transport, sharedA,
                        isTransposed)) ||
      failed(verifyHeld(emitError, unit, partition, atom)) ||
      failed(verifyOpaqueWork(emitError, atom, isCopied, teams, interleave)) ||
      failed(verifyInterleave(emitError, partition, atom, interleave)))
    return failure();
  bool arePackedWarps = teams > 1 && unit == UnitKind::Warp;
  if (isCopied &&
      (gridK != 1 || !holdsNothing || (!interleave.empty() && !arePackedWarps)))
    return emitError() << "expected copied operands only of warps or lanes in "
                          "one layer, without slices in shared memory or, but "
                          "in packs of warps, interleaved tiles";
  if (failed(verifyCopiedWork(emitError, unit, partition, isCopied,
                              holdsNothing, teams, rounds, stages, relaysC)))
    return failure();
  constexpr int64_t mostBlocks = (int64_t(1) << 31) - 1;
  if (blocks < 0 || blocks > mostBlocks)
    return emitError() << "expected at most " << mostBlocks
                       << " blocks, but got " << blocks;
  if (prefetches && (stages < 2 || blocks == 0))
    return emitError() << "expected what comes next to be prefetched only by "
                          "blocks in turn, in two stages or more, but got "
                       << blocks << " blocks and stages = " << stages;
  if (skewed && (!isCopied || teams > 1 || unit == UnitKind::Lane))
    return emitError() << "expected skewed rows only of copied operands that "
                          "are not packed";
  if (bulk && (!isCopied || unit != UnitKind::WarpGroup))
    return emitError() << "expected bulk copies only of operands that are "
                          "copied for warp groups";
  if (taken < 0 || taken > mostTaken || (taken > 0 && blocks == 0))
    return emitError() << "expected blocks in turn, and at most " << mostTaken
                       << " turns whose tiles are taken, but got " << blocks
                       << " blocks and taken = " << taken;
  // Tickets are numbered in 32 bits, and each block has one that is no tile's.
  constexpr int64_t mostTickets = int64_t(1) << 31;
  if ((taken + 1) * blocks > mostTickets && taken > 0)
    return emitError() << "expected up to " << mostTickets
                       << " tiles to be taken, with one more of each block, "
                          "but got "
                       << taken << " turns of " << blocks << " blocks";
  if (dealsProducts && (blocks == 0 || taken > 0))
    return emitError() << "expected products to be dealt only to blocks in "
                          "turn, without turns that are taken, but got "
                       << blocks << " blocks and taken = " << taken;
  bool isLane = unit == UnitKind::Lane;
  bool areEven = tileN % 2 == 0 && tileK % 2 == 0 &&
                 (isLane || (atom.getN() % 2 == 0 && atom.getK() % 2 == 0));
  if (interleavesParts && (unit == UnitKind::WarpGroup || !areEven ||
                           atom.isOpaque() || !interleave.empty()))
    return emitError() << "expected interleaved parts of complex numbers only "
                          "for warps or lanes whose tiles, and those of a "
                          "warp's atom, have even numbers of columns and "
                          "terms, and are not interleaved";
  unsigned operandBits = atom.getAType().getIntOrFloatBitWidth();
  if (stationary &&
      (!bulk || !prefetches || relaysC || readsEitherOrder(operandBits / 8)))
    return emitError() << "expected a stationary operand only of tf32 that is "
                          "copied in bulk, where what comes next is prefetched "
                          "and C is not relayed";
  return verifySlicing(emitError, partition, transport,
                       {sliceK, sharedA, sharedB});
}

//===----------------------------------------------------------------------===//
// SharedMatrixAttr
//===----------------------------------------------------------------------===//

LogicalResult SharedMatrixAttr::verify(
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError, int64_t rows,
    int64_t columns, mlir::Type elementType, Role role, MajorKind major,
    int64_t swizzle) {
  if (role == Role::C)
    return emitError() << "expected a matrix of role a or b, but got c";
  if (swizzle != 16 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return emitError()
           << "expected a swizzle of 16, 32, 64 or 128 bytes, but got "
           << swizzle;
  unsigned bits =
      elementType.isIntOrFloat() ? elementType.getIntOrFloatBitWidth() : 0;
  bool isKMajor = major == MajorKind::KMajor;
  if (bits != 16 && bits != 32 && !(isKMajor && bits == 8))
    return emitError() << "expected elements of "
                       << (isKMajor ? "8, 16 or 32" : "16 or 32") << " bits in "
                       << stringifyMajorKind(major) << ", but got "
                       << elementType;
  int64_t k = role == Role::A ? columns : rows;
  int64_t outer = role == Role::A ? rows : columns;
  struct {
    llvm::StringRef name;
    int64_t extent, multiple;
  } extents[] = {{"k", k, groupInstructionBytesK * 8 / bits},
                 {role == Role::A ? "m" : "n", outer, groupColumnGranule}};
  int64_t row = swizzle * 8 / bits;
  int64_t &multiple = extents[isKMajor ? 0 : 1].multiple;
  multiple = std::max(multiple, row);
  for (const auto &[name, extent, multiple] : extents)
    if (extent < 1 || extent > maxTileExtent || extent % multiple != 0)
      return emitError() << "expected " << name
                         << " to be a positive multiple of " << multiple
                         << ", but got " << extent;
  return success();
}

::kami::SharedMatrix SharedMatrixAttr::getMatrix() const {
  bool isA = getRole() == Role::A;
  return {isA ? getRows() : getColumns(), isA ? getColumns() : getRows(),
          getElementType().getIntOrFloatBitWidth() / 8,
          getMajor() == MajorKind::KMajor ? Major::K : Major::MN, getSwizzle()};
}
