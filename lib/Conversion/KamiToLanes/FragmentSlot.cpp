//===- FragmentSlot.cpp ---------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Conversion/KamiToLanes/FragmentSlot.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kami;
using namespace kami::lanes;
using namespace mlir;

FragmentSlot::FragmentSlot(ImplicitLocOpBuilder &b, FragmentType fragment,
                           Value buffer, Value slot)
    : fragment(fragment), order(fragment.getMap()) {
  auto bytes = cast<MemRefType>(buffer.getType());
  auto word = VectorType::get({order.valuesPerWord}, fragment.getStorageType());
  SmallVector<Value> dynamicSizes;
  int64_t words = ShapedType::kDynamic;
  if (bytes.hasStaticShape())
    words = bytes.getDimSize(0) / order.wordBytes;
  else
    dynamicSizes.push_back(arith::DivUIOp::create(
        b, memref::DimOp::create(b, buffer, indexConstant(b, 0)),
        indexConstant(b, order.wordBytes)));
  auto type = MemRefType::get({words}, word, MemRefLayoutAttrInterface(),
                              bytes.getMemorySpace());
  memory = memref::ViewOp::create(b, type, buffer, indexConstant(b, 0),
                                  dynamicSizes);
  int64_t wordsPerFragment = order.wordsPerTile() * fragment.getNumTiles();
  Value first =
      b.createOrFold<arith::MulIOp>(slot, indexConstant(b, wordsPerFragment));
  origin = addIndex(b, first, writerIndex(b, order));
}

void FragmentSlot::write(ImplicitLocOpBuilder &b, ValueRange tiles) const {
  OpBuilder::InsertionGuard insertion(b);
  if (Value writes = isWriter(b, order))
    b.setInsertionPointToStart(
        scf::IfOp::create(b, writes, /*withElseRegion=*/false).thenBlock());
  for (auto [tile, registers] : llvm::enumerate(tiles)) {
    for (unsigned word = 0; word != order.wordsPerLane; ++word) {
      Value part = registers;
      if (order.wordsPerLane > 1)
        part = vector::ExtractStridedSliceOp::create(
            b, registers, ArrayRef<int64_t>{word * order.valuesPerWord},
            ArrayRef<int64_t>{order.valuesPerWord}, ArrayRef<int64_t>{1});
      memref::StoreOp::create(
          b, part, memory,
          addIndex(b, origin,
                   indexConstant(b, order.wordIndex(tile, word, 0))));
    }
  }
}

SmallVector<Value> FragmentSlot::read(ImplicitLocOpBuilder &b) const {
  SmallVector<Value> tiles;
  for (int64_t tile = 0; tile != fragment.getNumTiles(); ++tile)
    tiles.push_back(readTile(b, tile));
  return tiles;
}

Value FragmentSlot::readTile(ImplicitLocOpBuilder &b, int64_t tile,
                             Value from) const {
  Value first = origin;
  if (from)
    first = addIndex(b, first,
                     b.createOrFold<arith::MulIOp>(
                         from, indexConstant(b, order.wordsPerTile())));
  Value registers;
  for (unsigned word = 0; word != order.wordsPerLane; ++word) {
    Value at = indexConstant(b, order.wordIndex(tile, word, 0));
    Value part = memref::LoadOp::create(b, memory, addIndex(b, first, at));
    if (order.wordsPerLane == 1)
      return part;
    if (!registers)
      registers =
          arith::ConstantOp::create(b, b.getZeroAttr(tileType(fragment)));
    registers = vector::InsertStridedSliceOp::create(
        b, part, registers, ArrayRef<int64_t>{word * order.valuesPerWord},
        ArrayRef<int64_t>{1});
  }
  return registers;
}
