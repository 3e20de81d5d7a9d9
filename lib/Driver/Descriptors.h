//===- Descriptors.h - What grouped products are told ----------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_DESCRIPTORS_H
#define KAMI_LIB_DRIVER_DESCRIPTORS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kami {

/// Whether the grouped products of a function keep what they promise: matrices
/// within their memrefs, no element of C twice. As far as sizes, positions and
/// leading dimensions are arguments with `kami.contents`; others are left to
/// the run. Emits an error that names the product.
mlir::LogicalResult verifyDescriptors(mlir::func::FuncOp function);

} // namespace kami

#endif // KAMI_LIB_DRIVER_DESCRIPTORS_H
