//===- Skew.cpp -----------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Plan/Skew.h"
#include "kami/Layout/CopiedTile.h"

using namespace kami;

bool kami::wantsSkew(ElementKind kind, std::optional<int64_t> rowStride) {
  bool isNarrow = byteWidth(kind) <= 2;
  if (!rowStride)
    return isNarrow;
  int64_t bytes = *rowStride * byteWidth(kind);
  return (isNarrow && bytes % 8 != 0) ||
         (kind == ElementKind::TF32 && bytes % 16 != 0);
}

void kami::describeRowsWithoutGaps(Problem &problem) {
  const Extents &extents = problem.extents;
  int64_t parts = problem.isComplex ? 2 : 1;
  int64_t a = parts * (problem.majorA == Major::MN ? extents.m : extents.k);
  int64_t b = parts * (problem.majorB == Major::K ? extents.k : extents.n);
  problem.isSkewed =
      wantsSkew(problem.operand, a) || wantsSkew(problem.operandB(), b);
  problem.isAligned = areWholePieces(a, byteWidth(problem.operand)) &&
                      areWholePieces(b, byteWidth(problem.operandB()));
}
