//===- VulkanLauncher.cpp - Host launches on a Vulkan device --------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceLauncher.h"
#include "kami/Driver/VulkanInfo.h"
#include <algorithm>

using namespace kami;

llvm::Error kami::probeVulkan() { return openVulkanDevice().takeError(); }

namespace {
class VulkanLauncher : public DeviceLauncher {
public:
  llvm::Error open(const Compilation &compilation, int64_t timedLaunches);
  llvm::Error launch(const sim::Launch &launch) override;

private:
  llvm::Error load(const Compilation &compilation);

  VulkanDevice device;
  llvm::StringMap<VulkanKernel> kernels;
};
} // namespace

llvm::Expected<std::unique_ptr<DeviceLauncher>>
kami::createVulkanLauncher(const Compilation &compilation, int64_t repeats) {
  auto launcher = std::make_unique<VulkanLauncher>();
  if (llvm::Error error = launcher->open(compilation, repeats))
    return error;
  return launcher;
}

llvm::Error VulkanLauncher::open(const Compilation &compilation,
                                 int64_t timedLaunches) {
  repeats = timedLaunches;
  llvm::Expected<VulkanDevice> opened = openVulkanDevice();
  if (!opened)
    return opened.takeError();
  device = std::move(*opened);
  llvm::Expected<VulkanDescription> description = describeVulkan(device.get());
  if (!description)
    return description.takeError();
  name = description->name;
  // What was compiled for another device may not be what this one has.
  llvm::Expected<const Chip *> chip =
      addVulkanChip("vulkan:" + name, *description);
  if (!chip)
    return chip.takeError();
  for (const Kernel &kernel : compilation.kernels)
    if (!(*chip)->findRate(*kernel.plan.atom))
      return llvm::createStringError("the device " + name + " does not have " +
                                     kernel.plan.atom->name);
  return load(compilation);
}

llvm::Error VulkanLauncher::load(const Compilation &compilation) {
  for (const Kernel &kernel : compilation.kernels) {
    std::vector<uint32_t> words(kernel.binary.size() / sizeof(uint32_t));
    std::copy_n(kernel.binary.data(), words.size() * sizeof(uint32_t),
                reinterpret_cast<char *>(words.data()));
    auto [entry, isNew] =
        kernels.try_emplace(kernel.module, VulkanKernel(device.get()));
    if (llvm::Error error = check(kamiVulkanLoadKernel(
            device.get(), words.data(), kernel.binary.size(),
            kernel.name.c_str(), kernel.argumentTypes.size(),
            compilation.chip->warpSize, entry->second.out())))
      return error;
  }
  return llvm::Error::success();
}

namespace {
/// The arguments of a launch: a buffer of the device for each allocation of the
/// host that they lie in, and for each scalar.
struct Arguments {
  struct Mirror {
    sim::Buffer *host;
    VulkanBuffer device;
  };
  KamiVulkanDevice *device;
  std::vector<Mirror> mirrors;
  std::vector<VulkanBuffer> scalars;
  std::vector<KamiVulkanBuffer *> buffers;

  llvm::Error add(const sim::Argument &argument);
  llvm::Error upload();
  llvm::Error download();
};
} // namespace

llvm::Error Arguments::add(const sim::Argument &argument) {
  if (!argument.isMemRef()) {
    scalars.emplace_back(device);
    KamiStatus status =
        kamiVulkanAllocate(device, sizeof(argument.bits), scalars.back().out());
    if (status == KAMI_STATUS_OK)
      status = kamiVulkanCopyToDevice(device, scalars.back().get(),
                                      &argument.bits, sizeof(argument.bits));
    buffers.push_back(scalars.back().get());
    return check(status);
  }
  if (argument.memref.base != 0)
    return llvm::createStringError(
        "expected a matrix at the begin of its allocation, but got one " +
        llvm::Twine(argument.memref.base) + " bytes from there");
  for (Mirror &known : mirrors)
    if (known.host == argument.memref.buffer) {
      buffers.push_back(known.device.get());
      return llvm::Error::success();
    }
  mirrors.push_back({argument.memref.buffer, VulkanBuffer(device)});
  Mirror &made = mirrors.back();
  KamiStatus status =
      kamiVulkanAllocate(device, made.host->size(), made.device.out());
  buffers.push_back(made.device.get());
  return check(status);
}

llvm::Error Arguments::upload() {
  for (Mirror &one : mirrors)
    if (llvm::Error error = check(
            kamiVulkanCopyToDevice(device, one.device.get(),
                                   one.host->bytes.data(), one.host->size())))
      return error;
  return llvm::Error::success();
}

llvm::Error Arguments::download() {
  for (Mirror &one : mirrors)
    if (llvm::Error error =
            check(kamiVulkanCopyToHost(device, one.host->bytes.data(),
                                       one.device.get(), one.host->size())))
      return error;
  return llvm::Error::success();
}

llvm::Error VulkanLauncher::launch(const sim::Launch &launch) {
  mlir::gpu::GPUFuncOp function = launch.kernel;
  auto kernel = kernels.find(
      function->getParentOfType<mlir::gpu::GPUModuleOp>().getName());
  if (kernel == kernels.end())
    return llvm::createStringError("expected a kernel of kami's, but got '" +
                                   function.getName() + "'");
  Arguments arguments{device.get(), {}, {}, {}};
  for (const sim::Argument &argument : launch.arguments)
    if (llvm::Error error = arguments.add(argument))
      return error;
  unsigned blocks = launch.grid.x;
  // With β the timed launches change C: they come first, the one that counts
  // starts from fresh copies.
  if (llvm::Error error = arguments.upload())
    return error;
  auto run = [&](double *microseconds) {
    return check(kamiVulkanLaunch(device.get(), kernel->second.get(), blocks,
                                  arguments.buffers.data(), microseconds));
  };
  if (llvm::Error error = addMedian([&](double &time) { return run(&time); }))
    return error;
  if (llvm::Error error = arguments.upload())
    return error;
  if (llvm::Error error = run(/*microseconds=*/nullptr))
    return error;
  return arguments.download();
}
