//===- SharedLayout.h - What a block keeps in shared memory -------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where each thing lies in a block's shared memory, and how many bytes and
// barriers go through it. A lowering obeys these figures byte for byte, and a
// simulator's counters equal them: they follow from the partition and the
// slicing alone.
//
// A warp holds `heldA()` slices of A. The last `sharedA` of them are parked:
// written to shared memory once per k tile and read where they are needed, by
// the warp itself or, if A is broadcast (pn > 1), by its whole row. The others
// stay in registers and, if A is broadcast, travel slice by slice through a
// buffer: the owner writes, a barrier, the rest of the row reads, a barrier. B
// does the same along columns (pm > 1); A and B of one slice share the
// barriers.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_MODEL_SHAREDLAYOUT_H
#define KAMI_MODEL_SHAREDLAYOUT_H

#include "kami/Layout/Partition.h"

namespace kami {

/// Bytes of an element of A or B, and of C's partial sums.
struct ElementBytes {
  int64_t operand;
  int64_t accumulator;
  /// Where fragments are opaque, what each warp stages one tile of A or B and
  /// one of C in, to reach their elements; else 0.
  int64_t staging = 0;
};

/// `slicing` with its counts clamped to what a warp holds.
Slicing clampSlicing(const Partition &partition, Slicing slicing);

/// Slices of one stage, and of the whole tile, that hold an element of it.
int64_t activeSlices(const Partition &partition, int64_t stage);
int64_t activeSlices(const Partition &partition);

/// A run of bytes; `bytes` is 0 where there is none.
struct SharedRegion {
  int64_t offset = 0;
  int64_t bytes = 0;
};

/// Of tickets for tiles: two words, and what makes them a multiple of 16.
constexpr int64_t ticketBytes = 16;

/// Offsets are multiples of 16. What stays between products comes first.
struct SharedLayout {
  /// Parked slices, warp after warp: slice i (of the parked ones) of warp w is
  /// at `parkedA.offset + (w * sharedA + i) * sliceBytesA`.
  SharedRegion parkedA;
  SharedRegion parkedB;
  /// The buffers of a broadcast, one slice for each group: for the row r of
  /// layer l at index l * pm + r, for the column c of layer l at l * pn + c.
  /// Double-buffered, the second buffer follows the first.
  SharedRegion broadcastA;
  SharedRegion broadcastB;
  /// Tiles of copied operands, stage after stage.
  SharedRegion copiedA;
  SharedRegion copiedB;
  /// What rows of copied operands that begin anywhere have beyond their tiles,
  /// stage after stage.
  SharedRegion skewedA;
  SharedRegion skewedB;
  /// Of bulk copies: two maps of A, of the product at hand and of the next one,
  /// two of B, and the stages' mbarriers.
  SharedRegion maps;
  SharedRegion barriers;
  /// Of tiles that blocks take: the ticket, and where the counter is.
  SharedRegion tickets;
  /// C on its way out: of each warp a part of its own, since others may still
  /// read the tiles, or the next product's are on their way already. Of packed
  /// products all of it, which overlays the operands.
  SharedRegion relay;
  /// One layer's partial sums, while they are added up. It overlays the
  /// regions above whose contents are not needed any more; not where fragments
  /// are opaque, since there memory has the type of what is stored in it.
  SharedRegion reduce;
  /// Tiles of opaque fragments, warp after warp.
  SharedRegion staging;
  /// The first bytes, which hold operands between products.
  int64_t kept = 0;
  /// What a block asks for.
  int64_t bytes = 0;

  /// Bytes of one warp's slice of A and of B.
  int64_t sliceBytesA = 0;
  int64_t sliceBytesB = 0;
};

SharedLayout sharedLayout(const Partition &partition, const Slicing &slicing,
                          ElementBytes element, const Exchange &exchange = {});

/// Where A stays in registers, the stages that its terms and then tiles of B
/// come through: as large as one of these.
struct StationaryStages {
  int64_t bytes;
  /// Terms of A that one brings, and those that bring all of them.
  int64_t depth, count;
};

StationaryStages stationaryStages(const Partition &partition,
                                  int64_t operandBytes);

/// How threads copy what the copy engine is meant to bring and cannot, as rows
/// that begin anywhere: one product at a time, in as many stages as there is
/// room for in those of the engine, but in two if it has them.
Exchange withoutBulk(const Partition &partition, ElementBytes element,
                     const Exchange &exchange);

/// Bytes that all warps of a block together write to and read from shared
/// memory, and barriers that the block passes. Slices without an element of the
/// tile (`!isActive`) are left out.
struct SharedTraffic {
  int64_t written = 0;
  int64_t read = 0;
  int64_t barriers = 0;
  /// Of `barriers`, those that hold up only `exchangeScope`'s warps.
  int64_t scopedBarriers = 0;
  /// Of `read`, what is read of parked slices: no barrier has to come before
  /// or after, so that it mixes with the products.
  int64_t readParked = 0;
};

/// One stage: broadcasts, and reads of parked slices.
SharedTraffic stageTraffic(const Partition &partition, const Slicing &slicing,
                           ElementBytes element, int64_t stage,
                           const Exchange &exchange = {});

/// Parking at the start of a k tile: each slice that the product itself parks
/// written once, and one barrier if there is any.
SharedTraffic parkingTraffic(const Partition &partition, const Slicing &slicing,
                             ElementBytes element,
                             const Exchange &exchange = {});

/// One k tile: parking and all stages.
SharedTraffic tileTraffic(const Partition &partition, const Slicing &slicing,
                          ElementBytes element, const Exchange &exchange = {});

/// The warps that barriers between what a product writes of its operands and
/// what others read of it have to hold up: only those that talk.
BarrierScope exchangeScope(const Partition &partition, const Slicing &slicing,
                           const Exchange &exchange);

/// Whether one k tile writes shared memory that others may still be reading
/// from before, and whether it leaves such reads behind. Where both hold for
/// neighbours, a barrier must stand between.
bool writesShared(const Partition &partition, const Slicing &slicing,
                  const Exchange &exchange);
bool leavesReads(const Partition &partition, const Slicing &slicing,
                 const Exchange &exchange);

/// The sum over layers: pk - 1 rounds of a barrier, one layer's write, a
/// barrier, layer 0's read.
SharedTraffic reduceTraffic(const Partition &partition, ElementBytes element);

/// A block's whole work on `kTiles` tiles along k, from memory. A barrier more
/// keeps the next tile from overwriting what is still read, if anything is.
SharedTraffic blockTraffic(const Partition &partition, const Slicing &slicing,
                           ElementBytes element, int64_t kTiles,
                           const Exchange &exchange = {});

/// One product of operands that are distributed over the block, in a row of
/// such products: with the barrier that separates it from the one before, where
/// there must be one.
SharedTraffic productTraffic(const Partition &partition, const Slicing &slicing,
                             ElementBytes element, const Exchange &exchange);

/// Bytes that warp groups' instructions of one k tile read from shared memory
/// themselves, not counted above; 0 for warps.
int64_t matrixUnitReads(const Partition &partition, const Slicing &slicing,
                        ElementBytes element, const Exchange &exchange);

} // namespace kami

#endif // KAMI_MODEL_SHAREDLAYOUT_H
