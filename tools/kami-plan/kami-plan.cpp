//===- kami-plan.cpp - How would this product be split? -----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/VulkanInfo.h"
#include "kami/Model/CalibrationFile.h"
#include "kami/Plan/Explain.h"
#include "kami/Plan/Request.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"

using namespace kami;
namespace cl = llvm::cl;

static cl::OptionCategory category("kami-plan options");

namespace {
/// Kept as text, so that all errors read alike; empty where it is not given.
struct Flag : cl::opt<std::string> {
  Flag(const char *name, const char *what, const char *text = "")
      : cl::opt<std::string>(llvm::StringRef(name), cl::desc(what),
                             cl::init(text), cl::ValueOptional,
                             cl::cat(category)) {}
};
} // namespace

static Flag target("target", "The chip", "sm_90");
static Flag gemm("gemm", "Extents of the product: MxNxK");
static Flag chain("chain", "Extents of A·B·C, instead: MxKxNxQ");
static Flag type("type", "Type of A's and B's elements", "f16");
static Flag typeB("type-b", "Type of B's elements where it is not A's");
static Flag accumulator("accumulator", "Type of the sums");
static Flag outputType("output-type", "Type of C's elements");
static Flag batch("batch", "Number of products");
static Flag algorithm("algorithm", "auto, 1d, 2d or 3d", "auto");
static Flag warps("warps", "Warps of a block");
static Flag unit("unit", "auto, warp, warpgroup or lane", "auto");
static Flag tile("tile", "What a block computes: MxNxK");
static Flag stages("stages", "Tiles along k that have room at a time");
static Flag copies("copies", "auto, threads or bulk", "auto");
static cl::opt<int64_t>
    taken("taken",
          cl::desc("Of blocks in turn, the last turns of tiles that they take "
                   "as they are done with others, 0 to choose, or -1 for none"),
          cl::cat(category));
static Flag model("model", "calibrated or paper", "calibrated");
static Flag format("format", "text or json", "text");
static cl::opt<bool> all("all", cl::desc("Print every candidate"),
                         cl::cat(category));
static Flag calibration("calibration",
                        "What the device was measured to do: a file of "
                        "kami-bench calibrate");
static Flag deviceInfo("device-info",
                       "Print what the Vulkan device offers and plan for it; "
                       "with a file, for the device that it describes");
static Flag lSm("l-sm", "Paper: latency of shared memory, cycles");
static Flag bSm("b-sm", "Paper: bandwidth of shared memory, bytes per cycle");
static Flag thetaR("theta-r", "Paper: bank-conflict factor of reads");
static Flag thetaW("theta-w", "Paper: bank-conflict factor of writes");
static Flag nTc("n-tc", "Paper: tensor cores of a multiprocessor");
static Flag oTc("o-tc", "Paper: operations per cycle of a tensor core");

/// What `--device-info` asks for: a device, as a chip.
static llvm::Expected<std::optional<VulkanDescription>> describeDevice() {
  if (!deviceInfo.getNumOccurrences())
    return std::nullopt;
  if (target != "vulkan")
    return llvm::createStringError(
        "expected --target=vulkan with --device-info, but got '" + target +
        "'");
  return deviceInfo.empty() ? describeVulkanDevice()
                            : readVulkanDevice(deviceInfo);
}

/// Prints a JSON object, with the device in it if it was asked for.
static void print(llvm::json::Object object,
                  const std::optional<VulkanDescription> &device) {
  if (device)
    object["device"] = toJSON(*device);
  llvm::outs() << llvm::formatv("{0:2}\n",
                                llvm::json::Value(std::move(object)));
}

static llvm::Error runChain(const ProblemText &text, const Chip &chip,
                            const PlannerOptions &options,
                            const std::optional<VulkanDescription> &device) {
  auto problem = parseChain(chain, text);
  if (!problem)
    return problem.takeError();
  auto candidates = chooseChain(*problem, chip, options);
  if (!candidates)
    return candidates.takeError();
  Detail detail = all ? Detail::All : Detail::BestOfEach;
  if (format == "json")
    print(explainJSON(*candidates, *problem, chip, detail), device);
  else
    explainText(*candidates, *problem, chip, detail, llvm::outs());
  return llvm::Error::success();
}

static llvm::Error runProduct(const ProblemText &text, const Chip &chip,
                              PlannerOptions options,
                              const std::optional<VulkanDescription> &device) {
  auto problem = parseProblem(text);
  if (!problem)
    return problem.takeError();
  options.kept = all ? Kept::All : Kept::Fitting;
  auto choice = choosePlan(*problem, chip, options);
  if (!choice)
    return choice.takeError();
  Detail detail = all ? Detail::All : Detail::BestOfEach;
  if (format == "json")
    print(explainJSON(*choice, *problem, chip, options, detail), device);
  else
    explainText(*choice, *problem, chip, options, detail, llvm::outs());
  return llvm::Error::success();
}

static llvm::Error run() {
  if (format != "text" && format != "json")
    return llvm::createStringError("unknown --format '" + format +
                                   "', expected one of: text, json");
  ProblemText text{gemm,   type,   accumulator, batch,      algorithm,
                   warps,  tile,   typeB,       outputType, unit,
                   stages, copies, taken};
  auto options = parseOptions({model, lSm, bSm, thetaR, thetaW, nTc, oTc});
  if (!options)
    return options.takeError();
  llvm::Expected<std::optional<VulkanDescription>> device = describeDevice();
  if (!device)
    return device.takeError();
  auto chip = *device ? addVulkanChip("vulkan:" + (*device)->name, **device)
                      : findChip(target);
  if (!chip)
    return chip.takeError();
  bool isOnlyDevice = *device && gemm.empty() && chain.empty();
  if (*device && (format == "text" || isOnlyDevice))
    llvm::outs() << llvm::formatv("{0:2}\n",
                                  llvm::json::Value(toJSON(**device)));
  if (isOnlyDevice)
    return llvm::Error::success();
  llvm::Expected<std::optional<Calibration>> loaded =
      loadCalibration(calibration, **chip);
  if (!loaded)
    return loaded.takeError();
  options->calibration = *loaded ? &**loaded : nullptr;
  return chain.empty() ? runProduct(text, **chip, *options, *device)
                       : runChain(text, **chip, *options, *device);
}

static int fail(llvm::StringRef message) {
  llvm::errs() << "kami-plan: error: " << message << "\n";
  return 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  std::string complaint;
  llvm::raw_string_ostream complaints(complaint);
  if (!cl::ParseCommandLineOptions(argc, argv, "kami's planner\n",
                                   &complaints)) {
    // "TOOL: Unknown command line argument 'x'.  Try: ..."
    llvm::StringRef message = llvm::StringRef(complaint).split(": ").second;
    message = message.split(".  Try").first.trim();
    if (message.empty())
      return fail("malformed command line");
    return fail(message.take_front().lower() + message.drop_front().str());
  }
  if (llvm::Error error = run())
    return fail(llvm::toString(std::move(error)));
  return 0;
}
