//===- Binding.cpp - A host function with its sizes known ----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/Binding.h"
#include "DeviceLauncher.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Layout/CopiedTile.h"
#include "kami/Simulator/Host.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace kami;
using namespace mlir;

llvm::Expected<func::FuncOp> kami::entryPoint(ModuleOp module) {
  func::FuncOp entry;
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || function.isPrivate())
      continue;
    if (entry)
      return llvm::createStringError("expected one public function, but got '" +
                                     entry.getName() + "' and '" +
                                     function.getName() + "'");
    entry = function;
  }
  if (!entry)
    return llvm::createStringError(
        "expected a public function, but found none");
  return entry;
}

/// What the type says of the strides of an array of such extents, or
/// `ShapedType::kDynamic`; nothing for a layout without strides.
static std::optional<SmallVector<int64_t, 4>>
typeStrides(MemRefType type, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t, 4> strides;
  int64_t offset;
  if (!type.getLayout().isIdentity()) {
    SmallVector<int64_t> known;
    if (failed(type.getStridesAndOffset(known, offset)))
      return std::nullopt;
    strides.assign(known.begin(), known.end());
    return strides;
  }
  int64_t dense = 1;
  for (int64_t size : llvm::reverse(sizes)) {
    strides.push_back(dense);
    dense *= size;
  }
  std::reverse(strides.begin(), strides.end());
  return strides;
}

/// Whether the strides that say something are those of the type.
static llvm::Error checkStrides(MemRefType type, const HostArgument &array) {
  auto known = typeStrides(type, array.sizes);
  if (!known)
    return llvm::createStringError("expected a strided array");
  if (llvm::is_contained(array.sizes, 0))
    return llvm::Error::success();
  for (auto [dim, expected] : llvm::enumerate(*known)) {
    bool isWrong = ShapedType::isStatic(expected) && array.sizes[dim] > 1 &&
                   array.strides[dim] != expected;
    if (isWrong)
      return llvm::createStringError(
          "expected stride " + llvm::Twine(expected) + " along dimension " +
          llvm::Twine(dim) + ", but got " + llvm::Twine(array.strides[dim]));
  }
  return llvm::Error::success();
}

SmallVector<int64_t, 4> kami::stridesOf(MemRefType type,
                                        const HostArgument &array) {
  SmallVector<int64_t, 4> strides = *typeStrides(type, array.sizes);
  for (auto [stride, given] : llvm::zip_equal(strides, array.strides))
    if (ShapedType::isDynamic(stride))
      stride = given;
  return strides;
}

static llvm::Error checkArray(MemRefType type, const HostArgument &array) {
  auto rank = size_t(type.getRank());
  if (array.sizes.size() != rank || array.strides.size() != rank)
    return llvm::createStringError(
        "expected an array of rank " + llvm::Twine(rank) + ", but got " +
        llvm::Twine(array.sizes.size()) + " extents and " +
        llvm::Twine(array.strides.size()) + " strides");
  for (auto [dim, size] : llvm::enumerate(array.sizes)) {
    if (size < 0)
      return llvm::createStringError("expected extents from 0 on, but got " +
                                     llvm::Twine(size) + " in dimension " +
                                     llvm::Twine(dim));
    if (!type.isDynamicDim(dim) && type.getDimSize(dim) != size)
      return llvm::createStringError("expected extent " +
                                     llvm::Twine(type.getDimSize(dim)) +
                                     " in dimension " + llvm::Twine(dim) +
                                     ", but got " + llvm::Twine(size));
  }
  return checkStrides(type, array);
}

/// Whether what is stored as rows begins at multiples of 16 bytes, if the first
/// one does.
static llvm::Error checkRows(MemRefType type, const HostArgument &array) {
  int64_t bytes = sim::elementBytes(type.getElementType());
  SmallVector<int64_t> known;
  int64_t offset;
  if (llvm::is_contained(array.sizes, 0) ||
      failed(type.getStridesAndOffset(known, offset)))
    return llvm::Error::success();
  for (auto [dim, stride] : llvm::enumerate(stridesOf(type, array)))
    if (known[dim] != 1 && (stride < 0 || !areWholePieces(stride, bytes)))
      return llvm::createStringError(
          "expected rows at multiples of " + llvm::Twine(copiedPiece) +
          " bytes, but got stride " + llvm::Twine(stride) +
          " along dimension " + llvm::Twine(dim) + " of elements of " +
          llvm::Twine(bytes) + " bytes");
  return llvm::Error::success();
}

llvm::Error kami::checkArguments(func::FuncOp function,
                                 ArrayRef<HostArgument> arguments) {
  if (arguments.size() != function.getNumArguments())
    return llvm::createStringError(
        "expected " + llvm::Twine(function.getNumArguments()) +
        " arguments, but got " + llvm::Twine(arguments.size()));
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref)
      continue;
    llvm::Error error = checkArray(memref, arguments[number]);
    if (!error && function.getArgAttr(number, alignedRowsAttributeName))
      error = checkRows(memref, arguments[number]);
    if (error)
      return llvm::createStringError("argument " + llvm::Twine(number) + ": " +
                                     llvm::toString(std::move(error)));
  }
  return llvm::Error::success();
}

/// An op of the host that touches elements, which nobody can do on a device's
/// arrays; null where there is none.
static Operation *findHostWork(func::FuncOp function) {
  Operation *found = nullptr;
  function.walk([&](Operation *op) {
    if (isa<memref::CopyOp, memref::LoadOp, memref::StoreOp,
            memref::GetGlobalOp, linalg::LinalgOp>(op))
      found = op;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

namespace {
/// Interprets the function and writes down what it launches. Buffers are names
/// of memory that lies elsewhere.
class Binder {
public:
  Binder(func::FuncOp function, ArrayRef<HostArgument> arguments)
      : function(function), given(arguments) {}

  llvm::Expected<Binding> bind();

private:
  void makeArguments();
  void findAlignments();
  BoundLaunch record(const sim::Launch &launch);
  unsigned numberOf(sim::Buffer *buffer);

  func::FuncOp function;
  ArrayRef<HostArgument> given;
  sim::Memory memory;
  SmallVector<sim::Argument> arguments;
  /// Arguments' first (null for scalars), then workspaces.
  SmallVector<sim::Buffer *> buffers;
  Binding binding;
};
} // namespace

void Binder::makeArguments() {
  for (auto [argument, type, value] : llvm::zip_equal(
           given, function.getArgumentTypes(), function.getArguments())) {
    auto memref = dyn_cast<MemRefType>(type);
    binding.isFixed.push_back(
        !memref && !llvm::all_of(value.getUsers(), [](Operation *user) {
          return isa<gpu::LaunchFuncOp>(user);
        }));
    if (!memref) {
      arguments.push_back(sim::Argument::scalar(argument.bits));
      buffers.push_back(nullptr);
      continue;
    }
    sim::MemRef view;
    view.buffer = &memory.allocate("argument", 0);
    view.sizes.assign(argument.sizes.begin(), argument.sizes.end());
    view.strides = stridesOf(memref, argument);
    view.elementType = memref.getElementType();
    view.elementBytes = sim::elementBytes(view.elementType);
    arguments.push_back(view);
    buffers.push_back(view.buffer);
  }
}

void Binder::findAlignments() {
  function.walk([&](memref::AssumeAlignmentOp op) {
    auto argument = dyn_cast<BlockArgument>(op.getMemref());
    if (argument && argument.getOwner() == &function.getBody().front())
      binding.alignments.push_back(
          {argument.getArgNumber(), op.getAlignment()});
  });
}

unsigned Binder::numberOf(sim::Buffer *buffer) {
  auto found = llvm::find(buffers, buffer);
  if (found != buffers.end())
    return found - buffers.begin();
  buffers.push_back(buffer);
  binding.workspaces.push_back(buffer->size());
  return buffers.size() - 1;
}

BoundLaunch Binder::record(const sim::Launch &launch) {
  BoundLaunch bound;
  gpu::LaunchFuncOp op = launch.op;
  bound.module = op.getKernelModuleName().str();
  bound.shape = shapeOf<KamiCudaLaunch>(launch);
  using Source = ParameterWord::Source;
  for (auto [argument, value] :
       llvm::zip_equal(launch.arguments, op.getKernelOperands())) {
    if (argument.isMemRef()) {
      std::vector<uint64_t> fields;
      appendDescriptor(argument.memref, /*pointer=*/0, fields);
      unsigned number = numberOf(argument.memref.buffer);
      for (auto [index, field] : llvm::enumerate(fields))
        bound.words.push_back(
            {index < 2 ? Source::Address : Source::Constant, field, number});
      continue;
    }
    auto parameter = dyn_cast<BlockArgument>(value);
    bool isArgument =
        parameter && parameter.getOwner() == &function.getBody().front();
    if (isArgument)
      bound.words.push_back({Source::Scalar, 0, parameter.getArgNumber()});
    else
      bound.words.push_back({Source::Constant, argument.bits, 0});
  }
  return bound;
}

llvm::Expected<Binding> Binder::bind() {
  makeArguments();
  findAlignments();
  SmallVector<sim::Argument> results;
  auto handler = [&](const sim::Launch &launch) -> LogicalResult {
    binding.launches.push_back(record(launch));
    return success();
  };
  if (failed(sim::runHost(function, arguments, memory, handler, results)))
    return llvm::createStringError("the host function failed");
  for (const sim::Argument &result : results) {
    if (!result.isMemRef())
      return llvm::createStringError(
          "expected a function whose results are arrays");
    const sim::MemRef &view = result.memref;
    BoundResult &bound = binding.results.emplace_back();
    bound.number = numberOf(view.buffer);
    bound.byteOffset = view.base + view.offset * view.elementBytes;
    bound.sizes.assign(view.sizes.begin(), view.sizes.end());
    bound.strides.assign(view.strides.begin(), view.strides.end());
    bound.elementType = view.elementType;
  }
  return std::move(binding);
}

llvm::Expected<Binding> kami::bindArguments(func::FuncOp function,
                                            ArrayRef<HostArgument> arguments) {
  if (llvm::Error error = checkArguments(function, arguments))
    return error;
  if (Operation *op = findHostWork(function))
    return llvm::createStringError(
        "expected all work on arrays in kernels, but got '" +
        op->getName().getStringRef() +
        "' on the host, which only the simulator runs");
  return Binder(function, arguments).bind();
}
