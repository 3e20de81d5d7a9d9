//===- BlockModel.cpp ---------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Model/BlockModel.h"
#include <algorithm>

using namespace kami;

/// The part of shared memory's work that shows where nobody else could hide it:
/// a warp that is alone on its tensor core, or a block on its multiprocessor,
/// waits for its own reads, though it asks for several at a time. (Fitted to an
/// H200's f64 products of single blocks, 2026-11-21.)
static constexpr double exposedAlone = 0.35;

/// `exposed`, or, as far as tensor cores have less than two warps, what shows
/// then.
static double exposedReads(double exposed, double warpsPerCore) {
  double alone = std::clamp(2 - warpsPerCore, 0.0, 1.0);
  return exposed + std::max(0.0, exposedAlone - exposed) * alone;
}

BlockCost kami::blockCost(const Atom &atom, const Partition &partition,
                          const Slicing &slicing, const Exchange &exchange,
                          const Resources &resources, const Chip &chip,
                          const Calibration &calibration) {
  BlockCost cost;
  const AtomCalibration &behaviour = calibration.of(atom);
  double resident = residentBlocks(resources, chip);
  double warps = partition.grid.warps();
  Computation computation = computationOf(atom, partition, chip, calibration);
  cost.residentBlocks = resident;
  cost.computation = computation.chain;
  cost.tensorCores =
      std::max(computation.tensorCores, computation.chain / resident);

  ElementBytes element = elementBytesOf(atom);
  SharedTraffic traffic = productTraffic(partition, slicing, element, exchange);
  int64_t mixed = traffic.readParked +
                  matrixUnitReads(partition, slicing, element, exchange);
  int64_t separate = traffic.written + traffic.read - traffic.readParked;
  cost.reads = double(mixed) / calibration.sharedBandwidth;
  cost.exchange = double(separate) / calibration.sharedBandwidth;
  cost.barriers = barrierCycles(traffic, partition.grid,
                                exchangeScope(partition, slicing, exchange),
                                chip, calibration);

  double mixedExposed =
      exposedReads(behaviour.exposedReads, resident * warps / chip.tensorCores);
  double separateExposed =
      resident > 1 ? behaviour.exposedExchange
                   : std::max(behaviour.exposedExchange, exposedAlone);
  cost.total = std::max(cost.tensorCores, cost.reads) +
               mixedExposed * std::min(cost.tensorCores, cost.reads) +
               separateExposed * cost.exchange + cost.barriers / resident;
  return cost;
}
