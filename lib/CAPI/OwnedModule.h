//===- OwnedModule.h - A module in a context of its own ------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CAPI_OWNEDMODULE_H
#define KAMI_LIB_CAPI_OWNEDMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace kami {

/// A module in a context of its own. Nothing in it may be used by two threads
/// at once, since handlers of diagnostics are the context's.
struct OwnedModule {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// A context for whatever kami compiles: the one that this thread has given
/// back last, or a new one.
std::unique_ptr<mlir::MLIRContext> takeContext();

/// Destroys the module, and keeps its context, whose dialects stay loaded, for
/// what this thread compiles next: new contexts were 4 of the 16 ms that a
/// kernel of f64 16³ takes.
void giveBack(OwnedModule &&used);

} // namespace kami

#endif // KAMI_LIB_CAPI_OWNEDMODULE_H
