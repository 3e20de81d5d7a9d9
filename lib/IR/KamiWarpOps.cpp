//===- KamiWarpOps.cpp - What every warp does ----------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementRegion.h"
#include "GroupAssembly.h"
#include "MatrixOperands.h"
#include "kami/IR/KamiOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"

using namespace kami;
using namespace mlir;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// Effects of an op that all warps execute together: nothing may move across
/// it, whatever memory it touches.
static void addBarrierEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

static LogicalResult verifyGrid(Operation *op, ArrayRef<int64_t> grid) {
  if (grid.size() != 3)
    return op->emitOpError("expected a grid of three extents, but got ")
           << grid.size();
  for (int64_t extent : grid)
    if (extent < 1)
      return op->emitOpError(
                 "expected the grid's extents to be positive, but got ")
             << extent;
  return success();
}

LogicalResult kami::verifyAtomElement(Operation *op, FragmentType fragment) {
  if (fragment.hasAtomElementType())
    return success();
  return op->emitOpError("expected elements of type ")
         << fragment.getAtom().getElementType(fragment.getRole())
         << ", the atom's for role " << stringifyRole(fragment.getRole())
         << ", but got " << fragment.getElementType();
}

/// The buffer lies in workgroup memory and has room for so many bytes.
static LogicalResult verifyWorkgroupBytes(Operation *op, Value buffer,
                                          int64_t needed) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
    return op->emitOpError("expected a buffer in workgroup memory, but got ")
           << type;
  if (type.hasStaticShape() && type.getDimSize(0) < needed)
    return op->emitOpError("expected a buffer of at least ")
           << needed << " bytes, but got " << type.getDimSize(0);
  return success();
}

/// The same for `count` fragments of the atom's elements.
static LogicalResult verifyBuffer(Operation *op, Value buffer,
                                  FragmentType fragment, int64_t count) {
  if (failed(verifyAtomElement(op, fragment)))
    return failure();
  return verifyWorkgroupBytes(op, buffer, count * fragment.getByteSize());
}

//===----------------------------------------------------------------------===//
// WarpCoordinatesOp, LoadOp, StoreOp, FillOp
//===----------------------------------------------------------------------===//

LogicalResult WarpCoordinatesOp::verify() {
  return verifyGrid(*this, getGrid());
}

void WarpCoordinatesOp::inferResultRanges(ArrayRef<ConstantIntRanges>,
                                          SetIntRangeFn setRange) {
  constexpr unsigned width = IndexType::kInternalStorageBitWidth;
  for (auto [coordinate, extent] : llvm::zip_equal(getResults(), getGrid()))
    setRange(coordinate, ConstantIntRanges::fromUnsigned(
                             APInt(width, 0), APInt(width, extent - 1)));
}

/// Whether some lane's first element is in an odd row (dim 0), or column.
static bool areOddByLanes(FragmentType fragment, unsigned dim) {
  return llvm::any_of(fragment.getLaneSteps(), [&](Coordinate step) {
    return (dim == 0 ? step.row : step.column) % 2 != 0;
  });
}

/// (C3)
static LogicalResult verifyParts(LoadOp op, Type element, Type type) {
  bool conjugates = op.getConjugateA() || op.getConjugateB();
  if (!op.getInterleavedParts())
    return conjugates ? op.emitOpError("expected interleaved parts of what is "
                                       "conjugated")
                      : success();
  FragmentType fragment = op.getResult().getType();
  MmaAtomAttr atom = fragment.getAtom();
  Role role = fragment.getRole();
  bool isRight =
      role != Role::C && element == type && (type.isF32() || type.isF64()) &&
      !atom.isOpaque() && atom.getRows(role) % 2 == 0 &&
      atom.getColumns(role) % 2 == 0 && fragment.getInterleave().empty() &&
      (role == Role::A
           ? !conjugates
           : areOddByLanes(fragment, 0) == areOddByLanes(fragment, 1));
  if (!isRight)
    return op.emitOpError("expected interleaved parts only of f32 or f64 for a "
                          "fragment of role a or b, of an atom with even "
                          "extents, in tiles that are not interleaved, and "
                          "conjugates of role b, but got ")
           << fragment << " of " << element;
  auto source = cast<MemRefType>(op.getSource().getType());
  if (isAdjacent(source, 0) || (role == Role::B && isAdjacent(source, 1)))
    return success();
  return op.emitOpError("expected parts that are adjacent")
         << (role == Role::A ? " along columns" : "") << ", but got " << source;
}

LogicalResult LoadOp::verify() {
  Type element = cast<MemRefType>(getSource().getType()).getElementType();
  Type type = getResult().getType().getStorageType();
  if (!isLoadable(element, type))
    return emitOpError("expected a matrix of ")
           << type << (isa<FloatType>(type) ? " or of floats that it has" : "")
           << ", but got " << element;
  if (failed(verifyParts(*this, element, type)))
    return failure();
  if (!getSkewedAs())
    return success();
  auto tile = cast<MemRefType>(getSource().getType());
  auto skewed = cast<MemRefType>(getSkewedAs().getType());
  if (skewed.getElementType() != element)
    return emitOpError("expected a matrix of ")
           << element << " that the source is skewed as, but got " << skewed;
  for (unsigned dim : {1, 0})
    if (isAdjacent(tile, dim) && isAdjacent(skewed, dim))
      return success();
  return emitOpError("expected adjacent elements in the same dimension of a "
                     "matrix and of what it is skewed as, but got ")
         << tile << " and " << skewed;
}

void LoadOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
}

LogicalResult StoreOp::verify() {
  FragmentType fragment = getValue().getType();
  if (fragment.getRole() != Role::C)
    return emitOpError("expected a fragment of role c, but got ")
           << stringifyRole(fragment.getRole());
  for (Value scale : {getAlpha(), getBeta()})
    if (scale && scale.getType() != fragment.getElementType())
      return emitOpError("expected a scale of type ")
             << fragment.getElementType() << ", but got " << scale.getType();
  Type element = cast<MemRefType>(getDest().getType()).getElementType();
  if (!isStorable(fragment.getElementType(), element))
    return emitOpError("expected a matrix of ")
           << fragment.getElementType()
           << (isa<FloatType>(fragment.getElementType())
                   ? " or of narrower floats"
                   : "")
           << ", but got " << element;
  if (!getBuffer())
    return success();
  if (getBeta() || !fragment.getInterleave().empty())
    return emitOpError("expected neither beta nor an interleaved fragment with "
                       "a buffer");
  CopiedTile tile = getRelayedTile();
  return verifyWorkgroupBytes(*this, getBuffer(),
                              tile.elements() *
                                  element.getIntOrFloatBitWidth() / 8);
}

CopiedTile StoreOp::getRelayedTile() {
  FragmentType fragment = getValue().getType();
  Type element = getDest().getType().getElementType();
  return relayedTile(fragment.getAtom().getRows(Role::C), fragment.getColumns(),
                     element.getIntOrFloatBitWidth() / 8);
}

void StoreOp::getEffects(Effects &effects) {
  if (getBeta())
    effects.emplace_back(MemoryEffects::Read::get(), &getDestMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
  if (getBuffer()) {
    OpOperand &buffer = getBufferMutable()[0];
    effects.emplace_back(MemoryEffects::Write::get(), &buffer);
    effects.emplace_back(MemoryEffects::Read::get(), &buffer);
  }
}

LogicalResult FillOp::verify() {
  if (getValue().getType() != getResult().getType().getStorageType())
    return emitOpError("expected a value of type ")
           << getResult().getType().getStorageType() << ", but got "
           << getValue().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// MapOp
//===----------------------------------------------------------------------===//

LogicalResult RecastOp::verify() {
  FragmentType value = getValue().getType(), result = getResult().getType();
  if (value.getRole() != Role::C || result.getRole() == Role::C ||
      value.getRows() != result.getRows())
    return emitOpError(
               "expected a fragment of role c and a result of role a or "
               "b with as many rows, but got ")
           << value << " and " << result;
  if (!isStorable(value.getElementType(), result.getStorageType()))
    return emitOpError("expected a result of ")
           << value.getElementType() << " or narrower floats, but got "
           << result.getElementType();
  if (value.getAtom().isOpaque() || result.getAtom().isOpaque())
    return emitOpError("expected fragments whose lanes are known, but got ")
           << value << " and " << result;
  const FragmentMap &from = value.getMap(), &to = result.getMap();
  if (!value.isPlain() || !result.isPlain())
    return emitOpError("expected tiles that are not interleaved, but got ")
           << value << " and " << result;
  if (!staysInLanes(from, to))
    return emitOpError("expected lanes to keep their elements, but ")
           << to.name << " wants others' than " << from.name << " has";
  if (getColumn() % to.columns != 0)
    return emitOpError("expected a column that is a multiple of ")
           << to.columns << ", but got " << getColumn();
  return success();
}

LogicalResult JoinOp::verify() {
  FragmentType result = getResult().getType();
  int64_t columns = 0;
  for (Type type : getFragments().getTypes()) {
    auto fragment = cast<FragmentType>(type);
    if (!fragment.isPlain() || !result.isPlain())
      return emitOpError("expected tiles that are not interleaved, but got ")
             << fragment << " and " << result;
    if (fragment.getRole() != result.getRole() ||
        fragment.getRows() != result.getRows() ||
        fragment.getAtom() != result.getAtom())
      return emitOpError("expected fragments of the result's role, rows and "
                         "atom, but got ")
             << fragment << " and " << result;
    columns += fragment.getColumns();
  }
  if (columns != result.getColumns())
    return emitOpError("expected fragments of ")
           << result.getColumns() << " columns together, but got " << columns;
  return success();
}

LogicalResult MapOp::verify() {
  if (getFragments().empty())
    return emitOpError("expected at least one fragment");
  FragmentType result = getResult().getType();
  SmallVector<Type> elements;
  for (Value value : getFragments()) {
    auto fragment = cast<FragmentType>(value.getType());
    if (fragment.getRows() != result.getRows() ||
        fragment.getColumns() != result.getColumns() ||
        fragment.getRole() != result.getRole() ||
        fragment.getAtom() != result.getAtom() ||
        fragment.getInterleave() != result.getInterleave() ||
        fragment.getApart() != result.getApart())
      return emitOpError("expected fragments of the result's shape, role and "
                         "atom, ")
             << result << ", but got " << fragment;
    elements.push_back(fragment.getStorageType());
  }
  return verifyElementRegion(*this, "region", getBody(), elements,
                             result.getStorageType());
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static ParseResult parseBarrierScope(OpAsmParser &parser,
                                     BarrierScopeKindAttr &scope) {
  FailureOr<BarrierScopeKind> value =
      FieldParser<BarrierScopeKind>::parse(parser);
  if (failed(value))
    return failure();
  scope = BarrierScopeKindAttr::get(parser.getContext(), *value);
  return success();
}

static void printBarrierScope(OpAsmPrinter &printer, Operation *,
                              BarrierScopeKindAttr scope) {
  printer << stringifyBarrierScopeKind(scope.getValue());
}

/// `within` and a scope; nothing is the block.
static ParseResult parseScopeClause(OpAsmParser &parser,
                                    BarrierScopeKindAttr &scope) {
  if (succeeded(parser.parseOptionalKeyword("within")))
    return parseBarrierScope(parser, scope);
  scope =
      BarrierScopeKindAttr::get(parser.getContext(), BarrierScopeKind::Block);
  return success();
}

static void printScopeClause(OpAsmPrinter &printer, Operation *op,
                             BarrierScopeKindAttr scope) {
  if (scope.getValue() == BarrierScopeKind::Block)
    return;
  printer << "within ";
  printBarrierScope(printer, op, scope);
}

LogicalResult BarrierOp::verify() { return verifyGrid(*this, getGrid()); }

void BarrierOp::getEffects(Effects &effects) { addBarrierEffects(effects); }

//===----------------------------------------------------------------------===//
// BroadcastOp
//===----------------------------------------------------------------------===//

/// `%a : !frag along row from 0 via %buffer : memref<...>`, separated by
/// commas.
static ParseResult
parseMessages(OpAsmParser &parser,
              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &fragments,
              SmallVectorImpl<Type> &fragmentTypes, ArrayAttr &groups,
              DenseI64ArrayAttr &owners,
              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &buffers,
              SmallVectorImpl<Type> &bufferTypes,
              SmallVectorImpl<Type> &resultTypes) {
  SmallVector<Attribute> groupList;
  SmallVector<int64_t> ownerList;
  auto parseMessage = [&]() -> ParseResult {
    if (parser.parseOperand(fragments.emplace_back()) ||
        parser.parseColonType(fragmentTypes.emplace_back()) ||
        parser.parseKeyword("along"))
      return failure();
    FailureOr<Group> group = FieldParser<Group>::parse(parser);
    if (failed(group) || parser.parseKeyword("from") ||
        parser.parseInteger(ownerList.emplace_back()) ||
        parser.parseKeyword("via") ||
        parser.parseOperand(buffers.emplace_back()) ||
        parser.parseColonType(bufferTypes.emplace_back()))
      return failure();
    groupList.push_back(GroupAttr::get(parser.getContext(), *group));
    return success();
  };
  if (parser.parseCommaSeparatedList(parseMessage))
    return failure();
  groups = parser.getBuilder().getArrayAttr(groupList);
  owners = parser.getBuilder().getDenseI64ArrayAttr(ownerList);
  resultTypes.assign(fragmentTypes.begin(), fragmentTypes.end());
  return success();
}

static void printMessages(OpAsmPrinter &printer, Operation *,
                          OperandRange fragments, TypeRange fragmentTypes,
                          ArrayAttr groups, DenseI64ArrayAttr owners,
                          OperandRange buffers, TypeRange bufferTypes,
                          TypeRange) {
  for (unsigned i = 0, e = fragments.size(); i != e; ++i) {
    printer.printNewline();
    printer << "      " << fragments[i] << " : " << fragmentTypes[i]
            << " along "
            << stringifyGroup(cast<GroupAttr>(groups[i]).getValue()) << " from "
            << owners[i] << " via " << buffers[i] << " : " << bufferTypes[i];
    if (i + 1 != e)
      printer << ",";
  }
}

LogicalResult BroadcastOp::verify() {
  if (failed(verifyGrid(*this, getGrid())))
    return failure();
  unsigned count = getFragments().size();
  if (count == 0 || getGroups().size() != count ||
      getOwners().size() != count || getBuffers().size() != count ||
      getResults().size() != count)
    return emitOpError(
               "expected one group, owner, buffer and result for each of its ")
           << count << " fragments, and at least one";
  for (unsigned i = 0; i != count; ++i) {
    int64_t owner = getOwners()[i];
    if (owner < 0 || owner >= getGroupSize(i))
      return emitOpError("expected an owner below ")
             << getGroupSize(i) << ", the size of a "
             << stringifyGroup(getGroup(i)) << ", but got " << owner;
    if (getResults()[i].getType() != getFragments()[i].getType())
      return emitOpError("expected a result of type ")
             << getFragments()[i].getType() << ", but got "
             << getResults()[i].getType();
    if (failed(verifyBuffer(*this, getBuffers()[i],
                            cast<FragmentType>(getFragments()[i].getType()),
                            getGroupCount(i))))
      return failure();
    bool isWithin =
        getScope() != (getGroup(i) == Group::Row ? BarrierScopeKind::Column
                                                 : BarrierScopeKind::Row);
    if (!isWithin)
      return emitOpError("expected barriers that hold up a ")
             << stringifyGroup(getGroup(i)) << ", along which fragment " << i
             << " travels, but got barriers within a "
             << stringifyBarrierScopeKind(getScope());
  }
  return success();
}

void BroadcastOp::getEffects(Effects &effects) { addBarrierEffects(effects); }

namespace {
/// One warp never goes through shared memory: a group of one has its fragment.
struct DropLonelyMessages : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> fragments, buffers, results(op.getFragments());
    SmallVector<Attribute> groups;
    SmallVector<int64_t> owners, kept;
    for (unsigned i = 0, e = op.getFragments().size(); i != e; ++i) {
      if (op.getGroupSize(i) == 1)
        continue;
      fragments.push_back(op.getFragments()[i]);
      buffers.push_back(op.getBuffers()[i]);
      groups.push_back(op.getGroups()[i]);
      owners.push_back(op.getOwners()[i]);
      kept.push_back(i);
    }
    if (kept.size() == op.getFragments().size())
      return failure();
    if (!kept.empty()) {
      auto rest = BroadcastOp::create(
          rewriter, op.getLoc(), TypeRange(ValueRange(fragments)),
          op.getGridAttr(), op.getScopeAttr(), op.getNoTrailingBarrierAttr(),
          fragments, buffers, rewriter.getArrayAttr(groups),
          rewriter.getDenseI64ArrayAttr(owners));
      for (auto [i, result] : llvm::zip_equal(kept, rest.getResults()))
        results[i] = result;
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};
} // namespace

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<DropLonelyMessages>(context);
}

//===----------------------------------------------------------------------===//
// ShareOp, FetchOp
//===----------------------------------------------------------------------===//

LogicalResult ShareOp::verify() {
  return verifyBuffer(*this, getBuffer(), getValue().getType(), 1);
}

void ShareOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getBufferMutable());
}

LogicalResult FetchOp::verify() {
  return verifyBuffer(*this, getBuffer(), getResult().getType(), 1);
}

void FetchOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getBufferMutable());
}

//===----------------------------------------------------------------------===//
// MmaOp
//===----------------------------------------------------------------------===//

std::array<int64_t, 2> MmaOp::getTiles() {
  if (std::optional<ArrayRef<int64_t>> first = getFirst())
    return {(*first)[0], (*first)[1]};
  return {getC().getType().getTileRows(), getC().getType().getTileColumns()};
}

LogicalResult MmaOp::verify() {
  FragmentType a = getA().getType(), b = getB().getType(), c = getC().getType();
  if (a.getRole() != Role::A || b.getRole() != Role::B ||
      c.getRole() != Role::C)
    return emitOpError("expected fragments of roles a, b and c, but got ")
           << stringifyRole(a.getRole()) << ", " << stringifyRole(b.getRole())
           << " and " << stringifyRole(c.getRole());
  if (a.getAtom() != b.getAtom() || a.getAtom() != c.getAtom())
    return emitOpError("expected fragments of one atom");
  if (a.getColumns() != b.getRows())
    return emitOpError("expected B's k extent ")
           << a.getColumns() << ", as A's, but got " << b.getRows();
  if (a.getRows() != c.getRows())
    return emitOpError("expected C's m extent ")
           << a.getRows() << ", as A's, but got " << c.getRows();
  if (b.getColumns() != c.getColumns())
    return emitOpError("expected C's n extent ")
           << b.getColumns() << ", as B's, but got " << c.getColumns();
  auto group = [](FragmentType fragment, unsigned dim) {
    return fragment.getInterleave().empty() ? 0 : fragment.getInterleave()[dim];
  };
  auto apart = [](FragmentType fragment, unsigned dim) {
    return fragment.getApart().empty() ? 0 : fragment.getApart()[dim];
  };
  if (group(a, 1) != group(b, 0) || group(a, 0) != group(c, 0) ||
      group(b, 1) != group(c, 1))
    return emitOpError("expected fragments whose tiles are interleaved alike, "
                       "but got ")
           << a << ", " << b << " and " << c;
  if (apart(a, 1) != 0 || apart(b, 0) != 0 || apart(a, 0) != apart(c, 0) ||
      apart(b, 1) != apart(c, 1))
    return emitOpError("expected fragments whose halves are as far apart, and "
                       "not along k, but got ")
           << a << ", " << b << " and " << c;
  for (FragmentType fragment : {a, b, c})
    if (failed(verifyAtomElement(*this, fragment)))
      return failure();
  if (std::optional<ArrayRef<int64_t>> first = getFirst()) {
    MmaAtomAttr atom = c.getAtom();
    if (atom.isOpaque() || atom.getInstruction() == InstructionKind::Fma)
      return emitOpError("expected a matrix instruction whose lanes are known "
                         "for the first tiles alone, but got ")
             << atom;
    int64_t rows = c.getTileRows(), columns = c.getTileColumns();
    auto isAmong = [](int64_t number, int64_t all) {
      return number >= 1 && number <= all;
    };
    if (first->size() != 2 || !isAmong(first->front(), rows) ||
        !isAmong(first->back(), columns))
      return emitOpError("expected 1 to ")
             << rows << " rows and 1 to " << columns
             << " columns of tiles first, but got [" << *first << "]";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  if (failed(verifyGrid(*this, getGrid())))
    return failure();
  FragmentType fragment = getValue().getType();
  if (fragment.getRole() != Role::C)
    return emitOpError("expected a fragment of role c, but got ")
           << stringifyRole(fragment.getRole());
  return verifyBuffer(*this, getBuffer(), fragment,
                      getGrid()[0] * getGrid()[1]);
}

void ReduceOp::getEffects(Effects &effects) { addBarrierEffects(effects); }

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  return getGrid()[2] == 1 ? getValue() : OpFoldResult();
}

// Here, because the generated assembly of kami.broadcast calls two functions
// above, that of ops on many tiles those of GroupAssembly.h, and that of
// regions those of ElementRegion.h.
#define GET_OP_CLASSES
#include "kami/IR/KamiOps.cpp.inc"
