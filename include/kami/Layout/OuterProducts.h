//===- OuterProducts.h - How deep the lanes' own products reach ----------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products by multiply-adds of the lanes read A and B from shared memory a few
// columns of A and rows of B at a time. How many decides on the registers that
// they take beside the sums: what plans count, and what is emitted.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LAYOUT_OUTERPRODUCTS_H
#define KAMI_LAYOUT_OUTERPRODUCTS_H

#include <cstdint>

namespace kami {

/// Outer products that are summed at once, of which each takes
/// `registersPerStep` 32-bit registers of A and B together: the reads of one
/// hide behind the sums of another.
constexpr int64_t outerProductsAtOnce(int64_t registersPerStep) {
  constexpr int64_t most = 4, registers = 64;
  int64_t steps = registers / (registersPerStep > 0 ? registersPerStep : 1);
  return steps < 1 ? 1 : steps > most ? most : steps;
}

} // namespace kami

#endif // KAMI_LAYOUT_OUTERPRODUCTS_H
