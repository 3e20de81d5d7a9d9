//===- Views.h - Matrices seen otherwise ------------------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_IR_VIEWS_H
#define KAMI_IR_VIEWS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"

namespace kami {

/// Of so many dimensions, two or more, the permutation that exchanges the last
/// two.
mlir::AffineMap exchangeOfLast(unsigned rank, mlir::MLIRContext *context);

/// A memref of matrices as one of their transposes: rows and columns are its
/// last two dimensions. A transpose is a matter of strides.
mlir::Value transposedView(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value matrices);

} // namespace kami

#endif // KAMI_IR_VIEWS_H
