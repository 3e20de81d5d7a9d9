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
// and again. Device memory plays no part.
//
// Reads of parked slices mix with the instructions that need them, so that
// tensor cores and shared memory hide each other's work but for a part. What is
// exchanged between barriers does not mix with the same block's instructions,
// and less than one might hope with those of others: resident blocks run the
// same program at the same speed, and whoever is ahead is alone on its unit and
// catches up with the rest, so that they fall into step. How much stays visible
// is the atom's calibration. docs/Rationale.md has the measurements.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_MODEL_BLOCKMODEL_H
#define KAMI_MODEL_BLOCKMODEL_H

#include "kami/Model/CalibratedModel.h"

namespace kami {

/// Cycles of one multiprocessor for one product.
struct BlockCost {
  double residentBlocks = 0;
  /// Its tensor cores' work, padding included, at the rate reached; longer
  /// where resident blocks have too few warps to keep all of them busy.
  double tensorCores = 0;
  /// Shared memory's: reads of parked slices and by matrix units, and what is
  /// exchanged between barriers.
  double reads = 0;
  double exchange = 0;
  /// One block's own instructions, one after the other.
  double computation = 0;
  /// Barriers of one block; resident blocks wait at the same time.
  double barriers = 0;
  double total = 0;
};

BlockCost blockCost(const Atom &atom, const Partition &partition,
                    const Slicing &slicing, const Exchange &exchange,
                    const Resources &resources, const Chip &chip,
                    const Calibration &calibration);

} // namespace kami

#endif // KAMI_MODEL_BLOCKMODEL_H
