//===- Simulator.cpp ------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Simulator/Simulator.h"
#include "Execution.h"
#include "llvm/ADT/STLExtras.h"

using namespace kami::sim;
using namespace mlir;

int64_t SimulatorReport::globalBytesRead() const {
  int64_t bytes = 0;
  for (const BufferTraffic &traffic : buffers)
    bytes += traffic.bytesRead;
  return bytes;
}

int64_t SimulatorReport::globalBytesWritten() const {
  int64_t bytes = 0;
  for (const BufferTraffic &traffic : buffers)
    bytes += traffic.bytesWritten;
  return bytes;
}

int64_t SimulatorReport::totalMatrixInstructions() const {
  int64_t total = 0;
  for (const auto &[name, count] : matrixInstructions)
    total += count;
  return total;
}

static LogicalResult checkArguments(gpu::GPUFuncOp kernel,
                                    ArrayRef<Argument> arguments) {
  TypeRange types = kernel.getFunctionType().getInputs();
  if (types.size() != arguments.size())
    return kernel.emitError("expected ")
           << types.size() << " arguments, but got " << arguments.size();
  for (auto [i, type] : llvm::enumerate(types)) {
    auto memref = dyn_cast<MemRefType>(type);
    if (bool(memref) != arguments[i].isMemRef())
      return kernel.emitError("expected argument ")
             << i << " of type " << type << ", but got a "
             << (memref ? "scalar" : "memref");
    if (!memref)
      continue;
    const MemRef &value = arguments[i].memref;
    if (value.rank() != memref.getRank() ||
        value.elementBytes != elementBytes(memref.getElementType()))
      return kernel.emitError("expected argument ")
             << i << " of type " << type << ", but got a memref of rank "
             << value.rank() << " with elements of " << value.elementBytes
             << " bytes";
    for (auto [dimension, extent] : llvm::enumerate(memref.getShape()))
      if (!ShapedType::isDynamic(extent) && extent != value.sizes[dimension])
        return kernel.emitError("expected extent ")
               << extent << " in dimension " << dimension << " of argument "
               << i << ", but got " << value.sizes[dimension];
  }
  return success();
}

LogicalResult kami::sim::simulateLaunch(gpu::GPUFuncOp kernel, Dim3 grid,
                                        Dim3 block, int64_t dynamicSharedBytes,
                                        ArrayRef<Argument> arguments,
                                        const SimulatorOptions &options,
                                        SimulatorReport &report) {
  report = SimulatorReport();
  if (options.warpSize < 1 || options.warpSize > maxLanes)
    return kernel.emitError("expected a warp of 1 to ")
           << maxLanes << " lanes, but got " << options.warpSize;
  if (grid.x < 1 || grid.y < 1 || grid.z < 1 || block.x < 1 || block.y < 1 ||
      block.z < 1 || dynamicSharedBytes < 0)
    return kernel.emitError("expected a launch of positive extents");
  Program program;
  Decoder decoder(program, options.warpSize);
  if (failed(checkArguments(kernel, arguments)) ||
      failed(decoder.decodeKernel(kernel))) {
    report.violation = Violation::Unsupported;
    return failure();
  }
  return Execution(program, grid, block, options, report)
      .launch(arguments, dynamicSharedBytes);
}
