//===- GroupedForms.cpp - Tiles for products of any size ------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which tile is best depends on how sizes spread: large ones are faster, and
// more of them is empty where products end. What was measured is here; the
// model has the choice of what is left.
//
//===----------------------------------------------------------------------===//

#include "GroupedForms.h"
#include "kami/Layout/CopiedTile.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;

double kami::tilesOfSpread(const Problem &problem, const Extents &tile) {
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

bool kami::areRowsAligned(const Problem &problem) {
  const Extents &typical = problem.extents;
  return areWholePieces(typical.m, byteWidth(problem.operand)) &&
         areWholePieces(typical.n, byteWidth(problem.operandB())) &&
         areWholePieces(typical.k, byteWidth(problem.operand));
}

bool kami::isDeep(const Problem &problem) { return problem.extents.k >= 128; }

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

bool kami::areFew(const Problem &problem, const Chip &chip) {
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

bool kami::areTiny(const Problem &problem) {
  constexpr int64_t most = 17, deepest = 33;
  const Extents &typical = problem.extents;
  return typical.m <= most && typical.n <= most && typical.k <= deepest;
}

/// To have them copied to shared memory first is as many instructions again:
/// 20 000 products of f16, tf32 and f64 take, in µs (H200, 2026-11-29)
///
/// |                       | up to 16 a side  | up to 32 a side  |
/// | one warp, registers   | 14.7, 13.5, 14.3 | 29.8, 34.9, 55.6 |
/// | the same, copied      | 18.5, –, 25.3    | 32.6, 54.4, 75.2 |
///
/// and 31.5, 36.6 and 56 with other numbers of registers. f32, which lanes
/// multiply, takes 106 to 112 µs up to 24 a side, copied 53.
std::optional<Form> kami::tinyForm(const Problem &problem) {
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
  // A block more, since blocks that look at no other products need fewer. Up to
  // 64 a side 20 000 products take 121 µs so and 138 with 168 of f16, 166 and
  // 179 of tf32, but 312 and 256 of f64; 1000 of f16 9.1 and 10.1 (H200,
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

llvm::SmallVector<llvm::SmallVector<Form>>
kami::preferredForms(const Problem &problem, const Chip &chip) {
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
