//===- BenchmarkOptions.cpp - What can be measured ------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TorchTimes.h"
#include "TritonKernels.h"
#include "kami/Driver/Benchmark.h"
#include "kami/Plan/Plan.h"
#include "llvm/ADT/STLExtras.h"
#include <climits>

using namespace kami;

llvm::Expected<ElementKind> kami::parseBenchmarkType(llvm::StringRef spelling) {
  std::optional<ElementKind> type = parseElementKind(spelling);
  constexpr ElementKind known[] = {ElementKind::F16, ElementKind::BF16,
                                   ElementKind::TF32, ElementKind::F32,
                                   ElementKind::F64};
  if (!type || !llvm::is_contained(known, *type))
    return llvm::createStringError(
        "expected --types of f16, bf16, tf32, f32 and f64, but got '" +
        spelling + "'");
  return *type;
}

llvm::Error kami::checkUnits(llvm::ArrayRef<std::string> units) {
  for (const std::string &unit : units)
    if (unit != "auto" && !parseUnit(unit))
      return llvm::createStringError(
          "expected --units of auto, warp, warpgroup and lane, but got '" +
          unit + "'");
  return llvm::Error::success();
}

llvm::Error kami::checkOptions(const BenchmarkOptions &options) {
  // Larger ones are no block-level products, and their reference takes long.
  constexpr int64_t maxSize = 1024;
  for (int64_t n : options.sizes)
    if (n < 1 || n > maxSize)
      return llvm::createStringError("expected --sizes from 1 to " +
                                     llvm::Twine(maxSize) + ", but got " +
                                     llvm::Twine(n));
  for (ElementKind type : options.types)
    if (llvm::Error error = parseBenchmarkType(name(type)).takeError())
      return error;
  for (const std::string &algorithm : options.algorithms)
    if (algorithm != "auto" && algorithm != "1d" && algorithm != "2d" &&
        algorithm != "3d")
      return llvm::createStringError(
          "expected --algorithms of auto, 1d, 2d and 3d, but got '" +
          algorithm + "'");
  if (llvm::Error error = checkUnits(options.units))
    return error;
  for (int64_t stages : options.stages)
    if (stages < 0)
      return llvm::createStringError("expected --stages from 0, but got " +
                                     llvm::Twine(stages));
  for (int64_t warps : options.warps)
    if (warps < 0)
      return llvm::createStringError("expected --warps from 0, but got " +
                                     llvm::Twine(warps));
  for (const std::string &copies : options.copies)
    if (copies != "auto" && !parseCopies(copies))
      return llvm::createStringError(
          "expected --copies of auto, threads and bulk, but got '" + copies +
          "'");
  for (int64_t taken : options.taken)
    if (!mayAskTaken(taken))
      return llvm::createStringError("expected --taken from -1 to " +
                                     llvm::Twine(mostTaken) + ", but got " +
                                     llvm::Twine(taken));
  if (options.batch < 1 || options.batch > INT_MAX)
    return llvm::createStringError("expected --batch from 1 to " +
                                   llvm::Twine(INT_MAX) + ", but got " +
                                   llvm::Twine(options.batch));
  if (options.repeats < 1)
    return llvm::createStringError("expected --repeats of 1 or more, but got " +
                                   llvm::Twine(options.repeats));
  if (!options.triton.empty())
    if (llvm::Error error = TritonKernels::load(options.triton).takeError())
      return error;
  if (!options.torch.empty())
    if (llvm::Error error = TorchTimes::load(options.torch).takeError())
      return error;
  return llvm::Error::success();
}
