//===- CalibrationTest.cpp ----------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Model/CalibrationFile.h"
#include "kami/Plan/Planner.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace kami;

namespace {
struct CalibrationTest : testing::Test {
  const Chip &chip = *llvm::cantFail(findChip("sm_90"));
  const Chip &other = *llvm::cantFail(findChip("sm_80"));

  /// The file that the chip's own figures make, as an object to be damaged.
  llvm::json::Object file() const {
    return *toJSON(calibrationOf(chip)).getAsObject();
  }
  std::string error(llvm::json::Object object) const {
    llvm::json::Value value = std::move(object);
    auto parsed = parseCalibration(llvm::formatv("{0}", value).str(), chip);
    return parsed ? "" : llvm::toString(parsed.takeError());
  }
};
} // namespace

TEST_F(CalibrationTest, RoundTrips) {
  Calibration original = calibrationOf(chip);
  original.barrier = 17.25;
  AtomCalibration &atom = original.of(*findAtom("mma_sync.m16n8k16.f32.f16"));
  atom.cycles = 1.0 / 3;
  atom.provenance = Provenance::Measured;
  std::string text = llvm::formatv("{0:2}", toJSON(original));
  Calibration copy = llvm::cantFail(parseCalibration(text, chip));
  EXPECT_EQ(copy.device, original.device);
  EXPECT_EQ(copy.source, original.source);
  EXPECT_EQ(copy.provenance, Provenance::Measured);
  for (const CalibrationFigure &figure : calibrationFigures())
    EXPECT_EQ(copy.*figure.value, original.*figure.value) << figure.key.str();
  ASSERT_EQ(copy.atoms.size(), original.atoms.size());
  for (size_t i = 0; i != copy.atoms.size(); ++i)
    if (original.atoms[i].provenance == Provenance::Measured) {
      EXPECT_EQ(copy.atoms[i].cycles, original.atoms[i].cycles);
      EXPECT_EQ(copy.atoms[i].latency, original.atoms[i].latency);
    }
}

TEST_F(CalibrationTest, EveryAtomOfEveryChipHasFigures) {
  for (const Chip &each : allChips()) {
    const Calibration &calibration = calibrationOf(each);
    EXPECT_EQ(calibration.chip, each.name.str());
    EXPECT_EQ(calibration.atoms.size(), each.atoms.size() +
                                            each.groupAtoms.size() +
                                            each.laneAtoms.size());
    for (const AtomCalibration &atom : calibration.atoms)
      EXPECT_GT(atom.cycles, 0);
  }
  EXPECT_EQ(calibrationOf(chip).provenance, Provenance::Measured);
  EXPECT_EQ(calibrationOf(other).provenance, Provenance::Documented);
}

TEST_F(CalibrationTest, SaysWhatIsWrong) {
  EXPECT_EQ(error(file()), "");
  auto damaged = [&](llvm::StringRef key, llvm::json::Value value) {
    llvm::json::Object object = file();
    object[key] = std::move(value);
    return error(std::move(object));
  };
  EXPECT_EQ(damaged("version", 7),
            "expected a calibration of version 1, but got version 7");
  EXPECT_EQ(damaged("chip", "sm_80"),
            "expected a calibration of sm_90, but got one of sm_80");
  EXPECT_EQ(damaged("barrier_cycles", -1),
            "expected 'barrier_cycles' above 0 and up to 100000, but got -1");
  EXPECT_EQ(damaged("barrier_cycles", "many"),
            "expected a number 'barrier_cycles', but got something else");
  EXPECT_EQ(damaged("barriers", 1), "unknown key 'barriers'");
  EXPECT_EQ(damaged("atoms", 1), "expected an array 'atoms'");
  EXPECT_EQ(damaged("atoms", llvm::json::Array{1}),
            "expected 'atoms' to be an array of objects");
  llvm::json::Object object = file();
  object.erase("launch_microseconds");
  EXPECT_EQ(error(std::move(object)),
            "expected a number 'launch_microseconds', but got none");
  auto parsed = parseCalibration("{", chip);
  ASSERT_FALSE(bool(parsed));
  EXPECT_TRUE(llvm::StringRef(llvm::toString(parsed.takeError()))
                  .starts_with("expected JSON: "));
  parsed = parseCalibration("[]", chip);
  ASSERT_FALSE(bool(parsed));
  EXPECT_EQ(llvm::toString(parsed.takeError()), "expected a JSON object");
}

TEST_F(CalibrationTest, SaysWhatIsWrongWithAnAtom) {
  auto withAtom = [&](llvm::json::Object atom) {
    llvm::json::Object object = file();
    object["atoms"] = llvm::json::Array{std::move(atom)};
    return error(std::move(object));
  };
  using Object = llvm::json::Object;
  EXPECT_EQ(withAtom(Object{{"name", "mma_sync.m8n8k4.f16.f16"}}),
            "target 'sm_90' has no atom 'mma_sync.m8n8k4.f16.f16'");
  EXPECT_EQ(withAtom(Object{{"cycles", 1}}),
            "expected a text 'name', but got none");
  EXPECT_EQ(withAtom(Object{{"name", "fma.m16n8k1.f32.f32"}, {"cycles", 0}}),
            "expected 'cycles' of 'fma.m16n8k1.f32.f32' above 0 and up to "
            "1000000, but got 0");
  EXPECT_EQ(withAtom(Object{{"name", "fma.m16n8k1.f32.f32"},
                            {"cycles", 1},
                            {"latency_cycles", 4},
                            {"exposed_reads", 0.2},
                            {"exposed_exchange", 1},
                            {"rate", 1}}),
            "unknown key 'rate' of 'fma.m16n8k1.f32.f32'");
}

TEST_F(CalibrationTest, SaysWhichFileIsNotThere) {
  auto loaded = loadCalibration("/does/not/exist.json", chip);
  ASSERT_FALSE(bool(loaded));
  EXPECT_EQ(llvm::toString(loaded.takeError()),
            "cannot read calibration '/does/not/exist.json': No such file or "
            "directory");
}

// On a machine whose warp groups are a hundred times slower, warps do it.
TEST_F(CalibrationTest, DecidesAPlan) {
  Problem problem;
  problem.extents = {64, 64, 64};
  problem.source = Source::Block;
  auto instruction = [&](const Calibration *calibration) {
    PlannerOptions options;
    options.calibration = calibration;
    Choice choice = llvm::cantFail(choosePlan(problem, chip, options));
    return choice.best()->plan.atom->instruction;
  };
  EXPECT_EQ(instruction(nullptr), Instruction::Wgmma);
  Calibration slow = calibrationOf(chip);
  slow.of(*findAtom("wgmma.m16n8k16.f32.f16")).cycles *= 100;
  EXPECT_EQ(instruction(&slow), Instruction::MmaSync);
}
