//===- BlockStore.cpp - What all threads send to device memory ------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile leaves shared memory through registers: in words of 16 or 8 bytes
// where lines are aligned, else element by element. Loads and stores of a word
// depend on each other, so that several are loaded first; and what little a
// store costs is soon less than to find out where it goes and whether it may.
//
//===----------------------------------------------------------------------===//

#include "BlockCopy.h"
#include "NVIDIALanes.h"
#include "kami/IR/Loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;
using namespace kami::lanes;
using namespace kami::nvgpu_lowering;
using namespace mlir;

namespace {

/// Words that a thread loads before it stores the first of them, of so many
/// lines at most: of more, blocks of products whose last rows are few have much
/// to do one by one.
constexpr int64_t wordsAtOnce = 8, linesAtMost = 4;
/// Turns of such lines that are spelled out: LLVM takes more for a loop of two
/// (f32 65³ and 101³ take 844 and 1079 M instructions to compile so, spelled
/// out 701 and 859; 1000 of 101³ 109.8 and 103.1 µs, H100, 2026-11-26).
constexpr int64_t turnsSpelledOut = 2;
/// Elements whose lines are found one by one.
constexpr int64_t elementsAtOnce = 4;

/// Stores words of several lines. Lanes of a warp take words of a line that are
/// adjacent, a warp's width of them or as many as there are, so that a thread's
/// are in the same columns of all of its lines: what is known of those is known
/// once, and all that a line needs is to be one.
class WordStore : CopiedLines {
public:
  WordStore(const CopiedLines &lines, int64_t threads, Value thread,
            int64_t elements);
  /// Whether it is worth it: of a single line all threads take a part.
  bool isPossible() const { return lines > 1 && threads % lanes == 0; }
  void store();

private:
  /// Where a thread reads, which is in the tile anyhow, where it writes, and
  /// whether it does; null if so.
  struct Column {
    Value read, written, exists;
  };
  Value constant(int64_t value) { return indexConstant(b, value); }
  Value extent(unsigned dim) {
    return b.createOrFold<memref::DimOp>(matrix, constant(dim));
  }
  int64_t mostAlong(unsigned dim, int64_t ofTile) const;
  SmallVector<Column> findColumns();
  Value load(ValueRange at);
  void store(Value word, ValueRange at);
  void storeLines(Value first, int64_t count);
  Value storeInLoop(Value first, Value end, int64_t count);

  MemRefType type;
  int64_t threads;
  Value thread;
  /// Elements of a word, lines of the matrix and words of each, at most.
  int64_t elements, rows, words;
  /// Threads that a line has, and lines that all of them have at a time.
  int64_t lanes, step;
  SmallVector<Column> columns;
};

} // namespace

WordStore::WordStore(const CopiedLines &copied, int64_t threads, Value thread,
                     int64_t elements)
    : CopiedLines(copied), type(cast<MemRefType>(matrix.getType())),
      threads(threads), thread(thread), elements(elements),
      rows(mostAlong(0, lines)), words(mostAlong(1, lineElements) / elements),
      lanes(std::clamp<int64_t>(llvm::PowerOf2Ceil(words), 1, warpSize)),
      step(threads / lanes) {}

int64_t WordStore::mostAlong(unsigned dim, int64_t ofTile) const {
  return type.isDynamicDim(dim) ? ofTile
                                : std::min(ofTile, type.getDimSize(dim));
}

SmallVector<WordStore::Column> WordStore::findColumns() {
  auto startOf = [&](Value number) {
    return b.createOrFold<arith::MulIOp>(number, constant(elements));
  };
  Value first = b.createOrFold<arith::RemUIOp>(thread, constant(lanes));
  int64_t inTile = lineElements / elements;
  SmallVector<Column> found;
  for (int64_t at = 0; at < words; at += lanes) {
    Value number = addIndex(b, first, constant(at));
    Value written = startOf(number), read = written, exists;
    if (at + lanes > inTile)
      read =
          startOf(b.createOrFold<arith::MinUIOp>(number, constant(inTile - 1)));
    if (type.isDynamicDim(1) || (at + lanes) * elements > type.getDimSize(1)) {
      Value last = addIndex(b, written, constant(elements - 1));
      exists = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, narrow(last),
                                     narrow(extent(1)));
    }
    found.push_back({read, written, exists});
  }
  return found;
}

Value WordStore::load(ValueRange at) {
  if (elements == 1)
    return memref::LoadOp::create(b, tile, at);
  return vector::LoadOp::create(
      b, VectorType::get({elements}, type.getElementType()), tile, at,
      /*nontemporal=*/false, llvm::MaybeAlign(elements * elementBytes));
}

void WordStore::store(Value word, ValueRange at) {
  if (elements == 1)
    memref::StoreOp::create(b, word, matrix, at);
  else
    vector::StoreOp::create(b, word, matrix, at, /*nontemporal=*/false,
                            llvm::MaybeAlign(elements * elementBytes));
}

/// Stores the thread's words of that line and of others behind it.
void WordStore::storeLines(Value first, int64_t count) {
  SmallVector<Value> own, loaded;
  for (int64_t i = 0; i != count; ++i)
    own.push_back(addIndex(b, first, constant(i * step)));
  for (const Column &column : columns)
    for (Value line : own)
      loaded.push_back(load({line, column.read}));
  auto next = loaded.begin();
  for (const Column &column : columns) {
    OpBuilder::InsertionGuard insertion(b);
    enter(b, column.exists);
    for (Value line : own)
      store(*next++, {line, column.written});
  }
}

/// So many lines at a time. Returns the first line that is left.
Value WordStore::storeInLoop(Value first, Value end, int64_t count) {
  Value together = constant(count * step);
  auto loop = scf::ForOp::create(b, first, end, together, first);
  keepRolled(loop);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(loop.getBody());
  storeLines(loop.getInductionVar(), count);
  scf::YieldOp::create(b, addIndex(b, loop.getInductionVar(), together));
  return loop.getResult(0);
}

void WordStore::store() {
  // A warp may have a part of the tile that lies beyond the matrix.
  if (rows == 0 || words == 0)
    return;
  columns = findColumns();
  int64_t count = std::clamp<int64_t>(
      wordsAtOnce / int64_t(columns.size()), 1,
      std::min<int64_t>(linesAtMost, llvm::divideCeil(rows, step)));
  int64_t together = count * step;
  bool areWhole = !type.isDynamicDim(0) && rows % together == 0;
  Value first = b.createOrFold<arith::DivUIOp>(thread, constant(lanes));
  if (areWhole && rows <= turnsSpelledOut * together) {
    for (int64_t line = 0; line != rows; line += together)
      storeLines(addIndex(b, first, constant(line)), count);
    return;
  }
  // As many as there are at once, and what is left one by one.
  Value end = extent(0);
  first = storeInLoop(
      first, b.createOrFold<arith::SubIOp>(end, constant(together - step)),
      count);
  if (!areWhole && count > 1)
    storeInLoop(first, end, 1);
}

/// Stores element by element.
void BlockCopy::storeElements() {
  WordStore words(*this, threads, thread, /*elements=*/1);
  if (words.isPossible())
    return words.store();
  forPieces(
      1, /*throughRegisters=*/true,
      [&](ArrayRef<Piece> pieces) {
        for (const Piece &piece : pieces)
          storeElement(piece);
      },
      elementsAtOnce);
}

/// Stores pieces of `elements` adjacent ones that the matrix has as a whole.
void BlockCopy::storePieces(int64_t elements) {
  auto type = cast<MemRefType>(matrix.getType());
  auto word = VectorType::get({elements}, type.getElementType());
  llvm::MaybeAlign alignment(elements * elementBytes);
  auto store = [&](ArrayRef<Piece> pieces) {
    for (const Piece &piece : pieces) {
      Piece last = piece;
      last.column = addIndex(b, piece.column, indexConstant(b, elements - 1));
      OpBuilder::InsertionGuard insertion(b);
      enter(b, isInMatrix(last));
      Ends ends = endsOf(piece);
      SmallVector<Value> at = {ends.line, piece.column};
      Value value = vector::LoadOp::create(b, word, ends.tile, at,
                                           /*nontemporal=*/false, alignment);
      vector::StoreOp::create(b, value, ends.matrix, at, /*nontemporal=*/false,
                              alignment);
    }
  };
  // Addresses that are constants apart need no loop. What all threads have is
  // not asked for: f64 33³ compiles in 349 M instructions instead of 386.
  WordStore words(*this, threads, thread, elements);
  if (ShapedType::isDynamic(stride(matrix, 0)) && words.isPossible())
    words.store();
  else
    forPieces(elements, /*throughRegisters=*/true, store, /*rolledBy=*/0,
              /*restApart=*/true);
  if (type.isDynamicDim(1) || type.getDimSize(1) % elements != 0)
    storeEnds(elements);
}

/// Stores one element, if the matrix has it.
void BlockCopy::storeElement(const Piece &piece) {
  OpBuilder::InsertionGuard insertion(b);
  enter(b, isInMatrix(piece));
  SmallVector<Value> at = {piece.line, piece.column};
  Value element = memref::LoadOp::create(b, tile, at);
  memref::StoreOp::create(b, element, matrix, at);
}

/// Stores what the matrix has behind the last whole piece of each line. These
/// are few, so that threads take an element each: spelled out for each piece
/// that might be the last one, they would be most of a small kernel.
void BlockCopy::storeEnds(int64_t elements) {
  auto extent = [&](unsigned dim, int64_t most) {
    return b.createOrFold<arith::MinUIOp>(
        b.createOrFold<memref::DimOp>(matrix, indexConstant(b, dim)),
        indexConstant(b, most));
  };
  Value width = extent(1, lineElements);
  Value rest =
      b.createOrFold<arith::RemUIOp>(width, indexConstant(b, elements));
  Value whole = b.createOrFold<arith::SubIOp>(width, rest);
  Value count = b.createOrFold<arith::MulIOp>(extent(0, lines), rest);
  auto loop = scf::ForOp::create(b, indexConstant(b, 0), count,
                                 indexConstant(b, threads));
  keepRolled(loop);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(loop.getBody());
  Value index = addIndex(b, loop.getInductionVar(), thread);
  enter(b, arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index, count));
  Value line = indexConstant(b, 0);
  if (lines > 1) {
    // Of 64 bits LLVM would write the division twice, once for small numbers.
    Value number = narrow(index), each = narrow(rest);
    line = widen(arith::DivUIOp::create(b, number, each));
    index = widen(arith::RemUIOp::create(b, number, each));
  }
  SmallVector<Value> at = {line, addIndex(b, whole, index)};
  Value element = memref::LoadOp::create(b, tile, at);
  memref::StoreOp::create(b, element, matrix, at);
}

void BlockCopy::copyOut(int64_t bytes) {
  choosePieces({bytes}, [&](int64_t chosen) {
    if (chosen > elementBytes)
      storePieces(chosen / elementBytes);
    else
      storeElements();
  });
}
