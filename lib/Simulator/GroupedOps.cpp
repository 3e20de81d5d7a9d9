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
#include <numeric>

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

/// Products as an op counts their work: its operands from `first` on are their
/// sizes.
template <typename OpTy>
static LogicalResult workOf(Execution &x, Warp &warp,
                            const Instruction &instruction, OpTy op,
                            unsigned first, int64_t product, int64_t &work) {
  int64_t tiles[3];
  for (unsigned i = 0; i != 3; ++i) {
    const MemRef &sizes = warp.memrefs[instruction.operands[first + i].index];
    int64_t extent;
    if (failed(readCount(x, warp, instruction, sizes, product, extent)))
      return failure();
    tiles[i] = llvm::divideCeil(extent, op.getExtents()[i]);
  }
  work = tiles[0] * tiles[1] * (tiles[2] + int64_t(op.getStart()));
  return success();
}

static void give(Execution &x, Warp &warp, const Instruction &instruction,
                 llvm::ArrayRef<int64_t> values) {
  for (auto [slot, value] : llvm::zip_equal(instruction.results, values)) {
    uint64_t *output = x.lanes(warp, slot);
    std::fill(output, output + x.width, uint64_t(value));
  }
}

static LogicalResult runShare(Execution &x, Warp &warp,
                              const Instruction &instruction) {
  auto op = cast<ShareWorkOp>(instruction.op);
  int64_t share;
  if (failed(x.requireConverged(warp, instruction)) ||
      failed(x.uniform(warp, instruction, instruction.operands[0], share)))
    return failure();
  if (x.block.count() != int64_t(op.getThreads()))
    return x.fail(Violation::Unsupported, instruction)
           << "expected a block of " << op.getThreads() << " threads, but got "
           << x.block.count();
  int64_t count = warp.memrefs[instruction.operands[1].index].sizes[0];
  std::vector<int64_t> works(std::max<int64_t>(count, 0));
  for (auto [product, work] : llvm::enumerate(works))
    if (failed(workOf(x, warp, instruction, op, /*first=*/1, product, work)))
      return failure();
  int64_t all = std::accumulate(works.begin(), works.end(), int64_t(0));
  int64_t atOnce = op.getShares();
  int64_t rounds =
      std::max<int64_t>(all / (atOnce * int64_t(op.getLeast())), 1);
  int64_t part = all / (rounds * atOnce), rest = all % (rounds * atOnce);
  int64_t begin = share * part + std::min(share, rest);
  int64_t product = 0, before = 0;
  while (product != int64_t(works.size()) && before + works[product] <= begin)
    before += works[product++];
  give(x, warp, instruction, {product, before, rounds, all});
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
  auto [wanted, product, before] = given;
  int64_t count = warp.memrefs[instruction.operands[3].index].sizes[0];
  bool found = false;
  for (; product < count; ++product) {
    int64_t work;
    if (failed(workOf(x, warp, instruction, op, /*first=*/3, product, work)))
      return failure();
    found = before + work > wanted;
    if (found)
      break;
    before += work;
  }
  give(x, warp, instruction, {product, before, found});
  return success();
}

LogicalResult kami::sim::decodeGroupedOps(Decoder &decoder, Operation *op,
                                          bool &handled) {
  auto decode = [&](auto counts, auto run) {
    for (Value array : {counts.getM(), counts.getN(), counts.getK()})
      decoder.accesses(
          *formatOf(cast<MemRefType>(array.getType()).getElementType()));
    return decoder.emit(op, run);
  };
  handled = true;
  if (auto find = dyn_cast<FindProductOp>(op))
    return decode(find, runFind);
  if (auto share = dyn_cast<ShareWorkOp>(op))
    return decode(share, runShare);
  handled = false;
  return success();
}
