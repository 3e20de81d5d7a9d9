//===- IndexMath.h - Arithmetic on indices in few words ---------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_TRANSFORMS_INDEXMATH_H
#define KAMI_LIB_TRANSFORMS_INDEXMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kami {

/// Arithmetic on indices and on words of 32 bits, both without a sign, of which
/// most of what a kernel does around its products is.
class IndexMath {
protected:
  explicit IndexMath(mlir::ImplicitLocOpBuilder &b) : b(b) {}

  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(b, value).getResult();
  }
  mlir::Value word(int64_t value) {
    return mlir::arith::ConstantIntOp::create(b, b.getI32Type(), value)
        .getResult();
  }
  mlir::Value narrowed(mlir::Value index) {
    return mlir::arith::IndexCastUIOp::create(b, b.getI32Type(), index);
  }
  mlir::Value widened(mlir::Value integer) {
    return mlir::arith::IndexCastUIOp::create(b, b.getIndexType(), integer);
  }
  mlir::Value add(mlir::Value left, mlir::Value right) {
    return mlir::arith::AddIOp::create(b, left, right);
  }
  mlir::Value subtract(mlir::Value left, mlir::Value right) {
    return mlir::arith::SubIOp::create(b, left, right);
  }
  mlir::Value multiply(mlir::Value left, mlir::Value right) {
    return mlir::arith::MulIOp::create(b, left, right);
  }
  mlir::Value isBefore(mlir::Value one, mlir::Value other) {
    return mlir::arith::CmpIOp::create(b, mlir::arith::CmpIPredicate::ult, one,
                                       other);
  }

  mlir::ImplicitLocOpBuilder &b;
};

} // namespace kami

#endif // KAMI_LIB_TRANSFORMS_INDEXMATH_H
