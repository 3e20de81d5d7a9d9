//===- ShiftedPieces.cpp - Rows that begin at odd elements ----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of 16 bits whose rows begin at odd ones, in pieces of 16 bytes:
// words are read that begin one element further, and put together anew.
//
//===----------------------------------------------------------------------===//

#include "BlockCopy.h"
#include "NVIDIALanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kami;
using namespace kami::lanes;
using namespace kami::nvgpu_lowering;
using namespace mlir;

constexpr int64_t shiftedWords = shiftedElements / 2;

/// Whether pieces of the tile can be put together of words of 4 bytes.
bool BlockCopy::mayShift() const {
  return elementBytes == 2 && stride(matrix, 1) == 1 &&
         isTileAligned(copiedPiece) && lineElements % shiftedElements == 0;
}

/// An element's 16 bits, and zeros above.
Value BlockCopy::bitsOf(Value element) {
  if (!element.getType().isInteger())
    element = arith::BitcastOp::create(b, b.getI16Type(), element);
  return arith::ExtUIOp::create(b, b.getI32Type(), element);
}

/// The piece's elements, all of which are in the matrix, as one word more than
/// they are, and the bits by which these are to be shifted to the right.
/// Nothing else is read: where the first is at an odd place, it and the last
/// are loaded by themselves, and three words of those between.
SmallVector<Value> BlockCopy::loadWords(const Piece &piece) {
  auto type = cast<MemRefType>(matrix.getType());
  Type element = type.getElementType(), i32 = b.getI32Type();
  auto metadata = memref::ExtractStridedMetadataOp::create(b, matrix);
  Value base = metadata.getBaseBuffer(), pitch = metadata.getStrides().front();
  Value first = addIndex(b, b.createOrFold<arith::MulIOp>(piece.line, pitch),
                         piece.column);
  Value place = arith::ShRUIOp::create(
      b, memref::ExtractAlignedPointerAsIndexOp::create(b, base),
      indexConstant(b, 1));
  place = addIndex(b, place, metadata.getOffset());
  Value odd =
      arith::AndIOp::create(b, addIndex(b, place, first), indexConstant(b, 1));
  Value isOdd = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, odd,
                                      indexConstant(b, 0));
  // The matrix as one line, from what lies lowest in memory: the first element,
  // or the last row's where rows follow each other backwards.
  auto size = [&](unsigned dim) { return metadata.getSizes()[dim]; };
  Value zero = indexConstant(b, 0);
  Value last = b.createOrFold<arith::MulIOp>(
      b.createOrFold<arith::SubIOp>(size(0), indexConstant(b, 1)), pitch);
  Value lowest = b.createOrFold<arith::MinSIOp>(last, zero);
  Value span = b.createOrFold<arith::SubIOp>(
      b.createOrFold<arith::MaxSIOp>(last, zero), lowest);
  first = b.createOrFold<arith::SubIOp>(first, lowest);
  constexpr int64_t dynamic = ShapedType::kDynamic;
  auto flat = MemRefType::get(
      {dynamic}, element, StridedLayoutAttr::get(b.getContext(), dynamic, {1}),
      type.getMemorySpace());
  Value line = memref::ReinterpretCastOp::create(
      b, flat, base, OpFoldResult(addIndex(b, metadata.getOffset(), lowest)),
      ArrayRef<OpFoldResult>{addIndex(b, span, size(1))},
      ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  auto wordAt = [&](Value start) -> Value {
    Value pair = vector::LoadOp::create(
        b, VectorType::get({2}, element), line, ValueRange{start},
        /*nontemporal=*/false, llvm::MaybeAlign(4));
    Value word = vector::BitCastOp::create(b, VectorType::get({1}, i32), pair);
    return vector::ExtractOp::create(b, word, int64_t(0));
  };
  auto elementAt = [&](Value start) -> Value {
    return bitsOf(memref::LoadOp::create(b, line, ValueRange{start}));
  };
  auto ifOdd = [&](auto inOdd, auto inEven) -> Value {
    return choose(b, isOdd, i32, inOne(inOdd), inOne(inEven)).front();
  };
  SmallVector<Value> loaded;
  loaded.push_back(
      ifOdd([&] { return elementAt(first); }, [&] { return wordAt(first); }));
  Value even = arith::SubIOp::create(b, first, odd);
  for (int64_t word = 1; word != shiftedWords; ++word)
    loaded.push_back(wordAt(addIndex(b, even, indexConstant(b, 2 * word))));
  loaded.push_back(ifOdd(
      [&] {
        return elementAt(
            addIndex(b, first, indexConstant(b, shiftedElements - 1)));
      },
      [&]() -> Value { return arith::ConstantIntOp::create(b, i32, 0); }));
  loaded.push_back(
      arith::ShLIOp::create(b, arith::IndexCastOp::create(b, i32, odd),
                            arith::ConstantIntOp::create(b, i32, 4)));
  return loaded;
}

/// The elements of such words. Apart from the loads, so that none is waited for
/// before all are on their way.
Value BlockCopy::joinWords(ArrayRef<Value> loaded) {
  Type i32 = b.getI32Type();
  Value bits = loaded.back();
  // An element by itself is the upper half of the word that it would be in.
  SmallVector<Value> parts(loaded.drop_back());
  parts.front() = arith::ShLIOp::create(b, parts.front(), bits);
  SmallVector<Value> words;
  for (int64_t word = 0; word != shiftedWords; ++word)
    words.push_back(shiftWords(b, parts[word], parts[word + 1], bits));
  Value all = vector::FromElementsOp::create(
      b, VectorType::get({shiftedWords}, i32), words);
  Type element = cast<MemRefType>(matrix.getType()).getElementType();
  return vector::BitCastOp::create(
      b, VectorType::get({shiftedElements}, element), all);
}

/// The same of a piece that the matrix may not have all of: 0 beyond it.
SmallVector<Value> BlockCopy::loadSome(const Piece &piece) {
  Type i32 = b.getI32Type();
  auto elementAt = [&](int64_t i) -> Value {
    Value column = addIndex(b, piece.column, indexConstant(b, i));
    return bitsOf(loadElement({piece.line, column, piece.exists}));
  };
  SmallVector<Value> loaded;
  for (int64_t word = 0; word != shiftedWords; ++word) {
    Value high = arith::ShLIOp::create(
        b, elementAt(2 * word + 1), arith::ConstantIntOp::create(b, i32, 16));
    loaded.push_back(arith::OrIOp::create(b, high, elementAt(2 * word)));
  }
  loaded.append(2, arith::ConstantIntOp::create(b, i32, 0));
  return loaded;
}

SmallVector<Value> BlockCopy::loadShifted(const Piece &piece) {
  Piece last = piece;
  last.column =
      addIndex(b, piece.column, indexConstant(b, shiftedElements - 1));
  Value isWhole = isInMatrix(last);
  SmallVector<Type> types(shiftedWords + 2, b.getI32Type());
  auto nothing = [&] {
    Value zero = arith::ConstantIntOp::create(b, types.front(), 0);
    return SmallVector<Value>(types.size(), zero);
  };
  auto some = [&] { return loadSome(piece); };
  return choose(
      b, isWhole, types, [&] { return loadWords(piece); },
      [&] { return choose(b, isInMatrix(piece), types, some, nothing); });
}

void BlockCopy::copyShifted() {
  forPieces(
      shiftedElements, /*throughRegisters=*/true, [&](ArrayRef<Piece> pieces) {
        SmallVector<SmallVector<Value>> loaded;
        for (const Piece &piece : pieces)
          loaded.push_back(loadShifted(piece));
        for (auto [piece, words] : llvm::zip_equal(pieces, loaded)) {
          OpBuilder::InsertionGuard insertion(b);
          enter(b, piece.exists);
          vector::StoreOp::create(b, joinWords(words), tile, tileIndices(piece),
                                  /*nontemporal=*/false,
                                  llvm::MaybeAlign(copiedPiece));
        }
      });
}
