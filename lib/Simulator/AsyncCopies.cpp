//===- AsyncCopies.cpp - Copies that arrive later -------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy reads when it starts, leaves 0xFF where it will write, and writes when
// it is waited for: as late as a device may. Both count as writes where races
// are looked for.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "kami/IR/KamiOps.h"
#include "kami/Layout/CopiedTile.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstring>
#include <functional>

using namespace kami;
using namespace kami::sim;
using namespace mlir;

/// Starts a copy of the first `count[lane]` bytes at `from`, and zeros up to
/// the `to.bytes` at `to`.
static LogicalResult start(Execution &x, Warp &warp,
                           const Instruction &instruction, Access from,
                           const Access &to, const int64_t (&count)[maxLanes]) {
  PendingCopy copy{&instruction, to, {}};
  copy.data.assign(size_t(x.width) * to.bytes, 0);
  // Lanes that read as much as each other read at once.
  for (int64_t bytes = 1; bytes <= int64_t(to.bytes); ++bytes) {
    Access part = from;
    part.bytes = bytes;
    part.mask = 0;
    forLanes(from.mask, [&](unsigned lane) {
      if (count[lane] == bytes)
        part.mask |= 1ull << lane;
    });
    if (!part.mask)
      continue;
    if (failed(x.access(warp, instruction, part)))
      return failure();
    forLanes(part.mask, [&](unsigned lane) {
      std::memcpy(copy.data.data() + size_t(lane) * to.bytes,
                  part.buffer->bytes.data() + part.addresses[lane], bytes);
    });
  }
  if (failed(x.access(warp, instruction, to)))
    return failure();
  forLanes(to.mask, [&](unsigned lane) {
    std::memset(to.buffer->bytes.data() + to.addresses[lane], 0xFF, to.bytes);
  });
  warp.openCopies.push_back(std::move(copy));
  return success();
}

static LogicalResult runCommit(Execution &, Warp &warp, const Instruction &) {
  warp.copyGroups.push_back(std::move(warp.openCopies));
  warp.openCopies.clear();
  return success();
}

static LogicalResult waitFor(Execution &x, Warp &warp, size_t pending) {
  while (warp.copyGroups.size() > pending) {
    for (const PendingCopy &copy : warp.copyGroups.front())
      if (failed(x.arrive(warp, copy)))
        return failure();
    warp.copyGroups.pop_front();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Warp level
//===----------------------------------------------------------------------===//

namespace {

/// A tile in shared memory, wherever in `buffer` its elements are.
struct SharedTile {
  Buffer *buffer;
  int64_t sizes[2];
  /// The dimension of its lines.
  unsigned along;
  int64_t elementBytes;
  std::function<int64_t(ArrayRef<int64_t>)> address;
  /// Whether its lines are skewed as the matrix's that is copied.
  bool keepsSkew = false;
};

} // namespace

static SharedTile tileOf(const MemRef &memref) {
  return {memref.buffer,
          {memref.sizes[0], memref.sizes[1]},
          memref.strides[1] == 1 ? 1u : 0u,
          memref.elementBytes,
          [memref](ArrayRef<int64_t> at) { return memref.address(at); }};
}

static SharedTile tileOf(const MemRef &buffer, SharedMatrixAttr attribute) {
  SharedMatrix matrix = attribute.getMatrix();
  bool isA = attribute.getRole() == Role::A;
  return {buffer.buffer,
          {attribute.getRows(), attribute.getColumns()},
          (matrix.major == Major::K) == isA ? 1u : 0u,
          matrix.elementBytes,
          [=](ArrayRef<int64_t> at) {
            return buffer.base + buffer.offset +
                   matrix.byteOffset(at[isA ? 0 : 1], at[isA ? 1 : 0]);
          }};
}

/// Thread t copies the elements t, t + threads, ... of the tile, line by line.
/// `copy` gets what a warp moves at a time: the lanes that are in the matrix,
/// and all. What is before a skewed line's begin is not touched.
static LogicalResult
copyElements(Execution &x, Warp &warp, const Instruction &instruction,
             const MemRef &matrix, const SharedTile &tile, int64_t threads,
             llvm::function_ref<LogicalResult(Access &, Access &)> copy) {
  if (failed(x.requireConverged(warp, instruction)))
    return failure();
  if (x.block.count() != threads)
    return x.fail(Violation::Unsupported, instruction)
           << "expected a block of " << threads << " threads, but got "
           << x.block.count();
  for (unsigned dim : {0, 1})
    if (matrix.sizes[dim] > tile.sizes[dim])
      return x.fail(Violation::OutOfBounds, instruction)
             << "expected at most " << tile.sizes[dim] << " elements in "
             << "dimension " << dim << ", but got " << matrix.sizes[dim];
  int64_t perLine = tile.sizes[tile.along];
  int64_t total = tile.sizes[1 - tile.along] * perLine;
  for (int64_t first = 0; first < total; first += threads) {
    Access device, shared;
    device.buffer = matrix.buffer;
    shared.buffer = tile.buffer;
    for (Access *access : {&device, &shared}) {
      access->mask = 0;
      access->bytes = access->alignment = tile.elementBytes;
    }
    for (unsigned lane = 0; lane != x.width; ++lane) {
      int64_t element = first + int64_t(warp.index) * x.width + lane;
      if (element >= total)
        break;
      int64_t at[2];
      at[tile.along] = element % perLine;
      at[1 - tile.along] = element / perLine;
      int64_t address = tile.address(at);
      if (tile.keepsSkew)
        at[tile.along] -= skewOfLine(matrix, tile.along, at[1 - tile.along]);
      if (at[tile.along] < 0)
        continue;
      shared.mask |= 1ull << lane;
      shared.addresses[lane] = address;
      if (at[0] >= matrix.sizes[0] || at[1] >= matrix.sizes[1])
        continue;
      device.mask |= 1ull << lane;
      device.addresses[lane] = matrix.address(at);
    }
    if (shared.mask && failed(copy(device, shared)))
      return failure();
  }
  return success();
}

/// Whether lines of adjacent elements begin where `aligned_rows` promises.
static LogicalResult requireAlignedRows(Execution &x,
                                        const Instruction &instruction,
                                        const MemRef &matrix, unsigned along) {
  if (matrix.strides[along] != 1 || matrix.sizes[along] == 0)
    return success();
  for (int64_t line = 0; line != matrix.sizes[1 - along]; ++line) {
    int64_t at[2] = {0, 0};
    at[1 - along] = line;
    if (matrix.address(at) % copiedPiece != 0)
      return x.fail(Violation::Unaligned, instruction)
             << "expected line " << line << " to begin at a multiple of "
             << copiedPiece << " bytes, but it begins at "
             << matrix.address(at);
  }
  return success();
}

template <typename OpTy>
static LogicalResult
copyToShared(Execution &x, Warp &warp, const Instruction &instruction, OpTy op,
             const MemRef &source, const SharedTile &tile) {
  if (op.getAlignedRows() && warp.index == 0 &&
      failed(requireAlignedRows(x, instruction, source, tile.along)))
    return failure();
  bool isSkewed = bool(op.getTails());
  return copyElements(
      x, warp, instruction, source, tile, op.getThreads(),
      [&](Access &from, Access &to) -> LogicalResult {
        from.write = false;
        to.write = true;
        int64_t count[maxLanes] = {};
        forLanes(from.mask, [&](unsigned lane) { count[lane] = to.bytes; });
        if (failed(start(x, warp, instruction, from, to, count)))
          return failure();
        // Nothing that may be read arrives.
        std::vector<uint8_t> &data = warp.openCopies.back().data;
        if (isSkewed)
          data.assign(data.size(), 0xFF);
        return success();
      });
}

static LogicalResult runCopy(Execution &x, Warp &warp,
                             const Instruction &instruction) {
  const MemRef source = warp.memrefs[instruction.operands[0].index];
  const MemRef dest = warp.memrefs[instruction.operands[1].index];
  auto op = cast<CopyAsyncOp>(instruction.op);
  SharedTile tile = tileOf(dest);
  tile.keepsSkew = op.getKeepsSkew();
  return copyToShared(x, warp, instruction, op, source, tile);
}

static LogicalResult runPlaceAsync(Execution &x, Warp &warp,
                                   const Instruction &instruction) {
  const MemRef source = warp.memrefs[instruction.operands[0].index];
  const MemRef buffer = warp.memrefs[instruction.operands[1].index];
  auto op = cast<PlaceAsyncOp>(instruction.op);
  return copyToShared(x, warp, instruction, op, source,
                      tileOf(buffer, op.getMatrix()));
}

static LogicalResult runDeskew(Execution &x, Warp &warp,
                               const Instruction &instruction) {
  const MemRef source = warp.memrefs[instruction.operands[0].index];
  const MemRef dest = warp.memrefs[instruction.operands[1].index];
  auto op = cast<DeskewOp>(instruction.op);
  SharedTile tile =
      op.getMatrix() ? tileOf(dest, *op.getMatrix()) : tileOf(dest);
  LogicalResult copied = copyElements(
      x, warp, instruction, source, tile, op.getThreads(),
      [&](Access &from, Access &to) -> LogicalResult {
        from.write = false;
        to.write = true;
        if ((from.mask && failed(x.access(warp, instruction, from))) ||
            failed(x.access(warp, instruction, to)))
          return failure();
        forLanes(to.mask, [&](unsigned lane) {
          uint8_t *at = to.buffer->bytes.data() + to.addresses[lane];
          if (!(from.mask >> lane & 1)) {
            std::memset(at, 0, to.bytes);
            return;
          }
          std::memcpy(at, from.buffer->bytes.data() + from.addresses[lane],
                      to.bytes);
          if (op.getRounded())
            writeBits(at, to.bytes, roundToTF32(readBits(at, to.bytes)));
        });
        return success();
      });
  if (failed(copied))
    return failure();
  if (op.getForMatrixUnit())
    x.fenceProxy(warp);
  return success();
}

/// Nothing is read of the source.
static LogicalResult runRoundPlaced(Execution &x, Warp &warp,
                                    const Instruction &instruction) {
  const MemRef source = warp.memrefs[instruction.operands[0].index];
  const MemRef buffer = warp.memrefs[instruction.operands[1].index];
  auto op = cast<RoundPlacedOp>(instruction.op);
  SharedTile tile = tileOf(buffer, op.getMatrix());
  auto round = [&](Access &, Access &access) -> LogicalResult {
    access.write = false;
    if (failed(x.access(warp, instruction, access)))
      return failure();
    access.write = true;
    if (failed(x.access(warp, instruction, access)))
      return failure();
    forLanes(access.mask, [&](unsigned lane) {
      uint8_t *element = access.buffer->bytes.data() + access.addresses[lane];
      writeBits(element, access.bytes,
                roundToTF32(readBits(element, access.bytes)));
    });
    return success();
  };
  if (failed(copyElements(x, warp, instruction, source, tile, op.getThreads(),
                          round)))
    return failure();
  x.fenceProxy(warp);
  return success();
}

static LogicalResult runCopyOut(Execution &x, Warp &warp,
                                const Instruction &instruction) {
  const MemRef source = warp.memrefs[instruction.operands[0].index];
  const MemRef dest = warp.memrefs[instruction.operands[1].index];
  return copyElements(x, warp, instruction, dest, tileOf(source),
                      cast<CopyOutOp>(instruction.op).getThreads(),
                      [&](Access &to, Access &from) -> LogicalResult {
                        from.mask = to.mask;
                        from.write = false;
                        to.write = true;
                        if (failed(x.access(warp, instruction, from)) ||
                            failed(x.access(warp, instruction, to)))
                          return failure();
                        forLanes(to.mask, [&](unsigned lane) {
                          std::memcpy(
                              to.buffer->bytes.data() + to.addresses[lane],
                              from.buffer->bytes.data() + from.addresses[lane],
                              to.bytes);
                        });
                        return success();
                      });
}

static LogicalResult runCopyWait(Execution &x, Warp &warp,
                                 const Instruction &instruction) {
  auto op = cast<CopyWaitOp>(instruction.op);
  if (failed(waitFor(x, warp, op.getPending())))
    return failure();
  if (op.getForMatrixUnit())
    x.fenceProxy(warp);
  return success();
}

//===----------------------------------------------------------------------===//
// Target level
//===----------------------------------------------------------------------===//

static LogicalResult runPiece(Execution &x, Warp &warp,
                              const Instruction &instruction) {
  auto op = cast<nvgpu::DeviceAsyncCopyOp>(instruction.op);
  ArrayRef<Slot> operands = instruction.operands;
  unsigned ranks[] = {unsigned(op.getDstIndices().size()),
                      unsigned(op.getSrcIndices().size())};
  const MemRef &dest = warp.memrefs[operands[0].index];
  const MemRef &source = warp.memrefs[operands[1 + ranks[0]].index];
  ArrayRef<Slot> destIndices = operands.slice(1, ranks[0]);
  ArrayRef<Slot> sourceIndices = operands.slice(2 + ranks[0], ranks[1]);
  int64_t elements = op.getDstElements().getSExtValue();
  Access to, from;
  to.buffer = dest.buffer;
  to.mask = warp.mask;
  to.write = true;
  to.bytes = to.alignment = elements * dest.elementBytes;
  if (failed(computeAddresses(x, warp, instruction, dest, destIndices, elements,
                              to)))
    return failure();
  int64_t count[maxLanes];
  std::fill(count, count + maxLanes, elements);
  if (op.getSrcElements()) {
    const uint64_t *given = x.lanes(warp, operands.back());
    for (unsigned lane = 0; lane != x.width; ++lane)
      count[lane] = std::min<int64_t>(given[lane], elements);
  }
  // One line is all of a matrix's memory, from its first element on: other
  // lines may lie before that, and so may what a word of 16 bytes has before a
  // line.
  bool isBounded = source.rank() > 1;
  // Of what is not read, no address has to be right.
  from = to;
  from.buffer = source.buffer;
  from.write = false;
  for (int64_t some = 1; some <= elements; ++some) {
    Access part = from;
    part.mask = 0;
    forLanes(to.mask, [&](unsigned lane) {
      if (count[lane] == some)
        part.mask |= 1ull << lane;
    });
    if (!part.mask)
      continue;
    if (failed(computeAddresses(x, warp, instruction, source, sourceIndices,
                                some, part, isBounded)))
      return failure();
    forLanes(part.mask, [&](unsigned lane) {
      from.addresses[lane] = part.addresses[lane];
    });
  }
  for (int64_t &lane : count)
    lane *= dest.elementBytes;
  return start(x, warp, instruction, from, to, count);
}

static LogicalResult runPieceWait(Execution &x, Warp &warp,
                                  const Instruction &instruction) {
  return waitFor(x, warp,
                 cast<NVVM::CpAsyncWaitGroupOp>(instruction.op).getN());
}

LogicalResult kami::sim::decodeAsyncCopies(Decoder &decoder, Operation *op,
                                           bool &handled) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](CopyAsyncOp copy) {
        auto type = cast<MemRefType>(copy.getDest().getType());
        decoder.accesses(*formatOf(type.getElementType()));
        return decoder.emit(op, runCopy);
      })
      .Case([&](PlaceAsyncOp place) {
        decoder.accesses(*formatOf(place.getMatrix().getElementType()));
        return decoder.emit(op, runPlaceAsync);
      })
      .Case([&](DeskewOp deskew) {
        auto type = cast<MemRefType>(deskew.getSource().getType());
        decoder.accesses(*formatOf(type.getElementType()));
        return decoder.emit(op, runDeskew);
      })
      .Case([&](RoundPlacedOp round) {
        decoder.accesses(*formatOf(round.getMatrix().getElementType()));
        return decoder.emit(op, runRoundPlaced);
      })
      .Case([&](CopyOutOp copy) {
        auto type = cast<MemRefType>(copy.getSource().getType());
        decoder.accesses(*formatOf(type.getElementType()));
        return decoder.emit(op, runCopyOut);
      })
      .Case([&](nvgpu::DeviceAsyncCopyOp copy) {
        decoder.accesses(*formatOf(copy.getDst().getType().getElementType()));
        return decoder.emit(op, runPiece);
      })
      .Case<CopyCommitOp, NVVM::CpAsyncCommitGroupOp>(
          [&](Operation *) { return decoder.emit(op, runCommit); })
      .Case([&](CopyWaitOp) { return decoder.emit(op, runCopyWait); })
      .Case([&](NVVM::CpAsyncWaitGroupOp) {
        return decoder.emit(op, runPieceWait);
      })
      .Default([&](Operation *) {
        handled = false;
        return success();
      });
}
