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
#include "llvm/ADT/TypeSwitch.h"
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

/// Writes an integer to the element of that index.
static LogicalResult writeEntry(Execution &x, Warp &warp,
                                const Instruction &instruction,
                                const MemRef &matrix, ArrayRef<int64_t> index,
                                int64_t value) {
  Access access;
  access.buffer = matrix.buffer;
  access.mask = 1;
  access.bytes = access.alignment = matrix.elementBytes;
  access.write = true;
  access.addresses[0] = matrix.address(index);
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
  int64_t held = op.getHeld(), left = 0;
  const MemRef *rest =
      held > 0 ? &warp.memrefs[instruction.operands[7].index] : nullptr;
  if (rest && all < DealTilesOp::heldLimit &&
      int64_t(sorted.size()) <= rest->sizes[0]) {
    int64_t turns = DealTilesOp::dealtOf(all / blocks, held);
    count = std::min(count, turns);
    left = std::max<int64_t>(all - turns * blocks, 0);
  }
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
    if (failed(
            writeEntry(x, warp, instruction, dealt, {row, 0}, of->product)) ||
        failed(writeEntry(x, warp, instruction, dealt, {row, 1},
                          tile - of->begin)))
      return failure();
  }
  for (const Dealt &held : sorted) {
    if (left == 0 || held.thread / x.width != warp.index)
      continue;
    int64_t word = held.begin << DealTilesOp::tileBits | held.tiles;
    if (failed(writeEntry(x, warp, instruction, *rest, {held.product}, word)))
      return failure();
  }
  const int64_t values[] = {count, left};
  for (auto [slot, value] : llvm::zip_equal(instruction.results, values)) {
    uint64_t *output = x.lanes(warp, slot);
    std::fill(output, output + x.width, uint64_t(value));
  }
  return success();
}

static LogicalResult runPrefixSum(Execution &x, Warp &warp,
                                  const Instruction &instruction) {
  if (failed(x.requireConverged(warp, instruction)))
    return failure();
  const uint64_t *values = x.lanes(warp, instruction.operands[0]);
  uint64_t *before = x.lanes(warp, instruction.results[0]);
  uint32_t sum = 0;
  for (unsigned lane = 0; lane != x.width; ++lane) {
    uint32_t value = values[lane];
    before[lane] = sum;
    sum += value;
  }
  uint64_t *all = x.lanes(warp, instruction.results[1]);
  std::fill(all, all + x.width, sum);
  return success();
}

//===----------------------------------------------------------------------===//
// Tickets
//===----------------------------------------------------------------------===//

static LogicalResult runOpen(Execution &x, Warp &warp,
                             const Instruction &instruction) {
  if (failed(x.requireConverged(warp, instruction)))
    return failure();
  if (warp.index != x.numWarps() - 1)
    return success();
  const MemRef &words = warp.memrefs[instruction.operands[0].index];
  SharedPlace place(words.buffer, words.address({0}));
  if (!x.tickets.try_emplace(place, 0).second)
    return x.fail(Violation::Unsupported, instruction)
           << "expected words that are no counter's yet";
  return writeEntry(x, warp, instruction, words, {1}, 0);
}

/// Blocks run one after the other. So that each has its share, block b of n has
/// tickets b, b + n, …, as if all of them took turns.
static LogicalResult runTake(Execution &x, Warp &warp,
                             const Instruction &instruction) {
  auto op = cast<TakeTicketOp>(instruction.op);
  if (failed(x.requireConverged(warp, instruction)))
    return failure();
  // What nobody is to look at.
  uint64_t *output = x.lanes(warp, instruction.results[0]);
  std::fill(output, output + x.width, uint64_t(uint32_t(-1)));
  if (warp.index != x.numWarps() - 1)
    return success();
  const MemRef &words = warp.memrefs[instruction.operands[0].index];
  auto found = x.tickets.find({words.buffer, words.address({0})});
  if (found == x.tickets.end())
    return x.fail(Violation::Unsupported, instruction)
           << "expected words that kami.open_tickets has written";
  int64_t blocks = op.getBlocks();
  if (x.grid.count() != blocks)
    return x.fail(Violation::Unsupported, instruction)
           << "expected " << blocks << " blocks, but got " << x.grid.count();
  *output = x.blockIndex + found->second++ * blocks;
  return success();
}

static LogicalResult runPublish(Execution &x, Warp &warp,
                                const Instruction &instruction) {
  auto op = cast<PublishTicketOp>(instruction.op);
  int64_t limit;
  if (failed(x.requireConverged(warp, instruction)) ||
      failed(x.uniform(warp, instruction, instruction.operands[2], limit)))
    return failure();
  if (warp.index != x.numWarps() - 1)
    return success();
  int64_t ticket = *x.lanes(warp, instruction.operands[0]);
  if (ticket >= limit + int64_t(op.getBlocks()))
    return x.fail(Violation::Unsupported, instruction)
           << "expected no ticket to be taken behind one that is beyond the "
              "limit";
  const MemRef &words = warp.memrefs[instruction.operands[1].index];
  return writeEntry(x, warp, instruction, words, {0}, ticket);
}

LogicalResult kami::sim::decodeGroupedOps(Decoder &decoder, Operation *op,
                                          bool &handled) {
  auto accesses = [&](Value array) {
    decoder.accesses(
        *formatOf(cast<MemRefType>(array.getType()).getElementType()));
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](DealTilesOp deal) {
        for (Value array :
             {deal.getM(), deal.getN(), deal.getK(), deal.getDealt()})
          accesses(array);
        if (deal.getRest())
          accesses(deal.getRest());
        return decoder.emit(op, runDeal);
      })
      .Case([&](PrefixSumOp) { return decoder.emit(op, runPrefixSum); })
      .Case([&](OpenTicketsOp open) {
        accesses(open.getWords());
        return decoder.emit(op, runOpen);
      })
      .Case([&](TakeTicketOp take) {
        accesses(take.getWords());
        return decoder.emit(op, runTake);
      })
      .Case([&](PublishTicketOp publish) {
        accesses(publish.getWords());
        return decoder.emit(op, runPublish);
      })
      .Default([&](Operation *) {
        handled = false;
        return success();
      });
}
