//===- Contestants.cpp ----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contestants.h"
#include "CudaStatus.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <climits>

using namespace kami;

llvm::Error Contestant::capture(const Operands &operands, int64_t launches,
                                KamiCudaStream stream) {
  return graph.capture(launches, stream, [&](int64_t launch) {
    return enqueue(operands.set(launch % operands.setCount()), stream);
  });
}

llvm::Error CublasContestant::enqueue(const OperandSet &set, KamiCudaStream) {
  CublasProduct product;
  product.extents = {shape.n, shape.n, shape.n};
  product.batch = shape.batch;
  product.type = shape.type;
  product.a = set.a;
  product.b = set.b;
  product.c = set.c;
  return cublas.multiply(product);
}

llvm::Error KamiContestant::load(const Kernel &kernel) {
  if (!kernel.blocks || kernel.argumentTypes.size() != 3)
    return llvm::createStringError(
        "expected a kernel of A, B and C with a grid known at compile time, "
        "but got " +
        llvm::Twine(kernel.argumentTypes.size()) + " arguments");
  KamiCudaFunctionInfo info;
  if (llvm::Error error = check(kamiCudaLoadModule(
          device, kernel.binary.data(), kernel.binary.size(), module.out())))
    return error;
  if (llvm::Error error = check(kamiCudaGetFunction(
          device, module.get(), kernel.name.c_str(), &function)))
    return error;
  if (llvm::Error error =
          check(kamiCudaDescribeFunction(device, function, &info)))
    return error;
  registers = info.registers;
  launch = {{unsigned(*kernel.blocks), 1, 1},
            {unsigned(kernel.threads), 1, 1},
            unsigned(kernel.sharedBytes)};
  return llvm::Error::success();
}

llvm::Error KamiContestant::enqueue(const OperandSet &set,
                                    KamiCudaStream stream) {
  // A memref is passed as the fields of its descriptor: allocated and aligned
  // pointer, offset, sizes, strides.
  llvm::SmallVector<uint64_t, 27> fields;
  for (KamiCudaPointer pointer : {set.a, set.b, set.c}) {
    uint64_t batch = shape.batch, n = shape.n;
    fields.append({pointer, pointer, 0, batch, n, n, n * n, n, 1});
  }
  llvm::SmallVector<void *, 27> arguments;
  for (uint64_t &field : fields)
    arguments.push_back(&field);
  return check(kamiCudaLaunchKernel(device, function, &launch, stream,
                                    arguments.data()));
}

llvm::Error TritonContestant::load(llvm::StringRef folder, int64_t batch) {
  if (kernel.blocksPerProduct > INT_MAX / batch)
    return llvm::createStringError("a grid of more than 2147483647 blocks");
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, kernel.file);
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + file.getError().message());
  // The driver believes a header's lengths. ELF begins with its magic number.
  llvm::StringRef image = (*file)->getBuffer();
  if (!image.starts_with("\x7f"
                         "ELF"))
    return llvm::createStringError("'" + path + "' is no cubin");
  KamiCudaFunctionInfo info;
  if (llvm::Error error = check(
          kamiCudaLoadModule(device, image.data(), image.size(), module.out())))
    return error;
  if (llvm::Error error = check(kamiCudaGetFunction(
          device, module.get(), kernel.name.c_str(), &function)))
    return error;
  if (llvm::Error error =
          check(kamiCudaDescribeFunction(device, function, &info)))
    return error;
  if (info.maxThreads < kernel.threads)
    return llvm::createStringError(
        "expected a kernel for blocks of " + llvm::Twine(kernel.threads) +
        " threads, but its registers allow " + llvm::Twine(info.maxThreads));
  launch = {{unsigned(kernel.blocksPerProduct * batch), 1, 1},
            {unsigned(kernel.threads), 1, 1},
            unsigned(kernel.sharedBytes)};
  return llvm::Error::success();
}

llvm::Error TritonContestant::enqueue(const OperandSet &set,
                                      KamiCudaStream stream) {
  llvm::SmallVector<uint64_t, 32> fields;
  for (TritonParameter parameter : kernel.parameters)
    switch (parameter) {
    case TritonParameter::A:
      fields.push_back(set.a);
      break;
    case TritonParameter::B:
      fields.push_back(set.b);
      break;
    case TritonParameter::C:
      fields.push_back(set.c);
      break;
    case TritonParameter::Null:
      fields.push_back(0);
      break;
    }
  // The driver takes as many as the kernel has: one that has more than its
  // index says should not find what lies behind the array.
  constexpr size_t padded = 32;
  fields.resize(std::max(fields.size(), padded));
  llvm::SmallVector<void *, 32> arguments;
  for (uint64_t &field : fields)
    arguments.push_back(&field);
  return check(kamiCudaLaunchKernel(device, function, &launch, stream,
                                    arguments.data()));
}
