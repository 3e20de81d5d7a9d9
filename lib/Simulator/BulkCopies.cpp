//===- BulkCopies.cpp - What the copy engine brings -----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The block's first warp stands for the engine: a box is read when its copy
// starts, and written when somebody waits for it, as late as a device may.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "kami/IR/KamiOps.h"
#include "kami/Layout/BulkCopy.h"
#include "kami/Layout/CopiedTile.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstring>

using namespace kami;
using namespace kami::sim;
using namespace mlir;

/// The place in shared memory of an mbarrier.
static SharedPlace placeOf(const MemRef &memref, int64_t index) {
  return {memref.buffer, memref.address({index})};
}

/// The place of the map of that number, which is in the slot.
static FailureOr<SharedPlace> mapAt(Execution &x, Warp &warp,
                                    const Instruction &instruction,
                                    const MemRef &maps, Slot slot) {
  int64_t index = 0;
  if (failed(x.uniform(warp, instruction, slot, index)))
    return failure();
  if (index < 0 || (index + 1) * tensorMapBytes > maps.sizes[0]) {
    x.fail(Violation::OutOfBounds, instruction)
        << "out-of-bounds access: map " << index << " of "
        << maps.sizes[0] / tensorMapBytes;
    return failure();
  }
  return SharedPlace(maps.buffer, maps.address({index * tensorMapBytes}));
}

static LogicalResult runInit(Execution &x, Warp &warp,
                             const Instruction &instruction) {
  if (failed(x.requireConverged(warp, instruction)))
    return failure();
  if (warp.index != 0)
    return success();
  auto op = cast<MBarrierInitOp>(instruction.op);
  const MemRef &barriers = warp.memrefs[instruction.operands[0].index];
  for (int64_t i = 0; i != barriers.sizes[0]; ++i) {
    SharedPlace place = placeOf(barriers, i);
    if (place.second % barriers.elementBytes != 0)
      return x.fail(Violation::Unaligned, instruction)
             << "expected an mbarrier at a multiple of "
             << barriers.elementBytes << " bytes, but got byte "
             << place.second;
    if (!x.barriers.try_emplace(place, MBarrier{int64_t(op.getArrivals())})
             .second)
      return x.fail(Violation::Unsupported, instruction)
             << "expected words that are no mbarriers yet, but word " << i
             << " is one";
  }
  x.fenceProxy(warp);
  return success();
}

static FailureOr<MBarrier *> barrierAt(Execution &x, Warp &warp,
                                       const Instruction &instruction,
                                       Slot memref, Slot index) {
  const MemRef &barriers = warp.memrefs[memref.index];
  int64_t at = 0;
  if (failed(x.requireConverged(warp, instruction)) ||
      failed(x.uniform(warp, instruction, index, at)))
    return failure();
  auto found = x.barriers.find(placeOf(barriers, at));
  if (at < 0 || at >= barriers.sizes[0] || found == x.barriers.end()) {
    x.fail(Violation::OutOfBounds, instruction)
        << "expected an mbarrier, but word " << at << " of "
        << barriers.sizes[0] << " is none";
    return failure();
  }
  return &found->second;
}

/// A phase that has nothing to bring is over with its last arrival; one that
/// has, when somebody waits for it.
static LogicalResult arriveAt(Execution &x, Warp &warp,
                              const Instruction &instruction, MBarrier &barrier,
                              int64_t count) {
  if (barrier.arrived + count > barrier.arrivals)
    return x.fail(Violation::Unsupported, instruction)
           << "expected no more than " << barrier.arrivals
           << " arrivals in a phase of the mbarrier";
  barrier.arrived += count;
  x.release(warp, barrier);
  if (barrier.arrived == barrier.arrivals && barrier.copies.empty())
    barrier = {barrier.arrivals, 0, 1 - barrier.parity, {}, barrier.known};
  return success();
}

static LogicalResult runInval(Execution &x, Warp &warp,
                              const Instruction &instruction) {
  if (failed(x.requireConverged(warp, instruction)))
    return failure();
  if (warp.index != 0)
    return success();
  const MemRef &barriers = warp.memrefs[instruction.operands[0].index];
  for (int64_t i = 0; i != barriers.sizes[0]; ++i) {
    auto found = x.barriers.find(placeOf(barriers, i));
    if (found == x.barriers.end() || !found->second.copies.empty())
      return x.fail(Violation::Unsupported, instruction)
             << "expected an mbarrier whose copies have been waited for, but "
                "word "
             << i << " is " << (found == x.barriers.end() ? "none" : "not");
    x.barriers.erase(found);
  }
  return success();
}

/// Operands: barriers, index.
static LogicalResult runArrive(Execution &x, Warp &warp,
                               const Instruction &instruction) {
  auto op = cast<MBarrierArriveOp>(instruction.op);
  if (warp.index != 0 && !op.getEveryWarp())
    return x.requireConverged(warp, instruction);
  auto barrier = barrierAt(x, warp, instruction, instruction.operands[0],
                           instruction.operands[1]);
  if (failed(barrier))
    return failure();
  return arriveAt(x, warp, instruction, **barrier, op.getArrivals());
}

/// Operands: barriers, index, parity.
static LogicalResult runWait(Execution &x, Warp &warp,
                             const Instruction &instruction) {
  bool waitsItself = cast<MBarrierWaitOp>(instruction.op).getEveryWarp();
  if (warp.index != 0 && !waitsItself)
    return x.requireConverged(warp, instruction);
  auto barrier = barrierAt(x, warp, instruction, instruction.operands[0],
                           instruction.operands[1]);
  int64_t parity = 0;
  if (failed(barrier) ||
      failed(x.uniform(warp, instruction, instruction.operands[2], parity)))
    return failure();
  MBarrier &state = **barrier;
  if (parity != 0 && parity != 1)
    return x.fail(Violation::Unsupported, instruction)
           << "expected a parity of 0 or 1, but got " << parity;
  // A phase of the other parity is over, or has never been.
  if (state.parity == parity && state.arrived != state.arrivals) {
    x.suspend(warp, state);
    return success();
  }
  x.acquire(warp, state);
  if (state.parity != parity)
    return success();
  for (const PendingCopy &copy : state.copies)
    if (failed(x.arrive(warp, copy)))
      return failure();
  state = {state.arrivals, 0, 1 - state.parity, {}, state.known};
  // What the engine writes needs no fence, and those who wait later see it.
  x.fenceProxy(warp);
  x.release(warp, state);
  return success();
}

/// Operands: source, maps, index.
static LogicalResult runMap(Execution &x, Warp &warp,
                            const Instruction &instruction) {
  auto op = cast<TensorMapOp>(instruction.op);
  const MemRef &source = warp.memrefs[instruction.operands[0].index];
  if (failed(x.requireConverged(warp, instruction)))
    return failure();
  if (warp.index != 0)
    return success();
  auto place =
      mapAt(x, warp, instruction, warp.memrefs[instruction.operands[1].index],
            instruction.operands[2]);
  if (failed(place))
    return failure();
  size_t batch = source.sizes.size() - 2;
  size_t along = batch + op.getMatrix().getMajorDimension();
  int64_t line = source.strides[2 * batch + 1 - along] * source.elementBytes;
  int64_t matrix = batch ? source.strides[0] * source.elementBytes : 0;
  int64_t first = source.address(SmallVector<int64_t>(source.sizes.size(), 0));
  if (first % copiedPiece != 0 || line % copiedPiece != 0 || line < 0 ||
      matrix % copiedPiece != 0 || matrix < 0)
    return x.fail(Violation::Unaligned, instruction)
           << "expected lines that begin at multiples of " << copiedPiece
           << " bytes, but the first begins at " << first << ", and others are "
           << line << " apart, and matrices " << matrix;
  if (place->second % tensorMapBytes != 0)
    return x.fail(Violation::Unaligned, instruction)
           << "expected a map at a multiple of " << tensorMapBytes
           << " bytes, but got byte " << place->second;
  x.tensorMaps[*place] = {source, op.getMatrix(), op.getRounded()};
  return success();
}

/// Operands: maps, index.
static LogicalResult runAcquire(Execution &x, Warp &warp,
                                const Instruction &instruction) {
  if (warp.index != 0)
    return x.requireConverged(warp, instruction);
  auto place =
      mapAt(x, warp, instruction, warp.memrefs[instruction.operands[0].index],
            instruction.operands[1]);
  if (failed(place))
    return failure();
  auto found = x.tensorMaps.find(*place);
  if (found == x.tensorMaps.end())
    return x.fail(Violation::UnwrittenRead, instruction)
           << "expected a map, which kami.tensor_map makes";
  found->second.isAcquired = true;
  return success();
}

/// Starts to copy up to a warp's lanes of elements at once: those of `line`,
/// from `first` on, of the matrix whose first element is `origin` in its
/// source, or in that of a batch's matrices.
static LogicalResult copyLine(Execution &x, Warp &warp,
                              const Instruction &instruction,
                              const TensorMap &map, const MemRef &buffer,
                              SharedMatrixAttr attribute, int64_t line,
                              int64_t first, ArrayRef<int64_t> origin,
                              MBarrier &barrier) {
  SharedMatrix matrix = attribute.getMatrix();
  unsigned along = attribute.getMajorDimension();
  const MemRef &source = map.source;
  bool isA = attribute.getRole() == Role::A;
  Access from, to;
  from.buffer = source.buffer;
  to.buffer = buffer.buffer;
  for (Access *access : {&from, &to}) {
    access->mask = 0;
    access->bytes = access->alignment = matrix.elementBytes;
    access->write = access == &to;
  }
  for (unsigned lane = 0; lane != x.width; ++lane) {
    if (first + lane >= matrix.majorExtent())
      break;
    int64_t at[2];
    SmallVector<int64_t, 3> in(origin);
    at[along] = first + lane;
    at[1 - along] = line;
    to.mask |= 1ull << lane;
    to.addresses[lane] = buffer.base + buffer.offset +
                         matrix.byteOffset(at[isA ? 0 : 1], at[isA ? 1 : 0]);
    for (unsigned dim : {0, 1})
      in[in.size() - 2 + dim] += at[dim];
    bool isInside = llvm::all_of(llvm::zip(in, source.sizes), [](auto pair) {
      auto [index, size] = pair;
      return index >= 0 && index < size;
    });
    if (!isInside)
      continue;
    from.mask |= 1ull << lane;
    from.addresses[lane] = source.address(in);
  }
  PendingCopy copy{&instruction, to, {}};
  copy.data.assign(size_t(x.width) * to.bytes, 0);
  if ((from.mask && failed(x.access(warp, instruction, from))) ||
      failed(x.access(warp, instruction, to)))
    return failure();
  forLanes(from.mask, [&](unsigned lane) {
    uint64_t bits =
        readBits(from.buffer->bytes.data() + from.addresses[lane], from.bytes);
    writeBits(copy.data.data() + size_t(lane) * to.bytes, to.bytes,
              map.rounded ? roundToTF32(bits) : bits);
  });
  forLanes(to.mask, [&](unsigned lane) {
    std::memset(to.buffer->bytes.data() + to.addresses[lane], 0xFF, to.bytes);
  });
  barrier.copies.push_back(std::move(copy));
  return success();
}

/// Operands: maps, map, row, column, buffer, barriers, index, and of a batch
/// the number of the matrix.
static LogicalResult runPlace(Execution &x, Warp &warp,
                              const Instruction &instruction) {
  if (warp.index != 0)
    return x.requireConverged(warp, instruction);
  auto op = cast<PlaceBulkOp>(instruction.op);
  ArrayRef<Slot> operands = instruction.operands;
  SharedMatrixAttr attribute = op.getMatrix();
  SharedMatrix matrix = attribute.getMatrix();
  auto barrier = barrierAt(x, warp, instruction, operands[5], operands[6]);
  bool isOfBatch = op.getProduct() != nullptr;
  SmallVector<int64_t, 3> origin(isOfBatch ? 3 : 2);
  auto place =
      mapAt(x, warp, instruction, warp.memrefs[operands[0].index], operands[1]);
  if (failed(barrier) || failed(place) ||
      failed(x.uniform(warp, instruction, operands[2],
                       origin[origin.size() - 2])) ||
      failed(x.uniform(warp, instruction, operands[3], origin.back())) ||
      (isOfBatch &&
       failed(x.uniform(warp, instruction, operands[7], origin[0]))))
    return failure();
  const MemRef &buffer = warp.memrefs[operands[4].index];
  if (int64_t at = buffer.address({0}); at % matrix.alignment() != 0)
    return x.fail(Violation::Unaligned, instruction)
           << "expected a matrix that starts at a multiple of "
           << matrix.alignment() << " bytes, but got byte " << at;
  auto found = x.tensorMaps.find(*place);
  if (found == x.tensorMaps.end() || found->second.matrix != attribute ||
      found->second.source.sizes.size() != origin.size())
    return x.fail(Violation::UnwrittenRead, instruction)
           << "expected a map of this matrix, which kami.tensor_map makes";
  const TensorMap &map = found->second;
  if (!map.isAcquired)
    return x.fail(Violation::MissingFence, instruction)
           << "expected a map that kami.acquire_map has waited for";
  for (int64_t line = 0; line != matrix.lines(); ++line)
    for (int64_t first = 0; first < matrix.majorExtent(); first += x.width)
      if (failed(copyLine(x, warp, instruction, map, buffer, attribute, line,
                          first, origin, **barrier)))
        return failure();
  return arriveAt(x, warp, instruction, **barrier, 1);
}

LogicalResult kami::sim::decodeBulkCopies(Decoder &decoder, Operation *op,
                                          bool &handled) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](MBarrierInitOp) { return decoder.emit(op, runInit); })
      .Case([&](MBarrierInvalOp) { return decoder.emit(op, runInval); })
      .Case([&](MBarrierArriveOp) { return decoder.emit(op, runArrive); })
      .Case([&](MBarrierWaitOp) { return decoder.emit(op, runWait); })
      .Case([&](TensorMapOp) { return decoder.emit(op, runMap); })
      .Case([&](AcquireMapOp) { return decoder.emit(op, runAcquire); })
      .Case([&](PlaceBulkOp place) {
        decoder.accesses(*formatOf(place.getMatrix().getElementType()));
        return decoder.emit(op, runPlace);
      })
      .Default([&](Operation *) {
        handled = false;
        return success();
      });
}
