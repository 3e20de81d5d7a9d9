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
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kami {

/// `batch` products C = A·B, each matrix dense and row-major and right behind
/// the one before. Below f64 the sums are f32.
struct CublasProduct {
  Extents extents;
  int64_t batch = 1;
  ElementKind type = ElementKind::F16;
  KamiCudaPointer a = 0, b = 0, c = 0;
};

/// Products C = A·B of sizes of their own, each matrix dense and row-major.
struct CublasGroup {
  std::vector<Extents> extents;
  ElementKind type = ElementKind::F16;
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
  /// Queues all of them as one grouped call, every product a group of its own;
  /// the arrays of addresses are on the device.
  llvm::Error multiplyGrouped(const CublasGroup &group, KamiCudaPointer a,
                              KamiCudaPointer b, KamiCudaPointer c);
  /// Queues them one by one, on several streams that begin and end in this
  /// handle's. `matrix` gives the address of a product's A, B or C.
  llvm::Error multiplyOnStreams(
      const CublasGroup &group,
      llvm::function_ref<KamiCudaPointer(unsigned, int64_t)> matrix);
  /// "13.1.0".
  llvm::StringRef version() const { return versionText; }

private:
  explicit Cublas(KamiCudaDevice *device) : device(device), workspace(device) {}
  llvm::Error openStreams();
  llvm::Error useStream(KamiCudaStream stream, KamiCudaPointer space);
  llvm::Error check(int status, llvm::StringRef call) const;
  llvm::Error prepare(KamiCudaDevice *device, KamiCudaStream stream);

  const CublasFunctions *functions = nullptr;
  void *handle = nullptr;
  KamiCudaDevice *device;
  KamiCudaStream own = nullptr;
  CudaBuffer workspace;
  /// Made when they are asked for, each with an event and a workspace.
  struct Lane {
    explicit Lane(KamiCudaDevice *device)
        : stream(device), done(device), workspace(device) {}
    CudaStream stream;
    CudaEvent done;
    CudaBuffer workspace;
  };
  std::vector<Lane> lanes;
  std::optional<CudaEvent> begun;
  std::string versionText;
};

} // namespace kami

#endif // KAMI_LIB_DRIVER_CUBLAS_H
