//===- KamiToROCDL.cpp - Kernels for AMD's chips to ROCDL ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Conversion/KamiToROCDL/KamiToROCDL.h"
#include "LaunchExtents.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Conversion/KamiToLLVM/KamiToLLVM.h"
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace kami {
#define GEN_PASS_DEF_CONVERTKAMITOROCDL
#define GEN_PASS_DEF_KAMICONVERTGPUTOROCDL
#include "kami/Conversion/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

/// The module's target among those that it may have for several vendors.
static ROCDL::ROCDLTargetAttr targetOfModule(gpu::GPUModuleOp module) {
  if (ArrayAttr targets = module.getTargetsAttr())
    for (Attribute target : targets)
      if (auto rocdl = dyn_cast<ROCDL::ROCDLTargetAttr>(target))
        return rocdl;
  return {};
}

namespace {
struct ConvertKamiToROCDL
    : kami::impl::ConvertKamiToROCDLBase<ConvertKamiToROCDL> {
  void runOnOperation() override {
    if (!getOperation().getTargetsAttr() && failed(attachTarget()))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateElementaryPatterns(patterns);
    populateLaunchExtentPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }

private:
  LogicalResult attachTarget() {
    FailureOr<const Chip *> chip = targetOf(getOperation());
    if (failed(chip))
      return failure();
    Builder b(&getContext());
    bool isWave64 = (*chip)->warpSize == 64;
    NamedAttribute wave(isWave64 ? "wave64" : "no_wave64", b.getUnitAttr());
    auto target = ROCDL::ROCDLTargetAttr::get(
        &getContext(), /*optLevel=*/3, "amdgcn-amd-amdhsa", (*chip)->name,
        /*features=*/"", /*abiVersion=*/"600", b.getDictionaryAttr(wave));
    getOperation().setTargetsAttr(b.getArrayAttr(target));
    return success();
  }
};

struct ConvertGPUToROCDL
    : kami::impl::KamiConvertGPUToROCDLBase<ConvertGPUToROCDL> {
  void runOnOperation() override {
    ROCDL::ROCDLTargetAttr target = targetOfModule(getOperation());
    if (!target) {
      getOperation().emitOpError("expected a rocdl.target, but got none");
      return signalPassFailure();
    }
    ConvertGpuOpsToROCDLOpsOptions options;
    options.chipset = target.getChip().str();
    OpPassManager pm(gpu::GPUModuleOp::getOperationName());
    pm.addPass(createConvertGpuOpsToROCDLOps(options));
    if (failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }
};
} // namespace
