//===- Cublas.h - NVIDIA's library, where there is one -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_CUBLAS_H
#define KAMI_LIB_DRIVER_CUBLAS_H

#include "kami/Layout/ElementKind.h"
#include "kami/Layout/Partition.h"
#include "kami/Runtime/Cuda.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace kami {

/// `batch` products C = A·B, each matrix dense and row-major and right behind
/// the one before. Below f64 the sums are f32.
struct CublasProduct {
  Extents extents;
  int64_t batch = 1;
  ElementKind type = ElementKind::F16;
  KamiCudaPointer a = 0, b = 0, c = 0;
};

struct CublasFunctions;

/// cuBLAS on device 0 with a handle that queues on one stream. It is found at
/// run time: the library that the environment variable KAMI_CUBLAS names, else
/// libcublas of CUDA 13 or 12 on the loader's path or in a toolkit.
class Cublas {
public:
  /// `stream` must live as long as the handle, and so must `device`.
  static llvm::Expected<std::unique_ptr<Cublas>> open(KamiCudaDevice *device,
                                                      KamiCudaStream stream);
  ~Cublas();

  /// Queues the products. Can be captured in a graph after a first call of the
  /// same shape outside: that one loads the kernel.
  llvm::Error multiply(const CublasProduct &product);
  /// "13.1.0".
  llvm::StringRef version() const { return versionText; }

private:
  explicit Cublas(KamiCudaDevice *device) : workspace(device) {}
  llvm::Error check(int status, llvm::StringRef call) const;
  llvm::Error prepare(KamiCudaDevice *device, KamiCudaStream stream);

  const CublasFunctions *functions = nullptr;
  void *handle = nullptr;
  CudaBuffer workspace;
  std::string versionText;
};

} // namespace kami

#endif // KAMI_LIB_DRIVER_CUBLAS_H
