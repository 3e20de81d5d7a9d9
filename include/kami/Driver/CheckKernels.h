//===- CheckKernels.h - Products computed in another way -------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that fill matrices and check every element of products where they
// lie. They know neither plans nor layouts of kami: naive loops in f64, one sum
// of products per thread, that upstream's passes alone make PTX of. The
// simulator runs the same loops.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_CHECKKERNELS_H
#define KAMI_DRIVER_CHECKKERNELS_H

#include "kami/Driver/Compile.h"
#include <array>

namespace kami {

/// Entries of a table of bits that memory is filled from: element i has the one
/// that a hash of i and a seed says.
constexpr int64_t fillEntries = 4096;

/// A module of two kernels and the functions that launch them, for elements of
/// so many bytes: `fill(to, table, seed, blocks, threads)`, and
/// `compare(with, table, seed, found, blocks, threads)`, which counts for each
/// thread the elements that are not what `fill` made them.
///
/// `found` has a row for each thread of the launch: how many are wrong, and the
/// first of them, or -1.
mlir::OwningOpRef<mlir::ModuleOp> buildFill(mlir::MLIRContext *context,
                                            const Chip &chip, unsigned bytes);

/// What the elements are; C's those that are stored.
struct CheckedTypes {
  ElementKind a, b, c;
  bool isComplex = false;
};

/// The columns of `products`: extents, and for A, B and C the first element and
/// how many there are from row to row and from column to column, as the product
/// sees them (A's rows are m, B's are k). Complex numbers count as one element.
enum ProductColumn {
  columnM,
  columnN,
  columnK,
  columnA,
  columnB = 6,
  columnC = 9,
  productColumns = 12
};
/// The columns of `scales`: α and β, and the error bound relative to |A||B|.
enum ScaleColumn {
  columnAlpha,
  columnBeta = 2,
  columnBound = 4,
  scaleColumns = 5
};
/// The entries of `rules`: what may be lost by rounding the exact result, as a
/// part of the power of two below it; what may be lost however small it is; how
/// large it is where it may be infinite or NaN; and -1 where A's and B's
/// imaginary parts are negated.
enum Rule {
  ruleHalfUnit,
  ruleUnderflow,
  ruleOverflow,
  ruleSignA,
  ruleSignB,
  rules
};

/// A module of a kernel `check` and the function of that name that launches it:
/// `check(a, b, c, table, decode, products, scales, rules, found, seed, blocks,
/// chunks, threads)`. It compares each element of each product's C with
/// α·A·B + β·(what C was filled with), and then fills it with that again, so
/// that `compare` finds C as it was before unless something else was written.
/// `found` is that of `compare`; the first wrong element is 2^32 times the
/// product, plus the number of the element in its C.
mlir::OwningOpRef<mlir::ModuleOp> buildCheck(mlir::MLIRContext *context,
                                             const Chip &chip,
                                             const CheckedTypes &types);

/// The values of floats of 8 bits, of A's, B's and C's types; 0 for others.
std::vector<double> decodeTable(const CheckedTypes &types);

/// PTX of the module's kernels, by upstream's passes.
llvm::Expected<std::vector<Kernel>> lowerCheck(mlir::ModuleOp module);

} // namespace kami

#endif // KAMI_DRIVER_CHECKKERNELS_H
