//===- BlockMemory.cpp - A kernel's shared memory ------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockMemory.h"
#include "Distributor.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Layout/SharedMatrix.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;
using namespace mlir;

static bool isInLoop(Operation *op) {
  return op->getParentOfType<LoopLikeOpInterface>() != nullptr;
}

static int64_t alignmentOf(const Plan &plan) {
  return plan.unit() == Unit::WarpGroup ? groupMatrixAlignment : 16;
}

LogicalResult BlockMemory::addProduct(GemmOp op) {
  FailureOr<Plan> plan = toPlan(op, *op.getPlan());
  if (failed(plan))
    return failure();
  Exchange exchange = exchangeOf(op, *plan);
  SharedLayout layout = kami::sharedLayout(*plan, exchange);
  scratch = std::max(scratch, layout.bytes - layout.kept);
  Partition partition = plan->partition();
  bool writes = writesShared(partition, plan->slices, exchange);
  bool leaves =
      leavesReads(partition, plan->slices, exchange) || plan->grid.k > 1;
  // Of two buffers, either may have been the last; and barriers that hold up
  // some warps leave the others where they are.
  bool leavesAny =
      leaves || (writes && (exchange.transport == Transport::DoubleBuffered ||
                            exchangeScope(partition, plan->slices, exchange) !=
                                BarrierScope::Block));
  uses.push_back({op, writes, leaves, leavesAny, *op.getPlan(), exchange});
  return success();
}

LogicalResult BlockMemory::addRedistribution(RedistributeOp op) {
  FailureOr<Plan> first = toPlan(op, op.getValue().getType().getPlan());
  FailureOr<Plan> second = toPlan(op, op.getType().getPlan());
  if (failed(first) || failed(second))
    return failure();
  if (op.getType().getRole() == Role::A && keepsRegisters(*first, *second))
    return success();
  scratch = std::max(scratch, relayShape(op.getType()).bytes());
  uses.push_back({op, /*writes=*/true, /*leavesReads=*/true,
                  /*leavesAnyReads=*/true});
  return addHome(op, op.getResult());
}

/// Room for what a distributed matrix keeps in shared memory.
LogicalResult BlockMemory::addHome(Operation *op,
                                   TypedValue<DistributedType> matrix) {
  DistributedType type = matrix.getType();
  FailureOr<Plan> plan = toPlan(op, type.getPlan());
  if (failed(plan))
    return failure();
  // C is in registers.
  if (type.getRole() == Role::C)
    return success();
  Exchange exchange = plan->exchange();
  (type.getRole() == Role::A ? exchange.a : exchange.b) = Source::Block;
  SharedLayout layout = kami::sharedLayout(*plan, exchange);
  if (layout.kept == 0)
    return success();
  kept = llvm::alignTo(kept, alignmentOf(*plan));
  homes[op] = kept;
  alignment = std::max(alignment, alignmentOf(*plan));
  kept += layout.kept;
  if (!isInLoop(op))
    return success();
  // The next round writes the same bytes again.
  guarded.insert(op);
  for (Operation *user : matrix.getUsers())
    if (user->hasTrait<OpTrait::IsTerminator>())
      return op->emitOpError("cannot pass a matrix that lies in shared memory "
                             "from one round of a loop to the next");
  return success();
}

void BlockMemory::findHazards() {
  auto sharesLoop = [](Operation *one, Operation *other) {
    for (auto loop = one->getParentOfType<LoopLikeOpInterface>(); loop;
         loop = loop->getParentOfType<LoopLikeOpInterface>())
      if (loop->isProperAncestor(other))
        return true;
    return false;
  };
  for (auto [index, use] : llvm::enumerate(uses)) {
    if (!use.writes)
      continue;
    for (auto [otherIndex, other] : llvm::enumerate(uses))
      if ((use.isLike(other) ? other.leavesReads : other.leavesAnyReads) &&
          (otherIndex < index || sharesLoop(use.op, other.op)))
        guarded.insert(use.op);
  }
}

FailureOr<BlockMemory> BlockMemory::of(gpu::GPUFuncOp kernel) {
  BlockMemory memory;
  WalkResult result = kernel.walk([&](Operation *op) {
    if (auto product = dyn_cast<GemmOp>(op))
      return WalkResult(memory.addProduct(product));
    if (auto distribution = dyn_cast<DistributeOp>(op))
      return WalkResult(memory.addHome(distribution, distribution.getResult()));
    if (auto redistribution = dyn_cast<RedistributeOp>(op))
      return WalkResult(memory.addRedistribution(redistribution));
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  // Distributed matrices come behind the scratch part.
  memory.scratch = llvm::alignTo(memory.scratch, memory.alignment);
  for (auto &[op, offset] : memory.homes)
    offset += memory.scratch;
  memory.total = memory.scratch + memory.kept;
  memory.findHazards();
  return memory;
}
