//===- KamiComplexOps.cpp - Parts of complex matrices --------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComplexProduct.h"
#include "ElementRegion.h"
#include "kami/IR/KamiOps.h"
#include "mlir/IR/Builders.h"

using namespace kami;
using namespace mlir;

//===----------------------------------------------------------------------===//
// ComplexPartOp
//===----------------------------------------------------------------------===//

MemRefType ComplexPartOp::viewType(MemRefType source, bool imaginary) {
  auto element = dyn_cast<ComplexType>(source.getElementType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!element || !isa<FloatType>(element.getElementType()) ||
      failed(source.getStridesAndOffset(strides, offset)))
    return {};
  for (int64_t &stride : strides)
    if (ShapedType::isStatic(stride))
      stride *= 2;
  if (ShapedType::isStatic(offset))
    offset = 2 * offset + (imaginary ? 1 : 0);
  auto layout = StridedLayoutAttr::get(source.getContext(), offset, strides);
  return MemRefType::get(source.getShape(), element.getElementType(), layout,
                         source.getMemorySpace());
}

void ComplexPartOp::build(OpBuilder &builder, OperationState &state,
                          Value source, bool imaginary) {
  build(builder, state, viewType(cast<MemRefType>(source.getType()), imaginary),
        source, imaginary);
}

LogicalResult ComplexPartOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  MemRefType expected = viewType(source, getImaginary());
  if (!expected)
    return emitOpError("expected a matrix of complex floats, but got ")
           << source;
  if (getResult().getType() != expected)
    return emitOpError("expected a result of type ")
           << expected << ", but got " << getResult().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// AsRealOp
//===----------------------------------------------------------------------===//

MemRefType AsRealOp::viewType(MemRefType source) {
  auto element = dyn_cast<ComplexType>(source.getElementType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!element || !isa<FloatType>(element.getElementType()) ||
      source.getRank() == 0 ||
      failed(source.getStridesAndOffset(strides, offset)) ||
      strides.back() != 1)
    return {};
  auto twice = [](int64_t value) {
    return ShapedType::isStatic(value) ? 2 * value : value;
  };
  for (int64_t &stride : MutableArrayRef(strides).drop_back())
    stride = twice(stride);
  SmallVector<int64_t> shape(source.getShape());
  shape.back() = twice(shape.back());
  auto layout =
      StridedLayoutAttr::get(source.getContext(), twice(offset), strides);
  return MemRefType::get(shape, element.getElementType(), layout,
                         source.getMemorySpace());
}

void AsRealOp::build(OpBuilder &builder, OperationState &state, Value source) {
  build(builder, state, viewType(cast<MemRefType>(source.getType())), source);
}

LogicalResult AsRealOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  MemRefType expected = viewType(source);
  if (!expected)
    return emitOpError("expected complex floats that are adjacent along the "
                       "last dimension, but got ")
           << source;
  if (getResult().getType() != expected)
    return emitOpError("expected a result of type ")
           << expected << ", but got " << getResult().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// CombineOp
//===----------------------------------------------------------------------===//

LogicalResult CombineOp::verify() {
  if (getMatrices().empty())
    return emitOpError("expected at least one matrix");
  DistributedType type = getResult().getType();
  if (type.getRole() != Role::C)
    return emitOpError("expected a result of role c, but got ")
           << stringifyRole(type.getRole());
  for (Type matrix : getMatrices().getTypes())
    if (matrix != type)
      return emitOpError("expected matrices of the result's type ")
             << type << ", but got " << matrix;
  SmallVector<Type> elements(getMatrices().size(), type.getElementType());
  return verifyElementRegion(*this, "region", getBody(), elements,
                             type.getElementType());
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

LogicalResult kami::verifyComplexProduct(GemmOp op) {
  Type accumulator = op.getAccumulator();
  for (auto [shaped, name] :
       {std::pair(op.getAType(), "A"), std::pair(op.getBType(), "B"),
        std::pair(op.getCType(), "C")})
    if (shaped.getElementType() != accumulator)
      return op.emitOpError("expected elements of the accumulator's type ")
             << accumulator << " where any is complex, but got "
             << shaped.getElementType() << " of " << name;
  Type part = cast<ComplexType>(accumulator).getElementType();
  if (!part.isF32() && !part.isF64())
    return op.emitOpError("expected complex numbers of f32 or f64, but got ")
           << accumulator;
  if (op.getPrecision() && !part.isF32())
    return op.emitOpError("expected parts of f32 for precision ")
           << stringifyPrecision(*op.getPrecision()) << ", but got " << part;
  if (op.getUnsignedA() || op.getUnsignedB())
    return op.emitOpError("expected integer elements for ")
           << (op.getUnsignedA() ? "unsigned_a" : "unsigned_b") << ", but got "
           << accumulator;
  if (op.hasElementRegions())
    return op.emitOpError("expected no regions for complex elements");
  return success();
}

LogicalResult kami::verifyInterleavedParts(GemmOp op) {
  PlanAttr plan = op.getPlanAttr();
  bool isPlanned = plan && plan.getInterleavesParts();
  if (!op.getInterleavedParts())
    return !isPlanned || op.isComplex()
               ? success()
               : op.emitOpError("expected a plan for reals, but got ") << plan;
  if (!isPlanned)
    return op.emitOpError("expected a plan for interleaved parts, but got ")
           << plan;
  Type element = op.getAccumulator();
  if (!element.isF32() && !element.isF64())
    return op.emitOpError("expected parts of f32 or f64, but got ") << element;
  for (auto [matrix, name] :
       {std::pair(op.getA(), "A"), std::pair(op.getB(), "B"),
        std::pair(op.getC(), "C")}) {
    auto type = dyn_cast<MemRefType>(matrix.getType());
    if (!type || type.getElementType() != element)
      return op.emitOpError("expected a memref of ")
             << element << " for " << name
             << " with interleaved parts, but got " << matrix.getType();
  }
  for (auto [matrix, name] :
       {std::pair(op.getA(), "A"), std::pair(op.getB(), "B")}) {
    SmallVector<int64_t> strides;
    int64_t offset;
    auto type = cast<MemRefType>(matrix.getType());
    if (failed(type.getStridesAndOffset(strides, offset)) ||
        strides.back() != 1)
      return op.emitOpError("expected interleaved parts of ")
             << name << " to be adjacent along its last dimension, but got "
             << type;
  }
  if (op.hasElementRegions() || op.getLayers())
    return op.emitOpError(
        "expected neither regions nor layers with interleaved parts");
  for (auto [extent, name] :
       {std::pair(op.getN(), "n"), std::pair(op.getK(), "k")})
    if (ShapedType::isStatic(extent) && extent % 2 != 0)
      return op.emitOpError("expected an even ")
             << name << " with interleaved parts, but got " << extent;
  return success();
}
