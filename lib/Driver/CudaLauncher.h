//===- CudaLauncher.h - Host launches on a CUDA device -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_CUDALAUNCHER_H
#define KAMI_LIB_DRIVER_CUDALAUNCHER_H

#include "kami/Driver/Compile.h"
#include "kami/Runtime/Cuda.h"
#include "kami/Simulator/Host.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace kami {

/// Executes launches on device 0. Every allocation that a launch names is
/// copied to the device before and back after it, padding and all, so that what
/// a kernel must not touch is seen to be untouched.
class CudaLauncher {
public:
  static llvm::Expected<std::unique_ptr<CudaLauncher>>
  create(const Compilation &compilation, int64_t repeats);

  llvm::Error launch(const sim::Launch &launch);

  /// Sum over the launches of their median times.
  double totalMicroseconds() const { return microseconds; }
  llvm::StringRef deviceName() const { return name; }

private:
  CudaLauncher() = default;

  llvm::Error load(const Compilation &compilation);
  llvm::Error time(KamiCudaFunction function, const KamiCudaLaunch &shape,
                   std::vector<void *> &arguments);

  CudaDevice device;
  std::string name;
  int64_t repeats = 0;
  double microseconds = 0;
  std::vector<CudaModule> modules;
  llvm::StringMap<KamiCudaFunction> functions;
};

/// A memref as the fields of its descriptor: allocated and aligned pointer,
/// offset, sizes, strides. Upstream passes each as a parameter of its own.
void appendDescriptor(const sim::MemRef &memref, KamiCudaPointer pointer,
                      std::vector<uint64_t> &fields);

KamiCudaLaunch shapeOf(const sim::Launch &launch);

} // namespace kami

#endif // KAMI_LIB_DRIVER_CUDALAUNCHER_H
