//===- Pipelines.cpp - The order of passes -------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Pipelines/Pipelines.h"
#include "kami/Conversion/KamiToNVGPU/KamiToNVGPU.h"
#include "kami/Conversion/KamiToNVVM/KamiToNVVM.h"
#include "kami/Conversion/KamiToSPIRV/KamiToSPIRV.h"
#include "kami/Conversion/LinalgToKami/LinalgToKami.h"
#include "kami/Transforms/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
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
  pm.addPass(createKamiFlattenBatch());
  KamiAssignPlanOptions plan;
  plan.algorithm = options.algorithm;
  plan.warps = options.warps;
  plan.unit = options.unit;
  plan.tile = options.tile;
  plan.stages = options.stages;
  plan.model = options.model;
  plan.calibration = options.calibration;
  pm.addPass(createKamiAssignPlan(plan));
  pm.addPass(createKamiVerifyTarget());
}

void kami::addWarpPasses(OpPassManager &pm) {
  pm.addPass(createKamiMapToGrid());
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addNestedPass<gpu::GPUFuncOp>(createKamiExpandComplex());
  kernels.addNestedPass<gpu::GPUFuncOp>(createKamiDistributeToWarps());
  pm.addPass(createKamiSizeSharedMemory());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void kami::addNVGPUPasses(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addNestedPass<gpu::GPUFuncOp>(createConvertKamiToNVGPU());
  kernels.addNestedPass<gpu::GPUFuncOp>(createKamiExpandMath());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
}

void kami::addNVVMPasses(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createConvertKamiToNVVM());
  kernels.addPass(createKamiExpandFloat8());
  kernels.addPass(createConvertNVGPUToNVVMPass());
  kernels.addPass(createKamiLowerVectors());
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createConvertGpuOpsToNVVMOps());
  kernels.addPass(createKamiDeclareDynamicShared());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createKamiKeepConverged());
}

void kami::addSubgroupPasses(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addNestedPass<gpu::GPUFuncOp>(createConvertKamiToSPIRV());
  kernels.addNestedPass<gpu::GPUFuncOp>(createKamiExpandMath());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
}

void kami::addSPIRVPasses(OpPassManager &pm) {
  pm.addPass(createKamiKernelsToSPIRV());
  OpPassManager &modules = pm.nest<spirv::ModuleOp>();
  modules.addPass(spirv::createSPIRVLowerABIAttributesPass());
  modules.addPass(spirv::createSPIRVUpdateVCEPass());
  modules.addPass(createKamiDeclareCapabilities());
}

void kami::buildSPIRVPipeline(OpPassManager &pm,
                              const PipelineOptions &options) {
  buildWarpPipeline(pm, options);
  addSubgroupPasses(pm);
  addSPIRVPasses(pm);
}

void kami::buildWarpPipeline(OpPassManager &pm,
                             const PipelineOptions &options) {
  addProblemPasses(pm, options);
  addPlanPasses(pm, options);
  addWarpPasses(pm);
}

void kami::buildNVVMPipeline(OpPassManager &pm,
                             const PipelineOptions &options) {
  buildWarpPipeline(pm, options);
  addNVGPUPasses(pm);
  addNVVMPasses(pm);
}
