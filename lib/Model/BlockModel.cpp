//===- BlockModel.cpp ---------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Model/BlockModel.h"
#include <cmath>

using namespace kami;

BlockCost kami::blockCost(const Atom &atom, const AtomRate &rate,
                          const Partition &partition, const Slicing &slicing,
                          const Exchange &exchange, const Resources &resources,
                          const Chip &chip,
                          const CalibratedAssumptions &assumptions) {
  BlockCost cost;
  cost.residentBlocks = residentBlocks(resources, chip);
  double warps = partition.grid.warps();
  double atoms =
      double(partition.warpM / atom.shape.m) * (partition.warpN / atom.shape.n);
  double steps =
      double(activeSlices(partition)) * (partition.sliceK / atom.shape.k);
  double cyclesPerAtom = 2.0 * atom.shape.m * atom.shape.n * atom.shape.k /
                         (rate.opsPerCycle * rate.reached);
  cost.tensorCores = warps * atoms * steps * cyclesPerAtom / chip.tensorCores;
  double warpsPerCore = std::ceil(warps / chip.tensorCores);
  cost.computation = steps * std::max(warpsPerCore * atoms * cyclesPerAtom,
                                      assumptions.atomLatency);

  SharedTraffic traffic = productTraffic(
      partition, slicing,
      {byteWidth(atom.operand), byteWidth(atom.accumulator)}, exchange);
  int64_t unitReads = matrixUnitReads(
      partition, slicing,
      {byteWidth(atom.operand), byteWidth(atom.accumulator)}, exchange);
  cost.sharedBandwidth =
      double(traffic.written + traffic.read + unitReads) / chip.sharedBandwidth;
  // Every barrier separates a write from its reads; reads without one, of what
  // is resident, wait once.
  double waits = std::max<double>(traffic.barriers, traffic.read > 0);
  cost.sharedLatency = waits * chip.sharedLatency;
  cost.barriers = traffic.barriers *
                  (assumptions.barrier + assumptions.barrierPerWarp * warps);

  double busiest = std::max(cost.tensorCores, cost.sharedBandwidth);
  double all = cost.tensorCores + cost.sharedBandwidth;
  double throughput = busiest + assumptions.exposed * (all - busiest);
  cost.total = std::max(throughput, cost.chain() / cost.residentBlocks);
  return cost;
}
