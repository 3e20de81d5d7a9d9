//===- GroupedPlanner.cpp -------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `choosePlan` thinks of a tile is asked of a product that is all such
// tiles. Which tile is best depends on how sizes spread: large ones are faster,
// and more of them is empty where products end.
//
//===----------------------------------------------------------------------===//

#include "kami/Plan/GroupedPlanner.h"
#include "kami/Layout/CopiedTile.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;

namespace {

/// How the tiles of a plan come to a block, and who computes them; open where
/// the planner has the choice.
struct Way {
  std::optional<Transport> transport;
  std::optional<Unit> unit;
};

} // namespace

/// Registers that are left to a thread which copies from products whose strides
/// are known only at run time. With fewer ptxas 13.0 spills: f16 up to 128 a
/// side in 64 × 64 × 32 tiles takes 11.7 µs, with 128 registers and a block
/// more a multiprocessor 14.4, in odd rows 15.9 and 20.0 (256 products; H200,
/// 2026-11-23).
constexpr int64_t registersOfCopies = 168;

/// Groups of warps whose operand is rounded in shared memory.
static bool isRounding(const std::optional<Unit> &unit,
                       const Problem &problem) {
  return unit == Unit::WarpGroup && problem.operand == ElementKind::TF32;
}

/// Tiles of C that products have which are spread evenly from nothing to twice
/// the typical extents.
static double tilesOfSpread(const Problem &problem, const Extents &tile) {
  auto along = [](int64_t typical, int64_t tile) {
    constexpr int64_t parts = 8;
    double sum = 0;
    for (int64_t part = 0; part != parts; ++part)
      sum += llvm::divideCeil(
          std::max<int64_t>(typical * (2 * part + 1) / parts, 1), tile);
    return sum / parts;
  };
  return problem.batch * along(problem.extents.m, tile.m) *
         along(problem.extents.n, tile.n);
}

/// Whether half of the tile or more is beyond typical products.
static bool isFar(const Extents &tile, const Extents &typical) {
  auto isSideFar = [](int64_t side, int64_t extent) {
    return side > 16 && side >= 2 * extent;
  };
  return isSideFar(tile.m, typical.m) || isSideFar(tile.n, typical.n) ||
         isSideFar(tile.k, typical.k);
}

/// A tile that is known to be good, and what it takes: open where the planner
/// has the choice.
struct Form {
  Extents tile;
  std::optional<int64_t> warps = std::nullopt;
  std::optional<int64_t> stages = std::nullopt;
  int64_t registers = registersOfCopies;
  /// Whether the copy engine brings its operands; threads do unless it says so.
  bool isBulk = false;
  /// Quarters of a tile that typical products have along m and n, and tiles
  /// that a multiprocessor has, at least, if the form is for large ones.
  int64_t quarters = 6, tilesEach = 4;
};

/// Whether rows of typical products begin at multiples of 16 bytes.
static bool areRowsAligned(const Problem &problem) {
  const Extents &typical = problem.extents;
  return areWholePieces(typical.m, byteWidth(problem.operand)) &&
         areWholePieces(typical.n, byteWidth(problem.operandB())) &&
         areWholePieces(typical.k, byteWidth(problem.operand));
}

/// Whether k is what products take long for, not C.
static bool isDeep(const Problem &problem) { return problem.extents.k >= 128; }

/// The tiles that large products take best, if these are, in their order. 256
/// products up to 512 × 512 × 512 or × 128, µs of odd rows and of aligned ones
/// (H200, 2026-11-24):
///
/// | type, form                         | × 512        | × 128        |
/// | f16 128 × 128 × 64, 8 warps        | 95.8, 49.7   | 47.7, 28.4   |
/// | f16 128 × 128 × 32, 8 warps        | 100.2, 45.1  | 45.2, 26.8   |
/// | f16 64 × 128 × 32                  | 104.4, 46.6  | 43.8, 26.0   |
/// | tf32 128 × 128 × 32, 8 warps       | 154.6, 99.3  | 67.8, 47.7   |
/// | tf32 64 × 128 × 32                 | 162.7, 102.1 | 67.3, 49.1   |
/// | tf32 128 × 64 × 32                 | 167.0, 104.4 | 65.1, 50.3   |
/// | f64 64 × 64 × 16, 4 warps          | 339.9, 241.7 | 127.2, 88.0  |
/// | f64 64 × 64 × 16, 2 warps          | 349.3, 260.1 | 119.2, 89.7  |
/// | f64 32 × 64 × 16                   | 375.1, 272.6 | 123.6, 89.5  |
///
/// f32 that lanes multiply takes 139 µs with squares of 64 and 169 with those
/// of 32 up to 512 × 512 × 128, aligned 94 and 108, but up to 256 a side 43 and
/// 39 (2026-11-23).
static llvm::SmallVector<Form, 3> largeForms(const Problem &problem,
                                             const Chip &chip) {
  // With 128 registers a thread spills some outside of its loops, but there
  // are two blocks of 8 warps.
  const Form square = {{128, 128, 32}, 8, std::nullopt, 128};
  int64_t bytes =
      std::max(byteWidth(problem.operand), byteWidth(problem.operandB()));
  bool areAligned = areRowsAligned(problem);
  if (bytes == 2) {
    const Form oblong = {{64, 128, 32}};
    if (!isDeep(problem))
      return {oblong};
    if (!areAligned)
      return {{{128, 128, 64}, 8, 2, 128}, oblong};
    return {square, oblong};
  }
  if (problem.operand == ElementKind::F64 && isDeep(problem)) {
    // A block more a multiprocessor than with squares of 64, which many
    // products want: 32, 48, 64, 96 and 256 up to 512 × 512 × 512 take 34.2,
    // 56.0, 73.1, 117 and 252 µs so, and 36.2, 57.2, 74.3, 115 and 239 with
    // those, 64 on an H200 72.4 and 75.4 (H100, 2026-11-27).
    const Form oblong = {{64, 48, 16}, 4, 3};
    constexpr int64_t manyTiles = 17;
    if (areAligned &&
        tilesOfSpread(problem, oblong.tile) < manyTiles * chip.multiprocessors)
      return {oblong};
    return {};
  }
  if (problem.operand == ElementKind::F64) {
    const Form oblong = {{32, 64, 16}};
    if (areAligned)
      return {oblong};
    // A block more takes its tiles from the others: of 64 products, which have
    // 12 tiles a multiprocessor, three stages take 48.0 µs and two 53.6, of 256
    // 136 and 131 (H100, 2026-11-24).
    Form square = {{64, 64, 16}, 2, 2};
    // Fewer warps are worth it for larger products.
    square.quarters = 12;
    constexpr int64_t manyTiles = 24;
    if (tilesOfSpread(problem, square.tile) < manyTiles * chip.multiprocessors)
      square.stages = 3;
    return {square, oblong};
  }
  if (problem.operand == ElementKind::F32) {
    Form lanes = {{64, 64, 16}};
    lanes.quarters = 12;
    return {lanes};
  }
  if (bytes != 4)
    return {};
  if (areAligned && chip.copiesBulk && problem.bulk.value_or(true)) {
    const Form form = {{128, 64, 32}, 4, 4, registersOfCopies, /*isBulk=*/true};
    // 4096 products up to 256 × 256 × 128 take 277 µs with three stages, 317
    // with four, and 299 with squares of 64 that threads copy; up to 128 a side
    // 118 with these and 124 with four stages; of 256 they are as good, too
    // (H100, 2026-11-25).
    Form many = form;
    many.stages = 3;
    many.quarters = 4;
    many.tilesEach = 64;
    if (isDeep(problem))
      return {form, many};
    // Less of the other operand to read again: 64, 128, 256 and 1024 products
    // up to 512 × 512 × 128 take 15.8, 27.9, 48.3 and 179 µs with 192 rows,
    // 17.0, 28.0, 47.1 and 179 with 160, and 17.1, 28.7, 48.0 and 188 with 128
    // (H100, 2026-11-26). Of many, 256, 1024 and 4096 take 45.7, 163 and 621
    // with 176, and 46.8, 165 and 639 with 160 (H200, 2026-11-29).
    Form tall = form;
    tall.stages = 3;
    tall.quarters = 4;
    tall.tile.m = 192;
    constexpr int64_t manyTiles = 12;
    if (tilesOfSpread(problem, tall.tile) >= manyTiles * chip.multiprocessors)
      tall.tile.m = 176;
    return {tall, form, many};
  }
  const Form rounded = {{128, 128, 32}, 8, 2, 128};
  if (isDeep(problem))
    return {rounded, {{64, 128, 32}}};
  if (areAligned)
    return {rounded, {{128, 64, 32}}};
  // Shallower tiles have less beyond k: up to 512 × 512 × 128 32, 64, 256 and
  // 1024 products take 13.0, 23.1, 58.3 and 232 µs so, and 13.8, 25.4, 63.1 and
  // 242 with 32 along k; up to 256 × 256 × 128 128, 256 and 1024 14.6, 24.2 and
  // 80.1, where squares of 64 take 15.0, 25.8 and 85.8, but 64 11.6 and 10.0
  // (H100, 2026-11-26).
  Form shallow = {{128, 64, 16}, 4, 3};
  shallow.quarters = 3;
  shallow.tilesEach = 2;
  return {shallow};
}

/// Whether typical products have several such tiles along each side, and all of
/// them enough to keep the chip busy.
static bool isLarge(const Problem &problem, const Form &form,
                    const Chip &chip) {
  const Extents &typical = problem.extents, &tile = form.tile;
  return 4 * typical.m >= form.quarters * tile.m &&
         4 * typical.n >= form.quarters * tile.n && 2 * typical.k > tile.k &&
         tilesOfSpread(problem, tile) >= form.tilesEach * chip.multiprocessors;
}

/// Whether there are so few that a block has one or two tiles.
static bool areFew(const Problem &problem, const Chip &chip) {
  return 2 * tilesOfSpread(problem, {64, 64, 1}) <= 3 * chip.multiprocessors;
}

/// What deep products of f64 in aligned rows take best that are large, and so
/// few that a multiprocessor has 2 to 8 of these tiles: 8, 12, 16 and 24
/// products up to 512 × 512 × 512 take 17.2, 14.6, 23.4 and 28.6 µs,
/// and 18.8, 17.9, 27.4 and 29.4 with the planner's choice else, but 4
/// take 12.2 and 10.8, 64 85.7 and 78.5; up to 256 × 256 × 512 8 take 13.1
/// and 11.1, 24 14.8 and 13.3 (H100, 2026-11-26).
static constexpr Form fewLarge = {{32, 64, 32}, std::nullopt, 3};

static bool areFewLarge(const Problem &problem, const Chip &chip) {
  const Extents &typical = problem.extents;
  double tiles = tilesOfSpread(problem, fewLarge.tile);
  return problem.operand == ElementKind::F64 && areRowsAligned(problem) &&
         isDeep(problem) && typical.m >= 192 && typical.n >= 192 &&
         tiles >= 2 * chip.multiprocessors && tiles < 8 * chip.multiprocessors;
}

/// The tile that products take best of which there are so few that a block has
/// one or two tiles: what counts is how long each takes, and that is fewer
/// waits for memory. 8 products of f16 up to 256 × 256 × 128 take 5.4 µs with
/// 64 × 32 × 64, 5.6 with 64 × 64 × 64 and 6.6 with 64 × 64 × 32; of tf32 6.9
/// µs with 64 × 64 × 64 and 8.0 with 64 × 64 × 32; up to 512 × 512 × 512 12 µs
/// with 32 × 64 × 64 and 14 with 64 × 64 × 64; of f64 in odd rows 15.0 µs with
/// 16 × 32 × 32, 17.6 with 32 × 32 × 32 and 18.5 with 32 × 32 × 16 (H200,
/// 2026-11-23), but of larger ones in aligned rows 23.5, and 19.1 with 32 × 32
/// × 32 (H100, 2026-11-24). In odd rows 4 and 8 products of f64 up to 512 × 512
/// × 512 take 10.4 and 14.6 µs with two warps a tile and four stages, 10.7 and
/// 15.3 with three stages; 8 of which k is 119 in the mean take 8.3 µs so and
/// 12.2 with 32 × 32 × 16 (H100, 2026-11-26).
static std::optional<Form> smallForm(const Problem &problem, const Chip &chip) {
  Form form;
  Extents &tile = form.tile;
  switch (problem.operand) {
  case ElementKind::F16:
  case ElementKind::BF16:
    tile = {64, 32, 64};
    break;
  case ElementKind::TF32:
    tile = {isDeep(problem) ? 32 : 64, 64, 64};
    break;
  case ElementKind::F64:
    if (areRowsAligned(problem))
      tile = {32, 32, isDeep(problem) ? 32 : 16};
    else if (problem.extents.k >= 96)
      form = {{16, 32, 32}, 2, 4};
    else
      tile = {32, 32, 16};
    break;
  default:
    return std::nullopt;
  }
  if (isFar(tile, problem.extents) || !areFew(problem, chip))
    return std::nullopt;
  return form;
}

/// Whether typical products are so small that a tile of 64 covers most.
static bool areSmall(const Problem &problem) {
  constexpr int64_t most = 33;
  return problem.extents.m <= most && problem.extents.n <= most;
}

/// Extents that tell whether a tile is far too large: of small products it may
/// cover all that are spread up to twice the typical ones.
static Extents reachOf(const Problem &problem) {
  Extents reach = problem.extents;
  if (areSmall(problem))
    reach = {reach.m + 1, reach.n + 1, reach.k};
  return reach;
}

/// Whether typical products are so small that a warp takes each.
static bool areTiny(const Problem &problem) {
  constexpr int64_t most = 17, deepest = 33;
  const Extents &typical = problem.extents;
  return typical.m <= most && typical.n <= most && typical.k <= deepest;
}

/// What tiny products take, which a warp loads into its registers: to have them
/// copied to shared memory first is as many instructions again. 20 000 products
/// of f16, tf32 and f64 take, in µs (H200, 2026-11-29)
///
/// |                       | up to 16 a side  | up to 32 a side  |
/// | one warp, registers   | 14.7, 13.5, 14.3 | 29.8, 34.9, 55.6 |
/// | the same, copied      | 18.5, –, 25.3    | 32.6, 54.4, 75.2 |
///
/// and 31.5, 36.6 and 56 with other numbers of registers. f32, which lanes
/// multiply, takes 106 to 112 µs up to 24 a side, copied 53.
static std::optional<Form> tinyForm(const Problem &problem) {
  bool isOpen = !problem.tile && !problem.transport && !problem.unit &&
                !problem.warps && !problem.stages && !problem.bulk;
  if (!isOpen || !areTiny(problem) || problem.operand == ElementKind::F32)
    return std::nullopt;
  constexpr int64_t side = 16;
  int64_t typical = std::max(problem.extents.m, problem.extents.n);
  // Rows that are not aligned are said by one more.
  bool areSmall = typical <= side / 2 + 1;
  int64_t bytes =
      std::max(byteWidth(problem.operand), byteWidth(problem.operandB()));
  Form form;
  form.tile.m = form.tile.n = areSmall ? side : 2 * side;
  form.tile.k = bytes == 1 ? 2 * side : side;
  form.warps = 1;
  form.registers = areSmall ? 64 : bytes == 4 ? 96 : 128;
  return form;
}

/// The tiles that are worth trying for products of any size, where sizes are
/// typical and no tile is asked for.
static llvm::SmallVector<Form> formsFor(const Problem &problem) {
  const Extents &typical = problem.extents;
  int64_t bytes =
      std::max(byteWidth(problem.operand), byteWidth(problem.operandB()));
  // Of products up to 512 a side, f16 and tf32 took tiles of 32 along k, f64
  // of 16, and squares of 64 or 128, best (H200, 2026-11-22): each tile of k
  // has its addresses and bounds to find anew, and deeper ones have more of
  // them than there are registers.
  // The lanes take as long to multiply one of f32 as of f64.
  bool isSlow = bytes == 8 || problem.operand == ElementKind::F32;
  auto isWrong = [&](int64_t depth) {
    return (depth < 32 && depth < typical.k && !isSlow) ||
           (depth > 32 && bytes > 1);
  };
  // Unless the shorter side is all there is.
  auto isOblong = [&](int64_t m, int64_t n) {
    return std::max(m, n) >= 64 &&
           ((m < n && m < typical.m) || (n < m && n < typical.n));
  };
  // A block more, since blocks that look at no other products need fewer: 20
  // 000 products up to 64 a side take 121 µs so and 138 with 168 of f16, 166
  // and 179 of tf32, but 312 and 256 of f64; 1000 of f16 9.1 and 10.1 (H200,
  // 2026-11-29).
  int64_t registers = areSmall(problem) && !isSlow ? 128 : registersOfCopies;
  Extents reach = reachOf(problem);
  llvm::SmallVector<Form> forms;
  constexpr int64_t sides[] = {16, 32, 64, 128}, depths[] = {16, 32, 64};
  for (int64_t m : sides)
    for (int64_t n : sides)
      for (int64_t k : depths)
        if (!isWrong(k) && !isOblong(m, n) && !isFar({m, n, k}, reach)) {
          Form &form = forms.emplace_back();
          form.tile = {m, n, k};
          form.registers = registers;
        }
  return forms;
}

/// How long products of their own sizes take with such tiles: as many as each
/// multiprocessor has, and one more, since tiles are dealt out whole.
static double timeOfSpread(const Candidate &candidate, const Problem &problem,
                           const Chip &chip) {
  // Groups that round one operand take three quarters of what the model says,
  // beside others: 256 products of tf32 up to 512 × 512 × 512 take 161 µs, and
  // by warps, which it prefers, 181; rows that are not aligned, up to 256 × 256
  // × 128, 45 and 56 (H200, 2026-11-22).
  double part = isRounding(candidate.plan.unit(), problem) ? 0.75 : 1;
  double tile = candidate.score / candidate.calibrated.blocks * part;
  return tile * (tilesOfSpread(problem, *problem.tile) + chip.multiprocessors);
}

/// Numbers of stages that are worth trying for tiles of the problem's extents:
/// more than one, so that something is on its way while a tile of k is
/// multiplied, if it is not all of k. Groups of warps, which multiply fast,
/// want about as many as typical products have tiles, and one more.
static llvm::SmallVector<std::optional<int64_t>, 3>
stagesFor(const Problem &problem) {
  if (problem.transport != Transport::Copied || problem.stages ||
      problem.tile->k >= 2 * problem.extents.k)
    return {std::nullopt};
  if (problem.unit != Unit::WarpGroup)
    return {2, 3, 4};
  int64_t depth = problem.tile->k;
  int64_t tiles = std::max<int64_t>((problem.extents.k + depth / 2) / depth, 1);
  if (tiles < 3)
    return {tiles + 1};
  return {3, 4};
}

/// The best candidate for tiles of the problem's extents, one after the other.
/// Of groups' it is the one with the most stages for which a multiprocessor has
/// as many blocks: 256 products of f16 up to 512 × 512 × 512 take 46 µs with
/// four of 64 × 128 × 32 and 50 with three; of tf32 105 with three of 128 × 64
/// × 32, and 142 with four, which leave one block (H200, 2026-11-23).
static llvm::Expected<Candidate> chooseForTile(Problem problem,
                                               const Chip &chip,
                                               const PlannerOptions &options) {
  // So many that it does not matter how they fill the chip.
  problem.batch = std::min<int64_t>(problem.batch * 64, maxExtent);
  auto isBetter = [&](const Candidate &candidate, const Candidate &best) {
    if (problem.unit != Unit::WarpGroup)
      return candidate.score < best.score;
    return residentBlocks(candidate.resources, chip) >=
           residentBlocks(best.resources, chip);
  };
  std::optional<Candidate> best;
  std::string reason;
  for (std::optional<int64_t> count : stagesFor(problem)) {
    if (count)
      problem.stages = count;
    llvm::Expected<Choice> choice = choosePlan(problem, chip, options);
    if (!choice)
      reason = llvm::toString(choice.takeError());
    else if (!best || isBetter(*choice->best(), *best))
      best = *choice->best();
  }
  if (best)
    return *best;
  return llvm::createStringError(reason);
}

/// Ways, in lists of those that compete: what is in a list further on is for
/// problems that none before it fits. Copies wait for no lane, and make the
/// most of rows that are not aligned. Groups whose operands never are in
/// registers leave these to them.
static llvm::SmallVector<llvm::SmallVector<Way, 2>>
preferredWays(const Problem &problem, const Chip &chip) {
  const std::optional<Unit> &unit = problem.unit;
  const Way byGroups = {Transport::Copied, Unit::WarpGroup};
  llvm::SmallVector<llvm::SmallVector<Way, 2>> preferences;
  if (problem.isCopyable && chip.copiesAsync) {
    if (unit)
      preferences.push_back({{Transport::Copied, unit}});
    else if (readsEitherOrder(byteWidth(problem.operand)))
      preferences.push_back({byGroups});
    if (!unit)
      preferences.push_back({byGroups, {Transport::Copied, Unit::Warp}});
  }
  preferences.push_back({{std::nullopt, unit}});
  return preferences;
}

/// Forms, in lists of those that compete: one list further on is for problems
/// that none before it fits.
static llvm::SmallVector<llvm::SmallVector<Form>>
preferredForms(const Problem &problem, const Chip &chip) {
  if (problem.tile)
    return {{{*problem.tile}}};
  llvm::SmallVector<llvm::SmallVector<Form>> preferences;
  for (const Form &form : largeForms(problem, chip))
    if (isLarge(problem, form, chip))
      preferences.push_back({form});
  if (areFewLarge(problem, chip))
    preferences.push_back({fewLarge});
  if (std::optional<Form> form = smallForm(problem, chip))
    preferences.push_back({*form});
  // One tile each, so that products are dealt: 20 000, 1000 and 256 up to 64 a
  // side take 299, 22.2 and 8.9 µs so, and 370, 23.4 and 9.4 in tiles of 32,
  // but 64 7.0 and 6.5 (H200, 2026-11-29).
  const Form lanes = {{64, 64, 16}, 4};
  if (problem.operand == ElementKind::F32 && areSmall(problem) &&
      !isFar(lanes.tile, reachOf(problem)))
    preferences.push_back({lanes});
  preferences.push_back(formsFor(problem));
  return preferences;
}

/// The best candidate of that way and of the better forms; `least` is how long
/// the best so far takes.
static void chooseForm(const Problem &asked, const Way &way, const Chip &chip,
                       const PlannerOptions &options,
                       std::optional<Candidate> &best, double &least,
                       std::string &reason) {
  bool fits = false;
  for (llvm::ArrayRef<Form> forms : preferredForms(asked, chip)) {
    for (const Form &form : forms) {
      Problem problem = asked;
      problem.transport = way.transport;
      problem.unit = way.unit;
      problem.leastRegisters =
          way.transport ? form.registers : chip.maxRegistersPerThread;
      problem.tile = form.tile;
      if (!problem.warps)
        problem.warps = form.warps;
      if (!problem.stages)
        problem.stages = form.stages;
      if (!problem.bulk)
        problem.bulk = form.isBulk;
      // Rows of a rounding group, columns of C, are 64. To use fewer is worth
      // it only for lack of tiles.
      if (isRounding(way.unit, problem) && form.tile.n < 64 &&
          tilesOfSpread(problem, form.tile) >= chip.multiprocessors)
        continue;
      llvm::Expected<Candidate> candidate =
          chooseForTile(problem, chip, options);
      if (!candidate) {
        reason = llvm::toString(candidate.takeError());
        continue;
      }
      fits = true;
      double time = timeOfSpread(*candidate, problem, chip);
      if (best && time >= least)
        continue;
      best = *candidate;
      least = time;
    }
    if (fits)
      return;
  }
}

static llvm::Expected<Candidate>
chooseForSpread(Problem problem, const Chip &chip,
                const PlannerOptions &options) {
  // The next tile is another product's, more often than not: to look for it
  // early cost what it gained.
  problem.mayPrefetch = false;
  // Nobody knows where rows begin.
  problem.isSkewed = true;
  // In odd rows C goes through shared memory: 256 products of f64 up to 512 ×
  // 512 × 128 take 109 µs so and 132 without, up to 512 × 512 × 512 312 and
  // 334, of tf32 138.4 and 144.1 (H100, 2026-11-25). But few deep ones of f64,
  // 8 of them, take 15.1 and 15.5.
  bool isFewDeep = problem.operand == ElementKind::F64 && isDeep(problem) &&
                   areFew(problem, chip);
  problem.relaysWide = !areRowsAligned(problem) && !isFewDeep;
  if (std::optional<Form> form = tinyForm(problem)) {
    Problem tiny = problem;
    tiny.transport = Transport::Staged;
    tiny.unit = Unit::Warp;
    tiny.tile = form->tile;
    tiny.warps = form->warps;
    tiny.leastRegisters = form->registers;
    // Rows are too short for wide accesses to be worth two ways to load them.
    tiny.majorA = tiny.majorB = std::nullopt;
    llvm::Expected<Candidate> candidate = chooseForTile(tiny, chip, options);
    if (candidate)
      return candidate;
    llvm::consumeError(candidate.takeError());
  }
  std::string reason;
  for (llvm::ArrayRef<Way> ways : preferredWays(problem, chip)) {
    std::optional<Candidate> best;
    double least = 0;
    for (const Way &way : ways)
      chooseForm(problem, way, chip, options, best, least, reason);
    if (best)
      return *best;
  }
  return llvm::createStringError(reason);
}

int64_t kami::listRoom(const Plan &plan) {
  if (plan.dealsProducts)
    return listBytes + productWordBytes;
  return listBytes + dealtBytes + takenBytes(plan.taken);
}

Chip kami::withoutBytes(Chip chip, int64_t bytes) {
  chip.sharedPerBlock -= bytes;
  chip.sharedReservedPerBlock += bytes;
  return chip;
}

/// How many of the last turns of tiles blocks had better take as they are done
/// with others. To find the product of a tile that is taken holds its block up
/// for a microsecond or two, which only tiles of f64 that are deep, and many,
/// outweigh: 256 products up to 512 × 512 × 512 in odd rows take 335.9 µs so
/// and 357.2 without, 64 90.6 and 89.8, 256 in aligned rows 244 and 241; of
/// tf32 in aligned rows up to 512 × 512 × 128 60 and 48 (H100, 2026-11-25).
static int64_t preferredTurns(const Candidate &candidate,
                              const Problem &problem, const Chip &chip) {
  constexpr int64_t manyTiles = 24, turns = 6;
  bool areMany = tilesOfSpread(problem, candidate.plan.tile) >=
                 manyTiles * chip.multiprocessors;
  return problem.operand == ElementKind::F64 && isDeep(problem) && areMany &&
                 !areRowsAligned(problem)
             ? turns
             : 0;
}

/// How many turns they take: what is asked for, if there is room for as many
/// blocks a multiprocessor as without.
static int64_t takenTurns(const Candidate &candidate, const Problem &problem,
                          const Chip &whole) {
  if (!whole.numbersLaunches)
    return 0;
  int64_t resident =
      residentBlocks(candidate.resources, withoutTileList(whole));
  int64_t taken =
      problem.taken.value_or(preferredTurns(candidate, problem, whole));
  Chip remaining = withoutTileList(whole, takenBytes(taken) + ticketBytes);
  return residentBlocks(candidate.resources, remaining) == resident ? taken : 0;
}

/// Whether blocks had better be dealt products than tiles: where most products
/// are one tile, or two or so and there are very many. To look at all products
/// takes longer than that some blocks have larger ones. 20 000 products up to
/// 24 a side take 53 µs so and 332 without of f32, up to 64 138 and 206 of f16,
/// 255 and 327 of f64, 178 and 242 of tf32, 261 and 368 of f32 in tiles of 32;
/// 256 of f16 and f64 4.6 and 6.2, 8.0 and 9.6, but of f32 14.7 and 9.1; and
/// 4096 of f64 up to 128 in tiles of 32 277 and 184 (H200, 2026-11-29).
static bool dealsProducts(const Plan &plan, const Problem &problem) {
  if (areTiny(problem))
    return true;
  constexpr double fewTiles = 2.5;
  constexpr int64_t manyTurns = 16;
  double tiles = tilesOfSpread(problem, plan.tile) / double(problem.batch);
  bool areMany = problem.batch >= manyTurns * plan.blocks;
  return problem.extents.k <= 5 * plan.tile.k &&
         (tiles <= 1 || (tiles <= fewTiles && areMany));
}

llvm::Expected<Plan> kami::chooseGroupedPlan(const Problem &problem,
                                             const Chip &whole,
                                             const PlannerOptions &options) {
  Chip chip = withoutTileList(whole);
  Problem ordered = problem;
  if (problem.isReproducible) {
    llvm::Expected<Candidate> reference =
        chooseForSpread(withReferenceBatch(problem), chip, options);
    if (!reference)
      return reference.takeError();
    ordered.order = sumOrderOf(reference->plan);
  }
  llvm::Expected<Candidate> best = chooseForSpread(ordered, chip, options);
  if (!best)
    return best.takeError();
  Plan plan = best->plan;
  plan.teams = 1;
  plan.prefetches = plan.bulk && plan.stages > 1;
  plan.taken = takenTurns(*best, problem, whole);
  auto fillChip = [&] {
    chip = withoutBytes(whole, listRoom(plan));
    plan.blocks = chip.multiprocessors * residentBlocks(best->resources, chip);
  };
  fillChip();
  plan.dealsProducts = plan.taken == 0 && dealsProducts(plan, problem);
  // There is more room for blocks that do not deal tiles.
  if (plan.dealsProducts)
    fillChip();
  return plan;
}
