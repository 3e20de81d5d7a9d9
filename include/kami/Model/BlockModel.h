//===- BlockModel.h - Cycles of a product inside a block ----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one product costs a multiprocessor that holds as many blocks as fit,
// each of which multiplies operands that are distributed over it already, again
// and again. Device memory plays no part. The units are busy for the sum of
// what the blocks ask of them; a block alone is as slow as its own chain of
// broadcasts, barriers and dependent instructions, which others fill.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_MODEL_BLOCKMODEL_H
#define KAMI_MODEL_BLOCKMODEL_H

#include "kami/Model/CalibratedModel.h"

namespace kami {

/// Cycles of one multiprocessor for one product.
struct BlockCost {
  double residentBlocks = 0;
  /// Its tensor cores' work, padding included, at the rate reached.
  double tensorCores = 0;
  /// Bytes through shared memory at its bandwidth.
  double sharedBandwidth = 0;
  /// One block's own chain: instructions that wait for each other's sums or for
  /// a tensor core, the latency of shared memory, and barriers.
  double computation = 0;
  double sharedLatency = 0;
  double barriers = 0;
  double total = 0;

  double communication() const {
    return sharedBandwidth + sharedLatency + barriers;
  }
  double chain() const { return computation + sharedLatency + barriers; }
};

BlockCost blockCost(const Atom &atom, const Partition &partition,
                    const Slicing &slicing, const Exchange &exchange,
                    const Resources &resources, const Chip &chip,
                    const Calibration &calibration);

} // namespace kami

#endif // KAMI_MODEL_BLOCKMODEL_H
