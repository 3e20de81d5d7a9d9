//===- Regret.cpp - How good the planner's choices are ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/Regret.h"
#include "BlockTimer.h"
#include "CudaStatus.h"
#include "kami/Model/CalibrationFile.h"
#include "kami/Plan/Explain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ThreadPool.h"
#include <deque>

using namespace kami;

using K = ElementKind;

Problem RegretProblem::problem() const {
  Problem problem;
  problem.extents = extents;
  problem.operand = type;
  problem.accumulator = defaultAccumulator(type);
  problem.source = Source::Block;
  return problem;
}

static std::vector<RegretProblem> makeProblems() {
  std::vector<RegretProblem> problems;
  auto addSquares = [&](K type, std::initializer_list<int64_t> sizes) {
    for (int64_t n : sizes)
      problems.push_back({type, {n, n, n}});
  };
  auto add = [&](K type, std::initializer_list<Extents> extents) {
    for (const Extents &each : extents)
      problems.push_back({type, each});
  };
  addSquares(K::F16, {8, 16, 24, 32, 40, 48, 64, 72, 80, 96, 100, 112, 120, 128,
                      160, 192, 256});
  add(K::F16, {{64, 64, 8},
               {64, 64, 16},
               {64, 64, 32},
               {128, 128, 8},
               {128, 128, 16},
               {128, 128, 32},
               {128, 32, 32},
               {256, 64, 64},
               {32, 128, 64},
               {64, 256, 32},
               {32, 32, 256},
               {16, 16, 512}});
  addSquares(K::F64, {8, 16, 24, 32, 48, 64, 80, 96, 100, 128, 160});
  add(K::F64, {{64, 64, 8},
               {64, 64, 16},
               {96, 96, 32},
               {128, 32, 32},
               {32, 96, 32},
               {16, 16, 256}});
  addSquares(K::TF32, {16, 32, 40, 64, 96, 128});
  add(K::TF32, {{64, 64, 16}, {128, 128, 8}, {128, 32, 32}, {32, 32, 128}});
  addSquares(K::F8E4M3FN, {16, 32, 48, 64, 100, 128, 192, 256});
  add(K::F8E4M3FN,
      {{64, 64, 16}, {128, 128, 32}, {256, 64, 64}, {64, 64, 256}});
  return problems;
}

llvm::ArrayRef<RegretProblem> kami::regretProblems() {
  static const std::vector<RegretProblem> problems = makeProblems();
  return problems;
}

llvm::Error kami::parseShard(llvm::StringRef text, RegretOptions &options) {
  auto [shard, shards] = text.split('/');
  if (shard.getAsInteger(10, options.shard) ||
      shards.getAsInteger(10, options.shards) || options.shard < 0 ||
      options.shard >= options.shards)
    return llvm::createStringError(
        "expected --shard=i/n with i from 0 to n - 1, but got '" + text + "'");
  return llvm::Error::success();
}

namespace {
/// A candidate to be measured.
struct Task {
  size_t problem;
  Candidate candidate;
  bool isChoice;
};

class RegretRun {
public:
  RegretRun(const RegretOptions &options, llvm::raw_ostream &log)
      : options(options), log(log) {}

  llvm::Error open();
  llvm::Error measureAll();
  bool right = true;

private:
  llvm::Error openRows();
  std::vector<Task> missingTasks() const;
  bool isWanted(const RegretProblem &problem) const;
  llvm::Error measure(const Task &task, const BuiltKernel &built);
  llvm::Error enterProblem(size_t problem);

  const RegretOptions &options;
  llvm::raw_ostream &log;
  mlir::MLIRContext context;
  std::unique_ptr<BlockTimer> timer;
  std::optional<Calibration> calibration;
  llvm::StringSet<> known;
  std::unique_ptr<llvm::raw_fd_ostream> file;
  /// The problem in hand, and its matrices.
  std::optional<size_t> current;
  std::unique_ptr<BlockMatrices> matrices;
};
} // namespace

llvm::Error RegretRun::open() {
  llvm::Expected<std::unique_ptr<BlockTimer>> opened =
      BlockTimer::open(int(options.device));
  if (!opened)
    return opened.takeError();
  timer = std::move(*opened);
  llvm::Expected<std::optional<Calibration>> loaded =
      loadCalibration(options.calibration, timer->chip());
  if (!loaded)
    return loaded.takeError();
  calibration = std::move(*loaded);
  loadAllDialects(context);
  return openRows();
}

/// Reads what is there, and opens the file that grows. Half a line at its end,
/// which an interrupted run left, goes.
llvm::Error RegretRun::openRows() {
  const KamiCudaDeviceInfo &info = timer->info();
  const std::string &path = options.rows.front();
  BlockRows rows;
  std::string kept;
  if (auto old = llvm::MemoryBuffer::getFile(path)) {
    llvm::StringRef text = (*old)->getBuffer();
    kept = text.take_front(text.rfind('\n') + 1).str();
    if (llvm::Error error = parseRows(kept, path, rows))
      return error;
  }
  for (const std::string &other : llvm::drop_begin(options.rows))
    if (llvm::Error error = loadRows(other, rows))
      return error;
  if (rows.chip && (rows.chip != &timer->chip() || rows.device != info.name))
    return llvm::createStringError("expected rows of " +
                                   llvm::Twine(info.name) +
                                   ", but got rows of " + rows.device);
  for (const BlockRow &row : rows.rows)
    known.insert(rowKey(row));
  std::error_code code;
  file = std::make_unique<llvm::raw_fd_ostream>(path, code);
  if (code)
    return llvm::createStringError("cannot write '" + path +
                                   "': " + code.message());
  *file << kept;
  if (kept.empty())
    printHeader(describeRun(info.name, timer->chip().name, info.driverVersion,
                            options.blocks),
                *file);
  file->flush();
  return llvm::Error::success();
}

bool RegretRun::isWanted(const RegretProblem &problem) const {
  return (options.types.empty() ||
          llvm::is_contained(options.types, problem.type)) &&
         (options.sizes.empty() ||
          llvm::is_contained(options.sizes, problem.extents));
}

/// Those of this shard that no row stands for, problem by problem.
std::vector<Task> RegretRun::missingTasks() const {
  PlannerOptions planner;
  planner.kept = Kept::Fitting;
  planner.calibration = calibration ? &*calibration : nullptr;
  std::vector<Task> tasks;
  int64_t number = 0;
  for (auto [index, wanted] : llvm::enumerate(regretProblems())) {
    if (!isWanted(wanted))
      continue;
    Problem problem = wanted.problem();
    llvm::Expected<Choice> choice = choosePlan(problem, timer->chip(), planner);
    if (!choice) {
      log << "kami-bench: " << name(wanted.type) << " " << wanted.extents.m
          << "x" << wanted.extents.n << "x" << wanted.extents.k << ": "
          << llvm::toString(choice.takeError()) << "\n";
      continue;
    }
    double best = choice->best()->score;
    for (auto [rank, candidate] : llvm::enumerate(choice->candidates)) {
      if (options.slower > 0 && candidate.score > options.slower * best)
        break;
      bool isMine = number++ % options.shards == options.shard;
      if (isMine && !known.contains(rowKey(rowOf(problem, candidate, false))))
        tasks.push_back({index, candidate, rank == 0});
    }
  }
  return tasks;
}

llvm::Error RegretRun::enterProblem(size_t problem) {
  if (current == problem)
    return llvm::Error::success();
  current = problem;
  matrices.reset();
  matrices = std::make_unique<BlockMatrices>(
      timer->get(), &context, regretProblems()[problem].problem(),
      options.blocks);
  return matrices->allocate();
}

/// A kernel that cannot be launched is a row with a reason, so that the next
/// run does not try again; a device that is lost ends the run.
llvm::Error RegretRun::measure(const Task &task, const BuiltKernel &built) {
  BlockRow row = rowOf(regretProblems()[task.problem].problem(), task.candidate,
                       task.isChoice);
  TimingOptions timing = {options.blocks, 0, options.milliseconds,
                          options.launches};
  llvm::Error failure = enterProblem(task.problem);
  if (failure)
    return failure;
  failure = measureRow(built, *timer, *matrices, timing, row);
  if (failure)
    row.reason = llvm::toString(std::move(failure));
  if (!row.reason.empty()) {
    right = false;
    log << "kami-bench: error: " << productName(row) << " " << summary(row.plan)
        << ": " << row.reason << "\n";
  }
  print(row, *file);
  if (file->has_error())
    return llvm::createStringError("cannot write '" + options.rows.front() +
                                   "': " + file->error().message());
  return check(kamiCudaSynchronize(timer->get()));
}

/// Kernels are built ahead, as many as the host has cores, while the device
/// times those that are ready.
llvm::Error RegretRun::measureAll() {
  std::vector<Task> tasks = missingTasks();
  log << "kami-bench: " << tasks.size() << " kernels to measure\n";
  llvm::DefaultThreadPool pool;
  std::deque<std::shared_future<BuiltKernel>> ahead;
  size_t window = 4 * pool.getMaxConcurrency(), next = 0;
  for (size_t i = 0; i != tasks.size(); ++i) {
    for (; next != tasks.size() && ahead.size() < window; ++next)
      ahead.push_back(
          pool.async([plan = tasks[next].candidate.plan,
                      type = regretProblems()[tasks[next].problem].type, this] {
            return buildBlockKernel(plan, timer->chip().name, options.blocks,
                                    type);
          }));
    std::shared_future<BuiltKernel> built = std::move(ahead.front());
    ahead.pop_front();
    built.wait();
    if (llvm::Error error = measure(tasks[i], built.get())) {
      pool.wait();
      return error;
    }
    if ((i + 1) % 100 == 0)
      log << "kami-bench: " << i + 1 << " of " << tasks.size() << "\n";
  }
  return llvm::Error::success();
}

llvm::Expected<bool> kami::measureRegret(const RegretOptions &options,
                                         llvm::raw_ostream &log) {
  RegretRun run(options, log);
  if (llvm::Error error = run.open())
    return error;
  if (llvm::Error error = run.measureAll())
    return error;
  return run.right;
}
