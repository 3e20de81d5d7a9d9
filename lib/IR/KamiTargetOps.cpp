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

LogicalResult MmaSyncOp::verify() {
  MmaAtomAttr atom = getAtom();
  if (atom.getInstruction() != InstructionKind::MmaSync)
    return emitOpError("expected an atom of instruction mma_sync, but got ")
           << stringifyInstructionKind(atom.getInstruction());
  for (auto [operand, role] :
       {std::pair(getA(), Role::A), std::pair(getB(), Role::B),
        std::pair(getC(), Role::C)}) {
    auto expected =
        VectorType::get({int64_t(atom.getMap(role).valuesPerLane())},
                        atom.getElementType(role));
    if (operand.getType() != expected)
      return emitOpError("expected operand ")
             << stringifyRole(role) << " of type " << expected << ", but got "
             << operand.getType();
  }
  return success();
}
