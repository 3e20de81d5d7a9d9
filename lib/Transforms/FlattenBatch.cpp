//===- FlattenBatch.cpp - Batches without gaps have one dimension ---------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/IR/KamiOps.h"
#include "kami/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/Sequence.h"

namespace kami {
#define GEN_PASS_DEF_KAMIFLATTENBATCH
#include "kami/Transforms/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

/// All dimensions of a batch in one group, those of a matrix each in its own.
static SmallVector<ReassociationIndices> groupsOf(int64_t batchRank) {
  return {llvm::to_vector<2>(llvm::seq<int64_t>(0, batchRank)),
          {batchRank},
          {batchRank + 1}};
}

/// Whether the operand has all of C's batch, without gaps, or nothing of it.
static bool canFlatten(Value operand, MemRefType result) {
  auto type = dyn_cast<MemRefType>(operand.getType());
  if (!type)
    return false;
  if (type.getRank() == 2)
    return true;
  int64_t batchRank = result.getRank() - 2;
  return type.getRank() == result.getRank() &&
         type.getShape().drop_back(2) == result.getShape().drop_back(2) &&
         memref::CollapseShapeOp::isGuaranteedCollapsible(type,
                                                          groupsOf(batchRank));
}

static void flatten(GemmOp op) {
  auto result = dyn_cast<MemRefType>(op.getC().getType());
  if (!result || op.getBatchRank() < 2 || op.hasElementRegions() ||
      op->getParentOfType<gpu::GPUFuncOp>() ||
      llvm::is_contained(result.getShape(), 0))
    return;
  OpOperand *operands[] = {&op.getAMutable(), &op.getBMutable(),
                           &op.getCMutable()};
  if (!llvm::all_of(operands, [&](OpOperand *operand) {
        return canFlatten(operand->get(), result);
      }))
    return;
  OpBuilder builder(op);
  auto groups = groupsOf(op.getBatchRank());
  for (OpOperand *operand : operands)
    if (cast<MemRefType>(operand->get().getType()).getRank() > 2)
      operand->set(memref::CollapseShapeOp::create(builder, op.getLoc(),
                                                   operand->get(), groups));
}

namespace {
struct FlattenBatch : kami::impl::KamiFlattenBatchBase<FlattenBatch> {
  void runOnOperation() override { getOperation()->walk(flatten); }
};
} // namespace
