//===- Contestants.h - Who computes a batch ---------------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_CONTESTANTS_H
#define KAMI_LIB_DRIVER_CONTESTANTS_H

#include "BenchmarkOperands.h"
#include "Cublas.h"
#include "TimedGraph.h"
#include "TritonKernels.h"
#include "kami/Driver/Compile.h"

namespace kami {

/// Something that computes the batch, and how long it took.
class Contestant {
public:
  explicit Contestant(KamiCudaDevice *device) : device(device), graph(device) {}
  virtual ~Contestant() = default;

  /// Queues the products of one set.
  virtual llvm::Error enqueue(const OperandSet &set, KamiCudaStream stream) = 0;

  /// Makes the graph: `launches` launches, taking the sets in turn.
  llvm::Error capture(const Operands &operands, int64_t launches,
                      KamiCudaStream stream);

protected:
  KamiCudaDevice *device;

public:
  TimedGraph graph;
};

class CublasContestant : public Contestant {
public:
  CublasContestant(KamiCudaDevice *device, Cublas &cublas,
                   const OperandShape &shape)
      : Contestant(device), cublas(cublas), shape(shape) {}

  llvm::Error enqueue(const OperandSet &set, KamiCudaStream stream) override;

private:
  Cublas &cublas;
  OperandShape shape;
};

class KamiContestant : public Contestant {
public:
  KamiContestant(KamiCudaDevice *device, const OperandShape &shape)
      : Contestant(device), shape(shape), module(device) {}

  /// Loads the kernel. Its parameters are expected to be A, B and C.
  llvm::Error load(const Kernel &kernel);
  llvm::Error enqueue(const OperandSet &set, KamiCudaStream stream) override;

  int64_t registers = 0;

private:
  OperandShape shape;
  CudaModule module;
  KamiCudaFunction function = nullptr;
  KamiCudaLaunch launch = {};
};

class TritonContestant : public Contestant {
public:
  TritonContestant(KamiCudaDevice *device, const TritonKernel &kernel)
      : Contestant(device), kernel(kernel), module(device) {}

  /// Loads the cubin, for launches of `batch` products.
  llvm::Error load(llvm::StringRef folder, int64_t batch);
  llvm::Error enqueue(const OperandSet &set, KamiCudaStream stream) override;

  const TritonKernel &kernel;

private:
  CudaModule module;
  KamiCudaFunction function = nullptr;
  KamiCudaLaunch launch = {};
};

} // namespace kami

#endif // KAMI_LIB_DRIVER_CONTESTANTS_H
