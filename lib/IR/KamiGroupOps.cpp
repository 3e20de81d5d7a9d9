//===- KamiGroupOps.cpp - What four warps do in unison -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementRegion.h"
#include "GroupBuffers.h"
#include "kami/IR/KamiOps.h"

using namespace kami;
using namespace mlir;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

//===----------------------------------------------------------------------===//
// PlaceOp
//===----------------------------------------------------------------------===//

/// The fragment is of a window of the matrix in the op's buffer.
template <typename PlacedOp>
static LogicalResult verifyPlaced(PlacedOp op, FragmentType fragment) {
  if (failed(verifyWindow(op, op.getMatrix(), fragment.getRole(),
                          fragment.getElementType(), fragment.getRows(),
                          fragment.getColumns())))
    return failure();
  return verifyMatrixBuffer(op, op.getBuffer(), op.getMatrix());
}

LogicalResult PlaceOp::verify() {
  return verifyPlaced(*this, getValue().getType());
}

void PlaceOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getBufferMutable());
}

//===----------------------------------------------------------------------===//
// LoadPlacedOp
//===----------------------------------------------------------------------===//

LogicalResult LoadPlacedOp::verify() {
  FragmentType fragment = getResult().getType();
  if (!fragment.isPlain())
    return emitOpError("expected tiles that are not interleaved, but got ")
           << fragment;
  return verifyPlaced(*this, fragment);
}

void LoadPlacedOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getBufferMutable());
}

//===----------------------------------------------------------------------===//
// GroupMmaOp
//===----------------------------------------------------------------------===//

int64_t GroupMmaOp::getK() {
  if (auto fragment = dyn_cast<FragmentType>(getA().getType()))
    return fragment.getColumns();
  return getDepth().value_or(0);
}

/// (C3), (C7): the unit reads such a window of the matrix.
static LogicalResult verifyUnitWindow(GroupMmaOp op, SharedMatrixAttr matrix,
                                      Role role, int64_t rows,
                                      int64_t columns) {
  if (failed(verifyWindow(op, matrix, role, op.getAtom().getElementType(role),
                          rows, columns)))
    return failure();
  return verifyUnitOrder(op, matrix);
}

/// (C2) for A in registers.
static LogicalResult verifyFragmentA(GroupMmaOp op, FragmentType a) {
  FragmentType c = op.getC().getType();
  if (!op.getAIndices().empty() || op.getAMatrix() || op.getDepth())
    return op.emitOpError(
        "expected no indices, matrix and depth for an A in registers");
  if (a.getRole() != Role::A)
    return op.emitOpError("expected an A of role a, but got ")
           << stringifyRole(a.getRole());
  if (a.getAtom() != c.getAtom())
    return op.emitOpError("expected fragments of one atom");
  if (a.getRows() != c.getRows())
    return op.emitOpError("expected C's m extent ")
           << a.getRows() << ", as A's, but got " << c.getRows();
  return verifyAtomElement(op, a);
}

/// (C2) to (C4) for A in shared memory.
static LogicalResult verifySharedA(GroupMmaOp op) {
  if (op.getAIndices().size() != 2 || !op.getAMatrix() || !op.getDepth())
    return op.emitOpError("expected a row, a column, a matrix and a depth for "
                          "an A in shared memory");
  // Rows of a fragment may be numbered otherwise.
  if (op.getAtom().getMap(Role::C).at(/*lane=*/4, /*value=*/0).row != 1)
    return op.emitOpError("expected the instruction's own rows of C for an A "
                          "in shared memory, but got layout '")
           << op.getAtom().getCLayout() << "'";
  int64_t step = op.getAtom().getK(), depth = *op.getDepth();
  if (depth < 1 || depth % step != 0)
    return op.emitOpError("expected a depth that is a positive multiple of ")
           << step << ", but got " << depth;
  if (failed(verifyUnitWindow(op, *op.getAMatrix(), Role::A,
                              op.getC().getType().getRows() * warpsPerGroup,
                              depth)))
    return failure();
  return verifyMatrixBuffer(op, op.getA(), *op.getAMatrix());
}

LogicalResult GroupMmaOp::verify() {
  FragmentType c = getC().getType();
  if (c.getRole() != Role::C)
    return emitOpError("expected a C of role c, but got ")
           << stringifyRole(c.getRole());
  if (getAtom().getInstruction() != InstructionKind::Wgmma)
    return emitOpError("expected an atom of instruction wgmma, but got ")
           << stringifyInstructionKind(getAtom().getInstruction());
  if (failed(verifyAtomElement(*this, c)))
    return failure();
  auto fragment = dyn_cast<FragmentType>(getA().getType());
  if (failed(fragment ? verifyFragmentA(*this, fragment)
                      : verifySharedA(*this)))
    return failure();
  if (failed(verifyUnitWindow(*this, getBMatrix(), Role::B, getK(),
                              c.getColumns())))
    return failure();
  auto isWait = [](Operation *user) { return isa<GroupWaitOp>(user); };
  if (getPending() && (!getResult().hasOneUse() ||
                       !llvm::all_of(getResult().getUsers(), isWait)))
    return emitOpError("expected kami.group_wait as the only user of what is "
                       "pending");
  return verifyMatrixBuffer(*this, getB(), getBMatrix());
}

LogicalResult GroupWaitOp::verify() {
  auto mma = getValue().getDefiningOp<GroupMmaOp>();
  if (!mma || !mma.getPending())
    return emitOpError("expected the result of a pending kami.group_mma");
  return success();
}

void GroupMmaOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getBMutable());
  if (isa<MemRefType>(getA().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &getAMutable());
}

//===----------------------------------------------------------------------===//
// Matrices in buffers
//===----------------------------------------------------------------------===//

LogicalResult kami::verifyWindow(Operation *op, SharedMatrixAttr matrix,
                                 Role role, Type elementType, int64_t rows,
                                 int64_t columns) {
  if (matrix.getRole() != role || matrix.getElementType() != elementType)
    return op->emitOpError("expected a matrix of role ")
           << stringifyRole(role) << " with elements of type " << elementType
           << ", but got " << matrix;
  if (matrix.getRows() < rows || matrix.getColumns() < columns)
    return op->emitOpError("expected a matrix of at least ")
           << rows << "x" << columns << ", but got " << matrix.getRows() << "x"
           << matrix.getColumns();
  return success();
}

LogicalResult kami::verifyUnitOrder(Operation *op, SharedMatrixAttr matrix) {
  if (matrix.getMatrix().isValid())
    return success();
  return op->emitOpError("expected elements that are adjacent along k, but "
                         "got ")
         << matrix;
}

LogicalResult kami::verifyMatrixBuffer(Operation *op, Value buffer,
                                       SharedMatrixAttr matrix) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) ||
      !type.getLayout().isIdentity())
    return op->emitOpError(
               "expected a buffer in workgroup memory without offset, but got ")
           << type;
  int64_t needed = matrix.getMatrix().byteSize();
  if (type.hasStaticShape() && type.getDimSize(0) < needed)
    return op->emitOpError("expected a buffer of at least ")
           << needed << " bytes, but got " << type.getDimSize(0);
  return success();
}
