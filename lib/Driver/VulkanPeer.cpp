//===- VulkanPeer.cpp - A batch on the device's Vulkan driver -------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VulkanPeer.h"
#include "CudaStatus.h"
#include "kami/Driver/VulkanInfo.h"
#include "kami/Plan/Explain.h"
#include <cstring>

using namespace kami;

llvm::Expected<std::unique_ptr<VulkanPeer>> VulkanPeer::open() {
  auto peer = std::make_unique<VulkanPeer>();
  llvm::Expected<VulkanDevice> device = openVulkanDevice();
  if (!device)
    return device.takeError();
  peer->device = std::move(*device);
  llvm::Expected<const Chip *> chip = chipOfVulkanDevice();
  if (!chip)
    return chip.takeError();
  peer->chip = (*chip)->name.str();
  return peer;
}

llvm::Error VulkanPeer::load(mlir::ModuleOp module, const Operands &operands) {
  sets.clear();
  kernel.reset();
  times.clear();
  CompileOptions options;
  options.chip = chip;
  mlir::FailureOr<Compilation> compilation =
      compile(module, options, Level::SPIRV);
  if (failed(compilation) || compilation->kernels.size() != 1)
    return llvm::createStringError("compilation failed");
  const Kernel &made = compilation->kernels.front();
  plan = summary(made.plan);
  blocks = made.blocks.value_or(0);
  std::vector<uint32_t> words(made.binary.size() / sizeof(uint32_t));
  std::memcpy(words.data(), made.binary.data(),
              words.size() * sizeof(uint32_t));
  kernel = std::make_unique<VulkanKernel>(device.get());
  if (llvm::Error error = check(
          kamiVulkanLoadKernel(device.get(), words.data(), made.binary.size(),
                               made.name.c_str(), made.argumentTypes.size(),
                               compilation->chip->warpSize, kernel->out())))
    return error;
  std::vector<uint8_t> a = operands.imageOfA(), b = operands.imageOfB();
  for (int64_t i = 0; i != operands.setCount(); ++i) {
    Set &set = sets.emplace_back(Set{VulkanBuffer(device.get()),
                                     VulkanBuffer(device.get()),
                                     VulkanBuffer(device.get())});
    for (VulkanBuffer *buffer : {&set.a, &set.b, &set.c})
      if (llvm::Error error =
              check(kamiVulkanAllocate(device.get(), a.size(), buffer->out())))
        return error;
    for (auto [buffer, image] : {std::pair(&set.a, &a), std::pair(&set.b, &b)})
      if (llvm::Error error = check(kamiVulkanCopyToDevice(
              device.get(), buffer->get(), image->data(), image->size())))
        return error;
  }
  return llvm::Error::success();
}

llvm::Expected<double> VulkanPeer::dispatch(const Set &set) {
  KamiVulkanBuffer *arguments[] = {set.a.get(), set.b.get(), set.c.get()};
  double microseconds = 0;
  if (llvm::Error error = check(kamiVulkanLaunch(
          device.get(), kernel->get(), blocks, arguments, &microseconds)))
    return error;
  return microseconds;
}

llvm::Expected<double> VulkanPeer::firstRun(const Operands &operands) {
  for (const Set &set : sets)
    if (llvm::Error error = dispatch(set).takeError())
      return error;
  std::vector<uint8_t> result(operands.imageOfA().size());
  int64_t held = -1;
  return operands.largestError([&](int64_t set, int64_t offset, uint8_t *to,
                                   int64_t bytes) -> llvm::Error {
    if (set != held)
      if (llvm::Error error = check(kamiVulkanCopyToHost(
              device.get(), result.data(), sets[set].c.get(), result.size())))
        return error;
    held = set;
    std::memcpy(to, result.data() + offset, bytes);
    return llvm::Error::success();
  });
}

llvm::Error VulkanPeer::measure(int64_t repeats) {
  // Until the clocks have risen from idle.
  constexpr double warmUpMicroseconds = 50e3;
  constexpr int64_t leastRounds = 2, mostRounds = 1000;
  double spent = 0;
  for (int64_t round = 0; round < leastRounds ||
                          (spent < warmUpMicroseconds && round < mostRounds);
       ++round) {
    llvm::Expected<double> time = dispatch(sets[round % sets.size()]);
    if (!time)
      return time.takeError();
    spent += *time;
  }
  // As many as the replays of a graph are.
  int64_t dispatches = std::max<int64_t>(10, sets.size()) * repeats;
  for (int64_t i = 0; i != dispatches; ++i) {
    llvm::Expected<double> time = dispatch(sets[i % sets.size()]);
    if (!time)
      return time.takeError();
    times.push_back(*time);
  }
  return llvm::Error::success();
}

llvm::Error VulkanPeer::run(mlir::ModuleOp module, const Operands &operands,
                            double bound, int64_t repeats) {
  if (llvm::Error error = load(module, operands))
    return error;
  llvm::Expected<double> worst = firstRun(operands);
  if (!worst)
    return worst.takeError();
  // A NaN is not within any bound.
  if (!(*worst <= bound))
    return llvm::createStringError("wrong result");
  return measure(repeats);
}
