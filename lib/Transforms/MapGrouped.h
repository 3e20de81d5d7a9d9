//===- MapGrouped.h - A kernel for products of many sizes ------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_TRANSFORMS_MAPGROUPED_H
#define KAMI_LIB_TRANSFORMS_MAPGROUPED_H

#include "kami/IR/KamiOps.h"
#include "mlir/IR/SymbolTable.h"

namespace kami {

/// Replaces a planned op by the launch of a kernel whose blocks find the tiles
/// that are theirs, one after the other.
mlir::LogicalResult mapGrouped(GroupedGemmOp op, mlir::SymbolTable &symbols);

} // namespace kami

#endif // KAMI_LIB_TRANSFORMS_MAPGROUPED_H
