//===- BlockCopy.cpp - Copies that all threads share ----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thread t copies the pieces t, t + threads, ... of the tile in shared memory,
// counted along its lines of adjacent elements, so that neighbours copy
// neighbours. cp.async takes pieces of 16, 8 or 4 bytes; narrower elements that
// nothing is known of pass through registers; of 16 bits, in pieces of 16 bytes
// (ShiftedPieces.cpp). What leaves is in BlockStore.cpp.
//
// A thread rounds what it copied itself, so that it finds its pieces in the
// same way.
//
//===----------------------------------------------------------------------===//

#include "BlockCopy.h"
#include "NVIDIALanes.h"
#include "kami/IR/Loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;
using namespace kami::lanes;
using namespace kami::nvgpu_lowering;
using namespace mlir;

namespace {

/// Pieces of a thread that are started at a time, in a loop where there are
/// more. With strides known only at run time each has an address in registers
/// of its own, which LLVM keeps over the loop around: of 32, some hundred
/// registers are spilled.
constexpr int64_t piecesAtOnce = 32;
constexpr int64_t addressesAtOnce = 4;
/// Those that pass through registers all wait for memory once. Where rows are
/// known to be as long as they should, only a matrix that begins at an odd
/// address has to take this way: few at a time are little code.
constexpr int64_t elementsAtOnce = 16;
constexpr int64_t rarePiecesAtOnce = 4;
/// Lanes whose pieces of 16 bytes shared memory serves at once.
constexpr int64_t lanesAtOnce = 8;
/// Pieces put together of words that are loaded before the first is stored;
/// fewer where strides are known only at run time, since addresses take
/// registers, too.
constexpr int64_t shiftedAtOnce = 4;
constexpr int64_t shiftedAddresses = 2;

/// Pieces that are loaded before the first of them is rounded: enough to hide
/// shared memory's latency, and few registers.
constexpr int64_t roundedAtOnce = 4;

} // namespace

/// Whether pieces of so many bytes are aligned in all lines of the tile.
bool BlockCopy::isTileAligned(int64_t bytes) const {
  if (order)
    return bytes <= copiedPiece;
  return stride(tile, 1) == 1 && alignment.tile >= bytes &&
         stride(tile, 0) * elementBytes % bytes == 0;
}

/// Whether pieces of so many bytes can be aligned in all lines of both, as far
/// as strides are known, and fill the tile's.
bool BlockCopy::mayCopy(int64_t bytes) const {
  int64_t between = stride(matrix, 0);
  return bytes >= elementBytes && stride(matrix, 1) == 1 &&
         isTileAligned(bytes) && lineElements * elementBytes % bytes == 0 &&
         (ShapedType::isDynamic(between) ||
          between * elementBytes % bytes == 0);
}

int64_t BlockCopy::widestPiece() const {
  for (int64_t bytes : {16, 8, 4})
    if (mayCopy(bytes))
      return bytes;
  return elementBytes;
}

/// Whether a thread's pieces are of 16 bytes even where the matrix begins at
/// another address than its rows' distance asks for: then they arrive in parts,
/// at the same places. Nothing has to be known of these twice, and few will
/// copy so.
bool BlockCopy::hasWidePieces() const {
  return ShapedType::isStatic(stride(matrix, 0)) && mayCopy(copiedPiece);
}

Value BlockCopy::isCopyable(int64_t bytes) {
  if (alignedRows || areAligned)
    return areAligned;
  Value all;
  auto add = [&](Value value) {
    all = all ? b.createOrFold<arith::OrIOp>(all, value) : value;
  };
  if (bytes > elementBytes && alignment.matrix < bytes)
    add(addressOf(b, matrix));
  if (bytes > elementBytes && ShapedType::isDynamic(stride(matrix, 0)))
    add(b.createOrFold<arith::MulIOp>(
        memref::ExtractStridedMetadataOp::create(b, matrix).getStrides()[0],
        indexConstant(b, elementBytes)));
  if (!all)
    return {};
  Value low = b.createOrFold<arith::AndIOp>(all, indexConstant(b, bytes - 1));
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, low,
                                       indexConstant(b, 0));
}

/// Places for pieces in a line: a power of two of them, some of which stay
/// empty, where threads have no more than a third more to do for it. Then they
/// find the next line by adding, not by dividing.
int64_t BlockCopy::places(int64_t elements) const {
  int64_t pieces = llvm::divideCeil(lineElements, elements);
  int64_t rounded = llvm::PowerOf2Ceil(pieces);
  auto rounds = [&](int64_t perLine) {
    return llvm::divideCeil(lines * perLine, threads);
  };
  bool isWorthIt = lines > 1 && 3 * rounds(rounded) <= 4 * rounds(pieces);
  return isWorthIt ? rounded : pieces;
}

/// Which lines such lanes take, one after the other: of lines of less than
/// eight pieces, those that are so many apart lie in different banks. 1 if they
/// do anyway.
int64_t BlockCopy::lineStep(int64_t perLine) const {
  if (order || lines == 1 ||
      lineElements * elementBytes != perLine * copiedPiece)
    return 1;
  int64_t pitch = stride(tile, 0) * elementBytes;
  if (perLine >= lanesAtOnce || !llvm::isPowerOf2_64(perLine) ||
      pitch % copiedPiece != 0)
    return 1;
  // An odd number of `apart` pieces further, lines begin so many banks apart.
  int64_t pieces = pitch / copiedPiece;
  int64_t apart = pieces & -pieces;
  int64_t step = std::max<int64_t>(perLine / apart, 1);
  int64_t group = lanesAtOnce / perLine * step;
  return lines % group == 0 && threads % (group * perLine) == 0 ? step : 1;
}

/// The line that is dealt out instead of this one.
Value BlockCopy::dealtLine(Value line, int64_t perLine) const {
  int64_t step = lineStep(perLine);
  if (step == 1)
    return line;
  int64_t together = lanesAtOnce / perLine;
  auto constant = [&](int64_t value) { return indexConstant(b, value); };
  Value group = constant(together * step);
  Value number = arith::RemUIOp::create(b, line, group);
  Value first = arith::SubIOp::create(b, line, number);
  Value apart = arith::MulIOp::create(
      b, arith::RemUIOp::create(b, number, constant(together)), constant(step));
  Value round = arith::DivUIOp::create(b, number, constant(together));
  return addIndex(b, first, addIndex(b, apart, round));
}

/// The `first + round`-th piece of this thread; `mayEnd` if there may be fewer.
Piece BlockCopy::piece(Value round, int64_t first, int64_t elements,
                       bool mayEnd) {
  int64_t perLine = places(elements);
  Piece piece;
  auto times = [&](Value value, int64_t factor) {
    return b.createOrFold<arith::MulIOp>(value, indexConstant(b, factor));
  };
  /// What so many pieces, or lines, further is.
  auto after = [&](Value start, int64_t step) {
    Value at = addIndex(b, start, indexConstant(b, first * step));
    return round ? addIndex(b, at, times(round, step)) : at;
  };
  Value index = after(thread, threads);
  if (mayEnd)
    piece.exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index,
                                         indexConstant(b, lines * perLine));
  if (lines == 1) {
    piece.line = indexConstant(b, 0);
    piece.column = times(index, elements);
    return piece;
  }
  // Whole lines at a time: the place in them is always the same.
  bool isAlike = threads % perLine == 0;
  Value width = indexConstant(b, perLine);
  Value number = isAlike ? thread : index;
  Value own = b.createOrFold<arith::DivUIOp>(number, width);
  bool isWide = elements * elementBytes == copiedPiece;
  if (isWide)
    own = dealtLine(own, perLine);
  piece.line = isAlike ? after(own, threads / perLine) : own;
  if (isAlike) {
    int64_t step = threads / perLine;
    piece.further = first * step;
    piece.shared = round ? addIndex(b, own, times(round, step)) : own;
  }
  Value place = b.createOrFold<arith::RemUIOp>(number, width);
  if (int64_t pieces = llvm::divideCeil(lineElements, elements);
      pieces < perLine) {
    Value isPiece = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, place,
                                          indexConstant(b, pieces));
    piece.exists =
        piece.exists
            ? arith::AndIOp::create(b, piece.exists, isPiece).getResult()
            : isPiece;
  }
  piece.column = times(place, elements);
  return piece;
}

/// Calls `emit` with the pieces of a thread, some at a time; no more than
/// `rolledBy` if that is not 0, in a loop that stays one. With `restApart`,
/// a loop has whole turns alone, and those that not all threads have follow.
void BlockCopy::forPieces(int64_t elements, bool throughRegisters,
                          llvm::function_ref<void(ArrayRef<Piece>)> emit,
                          int64_t rolledBy, bool restApart) {
  int64_t perLine = places(elements);
  int64_t total = lines * perLine;
  int64_t rounds = llvm::divideCeil(total, threads);
  auto emitRounds = [&](Value round, int64_t first, int64_t end, bool mayEnd) {
    SmallVector<Piece> pieces;
    for (int64_t i = first; i != end; ++i)
      pieces.push_back(piece(round, i, elements,
                             mayEnd && (round || (i + 1) * threads > total)));
    emit(pieces);
  };
  bool isStatic = !ShapedType::isDynamic(stride(matrix, 0));
  bool isRare = isStatic && elements * elementBytes < 16 && mayCopy(16);
  // Where a round is no whole number of lines, too, every piece has an address
  // that is nobody else's plus a constant.
  bool isAlike = isStatic && threads % perLine == 0;
  bool isShifted = throughRegisters && elements == shiftedElements;
  int64_t atOnce = isRare      ? rarePiecesAtOnce
                   : isShifted ? (isStatic ? shiftedAtOnce : shiftedAddresses)
                   : isAlike   ? piecesAtOnce
                   : throughRegisters ? elementsAtOnce
                                      : addressesAtOnce;
  if (rolledBy > 0)
    atOnce = std::min(atOnce, rolledBy);
  bool mayEnd = total % (atOnce * threads) != 0;
  int64_t end = rounds;
  if (restApart && mayEnd)
    end = total / (atOnce * threads) * atOnce;
  if (end > atOnce) {
    auto loop =
        scf::ForOp::create(b, indexConstant(b, 0), indexConstant(b, end),
                           indexConstant(b, atOnce));
    if (rolledBy > 0)
      keepRolled(loop);
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(loop.getBody());
    emitRounds(loop.getInductionVar(), 0, atOnce, mayEnd && !restApart);
  } else {
    end = 0;
  }
  if (end < rounds)
    emitRounds({}, end, rounds, mayEnd);
}

/// The memref from that line on.
static Value linesFrom(ImplicitLocOpBuilder &b, Value memref, int64_t first) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> offsets = {b.getIndexAttr(first),
                                       b.getIndexAttr(0)};
  SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes = {
      b.getIndexAttr(type.getDimSize(0) - first),
      memref::getMixedSize(b, b.getLoc(), memref, 1)};
  return memref::SubViewOp::create(b, memref, offsets, sizes, strides);
}

// An address that is a constant behind another one takes no instructions and no
// registers, if LLVM is told that it is: of lines it knows bits, and makes
// `line | 48` of `line + 48`, which it does not take apart.

/// Where a piece lies a constant behind the first of its thread's, in the
/// matrix, which has all of the tile's lines, as in the tile, both begin with
/// that many lines further. The matrix unit's order has its own constants.
BlockCopy::Ends BlockCopy::endsOf(const Piece &piece) const {
  bool isShared = piece.shared && piece.further > 0 &&
                  ShapedType::isStatic(stride(matrix, 0)) &&
                  cast<MemRefType>(matrix.getType()).getDimSize(0) == lines;
  if (!isShared)
    return {matrix, tile, piece.line};
  return {linesFrom(b, matrix, piece.further),
          order ? tile : linesFrom(b, tile, piece.further), piece.shared};
}

/// Where the piece is in the tile.
SmallVector<Value> BlockCopy::tileIndices(const Piece &piece) const {
  // So many lines are permuted in as many ways.
  constexpr int64_t permuted = 8;
  if (!order || !piece.shared || piece.further % permuted != 0)
    return CopiedLines::tileIndices(piece.line, piece.column);
  SmallVector<Value> indices =
      CopiedLines::tileIndices(piece.shared, piece.column);
  indices.back() =
      addIndex(b, indices.back(),
               indexConstant(b, piece.further * order->rowElements()));
  return indices;
}

/// Starts to copy a piece, in so many parts of `elements`: as many elements as
/// the matrix has, and zeros.
void BlockCopy::copyPiece(const Piece &piece, int64_t elements, int64_t parts) {
  bool isWide = elements * elementBytes == copiedPiece;
  Ends ends = endsOf(piece);
  SmallVector<Value> indices = tileIndices(piece);
  if (!order)
    indices.front() = ends.line;
  for (int64_t part = 0; part != parts; ++part) {
    Value behind = indexConstant(b, part * elements);
    SmallVector<Value> at = indices;
    at.back() = addIndex(b, at.back(), behind);
    Value column = addIndex(b, piece.column, behind);
    Value count = countFrom(piece.line, column, elements);
    nvgpu::DeviceAsyncCopyOp::create(
        b, nvgpu::DeviceAsyncTokenType::get(b.getContext()), ends.tile, at,
        ends.matrix, ValueRange{ends.line, column}, b.getIndexAttr(elements),
        count,
        /*bypassL1=*/isWide ? b.getUnitAttr() : UnitAttr());
  }
}

void BlockCopy::copyPieces(int64_t bytes) {
  int64_t elements = bytes / elementBytes;
  int64_t parts = hasWidePieces() ? copiedPiece / bytes : 1;
  auto copy = [&](ArrayRef<Piece> pieces) {
    for (const Piece &piece : pieces) {
      OpBuilder::InsertionGuard insertion(b);
      enter(b, piece.exists);
      copyPiece(piece, elements, parts);
    }
  };
  forPieces(parts * elements, /*throughRegisters=*/false, copy);
}

/// Whether the piece exists and begins within the matrix; null if it does.
Value BlockCopy::isInMatrix(const Piece &piece) {
  Value condition = piece.exists;
  for (auto [dim, at] : {std::pair(0, piece.line), std::pair(1, piece.column)})
    if (Value rest = covered(dim, at)) {
      Value isInside = arith::CmpIOp::create(
          b, arith::CmpIPredicate::sgt, narrow(rest),
          arith::ConstantIntOp::create(b, b.getI32Type(), 0));
      condition =
          condition ? arith::AndIOp::create(b, condition, isInside).getResult()
                    : isInside;
    }
  return condition;
}

/// The matrix's element, or 0 beyond it.
Value BlockCopy::loadElement(const Piece &piece) {
  Value condition = isInMatrix(piece);
  auto load = [&]() -> Value {
    return memref::LoadOp::create(b, matrix,
                                  ValueRange{piece.line, piece.column});
  };
  Type type = cast<MemRefType>(matrix.getType()).getElementType();
  auto zero = [&]() -> Value {
    return arith::ConstantOp::create(b, b.getZeroAttr(type));
  };
  return choose(b, condition, type, inOne(load), inOne(zero)).front();
}

void BlockCopy::copyElements() {
  forPieces(1, /*throughRegisters=*/true, [&](ArrayRef<Piece> pieces) {
    SmallVector<Value> elements;
    for (const Piece &piece : pieces)
      elements.push_back(loadElement(piece));
    for (auto [piece, element] : llvm::zip_equal(pieces, elements)) {
      OpBuilder::InsertionGuard insertion(b);
      enter(b, piece.exists);
      memref::StoreOp::create(b, element, tile, tileIndices(piece));
    }
  });
}

/// Calls `emit` with the widest pieces, of those that are worth telling apart,
/// that are right, which may be known only at run time; with 0 for elements.
void BlockCopy::choosePieces(llvm::ArrayRef<int64_t> sizes,
                             llvm::function_ref<void(int64_t)> emit) {
  OpBuilder::InsertionGuard insertion(b);
  for (int64_t bytes : sizes) {
    if (!mayCopy(bytes))
      continue;
    Value condition = isCopyable(bytes);
    if (!condition)
      return emit(bytes);
    auto choice = scf::IfOp::create(b, condition, /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.thenBlock());
    emit(bytes);
    b.setInsertionPointToStart(choice.elseBlock());
  }
  emit(0);
}

/// Bytes of the pieces that are copied: what is far better, and what rows of
/// any length have for sure, or these rows, where it is known that they have
/// more.
SmallVector<int64_t, 2> BlockCopy::copiedSizes() const {
  SmallVector<int64_t, 2> sizes = {copiedPiece};
  if ((ShapedType::isDynamic(stride(matrix, 0)) && !mayShift()) ||
      !mayCopy(copiedPiece) || elementBytes >= 4) {
    int64_t narrow = std::max<int64_t>(elementBytes, 4);
    int64_t widest = widestPiece();
    if (widest < copiedPiece && alignment.matrix >= widest)
      narrow = std::max(narrow, widest);
    sizes.push_back(narrow);
  }
  return sizes;
}

void BlockCopy::copyIn() {
  choosePieces(copiedSizes(), [&](int64_t bytes) {
    if (bytes > 0)
      copyPieces(bytes);
    else if (mayShift())
      copyShifted();
    else
      copyElements();
  });
}

/// Rounds the pieces that this thread copied, of so many elements each.
void BlockCopy::roundPieces(int64_t elements, const TF32Rounding &rounding) {
  auto type = VectorType::get({elements}, b.getF32Type());
  llvm::MaybeAlign alignment(elements * elementBytes);
  auto roundSome = [&](ArrayRef<Piece> pieces) {
    SmallVector<Value> loaded;
    for (const Piece &piece : pieces) {
      auto load = [&]() -> Value {
        return vector::LoadOp::create(b, type, tile, tileIndices(piece),
                                      /*nontemporal=*/false, alignment);
      };
      auto zeros = [&]() -> Value {
        return arith::ConstantOp::create(b, b.getZeroAttr(type));
      };
      loaded.push_back(
          choose(b, piece.exists, type, inOne(load), inOne(zeros)).front());
    }
    for (auto [piece, value] : llvm::zip_equal(pieces, loaded)) {
      OpBuilder::InsertionGuard insertion(b);
      enter(b, piece.exists);
      vector::StoreOp::create(b, rounding.factors(b, value), tile,
                              tileIndices(piece), /*nontemporal=*/false,
                              alignment);
    }
  };
  forPieces(elements, /*throughRegisters=*/true, [&](ArrayRef<Piece> pieces) {
    for (; !pieces.empty(); pieces = pieces.drop_front(
                                std::min<size_t>(roundedAtOnce, pieces.size())))
      roundSome(pieces.take_front(roundedAtOnce));
  });
}

/// In the pieces that `copyIn` chooses.
void BlockCopy::roundCopied(const TF32Rounding &rounding) {
  if (hasWidePieces())
    return roundPieces(copiedPiece / elementBytes, rounding);
  choosePieces(copiedSizes(), [&](int64_t bytes) {
    roundPieces(bytes > 0 ? bytes / elementBytes : 1, rounding);
  });
}
