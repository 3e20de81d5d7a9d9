//===- Binding.h - A host function with its sizes known ------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a compiled host function does is settled by its arguments' extents and
// strides: which kernels it launches, with how many blocks, and on which
// parameters but for addresses. So it is interpreted once for those, and what
// it does becomes a list that a launch only has to write addresses into.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_BINDING_H
#define KAMI_DRIVER_BINDING_H

#include "kami/Runtime/Cuda.h"
#include "kami/Simulator/Memory.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace kami {

/// An argument as a caller has it: an array, or a scalar's bits.
struct HostArgument {
  /// Of the element with all indices 0. Nobody reads it to bind.
  void *data = nullptr;
  llvm::ArrayRef<int64_t> sizes;
  /// In elements, of any sign.
  llvm::ArrayRef<int64_t> strides;
  uint64_t bits = 0;
};

/// Where a word of a kernel's parameters comes from.
struct ParameterWord {
  enum class Source {
    /// `value` is the word.
    Constant,
    /// The address of the argument or, behind those, of the workspace with
    /// that number, and `value` bytes.
    Address,
    /// The bits of the argument with that number.
    Scalar
  };
  Source source = Source::Constant;
  uint64_t value = 0;
  unsigned number = 0;
};

struct BoundLaunch {
  /// Of the kernel; a module holds one.
  std::string module;
  KamiCudaLaunch shape;
  std::vector<ParameterWord> words;
};

/// A result of the function: a part of an argument's memory, or a workspace's.
struct BoundResult {
  unsigned number = 0;
  /// To the element with all indices 0.
  int64_t byteOffset = 0;
  llvm::SmallVector<int64_t> sizes, strides;
  mlir::Type elementType;
};

struct Binding {
  std::vector<BoundLaunch> launches;
  /// Bytes of memory that the function allocates.
  std::vector<int64_t> workspaces;
  std::vector<BoundResult> results;
  /// Of each argument, whether it is a scalar that decides more than a kernel's
  /// parameter, and so has to stay what it was.
  std::vector<bool> isFixed;
  /// Of arguments that the function assumes to be aligned, their numbers and
  /// the powers of two of bytes that their addresses have to be multiples of.
  std::vector<std::pair<unsigned, uint64_t>> alignments;
};

/// The only public function with a body: what a module runs.
llvm::Expected<mlir::func::FuncOp> entryPoint(mlir::ModuleOp module);

/// Whether the arguments are what the function's types say; else which is not.
llvm::Error checkArguments(mlir::func::FuncOp function,
                           llvm::ArrayRef<HostArgument> arguments);

/// An argument's strides as its type has them: those of extents below 2, and
/// all where there are no elements, are what the type says, since they say
/// nothing.
llvm::SmallVector<int64_t, 4> stridesOf(mlir::MemRefType type,
                                        const HostArgument &array);

/// Interprets the function, whose work has to be launches, for arguments of
/// these extents and strides, and scalars of these bits. Errors: arguments
/// that are not what its types say, and a host that touches arrays itself.
llvm::Expected<Binding> bindArguments(mlir::func::FuncOp function,
                                      llvm::ArrayRef<HostArgument> arguments);

} // namespace kami

#endif // KAMI_DRIVER_BINDING_H
