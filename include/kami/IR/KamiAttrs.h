//===- KamiAttrs.h - Attributes and enums of the dialect -----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_IR_KAMIATTRS_H
#define KAMI_IR_KAMIATTRS_H

#include "kami/IR/KamiDialect.h"
#include "kami/Layout/FragmentMap.h"
#include "kami/Layout/Partition.h"
#include "kami/Layout/SharedMatrix.h"
#include "kami/Layout/TileOrder.h"
#include "mlir/IR/BuiltinAttributes.h"

#include "kami/IR/KamiEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "kami/IR/KamiAttrs.h.inc"

namespace kami {

BarrierScope toScope(BarrierScopeKind kind);
BarrierScopeKind toKind(BarrierScope scope);

} // namespace kami

#endif // KAMI_IR_KAMIATTRS_H
