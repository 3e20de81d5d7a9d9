//===- BlockMemory.h - A kernel's shared memory ---------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The products of a kernel take turns in one part of its dynamic shared memory,
// the scratch part; behind it lies what distributed matrices keep there for as
// long as they live. Where one op would write what another's readers may not
// have read yet, a barrier comes first.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_TRANSFORMS_BLOCKMEMORY_H
#define KAMI_LIB_TRANSFORMS_BLOCKMEMORY_H

#include "kami/IR/KamiOps.h"
#include "kami/Layout/Partition.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace kami {

class BlockMemory {
public:
  /// Looks at every product and distribution of the kernel. Emits an error at
  /// the first whose plan is not known.
  static mlir::FailureOr<BlockMemory> of(mlir::gpu::GPUFuncOp kernel);

  /// Where the distributed matrix that the op makes keeps its parked slices, in
  /// bytes.
  int64_t homeOf(mlir::Operation *op) const { return homes.lookup(op); }
  /// Whether a barrier has to stand before the op.
  bool needsBarrier(mlir::Operation *op) const { return guarded.contains(op); }
  /// All dynamic shared memory of a block.
  int64_t bytes() const { return total; }

private:
  struct Use {
    mlir::Operation *op;
    /// Writes to scratch memory before its first barrier.
    bool writes;
    /// Ends while others may still read scratch memory that an op of the same
    /// layout writes first, or any of it.
    bool leavesReads;
    bool leavesAnyReads;
    /// What decides how it uses scratch memory; null for what nothing else is
    /// like.
    PlanAttr plan = {};
    Exchange exchange = {};

    bool isLike(const Use &other) const {
      return plan && plan == other.plan && exchange.a == other.exchange.a &&
             exchange.b == other.exchange.b;
    }
  };

  mlir::LogicalResult addProduct(GemmOp op);
  mlir::LogicalResult addRedistribution(RedistributeOp op);
  mlir::LogicalResult addHome(mlir::Operation *op,
                              mlir::TypedValue<DistributedType> matrix);
  void findHazards();

  llvm::SmallVector<Use> uses;
  llvm::DenseMap<mlir::Operation *, int64_t> homes;
  llvm::DenseSet<mlir::Operation *> guarded;
  int64_t scratch = 0;
  int64_t alignment = 16;
  int64_t kept = 0;
  int64_t total = 0;
};

} // namespace kami

#endif // KAMI_LIB_TRANSFORMS_BLOCKMEMORY_H
