//===- Shares.h - What a warp holds of a matrix ---------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_TRANSFORMS_SHARES_H
#define KAMI_LIB_TRANSFORMS_SHARES_H

#include "kami/Bridge/Bridge.h"
#include "kami/IR/KamiOps.h"
#include "kami/Model/SharedLayout.h"
#include "kami/Plan/Chain.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kami {

/// Warps that an operand is sent to, its owner included.
int64_t receiversOf(const Partition &partition, Role role);

/// The first of the stages that a warp's `index`-th held slice may belong to.
int64_t firstStage(const Partition &partition, int64_t receivers,
                   int64_t index);

/// The matrix's extent, a constant where it is known.
mlir::Value extentOf(mlir::ImplicitLocOpBuilder &b, mlir::Value matrix,
                     unsigned dim);

/// Whether a matrix of these strides has lines of adjacent elements along that
/// dimension, at multiples of 16 bytes from each other, as the copy engine maps
/// them. What is known at run time, a caller is promised.
bool hasWholeLines(llvm::ArrayRef<int64_t> strides, unsigned along,
                   int64_t elementBytes);

/// Bytes of workgroup memory.
mlir::MemRefType bufferType(mlir::MLIRContext *context, int64_t bytes);

/// A matrix of that shape, row by row, from that byte of the memory on.
mlir::Value viewAt(mlir::ImplicitLocOpBuilder &b, mlir::Value memory,
                   mlir::Value start, llvm::ArrayRef<int64_t> shape,
                   mlir::Type element);

/// The same, from that byte of the block's dynamic workgroup memory on.
mlir::Value viewInShared(mlir::ImplicitLocOpBuilder &b, int64_t start,
                         llvm::ArrayRef<int64_t> shape, mlir::Type element);

/// A slice of A or B, or a warp's part of C.
FragmentType shareType(const Partition &partition, MmaAtomAttr atom, Role role,
                       const Interleave &interleave);

/// All of a warp's rows of A, which warps in unison do not slice.
FragmentType rowsType(const Partition &partition, MmaAtomAttr atom);

/// The attribute of a matrix that the matrix unit reads.
SharedMatrixAttr matrixType(const SharedMatrix &matrix, mlir::Type element,
                            Role role);

/// How A or B lies in shared memory where the matrix unit reads it.
SharedMatrixAttr residentType(const Partition &partition, MmaAtomAttr atom,
                              Role role);

/// Bytes that the parked slices of all warps take.
int64_t parkedBytes(const Partition &partition, const Exchange &exchange,
                    FragmentType slice, int64_t parked);

/// What a warp's share of a distributed matrix is made of.
struct Holdings {
  Holdings(const Partition &partition, const Slicing &slicing,
           const Exchange &exchange, Role role);

  /// Held slices that are in registers, by index. Slices beyond the tile, which
  /// nobody multiplies, are left out.
  llvm::SmallVector<int64_t> inRegisters;
  /// How many of the last slices lie in shared memory.
  int64_t parked = 0;
};

/// How a distributed operand waits in shared memory to be distributed.
RelayShape relayShape(DistributedType type);

/// The types that a distributed matrix becomes: a fragment for each slice in
/// registers, then a buffer for those in shared memory, if there are any; for C
/// one fragment.
llvm::SmallVector<mlir::Type> shareTypes(DistributedType type,
                                         const Plan &plan);

} // namespace kami

#endif // KAMI_LIB_TRANSFORMS_SHARES_H
