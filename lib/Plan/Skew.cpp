//===- Skew.cpp -----------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Plan/Skew.h"

using namespace kami;

bool kami::wantsSkew(ElementKind kind, std::optional<int64_t> rowStride) {
  bool isNarrow = byteWidth(kind) <= 2;
  if (!rowStride)
    return isNarrow;
  int64_t bytes = *rowStride * byteWidth(kind);
  return (isNarrow && bytes % 8 != 0) ||
         (kind == ElementKind::TF32 && bytes % 16 != 0);
}

bool kami::wantsSkewWithoutGaps(const Problem &problem) {
  const Extents &extents = problem.extents;
  return wantsSkew(problem.operand,
                   problem.majorA == Major::MN ? extents.m : extents.k) ||
         wantsSkew(problem.operandB(),
                   problem.majorB == Major::K ? extents.k : extents.n);
}
