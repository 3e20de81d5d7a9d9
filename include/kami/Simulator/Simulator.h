//===- Simulator.h - Runs a kernel on the CPU -----------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane-accurate interpreter of kernels at warp level (`kami.load`,
// `kami.broadcast`, ...) and at target level (`nvgpu`, `gpu`, `scf`, `arith`,
// `vector`, `memref`, `kami.mma_sync`), and of mixtures.
//
// The lanes of a warp run in lock-step under a mask of active lanes. A warp
// runs from one barrier to the next; between two barriers the warps take turns
// in a chosen order. Blocks run one after the other.
//
// What the device would not forgive is an error at the op's location, which
// ends the launch: accesses out of bounds or unaligned, reads of shared memory
// that nobody wrote, races, divergent barriers. An op that the simulator does
// not know is an error before the launch begins.
//
// Matrix instructions add exact products to the accumulator in the order of k
// in double precision and round once per instruction (f64: a chain of fused
// multiply-adds). Hardware adds in an order of its own, so that the last bits
// may differ; they agree where every sum is exact, as it is for small integers.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_SIMULATOR_SIMULATOR_H
#define KAMI_SIMULATOR_SIMULATOR_H

#include "kami/Simulator/Memory.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <map>
#include <string>

namespace kami::sim {

struct Dim3 {
  int64_t x = 1;
  int64_t y = 1;
  int64_t z = 1;

  int64_t count() const { return x * y * z; }
};

/// In which order the warps of a block run between two barriers.
enum class WarpOrder { InOrder, Reversed, Random };

struct SimulatorOptions {
  /// Lanes in a warp, at most 64.
  unsigned warpSize = 32;
  /// Shared memory's banks, and the bytes that each serves at a time.
  unsigned banks = 32;
  unsigned bankBytes = 4;
  /// Which lanes that read 16 bytes each are served together, as a chip's
  /// `wideReadLanes` say.
  llvm::ArrayRef<unsigned> wideReadLanes = {};
  WarpOrder order = WarpOrder::InOrder;
  /// For `WarpOrder::Random`.
  uint64_t seed = 0;
  /// A `vector.load` or `vector.store` must be aligned to its size even where
  /// the op does not promise it.
  bool requireAlignedVectors = false;
};

/// What ended a launch.
enum class Violation {
  None,
  OutOfBounds,
  Unaligned,
  UnwrittenRead,
  Race,
  DivergentBarrier,
  /// The matrix unit reads what was written without a fence between.
  MissingFence,
  /// The four warps of a group do not execute the same instruction.
  DivergentGroup,
  /// An op in a form that cannot be simulated, such as a divergent loop bound.
  Unsupported,
};

/// Traffic of one allocation in device memory.
struct BufferTraffic {
  const Buffer *buffer = nullptr;
  std::string name;
  int64_t bytesRead = 0;
  int64_t bytesWritten = 0;
  /// The most often that one block reads one element.
  int64_t maxReadsPerByte = 0;
};

/// Bytes through shared memory, summed over the lanes of all warps.
struct SharedTraffic {
  int64_t written = 0;
  int64_t read = 0;
  /// What the matrix unit reads itself, once for the four warps of a group; not
  /// part of `read`.
  int64_t matrixRead = 0;
};

struct SimulatorReport {
  Violation violation = Violation::None;

  /// One for each allocation among the arguments, in the arguments' order.
  llvm::SmallVector<BufferTraffic> buffers;

  /// Of all blocks, and of block 0 between barriers: element i is what happens
  /// before the i-th barrier, the last one what happens after all of them.
  SharedTraffic shared;
  llvm::SmallVector<SharedTraffic> intervals;

  /// Accesses to shared memory, one per warp and access of at most 16 bytes a
  /// lane; the wavefronts (passes over the banks) that they take, and that they
  /// would take without conflicts; the largest number of words that one bank
  /// has to deliver in what should be one wavefront.
  int64_t sharedAccesses = 0;
  int64_t wavefronts = 0;
  int64_t idealWavefronts = 0;
  int64_t maxBankConflict = 0;

  /// Matrix instructions of all warps by shape, operand and accumulator type:
  /// "m16n8k16 f16 f32"; those of four warps in unison are one, "m64n64k16 f16
  /// f32".
  std::map<std::string, int64_t> matrixInstructions;
  /// Barriers that a block passes, summed over the blocks.
  int64_t barriers = 0;

  int64_t globalBytesRead() const;
  int64_t globalBytesWritten() const;
  int64_t totalMatrixInstructions() const;
};

/// Runs `kernel` for every block of the grid. `arguments` match the kernel's;
/// memrefs are written in place. The report is of this launch only, and is
/// filled as far as it got when the launch fails.
mlir::LogicalResult simulateLaunch(mlir::gpu::GPUFuncOp kernel, Dim3 grid,
                                   Dim3 block, int64_t dynamicSharedBytes,
                                   llvm::ArrayRef<Argument> arguments,
                                   const SimulatorOptions &options,
                                   SimulatorReport &report);

} // namespace kami::sim

#endif // KAMI_SIMULATOR_SIMULATOR_H
