//===- PlannerTest.cpp --------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Model/Resources.h"
#include "kami/Model/SharedLayout.h"
#include "kami/Plan/Explain.h"
#include "kami/Plan/Verify.h"
#include "gtest/gtest.h"
#include <random>
#include <set>

using namespace kami;

static const Chip &chip(llvm::StringRef name) {
  return *llvm::cantFail(findChip(name));
}

static Problem product(int64_t m, int64_t n, int64_t k, ElementKind operand) {
  Problem problem;
  problem.extents = {m, n, k};
  problem.operand = operand;
  problem.accumulator = defaultAccumulator(operand);
  return problem;
}

static std::string failure(const Problem &problem, const Chip &chip) {
  auto choice = choosePlan(problem, chip);
  return choice ? "" : llvm::toString(choice.takeError());
}

static std::vector<std::string> summaries(const Choice &choice) {
  std::vector<std::string> all;
  for (const Candidate &candidate : choice.candidates)
    all.push_back(summary(candidate.plan) + candidate.rejected);
  return all;
}

TEST(Planner, FindsAPlanForEverything) {
  std::mt19937_64 random(1);
  auto extent = [&] {
    // Evenly over magnitudes, from 1 to 2^31.
    int64_t magnitude = std::uniform_int_distribution<int64_t>(0, 31)(random);
    return std::uniform_int_distribution<int64_t>(1, int64_t(1)
                                                         << magnitude)(random);
  };
  for (llvm::StringRef target : {"sm_80", "sm_89", "sm_90", "sm_100", "sm_120"})
    for (ElementKind kind :
         {ElementKind::F16, ElementKind::BF16, ElementKind::TF32,
          ElementKind::TF32x3, ElementKind::F32, ElementKind::F64,
          ElementKind::F8E4M3FN, ElementKind::U8})
      for (int i = 0; i < 12; ++i) {
        Problem problem = product(extent(), extent(), extent(), kind);
        problem.batch = extent();
        for (auto algorithm :
             {std::optional<Algorithm>(), std::optional(Algorithm::OneD),
              std::optional(Algorithm::TwoD),
              std::optional(Algorithm::ThreeD)}) {
          problem.algorithm = algorithm;
          auto choice = choosePlan(problem, chip(target));
          ASSERT_TRUE(bool(choice)) << llvm::toString(choice.takeError());
          const Candidate *best = choice->best();
          ASSERT_NE(best, nullptr);
          EXPECT_FALSE(bool(findMisfit(best->plan, problem, chip(target))));
          EXPECT_EQ(best->plan.algorithm(),
                    algorithm.value_or(best->plan.algorithm()));
        }
      }
}

TEST(Planner, EveryCandidateIsWhatVerifyPlanSays) {
  for (int64_t size : {16, 100, 192, 1000}) {
    Problem problem = product(size, size, size, ElementKind::F64);
    Choice choice = llvm::cantFail(choosePlan(problem, chip("sm_90")));
    for (const Candidate &candidate : choice.candidates)
      EXPECT_EQ(
          candidate.rejected,
          llvm::toString(verifyPlan(candidate.plan, problem, chip("sm_90"))))
          << summary(candidate.plan);
  }
}

TEST(Planner, BestComesFirstAndRejectedOnesLast) {
  Problem problem = product(192, 192, 192, ElementKind::F16);
  Choice choice = llvm::cantFail(choosePlan(problem, chip("sm_90")));
  bool anyRejected = false;
  // What may be spilled comes after what may not, however fast it may be.
  auto rank = [](const Candidate &candidate) {
    const Resources &resources = candidate.resources;
    bool mayBeSpilled = resources.registers.total() >
                        chip("sm_90").maxRegisters(resources.threads);
    return std::pair(mayBeSpilled, candidate.score);
  };
  for (size_t i = 1; i < choice.candidates.size(); ++i) {
    const Candidate &before = choice.candidates[i - 1];
    const Candidate &after = choice.candidates[i];
    EXPECT_LE(!before.fits(), !after.fits());
    EXPECT_TRUE(before.fits() != after.fits() || rank(before) <= rank(after));
    anyRejected |= !after.fits();
  }
  EXPECT_TRUE(anyRejected);
}

// A search that grows with the problem would be no planner.
TEST(Planner, CandidatesAreFew) {
  for (int64_t extent : {int64_t(1), int64_t(128), int64_t(4096), maxExtent}) {
    Problem problem = product(extent, extent, extent, ElementKind::F16);
    Choice choice = llvm::cantFail(choosePlan(problem, chip("sm_90")));
    EXPECT_LE(choice.candidates.size(), 400u);
  }
}

TEST(Planner, IsDeterministic) {
  Problem problem = product(100, 60, 300, ElementKind::TF32);
  Choice first = llvm::cantFail(choosePlan(problem, chip("sm_90")));
  Choice second = llvm::cantFail(choosePlan(problem, chip("sm_90")));
  EXPECT_EQ(summaries(first), summaries(second));
}

// What is left out of a search for the best plan alone is not the best one.
TEST(Planner, TheBestAloneIsTheBestOfAll) {
  std::mt19937_64 random(2);
  auto draw = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  for (llvm::StringRef target : {"sm_80", "sm_90", "gfx942"})
    for (ElementKind kind : {ElementKind::F16, ElementKind::TF32,
                             ElementKind::F32, ElementKind::F64})
      for (int i = 0; i < 12; ++i) {
        Problem problem =
            product(draw(1, 400), draw(1, 400), draw(1, 400), kind);
        problem.batch = draw(1, 20000);
        problem.isReproducible = draw(0, 1);
        problem.isAligned = draw(0, 1);
        problem.isSkewed = !problem.isAligned && draw(0, 1);
        problem.hasRuntimeStrides = draw(0, 3) == 0;
        problem.packable = draw(0, 1) ? problem.batch : 0;
        if (target == "gfx942" && kind == ElementKind::TF32)
          continue;
        PlannerOptions bestAlone;
        bestAlone.kept = Kept::Best;
        auto all = choosePlan(problem, chip(target));
        auto best = choosePlan(problem, chip(target), bestAlone);
        ASSERT_TRUE(bool(all)) << llvm::toString(all.takeError());
        ASSERT_TRUE(bool(best)) << llvm::toString(best.takeError());
        EXPECT_EQ(summary(best->best()->plan), summary(all->best()->plan))
            << target.str() << " " << name(kind).str() << " "
            << problem.extents.m << "x" << problem.extents.n << "x"
            << problem.extents.k << ", " << problem.batch;
        EXPECT_EQ(best->best()->score, all->best()->score);
      }
}

TEST(Planner, ObeysConstraints) {
  Problem problem = product(128, 128, 128, ElementKind::F16);
  problem.warps = 6;
  problem.transport = Transport::Gathered;
  Choice choice = llvm::cantFail(choosePlan(problem, chip("sm_90")));
  for (const Candidate &candidate : choice.candidates) {
    EXPECT_EQ(candidate.plan.grid.warps(), 6);
    EXPECT_EQ(candidate.plan.transport, Transport::Gathered);
  }
  problem = product(128, 128, 128, ElementKind::F16);
  problem.grid = WarpGrid{2, 4, 1};
  EXPECT_EQ(
      llvm::cantFail(choosePlan(problem, chip("sm_90"))).best()->plan.grid,
      (WarpGrid{2, 4, 1}));
}

TEST(Planner, OneDimensionMeansTwoWarpsUnlessOneIsAsked) {
  Problem problem = product(16, 16, 16, ElementKind::F16);
  problem.algorithm = Algorithm::OneD;
  auto warps = [&] {
    Choice choice = llvm::cantFail(choosePlan(problem, chip("sm_90")));
    return choice.best()->plan.grid.warps();
  };
  EXPECT_GE(warps(), 2);
  problem.warps = 1;
  EXPECT_EQ(warps(), 1);
}

TEST(Planner, WholeProductsAsOneTile) {
  auto fitsAsOneTile = [](int64_t size, ElementKind kind, Algorithm algorithm) {
    Problem problem = product(size, size, size, kind);
    problem.algorithm = algorithm;
    problem.tile = problem.extents;
    return failure(problem, chip("sm_90"));
  };
  EXPECT_EQ(fitsAsOneTile(192, ElementKind::F16, Algorithm::OneD), "");
  EXPECT_EQ(fitsAsOneTile(128, ElementKind::F64, Algorithm::OneD), "");
  EXPECT_EQ(fitsAsOneTile(128, ElementKind::F64, Algorithm::TwoD), "");
}

TEST(Planner, LanesProductsFitAnInstructionCache) {
  for (auto [extent, isComplex] :
       {std::pair(int64_t(96), true), std::pair(int64_t(400), false),
        std::pair(int64_t(400), true), std::pair(int64_t(2048), false),
        std::pair(int64_t(2048), true)}) {
    Problem problem = product(extent, extent, extent, ElementKind::F32);
    problem.batch = 1000;
    problem.isComplex = isComplex;
    // Of what is copied, more would have no room.
    problem.isCopyable = !isComplex;
    auto choice = choosePlan(problem, chip("sm_90"));
    ASSERT_TRUE(bool(choice)) << llvm::toString(choice.takeError());
    const Plan &plan = choice->best()->plan;
    Partition partition = plan.partition();
    int64_t unrolled = (isComplex ? 4 : 1) * partition.warpM * partition.warpN *
                       plan.tile.k / (plan.grid.k * 32);
    EXPECT_TRUE(unrolled <= 8192 || plan.tile.k <= 32) << summary(plan);
    // Of whoever asks for more of them, more are taken.
    problem.tile = {plan.tile.m, plan.tile.n, plan.tile.k * 4};
    EXPECT_EQ(failure(problem, chip("sm_90")), "");
  }
}

TEST(Planner, NeverTheInstructionThatHalvesTheRate) {
  for (int64_t size : {8, 16, 64, 128, 200}) {
    Problem problem = product(size, size, size, ElementKind::F64);
    Choice choice = llvm::cantFail(choosePlan(problem, chip("sm_90")));
    EXPECT_NE(choice.best()->plan.atom->name, "mma_sync.m8n8k4.f64.f64");
  }
}

// The worked examples of the paper, as plans.
TEST(Planner, PaperModel) {
  PlannerOptions options;
  options.model = CostModel::Paper;
  options.paper.latencyShared = 22;
  options.paper.bandwidthShared = 128;
  options.paper.tensorCores = 4;
  options.paper.opsPerCycle = 32;
  auto best = [&](Algorithm algorithm, int64_t warps) {
    Problem problem = product(8, 8, 8, ElementKind::F64);
    problem.algorithm = algorithm;
    problem.warps = warps;
    Choice choice = llvm::cantFail(choosePlan(problem, chip("sm_90"), options));
    return *choice.best();
  };
  Candidate oneD = best(Algorithm::OneD, 2);
  EXPECT_EQ(oneD.plan.grid, (WarpGrid{2, 1, 1}));
  EXPECT_DOUBLE_EQ(oneD.costs.total, 60);
  Candidate twoD = best(Algorithm::TwoD, 4);
  EXPECT_DOUBLE_EQ(twoD.costs.communication, 30);
  EXPECT_DOUBLE_EQ(twoD.costs.total, 68);
  Candidate threeD = best(Algorithm::ThreeD, 8);
  EXPECT_EQ(threeD.plan.grid, (WarpGrid{2, 2, 2}));
  EXPECT_DOUBLE_EQ(threeD.costs.volume, 1024);
  EXPECT_DOUBLE_EQ(threeD.costs.computation, 2);
  EXPECT_DOUBLE_EQ(threeD.costs.total, 68);
}

TEST(Planner, TheOrderOfSumsIsThatOfEveryBatch) {
  auto expectOneOrder = [](Problem problem) {
    problem.isReproducible = true;
    std::optional<SumOrder> order;
    for (int64_t batch : {1, 2, 4, 10, 1000, 10000, 1000000}) {
      problem.batch = batch;
      problem.packable = problem.packable > 0 ? batch : 0;
      auto choice = choosePlan(problem, chip("sm_90"));
      ASSERT_TRUE(bool(choice)) << llvm::toString(choice.takeError());
      SumOrder found = sumOrderOf(choice->best()->plan);
      EXPECT_TRUE(found == order.value_or(found))
          << problem.extents.m << "x" << problem.extents.n << "x"
          << problem.extents.k << " " << name(problem.operand).str() << " "
          << batch;
      order = found;
    }
  };
  ElementKind kinds[] = {ElementKind::F16, ElementKind::TF32, ElementKind::F32,
                         ElementKind::F64};
  for (ElementKind kind : kinds)
    for (int64_t size : {3, 16, 48, 64, 100, 128, 256})
      expectOneOrder(product(size, size, size, kind));
  // Of packed products, few have none to be packed with.
  std::mt19937_64 random(3);
  auto draw = [&] {
    return std::uniform_int_distribution<int64_t>(1, 40)(random);
  };
  for (ElementKind kind : kinds)
    for (int i = 0; i < 10; ++i) {
      Problem problem = product(draw(), draw(), draw(), kind);
      problem.packable = 1;
      expectOneOrder(problem);
    }
}

TEST(Planner, IntegersHaveNoOrder) {
  for (int64_t batch : {16, 1000, 1000000}) {
    Problem problem = product(26, 26, 26, ElementKind::I8);
    problem.batch = batch;
    auto free = llvm::cantFail(choosePlan(problem, chip("sm_90")));
    problem.isReproducible = true;
    auto bound = llvm::cantFail(choosePlan(problem, chip("sm_90")));
    EXPECT_EQ(summary(bound.best()->plan), summary(free.best()->plan));
    EXPECT_EQ(bound.best()->score, free.best()->score);
  }
}

TEST(Planner, PlacesWithinAnInstructionArePartOfTheOrder) {
  auto orderOf = [](llvm::StringRef atom, int64_t interleaveK) {
    Plan plan;
    plan.atom = findAtom(atom);
    plan.interleave.k = interleaveK;
    return sumOrderOf(plan);
  };
  llvm::StringRef halves = "mma_sync.m16n8k16.f32.f16",
                  integers = "mma_sync.m16n8k16.i32.i8";
  EXPECT_FALSE(orderOf(halves, 0) == orderOf(halves, 1));
  EXPECT_FALSE(orderOf(halves, 1) == orderOf(halves, 2));
  EXPECT_TRUE(orderOf(halves, 1) == orderOf(halves, 1));
  EXPECT_TRUE(orderOf(integers, 0) == orderOf(integers, 2));
}

TEST(Planner, PrefetchesOnlyInTurn) {
  Problem problem = product(256, 256, 256, ElementKind::F16);
  problem.output = ElementKind::F16;
  problem.batch = 10000;
  Choice choice = llvm::cantFail(choosePlan(problem, chip("sm_90")));
  const Candidate *ahead = nullptr;
  for (const Candidate &candidate : choice.candidates)
    if (candidate.plan.prefetches && candidate.fits())
      ahead = &candidate;
  ASSERT_NE(ahead, nullptr);
  EXPECT_EQ(ahead->plan.blocks,
            chip("sm_90").multiprocessors * ahead->calibrated.residentBlocks);
  Plan plan = ahead->plan;
  plan.blocks = 0;
  EXPECT_NE(llvm::toString(verifyPlan(plan, problem, chip("sm_90"))), "");
  // A single product leaves nothing to prefetch.
  problem.batch = 1;
  for (const Candidate &candidate :
       llvm::cantFail(choosePlan(problem, chip("sm_90"))).candidates)
    EXPECT_FALSE(candidate.plan.prefetches && candidate.fits());
}

// A block that is alone on its multiprocessor has as many stages as its memory
// has room for, as long as one product fills more, or its threads have edges to
// mind; of two tiles along k, two.
TEST(Planner, StagesInTurn) {
  auto stages = [](int64_t size, ElementKind operand, ElementKind output) {
    Problem problem = product(size, size, size, operand);
    problem.output = output;
    problem.batch = 10000;
    Choice choice = llvm::cantFail(choosePlan(problem, chip("sm_90")));
    EXPECT_TRUE(choice.best()->plan.prefetches) << size;
    return choice.best()->plan.stages;
  };
  EXPECT_EQ(stages(128, ElementKind::TF32, ElementKind::F32), 2);
  EXPECT_EQ(stages(192, ElementKind::TF32, ElementKind::F32), 4);
  EXPECT_EQ(stages(256, ElementKind::TF32, ElementKind::F32), 4);
  EXPECT_EQ(stages(192, ElementKind::F16, ElementKind::F16), 3);
  EXPECT_EQ(stages(256, ElementKind::F16, ElementKind::F16), 3);
  EXPECT_EQ(stages(224, ElementKind::F16, ElementKind::F16), 4);
}

// Where products are smaller than an instruction, or their rows no whole pieces
// of 16 bytes, and follow each other without gaps.
TEST(Planner, PacksSmallProducts) {
  const Chip &chip = *llvm::cantFail(findChip("sm_90"));
  Problem problem;
  problem.batch = 1000000;
  auto choose = [&](Extents extents, ElementKind type, bool isPackable) {
    problem.extents = extents;
    problem.operand = type;
    problem.accumulator = defaultAccumulator(type);
    problem.output = type;
    problem.packable = isPackable ? problem.batch : 0;
    return llvm::cantFail(choosePlan(problem, chip)).best()->plan;
  };
  for (ElementKind type :
       {ElementKind::F16, ElementKind::F32, ElementKind::F64})
    for (int64_t n : {1, 2, 3, 4, 17}) {
      Plan plan = choose({n, n, n}, type, true);
      EXPECT_TRUE(plan.isPacked()) << n;
      EXPECT_FALSE(choose({n, n, n}, type, false).isPacked()) << n;
      // All matrices of a block's products are whole pieces.
      EXPECT_EQ(plan.teams * n * n * byteWidth(type) % 16, 0) << n;
      EXPECT_TRUE(n > 8 || plan.unit() == Unit::Lane) << n;
    }
  // Warps have the faster instruction for what is large enough.
  EXPECT_EQ(choose({33, 33, 33}, ElementKind::F16, true).unit(), Unit::Warp);
  EXPECT_EQ(choose({33, 33, 33}, ElementKind::F32, true).unit(), Unit::Lane);
  // Whole pieces of whole instructions need no pack.
  EXPECT_FALSE(choose({64, 64, 64}, ElementKind::F16, true).isPacked());
  EXPECT_FALSE(choose({32, 32, 32}, ElementKind::F16, true).isPacked());
}

// Groups multiply operands in device memory where these are of 16 bits.
TEST(Planner, CopiesForWarpGroups) {
  const Chip &chip = *llvm::cantFail(findChip("sm_90"));
  Problem problem;
  problem.extents = {192, 192, 192};
  problem.output = ElementKind::F16;
  problem.batch = 10000;
  EXPECT_EQ(llvm::cantFail(choosePlan(problem, chip)).best()->plan.unit(),
            Unit::WarpGroup);
  problem.operand = ElementKind::F64;
  problem.accumulator = problem.output.emplace(ElementKind::F64);
  EXPECT_EQ(llvm::cantFail(choosePlan(problem, chip)).best()->plan.unit(),
            Unit::Warp);
  problem.operand = ElementKind::F16;
  problem.accumulator = ElementKind::F32;
  problem.output = ElementKind::F16;
  problem.unit = Unit::WarpGroup;
  for (const Candidate &candidate :
       llvm::cantFail(choosePlan(problem, chip)).candidates) {
    const Plan &plan = candidate.plan;
    EXPECT_EQ(plan.unit(), Unit::WarpGroup);
    EXPECT_EQ(plan.transport, Transport::Copied);
    EXPECT_TRUE(copiesToUnit(*plan.atom, plan.partition()));
    if (candidate.fits()) {
      EXPECT_EQ(llvm::toString(verifyPlan(plan, problem, chip)), "");
    }
  }
  Plan plan = llvm::cantFail(choosePlan(problem, chip)).best()->plan;
  plan.tile.m = 2 * plan.tile.m;
  EXPECT_EQ(findMisfit(plan, problem, chip).reason, Misfit::NotUnitCopies);
}

// An instruction of the lanes that takes four terms reads them of a copy, and
// nothing else: where nothing can be copied, another one is taken.
TEST(Planner, CopiesForLanes) {
  for (llvm::StringRef target : {"sm_80", "sm_90", "sm_120"}) {
    Problem problem = product(192, 192, 192, ElementKind::F32);
    problem.batch = 10000;
    Choice choice = llvm::cantFail(choosePlan(problem, chip(target)));
    EXPECT_EQ(choice.best()->plan.atom->name, "fma.m16n16k4.f32.f32");
    for (const Candidate &candidate : choice.candidates) {
      const Plan &plan = candidate.plan;
      if (candidate.fits()) {
        EXPECT_EQ(plan.atom->shape.k > 1,
                  plan.transport == Transport::Copied && !plan.isPacked())
            << summary(plan);
      }
    }
    problem.isCopyable = false;
    choice = llvm::cantFail(choosePlan(problem, chip(target)));
    EXPECT_EQ(choice.best()->plan.atom->name, "fma.m16n8k1.f32.f32");
  }
}

// Of tf32, one operand's elements have to be adjacent along k. Where these are
// A's, groups stand in a row.
TEST(Planner, TransposesForWarpGroups) {
  const Chip &chip = *llvm::cantFail(findChip("sm_90"));
  Problem problem;
  problem.extents = {192, 192, 192};
  problem.operand = ElementKind::TF32;
  problem.output = ElementKind::F32;
  problem.batch = 10000;
  EXPECT_TRUE(
      llvm::cantFail(choosePlan(problem, chip)).best()->plan.isTransposed());
  problem.extents = {200, 128, 100};
  problem.unit = Unit::WarpGroup;
  auto grids = [&](std::optional<Major> majorA, std::optional<Major> majorB) {
    problem.majorA = majorA;
    problem.majorB = majorB;
    bool inRows = false, inColumns = false;
    llvm::Expected<Choice> choice = choosePlan(problem, chip);
    if (!choice) {
      llvm::consumeError(choice.takeError());
      return std::pair(false, false);
    }
    for (const Candidate &candidate : choice->candidates) {
      const Plan &plan = candidate.plan;
      EXPECT_EQ(plan.transport, Transport::Copied);
      EXPECT_TRUE(copiesToUnit(*plan.atom, plan.partition()));
      if (candidate.fits()) {
        EXPECT_EQ(llvm::toString(verifyPlan(plan, problem, chip)), "");
      }
      (plan.isTransposed() ? inRows : inColumns) = true;
    }
    return std::pair(inRows, inColumns);
  };
  EXPECT_EQ(grids(Major::K, Major::MN), std::pair(true, false));
  EXPECT_EQ(grids(Major::MN, Major::K), std::pair(false, true));
  EXPECT_EQ(grids(Major::K, Major::K), std::pair(true, true));
  EXPECT_EQ(grids(Major::MN, Major::MN), std::pair(false, false));
  EXPECT_EQ(grids(std::nullopt, std::nullopt), std::pair(false, false));
  // Tiles are C's, whichever way they are multiplied.
  problem.majorA = Major::K;
  problem.majorB = Major::MN;
  problem.tile = {96, 64, 32};
  Plan plan = llvm::cantFail(choosePlan(problem, chip)).best()->plan;
  EXPECT_EQ(plan.tile, (Extents{96, 64, 32}));
  EXPECT_EQ(plan.grid, (WarpGrid{1, 4, 1}));
  // A C that is relayed takes the operands' place, or one beside the next
  // product's.
  plan.stages = 3;
  plan.prefetches = false;
  auto sharedBytes = [&] {
    return sharedLayout(plan.partition(), plan.slices,
                        elementBytesOf(*plan.atom), plan.exchange())
        .bytes;
  };
  int64_t bytes = sharedBytes();
  plan.relaysC = true;
  EXPECT_EQ(findMisfit(plan, problem, chip).reason, Misfit::None);
  EXPECT_EQ(sharedBytes(), bytes);
  plan.blocks = chip.multiprocessors;
  plan.prefetches = true;
  EXPECT_GT(sharedBytes(), bytes);
  // What is split in two keeps its low parts.
  problem.operand = ElementKind::TF32x3;
  EXPECT_NE(llvm::toString(choosePlan(problem, chip).takeError()), "");
}

// Packs end where the last dimension of the batch does.
TEST(Planner, CountsPacksOfTheLastDimension) {
  const Chip &chip = *llvm::cantFail(findChip("sm_90"));
  Problem problem;
  problem.extents = {5, 5, 5};
  problem.operand = problem.accumulator = ElementKind::F32;
  problem.output = ElementKind::F32;
  problem.batch = 80000;
  problem.packable = 3;
  const Choice choice = llvm::cantFail(choosePlan(problem, chip));
  for (const Candidate &candidate : choice.candidates) {
    if (!candidate.plan.isPacked())
      continue;
    EXPECT_LE(candidate.plan.teams, 3);
    EXPECT_GE(candidate.calibrated.blocks, 80000 / 3.0);
  }
  problem.packable = problem.batch;
  Candidate best = *llvm::cantFail(choosePlan(problem, chip)).best();
  EXPECT_EQ(best.calibrated.blocks, llvm::divideCeil(80000, best.plan.teams));
}

TEST(Planner, VerifiesPacks) {
  const Chip &chip = *llvm::cantFail(findChip("sm_90"));
  Problem problem;
  problem.extents = {5, 6, 7};
  problem.operand = problem.accumulator = ElementKind::F32;
  problem.batch = 100;
  problem.packable = problem.batch;
  Plan plan;
  plan.atom = findAtom("fma.m1n1k1.f32.f32");
  plan.tile = problem.extents;
  plan.grid = {3, 1, 1};
  plan.transport = Transport::Copied;
  plan.slices.k = 1;
  plan.teams = 4;
  EXPECT_EQ(llvm::toString(verifyPlan(plan, problem, chip)), "");
  auto reasonOf = [&](auto change) {
    Plan other = plan;
    change(other);
    return findMisfit(other, problem, chip).reason;
  };
  EXPECT_EQ(reasonOf([](Plan &plan) { plan.grid.m = 4; }), Misfit::NotPacked);
  EXPECT_EQ(reasonOf([](Plan &plan) { plan.grid.n = 2; }), Misfit::NotPacked);
  EXPECT_EQ(reasonOf([](Plan &plan) { plan.tile.k = 8; }), Misfit::NotPacked);
  EXPECT_EQ(reasonOf([](Plan &plan) { plan.transport = Transport::Staged; }),
            Misfit::NotPacked);
  EXPECT_EQ(reasonOf([](Plan &plan) { plan.stages = 2; }), Misfit::NotPacked);
  EXPECT_EQ(reasonOf([](Plan &plan) { plan.teams = 400; }), Misfit::Threads);
  problem.packable = 0;
  EXPECT_EQ(reasonOf([](Plan &) {}), Misfit::NotPacked);
}

TEST(Planner, Errors) {
  Problem problem = product(16, 16, 16, ElementKind::F16);
  problem.extents.n = 0;
  EXPECT_EQ(failure(problem, chip("sm_90")),
            "an empty product has no plan: expected extents and a batch of at "
            "least 1, but got 16x0x16, batch 1");
  problem = product(16, 16, 16, ElementKind::F64);
  EXPECT_EQ(failure(problem, chip("xe2")),
            "target 'xe2' has no atom that multiplies f64 into f64, it has: "
            "cooperative_matrix.m8n16k16.f32.f16.lanes16, "
            "cooperative_matrix.m8n16k16.f16.f16.lanes16, "
            "cooperative_matrix.m8n16k16.f32.bf16.lanes16, "
            "cooperative_matrix.m8n16k32.i32.i8.lanes16, "
            "cooperative_matrix.m8n16k32.i32.u8.lanes16");
  problem = product(16, 16, 16, ElementKind::F16);
  problem.algorithm = Algorithm::TwoD;
  problem.warps = 5;
  EXPECT_EQ(failure(problem, chip("sm_90")),
            "no 2d grid of 5 warps meets the constraints");
  problem.warps = 64;
  EXPECT_EQ(failure(problem, chip("sm_90")),
            "expected 1 to 32 warps, but got 64");
  problem.warps.reset();
  problem.grid = WarpGrid{1, int64_t(1) << 40, 1};
  EXPECT_NE(failure(problem, chip("sm_90")), "");
  problem = product(512, 512, 512, ElementKind::F16);
  problem.grid = WarpGrid{1, 1, 1};
  problem.tile = problem.extents;
  EXPECT_NE(failure(problem, chip("sm_90")), "");
}

TEST(Planner, EvaluatesPlansWrittenByHand) {
  Problem problem = product(64, 64, 64, ElementKind::F16);
  Choice choice = llvm::cantFail(choosePlan(problem, chip("sm_90")));
  for (const Candidate &candidate : choice.candidates) {
    Candidate again = evaluatePlan(candidate.plan, problem, chip("sm_90"));
    EXPECT_EQ(again.score, candidate.score);
    EXPECT_EQ(again.rejected, candidate.rejected);
  }
  EXPECT_EQ(evaluatePlan(Plan(), problem, chip("sm_90")).rejected,
            "the plan names no atom");
}

// 8 terms are one k step: no second warp can own a part of them, but 4096 sums
// of 64 bits are too many for one.
TEST(Planner, ShortSumsInsideABlockHaveAPlan) {
  Problem problem;
  problem.extents = {64, 64, 8};
  problem.operand = problem.accumulator = ElementKind::F64;
  problem.source = Source::Block;
  Choice choice = llvm::cantFail(choosePlan(problem, chip("sm_90")));
  EXPECT_GT(choice.best()->plan.grid.warps(), 1);
}

/// The atoms of all candidates that fit.
static std::set<std::string> atomsTried(const Problem &problem,
                                        llvm::StringRef target) {
  std::set<std::string> names;
  Choice choice = llvm::cantFail(choosePlan(problem, chip(target)));
  for (const Candidate &candidate : choice.candidates)
    if (candidate.fits())
      names.insert(candidate.plan.atom->name.str());
  return names;
}

/// f16 has all numbers of 8-bit floats. Where their own instruction is twice as
/// fast, or expanded to no less than half of f16, both are tried; where it is
/// missing only f16's.
TEST(Planner, WidensFloatsOf8Bits) {
  using Names = std::set<std::string>;
  const std::string half = "mma_sync.m16n8k16.f32.f16";
  Problem problem = product(64, 64, 64, ElementKind::F8E4M3FN);
  EXPECT_EQ(atomsTried(problem, "sm_80"), Names{half});
  EXPECT_EQ(atomsTried(problem, "sm_90"),
            (Names{half, "mma_sync.m16n8k32.f32.f8E4M3FN"}));
  EXPECT_EQ(atomsTried(problem, "sm_89"),
            (Names{half, "mma_sync.m16n8k32.f32.f8E4M3FN"}));
  problem.otherOperand = ElementKind::F16;
  EXPECT_EQ(atomsTried(problem, "sm_89"), Names{half});
  problem.otherOperand = ElementKind::F8E5M2;
  problem.source = Source::Block;
  EXPECT_EQ(
      atomsTried(problem, "sm_90"),
      (Names{half, "mma_sync.m16n8k32.f32.f8E4M3FN.f8E5M2",
             "wgmma.m16n8k16.f32.f16", "wgmma.m16n8k32.f32.f8E4M3FN.f8E5M2"}));
}

/// Shared memory has the elements as they are multiplied, device memory as they
/// are: one byte each of A and B, four of C.
TEST(Planner, CountsWidenedBytes) {
  Problem problem = product(64, 64, 64, ElementKind::F8E4M3FN), same = problem;
  same.operand = ElementKind::F16;
  Plan plan;
  plan.atom = findAtom("mma_sync.m16n8k16.f32.f16");
  plan.tile = {64, 64, 64};
  plan.grid = {2, 2, 1};
  plan.slices.k = 16;
  const Chip &h200 = chip("sm_90");
  Candidate narrow = evaluatePlan(plan, problem, h200);
  Candidate wide = evaluatePlan(plan, same, h200);
  ASSERT_TRUE(narrow.fits()) << narrow.rejected;
  EXPECT_EQ(narrow.resources.shared.bytes, wide.resources.shared.bytes);
  EXPECT_EQ(narrow.calibrated.sharedBandwidth, wide.calibrated.sharedBandwidth);
  EXPECT_DOUBLE_EQ(wide.calibrated.memoryBandwidth /
                       narrow.calibrated.memoryBandwidth,
                   (2 * 2 + 4) / (2 * 1 + 4.0));
  EXPECT_TRUE(plan.widens(problem.operand, problem.operandB()));
  EXPECT_FALSE(plan.widens(same.operand, same.operandB()));
}

TEST(Planner, WidensNothingElse) {
  Problem problem = product(16, 16, 16, ElementKind::BF16);
  Plan plan;
  plan.atom = findAtom("mma_sync.m16n8k16.f32.f16");
  plan.tile = {16, 16, 16};
  plan.grid = {1, 1, 1};
  plan.slices.k = 16;
  EXPECT_EQ(llvm::toString(verifyPlan(plan, problem, chip("sm_90"))),
            "atom 'mma_sync.m16n8k16.f32.f16' multiplies f16, expected bf16");
}

/// Four real products, of which two sums are alive: a thread's part of a
/// 64 x 64 f64 C on 4 warps takes 64 * 64 * 8 / 4 / 128 = 64 registers, twice.
TEST(Planner, CountsComplexNumbers) {
  Problem complex = product(64, 64, 64, ElementKind::F64), real = complex;
  complex.isComplex = true;
  Plan plan;
  plan.atom = findAtom("mma_sync.m16n8k8.f64.f64");
  plan.tile = {64, 64, 64};
  plan.grid = {2, 2, 1};
  plan.slices = {8, 4, 4};
  const Chip &h200 = chip("sm_90");
  Candidate one = evaluatePlan(plan, real, h200);
  Candidate four = evaluatePlan(plan, complex, h200);
  EXPECT_EQ(one.resources.registers.accumulators, 64);
  EXPECT_EQ(four.resources.registers.accumulators, 128);
  EXPECT_EQ(four.resources.shared.bytes, one.resources.shared.bytes);
  EXPECT_DOUBLE_EQ(four.calibrated.tensorCores, 4 * one.calibrated.tensorCores);
  EXPECT_DOUBLE_EQ(four.calibrated.barriers, 4 * one.calibrated.barriers);
  EXPECT_DOUBLE_EQ(four.calibrated.memoryBandwidth,
                   2 * one.calibrated.memoryBandwidth);
}

TEST(Planner, FindsAPlanForComplexNumbers) {
  for (ElementKind kind : {ElementKind::F32, ElementKind::F64,
                           ElementKind::TF32, ElementKind::TF32x3})
    for (Extents extents :
         {Extents{1, 1, 1}, Extents{200, 300, 70}, Extents{4096, 4096, 4096}}) {
      Problem problem = product(extents.m, extents.n, extents.k, kind);
      problem.isComplex = true;
      for (llvm::StringRef target : {"sm_80", "sm_90", "sm_120"})
        EXPECT_EQ(failure(problem, chip(target)), "") << name(kind).str();
    }
}
