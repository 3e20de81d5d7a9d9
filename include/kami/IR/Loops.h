//===- Loops.h - What compilers are told of a loop ------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_IR_LOOPS_H
#define KAMI_IR_LOOPS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kami {

/// Asks LLVM, and through it what assembles its output, not to unroll a loop.
/// Needs the LLVM dialect to be loaded.
void keepRolled(mlir::scf::ForOp loop);

} // namespace kami

#endif // KAMI_IR_LOOPS_H
