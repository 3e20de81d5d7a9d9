//===- KamiCopyOps.cpp - Tiles on their way to a block --------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/IR/KamiOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace kami;
using namespace mlir;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

LogicalResult CopyAsyncOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto dest = cast<MemRefType>(getDest().getType());
  Type element = source.getElementType();
  if (element != dest.getElementType())
    return emitOpError("expected matrices of one element type, but got ")
           << element << " and " << dest.getElementType();
  unsigned bits = element.getIntOrFloatBitWidth();
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return emitOpError("expected elements of 8, 16, 32 or 64 bits, but got ")
           << element;
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(dest))
    return emitOpError("expected a destination in workgroup memory, but got ")
           << dest;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!dest.hasStaticShape() ||
      failed(dest.getStridesAndOffset(strides, offset)) ||
      llvm::is_contained(strides, ShapedType::kDynamic))
    return emitOpError("expected a destination with known extents and strides, "
                       "but got ")
           << dest;
  for (auto [dim, name] : {std::pair(0, "rows"), std::pair(1, "columns")})
    if (!source.isDynamicDim(dim) &&
        source.getDimSize(dim) > dest.getDimSize(dim))
      return emitOpError("expected a destination of at least ")
             << source.getDimSize(dim) << " " << name << ", but got "
             << dest.getDimSize(dim);
  if (getThreads() < 1)
    return emitOpError("expected at least one thread, but got ")
           << getThreads();
  return success();
}

void CopyAsyncOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getDestMutable());
}

/// Copies stay in their groups, and what waits for them behind.
static void addOrderEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void CopyCommitOp::getEffects(Effects &effects) { addOrderEffects(effects); }

void CopyWaitOp::getEffects(Effects &effects) { addOrderEffects(effects); }
