//===- Host.h - Runs host code on the CPU ---------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interprets the host side of a compiled module: scalar code, structured
// control flow, allocations and views, structured `linalg` ops on memrefs,
// calls, and `gpu.launch_func`, which it hands to a callback. So one host
// function drives the simulator as well as a device.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_SIMULATOR_HOST_H
#define KAMI_SIMULATOR_HOST_H

#include "kami/Simulator/Simulator.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <functional>

namespace kami::sim {

/// One `gpu.launch_func`, evaluated.
struct Launch {
  mlir::gpu::LaunchFuncOp op;
  mlir::gpu::GPUFuncOp kernel;
  Dim3 grid;
  Dim3 block;
  int64_t dynamicSharedBytes = 0;
  llvm::SmallVector<Argument> arguments;
};

using LaunchHandler = std::function<mlir::LogicalResult(const Launch &)>;

/// A handler that simulates each launch and appends its report to `reports`.
/// Both options and reports must outlive it.
LaunchHandler simulatingHandler(const SimulatorOptions &options,
                                std::vector<SimulatorReport> &reports);

/// Runs `function` on `arguments`. What it allocates lives in `memory`, where
/// results may point. An op that it does not know is an error at the op.
mlir::LogicalResult runHost(mlir::func::FuncOp function,
                            llvm::ArrayRef<Argument> arguments, Memory &memory,
                            const LaunchHandler &launch,
                            llvm::SmallVectorImpl<Argument> &results);

} // namespace kami::sim

#endif // KAMI_SIMULATOR_HOST_H
