//===- Figures.h - The paper's figures from measured rows ------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_FIGURES_H
#define KAMI_DRIVER_FIGURES_H

#include "kami/Driver/BlockRows.h"
#include "kami/Driver/Chart.h"

namespace kami {

/// Those of KAMI (SC '25) that rows can show: 8 (throughput of squares), 9
/// (warps), 10 (parts in shared memory), 11 (low rank), 14 (registers) and 15
/// (cycles). What needs devices or peers that no row has is left out, and a
/// note says so.
llvm::ArrayRef<int> figureNumbers();

/// An error where no row has anything to show.
llvm::Expected<Figure> makeFigure(int number, const BlockRows &rows,
                                  const Calibration *calibration);

} // namespace kami

#endif // KAMI_DRIVER_FIGURES_H
