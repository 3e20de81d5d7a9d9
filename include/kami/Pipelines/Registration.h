//===- Registration.h - The dialect and its passes in a compiler ---------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_PIPELINES_REGISTRATION_H
#define KAMI_PIPELINES_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace kami {

/// The dialect, and how it bufferizes.
void registerAllKami(mlir::DialectRegistry &registry);

/// Every pass of the project, and the pipelines `kami-to-warps` and
/// `kami-to-nvvm`.
void registerAllKamiPasses();

/// The upstream dialects that the pipelines create, and what translates their
/// kernels to a binary, for a program that runs the pipelines.
void registerKamiDependencies(mlir::DialectRegistry &registry);

} // namespace kami

#endif // KAMI_PIPELINES_REGISTRATION_H
