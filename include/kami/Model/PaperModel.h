//===- PaperModel.h - The paper's cost formulas -------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cycles that "KAMI: Communication-Avoiding GEMM within a Single GPU"
// (SC '25), section 4, predicts, as it prints them: equations (1) to (12) and
// the symbols of its Table 2. Extents are taken as they are, without padding.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_MODEL_PAPERMODEL_H
#define KAMI_MODEL_PAPERMODEL_H

#include "kami/Target/Chip.h"

namespace kami {

/// The paper's machine.
struct PaperMachine {
  /// L_sm, in cycles, and B_sm, in bytes per cycle.
  double latencyShared;
  double bandwidthShared;
  /// Bank-conflict factors of reads and writes, 0 < θ ≤ 1, 1 without conflicts.
  double thetaR = 1;
  double thetaW = 1;
  /// n_tc, tensor cores of a multiprocessor, and O_tc, arithmetic operations
  /// per cycle of one of them.
  double tensorCores;
  double opsPerCycle;
};

/// The machine that the paper's Table 3 would list for a chip and an atom of
/// it: without bank conflicts, at the documented rate.
PaperMachine paperMachine(const Chip &chip, const AtomRate &rate);

/// The product that the formulas are about.
struct PaperProduct {
  Extents extents;
  /// s_e, and the same for an element of C.
  double operandBytes;
  double accumulatorBytes;
};

struct PaperCost {
  /// Rounds of communication followed by computation.
  double stages = 0;
  /// V_cm: bytes that one stage writes to and reads from shared memory.
  double volume = 0;
  /// T_cm: cycles of one stage's communication.
  double communication = 0;
  /// T_cp: cycles of one warp's computation in one stage.
  double computation = 0;
  /// T_all: cycles of the whole product, without the sum over layers, which
  /// the paper omits.
  double total = 0;
  /// Cycles that the sum over layers adds: (pk-1)·mn accumulators are written
  /// and read once more, at shared memory's bandwidth.
  double layerSum = 0;
};

/// Algorithm 1 on p warps: equations (1) to (4).
PaperCost paperCost1D(const PaperProduct &product, double p,
                      const PaperMachine &machine);
/// Algorithm 2 on √p × √p warps: equations (5) to (8), of which (7) is taken as
/// 2mnk/(p·√p·O_tc), the product that its text states and (8) needs.
PaperCost paperCost2D(const PaperProduct &product, double p,
                      const PaperMachine &machine);
/// Algorithm 3 on a cube of p warps: equations (9) to (12), of which (11) is
/// taken with the k/q² columns of A that a warp holds, as (12) needs.
PaperCost paperCost3D(const PaperProduct &product, double p,
                      const PaperMachine &machine);

/// The generalization to any grid pm × pn × pk, with s = lcm(pm, pn) stages:
///   V_cm  = ([pn>1]·pn·mk + [pm>1]·pm·kn)·s_e/s
///   T_cm  = L_sm + ([pn>1]·mk + [pm>1]·kn)·s_e/(s·θ_w·B_sm)
///                + ((pn-1)·mk + (pm-1)·kn)·s_e/(s·θ_r·B_sm)
///   T_cp  = 2mnk/(s·p·O_tc)
///   T_all = s·(T_cm + p/n_tc·T_cp)
/// It equals the three above on their grids from two warps on; with one warp
/// nothing is written, where the paper's formulas keep the term of the write.
PaperCost paperCost(const PaperProduct &product, const WarpGrid &grid,
                    const PaperMachine &machine);

} // namespace kami

#endif // KAMI_MODEL_PAPERMODEL_H
