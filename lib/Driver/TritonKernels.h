//===- TritonKernels.h - Batches that Triton has compiled -------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder that scripts/peers/triton-batch.py has filled: cubins, and an
// index.json that says what they are.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_TRITONKERNELS_H
#define KAMI_LIB_DRIVER_TRITONKERNELS_H

#include "kami/Layout/ElementKind.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace kami {

/// What a parameter of 64 bits gets: an operand's address, or null for memory
/// that Triton might have asked for.
enum class TritonParameter { A, B, C, Null };

/// A kernel for any number of n × n × n products.
struct TritonKernel {
  ElementKind type = ElementKind::F16;
  int64_t n = 0;
  /// The symbol in the cubin, and the cubin's place in the folder.
  std::string name, file;
  int64_t sharedBytes = 0;
  /// Of a block.
  int64_t threads = 0;
  int64_t blocksPerProduct = 0;
  std::vector<TritonParameter> parameters;
  /// For people: tile, warps and stages.
  std::string setting;
};

struct TritonKernels {
  /// Reads the index; the cubins are read when they are loaded.
  static llvm::Expected<TritonKernels> load(llvm::StringRef folder);

  std::string folder;
  /// "3.5.0".
  std::string version;
  std::vector<TritonKernel> kernels;
};

} // namespace kami

#endif // KAMI_LIB_DRIVER_TRITONKERNELS_H
