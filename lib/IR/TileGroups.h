//===- TileGroups.h - What groups of interleaved tiles must be --*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_IR_TILEGROUPS_H
#define KAMI_LIB_IR_TILEGROUPS_H

#include "kami/IR/KamiAttrs.h"
#include "mlir/IR/Diagnostics.h"

namespace kami {

/// Each of `groups` is 0 or divides the `tiles` along its dimension; and where
/// tiles are interleaved `alongK`, the atom's A and B agree on what a lane has.
mlir::LogicalResult
verifyTileGroups(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                 MmaAtomAttr atom, llvm::ArrayRef<int64_t> groups,
                 llvm::ArrayRef<int64_t> tiles, bool alongK);

} // namespace kami

#endif // KAMI_LIB_IR_TILEGROUPS_H
