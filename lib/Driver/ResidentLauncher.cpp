//===- ResidentLauncher.cpp - Runs on memory that stays there ------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResidentLauncher.h"
#include "CudaStatus.h"
#include "DeviceLauncher.h"

using namespace kami;

llvm::Expected<std::unique_ptr<ResidentLauncher>>
ResidentLauncher::create(DeviceKind kind, const Chip &chip) {
  std::unique_ptr<ResidentLauncher> launcher(new ResidentLauncher(chip));
  if (kind == DeviceKind::Simulator)
    return launcher;
  if (kind != DeviceKind::Cuda)
    return llvm::createStringError("expected a CUDA device or the simulator to "
                                   "soak, but got " +
                                   kami::name(kind));
  if (llvm::Error error = probeCuda())
    return error;
  KamiCudaDevice *device = nullptr;
  if (llvm::Error error = check(kamiCudaOpenDevice(0, &device)))
    return error;
  launcher->device.reset(device);
  KamiCudaDeviceInfo info;
  if (llvm::Error error = check(kamiCudaDescribeDevice(device, &info)))
    return error;
  launcher->name = info.name;
  launcher->bytesOfDevice = info.memoryBytes;
  return launcher;
}

llvm::Expected<sim::Buffer *> ResidentLauncher::allocate(int64_t bytes) {
  sim::Buffer &buffer = memory.allocate(
      "buffer " + std::to_string(buffers.size()), isSimulated() ? bytes : 0);
  buffers.push_back(&buffer);
  if (isSimulated())
    return &buffer;
  CudaBuffer twin(device.get());
  if (llvm::Error error =
          check(kamiCudaAllocate(device.get(), bytes, twin.out())))
    return error;
  twins.emplace(&buffer, std::move(twin));
  return &buffer;
}

void ResidentLauncher::releaseAll() {
  twins.clear();
  for (sim::Buffer *buffer : buffers)
    memory.release(buffer);
  buffers.clear();
}

llvm::Error ResidentLauncher::write(sim::Buffer *to, int64_t at,
                                    llvm::ArrayRef<uint8_t> from) {
  if (isSimulated()) {
    llvm::copy(from, to->bytes.begin() + at);
    return llvm::Error::success();
  }
  return check(kamiCudaCopyToDevice(device.get(), twins.at(to).get() + at,
                                    from.data(), from.size()));
}

llvm::Error ResidentLauncher::read(sim::Buffer *from, int64_t at,
                                   llvm::MutableArrayRef<uint8_t> to) {
  if (isSimulated()) {
    std::copy_n(from->bytes.begin() + at, to.size(), to.begin());
    return llvm::Error::success();
  }
  return check(kamiCudaCopyToHost(device.get(), to.data(),
                                  twins.at(from).get() + at, to.size()));
}

static std::string symbolOf(llvm::StringRef module, llvm::StringRef name) {
  return (module + "::" + name).str();
}

llvm::Error ResidentLauncher::load(ResidentProgram &program,
                                   llvm::ArrayRef<Kernel> kernels) {
  if (isSimulated())
    return llvm::Error::success();
  for (const Kernel &kernel : kernels) {
    CudaModule &image = program.images.emplace_back(device.get());
    KamiCudaFunction function = nullptr;
    if (llvm::Error error =
            check(kamiCudaLoadModule(device.get(), kernel.binary.data(),
                                     kernel.binary.size(), image.out())))
      return error;
    if (llvm::Error error = check(kamiCudaGetFunction(
            device.get(), image.get(), kernel.name.c_str(), &function)))
      return error;
    program.functions[symbolOf(kernel.module, kernel.name)] = function;
  }
  return llvm::Error::success();
}

llvm::Error ResidentLauncher::launch(ResidentProgram &program,
                                     const sim::Launch &launch) {
  std::vector<uint64_t> fields;
  for (const sim::Argument &argument : launch.arguments)
    if (argument.isMemRef())
      appendDescriptor(argument.memref, twins.at(argument.memref.buffer).get(),
                       fields);
    else
      fields.push_back(argument.bits);
  std::vector<void *> arguments;
  for (uint64_t &field : fields)
    arguments.push_back(&field);
  auto shape = shapeOf<KamiCudaLaunch>(launch);
  mlir::gpu::GPUFuncOp kernel = launch.kernel;
  auto module = kernel->getParentOfType<mlir::gpu::GPUModuleOp>();
  KamiCudaFunction function =
      program.functions.lookup(symbolOf(module.getName(), kernel.getName()));
  return check(kamiCudaLaunchKernel(device.get(), function, &shape, nullptr,
                                    arguments.data()));
}

llvm::Error ResidentLauncher::run(ResidentProgram &program,
                                  llvm::StringRef function,
                                  llvm::ArrayRef<sim::Argument> arguments) {
  auto host = program.module->lookupSymbol<mlir::func::FuncOp>(function);
  if (!host)
    return llvm::createStringError("expected a function '" + function + "'");
  std::vector<sim::SimulatorReport> reports;
  sim::LaunchHandler handler = sim::simulatingHandler(simulator, reports);
  std::string failure;
  if (!isSimulated())
    handler = [&](const sim::Launch &one) -> mlir::LogicalResult {
      if (llvm::Error error = launch(program, one)) {
        failure = ": " + llvm::toString(std::move(error));
        return mlir::failure();
      }
      return mlir::success();
    };
  llvm::SmallVector<sim::Argument> results;
  if (failed(sim::runHost(host, arguments, memory, handler, results)))
    return llvm::createStringError("the run of '" + function + "' failed" +
                                   failure);
  if (isSimulated())
    return llvm::Error::success();
  return check(kamiCudaSynchronize(device.get()));
}
