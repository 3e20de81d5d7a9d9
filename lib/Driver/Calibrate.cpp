//===- Calibrate.cpp - Measure what the models need -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/Calibrate.h"
#include "AtomPlans.h"
#include "BlockTimer.h"
#include "CudaStatus.h"
#include "Probes.h"
#include "kami/Model/CalibrationFile.h"
#include "kami/Plan/Explain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ThreadPool.h"
#include <ctime>

using namespace kami;

namespace {
/// A figure, and how far its runs lie apart, as a part of it.
struct Measurement {
  double value = 0;
  double spread = 0;
};

/// A plan whose kernel is being built, for as many blocks as a multiprocessor
/// has room for, or for one each.
struct Running {
  AtomPlan plan;
  bool alone;
  std::shared_future<BuiltKernel> kernel;
};

/// What is measured of one atom.
struct AtomRuns {
  AtomCalibration *entry;
  std::optional<Running> rate, latency;
  std::vector<Running> reads, exchanges;
};

class Calibrator {
public:
  Calibrator(llvm::raw_ostream &table, llvm::raw_ostream &log)
      : table(table), log(log) {}

  llvm::Error open(const CalibrateOptions &options);
  llvm::Error measureMachine();
  llvm::Error measureAtoms();
  Calibration calibration;

private:
  const Chip &chip() const { return timer->chip(); }
  double cyclesOf(double microseconds) const {
    return microseconds * chip().boostMHz;
  }
  void say(const llvm::Twine &quantity, Measurement figure,
           llvm::StringRef unit);

  /// Microseconds of a probe's launches. `evict` keeps nothing in the caches.
  llvm::Expected<Measurement> time(Probe probe, int64_t blocks, int64_t threads,
                                   int64_t count, int64_t repeats,
                                   bool evict = false);
  llvm::Error measureBarrier();
  llvm::Error measureShared();
  llvm::Error measureMemory();
  llvm::Error measureLaunch();

  /// Cycles of one multiprocessor for one product. An error where it is wrong.
  llvm::Expected<Measurement> time(const Running &run);
  Running start(const AtomPlan &plan, bool alone = false);
  AtomRuns startAtom(AtomCalibration &entry);
  llvm::Error measureRate(const AtomRuns &runs);
  llvm::Error measureReads(const AtomRuns &runs);
  llvm::Error measureExchange(const AtomRuns &runs);
  /// What the model makes of a plan, by the figures measured so far.
  BlockCost costOf(const AtomPlan &plan) const;

  int64_t blocksOf(bool alone) const {
    // Many rounds of resident blocks, so that the last is of no weight.
    return alone ? chip().multiprocessors : 64 * chip().multiprocessors;
  }

  llvm::raw_ostream &table;
  llvm::raw_ostream &log;
  mlir::MLIRContext context;
  std::unique_ptr<BlockTimer> timer;
  std::optional<CudaBuffer> input, output;
  llvm::DefaultThreadPool pool;
};
} // namespace

/// Bytes of each buffer: much more than caches hold.
static constexpr int64_t bufferBytes = int64_t(512) << 20;
static constexpr int64_t launchesEach = 7;

static Measurement medianOf(std::vector<double> values) {
  llvm::sort(values);
  double median = values[values.size() / 2];
  return {median, median > 0 ? (values.back() - values.front()) / median : 0};
}

void Calibrator::say(const llvm::Twine &quantity, Measurement figure,
                     llvm::StringRef unit) {
  table << llvm::formatv("{0,-56} {1,12:F3} {2,-16} {3,5:F1} %\n",
                         quantity.str(), figure.value, unit,
                         100 * figure.spread);
  table.flush();
}

static std::string today() {
  std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof(text), "%Y-%m-%d", std::gmtime(&now));
  return text;
}

llvm::Error Calibrator::open(const CalibrateOptions &options) {
  llvm::Expected<std::unique_ptr<BlockTimer>> opened =
      BlockTimer::open(int(options.device));
  if (!opened)
    return opened.takeError();
  timer = std::move(*opened);
  loadAllDialects(context);
  calibration = documentedCalibration(chip());
  const KamiCudaDeviceInfo &info = timer->info();
  calibration.device = info.name;
  calibration.provenance = Provenance::Measured;
  calibration.source =
      llvm::formatv("{0}, CUDA {1}.{2}", today(), info.driverVersion / 1000,
                    info.driverVersion % 1000 / 10);
  for (AtomCalibration &atom : calibration.atoms)
    atom.provenance = Provenance::Documented;
  input.emplace(timer->get());
  output.emplace(timer->get());
  for (CudaBuffer *buffer : {&*input, &*output}) {
    if (llvm::Error error =
            check(kamiCudaAllocate(timer->get(), bufferBytes, buffer->out())))
      return error;
    if (llvm::Error error = check(
            kamiCudaFillBytes(timer->get(), buffer->get(), 0, bufferBytes)))
      return error;
  }
  table << info.name << ", " << chip().name << ", " << calibration.source
        << "; cycles at " << chip().boostMHz << " MHz\n";
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

llvm::Expected<Measurement> Calibrator::time(Probe probe, int64_t blocks,
                                             int64_t threads, int64_t count,
                                             int64_t repeats, bool evict) {
  llvm::Expected<Kernel> kernel = buildProbe(probe, chip().name, threads);
  if (!kernel)
    return kernel.takeError();
  CudaModule module(timer->get());
  KamiCudaFunction function = nullptr;
  for (KamiStatus status :
       {kamiCudaLoadModule(timer->get(), kernel->binary.data(),
                           kernel->binary.size(), module.out()),
        kamiCudaGetFunction(timer->get(), module.get(), kernel->name.c_str(),
                            &function)})
    if (llvm::Error error = check(status))
      return error;
  // Two memrefs: allocated and aligned pointer, offset, size, stride.
  std::vector<uint64_t> arguments;
  for (KamiCudaPointer pointer : {input->get(), output->get()})
    for (uint64_t field : {pointer, pointer, uint64_t(0),
                           uint64_t(bufferBytes / 4), uint64_t(1)})
      arguments.push_back(field);
  arguments.push_back(count);
  arguments.push_back(repeats);
  std::vector<double> times;
  for (int64_t i = 0; i <= launchesEach; ++i) {
    if (evict)
      if (llvm::Error error = check(
              kamiCudaFillBytes(timer->get(), output->get(), 0, bufferBytes)))
        return error;
    llvm::Expected<double> one = timer->time([&] {
      return launchBlocks(timer->get(), function, *kernel, blocks, arguments);
    });
    if (!one)
      return one.takeError();
    if (i > 0)
      times.push_back(*one);
  }
  return medianOf(times);
}

/// One block a multiprocessor, of 1 to 16 warps: a line through the cycles.
llvm::Error Calibrator::measureBarrier() {
  constexpr int64_t repeats = 100000;
  double sum = 0, sumWarps = 0, sumSquares = 0, sumProducts = 0, spread = 0;
  int64_t count = 0;
  for (int64_t warps : {1, 2, 4, 8, 16}) {
    llvm::Expected<Measurement> took =
        time(Probe::Barrier, chip().multiprocessors, warps * chip().warpSize, 0,
             repeats);
    if (!took)
      return took.takeError();
    double cycles = cyclesOf(took->value) / repeats;
    say("barrier of " + llvm::Twine(warps) + " warps", {cycles, took->spread},
        "cycles");
    ++count;
    sum += cycles;
    sumWarps += warps;
    sumSquares += warps * warps;
    sumProducts += warps * cycles;
    spread = std::max(spread, took->spread);
  }
  double slope = (count * sumProducts - sumWarps * sum) /
                 (count * sumSquares - sumWarps * sumWarps);
  // A file has no figures of 0 and below.
  constexpr double least = 0.01;
  calibration.barrierPerWarp = std::max(least, slope);
  calibration.barrier =
      std::max(least, (sum - calibration.barrierPerWarp * sumWarps) / count);
  say("barrier", {calibration.barrier, spread}, "cycles");
  say("barrier, each warp", {calibration.barrierPerWarp, spread}, "cycles");
  return llvm::Error::success();
}

llvm::Error Calibrator::measureShared() {
  constexpr int64_t repeats = 100000;
  llvm::Expected<Measurement> latency =
      time(Probe::SharedLatency, chip().multiprocessors, chip().warpSize, 0,
           repeats);
  if (!latency)
    return latency.takeError();
  calibration.sharedLatency = cyclesOf(latency->value) / repeats;
  say("shared memory, latency", {calibration.sharedLatency, latency->spread},
      "cycles");

  constexpr int64_t threads = 256, blocksEach = 4, bytes = 16;
  llvm::Expected<Measurement> busy =
      time(Probe::SharedBandwidth, blocksEach * chip().multiprocessors, threads,
           0, repeats);
  if (!busy)
    return busy.takeError();
  calibration.sharedBandwidth =
      double(blocksEach) * threads * bytes * repeats / cyclesOf(busy->value);
  say("shared memory, bandwidth", {calibration.sharedBandwidth, busy->spread},
      "bytes a cycle");
  return llvm::Error::success();
}

llvm::Error Calibrator::measureMemory() {
  constexpr int64_t threads = 512, blocksEach = 4;
  int64_t blocks = blocksEach * chip().multiprocessors;
  llvm::Expected<Measurement> copy =
      time(Probe::Copy, 4 * blocks, threads, bufferBytes / 4, 1);
  if (!copy)
    return copy.takeError();
  calibration.memoryBandwidth = 2.0 * bufferBytes / copy->value * 1e-3;
  say("device memory, a copy", {calibration.memoryBandwidth, copy->spread},
      "GB/s");

  // A quarter of the cache, so that it stays there as a whole.
  int64_t cached = chip().l2Bytes / 4 / 4 & ~int64_t(4095);
  constexpr int64_t repeats = 200;
  llvm::Expected<Measurement> read =
      time(Probe::Read, blocks, threads, cached, repeats);
  if (!read)
    return read.takeError();
  calibration.cacheBandwidth =
      4.0 * cached * repeats / chip().multiprocessors / cyclesOf(read->value);
  say("second-level cache, a multiprocessor",
      {calibration.cacheBandwidth, read->spread}, "bytes a cycle");

  int64_t steps = bufferBytes / 4 / latencyStride;
  llvm::Expected<Measurement> latency =
      time(Probe::MemoryLatency, 1, 1, 0, steps, /*evict=*/true);
  if (!latency)
    return latency.takeError();
  calibration.memoryLatency = cyclesOf(latency->value) / steps;
  say("device memory, latency", {calibration.memoryLatency, latency->spread},
      "cycles");
  return llvm::Error::success();
}

/// An empty kernel in a graph of many, so that the host's cost is not counted.
llvm::Error Calibrator::measureLaunch() {
  llvm::Expected<Kernel> kernel = buildProbe(Probe::Empty, chip().name, 32);
  if (!kernel)
    return kernel.takeError();
  KamiCudaDevice *device = timer->get();
  CudaModule module(device);
  CudaStream stream(device);
  CudaEvent start(device), stop(device);
  CudaGraph graph(device);
  KamiCudaFunction function = nullptr;
  for (KamiStatus status :
       {kamiCudaLoadModule(device, kernel->binary.data(), kernel->binary.size(),
                           module.out()),
        kamiCudaGetFunction(device, module.get(), kernel->name.c_str(),
                            &function),
        kamiCudaCreateStream(device, stream.out()),
        kamiCudaCreateEvent(device, start.out()),
        kamiCudaCreateEvent(device, stop.out())})
    if (llvm::Error error = check(status))
      return error;
  std::vector<uint64_t> arguments(12, 0);
  std::vector<void *> pointers;
  for (uint64_t &argument : arguments)
    pointers.push_back(&argument);
  KamiCudaLaunch shape = {{1, 1, 1}, {32, 1, 1}, 0};
  constexpr int64_t launches = 200;
  if (llvm::Error error = check(kamiCudaBeginCapture(device, stream.get())))
    return error;
  KamiStatus queued = KAMI_STATUS_OK;
  for (int64_t i = 0; i != launches && queued == KAMI_STATUS_OK; ++i)
    queued = kamiCudaLaunchKernel(device, function, &shape, stream.get(),
                                  pointers.data());
  KamiStatus ended = kamiCudaEndCapture(device, stream.get(), graph.out());
  for (KamiStatus status : {queued, ended})
    if (llvm::Error error = check(status))
      return error;
  std::vector<double> times;
  for (int64_t i = 0; i <= launchesEach; ++i) {
    double elapsed = 0;
    // The first replay keeps the device busy while the host queues the second.
    for (KamiStatus status :
         {kamiCudaLaunchGraph(device, graph.get(), stream.get()),
          kamiCudaRecordEvent(device, start.get(), stream.get()),
          kamiCudaLaunchGraph(device, graph.get(), stream.get()),
          kamiCudaRecordEvent(device, stop.get(), stream.get()),
          kamiCudaElapsed(device, start.get(), stop.get(), &elapsed)})
      if (llvm::Error error = check(status))
        return error;
    if (i > 0)
      times.push_back(elapsed / launches);
  }
  Measurement figure = medianOf(times);
  calibration.launchMicroseconds = figure.value;
  say("launch of an empty kernel", figure, "microseconds");
  return llvm::Error::success();
}

llvm::Error Calibrator::measureMachine() {
  for (llvm::Error (Calibrator::*measure)() :
       {&Calibrator::measureLaunch, &Calibrator::measureBarrier,
        &Calibrator::measureShared, &Calibrator::measureMemory})
    if (llvm::Error error = (this->*measure)())
      return error;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Atoms
//===----------------------------------------------------------------------===//

Running Calibrator::start(const AtomPlan &plan, bool alone) {
  auto build = [plan = plan.candidate.plan, name = chip().name,
                blocks = blocksOf(alone)] {
    return buildBlockKernel(plan, name, blocks);
  };
  return {plan, alone, pool.async(std::move(build))};
}

BlockCost Calibrator::costOf(const AtomPlan &plan) const {
  PlannerOptions options;
  options.calibration = &calibration;
  return evaluatePlan(plan.candidate.plan, plan.problem, chip(), options).block;
}

/// The kernel stores C = R·A·B, with R known when it runs, and reads what is in
/// shared memory in every repeat (BlockKernel.h): nothing can be left out.
llvm::Expected<Measurement> Calibrator::time(const Running &run) {
  const Plan &plan = run.plan.candidate.plan;
  run.kernel.wait();
  BlockRow row = rowOf(run.plan.problem, run.plan.candidate, false);
  int64_t blocks = blocksOf(run.alone);
  BlockMatrices matrices(timer->get(), &context, run.plan.problem, blocks);
  if (llvm::Error error = matrices.allocate())
    return error;
  TimingOptions options = {blocks, 0, /*milliseconds=*/2, launchesEach};
  if (llvm::Error error =
          measureRow(run.kernel.get(), *timer, matrices, options, row))
    return error;
  if (!row.wasTimed())
    return llvm::createStringError(summary(plan) + ": " + row.reason);
  if (row.spillBytes > 0)
    log << "kami-bench: " << summary(plan) << ": " << row.spillBytes
        << " bytes of local memory\n";
  return Measurement{row.cycles, (row.most - row.least) / row.median};
}

/// Instructions of all warps.
static double instructionsOf(const Plan &plan) {
  Partition partition = plan.partition();
  const Extents &shape = plan.atom->shape;
  return double(partition.grid.warps()) * (partition.warpM / shape.m) *
         (partition.warpN / shape.n) * (partition.paddedK() / shape.k);
}

llvm::Error Calibrator::measureRate(const AtomRuns &runs) {
  AtomCalibration &entry = *runs.entry;
  llvm::StringRef atom = entry.atom->name;
  llvm::Expected<Measurement> many = time(*runs.rate);
  if (!many)
    return many.takeError();
  llvm::Expected<Measurement> one = time(*runs.latency);
  if (!one)
    return one.takeError();
  if (many->value <= 0 || one->value <= 0)
    return llvm::Error::success();
  entry.cycles = many->value * chip().tensorCores /
                 instructionsOf(runs.rate->plan.candidate.plan);
  say(atom + ", of a tensor core", {entry.cycles, many->spread}, "cycles");
  Partition partition = runs.latency->plan.candidate.plan.partition();
  entry.latency = one->value * entry.atom->shape.k / partition.paddedK();
  say(atom + ", until its sums are there", {entry.latency, one->spread},
      "cycles");
  entry.provenance = Provenance::Measured;
  return llvm::Error::success();
}

/// What a file may hold of an exposure.
static double exposure(double value) { return std::clamp(value, 0.01, 3.0); }

llvm::Error Calibrator::measureReads(const AtomRuns &runs) {
  std::vector<double> shown;
  for (const Running &run : runs.reads) {
    llvm::Expected<Measurement> cycles = time(run);
    if (!cycles)
      return cycles.takeError();
    BlockCost cost = costOf(run.plan);
    if (cycles->value > 0)
      shown.push_back((cycles->value - std::max(cost.tensorCores, cost.reads)) /
                      std::min(cost.tensorCores, cost.reads));
  }
  if (shown.empty())
    return llvm::Error::success();
  Measurement figure = medianOf(shown);
  runs.entry->exposedReads = exposure(figure.value);
  say(runs.entry->atom->name + ", reads that show", figure, "of the less busy");
  return llvm::Error::success();
}

llvm::Error Calibrator::measureExchange(const AtomRuns &runs) {
  std::vector<double> shown;
  for (const Running &run : runs.exchanges) {
    llvm::Expected<Measurement> cycles = time(run);
    if (!cycles)
      return cycles.takeError();
    BlockCost cost = costOf(run.plan);
    double others = cost.total - runs.entry->exposedExchange * cost.exchange;
    if (cycles->value > 0)
      shown.push_back((cycles->value - others) / cost.exchange);
  }
  if (shown.empty())
    return llvm::Error::success();
  Measurement figure = medianOf(shown);
  runs.entry->exposedExchange = exposure(figure.value);
  say(runs.entry->atom->name + ", exchange that shows", figure, "of it");
  return llvm::Error::success();
}

/// Which plans show it is chosen by what is built in.
AtomRuns Calibrator::startAtom(AtomCalibration &entry) {
  constexpr size_t plans = 3;
  AtomRuns runs = {&entry, std::nullopt, std::nullopt, {}, {}};
  const Atom &atom = *entry.atom;
  const Calibration &known = calibrationOf(chip());
  if (std::optional<AtomPlan> plan = ratePlan(atom, chip()))
    runs.rate = start(*plan);
  if (std::optional<AtomPlan> plan = latencyPlan(atom, chip()))
    runs.latency = start(*plan, /*alone=*/true);
  for (const AtomPlan &plan : readPlans(atom, chip(), known, plans))
    runs.reads.push_back(start(plan));
  for (const AtomPlan &plan : exchangePlans(atom, chip(), known, plans))
    runs.exchanges.push_back(start(plan));
  return runs;
}

llvm::Error Calibrator::measureAtoms() {
  // All kernels are built while the first are timed.
  std::vector<AtomRuns> all;
  for (AtomCalibration &entry : calibration.atoms)
    if (!entry.atom->mapA.empty())
      all.push_back(startAtom(entry));
  for (const AtomRuns &runs : all) {
    llvm::StringRef atom = runs.entry->atom->name;
    if (!runs.rate || !runs.latency) {
      log << "kami-bench: no plan shows the rate of " << atom << "\n";
      continue;
    }
    for (llvm::Error (Calibrator::*measure)(const AtomRuns &) :
         {&Calibrator::measureRate, &Calibrator::measureReads,
          &Calibrator::measureExchange}) {
      if (llvm::Error error = (this->*measure)(runs)) {
        pool.wait();
        return llvm::createStringError(atom + ": " +
                                       llvm::toString(std::move(error)));
      }
      if (runs.entry->provenance != Provenance::Measured)
        break;
    }
  }
  pool.wait();
  return llvm::Error::success();
}

llvm::Expected<Calibration> kami::calibrate(const CalibrateOptions &options,
                                            llvm::raw_ostream &table,
                                            llvm::raw_ostream &log) {
  Calibrator calibrator(table, log);
  if (llvm::Error error = calibrator.open(options))
    return error;
  if (llvm::Error error = calibrator.measureMachine())
    return error;
  if (llvm::Error error = calibrator.measureAtoms())
    return error;
  return std::move(calibrator.calibration);
}
