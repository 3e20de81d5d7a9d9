//===- RunReport.cpp - What a run tells ----------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/RunReport.h"
#include "kami/Pipelines/Pipelines.h"
#include "kami/Plan/Explain.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace kami;

/// The devices that execute what is compiled for a chip; none of OpenCL's.
static std::optional<DeviceKind> deviceOf(const Chip &chip) {
  switch (backendOf(chip)) {
  case Backend::NVVM:
    return DeviceKind::Cuda;
  case Backend::ROCDL:
    return DeviceKind::Hip;
  case Backend::SPIRV:
    if (chip.spirv == SpirvFlavor::Vulkan)
      return DeviceKind::Vulkan;
    return std::nullopt;
  }
  llvm_unreachable("covered switch");
}

static llvm::Error probe(DeviceKind device) {
  switch (device) {
  case DeviceKind::Simulator:
    return llvm::Error::success();
  case DeviceKind::Cuda:
    return probeCuda();
  case DeviceKind::Hip:
    return probeHip();
  case DeviceKind::Vulkan:
    return probeVulkan();
  }
  llvm_unreachable("covered switch");
}

llvm::Error kami::verifyDevice(DeviceKind device, const Chip &chip) {
  std::optional<DeviceKind> own = deviceOf(chip);
  if (device == DeviceKind::Simulator || device == own)
    return llvm::Error::success();
  return llvm::createStringError(
      "--device=" + name(device) + " cannot run kernels for " + chip.name +
      ", expected auto" + (own ? ", sim or " + name(*own).str() : " or sim"));
}

llvm::Expected<DeviceKind> kami::chooseDevice(llvm::StringRef flag,
                                              llvm::StringRef target) {
  llvm::Expected<const Chip *> chip = findChip(target);
  if (!chip)
    return chip.takeError();
  if (flag == "auto") {
    std::optional<DeviceKind> own = deviceOf(**chip);
    if (!own)
      return DeviceKind::Simulator;
    llvm::Error missing = probe(*own);
    if (!missing)
      return *own;
    llvm::consumeError(std::move(missing));
    return DeviceKind::Simulator;
  }
  for (DeviceKind device : {DeviceKind::Simulator, DeviceKind::Cuda,
                            DeviceKind::Hip, DeviceKind::Vulkan}) {
    if (flag != name(device))
      continue;
    if (llvm::Error error = verifyDevice(device, **chip))
      return error;
    if (llvm::Error missing = probe(device))
      return missing;
    return device;
  }
  return llvm::createStringError(
      "expected --device=auto, sim, cuda, hip or vulkan, but got '" + flag +
      "'");
}

llvm::json::Object kami::describe(const sim::SimulatorReport &report) {
  llvm::json::Object instructions;
  for (const auto &[kind, count] : report.matrixInstructions)
    instructions[kind] = count;
  llvm::json::Array buffers;
  for (const sim::BufferTraffic &buffer : report.buffers)
    buffers.push_back(
        llvm::json::Object{{"name", buffer.name},
                           {"bytes_read", buffer.bytesRead},
                           {"bytes_written", buffer.bytesWritten},
                           {"max_reads_per_block", buffer.maxReadsPerByte}});
  return llvm::json::Object{{"matrix_instructions", std::move(instructions)},
                            {"buffers", std::move(buffers)},
                            {"shared_bytes_written", report.shared.written},
                            {"shared_bytes_read", report.shared.read},
                            {"bank_conflict_degree", report.maxBankConflict},
                            {"barriers", report.barriers}};
}

llvm::json::Value kami::reportJSON(const RunResult &result,
                                   const Compilation &compilation) {
  llvm::json::Array kernels;
  for (const Kernel &kernel : compilation.kernels)
    kernels.push_back(describe(kernel, *compilation.chip));
  llvm::json::Object object{{"ok", result.ok},
                            {"device", result.device},
                            {"max_rel_error", result.maxError},
                            {"error_bound", result.bound}};
  if (result.microseconds > 0)
    object["time_us"] = result.microseconds;
  else
    object["time_us"] = nullptr;
  object["plan"] = kernels.empty()
                       ? llvm::json::Value(nullptr)
                       : *kernels.front().getAsObject()->get("plan");
  object["kernels"] = std::move(kernels);
  llvm::json::Array launches;
  for (const sim::SimulatorReport &report : result.reports)
    launches.push_back(describe(report));
  object["simulated"] = std::move(launches);
  return object;
}

void kami::reportText(const RunResult &result, const Compilation &compilation,
                      llvm::raw_ostream &os) {
  for (const Kernel &kernel : compilation.kernels) {
    os << kernel.name << " on " << compilation.chip->name << "\n";
    os << "  plan      " << summary(kernel.plan) << "\n";
    for (const PlannedProduct &product : kernel.others)
      os << "  and       " << summary(product.plan) << "\n";
    os << "  launch    ";
    if (kernel.blocks)
      os << *kernel.blocks << " blocks";
    else
      os << "blocks by size";
    os << " of " << kernel.threads << " threads, " << kernel.sharedBytes
       << " bytes of shared memory\n";
    if (kernel.assembler)
      os << "  registers " << kernel.assembler->registers << " a thread, "
         << kernel.assembler->spillBytes << " bytes spilled (ptxas)\n";
  }
  for (const sim::SimulatorReport &report : result.reports) {
    os << "  simulated ";
    llvm::ListSeparator comma;
    for (const auto &[kind, count] : report.matrixInstructions)
      os << comma << count << " x " << kind;
    if (report.matrixInstructions.empty())
      os << "no matrix instruction";
    os << "; shared memory: " << report.shared.written << " bytes written, "
       << report.shared.read << " read, bank conflicts "
       << report.maxBankConflict << "-way; " << report.barriers
       << " barriers\n";
  }
  os << "  device    " << result.device << "\n";
  if (result.microseconds > 0)
    os << "  time      " << llvm::format("%.2f", result.microseconds)
       << " us\n";
  os << "  error     " << llvm::format("%.3g", result.maxError)
     << " of |A||B|, bound " << llvm::format("%.3g", result.bound) << "\n";
  os << "  verdict   " << (result.ok ? "right" : "WRONG") << "\n";
}
