//===- EmptyProduct.cpp - Products without elements or terms ---------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmptyProduct.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace kami;
using namespace mlir;

bool kami::isEmpty(GemmOp op) {
  return llvm::is_contained(op.getCType().getShape(), 0);
}

void kami::hideEmptyExtents(GemmOp op) {
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type || !llvm::is_contained(type.getShape(), 0))
      continue;
    SmallVector<int64_t> shape(type.getShape());
    llvm::replace(shape, int64_t(0), ShapedType::kDynamic);
    MemRefType hidden = MemRefType::Builder(type).setShape(shape);
    operand.set(
        memref::CastOp::create(builder, op.getLoc(), hidden, operand.get()));
  }
}
