//===- Execution.cpp ------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"

using namespace kami::sim;
using namespace mlir;

Execution::Execution(const Program &program, Dim3 grid, Dim3 block,
                     const SimulatorOptions &options, SimulatorReport &report)
    : program(program), grid(grid), block(block), options(options),
      report(report), width(options.warpSize), random(options.seed),
      granuleShift(llvm::Log2_32(program.granule)), bankWords(options.banks) {}

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

LogicalResult Execution::bindArguments(ArrayRef<Argument> arguments) {
  for (const Argument &argument : arguments) {
    Buffer *buffer = argument.memref.buffer;
    if (!buffer || buffer->traffic >= 0)
      continue;
    buffer->traffic = report.buffers.size();
    buffer->shadow.assign((buffer->size() >> granuleShift) + 1, {});
    report.buffers.push_back({buffer, buffer->name});
  }
  return success();
}

void Execution::makeWarps(ArrayRef<Argument> arguments) {
  int64_t threads = block.count();
  warps.resize((threads + width - 1) / width);
  for (auto [index, warp] : llvm::enumerate(warps)) {
    warp.index = index;
    int64_t lanes = std::min<int64_t>(width, threads - int64_t(index) * width);
    warp.full = lanes == 64 ? ~0ull : (1ull << lanes) - 1;
    warp.registers.assign(size_t(program.registers) * width, 0);
    warp.memrefs.assign(program.memrefs, {});
    for (const Program::Constant &constant : program.constants) {
      for (int e = 0; e != constant.slot.count; ++e) {
        uint64_t bits = constant.bits[constant.bits.size() == 1 ? 0 : e];
        uint64_t *to = this->lanes(warp, constant.slot, e);
        std::fill(to, to + width, bits);
      }
    }
    for (auto [slot, argument] :
         llvm::zip_equal(program.arguments, arguments)) {
      if (slot.count == 0) {
        warp.memrefs[slot.index] = argument.memref;
        continue;
      }
      uint64_t *to = this->lanes(warp, slot);
      std::fill(to, to + width, argument.bits);
    }
    order.push_back(index);
  }
  proxyFences.resize(warps.size());
  groupIssues.resize(warps.size() / warpsPerGroup);
}

LogicalResult Execution::launch(ArrayRef<Argument> arguments,
                                int64_t dynamicSharedBytes) {
  if (failed(bindArguments(arguments)))
    return failure();
  auto forget = llvm::scope_exit([&] {
    for (const Argument &argument : arguments) {
      if (Buffer *buffer = argument.memref.buffer) {
        buffer->traffic = -1;
        buffer->shadow = {};
      }
    }
    for (auto [form, count] : llvm::zip_equal(program.matrices, matrixCounts))
      if (count)
        report.matrixInstructions[form.name] += count;
  });
  matrixCounts.assign(program.matrices.size(), 0);
  makeWarps(arguments);

  auto allocateShared = [&](std::string name, int64_t bytes) {
    Buffer &buffer = sharedMemory.allocate(std::move(name), bytes);
    buffer.shared = true;
    buffer.shadow.assign((bytes >> granuleShift) + 1, {});
    return &buffer;
  };
  dynamicShared = allocateShared("shared memory", dynamicSharedBytes);
  for (const Program::Attribution &attribution : program.attributions) {
    Type element = attribution.type.getElementType();
    Buffer *buffer =
        allocateShared("shared memory", attribution.type.getNumElements() *
                                            elementBytes(element));
    buffer->sharedAlignment = attribution.alignment;
    for (Warp &warp : warps)
      warp.memrefs[attribution.slot.index] =
          contiguous(*buffer, attribution.type.getShape(), element);
  }

  for (blockId.z = 0; blockId.z != grid.z; ++blockId.z)
    for (blockId.y = 0; blockId.y != grid.y; ++blockId.y)
      for (blockId.x = 0; blockId.x != grid.x; ++blockId.x, ++blockIndex)
        if (failed(runBlock()))
          return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

void Execution::orderWarps() {
  switch (options.order) {
  case WarpOrder::InOrder:
    return;
  case WarpOrder::Reversed:
    llvm::sort(order, std::greater<int>());
    return;
  case WarpOrder::Random:
    // Not std::shuffle, whose result differs between standard libraries.
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[random() % i]);
    return;
  }
}

LogicalResult Execution::runBlock() {
  clocks.startBlock(warps.size());
  readTables.clear();
  tensorMaps.clear();
  barriers.clear();
  tickets.clear();
  for (Warp &warp : warps) {
    warp.mask = warp.full;
    warp.pc = 0;
    warp.state = Warp::Ready;
    warp.masks.clear();
  }
  for (auto &fences : proxyFences)
    fences.clear();
  if (blockIndex == 0)
    report.intervals.push_back({});
  bool finished = false;
  while (!finished) {
    orderWarps();
    bool isMoving = false;
    for (int index : order)
      if (failed(runWarp(warps[index], isMoving)))
        return failure();
    if (failed(passBarriers(isMoving, finished)))
      return failure();
  }
  report.barriers += clocks.mostPassed();
  return success();
}

/// Until the warp stops; `isMoving` if it does more than ask once more for what
/// it was blocked by.
LogicalResult Execution::runWarp(Warp &warp, bool &isMoving) {
  const Instruction *instructions = program.instructions.data();
  bool wasBlocked = warp.state == Warp::Blocked;
  if (wasBlocked)
    warp.state = Warp::Ready;
  int64_t executed = 0;
  for (; warp.state == Warp::Ready; ++executed) {
    const Instruction &instruction = instructions[warp.pc++];
    if (failed(instruction.handler(*this, warp, instruction)))
      return failure();
  }
  bool asksAgain = wasBlocked && executed == 1 && warp.state == Warp::Blocked;
  isMoving |= executed > 0 && !asksAgain;
  return success();
}

/// All warps have stopped: at the end, or at barriers, of which at least one
/// must have all the warps that it waits for, unless one `isMoving`.
LogicalResult Execution::passBarriers(bool isMoving, bool &finished) {
  if (failed(checkGroups()))
    return failure();
  const Warp *waiting = nullptr;
  bool isPassed = isMoving;
  for (const Warp &warp : warps) {
    if (warp.state == Warp::Blocked && !waiting)
      waiting = &warp;
    if (warp.state != Warp::Waiting)
      continue;
    if (failed(passBarrier(warp)))
      return failure();
    if (warp.state == Warp::Ready)
      isPassed = true;
    else if (!waiting)
      waiting = &warp;
  }
  finished = !isPassed && !waiting;
  return isPassed || finished ? success() : failStuck(*waiting);
}

/// If all are there that meet at the barrier at which the warp waits, they pass
/// it.
LogicalResult Execution::passBarrier(const Warp &first) {
  const Instruction &barrier = program.instructions[first.pc - 1];
  SmallVector<int> met;
  for (const Warp &warp : warps) {
    if (warp.state != Warp::Waiting || warp.barrier != first.barrier)
      continue;
    met.push_back(warp.index);
    if (warp.pc == first.pc && warp.barrierWarps == first.barrierWarps)
      continue;
    InFlightDiagnostic error = fail(Violation::DivergentBarrier, barrier);
    error << "divergent barrier: warp " << first.index
          << " waits at it, but warp " << warp.index << " waits at another, "
          << "block " << blockIndex;
    error.attachNote(program.instructions[warp.pc - 1].op->getLoc())
        << "the other barrier is here";
    return error;
  }
  if (int64_t(met.size()) != first.barrierWarps)
    return success();
  clocks.meet(met);
  for (int index : met)
    warps[index].state = Warp::Ready;
  if (blockIndex == 0)
    report.intervals.resize(
        std::max<size_t>(report.intervals.size(), clocks.mostPassed() + 1));
  return success();
}

/// Nobody is left who could come to the barrier.
LogicalResult Execution::failStuck(const Warp &waiting) {
  for (const Warp &warp : warps)
    if (warp.state == Warp::Blocked)
      return fail(Violation::DivergentBarrier, program.instructions[warp.pc])
             << "waits for ever: warp " << warp.index
             << " at an mbarrier, where " << warp.mbarrier->arrived << " of "
             << warp.mbarrier->arrivals
             << " have arrived, and nobody else does, block " << blockIndex;
  InFlightDiagnostic error =
      fail(Violation::DivergentBarrier, program.instructions[waiting.pc - 1]);
  error << "divergent barrier: warp " << waiting.index << " waits at it";
  if (waiting.barrierWarps < int64_t(warps.size()))
    error << " for " << waiting.barrierWarps << " warps in all";
  for (const Warp &warp : warps) {
    if (warp.state == Warp::Waiting && warp.barrier == waiting.barrier)
      continue;
    error << ", but warp " << warp.index;
    if (warp.state == Warp::Done)
      return error << " has ended, block " << blockIndex;
    error << " waits at another, block " << blockIndex;
    error.attachNote(program.instructions[warp.pc - 1].op->getLoc())
        << "the other barrier is here";
    return error;
  }
  return error << ", and there are no more, block " << blockIndex;
}

LogicalResult Execution::wait(Warp &warp, const Instruction &instruction,
                              int64_t barrier, int64_t count) {
  if (warp.mask != warp.full)
    return fail(Violation::DivergentBarrier, instruction)
           << "divergent barrier: only " << llvm::popcount(warp.mask) << " of "
           << llvm::popcount(warp.full) << " lanes arrive at it in warp "
           << warp.index << ", block " << blockIndex;
  warp.state = Warp::Waiting;
  warp.barrier = barrier;
  warp.barrierWarps = count;
  return success();
}

//===----------------------------------------------------------------------===//
// Handlers' helpers
//===----------------------------------------------------------------------===//

InFlightDiagnostic Execution::fail(Violation violation,
                                   const Instruction &instruction) {
  report.violation = violation;
  return instruction.op->emitError();
}

std::string Execution::place(const Warp &warp, unsigned lane) const {
  return "warp " + std::to_string(warp.index) + ", lane " +
         std::to_string(lane) + ", block " + std::to_string(blockIndex);
}

LogicalResult Execution::uniform(Warp &warp, const Instruction &instruction,
                                 Slot slot, int64_t &value) {
  const uint64_t *values = lanes(warp, slot);
  unsigned first = llvm::countr_zero(warp.mask);
  value = values[first];
  for (uint64_t mask = warp.mask; mask; mask &= mask - 1) {
    unsigned lane = llvm::countr_zero(mask);
    if (values[lane] != uint64_t(value))
      return fail(Violation::Unsupported, instruction)
             << "expected a value that is the same in all lanes, but got "
             << value << " in lane " << first << " and "
             << int64_t(values[lane]) << " in lane " << lane << " of warp "
             << warp.index << ", block " << blockIndex;
  }
  return success();
}

LogicalResult Execution::requireConverged(Warp &warp,
                                          const Instruction &instruction) {
  if (warp.mask == warp.full && warp.full == ~0ull >> (64 - width))
    return success();
  return fail(Violation::Unsupported, instruction)
         << "expected all " << width << " lanes of the warp, but only "
         << llvm::popcount(warp.mask) << " are active in warp " << warp.index
         << ", block " << blockIndex;
}
