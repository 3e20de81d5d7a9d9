//===- Pipelines.h - The order of passes ---------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_PIPELINES_PIPELINES_H
#define KAMI_PIPELINES_PIPELINES_H

#include "kami/Target/Chip.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace kami {

/// What may be chosen from outside. The names are the options' of the textual
/// pipelines.
struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<std::string> chip{
      *this, "chip", llvm::cl::desc("The chip, if the module names none")};
  Option<std::string> algorithm{*this, "algorithm",
                                llvm::cl::desc("auto, 1d, 2d or 3d"),
                                llvm::cl::init("auto")};
  Option<std::string> unit{*this, "unit",
                           llvm::cl::desc("auto, warp, warpgroup or lane"),
                           llvm::cl::init("auto")};
  Option<int64_t> warps{*this, "warps",
                        llvm::cl::desc("Warps a block, or 0 to choose"),
                        llvm::cl::init(0)};
  Option<std::string> tile{*this, "tile",
                           llvm::cl::desc("What a block computes, as MxNxK")};
  Option<int64_t> stages{
      *this, "stages",
      llvm::cl::desc("Tiles along k that have room at a time, or 0 to choose"),
      llvm::cl::init(0)};
  Option<int64_t> taken{
      *this, "taken",
      llvm::cl::desc(
          "Of blocks in turn, the last turns of tiles that they take "
          "as they are done with others, 0 to choose, or -1 for "
          "none"),
      llvm::cl::init(0)};
  Option<std::string> copies{
      *this, "copies",
      llvm::cl::desc("auto, threads or bulk: what brings copied operands"),
      llvm::cl::init("auto")};
  Option<int64_t> products{
      *this, "products",
      llvm::cl::desc("Products of a batch whose number is known only at run "
                     "time, or 0 for many"),
      llvm::cl::init(0)};
  Option<std::string> model{*this, "model",
                            llvm::cl::desc("calibrated or paper"),
                            llvm::cl::init("calibrated")};
  Option<std::string> calibration{
      *this, "calibration",
      llvm::cl::desc("A file of kami-bench calibrate, instead of what is built "
                     "in")};
  Option<std::string> precision{
      *this, "precision",
      llvm::cl::desc("How linalg's products of f32 are multiplied: exact, tf32 "
                     "or tf32x3"),
      llvm::cl::init("exact")};
};

/// The passes that lower a chip's instructions.
enum class Backend { NVVM, ROCDL, SPIRV };
Backend backendOf(const Chip &chip);

/// Level 0 to 1: products become `kami.gemm` on memrefs.
void addProblemPasses(mlir::OpPassManager &pm, const PipelineOptions &options);
/// Level 1 to 2: every product gets a plan that its target can execute.
void addPlanPasses(mlir::OpPassManager &pm, const PipelineOptions &options);
/// Level 2 to 3: kernels, in which every warp's part is written down.
void addWarpPasses(mlir::OpPassManager &pm);
/// Level 3 to 4: lanes and registers, or subgroups and cooperative matrices.
void addTargetPasses(mlir::OpPassManager &pm, Backend backend);
/// Level 4 to what makes binaries: LLVM's dialect in the kernels' modules, or a
/// `spirv.module` beside each of them. The host function keeps its
/// `gpu.launch_func`.
void addBackendPasses(mlir::OpPassManager &pm, Backend backend);

/// `kami-to-warps`, all up to level 3.
void buildWarpPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);
/// `kami-to-nvvm`, `kami-to-rocdl` and `kami-to-spirv`, all of the above;
/// `gpu-module-to-binary` goes on from the first two.
void buildKernelPipeline(mlir::OpPassManager &pm,
                         const PipelineOptions &options, Backend backend);

} // namespace kami

#endif // KAMI_PIPELINES_PIPELINES_H
