//===- Host.cpp -----------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Simulator/Host.h"
#include "Interpreter.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace kami::sim;
using namespace mlir;

namespace {
class HostInterpreter : public Interpreter {
public:
  HostInterpreter(Memory &memory, const LaunchHandler &handler)
      : Interpreter(memory), handler(handler) {}

protected:
  LogicalResult runOther(Operation *op, bool &handled) override {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](gpu::LaunchFuncOp launch) { return runLaunch(launch); })
        // Launches complete before the next op.
        .Case([&](gpu::WaitOp wait) {
          if (wait.getAsyncToken())
            set(wait.getAsyncToken(), Cell());
          return success();
        })
        .Case([&](memref::GetGlobalOp global) { return runGlobal(global); })
        .Default([&](Operation *) {
          handled = false;
          return success();
        });
  }

private:
  LogicalResult runLaunch(gpu::LaunchFuncOp op);
  LogicalResult runGlobal(memref::GetGlobalOp op);

  const LaunchHandler &handler;
  llvm::DenseMap<Operation *, MemRef> globals;
};
} // namespace

LogicalResult HostInterpreter::runLaunch(gpu::LaunchFuncOp op) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
      op, op.getKernelAttr());
  if (!kernel)
    return op.emitError("launches no known kernel");
  Launch launch;
  launch.op = op;
  launch.kernel = kernel;
  gpu::KernelDim3 grid = op.getGridSizeOperandValues();
  gpu::KernelDim3 block = op.getBlockSizeOperandValues();
  launch.grid = {integer(grid.x), integer(grid.y), integer(grid.z)};
  launch.block = {integer(block.x), integer(block.y), integer(block.z)};
  if (op.getDynamicSharedMemorySize())
    launch.dynamicSharedBytes = integer(op.getDynamicSharedMemorySize());
  for (Value operand : op.getKernelOperands()) {
    const Cell &cell = get(operand);
    launch.arguments.push_back(cell.memref.buffer
                                   ? Argument(cell.memref)
                                   : Argument::scalar(cell.bits));
  }
  if (failed(handler(launch)))
    return failure();
  if (op.getAsyncToken())
    set(op.getAsyncToken(), Cell());
  return success();
}

LogicalResult HostInterpreter::runGlobal(memref::GetGlobalOp op) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, op.getNameAttr());
  if (!global)
    return op.emitError("names no known global");
  auto [at, isNew] = globals.try_emplace(global);
  if (isNew) {
    MemRefType type = global.getType();
    at->second = memory.allocate(global.getSymName().str(), type.getShape(),
                                 type.getElementType());
    SmallVector<uint64_t> bits;
    Attribute initial = global.getInitialValue().value_or(nullptr);
    if (initial && !isa<UnitAttr>(initial)) {
      if (!constantBits(initial, bits))
        return op.emitError("cannot interpret the global's initial value");
      MemRef &memref = at->second;
      for (size_t i = 0, e = memref.elements(); i != e; ++i)
        writeBits(memref.buffer->bytes.data() + i * memref.elementBytes,
                  memref.elementBytes, bits[bits.size() == 1 ? 0 : i]);
    }
  }
  MemRef memref = at->second;
  set(op, Cell::ofMemRef(memref));
  return success();
}

LaunchHandler
kami::sim::simulatingHandler(const SimulatorOptions &options,
                             std::vector<SimulatorReport> &reports) {
  return [&options, &reports](const Launch &launch) {
    return simulateLaunch(launch.kernel, launch.grid, launch.block,
                          launch.dynamicSharedBytes, launch.arguments, options,
                          reports.emplace_back());
  };
}

LogicalResult kami::sim::runHost(func::FuncOp function,
                                 ArrayRef<Argument> arguments, Memory &memory,
                                 const LaunchHandler &launch,
                                 SmallVectorImpl<Argument> &results) {
  Cells inputs, outputs;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    Cell cell = Cell::ofMemRef(argument.memref);
    cell.bits = argument.bits;
    if (i < function.getNumArguments() &&
        isa<MemRefType>(function.getArgument(i).getType()) !=
            argument.isMemRef())
      return function.emitError("expected argument ")
             << i << " of type " << function.getArgument(i).getType()
             << ", but got a " << (argument.isMemRef() ? "memref" : "scalar");
    inputs.push_back(std::move(cell));
  }
  if (failed(HostInterpreter(memory, launch).call(function, inputs, outputs)))
    return failure();
  results.clear();
  for (const Cell &cell : outputs)
    results.push_back(cell.memref.buffer ? Argument(cell.memref)
                                         : Argument::scalar(cell.bits));
  return success();
}
