//===- Gpu.cpp ------------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indices of threads and blocks, and barriers.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace kami::sim;
using namespace mlir;

static int64_t along(Dim3 extents, gpu::Dimension dimension) {
  return dimension == gpu::Dimension::x   ? extents.x
         : dimension == gpu::Dimension::y ? extents.y
                                          : extents.z;
}

static LogicalResult fillResult(Execution &x, Warp &warp,
                                const Instruction &instruction, int64_t value) {
  uint64_t *output = x.lanes(warp, instruction.results[0]);
  std::fill(output, output + x.width, uint64_t(value));
  return success();
}

static LogicalResult runThreadId(Execution &x, Warp &warp,
                                 const Instruction &instruction) {
  gpu::Dimension dimension =
      cast<gpu::ThreadIdOp>(instruction.op).getDimension();
  uint64_t *output = x.lanes(warp, instruction.results[0]);
  for (unsigned lane = 0; lane != x.width; ++lane) {
    int64_t thread = int64_t(warp.index) * x.width + lane;
    Dim3 place{thread % x.block.x, thread / x.block.x % x.block.y,
               thread / (x.block.x * x.block.y)};
    output[lane] = along(place, dimension);
  }
  return success();
}

static LogicalResult runBlockId(Execution &x, Warp &warp,
                                const Instruction &instruction) {
  return fillResult(
      x, warp, instruction,
      along(x.blockId, cast<gpu::BlockIdOp>(instruction.op).getDimension()));
}

static LogicalResult runBlockDim(Execution &x, Warp &warp,
                                 const Instruction &instruction) {
  return fillResult(
      x, warp, instruction,
      along(x.block, cast<gpu::BlockDimOp>(instruction.op).getDimension()));
}

static LogicalResult runGridDim(Execution &x, Warp &warp,
                                const Instruction &instruction) {
  return fillResult(
      x, warp, instruction,
      along(x.grid, cast<gpu::GridDimOp>(instruction.op).getDimension()));
}

static LogicalResult runLaneId(Execution &x, Warp &warp,
                               const Instruction &instruction) {
  uint64_t *output = x.lanes(warp, instruction.results[0]);
  for (unsigned lane = 0; lane != x.width; ++lane)
    output[lane] = lane;
  return success();
}

static LogicalResult runSubgroupId(Execution &x, Warp &warp,
                                   const Instruction &instruction) {
  return fillResult(x, warp, instruction, warp.index);
}

static LogicalResult runSubgroupSize(Execution &x, Warp &warp,
                                     const Instruction &instruction) {
  return fillResult(x, warp, instruction, x.width);
}

static LogicalResult runNumSubgroups(Execution &x, Warp &warp,
                                     const Instruction &instruction) {
  return fillResult(x, warp, instruction,
                    (x.block.count() + x.width - 1) / x.width);
}

static LogicalResult runDynamicShared(Execution &x, Warp &warp,
                                      const Instruction &instruction) {
  auto type = cast<MemRefType>(instruction.op->getResult(0).getType());
  int64_t bytes = elementBytes(type.getElementType());
  warp.memrefs[instruction.results[0].index] = contiguous(
      *x.dynamicShared, x.dynamicShared->size() / bytes, type.getElementType());
  return success();
}

static LogicalResult runReturn(Execution &, Warp &warp, const Instruction &) {
  warp.state = Warp::Done;
  return success();
}

LogicalResult kami::sim::runBarrier(Execution &x, Warp &warp,
                                    const Instruction &instruction) {
  if (warp.mask != warp.full)
    return x.fail(Violation::DivergentBarrier, instruction)
           << "divergent barrier: only " << llvm::popcount(warp.mask) << " of "
           << llvm::popcount(warp.full) << " lanes arrive at it in warp "
           << warp.index << ", block " << x.blockIndex;
  warp.state = Warp::Waiting;
  return success();
}

LogicalResult kami::sim::decodeGpu(Decoder &decoder, Operation *op,
                                   bool &handled) {
  Handler handler =
      llvm::TypeSwitch<Operation *, Handler>(op)
          .Case([](gpu::ThreadIdOp) { return runThreadId; })
          .Case([](gpu::BlockIdOp) { return runBlockId; })
          .Case([](gpu::BlockDimOp) { return runBlockDim; })
          .Case([](gpu::GridDimOp) { return runGridDim; })
          .Case([](gpu::LaneIdOp) { return runLaneId; })
          .Case([](gpu::SubgroupIdOp) { return runSubgroupId; })
          .Case([](gpu::SubgroupSizeOp) { return runSubgroupSize; })
          .Case([](gpu::NumSubgroupsOp) { return runNumSubgroups; })
          .Case([](gpu::DynamicSharedMemoryOp) { return runDynamicShared; })
          .Case([](gpu::BarrierOp) { return runBarrier; })
          .Case([](gpu::ReturnOp) { return runReturn; })
          .Default([](Operation *) { return nullptr; });
  handled = handler != nullptr;
  return handled ? decoder.emit(op, handler) : success();
}
