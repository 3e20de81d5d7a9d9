//===- BatchFigures.h - Figures of batches and grouped products -*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_BATCHFIGURES_H
#define KAMI_DRIVER_BATCHFIGURES_H

#include "kami/Driver/Benchmark.h"
#include "kami/Driver/Chart.h"

namespace kami {

/// Which mode of kami-bench wrote a file of rows, by the names of its columns.
enum class RowsKind { Block, Batch, Grouped };
llvm::Expected<RowsKind> findRowsKind(llvm::StringRef path);

struct NamedFigure {
  /// A file's name without its ending.
  std::string name;
  Figure figure;
};

/// "batch-f16" and so on: of each type and number of products, the share of the
/// speed of light that kami and its peers reach, over n. Of several rows of a
/// size, the fastest counts. What was not timed has no point; types of which
/// nothing was timed beside the speed of light have no figure.
std::vector<NamedFigure> makeBatchFigures(const BenchmarkRows &rows);

/// "grouped-f16" and so on: of each type, the time of the fastest peer relative
/// to kami's, by the bounds of the extents and the number of products. `text`
/// is what kami-bench grouped has written; errors name the line in `where`.
llvm::Expected<std::vector<NamedFigure>>
makeGroupedFigures(llvm::StringRef text, llvm::StringRef where);
llvm::Expected<std::vector<NamedFigure>>
loadGroupedFigures(llvm::StringRef path);

} // namespace kami

#endif // KAMI_DRIVER_BATCHFIGURES_H
