//===- Reference.h - What a program should compute ------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates problems as their author wrote them (`linalg` and `kami.gemm` on
// tensors or memrefs) in a wider type: every float is a `long double`, and no
// intermediate result is rounded to the type that the program names. Results
// are therefore a reference for anything that the program is compiled to.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_SIMULATOR_REFERENCE_H
#define KAMI_SIMULATOR_REFERENCE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace kami::sim {

/// An array in row-major order, or, without sizes, a scalar. Integers are
/// exact. A complex number is two values, its real and its imaginary part.
struct ReferenceArray {
  llvm::SmallVector<int64_t, 4> sizes;
  std::vector<long double> values;

  static ReferenceArray scalar(long double value) { return {{}, {value}}; }
};

/// Evaluates `function` on `inputs`, one for each argument. `outputs` becomes
/// its results, followed by the final contents of its memref arguments.
///
/// With `magnitudes`, inputs and float constants are replaced by their absolute
/// values and subtraction by addition: a product A·B becomes |A|·|B|, the scale
/// on which its rounding errors are measured.
///
/// An op without a meaning here is an error at the op.
mlir::LogicalResult
evaluateReference(mlir::func::FuncOp function,
                  llvm::ArrayRef<ReferenceArray> inputs, bool magnitudes,
                  llvm::SmallVectorImpl<ReferenceArray> &outputs);

/// Evaluates `function` like `evaluateReference`, but what becomes of its
/// outputs are bounds of their errors, when every operation is computed in the
/// type that the program names and rounded: a running error analysis.
///
/// A sum of products may be off by `sumUnit` times the sum of their magnitudes,
/// and by what the errors of its operands make of it. An operation of `arith`
/// may be off by half a unit in the last place of its type, a transcendental
/// one by 3 units, and by what it makes of its operands' errors: exactly for
/// the rational ones, by the values at both ends of the interval for the
/// others, which are monotone. A comparison that errors might turn gives a
/// `select` the difference of its operands as an error.
mlir::LogicalResult
evaluateErrors(mlir::func::FuncOp function,
               llvm::ArrayRef<ReferenceArray> inputs, double sumUnit,
               llvm::SmallVectorImpl<ReferenceArray> &bounds);

} // namespace kami::sim

#endif // KAMI_SIMULATOR_REFERENCE_H
