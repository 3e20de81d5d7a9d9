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

/// "gemm_64x32xd_f16": a `d` for each extent known only at run time.
std::string kernelName(llvm::StringRef kind, llvm::ArrayRef<int64_t> extents,
                       mlir::Type element);

} // namespace kami

#endif // KAMI_LIB_TRANSFORMS_MAPCHAIN_H
