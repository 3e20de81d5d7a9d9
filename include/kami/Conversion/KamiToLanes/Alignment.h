//===- Alignment.h - Which powers of two divide an address ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What IR says of the alignment of matrices, so that several elements may be
// accessed at once.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_CONVERSION_KAMITOLANES_ALIGNMENT_H
#define KAMI_CONVERSION_KAMITOLANES_ALIGNMENT_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseMap.h"
#include <array>

namespace kami::lanes {

/// Powers of two that divide what a `kami.load` or `kami.store` is given: the
/// address of its matrix, in bytes, the row and column it begins at, and the
/// matrix's extents. The largest known, up to 2^16.
struct WindowAlignment {
  int64_t matrix = 1;
  std::array<int64_t, 2> corner = {1, 1};
  std::array<int64_t, 2> extents = {1, 1};
};

/// The same of what an op that copies, or rounds what was copied, has in device
/// memory and in shared memory.
struct CopyAlignment {
  int64_t matrix = 1;
  int64_t tile = 1;
};

/// The largest power of two, up to 2^16, that an index is known to be a
/// multiple of. To be asked before a conversion, which takes loops apart.
int64_t divisorOf(mlir::OpFoldResult index);

/// The largest value of an index that is known not to be negative, as far as
/// constants, warps' coordinates and ops that infer ranges tell.
std::optional<int64_t> largestOf(mlir::Value index);

/// What is known of all of a kernel's accesses. Without any promise, a matrix
/// is aligned as its elements are; promises are `memref.assume_alignment`, a
/// kernel argument's or workgroup memory's `llvm.align`, dynamic shared memory,
/// and offsets of views.
/// To be computed before a conversion, which takes loops apart.
class AlignmentAnalysis {
public:
  explicit AlignmentAnalysis(mlir::Operation *root);
  /// Of ops that were not there, nothing is known.
  WindowAlignment of(mlir::Operation *access) const {
    return known.lookup(access);
  }
  CopyAlignment ofCopy(mlir::Operation *copy) const {
    return copies.lookup(copy);
  }

private:
  llvm::DenseMap<mlir::Operation *, WindowAlignment> known;
  llvm::DenseMap<mlir::Operation *, CopyAlignment> copies;
};

/// The address of a memref's first element, in bytes.
mlir::Value addressOf(mlir::ImplicitLocOpBuilder &b, mlir::Value memref);

} // namespace kami::lanes

#endif // KAMI_CONVERSION_KAMITOLANES_ALIGNMENT_H
