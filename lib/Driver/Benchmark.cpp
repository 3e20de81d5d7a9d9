//===- Benchmark.cpp - Batched products beside the vendor's library -------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/Benchmark.h"
#include "Contestants.h"
#include "CudaStatus.h"
#include "SpeedOfLight.h"
#include "TorchTimes.h"
#include "VulkanPeer.h"
#include "kami/Driver/Compile.h"
#include "kami/Driver/GemmSpec.h"
#include "kami/Driver/Run.h"
#include "kami/Model/CalibrationFile.h"
#include "kami/Plan/Explain.h"
#include "kami/Plan/Planner.h"
#include "kami/Plan/Request.h"
#include "kami/Plan/Skew.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <tuple>

using namespace kami;

namespace {

/// What is asked of the planner.
struct Wish {
  std::string algorithm;
  std::string tile = "";
  std::string unit = "auto";
  int64_t stages = 0;
  int64_t warps = 0;
  std::string copies = "auto";
  int64_t taken = 0;

  bool operator==(const Wish &other) const {
    return std::tie(algorithm, tile, unit, stages, warps, copies, taken) ==
           std::tie(other.algorithm, other.tile, other.unit, other.stages,
                    other.warps, other.copies, other.taken);
  }
};

/// A row that is being made; without a contestant its plan says why.
struct Entry {
  BenchmarkRow row;
  Wish wish;
  std::unique_ptr<KamiContestant> contestant;
};

/// Those that kami is compared with, where they can be timed.
struct Peers {
  std::unique_ptr<CublasContestant> cublas;
  std::vector<std::unique_ptr<TritonContestant>> triton;
  std::vector<LightContestant> light;

  std::vector<TimedGraph *> graphs() const;
};

class Benchmark {
public:
  Benchmark(const BenchmarkOptions &options, BenchmarkTable &table,
            llvm::raw_ostream &log)
      : options(options), table(table), log(log) {}

  llvm::Error open();
  /// All algorithms and cuBLAS on one size and type.
  llvm::Error measure(const OperandShape &shape);

  /// Whether every kernel so far was built and right.
  bool right = true;

private:
  void compileKernel(const OperandShape &shape, const Candidate *candidate,
                     Entry &entry);
  llvm::Expected<Entry> makeEntry(const OperandShape &shape, const Wish &wish,
                                  const Candidate *candidate,
                                  const Operands &operands);
  llvm::Error
  forEachWish(llvm::ArrayRef<std::string> algorithms,
              llvm::function_ref<llvm::Error(const Wish &)> visit) const;
  llvm::Expected<std::vector<Candidate>> plan(const OperandShape &shape) const;
  llvm::Expected<Peers> makePeers(const OperandShape &shape,
                                  const Operands &operands);
  void addTimes(const OperandShape &shape, const Peers &peers,
                BenchmarkRow &row) const;
  llvm::Expected<std::unique_ptr<CublasContestant>>
  makeCublasPeer(const OperandShape &shape, const Operands &operands);
  llvm::Expected<double> timeOnce(Contestant &contestant,
                                  const Operands &operands);
  void timeVulkan(const OperandShape &shape, const Operands &operands,
                  Entry &entry);
  llvm::Expected<std::vector<std::unique_ptr<TritonContestant>>>
  loadTritonPeers(const OperandShape &shape, const Operands &operands);
  llvm::Expected<std::vector<std::unique_ptr<TritonContestant>>>
  makeTritonPeers(const OperandShape &shape, const Operands &operands);
  llvm::Expected<std::vector<LightContestant>>
  makeLight(const OperandShape &shape, const Operands &operands);
  GraphClock clock() const {
    return {stream->get(), start->get(), stop->get()};
  }
  llvm::Expected<std::string> firstRun(Contestant &contestant,
                                       const Operands &operands, double bound);
  void reject(Entry &entry, llvm::StringRef reason);

  const BenchmarkOptions &options;
  BenchmarkTable &table;
  llvm::raw_ostream &log;
  mlir::MLIRContext context;
  BenchmarkDevice description;
  CudaDevice device;
  // After the device, so that they go before it.
  std::optional<CudaStream> stream;
  std::optional<CudaEvent> start, stop;
  std::unique_ptr<Cublas> cublas;
  std::optional<SpeedOfLight> light;
  TritonKernels triton;
  TorchTimes torch;
  std::unique_ptr<VulkanPeer> vulkan;
};

} // namespace

llvm::Error Benchmark::open() {
  if (llvm::Error error = probeCuda())
    return error;
  KamiCudaDevice *opened = nullptr;
  if (llvm::Error error = check(kamiCudaOpenDevice(0, &opened)))
    return error;
  device.reset(opened);
  KamiCudaDeviceInfo info;
  if (llvm::Error error = check(kamiCudaDescribeDevice(opened, &info)))
    return error;
  description.name = info.name;
  description.chip = "sm_" + std::to_string(info.major * 10 + info.minor);
  description.driver = std::to_string(info.driverVersion / 1000) + "." +
                       std::to_string(info.driverVersion % 1000 / 10);
  llvm::Expected<const Chip *> chip = findChip(description.chip);
  if (!chip)
    return chip.takeError();
  stream.emplace(opened);
  start.emplace(opened);
  stop.emplace(opened);
  for (KamiStatus status : {kamiCudaCreateStream(opened, stream->out()),
                            kamiCudaCreateEvent(opened, start->out()),
                            kamiCudaCreateEvent(opened, stop->out())})
    if (llvm::Error error = check(status))
      return error;
  llvm::Expected<std::unique_ptr<Cublas>> found =
      Cublas::open(opened, stream->get());
  if (found) {
    cublas = std::move(*found);
    description.cublas = cublas->version().str();
  } else {
    description.withoutCublas = llvm::toString(found.takeError());
    log << "kami-bench: warning: " << description.withoutCublas
        << "; its columns stay empty\n";
  }
  light.emplace(opened, **chip, info.multiprocessors, log);
  if (!options.triton.empty()) {
    llvm::Expected<TritonKernels> kernels = TritonKernels::load(options.triton);
    if (!kernels)
      return kernels.takeError();
    triton = std::move(*kernels);
    description.triton = triton.version;
  }
  if (!options.torch.empty()) {
    llvm::Expected<TorchTimes> times = TorchTimes::load(options.torch);
    if (!times)
      return times.takeError();
    torch = std::move(*times);
  }
  if (options.vulkan) {
    llvm::Expected<std::unique_ptr<VulkanPeer>> opened = VulkanPeer::open();
    if (!opened)
      return opened.takeError();
    vulkan = std::move(*opened);
  }
  loadAllDialects(context);
  table.begin(description, options);
  return llvm::Error::success();
}

/// Notes a kernel that ought to be there and is not, or is wrong.
void Benchmark::reject(Entry &entry, llvm::StringRef reason) {
  right = false;
  log << "kami-bench: error: " << name(entry.row.type) << " n=" << entry.row.n
      << " " << entry.row.algorithm << ": " << reason << "\n";
  entry.row.plan +=
      (entry.row.plan.empty() ? "" : " ") + ("(" + reason + ")").str();
  entry.contestant.reset();
}

/// A module of one batch of products.
static mlir::OwningOpRef<mlir::ModuleOp> makeModule(mlir::MLIRContext &context,
                                                    const OperandShape &shape) {
  GemmSpec spec;
  spec.extents = {shape.n, shape.n, shape.n};
  spec.batch = shape.batch;
  spec.operand = shape.type;
  spec.accumulator = defaultAccumulator(shape.type);
  // C in A's type, as the peer writes it: the bytes are the same.
  spec.output = shape.stored();
  spec.alignment = 16;
  return buildModule(&context, spec);
}

/// Plans, builds and loads the entry's kernel.
void Benchmark::compileKernel(const OperandShape &shape,
                              const Candidate *candidate, Entry &entry) {
  std::string errors;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          errors += (errors.empty() ? "" : "; ") + diagnostic.str();
        return mlir::success();
      });
  CompileOptions compileOptions;
  compileOptions.chip = description.chip;
  compileOptions.algorithm = entry.wish.algorithm;
  compileOptions.tile = entry.wish.tile;
  compileOptions.warps = entry.wish.warps;
  compileOptions.unit = entry.wish.unit;
  compileOptions.stages = entry.wish.stages;
  compileOptions.copies = entry.wish.copies;
  compileOptions.taken = entry.wish.taken;
  compileOptions.calibration = options.calibration;
  if (candidate)
    compileOptions.plan = candidate->plan;
  // That an algorithm has no plan for a size is a finding; all that goes wrong
  // after the plan is a failure.
  auto planned = makeModule(context, shape);
  if (failed(compile(*planned, compileOptions, Level::Planned))) {
    if (entry.wish == Wish{"auto"})
      return reject(entry, "no plan: " + errors);
    entry.row.plan = "(no plan: " + errors + ")";
    return;
  }
  auto module = makeModule(context, shape);
  mlir::FailureOr<Compilation> compilation =
      compile(*module, compileOptions, Level::PTX);
  if (failed(compilation))
    return reject(entry, "compilation failed: " + errors);
  if (compilation->kernels.size() != 1)
    return reject(entry, "expected one kernel, but got " +
                             std::to_string(compilation->kernels.size()));
  const Kernel &kernel = compilation->kernels.front();
  entry.row.plan = summary(kernel.plan);
  entry.contestant = std::make_unique<KamiContestant>(device.get(), shape);
  if (llvm::Error error = entry.contestant->load(kernel))
    return reject(entry, llvm::toString(std::move(error)));
  entry.row.registers = entry.contestant->registers;
}

/// Runs over every set once, outside a graph, and compares. Returns why it
/// cannot be timed, if so; an error means that the device has failed.
llvm::Expected<std::string> Benchmark::firstRun(Contestant &contestant,
                                                const Operands &operands,
                                                double bound) {
  if (llvm::Error error = operands.poisonResults())
    return error;
  for (int64_t set = 0; set != operands.setCount(); ++set)
    // A launch that is refused leaves the device usable, one that fails does
    // not.
    if (llvm::Error error =
            contestant.enqueue(operands.set(set), stream->get()))
      return llvm::toString(std::move(error));
  if (llvm::Error error = check(kamiCudaSynchronize(device.get())))
    return error;
  llvm::Expected<double> worst = operands.largestError();
  if (!worst)
    return worst.takeError();
  if (*worst <= bound)
    return std::string();
  std::string message;
  llvm::raw_string_ostream(message)
      << "wrong result: error " << llvm::format("%.3g", *worst)
      << " of |A||B|, bound " << llvm::format("%.3g", bound);
  return message;
}

/// How far a result may be off, relative to |A|·|B|.
static double errorBound(const OperandShape &shape) {
  Problem problem;
  problem.extents = {shape.n, shape.n, shape.n};
  problem.operand = shape.type;
  problem.accumulator = defaultAccumulator(shape.type);
  return errorBound(problem, shape.stored());
}

llvm::Expected<Entry> Benchmark::makeEntry(const OperandShape &shape,
                                           const Wish &wish,
                                           const Candidate *candidate,
                                           const Operands &operands) {
  Entry entry;
  entry.row.type = shape.type;
  entry.row.n = shape.n;
  entry.row.batch = shape.batch;
  entry.row.algorithm = wish.algorithm;
  entry.row.tile = wish.tile;
  entry.wish = wish;
  if (candidate) {
    const Chip &chip = **findChip(description.chip);
    entry.row.predicted = candidate->calibrated.total / chip.boostMHz;
  }
  compileKernel(shape, candidate, entry);
  if (!entry.contestant)
    return entry;
  llvm::Expected<std::string> wrong =
      firstRun(*entry.contestant, operands, errorBound(shape));
  if (!wrong)
    return llvm::createStringError(
        name(shape.type) + " n=" + llvm::Twine(shape.n) + " " + wish.algorithm +
        ": " + llvm::toString(wrong.takeError()));
  if (!wrong->empty()) {
    reject(entry, *wrong);
    return entry;
  }
  if (llvm::Error error = entry.contestant->capture(
          operands, operands.launchesPerGraph(), stream->get()))
    return error;
  return entry;
}

/// cuBLAS on the shape, or null where it cannot be timed.
llvm::Expected<std::unique_ptr<CublasContestant>>
Benchmark::makeCublasPeer(const OperandShape &shape, const Operands &operands) {
  if (!cublas)
    return nullptr;
  auto peer = std::make_unique<CublasContestant>(device.get(), *cublas, shape);
  // It may round partial sums to C's type on the way, which kami never does.
  llvm::Expected<std::string> wrong =
      firstRun(*peer, operands, 4 * errorBound(shape));
  std::string reason = wrong ? *wrong : llvm::toString(wrong.takeError());
  if (reason.empty())
    if (llvm::Error error =
            peer->capture(operands, operands.launchesPerGraph(), stream->get()))
      reason = llvm::toString(std::move(error));
  if (reason.empty())
    return peer;
  log << "kami-bench: warning: " << name(shape.type) << " n=" << shape.n
      << " cublas: " << reason << "\n";
  return nullptr;
}

/// Microseconds of one launch outside of a graph, the host's part included.
llvm::Expected<double> Benchmark::timeOnce(Contestant &contestant,
                                           const Operands &operands) {
  double elapsed = 0;
  if (llvm::Error error =
          check(kamiCudaRecordEvent(device.get(), start->get(), stream->get())))
    return error;
  if (llvm::Error error = contestant.enqueue(operands.set(0), stream->get()))
    return error;
  for (KamiStatus status :
       {kamiCudaRecordEvent(device.get(), stop->get(), stream->get()),
        kamiCudaElapsed(device.get(), start->get(), stop->get(), &elapsed)})
    if (llvm::Error error = check(status))
      return error;
  return elapsed;
}

/// Times kami's SPIR-V after the others, on the same clocks. Where there is no
/// plan of the kind, or it is wrong, the log says so.
void Benchmark::timeVulkan(const OperandShape &shape, const Operands &operands,
                           Entry &entry) {
  auto module = makeModule(context, shape);
  CompileOptions compileOptions;
  compileOptions.algorithm = entry.wish.algorithm;
  compileOptions.tile = entry.wish.tile;
  compileOptions.warps = entry.wish.warps;
  llvm::Error error = vulkan->run(*module, compileOptions, operands,
                                  errorBound(shape), options.repeats);
  if (!error) {
    entry.row.vulkan = vulkan->time();
    entry.row.vulkanPlan = vulkan->plan;
    return;
  }
  right = false;
  log << "kami-bench: error: " << name(shape.type) << " n=" << shape.n
      << " vulkan: " << llvm::toString(std::move(error)) << "\n";
}

/// Those of Triton's kernels of the shape that are right and not hopeless.
llvm::Expected<std::vector<std::unique_ptr<TritonContestant>>>
Benchmark::loadTritonPeers(const OperandShape &shape,
                           const Operands &operands) {
  std::vector<std::pair<double, std::unique_ptr<TritonContestant>>> all;
  double least = 0;
  for (const TritonKernel &kernel : triton.kernels) {
    if (kernel.type != shape.type || kernel.n != shape.n)
      continue;
    auto peer = std::make_unique<TritonContestant>(device.get(), kernel);
    std::string reason = llvm::toString(peer->load(triton.folder, shape.batch));
    if (reason.empty()) {
      // Bounds as for cuBLAS: a peer may add up otherwise.
      llvm::Expected<std::string> wrong =
          firstRun(*peer, operands, 4 * errorBound(shape));
      if (!wrong)
        return llvm::createStringError("triton " + kernel.file + ": " +
                                       llvm::toString(wrong.takeError()));
      reason = *wrong;
    }
    if (!reason.empty()) {
      log << "kami-bench: warning: " << name(shape.type) << " n=" << shape.n
          << " triton " << kernel.file << ": " << reason << "\n";
      continue;
    }
    llvm::Expected<double> time = timeOnce(*peer, operands);
    if (!time)
      return time.takeError();
    least = all.empty() ? *time : std::min(least, *time);
    all.emplace_back(*time, std::move(peer));
  }
  // Graphs of the slow ones would take most of the run. Of short launches it is
  // the host's part that was timed.
  constexpr double hostMicroseconds = 30;
  std::vector<std::unique_ptr<TritonContestant>> hopeful;
  for (auto &[time, peer] : all)
    if (time <= 1.5 * least + hostMicroseconds)
      hopeful.push_back(std::move(peer));
  return hopeful;
}

/// The fastest few of Triton's kernels of the shape, checked and captured.
llvm::Expected<std::vector<std::unique_ptr<TritonContestant>>>
Benchmark::makeTritonPeers(const OperandShape &shape,
                           const Operands &operands) {
  constexpr size_t kept = 3;
  auto hopeful = loadTritonPeers(shape, operands);
  if (!hopeful)
    return hopeful.takeError();
  if (hopeful->empty() && !triton.folder.empty())
    log << "kami-bench: warning: '" << triton.folder
        << "' has no kernel that can be timed for " << name(shape.type)
        << " n=" << shape.n << "\n";
  std::vector<TimedGraph *> graphs;
  for (const std::unique_ptr<TritonContestant> &peer : *hopeful) {
    if (llvm::Error error =
            peer->capture(operands, operands.launchesPerGraph(), stream->get()))
      return error;
    graphs.push_back(&peer->graph);
  }
  llvm::Expected<std::vector<size_t>> places =
      findFastest(graphs, kept, clock());
  if (!places)
    return places.takeError();
  std::vector<std::unique_ptr<TritonContestant>> best;
  for (size_t place : *places)
    best.push_back(std::move((*hopeful)[place]));
  return best;
}

llvm::Expected<std::vector<LightContestant>>
Benchmark::makeLight(const OperandShape &shape, const Operands &operands) {
  auto operandsOf = [&](int64_t number) -> LightOperands {
    OperandSet set = operands.set(number);
    return {set.a, set.b, set.c, shape.bytes(), shape.bytes(), shape.bytes()};
  };
  return light->contestants(
      {operands.setCount(), operands.launchesPerGraph(), operandsOf}, clock(),
      log);
}

/// The time of the row's operations at the chip's rate, in microseconds.
static double operationTime(const Chip &chip, const OperandShape &shape) {
  std::optional<OperationRate> rate = operationRate(chip, shape.type);
  double n = double(shape.n);
  return rate ? 2 * n * n * n * double(shape.batch) / rate->teraflops / 1e6 : 0;
}

std::vector<TimedGraph *> Peers::graphs() const {
  std::vector<TimedGraph *> all;
  if (cublas)
    all.push_back(&cublas->graph);
  for (const std::unique_ptr<TritonContestant> &each : triton)
    all.push_back(&each->graph);
  for (const LightContestant &each : light)
    all.push_back(each.graph.get());
  return all;
}

llvm::Expected<Peers> Benchmark::makePeers(const OperandShape &shape,
                                           const Operands &operands) {
  Peers peers;
  auto cublas = makeCublasPeer(shape, operands);
  if (!cublas)
    return cublas.takeError();
  peers.cublas = std::move(*cublas);
  auto triton = makeTritonPeers(shape, operands);
  if (!triton)
    return triton.takeError();
  peers.triton = std::move(*triton);
  auto light = makeLight(shape, operands);
  if (!light)
    return light.takeError();
  peers.light = std::move(*light);
  return peers;
}

/// What the peers took.
void Benchmark::addTimes(const OperandShape &shape, const Peers &peers,
                         BenchmarkRow &row) const {
  if (peers.cublas)
    row.cublas = peers.cublas->graph.time();
  for (const std::unique_ptr<TritonContestant> &each : peers.triton)
    if (LaunchTime time = each->graph.time();
        row.triton.median == 0 || time.median < row.triton.median) {
      row.triton = time;
      row.tritonSetting = each->kernel.setting;
    }
  row.torch = torch.find(shape.type, shape.n, shape.batch);
  if (const LightContestant *best = fastest(peers.light))
    row.light = {best->graph->time().median, best->kernel->variant.describe(),
                 operationTime(**findChip(description.chip), shape)};
}

/// All that the options ask of the planner, of these algorithms.
llvm::Error Benchmark::forEachWish(
    llvm::ArrayRef<std::string> algorithms,
    llvm::function_ref<llvm::Error(const Wish &)> visit) const {
  for (const std::string &algorithm : algorithms)
    for (const std::string &tile : options.tiles)
      for (const std::string &unit : options.units)
        for (int64_t stages : options.stages)
          for (int64_t warps : options.warps)
            for (const std::string &copies : options.copies)
              for (int64_t taken : options.taken)
                if (llvm::Error error = visit(
                        {algorithm, tile, unit, stages, warps, copies, taken}))
                  return error;
  return llvm::Error::success();
}

/// The planner's candidates, best first.
llvm::Expected<std::vector<Candidate>>
Benchmark::plan(const OperandShape &shape) const {
  Problem problem;
  problem.extents = {shape.n, shape.n, shape.n};
  problem.operand = shape.type;
  problem.accumulator = defaultAccumulator(shape.type);
  problem.batch = shape.batch;
  problem.output = shape.stored();
  problem.packable = shape.batch;
  describeRowsWithoutGaps(problem);
  PlannerOptions planner;
  planner.kept = Kept::Fitting;
  const Chip &chip = **findChip(description.chip);
  llvm::Expected<std::optional<Calibration>> calibration =
      loadCalibration(options.calibration, chip);
  if (!calibration)
    return calibration.takeError();
  planner.calibration = *calibration ? &**calibration : nullptr;
  std::vector<Candidate> candidates;
  auto addCandidates = [&](const Wish &wish) -> llvm::Error {
    problem.tile.reset();
    if (!wish.tile.empty()) {
      llvm::Expected<Extents> tile = parseExtents("tiles", wish.tile);
      if (!tile)
        return tile.takeError();
      problem.tile = *tile;
    }
    problem.unit = parseUnit(wish.unit);
    problem.stages =
        wish.stages > 0 ? std::optional(wish.stages) : std::nullopt;
    problem.warps = wish.warps > 0 ? std::optional(wish.warps) : std::nullopt;
    problem.bulk = parseCopies(wish.copies);
    problem.taken = askedTaken(wish.taken);
    llvm::Expected<Choice> choice = choosePlan(problem, chip, planner);
    if (choice)
      llvm::append_range(candidates, choice->candidates);
    else if (wish == Wish{"auto"})
      return choice.takeError();
    else
      log << "kami-bench: warning: " << name(shape.type) << " n=" << shape.n
          << ": " << llvm::toString(choice.takeError()) << "\n";
    return llvm::Error::success();
  };
  // Which are those of all algorithms.
  if (llvm::Error error = forEachWish({"auto"}, addCandidates))
    return error;
  return candidates;
}

llvm::Error Benchmark::measure(const OperandShape &shape) {
  Operands operands(device.get(), shape);
  if (llvm::Error error = operands.allocate())
    return error;
  std::vector<Entry> entries;
  std::vector<TimedGraph *> contestants;
  auto add = [&](const Wish &wish, const Candidate *candidate) -> llvm::Error {
    llvm::Expected<Entry> entry = makeEntry(shape, wish, candidate, operands);
    if (!entry)
      return entry.takeError();
    entries.push_back(std::move(*entry));
    if (entries.back().contestant)
      contestants.push_back(&entries.back().contestant->graph);
    return llvm::Error::success();
  };
  if (options.candidates > 0) {
    llvm::Expected<std::vector<Candidate>> candidates = plan(shape);
    if (!candidates)
      return candidates.takeError();
    std::map<std::tuple<Unit, Transport, bool, int64_t, bool, int64_t>, int64_t>
        tried;
    // What is asked of blocks in turn changes nothing of others.
    llvm::StringSet<> seen;
    for (const Candidate &candidate : *candidates) {
      const Plan &plan = candidate.plan;
      if (!seen.insert(summary(plan)).second ||
          tried[{plan.unit(), plan.transport, plan.prefetches, plan.stages,
                 plan.bulk, plan.taken}]++ >= options.candidates)
        continue;
      if (llvm::Error error =
              add({flag(candidate.plan.algorithm()).str()}, &candidate))
        return error;
    }
  } else {
    if (llvm::Error error =
            forEachWish(options.algorithms, [&](const Wish &wish) {
              return add(wish, /*candidate=*/nullptr);
            }))
      return error;
  }
  llvm::Expected<Peers> peers = makePeers(shape, operands);
  if (!peers)
    return peers.takeError();
  llvm::append_range(contestants, peers->graphs());
  if (!contestants.empty())
    if (llvm::Error error = takeTurns(contestants, options.repeats, clock()))
      return error;
  for (Entry &entry : entries) {
    if (entry.contestant)
      entry.row.kami = entry.contestant->graph.time();
    if (vulkan)
      timeVulkan(shape, operands, entry);
    addTimes(shape, *peers, entry.row);
    table.add(entry.row);
  }
  return llvm::Error::success();
}

llvm::Expected<bool> kami::runBenchmark(const BenchmarkOptions &options,
                                        BenchmarkTable &table,
                                        llvm::raw_ostream &log) {
  if (llvm::Error error = checkOptions(options))
    return error;
  Benchmark benchmark(options, table, log);
  if (llvm::Error error = benchmark.open())
    return error;
  for (ElementKind type : options.types)
    for (int64_t n : options.sizes)
      if (llvm::Error error = benchmark.measure({n, options.batch, type}))
        return error;
  return benchmark.right;
}
