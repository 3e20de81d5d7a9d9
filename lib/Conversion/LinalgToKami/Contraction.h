//===- Contraction.h - linalg ops that are matrix products ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a linalg op as a batched product, and says how its operands have to be
// arranged to be operands of kami.gemm. Changes nothing.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CONVERSION_LINALGTOKAMI_CONTRACTION_H
#define KAMI_LIB_CONVERSION_LINALGTOKAMI_CONTRACTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace kami {

/// How an operand becomes one of kami.gemm: its dimensions are permuted, then
/// dimensions of extent 1 are inserted.
struct Arrangement {
  /// `permutation[i]` is the operand's dimension that becomes the i-th.
  llvm::SmallVector<int64_t> permutation;
  /// For each dimension of the arranged operand: is it an inserted one?
  llvm::SmallVector<bool> inserted;

  bool permutes() const;
  bool expands() const;
};

/// `value`, arranged, is the operand of kami.gemm, with that transpose flag.
struct ArrangedOperand {
  mlir::Value value;
  Arrangement arrangement;
  bool transposed = false;
};

struct Contraction {
  ArrangedOperand a, b, c;
  /// kami.gemm's accumulator type.
  mlir::Type accumulator;
  /// Whether A's and B's integers are without a sign.
  bool unsignedA = false, unsignedB = false;
  /// Whether A's and B's conjugates are multiplied.
  bool conjugateA = false, conjugateB = false;
};

/// The op as C += A·B, or failure if it is anything else, or something that
/// kami.gemm cannot say exactly.
mlir::FailureOr<Contraction> matchContraction(mlir::linalg::LinalgOp op);

} // namespace kami

#endif // KAMI_LIB_CONVERSION_LINALGTOKAMI_CONTRACTION_H
