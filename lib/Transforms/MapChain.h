//===- MapChain.h - A kernel for a chain of products ----------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_TRANSFORMS_MAPCHAIN_H
#define KAMI_LIB_TRANSFORMS_MAPCHAIN_H

#include "kami/IR/KamiOps.h"
#include "mlir/IR/SymbolTable.h"

namespace kami {

/// Turns a planned chain on memrefs into a launch of a kernel whose blocks make
/// tiles of D. Emits an error where it is not planned, or on tensors.
mlir::LogicalResult mapChain(ChainOp op, mlir::SymbolTable &symbols);

} // namespace kami

#endif // KAMI_LIB_TRANSFORMS_MAPCHAIN_H
