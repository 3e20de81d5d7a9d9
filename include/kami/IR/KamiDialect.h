//===- KamiDialect.h - The dialect ---------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_IR_KAMIDIALECT_H
#define KAMI_IR_KAMIDIALECT_H

#include "mlir/IR/Dialect.h"

#include "kami/IR/KamiDialect.h.inc"

#endif // KAMI_IR_KAMIDIALECT_H
