//===- Run.h - Execute a function and judge the result -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a host function whose kernels are compiled, on a device or in the
// simulator, and compares what it computes with an evaluation of the original
// function in a wider type.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_RUN_H
#define KAMI_DRIVER_RUN_H

#include "kami/Driver/Compile.h"
#include "kami/Simulator/Host.h"
#include "kami/Simulator/Scalar.h"
#include "kami/Simulator/Simulator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"

namespace kami {

enum class DeviceKind { Simulator, Cuda, Hip, Vulkan };
llvm::StringRef name(DeviceKind device);

/// What a run's inputs are.
enum class InputKind {
  /// Uniform in [-1, 1], rounded to the element type; integers over all of
  /// their type, and 16 bits of wider ones.
  Random,
  /// Small integers, for which every sum is exact and so is the comparison.
  Integers,
};

struct RunOptions {
  DeviceKind device = DeviceKind::Simulator;
  InputKind inputs = InputKind::Random;
  uint64_t seed = 0;
  sim::WarpOrder warpOrder = sim::WarpOrder::InOrder;
  /// Memref arguments, by number, that start as NaN: outputs that a product
  /// must not read.
  llvm::SmallVector<unsigned> poisoned;
  /// Timed launches on a device; the time is their median.
  int64_t repeats = 20;
};

/// 2^-bits of the significand: half a unit in the last place of 1. 0 for
/// integers.
double roundingUnit(ElementKind kind);

/// An error relative to |A|·|B| beyond which a result is wrong: half a unit in
/// the last place of the output's type, and of the accumulator's for each of
/// the few roundings around the sum and, growing like a random walk, √k of
/// them within it. `unit` below is 2^-bits of the significand.
///
///     bound = unit(output) + 4 · (1 + √(k · products)) · unit(accumulator)
///             + operands
///
/// `operands` is what two operands lose before they are multiplied: 2^-10 as
/// tf32, 2^-21 as sums of two tf32 numbers, each of which the instruction
/// multiplies by itself (`products`). A matrix unit keeps fewer bits of sums of
/// 8-bit floats than their type has: 14 on Ada and Hopper, says section 3.5.2
/// of the DeepSeek-V3 report (arXiv 2412.19437), and SageAttention2 (arXiv
/// 2411.10958) says so of mma.sync. `atom` says whether there is a matrix unit.
///
/// Where elements go through more than sums of products (prologues, epilogues,
/// element-wise ops of linalg), |A|·|B| is replaced by what a running error
/// analysis (`sim::evaluateErrors`) makes of that bound for each element of the
/// output, divided by the bound: an error is still right where it is at most
/// the bound.
double errorBound(const Problem &problem, ElementKind output,
                  const Atom *atom = nullptr);

/// How far a rounded result is from the exact one, relative to `magnitude`, as
/// |A|·|B| is; what is below the smallest number of its format does not count.
double relativeError(double rounded, long double exact, long double magnitude,
                     const sim::ElementFormat &format);

/// Half the smallest number of a float format: what rounding to it may lose
/// however small the number is; 0 for integers.
double underflow(const sim::ElementFormat &format);

struct RunResult {
  /// Largest |computed − reference| / (|A|·|B|), and the bound it is held to (0
  /// for integer inputs, unless a function makes other numbers of them). What
  /// is below the smallest number of C's type does not count.
  double maxError = 0;
  double bound = 0;
  bool ok = false;
  /// Why not.
  std::string failure;
  std::string device;
  /// Median of one run of all the function's kernels; 0 in the simulator.
  double microseconds = 0;
  /// Of each launch, in the simulator.
  std::vector<sim::SimulatorReport> reports;
  /// Raw bytes of every argument and result after the run, in order: what two
  /// devices are compared by.
  std::vector<std::vector<uint8_t>> contents;
};

/// An attribute of the function that runs: the private function that says what
/// it should compute, in `linalg` or `kami.gemm`, where it cannot say so
/// itself, because it launches kernels that somebody wrote.
constexpr llvm::StringLiteral referenceAttributeName = "kami.reference";

/// An attribute of a memref argument of the function that runs: the elements it
/// has, instead of random ones.
constexpr llvm::StringLiteral contentsAttributeName = "kami.contents";

/// Compiles the only public function of `module`, runs it and compares with its
/// evaluation, or with that of its `kami.reference`. The chip is `chipOn`'s.
/// `compilation` receives what was compiled. `module` is lowered in place.
llvm::Expected<RunResult> compileAndRun(mlir::ModuleOp module,
                                        const CompileOptions &compileOptions,
                                        const RunOptions &options,
                                        Compilation &compilation);

/// The simulator with the chip's warps and shared memory.
sim::SimulatorOptions simulatorOf(const Chip &chip);

/// The chip of that name. On a Vulkan device, `vulkan` is that device.
llvm::Expected<const Chip *> chipOn(DeviceKind device, llvm::StringRef name);

/// Whether such a device executes what is compiled for a chip.
llvm::Error verifyDevice(DeviceKind device, const Chip &chip);

/// Whether a CUDA device can be used; if not, why.
llvm::Error probeCuda();
/// The same of a HIP device, and of a Vulkan device.
llvm::Error probeHip();
llvm::Error probeVulkan();

} // namespace kami

#endif // KAMI_DRIVER_RUN_H
