//===- ExplainTest.cpp --------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Plan/Explain.h"
#include "gtest/gtest.h"

using namespace kami;

namespace {
struct Explain : testing::Test {
  const Chip &chip = *llvm::cantFail(findChip("sm_90"));
  Problem problem;
  PlannerOptions options;

  Explain() {
    problem.extents = {192, 192, 192};
    problem.batch = 100;
  }
  Choice choose() const {
    return llvm::cantFail(choosePlan(problem, chip, options));
  }
};
} // namespace

TEST_F(Explain, JSONHasTheDocumentedKeys) {
  Choice choice = choose();
  llvm::json::Object object =
      explainJSON(choice, problem, chip, options, Detail::All);
  for (llvm::StringRef key : {"algorithm", "grid", "warps", "v_cm_bytes",
                              "t_cm_cycles", "t_cp_cycles", "t_all_cycles",
                              "registers", "shared_bytes", "rejected"}) {
    EXPECT_NE(object.get(key), nullptr) << key.str();
    for (const llvm::json::Value &one : *object.getArray("candidates"))
      EXPECT_NE(one.getAsObject()->get(key), nullptr) << key.str();
  }
  EXPECT_EQ(object.getArray("candidates")->size(), choice.candidates.size());
  EXPECT_EQ(object.getString("rejected"), "");
  EXPECT_EQ(object.getInteger("warps"), choice.best()->plan.grid.warps());
}

TEST_F(Explain, TextHasALineForEachAlgorithmOrCandidate) {
  Choice choice = choose();
  auto lines = [&](Detail detail) {
    std::string text;
    llvm::raw_string_ostream os(text);
    explainText(choice, problem, chip, options, detail, os);
    return size_t(llvm::count(text, '\n'));
  };
  EXPECT_EQ(lines(Detail::BestOfEach), 3u + 3u);
  EXPECT_EQ(lines(Detail::All), 3u + choice.candidates.size());
}

TEST_F(Explain, NothingToExplainIsNoCrash) {
  Choice choice;
  std::string text;
  llvm::raw_string_ostream os(text);
  explainText(choice, problem, chip, options, Detail::All, os);
  explainJSON(choice, problem, chip, options, Detail::All);
  EXPECT_EQ(summary(Plan()), "1d 1x1x1 tile 1x1x1 no atom staged, slices of 0, "
                             "0 of A and 0 of B in shared memory");
}
