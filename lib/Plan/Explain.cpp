//===- Explain.cpp ------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Plan/Explain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <array>

using namespace kami;

static std::string times(int64_t m, int64_t n, int64_t k) {
  return llvm::formatv("{0}x{1}x{2}", m, n, k);
}
static std::string print(const WarpGrid &grid) {
  return times(grid.m, grid.n, grid.k);
}
static std::string print(const Extents &extents) {
  return times(extents.m, extents.n, extents.k);
}

static llvm::StringRef atomName(const Plan &plan) {
  return plan.atom ? plan.atom->name : "no atom";
}

std::string kami::summary(const Plan &plan) {
  std::string text =
      llvm::formatv("{0} {1} tile {2} {3} {4}, slices of {5}, {6} of A and "
                    "{7} of B in shared memory",
                    flag(plan.algorithm()), print(plan.grid), print(plan.tile),
                    atomName(plan), name(plan.transport), plan.slices.k,
                    plan.slices.sharedA, plan.slices.sharedB);
  const Interleave &groups = plan.interleave;
  if (!groups.isPlain())
    text += llvm::formatv(", tiles interleaved by {0}, {1} and {2}", groups.m,
                          groups.n, groups.k);
  if (plan.isPacked())
    text += llvm::formatv(", {0} products packed", plan.packedProducts());
  else if (plan.teams > 1)
    text += llvm::formatv(", {0} teams", plan.teams);
  if (plan.rounds > 1)
    text += llvm::formatv(" in {0} rounds", plan.rounds);
  if (plan.stages > 1)
    text += llvm::formatv(", {0} stages", plan.stages);
  if (plan.relaysC)
    text += ", C relayed";
  if (plan.blocks > 0)
    text += llvm::formatv(", {0} blocks in turn", plan.blocks);
  if (plan.prefetches)
    text += ", next prefetched";
  if (plan.skewed)
    text += ", rows skewed";
  if (plan.bulk)
    text += ", bulk copies";
  if (plan.taken)
    text += llvm::formatv(", the last {0} turns taken", plan.taken).str();
  if (plan.dealsProducts)
    text += ", products dealt";
  if (plan.interleavesParts)
    text += ", complex rows as reals";
  if (plan.stationary)
    text += plan.isTransposed() ? ", B stationary" : ", A stationary";
  return text;
}

/// Those that the detail asks for, in their order.
static llvm::SmallVector<const Candidate *, 0> select(const Choice &choice,
                                                      Detail detail) {
  llvm::SmallVector<const Candidate *, 0> selected;
  llvm::SmallVector<Algorithm, 3> seen;
  for (const Candidate &candidate : choice.candidates) {
    bool isFirst = !llvm::is_contained(seen, candidate.plan.algorithm());
    if (detail == Detail::All || (candidate.fits() && isFirst))
      selected.push_back(&candidate);
    seen.push_back(candidate.plan.algorithm());
  }
  return selected;
}

/// Why it is not the one to use.
static std::string verdict(const Candidate &candidate, const Choice &choice) {
  if (!candidate.fits())
    return candidate.rejected;
  const Candidate *best = choice.best();
  if (&candidate == best)
    return "best";
  if (candidate.score == best->score)
    return "as fast, decided by warps, barriers and order";
  return llvm::formatv("{0:F2} of the best's cycles",
                       candidate.score / best->score);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

using Line = llvm::SmallVector<std::string, 16>;

static Line headings(CostModel model) {
  Line line = {"algorithm", "grid",  "tile",      "atom",
               "transport", "slice", "parked A+B"};
  if (model == CostModel::Paper)
    line.append({"V_cm", "T_cm", "T_cp", "T_all", "layer sum"});
  else
    line.append({"communication", "computation", "memory", "total"});
  line.append({"registers", "shared bytes", "verdict"});
  return line;
}

static std::string cycles(double value) {
  return llvm::formatv("{0:F0}", value);
}

static Line describe(const Candidate &candidate, const Choice &choice,
                     const Problem &problem, CostModel model) {
  const Plan &plan = candidate.plan;
  bool widens = plan.widens(problem.operand, problem.operandB());
  Line line = {
      flag(plan.algorithm()).str(),
      print(plan.grid),
      print(plan.tile),
      atomName(plan).str() + (widens ? " (widened)" : ""),
      name(plan.transport).str(),
      llvm::itostr(plan.slices.k),
      llvm::formatv("{0}+{1}", plan.slices.sharedA, plan.slices.sharedB)};
  const CalibratedCost &cost = candidate.calibrated;
  const Costs &costs = candidate.costs;
  if (model == CostModel::Paper)
    line.append({cycles(costs.volume), cycles(costs.communication),
                 cycles(costs.computation), cycles(costs.total),
                 cycles(candidate.paper.layerSum)});
  else
    line.append({cycles(cost.communication()), cycles(cost.computation),
                 cycles(cost.memory()), cycles(cost.total)});
  line.append({llvm::itostr(candidate.resources.registers.total()),
               llvm::itostr(candidate.resources.shared.bytes),
               verdict(candidate, choice)});
  return line;
}

static void printTable(llvm::ArrayRef<Line> lines, llvm::raw_ostream &os) {
  llvm::SmallVector<size_t, 16> widths(lines.front().size(), 0);
  for (const Line &line : lines)
    for (auto [width, cell] : llvm::zip_equal(widths, line))
      width = std::max(width, cell.size());
  for (const Line &line : lines) {
    for (auto [width, cell] :
         llvm::zip(llvm::drop_end(widths), llvm::drop_end(line)))
      os << llvm::left_justify(cell, width) << "  ";
    os << line.back() << "\n";
  }
}

void kami::explainText(const Choice &choice, const Problem &problem,
                       const Chip &chip, const PlannerOptions &options,
                       Detail detail, llvm::raw_ostream &os) {
  os << llvm::formatv(
      "{0} {1} -> {2}, batch {3}, on {4} ({5}), {6} model, {7} "
      "candidates\n",
      print(problem.extents),
      problem.isComplex ? elementName(problem.operand, true)
                        : names(problem.operand, problem.operandB()),
      elementName(problem.accumulator, problem.isComplex), problem.batch,
      chip.name, chip.product, name(options.model), choice.candidates.size());
  const Calibration &calibration = options.calibrationFor(chip);
  if (options.model == CostModel::Calibrated)
    os << llvm::formatv("figures of {0}: {1}, {2}\n", calibration.device,
                        calibration.provenance == Provenance::Measured
                            ? "measured"
                            : "not measured",
                        calibration.source);
  std::vector<Line> lines = {headings(options.model)};
  for (const Candidate *candidate : select(choice, detail))
    lines.push_back(describe(*candidate, choice, problem, options.model));
  printTable(lines, os);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static llvm::json::Array array(int64_t m, int64_t n, int64_t k) {
  return llvm::json::Array{m, n, k};
}

static llvm::json::Object costMembers(const Candidate &candidate) {
  const CalibratedCost &cost = candidate.calibrated;
  return llvm::json::Object{
      {"v_cm_bytes", candidate.costs.volume},
      {"t_cm_cycles", candidate.costs.communication},
      {"t_cp_cycles", candidate.costs.computation},
      {"t_all_cycles", candidate.costs.total},
      {"layer_sum_cycles", candidate.paper.layerSum},
      {"score_cycles", candidate.score},
      {"block_communication_cycles", cost.communication()},
      {"block_computation_cycles", cost.computation},
      {"block_memory_cycles", cost.memory()},
      {"tensor_core_cycles", cost.tensorCores},
      {"shared_bandwidth_cycles", cost.sharedBandwidth},
      {"shared_latency_cycles", cost.sharedLatency},
      {"barrier_cycles", cost.barriers},
      {"cache_bandwidth_cycles", cost.cacheBandwidth},
      {"memory_bandwidth_cycles", cost.memoryBandwidth},
      {"memory_latency_cycles", cost.memoryLatency},
      {"device_cycles", cost.total},
      {"blocks", cost.blocks},
      {"resident_blocks", cost.residentBlocks},
      {"k_tiles", cost.kTiles},
  };
}

static llvm::json::Object members(const Candidate &candidate,
                                  const Problem &problem) {
  const Plan &plan = candidate.plan;
  llvm::json::Object object = costMembers(candidate);
  object["algorithm"] = flag(plan.algorithm());
  object["grid"] = array(plan.grid.m, plan.grid.n, plan.grid.k);
  object["unit"] = name(plan.unit());
  object["warps"] =
      plan.unit() == Unit::Lane ? candidate.resources.warps : plan.grid.warps();
  object["teams"] = plan.teams;
  object["rounds"] = plan.rounds;
  object["stages"] = plan.stages;
  object["relays_c"] = plan.relaysC;
  object["blocks_in_turn"] = plan.blocks;
  object["prefetches"] = plan.prefetches;
  object["skewed"] = plan.skewed;
  object["bulk"] = plan.bulk;
  object["taken"] = plan.taken;
  object["deals_products"] = plan.dealsProducts;
  object["interleaves_parts"] = plan.interleavesParts;
  object["stationary"] = plan.stationary;
  object["threads"] =
      (plan.isPacked() ? 1 : plan.teams) * candidate.resources.threads;
  object["tile"] = array(plan.tile.m, plan.tile.n, plan.tile.k);
  object["atom"] = atomName(plan);
  object["widened"] = plan.widens(problem.operand, problem.operandB());
  object["transport"] = name(plan.transport);
  object["slice_k"] = plan.slices.k;
  object["shared_slices_a"] = plan.slices.sharedA;
  object["shared_slices_b"] = plan.slices.sharedB;
  object["interleave"] =
      array(plan.interleave.m, plan.interleave.n, plan.interleave.k);
  object["barriers"] = candidate.barriers;
  object["registers"] = candidate.resources.registers.total();
  object["shared_bytes"] = candidate.resources.shared.bytes;
  object["rejected"] = candidate.rejected;
  return object;
}

llvm::json::Object kami::explainJSON(const Choice &choice,
                                     const Problem &problem, const Chip &chip,
                                     const PlannerOptions &options,
                                     Detail detail) {
  llvm::json::Object object;
  if (!choice.candidates.empty()) {
    const Candidate &best = choice.candidates.front();
    object = members(best, problem);
    object["microseconds"] = best.calibrated.total / chip.boostMHz;
  }
  const Extents &extents = problem.extents;
  object["gemm"] = array(extents.m, extents.n, extents.k);
  object["type"] = elementName(problem.operand, problem.isComplex);
  object["type_b"] = elementName(problem.operandB(), problem.isComplex);
  object["accumulator"] = elementName(problem.accumulator, problem.isComplex);
  object["batch"] = problem.batch;
  object["target"] = chip.name;
  object["model"] = name(options.model);
  const Calibration &calibration = options.calibrationFor(chip);
  object["calibration"] = llvm::json::Object{
      {"device", calibration.device},
      {"source", calibration.source},
      {"measured", calibration.provenance == Provenance::Measured}};
  if (detail == Detail::All) {
    llvm::json::Array all;
    for (const Candidate &candidate : choice.candidates)
      all.push_back(members(candidate, problem));
    object["candidates"] = std::move(all);
  }
  return object;
}
