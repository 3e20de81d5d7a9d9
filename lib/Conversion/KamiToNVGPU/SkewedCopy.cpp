//===- SkewedCopy.cpp - Copies of lines that begin anywhere ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async moves 16 bytes between multiples of 16 bytes only. A line that
// begins between two of them comes as the words that hold it, one more than it
// has pieces, and each piece is put together of two once they have arrived: so
// that such lines are on their way as long as others, without registers.
//
// Lanes of one warp move a run of pieces. What one has copied another one of
// that warp needs, and nobody beyond it does, so that a barrier of the warp is
// enough.
//
// What a copy has of a line is worth knowing: ptxas takes five instructions
// more for bytes that it does not know the number of than for all or none.
//
//===----------------------------------------------------------------------===//

#include "CopiedLines.h"
#include "NVIDIALanes.h"
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

/// Pieces of a thread whose addresses are kept at a time, and those whose words
/// are in registers between two barriers of a warp.
constexpr int64_t copiedAtOnce = 4;
constexpr int64_t straightenedAtOnce = 2;

class SkewedCopy {
public:
  SkewedCopy(const CopiedLines &copied, Value tails, int64_t threads);
  void copy();
  void straighten(const TF32Rounding *rounding);

private:
  /// A piece of the tile: its line, its number and first element in it, and its
  /// run.
  struct Piece {
    Value line, number, column, run;
    /// Null if there is one.
    Value exists;
  };
  Value constant(int64_t value) { return indexConstant(b, value); }
  Value times(Value value, int64_t factor) {
    return b.createOrFold<arith::MulIOp>(value, constant(factor));
  }
  Value over(Value value, int64_t divisor) {
    return b.createOrFold<arith::DivUIOp>(value, constant(divisor));
  }
  Value rest(Value value, int64_t divisor) {
    return b.createOrFold<arith::RemUIOp>(value, constant(divisor));
  }
  Piece piece(Value round, int64_t first, bool mayEnd);
  template <typename Emit> void forPieces(int64_t atOnce, Emit emit);
  void makeFlat();
  Value firstElement(Value line);
  Value skewOf(Value line);
  Value isAnySkewed();
  Value isInMatrix(Value line);
  Value countFrom(Value column, Value skew);
  void copyWord(Value memref, ValueRange indices, Value from, Value count);
  void copyFirst(Value line, Value column, bool areWhole, bool isEnd);
  void copyTails(Value round, int64_t rounds, bool areWhole);
  void copyEnds(bool areWhole);
  SmallVector<Value> wordsAt(Value memref, ValueRange indices);
  SmallVector<Value> load(const Piece &piece);
  Value shifted(SmallVector<Value> words, Value skewBytes);

  const CopiedLines &copied;
  ImplicitLocOpBuilder &b;
  int64_t threads;
  Type element;
  /// Elements of a piece and of a line, pieces of a line and of a run.
  int64_t pieceElements, lineElements, pieces, run;
  Value thread;
  /// The tails, one run's after the other; null where lines stay skewed.
  Value tails;
  /// All of the matrix's memory as one line from its base on, before which
  /// lines may begin, the number of the matrix's first element in it, elements
  /// from one line to the next, and the base's address by the size of elements.
  Value flat, start, pitch, base;
};

} // namespace

SkewedCopy::SkewedCopy(const CopiedLines &copied, Value tails, int64_t threads)
    : copied(copied), b(copied.b), threads(threads),
      element(cast<MemRefType>(copied.matrix.getType()).getElementType()),
      pieceElements(copiedPiece / copied.elementBytes),
      lineElements(copied.lineElements - (tails ? 0 : pieceElements)),
      pieces(lineElements / pieceElements),
      run(skewedRun(lineElements, copied.elementBytes)),
      thread(threadIndex(b)) {
  makeFlat();
  if (!tails)
    return;
  auto type =
      MemRefType::get({copied.lines * pieces / run * pieceElements}, element,
                      MemRefLayoutAttrInterface(),
                      cast<MemRefType>(tails.getType()).getMemorySpace());
  this->tails =
      memref::ViewOp::create(b, type, tails, constant(0), ValueRange());
}

void SkewedCopy::makeFlat() {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, copied.matrix);
  start = metadata.getOffset();
  pitch = metadata.getStrides().front();
  Value lines = metadata.getSizes().front(), width = metadata.getSizes().back();
  // Lines may follow each other backwards: then the first is the last in
  // memory.
  Value last = b.createOrFold<arith::MaxSIOp>(
      b.createOrFold<arith::MulIOp>(
          b.createOrFold<arith::SubIOp>(lines, constant(1)), pitch),
      constant(0));
  auto type = MemRefType::get(
      {ShapedType::kDynamic}, element, MemRefLayoutAttrInterface(),
      cast<MemRefType>(copied.matrix.getType()).getMemorySpace());
  Value buffer = metadata.getBaseBuffer();
  flat = memref::ReinterpretCastOp::create(
      b, type, buffer, OpFoldResult(b.getIndexAttr(0)),
      ArrayRef<OpFoldResult>{addIndex(b, start, addIndex(b, last, width))},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  base = over(memref::ExtractAlignedPointerAsIndexOp::create(b, buffer),
              copied.elementBytes);
}

/// The `first + round`-th piece of this thread; `mayEnd` if there may be fewer.
SkewedCopy::Piece SkewedCopy::piece(Value round, int64_t first, bool mayEnd) {
  /// What so many pieces, or runs, further is.
  auto after = [&](Value at, int64_t step) {
    at = addIndex(b, at, constant(first * step));
    return round ? addIndex(b, at, times(round, step)) : at;
  };
  Piece piece;
  piece.run = after(over(thread, run), threads / run);
  int64_t runs = pieces / run;
  piece.line = over(piece.run, runs);
  piece.number =
      addIndex(b, times(rest(piece.run, runs), run), rest(thread, run));
  piece.column = times(piece.number, pieceElements);
  if (mayEnd)
    piece.exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                         after(thread, threads),
                                         constant(copied.lines * pieces));
  return piece;
}

/// Calls `emit` with the pieces of a thread, some at a time, and the round that
/// they begin with (null for the first). All lanes of a warp do the same.
template <typename Emit> void SkewedCopy::forPieces(int64_t atOnce, Emit emit) {
  int64_t total = copied.lines * pieces;
  int64_t rounds = llvm::divideCeil(total, threads);
  auto emitRounds = [&](Value round, int64_t count) {
    SmallVector<Piece> some;
    for (int64_t i = 0; i != count; ++i) {
      bool mayEnd =
          round ? total % (count * threads) != 0 : (i + 1) * threads > total;
      some.push_back(piece(round, i, mayEnd));
    }
    emit(round, some);
  };
  if (rounds <= atOnce)
    return emitRounds({}, rounds);
  auto loop =
      scf::ForOp::create(b, constant(0), constant(rounds), constant(atOnce));
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(loop.getBody());
  emitRounds(loop.getInductionVar(), atOnce);
}

/// The line's first element, in `flat`.
Value SkewedCopy::firstElement(Value line) {
  return addIndex(b, start, b.createOrFold<arith::MulIOp>(line, pitch));
}

/// Elements by which the line begins behind a multiple of 16 bytes. Lines that
/// are a multiple of a piece's elements apart are skewed alike, so that a
/// thread computes it once for its own.
Value SkewedCopy::skewOf(Value line) {
  return rest(addIndex(b, base, firstElement(rest(line, pieceElements))),
              pieceElements);
}

/// Whether lines may begin between two multiples of 16 bytes: the first does,
/// or they are no whole pieces apart.
Value SkewedCopy::isAnySkewed() {
  Value places = b.createOrFold<arith::OrIOp>(addIndex(b, base, start), pitch);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                               rest(places, pieceElements), constant(0));
}

void SkewedCopy::copyWord(Value memref, ValueRange indices, Value from,
                          Value count) {
  nvgpu::DeviceAsyncCopyOp::create(
      b, nvgpu::DeviceAsyncTokenType::get(b.getContext()), memref, indices,
      flat, ValueRange{from}, b.getIndexAttr(pieceElements), count,
      /*bypassL1=*/b.getUnitAttr());
}

/// Whether the matrix has the line; null if it does.
Value SkewedCopy::isInMatrix(Value line) {
  Value lines = copied.covered(0, line);
  if (!lines)
    return {};
  return arith::CmpIOp::create(
      b, arith::CmpIPredicate::sgt, copied.narrow(lines),
      arith::ConstantIntOp::create(b, b.getI32Type(), 0));
}

/// How many elements the line has of the word that begins so many columns
/// behind its first one.
Value SkewedCopy::countFrom(Value column, Value skew) {
  Value extent =
      copied.narrow(b.createOrFold<memref::DimOp>(copied.matrix, constant(1)));
  Value left = arith::SubIOp::create(
      b, arith::AddIOp::create(b, extent, copied.narrow(skew)),
      copied.narrow(column));
  return copied.widen(copied.clamp(left, pieceElements));
}

/// The word that a piece begins in: all of it where lines are whole, unless it
/// is the one that a line ends in.
void SkewedCopy::copyFirst(Value line, Value column, bool areWhole,
                           bool isEnd) {
  Value first = firstElement(line), skew = skewOf(line);
  Value word = addIndex(b, arith::SubIOp::create(b, first, skew), column);
  Value count = !areWhole ? countFrom(column, skew)
                : isEnd   ? skew
                          : constant(pieceElements);
  if (Value isInside = isInMatrix(line))
    count = arith::SelectOp::create(b, isInside, count, constant(0));
  copyWord(copied.tile, copied.tileIndices(line, column), word, count);
}

/// The words behind the runs that a warp copies in so many rounds, each by a
/// lane of its own.
void SkewedCopy::copyTails(Value round, int64_t rounds, bool areWhole) {
  int64_t perRound = warpSize / run, tails = rounds * perRound;
  int64_t runs = pieces / run, all = copied.lines * runs;
  bool mayEnd = round ? all % (rounds * threads / run) != 0
                      : rounds * threads / run > all;
  auto isBelow = [&](Value number, int64_t end) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number,
                                 constant(end));
  };
  for (int64_t taken = 0; taken < tails; taken += warpSize) {
    OpBuilder::InsertionGuard insertion(b);
    Value number = addIndex(b, rest(thread, warpSize), constant(taken));
    if (taken + warpSize > tails)
      enter(b, isBelow(number, tails));
    Value inRound = over(number, perRound);
    if (round)
      inRound = addIndex(b, round, inRound);
    Value own = addIndex(b, times(over(thread, warpSize), perRound),
                         rest(number, perRound));
    Value at = addIndex(b, own, times(inRound, threads / run));
    if (mayEnd)
      enter(b, isBelow(at, all));
    Value line = over(at, runs);
    Value column =
        times(addIndex(b, rest(at, runs), constant(1)), run * pieceElements);
    Value first = firstElement(line), skew = skewOf(line);
    Value count = areWhole && runs == 1 ? skew : countFrom(column, skew);
    if (Value isInside = isInMatrix(line))
      count = arith::SelectOp::create(b, isInside, count, constant(0));
    copyWord(this->tails, times(at, pieceElements),
             addIndex(b, arith::SubIOp::create(b, first, skew), column), count);
  }
}

/// The words that lines which stay skewed end in, each by a thread of its own.
void SkewedCopy::copyEnds(bool areWhole) {
  for (int64_t taken = 0; taken < copied.lines; taken += threads) {
    OpBuilder::InsertionGuard insertion(b);
    Value line = addIndex(b, thread, constant(taken));
    if (taken + threads > copied.lines)
      enter(b, arith::CmpIOp::create(b, arith::CmpIPredicate::ult, line,
                                     constant(copied.lines)));
    copyFirst(line, constant(lineElements), areWhole, /*isEnd=*/true);
  }
}

void SkewedCopy::copy() {
  auto copyAll = [&](bool areWhole) {
    forPieces(copiedAtOnce, [&](Value round, ArrayRef<Piece> some) {
      for (const Piece &piece : some) {
        OpBuilder::InsertionGuard insertion(b);
        enter(b, piece.exists);
        copyFirst(piece.line, piece.column, areWhole, /*isEnd=*/false);
      }
      if (tails)
        copyTails(round, some.size(), areWhole);
    });
    if (!tails)
      copyEnds(areWhole);
  };
  Value width = copied.covered(1, constant(0));
  if (!width)
    return copyAll(/*areWhole=*/true);
  Value isWhole = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, width,
                                        constant(lineElements));
  auto choice = scf::IfOp::create(b, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(choice.thenBlock());
  copyAll(/*areWhole=*/true);
  b.setInsertionPointToStart(choice.elseBlock());
  copyAll(/*areWhole=*/false);
}

/// A word of 16 bytes, in parts of 4.
SmallVector<Value> SkewedCopy::wordsAt(Value memref, ValueRange indices) {
  Value loaded = vector::LoadOp::create(
      b, VectorType::get({pieceElements}, element), memref, indices,
      /*nontemporal=*/false, llvm::MaybeAlign(copiedPiece));
  constexpr int64_t parts = copiedPiece / 4;
  Value bits = vector::BitCastOp::create(
      b, VectorType::get({parts}, b.getI32Type()), loaded);
  SmallVector<Value> words;
  for (int64_t i = 0; i != parts; ++i)
    words.push_back(vector::ExtractOp::create(b, bits, i));
  return words;
}

/// The word at the piece's place, and the one behind it.
SmallVector<Value> SkewedCopy::load(const Piece &piece) {
  SmallVector<Value> words =
      wordsAt(copied.tile, copied.tileIndices(piece.line, piece.column));
  auto ofTail = [&] { return wordsAt(tails, times(piece.run, pieceElements)); };
  auto ofNext = [&] {
    Value next = addIndex(b, piece.column, constant(pieceElements));
    return wordsAt(copied.tile, copied.tileIndices(piece.line, next));
  };
  Value isLast = b.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::eq, rest(thread, run), constant(run - 1));
  SmallVector<Type> types(words.size(), b.getI32Type());
  llvm::append_range(words, choose(b, isLast, types, ofTail, ofNext));
  return words;
}

/// The 16 bytes that begin so many bytes behind the first of the words.
Value SkewedCopy::shifted(SmallVector<Value> words, Value skewBytes) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto integer = [&](int64_t value) {
    return arith::ConstantIntOp::create(b, i32, value);
  };
  auto part = [&](int64_t mask) -> Value {
    return arith::AndIOp::create(b, skewBytes, integer(mask));
  };
  // By two words, by one, and by bytes, as far as elements need it.
  for (int64_t count : {2, 1}) {
    int64_t bytes = 4 * count;
    if (copied.elementBytes > bytes)
      break;
    Value isSkewed = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                           part(bytes), integer(0));
    SmallVector<Value> kept;
    for (size_t i = 0; i + count < words.size(); ++i)
      kept.push_back(
          arith::SelectOp::create(b, isSkewed, words[i + count], words[i]));
    words = std::move(kept);
  }
  if (copied.elementBytes < 4) {
    Value bits = arith::ExtUIOp::create(
        b, i64, arith::ShLIOp::create(b, part(3), integer(3)));
    SmallVector<Value> kept;
    for (size_t i = 0; i + 1 < words.size(); ++i) {
      Value high =
          arith::ShLIOp::create(b, arith::ExtUIOp::create(b, i64, words[i + 1]),
                                arith::ConstantIntOp::create(b, i64, 32));
      Value both = arith::OrIOp::create(
          b, high, arith::ExtUIOp::create(b, i64, words[i]));
      kept.push_back(arith::TruncIOp::create(
          b, i32, arith::ShRUIOp::create(b, both, bits)));
    }
    words = std::move(kept);
  }
  constexpr int64_t parts = copiedPiece / 4;
  words.resize(parts);
  Value bits =
      vector::FromElementsOp::create(b, VectorType::get({parts}, i32), words);
  return vector::BitCastOp::create(b, VectorType::get({pieceElements}, element),
                                   bits);
}

void SkewedCopy::straighten(const TF32Rounding *rounding) {
  OpBuilder::InsertionGuard guard(b);
  if (!rounding)
    enter(b, isAnySkewed());
  // What the warp's other lanes have copied is there.
  syncWarp(b);
  forPieces(straightenedAtOnce, [&](Value, ArrayRef<Piece> some) {
    SmallVector<Value> straight;
    for (const Piece &piece : some) {
      auto make = [&]() -> SmallVector<Value> {
        Value skew = times(skewOf(piece.line), copied.elementBytes);
        return {shifted(load(piece),
                        arith::IndexCastOp::create(b, b.getI32Type(), skew))};
      };
      auto type = VectorType::get({pieceElements}, element);
      auto nothing = [&]() -> SmallVector<Value> {
        return {arith::ConstantOp::create(b, b.getZeroAttr(type)).getResult()};
      };
      straight.push_back(
          choose(b, piece.exists, Type(type), make, nothing).front());
    }
    // Nobody needs the words any more.
    syncWarp(b);
    for (auto [piece, value] : llvm::zip_equal(some, straight)) {
      OpBuilder::InsertionGuard insertion(b);
      enter(b, piece.exists);
      vector::StoreOp::create(
          b, rounding ? rounding->factors(b, value) : value, copied.tile,
          copied.tileIndices(piece.line, piece.column),
          /*nontemporal=*/false, llvm::MaybeAlign(copiedPiece));
    }
  });
}

void nvgpu_lowering::copySkewed(const CopiedLines &lines, Value tails,
                                int64_t threads) {
  SkewedCopy(lines, tails, threads).copy();
}

void nvgpu_lowering::straighten(const CopiedLines &lines, Value tails,
                                int64_t threads, const TF32Rounding *rounding) {
  SkewedCopy(lines, tails, threads).straighten(rounding);
}
