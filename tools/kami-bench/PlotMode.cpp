//===- PlotMode.cpp - Figures from rows -----------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "kami/Driver/BatchFigures.h"
#include "kami/Driver/Figures.h"
#include "kami/Model/CalibrationFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace kami;

static llvm::Error write(const Figure &figure, llvm::StringRef path) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (code)
    return cannotWrite(path, code);
  writeSVG(figure, os);
  return llvm::Error::success();
}

/// A figure into a folder that is there.
static llvm::Error write(const NamedFigure &named, llvm::StringRef folder) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, named.name + ".svg");
  return write(named.figure, path);
}

/// All figures that the rows of products inside a block can show.
static llvm::Error writeAll(const BlockRows &rows,
                            const Calibration *calibration,
                            llvm::StringRef folder) {
  for (int number : figureNumbers()) {
    llvm::Expected<Figure> figure = makeFigure(number, rows, calibration);
    if (!figure) {
      llvm::errs() << "kami-bench: " << llvm::toString(figure.takeError())
                   << "\n";
      continue;
    }
    if (llvm::Error error = write(
            NamedFigure{"figure-" + std::to_string(number), std::move(*figure)},
            folder))
      return error;
  }
  return llvm::Error::success();
}

/// What the files hold, each read by what it is.
static llvm::Error load(llvm::ArrayRef<std::string> paths, BlockRows &rows,
                        std::vector<NamedFigure> &figures) {
  for (const std::string &path : paths) {
    llvm::Expected<RowsKind> kind = findRowsKind(path);
    if (!kind)
      return kind.takeError();
    switch (*kind) {
    case RowsKind::Block:
      if (llvm::Error error = loadRows(path, rows))
        return error;
      break;
    case RowsKind::Batch: {
      llvm::Expected<BenchmarkRows> batches = loadBenchmarkRows(path);
      if (!batches)
        return batches.takeError();
      llvm::append_range(figures, makeBatchFigures(*batches));
      break;
    }
    case RowsKind::Grouped: {
      llvm::Expected<std::vector<NamedFigure>> grouped =
          loadGroupedFigures(path);
      if (!grouped)
        return grouped.takeError();
      llvm::append_range(figures, std::move(*grouped));
      break;
    }
    }
  }
  return llvm::Error::success();
}

llvm::Expected<bool> kami::runPlotMode(Flags &flags) {
  if (flags.rows.empty())
    return llvm::createStringError("expected --rows=FILE, but got none");
  BlockRows rows;
  std::vector<NamedFigure> figures;
  if (llvm::Error error = load(flags.rows, rows, figures))
    return error;
  if (rows.rows.empty() && figures.empty())
    return llvm::createStringError("expected rows, but got none");
  std::optional<Calibration> measured;
  if (!rows.rows.empty()) {
    llvm::Expected<std::optional<Calibration>> loaded =
        loadCalibration(flags.calibration, *rows.chip);
    if (!loaded)
      return loaded.takeError();
    measured = std::move(*loaded);
  }
  const Calibration *calibration = measured ? &*measured : nullptr;
  if (flags.figure == 0) {
    if (flags.output == "-")
      return llvm::createStringError(
          "expected -o=FOLDER for all figures, but got none");
    if (std::error_code code = llvm::sys::fs::create_directories(flags.output))
      return cannotWrite(flags.output, code);
    for (const NamedFigure &named : figures)
      if (llvm::Error error = write(named, flags.output))
        return error;
    if (!rows.rows.empty())
      if (llvm::Error error = writeAll(rows, calibration, flags.output))
        return error;
    return true;
  }
  if (rows.rows.empty())
    return llvm::createStringError("expected --figure for rows of kami-bench "
                                   "block alone");
  llvm::Expected<Figure> figure = makeFigure(flags.figure, rows, calibration);
  if (!figure)
    return figure.takeError();
  if (llvm::Error error = write(*figure, flags.output))
    return error;
  return true;
}
