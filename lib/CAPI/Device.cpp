//===- Device.cpp - Devices, and programs on them -------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cstdlib>

using namespace kami;

size_t kamiDeviceGetCount(void) {
  int count = 0;
  return kamiCudaCountDevices(&count) == KAMI_STATUS_OK ? count : 0;
}

/// As much as there is room for, and the zero behind it.
template <size_t size>
static void copyText(char (&to)[size], llvm::StringRef from) {
  from = from.take_front(size - 1);
  *std::copy(from.begin(), from.end(), to) = '\0';
}

KamiError *kamiDeviceDescribe(int ordinal, KamiDeviceInfo *info) {
  *info = {};
  KamiCudaDeviceInfo found;
  if (KamiError *error = toError(kamiCudaDescribeOrdinal(ordinal, &found)))
    return error;
  copyText(info->name, found.name);
  copyText(info->target,
           llvm::formatv("sm_{0}{1}", found.major, found.minor).str());
  info->multiprocessors = found.multiprocessors;
  info->driverVersion = found.driverVersion;
  info->memoryBytes = found.memoryBytes;
  return nullptr;
}

KamiError *kamiDeviceOpen(int ordinal, KamiDevice **device) {
  *device = nullptr;
  KamiCudaDevice *opened = nullptr;
  if (KamiError *error = toError(kamiCudaOpenDevice(ordinal, &opened)))
    return error;
  *device = new KamiDevice{{opened, kamiCudaCloseDevice}};
  return nullptr;
}

void kamiDeviceClose(KamiDevice *device) { delete device; }

KamiError *kamiDeviceSynchronize(KamiDevice *device) {
  return toError(kamiCudaSynchronize(device->device.get()));
}

KamiError *kamiDeviceAllocate(KamiDevice *device, size_t bytes,
                              uint64_t *address) {
  return toError(kamiCudaAllocate(device->device.get(), bytes, address));
}

KamiError *kamiDeviceFree(KamiDevice *device, uint64_t address) {
  return toError(kamiCudaFree(device->device.get(), address));
}

KamiError *kamiDeviceWrite(KamiDevice *device, uint64_t to, const void *from,
                           size_t bytes) {
  return toError(kamiCudaCopyToDevice(device->device.get(), to, from, bytes));
}

KamiError *kamiDeviceRead(KamiDevice *device, void *to, uint64_t from,
                          size_t bytes) {
  return toError(kamiCudaCopyToHost(device->device.get(), to, from, bytes));
}

KamiError *kamiDeviceKeep(KamiDevice *device, const void *from, size_t bytes,
                          uint64_t *address) {
  *address = 0;
  if (bytes == 0)
    return makeError(KAMI_ERROR_INVALID, "expected bytes to be 1 or more");
  // A module's variable: loading is what a capture in another thread allows.
  llvm::ArrayRef<uint8_t> values(static_cast<const uint8_t *>(from), bytes);
  std::string ptx =
      llvm::formatv(".version 7.0\n.target sm_70\n"
                    ".address_size 64\n"
                    ".visible .global .align 16 .b8 kept[{0}]"
                    " = {{{1:$[, ]}};\n",
                    bytes, llvm::make_range(values.begin(), values.end()));
  KamiCudaDevice *opened = device->device.get();
  KamiCudaModule module = nullptr;
  if (KamiError *error =
          toError(kamiCudaLoadModule(opened, ptx.data(), ptx.size(), &module)))
    return error;
  {
    std::lock_guard<std::mutex> lock(device->mutex);
    device->constants.emplace_back(opened, module);
  }
  return toError(kamiCudaGetVariable(opened, module, "kept", address));
}

/// Only CUDA devices are launched on here.
static KamiError *checkCode(const Program &program) {
  if (program.codeKind() == "ptx")
    return nullptr;
  return makeError(KAMI_ERROR_INVALID,
                   "expected a program for a CUDA device, but its code is '" +
                       program.codeKind() + "'");
}

/// A cubin for each kernel, in their order, as JSON in base 64.
static std::vector<std::vector<char>> decodeImage(llvm::StringRef image) {
  std::vector<std::vector<char>> cubins;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(image);
  if (!value) {
    llvm::consumeError(value.takeError());
    return cubins;
  }
  if (const llvm::json::Array *array = value->getAsArray())
    for (const llvm::json::Value &entry : *array)
      llvm::consumeError(llvm::decodeBase64(entry.getAsString().value_or(""),
                                            cubins.emplace_back()));
  return cubins;
}

KamiError *kamiDeviceAssemble(KamiDevice *device, const KamiProgram *program,
                              KamiText **image) {
  *image = nullptr;
  if (KamiError *error = checkCode(*program->program))
    return error;
  llvm::json::Array cubins;
  for (const Program::Code &code : program->program->kernels()) {
    void *cubin = nullptr;
    size_t bytes = 0;
    if (KamiError *error =
            toError(kamiCudaAssemble(device->device.get(), code.binary.data(),
                                     code.binary.size(), &cubin, &bytes)))
      return error;
    llvm::scope_exit release([&] { std::free(cubin); });
    cubins.push_back(llvm::encodeBase64(
        llvm::StringRef(static_cast<const char *>(cubin), bytes)));
  }
  *image = makeText(std::move(cubins));
  return nullptr;
}

KamiError *kamiDeviceIsCapturing(KamiDevice *device, void *stream,
                                 int *isCapturing) {
  *isCapturing = 0;
  return toError(kamiCudaIsCapturing(
      device->device.get(), static_cast<KamiCudaStream>(stream), isCapturing));
}

KamiError *kamiDeviceLoad(KamiDevice *device, const KamiProgram *program,
                          const char *image, size_t bytes,
                          KamiExecutable **executable) {
  *executable = nullptr;
  if (KamiError *error = checkCode(*program->program))
    return error;
  llvm::ArrayRef<Program::Code> kernels = program->program->kernels();
  std::vector<std::vector<char>> cubins;
  if (image)
    cubins = decodeImage({image, bytes});
  if (image && cubins.size() != kernels.size())
    return makeError(KAMI_ERROR_INVALID,
                     "expected an image that this program was assembled to");
  auto made = std::make_shared<Executable>();
  made->program = program->program;
  made->device = device->device;
  KamiCudaDevice *opened = made->device.get();
  for (auto [index, code] : llvm::enumerate(kernels)) {
    CudaModule &module = made->images.emplace_back(opened);
    llvm::StringRef binary = code.binary;
    if (image)
      binary = {cubins[index].data(), cubins[index].size()};
    if (KamiError *error = toError(kamiCudaLoadModule(
            opened, binary.data(), binary.size(), module.out())))
      return error;
    KamiCudaFunction function = nullptr;
    if (KamiError *error = toError(kamiCudaGetFunction(
            opened, module.get(), code.name.c_str(), &function)))
      return error;
    made->functions[code.module] = function;
  }
  *executable = new KamiExecutable{std::move(made)};
  return nullptr;
}

KamiError *kamiExecutableDescribe(const KamiExecutable *executable,
                                  KamiText **json) {
  *json = nullptr;
  const Executable &contents = *executable->contents;
  llvm::json::Array kernels;
  for (const Program::Code &code : contents.program->kernels()) {
    KamiCudaFunctionInfo info;
    if (KamiError *error = toError(kamiCudaDescribeFunction(
            contents.device.get(), contents.functions.lookup(code.module),
            &info)))
      return error;
    kernels.push_back(
        llvm::json::Object{{"kernel", code.name},
                           {"registers", info.registers},
                           {"local_bytes", info.localBytes},
                           {"static_shared_bytes", info.staticSharedBytes}});
  }
  *json = makeText(std::move(kernels));
  return nullptr;
}

void kamiExecutableDestroy(KamiExecutable *executable) { delete executable; }
