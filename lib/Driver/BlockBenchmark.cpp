//===- BlockBenchmark.cpp - Products inside a block, timed ----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/BlockBenchmark.h"
#include "BlockTimer.h"
#include "Peers.h"
#include "kami/Model/CalibrationFile.h"
#include "kami/Plan/Explain.h"
#include "kami/Plan/Request.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ThreadPool.h"

using namespace kami;

llvm::Expected<Extents> kami::parseBlockSize(llvm::StringRef text) {
  int64_t n = 0;
  if (!text.getAsInteger(10, n) && n >= 1)
    return Extents{n, n, n};
  return parseExtents("sizes", text);
}

/// Builds all candidates, as many at a time as the host has cores.
static std::vector<BuiltKernel>
buildAll(llvm::ArrayRef<const Candidate *> candidates, llvm::StringRef chip,
         int64_t blocks, ElementKind type) {
  std::vector<BuiltKernel> kernels(candidates.size());
  llvm::DefaultThreadPool pool;
  for (auto [candidate, kernel] : llvm::zip_equal(candidates, kernels))
    pool.async([candidate = candidate, kernel = &kernel, chip, blocks, type] {
      *kernel = buildBlockKernel(candidate->plan, chip, blocks, type);
    });
  pool.wait();
  return kernels;
}

namespace {
class BlockBenchmark {
public:
  BlockBenchmark(const BlockBenchmarkOptions &options, BlockTable &table,
                 llvm::raw_ostream &log)
      : options(options), table(table), log(log) {}

  llvm::Error open();
  llvm::Error measure(ElementKind type, const Extents &extents);
  bool right = true;

private:
  std::vector<const Candidate *> select(const Choice &choice) const;
  llvm::Error measure(const Problem &problem,
                      llvm::ArrayRef<const Candidate *> candidates);

  const BlockBenchmarkOptions &options;
  BlockTable &table;
  llvm::raw_ostream &log;
  mlir::MLIRContext context;
  std::unique_ptr<BlockTimer> timer;
  std::optional<Peers> peers;
  PlannerOptions planner;
  std::optional<Calibration> calibration;
};
} // namespace

llvm::Error BlockBenchmark::open() {
  llvm::Expected<std::unique_ptr<BlockTimer>> opened =
      BlockTimer::open(int(options.device));
  if (!opened)
    return opened.takeError();
  timer = std::move(*opened);
  llvm::Expected<Peers> library = Peers::open(options.peers);
  if (!library)
    return library.takeError();
  peers = std::move(*library);
  planner.kept = Kept::Fitting;
  llvm::Expected<std::optional<Calibration>> loaded =
      loadCalibration(options.calibration, timer->chip());
  if (!loaded)
    return loaded.takeError();
  calibration = std::move(*loaded);
  planner.calibration = calibration ? &*calibration : nullptr;
  loadAllDialects(context);
  const KamiCudaDeviceInfo &info = timer->info();
  table.begin(describeRun(info.name, timer->chip().name, info.driverVersion,
                          options.blocks),
              peers->isThere() ? "peers of " + peers->path().str()
                               : "no peers: scripts/build-peers.sh makes them");
  return llvm::Error::success();
}

/// The planner's choice first, and the others if they are asked for.
std::vector<const Candidate *>
BlockBenchmark::select(const Choice &choice) const {
  std::vector<const Candidate *> candidates;
  double best = choice.candidates.front().score;
  for (const Candidate &candidate : choice.candidates)
    if (candidates.empty() ||
        (options.allCandidates &&
         (options.slower == 0 || candidate.score <= options.slower * best)))
      candidates.push_back(&candidate);
  return candidates;
}

llvm::Error BlockBenchmark::measure(ElementKind type, const Extents &extents) {
  Problem problem;
  problem.extents = extents;
  problem.operand = type;
  problem.accumulator = options.accumulator.value_or(defaultAccumulator(type));
  problem.source = Source::Block;
  llvm::Expected<Choice> choice = choosePlan(problem, timer->chip(), planner);
  if (!choice) {
    log << "kami-bench: " << name(type) << " " << extents.m << "x" << extents.n
        << "x" << extents.k << ": " << llvm::toString(choice.takeError())
        << "\n";
    return llvm::Error::success();
  }
  return measure(problem, select(*choice));
}

llvm::Error
BlockBenchmark::measure(const Problem &problem,
                        llvm::ArrayRef<const Candidate *> candidates) {
  std::vector<BuiltKernel> kernels =
      buildAll(candidates, timer->chip().name, options.blocks, problem.operand);
  BlockMatrices matrices(timer->get(), &context, problem, options.blocks);
  if (llvm::Error error = matrices.allocate())
    return error;
  TimingOptions timing = {options.blocks, options.repeats, options.milliseconds,
                          options.launches};
  PeerResults results;
  if (peers->isThere()) {
    llvm::Expected<PeerResults> measured =
        peers->measure(*timer, matrices, problem, timing, log);
    if (!measured)
      return measured.takeError();
    results = *measured;
  }
  for (auto [number, candidate, built] : llvm::enumerate(candidates, kernels)) {
    BlockRow row = rowOf(problem, *candidate, /*isChoice=*/number == 0);
    row.cublasDx = results.cublasDx;
    row.cute = results.cute;
    row.limit = results.limit;
    // The choice runs in turn with the fastest variant of each peer, and with
    // the instruction alone, which has matrices of its own.
    std::vector<std::pair<int, PeerResult *>> who;
    std::vector<Rival> rivals;
    std::optional<BlockMatrices> limitMatrices;
    auto compete = [&](int index, PeerResult &result, BlockMatrices &operands) {
      if (index < 0)
        return;
      who.push_back({index, &result});
      rivals.push_back(peers->rival(index, operands, timing));
    };
    if (number == 0) {
      compete(results.cublasDxIndex, row.cublasDx, matrices);
      compete(results.cuteIndex, row.cute, matrices);
      if (results.limitIndex >= 0) {
        limitMatrices.emplace(timer->get(), &context,
                              peers->problemOf(results.limitIndex, problem),
                              options.blocks);
        if (llvm::Error error = limitMatrices->allocate())
          return error;
        if (llvm::Error error = limitMatrices->upload(/*integers=*/false))
          return error;
        compete(results.limitIndex, row.limit, *limitMatrices);
      }
    }
    llvm::Error error =
        measureRow(built, *timer, matrices, timing, row, rivals);
    for (auto [one, rival] : llvm::zip_equal(who, rivals))
      if (rival.median > 0)
        one.second->teraflops =
            peers->rate(one.first, timing, row.repeats, rival.median);
    if (error)
      return llvm::createStringError(summary(candidate->plan) + ": " +
                                     llvm::toString(std::move(error)));
    if (!row.reason.empty()) {
      right = false;
      log << "kami-bench: error: " << productName(row) << " "
          << summary(candidate->plan) << ": " << row.reason << "\n";
    }
    table.add(row);
  }
  return llvm::Error::success();
}

llvm::Expected<bool>
kami::runBlockBenchmark(const BlockBenchmarkOptions &options,
                        llvm::raw_ostream &os, llvm::raw_ostream &log) {
  BlockTable table(os, options.format);
  BlockBenchmark benchmark(options, table, log);
  if (llvm::Error error = benchmark.open())
    return error;
  for (ElementKind type : options.types)
    for (const Extents &extents : options.sizes)
      if (llvm::Error error = benchmark.measure(type, extents))
        return error;
  return benchmark.right;
}
