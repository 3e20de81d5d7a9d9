//===- BlockKernel.h - A product inside a block, over and over -----------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel that block-level products are timed by: every block distributes
// operands of its own, multiplies them again and again, each time with all the
// communication of the plan, and stores the sum.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_BLOCKKERNEL_H
#define KAMI_DRIVER_BLOCKKERNEL_H

#include "kami/Plan/Plan.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace kami {

/// How the kernel finds a block's matrices.
struct BlockOperands {
  /// Different A and B: block i takes the (i mod sets)-th.
  int64_t sets = 1;
  /// Blocks of a launch, each with a C of its own.
  int64_t blocks = 1;
  /// Types of A's and B's elements in memory, where they are not the atom's.
  std::optional<ElementKind> typeA = std::nullopt;
  std::optional<ElementKind> typeB = std::nullopt;
};

/// A module with one kernel, `block_gemm`, of A (sets × m × k), B (sets × k ×
/// n), C (blocks × m × n, of the accumulator's type), each at a multiple of 256
/// bytes, the number of repeats R, and -1: C = R·A·B. The extents are the
/// plan's tile. No function launches it. The last argument keeps compilers from
/// taking reads of operands that stay in shared memory out of the loop.
mlir::OwningOpRef<mlir::ModuleOp>
buildBlockModule(mlir::MLIRContext *context, const Plan &plan,
                 const BlockOperands &operands);

/// The same with a function `main` of A, B and C that launches it to repeat
/// `repeats` times, and the `kami.reference` that says what this computes.
/// There have to be as many sets as blocks, or one.
mlir::OwningOpRef<mlir::ModuleOp>
buildBlockProgram(mlir::MLIRContext *context, const Plan &plan,
                  const BlockOperands &operands, int64_t repeats);

} // namespace kami

#endif // KAMI_DRIVER_BLOCKKERNEL_H
