//===- Simulate.cpp - Programs on the host's arrays -----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "kami/Driver/RunReport.h"
#include "kami/Simulator/Host.h"

using namespace kami;
using namespace mlir;

struct KamiSimulation {
  sim::Memory memory;
  std::string report;
  struct Result {
    void *data;
    llvm::SmallVector<int64_t, 4> sizes, strides;
  };
  std::vector<Result> results;
};

namespace {
/// An array of the caller's, and the simulated memory that stands for it. Both
/// have the same alignment: kernels look at addresses.
struct Mirror {
  /// The host's byte that is the buffer's first, and the first of an element.
  uint8_t *origin = nullptr;
  uint8_t *first = nullptr;
  int64_t bytes = 0;
  sim::MemRef view;
};

class Session {
public:
  explicit Session(KamiSimulation &simulation) : simulation(simulation) {}

  /// The arguments are checked.
  llvm::Error run(func::FuncOp host, const Chip &chip,
                  ArrayRef<HostArgument> arguments);

private:
  Mirror mirror(const HostArgument &argument, MemRefType type, size_t number);
  void writeBack();
  void keep(const sim::Argument &result);

  KamiSimulation &simulation;
  std::vector<Mirror> mirrors;
  std::vector<std::vector<uint8_t>> before;
};
} // namespace

Mirror Session::mirror(const HostArgument &argument, MemRefType type,
                       size_t number) {
  Mirror made;
  sim::MemRef &view = made.view;
  view.sizes.assign(argument.sizes.begin(), argument.sizes.end());
  view.strides = stridesOf(type, argument);
  view.elementType = type.getElementType();
  view.elementBytes = sim::elementBytes(view.elementType);
  int64_t least = 0, most = 0;
  for (auto [size, stride] : llvm::zip_equal(view.sizes, view.strides)) {
    int64_t distance = std::max<int64_t>(size - 1, 0) * stride;
    (distance < 0 ? least : most) += distance;
  }
  bool isEmpty = llvm::is_contained(view.sizes, 0);
  auto *data = static_cast<uint8_t *>(argument.data);
  made.first = data + least * int64_t(view.elementBytes);
  made.bytes = isEmpty ? 0 : (most - least + 1) * int64_t(view.elementBytes);
  int64_t skew =
      reinterpret_cast<uintptr_t>(made.first) % sim::Buffer::alignment;
  made.origin = made.first - skew;
  view.buffer = &simulation.memory.allocate(
      "argument " + std::to_string(number), skew + made.bytes);
  view.base = data - made.origin;
  std::copy_n(made.first, made.bytes, view.buffer->bytes.begin() + skew);
  return made;
}

/// Only what changed: there may be somebody else's elements between.
void Session::writeBack() {
  for (auto [mirror, old] : llvm::zip_equal(mirrors, before))
    for (int64_t i = mirror.first - mirror.origin, e = old.size(); i < e; ++i)
      if (uint8_t byte = mirror.view.buffer->bytes[i]; byte != old[i])
        mirror.origin[i] = byte;
}

void Session::keep(const sim::Argument &result) {
  const sim::MemRef &view = result.memref;
  uint8_t *origin = view.buffer->bytes.data();
  for (const Mirror &mirror : mirrors)
    if (mirror.view.buffer == view.buffer)
      origin = mirror.origin;
  simulation.results.push_back(
      {origin + view.base + view.offset * int64_t(view.elementBytes),
       view.sizes, view.strides});
}

llvm::Error Session::run(func::FuncOp host, const Chip &chip,
                         ArrayRef<HostArgument> arguments) {
  SmallVector<sim::Argument> inputs, results;
  for (auto [number, type] : llvm::enumerate(host.getArgumentTypes())) {
    const HostArgument &argument = arguments[number];
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref) {
      inputs.push_back(sim::Argument::scalar(argument.bits));
      continue;
    }
    mirrors.push_back(mirror(argument, memref, number));
    before.push_back(mirrors.back().view.buffer->bytes);
    inputs.push_back(mirrors.back().view);
  }
  sim::SimulatorOptions options;
  options.warpSize = chip.warpSize;
  options.banks = chip.sharedBanks;
  options.bankBytes = chip.sharedBankBytes;
  options.wideReadLanes = chip.wideReadLanes;
  std::vector<sim::SimulatorReport> reports;
  if (failed(sim::runHost(host, inputs, simulation.memory,
                          sim::simulatingHandler(options, reports), results)))
    return llvm::createStringError("the run failed");
  llvm::json::Array launches;
  for (const sim::SimulatorReport &report : reports)
    launches.push_back(describe(report));
  llvm::raw_string_ostream(simulation.report)
      << llvm::json::Value(std::move(launches));
  writeBack();
  for (const sim::Argument &result : results) {
    if (!result.isMemRef())
      return llvm::createStringError(
          "expected a function whose results are arrays");
    keep(result);
  }
  return llvm::Error::success();
}

KamiError *kamiProgramSimulate(const KamiProgram *program,
                               const KamiArgument *arguments, size_t count,
                               KamiSimulation **simulation) {
  *simulation = nullptr;
  auto made = std::make_unique<KamiSimulation>();
  std::vector<HostArgument> given = toArguments(arguments, count);
  bool isRunning = false;
  llvm::Error error = program->program->withLanes(
      [&](func::FuncOp host, const Chip &chip) -> llvm::Error {
        if (llvm::Error error = checkArguments(host, given))
          return error;
        isRunning = true;
        return Session(*made).run(host, chip, given);
      });
  if (error)
    return toError(isRunning ? KAMI_ERROR_SIMULATION : KAMI_ERROR_INVALID,
                   std::move(error));
  *simulation = made.release();
  return nullptr;
}

const char *kamiSimulationGetReport(const KamiSimulation *simulation) {
  return simulation->report.c_str();
}

size_t kamiSimulationGetResultCount(const KamiSimulation *simulation) {
  return simulation->results.size();
}

KamiError *kamiSimulationGetResult(const KamiSimulation *simulation,
                                   size_t number, KamiArgument *result) {
  *result = {};
  if (number >= simulation->results.size())
    return makeError(KAMI_ERROR_INVALID,
                     "expected a result below " +
                         llvm::Twine(simulation->results.size()) +
                         ", but got " + llvm::Twine(number));
  const KamiSimulation::Result &found = simulation->results[number];
  *result = {found.data, found.sizes.size(), found.sizes.data(),
             found.strides.data(), 0};
  return nullptr;
}

void kamiSimulationDestroy(KamiSimulation *simulation) { delete simulation; }
