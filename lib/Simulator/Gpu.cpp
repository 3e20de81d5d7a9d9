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
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
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

/// Values move between the lanes of a whole warp: from another lane, or a
/// lane's own where there is no such lane.
static LogicalResult runLaneShuffle(Execution &x, Warp &warp,
                                    const Instruction &instruction) {
  auto op = cast<gpu::ShuffleOp>(instruction.op);
  int64_t width;
  if (failed(x.requireConverged(warp, instruction)) ||
      failed(x.uniform(warp, instruction, instruction.operands[2], width)))
    return failure();
  if (width != int64_t(x.width))
    return x.fail(Violation::Unsupported, instruction)
           << "expected a shuffle of " << x.width << " lanes, but got "
           << width;
  const uint64_t *offsets = x.lanes(warp, instruction.operands[1]);
  auto source = [&](int64_t lane) -> int64_t {
    int64_t offset = uint32_t(offsets[lane]);
    switch (op.getMode()) {
    case gpu::ShuffleMode::XOR:
      return lane ^ offset;
    case gpu::ShuffleMode::UP:
      return lane - offset;
    case gpu::ShuffleMode::DOWN:
      return lane + offset;
    case gpu::ShuffleMode::IDX:
      return offset;
    }
    llvm_unreachable("covered switch");
  };
  Slot value = instruction.operands[0], result = instruction.results[0];
  uint64_t *valid = x.lanes(warp, instruction.results[1]);
  for (int e = 0; e != result.count; ++e) {
    const uint64_t *from = x.lanes(warp, value, e);
    uint64_t *to = x.lanes(warp, result, e);
    for (int64_t lane = 0; lane != width; ++lane) {
      int64_t other = source(lane);
      valid[lane] = other >= 0 && other < width;
      to[lane] = from[valid[lane] ? other : lane];
    }
  }
  return success();
}

static LogicalResult runReturn(Execution &, Warp &warp, const Instruction &) {
  warp.state = Warp::Done;
  return success();
}

LogicalResult kami::sim::runBarrier(Execution &x, Warp &warp,
                                    const Instruction &instruction) {
  return x.wait(warp, instruction, /*barrier=*/0, x.numWarps());
}

/// One of PTX's barriers, which have numbers, for some of the warps. Operands:
/// number and threads.
static LogicalResult runNamedBarrier(Execution &x, Warp &warp,
                                     const Instruction &instruction) {
  constexpr int64_t barriers = 16;
  int64_t number, threads;
  if (failed(x.uniform(warp, instruction, instruction.operands[0], number)) ||
      failed(x.uniform(warp, instruction, instruction.operands[1], threads)))
    return failure();
  if (number < 0 || number >= barriers)
    return x.fail(Violation::Unsupported, instruction)
           << "expected a barrier from 0 to " << barriers - 1 << ", but got "
           << number << " in warp " << warp.index;
  int64_t count = threads / x.width;
  if (threads % x.width != 0 || count < 1 || count > x.numWarps())
    return x.fail(Violation::Unsupported, instruction)
           << "expected a barrier of whole warps of the block, but got "
           << threads << " threads in warp " << warp.index;
  return x.wait(warp, instruction, number, count);
}

/// Lanes are always in step here, but what they do is not ordered without it.
static LogicalResult runWarpBarrier(Execution &x, Warp &warp,
                                    const Instruction &instruction) {
  int64_t mask;
  if (failed(x.requireConverged(warp, instruction)) ||
      failed(x.uniform(warp, instruction, instruction.operands[0], mask)))
    return failure();
  if (uint32_t(mask) != uint32_t(-1))
    return x.fail(Violation::Unsupported, instruction)
           << "expected a barrier of all lanes of a warp, but got mask "
           << uint32_t(mask);
  x.meetLanes(warp);
  return success();
}

static LogicalResult decodeNamedBarrier(Decoder &decoder, NVVM::BarrierOp op) {
  if (op.getReductionOp())
    return op.emitError("cannot simulate a barrier with a reduction");
  if (!op.getBarrierId() && !op.getNumberOfThreads())
    return decoder.emit(op, runBarrier);
  if (!op.getBarrierId() || !op.getNumberOfThreads())
    return op.emitError("cannot simulate a barrier with a number but no "
                        "threads, or threads but no number");
  return decoder.emit(op, runNamedBarrier);
}

LogicalResult kami::sim::decodeGpu(Decoder &decoder, Operation *op,
                                   bool &handled) {
  if (auto barrier = dyn_cast<NVVM::BarrierOp>(op))
    return decodeNamedBarrier(decoder, barrier);
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
          .Case([](gpu::ShuffleOp) { return runLaneShuffle; })
          .Case([](gpu::BarrierOp) { return runBarrier; })
          .Case([](NVVM::SyncWarpOp) { return runWarpBarrier; })
          .Case([](gpu::ReturnOp) { return runReturn; })
          .Default([](Operation *) { return nullptr; });
  handled = handler != nullptr;
  return handled ? decoder.emit(op, handler) : success();
}
