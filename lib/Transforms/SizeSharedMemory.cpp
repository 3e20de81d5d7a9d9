//===- SizeSharedMemory.cpp - Launch with enough shared memory ------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace kami {
#define GEN_PASS_DEF_KAMISIZESHAREDMEMORY
#include "kami/Transforms/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

namespace {
struct SizeSharedMemory
    : kami::impl::KamiSizeSharedMemoryBase<SizeSharedMemory> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk(
        [](gpu::LaunchFuncOp launch) { return WalkResult(resize(launch)); });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  static LogicalResult resize(gpu::LaunchFuncOp launch) {
    auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
        launch, launch.getKernelAttr());
    auto needed =
        kernel ? kernel->getAttrOfType<IntegerAttr>(sharedBytesAttributeName)
               : IntegerAttr();
    if (!needed)
      return success();
    if (Value given = launch.getDynamicSharedMemorySize()) {
      std::optional<int64_t> bytes = getConstantIntValue(given);
      if (bytes && *bytes < needed.getInt())
        return launch.emitOpError("expected at least ")
               << needed.getInt()
               << " bytes of dynamic shared memory, the kernel's '"
               << sharedBytesAttributeName << "', but got " << *bytes;
      return success();
    }
    OpBuilder builder(launch);
    launch.getDynamicSharedMemorySizeMutable().assign(
        arith::ConstantIntOp::create(builder, launch.getLoc(), needed.getInt(),
                                     32));
    return success();
  }
};
} // namespace
