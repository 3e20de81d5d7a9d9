//===- DealTilesTest.cpp - Which tiles are a block's ----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `kami.deal_tiles` lists, as the simulator executes the op and what it is
// lowered to, held to an example by hand and to products at random.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include "kami/Conversion/KamiToNVGPU/KamiToNVGPU.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include <random>

using namespace kami;
using namespace kami::sim;

namespace {

constexpr int64_t rows = 8;

/// Sizes of products, in elements.
struct Sizes {
  std::vector<double> m, n, k;
};

/// A product, and one of its tiles.
using Tile = std::pair<int64_t, int64_t>;

class DealTilesTest : public SimulatorTest {
protected:
  /// The tiles of 16 × 16 × 16 that each block gets, in turn; then those that
  /// none gets, as each of them has listed them.
  using Dealt = std::vector<std::vector<Tile>>;

  /// Turns that are held back, and words for products whose tiles may be, as
  /// many as there are products if nothing else is said.
  int64_t held = 0;
  std::optional<int64_t> heldWords;
  /// Of the sizes.
  unsigned bits = 32;

  /// What a block lists from a turn on, how many tiles it has, how many no
  /// block has, and which are whose.
  struct Listed {
    MemRef dealt, counted, rest;
  };
  int64_t wordsFor(const Sizes &sizes) {
    return heldWords.value_or(sizes.m.size());
  }
  void list(const Sizes &sizes, int64_t blocks, int64_t threads, int64_t block,
            int64_t first, Listed &listed) {
    int64_t count = sizes.m.size();
    listed = {array({rows, 2}, i32()), array({2}, i64()),
              array({wordsFor(sizes)}, i32())};
    mlir::Type size = mlir::IntegerType::get(&context, bits);
    MemRef m = array({count}, size, sizes.m), n = array({count}, size, sizes.n),
           k = array({count}, size, sizes.k),
           asked = array({2}, i64(), {double(block), double(first)});
    ASSERT_TRUE(succeeded(simulateLaunch(
        find<mlir::gpu::GPUFuncOp>(), {}, {int(threads)}, 40000,
        {m, n, k, asked, listed.dealt, listed.counted, listed.rest}, options,
        report)))
        << message;
  }

  /// Has so many threads deal the tiles of the kernel that is parsed.
  void collect(const Sizes &sizes, int64_t blocks, int64_t threads,
               Dealt &dealt) {
    dealt.assign(held ? 2 * blocks : blocks, {});
    for (int64_t block = 0; block != blocks; ++block) {
      int64_t all = 1;
      for (int64_t first = 0; first < all; first += rows) {
        Listed listed;
        list(sizes, blocks, threads, block, first, listed);
        auto &[out, counted, rest] = listed;
        all = at(counted, {0});
        for (int64_t row = 0; row != std::min(rows, all - first); ++row)
          dealt[block].push_back(
              {int64_t(at(out, {row, 0})), int64_t(at(out, {row, 1}))});
        int64_t tile = all * blocks, end = tile + int64_t(at(counted, {1}));
        for (; first == 0 && tile != end; ++tile)
          dealt[blocks + block].push_back(tileOf(sizes, rest, tile));
      }
    }
  }

  /// The tile of that number in the order of all, by its product's word.
  Tile tileOf(const Sizes &sizes, const MemRef &words, int64_t tile) {
    for (int64_t product = 0; product != int64_t(sizes.m.size()); ++product) {
      auto word = uint32_t(int64_t(at(words, {product})));
      int64_t number = tile - (word >> DealTilesOp::tileBits);
      if (number >= 0 && number < word % DealTilesOp::heldLimit)
        return {product, number};
    }
    ADD_FAILURE() << "no product has tile " << tile;
    return {};
  }

  void parseKernel(const Sizes &sizes, int64_t blocks, int64_t threads) {
    int64_t scratch = DealTilesOp::scratchBytes(threads, /*turns=*/4),
            entries = wordsFor(sizes);
    parse(llvm::formatv(R"(
#shared = #gpu.address_space<workgroup>
gpu.module @m {{
gpu.func @k(%m: memref<{0}xi{8}>, %n: memref<{0}xi{8}>, %k: memref<{0}xi{8}>,
            %asked: memref<2xi64>, %out: memref<{4}x2xi32>, %counted: memref<2xi64>,
            %outRest: memref<{5}xi32>) kernel
    attributes {{known_block_size = array<i32: {1}, 1, 1>} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant {4} : index
  %behind = arith.constant {3} : index
  %bytes = gpu.dynamic_shared_memory : memref<?xi8, #shared>
  %scratch = memref.view %bytes[%c0][] : memref<?xi8, #shared> to memref<{3}xi8, #shared>
  %dealt = memref.view %bytes[%behind][] : memref<?xi8, #shared> to memref<{4}x2xi32, #shared>
  %last = arith.constant {6} : index
  %rest = memref.view %bytes[%last][] : memref<?xi8, #shared> to memref<{5}xi32, #shared>
  %block64 = memref.load %asked[%c0] : memref<2xi64>
  %first64 = memref.load %asked[%c1] : memref<2xi64>
  %block = arith.index_cast %block64 : i64 to index
  %first = arith.index_cast %first64 : i64 to index
  %count, %left = kami.deal_tiles %block of {2} from %first in %m, %n, %k by [16, 16, 16]
      to %dealt through %scratch by {1} {7}
      : memref<{0}xi{8}>, memref<{0}xi{8}>, memref<{0}xi{8}>, memref<{4}x2xi32, #shared>, memref<{3}xi8, #shared>
  gpu.barrier
  %thread = gpu.thread_id x
  %to_list = arith.subi %count, %first : index
  %listed = arith.minui %to_list, %rows : index
  %own = arith.cmpi ult, %thread, %listed : index
  scf.if %own {{
    %product = memref.load %dealt[%thread, %c0] : memref<{4}x2xi32, #shared>
    %tile = memref.load %dealt[%thread, %c1] : memref<{4}x2xi32, #shared>
    memref.store %product, %out[%thread, %c0] : memref<{4}x2xi32>
    memref.store %tile, %out[%thread, %c1] : memref<{4}x2xi32>
  }
  %first_thread = arith.cmpi eq, %thread, %c0 : index
  scf.if %first_thread {{
    %count64 = arith.index_cast %count : index to i64
    memref.store %count64, %counted[%c0] : memref<2xi64>
    %left64 = arith.index_cast %left : index to i64
    memref.store %left64, %counted[%c1] : memref<2xi64>
    %is_begin = arith.cmpi eq, %first, %c0 : index
    %is_any = arith.cmpi ne, %left, %c0 : index
    %copies = arith.andi %is_begin, %is_any : i1
    %words = arith.constant {5} : index
    %copied = arith.select %copies, %words, %c0 : index
    scf.for %i = %c0 to %copied step %c1 {{
      %entry = memref.load %rest[%i] : memref<{5}xi32, #shared>
      memref.store %entry, %outRest[%i] : memref<{5}xi32>
    }
  }
  gpu.return
}
}
)",
                        sizes.m.size(), threads, blocks, scratch, rows, entries,
                        scratch + rows * 2 * 8,
                        held ? llvm::formatv("holding {0} to %rest : "
                                             "memref<{1}xi32, #shared>",
                                             held, entries)
                                   .str()
                             : "",
                        bits)
              .str());
  }

  void lower() {
    mlir::PassManager passes(&context);
    passes.nest<mlir::gpu::GPUModuleOp>().nest<mlir::gpu::GPUFuncOp>().addPass(
        createConvertKamiToNVGPU());
    ASSERT_TRUE(succeeded(passes.run(*module))) << message;
    ASSERT_FALSE(find<DealTilesOp>());
  }

  /// Deals as the op says, and as its lowering does.
  void deal(const Sizes &sizes, int64_t blocks, int64_t threads, Dealt &byOp,
            Dealt &lowered) {
    parseKernel(sizes, blocks, threads);
    ASSERT_TRUE(module);
    collect(sizes, blocks, threads, byOp);
    lower();
    collect(sizes, blocks, threads, lowered);
  }

  mlir::Type i32() { return mlir::IntegerType::get(&context, 32); }
  mlir::Type i64() { return mlir::IntegerType::get(&context, 64); }
};

int64_t tilesAlong(double extent) {
  return llvm::divideCeil(int64_t(std::max(extent, 0.0)), 16);
}

} // namespace

TEST_F(DealTilesTest, DeepProductsFirstAndEverySecondTurnBackwards) {
  // Products of 1, 2, 0, 3 and 1 tiles, which are 1, 4, 1, 5 and 0 deep.
  Sizes sizes = {{16, 32, 0, 7, 16}, {16, 16, 9, 40, 1}, {16, 64, 3, 70, -3}};
  Dealt byOp, lowered;
  deal(sizes, 3, 64, byOp, lowered);
  Dealt expected = {
      {{3, 0}, {0, 0}, {4, 0}}, {{3, 1}, {1, 1}}, {{3, 2}, {1, 0}}};
  EXPECT_EQ(byOp, expected);
  EXPECT_EQ(lowered, expected);
}

TEST_F(DealTilesTest, NothingToDeal) {
  for (const Sizes &sizes :
       {Sizes{}, Sizes{{0, 5, -1}, {3, 0, 8}, {1, 1, 1}}}) {
    Dealt byOp, lowered;
    deal(sizes, 2, 32, byOp, lowered);
    EXPECT_EQ(byOp, Dealt(2));
    EXPECT_EQ(lowered, Dealt(2));
  }
}

TEST_F(DealTilesTest, SizesUpToTheLargest) {
  // Products of 2, 1, 0 and 1 tiles; the deepest, the second deepest, one with
  // less than nothing, and one without depth.
  for (unsigned width : {32, 64}) {
    bits = width;
    double most = width == 32 ? 2147483647. : 1099511627776.;
    Sizes sizes = {{17, 16, -most, 3}, {1, 2, 9, 4}, {100, most, 5, -most}};
    Dealt byOp, lowered;
    deal(sizes, 2, 32, byOp, lowered);
    Dealt expected = {{{1, 0}, {3, 0}}, {{0, 0}, {0, 1}}};
    EXPECT_EQ(byOp, expected);
    EXPECT_EQ(lowered, expected);
  }
}

TEST_F(DealTilesTest, EachTileOnceAndWorkInEqualParts) {
  std::mt19937 random(1);
  // More products than threads that count, and threads that do not.
  const std::array<int64_t, 3> cases[] = {
      {10, 64, 7}, {200, 96, 5}, {300, 32, 4}, {300, 256, 3}};
  for (auto [products, threads, blocks] : cases) {
    Sizes sizes;
    for (int64_t i = 0; i != products; ++i) {
      sizes.m.push_back(random() % 50);
      sizes.n.push_back(random() % 50);
      sizes.k.push_back(random() % (random() % 4 ? 200 : 9000));
    }
    Dealt byOp, lowered;
    held = products % 3;
    deal(sizes, blocks, threads, byOp, lowered);
    EXPECT_EQ(byOp, lowered);
    std::vector<Tile> all, expected;
    if (held) {
      // All blocks list the same.
      for (int64_t block = 0; block != blocks; ++block)
        EXPECT_EQ(lowered[blocks + block], lowered.back());
      EXPECT_LT(lowered.back().size(), size_t((held + 2) * blocks));
      EXPECT_FALSE(lowered.back().empty());
      all = lowered.back();
      lowered.resize(blocks);
    }
    int64_t least = std::numeric_limits<int64_t>::max(), most = 0;
    for (const std::vector<Tile> &tiles : lowered) {
      int64_t last = std::numeric_limits<int64_t>::max();
      for (const Tile &tile : tiles) {
        all.push_back(tile);
        int64_t depth =
            DealTilesOp::depthClass(tilesAlong(sizes.k[tile.first]));
        EXPECT_LE(depth, last);
        last = depth;
      }
      least = std::min<int64_t>(least, tiles.size());
      most = std::max<int64_t>(most, tiles.size());
    }
    EXPECT_LE(most, least + 1);
    for (int64_t i = 0; i != products; ++i)
      for (int64_t tile = 0;
           tile != tilesAlong(sizes.m[i]) * tilesAlong(sizes.n[i]); ++tile)
        expected.push_back({i, tile});
    llvm::sort(all);
    EXPECT_EQ(all, expected);
  }
}

TEST_F(DealTilesTest, TheLastTurnsAreHeldBack) {
  // The tiles of the first test, in three turns of two blocks, or seven of one.
  Sizes sizes = {{16, 32, 0, 7, 16}, {16, 16, 9, 40, 1}, {16, 64, 3, 70, -3}};
  std::vector<Tile> all = {{3, 0}, {3, 1}, {3, 2}, {1, 0},
                           {1, 1}, {0, 0}, {4, 0}};
  auto part = [&](size_t from, size_t to) {
    return std::vector<Tile>(all.begin() + from, all.begin() + to);
  };
  for (int64_t turns : {1, 2, 3, 5}) {
    held = turns;
    // Two turns are dealt, whatever is held.
    size_t dealt = std::max<int64_t>(7 - turns, 2);
    Dealt byTwo = {{{3, 0}, {1, 0}}, {{3, 1}, {3, 2}}, part(4, 7), part(4, 7)},
          byOne = {part(0, dealt), part(dealt, 7)};
    for (const Dealt &expected : {byTwo, byOne}) {
      Dealt byOp, lowered;
      deal(sizes, expected.size() / 2, 64, byOp, lowered);
      EXPECT_EQ(byOp, expected);
      EXPECT_EQ(lowered, expected);
    }
  }
}

TEST_F(DealTilesTest, TwoOfTheLastTurnsOfAListAreDealt) {
  EXPECT_EQ(DealTilesOp::dealtOf(40, 1), 39);
  EXPECT_EQ(DealTilesOp::dealtOf(10, 1024), 2);
  EXPECT_EQ(DealTilesOp::dealtOf(1, 1), 2);
  // One product of as many tiles as there are turns.
  held = 4;
  std::pair<int64_t, int64_t> cases[] = {
      {35, 31}, {36, 32}, {37, 32}, {38, 34}, {39, 35}};
  for (auto [turns, dealt] : cases) {
    EXPECT_EQ(DealTilesOp::dealtOf(turns, held), dealt);
    Sizes sizes = {{16}, {16. * turns}, {16}};
    Dealt byOp, lowered;
    deal(sizes, 1, 32, byOp, lowered);
    EXPECT_EQ(lowered.front().size(), size_t(dealt));
    EXPECT_EQ(lowered.back().size(), size_t(turns - dealt));
    EXPECT_EQ(byOp, lowered);
  }
}

TEST_F(DealTilesTest, OfMoreProductsThanThereAreWordsForNoneIsHeldBack) {
  held = 1;
  Sizes sizes = {{16, 32, 0, 7, 16}, {16, 16, 9, 40, 1}, {16, 64, 3, 70, -3}};
  heldWords = 4;
  Dealt byOp, lowered;
  deal(sizes, 2, 64, byOp, lowered);
  Dealt expected = {
      {{3, 0}, {1, 0}, {1, 1}}, {{3, 1}, {3, 2}, {0, 0}, {4, 0}}, {}, {}};
  EXPECT_EQ(byOp, expected);
  EXPECT_EQ(lowered, expected);
}

TEST_F(DealTilesTest, OfVeryManyTilesNoneIsHeldBack) {
  held = 1;
  constexpr int64_t blocks = 3000, threads = 32;
  // 2¹⁶ tiles, and one row less of them: 21 whole turns either way.
  for (int64_t rows : {256, 255}) {
    Sizes sizes = {{16. * rows}, {16 * 256}, {16}};
    int64_t all = rows * 256, left = rows == 256 ? 0 : all - 20 * blocks;
    parseKernel(sizes, blocks, threads);
    for (bool isLowered : {false, true}) {
      if (isLowered)
        lower();
      Listed listed;
      list(sizes, blocks, threads, /*block=*/blocks - 1, /*first=*/0, listed);
      EXPECT_EQ(at(listed.counted, {0}), left ? 20 : 22);
      EXPECT_EQ(at(listed.counted, {1}), left);
    }
  }
}

TEST_F(DealTilesTest, DepthsAreAlikeWhoseThreeLeadingBitsAre) {
  EXPECT_EQ(DealTilesOp::depthClass(0), 0);
  EXPECT_EQ(DealTilesOp::depthClass(7), 7);
  EXPECT_EQ(DealTilesOp::depthClass(8), DealTilesOp::depthClass(9));
  EXPECT_EQ(DealTilesOp::depthClass(10), 9);
  EXPECT_EQ(DealTilesOp::depthClass(447), 30);
  EXPECT_EQ(DealTilesOp::depthClass(448), DealTilesOp::depthClasses - 1);
  EXPECT_EQ(DealTilesOp::depthClass(int64_t(1) << 40),
            DealTilesOp::depthClasses - 1);
}
