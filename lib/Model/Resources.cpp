//===- Resources.cpp ----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Model/Resources.h"
#include "kami/Layout/CopiedTile.h"
#include "kami/Layout/FragmentMap.h"
#include "kami/Layout/OuterProducts.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace kami;
using llvm::alignTo;
using llvm::divideCeil;

static constexpr int64_t bytesPerRegister = 4;

namespace {
/// One operand, as far as its registers go.
struct Operand {
  /// Registers of a slice, of one k step of a slice, and of one instruction.
  int64_t slice;
  int64_t step;
  int64_t atom;
  int64_t held;
  int64_t parked;
  bool isBroadcast;

  bool isStaged() const { return isBroadcast && parked < held; }
  bool isOnDemand() const { return !isStaged() && parked > 0; }
};
} // namespace

static int64_t working(const Operand &operand, const Operand &other) {
  if (operand.isStaged())
    return operand.slice;
  if (!operand.isOnDemand())
    return 0;
  // If both are read on demand, the smaller is kept while the larger passes.
  bool stays = other.isOnDemand() && operand.step <= other.step;
  return stays ? operand.step
               : std::min(operand.step, onDemandAtoms * operand.atom);
}

/// The lanes' own products read few columns of A and rows of B at a time, and
/// extend narrow elements to the sums' `factor` times their width.
static void readForOuterProducts(Registers &registers, const Operand &a,
                                 const Operand &b, int64_t factor) {
  int64_t steps = outerProductsAtOnce(a.step + b.step);
  if (a.isOnDemand())
    registers.workingA = steps * a.step * factor;
  if (b.isOnDemand())
    registers.workingB = steps * b.step * factor;
}

/// Whether every element of what warps compute is one of the tile.
static bool isWhole(const Partition &partition) {
  const Extents &tile = partition.tile;
  return partition.paddedM() == tile.m && partition.paddedN() == tile.n &&
         tile.k == partition.stages * partition.grid.k * partition.stageK;
}

/// The lanes' own products of many operands in registers are not looped over:
/// ptxas has more of them on their way at once.
static constexpr int64_t unrolledOverhead = 24;

/// What else ptxas was seen to need beyond a ragged tile's share, where the
/// lanes multiply or elements take two registers, and for the parts of operands
/// that are split in two.
static constexpr int64_t raggedMoreOverhead = 8;
static constexpr int64_t splitOverhead = 24;

/// What ptxas needs besides where layers each have many sums of f64: of 32 × 64
/// × 32 by four layers, which takes 176 for sums and operands, 48 bytes are
/// spilled.
static constexpr int64_t wideLayersOverhead = 16, manyWideSums = 128;

static constexpr int64_t copyOverhead = 16;
/// All that ptxas needs beside sums and a slice of f64 whose terms are copied
/// at once, so that nothing is known of a next tile, whether or not the tile is
/// ragged: of 72 kernels of 33 to 88, 22 to 50, but up to 64 where a block has
/// so few warps that it may.
static constexpr int64_t oneTileOverhead = 48;
/// The same of f32 that lanes multiply, beside sums and a slice of each
/// operand: of 343 kernels of 20 to 130 ten take more, by 4 to 42. What follows
/// in stages takes no more than that, but other constants were fitted to more.
static constexpr int64_t copyingLanesOverhead = 16;
/// All that ptxas needs beside sums where only the matrix unit reads operands:
/// f16 64 × 64, 128 × 96 and 128 × 128 take 58, 74 and 96 registers.
static constexpr int64_t unitOverhead = 32;
/// And where they take tiles in turn, which know of the next product's operands
/// besides: f16 128 × 256, 192 × 192 and 256 × 128 take 194, 164 and 123 where
/// tiles divide C, 218, 168 and 128 where not, which is as many as the last two
/// may; of 192 × 224 and 256 × 136 some are spilled.
static constexpr int64_t aheadOverhead = 40;
/// And where tiles of rows that are put straight follow each other, some pieces
/// of 16 bytes of a line, or more: f16 of 192 × 208 × 32 takes 104 for sums and
/// all of 168, of 192 × 208 × 64 144 bytes are spilled, of 192 × 256 × 64,
/// which takes 128 for sums, 480; 1000 products of 401 take 868 and 1071 µs, of
/// 511 1779 so, and 1049 by 128 × 256 × 64 with 246 registers (H100,
/// 2026-11-26). Of 128 × 128 × 64 by eight warps, which takes 64 for sums, 116
/// bytes are spilled with 128, outside of loops, and a multiprocessor has two
/// blocks: 256 products up to 512 × 512 × 512 take 94 µs so, and 108 with one.
static constexpr int64_t skewedOverhead = 32, longSkewedOverhead = 40,
                         shortLine = 64, fewSums = 64;
/// The same where tiles of tf32 follow each other, and who copied them rounds
/// them: 128 × 128 × 64, 160 × 160 × 32 and 192 × 192 × 16 take 43, 48 and 49
/// beside sums and A.
static constexpr int64_t roundedOverhead = 48;

static int64_t overheadOf(const Atom &atom, const Partition &partition,
                          const Operand &a, const Operand &b) {
  bool isUnrolled = atom.instruction == Instruction::Fma &&
                    !(a.isOnDemand() && b.isOnDemand());
  bool isWide = byteWidth(atom.operand) == 8;
  return registerOverhead + (isWide ? wideOverhead : 0) +
         (isWhole(partition) ? 0 : raggedOverhead) +
         (!isWhole(partition) &&
                  (atom.instruction == Instruction::Fma || isWide)
              ? raggedMoreOverhead
              : 0) +
         (atom.products() > 1 ? splitOverhead : 0) +
         (isUnrolled ? unrolledOverhead : 0);
}

Registers kami::registersPerThread(const Atom &atom, const Partition &partition,
                                   const Slicing &unclamped, int64_t warpSize,
                                   const Exchange &exchange, int64_t sums) {
  Slicing slicing = clampSlicing(partition, unclamped);
  int64_t lanes = atom.lanes(warpSize);
  auto perThread = [&](int64_t elements, int64_t bytes) -> int64_t {
    return divideCeil(elements * bytes, bytesPerRegister * lanes);
  };
  // Of an element that several lanes hold, each has a register.
  int64_t bytesA = byteWidth(atom.operand) * replicasOf(atom.mapA);
  int64_t bytesB = byteWidth(atom.operand) * replicasOf(atom.mapB);
  Operand a = {perThread(partition.sliceElementsA(), bytesA),
               perThread(partition.warpM * atom.shape.k, bytesA),
               perThread(atom.shape.m * atom.shape.k, bytesA),
               partition.heldA(),
               slicing.sharedA,
               partition.grid.n > 1};
  Operand b = {perThread(partition.sliceElementsB(), bytesB),
               perThread(partition.warpN * atom.shape.k, bytesB),
               perThread(atom.shape.n * atom.shape.k, bytesB),
               partition.heldB(),
               slicing.sharedB,
               partition.grid.m > 1};

  // Nothing of copied operands stays in registers.
  if (exchange.isCopied()) {
    a.parked = a.held;
    b.parked = b.held;
  }
  Registers registers;
  registers.accumulators = sums * perThread(partition.warpM * partition.warpN,
                                            byteWidth(atom.accumulator));
  registers.overhead = overheadOf(atom, partition, a, b);
  if (exchange.unit == Unit::WarpGroup) {
    // B is read where it lies; A is held as a whole, or lies there, too.
    bool copiesA =
        exchange.isCopied() && readsEitherOrder(byteWidth(atom.operand));
    if (slicing.sharedA == 0 && !copiesA)
      registers.heldA = perThread(partition.warpM * partition.paddedK(),
                                  byteWidth(atom.operand));
    if (exchange.isCopied())
      registers.overhead =
          copiesA || exchange.stages == 1 ? unitOverhead : roundedOverhead;
    int64_t line = partition.tile.k * byteWidth(atom.operand);
    bool isLong = line > shortLine && registers.accumulators > fewSums;
    if (exchange.isCopied() && copiesA)
      registers.overhead += exchange.prefetches ? aheadOverhead
                            : !exchange.skewed || exchange.stages == 1 ? 0
                            : isLong ? longSkewedOverhead
                                     : skewedOverhead;
    return registers;
  }
  if (exchange.isPacked()) {
    registers.workingA = a.slice;
    registers.workingB = b.slice;
    // A lane extends what it reads.
    if (atom.isLane()) {
      int64_t words = divideCeil(byteWidth(atom.accumulator), bytesPerRegister);
      registers.workingA =
          words * partition.warpM * std::min(partition.tile.k, laneTerms);
      registers.workingB = words * partition.warpN;
    }
    registers.overhead = registerOverhead;
    return registers;
  }
  // A slice is read, all of it, while the one before is multiplied; of elements
  // of 8 bytes, which the lanes read one by one, ptxas has one slice at a time.
  // What is copied next has addresses.
  if (exchange.isCopied()) {
    bool isFma = atom.instruction == Instruction::Fma;
    bool isAhead = byteWidth(atom.operand) < 8 && !isFma;
    registers.workingA = (isAhead ? 2 : 1) * a.slice;
    registers.workingB = (isAhead ? 2 : 1) * b.slice;
    registers.overhead += isAhead ? copyOverhead : 0;
    bool isOneTile = exchange.stages == 1 && sums == 1;
    if (isOneTile && !isAhead && !isFma)
      registers.overhead = oneTileOverhead;
    if (isOneTile && isFma && byteWidth(atom.operand) == 4) {
      registers.overhead = copyingLanesOverhead;
      registers.isExact = true;
    }
    return registers;
  }
  // What a product gathers anew each time has to come from somewhere.
  bool gathersA =
      exchange.a == Source::Block && !exchange.keepsParkedA(partition.grid);
  bool gathersB =
      exchange.b == Source::Block && !exchange.keepsParkedB(partition.grid);
  registers.heldA = (a.held - (gathersA ? 0 : a.parked)) * a.slice;
  registers.heldB = (b.held - (gathersB ? 0 : b.parked)) * b.slice;
  registers.workingA = working(a, b);
  registers.workingB = working(b, a);
  if (atom.instruction == Instruction::Fma)
    readForOuterProducts(registers, a, b,
                         byteWidth(atom.accumulator) / byteWidth(atom.operand));
  // The parts of a split operand: of what stays over repeats, they stay, too.
  int64_t parts = atom.products() == 3 ? 2 : 1;
  registers.workingA *= parts;
  registers.workingB *= parts;
  registers.heldA *= exchange.a == Source::Block ? parts : 1;
  registers.heldB *= exchange.b == Source::Block ? parts : 1;
  if (a.parked > 0 && !gathersA)
    registers.parking = a.slice;
  if (b.parked > 0 && !gathersB)
    registers.parking = std::max(registers.parking, b.slice);
  if (byteWidth(atom.operand) == 8 && partition.grid.k > 1 &&
      registers.accumulators >= manyWideSums)
    registers.overhead += wideLayersOverhead;
  return registers;
}

ElementBytes kami::elementBytesOf(const Atom &atom) {
  ElementBytes bytes = {byteWidth(atom.operand), byteWidth(atom.accumulator)};
  const auto &[m, n, k] = atom.shape;
  if (atom.isOpaque())
    bytes.staging =
        std::max(m, n) * k * bytes.operand + m * n * bytes.accumulator;
  return bytes;
}

Resources kami::resourcesOf(const Atom &atom, const Partition &partition,
                            const Slicing &slicing, int64_t warpSize,
                            const Exchange &exchange, int64_t sums) {
  Resources resources;
  int64_t units = exchange.packedTeams() * partition.grid.warps();
  resources.threads = units * atom.lanes(warpSize);
  resources.warps = divideCeil(resources.threads, warpSize);
  resources.registers = registersPerThread(atom, partition, slicing, warpSize,
                                           exchange, sums * exchange.rounds);
  resources.shared =
      sharedLayout(partition, slicing, elementBytesOf(atom), exchange);
  return resources;
}

int64_t kami::residentBlocks(const Resources &resources, const Chip &chip) {
  int64_t blocks = chip.maxBlocksPerMultiprocessor;
  blocks =
      std::min(blocks, chip.maxThreadsPerMultiprocessor / resources.threads);
  int64_t registers =
      alignTo(resources.registers.total(), chip.registerGranularity);
  blocks = std::min(blocks, chip.registers / (registers * resources.threads));
  while (resources.registers.isExact && blocks > 1 &&
         chip.registersEach(blocks * resources.threads) < registers)
    --blocks;
  int64_t shared = resources.shared.bytes + chip.sharedReservedPerBlock;
  if (shared > 0)
    blocks = std::min(blocks, chip.sharedPerMultiprocessor / shared);
  return std::max<int64_t>(blocks, 1);
}
