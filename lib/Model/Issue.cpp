//===- Issue.cpp - What a block's threads do beside multiplying -----------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CalibratedParts.h"
#include "kami/Layout/CopiedTile.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using namespace kami;

/// Cycles of a block for every piece of 16 bytes that one of its threads moves,
/// where warps read it again from shared memory, and elsewhere.
static constexpr double reread = 40, readOnce = 5;
/// Cycles of a block for every tile along k, and for every tile of C in turn.
static constexpr double tileCycles = 200, turnCycles = 500;
/// The first of groups, which start the next tile's copies beside their one
/// instruction: 1000 products of f16 272 by 192 × 136 with tiles of 32 and 64
/// along k took 209 and 179 µs, of tf32 129 and 161 with 16 and 32 106 and 96,
/// 141 and 130 (H100, 2026-11-26).
static constexpr double groupTileCycles = 400;
/// The same where they put rows straight: 1000 products of f16 81 take 23 µs in
/// one tile along k and 28 in tiles of 16 (H200, 2026-11-26). Of elements of 16
/// bits, of which a thread puts more straight, 283, 351 and 477 take 446, 569
/// and 1223 µs in tiles of 32, 382, 479 and 1064 in tiles of 64 (H100,
/// 2026-11-26).
static constexpr double straightenedTileCycles = 500,
                        straightenedHalfTileCycles = 1300;
/// Those in which a warp makes the maps of both operands, and the engine sees
/// them, unless it does so a product ahead (H100, 2026-11-25).
static constexpr double mapCycles = 700;
/// Instructions that it takes to move an element, or an adjacent few, that are
/// no piece of 16 bytes: of f16, products of 17 rows reached half of what
/// memory gives (H200, 2026-11-22).
static constexpr double raggedMove = 40;
/// How much longer that takes where a line has no power of two of such moves,
/// nor about as many, so that threads divide to find theirs: 1000 f32 products
/// of 129 by 48 × 129 × 16 took 253 µs, by 129 × 48 × 16 185 (H100,
/// 2026-11-26).
static constexpr double unevenLine = 1.8;
/// The same for a piece of 16 bytes that is copied as it lies and put straight
/// in shared memory for groups: of elements narrower than a word, which are
/// shifted, and of words (1000 products of f16 of 129 to 257 and of tf32 of 129
/// to 257, H100, 2026-11-26).
static constexpr double skewedMove = 150, skewedWordMove = 60;
/// What a word of a pack takes, and what every warp of it does once.
static constexpr double packedMove = 2;
static constexpr double packedFixed = 60;
/// Cycles in which a multiprocessor starts a block.
static constexpr double blockStart = 100;

/// Elements of the widest words that lines of so many consist of.
static double wordOf(int64_t elements, ElementKind kind) {
  return packedWord(elements, elements, byteWidth(kind));
}

/// Instructions of a block whose lanes each have rows of a product.
static double laneInstructions(const Atom &atom, const Partition &partition,
                               const Chip &chip, const Exchange &exchange) {
  double rows = partition.warpM, n = partition.tile.n, k = partition.tile.k;
  double loads = k * rows / wordOf(partition.tile.k, atom.operand) +
                 k * n / wordOf(partition.tile.n, atom.operandB());
  double extended = atom.operand == atom.accumulator ? 0 : k * (rows + n);
  double stores = rows * n / wordOf(partition.tile.n, atom.accumulator);
  double warps = std::ceil(double(exchange.packedTeams()) * partition.grid.m /
                           chip.warpSize);
  return warps * (exchange.rounds *
                      (rows * n * k + loads + extended + packedMove * stores) +
                  packedFixed);
}

/// The same of a block whose warps each have a product.
static double warpInstructions(const Atom &atom, const Partition &partition,
                               const Chip &chip, int64_t products) {
  double m = partition.warpM, n = partition.warpN, k = partition.paddedK();
  double words = m * k / wordOf(partition.tile.k, atom.operand) +
                 k * n / wordOf(partition.tile.n, atom.operandB()) +
                 m * n / wordOf(partition.tile.n, atom.accumulator);
  return products * (packedMove * words / chip.warpSize + packedFixed);
}

/// Instructions for rows of elements that are no whole pieces of 16 bytes, of
/// which tiles have lines of `lineElements`.
static double raggedInstructions(const Atom &atom, double elements,
                                 int64_t lineElements, int64_t bytes,
                                 int64_t piece, const Exchange &exchange,
                                 const Chip &chip) {
  if (exchange.skewed && exchange.unit == Unit::WarpGroup)
    return (bytes < 4 ? skewedMove : skewedWordMove) * elements * bytes /
           copiedPiece / chip.warpSize;
  if (piece == 0 || piece >= copiedPiece)
    return 0;
  int64_t move = std::max(piece, bytes);
  int64_t places = llvm::divideCeil(lineElements * bytes, move);
  bool isUneven = atom.instruction == Instruction::Fma &&
                  3 * int64_t(llvm::PowerOf2Ceil(places)) > 4 * places;
  return (isUneven ? unevenLine : 1) * raggedMove * elements * bytes / move /
         chip.warpSize;
}

double kami::issueCycles(const Work &work, const Atom &atom,
                         const Partition &partition, const Chip &chip,
                         const Exchange &exchange) {
  const Extents tile = tileOf(partition, exchange), &extents = work.extents;
  double instructions;
  if (atom.isLane())
    instructions = laneInstructions(atom, partition, chip, exchange);
  else if (exchange.isPacked())
    instructions = warpInstructions(atom, partition, chip, exchange.packed);
  else {
    double rows = movedPart(extents.m, tile.m, exchange),
           columns = movedPart(extents.n, tile.n, exchange);
    instructions = raggedInstructions(
                       atom, rows * extents.k, std::min(tile.k, extents.k),
                       byteWidth(atom.operand), work.pieceA, exchange, chip) +
                   raggedInstructions(
                       atom, extents.k * columns, std::min(tile.n, extents.n),
                       byteWidth(atom.operandB()), work.pieceB, exchange, chip);
  }
  return instructions / chip.tensorCores +
         (exchange.isPacked() ? blockStart : 0);
}

/// Whether a warp widens operands that it reads: those that lie in memory so,
/// and, on chips with warp groups, those of the instruction for 8 bits, of
/// which the assembler makes the one for 16.
static bool widens(const Atom &atom, int64_t bytes, const Chip &chip) {
  bool isWide = bytes == 1 && byteWidth(atom.operand) == 2;
  bool isFloat = isFloat8(atom.operand);
  return isWide || (isFloat && atom.instruction == Instruction::MmaSync &&
                    !chip.groupAtoms.empty());
}

double kami::wideningCycles(const Work &work, const Atom &atom,
                            const Partition &partition, const Chip &chip,
                            double kTiles) {
  // Elements of a multiprocessor in a cycle: of 47 batches of 64 and 1000
  // products of e4m3 of 24³ to 448³ whose plans this changes, they take 0.87 of
  // the time without it, with 64 0.89 (geometric means, H200, 2026-11-28).
  constexpr double widened = 32;
  double lines = double(partition.warpM) * widens(atom, work.bytesA, chip) +
                 double(partition.warpN) * widens(atom, work.bytesB, chip);
  return lines * partition.grid.m * partition.grid.n * partition.tile.k *
         kTiles / widened;
}

double kami::movingCycles(const CalibratedCost &cost, const Atom &atom,
                          const BlockBytes &bytes, const Partition &partition,
                          const Chip &chip, const Exchange &exchange) {
  if (exchange.isPacked())
    return 0;
  double threads = double(partition.grid.warps()) * chip.warpSize;
  double each = readOnce;
  if (exchange.isCopied() && exchange.unit != Unit::WarpGroup)
    each = reread;
  // The engine takes no thread's time.
  if (exchange.bulk)
    each = 0;
  double tile = exchange.unit != Unit::WarpGroup ? tileCycles
                : !exchange.skewed               ? groupTileCycles
                : byteWidth(atom.operand) > 2    ? straightenedTileCycles
                                                 : straightenedHalfTileCycles;
  return each * bytes.cache / copiedPiece / threads + tile * cost.kTiles +
         (exchange.prefetches ? turnCycles : 0) +
         (exchange.bulk && !exchange.prefetches ? mapCycles : 0);
}
