//===- Compile.cpp - From a module to a kernel ---------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/Compile.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Pipelines/Pipelines.h"
#include "kami/Pipelines/Registration.h"
#include "kami/Plan/Explain.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Pass/PassManager.h"

using namespace kami;
using namespace mlir;

void kami::loadAllDialects(MLIRContext &context) {
  DialectRegistry registry;
  registerAllKami(registry);
  registerKamiDependencies(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

std::optional<Level> kami::parseLevel(StringRef spelling) {
  return llvm::StringSwitch<std::optional<Level>>(spelling)
      .Case("kami", Level::Kami)
      .Case("planned", Level::Planned)
      .Case("warp", Level::Warp)
      .Case("target", Level::Target)
      .Case("llvm", Level::LLVM)
      .Case("ptx", Level::PTX)
      .Case("cubin", Level::Cubin)
      .Default(std::nullopt);
}

/// Runs what `add` puts into a pipeline.
static LogicalResult runPasses(ModuleOp module,
                               llvm::function_ref<void(OpPassManager &)> add) {
  PassManager pm(module.getContext());
  add(pm);
  return pm.run(module);
}

/// The planned products, in the order in which their kernels will be made.
static LogicalResult collectProducts(ModuleOp module,
                                     Compilation &compilation) {
  FailureOr<const Chip *> chip = targetOf(module);
  if (failed(chip))
    return failure();
  compilation.chip = *chip;
  WalkResult result = module.walk([&](GemmOp op) {
    FailureOr<Problem> problem = problemOf(op);
    FailureOr<Plan> plan = toPlan(op, *op.getPlan());
    if (failed(problem) || failed(plan))
      return WalkResult::interrupt();
    Kernel kernel;
    kernel.problem = *problem;
    kernel.plan = *plan;
    kernel.output = elementKind(op.getCType().getElementType())
                        .value_or(problem->accumulator);
    compilation.kernels.push_back(std::move(kernel));
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (compilation.kernels.empty())
    return module.emitError("expected a matrix product of a type that ")
           << (*chip)->name << " has a matrix instruction for, but found none";
  return success();
}

/// Names and launch dimensions, from the launches of the warp level.
static void collectLaunches(ModuleOp module, Compilation &compilation) {
  size_t next = 0;
  module.walk([&](gpu::LaunchFuncOp launch) {
    if (next == compilation.kernels.size())
      return;
    Kernel &kernel = compilation.kernels[next++];
    kernel.module = launch.getKernelModuleName().str();
    kernel.name = launch.getKernelName().str();
    kernel.blocks = getConstantIntValue(launch.getGridSizeX());
    kernel.threads = getConstantIntValue(launch.getBlockSizeX()).value_or(0);
    if (Value bytes = launch.getDynamicSharedMemorySize())
      kernel.sharedBytes = getConstantIntValue(bytes).value_or(0);
    for (Value argument : launch.getKernelOperands()) {
      std::string type;
      llvm::raw_string_ostream(type) << argument.getType();
      kernel.argumentTypes.push_back(type);
    }
  });
}

/// Replaces each kernel's module by its PTX.
static LogicalResult serialize(ModuleOp module, Compilation &compilation) {
  if (failed(runPasses(module, [](OpPassManager &pm) {
        GpuModuleToBinaryPassOptions options;
        options.compilationTarget = "isa";
        pm.addPass(createGpuModuleToBinaryPass(options));
      })))
    return failure();
  SymbolTable symbols(module);
  for (Kernel &kernel : compilation.kernels) {
    auto binary = symbols.lookup<gpu::BinaryOp>(kernel.module);
    auto object = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
    // The attribute's text ends in a zero that is not part of the program.
    kernel.binary = object.getObject().getValue().rtrim('\0').str();
  }
  return success();
}

/// Register counts where an assembler is found, and cubins if asked for.
static LogicalResult assembleAll(ModuleOp module, Compilation &compilation,
                                 Level level) {
  if (findPtxas().empty()) {
    if (level == Level::Cubin)
      return module.emitError(
          "expected ptxas on PATH or under CUDA_HOME to make a cubin, "
          "but found none; PTX needs none");
    return success();
  }
  for (Kernel &kernel : compilation.kernels) {
    std::string cubin;
    llvm::Expected<AssemblerReport> report =
        assemble(kernel.binary, compilation.chip->name,
                 level == Level::Cubin ? &cubin : nullptr);
    if (!report)
      return module.emitError(llvm::toString(report.takeError()));
    kernel.assembler = *report;
    if (level == Level::Cubin)
      kernel.binary = cubin;
  }
  return success();
}

LogicalResult kami::compileKernels(ModuleOp module, Compilation &compilation) {
  return success(succeeded(runPasses(module, addNVVMPasses)) &&
                 succeeded(serialize(module, compilation)) &&
                 succeeded(assembleAll(module, compilation, Level::PTX)));
}

FailureOr<Compilation>
kami::compile(ModuleOp module, const CompileOptions &options, Level level) {
  Compilation compilation;
  PipelineOptions pipeline;
  pipeline.chip = options.chip;
  pipeline.algorithm = options.algorithm;
  pipeline.warps = options.warps;
  pipeline.model = options.model;
  pipeline.tile = options.tile;
  if (failed(runPasses(module, addProblemPasses)))
    return failure();
  if (level == Level::Kami)
    return compilation;
  if (options.plan)
    module.walk([&](GemmOp op) {
      if (!op.getPlan())
        op.setPlanAttr(toAttribute(module.getContext(), *options.plan));
    });
  if (failed(runPasses(
          module, [&](OpPassManager &pm) { addPlanPasses(pm, pipeline); })) ||
      failed(collectProducts(module, compilation)))
    return failure();
  if (level == Level::Planned)
    return compilation;
  if (failed(runPasses(module, addWarpPasses)))
    return failure();
  collectLaunches(module, compilation);
  if (level == Level::Warp)
    return compilation;
  if (failed(runPasses(module, addNVGPUPasses)))
    return failure();
  if (level == Level::Target)
    return compilation;
  if (failed(runPasses(module, addNVVMPasses)))
    return failure();
  if (level == Level::LLVM)
    return compilation;
  if (failed(serialize(module, compilation)) ||
      failed(assembleAll(module, compilation, level)))
    return failure();
  return compilation;
}

llvm::json::Object kami::describe(const Kernel &kernel, const Chip &chip) {
  llvm::json::Object object;
  object["target"] = chip.name.str();
  Candidate candidate = evaluatePlan(kernel.plan, kernel.problem, chip);
  Choice choice;
  choice.candidates.push_back(candidate);
  object["plan"] =
      explainJSON(choice, kernel.problem, chip, {}, Detail::BestOfEach);
  // Planned, but not yet a kernel.
  if (kernel.name.empty())
    return object;
  object["kernel"] = kernel.name;
  object["grid"] =
      kernel.blocks ? llvm::json::Value(llvm::json::Array{*kernel.blocks, 1, 1})
                    : llvm::json::Value(nullptr);
  object["block"] = llvm::json::Array{kernel.threads, 1, 1};
  object["shared_bytes"] = kernel.sharedBytes;
  object["registers"] = candidate.resources.registers.total();
  if (kernel.assembler) {
    object["registers"] = kernel.assembler->registers;
    object["spill_bytes"] = kernel.assembler->spillBytes;
  }
  object["arguments"] = llvm::json::Array(kernel.argumentTypes);
  return object;
}
