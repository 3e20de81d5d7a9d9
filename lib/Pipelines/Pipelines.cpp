//===- Pipelines.cpp - The order of passes -------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Pipelines/Pipelines.h"
#include "kami/Conversion/KamiToAMDGPU/KamiToAMDGPU.h"
#include "kami/Conversion/KamiToLLVM/KamiToLLVM.h"
#include "kami/Conversion/KamiToNVGPU/KamiToNVGPU.h"
#include "kami/Conversion/KamiToNVVM/KamiToNVVM.h"
#include "kami/Conversion/KamiToROCDL/KamiToROCDL.h"
#include "kami/Conversion/KamiToSPIRV/KamiToSPIRV.h"
#include "kami/Conversion/LinalgToKami/LinalgToKami.h"
#include "kami/Transforms/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace kami;
using namespace mlir;

void kami::addProblemPasses(OpPassManager &pm,
                            const PipelineOptions &pipeline) {
  ConvertLinalgToKamiOptions convert;
  convert.precision = pipeline.precision;
  pm.addPass(createConvertLinalgToKami(convert));
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void kami::addPlanPasses(OpPassManager &pm, const PipelineOptions &options) {
  KamiAttachTargetOptions target;
  target.chip = options.chip;
  pm.addPass(createKamiAttachTarget(target));
  // Whoever asks for a tile means rows and columns as they are.
  if (options.tile.empty())
    pm.addPass(createKamiTransposeResults());
  pm.addPass(createKamiFlattenBatch());
  KamiAssignPlanOptions plan;
  plan.algorithm = options.algorithm;
  plan.warps = options.warps;
  plan.unit = options.unit;
  plan.tile = options.tile;
  plan.stages = options.stages;
  plan.taken = options.taken;
  plan.copies = options.copies;
  plan.products = options.products;
  plan.model = options.model;
  plan.calibration = options.calibration;
  pm.addPass(createKamiAssignPlan(plan));
  pm.addPass(createKamiVerifyTarget());
}

/// Canonicalizes ops, once: what a second look would find, and blocks, are left
/// to LLVM, which makes the same PTX of it. A kernel's two runs take 3.4
/// instead of 15.0 ms of f16 256³, whose loops have many values.
static std::unique_ptr<Pass> createOpCanonicalizer() {
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
      .setMaxIterations(1);
  return createCanonicalizerPass(config);
}

void kami::addWarpPasses(OpPassManager &pm) {
  pm.addPass(createKamiInterleaveParts());
  pm.addPass(createKamiMapToGrid());
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addNestedPass<gpu::GPUFuncOp>(createKamiExpandComplex());
  kernels.addNestedPass<gpu::GPUFuncOp>(createKamiDistributeToWarps());
  pm.addPass(createKamiSizeSharedMemory());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  // After constants have been folded into slots.
  pm.nest<gpu::GPUModuleOp>().addNestedPass<gpu::GPUFuncOp>(
      createKamiRollSlices());
}

Backend kami::backendOf(const Chip &chip) {
  switch (chip.instruction) {
  case Instruction::MmaSync:
  case Instruction::Wgmma:
    return Backend::NVVM;
  case Instruction::Mfma:
  case Instruction::Wmma:
    return Backend::ROCDL;
  case Instruction::CooperativeMatrix:
    return Backend::SPIRV;
  case Instruction::Fma:
    break;
  }
  llvm_unreachable("lanes' multiply-adds are no chip's matrix instruction");
}

static std::unique_ptr<Pass> createTargetPass(Backend backend) {
  switch (backend) {
  case Backend::NVVM:
    return createConvertKamiToNVGPU();
  case Backend::ROCDL:
    return createConvertKamiToAMDGPU();
  case Backend::SPIRV:
    return createConvertKamiToSPIRV();
  }
  llvm_unreachable("covered switch");
}

void kami::addTargetPasses(OpPassManager &pm, Backend backend) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addNestedPass<gpu::GPUFuncOp>(createTargetPass(backend));
  if (backend == Backend::NVVM)
    kernels.addNestedPass<gpu::GPUFuncOp>(createKamiRereadThreadIndex());
  kernels.addNestedPass<gpu::GPUFuncOp>(createKamiExpandMath());
  kernels.addPass(createOpCanonicalizer());
  kernels.addPass(createCSEPass());
}

/// What upstream's conversions of the gpu dialect do not convert.
static void addLLVMPreparation(OpPassManager &kernels) {
  kernels.addPass(createKamiLowerViews());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createKamiLowerControlFlow());
}

/// What upstream's conversions leave behind. What is there twice LLVM finds
/// sooner than a pass here would: f64 65 takes 2 % less to compile, and the PTX
/// is the same.
static void addLLVMCleanup(OpPassManager &kernels) {
  kernels.addPass(createKamiDeclareDynamicShared());
  kernels.addPass(createKamiAnnotateLoops());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(createOpCanonicalizer());
}

static void addNVVMPasses(OpPassManager &kernels) {
  kernels.addPass(createConvertKamiToNVVM());
  kernels.addPass(createKamiExpandFloat8());
  kernels.addPass(createConvertNVGPUToNVVMPass());
  addLLVMPreparation(kernels);
  kernels.addPass(createKamiConvertGPUToNVVM());
  addLLVMCleanup(kernels);
  kernels.addPass(createKamiKeepConverged());
}

static void addROCDLPasses(OpPassManager &kernels) {
  kernels.addPass(createConvertKamiToROCDL());
  kernels.addPass(createKamiExpandFloat8());
  addLLVMPreparation(kernels);
  kernels.addPass(createKamiConvertGPUToROCDL());
  addLLVMCleanup(kernels);
}

static void addSPIRVPasses(OpPassManager &pm) {
  pm.addPass(createKamiKernelsToSPIRV());
  OpPassManager &modules = pm.nest<spirv::ModuleOp>();
  modules.addPass(spirv::createSPIRVLowerABIAttributesPass());
  modules.addPass(spirv::createSPIRVUpdateVCEPass());
  modules.addPass(createKamiDeclareCapabilities());
}

void kami::addBackendPasses(OpPassManager &pm, Backend backend) {
  switch (backend) {
  case Backend::NVVM:
    return addNVVMPasses(pm.nest<gpu::GPUModuleOp>());
  case Backend::ROCDL:
    return addROCDLPasses(pm.nest<gpu::GPUModuleOp>());
  case Backend::SPIRV:
    return addSPIRVPasses(pm);
  }
}

void kami::buildWarpPipeline(OpPassManager &pm,
                             const PipelineOptions &options) {
  addProblemPasses(pm, options);
  addPlanPasses(pm, options);
  addWarpPasses(pm);
}

void kami::buildKernelPipeline(OpPassManager &pm,
                               const PipelineOptions &options,
                               Backend backend) {
  buildWarpPipeline(pm, options);
  addTargetPasses(pm, backend);
  addBackendPasses(pm, backend);
}
