//===- Partition.h - Who holds which part of a product --------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One distribution serves the paper's 1D, 2D and 3D algorithms and every grid
// between them. Warps stand in a pm × pn × pk grid; warp (r, c, l) is in row r,
// column c, layer l. C's tile (r, c) belongs to the warps (r, c, *), each of
// which holds a partial sum. The block's k extent is cut into
// s = lcm(pm, pn) stages, a stage into pk parts, one a layer, and a part into
// slices whose width is a multiple of the instruction's k. In stage z the warps
// of column z mod pn own A's part, the warps of row z mod pm own B's.
//
// With grid [p,1,1], [√p,√p,1] and [∛p,∛p,∛p] this is Algorithm 1, 2 and 3 of
// "KAMI: Communication-Avoiding GEMM within a Single GPU" (SC '25).
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LAYOUT_PARTITION_H
#define KAMI_LAYOUT_PARTITION_H

#include <cstdint>

namespace kami {

/// Extents of a product or of a tile of it: C is m × n, the sum has k terms.
struct Extents {
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
};

inline bool operator==(const Extents &a, const Extents &b) {
  return a.m == b.m && a.n == b.n && a.k == b.k;
}

/// The warps of a block: rows × columns × layers.
struct WarpGrid {
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;

  int64_t warps() const { return m * n * k; }
};

inline bool operator==(const WarpGrid &a, const WarpGrid &b) {
  return a.m == b.m && a.n == b.n && a.k == b.k;
}

/// The same of Cᵀ = Bᵀ·Aᵀ.
inline Extents transposed(const Extents &extents) {
  return {extents.n, extents.m, extents.k};
}
inline WarpGrid transposed(const WarpGrid &grid) {
  return {grid.n, grid.m, grid.k};
}

/// Where a warp stands in its grid.
struct WarpPlace {
  int64_t row;
  int64_t column;
  int64_t layer;
};

/// Warps are numbered layer by layer, row by row.
WarpPlace warpPlace(const WarpGrid &grid, int64_t warp);

/// The warps that a barrier holds up: those of a row or column of one layer, of
/// a layer, or all.
enum class BarrierScope { Row, Column, Layer, Block };

/// Warps of one such group, and which of the block's groups a warp is in.
int64_t warpsWithin(const WarpGrid &grid, BarrierScope scope);
int64_t groupOf(const WarpGrid &grid, BarrierScope scope,
                const WarpPlace &place);

/// Which of the slices that a warp holds wait in shared memory instead of in
/// registers: the last `sharedA` of A and the last `sharedB` of B.
struct Slicing {
  /// Width of a slice along k, in elements.
  int64_t k = 0;
  int64_t sharedA = 0;
  int64_t sharedB = 0;
};

inline bool operator==(const Slicing &a, const Slicing &b) {
  return a.k == b.k && a.sharedA == b.sharedA && a.sharedB == b.sharedB;
}

/// How an operand reaches the warps that do not hold it.
enum class Transport {
  /// Slice by slice, as in the paper: the owners write, a barrier, the others
  /// read, a barrier.
  Staged,
  /// The same through two buffers in turn, so that the second barrier falls
  /// away.
  DoubleBuffered,
  /// All owners write all of it at once; one barrier; everyone reads on demand.
  Gathered,
  /// It lies in shared memory, written once, and everyone reads on demand.
  Resident,
  /// Nobody holds it: all threads copy it from device memory to shared memory
  /// as
  /// it lies there, while earlier tiles are multiplied, and every warp reads
  /// what
  /// it needs.
  Copied,
};

constexpr Transport allTransports[] = {
    Transport::Staged, Transport::DoubleBuffered, Transport::Gathered,
    Transport::Resident, Transport::Copied};

/// What executes an instruction.
enum class Unit {
  /// One warp, with A, B and C in its registers.
  Warp,
  /// Four warps in unison. B lies in shared memory, where the matrix unit reads
  /// it; C is in registers, and A here or there.
  WarpGroup,
  /// One lane by itself, with rows of C in its registers, for products that are
  /// smaller than a warp's instruction. It reads A and B in shared memory.
  Lane,
};

/// Whether a block whose units stand in that grid computes Cᵀ = Bᵀ·Aᵀ. The
/// warps of a group have rows of what they multiply, so that those which stand
/// beside each other, with columns of C, multiply the transposes.
inline bool isTransposed(Unit unit, const WarpGrid &grid) {
  return unit == Unit::WarpGroup && grid.n > 1;
}

/// Where an operand of a block's product lies before it.
enum class Source {
  /// In memory; every warp loads what it holds.
  Memory,
  /// With the warps already: in their registers, and, as far as the slicing and
  /// the transport say so, in shared memory.
  Block,
};

/// The most turns of tiles that blocks take as they are done with others.
constexpr int64_t mostTaken = 1024;

/// What decides how a product's slices travel, beside partition and slicing.
struct Exchange {
  Transport transport = Transport::Staged;
  Source a = Source::Memory;
  Source b = Source::Memory;
  Unit unit = Unit::Warp;
  /// Whether barriers hold up only the warps that talk, or the whole block.
  bool isScoped = false;
  /// Of copied operands, the tiles along k that shared memory has room for.
  int64_t stages = 1;
  /// Whether C leaves through shared memory.
  bool relaysC = false;
  /// Whether the next product's first copied tiles are on their way before this
  /// one is done.
  bool prefetches = false;
  /// Products of the batch that a block copies as one; 0 where each is on its
  /// own.
  int64_t packed = 0;
  /// Whether there is room for copied rows that begin anywhere.
  bool skewed = false;
  /// Whether the block computes Cᵀ = Bᵀ·Aᵀ: what is said of A and B here and in
  /// its partition is of Bᵀ and Aᵀ.
  bool isTransposed = false;
  /// Packed products that each unit, or team, takes one after the other.
  int64_t rounds = 1;
  /// Whether the copy engine brings copied operands, where it can.
  bool bulk = false;
  /// Whether the block takes tiles by tickets, of which it keeps two words.
  bool takesTickets = false;
  /// Whether B is of complex numbers, whose parts are adjacent, and stands for
  /// a real matrix of twice its rows, or columns.
  bool interleavesParts = false;
  /// Whether warps keep all terms of their rows of A in registers, while
  /// columns of B pass by.
  bool stationary = false;

  bool isCopied() const { return transport == Transport::Copied; }
  /// Whether a C that is relayed takes the place of operands that all warps
  /// have read, and not its own. Of 16 bits it has one, which is small, so that
  /// no warp waits for another.
  bool relaysInPlace(int64_t operandBytes) const {
    return relaysC && operandBytes > 2 && !prefetches && !bulk && !isPacked();
  }
  bool isPacked() const { return packed > 0; }
  /// The same, 1 where each is on its own.
  int64_t packedProducts() const { return packed > 0 ? packed : 1; }
  /// Those that are multiplied at the same time.
  int64_t packedTeams() const { return packedProducts() / rounds; }

  /// Whether the parked slices of A, of B, lie in shared memory between
  /// products. Otherwise the product writes them.
  bool keepsParkedA(const WarpGrid &grid) const {
    return a == Source::Block &&
           (transport != Transport::Gathered || grid.n == 1);
  }
  bool keepsParkedB(const WarpGrid &grid) const {
    return b == Source::Block &&
           (transport != Transport::Gathered || grid.m == 1);
  }
  /// Whether all slices of an operand that is broadcast are parked.
  bool parksBroadcasts() const {
    return transport == Transport::Gathered || transport == Transport::Resident;
  }
};

/// The distribution of one block tile. All members are in elements or counts,
/// and every extent is padded to whole instructions.
struct Partition {
  /// `tile`: what the block multiplies at once; `atom`: the instruction's
  /// extents; `sliceK`: a positive multiple of `atom.k`.
  Partition(const Extents &tile, const WarpGrid &grid, const Extents &atom,
            int64_t sliceK);

  Extents tile;
  WarpGrid grid;
  int64_t sliceK;
  /// The instruction's rows, and a warp's part of C.
  int64_t atomM;
  int64_t warpM;
  int64_t warpN;
  /// lcm(pm, pn): after that many stages everybody has seen every slab.
  int64_t stages;
  /// The k extent of one layer's part of one stage, and its slices.
  int64_t stageK;
  int64_t slicesPerStage;
  /// Stages that hold any element of the tile; later ones would multiply zeros
  /// and are left out.
  int64_t activeStages;

  /// The tile's k extent in whole slices.
  int64_t paddedK() const { return (tile.k + sliceK - 1) / sliceK * sliceK; }
  int64_t paddedM() const { return warpM * grid.m; }
  int64_t paddedN() const { return warpN * grid.n; }

  /// First k of slice `slice` of stage `stage` in layer 0; the same slice of
  /// layer l starts `l * stageK` later.
  int64_t sliceOffset(int64_t stage, int64_t slice) const {
    return stage * grid.k * stageK + slice * sliceK;
  }
  /// False for slices that hold no element of the tile in any layer.
  bool isActive(int64_t stage, int64_t slice) const {
    return sliceOffset(stage, slice) < tile.k;
  }

  /// Who owns A's and B's part of a stage.
  int64_t ownerColumn(int64_t stage) const { return stage % grid.n; }
  int64_t ownerRow(int64_t stage) const { return stage % grid.m; }

  /// Slices of A (of B) that a warp holds, over all stages it owns: the warp of
  /// column c owns stages c, c + pn, ...; its slice i is slice
  /// i % slicesPerStage of stage c + (i / slicesPerStage) * pn.
  int64_t heldA() const;
  int64_t heldB() const;
  int64_t heldIndexA(int64_t stage, int64_t slice) const {
    return stage / grid.n * slicesPerStage + slice;
  }
  int64_t heldIndexB(int64_t stage, int64_t slice) const {
    return stage / grid.m * slicesPerStage + slice;
  }

  /// Elements of one warp's slice of A and of B.
  int64_t sliceElementsA() const { return warpM * sliceK; }
  int64_t sliceElementsB() const { return sliceK * warpN; }
};

} // namespace kami

#endif // KAMI_LAYOUT_PARTITION_H
