//===- BlockBenchmark.cpp - Products inside a block, timed ----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/BlockBenchmark.h"
#include "CudaStatus.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Driver/BlockKernel.h"
#include "kami/Driver/Run.h"
#include "kami/Plan/Explain.h"
#include "kami/Plan/Request.h"
#include "kami/Runtime/Cuda.h"
#include "kami/Simulator/Memory.h"
#include "kami/Simulator/Scalar.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/ThreadPool.h"
#include <atomic>
#include <cmath>
#include <random>

using namespace kami;

llvm::Expected<Extents> kami::parseBlockSize(llvm::StringRef text) {
  int64_t n = 0;
  if (!text.getAsInteger(10, n) && n >= 1)
    return Extents{n, n, n};
  return parseExtents("sizes", text);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
/// A candidate as a program.
struct BuiltKernel {
  Kernel kernel;
  std::string error;
};
} // namespace

/// Different operands of a launch.
static constexpr int64_t operandSets = 64;

static BuiltKernel build(const Candidate &candidate, llvm::StringRef chip,
                         int64_t blocks) {
  BuiltKernel built;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  loadAllDialects(context);
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          built.error += (built.error.empty() ? "" : "; ") + diagnostic.str();
        return mlir::success();
      });
  auto module =
      buildBlockModule(&context, candidate.plan, {operandSets, blocks});
  CompileOptions options;
  options.chip = chip.str();
  Level level = findPtxas().empty() ? Level::PTX : Level::Cubin;
  mlir::FailureOr<Compilation> compilation = compile(*module, options, level);
  if (failed(compilation)) {
    if (built.error.empty())
      built.error = "compilation failed";
    return built;
  }
  built.error.clear();
  built.kernel = std::move(compilation->kernels.front());
  return built;
}

/// Builds all candidates, as many at a time as the host has cores.
static std::vector<BuiltKernel>
buildAll(llvm::ArrayRef<const Candidate *> candidates, llvm::StringRef chip,
         int64_t blocks) {
  std::vector<BuiltKernel> kernels(candidates.size());
  llvm::DefaultThreadPool pool;
  for (auto [candidate, kernel] : llvm::zip_equal(candidates, kernels))
    pool.async([candidate = candidate, kernel = &kernel, chip, blocks] {
      *kernel = build(*candidate, chip, blocks);
    });
  pool.wait();
  return kernels;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {
/// A, B and C of all blocks on the device, and what the sums of integers are.
class BlockMatrices {
public:
  BlockMatrices(KamiCudaDevice *device, mlir::MLIRContext *context,
                const Problem &problem, int64_t blocks)
      : device(device), problem(problem), blocks(blocks),
        operand(*sim::formatOf(elementType(context, problem.operand))),
        sum(*sim::formatOf(elementType(context, problem.accumulator))),
        isUnsigned(problem.operand == ElementKind::U8), a(device), b(device),
        c(device) {}

  /// Allocates, and draws small integers and numbers between -1 and 1.
  llvm::Error allocate();
  /// Puts the ones or the others on the device.
  llvm::Error upload(bool integers);
  llvm::Error poison();
  /// Whether C of some blocks is `repeats`·A·B; if not, where it differs.
  llvm::Expected<std::string> compare(int64_t repeats);

  std::vector<uint64_t> arguments(int64_t repeats) const;

private:
  std::vector<double> draw(int64_t elements, bool integers,
                           std::vector<uint8_t> &bytes);
  int64_t sizeA() const { return problem.extents.m * problem.extents.k; }
  int64_t sizeB() const { return problem.extents.k * problem.extents.n; }
  int64_t sizeC() const { return problem.extents.m * problem.extents.n; }

  KamiCudaDevice *device;
  Problem problem;
  int64_t blocks;
  sim::ElementFormat operand, sum;
  bool isUnsigned;
  CudaBuffer a, b, c;
  /// The integers, and the bytes of both kinds of numbers.
  std::vector<double> valuesA, valuesB;
  std::vector<uint8_t> bytesA[2], bytesB[2];
  std::mt19937_64 random{1};
};
} // namespace

llvm::Error BlockMatrices::allocate() {
  for (auto [buffer, bytes] :
       {std::pair(&a, operandSets * sizeA() * operand.bytes()),
        std::pair(&b, operandSets * sizeB() * operand.bytes()),
        std::pair(&c, blocks * sizeC() * sum.bytes())})
    if (llvm::Error error =
            check(kamiCudaAllocate(device, bytes, buffer->out())))
      return error;
  for (bool integers : {false, true}) {
    valuesA = draw(operandSets * sizeA(), integers, bytesA[integers]);
    valuesB = draw(operandSets * sizeB(), integers, bytesB[integers]);
  }
  return llvm::Error::success();
}

std::vector<double> BlockMatrices::draw(int64_t elements, bool integers,
                                        std::vector<uint8_t> &bytes) {
  std::vector<double> values(elements);
  bytes.resize(elements * operand.bytes());
  for (int64_t i = 0; i != elements; ++i) {
    uint64_t bits;
    if (integers || !operand.isFloat()) {
      int64_t value = int64_t(random() % 5) - (isUnsigned ? 0 : 2);
      values[i] = value;
      bits = operand.isFloat() ? sim::fromDouble(operand, value)
                               : uint64_t(value) & operand.mask();
    } else {
      double unit = std::ldexp(double(random() >> 11), -53);
      bits = sim::fromDouble(operand, 2 * unit - 1);
      values[i] = sim::toDouble(operand, bits);
    }
    sim::writeBits(&bytes[i * operand.bytes()], operand.bytes(), bits);
  }
  return values;
}

llvm::Error BlockMatrices::upload(bool integers) {
  for (auto [buffer, bytes] :
       {std::pair(&a, &bytesA[integers]), std::pair(&b, &bytesB[integers])})
    if (llvm::Error error = check(kamiCudaCopyToDevice(
            device, buffer->get(), bytes->data(), bytes->size())))
      return error;
  return llvm::Error::success();
}

llvm::Error BlockMatrices::poison() {
  return check(
      kamiCudaFillBytes(device, c.get(), 0xFF, blocks * sizeC() * sum.bytes()));
}

std::vector<uint64_t> BlockMatrices::arguments(int64_t repeats) const {
  // A memref is passed as the fields of its descriptor: allocated and aligned
  // pointer, offset, sizes, strides.
  std::vector<uint64_t> fields;
  auto add = [&](KamiCudaPointer pointer, int64_t count, int64_t rows,
                 int64_t columns) {
    for (uint64_t field :
         {pointer, pointer, uint64_t(0), uint64_t(count), uint64_t(rows),
          uint64_t(columns), uint64_t(rows * columns), uint64_t(columns),
          uint64_t(1)})
      fields.push_back(field);
  };
  const Extents &extents = problem.extents;
  add(a.get(), operandSets, extents.m, extents.k);
  add(b.get(), operandSets, extents.k, extents.n);
  add(c.get(), blocks, extents.m, extents.n);
  fields.push_back(repeats);
  fields.push_back(uint64_t(-1));
  return fields;
}

llvm::Expected<std::string> BlockMatrices::compare(int64_t repeats) {
  auto [m, n, k] = problem.extents;
  std::vector<uint8_t> bytes(sizeC() * sum.bytes());
  // The first, the last, and one in between.
  for (int64_t block : {int64_t(0), blocks / 2, blocks - 1}) {
    if (llvm::Error error = check(
            kamiCudaCopyToHost(device, bytes.data(),
                               c.get() + block * bytes.size(), bytes.size())))
      return error;
    const double *left = &valuesA[block % operandSets * sizeA()];
    const double *right = &valuesB[block % operandSets * sizeB()];
    for (int64_t i = 0; i != m; ++i)
      for (int64_t j = 0; j != n; ++j) {
        double expected = 0;
        for (int64_t l = 0; l != k; ++l)
          expected += left[i * k + l] * right[l * n + j];
        expected *= repeats;
        uint64_t bits =
            sim::readBits(&bytes[(i * n + j) * sum.bytes()], sum.bytes());
        double value = sum.isFloat() ? sim::toDouble(sum, bits)
                                     : double(sim::toSigned(sum, bits));
        if (value != expected)
          return llvm::formatv("block {0}, element ({1}, {2}): {3}, expected "
                               "{4}",
                               block, i, j, value, expected)
              .str();
      }
  }
  return std::string();
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

namespace {
class BlockBenchmark {
public:
  BlockBenchmark(const BlockBenchmarkOptions &options, llvm::raw_ostream &os,
                 llvm::raw_ostream &log)
      : options(options), os(os), log(log) {}

  llvm::Error open();
  llvm::Error measure(ElementKind type, const Extents &extents);
  bool right = true;

private:
  llvm::Error measureKernel(const BuiltKernel &built, BlockMatrices &matrices,
                            BlockRow &row);
  llvm::Expected<double> launch(KamiCudaFunction function, const Kernel &kernel,
                                const BlockMatrices &matrices, int64_t repeats);
  void print(const BlockRow &row);

  const BlockBenchmarkOptions &options;
  llvm::raw_ostream &os;
  llvm::raw_ostream &log;
  mlir::MLIRContext context;
  CudaDevice device;
  std::optional<CudaEvent> start, stop;
  const Chip *chip = nullptr;
};
} // namespace

llvm::Error BlockBenchmark::open() {
  if (llvm::Error error = probeCuda())
    return error;
  KamiCudaDevice *opened = nullptr;
  if (llvm::Error error = check(kamiCudaOpenDevice(0, &opened)))
    return error;
  device.reset(opened);
  KamiCudaDeviceInfo info;
  if (llvm::Error error = check(kamiCudaDescribeDevice(opened, &info)))
    return error;
  llvm::Expected<const Chip *> found =
      findChip("sm_" + std::to_string(info.major * 10 + info.minor));
  if (!found)
    return found.takeError();
  chip = *found;
  start.emplace(opened);
  stop.emplace(opened);
  for (CudaEvent *event : {&*start, &*stop})
    if (llvm::Error error = check(kamiCudaCreateEvent(opened, event->out())))
      return error;
  loadAllDialects(context);
  os << "# " << info.name << ", " << chip->name << ", CUDA "
     << info.driverVersion / 1000 << "." << info.driverVersion % 1000 / 10
     << ", " << options.blocks << " blocks\n"
     << "type,m,n,k,choice,unit,atom,grid_m,grid_n,grid_k,transport,slice_k,"
        "shared_a,shared_b,warps,resident,registers_model,registers,spill_"
        "bytes,shared_bytes,tensor_cycles,shared_cycles,computation_cycles,"
        "latency_cycles,barrier_cycles,predicted_cycles,cycles,tflops,median_"
        "us,min_us,max_us,repeats,reason\n";
  return llvm::Error::success();
}

void BlockBenchmark::print(const BlockRow &row) {
  const Candidate &candidate = row.candidate;
  const Plan &plan = candidate.plan;
  const BlockCost &cost = candidate.block;
  os << llvm::formatv(
            "{0},{1},{2},{3},{4},{5},{6},{7},{8},{9},{10},{11},{12},{13},",
            name(row.type), row.extents.m, row.extents.n, row.extents.k,
            int(row.isChoice), name(plan.atom->instruction), plan.atom->name,
            plan.grid.m, plan.grid.n, plan.grid.k, name(plan.transport),
            plan.slices.k, plan.slices.sharedA, plan.slices.sharedB)
     << llvm::formatv(
            "{0},{1},{2},{3},{4},{5},{6:f1},{7:f1},{8:f1},{9:f1},{10:f1},{11:"
            "f1},",
            plan.grid.warps(), cost.residentBlocks,
            candidate.resources.registers.total(), row.registers,
            row.spillBytes, candidate.resources.shared.bytes, cost.tensorCores,
            cost.sharedBandwidth, cost.computation, cost.sharedLatency,
            cost.barriers, cost.total)
     << llvm::formatv("{0:f1},{1:f1},{2:f2},{3:f2},{4:f2},{5},\"{6}\"\n",
                      row.cycles, row.teraflops, row.median, row.least,
                      row.most, row.repeats, row.reason);
  os.flush();
}

llvm::Expected<double> BlockBenchmark::launch(KamiCudaFunction function,
                                              const Kernel &kernel,
                                              const BlockMatrices &matrices,
                                              int64_t repeats) {
  std::vector<uint64_t> fields = matrices.arguments(repeats);
  std::vector<void *> arguments;
  for (uint64_t &field : fields)
    arguments.push_back(&field);
  KamiCudaLaunch shape = {{unsigned(options.blocks), 1, 1},
                          {unsigned(kernel.threads), 1, 1},
                          unsigned(kernel.sharedBytes)};
  double elapsed = 0;
  for (KamiStatus status :
       {kamiCudaRecordEvent(device.get(), start->get(), nullptr),
        kamiCudaLaunchKernel(device.get(), function, &shape, nullptr,
                             arguments.data()),
        kamiCudaRecordEvent(device.get(), stop->get(), nullptr),
        kamiCudaElapsed(device.get(), start->get(), stop->get(), &elapsed)})
    if (llvm::Error error = check(status))
      return error;
  return elapsed;
}

llvm::Error BlockBenchmark::measureKernel(const BuiltKernel &built,
                                          BlockMatrices &matrices,
                                          BlockRow &row) {
  const Kernel &kernel = built.kernel;
  CudaModule module(device.get());
  KamiCudaFunction function = nullptr;
  KamiCudaFunctionInfo info;
  for (KamiStatus status :
       {kamiCudaLoadModule(device.get(), kernel.binary.data(),
                           kernel.binary.size(), module.out()),
        kamiCudaGetFunction(device.get(), module.get(), kernel.name.c_str(),
                            &function),
        kamiCudaDescribeFunction(device.get(), function, &info)})
    if (llvm::Error error = check(status))
      return error;
  row.registers = info.registers;
  row.spillBytes = info.localBytes;

  constexpr int64_t checkedRepeats = 3;
  if (llvm::Error error = matrices.upload(/*integers=*/true))
    return error;
  if (llvm::Error error = matrices.poison())
    return error;
  llvm::Expected<double> time =
      launch(function, kernel, matrices, checkedRepeats);
  if (!time)
    return time.takeError();
  llvm::Expected<std::string> difference = matrices.compare(checkedRepeats);
  if (!difference)
    return difference.takeError();
  if (!difference->empty()) {
    row.reason = "wrong: " + *difference;
    return llvm::Error::success();
  }

  if (llvm::Error error = matrices.upload(/*integers=*/false))
    return error;
  row.repeats = options.repeats;
  if (row.repeats == 0) {
    constexpr int64_t probe = 100;
    llvm::Expected<double> first = launch(function, kernel, matrices, probe);
    if (!first)
      return first.takeError();
    row.repeats = std::max<int64_t>(
        probe, int64_t(options.milliseconds * 1e3 / *first * probe));
  }
  std::vector<double> times;
  for (int64_t i = 0; i <= options.launches; ++i) {
    llvm::Expected<double> one =
        launch(function, kernel, matrices, row.repeats);
    if (!one)
      return one.takeError();
    if (i > 0)
      times.push_back(*one);
  }
  llvm::sort(times);
  row.median = times[times.size() / 2];
  row.least = times.front();
  row.most = times.back();
  double products = double(options.blocks) * row.repeats;
  row.teraflops = 2.0 * row.extents.m * row.extents.n * row.extents.k *
                  products / row.median * 1e-6;
  row.cycles = row.median * chip->boostMHz * chip->multiprocessors / products;
  return llvm::Error::success();
}

llvm::Error BlockBenchmark::measure(ElementKind type, const Extents &extents) {
  Problem problem;
  problem.extents = extents;
  problem.operand = type;
  problem.accumulator = options.accumulator.value_or(defaultAccumulator(type));
  problem.source = Source::Block;
  PlannerOptions planner;
  planner.keepRejected = false;
  llvm::Expected<Choice> choice = choosePlan(problem, *chip, planner);
  if (!choice) {
    log << "kami-bench: " << name(type) << " " << extents.m << "x" << extents.n
        << "x" << extents.k << ": " << llvm::toString(choice.takeError())
        << "\n";
    return llvm::Error::success();
  }
  std::vector<const Candidate *> candidates;
  double best = choice->candidates.front().score;
  for (const Candidate &candidate : choice->candidates)
    if (candidates.empty() ||
        (options.allCandidates &&
         (options.slower == 0 || candidate.score <= options.slower * best)))
      candidates.push_back(&candidate);
  std::vector<BuiltKernel> kernels =
      buildAll(candidates, chip->name, options.blocks);

  BlockMatrices matrices(device.get(), &context, problem, options.blocks);
  if (llvm::Error error = matrices.allocate())
    return error;
  for (auto [number, candidate, built] : llvm::enumerate(candidates, kernels)) {
    BlockRow row;
    row.type = type;
    row.extents = extents;
    row.candidate = *candidate;
    row.isChoice = number == 0;
    row.reason = built.error;
    if (row.reason.empty())
      if (llvm::Error error = measureKernel(built, matrices, row))
        return llvm::createStringError(summary(candidate->plan) + ": " +
                                       llvm::toString(std::move(error)));
    if (!row.reason.empty()) {
      right = false;
      log << "kami-bench: error: " << name(type) << " " << extents.m << "x"
          << extents.n << "x" << extents.k << " " << summary(candidate->plan)
          << ": " << row.reason << "\n";
    }
    print(row);
  }
  return llvm::Error::success();
}

llvm::Expected<bool>
kami::runBlockBenchmark(const BlockBenchmarkOptions &options,
                        llvm::raw_ostream &os, llvm::raw_ostream &log) {
  BlockBenchmark benchmark(options, os, log);
  if (llvm::Error error = benchmark.open())
    return error;
  for (ElementKind type : options.types)
    for (const Extents &extents : options.sizes)
      if (llvm::Error error = benchmark.measure(type, extents))
        return error;
  return benchmark.right;
}
