//===- ConvertGPU.cpp - Kernels to NVVM -----------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Conversion/KamiToNVVM/KamiToNVVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMInterface.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace kami {
#define GEN_PASS_DEF_KAMICONVERTGPUTONVVM
#include "kami/Conversion/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

/// Whether upstream writes the op as simpler ones of the dialect first.
static bool isRewritten(Operation *op) {
  constexpr unsigned shuffledBits = 32;
  if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op))
    return shuffle.getValue().getType().getIntOrFloatBitWidth() > shuffledBits;
  return isa<gpu::AllReduceOp, gpu::GlobalIdOp>(op);
}

static LogicalResult rewriteInDialect(gpu::GPUModuleOp module) {
  WalkResult found = module.walk([](Operation *op) {
    return isRewritten(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return success();
  RewritePatternSet patterns(module.getContext());
  populateGpuRewritePatterns(patterns);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  return applyPatternsGreedily(module, std::move(patterns), config);
}

/// What a kernel is written in by now, and converts itself.
static constexpr StringRef convertedDialects[] = {
    "arith", "cf",     "complex", "gpu", "index",
    "kami",  "memref", "nvvm",    "ub",  "vector"};

namespace {
struct ConvertGPUToNVVM
    : kami::impl::KamiConvertGPUToNVVMBase<ConvertGPUToNVVM> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    if (failed(rewriteInDialect(module)))
      return signalPassFailure();
    MLIRContext &context = getContext();
    LLVMTypeConverter converter(
        &context, LowerToLLVMOptions(&context, DataLayout(module)));
    configureGpuToNVVMTypeConverter(converter);
    LLVMConversionTarget target(context);
    RewritePatternSet patterns(&context);
    // Before what other dialects have for the same ops.
    populateGpuToNVVMConversionPatterns(converter, patterns, /*benefit=*/10);
    populateGpuWMMAToNVVMConversionPatterns(converter, patterns);
    for (StringRef name : convertedDialects)
      if (Dialect *dialect = context.getLoadedDialect(name))
        if (auto *interface = dyn_cast<ConvertToLLVMPatternInterface>(dialect))
          interface->populateConvertToLLVMConversionPatterns(target, converter,
                                                             patterns);
    configureGpuToNVVMConversionLegality(target);
    // To forget each op at once, with no way back, is faster, but there are
    // more instructions then.
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
