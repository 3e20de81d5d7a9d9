//===- CudaLauncher.cpp - Host launches on a CUDA device -----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaLauncher.h"
#include "CudaStatus.h"
#include "kami/Driver/Run.h"
#include <algorithm>

using namespace kami;

llvm::Error kami::probeCuda() {
  int count = 0;
  if (llvm::Error error = check(kamiCudaCountDevices(&count)))
    return error;
  if (count == 0)
    return llvm::createStringError("the CUDA driver has no device");
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<CudaLauncher>>
CudaLauncher::create(const Compilation &compilation, int64_t repeats) {
  if (llvm::Error error = probeCuda())
    return error;
  std::unique_ptr<CudaLauncher> launcher(new CudaLauncher);
  launcher->repeats = repeats;
  KamiCudaDevice *device = nullptr;
  if (llvm::Error error = check(kamiCudaOpenDevice(0, &device)))
    return error;
  launcher->device.reset(device);
  KamiCudaDeviceInfo info;
  if (llvm::Error error = check(kamiCudaDescribeDevice(device, &info)))
    return error;
  launcher->name = info.name;
  if (llvm::Error error = launcher->load(compilation))
    return error;
  return launcher;
}

llvm::Error CudaLauncher::load(const Compilation &compilation) {
  for (const Kernel &kernel : compilation.kernels) {
    modules.emplace_back(device.get());
    KamiCudaFunction function = nullptr;
    if (llvm::Error error = check(
            kamiCudaLoadModule(device.get(), kernel.binary.data(),
                               kernel.binary.size(), modules.back().out())))
      return error;
    if (llvm::Error error =
            check(kamiCudaGetFunction(device.get(), modules.back().get(),
                                      kernel.name.c_str(), &function)))
      return error;
    functions[kernel.module] = function;
  }
  return llvm::Error::success();
}

namespace {
/// An allocation of the host and its twin on the device.
struct Mirror {
  sim::Buffer *host;
  CudaBuffer device;
};
} // namespace

void kami::appendDescriptor(const sim::MemRef &memref, KamiCudaPointer pointer,
                            std::vector<uint64_t> &fields) {
  fields.push_back(pointer);
  fields.push_back(pointer + memref.base);
  fields.push_back(memref.offset);
  fields.insert(fields.end(), memref.sizes.begin(), memref.sizes.end());
  fields.insert(fields.end(), memref.strides.begin(), memref.strides.end());
}

KamiCudaLaunch kami::shapeOf(const sim::Launch &launch) {
  return {{unsigned(launch.grid.x), unsigned(launch.grid.y),
           unsigned(launch.grid.z)},
          {unsigned(launch.block.x), unsigned(launch.block.y),
           unsigned(launch.block.z)},
          unsigned(launch.dynamicSharedBytes)};
}

llvm::Error CudaLauncher::launch(const sim::Launch &launch) {
  std::vector<Mirror> mirrors;
  auto mirror = [&](sim::Buffer *buffer) -> llvm::Expected<KamiCudaPointer> {
    for (Mirror &known : mirrors)
      if (known.host == buffer)
        return known.device.get();
    mirrors.push_back({buffer, CudaBuffer(device.get())});
    Mirror &made = mirrors.back();
    if (llvm::Error error = check(
            kamiCudaAllocate(device.get(), buffer->size(), made.device.out())))
      return error;
    return made.device.get();
  };
  std::vector<uint64_t> fields;
  for (const sim::Argument &argument : launch.arguments) {
    if (!argument.isMemRef()) {
      fields.push_back(argument.bits);
      continue;
    }
    llvm::Expected<KamiCudaPointer> pointer = mirror(argument.memref.buffer);
    if (!pointer)
      return pointer.takeError();
    appendDescriptor(argument.memref, *pointer, fields);
  }
  std::vector<void *> arguments;
  for (uint64_t &field : fields)
    arguments.push_back(&field);

  auto upload = [&]() -> llvm::Error {
    for (Mirror &one : mirrors)
      if (llvm::Error error = check(
              kamiCudaCopyToDevice(device.get(), one.device.get(),
                                   one.host->bytes.data(), one.host->size())))
        return error;
    return llvm::Error::success();
  };
  KamiCudaFunction function = functions.lookup(
      launch.kernel->getParentOfType<mlir::gpu::GPUModuleOp>().getName());
  KamiCudaLaunch shape = shapeOf(launch);
  // With β the timed launches change C: they come first, the one that counts
  // starts from fresh copies.
  if (llvm::Error error = upload())
    return error;
  if (llvm::Error error = time(function, shape, arguments))
    return error;
  if (llvm::Error error = upload())
    return error;
  if (llvm::Error error = check(kamiCudaLaunchKernel(
          device.get(), function, &shape, nullptr, arguments.data())))
    return error;
  if (llvm::Error error = check(kamiCudaSynchronize(device.get())))
    return error;
  for (Mirror &one : mirrors)
    if (llvm::Error error =
            check(kamiCudaCopyToHost(device.get(), one.host->bytes.data(),
                                     one.device.get(), one.host->size())))
      return error;
  return llvm::Error::success();
}

/// Adds the median of `repeats` launches, each between two events.
llvm::Error CudaLauncher::time(KamiCudaFunction function,
                               const KamiCudaLaunch &shape,
                               std::vector<void *> &arguments) {
  CudaEvent start(device.get()), stop(device.get());
  for (CudaEvent *event : {&start, &stop})
    if (llvm::Error error =
            check(kamiCudaCreateEvent(device.get(), event->out())))
      return error;
  std::vector<double> times;
  for (int64_t repeat = 0; repeat != repeats; ++repeat) {
    double elapsed = 0;
    for (KamiStatus status :
         {kamiCudaRecordEvent(device.get(), start.get(), nullptr),
          kamiCudaLaunchKernel(device.get(), function, &shape, nullptr,
                               arguments.data()),
          kamiCudaRecordEvent(device.get(), stop.get(), nullptr),
          kamiCudaElapsed(device.get(), start.get(), stop.get(), &elapsed)})
      if (llvm::Error error = check(status))
        return error;
    times.push_back(elapsed);
  }
  if (!times.empty()) {
    std::nth_element(times.begin(), times.begin() + times.size() / 2,
                     times.end());
    microseconds += times[times.size() / 2];
  }
  return llvm::Error::success();
}
