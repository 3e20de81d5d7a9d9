//===- Shares.cpp - What a warp holds of a matrix ------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shares.h"
#include "kami/Layout/CopiedTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace kami;
using namespace mlir;

int64_t kami::receiversOf(const Partition &partition, Role role) {
  return role == Role::A ? partition.grid.n : partition.grid.m;
}

int64_t kami::firstStage(const Partition &partition, int64_t receivers,
                         int64_t index) {
  return index / partition.slicesPerStage * receivers;
}

Holdings::Holdings(const Partition &partition, const Slicing &unclamped,
                   const Exchange &exchange, Role role) {
  Slicing slicing = clampSlicing(partition, unclamped);
  bool isA = role == Role::A;
  if (isA ? exchange.keepsParkedA(partition.grid)
          : exchange.keepsParkedB(partition.grid))
    parked = isA ? slicing.sharedA : slicing.sharedB;
  int64_t held = isA ? partition.heldA() : partition.heldB();
  if (exchange.unit == Unit::WarpGroup) {
    // All of A's columns are one fragment.
    if (isA && parked == 0)
      inRegisters.push_back(0);
    return;
  }
  int64_t receivers = receiversOf(partition, role);
  for (int64_t index = 0; index != held - parked; ++index)
    if (partition.isActive(firstStage(partition, receivers, index),
                           index % partition.slicesPerStage))
      inRegisters.push_back(index);
}

Value kami::extentOf(ImplicitLocOpBuilder &b, Value matrix, unsigned dim) {
  return getValueOrCreateConstantIndexOp(
      b, b.getLoc(), memref::getMixedSize(b, b.getLoc(), matrix, dim));
}

bool kami::hasWholeLines(ArrayRef<int64_t> strides, unsigned along,
                         int64_t elementBytes) {
  int64_t next = strides[1 - along];
  return strides[along] == 1 &&
         (ShapedType::isDynamic(next) ||
          (next > 0 && areWholePieces(next, elementBytes)));
}

MemRefType kami::bufferType(MLIRContext *context, int64_t bytes) {
  auto space = gpu::AddressSpaceAttr::get(
      context, gpu::GPUDialect::getWorkgroupAddressSpace());
  return MemRefType::get({bytes}, IntegerType::get(context, 8),
                         MemRefLayoutAttrInterface(), space);
}

FragmentType kami::shareType(const Partition &partition, MmaAtomAttr atom,
                             Role role, const Interleave &interleave) {
  int64_t rows = role == Role::B ? partition.sliceK : partition.warpM;
  int64_t columns = role == Role::A ? partition.sliceK : partition.warpN;
  SmallVector<int64_t, 2> groups = {
      role == Role::B ? interleave.k : interleave.m,
      role == Role::A ? interleave.k : interleave.n};
  if (llvm::all_of(groups, [](int64_t group) { return group == 0; }))
    groups.clear();
  return FragmentType::get(atom.getContext(), rows, columns,
                           atom.getElementType(role), role, atom, groups);
}

FragmentType kami::rowsType(const Partition &partition, MmaAtomAttr atom) {
  return FragmentType::get(atom.getContext(), partition.warpM,
                           partition.paddedK(), atom.getAType(), Role::A, atom);
}

Value kami::viewAt(ImplicitLocOpBuilder &b, Value memory, Value start,
                   ArrayRef<int64_t> shape, Type element) {
  auto type =
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                      cast<MemRefType>(memory.getType()).getMemorySpace());
  return memref::ViewOp::create(b, type, memory, start, ValueRange());
}

Value kami::viewInShared(ImplicitLocOpBuilder &b, int64_t start,
                         ArrayRef<int64_t> shape, Type element) {
  Value memory = gpu::DynamicSharedMemoryOp::create(
      b, bufferType(b.getContext(), ShapedType::kDynamic));
  return viewAt(b, memory, arith::ConstantIndexOp::create(b, start), shape,
                element);
}

SharedMatrixAttr kami::matrixType(const SharedMatrix &matrix, Type element,
                                  Role role) {
  bool isA = role == Role::A;
  return SharedMatrixAttr::get(
      element.getContext(), isA ? matrix.outer : matrix.k,
      isA ? matrix.k : matrix.outer, element, role,
      matrix.major == Major::K ? MajorKind::KMajor : MajorKind::MNMajor,
      matrix.swizzleBytes);
}

SharedMatrixAttr kami::residentType(const Partition &partition,
                                    MmaAtomAttr atom, Role role) {
  Type element = atom.getElementType(role);
  unsigned bytes = element.getIntOrFloatBitWidth() / 8;
  return matrixType(role == Role::A ? residentA(partition, bytes)
                                    : residentB(partition, bytes),
                    element, role);
}

int64_t kami::parkedBytes(const Partition &partition, const Exchange &exchange,
                          FragmentType slice, int64_t parked) {
  if (exchange.unit == Unit::WarpGroup)
    return residentType(partition, slice.getAtom(), slice.getRole())
        .getMatrix()
        .byteSize();
  return partition.grid.warps() * parked * slice.getByteSize();
}

RelayShape kami::relayShape(DistributedType type) {
  return RelayShape(type.getShape()[0], type.getShape()[1],
                    type.getElementType().getIntOrFloatBitWidth() / 8);
}

SmallVector<Type> kami::shareTypes(DistributedType type, const Plan &plan) {
  Partition partition = plan.partition();
  FragmentType fragment = shareType(partition, type.getPlan().getAtom(),
                                    type.getRole(), plan.interleave);
  if (type.getRole() == Role::C)
    return {fragment};
  Exchange exchange = plan.exchange(Source::Block);
  Holdings holdings(partition, plan.slices, exchange, type.getRole());
  if (exchange.unit == Unit::WarpGroup && type.getRole() == Role::A)
    fragment = rowsType(partition, fragment.getAtom());
  SmallVector<Type> types(holdings.inRegisters.size(), fragment);
  if (holdings.parked)
    types.push_back(
        bufferType(type.getContext(), parkedBytes(partition, exchange, fragment,
                                                  holdings.parked)));
  return types;
}
