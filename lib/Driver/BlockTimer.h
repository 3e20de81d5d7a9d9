//===- BlockTimer.h - Kernels of a block's product, built and timed -*- C++
//-*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_BLOCKTIMER_H
#define KAMI_LIB_DRIVER_BLOCKTIMER_H

#include "kami/Driver/BlockRows.h"
#include "kami/Driver/Compile.h"
#include "kami/Plan/Problem.h"
#include "kami/Runtime/Cuda.h"
#include "kami/Simulator/Scalar.h"
#include "mlir/IR/MLIRContext.h"
#include <functional>
#include <random>

namespace kami {

/// A plan as a program, or why it is none.
struct BuiltKernel {
  Kernel kernel;
  std::string error;
};

/// Different operands of a launch.
constexpr int64_t operandSets = 64;

/// The kernel of BlockKernel.h for `blocks` blocks, by ptxas where there is
/// one, of operands of that type in memory if not of the atom's. Threads may
/// call this at the same time.
BuiltKernel buildBlockKernel(const Plan &plan, llvm::StringRef chip,
                             int64_t blocks,
                             std::optional<ElementKind> type = std::nullopt);

/// A, B and C of all blocks on the device, and what the sums of integers are.
class BlockMatrices {
public:
  BlockMatrices(KamiCudaDevice *device, mlir::MLIRContext *context,
                const Problem &problem, int64_t blocks);

  /// Allocates, and draws small integers and numbers between -1 and 1.
  llvm::Error allocate();
  /// Puts the ones or the others on the device.
  llvm::Error upload(bool integers);
  llvm::Error poison();
  /// Whether C of some blocks is `scale`·A·B; if not, where it differs.
  llvm::Expected<std::string> compare(int64_t scale);

  /// The kernel's, with C = `repeats`·A·B.
  std::vector<uint64_t> arguments(int64_t repeats) const;
  KamiCudaPointer deviceA() const { return a.get(); }
  KamiCudaPointer deviceB() const { return b.get(); }
  KamiCudaPointer deviceC() const { return c.get(); }
  int64_t sizeA() const { return problem.extents.m * problem.extents.k; }
  int64_t sizeB() const { return problem.extents.k * problem.extents.n; }
  int64_t sizeC() const { return problem.extents.m * problem.extents.n; }

private:
  /// How A's or B's elements are drawn.
  struct Elements {
    explicit Elements(mlir::MLIRContext *context, ElementKind kind);
    sim::ElementFormat format;
    bool isUnsigned;
  };

  std::vector<double> draw(const Elements &elements, int64_t count,
                           bool integers, std::vector<uint8_t> &bytes);

  KamiCudaDevice *device;
  Problem problem;
  int64_t blocks;
  Elements left, right;
  sim::ElementFormat sum;
  CudaBuffer a, b, c;
  /// The integers, and the bytes of both kinds of numbers.
  std::vector<double> valuesA, valuesB;
  std::vector<uint8_t> bytesA[2], bytesB[2];
  std::mt19937_64 random{1};
};

/// How launches are timed.
struct TimingOptions {
  int64_t blocks = 16384;
  /// Products of a block; 0 for as many as take about `milliseconds`.
  int64_t repeats = 0;
  double milliseconds = 3;
  /// Timed launches, after one that is not.
  int64_t launches = 5;
};

/// Of one launch, in microseconds.
struct Timing {
  int64_t repeats = 0;
  double median = 0, least = 0, most = 0;
};

/// Somebody else's kernel for the same product, which is launched in turn with
/// the one that is timed, so that both run at the same clocks.
struct Rival {
  std::function<llvm::Error(int64_t repeats)> launch;
  /// Microseconds, the median.
  double median = 0;
};

/// A device that kernels are timed on.
class BlockTimer {
public:
  static llvm::Expected<std::unique_ptr<BlockTimer>> open(int ordinal);

  KamiCudaDevice *get() const { return device.get(); }
  const Chip &chip() const { return *theChip; }
  const KamiCudaDeviceInfo &info() const { return theInfo; }

  /// Microseconds of what `launch` puts on the default stream.
  llvm::Expected<double> time(llvm::function_ref<llvm::Error()> launch);
  /// Times `launch(repeats)`: one launch to warm up, then the options'; each
  /// followed by one of every rival.
  llvm::Expected<Timing>
  time(const TimingOptions &options,
       llvm::function_ref<llvm::Error(int64_t repeats)> launch,
       llvm::MutableArrayRef<Rival> rivals = {});

  /// A kernel, held to exact sums first: times on random numbers, or in `wrong`
  /// what is wrong with it. `info` receives what the assembler made of it.
  llvm::Expected<Timing> time(const Kernel &kernel, BlockMatrices &matrices,
                              const TimingOptions &options,
                              KamiCudaFunctionInfo &info, std::string &wrong,
                              llvm::MutableArrayRef<Rival> rivals = {});

private:
  BlockTimer() = default;

  CudaDevice device;
  KamiCudaDeviceInfo theInfo;
  std::optional<CudaEvent> start, stop;
  const Chip *theChip = nullptr;
};

/// Puts a launch of a kernel's blocks on the default stream.
llvm::Error launchBlocks(KamiCudaDevice *device, KamiCudaFunction function,
                         const Kernel &kernel, int64_t blocks,
                         std::vector<uint64_t> arguments);

/// Times a kernel and fills in the device's part of its row. What is wrong with
/// it becomes the row's reason; an error is the device's.
llvm::Error measureRow(const BuiltKernel &built, BlockTimer &timer,
                       BlockMatrices &matrices, const TimingOptions &options,
                       BlockRow &row, llvm::MutableArrayRef<Rival> rivals = {});

} // namespace kami

#endif // KAMI_LIB_DRIVER_BLOCKTIMER_H
