//===- kami-sweep.cpp - Random problems against the reference ------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/InputFlags.h"
#include "kami/Driver/RunReport.h"
#include "kami/Driver/Sweep.h"
#include "kami/Plan/Request.h"
#include "kami/Target/Chip.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"

using namespace kami;
namespace cl = llvm::cl;

/// What a soak draws where nobody says what: all that the chip multiplies, as
/// it is or wider.
static std::vector<ElementKind> soakedTypes(const Chip &chip) {
  std::vector<ElementKind> types;
  for (ElementKind type : allElementKinds()) {
    if (type == ElementKind::I32)
      continue;
    ElementKind accumulator = defaultAccumulator(type);
    ElementKind wide = widened(type).value_or(type);
    if (!chip.atomsFor(type, accumulator).empty() ||
        !chip.atomsFor(wide, accumulator).empty())
      types.push_back(type);
  }
  return types;
}

static llvm::Error
checkSoakFlags(const SweepOptions &options, bool isSoak,
               llvm::ArrayRef<std::pair<llvm::StringRef, bool>> others,
               bool hasCase) {
  if (!isSoak && (hasCase || options.spoils))
    return llvm::createStringError("expected --soak with --" +
                                   llvm::Twine(hasCase ? "case" : "spoil"));
  if (!isSoak)
    return llvm::Error::success();
  // Not a number is below nothing.
  if (!(options.soakSeconds >= 0) || options.firstCase < 0)
    return llvm::createStringError(
        "expected --soak and --case that are not negative");
  for (auto [flag, isSet] : others)
    if (isSet)
      return llvm::createStringError("expected --soak without --" + flag);
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::OptionCategory category("kami-sweep options");
  SweepOptions options;
  cl::opt<std::string> device("device",
                              cl::desc("auto, sim, cuda, hip or vulkan"),
                              cl::init("auto"), cl::cat(category));
  cl::opt<int64_t, true> count("count", cl::desc("Problems to try"),
                               cl::location(options.count), cl::init(200),
                               cl::cat(category));
  cl::opt<uint64_t, true> seed(
      "seed", cl::desc("Seed of everything that is drawn"),
      cl::location(options.seed), cl::init(0), cl::cat(category));
  cl::opt<int64_t, true> extent("max-extent", cl::desc("Largest m, n and k"),
                                cl::location(options.maxExtent), cl::init(150),
                                cl::cat(category));
  cl::opt<std::string, true> target("target", cl::desc("The chip"),
                                    cl::location(options.chip),
                                    cl::init("sm_90"), cl::cat(category));
  cl::list<std::string> types(
      "types", cl::CommaSeparated, cl::cat(category),
      cl::desc("Types of the elements; f16, bf16 and f64 if there are none"));
  cl::opt<bool, true> complexNumbers(
      "complex", cl::desc("Complex numbers of these types"),
      cl::location(options.complexNumbers), cl::cat(category));
  cl::opt<bool, true> layers("layers", cl::desc("Sums in layers of run time"),
                             cl::location(options.layers), cl::cat(category));
  cl::opt<bool, true> compare(
      "compare-with-simulator",
      cl::desc("Ask for the simulator's bits where inputs are integers"),
      cl::location(options.compareWithSimulator), cl::cat(category));
  cl::opt<bool> block("block",
                      cl::desc("Products of operands that are distributed "
                               "over a block"),
                      cl::cat(category));
  cl::opt<bool> grouped("grouped",
                        cl::desc("Products that each have sizes of their own"),
                        cl::cat(category));
  cl::opt<double, true> soak(
      "soak",
      cl::desc("Batches and products of many sizes, as large as memory has "
               "room for, until so many seconds are over"),
      cl::value_desc("SECONDS"), cl::location(options.soakSeconds),
      cl::cat(category));
  cl::opt<int64_t, true> firstCase(
      "case", cl::desc("The case that --soak begins with"),
      cl::location(options.firstCase), cl::cat(category));
  cl::opt<bool, true> spoils(
      "spoil",
      cl::desc("Make an element of each batch of --soak wrong, to see that "
               "this is found"),
      cl::location(options.spoils), cl::cat(category));
  cl::opt<bool, true> verbose("verbose",
                              cl::desc("Print each case before it runs"),
                              cl::location(options.verbose), cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "random problems against the reference\n");
  if (options.count < 1 || options.maxExtent < 1)
    return reportError("kami-sweep",
                       llvm::createStringError(
                           "expected --count and --max-extent of at least 1"));
  if (!types.empty())
    options.types.clear();
  for (const std::string &type : types) {
    llvm::Expected<ElementKind> parsed = parseType("types", type);
    if (!parsed)
      return reportError("kami-sweep", parsed.takeError());
    options.types.push_back(*parsed);
  }
  llvm::Expected<DeviceKind> kind = chooseDevice(device, options.chip);
  if (!kind)
    return reportError("kami-sweep", kind.takeError());
  options.device = *kind;
  if (block && grouped)
    return reportError("kami-sweep",
                       llvm::createStringError(
                           "expected one of --block and --grouped at most"));
  if (options.layers && (block || grouped))
    return reportError("kami-sweep",
                       llvm::createStringError(
                           "expected --layers without --block and --grouped"));
  bool isSoak = soak.getNumOccurrences() > 0;
  if (llvm::Error error = checkSoakFlags(
          options, isSoak,
          {{"block", block},
           {"grouped", grouped},
           {"complex", options.complexNumbers},
           {"layers", options.layers},
           {"compare-with-simulator", options.compareWithSimulator},
           {"count", count.getNumOccurrences() > 0}},
          firstCase.getNumOccurrences() > 0))
    return reportError("kami-sweep", std::move(error));
  if (isSoak) {
    llvm::Expected<const Chip *> chip = findChip(options.chip);
    if (!chip)
      return reportError("kami-sweep", chip.takeError());
    if (types.empty())
      options.types = soakedTypes(**chip);
    options.reproducer = llvm::formatv(
        "kami-sweep --soak=0 --device={0} --target={1} "
        "--seed={2} --max-extent={3} --types={4}{5}",
        name(*kind), options.chip, options.seed, options.maxExtent,
        llvm::join(
            llvm::map_range(options.types,
                            [](ElementKind type) { return name(type).str(); }),
            ","),
        options.spoils ? " --spoil" : "");
    llvm::Expected<bool> isRight = runSoak(options, llvm::outs(), llvm::errs());
    if (!isRight)
      return reportError("kami-sweep", isRight.takeError());
    return *isRight ? 0 : 1;
  }
  llvm::Expected<SweepResult> result =
      (block     ? runBlockSweep
       : grouped ? runGroupedSweep
                 : runSweep)(options, llvm::outs());
  if (!result)
    return reportError("kami-sweep", result.takeError());
  llvm::outs() << "device " << name(*kind) << ", seed " << options.seed
               << ", worst error " << result->worstError << " of |A||B|\n"
               << result->passed << " passed, " << result->failed
               << " failed\n";
  return result->failed == 0 ? 0 : 1;
}
