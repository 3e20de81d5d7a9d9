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

/// The part of the less busy unit's cycles that the busiest does not hide: an
/// estimate.
static constexpr double exposed = 0.2;

BlockCost kami::blockCost(const Atom &atom, const Partition &partition,
                          const Slicing &slicing, const Exchange &exchange,
                          const Resources &resources, const Chip &chip,
                          const Calibration &calibration) {
  BlockCost cost;
  cost.residentBlocks = residentBlocks(resources, chip);
  Computation computation = computationOf(atom, partition, chip, calibration);
  cost.tensorCores = computation.tensorCores;
  cost.computation = computation.chain;

  SharedTraffic traffic = productTraffic(
      partition, slicing,
      {byteWidth(atom.operand), byteWidth(atom.accumulator)}, exchange);
  int64_t unitReads = matrixUnitReads(
      partition, slicing,
      {byteWidth(atom.operand), byteWidth(atom.accumulator)}, exchange);
  cost.sharedBandwidth = double(traffic.written + traffic.read + unitReads) /
                         calibration.sharedBandwidth;
  // Every barrier separates a write from its reads; reads without one, of what
  // is resident, wait once.
  double waits = std::max<double>(traffic.barriers, traffic.read > 0);
  cost.sharedLatency = waits * calibration.sharedLatency;
  cost.barriers =
      traffic.barriers * (calibration.barrier +
                          calibration.barrierPerWarp * partition.grid.warps());

  double busiest = std::max(cost.tensorCores, cost.sharedBandwidth);
  double all = cost.tensorCores + cost.sharedBandwidth;
  double throughput = busiest + exposed * (all - busiest);
  cost.total = std::max(throughput, cost.chain() / cost.residentBlocks);
  return cost;
}
