//===- Sweep.h - Random problems with random plans -----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_SWEEP_H
#define KAMI_DRIVER_SWEEP_H

#include "kami/Driver/GemmSpec.h"
#include "kami/Driver/Run.h"

namespace kami {

struct SweepOptions {
  int64_t count = 200;
  uint64_t seed = 0;
  DeviceKind device = DeviceKind::Simulator;
  std::string chip = "sm_90";
  /// Also run each case in the simulator and ask for the same bits, where the
  /// inputs are integers.
  bool compareWithSimulator = false;
  /// No extent is larger.
  int64_t maxExtent = 150;
  /// Types of A's elements; B's are the same, or now and then another one that
  /// an instruction multiplies with it.
  std::vector<ElementKind> types = {ElementKind::F16, ElementKind::BF16,
                                    ElementKind::F64};
  /// Of complex numbers of those types, which are tf32, tf32x3, f32 or f64.
  bool complexNumbers = false;
  /// Sums in layers of run time.
  bool layers = false;
  /// Print each case before it runs.
  bool verbose = false;
  /// Of a soak: how long, the case that it begins with, whether one element of
  /// each batch is made wrong, to see that this is found, and the command that
  /// tries a case again, but for the case.
  double soakSeconds = 0;
  int64_t firstCase = 0;
  bool spoils = false;
  std::string reproducer;
};

struct SweepResult {
  int64_t passed = 0;
  int64_t failed = 0;
  double worstError = 0;
};

/// First every algorithm × type × a list of sizes, then problems at random;
/// each with layouts (strides, offsets, transposes), scales and a batch at
/// random, and a plan at random from all that fit, so that plans which the
/// planner would not pick are tried, too. Compares with the reference and, in
/// the simulator, the counted traffic with the plan's. Failures are printed to
/// `os` with what reproduces them.
llvm::Expected<SweepResult> runSweep(const SweepOptions &options,
                                     llvm::raw_ostream &os);

/// The same for products inside a block, of operands that are distributed over
/// it: repeated in a loop, with a plan at random from all that fit.
llvm::Expected<SweepResult> runBlockSweep(const SweepOptions &options,
                                          llvm::raw_ostream &os);

/// The same for products that each have sizes, strides and scales of their own:
/// none of m, n and k has to be positive.
llvm::Expected<SweepResult> runGroupedSweep(const SweepOptions &options,
                                            llvm::raw_ostream &os);

/// Until the time is over, and at least for one case: a kernel of a plan at
/// random, for strided batches or products of sizes of their own, on several
/// batches of random sizes, counts, strides and scales, as large as the
/// device's memory has room for. Every element is checked where it lies, by a
/// kernel that shares nothing with kami's (`CheckKernels.h`), and so is that
/// nothing else was written. Totals go to `os`, progress to `log`. False, after
/// what reproduces it, for the first case that is wrong.
llvm::Expected<bool> runSoak(const SweepOptions &options, llvm::raw_ostream &os,
                             llvm::raw_ostream &log);

} // namespace kami

#endif // KAMI_DRIVER_SWEEP_H
