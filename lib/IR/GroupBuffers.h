//===- GroupBuffers.h - Matrices for the matrix unit in buffers ----------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_IR_GROUPBUFFERS_H
#define KAMI_LIB_IR_GROUPBUFFERS_H

#include "kami/IR/KamiOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace kami {

/// The matrix has that role and type, and is not smaller than the window.
mlir::LogicalResult verifyWindow(mlir::Operation *op, SharedMatrixAttr matrix,
                                 Role role, mlir::Type elementType,
                                 int64_t rows, int64_t columns);

/// The matrix unit reads elements in such an order: those of 32 bits only
/// adjacent along k.
mlir::LogicalResult verifyUnitOrder(mlir::Operation *op,
                                    SharedMatrixAttr matrix);

/// The buffer lies in workgroup memory and has room for the matrix.
mlir::LogicalResult verifyMatrixBuffer(mlir::Operation *op, mlir::Value buffer,
                                       SharedMatrixAttr matrix);

} // namespace kami

#endif // KAMI_LIB_IR_GROUPBUFFERS_H
