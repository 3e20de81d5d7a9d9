//===- Skew.h - Rows that had better be copied as words ---------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_PLAN_SKEW_H
#define KAMI_PLAN_SKEW_H

#include "kami/Plan/Problem.h"

namespace kami {

/// Whether copies of rows that are so many elements apart, or a distance that
/// is known only at run time, had better be skewed: pieces that such rows are
/// sure to consist of are narrow, and many, or pass through registers. Of 1000
/// products in odd rows, f16 of 101 takes 36 µs instead of 73, of 255 187
/// instead of 542, tf32 of 101 61 instead of 69, of 150 114 instead of 152.
/// Rows of f16 that are whole pieces of 8 bytes, f64, and f32 that lanes
/// multiply take up to 1.4 times as long as without (H200, 2026-11-23).
bool wantsSkew(ElementKind kind, std::optional<int64_t> rowStride);

/// Says how rows begin of a problem whose matrices have no gaps, and begin at
/// multiples of 16 bytes.
void describeRowsWithoutGaps(Problem &problem);

} // namespace kami

#endif // KAMI_PLAN_SKEW_H
