//===- Request.cpp ------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Plan/Request.h"
#include "kami/Plan/Skew.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace kami;

/// `to` gets the value, or the caller the error.
template <typename T, typename U>
static llvm::Error assign(T &to, llvm::Expected<U> from) {
  if (!from)
    return from.takeError();
  to = *from;
  return llvm::Error::success();
}

static bool parseNumber(llvm::StringRef text, int64_t least, int64_t &value) {
  return llvm::all_of(text, llvm::isDigit) && !text.getAsInteger(10, value) &&
         value >= least && value <= maxExtent;
}

llvm::Expected<Extents>
kami::parseExtents(llvm::StringRef flag, llvm::StringRef text, int64_t least) {
  llvm::SmallVector<llvm::StringRef, 3> parts;
  text.split(parts, 'x');
  Extents extents;
  if (parts.size() == 3 && parseNumber(parts[0], least, extents.m) &&
      parseNumber(parts[1], least, extents.n) &&
      parseNumber(parts[2], least, extents.k))
    return extents;
  return llvm::createStringError(
      "expected --" + flag + "=MxNxK with extents from " + llvm::Twine(least) +
      " to 2147483648, but "
      "got '" +
      text + "'");
}

static llvm::Expected<int64_t>
parseCount(llvm::StringRef flag, llvm::StringRef text, int64_t least = 1) {
  int64_t value;
  if (parseNumber(text, least, value))
    return value;
  return llvm::createStringError("expected --" + flag + " from " +
                                 llvm::Twine(least) +
                                 " to 2147483648, but got '" + text + "'");
}

llvm::Expected<ElementKind> kami::parseType(llvm::StringRef flag,
                                            llvm::StringRef text) {
  if (std::optional<ElementKind> kind = parseElementKind(text))
    return *kind;
  auto names = llvm::map_range(
      allElementKinds(), [](ElementKind kind) { return name(kind).str(); });
  return llvm::createStringError(
      "unknown --" + flag + " '" + text +
      "', expected one of: " + llvm::join(names, ", "));
}

static llvm::Expected<std::optional<Algorithm>>
parseAlgorithmFlag(llvm::StringRef text) {
  if (text == "auto")
    return std::nullopt;
  for (Algorithm algorithm :
       {Algorithm::OneD, Algorithm::TwoD, Algorithm::ThreeD})
    if (text == flag(algorithm))
      return algorithm;
  return llvm::createStringError("unknown --algorithm '" + text +
                                 "', expected one of: auto, 1d, 2d, 3d");
}

bool kami::stripComplex(std::string &text) {
  llvm::StringRef part = text;
  if (part == "c64")
    text = "f32";
  else if (part == "c128")
    text = "f64";
  else if (part.consume_front("complex<") && part.consume_back(">"))
    text = part.str();
  else
    return false;
  return true;
}

/// The types of a problem on complex numbers: of all three, or as by default.
static llvm::Error parseComplexTypes(const ProblemText &text,
                                     Problem &problem) {
  ElementKind sum = defaultAccumulator(problem.operand);
  bool isKnown = sum == ElementKind::F64 ||
                 (sum == ElementKind::F32 && byteWidth(problem.operand) == 4);
  if (!isKnown)
    return llvm::createStringError(
        "expected complex numbers of f32, tf32, tf32x3 or f64, but got --type "
        "'" +
        text.type + "'");
  std::string accumulator = text.accumulator, typeB = text.typeB;
  if (!accumulator.empty() &&
      !(stripComplex(accumulator) && accumulator == name(sum)))
    return llvm::createStringError("expected --accumulator to be complex<" +
                                   name(sum) + ">, but got '" +
                                   text.accumulator + "'");
  if (!typeB.empty() &&
      !(stripComplex(typeB) && typeB == name(problem.operand)))
    return llvm::createStringError("expected --type-b to be complex<" +
                                   name(problem.operand) + ">, but got '" +
                                   text.typeB + "'");
  return llvm::Error::success();
}

llvm::Expected<Problem> kami::parseProblem(const ProblemText &given) {
  Problem problem;
  ProblemText text = given;
  if (llvm::Error error =
          assign(problem.extents, parseExtents("gemm", text.gemm, /*least=*/0)))
    return error;
  problem.isComplex = problem.mayInterleaveParts = stripComplex(text.type);
  if (llvm::Error error = assign(problem.operand, parseType("type", text.type)))
    return error;
  if (problem.isComplex) {
    if (llvm::Error error = parseComplexTypes(given, problem))
      return error;
    text.accumulator = text.typeB = "";
  }
  if (!text.typeB.empty()) {
    ElementKind other = problem.operand;
    if (llvm::Error error = assign(other, parseType("type-b", text.typeB)))
      return error;
    if (!canMultiply(problem.operand, other))
      return llvm::createStringError(
          "expected --type-b to be " + name(problem.operand) +
          ", or as --type one of i8 and u8 or of f16, f8E4M3FN and f8E5M2, but "
          "got '" +
          text.typeB + "'");
    if (other != problem.operand)
      problem.otherOperand = other;
  }
  problem.accumulator = defaultAccumulator(problem.operand);
  if (!text.accumulator.empty())
    if (llvm::Error error = assign(problem.accumulator,
                                   parseType("accumulator", text.accumulator)))
      return error;
  if (!text.outputType.empty()) {
    ElementKind output = problem.accumulator;
    if (llvm::Error error =
            assign(output, parseType("output-type", text.outputType)))
      return error;
    bool isNarrowed = isInteger(output) == isInteger(problem.accumulator) &&
                      byteWidth(output) < byteWidth(problem.accumulator) &&
                      !isInteger(output);
    if (problem.isComplex || (output != problem.accumulator && !isNarrowed))
      return llvm::createStringError(
          "expected --output-type to be the accumulator " +
          name(problem.accumulator) + " or a narrower float, but got '" +
          text.outputType + "'");
    problem.output = output;
  }
  if (!text.batch.empty()) {
    if (llvm::Error error =
            assign(problem.batch, parseCount("batch", text.batch, /*least=*/0)))
      return error;
    problem.packable = problem.batch;
    problem.isReproducible = true;
  }
  if (!text.tile.empty())
    if (llvm::Error error =
            assign(problem.tile, parseExtents("tile", text.tile)))
      return error;
  if (!text.warps.empty())
    if (llvm::Error error =
            assign(problem.warps, parseCount("warps", text.warps)))
      return error;
  if (!text.stages.empty())
    if (llvm::Error error =
            assign(problem.stages, parseCount("stages", text.stages)))
      return error;
  if (llvm::Error error =
          assign(problem.algorithm, parseAlgorithmFlag(text.algorithm)))
    return error;
  problem.unit = parseUnit(text.unit);
  if (text.unit != "auto" && !problem.unit)
    return llvm::createStringError(
        "unknown --unit '" + text.unit +
        "', expected one of: auto, warp, warpgroup, lane");
  problem.bulk = parseCopies(text.copies);
  if (text.copies != "auto" && !problem.bulk)
    return llvm::createStringError("unknown --copies '" + text.copies +
                                   "', expected one of: auto, threads, bulk");
  if (!mayAskTaken(text.taken))
    return llvm::createStringError("expected --taken from -1 to " +
                                   llvm::Twine(mostTaken) + ", but got " +
                                   llvm::Twine(text.taken));
  problem.taken = askedTaken(text.taken);
  describeRowsWithoutGaps(problem);
  return problem;
}

llvm::Expected<ChainProblem> kami::parseChain(llvm::StringRef extents,
                                              const ProblemText &text) {
  llvm::SmallVector<llvm::StringRef, 4> parts;
  extents.split(parts, 'x');
  ChainProblem chain{0, 0, 0, 0};
  if (parts.size() != 4 || !parseNumber(parts[0], 1, chain.m) ||
      !parseNumber(parts[1], 1, chain.k) ||
      !parseNumber(parts[2], 1, chain.n) || !parseNumber(parts[3], 1, chain.q))
    return llvm::createStringError(
        "expected --chain=MxKxNxQ with extents from 1 to 2147483648, but got "
        "'" +
        extents + "'");
  ProblemText rest = text;
  rest.gemm = "1x1x1";
  llvm::Expected<Problem> problem = parseProblem(rest);
  if (!problem)
    return problem.takeError();
  if (llvm::Error error =
          assign(problem->batch,
                 parseCount("batch", text.batch.empty() ? "1" : text.batch)))
    return error;
  for (auto [flag, isGiven] :
       {std::pair("gemm", !text.gemm.empty()),
        std::pair("type-b", problem->otherOperand.has_value()),
        std::pair("tile", problem->tile.has_value()),
        std::pair("algorithm", problem->algorithm.has_value())})
    if (isGiven)
      return llvm::createStringError("expected no --" + llvm::Twine(flag) +
                                     " with --chain");
  chain.operand = problem->operand;
  chain.accumulator = problem->accumulator;
  chain.batch = problem->batch;
  chain.warps = problem->warps;
  return chain;
}

namespace {
/// A parameter of the paper's machine: greater than `above`, at most `most`.
struct Parameter {
  llvm::StringRef flag;
  llvm::StringRef text;
  std::optional<double> &value;
  double most;
};
} // namespace

static llvm::Error parseParameter(const Parameter &parameter, bool isPaper) {
  if (parameter.text.empty())
    return llvm::Error::success();
  if (!isPaper)
    return llvm::createStringError("--" + parameter.flag +
                                   " needs --model=paper");
  double value;
  bool isValid = !parameter.text.getAsDouble(value) && std::isfinite(value) &&
                 value > 0 && value <= parameter.most;
  if (!isValid)
    return llvm::createStringError("expected --" + parameter.flag + " above 0" +
                                   (parameter.most == 1 ? " and up to 1" : "") +
                                   ", but got '" + parameter.text + "'");
  parameter.value = value;
  return llvm::Error::success();
}

llvm::Expected<PlannerOptions> kami::parseOptions(const OptionsText &text) {
  if (text.model != "calibrated" && text.model != "paper")
    return llvm::createStringError("unknown --model '" + text.model +
                                   "', expected one of: calibrated, paper");
  PlannerOptions options;
  bool isPaper = text.model == "paper";
  if (isPaper)
    options.model = CostModel::Paper;
  // Far from where a sum of cycles would overflow.
  constexpr double most = 1e12;
  PaperOverrides &paper = options.paper;
  const Parameter parameters[] = {
      {"l-sm", text.lSm, paper.latencyShared, most},
      {"b-sm", text.bSm, paper.bandwidthShared, most},
      {"theta-r", text.thetaR, paper.thetaR, 1},
      {"theta-w", text.thetaW, paper.thetaW, 1},
      {"n-tc", text.nTc, paper.tensorCores, most},
      {"o-tc", text.oTc, paper.opsPerCycle, most},
  };
  for (const Parameter &parameter : parameters)
    if (llvm::Error error = parseParameter(parameter, isPaper))
      return error;
  return options;
}
