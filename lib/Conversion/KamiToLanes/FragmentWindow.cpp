//===- FragmentWindow.cpp -------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Conversion/KamiToLanes/FragmentWindow.h"
#include "kami/IR/Views.h"
#include "kami/Layout/CopiedTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <map>

using namespace kami;
using namespace kami::lanes;
using namespace mlir;

/// The widest access of a lane, in bytes.
static constexpr int64_t maxWordBytes = 16;

/// The last lane's first element, seen from the first one's.
static MatrixPlace lastOfLanes(FragmentType fragment) {
  MatrixPlace last = {0, 0};
  for (Coordinate step : fragment.getLaneSteps()) {
    last[0] += step.row;
    last[1] += step.column;
  }
  return last;
}

FragmentWindow::FragmentWindow(ImplicitLocOpBuilder &b, FragmentType fragment,
                               Value matrix, Value row, Value column,
                               bool rowInBounds, bool columnInBounds,
                               const WindowAlignment &alignment, Value skewedAs,
                               std::optional<InterleavedParts> parts)
    : fragment(fragment), matrix(matrix), corner{row, column},
      strides(2, ShapedType::kDynamic), alignment(alignment),
      skewedAs(skewedAs), parts(parts) {
  SmallVector<int64_t> known;
  int64_t offset;
  if (succeeded(cast<MemRefType>(matrix.getType())
                    .getStridesAndOffset(known, offset)))
    strides.assign(known.begin(), known.end());
  for (unsigned dim : {0, 1})
    if (strides[dim] == 1)
      along = dim;
  LaneOrigin lane = laneOrigin(b, fragment);
  origins[0] = addIndex(b, row, lane.row);
  origins[1] = addIndex(b, column, lane.column);
  if (parts)
    findParts(b, lane);
  for (auto [dim, inBounds] :
       {std::pair(0, rowInBounds), std::pair(1, columnInBounds)})
    if (!inBounds) {
      extents[dim] =
          b.createOrFold<memref::DimOp>(matrix, indexConstant(b, dim));
      largest[dim] = largestOrigin(dim);
    }
  for (unsigned dim : {0, 1})
    repeats[dim] = strides[dim] == 0 && !extents[dim] && !parts;
  width = widestWord();
  lines = matrix;
  if (along == 0)
    lines = transposedView(b, b.getLoc(), matrix);
}

MatrixPlace FragmentWindow::place(int64_t tile, unsigned value) const {
  auto [row, column] = fragment.getPlace(tile, /*lane=*/0, value);
  if (parts)
    return inParts({row, column});
  return {repeats[0] ? 0 : row, repeats[1] ? 0 : column};
}

//===----------------------------------------------------------------------===//
// Parts of complex numbers
//===----------------------------------------------------------------------===//

// What is multiplied has two rows or columns for each of the matrix, across its
// adjacent elements. Of B, the first of them has a number's parts as they are,
// the second one each in the other's place. Of A, which is multiplied by B's,
// the first has real parts and the second imaginary ones. A fragment begins at
// an even row and column, and whether an element is in an odd one is either
// known of its lane or of its value.

/// Where the matrix has what is multiplied at that row and column.
MatrixPlace FragmentWindow::inParts(MatrixPlace place) const {
  int64_t line = place[1 - along] / 2, isSecond = place[1 - along] % 2;
  place[1 - along] = line;
  if (fragment.getRole() == Role::A)
    place[along] = 2 * place[along] + isSecond;
  else
    place[along] ^= isSecond;
  return place;
}

/// The same of the lane's and the fragment's first row and column.
void FragmentWindow::findParts(ImplicitLocOpBuilder &b,
                               const LaneOrigin &lane) {
  assert(along >= 0 && "parts are adjacent");
  Value one = indexConstant(b, 1);
  Value ofLane[] = {lane.row, lane.column};
  MatrixPlace last = lastOfLanes(fragment);
  for (unsigned dim : {0, 1})
    parities[dim] = last[dim] % 2 == 0
                        ? indexConstant(b, 0)
                        : b.createOrFold<arith::AndIOp>(ofLane[dim], one);
  auto half = [&](Value &number) {
    number = b.createOrFold<arith::ShRUIOp>(number, one);
  };
  half(corner[1 - along]);
  half(origins[1 - along]);
  Value isSecond = parities[1 - along];
  if (fragment.getRole() == Role::B) {
    origins[along] = b.createOrFold<arith::XOrIOp>(origins[along], isSecond);
    return;
  }
  for (Value *number : {&corner[along], &origins[along]})
    *number = b.createOrFold<arith::ShLIOp>(*number, one);
  origins[along] = addIndex(b, origins[along], isSecond);
}

/// Where the last lane's first element is, seen from the first one's.
int64_t FragmentWindow::largestOfLanes(unsigned dim) const {
  MatrixPlace last = lastOfLanes(fragment);
  if (!parts)
    return last[dim];
  bool isAcross = dim != unsigned(along), haveBoth = last[1 - along] % 2 != 0;
  return isAcross                        ? last[dim] / 2
         : fragment.getRole() == Role::A ? 2 * last[dim] + haveBoth
                                         : last[dim] | int64_t(haveBoth);
}

/// Of [[r, s], [-s, r]], with conjugates of B's numbers [[r, -s], [s, r]] and
/// of A's [[r, s], [s, -r]].
Value FragmentWindow::valueOf(ImplicitLocOpBuilder &b, Value element,
                              int64_t tile, unsigned value) const {
  if (!parts || fragment.getRole() == Role::A)
    return element;
  auto [conjugatesA, conjugatesB] = *parts;
  bool inRow = conjugatesA == conjugatesB, inColumn = conjugatesB,
       inBoth = (inRow != inColumn) != conjugatesA;
  auto [row, column] = fragment.getPlace(tile, /*lane=*/0, value);
  auto parity = [&](unsigned dim, int64_t place) {
    return b.createOrFold<arith::XOrIOp>(parities[dim],
                                         indexConstant(b, place % 2));
  };
  Value ofRow = parity(0, row), ofColumn = parity(1, column);
  Value isNegative = indexConstant(b, 0);
  for (auto [counts, condition] :
       {std::pair(inRow, ofRow), std::pair(inColumn, ofColumn),
        std::pair(inBoth, b.createOrFold<arith::AndIOp>(ofRow, ofColumn))})
    if (counts)
      isNegative = b.createOrFold<arith::XOrIOp>(isNegative, condition);
  if (std::optional<int64_t> known = getConstantIntValue(isNegative))
    return *known ? arith::NegFOp::create(b, element).getResult() : element;
  unsigned bits = element.getType().getIntOrFloatBitWidth();
  Type integer = b.getIntegerType(bits);
  Value sign = arith::ShLIOp::create(
      b, arith::IndexCastUIOp::create(b, integer, isNegative),
      arith::ConstantIntOp::create(b, integer, bits - 1));
  Value pattern = arith::BitcastOp::create(b, integer, element);
  return arith::BitcastOp::create(b, element.getType(),
                                  arith::XOrIOp::create(b, pattern, sign));
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

std::array<Value, 2> FragmentWindow::indices(ImplicitLocOpBuilder &b,
                                             MatrixPlace place) const {
  std::array<Value, 2> result;
  for (unsigned dim : {0, 1}) {
    result[dim] = indexConstant(b, place[dim]);
    if (!repeats[dim])
      result[dim] = addIndex(b, origins[dim], result[dim]);
  }
  return result;
}

std::optional<int64_t> FragmentWindow::largestOrigin(unsigned dim) const {
  std::optional<int64_t> largest = largestOf(corner[dim]);
  if (largest)
    *largest += largestOfLanes(dim);
  return largest;
}

bool FragmentWindow::mayBeOutside(unsigned dim, MatrixPlace place) const {
  if (!extents[dim])
    return false;
  std::optional<int64_t> extent = getConstantIntValue(extents[dim]);
  return !extent || !largest[dim] || *largest[dim] + place[dim] >= *extent;
}

Value FragmentWindow::isInBounds(ImplicitLocOpBuilder &b, unsigned dim,
                                 MatrixPlace place) const {
  if (!mayBeOutside(dim, place))
    return {};
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                               indices(b, place)[dim], extents[dim]);
}

Value FragmentWindow::isInBounds(ImplicitLocOpBuilder &b,
                                 MatrixPlace place) const {
  Value row = isInBounds(b, 0, place), column = isInBounds(b, 1, place);
  if (row && column)
    return arith::AndIOp::create(b, row, column);
  return row ? row : column;
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

MemRefType FragmentWindow::matrixType() const {
  return cast<MemRefType>(matrix.getType());
}

Type FragmentWindow::elementType() const {
  return matrixType().getElementType();
}

int64_t FragmentWindow::elementBytes() const {
  return elementType().getIntOrFloatBitWidth() / 8;
}

MatrixPlace FragmentWindow::wordOf(MatrixPlace place) const {
  if (width > 1)
    place[along] -= place[along] % width;
  return place;
}

int64_t FragmentWindow::positionInWord(MatrixPlace place) const {
  return width > 1 ? place[along] % width : 0;
}

/// Whether so many elements of a lane are adjacent wherever it has any, and
/// begin at a multiple of their number from the fragment's corner on.
bool FragmentWindow::formWords(int64_t elements) const {
  const FragmentMap &map = fragment.getMap();
  for (Coordinate step : fragment.getLaneSteps()) {
    MatrixPlace place = {step.row, step.column};
    if ((parts ? inParts(place) : place)[along] % elements != 0)
      return false;
  }
  std::map<MatrixPlace, int64_t> places;
  for (int64_t tile = 0; tile != fragment.getNumTiles(); ++tile)
    for (unsigned value = 0; value != map.valuesPerLane(); ++value)
      places[place(tile, value)] = 1;
  std::map<MatrixPlace, int64_t> words;
  for (auto [at, one] : places) {
    MatrixPlace first = at;
    first[along] -= first[along] % elements;
    words[first] += one;
  }
  return llvm::all_of(words,
                      [&](auto &word) { return word.second == elements; });
}

int64_t FragmentWindow::widestWord() const {
  Type element = cast<MemRefType>(matrix.getType()).getElementType();
  if (along < 0 || skewedAs || !element.isIntOrFloat())
    return 1;
  for (int64_t elements = maxWordBytes / elementBytes(); elements > 1;
       elements /= 2)
    if (mayAlign(elements * elementBytes()) && formWords(elements))
      return elements;
  return 1;
}

Value FragmentWindow::areWordsRight(ImplicitLocOpBuilder &b) const {
  return isRight(b, width * elementBytes());
}

bool FragmentWindow::areWordsWithinExtent() const {
  return along < 0 || !extents[along] || alignment.extents[along] % width == 0;
}

bool FragmentWindow::areWordsAlwaysWhole() const {
  return isAligned(width * elementBytes()) && areWordsWithinExtent();
}

Value FragmentWindow::areWordsWhole(ImplicitLocOpBuilder &b) const {
  Value all = testAlignment(b, width * elementBytes());
  if (areWordsWithinExtent())
    return all;
  Value rest = b.createOrFold<arith::AndIOp>(extents[along],
                                             indexConstant(b, width - 1));
  Value isWhole = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, rest,
                                                indexConstant(b, 0));
  return all ? b.createOrFold<arith::AndIOp>(all, isWhole) : isWhole;
}

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

std::optional<unsigned> FragmentWindow::adjacentDimension() const {
  if (along < 0)
    return std::nullopt;
  return along;
}

bool FragmentWindow::mayAlign(int64_t bytes) const {
  if (along < 0)
    return false;
  int64_t stride = strides[1 - along];
  return ShapedType::isDynamic(stride) || stride * elementBytes() % bytes == 0;
}

bool FragmentWindow::repeatsElements() const {
  return strides[0] == 0 || strides[1] == 0;
}

bool FragmentWindow::isAligned(int64_t bytes) const {
  int64_t scale = elementBytes();
  return bytes <= scale || (alignment.matrix >= bytes &&
                            alignment.corner[along] * scale >= bytes &&
                            !ShapedType::isDynamic(strides[1 - along]));
}

/// The addresses, positions and strides that are not known to be aligned are
/// tested at once: together they have to have no low bit.
Value FragmentWindow::testAlignment(ImplicitLocOpBuilder &b,
                                    int64_t bytes) const {
  if (isAligned(bytes))
    return {};
  int64_t scale = elementBytes();
  SmallVector<Value> unknown;
  auto times = [&](Value value) {
    return b.createOrFold<arith::MulIOp>(value, indexConstant(b, scale));
  };
  if (alignment.matrix < bytes)
    unknown.push_back(addressOf(b, matrix));
  if (alignment.corner[along] * scale < bytes)
    unknown.push_back(times(corner[along]));
  if (ShapedType::isDynamic(strides[1 - along]))
    unknown.push_back(times(memref::ExtractStridedMetadataOp::create(b, matrix)
                                .getStrides()[1 - along]));
  Value all = unknown.front();
  for (Value value : ArrayRef(unknown).drop_front())
    all = b.createOrFold<arith::OrIOp>(all, value);
  Value low = b.createOrFold<arith::AndIOp>(all, indexConstant(b, bytes - 1));
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, low,
                                       indexConstant(b, 0));
}

Value FragmentWindow::isRight(ImplicitLocOpBuilder &b, int64_t bytes) const {
  Value all = testAlignment(b, bytes);
  std::array<int64_t, 2> sizes = fragment.getSpan();
  if (parts) {
    sizes[1 - along] /= 2;
    sizes[along] *= fragment.getRole() == Role::A ? 2 : 1;
  }
  for (unsigned dim : {0, 1}) {
    if (!extents[dim])
      continue;
    Value isInside = b.createOrFold<arith::CmpIOp>(
        arith::CmpIPredicate::sle,
        addIndex(b, corner[dim], indexConstant(b, sizes[dim])), extents[dim]);
    all = all ? b.createOrFold<arith::AndIOp>(all, isInside) : isInside;
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Elements by which a line is skewed. Lines that are a multiple of a piece's
/// elements apart are skewed alike, so that a lane computes it once for its
/// own.
Value FragmentWindow::skewOf(ImplicitLocOpBuilder &b, Value line) const {
  Value piece = indexConstant(b, copiedPiece / elementBytes());
  Value bytes = indexConstant(b, elementBytes());
  auto rest = [&](Value value) {
    return b.createOrFold<arith::RemUIOp>(value, piece);
  };
  Value pitch = memref::ExtractStridedMetadataOp::create(b, skewedAs)
                    .getStrides()[1 - along];
  Value first = b.createOrFold<arith::DivUIOp>(addressOf(b, skewedAs), bytes);
  Value behind = b.createOrFold<arith::MulIOp>(rest(line), pitch);
  return rest(addIndex(b, first, behind));
}

Value FragmentWindow::load(ImplicitLocOpBuilder &b, MatrixPlace place) const {
  std::array<Value, 2> at = indices(b, place);
  if (skewedAs)
    at[along] = addIndex(b, at[along], skewOf(b, at[1 - along]));
  return memref::LoadOp::create(b, matrix, at);
}

void FragmentWindow::store(ImplicitLocOpBuilder &b, Value element,
                           MatrixPlace place) const {
  memref::StoreOp::create(b, element, matrix, indices(b, place));
}

SmallVector<Value, 2> FragmentWindow::lineIndices(ImplicitLocOpBuilder &b,
                                                  const LaneOrigin &origin,
                                                  MatrixPlace place) const {
  Value at[] = {origin.row, origin.column};
  for (unsigned dim : {0, 1})
    at[dim] = addIndex(b, addIndex(b, corner[dim], at[dim]),
                       indexConstant(b, place[dim]));
  return {at[1 - along], at[along]};
}

SmallVector<Value, 2> FragmentWindow::wordIndices(ImplicitLocOpBuilder &b,
                                                  MatrixPlace place) const {
  std::array<Value, 2> at = indices(b, place);
  return {at[1 - along], at[along]};
}

Value FragmentWindow::loadWord(ImplicitLocOpBuilder &b,
                               MatrixPlace place) const {
  auto type = VectorType::get(
      {width}, cast<MemRefType>(matrix.getType()).getElementType());
  return vector::LoadOp::create(b, type, lines, wordIndices(b, place),
                                /*nontemporal=*/false,
                                llvm::MaybeAlign(width * elementBytes()));
}

void FragmentWindow::storeWord(ImplicitLocOpBuilder &b, Value word,
                               MatrixPlace place) const {
  vector::StoreOp::create(b, word, lines, wordIndices(b, place),
                          /*nontemporal=*/false,
                          llvm::MaybeAlign(width * elementBytes()));
}
