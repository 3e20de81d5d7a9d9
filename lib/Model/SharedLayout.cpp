//===- SharedLayout.cpp -------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Model/SharedLayout.h"
#include "kami/Layout/BulkCopy.h"
#include "kami/Layout/CopiedTile.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace kami;

/// Alignment of a region: the widest access to shared memory.
static constexpr int64_t regionAlignment = 16;

Slicing kami::clampSlicing(const Partition &partition, Slicing slicing) {
  slicing.sharedA = std::min(slicing.sharedA, partition.heldA());
  slicing.sharedB = std::min(slicing.sharedB, partition.heldB());
  return slicing;
}

/// Of so many terms, those that memory has of B.
static int64_t termsOfB(int64_t terms, const Exchange &exchange) {
  return exchange.interleavesParts ? terms / 2 : terms;
}

/// Operands that warps in unison read in shared memory: B, and A if it is
/// parked.
static SharedLayout groupLayout(const Partition &partition,
                                const Slicing &slicing, ElementBytes element,
                                const Exchange &exchange) {
  SharedLayout layout;
  layout.sliceBytesA = partition.sliceElementsA() * element.operand;
  layout.sliceBytesB = partition.sliceElementsB() * element.operand;
  int64_t end = 0;
  auto append = [&](SharedRegion &region, const SharedMatrix &matrix) {
    region = {end, matrix.byteSize()};
    end += llvm::alignTo(matrix.byteSize(), groupMatrixAlignment);
  };
  for (bool stays : {true, false}) {
    if (slicing.sharedA > 0 && (exchange.a == Source::Block) == stays)
      append(layout.parkedA, residentA(partition, element.operand));
    if ((exchange.b == Source::Block) == stays)
      append(layout.parkedB, residentB(partition, element.operand));
    if (stays)
      layout.kept = end;
  }
  layout.bytes = end;
  return layout;
}

/// Bytes of an operand's tile in the order in which the matrix unit reads it,
/// whichever way its elements lie if they may lie `eitherWay`.
static int64_t copiedMatrixBytes(int64_t outer, int64_t depth,
                                 int64_t elementBytes, bool eitherWay) {
  auto bytes = [&](Major major) {
    return SharedMatrix::fitting(outer, depth, elementBytes, major).byteSize();
  };
  int64_t most = bytes(Major::K);
  if (eitherWay)
    most = std::max(most, bytes(Major::MN));
  return llvm::alignTo(most, groupMatrixAlignment);
}

StationaryStages kami::stationaryStages(const Partition &partition,
                                        int64_t operandBytes) {
  int64_t all = partition.paddedK(), rows = partition.paddedM();
  auto bytesOfRows = [&](int64_t depth) {
    return copiedMatrixBytes(rows, depth, operandBytes, /*eitherWay=*/true);
  };
  int64_t columns = copiedMatrixBytes(partition.paddedN(), all, operandBytes,
                                      /*eitherWay=*/false);
  int64_t bytes = std::max(columns, bytesOfRows(partition.sliceK));
  int64_t depth = partition.sliceK;
  while (depth < all && bytesOfRows(depth + partition.sliceK) <= bytes)
    depth += partition.sliceK;
  // Parts are alike, and fill the longest swizzle rows where they may.
  auto alike = [&](int64_t granule) -> int64_t {
    int64_t count = (all + depth - 1) / depth;
    return llvm::alignTo(llvm::divideCeil(all, count), granule);
  };
  int64_t lines =
      alike(std::lcm(longestSwizzleRow / operandBytes, partition.sliceK));
  depth = bytesOfRows(lines) <= bytes ? lines : alike(partition.sliceK);
  return {bytes, depth, (all + depth - 1) / depth};
}

/// Bytes of an operand's skewed rows beyond its tile, whichever way its
/// elements lie, if these are put straight.
static int64_t skewedTileBytes(int64_t outer, int64_t depth,
                               int64_t elementBytes, bool isForUnit) {
  auto bytes = [&](Major major) {
    if (isForUnit) {
      auto matrix = SharedMatrix::fitting(outer, depth, elementBytes, major);
      return skewedBytes(matrix.lines(), matrix.majorExtent(), elementBytes);
    }
    // Lanes' own multiply-adds of f32 read 16 bytes at a time, put straight.
    if (elementBytes == 8)
      return int64_t(0);
    CopiedTile tile = copiedTile(outer, depth, major, elementBytes);
    return skewedBytes(tile.lines, tile.lineElements, elementBytes);
  };
  return std::max(bytes(Major::K), bytes(Major::MN));
}

/// The tiles of copied operands, and what their rows have beyond them.
static SharedLayout copiedTiles(const Partition &partition,
                                ElementBytes element,
                                const Exchange &exchange) {
  int64_t depth = partition.paddedK();
  bool isGroup = exchange.unit == Unit::WarpGroup;
  if (exchange.stationary) {
    SharedLayout layout;
    layout.bytes =
        exchange.stages * stationaryStages(partition, element.operand).bytes;
    layout.copiedA.bytes = layout.copiedB.bytes = layout.bytes;
    return layout;
  }
  bool readsEither = readsEitherOrder(element.operand);
  // What lanes read is in the unit's order as well where the copy engine brings
  // it.
  bool unitHasA = isGroup && (readsEither || exchange.bulk);
  auto bytes = [&](int64_t extent, bool isForUnit, bool eitherWay) {
    return exchange.stages *
           (isForUnit
                ? copiedMatrixBytes(extent, depth, element.operand, eitherWay)
                : copiedBytes(extent, depth, element.operand, exchange.skewed));
  };
  // Of complex numbers, whichever way they lie.
  auto bytesOfParts = [&](auto along, auto across) {
    auto most = [&](const auto &tile) {
      return copiedBytes(tile.first, tile.second, element.operand,
                         exchange.skewed);
    };
    return exchange.stages * std::max(most(along), most(across));
  };
  int64_t rows = partition.paddedM(), columns = partition.paddedN();
  SharedLayout layout;
  layout.copiedA.bytes =
      exchange.interleavesParts
          ? bytesOfParts(std::pair(rows, depth), std::pair(2 * rows, depth / 2))
          : bytes(rows, unitHasA, /*eitherWay=*/true);
  layout.copiedB.offset = llvm::alignTo(
      layout.copiedA.bytes, isGroup ? groupMatrixAlignment : regionAlignment);
  layout.copiedB.bytes = exchange.interleavesParts
                             ? bytesOfParts(std::pair(columns, depth / 2),
                                            std::pair(columns / 2, depth))
                             : bytes(columns, isGroup, readsEither);
  layout.bytes = layout.copiedB.offset + layout.copiedB.bytes;
  if (!exchange.skewed || exchange.bulk)
    return layout;
  auto append = [&](SharedRegion &region, int64_t extent, bool isForUnit) {
    region = {layout.bytes,
              exchange.stages *
                  skewedTileBytes(extent, depth, element.operand, isForUnit)};
    layout.bytes += region.bytes;
  };
  append(layout.skewedA, partition.paddedM(), unitHasA);
  append(layout.skewedB, partition.paddedN(), isGroup);
  return layout;
}

Exchange kami::withoutBulk(const Partition &partition, ElementBytes element,
                           const Exchange &exchange) {
  // What threads would have to copy is computed by another plan.
  if (exchange.stationary)
    return exchange;
  int64_t room = copiedTiles(partition, element, exchange).bytes;
  Exchange threads = exchange;
  threads.bulk = threads.prefetches = false;
  while (threads.stages > 2 &&
         copiedTiles(partition, element, threads).bytes > room)
    --threads.stages;
  return threads;
}

/// What C takes that goes through shared memory beside operands, or in their
/// place.
static int64_t relayBytes(const Partition &partition, ElementBytes element,
                          const Exchange &exchange) {
  int64_t width = relayedWidth(element.operand);
  if (exchange.isTransposed)
    return width * relayedBlock(partition.paddedN(), partition.paddedM(), width)
                       .elements();
  return partition.grid.warps() *
         relayedBytes(partition.atomM, partition.warpN, width);
}

static SharedLayout copiedLayout(const Partition &partition,
                                 ElementBytes element,
                                 const Exchange &exchange) {
  SharedLayout layout = copiedTiles(partition, element, exchange);
  auto append = [&](SharedRegion &region, int64_t bytes) {
    region = {layout.bytes, bytes};
    layout.bytes += bytes;
  };
  if (exchange.bulk) {
    Exchange threads = withoutBulk(partition, element, exchange);
    // What maps have in common stays from one to the next.
    layout.bytes = llvm::alignTo(
        std::max(layout.bytes, copiedTiles(partition, element, threads).bytes),
        tensorMapBytes);
    append(layout.maps, 4 * tensorMapBytes);
    // A stage has one that says that it is full, and one that says it is free.
    int64_t barriers = groupsWaitApart(exchange, partition.grid) ? 2 : 1;
    append(layout.barriers,
           llvm::alignTo(barriers * exchange.stages * mbarrierBytes,
                         regionAlignment));
  }
  if (!exchange.relaysC)
    return layout;
  int64_t bytes = relayBytes(partition, element, exchange);
  if (!exchange.relaysInPlace(element.operand)) {
    append(layout.relay, bytes);
    return layout;
  }
  layout.relay.bytes = bytes;
  layout.bytes = std::max(layout.bytes, bytes);
  return layout;
}

/// The matrices of all products; C takes their place, in the type of the sums
/// or a narrower one.
static SharedLayout packedLayout(const Partition &partition,
                                 ElementBytes element,
                                 const Exchange &exchange) {
  const Extents &tile = partition.tile;
  auto bytes = [&](int64_t elements, int64_t width) -> int64_t {
    return llvm::alignTo(packedBytes(exchange.packed, elements, width),
                         regionAlignment);
  };
  SharedLayout layout;
  layout.copiedA.bytes = bytes(tile.m * tile.k, element.operand);
  layout.copiedB = {
      layout.copiedA.bytes,
      bytes(termsOfB(tile.k, exchange) * tile.n, element.operand)};
  if (exchange.relaysC)
    layout.relay.bytes = bytes(tile.m * tile.n, element.accumulator);
  layout.bytes =
      std::max(layout.copiedA.bytes + layout.copiedB.bytes, layout.relay.bytes);
  return layout;
}

/// But for tickets.
static SharedLayout operandLayout(const Partition &partition,
                                  const Slicing &unclamped,
                                  ElementBytes element,
                                  const Exchange &exchange) {
  if (exchange.isPacked())
    return packedLayout(partition, element, exchange);
  if (exchange.isCopied())
    return copiedLayout(partition, element, exchange);
  Slicing slicing = clampSlicing(partition, unclamped);
  const WarpGrid &grid = partition.grid;
  SharedLayout layout;
  layout.sliceBytesA = partition.sliceElementsA() * element.operand;
  layout.sliceBytesB = partition.sliceElementsB() * element.operand;

  if (exchange.unit == Unit::WarpGroup)
    return groupLayout(partition, slicing, element, exchange);
  int64_t end = 0;
  auto append = [&](SharedRegion &region, int64_t bytes) {
    region = {end, bytes};
    end += llvm::alignTo(bytes, regionAlignment);
  };
  // Parked slices that stay come first, then those of this product alone.
  for (bool stays : {true, false}) {
    if (exchange.keepsParkedA(grid) == stays)
      append(layout.parkedA,
             grid.warps() * slicing.sharedA * layout.sliceBytesA);
    if (exchange.keepsParkedB(grid) == stays)
      append(layout.parkedB,
             grid.warps() * slicing.sharedB * layout.sliceBytesB);
    if (stays)
      layout.kept = end;
  }
  int64_t buffers = exchange.transport == Transport::DoubleBuffered ? 2 : 1;
  if (grid.n > 1 && slicing.sharedA < partition.heldA())
    append(layout.broadcastA, buffers * grid.m * grid.k * layout.sliceBytesA);
  if (grid.m > 1 && slicing.sharedB < partition.heldB())
    append(layout.broadcastB, buffers * grid.n * grid.k * layout.sliceBytesB);
  bool isOpaque = element.staging > 0;
  if (grid.k > 1)
    layout.reduce = {isOpaque ? end : layout.kept,
                     grid.m * grid.n * partition.warpM * partition.warpN *
                         element.accumulator};
  layout.bytes = std::max(end, layout.reduce.offset + layout.reduce.bytes);
  if (isOpaque) {
    layout.staging = {layout.bytes, grid.warps() * element.staging};
    layout.bytes += layout.staging.bytes;
  }
  return layout;
}

SharedLayout kami::sharedLayout(const Partition &partition,
                                const Slicing &slicing, ElementBytes element,
                                const Exchange &exchange) {
  SharedLayout layout = operandLayout(partition, slicing, element, exchange);
  if (exchange.takesTickets) {
    layout.tickets.offset = llvm::alignTo(layout.bytes, regionAlignment);
    layout.tickets.bytes = ticketBytes;
    layout.bytes = layout.tickets.offset + ticketBytes;
  }
  return layout;
}

int64_t kami::activeSlices(const Partition &partition, int64_t stage) {
  int64_t first = partition.sliceOffset(stage, 0);
  if (first >= partition.tile.k)
    return 0;
  int64_t slices = llvm::divideCeil(partition.tile.k - first, partition.sliceK);
  return std::min(slices, partition.slicesPerStage);
}

int64_t kami::activeSlices(const Partition &partition) {
  int64_t last = partition.activeStages - 1;
  return last * partition.slicesPerStage + activeSlices(partition, last);
}

namespace {
/// How one operand travels within a tile.
struct Operand {
  /// Bytes of one slice of every row (of A) or column (of B), over all layers.
  int64_t sliceBytes;
  /// Warps that need the slice, and its owner's slices that stay in registers.
  int64_t group;
  int64_t kept;

  Operand(int64_t sliceBytes, int64_t group, int64_t kept)
      : sliceBytes(sliceBytes), group(group), kept(kept) {}

  /// Of `active` slices of a stage that the owner counts from `firstHeld`,
  /// those in registers. They come first, since the parked ones are the last.
  int64_t inRegisters(int64_t active, int64_t firstHeld) const {
    return std::clamp<int64_t>(kept - firstHeld, 0, active);
  }
};

/// Both operands of a tile.
struct Operands {
  Operand a;
  Operand b;

  Operands(const Partition &partition, const Slicing &slicing,
           ElementBytes element)
      : a(partition.grid.m * partition.grid.k * partition.sliceElementsA() *
              element.operand,
          partition.grid.n, partition.heldA() - slicing.sharedA),
        b(partition.grid.n * partition.grid.k * partition.sliceElementsB() *
              element.operand,
          partition.grid.m, partition.heldB() - slicing.sharedB) {}
};

/// A k tile as it is exchanged.
class Tile {
public:
  Tile(const Partition &partition, const Slicing &unclamped,
       ElementBytes element, const Exchange &exchange)
      : partition(partition), slicing(clampSlicing(partition, unclamped)),
        exchange(exchange), operands(partition, slicing, element) {}

  /// Broadcasts of a stage: A's and B's of one slice are one.
  int64_t broadcasts(int64_t stage) const {
    int64_t active = activeSlices(partition, stage);
    auto sent = [&](const Operand &operand, int64_t firstHeld) -> int64_t {
      return operand.group > 1 ? operand.inRegisters(active, firstHeld) : 0;
    };
    return std::max(sent(operands.a, partition.heldIndexA(stage, 0)),
                    sent(operands.b, partition.heldIndexB(stage, 0)));
  }
  int64_t broadcasts() const {
    int64_t sum = 0;
    for (int64_t stage = 0; stage < partition.activeStages; ++stage)
      sum += broadcasts(stage);
    return sum;
  }
  /// Whether the product writes the parked slices of A, of B.
  bool parksA() const {
    return slicing.sharedA > 0 && !exchange.keepsParkedA(partition.grid);
  }
  bool parksB() const {
    return slicing.sharedB > 0 && !exchange.keepsParkedB(partition.grid);
  }
  /// See exchangeScope.
  BarrierScope scope() const;

  void addStage(SharedTraffic &traffic, int64_t stage) const;
  void addParking(SharedTraffic &traffic) const;
  SharedTraffic all() const {
    SharedTraffic traffic;
    addParking(traffic);
    for (int64_t stage = 0; stage < partition.activeStages; ++stage)
      addStage(traffic, stage);
    return traffic;
  }

private:
  void addBarriers(SharedTraffic &traffic, int64_t count) const;

  const Partition &partition;
  Slicing slicing;
  Exchange exchange;
  Operands operands;
};
} // namespace

void Tile::addStage(SharedTraffic &traffic, int64_t stage) const {
  if (exchange.unit == Unit::WarpGroup)
    return;
  int64_t active = activeSlices(partition, stage);
  auto add = [&](const Operand &operand, int64_t firstHeld) {
    int64_t kept = operand.inRegisters(active, firstHeld);
    int64_t sent = operand.group > 1 ? kept : 0;
    int64_t parked = active - kept;
    traffic.written += sent * operand.sliceBytes;
    int64_t onDemand = parked * operand.group * operand.sliceBytes;
    traffic.read += sent * (operand.group - 1) * operand.sliceBytes + onDemand;
    traffic.readParked += onDemand;
  };
  add(operands.a, partition.heldIndexA(stage, /*slice=*/0));
  add(operands.b, partition.heldIndexB(stage, /*slice=*/0));
  int64_t barriers = exchange.transport == Transport::DoubleBuffered ? 1 : 2;
  addBarriers(traffic, barriers * broadcasts(stage));
}

void Tile::addParking(SharedTraffic &traffic) const {
  if (!parksA() && !parksB())
    return;
  for (int64_t stage = 0; stage < partition.activeStages; ++stage) {
    int64_t active = activeSlices(partition, stage);
    auto parked = [&](const Operand &operand, int64_t firstHeld) {
      return (active - operand.inRegisters(active, firstHeld)) *
             operand.sliceBytes;
    };
    if (parksA())
      traffic.written +=
          parked(operands.a, partition.heldIndexA(stage, /*slice=*/0));
    if (parksB())
      traffic.written +=
          parked(operands.b, partition.heldIndexB(stage, /*slice=*/0));
  }
  addBarriers(traffic, 1);
}

/// What travels along rows is waited for by rows. Buffers and parked slices of
/// A and B are apart, and each row's, or column's, are.
BarrierScope Tile::scope() const {
  if (!exchange.isScoped)
    return BarrierScope::Block;
  const WarpGrid &grid = partition.grid;
  bool sendsA = grid.n > 1 && (parksA() || slicing.sharedA < partition.heldA());
  bool sendsB = grid.m > 1 && (parksB() || slicing.sharedB < partition.heldB());
  BarrierScope scope = BarrierScope::Layer;
  if (sendsA != sendsB)
    scope = sendsA ? BarrierScope::Row : BarrierScope::Column;
  return warpsWithin(grid, scope) == grid.warps() ? BarrierScope::Block : scope;
}

void Tile::addBarriers(SharedTraffic &traffic, int64_t count) const {
  traffic.barriers += count;
  if (scope() != BarrierScope::Block)
    traffic.scopedBarriers += count;
}

BarrierScope kami::exchangeScope(const Partition &partition,
                                 const Slicing &slicing,
                                 const Exchange &exchange) {
  return Tile(partition, slicing, {}, exchange).scope();
}

SharedTraffic kami::stageTraffic(const Partition &partition,
                                 const Slicing &slicing, ElementBytes element,
                                 int64_t stage, const Exchange &exchange) {
  SharedTraffic traffic;
  Tile(partition, slicing, element, exchange).addStage(traffic, stage);
  return traffic;
}

SharedTraffic kami::parkingTraffic(const Partition &partition,
                                   const Slicing &slicing, ElementBytes element,
                                   const Exchange &exchange) {
  SharedTraffic traffic;
  Tile(partition, slicing, element, exchange).addParking(traffic);
  return traffic;
}

/// Whole matrices come, every unit reads its rows and columns, and C goes back.
static SharedTraffic packedTraffic(const Partition &partition,
                                   ElementBytes element,
                                   const Exchange &exchange) {
  const Extents &tile = partition.tile;
  int64_t a = exchange.packed * tile.m * tile.k * element.operand;
  int64_t b =
      exchange.packed * termsOfB(tile.k, exchange) * tile.n * element.operand;
  int64_t c = exchange.relaysC
                  ? exchange.packed * tile.m * tile.n * element.accumulator
                  : 0;
  SharedTraffic traffic{a + b + c,
                        partition.grid.n * a + partition.grid.m * b + c,
                        /*barriers=*/exchange.relaysC ? 3 : 1};
  traffic.readParked = traffic.read - c;
  return traffic;
}

/// Every element of a copied tile is written once, padding included, and read
/// by every column, or row, of warps; others wait for what a thread copies, and
/// threads for others to have read what they are about to overwrite, which is
/// one barrier unless there is but one stage. Rows may be skewed, or not, which
/// is known at run time: they count as if they were not.
static SharedTraffic copiedTraffic(const Partition &partition,
                                   ElementBytes element,
                                   const Exchange &exchange) {
  int64_t a = partition.paddedM() * partition.paddedK() * element.operand;
  int64_t b = partition.paddedN() * partition.paddedK() * element.operand;
  int64_t written = a + termsOfB(b, exchange),
          read = partition.grid.n * a + partition.grid.m * b;
  if (exchange.unit == Unit::WarpGroup) {
    // Lanes read an A that the unit does not, and what threads round comes and
    // goes once more. See matrixUnitReads, too.
    bool readsA = !readsEitherOrder(element.operand);
    bool rounds = readsA && !exchange.bulk;
    written += rounds ? b : 0;
    read = (readsA ? a : 0) + (rounds ? b : 0);
  }
  SharedTraffic traffic{written, read, /*barriers=*/1};
  traffic.readParked = read;
  return traffic;
}

SharedTraffic kami::tileTraffic(const Partition &partition,
                                const Slicing &slicing, ElementBytes element,
                                const Exchange &exchange) {
  if (exchange.isPacked())
    return packedTraffic(partition, element, exchange);
  if (exchange.isCopied())
    return copiedTraffic(partition, element, exchange);
  return Tile(partition, slicing, element, exchange).all();
}

bool kami::writesShared(const Partition &partition, const Slicing &slicing,
                        const Exchange &exchange) {
  if (exchange.isCopied())
    return true;
  Tile tile(partition, slicing, {}, exchange);
  return tile.parksA() || tile.parksB() || tile.broadcasts() > 0;
}

bool kami::leavesReads(const Partition &partition, const Slicing &slicing,
                       const Exchange &exchange) {
  if (exchange.isCopied())
    return true;
  Tile tile(partition, slicing, {}, exchange);
  // Of two buffers the first is the next to be written, and the last to have
  // been read after an odd number of broadcasts.
  bool oddBuffer = exchange.transport == Transport::DoubleBuffered &&
                   tile.broadcasts() % 2 != 0;
  return tile.parksA() || tile.parksB() || oddBuffer;
}

SharedTraffic kami::reduceTraffic(const Partition &partition,
                                  ElementBytes element) {
  int64_t rounds = partition.grid.k - 1;
  int64_t bytes =
      rounds * partition.paddedM() * partition.paddedN() * element.accumulator;
  return {bytes, bytes, 2 * rounds};
}

/// What a number of tiles exchange, with a barrier before all but the first if
/// they need one.
static SharedTraffic repeat(const SharedTraffic &tile, int64_t count,
                            bool isSeparated) {
  int64_t between = isSeparated ? count - 1 : 0;
  bool isScoped = tile.scopedBarriers > 0;
  return {tile.written * count, tile.read * count,
          tile.barriers * count + between,
          tile.scopedBarriers * count + (isScoped ? between : 0),
          tile.readParked * count};
}

static SharedTraffic operator+(const SharedTraffic &a, const SharedTraffic &b) {
  return {a.written + b.written, a.read + b.read, a.barriers + b.barriers,
          a.scopedBarriers + b.scopedBarriers, a.readParked + b.readParked};
}

SharedTraffic kami::blockTraffic(const Partition &partition,
                                 const Slicing &slicing, ElementBytes element,
                                 int64_t kTiles, const Exchange &exchange) {
  bool isSeparated = exchange.isCopied()
                         ? exchange.stages == 1
                         : leavesReads(partition, slicing, exchange);
  return repeat(tileTraffic(partition, slicing, element, exchange), kTiles,
                isSeparated) +
         reduceTraffic(partition, element);
}

SharedTraffic kami::productTraffic(const Partition &partition,
                                   const Slicing &slicing, ElementBytes element,
                                   const Exchange &exchange) {
  SharedTraffic traffic = tileTraffic(partition, slicing, element, exchange) +
                          reduceTraffic(partition, element);
  // Layer 0 may still read the last layer's sums.
  bool leaves =
      leavesReads(partition, slicing, exchange) || partition.grid.k > 1;
  traffic.barriers += leaves && writesShared(partition, slicing, exchange);
  return traffic;
}

int64_t kami::matrixUnitReads(const Partition &partition,
                              const Slicing &slicing, ElementBytes element,
                              const Exchange &exchange) {
  if (exchange.unit == Unit::Warp)
    return 0;
  // Each 16 rows of the four warps need all of B, and their own of A.
  constexpr int64_t rows = 16;
  int64_t passes =
      partition.grid.warps() / warpsPerGroup * (partition.warpM / rows);
  bool readsA = slicing.sharedA > 0 ||
                (exchange.isCopied() && readsEitherOrder(element.operand));
  int64_t readRows = readsA ? partition.paddedM() : 0;
  return (passes * partition.warpN + readRows) * partition.paddedK() *
         element.operand;
}
