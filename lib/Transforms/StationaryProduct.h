//===- StationaryProduct.h - An operand that stays in registers -*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_TRANSFORMS_STATIONARYPRODUCT_H
#define KAMI_LIB_TRANSFORMS_STATIONARYPRODUCT_H

#include "kami/IR/KamiOps.h"
#include "kami/Plan/Plan.h"

namespace kami {

/// Whether the copy engine brings the product's operands so that the plan's
/// stationary one can stay in registers: lines that begin at multiples of 16
/// bytes, of all terms at once, those of the other operand along them, and
/// nothing that is made of elements on the way.
bool mayBeStationary(GemmOp op, const Plan &plan);

} // namespace kami

#endif // KAMI_LIB_TRANSFORMS_STATIONARYPRODUCT_H
