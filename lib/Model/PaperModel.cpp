//===- PaperModel.cpp ---------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Model/PaperModel.h"
#include <cmath>
#include <numeric>

using namespace kami;

PaperMachine kami::paperMachine(const Chip &chip, const AtomRate &rate) {
  PaperMachine machine;
  machine.latencyShared = chip.sharedLatency;
  machine.bandwidthShared = chip.sharedBandwidth;
  machine.tensorCores = chip.tensorCores;
  machine.opsPerCycle = rate.opsPerCycle;
  return machine;
}

static double mk(const PaperProduct &product) {
  return double(product.extents.m) * product.extents.k;
}
static double kn(const PaperProduct &product) {
  return double(product.extents.k) * product.extents.n;
}
static double mn(const PaperProduct &product) {
  return double(product.extents.m) * product.extents.n;
}
/// 2mnk.
static double operations(const PaperProduct &product) {
  return 2 * mn(product) * product.extents.k;
}

/// The second line of (4), (8) and (12), and of the general grid: the sum over
/// the stages of T_cm + p/n_tc·T_cp.
static double total(const PaperCost &cost, double p,
                    const PaperMachine &machine) {
  return cost.stages *
         (cost.communication + p / machine.tensorCores * cost.computation);
}

/// T_cm of a stage that writes and reads that many bytes.
static double communication(double written, double read,
                            const PaperMachine &machine) {
  return machine.latencyShared +
         written / (machine.thetaW * machine.bandwidthShared) +
         read / (machine.thetaR * machine.bandwidthShared);
}

static double layerSum(const PaperProduct &product, double layers,
                       const PaperMachine &machine) {
  double bytes = (layers - 1) * mn(product) * product.accumulatorBytes;
  return bytes / (machine.thetaW * machine.bandwidthShared) +
         bytes / (machine.thetaR * machine.bandwidthShared);
}

PaperCost kami::paperCost1D(const PaperProduct &product, double p,
                            const PaperMachine &machine) {
  double bytes = kn(product) * product.operandBytes;
  PaperCost cost;
  cost.stages = p;
  cost.volume = bytes;
  cost.communication = communication(bytes / p, (p - 1) * bytes / p, machine);
  cost.computation = operations(product) / (p * p * machine.opsPerCycle);
  cost.total = total(cost, p, machine);
  return cost;
}

PaperCost kami::paperCost2D(const PaperProduct &product, double p,
                            const PaperMachine &machine) {
  double q = std::sqrt(p);
  double bytes = (mk(product) + kn(product)) * product.operandBytes;
  PaperCost cost;
  cost.stages = q;
  cost.volume = bytes;
  cost.communication = communication(bytes / q, (q - 1) * bytes / q, machine);
  cost.computation = operations(product) / (p * q * machine.opsPerCycle);
  cost.total = total(cost, p, machine);
  return cost;
}

PaperCost kami::paperCost3D(const PaperProduct &product, double p,
                            const PaperMachine &machine) {
  double q = std::cbrt(p);
  double bytes = (mk(product) + kn(product)) * product.operandBytes;
  PaperCost cost;
  cost.stages = q;
  cost.volume = bytes;
  cost.communication = communication(bytes / q, (q - 1) * bytes / q, machine);
  cost.computation = operations(product) / (p * q * machine.opsPerCycle);
  cost.total = total(cost, p, machine);
  cost.layerSum = layerSum(product, q, machine);
  return cost;
}

PaperCost kami::paperCost(const PaperProduct &product, const WarpGrid &grid,
                          const PaperMachine &machine) {
  double a = mk(product) * product.operandBytes;
  double b = kn(product) * product.operandBytes;
  double written = (grid.n > 1 ? a : 0) + (grid.m > 1 ? b : 0);
  double read = (grid.n - 1) * a + (grid.m - 1) * b;
  double p = grid.warps();

  PaperCost cost;
  double s = cost.stages = std::lcm(grid.m, grid.n);
  cost.volume = (written + read) / s;
  cost.communication = communication(written / s, read / s, machine);
  cost.computation = operations(product) / (s * p * machine.opsPerCycle);
  cost.total = total(cost, p, machine);
  cost.layerSum = layerSum(product, grid.k, machine);
  return cost;
}
