//===- CoreMatrixAccess.cpp - ldmatrix and stmatrix -----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp moves up to four matrices of 8 lines of 16 bytes. Lane l says where
// line l mod 8 of matrix l / 8 begins, and has other elements in its registers:
// PTX ISA 9.0, sections 9.7.14.5.15 and 9.7.14.5.16. Memory serves one matrix
// at a time, as it does accesses of 16 bytes by 8 lanes.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "kami/IR/KamiOps.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace kami;
using namespace kami::sim;
using namespace mlir;

static constexpr unsigned lines = 8;
static constexpr unsigned lineBytes = 16;
static constexpr unsigned registerBytes = 4;

/// Checks and counts the access of all lines of `count` matrices.
static LogicalResult accessLines(Execution &x, Warp &warp,
                                 const Instruction &instruction,
                                 const MemRef &memref, ArrayRef<Slot> indices,
                                 int64_t count, Access &access) {
  if (failed(x.requireConverged(warp, instruction)))
    return failure();
  if (x.width != 32)
    return x.fail(Violation::Unsupported, instruction)
           << "expected warps of 32 lanes, but got " << x.width;
  if (memref.strides.back() != 1)
    return x.fail(Violation::Unsupported, instruction)
           << "expected a last dimension of stride 1, but got "
           << memref.strides.back();
  access.buffer = memref.buffer;
  access.mask = (uint64_t(1) << lines * count) - 1;
  access.bytes = access.alignment = lineBytes;
  if (failed(computeAddresses(x, warp, instruction, memref, indices,
                              lineBytes / memref.elementBytes, access)))
    return failure();
  return x.access(warp, instruction, access);
}

/// Where the element is that a lane has at a position of its register of one
/// matrix, given the addresses of its lines.
static int64_t elementAddress(const int64_t *lineAddresses, unsigned lane,
                              unsigned position, unsigned bytes,
                              bool transposes) {
  if (transposes)
    return lineAddresses[2 * (lane % 4) + position] + lane / 4 * bytes;
  return lineAddresses[lane / 4] + lane % 4 * registerBytes + position * bytes;
}

/// Moves the registers of `slot`, matrix by matrix.
static LogicalResult transfer(Execution &x, Warp &warp,
                              const Instruction &instruction, Slot slot,
                              const MemRef &memref, ArrayRef<Slot> indices,
                              bool transposes, bool write) {
  ElementFormat format = *formatOf(memref.elementType);
  int perRegister = registerBytes / format.bytes();
  Access access;
  access.write = write;
  if (failed(accessLines(x, warp, instruction, memref, indices,
                         slot.count / perRegister, access)))
    return failure();
  uint8_t *memory = memref.buffer->bytes.data();
  for (int e = 0; e != slot.count; ++e) {
    uint64_t *values = x.lanes(warp, slot, e);
    const int64_t *lineAddresses = access.addresses + e / perRegister * lines;
    for (unsigned lane = 0; lane != x.width; ++lane) {
      uint8_t *at =
          memory + elementAddress(lineAddresses, lane, e % perRegister,
                                  format.bytes(), transposes);
      if (write)
        writeBits(at, format.bytes(), values[lane]);
      else
        values[lane] = readBits(at, format.bytes()) & format.mask();
    }
  }
  return success();
}

static LogicalResult runLdMatrix(Execution &x, Warp &warp,
                                 const Instruction &instruction) {
  ArrayRef<Slot> operands = instruction.operands;
  return transfer(x, warp, instruction, instruction.results[0],
                  warp.memrefs[operands[0].index], operands.drop_front(),
                  cast<nvgpu::LdMatrixOp>(instruction.op).getTranspose(),
                  /*write=*/false);
}

static LogicalResult runStMatrix(Execution &x, Warp &warp,
                                 const Instruction &instruction) {
  ArrayRef<Slot> operands = instruction.operands;
  return transfer(x, warp, instruction, operands[0],
                  warp.memrefs[operands[1].index], operands.drop_front(2),
                  cast<StMatrixOp>(instruction.op).getTranspose(),
                  /*write=*/true);
}

LogicalResult kami::sim::decodeCoreMatrixAccess(Decoder &decoder, Operation *op,
                                                bool &handled) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](nvgpu::LdMatrixOp load) {
        decoder.accesses(
            *formatOf(load.getSrcMemref().getType().getElementType()));
        return decoder.emit(op, runLdMatrix);
      })
      .Case([&](StMatrixOp store) {
        decoder.accesses(
            *formatOf(store.getValue().getType().getElementType()));
        return decoder.emit(op, runStMatrix);
      })
      .Default([&](Operation *) {
        handled = false;
        return success();
      });
}
