//===- Compile.cpp - From a module to a kernel ---------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/Compile.h"
#include "SerializePTX.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Model/CalibrationFile.h"
#include "kami/Pipelines/Pipelines.h"
#include "kami/Pipelines/Registration.h"
#include "kami/Plan/Chain.h"
#include "kami/Plan/Explain.h"
#include "kami/Transforms/Passes.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVM/ROCDL/Utils.h"
#include "mlir/Target/SPIRV/Serialization.h"

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
      .Case("asm", Level::Asm)
      .Case("hsaco", Level::Hsaco)
      .Case("spirv", Level::SPIRV)
      .Default(std::nullopt);
}

/// Runs what `add` puts into a pipeline, and verifies the module after each
/// pass or not.
static LogicalResult runPasses(ModuleOp module,
                               llvm::function_ref<void(OpPassManager &)> add,
                               bool verifiesEach = true) {
  PassManager pm(module.getContext());
  pm.enableVerifier(verifiesEach);
  add(pm);
  return pm.run(module);
}

/// Notes what a product computes, and how.
static LogicalResult describeProduct(GroupedGemmOp op,
                                     PlannedProduct &product) {
  FailureOr<Problem> problem = problemOf(op);
  FailureOr<Plan> plan = toPlan(op, *op.getPlan());
  if (failed(problem) || failed(plan))
    return failure();
  product.problem = *problem;
  product.plan = *plan;
  product.output = problem->output.value_or(problem->accumulator);
  return success();
}

/// What becomes an operand of the next product in a kernel is rounded to that
/// type.
static LogicalResult describeProduct(GemmOp op, PlannedProduct &product) {
  FailureOr<Problem> problem = problemOf(op);
  FailureOr<Plan> plan = toPlan(op, *op.getPlan());
  if (failed(problem) || failed(plan))
    return failure();
  product.problem = *problem;
  product.plan = *plan;
  bool isOperand = llvm::any_of(op->getUsers(), llvm::IsaPred<RedistributeOp>);
  product.output = isOperand ? problem->operand
                             : elementKind(op.getCType().getElementType())
                                   .value_or(problem->accumulator);
  return success();
}

/// Notes the two products of a chain; of Dᵀ, if the right one comes first.
static LogicalResult describeChain(ChainOp op, Kernel &kernel) {
  FailureOr<ChainProblem> problem = problemOf(op);
  FailureOr<ChainPlan> plan = toPlan(op);
  if (failed(problem) || failed(plan))
    return failure();
  ChainProblem left =
      plan->order == ChainOrder::Left ? *problem : problem->transposed();
  Problem product;
  product.operand = left.operand;
  product.accumulator = left.accumulator;
  product.batch = left.batch;
  product.extents = {left.m, left.n, left.k};
  kernel.others.push_back({product, plan->first, left.operand});
  product.extents = {left.m, left.q, left.n};
  kernel.problem = product;
  kernel.plan = plan->second;
  kernel.output =
      elementKind(op.getDType().getElementType()).value_or(left.accumulator);
  return success();
}

/// The product that stands for a kernel that somebody wrote: its first.
static GemmOp firstProduct(gpu::GPUFuncOp function) {
  GemmOp first;
  function.walk([&](GemmOp op) {
    first = op;
    return WalkResult::interrupt();
  });
  return first;
}

namespace {
/// Finds the kernels that a module will have: one for each product on the host,
/// and those that contain products already, launched or not.
class KernelCollector {
public:
  KernelCollector(ModuleOp module, Compilation &compilation)
      : module(module), compilation(compilation), kernels(compilation.kernels) {
  }

  /// Before products become kernels.
  LogicalResult collectProducts();
  /// Once all kernels and launches are there.
  void collectLaunches();

private:
  LogicalResult add(Operation *product, gpu::GPUFuncOp function);

  ModuleOp module;
  Compilation &compilation;
  std::vector<Kernel> &kernels;
  /// Records of `kernels` that will be launched, in the order of the launches;
  /// null for a launch of somebody else's kernel.
  SmallVector<std::optional<size_t>> launches;
};
} // namespace

LogicalResult KernelCollector::add(Operation *product,
                                   gpu::GPUFuncOp function) {
  Kernel kernel;
  auto describe = [&]() -> LogicalResult {
    if (auto chain = dyn_cast<ChainOp>(product))
      return describeChain(chain, kernel);
    if (auto grouped = dyn_cast<GroupedGemmOp>(product))
      return describeProduct(grouped, kernel);
    return describeProduct(cast<GemmOp>(product), kernel);
  };
  if (failed(describe()))
    return failure();
  if (function) {
    WalkResult result = function.walk([&](GemmOp other) {
      if (other == product)
        return WalkResult::advance();
      return WalkResult(describeProduct(other, kernel.others.emplace_back()));
    });
    if (result.wasInterrupted())
      return failure();
    kernel.name = function.getName().str();
    kernel.module =
        function->getParentOfType<gpu::GPUModuleOp>().getName().str();
  }
  kernels.push_back(std::move(kernel));
  return success();
}

LogicalResult KernelCollector::collectProducts() {
  llvm::DenseSet<Operation *> launched;
  WalkResult result = module.walk([&](Operation *op) {
    Operation *product = isa<GemmOp, ChainOp, GroupedGemmOp>(op) ? op : nullptr;
    gpu::GPUFuncOp function;
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op)) {
      function = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
          launch, launch.getKernelAttr());
      product = function ? firstProduct(function).getOperation() : nullptr;
      launches.push_back(std::nullopt);
      launched.insert(function);
    } else if (product && !product->getParentOfType<gpu::GPUFuncOp>()) {
      launches.push_back(std::nullopt);
    } else {
      return WalkResult::advance();
    }
    if (!product)
      return WalkResult::advance();
    launches.back() = kernels.size();
    return WalkResult(add(product, function));
  });
  if (result.wasInterrupted())
    return failure();
  result = module.walk([&](gpu::GPUFuncOp function) {
    GemmOp product = firstProduct(function);
    if (!product || launched.contains(function))
      return WalkResult::advance();
    return WalkResult(add(product, function));
  });
  return failure(result.wasInterrupted());
}

void KernelCollector::collectLaunches() {
  size_t next = 0;
  auto addType = [](Kernel &kernel, Type type) {
    llvm::raw_string_ostream(kernel.argumentTypes.emplace_back()) << type;
  };
  module.walk([&](gpu::LaunchFuncOp launch) {
    std::optional<size_t> record = launches[next++];
    if (!record)
      return;
    Kernel &kernel = kernels[*record];
    kernel.module = launch.getKernelModuleName().str();
    kernel.name = launch.getKernelName().str();
    kernel.blocks = getConstantIntValue(launch.getGridSizeX());
    kernel.threads = getConstantIntValue(launch.getBlockSizeX()).value_or(0);
    if (Value bytes = launch.getDynamicSharedMemorySize())
      kernel.sharedBytes = getConstantIntValue(bytes).value_or(0);
    for (Value argument : launch.getKernelOperands())
      addType(kernel, argument.getType());
  });
  for (Kernel &kernel : kernels) {
    if (kernel.threads != 0)
      continue;
    auto function = module.lookupSymbol<gpu::GPUModuleOp>(kernel.module)
                        .lookupSymbol<gpu::GPUFuncOp>(kernel.name);
    kernel.threads = kernel.plan.teams * kernel.plan.grid.warps() *
                     kernel.plan.atom->lanes(compilation.chip->warpSize);
    if (auto bytes =
            function->getAttrOfType<IntegerAttr>(sharedBytesAttributeName))
      kernel.sharedBytes = bytes.getInt();
    for (Type type : function.getArgumentTypes())
      addType(kernel, type);
  }
}

/// Takes the PTX of each kernel's module.
static LogicalResult serializeNVVM(ModuleOp module, Compilation &compilation) {
  SymbolTable symbols(module);
  llvm::StringMap<std::string> texts;
  for (Kernel &kernel : compilation.kernels) {
    auto [text, isNew] = texts.try_emplace(kernel.module);
    if (isNew) {
      auto made = serializePTX(symbols.lookup<gpu::GPUModuleOp>(kernel.module));
      if (failed(made))
        return failure();
      text->second = std::move(*made);
    }
    kernel.binary = text->second;
  }
  return success();
}

/// Takes the assembly of each kernel's module.
static LogicalResult serializeROCDL(ModuleOp module, Compilation &compilation) {
  auto add = [](OpPassManager &pm) {
    GpuModuleToBinaryPassOptions options;
    options.compilationTarget = "isa";
    pm.addPass(createGpuModuleToBinaryPass(options));
  };
  if (failed(runPasses(module, add, compilation.verifiesEach)))
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

/// Reads what the assembly says of itself, and makes code objects of it.
static LogicalResult assembleForAMD(ModuleOp module, Compilation &compilation,
                                    Level level) {
  auto fail = [&](llvm::Error error) {
    return module.emitError(llvm::toString(std::move(error)));
  };
  for (Kernel &kernel : compilation.kernels) {
    llvm::Expected<AssemblerReport> report = readMetadata(kernel.binary);
    if (!report)
      return fail(report.takeError());
    kernel.assembler = *report;
    if (level != Level::Hsaco)
      continue;
    FailureOr<SmallVector<char, 0>> object = ROCDL::assembleIsa(
        kernel.binary, "amdgcn-amd-amdhsa", compilation.chip->name,
        /*features=*/"", [&] { return module.emitError(); });
    if (failed(object))
      return failure();
    llvm::Expected<std::string> linked = linkCodeObject(*object);
    if (!linked)
      return fail(linked.takeError());
    kernel.binary = std::move(*linked);
  }
  return success();
}

/// Takes the binary of each kernel's `spirv.module`.
static LogicalResult serializeSPIRV(ModuleOp module, Compilation &compilation) {
  for (auto made : module.getOps<spirv::ModuleOp>()) {
    SmallVector<uint32_t> words;
    if (failed(spirv::serialize(made, words)))
      return failure();
    for (Kernel &kernel : compilation.kernels)
      if (made.lookupSymbol<spirv::FuncOp>(kernel.name))
        kernel.binary.assign(reinterpret_cast<const char *>(words.data()),
                             words.size() * sizeof(uint32_t));
  }
  return success();
}

LogicalResult kami::compileKernels(ModuleOp module, Compilation &compilation,
                                   Level level, bool assembles) {
  Backend backend = backendOf(*compilation.chip);
  auto add = [&](OpPassManager &pm) { addBackendPasses(pm, backend); };
  if (failed(runPasses(module, add, compilation.verifiesEach)))
    return failure();
  if (level == Level::LLVM)
    return success();
  switch (backend) {
  case Backend::SPIRV:
    return serializeSPIRV(module, compilation);
  case Backend::NVVM:
    if (failed(serializeNVVM(module, compilation)))
      return failure();
    return assembles ? assembleAll(module, compilation, level) : success();
  case Backend::ROCDL:
    if (failed(serializeROCDL(module, compilation)))
      return failure();
    return assembles ? assembleForAMD(module, compilation, level) : success();
  }
  llvm_unreachable("covered switch");
}

/// Whether one of the products has no elements and will not be seen again.
static bool hasEmptyProduct(ModuleOp module) {
  auto isEmpty = [](Value value) {
    auto type = dyn_cast<ShapedType>(value.getType());
    return type && type.hasRank() && llvm::is_contained(type.getShape(), 0);
  };
  WalkResult result = module.walk([&](DestinationStyleOpInterface op) {
    bool isProduct = isa<GemmOp, linalg::LinalgOp>(op.getOperation());
    return isProduct && llvm::any_of(op.getDpsInits(), isEmpty)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Below level 4, what there is depends on what takes it.
static StringRef formatsOf(Backend backend) {
  switch (backend) {
  case Backend::NVVM:
    return "llvm, ptx or cubin";
  case Backend::ROCDL:
    return "llvm, asm or hsaco";
  case Backend::SPIRV:
    return "spirv";
  }
  llvm_unreachable("covered switch");
}

static LogicalResult verifyLevel(ModuleOp module, const Chip &chip,
                                 Level level) {
  auto makes = [&](Backend backend) {
    switch (level) {
    case Level::LLVM:
      return backend != Backend::SPIRV;
    case Level::PTX:
    case Level::Cubin:
      return backend == Backend::NVVM;
    case Level::Asm:
    case Level::Hsaco:
      return backend == Backend::ROCDL;
    case Level::SPIRV:
      return backend == Backend::SPIRV;
    default:
      return true;
    }
  };
  Backend backend = backendOf(chip);
  if (makes(backend))
    return success();
  return module.emitError("expected --emit=")
         << formatsOf(backend) << " for target '" << chip.name
         << "', or a level above";
}

FailureOr<Compilation>
kami::compile(ModuleOp module, const CompileOptions &options, Level level) {
  Compilation compilation;
  PipelineOptions pipeline;
  pipeline.chip = options.chip;
  pipeline.algorithm = options.algorithm;
  pipeline.warps = options.warps;
  pipeline.unit = options.unit;
  pipeline.model = options.model;
  pipeline.calibration = options.calibration;
  pipeline.tile = options.tile;
  pipeline.stages = options.stages;
  pipeline.taken = options.taken;
  pipeline.copies = options.copies;
  pipeline.products = options.products;
  pipeline.precision = options.precision;
  bool isComplete = !hasEmptyProduct(module);
  if (failed(runPasses(
          module, [&](OpPassManager &pm) { addProblemPasses(pm, pipeline); })))
    return failure();
  if (level == Level::Kami)
    return compilation;
  if (options.plan)
    module.walk([&](Operation *op) {
      auto plan = toAttribute(module.getContext(), *options.plan);
      if (auto product = dyn_cast<GemmOp>(op); product && !product.getPlan())
        product.setPlanAttr(plan);
      else if (auto grouped = dyn_cast<GroupedGemmOp>(op);
               grouped && !grouped.getPlan())
        grouped.setPlanAttr(plan);
    });
  if (failed(runPasses(
          module, [&](OpPassManager &pm) { addPlanPasses(pm, pipeline); })))
    return failure();
  FailureOr<const Chip *> chip = targetOf(module);
  if (failed(chip))
    return failure();
  compilation.chip = *chip;
  if (failed(verifyLevel(module, **chip, level)))
    return failure();
  KernelCollector collector(module, compilation);
  if (failed(collector.collectProducts()))
    return failure();
  if (compilation.kernels.empty() && isComplete)
    return module.emitError("expected a matrix product of a type that ")
           << (*chip)->name << " has a matrix instruction for, but found none";
  llvm::Expected<std::optional<Calibration>> calibration =
      loadCalibration(options.calibration, **chip);
  if (!calibration)
    return module.emitError(llvm::toString(calibration.takeError()));
  if (*calibration) {
    auto shared = std::make_shared<const Calibration>(std::move(**calibration));
    for (Kernel &kernel : compilation.kernels)
      kernel.calibration = shared;
  }
  if (level == Level::Planned)
    return compilation;
  if (failed(runPasses(module, addWarpPasses)))
    return failure();
  collector.collectLaunches();
  if (level == Level::Warp)
    return compilation;
  Backend backend = backendOf(**chip);
  // Nobody but us has written what is lowered from here on: verifying it after
  // each pass finds our mistakes, not the user's, and takes a third of the
  // time.
  compilation.verifiesEach = options.verifiesEach;
  auto addPasses = [&](OpPassManager &pm) { addTargetPasses(pm, backend); };
  if (failed(runPasses(module, addPasses, options.verifiesEach)))
    return failure();
  if (level == Level::Target)
    return compilation;
  if (failed(compileKernels(module, compilation, level)))
    return failure();
  return compilation;
}

static llvm::json::Value describePlan(const PlannedProduct &product,
                                      const Candidate &candidate,
                                      const Chip &chip,
                                      const PlannerOptions &options) {
  Choice choice;
  choice.candidates.push_back(candidate);
  return explainJSON(choice, product.problem, chip, options,
                     Detail::BestOfEach);
}

llvm::json::Object kami::describe(const Kernel &kernel, const Chip &chip) {
  llvm::json::Object object;
  object["target"] = chip.name.str();
  PlannerOptions options;
  options.calibration = kernel.calibration.get();
  auto evaluate = [&](const PlannedProduct &product) {
    return evaluatePlan(product.plan, product.problem, chip, options);
  };
  Candidate candidate = evaluate(kernel);
  object["plan"] = describePlan(kernel, candidate, chip, options);
  if (!kernel.others.empty()) {
    llvm::json::Array others;
    for (const PlannedProduct &product : kernel.others)
      others.push_back(describePlan(product, evaluate(product), chip, options));
    object["other_plans"] = std::move(others);
  }
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
    if (kernel.assembler->scratchBytes) {
      object["vgpr_count"] = kernel.assembler->registers;
      object["vgpr_spill_count"] = *kernel.assembler->spilledRegisters;
      object["private_segment_fixed_size"] = *kernel.assembler->scratchBytes;
    }
  }
  object["arguments"] = llvm::json::Array(kernel.argumentTypes);
  return object;
}
