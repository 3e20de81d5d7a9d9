//===- DeviceLauncher.cpp - Host launches on a device -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceLauncher.h"
#include "kami/Runtime/Cuda.h"
#include "kami/Runtime/Hip.h"
#include <algorithm>

using namespace kami;

namespace {

/// What launching takes of a vendor's runtime.
struct CudaRuntime {
  using Device = CudaDevice;
  using Buffer = CudaBuffer;
  using Module = CudaModule;
  using Event = CudaEvent;
  using Function = KamiCudaFunction;
  using Shape = KamiCudaLaunch;

  static llvm::Error probe() { return probeCuda(); }
  static constexpr auto openDevice = kamiCudaOpenDevice;
  static llvm::Error getName(KamiCudaDevice *device, std::string &name) {
    KamiCudaDeviceInfo info;
    llvm::Error error = check(kamiCudaDescribeDevice(device, &info));
    if (!error)
      name = info.name;
    return error;
  }
  static constexpr auto synchronize = kamiCudaSynchronize;
  static constexpr auto allocate = kamiCudaAllocate;
  static constexpr auto copyToDevice = kamiCudaCopyToDevice;
  static constexpr auto copyToHost = kamiCudaCopyToHost;
  static constexpr auto loadModule = kamiCudaLoadModule;
  static constexpr auto getFunction = kamiCudaGetFunction;
  static constexpr auto launchKernel = kamiCudaLaunchKernel;
  static constexpr auto createEvent = kamiCudaCreateEvent;
  static constexpr auto recordEvent = kamiCudaRecordEvent;
  static constexpr auto elapsed = kamiCudaElapsed;
};

struct HipRuntime {
  using Device = HipDevice;
  using Buffer = HipBuffer;
  using Module = HipModule;
  using Event = HipEvent;
  using Function = KamiHipFunction;
  using Shape = KamiHipLaunch;

  static llvm::Error probe() { return probeHip(); }
  static constexpr auto openDevice = kamiHipOpenDevice;
  static llvm::Error getName(KamiHipDevice *device, std::string &name) {
    char text[128] = "";
    llvm::Error error =
        check(kamiHipGetDeviceName(device, text, sizeof(text) - 1));
    if (!error)
      name = text;
    return error;
  }
  static constexpr auto synchronize = kamiHipSynchronize;
  static constexpr auto allocate = kamiHipAllocate;
  static constexpr auto copyToDevice = kamiHipCopyToDevice;
  static constexpr auto copyToHost = kamiHipCopyToHost;
  static constexpr auto loadModule = kamiHipLoadModule;
  static constexpr auto getFunction = kamiHipGetFunction;
  static constexpr auto launchKernel = kamiHipLaunchKernel;
  static constexpr auto createEvent = kamiHipCreateEvent;
  static constexpr auto recordEvent = kamiHipRecordEvent;
  static constexpr auto elapsed = kamiHipElapsed;
};

template <typename Runtime> class LauncherOn : public DeviceLauncher {
public:
  using Function = typename Runtime::Function;
  using Shape = typename Runtime::Shape;

  llvm::Error open(const Compilation &compilation, int64_t timedLaunches);
  llvm::Error launch(const sim::Launch &launch) override;

private:
  /// An allocation of the host and its twin on the device.
  struct Mirror {
    sim::Buffer *host;
    typename Runtime::Buffer device;
  };

  llvm::Error load(const Compilation &compilation);
  llvm::Error time(Function function, const Shape &shape,
                   std::vector<void *> &arguments);

  typename Runtime::Device device;
  int64_t repeats = 0;
  std::vector<typename Runtime::Module> modules;
  llvm::StringMap<Function> functions;
};

} // namespace

static llvm::Error probe(KamiStatus status, int count, llvm::StringRef vendor) {
  if (llvm::Error error = check(status))
    return error;
  if (count == 0)
    return llvm::createStringError("the " + vendor + " driver has no device");
  return llvm::Error::success();
}

llvm::Error kami::probeCuda() {
  int count = 0;
  KamiStatus status = kamiCudaCountDevices(&count);
  return probe(status, count, "CUDA");
}

llvm::Error kami::probeHip() {
  int count = 0;
  KamiStatus status = kamiHipCountDevices(&count);
  return probe(status, count, "HIP");
}

void kami::appendDescriptor(const sim::MemRef &memref, uint64_t pointer,
                            std::vector<uint64_t> &fields) {
  fields.push_back(pointer);
  fields.push_back(pointer + memref.base);
  fields.push_back(memref.offset);
  fields.insert(fields.end(), memref.sizes.begin(), memref.sizes.end());
  fields.insert(fields.end(), memref.strides.begin(), memref.strides.end());
}

template <typename Runtime>
llvm::Error LauncherOn<Runtime>::open(const Compilation &compilation,
                                      int64_t timedLaunches) {
  repeats = timedLaunches;
  if (llvm::Error error = Runtime::probe())
    return error;
  typename Runtime::Device::pointer opened = nullptr;
  if (llvm::Error error = check(Runtime::openDevice(0, &opened)))
    return error;
  device.reset(opened);
  if (llvm::Error error = Runtime::getName(opened, name))
    return error;
  return load(compilation);
}

template <typename Runtime>
llvm::Error LauncherOn<Runtime>::load(const Compilation &compilation) {
  for (const Kernel &kernel : compilation.kernels) {
    modules.emplace_back(device.get());
    Function function = nullptr;
    if (llvm::Error error = check(
            Runtime::loadModule(device.get(), kernel.binary.data(),
                                kernel.binary.size(), modules.back().out())))
      return error;
    if (llvm::Error error =
            check(Runtime::getFunction(device.get(), modules.back().get(),
                                       kernel.name.c_str(), &function)))
      return error;
    functions[kernel.module] = function;
  }
  return llvm::Error::success();
}

template <typename Runtime>
llvm::Error LauncherOn<Runtime>::launch(const sim::Launch &launch) {
  std::vector<Mirror> mirrors;
  auto mirror = [&](sim::Buffer *buffer) -> llvm::Expected<uint64_t> {
    for (Mirror &known : mirrors)
      if (known.host == buffer)
        return known.device.get();
    mirrors.push_back({buffer, typename Runtime::Buffer(device.get())});
    Mirror &made = mirrors.back();
    if (llvm::Error error = check(
            Runtime::allocate(device.get(), buffer->size(), made.device.out())))
      return error;
    return made.device.get();
  };
  std::vector<uint64_t> fields;
  for (const sim::Argument &argument : launch.arguments) {
    if (!argument.isMemRef()) {
      fields.push_back(argument.bits);
      continue;
    }
    llvm::Expected<uint64_t> pointer = mirror(argument.memref.buffer);
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
              Runtime::copyToDevice(device.get(), one.device.get(),
                                    one.host->bytes.data(), one.host->size())))
        return error;
    return llvm::Error::success();
  };
  Function function = functions.lookup(
      launch.kernel->getParentOfType<mlir::gpu::GPUModuleOp>().getName());
  Shape shape = shapeOf<Shape>(launch);
  // With β the timed launches change C: they come first, the one that counts
  // starts from fresh copies.
  if (llvm::Error error = upload())
    return error;
  if (llvm::Error error = time(function, shape, arguments))
    return error;
  if (llvm::Error error = upload())
    return error;
  if (llvm::Error error = check(Runtime::launchKernel(
          device.get(), function, &shape, nullptr, arguments.data())))
    return error;
  if (llvm::Error error = check(Runtime::synchronize(device.get())))
    return error;
  for (Mirror &one : mirrors)
    if (llvm::Error error =
            check(Runtime::copyToHost(device.get(), one.host->bytes.data(),
                                      one.device.get(), one.host->size())))
      return error;
  return llvm::Error::success();
}

/// Adds the median of `repeats` launches, each between two events.
template <typename Runtime>
llvm::Error LauncherOn<Runtime>::time(Function function, const Shape &shape,
                                      std::vector<void *> &arguments) {
  typename Runtime::Event start(device.get()), stop(device.get());
  for (auto *event : {&start, &stop})
    if (llvm::Error error =
            check(Runtime::createEvent(device.get(), event->out())))
      return error;
  std::vector<double> times;
  for (int64_t repeat = 0; repeat != repeats; ++repeat) {
    double elapsed = 0;
    for (KamiStatus status :
         {Runtime::recordEvent(device.get(), start.get(), nullptr),
          Runtime::launchKernel(device.get(), function, &shape, nullptr,
                                arguments.data()),
          Runtime::recordEvent(device.get(), stop.get(), nullptr),
          Runtime::elapsed(device.get(), start.get(), stop.get(), &elapsed)})
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

template <typename Runtime>
static llvm::Expected<std::unique_ptr<DeviceLauncher>>
openLauncher(const Compilation &compilation, int64_t repeats) {
  auto launcher = std::make_unique<LauncherOn<Runtime>>();
  if (llvm::Error error = launcher->open(compilation, repeats))
    return error;
  return launcher;
}

llvm::Expected<std::unique_ptr<DeviceLauncher>>
DeviceLauncher::create(DeviceKind kind, const Compilation &compilation,
                       int64_t repeats) {
  return kind == DeviceKind::Hip
             ? openLauncher<HipRuntime>(compilation, repeats)
             : openLauncher<CudaRuntime>(compilation, repeats);
}
