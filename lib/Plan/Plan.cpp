//===- Plan.cpp ---------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Plan/Plan.h"
#include "kami/Plan/Problem.h"
#include "kami/Target/Chip.h"
#include "llvm/Support/ErrorHandling.h"

using namespace kami;

llvm::StringRef kami::name(Algorithm algorithm) {
  switch (algorithm) {
  case Algorithm::OneD:
    return "one_d";
  case Algorithm::TwoD:
    return "two_d";
  case Algorithm::ThreeD:
    return "three_d";
  }
  llvm_unreachable("covered switch");
}

llvm::StringRef kami::flag(Algorithm algorithm) {
  switch (algorithm) {
  case Algorithm::OneD:
    return "1d";
  case Algorithm::TwoD:
    return "2d";
  case Algorithm::ThreeD:
    return "3d";
  }
  llvm_unreachable("covered switch");
}

std::optional<Algorithm> kami::parseAlgorithm(llvm::StringRef spelling) {
  for (Algorithm algorithm :
       {Algorithm::OneD, Algorithm::TwoD, Algorithm::ThreeD})
    if (spelling == name(algorithm) || spelling == flag(algorithm))
      return algorithm;
  return std::nullopt;
}

llvm::StringRef kami::name(Transport transport) {
  switch (transport) {
  case Transport::Staged:
    return "staged";
  case Transport::DoubleBuffered:
    return "double_buffered";
  case Transport::Gathered:
    return "gathered";
  case Transport::Resident:
    return "resident";
  case Transport::Copied:
    return "copied";
  }
  llvm_unreachable("covered switch");
}

std::optional<Transport> kami::parseTransport(llvm::StringRef spelling) {
  for (Transport transport : allTransports)
    if (spelling == name(transport))
      return transport;
  return std::nullopt;
}

llvm::StringRef kami::name(Unit unit) {
  switch (unit) {
  case Unit::Warp:
    return "warp";
  case Unit::WarpGroup:
    return "warpgroup";
  case Unit::Lane:
    return "lane";
  }
  llvm_unreachable("covered switch");
}

std::optional<Unit> kami::parseUnit(llvm::StringRef spelling) {
  for (Unit unit : {Unit::Warp, Unit::WarpGroup, Unit::Lane})
    if (spelling == name(unit))
      return unit;
  return std::nullopt;
}

std::optional<bool> kami::parseCopies(llvm::StringRef spelling) {
  if (spelling != "bulk" && spelling != "threads")
    return std::nullopt;
  return spelling == "bulk";
}

Algorithm kami::algorithmOf(const WarpGrid &grid) {
  if (grid.k > 1)
    return Algorithm::ThreeD;
  return grid.m > 1 && grid.n > 1 ? Algorithm::TwoD : Algorithm::OneD;
}

Problem kami::ofInterleavedParts(const Problem &problem) {
  Problem reals = problem;
  reals.isComplex = reals.mayInterleaveParts = false;
  reals.interleavesParts = true;
  auto widen = [](Extents &extents) {
    extents.n *= 2;
    extents.k *= 2;
  };
  widen(reals.extents);
  if (reals.tile)
    widen(*reals.tile);
  return reals;
}

bool kami::mayInterleaveParts(const Problem &problem, const Chip &chip) {
  const Extents &extents = problem.extents;
  return problem.isComplex && problem.mayInterleaveParts &&
         problem.source == Source::Memory && !problem.hasLayers &&
         problem.unit != Unit::WarpGroup && chip.copiesAsync &&
         2 * std::max(extents.n, extents.k) <= maxExtent;
}

std::string kami::elementName(ElementKind kind, bool isComplex) {
  std::string text = name(kind).str();
  return isComplex ? "complex<" + text + ">" : text;
}

// The slices of a single layer follow each other along k, whoever holds them.
// Integers have the same sum, whichever instruction adds which.
SumOrder kami::sumOrderOf(const Plan &plan) {
  bool isExact = isInteger(plan.atom->accumulator);
  SumOrder order = {plan.atom, isExact ? 0 : plan.interleave.k, plan.grid.k, 0,
                    0};
  if (plan.grid.k > 1) {
    order.layerK = plan.partition().stageK;
    order.tileK = plan.tile.k;
  }
  return order;
}
