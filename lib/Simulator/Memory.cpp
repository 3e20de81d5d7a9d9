//===- Memory.cpp ---------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Simulator/Memory.h"
#include "kami/IR/KamiOps.h"
#include "kami/Layout/CopiedTile.h"
#include "kami/Simulator/Scalar.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace kami;
using namespace kami::sim;
using namespace mlir;

int64_t MemRef::elements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

int64_t MemRef::address(ArrayRef<int64_t> indices) const {
  int64_t element = offset;
  for (auto [index, stride] : llvm::zip_equal(indices, strides))
    element += index * stride;
  return base + element * elementBytes;
}

int64_t kami::sim::skewOfLine(const MemRef &matrix, unsigned along,
                              int64_t line) {
  int64_t at[2] = {0, 0};
  at[1 - along] = line;
  return int64_t(uint64_t(matrix.address(at)) % copiedPiece) /
         matrix.elementBytes;
}

unsigned kami::sim::elementBytes(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    // Elsewhere the size of a vector in memory is not that of its elements.
    int64_t bytes =
        vector.isScalable()
            ? 0
            : vector.getNumElements() * elementBytes(vector.getElementType());
    return llvm::isPowerOf2_64(bytes) ? bytes : 0;
  }
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * elementBytes(complex.getElementType());
  std::optional<ElementFormat> format = formatOf(type);
  return format ? format->bytes() : 0;
}

uint64_t kami::sim::readBits(const uint8_t *bytes, unsigned width) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, width);
  return bits;
}

void kami::sim::writeBits(uint8_t *bytes, unsigned width, uint64_t bits) {
  std::memcpy(bytes, &bits, width);
}

Buffer &Memory::allocate(std::string name, int64_t bytes, uint8_t fill) {
  auto &buffer = buffers.emplace_back(std::make_unique<Buffer>());
  buffer->name = std::move(name);
  buffer->bytes.assign(bytes, fill);
  return *buffer;
}

MemRef Memory::allocate(std::string name, ArrayRef<int64_t> sizes,
                        Type elementType, uint8_t fill) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  Buffer &buffer = allocate(std::move(name),
                            count * kami::sim::elementBytes(elementType), fill);
  return contiguous(buffer, sizes, elementType);
}

void Memory::release(Buffer *buffer) {
  llvm::erase_if(buffers, [&](auto &owned) { return owned.get() == buffer; });
}

static SmallVector<int64_t, 4> rowMajorStrides(ArrayRef<int64_t> sizes) {
  SmallVector<int64_t, 4> strides(sizes.size(), 1);
  for (int i = int(sizes.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * sizes[i + 1];
  return strides;
}

MemRef kami::sim::contiguous(Buffer &buffer, ArrayRef<int64_t> sizes,
                             Type elementType) {
  MemRef memref;
  memref.buffer = &buffer;
  memref.sizes.assign(sizes.begin(), sizes.end());
  memref.strides = rowMajorStrides(sizes);
  memref.elementType = elementType;
  memref.elementBytes = kami::sim::elementBytes(elementType);
  return memref;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Constants from `fixed`, the others from the front of `values`.
static SmallVector<int64_t, 4> mixed(ArrayRef<int64_t> fixed,
                                     ArrayRef<int64_t> &values) {
  SmallVector<int64_t, 4> result;
  for (int64_t value : fixed) {
    if (ShapedType::isDynamic(value)) {
      result.push_back(values.front());
      values = values.drop_front();
    } else {
      result.push_back(value);
    }
  }
  return result;
}

static FailureOr<MemRef> castView(Operation *op, const MemRef &source) {
  auto type = dyn_cast<MemRefType>(op->getResult(0).getType());
  if (!type)
    return op->emitError("cannot simulate a cast to an unranked memref");
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return op->emitError("cannot simulate a layout that is not strided");
  for (unsigned i = 0, e = source.rank(); i != e; ++i) {
    if (!type.isDynamicDim(i) && type.getDimSize(i) != source.sizes[i])
      return op->emitError("expected extent ")
             << type.getDimSize(i) << " in dimension " << i << ", but got "
             << source.sizes[i];
    if (!ShapedType::isDynamic(strides[i]) && strides[i] != source.strides[i] &&
        source.sizes[i] > 1)
      return op->emitError("expected stride ")
             << strides[i] << " in dimension " << i << ", but got "
             << source.strides[i];
  }
  if (!ShapedType::isDynamic(offset) && offset != source.offset)
    return op->emitError("expected offset ")
           << offset << ", but got " << source.offset;
  return source;
}

static FailureOr<MemRef> byteView(memref::ViewOp op, const MemRef &source,
                                  ArrayRef<int64_t> operands) {
  MemRefType type = op.getType();
  int64_t shift = operands.front();
  operands = operands.drop_front();
  MemRef view = contiguous(*source.buffer, mixed(type.getShape(), operands),
                           type.getElementType());
  view.base = source.base + source.offset + shift;
  if (view.elementBytes == 0)
    return op.emitError("cannot simulate elements of type ")
           << type.getElementType();
  int64_t bytes = view.elements() * view.elementBytes;
  if (shift < 0 || shift + bytes > source.sizes[0])
    return op.emitError("out-of-bounds view: bytes ")
           << shift << " to " << shift + bytes << " of a buffer of "
           << source.sizes[0];
  return view;
}

static FailureOr<MemRef> subView(memref::SubViewOp op, const MemRef &source,
                                 ArrayRef<int64_t> operands) {
  auto offsets = mixed(op.getStaticOffsets(), operands);
  auto sizes = mixed(op.getStaticSizes(), operands);
  auto strides = mixed(op.getStaticStrides(), operands);
  llvm::SmallBitVector dropped = op.getDroppedDims();
  MemRef view = source;
  view.sizes.clear();
  view.strides.clear();
  for (unsigned i = 0, e = source.rank(); i != e; ++i) {
    int64_t last = offsets[i] + (sizes[i] - 1) * strides[i];
    if (offsets[i] < 0 || sizes[i] < 0 ||
        (sizes[i] > 0 && (last < 0 || last >= source.sizes[i])))
      return op.emitError("out-of-bounds subview: offset ")
             << offsets[i] << ", extent " << sizes[i] << " and stride "
             << strides[i] << " in dimension " << i << " of extent "
             << source.sizes[i];
    view.offset += offsets[i] * source.strides[i];
    if (dropped.test(i))
      continue;
    view.sizes.push_back(sizes[i]);
    view.strides.push_back(strides[i] * source.strides[i]);
  }
  return view;
}

static FailureOr<MemRef> transposeView(memref::TransposeOp op,
                                       const MemRef &source) {
  MemRef view = source;
  for (auto [i, expression] :
       llvm::enumerate(op.getPermutation().getResults())) {
    unsigned from = cast<AffineDimExpr>(expression).getPosition();
    view.sizes[i] = source.sizes[from];
    view.strides[i] = source.strides[from];
  }
  return view;
}

static FailureOr<MemRef> reinterpretView(memref::ReinterpretCastOp op,
                                         const MemRef &source,
                                         ArrayRef<int64_t> operands) {
  MemRef view = source;
  view.offset = mixed(op.getStaticOffsets(), operands).front();
  view.sizes = mixed(op.getStaticSizes(), operands);
  view.strides = mixed(op.getStaticStrides(), operands);
  return view;
}

static FailureOr<MemRef> collapseView(memref::CollapseShapeOp op,
                                      const MemRef &source) {
  MemRef view = source;
  view.sizes.clear();
  view.strides.clear();
  for (const auto &group : op.getReassociationIndices()) {
    int64_t size = 1, stride = 1;
    bool first = true;
    for (int64_t dim : llvm::reverse(group)) {
      if (source.sizes[dim] == 1)
        continue;
      if (!first && source.strides[dim] != stride * size)
        return op.emitError("expected dimension ")
               << dim << " to be contiguous with the next, but its stride is "
               << source.strides[dim] << " and not " << stride * size;
      if (first)
        stride = source.strides[dim];
      first = false;
      size *= source.sizes[dim];
    }
    view.sizes.push_back(size);
    view.strides.push_back(stride);
  }
  return view;
}

static FailureOr<MemRef> expandView(memref::ExpandShapeOp op,
                                    const MemRef &source,
                                    ArrayRef<int64_t> operands) {
  MemRef view = source;
  view.sizes = mixed(op.getStaticOutputShape(), operands);
  view.strides.assign(view.sizes.size(), 1);
  for (auto [from, group] : llvm::enumerate(op.getReassociationIndices())) {
    int64_t stride = source.strides[from], count = 1;
    for (int64_t dim : llvm::reverse(group)) {
      view.strides[dim] = stride;
      stride *= view.sizes[dim];
      count *= view.sizes[dim];
    }
    if (count != source.sizes[from])
      return op.emitError("expected ")
             << count << " elements in dimension " << from << ", but got "
             << source.sizes[from];
  }
  return view;
}

MemRef kami::sim::complexPart(const MemRef &memref, bool imaginary) {
  MemRef part = memref;
  part.offset = 2 * memref.offset + (imaginary ? 1 : 0);
  for (int64_t &stride : part.strides)
    stride *= 2;
  part.elementType = cast<ComplexType>(memref.elementType).getElementType();
  part.elementBytes = memref.elementBytes / 2;
  return part;
}

/// A matrix of complex numbers as one of twice as many reals a row.
static MemRef asReal(const MemRef &memref) {
  MemRef reals = complexPart(memref, /*imaginary=*/false);
  reals.sizes.back() *= 2;
  reals.strides.back() = 1;
  return reals;
}

bool kami::sim::isViewOp(Operation *op) {
  return isa<AsRealOp, ComplexPartOp, memref::CastOp, memref::MemorySpaceCastOp,
             memref::ViewOp, memref::SubViewOp, memref::TransposeOp,
             memref::ReinterpretCastOp, memref::CollapseShapeOp,
             memref::ExpandShapeOp, memref::AssumeAlignmentOp>(op);
}

FailureOr<MemRef> kami::sim::evaluateView(Operation *op, const MemRef &source,
                                          ArrayRef<int64_t> operands) {
  return llvm::TypeSwitch<Operation *, FailureOr<MemRef>>(op)
      .Case([&](AsRealOp) { return asReal(source); })
      .Case([&](ComplexPartOp part) {
        return complexPart(source, part.getImaginary());
      })
      .Case([&](memref::CastOp) { return castView(op, source); })
      .Case([&](memref::MemorySpaceCastOp) { return source; })
      .Case([&](memref::AssumeAlignmentOp assume) -> FailureOr<MemRef> {
        int64_t address =
            source.base + source.offset * int64_t(source.elementBytes);
        if (address % assume.getAlignment() != 0)
          return op->emitError("expected a memref aligned to ")
                 << assume.getAlignment() << " bytes, but got one at "
                 << address;
        return source;
      })
      .Case(
          [&](memref::ViewOp view) { return byteView(view, source, operands); })
      .Case([&](memref::SubViewOp view) {
        return subView(view, source, operands);
      })
      .Case(
          [&](memref::TransposeOp view) { return transposeView(view, source); })
      .Case([&](memref::ReinterpretCastOp view) {
        return reinterpretView(view, source, operands);
      })
      .Case([&](memref::CollapseShapeOp view) {
        return collapseView(view, source);
      })
      .Case([&](memref::ExpandShapeOp view) {
        return expandView(view, source, operands);
      })
      .Default(
          [](Operation *other) { return other->emitError("is not a view"); });
}
