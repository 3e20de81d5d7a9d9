//===- KamiOps.h - Operations of the dialect -----------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_IR_KAMIOPS_H
#define KAMI_IR_KAMIOPS_H

#include "kami/IR/KamiTypes.h"
#include "kami/Layout/CopiedTile.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

#define GET_OP_CLASSES
#include "kami/IR/KamiOps.h.inc"

namespace kami {

/// Whether elements of a matrix in memory can be loaded as `type`: as they are,
/// or extended to a float that has all their numbers.
bool isLoadable(mlir::Type element, mlir::Type type);

/// Whether sums in `accumulator` can be stored as elements of that type: as
/// they are, or rounded to a narrower float.
bool isStorable(mlir::Type accumulator, mlir::Type element);

} // namespace kami

#endif // KAMI_IR_KAMIOPS_H
