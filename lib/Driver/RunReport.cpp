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

llvm::Expected<DeviceKind> kami::chooseDevice(llvm::StringRef flag,
                                              llvm::StringRef target) {
  if (!llvm::is_contained({"auto", "sim", "cuda", "hip", "vulkan"}, flag))
    return llvm::createStringError(
        "expected --device=auto, sim, cuda or hip, but got '" + flag + "'");
  if (flag == "vulkan")
    return llvm::createStringError("no runtime yet for --device=vulkan, "
                                   "expected auto, sim, cuda or hip");
  llvm::Expected<const Chip *> chip = findChip(target);
  if (!chip)
    return chip.takeError();
  DeviceKind own =
      backendOf(**chip) == Backend::ROCDL ? DeviceKind::Hip : DeviceKind::Cuda;
  if (flag == "sim" || (flag == "auto" && !backendOf(**chip)))
    return DeviceKind::Simulator;
  if (flag != "auto" && flag != name(own))
    return llvm::createStringError("--device=" + flag +
                                   " cannot run kernels for " + (*chip)->name +
                                   ", expected auto, sim or " + name(own));
  llvm::Error missing = own == DeviceKind::Hip ? probeHip() : probeCuda();
  if (!missing)
    return own;
  if (flag != "auto")
    return missing;
  llvm::consumeError(std::move(missing));
  return DeviceKind::Simulator;
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
