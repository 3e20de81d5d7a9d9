//===- Assembly.h - What no op says ---------------------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions of PTX as text, and the variables of a module that they work on.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CONVERSION_KAMITONVVM_ASSEMBLY_H
#define KAMI_LIB_CONVERSION_KAMITONVVM_ASSEMBLY_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kami {

/// Emits instructions with effects that nobody knows, and returns what they
/// leave; null if `result` is.
mlir::Value assemble(mlir::ImplicitLocOpBuilder &b, mlir::Type result,
                     mlir::ValueRange operands, llvm::StringRef text,
                     llvm::StringRef constraints);

/// Makes a variable of the kernel's module in device memory, all zeros, whose
/// name is the kernel's and what comes behind. Returns its address, 64 bits.
mlir::Value makeVariable(mlir::ImplicitLocOpBuilder &b,
                         mlir::gpu::GPUFuncOp kernel, llvm::StringRef suffix,
                         mlir::Type element, int64_t count, int64_t alignment);

} // namespace kami

#endif // KAMI_LIB_CONVERSION_KAMITONVVM_ASSEMBLY_H
