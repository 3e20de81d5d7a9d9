//===- KamiTargetOps.cpp - Instructions that upstream lacks --------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/IR/KamiOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/OpImplementation.h"

using namespace kami;
using namespace mlir;

/// Registers know no sign.
static Type registerType(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  return integer ? IntegerType::get(element.getContext(), integer.getWidth())
                 : element;
}

LogicalResult MmaSyncOp::verify() {
  MmaAtomAttr atom = getAtom();
  if (atom.getInstruction() != InstructionKind::MmaSync)
    return emitOpError("expected an atom of instruction mma_sync, but got ")
           << stringifyInstructionKind(atom.getInstruction());
  if (atom.getProducts() != 1)
    return emitOpError("expected an atom of one product, but got ")
           << atom.getProducts();
  for (auto [operand, role] :
       {std::pair(getA(), Role::A), std::pair(getB(), Role::B),
        std::pair(getC(), Role::C)}) {
    auto expected =
        VectorType::get({int64_t(atom.getMap(role).valuesPerLane())},
                        registerType(atom.getElementType(role)));
    if (operand.getType() != expected)
      return emitOpError("expected operand ")
             << stringifyRole(role) << " of type " << expected << ", but got "
             << operand.getType();
  }
  return success();
}

LogicalResult StMatrixOp::verify() {
  MemRefType matrix = cast<MemRefType>(getDest().getType());
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(matrix))
    return emitOpError("expected a matrix in workgroup memory, but got ")
           << matrix;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(matrix.getStridesAndOffset(strides, offset)) ||
      strides.back() != 1)
    return emitOpError("expected a matrix whose last stride is 1, but got ")
           << matrix;
  if (int64_t(getIndices().size()) != matrix.getRank())
    return emitOpError("expected ")
           << matrix.getRank() << " indices, but got " << getIndices().size();
  Type element = matrix.getElementType();
  VectorType value = getValue().getType();
  int64_t count = value.getDimSize(0);
  if (value.getElementType() != element ||
      value.getDimSize(1) * element.getIntOrFloatBitWidth() != 32 ||
      (count != 1 && count != 2 && count != 4))
    return emitOpError("expected 1, 2 or 4 rows of 32 bits of ")
           << element << ", but got " << value;
  if (getTranspose() && element.getIntOrFloatBitWidth() != 16)
    return emitOpError("expected elements of 16 bits to transpose, but got ")
           << element;
  return success();
}
