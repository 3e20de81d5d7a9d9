//===- Views.cpp - Matrices seen otherwise --------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/IR/Views.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

AffineMap kami::exchangeOfLast(unsigned rank, MLIRContext *context) {
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq(rank));
  std::swap(order[rank - 2], order[rank - 1]);
  return AffineMap::getPermutationMap(order, context);
}

Value kami::transposedView(OpBuilder &builder, Location loc, Value matrices) {
  unsigned rank = cast<MemRefType>(matrices.getType()).getRank();
  AffineMap order = exchangeOfLast(rank, builder.getContext());
  return memref::TransposeOp::create(builder, loc, matrices,
                                     AffineMapAttr::get(order));
}
