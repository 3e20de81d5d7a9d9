//===- PlotMode.cpp - Figures from rows -------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "kami/Driver/Figures.h"
#include "kami/Model/CalibrationFile.h"
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

/// All figures that the rows can show, into a folder.
static llvm::Error writeAll(const BlockRows &rows,
                            const Calibration *calibration,
                            llvm::StringRef folder) {
  if (std::error_code code = llvm::sys::fs::create_directories(folder))
    return cannotWrite(folder, code);
  for (int number : figureNumbers()) {
    llvm::Expected<Figure> figure = makeFigure(number, rows, calibration);
    if (!figure) {
      llvm::errs() << "kami-bench: " << llvm::toString(figure.takeError())
                   << "\n";
      continue;
    }
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path,
                            "figure-" + llvm::Twine(number).str() + ".svg");
    if (llvm::Error error = write(*figure, path))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<bool> kami::runPlotMode(Flags &flags) {
  if (flags.rows.empty())
    return llvm::createStringError("expected --rows=FILE, but got none");
  BlockRows rows;
  for (const std::string &path : flags.rows)
    if (llvm::Error error = loadRows(path, rows))
      return error;
  if (rows.rows.empty())
    return llvm::createStringError("expected rows, but got none");
  llvm::Expected<std::optional<Calibration>> loaded =
      loadCalibration(flags.calibration, *rows.chip);
  if (!loaded)
    return loaded.takeError();
  const Calibration *measured = *loaded ? &**loaded : nullptr;
  if (flags.figure == 0) {
    if (flags.output == "-")
      return llvm::createStringError(
          "expected -o=FOLDER for all figures, but got none");
    if (llvm::Error error = writeAll(rows, measured, flags.output))
      return error;
    return true;
  }
  llvm::Expected<Figure> figure = makeFigure(flags.figure, rows, measured);
  if (!figure)
    return figure.takeError();
  if (llvm::Error error = write(*figure, flags.output))
    return error;
  return true;
}
