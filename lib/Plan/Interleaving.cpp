//===- Interleaving.cpp ---------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Plan/Interleaving.h"
#include "kami/Layout/CopiedTile.h"
#include "llvm/ADT/STLExtras.h"

using namespace kami;

/// The widest access of a lane.
static constexpr int64_t accessBytes = 16;
/// Of elements as wide as this, neighbouring lanes' are a sector of memory as
/// they are; wider accesses only take registers. (H200, f64 64³: 168 registers
/// become 194, 243 µs for 10 000 products 316.)
static constexpr int64_t wideElement = 8;
/// Elements that fill a register.
static constexpr int64_t wordElement = 4;

/// How many of `tiles` make a group of the order that `make` builds, of
/// elements of so many bytes: a power of two, so that what a lane has of it is
/// one access.
template <typename Make>
static int64_t widestGroup(int64_t tiles, int64_t bytes, Make make) {
  int64_t group = 1;
  if (bytes >= wideElement)
    return 0;
  while (tiles % (2 * group) == 0 &&
         make(2 * group).run() * bytes <= accessBytes)
    group *= 2;
  return make(group).run() > 1 ? group : 0;
}

Interleave kami::interleavingOf(const Problem &problem, const Atom &atom,
                                const Partition &partition) {
  Interleave groups;
  const FragmentMap *a = findFragmentMap(atom.mapA);
  const FragmentMap *b = findFragmentMap(atom.mapB);
  if (!a || !b || atom.instruction == Instruction::Wgmma)
    return groups;
  OperandMaps maps = {a, b};
  int64_t bytesA = byteWidth(problem.operand),
          bytesB = byteWidth(problem.operandB());
  int64_t bytesK = problem.majorA == Major::K   ? bytesA
                   : problem.majorB == Major::K ? bytesB
                                                : 0;
  if (bytesK && canInterleaveK(maps)) {
    auto order = [&](int64_t group) { return TileOrder::alongK(maps, group); };
    groups.k = widestGroup(partition.sliceK / atom.shape.k, bytesK, order);
    // An instruction wants registers of two rows in turn, so that what is
    // loaded of one row is moved. For twice the width only, that is not worth
    // the registers.
    bool isWord = bytesK >= wordElement;
    if (isWord && order(groups.k).run() * bytesK < accessBytes)
      groups.k = 0;
  }
  if (problem.majorB == Major::MN)
    groups.n =
        widestGroup(partition.warpN / atom.shape.n, bytesB, [&](int64_t group) {
          return TileOrder::alongN(maps, group);
        });
  if (problem.majorA == Major::MN)
    groups.m =
        widestGroup(partition.warpM / atom.shape.m, bytesA, [&](int64_t group) {
          return TileOrder::alongM(maps, group);
        });
  return groups;
}

LaneAccess kami::accessOf(const Problem &problem, const Atom &atom,
                          const Interleave &groups, int64_t pieceA,
                          int64_t pieceB) {
  const FragmentMap *a = findFragmentMap(atom.mapA);
  const FragmentMap *b = findFragmentMap(atom.mapB);
  int64_t bytesA = byteWidth(problem.operand),
          bytesB = byteWidth(problem.operandB());
  if (!a || !b)
    return {bytesA, bytesB};
  OperandMaps maps = {a, b};
  auto bytes = [](int64_t elements, int64_t width, int64_t piece) {
    return std::min(elements * width,
                    std::max(width, std::min(piece, accessBytes)));
  };
  auto along =
      [&](int64_t group, TileOrder (*order)(const OperandMaps &, int64_t),
          int64_t plain) { return group ? order(maps, group).run() : plain; };
  bool isAlongM = problem.majorA == Major::MN,
       isAlongK = problem.majorB == Major::K;
  int64_t runA = isAlongM ? along(groups.m, TileOrder::alongM,
                                  a->adjacentValues(/*alongRows=*/true))
                          : along(groups.k, TileOrder::alongK,
                                  a->adjacentValues(/*alongRows=*/false));
  int64_t runB = isAlongK ? along(groups.k, TileOrder::alongK,
                                  b->adjacentValues(/*alongRows=*/true))
                          : along(groups.n, TileOrder::alongN,
                                  b->adjacentValues(/*alongRows=*/false));
  return {bytes(runA, bytesA, pieceA), bytes(runB, bytesB, pieceB)};
}

//===----------------------------------------------------------------------===//
// Banks
//===----------------------------------------------------------------------===//

namespace {
/// A matrix in shared memory, and how a warp's tiles of it are numbered.
struct BankedMatrix {
  const FragmentMap &map;
  int64_t rows, columns;
  /// Elements from row to row, and from column to column.
  int64_t rowStride, columnStride;
  int64_t bytes;

  int64_t wavefronts(const TileOrder &rowOrder, const TileOrder &columnOrder,
                     const Chip &chip) const;
};

/// Different words of which the banks have been asked.
class BankedWords {
public:
  explicit BankedWords(const Chip &chip)
      : bankBytes(chip.sharedBankBytes), banks(chip.sharedBanks) {}

  void addByte(int64_t at) {
    int64_t word = at / bankBytes;
    llvm::SmallVectorImpl<int64_t> &words = banks[word % banks.size()];
    if (!llvm::is_contained(words, word))
      words.push_back(word);
  }
  /// As many as the bank has that has most.
  int64_t passes() const {
    size_t most = 0;
    for (const auto &words : banks)
      most = std::max(most, words.size());
    return most;
  }
  void clear() {
    for (auto &words : banks)
      words.clear();
  }

private:
  int64_t bankBytes;
  llvm::SmallVector<llvm::SmallVector<int64_t, 4>, 32> banks;
};
} // namespace

/// Passes of shared memory in which a warp accesses all elements, one of each
/// lane at a time: as many as a bank has different words.
int64_t BankedMatrix::wavefronts(const TileOrder &rowOrder,
                                 const TileOrder &columnOrder,
                                 const Chip &chip) const {
  auto positions = [](const TileOrder &order, int64_t extent, int64_t tile) {
    llvm::SmallVector<int64_t, 64> all;
    for (int64_t first = 0; first < extent; first += tile)
      for (int64_t at = 0; at != tile; ++at)
        all.push_back(order.position(first / tile, at));
    return all;
  };
  auto rowAt = positions(rowOrder, rows, map.rows),
       columnAt = positions(columnOrder, columns, map.columns);
  int64_t passes = 0;
  BankedWords words(chip);
  for (unsigned value = 0; value != map.valuesPerLane(); ++value) {
    llvm::SmallVector<Coordinate, 64> places;
    for (unsigned lane = 0; lane != map.lanes(); ++lane)
      places.push_back(map.at(lane, value));
    for (int64_t top = 0; top < rows; top += map.rows)
      for (int64_t left = 0; left < columns; left += map.columns) {
        words.clear();
        for (Coordinate at : places) {
          int64_t row = rowAt[top + at.row],
                  column = columnAt[left + at.column];
          if (row < rows && column < columns)
            words.addByte((row * rowStride + column * columnStride) * bytes);
        }
        passes += words.passes();
      }
  }
  return passes;
}

/// Numbers of tiles that make groups: none, and what divides them.
static llvm::SmallVector<int64_t, 8> groupsOf(int64_t tiles) {
  llvm::SmallVector<int64_t, 8> groups = {0};
  for (int64_t group = 1; group <= tiles; ++group)
    if (tiles % group == 0)
      groups.push_back(group);
  return groups;
}

Interleave kami::bankInterleavingOf(const Problem &problem, const Atom &atom,
                                    const Partition &partition,
                                    const Chip &chip) {
  const Extents &extents = problem.extents;
  const FragmentMap *a = findFragmentMap(atom.mapA),
                    *b = findFragmentMap(atom.mapB),
                    *c = findFragmentMap(atom.mapC);
  int64_t bytesA = byteWidth(problem.operand),
          bytesB = byteWidth(problem.operandB()),
          bytesC = byteWidth(problem.output.value_or(problem.accumulator));
  bool isAlongK = problem.majorA != Major::MN,
       isAlongN = problem.majorB != Major::K;
  int64_t lineA = isAlongK ? extents.k : extents.m,
          lineB = isAlongN ? extents.n : extents.k;
  auto areSingle = [&](int64_t line, int64_t bytes) {
    return bytes < chip.sharedBankBytes && packedWord(line, line, bytes) == 1;
  };
  if (!a || !b || !c || !areSingle(lineA, bytesA) || !areSingle(lineB, bytesB))
    return {};
  BankedMatrix matrixA = {*a,
                          extents.m,
                          extents.k,
                          isAlongK ? lineA : 1,
                          isAlongK ? 1 : lineA,
                          bytesA},
               matrixB = {*b,
                          extents.k,
                          extents.n,
                          isAlongN ? lineB : 1,
                          isAlongN ? 1 : lineB,
                          bytesB},
               matrixC = {*c, extents.m, extents.n, extents.n, 1, bytesC};
  OperandMaps maps = {a, b};
  auto order = [&](TileOrder (*along)(const OperandMaps &, int64_t),
                   int64_t group, int64_t extent) {
    return group ? along(maps, group) : TileOrder(extent);
  };
  const TileOrder alongK(atom.shape.k);
  auto groupsN = groupsOf(partition.warpN / atom.shape.n);
  llvm::SmallVector<TileOrder, 8> alongN;
  llvm::SmallVector<int64_t, 8> ofB;
  for (int64_t n : groupsN) {
    alongN.push_back(order(TileOrder::alongN, n, atom.shape.n));
    ofB.push_back(matrixB.wavefronts(alongK, alongN.back(), chip));
  }
  Interleave best;
  int64_t least = INT64_MAX;
  for (int64_t m : groupsOf(partition.warpM / atom.shape.m)) {
    TileOrder alongM = order(TileOrder::alongM, m, atom.shape.m);
    int64_t ofA = matrixA.wavefronts(alongM, alongK, chip);
    for (auto [i, n] : llvm::enumerate(groupsN)) {
      int64_t all = ofA + ofB[i] + matrixC.wavefronts(alongM, alongN[i], chip);
      if (all < least) {
        least = all;
        best = {m, n, 0};
      }
    }
  }
  return best;
}
