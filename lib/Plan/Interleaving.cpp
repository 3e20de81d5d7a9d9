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

  int64_t wavefronts(const TileOrder &rowOrder,
                     const TileOrder &columnOrder) const;
};
} // namespace

/// Passes of shared memory in which a warp accesses all elements, one of each
/// lane at a time: as many as a bank has different words.
int64_t BankedMatrix::wavefronts(const TileOrder &rowOrder,
                                 const TileOrder &columnOrder) const {
  constexpr int64_t banks = 32, bankBytes = 4;
  int64_t passes = 0;
  for (int64_t tileRow = 0; tileRow * map.rows < rows; ++tileRow)
    for (int64_t tileColumn = 0; tileColumn * map.columns < columns;
         ++tileColumn)
      for (unsigned value = 0; value != map.valuesPerLane(); ++value) {
        llvm::SmallVector<int64_t, 32> words;
        for (unsigned lane = 0; lane != map.lanes(); ++lane) {
          Coordinate at = map.at(lane, value);
          int64_t row = rowOrder.position(tileRow, at.row),
                  column = columnOrder.position(tileColumn, at.column);
          if (row < rows && column < columns)
            words.push_back((row * rowStride + column * columnStride) * bytes /
                            bankBytes);
        }
        llvm::sort(words);
        words.erase(llvm::unique(words), words.end());
        int64_t perBank[banks] = {}, most = 0;
        for (int64_t word : words)
          most = std::max(most, ++perBank[word % banks]);
        passes += most;
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
                                    const Partition &partition) {
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
  auto areSingle = [](int64_t line, int64_t bytes) {
    return bytes < wordElement && packedWord(line, line, bytes) == 1;
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
  Interleave best;
  int64_t least = INT64_MAX;
  for (int64_t m : groupsOf(partition.warpM / atom.shape.m)) {
    TileOrder alongM = order(TileOrder::alongM, m, atom.shape.m);
    int64_t ofA = matrixA.wavefronts(alongM, alongK);
    for (int64_t n : groupsOf(partition.warpN / atom.shape.n)) {
      TileOrder alongN = order(TileOrder::alongN, n, atom.shape.n);
      int64_t all = ofA + matrixB.wavefronts(alongK, alongN) +
                    matrixC.wavefronts(alongM, alongN);
      if (all < least) {
        least = all;
        best = {m, n, 0};
      }
    }
  }
  return best;
}
