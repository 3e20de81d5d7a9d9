//===- DriverTest.cpp - What kernels do against what papers say -----------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/GemmSpec.h"
#include "kami/Driver/GroupedSpec.h"
#include "kami/Driver/Run.h"
#include "kami/Model/PaperModel.h"
#include "kami/Plan/Planner.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <numeric>
#include <random>

using namespace kami;

namespace {

/// Runs an f16 cube on a staged grid with one slice a stage and nothing parked:
/// the paper's algorithm as it stands.
sim::SimulatorReport runPaperAlgorithm(WarpGrid grid, int64_t sliceK,
                                       int64_t extent = 64) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  GemmSpec spec;
  spec.extents = {extent, extent, extent};
  CompileOptions compile;
  compile.plan = Plan();
  compile.plan->atom = findAtom("mma_sync.m16n8k16.f32.f16");
  compile.plan->tile = spec.extents;
  compile.plan->grid = grid;
  compile.plan->slices.k = sliceK;
  RunOptions run;
  run.inputs = InputKind::Integers;
  run.poisoned = {2};
  Compilation compilation;
  mlir::OwningOpRef<mlir::ModuleOp> module = buildModule(&context, spec);
  llvm::Expected<RunResult> result =
      compileAndRun(*module, compile, run, compilation);
  EXPECT_TRUE(bool(result));
  if (!result) {
    llvm::consumeError(result.takeError());
    return {};
  }
  EXPECT_TRUE(result->ok);
  return result->reports.front();
}

/// Stage z writes in interval 2z and reads in 2z + 1. Together they must move
/// the paper's V_cm.
void expectVolume(const sim::SimulatorReport &report, int64_t stages,
                  double volume) {
  ASSERT_GE(report.intervals.size(), size_t(2 * stages));
  for (int64_t stage = 0; stage != stages; ++stage) {
    const sim::SharedTraffic &write = report.intervals[2 * stage];
    const sim::SharedTraffic &read = report.intervals[2 * stage + 1];
    EXPECT_EQ(write.read, 0);
    EXPECT_EQ(read.written, 0);
    EXPECT_EQ(write.written + read.read, volume) << "stage " << stage;
  }
}

TEST(Volume, OneDIsEquationOne) {
  sim::SimulatorReport report = runPaperAlgorithm({4, 1, 1}, 16);
  expectVolume(report, 4, 64 * 64 * 2);
  EXPECT_EQ(report.barriers, 8);
}

TEST(Volume, TwoDIsEquationFive) {
  sim::SimulatorReport report = runPaperAlgorithm({2, 2, 1}, 32);
  expectVolume(report, 2, (64 * 64 + 64 * 64) * 2);
  EXPECT_EQ(report.barriers, 4);
}

TEST(Volume, ThreeDIsEquationNine) {
  sim::SimulatorReport report = runPaperAlgorithm({2, 2, 2}, 16);
  expectVolume(report, 2, (64 * 64 + 64 * 64) * 2);
  // Two more for the sum over two layers, whose bytes the paper leaves out: one
  // layer's partial sums are written and read once.
  EXPECT_EQ(report.barriers, 6);
  EXPECT_EQ(report.intervals.back().read, 64 * 64 * 4);
}

TEST(Volume, OneWarpStaysInRegisters) {
  sim::SimulatorReport report = runPaperAlgorithm({1, 1, 1}, 16, 32);
  EXPECT_EQ(report.shared.written + report.shared.read, 0);
  EXPECT_EQ(report.barriers, 0);
}

TEST(Volume, EachElementIsReadOnceByABlock) {
  for (WarpGrid grid :
       {WarpGrid{4, 1, 1}, WarpGrid{2, 2, 1}, WarpGrid{2, 2, 2}}) {
    sim::SimulatorReport report = runPaperAlgorithm(grid, 16);
    ASSERT_EQ(report.buffers.size(), 3u);
    for (int operand : {0, 1}) {
      EXPECT_EQ(report.buffers[operand].bytesRead, 64 * 64 * 2);
      EXPECT_EQ(report.buffers[operand].maxReadsPerByte, 1);
    }
    EXPECT_EQ(report.buffers[2].bytesRead, 0);
    EXPECT_EQ(report.buffers[2].bytesWritten, 64 * 64 * 4);
  }
}

/// The bytes of a batch's C, whose products' A and B are those `products` of
/// an endless row of random ones.
std::vector<uint8_t> multiplyBatch(GemmSpec spec,
                                   llvm::ArrayRef<int64_t> products,
                                   std::optional<int64_t> blocks = {}) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  spec.batch = products.size();
  mlir::OwningOpRef<mlir::ModuleOp> module = buildModule(&context, spec);
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  for (unsigned number : {0, 1}) {
    auto type =
        mlir::cast<mlir::MemRefType>(function.getArgumentTypes()[number]);
    int64_t elements = type.getDimSize(1) * type.getDimSize(2);
    std::vector<llvm::APFloat> values;
    for (int64_t product : products) {
      std::mt19937_64 random(2 * product + number);
      std::uniform_real_distribution<double> uniform(-1, 1);
      for (int64_t i = 0; i != elements; ++i) {
        llvm::APFloat value(uniform(random));
        bool isInexact;
        value.convert(mlir::cast<mlir::FloatType>(type.getElementType())
                          .getFloatSemantics(),
                      llvm::APFloat::rmNearestTiesToEven, &isInexact);
        values.push_back(value);
      }
    }
    function.setArgAttr(
        number, contentsAttributeName,
        mlir::DenseElementsAttr::get(
            mlir::RankedTensorType::get(type.getShape(), type.getElementType()),
            values));
  }
  CompileOptions compile;
  if (blocks) {
    // The planner's choice, by few blocks in turn.
    Problem problem;
    problem.extents = spec.extents;
    problem.operand = spec.operand;
    problem.accumulator = spec.accumulator;
    problem.output = spec.output;
    problem.batch = products.size();
    problem.isReproducible = true;
    problem.packable = problem.batch;
    const Chip &chip = *llvm::cantFail(findChip("sm_90"));
    compile.plan = llvm::cantFail(choosePlan(problem, chip)).best()->plan;
    compile.plan->blocks = *blocks;
  }
  RunOptions run;
  run.poisoned = {2};
  Compilation compilation;
  llvm::Expected<RunResult> result =
      compileAndRun(*module, compile, run, compilation);
  EXPECT_TRUE(bool(result));
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
  EXPECT_TRUE(result->ok) << result->failure;
  // Without the margin behind it.
  const std::vector<uint8_t> &contents = result->contents[2];
  size_t bytes = spec.batch.value_or(1) * spec.extents.m * spec.extents.n *
                 byteWidth(spec.output);
  return {contents.begin(), contents.begin() + bytes};
}

// As the op says unless it is asked otherwise: alone, among few and among so
// many that the plan is another one, wherever it is, and on any grid.
TEST(Reproducible, BitsDoNotDependOnTheBatch) {
  struct {
    Extents extents;
    ElementKind type;
    ElementKind output;
  } cases[] = {{{16, 16, 16}, ElementKind::F16, ElementKind::F16},
               {{40, 24, 72}, ElementKind::F16, ElementKind::F32},
               {{16, 24, 100}, ElementKind::TF32, ElementKind::F32},
               {{17, 9, 33}, ElementKind::F64, ElementKind::F64},
               {{5, 3, 7}, ElementKind::F16, ElementKind::F16},
               {{9, 20, 13}, ElementKind::F32, ElementKind::F32},
               {{9, 9, 9}, ElementKind::F16, ElementKind::F32},
               {{13, 13, 13}, ElementKind::F16, ElementKind::F32}};
  for (const auto &one : cases) {
    GemmSpec spec;
    spec.extents = one.extents;
    spec.operand = one.type;
    spec.accumulator = defaultAccumulator(one.type);
    spec.output = one.output;
    std::vector<uint8_t> alone = multiplyBatch(spec, {5});
    std::vector<int64_t> many(150);
    std::iota(many.begin(), many.end(), 0);
    many[0] = many[137] = 5;
    auto expectSame = [&](const std::vector<uint8_t> &all, int64_t position) {
      ASSERT_GE(all.size(), (position + 1) * alone.size());
      EXPECT_TRUE(std::equal(alone.begin(), alone.end(),
                             all.begin() + position * alone.size()))
          << "product " << position << " of " << all.size() / alone.size();
    };
    expectSame(multiplyBatch(spec, {1, 2, 5}), 2);
    for (std::vector<uint8_t> all :
         {multiplyBatch(spec, many), multiplyBatch(spec, many, /*blocks=*/3)})
      for (int64_t position : {0, 5, 137})
        expectSame(all, position);
  }
}

static std::array<int64_t, 3> typical(std::vector<Extents> sizes) {
  std::vector<GroupedProduct> products;
  for (const Extents &extents : sizes)
    products.emplace_back().extents = extents;
  Extents means = typicalExtents(products);
  return {means.m, means.n, means.k};
}

TEST(GroupedSpecTest, TypicalRowsAreAlignedIfAllAre) {
  EXPECT_EQ(typical({{16, 32, 48}, {64, 96, 16}}), (std::array{48L, 64L, 32L}));
  // Of multiples of 8 and 1, odd ones: 72, 24, 16 and 53, 4, 6 are the means.
  EXPECT_EQ(typical({{24, 40, 8}, {120, 8, 24}}), (std::array{72L, 24L, 24L}));
  EXPECT_EQ(typical({{3, 5, 8}, {104, 4, 4}}), (std::array{53L, 5L, 7L}));
  // Empty ones do not count.
  EXPECT_EQ(typical({{80, 80, 80}, {0, 100, 7}}), (std::array{80L, 80L, 80L}));
  EXPECT_EQ(typical({{0, 1, 1}}), (std::array{1L, 1L, 1L}));
}

TEST(GroupedSpecTest, SmallProductsAreHalfOfTheLargestAtMost) {
  EXPECT_EQ(typical({{16, 16, 16}}), (std::array{8L, 8L, 16L}));
  EXPECT_EQ(typical({{16, 32, 16}, {32, 32, 32}}), (std::array{16L, 16L, 32L}));
  EXPECT_EQ(typical({{64, 64, 80}, {48, 64, 16}}), (std::array{32L, 32L, 48L}));
  EXPECT_EQ(typical({{3, 5, 8}, {4, 4, 4}}), (std::array{3L, 3L, 7L}));
  EXPECT_EQ(typical({{1, 1, 1}}), (std::array{1L, 1L, 1L}));
}

TEST(GroupedSpecTest, ALargeProductCountsAmongManySmallOnes) {
  std::vector<GroupedProduct> products(1000);
  for (GroupedProduct &product : products)
    product.extents = {8, 8, 8};
  EXPECT_EQ(typicalExtents(products).m, 8);
  products.front().extents = {4096, 16, 64};
  Extents typical = typicalExtents(products);
  EXPECT_EQ(typical.m, 1032);
  EXPECT_EQ(typical.n, 8);
  EXPECT_EQ(typical.k, 24);
}

namespace {
/// The bytes of C of the product in that position, of products that each are of
/// a size and have random elements of their own, which their numbers decide.
std::vector<uint8_t> multiplyGroup(ElementKind type,
                                   llvm::ArrayRef<int64_t> products,
                                   size_t position,
                                   std::optional<int64_t> blocks = {}) {
  GroupedSpec spec;
  spec.operand = type;
  spec.accumulator = spec.output = defaultAccumulator(type);
  spec.typical = {40, 40, 40};
  std::array<int64_t, 3> end = {};
  for (int64_t number : products) {
    GroupedProduct product;
    product.extents = {9 + number * 7 % 64, 5 + number * 11 % 64,
                       3 + number * 13 % 100};
    auto [m, n, k] = product.extents;
    product.leading = packedLeading(product.extents, false, false);
    product.at = end;
    for (auto [at, elements] :
         llvm::zip_equal(end, std::array{m * k, k * n, m * n}))
      at += elements;
    spec.products.push_back(product);
  }
  mlir::MLIRContext context;
  loadAllDialects(context);
  mlir::OwningOpRef<mlir::ModuleOp> module = buildModule(&context, spec);
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  for (unsigned number : {0, 1}) {
    auto memref =
        mlir::cast<mlir::MemRefType>(function.getArgumentTypes()[number]);
    auto element = mlir::cast<mlir::FloatType>(memref.getElementType());
    std::vector<llvm::APFloat> values(
        memref.getNumElements(),
        llvm::APFloat::getZero(element.getFloatSemantics()));
    for (auto [index, product] : llvm::enumerate(spec.products)) {
      auto [m, n, k] = product.extents;
      std::mt19937_64 random(2 * products[index] + number);
      std::uniform_real_distribution<double> uniform(-1, 1);
      for (int64_t i = 0; i != (number == 0 ? m * k : k * n); ++i) {
        llvm::APFloat value(uniform(random));
        bool isInexact;
        value.convert(element.getFloatSemantics(),
                      llvm::APFloat::rmNearestTiesToEven, &isInexact);
        values[(*product.at)[number] + i] = value;
      }
    }
    function.setArgAttr(
        number, contentsAttributeName,
        mlir::DenseElementsAttr::get(
            mlir::RankedTensorType::get(memref.getShape(), element), values));
  }
  CompileOptions compile;
  RunOptions run;
  run.poisoned = {2};
  if (blocks) {
    // The planner's choice, by few blocks in turn.
    auto planned = mlir::OwningOpRef<mlir::ModuleOp>(module->clone());
    mlir::FailureOr<Compilation> choice =
        kami::compile(*planned, compile, Level::Target);
    EXPECT_TRUE(succeeded(choice));
    compile.plan = choice->kernels.front().plan;
    compile.plan->blocks = *blocks;
  }
  Compilation compilation;
  llvm::Expected<RunResult> result =
      compileAndRun(*module, compile, run, compilation);
  if (!result) {
    ADD_FAILURE() << llvm::toString(result.takeError());
    return {};
  }
  EXPECT_TRUE(result->ok) << result->failure;
  const GroupedProduct &product = spec.products[position];
  int64_t bytes = byteWidth(spec.output);
  auto begin = result->contents[2].begin() + (*product.at)[2] * bytes;
  return {begin, begin + product.extents.m * product.extents.n * bytes};
}
} // namespace

// The same of products that each have a size of their own.
TEST(Reproducible, BitsDoNotDependOnTheGroup) {
  for (ElementKind type :
       {ElementKind::F16, ElementKind::TF32, ElementKind::F64}) {
    std::vector<uint8_t> alone = multiplyGroup(type, {5}, 0);
    ASSERT_FALSE(alone.empty());
    EXPECT_EQ(multiplyGroup(type, {1, 2, 5}, 2), alone);
    std::vector<int64_t> many(40);
    std::iota(many.begin(), many.end(), 0);
    many[0] = many[33] = 5;
    for (size_t position : {0, 5, 33}) {
      EXPECT_EQ(multiplyGroup(type, many, position), alone);
      EXPECT_EQ(multiplyGroup(type, many, position, /*blocks=*/3), alone);
    }
  }
}

TEST(ErrorBound, GrowsNoFasterThanTheSquareRoot) {
  Problem problem;
  problem.operand = ElementKind::F16;
  problem.accumulator = ElementKind::F32;
  problem.extents = {1, 1, 1};
  double one = errorBound(problem, ElementKind::F32);
  problem.extents.k = 10000;
  EXPECT_LE(errorBound(problem, ElementKind::F32), 100 * one);
}

} // namespace
