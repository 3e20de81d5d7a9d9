//===- Kami.td - Everything the dialect defines -----------*- tablegen -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_IR_KAMI_TD
#define KAMI_IR_KAMI_TD

include "kami/IR/KamiDialect.td"
include "kami/IR/KamiAttrs.td"
include "kami/IR/KamiTypes.td"
include "kami/IR/KamiProblemOps.td"
include "kami/IR/KamiChainOp.td"
include "kami/IR/KamiGroupedOps.td"
include "kami/IR/KamiWarpOps.td"
include "kami/IR/KamiBlockOps.td"
include "kami/IR/KamiCopyOps.td"
include "kami/IR/KamiBulkOps.td"
include "kami/IR/KamiComplexOps.td"
include "kami/IR/KamiTargetOps.td"
include "kami/IR/KamiGroupOps.td"
include "kami/IR/KamiGroupTargetOps.td"

#endif // KAMI_IR_KAMI_TD
