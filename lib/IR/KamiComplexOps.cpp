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
