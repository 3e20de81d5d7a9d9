//===- KamiTargetOps.cpp - Instructions that upstream lacks --------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/IR/KamiOps.h"
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
