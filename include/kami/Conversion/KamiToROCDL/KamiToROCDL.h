//===- KamiToROCDL.h - Kernels for AMD's chips to ROCDL -----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_CONVERSION_KAMITOROCDL_KAMITOROCDL_H
#define KAMI_CONVERSION_KAMITOROCDL_KAMITOROCDL_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace kami {

#define GEN_PASS_DECL_CONVERTKAMITOROCDL
#define GEN_PASS_DECL_KAMICONVERTGPUTOROCDL
#include "kami/Conversion/Passes.h.inc"

} // namespace kami

#endif // KAMI_CONVERSION_KAMITOROCDL_KAMITOROCDL_H
