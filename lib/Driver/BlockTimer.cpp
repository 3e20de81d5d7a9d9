//===- BlockTimer.cpp - Kernels of a block's product, built and timed ---===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockTimer.h"
#include "CudaStatus.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Driver/BlockKernel.h"
#include "kami/Driver/Run.h"
#include "kami/Simulator/Memory.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace kami;

BuiltKernel kami::buildBlockKernel(const Plan &plan, llvm::StringRef chip,
                                   int64_t blocks,
                                   std::optional<ElementKind> type) {
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
      buildBlockModule(&context, plan, {operandSets, blocks, type, type});
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

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

BlockMatrices::Elements::Elements(mlir::MLIRContext *context, ElementKind kind)
    : format(*sim::formatOf(elementType(context, kind))),
      isUnsigned(kind == ElementKind::U8) {}

BlockMatrices::BlockMatrices(KamiCudaDevice *device, mlir::MLIRContext *context,
                             const Problem &problem, int64_t blocks)
    : device(device), problem(problem), blocks(blocks),
      left(context, problem.operand), right(context, problem.operandB()),
      sum(*sim::formatOf(elementType(context, problem.accumulator))), a(device),
      b(device), c(device) {}

llvm::Error BlockMatrices::allocate() {
  for (auto [buffer, bytes] :
       {std::pair(&a, operandSets * sizeA() * left.format.bytes()),
        std::pair(&b, operandSets * sizeB() * right.format.bytes()),
        std::pair(&c, blocks * sizeC() * sum.bytes())})
    if (llvm::Error error =
            check(kamiCudaAllocate(device, bytes, buffer->out())))
      return error;
  for (bool integers : {false, true}) {
    valuesA = draw(left, operandSets * sizeA(), integers, bytesA[integers]);
    valuesB = draw(right, operandSets * sizeB(), integers, bytesB[integers]);
  }
  return llvm::Error::success();
}

std::vector<double> BlockMatrices::draw(const Elements &elements, int64_t count,
                                        bool integers,
                                        std::vector<uint8_t> &bytes) {
  const sim::ElementFormat &operand = elements.format;
  std::vector<double> values(count);
  bytes.resize(count * operand.bytes());
  for (int64_t i = 0; i != count; ++i) {
    uint64_t bits;
    if (integers || !operand.isFloat()) {
      int64_t value = int64_t(random() % 5) - (elements.isUnsigned ? 0 : 2);
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

llvm::Expected<std::string> BlockMatrices::compare(int64_t scale) {
  auto [m, n, k] = problem.extents;
  std::vector<uint8_t> bytes(sizeC() * sum.bytes());
  // The first, the last, and one in between.
  for (int64_t block : {int64_t(0), blocks / 2, blocks - 1}) {
    if (llvm::Error error = check(
            kamiCudaCopyToHost(device, bytes.data(),
                               c.get() + block * bytes.size(), bytes.size())))
      return error;
    int64_t set = block % operandSets;
    const double *left = &valuesA[set * sizeA()];
    const double *right = &valuesB[set * sizeB()];
    for (int64_t i = 0; i != m; ++i)
      for (int64_t j = 0; j != n; ++j) {
        double expected = 0;
        for (int64_t l = 0; l != k; ++l)
          expected += left[i * k + l] * right[l * n + j];
        expected *= scale;
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
// Times
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<BlockTimer>> BlockTimer::open(int ordinal) {
  if (llvm::Error error = probeCuda())
    return error;
  std::unique_ptr<BlockTimer> timer(new BlockTimer());
  KamiCudaDevice *opened = nullptr;
  if (llvm::Error error = check(kamiCudaOpenDevice(ordinal, &opened)))
    return error;
  timer->device.reset(opened);
  KamiCudaDeviceInfo &info = timer->theInfo;
  if (llvm::Error error = check(kamiCudaDescribeDevice(opened, &info)))
    return error;
  llvm::Expected<const Chip *> found =
      findChip("sm_" + std::to_string(info.major * 10 + info.minor));
  if (!found)
    return found.takeError();
  timer->theChip = *found;
  timer->start.emplace(opened);
  timer->stop.emplace(opened);
  for (CudaEvent *event : {&*timer->start, &*timer->stop})
    if (llvm::Error error = check(kamiCudaCreateEvent(opened, event->out())))
      return error;
  return timer;
}

llvm::Error kami::launchBlocks(KamiCudaDevice *device,
                               KamiCudaFunction function, const Kernel &kernel,
                               int64_t blocks,
                               std::vector<uint64_t> arguments) {
  std::vector<void *> pointers;
  for (uint64_t &argument : arguments)
    pointers.push_back(&argument);
  KamiCudaLaunch shape = {{unsigned(blocks), 1, 1},
                          {unsigned(kernel.threads), 1, 1},
                          unsigned(kernel.sharedBytes)};
  return check(
      kamiCudaLaunchKernel(device, function, &shape, nullptr, pointers.data()));
}

llvm::Expected<double>
BlockTimer::time(llvm::function_ref<llvm::Error()> launch) {
  if (llvm::Error error =
          check(kamiCudaRecordEvent(device.get(), start->get(), nullptr)))
    return error;
  if (llvm::Error error = launch())
    return error;
  double elapsed = 0;
  for (KamiStatus status :
       {kamiCudaRecordEvent(device.get(), stop->get(), nullptr),
        kamiCudaElapsed(device.get(), start->get(), stop->get(), &elapsed)})
    if (llvm::Error error = check(status))
      return error;
  return elapsed;
}

llvm::Expected<Timing>
BlockTimer::time(const TimingOptions &options,
                 llvm::function_ref<llvm::Error(int64_t repeats)> launch,
                 llvm::MutableArrayRef<Rival> rivals) {
  Timing timing;
  timing.repeats = options.repeats;
  if (timing.repeats == 0) {
    constexpr int64_t probe = 100;
    llvm::Expected<double> first = time([&] { return launch(probe); });
    if (!first)
      return first.takeError();
    timing.repeats = std::max<int64_t>(
        probe, int64_t(options.milliseconds * 1e3 / *first * probe));
  }
  // The kernel's times, then each rival's.
  std::vector<std::vector<double>> times(1 + rivals.size());
  for (int64_t i = 0; i <= options.launches; ++i) {
    for (size_t who = 0; who != times.size(); ++who) {
      llvm::Expected<double> one = time([&] {
        return who == 0 ? launch(timing.repeats)
                        : rivals[who - 1].launch(timing.repeats);
      });
      if (!one)
        return one.takeError();
      if (i > 0)
        times[who].push_back(*one);
    }
  }
  for (std::vector<double> &own : times)
    llvm::sort(own);
  for (auto [rival, own] : llvm::zip_equal(rivals, llvm::drop_begin(times)))
    rival.median = own[own.size() / 2];
  const std::vector<double> &own = times.front();
  timing.median = own[own.size() / 2];
  timing.least = own.front();
  timing.most = own.back();
  return timing;
}

llvm::Expected<Timing>
BlockTimer::time(const Kernel &kernel, BlockMatrices &matrices,
                 const TimingOptions &options, KamiCudaFunctionInfo &info,
                 std::string &wrong, llvm::MutableArrayRef<Rival> rivals) {
  CudaModule module(device.get());
  KamiCudaFunction function = nullptr;
  for (KamiStatus status :
       {kamiCudaLoadModule(device.get(), kernel.binary.data(),
                           kernel.binary.size(), module.out()),
        kamiCudaGetFunction(device.get(), module.get(), kernel.name.c_str(),
                            &function),
        kamiCudaDescribeFunction(device.get(), function, &info)})
    if (llvm::Error error = check(status))
      return error;
  auto launch = [&](int64_t repeats) {
    return launchBlocks(device.get(), function, kernel, options.blocks,
                        matrices.arguments(repeats));
  };

  constexpr int64_t checkedRepeats = 3;
  if (llvm::Error error = matrices.upload(/*integers=*/true))
    return error;
  if (llvm::Error error = matrices.poison())
    return error;
  if (llvm::Error error = launch(checkedRepeats))
    return error;
  llvm::Expected<std::string> difference = matrices.compare(checkedRepeats);
  if (!difference)
    return difference.takeError();
  if (!difference->empty()) {
    wrong = *difference;
    return Timing();
  }
  if (llvm::Error error = matrices.upload(/*integers=*/false))
    return error;
  return time(options, launch, rivals);
}

llvm::Error kami::measureRow(const BuiltKernel &built, BlockTimer &timer,
                             BlockMatrices &matrices,
                             const TimingOptions &options, BlockRow &row,
                             llvm::MutableArrayRef<Rival> rivals) {
  row.reason = built.error;
  if (!row.reason.empty())
    return llvm::Error::success();
  KamiCudaFunctionInfo info = {};
  std::string wrong;
  llvm::Expected<Timing> timing =
      timer.time(built.kernel, matrices, options, info, wrong, rivals);
  if (!timing)
    return timing.takeError();
  row.registers = info.registers;
  row.spillBytes = info.localBytes;
  if (!wrong.empty()) {
    row.reason = "wrong: " + wrong;
    return llvm::Error::success();
  }
  row.repeats = timing->repeats;
  row.median = timing->median;
  row.least = timing->least;
  row.most = timing->most;
  const Extents &extents = row.extents();
  double products = double(options.blocks) * row.repeats;
  row.teraflops =
      2.0 * extents.m * extents.n * extents.k * products / row.median * 1e-6;
  row.cycles = row.median * timer.chip().boostMHz *
               timer.chip().multiprocessors / products;
  return llvm::Error::success();
}
