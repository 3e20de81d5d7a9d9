//===- KamiTypes.cpp - Types of the dialect ------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/IR/KamiTypes.h"
#include "TileGroups.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace kami;

/// `64x16xf16`
static mlir::ParseResult parseShape(mlir::AsmParser &parser, int64_t &rows,
                                    int64_t &columns, mlir::Type &elementType) {
  llvm::SMLoc location = parser.getCurrentLocation();
  llvm::SmallVector<int64_t> extents;
  if (parser.parseDimensionList(extents, /*allowDynamic=*/false))
    return mlir::failure();
  if (extents.size() != 2)
    return parser.emitError(location, "expected rows x columns, but got ")
           << extents.size() << " extents";
  rows = extents[0];
  columns = extents[1];
  return parser.parseType(elementType);
}

static void printShape(mlir::AsmPrinter &printer, int64_t rows, int64_t columns,
                       mlir::Type elementType) {
  printer << rows << 'x' << columns << 'x' << elementType;
}

static mlir::ParseResult parseMatrix(mlir::AsmParser &parser,
                                     llvm::SmallVector<int64_t> &shape,
                                     mlir::Type &elementType) {
  shape.resize(2);
  return parseShape(parser, shape[0], shape[1], elementType);
}

static void printMatrix(mlir::AsmPrinter &printer,
                        llvm::ArrayRef<int64_t> shape, mlir::Type elementType) {
  printShape(printer, shape[0], shape[1], elementType);
}

#define GET_TYPEDEF_CLASSES
#include "kami/IR/KamiTypes.cpp.inc"

void KamiDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "kami/IR/KamiTypes.cpp.inc"
      >();
}

/// In registers and in memory integers have no sign.
static mlir::Type withoutSign(mlir::Type element) {
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(element))
    return mlir::IntegerType::get(element.getContext(), integer.getWidth());
  return element;
}

mlir::Type FragmentType::getStorageType() const {
  return withoutSign(getElementType());
}

TileOrder FragmentType::getRowOrder() const {
  if (isPlain())
    return TileOrder(getAtom().getRows(getRole()));
  OperandMaps maps = getAtom().getOperandMaps();
  int64_t group = getInterleave()[0];
  return getRole() == Role::B ? TileOrder::alongK(maps, group)
                              : TileOrder::alongM(maps, group);
}

TileOrder FragmentType::getColumnOrder() const {
  if (isPlain())
    return TileOrder(getAtom().getColumns(getRole()));
  OperandMaps maps = getAtom().getOperandMaps();
  int64_t group = getInterleave()[1];
  return getRole() == Role::A ? TileOrder::alongK(maps, group)
                              : TileOrder::alongN(maps, group);
}

std::array<int64_t, 2> FragmentType::getPlace(int64_t tile, unsigned lane,
                                              unsigned value) const {
  Coordinate at = getMap().at(lane, value);
  return {getRowOrder().position(tile / getTileColumns(), at.row),
          getColumnOrder().position(tile % getTileColumns(), at.column)};
}

llvm::SmallVector<Coordinate> FragmentType::getLaneSteps() const {
  llvm::SmallVector<Coordinate> steps;
  for (unsigned lane = 1; lane != getMap().lanes(); lane *= 2) {
    auto [row, column] = getPlace(/*tile=*/0, lane, /*value=*/0);
    steps.push_back({unsigned(row), unsigned(column)});
  }
  return steps;
}

FragmentType FragmentType::withElements(mlir::Type elementType) const {
  return get(getContext(), getRows(), getColumns(), elementType, getRole(),
             getAtom(), getInterleave());
}

mlir::LogicalResult
FragmentType::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                     int64_t rows, int64_t columns, mlir::Type elementType,
                     Role role, MmaAtomAttr atom,
                     llvm::ArrayRef<int64_t> interleave) {
  if (!elementType.isIntOrFloat() || elementType.getIntOrFloatBitWidth() > 64)
    return emitError() << "expected an integer or float of at most 64 bits as "
                          "element type, but got "
                       << elementType;
  if (atom.getLanes() == 1)
    return emitError() << "expected an atom of a warp, but got " << atom;
  int64_t tileRows = atom.getRows(role), tileColumns = atom.getColumns(role);
  if (rows < 1 || rows % tileRows != 0 || columns < 1 ||
      columns % tileColumns != 0)
    return emitError() << "expected a positive multiple of " << tileRows << "x"
                       << tileColumns << ", but got " << rows << "x" << columns;
  if (interleave.empty())
    return mlir::success();
  if (interleave.size() != 2)
    return emitError() << "expected two counts of interleaved tiles, but got "
                       << interleave.size();
  if (atom.isOpaque())
    return emitError() << "expected no interleaved tiles of an opaque atom, "
                          "but got "
                       << atom;
  bool alongK = role != Role::C && interleave[role == Role::A ? 1 : 0] > 0;
  return verifyTileGroups(emitError, atom, interleave,
                          {rows / tileRows, columns / tileColumns}, alongK);
}

//===----------------------------------------------------------------------===//
// DistributedType
//===----------------------------------------------------------------------===//

static std::array<int64_t, 2> tileShape(PlanAttr plan, Role role) {
  return {role == Role::B ? plan.getTileK() : plan.getTileM(),
          role == Role::A ? plan.getTileK() : plan.getTileN()};
}

DistributedType DistributedType::get(Role role, PlanAttr plan) {
  return get(plan.getContext(), tileShape(plan, role),
             withoutSign(plan.getAtom().getElementType(role)), role, plan);
}

mlir::ShapedType
DistributedType::cloneWith(std::optional<llvm::ArrayRef<int64_t>> shape,
                           mlir::Type elementType) const {
  return get(getContext(), shape.value_or(getShape()), elementType, getRole(),
             getPlan());
}

mlir::LogicalResult DistributedType::verify(
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
    llvm::ArrayRef<int64_t> shape, mlir::Type elementType, Role role,
    PlanAttr plan) {
  mlir::Type expected = withoutSign(plan.getAtom().getElementType(role));
  if (elementType != expected)
    return emitError() << "expected element type " << expected
                       << ", the atom's for role " << stringifyRole(role)
                       << ", but got " << elementType;
  if (plan.getTeams() != 1)
    return emitError() << "expected a plan of one team, but got "
                       << plan.getTeams();
  // Sums are in registers, whatever their terms come through.
  if (plan.getTransport() == TransportKind::Copied && role != Role::C)
    return emitError() << "expected a plan whose warps hold operands, but they "
                          "are copied";
  std::array<int64_t, 2> tile = tileShape(plan, role);
  if (shape != llvm::ArrayRef(tile))
    return emitError() << "expected extents " << tile[0] << "x" << tile[1]
                       << ", the plan's tile's for role " << stringifyRole(role)
                       << ", but got " << shape[0] << "x" << shape[1];
  return mlir::success();
}
