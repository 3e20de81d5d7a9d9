//===- CalibratedModel.h - Cycles on a real device ----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the paper's formulas leave out and a device does not: padding, the rate
// that an instruction really has, barriers, device memory, occupancy, launches.
// Every term is a member of its own, so that a prediction can be taken apart.
//
// A multiprocessor holds several blocks. Its units (tensor cores, shared
// memory, its shares of the second-level cache and of device memory) are busy
// for the sum of what the blocks ask of them, the busiest unit hiding most of
// what the others do; a single block cannot be faster than its own steps one
// after the other. A round of resident blocks takes the longer of the two.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_MODEL_CALIBRATEDMODEL_H
#define KAMI_MODEL_CALIBRATEDMODEL_H

#include "kami/Model/Resources.h"
#include "kami/Target/Calibration.h"
#include "llvm/ADT/ArrayRef.h"
#include <algorithm>

namespace kami {

/// Cycles that one tile takes of a multiprocessor's matrix units.
struct Computation {
  /// Of all of them, at the rate reached; padding counts as work.
  double tensorCores = 0;
  /// Of a block alone: it has no more tensor cores than warps, and waits for
  /// sums where a warp has few of them.
  double chain = 0;
};

Computation computationOf(const Atom &atom, const Partition &partition,
                          const Chip &chip, const Calibration &calibration,
                          int64_t teams = 1);

struct CalibratedCost {
  /// Blocks of the whole problem, k tiles of each, and blocks that a
  /// multiprocessor holds at a time.
  double blocks = 0;
  double kTiles = 0;
  double residentBlocks = 0;

  // Cycles of one block over its whole k loop.

  /// Tensor cores, all of the multiprocessor's, at the rate reached; padding
  /// counts as work.
  double tensorCores = 0;
  /// The same for a block alone: it has no more tensor cores than warps, and
  /// waits for sums where a warp has few of them.
  double computation = 0;
  /// Bytes through shared memory at its bandwidth.
  double sharedBandwidth = 0;
  /// One latency of shared memory for every barrier interval.
  double sharedLatency = 0;
  double barriers = 0;
  /// Bytes to and from the second-level cache: what the block loads and stores,
  /// in whole sectors.
  double cacheBandwidth = 0;
  /// Bytes to and from device memory at the multiprocessor's share: each
  /// element once, since other blocks find it in the cache.
  double memoryBandwidth = 0;
  /// One latency for the loads of each k tile, and one for C.
  double memoryLatency = 0;

  /// Until an empty kernel ends, in cycles.
  double launch = 0;
  /// The whole problem, in cycles.
  double total = 0;

  /// What a reader splits a block's cycles into.
  double communication() const {
    return sharedBandwidth + sharedLatency + barriers;
  }
  double memory() const {
    return std::max(cacheBandwidth, memoryBandwidth) + memoryLatency;
  }
};

/// Cycles of units that work at the same time: the busiest one's, and that part
/// of the others' which it does not hide.
double overlappedCycles(llvm::ArrayRef<double> units, double exposed);

/// Cycles of the barriers that a block passes, of which some hold up only the
/// warps of the scope, where the chip can do that.
double barrierCycles(const SharedTraffic &traffic, const WarpGrid &grid,
                     BarrierScope scope, const Chip &chip,
                     const Calibration &calibration);

/// Whether some of C's tiles have rows or columns that C has not.
bool hasEdges(const Extents &extents, const Extents &tile);

/// What is multiplied in all: `batch` products of these extents.
struct Work {
  Extents extents;
  int64_t batch = 1;
  /// Bytes of an element of A, B and C in device memory; 0 for as many as the
  /// atom's.
  int64_t bytesA = 0;
  int64_t bytesB = 0;
  int64_t bytesC = 0;
  /// Of complex numbers: four products of one part of A and one of B, which
  /// read each part twice, and two parts of C.
  bool isComplex = false;
  /// Of complex numbers as reals: B has half the rows, or columns.
  bool interleavesParts = false;
  /// Of `batch`, the products along the dimension that packs take them from; 0
  /// where there are no packs.
  int64_t packable = 0;
  /// Bytes of the widest pieces, of 16 bytes at most, of which rows of A and B
  /// consist; 0 where that is not known.
  int64_t pieceA = 0;
  int64_t pieceB = 0;
  /// Whether this is one product, or so few that their blocks hide little of
  /// each other.
  bool isFew = false;
  /// Of few, bytes of A and B that a lane loads at once, where warps load them
  /// from device memory.
  int64_t accessA = 1;
  int64_t accessB = 1;
};

CalibratedCost calibratedCost(const Work &work, const Atom &atom,
                              const Partition &partition,
                              const Slicing &slicing,
                              const Resources &resources, const Chip &chip,
                              const Calibration &calibration,
                              const Exchange &exchange = {});

/// A lower bound of `calibratedCost(...).total` over all ways to cut k, to park
/// and to send: what tensor cores, cache and device memory need for blocks of
/// `tileM` × `tileN`. In cycles. Blocks in turn may take less, by the factor
/// that `leastInTurn` says.
double leastCycles(const Work &work, const Atom &atom, int64_t tileM,
                   int64_t tileN, const WarpGrid &grid, const Chip &chip,
                   const Calibration &calibration);
double leastInTurn(const Atom &atom);

} // namespace kami

#endif // KAMI_MODEL_CALIBRATEDMODEL_H
