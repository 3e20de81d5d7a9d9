//===- Plan.cpp - Candidates, explained -----------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Model/CalibrationFile.h"
#include "kami/Plan/Explain.h"
#include "kami/Plan/Request.h"

using namespace kami;

/// A number as a command line would say it; nothing for 0.
static std::string orNothing(int64_t number) {
  return number == 0 ? std::string() : std::to_string(number);
}

static llvm::Expected<Problem> toProblem(const KamiProblem &problem,
                                         const KamiOptions &options) {
  ProblemText text;
  text.gemm = std::to_string(problem.m) + "x" + std::to_string(problem.n) +
              "x" + std::to_string(problem.k);
  text.type = orElse(problem.type, text.type);
  text.typeB = orElse(problem.typeB, "");
  text.accumulator = orElse(problem.accumulator, "");
  text.outputType = orElse(problem.outputType, "");
  text.batch = orNothing(problem.batch);
  text.algorithm = orElse(options.algorithm, text.algorithm);
  text.unit = orElse(options.unit, text.unit);
  text.tile = orElse(options.tile, "");
  text.warps = orNothing(options.warps);
  text.stages = orNothing(options.stages);
  text.copies = orElse(options.copies, text.copies);
  text.taken = options.taken;
  return parseProblem(text);
}

/// Adds the attribute that says the plan of each candidate that fits.
static void addPlans(llvm::json::Array &described, const Choice &choice) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<KamiDialect>();
  for (auto [object, candidate] :
       llvm::zip_equal(described, choice.candidates)) {
    if (!candidate.fits())
      continue;
    std::string text;
    llvm::raw_string_ostream(text) << toAttribute(&context, candidate.plan);
    (*object.getAsObject())["plan"] = std::move(text);
  }
}

static llvm::Error plan(const KamiProblem &asked, const KamiOptions &given,
                        KamiText **json, KamiText **table) {
  llvm::Expected<Problem> problem = toProblem(asked, given);
  if (!problem)
    return problem.takeError();
  OptionsText text;
  text.model = orElse(given.model, text.model);
  llvm::Expected<PlannerOptions> options = parseOptions(text);
  if (!options)
    return options.takeError();
  llvm::Expected<const Chip *> chip = findChip(orElse(given.target, "sm_90"));
  if (!chip)
    return chip.takeError();
  llvm::Expected<std::optional<Calibration>> loaded =
      loadCalibration(orElse(given.calibration, "").str(), **chip);
  if (!loaded)
    return loaded.takeError();
  options->calibration = *loaded ? &**loaded : nullptr;
  llvm::Expected<Choice> choice = choosePlan(*problem, **chip, *options);
  if (!choice)
    return choice.takeError();
  llvm::json::Object object =
      explainJSON(*choice, *problem, **chip, *options, Detail::All);
  addPlans(*object.getArray("candidates"), *choice);
  if (table) {
    std::string lines;
    llvm::raw_string_ostream os(lines);
    explainText(*choice, *problem, **chip, *options, Detail::BestOfEach, os);
    *table = makeText(std::move(lines));
  }
  *json = makeText(std::move(object));
  return llvm::Error::success();
}

KamiError *kamiPlan(const KamiProblem *problem, const KamiOptions *options,
                    KamiText **json, KamiText **table) {
  *json = nullptr;
  if (table)
    *table = nullptr;
  const KamiOptions none = {};
  return toError(KAMI_ERROR_INVALID,
                 plan(*problem, options ? *options : none, json, table));
}

KamiError *kamiListTargets(KamiText **json) {
  llvm::json::Array targets;
  for (const Chip &chip : allChips()) {
    llvm::json::Array types;
    for (ElementKind kind : allElementKinds())
      if (!chip.atomsFor(kind, defaultAccumulator(kind)).empty())
        types.push_back(name(kind).str());
    targets.push_back(llvm::json::Object{{"name", chip.name.str()},
                                         {"product", chip.product.str()},
                                         {"vendor", chip.vendor.str()},
                                         {"types", std::move(types)}});
  }
  *json = makeText(std::move(targets));
  return nullptr;
}
