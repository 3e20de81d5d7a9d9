//===- GroupedOps.cpp - Whose tile it is ----------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include "kami/IR/KamiOps.h"
#include "kami/Simulator/Scalar.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;
using namespace kami::sim;
using namespace mlir;

/// An entry of an array of integers, 0 for a negative one.
static LogicalResult readCount(Execution &x, Warp &warp,
                               const Instruction &instruction,
                               const MemRef &array, int64_t index,
                               int64_t &value) {
  Access access;
  access.buffer = array.buffer;
  access.mask = 1;
  access.bytes = access.alignment = array.elementBytes;
  access.write = false;
  access.addresses[0] = array.address(index);
  if (failed(x.access(warp, instruction, access)))
    return failure();
  ElementFormat format = *formatOf(array.elementType);
  uint64_t bits = readBits(array.buffer->bytes.data() + access.addresses[0],
                           array.elementBytes);
  value = std::max<int64_t>(toSigned(format, bits), 0);
  return success();
}

static LogicalResult runFind(Execution &x, Warp &warp,
                             const Instruction &instruction) {
  auto op = cast<FindProductOp>(instruction.op);
  if (failed(x.requireConverged(warp, instruction)))
    return failure();
  int64_t given[3];
  for (unsigned i = 0; i != 3; ++i)
    if (failed(x.uniform(warp, instruction, instruction.operands[i], given[i])))
      return failure();
  auto [tile, product, before] = given;
  const MemRef &m = warp.memrefs[instruction.operands[3].index];
  const MemRef &n = warp.memrefs[instruction.operands[4].index];
  bool found = false;
  for (; product < m.sizes[0]; ++product) {
    int64_t rows, columns;
    if (failed(readCount(x, warp, instruction, m, product, rows)) ||
        failed(readCount(x, warp, instruction, n, product, columns)))
      return failure();
    int64_t tiles = llvm::divideCeil(rows, op.getExtents()[0]) *
                    llvm::divideCeil(columns, op.getExtents()[1]);
    found = before + tiles > tile;
    if (found)
      break;
    before += tiles;
  }
  for (auto [slot, value] :
       llvm::zip_equal(instruction.results,
                       std::array<int64_t, 3>{product, before, found})) {
    uint64_t *output = x.lanes(warp, slot);
    std::fill(output, output + x.width, uint64_t(value));
  }
  return success();
}

LogicalResult kami::sim::decodeGroupedOps(Decoder &decoder, Operation *op,
                                          bool &handled) {
  auto find = dyn_cast<FindProductOp>(op);
  handled = bool(find);
  if (!find)
    return success();
  for (Value array : {find.getM(), find.getN()})
    decoder.accesses(
        *formatOf(cast<MemRefType>(array.getType()).getElementType()));
  return decoder.emit(op, runFind);
}
