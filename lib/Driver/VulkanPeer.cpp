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

llvm::Error VulkanPeer::load(mlir::ModuleOp module,
                             const CompileOptions &options,
                             const Operands &operands) {
  sets.clear();
  kernel.reset();
  times.clear();
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

/// Once for each three of the arguments, one after the other; the microseconds
/// of all.
llvm::Expected<double>
VulkanPeer::launch(llvm::ArrayRef<KamiVulkanBuffer *> arguments) {
  double microseconds = 0;
  if (llvm::Error error = check(kamiVulkanLaunchInTurn(
          device.get(), kernel->get(), blocks, arguments.size() / 3,
          arguments.data(), &microseconds)))
    return error;
  return microseconds;
}

/// Of so many launches, over all sets in turn.
std::vector<KamiVulkanBuffer *> VulkanPeer::arguments(int64_t launches) const {
  std::vector<KamiVulkanBuffer *> buffers;
  for (int64_t i = 0; i != launches; ++i) {
    const Set &set = sets[i % sets.size()];
    llvm::append_values(buffers, set.a.get(), set.b.get(), set.c.get());
  }
  return buffers;
}

llvm::Expected<double> VulkanPeer::firstRun(const Operands &operands) {
  if (llvm::Error error = launch(arguments(sets.size())).takeError())
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

llvm::Error VulkanPeer::measure(const Operands &operands, int64_t repeats) {
  int64_t launches = operands.launchesPerGraph();
  std::vector<KamiVulkanBuffer *> all = arguments(launches);
  // Until the clocks have risen from idle.
  constexpr double warmUpMicroseconds = 50e3;
  for (double spent = 0; spent < warmUpMicroseconds;) {
    llvm::Expected<double> time = launch(all);
    if (!time)
      return time.takeError();
    if (*time <= 0)
      return llvm::createStringError("the device has no clock");
    spent += *time;
  }
  for (int64_t i = 0; i != repeats; ++i) {
    llvm::Expected<double> time = launch(all);
    if (!time)
      return time.takeError();
    times.push_back(*time / launches);
  }
  return llvm::Error::success();
}

llvm::Error VulkanPeer::run(mlir::ModuleOp module, CompileOptions options,
                            const Operands &operands, double bound,
                            int64_t repeats) {
  options.chip = chip;
  if (llvm::Error error = load(module, options, operands))
    return error;
  llvm::Expected<double> worst = firstRun(operands);
  if (!worst)
    return worst.takeError();
  // A NaN is not within any bound.
  if (!(*worst <= bound))
    return llvm::createStringError("wrong result");
  return measure(operands, repeats);
}
