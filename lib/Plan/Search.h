//===- Search.h - The best tiling for one grid and atom -----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_PLAN_SEARCH_H
#define KAMI_LIB_PLAN_SEARCH_H

#include "kami/Model/CalibratedModel.h"
#include "kami/Plan/Verify.h"
#include <array>
#include <limits>

namespace kami {

/// Whether the assembler may have to spill some registers: fewer are left than
/// the model would set aside for addresses. A plan to take if nothing else
/// fits.
inline bool isTight(const Resources &resources, const Chip &chip) {
  return resources.registers.total() > chip.maxRegisters(resources.threads);
}

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// A plan with what it costs, or why it cannot be.
struct Tiling {
  Plan plan;
  Resources resources;
  CalibratedCost cost;
  Misfit misfit;
};

/// What the model is told of the problem, and of how a plan's warps load it.
Work workOf(const Problem &problem);
Work workOf(const Problem &problem, const Plan &plan);

/// How operands travel, and whether the next product's are prefetched: plans of
/// which the best is worth knowing.
struct PlanForm {
  Transport transport;
  bool prefetches = false;

  size_t index() const {
    return prefetches ? std::size(allTransports) : size_t(transport);
  }
};

/// Of operands that a block reads from memory.
constexpr PlanForm memoryForms[] = {{Transport::Staged},
                                    {Transport::Gathered},
                                    {Transport::Copied},
                                    {Transport::Copied, /*prefetches=*/true}};

/// Tries tiles, slice widths and counts of parked slices for a fixed grid and
/// atom, and keeps for each form the one of fewest calibrated cycles.
class GridSearch {
public:
  GridSearch(const Problem &problem, const Chip &chip, const RatedAtom &atom,
             const WarpGrid &grid, const Calibration &calibration);

  /// Cycles that no tiling takes less than.
  double leastCycles() const { return leastOf(areas.front()); }

  /// Leaves out what cannot take `mostCycles` or fewer.
  void run(double mostCycles);

  /// The best tiling that fits, and the largest tile that does not; nothing
  /// where there is none.
  const std::optional<Tiling> &best(PlanForm form) const {
    return bests[form.index()];
  }
  const std::optional<Tiling> &misfit(PlanForm form) const {
    return misfits[form.index()];
  }

private:
  /// Of a tile of C, and cycles that the problem takes at least by such tiles,
  /// unless blocks take turns.
  struct Area {
    double bound;
    int64_t m;
    int64_t n;
  };

  double leastOf(const Area &area) const;
  bool leavesOutHalf(const Area &area) const;
  void tryAreas(double mostCycles);
  bool waitsForPages(const Tiling &tiling) const;
  double turnsOf(const Tiling &tiling) const;
  void deepen(Tiling &best) const;
  void suitPages(Tiling &best) const;
  void keepOperand(Tiling &best) const;
  bool suitsGroups() const;
  bool wants(PlanForm form) const;
  Partition partitionOf(const Extents &tile, int64_t sliceK) const;
  bool couldCopy() const;
  bool loadsInUnevenSteps(const Partition &partition,
                          Transport transport) const;
  bool isTooLong(const Partition &partition, Transport transport) const;
  bool copiesTooMuch(const Partition &partition, Transport transport) const;
  void tryTile(const Extents &tile);
  bool tryArea(int64_t m, int64_t n, llvm::ArrayRef<int64_t> depths);
  bool tryStaged(const Partition &partition);
  void tryGathered(const Partition &partition);
  bool tryCopied(int64_t m, int64_t n);
  void tryCopies(const Partition &partition, llvm::ArrayRef<int64_t> stages);
  Extents tileOf(const Partition &partition) const;
  bool mayPrefetch() const;
  bool suitsEngine() const;
  bool usesEngine(bool prefetches) const;
  bool relaysC(const Partition &partition, const PlanForm &form) const;
  bool tryPlan(const Partition &partition, PlanForm form,
               const Slicing &slicing, int64_t stages = 1);
  Plan interleaved(Plan plan) const;
  Resources resources(const Plan &plan) const;
  int64_t residentAlone(Plan plan) const;
  void keepMisfit(const Plan &plan, const Resources &resources,
                  const Misfit &misfit);
  bool parkUntilFit(const Partition &partition, Slicing &slicing,
                    int64_t Slicing::*count, int64_t held, bool spares) const;
  /// The largest of the best plans' cycles, infinite while one is missing.
  double worstBest() const;
  int64_t partBytes(std::optional<Major> major) const;
  llvm::SmallVector<int64_t, 8> tileExtents(int64_t extent, int64_t parts,
                                            int64_t atomExtent,
                                            std::optional<Major> major) const;
  llvm::SmallVector<int64_t, 8> tileDepths() const;

  const Problem &problem;
  const Chip &chip;
  const Calibration &calibration;
  RatedAtom atom;
  WarpGrid grid;
  int64_t registerLimit;
  /// Those that are tried, best first.
  llvm::SmallVector<Area, 64> areas;
  Area largest;
  /// The least depth of a tile that is tried.
  int64_t shallowest = 0;
  /// Whether any plan of the tile in hand fits.
  bool fits = false;
  std::array<std::optional<Tiling>, std::size(allTransports) + 1> bests,
      misfits;
};

/// The best plans for products that are packed, one for each atom, where such
/// are worth a try.
llvm::SmallVector<Tiling, 4> packedTilings(const Problem &problem,
                                           const Chip &chip,
                                           const Calibration &calibration);

/// Whether a block of the chip can have so many warps.
llvm::Error checkWarps(int64_t warps, const Chip &chip);

} // namespace kami

#endif // KAMI_LIB_PLAN_SEARCH_H
