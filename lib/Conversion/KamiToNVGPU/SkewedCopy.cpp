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

/// Pieces of a thread whose addresses are kept at a time.
constexpr int64_t copiedAtOnce = 4;

class SkewedCopy {
public:
  SkewedCopy(const CopiedLines &copied, Value tails, int64_t threads);
  void copy();
  void straighten(const TF32Rounding *rounding, bool areRegistersFew);

private:
  /// A piece of the tile: its line, and its first element in it.
  struct Piece {
    Value line, column;
    /// Null if there is one.
    Value exists;
  };
  /// Adjacent pieces that one lane puts straight: their line, the first one's
  /// number in it, and their run.
  struct Part {
    Value line, number, run;
    /// Whether they are their run's last; null if they always are.
    Value isLast;
    /// Null if there are any.
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
  Value runOf(Value round, Value number);
  template <typename Emit> void forRounds(int64_t atOnce, Emit emit);
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
  void choosePart(bool areRegistersFew);
  Value placeInRun(Value number);
  Part part(Value firstRound, int64_t further);
  template <typename Emit> void forParts(Emit emit);
  SmallVector<Value> placeOf(const Part &part, int64_t piece);
  SmallVector<SmallVector<Value>> load(const Part &part);
  Value shifted(SmallVector<Value> words, Value skewBytes);

  const CopiedLines &copied;
  ImplicitLocOpBuilder &b;
  int64_t threads;
  Type element;
  /// Elements of a piece and of a line, pieces of a line and of a run.
  int64_t pieceElements, lineElements, pieces, run;
  /// In how many rounds the block copies the tile.
  int64_t rounds;
  /// Pieces of a part, and parts whose words are in registers between two
  /// barriers of a warp.
  int64_t adjacent = 1, straightenedAtOnce = 2;
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
      rounds(llvm::divideCeil(copied.lines * pieces, threads)),
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

/// The run that is the `number`-th of those that the warp has in a round.
Value SkewedCopy::runOf(Value round, Value number) {
  int64_t runsOfWarp = warpSize / run;
  Value own = addIndex(b, times(over(thread, warpSize), runsOfWarp),
                       rest(number, runsOfWarp));
  return addIndex(b, own, times(round, threads / run));
}

/// Calls `emit` with the first of so many rounds (null for 0) and how many they
/// are, for all rounds: in a loop, if they are more.
template <typename Emit> void SkewedCopy::forRounds(int64_t atOnce, Emit emit) {
  if (rounds <= atOnce)
    return emit(Value(), rounds);
  auto loop =
      scf::ForOp::create(b, constant(0), constant(rounds), constant(atOnce));
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(loop.getBody());
  emit(loop.getInductionVar(), atOnce);
}

/// The `first + round`-th piece of this thread; `mayEnd` if there may be fewer.
SkewedCopy::Piece SkewedCopy::piece(Value round, int64_t first, bool mayEnd) {
  /// What so many pieces, or runs, further is.
  auto after = [&](Value at, int64_t step) {
    at = addIndex(b, at, constant(first * step));
    return round ? addIndex(b, at, times(round, step)) : at;
  };
  Piece piece;
  Value own = after(over(thread, run), threads / run);
  int64_t runs = pieces / run;
  piece.line = over(own, runs);
  Value number = addIndex(b, times(rest(own, runs), run), rest(thread, run));
  piece.column = times(number, pieceElements);
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
  auto emitRounds = [&](Value round, int64_t count) {
    SmallVector<Piece> some;
    for (int64_t i = 0; i != count; ++i) {
      bool mayEnd =
          round ? total % (count * threads) != 0 : (i + 1) * threads > total;
      some.push_back(piece(round, i, mayEnd));
    }
    emit(round, some);
  };
  forRounds(atOnce, emitRounds);
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
    Value at = runOf(inRound, number);
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

/// How many pieces of a run a lane puts straight, one behind the other: of as
/// many it reads one word more than there are, where by themselves they take
/// two each. 64 products of f16 up to 512 × 512 × 512 take 25.7 µs so and 27.0
/// by single pieces, uniform f16 of 129 and 151 (1000) 73.7 and 81.2, 82.3 and
/// 90.2. But each piece's place in the tile is a register more: threads that
/// have 128, and strides at run time, take fewer at a time (256 products 93.6
/// and 102.4 µs, of tf32 135.4 and 143.7; H100, 2026-11-26).
void SkewedCopy::choosePart(bool areRegistersFew) {
  auto accesses = [&](int64_t pieces) {
    return llvm::divideCeil(rounds, pieces) * (2 * pieces + 1);
  };
  int64_t most = std::min(run, warpSize / run);
  if (areRegistersFew) {
    most = std::min<int64_t>(most, 2);
    straightenedAtOnce = 1;
  }
  for (int64_t pieces = 2; pieces <= most; pieces *= 2)
    if (accesses(pieces) < accesses(adjacent))
      adjacent = pieces;
}

/// Which part of its run is a lane's, that is the `number`-th of that run's in
/// its warp. Shared memory moves the words of eight lanes at a time, those of
/// some runs: what these have of a run is as far apart as it takes for all
/// words to be in banks of their own.
Value SkewedCopy::placeInRun(Value number) {
  constexpr int64_t lanesAtOnce = 8;
  int64_t parts = run / adjacent;
  int64_t together =
      std::clamp<int64_t>(lanesAtOnce * run / warpSize, 1, parts);
  int64_t apart =
      std::max<int64_t>(std::min(lanesAtOnce, run) / together / adjacent, 1);
  Value others = over(number, together);
  Value near =
      addIndex(b, times(rest(number, together), apart), rest(others, apart));
  return addIndex(b, near, times(over(others, apart), together * apart));
}

/// This lane's part of what the warp has copied in as many rounds as a part has
/// pieces, from `firstRound` (null for 0), and so many more, on. The warp's
/// lanes begin with a part of each of a round's runs.
SkewedCopy::Part SkewedCopy::part(Value firstRound, int64_t further) {
  int64_t runsOfWarp = warpSize / run, parts = run / adjacent;
  int64_t runsOfLine = pieces / run, runsOfRound = threads / run;
  Value lane = rest(thread, warpSize);
  Value round = addIndex(b, over(lane, runsOfWarp * parts), constant(further));
  if (firstRound)
    round = addIndex(b, round, firstRound);
  Part part;
  part.run = runOf(round, lane);
  part.line = over(part.run, runsOfLine);
  Value inRun = placeInRun(rest(over(lane, runsOfWarp), parts));
  part.number = addIndex(b, times(rest(part.run, runsOfLine), run),
                         times(inRun, adjacent));
  if (parts > 1)
    part.isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, inRun,
                                        constant(parts - 1));
  int64_t runs = copied.lines * runsOfLine;
  bool mayEnd = firstRound
                    ? runs % (adjacent * straightenedAtOnce * runsOfRound) != 0
                    : (further + adjacent) * runsOfRound > runs;
  if (mayEnd)
    part.exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, part.run,
                                        constant(runs));
  return part;
}

/// Calls `emit` with the parts of a lane, some at a time.
template <typename Emit> void SkewedCopy::forParts(Emit emit) {
  int64_t step = adjacent * straightenedAtOnce;
  auto emitRounds = [&](Value first, int64_t count) {
    SmallVector<Part> some;
    for (int64_t further = 0; further < count; further += adjacent)
      some.push_back(part(first, further));
    emit(some);
  };
  forRounds(step, emitRounds);
}

/// Where so many pieces behind the part's first one are in the tile.
SmallVector<Value> SkewedCopy::placeOf(const Part &part, int64_t piece) {
  Value number = addIndex(b, part.number, constant(piece));
  return copied.tileIndices(part.line, times(number, pieceElements));
}

/// The words at the places of the part's pieces, and the one behind them.
SmallVector<SmallVector<Value>> SkewedCopy::load(const Part &part) {
  auto ofPiece = [&](int64_t piece) {
    return wordsAt(copied.tile, placeOf(part, piece));
  };
  SmallVector<SmallVector<Value>> words;
  for (int64_t piece = 0; piece != adjacent; ++piece)
    words.push_back(ofPiece(piece));
  auto ofTail = [&] { return wordsAt(tails, times(part.run, pieceElements)); };
  auto ofNext = [&] { return ofPiece(adjacent); };
  SmallVector<Type> types(words.front().size(), b.getI32Type());
  words.push_back(choose(b, part.isLast, types, ofTail, ofNext));
  return words;
}

/// The 16 bytes that begin so many bytes behind the first of the words.
Value SkewedCopy::shifted(SmallVector<Value> words, Value skewBytes) {
  Type i32 = b.getI32Type();
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
    Value bits = arith::ShLIOp::create(b, skewBytes, integer(3));
    SmallVector<Value> kept;
    for (size_t i = 0; i + 1 < words.size(); ++i)
      kept.push_back(shiftWords(b, words[i], words[i + 1], bits));
    words = std::move(kept);
  }
  constexpr int64_t parts = copiedPiece / 4;
  words.resize(parts);
  Value bits =
      vector::FromElementsOp::create(b, VectorType::get({parts}, i32), words);
  return vector::BitCastOp::create(b, VectorType::get({pieceElements}, element),
                                   bits);
}

void SkewedCopy::straighten(const TF32Rounding *rounding,
                            bool areRegistersFew) {
  choosePart(areRegistersFew);
  OpBuilder::InsertionGuard guard(b);
  if (!rounding)
    enter(b, isAnySkewed());
  // What the warp's other lanes have copied is there.
  syncWarp(b);
  auto type = VectorType::get({pieceElements}, element);
  SmallVector<Type> types(adjacent, type);
  forParts([&](ArrayRef<Part> some) {
    SmallVector<SmallVector<Value>> straight;
    for (const Part &part : some) {
      auto make = [&]() -> SmallVector<Value> {
        Value skew = arith::IndexCastOp::create(
            b, b.getI32Type(), times(skewOf(part.line), copied.elementBytes));
        SmallVector<SmallVector<Value>> words = load(part);
        SmallVector<Value> made;
        for (int64_t piece = 0; piece != adjacent; ++piece) {
          SmallVector<Value> both = words[piece];
          llvm::append_range(both, words[piece + 1]);
          made.push_back(shifted(both, skew));
        }
        return made;
      };
      auto nothing = [&] {
        Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
        return SmallVector<Value>(adjacent, zero);
      };
      straight.push_back(choose(b, part.exists, types, make, nothing));
    }
    // Nobody needs the words any more.
    syncWarp(b);
    for (auto [part, values] : llvm::zip_equal(some, straight)) {
      OpBuilder::InsertionGuard insertion(b);
      enter(b, part.exists);
      for (auto [piece, value] : llvm::enumerate(values))
        vector::StoreOp::create(
            b, rounding ? rounding->factors(b, value) : value, copied.tile,
            placeOf(part, piece), /*nontemporal=*/false,
            llvm::MaybeAlign(copiedPiece));
    }
  });
}

void nvgpu_lowering::copySkewed(const CopiedLines &lines, Value tails,
                                int64_t threads) {
  SkewedCopy(lines, tails, threads).copy();
}

void nvgpu_lowering::straighten(const CopiedLines &lines, Value tails,
                                int64_t threads, const TF32Rounding *rounding,
                                bool areRegistersFew) {
  SkewedCopy(lines, tails, threads).straighten(rounding, areRegistersFew);
}
