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

namespace {
/// A product, the thread that counts it, and where its tiles begin in the order
/// in which they are dealt.
struct Dealt {
  int64_t product, thread, tiles, depth, begin;
};
} // namespace

/// All products in the order in which their tiles are dealt.
static LogicalResult sortProducts(Execution &x, Warp &warp,
                                  const Instruction &instruction,
                                  DealTilesOp op, std::vector<Dealt> &sorted) {
  constexpr unsigned firstArray = 2;
  int64_t threads = DealTilesOp::countingThreads(op.getThreads());
  int64_t count = warp.memrefs[instruction.operands[firstArray].index].sizes[0];
  for (int64_t product = 0; product < count; ++product) {
    int64_t tiles[3];
    for (unsigned i = 0; i != 3; ++i) {
      const MemRef &sizes =
          warp.memrefs[instruction.operands[firstArray + i].index];
      int64_t extent;
      if (failed(readCount(x, warp, instruction, sizes, product, extent)))
        return failure();
      tiles[i] = llvm::divideCeil(extent, op.getExtents()[i]);
    }
    sorted.push_back({product, product % threads, tiles[0] * tiles[1],
                      DealTilesOp::depthClass(tiles[2]), 0});
  }
  llvm::stable_sort(sorted, [&](const Dealt &one, const Dealt &other) {
    return std::make_pair(-one.depth, one.thread) <
           std::make_pair(-other.depth, other.thread);
  });
  int64_t begin = 0;
  for (Dealt &dealt : sorted) {
    dealt.begin = begin;
    begin += dealt.tiles;
  }
  return success();
}

/// Writes an integer of 64 bits to a matrix's element.
static LogicalResult writeEntry(Execution &x, Warp &warp,
                                const Instruction &instruction,
                                const MemRef &matrix, int64_t row,
                                int64_t column, int64_t value) {
  Access access;
  access.buffer = matrix.buffer;
  access.mask = 1;
  access.bytes = access.alignment = matrix.elementBytes;
  access.write = true;
  access.addresses[0] = matrix.address({row, column});
  if (failed(x.access(warp, instruction, access)))
    return failure();
  writeBits(matrix.buffer->bytes.data() + access.addresses[0],
            matrix.elementBytes, uint64_t(value));
  return success();
}

static LogicalResult runDeal(Execution &x, Warp &warp,
                             const Instruction &instruction) {
  auto op = cast<DealTilesOp>(instruction.op);
  int64_t block, first;
  if (failed(x.requireConverged(warp, instruction)) ||
      failed(x.uniform(warp, instruction, instruction.operands[0], block)) ||
      failed(x.uniform(warp, instruction, instruction.operands[1], first)))
    return failure();
  if (x.block.count() != int64_t(op.getThreads()))
    return x.fail(Violation::Unsupported, instruction)
           << "expected a block of " << op.getThreads() << " threads, but got "
           << x.block.count();
  std::vector<Dealt> sorted;
  if (failed(sortProducts(x, warp, instruction, op, sorted)))
    return failure();
  const MemRef &dealt = warp.memrefs[instruction.operands[5].index];
  int64_t blocks = op.getBlocks();
  int64_t all = sorted.empty() ? 0 : sorted.back().begin + sorted.back().tiles;
  auto tileIn = [&](int64_t turn) {
    return turn * blocks + (turn % 2 ? blocks - 1 - block : block);
  };
  int64_t count = all / blocks;
  count += tileIn(count) < all;
  auto of = sorted.begin();
  int64_t last = std::min(first + dealt.sizes[0], count);
  for (int64_t turn = first; turn < last; ++turn) {
    int64_t tile = tileIn(turn);
    while (of->begin + of->tiles <= tile)
      ++of;
    // Whoever counts a product lists its tiles.
    if (of->thread / x.width != warp.index)
      continue;
    int64_t row = turn - first;
    if (failed(writeEntry(x, warp, instruction, dealt, row, 0, of->product)) ||
        failed(
            writeEntry(x, warp, instruction, dealt, row, 1, tile - of->begin)))
      return failure();
  }
  for (Slot slot : instruction.results) {
    uint64_t *output = x.lanes(warp, slot);
    std::fill(output, output + x.width, uint64_t(count));
  }
  return success();
}

LogicalResult kami::sim::decodeGroupedOps(Decoder &decoder, Operation *op,
                                          bool &handled) {
  auto deal = dyn_cast<DealTilesOp>(op);
  handled = bool(deal);
  if (!deal)
    return success();
  for (Value array : {deal.getM(), deal.getN(), deal.getK(), deal.getDealt()})
    decoder.accesses(
        *formatOf(cast<MemRefType>(array.getType()).getElementType()));
  return decoder.emit(op, runDeal);
}
