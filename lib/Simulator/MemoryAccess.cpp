//===- MemoryAccess.cpp ---------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads and stores of lanes, and ops on memrefs.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace kami::sim;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

LogicalResult kami::sim::computeAddresses(Execution &x, Warp &warp,
                                          const Instruction &instruction,
                                          const MemRef &memref,
                                          ArrayRef<Slot> indices,
                                          int64_t extent, Access &access,
                                          bool isBounded) {
  unsigned rank = memref.rank();
  for (unsigned lane = 0; lane != x.width; ++lane)
    access.addresses[lane] = memref.offset;
  for (unsigned d = 0; d != rank; ++d) {
    const uint64_t *index = x.lanes(warp, indices[d]);
    int64_t last = memref.sizes[d] - (d + 1 == rank ? extent : 1);
    for (uint64_t mask = access.mask; mask; mask &= mask - 1) {
      unsigned lane = llvm::countr_zero(mask);
      int64_t i = index[lane];
      if (isBounded && (i < 0 || i > last)) {
        auto error = x.fail(Violation::OutOfBounds, instruction)
                     << "out-of-bounds access: index " << i;
        if (d + 1 == rank && extent > 1)
          error << " to " << i + extent - 1;
        return error << " in dimension " << d << " of extent "
                     << memref.sizes[d] << " by " << x.place(warp, lane);
      }
      access.addresses[lane] += i * memref.strides[d];
    }
  }
  for (unsigned lane = 0; lane != x.width; ++lane)
    access.addresses[lane] =
        memref.base + access.addresses[lane] * memref.elementBytes;
  return success();
}

/// Checks an access of `bytes` per lane, as the accesses of at most 16 bytes
/// that a device makes of it.
static LogicalResult checkPieces(Execution &x, Warp &warp,
                                 const Instruction &instruction, Access access,
                                 unsigned bytes) {
  constexpr unsigned widest = 16;
  access.bytes = std::min(bytes, widest);
  for (unsigned done = 0; done < bytes; done += widest) {
    if (failed(x.access(warp, instruction, access)))
      return failure();
    for (int64_t &address : access.addresses)
      address += widest;
  }
  return success();
}

/// A load or store of `slot`, whose elements are of `format` and lie one after
/// the other in memory.
static LogicalResult transfer(Execution &x, Warp &warp,
                              const Instruction &instruction, Slot slot,
                              const MemRef &memref, ArrayRef<Slot> indices,
                              const ElementFormat &format,
                              std::optional<unsigned> alignment, bool write) {
  unsigned width = format.bytes(), bytes = width * slot.count;
  Access access;
  access.buffer = memref.buffer;
  access.mask = warp.mask;
  access.write = write;
  access.alignment = alignment.value_or(memref.elementBytes);
  if (failed(computeAddresses(x, warp, instruction, memref, indices,
                              bytes / memref.elementBytes, access)) ||
      failed(checkPieces(x, warp, instruction, access, bytes)))
    return failure();
  uint8_t *memory = memref.buffer->bytes.data();
  for (int e = 0; e != slot.count; ++e) {
    uint64_t *values = x.lanes(warp, slot, e);
    for (uint64_t mask = warp.mask; mask; mask &= mask - 1) {
      unsigned lane = llvm::countr_zero(mask);
      uint8_t *at = memory + access.addresses[lane] + e * width;
      if (write)
        writeBits(at, width, values[lane]);
      else
        values[lane] = readBits(at, width) & format.mask();
    }
  }
  return success();
}

static ElementFormat accessFormat(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return *formatOf(vector ? vector.getElementType() : type);
}

static LogicalResult runLoad(Execution &x, Warp &warp,
                             const Instruction &instruction) {
  ArrayRef<Slot> operands = instruction.operands;
  const MemRef &memref = warp.memrefs[operands[0].index];
  return transfer(x, warp, instruction, instruction.results[0], memref,
                  operands.drop_front(), accessFormat(memref.elementType),
                  std::nullopt, /*write=*/false);
}

static LogicalResult runStore(Execution &x, Warp &warp,
                              const Instruction &instruction) {
  ArrayRef<Slot> operands = instruction.operands;
  const MemRef &memref = warp.memrefs[operands[1].index];
  return transfer(x, warp, instruction, operands[0], memref,
                  operands.drop_front(2), accessFormat(memref.elementType),
                  std::nullopt, /*write=*/true);
}

/// vector.load and vector.store: `count` elements along the last dimension.
static LogicalResult
vectorTransfer(Execution &x, Warp &warp, const Instruction &instruction,
               Slot slot, const MemRef &memref, ArrayRef<Slot> indices,
               VectorType type, std::optional<uint64_t> alignment, bool write) {
  if (memref.rank() > 0 && memref.strides.back() != 1 &&
      type.getNumElements() > 1)
    return x.fail(Violation::Unsupported, instruction)
           << "expected a last dimension of stride 1, but got "
           << memref.strides.back();
  ElementFormat format = accessFormat(type);
  std::optional<unsigned> required;
  if (alignment)
    required = *alignment;
  else if (x.options.requireAlignedVectors)
    required = format.bytes() * slot.count;
  return transfer(x, warp, instruction, slot, memref, indices, format, required,
                  write);
}

static LogicalResult runVectorLoad(Execution &x, Warp &warp,
                                   const Instruction &instruction) {
  auto op = cast<vector::LoadOp>(instruction.op);
  ArrayRef<Slot> operands = instruction.operands;
  return vectorTransfer(x, warp, instruction, instruction.results[0],
                        warp.memrefs[operands[0].index], operands.drop_front(),
                        op.getVectorType(), op.getAlignment(),
                        /*write=*/false);
}

static LogicalResult runVectorStore(Execution &x, Warp &warp,
                                    const Instruction &instruction) {
  auto op = cast<vector::StoreOp>(instruction.op);
  ArrayRef<Slot> operands = instruction.operands;
  return vectorTransfer(x, warp, instruction, operands[0],
                        warp.memrefs[operands[1].index], operands.drop_front(2),
                        op.getVectorType(), op.getAlignment(), /*write=*/true);
}

//===----------------------------------------------------------------------===//
// Memrefs
//===----------------------------------------------------------------------===//

static LogicalResult runView(Execution &x, Warp &warp,
                             const Instruction &instruction) {
  ArrayRef<Slot> operands = instruction.operands;
  SmallVector<int64_t> values;
  for (Slot operand : operands.drop_front())
    if (failed(x.uniform(warp, instruction, operand, values.emplace_back())))
      return failure();
  FailureOr<MemRef> view =
      evaluateView(instruction.op, warp.memrefs[operands[0].index], values);
  if (failed(view)) {
    x.report.violation = Violation::OutOfBounds;
    return failure();
  }
  warp.memrefs[instruction.results[0].index] = std::move(*view);
  return success();
}

static LogicalResult runSelect(Execution &x, Warp &warp,
                               const Instruction &instruction) {
  ArrayRef<Slot> operands = instruction.operands;
  int64_t condition;
  if (failed(x.uniform(warp, instruction, operands[0], condition)))
    return failure();
  MemRef chosen = warp.memrefs[operands[condition & 1 ? 1 : 2].index];
  warp.memrefs[instruction.results[0].index] = std::move(chosen);
  return success();
}

static LogicalResult runDim(Execution &x, Warp &warp,
                            const Instruction &instruction) {
  const MemRef &memref = warp.memrefs[instruction.operands[0].index];
  int64_t dimension;
  if (failed(x.uniform(warp, instruction, instruction.operands[1], dimension)))
    return failure();
  if (dimension < 0 || dimension >= int64_t(memref.rank()))
    return x.fail(Violation::OutOfBounds, instruction)
           << "expected a dimension below " << memref.rank() << ", but got "
           << dimension;
  uint64_t *output = x.lanes(warp, instruction.results[0]);
  std::fill(output, output + x.width, memref.sizes[dimension]);
  return success();
}

static LogicalResult runMetadata(Execution &x, Warp &warp,
                                 const Instruction &instruction) {
  const MemRef source = warp.memrefs[instruction.operands[0].index];
  MemRef base = source;
  base.offset = 0;
  base.sizes.clear();
  base.strides.clear();
  warp.memrefs[instruction.results[0].index] = base;
  SmallVector<int64_t> values = {source.offset};
  values.append(source.sizes.begin(), source.sizes.end());
  values.append(source.strides.begin(), source.strides.end());
  for (auto [slot, value] :
       llvm::zip_equal(ArrayRef(instruction.results).drop_front(), values)) {
    uint64_t *output = x.lanes(warp, slot);
    std::fill(output, output + x.width, uint64_t(value));
  }
  return success();
}

/// Addresses count from the buffer's first byte, which is aligned as well as
/// any.
static LogicalResult runPointer(Execution &x, Warp &warp,
                                const Instruction &instruction) {
  const MemRef &memref = warp.memrefs[instruction.operands[0].index];
  uint64_t *output = x.lanes(warp, instruction.results[0]);
  std::fill(output, output + x.width, uint64_t(memref.base));
  return success();
}

LogicalResult kami::sim::decodeMemory(Decoder &decoder, Operation *op,
                                      bool &handled) {
  if (isViewOp(op))
    return decoder.emit(op, runView);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](memref::LoadOp load) {
        decoder.accesses(accessFormat(load.getMemRefType().getElementType()));
        return decoder.emit(op, runLoad);
      })
      .Case([&](memref::StoreOp store) {
        decoder.accesses(accessFormat(store.getMemRefType().getElementType()));
        return decoder.emit(op, runStore);
      })
      .Case([&](vector::LoadOp load) {
        decoder.accesses(accessFormat(load.getVectorType()));
        return decoder.emit(op, runVectorLoad);
      })
      .Case([&](vector::StoreOp store) {
        decoder.accesses(accessFormat(store.getVectorType()));
        return decoder.emit(op, runVectorStore);
      })
      // Of anything but memrefs it is elementwise, and was decoded before.
      .Case([&](arith::SelectOp) { return decoder.emit(op, runSelect); })
      .Case([&](memref::DimOp) { return decoder.emit(op, runDim); })
      .Case([&](memref::ExtractStridedMetadataOp) {
        return decoder.emit(op, runMetadata);
      })
      .Case([&](memref::ExtractAlignedPointerAsIndexOp) {
        return decoder.emit(op, runPointer);
      })
      .Default([&](Operation *) {
        handled = false;
        return success();
      });
}
