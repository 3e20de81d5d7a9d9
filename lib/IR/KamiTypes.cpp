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

/// Whatever there is of `, interleave = [r, c], apart = [r, c]`.
static mlir::ParseResult parseOrder(mlir::AsmParser &parser,
                                    llvm::SmallVector<int64_t> &interleave,
                                    llvm::SmallVector<int64_t> &apart) {
  while (mlir::succeeded(parser.parseOptionalComma())) {
    bool isInterleave =
        mlir::succeeded(parser.parseOptionalKeyword("interleave"));
    if (!isInterleave && parser.parseKeyword("apart"))
      return mlir::failure();
    llvm::SmallVector<int64_t> &numbers = isInterleave ? interleave : apart;
    if (!numbers.empty())
      return parser.emitError(parser.getCurrentLocation(), "expected ")
             << (isInterleave ? "`interleave`" : "`apart`") << " once";
    if (parser.parseEqual() || parser.parseLSquare() ||
        parser.parseCommaSeparatedList(
            [&] { return parser.parseInteger(numbers.emplace_back()); }) ||
        parser.parseRSquare())
      return mlir::failure();
  }
  return mlir::success();
}

static void printOrder(mlir::AsmPrinter &printer,
                       llvm::ArrayRef<int64_t> interleave,
                       llvm::ArrayRef<int64_t> apart) {
  auto print = [&](llvm::StringRef name, llvm::ArrayRef<int64_t> numbers) {
    if (!numbers.empty())
      printer << ", " << name << " = [" << numbers << "]";
  };
  print("interleave", interleave);
  print("apart", apart);
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

/// The order of tiles along one of the fragment's dimensions in one piece.
static TileOrder orderOfPiece(FragmentType fragment, unsigned dim) {
  MmaAtomAttr atom = fragment.getAtom();
  Role role = fragment.getRole();
  if (fragment.getInterleave().empty())
    return TileOrder(dim == 0 ? atom.getRows(role) : atom.getColumns(role));
  OperandMaps maps = atom.getOperandMaps();
  int64_t group = fragment.getInterleave()[dim];
  if (role == (dim == 0 ? Role::B : Role::A))
    return TileOrder::alongK(maps, group);
  return dim == 0 ? TileOrder::alongM(maps, group)
                  : TileOrder::alongN(maps, group);
}

TileOrder FragmentType::getRowOrder() const {
  TileOrder order = orderOfPiece(*this, 0);
  return getApart().empty() ? order
                            : order.withHalves(getTileRows(), getApart()[0]);
}

TileOrder FragmentType::getColumnOrder() const {
  TileOrder order = orderOfPiece(*this, 1);
  return getApart().empty() ? order
                            : order.withHalves(getTileColumns(), getApart()[1]);
}

std::array<int64_t, 2> FragmentType::getSpan() const {
  std::array<int64_t, 2> span = {getRows(), getColumns()};
  for (auto [dim, apart] : llvm::enumerate(getApart()))
    if (apart)
      span[dim] = apart + span[dim] / 2;
  return span;
}

FragmentType FragmentType::withHalves(std::array<int64_t, 2> apart) const {
  // A half that begins where the other ends is beside it.
  llvm::SmallVector<int64_t, 2> distances = {
      2 * apart[0] == getRows() ? 0 : apart[0],
      2 * apart[1] == getColumns() ? 0 : apart[1]};
  if (distances[0] == 0 && distances[1] == 0)
    distances.clear();
  return get(getContext(), getRows(), getColumns(), getElementType(), getRole(),
             getAtom(), getInterleave(), distances);
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
             getAtom(), getInterleave(), getApart());
}

/// Whether what is so far apart is two halves of an extent of whole groups of
/// tiles.
static mlir::LogicalResult
verifyHalves(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
             std::array<int64_t, 2> extents, std::array<int64_t, 2> tile,
             MmaAtomAttr atom, llvm::ArrayRef<int64_t> interleave,
             llvm::ArrayRef<int64_t> apart) {
  if (apart.empty())
    return mlir::success();
  if (apart.size() != 2)
    return emitError() << "expected two distances of halves, but got "
                       << apart.size();
  if (atom.isOpaque())
    return emitError() << "expected no halves of an opaque atom's tiles, but "
                          "got "
                       << atom;
  for (unsigned dim : {0, 1}) {
    int64_t group =
        interleave.size() == 2 && interleave[dim] > 0 ? interleave[dim] : 1;
    bool areHalves = extents[dim] % (2 * tile[dim] * group) == 0 &&
                     2 * apart[dim] >= extents[dim];
    if (apart[dim] != 0 && !areHalves)
      return emitError() << "expected two halves of whole groups of tiles, "
                            "one behind the other, but got "
                         << extents[dim] << " elements and a distance of "
                         << apart[dim];
  }
  return mlir::success();
}

mlir::LogicalResult FragmentType::verify(
    llvm::function_ref<mlir::InFlightDiagnostic()> emitError, int64_t rows,
    int64_t columns, mlir::Type elementType, Role role, MmaAtomAttr atom,
    llvm::ArrayRef<int64_t> interleave, llvm::ArrayRef<int64_t> apart) {
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
  int64_t most = mostFragmentElements(elementType);
  if (columns > most / rows)
    return emitError() << "expected at most " << most << " elements, but got "
                       << rows << "x" << columns;
  if (mlir::failed(verifyHalves(emitError, {rows, columns},
                                {tileRows, tileColumns}, atom, interleave,
                                apart)))
    return mlir::failure();
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
