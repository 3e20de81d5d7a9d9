//===- Plan.h - How a product is split over a block's warps --------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan is every decision that a lowering obeys. It is data: a planner makes
// one, a person can write one, `#kami.plan` carries one in IR.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_PLAN_PLAN_H
#define KAMI_PLAN_PLAN_H

#include "kami/Layout/TileOrder.h"
#include "kami/Target/Atom.h"
#include <optional>

namespace kami {

/// The paper's algorithms, by the dimensions of the warp grid that exceed 1.
enum class Algorithm { OneD, TwoD, ThreeD };

/// The spellings in IR, "one_d", ..., and of the flag `--algorithm`, "1d", ....
llvm::StringRef name(Algorithm algorithm);
llvm::StringRef flag(Algorithm algorithm);
std::optional<Algorithm> parseAlgorithm(llvm::StringRef spelling);
llvm::StringRef name(Transport transport);
std::optional<Transport> parseTransport(llvm::StringRef spelling);
/// "warp", "warpgroup", "lane".
llvm::StringRef name(Unit unit);
std::optional<Unit> parseUnit(llvm::StringRef spelling);

/// What brings copied operands, "bulk" or "threads": whether that is the copy
/// engine.
std::optional<bool> parseCopies(llvm::StringRef spelling);

/// Whether so many turns of tiles may be asked to be taken: 0 for the planner's
/// choice, -1 for none.
constexpr bool mayAskTaken(int64_t turns) {
  return turns >= -1 && turns <= mostTaken;
}
/// What is asked for so; nothing for the planner's choice.
inline std::optional<int64_t> askedTaken(int64_t turns) {
  if (turns == 0)
    return std::nullopt;
  return turns < 0 ? 0 : turns;
}

/// The algorithm that a grid stands for: layers make it 3D; otherwise columns
/// and rows make it 2D; otherwise it is 1D.
Algorithm algorithmOf(const WarpGrid &grid);

struct Plan {
  const Atom *atom = nullptr;
  /// What one block computes: `tile.m` × `tile.n` of C, `tile.k` terms at a
  /// time.
  Extents tile;
  WarpGrid grid;
  Transport transport = Transport::Staged;
  Slicing slices;
  Interleave interleave = {};
  /// Teams of `grid.warps()` warps (or lanes) in a block, each with a tile of
  /// its own.
  int64_t teams = 1;
  /// Of packs of lanes, the products that each team takes, one after the other.
  int64_t rounds = 1;
  /// Of copied operands, the tiles along k in shared memory: one that is
  /// multiplied, the others on their way.
  int64_t stages = 1;
  /// Whether elements of C, as wide as A's or of 16 bits at most unless
  /// products are packed, go through shared memory, from where lanes write what
  /// lies beside each other in device memory.
  bool relaysC = false;
  /// Blocks that share all tiles, each of which takes every so many-th; 0 for a
  /// block of its own for each tile.
  int64_t blocks = 0;
  /// Of copied operands in several stages, whether a block that takes tiles in
  /// turn starts to copy the next one's operands before it is done with one.
  bool prefetches = false;
  /// Of copied operands, whether rows that do not begin at multiples of 16
  /// bytes are copied as the words of 16 bytes that hold them, and put straight
  /// in shared memory.
  bool skewed = false;
  /// Of operands copied for warp groups, whether the copy engine brings those
  /// whose rows are aligned.
  bool bulk = false;
  /// Of products of sizes of their own, or where the next tile is prefetched,
  /// the last turns whose tiles are not dealt: blocks take them, one at a time,
  /// as they are done with others.
  int64_t taken = 0;
  /// Of products of sizes of their own, whether a block has all tiles of every
  /// so many-th product; else it has its share of the tiles of each depth.
  bool dealsProducts = false;
  /// Of complex numbers, whether the parts of a row are multiplied as they lie
  /// beside each other: the tile is that of one product of m × 2n × 2k reals.
  bool interleavesParts = false;
  /// Of operands that the copy engine brings for blocks in turn, whether a
  /// block has all tiles that multiply the same columns of B (rows of A, where
  /// it computes C and not its transpose), one after the other, and keeps these
  /// in registers: all terms, which are those of one tile.
  bool stationary = false;

  Algorithm algorithm() const { return algorithmOf(grid); }
  /// Whether elements of these kinds are extended when a warp loads them.
  bool widens(ElementKind a, ElementKind b) const {
    return atom && (atom->operand != a || atom->operandB() != b);
  }
  Unit unit() const { return atom ? atom->unit() : Unit::Warp; }
  /// Whether a block computes Cᵀ = Bᵀ·Aᵀ.
  bool isTransposed() const { return kami::isTransposed(unit(), grid); }
  /// The distribution of what is multiplied, which may be the transposes.
  Partition partition() const {
    return isTransposed() ? Partition(transposed(tile), transposed(grid),
                                      atom->shape, slices.k)
                          : Partition(tile, grid, atom->shape, slices.k);
  }
  /// Whether the teams' products are copied as one: products that follow each
  /// other in the batch, and whose matrices have no gaps.
  bool isPacked() const {
    return transport == Transport::Copied &&
           (teams > 1 || unit() == Unit::Lane);
  }
  int64_t packedProducts() const { return teams * rounds; }
  /// A barrier with a name of its own takes some 15 cycles more than the
  /// block's: f16 products of 64 and 96 whose rows wait for themselves are 1 to
  /// 14 % slower so on an H200. f64's instructions are long enough to hide it,
  /// and gain up to 8 % where there are 8 warps or more.
  bool isScoped() const {
    constexpr int64_t longElement = 8;
    return atom && unit() == Unit::Warp &&
           byteWidth(atom->operand) >= longElement;
  }
  Exchange exchange(Source source = Source::Memory) const {
    return {transport, source,         source,
            unit(),    isScoped(),     stages,
            relaysC,   prefetches,     isPacked() ? packedProducts() : 0,
            skewed,    isTransposed(), rounds,
            bulk,      taken > 0,      interleavesParts,
            stationary};
  }
  /// What a block computes of a C of so many rows and columns, or more than
  /// that, before it takes what comes next.
  Extents blockTile(int64_t rows, int64_t columns) const {
    Extents block = tile;
    if (stationary)
      (isTransposed() ? block.m : block.n) = isTransposed() ? rows : columns;
    return block;
  }
};

/// In which order a plan adds up the terms of an element of C, and by which
/// instruction: plans of one order give the same bits.
struct SumOrder {
  const Atom *atom;
  /// Terms are dealt to so many instructions in turn; 0 where each has adjacent
  /// ones in their own places, of which 1 makes others: nobody says that an
  /// instruction adds up its terms at once.
  int64_t interleaveK;
  /// Layers that add up terms of their own, and which those are.
  int64_t layers;
  int64_t layerK;
  int64_t tileK;
};

inline bool operator==(const SumOrder &a, const SumOrder &b) {
  return a.atom == b.atom && a.interleaveK == b.interleaveK &&
         a.layers == b.layers && a.layerK == b.layerK && a.tileK == b.tileK;
}

SumOrder sumOrderOf(const Plan &plan);

} // namespace kami

#endif // KAMI_PLAN_PLAN_H
