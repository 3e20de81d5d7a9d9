//===- Interleaving.cpp ---------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Plan/Interleaving.h"

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
