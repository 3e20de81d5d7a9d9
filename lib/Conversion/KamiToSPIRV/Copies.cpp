//===- Copies.cpp - From device memory to workgroup memory by words -------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A slice that a warp loads only to share it never is a matrix: which elements
// of one lie side by side in a lane is the device's business, and an operand
// whose terms of k are not adjacent may arrive element by element. Its lanes
// copy words of 16 bytes instead.
//
//===----------------------------------------------------------------------===//

#include "Tiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace kami;
using namespace kami::spirv_lowering;
using namespace mlir;

/// The share that a load is for, if it is for nothing else and the lanes' words
/// are whole.
static ShareOp findShare(LoadOp load, const KnownMultiples &multiples) {
  if (!load->hasOneUse())
    return {};
  auto share = dyn_cast<ShareOp>(*load->user_begin());
  FragmentType fragment = load.getResult().getType();
  Type element = cast<MemRefType>(load.getSource().getType()).getElementType();
  if (!share || !load.getRowInBounds() || !load.getColumnInBounds() ||
      !fragment.hasAtomElementType() || element != fragment.getStorageType() ||
      !isConstantIntValue(placesOf(load.getSource()).back(), 1))
    return {};
  TileShape shape(fragment);
  int64_t elements = wordBytes / bytesOf(element);
  bool isWhole = multiples.position % elements == 0 &&
                 multiples.strides[0] % elements == 0 &&
                 shape.columns % elements == 0 &&
                 shape.elements() / elements % shape.lanes == 0;
  return isWhole ? share : ShareOp();
}

SmallVector<WordCopy> spirv_lowering::findCopies(
    gpu::GPUFuncOp kernel,
    const llvm::DenseMap<Operation *, KnownMultiples> &multiples) {
  // Workgroup memory of a type is in words for all or for none.
  llvm::DenseSet<Type> scalars;
  kernel.walk([&](Operation *op) {
    for (auto [buffer, fragment] : buffersOf(op)) {
      Type element = fragment.getStorageType();
      if (TileShape(fragment).columns * bytesOf(element) % wordBytes != 0)
        scalars.insert(element);
    }
    if (std::optional<Type> element = viewedElement(op))
      scalars.insert(*element);
  });
  SmallVector<WordCopy> copies;
  kernel.walk([&](LoadOp load) {
    if (scalars.contains(load.getResult().getType().getStorageType()) ||
        viewedElement(load))
      return;
    if (ShareOp share = findShare(load, multiples.lookup(load)))
      copies.push_back({load, share});
  });
  return copies;
}

/// All of an argument's memory in words.
static Value wordsOf(ImplicitLocOpBuilder &b, Value row) {
  auto type = cast<MemRefType>(row.getType());
  int64_t bytes = type.getNumElements() * bytesOf(type.getElementType());
  auto words = MemRefType::get({bytes / wordBytes}, wordType(b.getContext()));
  return UnrealizedConversionCastOp::create(b, TypeRange(Type(words)), row)
      .getResult(0);
}

void spirv_lowering::emitCopy(const WordCopy &copy,
                              const KernelContext &kernel) {
  auto [load, share] = copy;
  FragmentType fragment = load.getResult().getType();
  TileShape shape(fragment);
  int64_t elements = wordBytes / bytesOf(fragment.getStorageType());
  int64_t perLine = shape.columns / elements;
  int64_t perLane = shape.elements() / elements / shape.lanes;
  ImplicitLocOpBuilder b(load.getLoc(), load);
  FlatMatrix matrix = flatten(b, kernel.memory, load.getSource());
  Value words = wordsOf(b, matrix.memory);
  Value size = indexConstant(b, elements);
  Value stride = b.createOrFold<arith::DivUIOp>(matrix.strides[0], size);
  Value lane = gpu::LaneIdOp::create(b, /*upper_bound=*/IntegerAttr());
  SlotLayout layout = kernel.memory.layoutOf(fragment);
  Value pitch = indexConstant(b, layout.pitch / elements);
  // A lane's words, and where they go in the slot.
  SmallVector<std::pair<Value, Value>> pieces;
  for (int64_t tile = 0; tile != fragment.getNumTiles(); ++tile) {
    int64_t row = tile / fragment.getTileColumns() * shape.rows;
    int64_t column = tile % fragment.getTileColumns() * shape.columns;
    Value first = b.createOrFold<arith::DivUIOp>(
        matrix.at(b, addIndex(b, load.getRow(), indexConstant(b, row)),
                  addIndex(b, load.getColumn(), indexConstant(b, column))),
        size);
    for (int64_t v = 0; v != perLane; ++v) {
      Value piece = addIndex(b, lane, indexConstant(b, v * shape.lanes));
      Value width = indexConstant(b, perLine);
      Value line = b.createOrFold<arith::DivUIOp>(piece, width);
      Value rest = b.createOrFold<arith::RemUIOp>(piece, width);
      Value at =
          addIndex(b, addIndex(b, first, rest), multiplyIndex(b, line, stride));
      Value place = layout.pitch == shape.columns
                        ? piece
                        : addIndex(b, rest, multiplyIndex(b, line, pitch));
      pieces.push_back(
          {memref::LoadOp::create(b, words, at),
           addIndex(b, place,
                    indexConstant(b, layout.offset(tile) / elements))});
    }
  }
  b.setInsertionPoint(share);
  WorkgroupMemory::Place place =
      kernel.memory.placeOf(share.getBuffer(), fragment.getStorageType());
  int64_t slotWords = kernel.memory.slotElements(fragment) / elements;
  Value to =
      addIndex(b, indexConstant(b, place.element / elements),
               multiplyIndex(b, share.getSlot(), indexConstant(b, slotWords)));
  for (auto [value, position] : pieces)
    memref::StoreOp::create(b, value, place.variable,
                            addIndex(b, to, position));
  share.erase();
  load.erase();
}
