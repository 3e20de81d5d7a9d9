//===- CalibratedParts.h - The parts of the calibrated model --------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block's cycles are those of its units: what it moves (Traffic.cpp), what
// its threads do for that (Issue.cpp), what the matrix unit takes, and how much
// longer all of it takes than that (Hindrance.cpp). CalibratedModel.cpp puts
// them together.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_MODEL_CALIBRATEDPARTS_H
#define KAMI_LIB_MODEL_CALIBRATEDPARTS_H

#include "kami/Model/CalibratedModel.h"

namespace kami {

/// Memory that is busy answers later than idle memory, by this factor.
constexpr double busyLatency = 1;

/// What a block computes of C at once.
inline Extents tileOf(const Partition &partition, const Exchange &exchange) {
  return exchange.isTransposed ? transposed(partition.tile) : partition.tile;
}

/// Bytes that one block moves.
struct BlockBytes {
  double cache;
  double device;
  /// The part of `cache` that is C's, of products that are copied in tiles.
  double output = 0;
};

/// What a block moves of an extent: groups, what tiles have of it on average,
/// of which the last has less; but warps at an edge take as long as elsewhere
/// (f64 65 to 288 and f32 80, H100, 2026-11-26).
double movedPart(int64_t extent, int64_t tile, const Exchange &exchange);

/// For matrices in row-major order. `tile` may exceed the problem.
BlockBytes blockBytes(const Work &work, double blocks, const Atom &atom,
                      const Extents &tile, const Exchange &exchange = {});

/// What goes through shared memory, and barriers.
void addCommunication(CalibratedCost &cost, const Atom &atom,
                      const Partition &partition, const Slicing &slicing,
                      const Chip &chip, const Calibration &calibration,
                      const Exchange &exchange);

/// What goes through device memory and the second-level cache.
void addMemory(CalibratedCost &cost, const Atom &atom, const BlockBytes &bytes,
               const Chip &chip, const Calibration &calibration,
               const Exchange &exchange);

/// Cycles in which a block does nothing but start, and issue what moves
/// elements one by one and multiplies them. Where whole pieces are moved and
/// matrix units multiply, that is little beside what else is counted.
double issueCycles(const Work &work, const Atom &atom,
                   const Partition &partition, const Chip &chip,
                   const Exchange &exchange);

/// Cycles of a block in which its threads get elements to where they are
/// multiplied, and results out, beside what is counted by bytes.
double movingCycles(const CalibratedCost &cost, const Atom &atom,
                    const BlockBytes &bytes, const Partition &partition,
                    const Chip &chip, const Exchange &exchange);

/// Cycles of a block in which warps make floats of 16 bits of those of 8 that
/// they multiply.
double wideningCycles(const Work &work, const Atom &atom,
                      const Partition &partition, const Chip &chip,
                      double kTiles);

/// How many times as long as its busiest units a block takes, because of what
/// they do not count.
double hindrance(const CalibratedCost &cost, const Work &work, const Atom &atom,
                 const Partition &partition, const Exchange &exchange);

/// The same for copies of pieces narrower than 16 bytes.
double narrowHindrance(const CalibratedCost &cost, const Work &work,
                       const Atom &atom, const Extents &tile,
                       const Resources &resources, const Chip &chip,
                       const Exchange &exchange);

/// Whether one product by itself is judged by what follows: where warps
/// multiply what they load or copy.
bool isAlone(const Work &work, const Atom &atom, const Chip &chip,
             const Exchange &exchange);

/// Cycles of a single product, of which a block waits `chain` for its sums.
double aloneCycles(const CalibratedCost &cost, double chain, const Work &work,
                   const Atom &atom, const Partition &partition,
                   const Chip &chip, const Calibration &calibration,
                   const Exchange &exchange);

/// A lower bound of these for blocks of a tile.
double leastAlone(const Work &work, const Atom &atom, double blocks,
                  const Extents &tile, const WarpGrid &grid, const Chip &chip,
                  const Calibration &calibration);

} // namespace kami

#endif // KAMI_LIB_MODEL_CALIBRATEDPARTS_H
