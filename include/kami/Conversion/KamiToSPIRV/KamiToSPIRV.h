//===- KamiToSPIRV.h - Warp-level ops to cooperative matrices -------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_CONVERSION_KAMITOSPIRV_KAMITOSPIRV_H
#define KAMI_CONVERSION_KAMITOSPIRV_KAMITOSPIRV_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Pass/Pass.h"

namespace kami {

#define GEN_PASS_DECL_CONVERTKAMITOSPIRV
#define GEN_PASS_DECL_KAMIKERNELSTOSPIRV
#define GEN_PASS_DECL_KAMIDECLARECAPABILITIES
#include "kami/Conversion/Passes.h.inc"

} // namespace kami

#endif // KAMI_CONVERSION_KAMITOSPIRV_KAMITOSPIRV_H
