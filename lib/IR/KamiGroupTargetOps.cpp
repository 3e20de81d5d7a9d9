//===- KamiGroupTargetOps.cpp - Warpgroup instructions -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupBuffers.h"
#include "kami/IR/KamiOps.h"

using namespace kami;
using namespace mlir;

LogicalResult MatrixDescriptorOp::verify() {
  return verifyMatrixBuffer(*this, getBuffer(), getType().getMatrix());
}

/// (C2) and (C3): a descriptor of a matrix with that role and the atom's type.
static LogicalResult verifyDescriptor(WgmmaOp op, Role role, Type type) {
  SharedMatrixAttr matrix = cast<MatrixDescriptorType>(type).getMatrix();
  Type element = op.getAtom().getElementType(role);
  if (matrix.getRole() != role || matrix.getElementType() != element)
    return op.emitOpError("expected operand ")
           << stringifyRole(role) << " to describe a matrix of that role with "
           << "elements of type " << element << ", but got " << matrix;
  return verifyUnitOrder(op, matrix);
}

/// The flat vector of a lane's registers of a tile. Integers have no sign
/// there.
static VectorType registersOf(MmaAtomAttr atom, Role role) {
  Type element = atom.getElementType(role);
  if (element.isInteger())
    element =
        IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
  return VectorType::get({int64_t(atom.getMap(role).valuesPerLane())}, element);
}

LogicalResult WgmmaOp::verify() {
  MmaAtomAttr atom = getAtom();
  if (atom.getInstruction() != InstructionKind::Wgmma)
    return emitOpError("expected an atom of instruction wgmma, but got ")
           << stringifyInstructionKind(atom.getInstruction());
  Type a = getA().getType();
  if (isa<VectorType>(a) && a != registersOf(atom, Role::A))
    return emitOpError("expected operand a of type ")
           << registersOf(atom, Role::A) << ", but got " << a;
  if ((isa<MatrixDescriptorType>(a) &&
       failed(verifyDescriptor(*this, Role::A, a))) ||
      failed(verifyDescriptor(*this, Role::B, getB().getType())))
    return failure();
  constexpr int64_t maxTiles = maxGroupColumns / groupColumnGranule;
  if (getC().empty() || int64_t(getC().size()) > maxTiles)
    return emitOpError("expected 1 to ")
           << maxTiles << " tiles of C, but got " << getC().size();
  if (widestGroupColumns(getN(), atom.getCType().isInteger()) != getN())
    return emitOpError("expected up to 4 or an even number of tiles of C for "
                       "integers, but got ")
           << getC().size();
  for (Type type : getC().getTypes())
    if (type != registersOf(atom, Role::C))
      return emitOpError("expected tiles of C of type ")
             << registersOf(atom, Role::C) << ", but got " << type;
  return success();
}

/// At least one value, and all of one type.
static LogicalResult verifySums(Operation *op, ValueRange values) {
  if (values.empty())
    return op->emitOpError("expected at least one value");
  for (Type type : values.getTypes())
    if (type != values.getTypes().front())
      return op->emitOpError("expected values of one type, but got ")
             << values.getTypes().front() << " and " << type;
  return success();
}

LogicalResult WgmmaCommitOp::verify() { return verifySums(*this, getValues()); }

LogicalResult WgmmaWaitOp::verify() { return verifySums(*this, getValues()); }
