//===- Chain.cpp - Products that follow each other -----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Plan/Chain.h"
#include "Search.h"
#include "kami/Layout/FragmentMap.h"
#include "kami/Plan/Verify.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace kami;

bool kami::keepsRegisters(const Plan &first, const Plan &second) {
  auto isRows = [](const WarpGrid &grid) { return grid.n == 1 && grid.k == 1; };
  if (!first.interleave.isPlain() || !second.interleave.isPlain() ||
      !isRows(first.grid) || !isRows(second.grid) ||
      first.grid.m != second.grid.m ||
      first.partition().warpM != second.partition().warpM)
    return false;
  bool isRounded = second.atom->operand == ElementKind::TF32 ||
                   second.atom->operand == ElementKind::TF32x3;
  bool isKept = second.unit() == Unit::WarpGroup ||
                second.exchange(Source::Block).keepsParkedA(second.grid);
  if (isRounded || (isKept && second.slices.sharedA > 0))
    return false;
  const FragmentMap *from = findFragmentMap(first.atom->mapC);
  const FragmentMap *to = findFragmentMap(second.atom->mapA);
  return from && to && staysInLanes(*from, *to);
}

RelayShape::RelayShape(int64_t rows, int64_t columns, int64_t elementBytes)
    : rows(rows), columns(columns), elementBytes(elementBytes) {
  constexpr int64_t banks = 128, step = 16;
  stride = (llvm::alignTo(columns * elementBytes, banks) + step) / elementBytes;
}

llvm::StringRef kami::name(ChainOrder order) {
  return order == ChainOrder::Left ? "left" : "right";
}

ChainProblem ChainProblem::transposed() const {
  ChainProblem other = *this;
  other.m = q;
  other.k = n;
  other.n = k;
  other.q = m;
  return other;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

namespace {

struct Leanness;

/// Left chains of one problem.
class ChainSearch {
public:
  ChainSearch(const ChainProblem &problem, ChainOrder order, const Chip &chip,
              const PlannerOptions &options,
              std::vector<ChainCandidate> &candidates)
      : problem(problem), order(order), chip(chip), options(options),
        candidates(candidates) {}

  /// Tries all tiles for so many rows of warps. The reason why a product has no
  /// plan is left in `reason`.
  void run(int64_t warps, std::string &reason);

private:
  std::optional<Candidate> plan(const Extents &tile, int64_t warps,
                                const Leanness &leanness,
                                std::string &reason) const;
  bool addAny(const Extents &first, const Extents &second, int64_t warps,
              std::string &reason);
  bool add(const Candidate &first, const Candidate &second);
  double cycles(const Candidate &first, const Candidate &second) const;

  ChainProblem problem;
  ChainOrder order;
  const Chip &chip;
  const PlannerOptions &options;
  std::vector<ChainCandidate> &candidates;
};

} // namespace

/// All of an extent, or parts of it.
static llvm::SmallVector<int64_t, 4> tilesOf(int64_t extent,
                                             llvm::ArrayRef<int64_t> parts) {
  llvm::SmallVector<int64_t, 4> tiles;
  if (extent <= parts.front())
    tiles.push_back(extent);
  for (int64_t part : parts)
    if (part < extent)
      tiles.push_back(part);
  return tiles;
}

namespace {
/// How much of a product waits outside of the registers: how deep a tile is,
/// and whether all slices are parked.
struct Leanness {
  int64_t depth;
  bool parksAll;
};
} // namespace

/// What is tried in turn, until both products' registers suffice.
static constexpr Leanness leannesses[] = {
    {128, false}, {128, true}, {32, false}, {32, true}, {16, true}};

/// The best way for one block to multiply one tile at a time.
std::optional<Candidate> ChainSearch::plan(const Extents &tile, int64_t warps,
                                           const Leanness &leanness,
                                           std::string &reason) const {
  Problem product;
  product.extents = tile;
  product.operand = problem.operand;
  product.accumulator = problem.accumulator;
  // Warps hold what they multiply: the intermediate is in their registers.
  product.isCopyable = false;
  // Enough for the whole device to be busy.
  product.batch = 1 << 14;
  product.grid = WarpGrid{warps, 1, 1};
  product.tile = Extents{tile.m, tile.n, std::min(tile.k, leanness.depth)};
  // Sums become an operand as they lie.
  product.majorA = product.majorB = std::nullopt;
  PlannerOptions bestAlone = options;
  bestAlone.kept = Kept::Best;
  llvm::Expected<Choice> choice = choosePlan(product, chip, bestAlone);
  if (!choice) {
    reason = llvm::toString(choice.takeError());
    return std::nullopt;
  }
  if (!leanness.parksAll)
    return *choice->best();
  Plan plan = choice->best()->plan;
  Partition partition = plan.partition();
  plan.slices.sharedA = partition.heldA();
  plan.slices.sharedB = partition.heldB();
  Candidate parked = evaluatePlan(plan, product, chip, bestAlone);
  return parked.fits() ? std::optional(parked) : std::nullopt;
}

/// Bytes of the operands and the sums of one product.
static double bytesOf(const Extents &extents, const Atom &atom) {
  return double(extents.m * extents.k + extents.k * extents.n) *
             byteWidth(atom.operand) +
         double(extents.m * extents.n) * byteWidth(atom.accumulator);
}

/// As for a single product (see CalibratedModel), of blocks that do both, and
/// without the intermediate's way through memory.
double ChainSearch::cycles(const Candidate &first,
                           const Candidate &second) const {
  const CalibratedCost &one = first.calibrated, &other = second.calibrated;
  const Extents &tile = second.plan.tile;
  double parts = llvm::divideCeil(problem.n, first.plan.tile.n);
  double blocks = double(llvm::divideCeil(problem.m, tile.m)) *
                  llvm::divideCeil(problem.q, tile.n) * problem.batch;
  double operand = byteWidth(first.plan.atom->operand);
  double sum = byteWidth(first.plan.atom->accumulator);
  double m = problem.m, k = problem.k, n = problem.n, q = problem.q;
  double cacheBytes = (parts * tile.m * k + k * n + n * tile.n) * operand +
                      tile.m * tile.n * sum;
  double deviceBytes = ((m * k + k * n + n * q) * operand + m * q * sum) *
                       problem.batch / blocks;
  double perBytes = bytesOf({first.plan.tile.m, first.plan.tile.n, problem.k},
                            *first.plan.atom);
  double cache = one.cacheBandwidth * cacheBytes / perBytes;
  double memory = one.memoryBandwidth * deviceBytes / perBytes;
  double tensor = parts * (one.tensorCores + other.tensorCores);
  double shared = parts * (one.sharedBandwidth + other.sharedBandwidth);
  double chain = parts * (one.computation + one.communication() +
                          one.memoryLatency + other.computation +
                          other.communication() + other.memoryLatency) +
                 std::max(cache, memory);
  // The part of the less busy units' cycles that shows: an estimate.
  constexpr double exposed = 0.2;
  double throughput =
      overlappedCycles({tensor, shared, cache, memory}, exposed);
  double resident = std::min(one.residentBlocks, other.residentBlocks);
  double rounds =
      std::ceil(blocks / (resident * chip.multiprocessors)) * resident;
  return one.launch + rounds * std::max(throughput, chain / resident);
}

/// False where they do not fit together.
bool ChainSearch::add(const Candidate &first, const Candidate &second) {
  ChainCandidate chain;
  chain.plan = {order, first.plan, second.plan};
  chain.keepsRegisters = keepsRegisters(first.plan, second.plan);
  // The second product's sums live through the first one.
  chain.registers = std::max(first.resources.registers.total() +
                                 second.resources.registers.accumulators,
                             second.resources.registers.total());
  chain.sharedBytes =
      std::max(first.resources.shared.bytes, second.resources.shared.bytes);
  if (!chain.keepsRegisters)
    chain.sharedBytes = std::max(
        chain.sharedBytes, RelayShape(first.plan.tile.m, first.plan.tile.n,
                                      byteWidth(second.plan.atom->operand))
                               .bytes());
  if (chain.registers > chip.maxRegisters(second.resources.threads) ||
      chain.sharedBytes > chip.sharedPerBlock)
    return false;
  double parts = llvm::divideCeil(problem.n, first.plan.tile.n);
  double blocks = double(llvm::divideCeil(problem.m, second.plan.tile.m)) *
                  llvm::divideCeil(problem.q, second.plan.tile.n) *
                  problem.batch;
  auto padded = [](const Plan &plan, double depth) {
    Partition partition = plan.partition();
    return 2.0 * partition.paddedM() * partition.paddedN() * depth;
  };
  chain.operations =
      blocks * parts *
      (padded(first.plan, problem.k) + padded(second.plan, second.plan.tile.k));
  chain.cycles = cycles(first, second);
  candidates.push_back(chain);
  return true;
}

/// Adds the least lean pair of plans that fits.
bool ChainSearch::addAny(const Extents &first, const Extents &second,
                         int64_t warps, std::string &reason) {
  llvm::SmallVector<Candidate, 2> seconds;
  // The intermediate is one tile deep.
  for (bool parksAll : {false, true})
    if (std::optional<Candidate> candidate =
            plan(second, warps, {second.k, parksAll}, reason))
      seconds.push_back(*candidate);
  for (const Leanness &leanness : leannesses) {
    if (seconds.empty())
      return false;
    std::optional<Candidate> candidate = plan(first, warps, leanness, reason);
    for (const Candidate &other : seconds)
      if (candidate && add(*candidate, other))
        return true;
  }
  return false;
}

void ChainSearch::run(int64_t warps, std::string &reason) {
  for (int64_t m : tilesOf(problem.m, {128, 64, 32, 16})) {
    // A row of warps without a row of the tile would only fetch: no choice but
    // the user's.
    constexpr int64_t atomRows = 16;
    int64_t rows = llvm::alignTo(llvm::divideCeil(m, warps), atomRows);
    if (!problem.warps && m <= (warps - 1) * rows)
      continue;
    for (int64_t n : tilesOf(problem.n, {128, 64, 32, 16}))
      for (int64_t q : tilesOf(problem.q, {128, 64, 32, 16}))
        addAny({m, n, problem.k}, {m, q, n}, warps, reason);
  }
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<ChainCandidate>>
kami::chooseChain(const ChainProblem &problem, const Chip &chip,
                  const PlannerOptions &options) {
  for (int64_t extent :
       {problem.m, problem.k, problem.n, problem.q, problem.batch})
    if (extent < 1 || extent > maxExtent)
      return llvm::createStringError(
          "expected extents and a batch from 1 to 2147483648, but got " +
          llvm::itostr(extent));
  if (problem.warps)
    if (llvm::Error error = checkWarps(*problem.warps, chip))
      return error;
  std::vector<ChainCandidate> candidates;
  std::string reason;
  llvm::SmallVector<int64_t, 5> warps = {1, 2, 4, 8, 16};
  if (problem.warps)
    warps = {*problem.warps};
  for (ChainOrder order : {ChainOrder::Left, ChainOrder::Right}) {
    if (problem.order && problem.order != order)
      continue;
    ChainProblem left =
        order == ChainOrder::Left ? problem : problem.transposed();
    ChainSearch search(left, order, chip, options, candidates);
    for (int64_t count : warps)
      search.run(count, reason);
  }
  if (candidates.empty())
    return llvm::createStringError(
        reason.empty() ? "no plan fits target '" + chip.name.str() +
                             "': two products' sums do not fit a thread's "
                             "registers"
                       : reason);
  llvm::stable_sort(candidates,
                    [](const ChainCandidate &a, const ChainCandidate &b) {
                      return a.cycles < b.cycles;
                    });
  return candidates;
}

llvm::Error kami::verifyChain(const ChainPlan &plan,
                              const ChainProblem &problem, const Chip &chip) {
  ChainProblem left =
      plan.order == ChainOrder::Left ? problem : problem.transposed();
  Problem product;
  product.operand = problem.operand;
  product.accumulator = problem.accumulator;
  product.isCopyable = false;
  product.batch = problem.batch;
  product.extents = {left.m, left.n, left.k};
  if (llvm::Error error = verifyPlan(plan.first, product, chip))
    return error;
  product.extents = {left.m, left.q, left.n};
  return verifyPlan(plan.second, product, chip);
}
