//===- SerializePTX.cpp - A kernel's module to PTX ------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `gpu-module-to-binary` does, without what takes most of the time and
// changes next to nothing of the machine code that ptxas makes of it. Kernels
// here have hundreds of loads and stores in a block, none of which another
// makes superfluous. Passes that ask of each pair whether it does take a time
// that grows with their number's square, and half of a large kernel's.
//
//===----------------------------------------------------------------------===//

#include "SerializePTX.h"
#include "kami/Runtime/Cuda.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVM/NVVM/Utils.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include <mutex>

using namespace kami;
using namespace mlir;

/// As upstream's passes for modules are at that level; std::nullopt where there
/// is no such level.
static std::optional<llvm::OptimizationLevel> pipelineLevel(int level) {
  switch (level) {
  case 0:
    return llvm::OptimizationLevel::O0;
  case 1:
    return llvm::OptimizationLevel::O1;
  case 2:
    return llvm::OptimizationLevel::O2;
  case 3:
    return llvm::OptimizationLevel::O3;
  default:
    return std::nullopt;
  }
}

namespace {
/// LLVM's value numbering without the part that asks where memory was written.
/// Under a name of its own, since LLVM's is what is left out.
struct NumberRegisters : llvm::PassInfoMixin<NumberRegisters> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses) {
    llvm::GVNOptions options;
    options.setMemDep(false);
    return llvm::GVNPass(options).run(function, analyses);
  }
};
} // namespace

/// Runs LLVM's pipeline of that level, but for passes that compare accesses of
/// memory with each other.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     llvm::OptimizationLevel level) {
  llvm::PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(
      [](StringRef pass, const llvm::Any &) {
        return pass != llvm::GVNPass::name() && pass != llvm::DSEPass::name();
      });
  llvm::PipelineTuningOptions tuning;
  // Nothing in memory is worth a register over a loop: what is, has one.
  tuning.LicmMssaNoAccForPromotionCap = 0;
  llvm::PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  builder.registerScalarOptimizerLateEPCallback(
      [](llvm::FunctionPassManager &passes, llvm::OptimizationLevel) {
        passes.addPass(NumberRegisters());
      });
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(level).run(module, modules);
}

/// A launch gives every parameter of a kernel a value, and what accesses memory
/// does so at an address. Told so, the back end's strength reduction takes what
/// is there already for more of what it needs: 80 of 252 kernels have 2 % fewer
/// instructions and 1 % fewer registers, f16 65³ 66 instead of 72, and tf32
/// 100³ takes 4 % less to compile. Nothing of the kind is said of what
/// instructions compute with, which may be undefined where nobody looks.
static void assumeDefined(llvm::Module &module) {
  for (llvm::Function &function : module) {
    bool isKernel = function.getCallingConv() == llvm::CallingConv::PTX_Kernel;
    bool isAccess = function.isDeclaration() && !function.doesNotAccessMemory();
    for (llvm::Argument &parameter : function.args())
      if (isKernel || (isAccess && parameter.getType()->isPointerTy()))
        parameter.addAttr(llvm::Attribute::NoUndef);
  }
}

namespace {
class Serializer : public NVVM::SerializeGPUModuleBase {
public:
  using SerializeGPUModuleBase::SerializeGPUModuleBase;

protected:
  /// No libdevice, which upstream reads where there is a toolkit, for each
  /// kernel: kernels call nothing.
  std::optional<SmallVector<std::unique_ptr<llvm::Module>>>
  loadBitcodeFiles(llvm::Module &) override {
    return SmallVector<std::unique_ptr<llvm::Module>>();
  }
  LogicalResult optimizeModule(llvm::Module &llvmModule, int level) override;
  FailureOr<SmallVector<char, 0>>
  moduleToObject(llvm::Module &llvmModule) override;
};
} // namespace

LogicalResult Serializer::optimizeModule(llvm::Module &llvmModule, int level) {
  FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
  if (failed(machine))
    return failure();
  std::optional<llvm::OptimizationLevel> pipeline = pipelineLevel(level);
  if (!pipeline)
    return getOperation().emitError(
               "expected an optimization level from 0 to 3, but got ")
           << level;
  // At 3, the back end numbers values twice more, with the same result.
  (*machine)->setOptLevel(std::min(static_cast<llvm::CodeGenOptLevel>(level),
                                   llvm::CodeGenOptLevel::Default));
  assumeDefined(llvmModule);
  optimize(llvmModule, **machine, *pipeline);
  return success();
}

/// Has cp.async ask for the line of 128 bytes around what it copies. Device
/// memory is read 64 bytes at a time, and where rows begin between two lines,
/// each half of a line would be read for another tile of k: 1000 products of
/// f16 200 take 100.1 instead of 96.4 µs (H100, 2026-11-26). It is put into
/// text, since LLVM's intrinsics do not have it, and assembly hides addresses'
/// constants: f16 104 would have 678 instructions instead of 622.
static std::string fetchLines(std::string ptx) {
  for (StringRef copy :
       {"cp.async.ca.shared.global", "cp.async.cg.shared.global"})
    for (size_t at = ptx.find(copy); at != std::string::npos;
         at = ptx.find(copy, at))
      ptx.insert(at += copy.size(), ".L2::128B");
  return ptx;
}

FailureOr<SmallVector<char, 0>>
Serializer::moduleToObject(llvm::Module &llvmModule) {
  FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
  if (failed(machine))
    return failure();
  FailureOr<SmallString<0>> text = translateModuleToISA(
      llvmModule, **machine, [&] { return getOperation().emitError(); });
  if (failed(text))
    return failure();
  return SmallVector<char, 0>(text->begin(), text->end());
}

/// Has LLVM's loop strength reduction compare fewer solutions, as long as
/// nobody has said how many: 78 of 80 kernels stay what they are, two differ by
/// three lines of PTX, and f32 65³ and 101³ take 844 and 1083 M instructions to
/// compile instead of 995 and 1300. Only LLVM's command line has a name for it.
static void limitStrengthReduction() {
  static std::once_flag once;
  std::call_once(once, [] {
    constexpr llvm::StringLiteral name = "lsr-complexity-limit";
    llvm::cl::Option *limit = llvm::cl::getRegisteredOptions().lookup(name);
    if (limit && limit->getNumOccurrences() == 0)
      limit->addOccurrence(/*pos=*/0, name, "500");
  });
}

/// The line that has assemblers optimize at the level of the target's options
/// for ptxas; none where these do not say one.
static std::string levelLine(NVVM::NVVMTargetAttr target) {
  ArrayAttr options;
  if (target.hasCmdOptions())
    options = dyn_cast<ArrayAttr>(target.getCmdOptions()->getValue());
  std::string line;
  if (options)
    for (Attribute option : options) {
      auto text = dyn_cast<StringAttr>(option);
      StringRef level = text ? text.getValue() : StringRef();
      if (level.consume_front("-O"))
        line = (KAMI_PTX_OPTIMIZATION_LEVEL + level + "\n").str();
    }
  return line;
}

FailureOr<std::string> kami::serializePTX(gpu::GPUModuleOp module) {
  limitStrengthReduction();
  auto target = dyn_cast_or_null<NVVM::NVVMTargetAttr>(
      module.getTargetsAttr() && !module.getTargetsAttr().empty()
          ? module.getTargetsAttr()[0]
          : Attribute());
  if (!target)
    return module.emitError("expected an NVVM target");
  NVVM::SerializeGPUModuleBase::init();
  // Translation decides how accesses are aligned, before upstream says what
  // for: integers of 64 bits, which sizes and positions are, were loaded in
  // halves.
  module->setAttr(
      LLVM::LLVMDialect::getDataLayoutAttrName(),
      StringAttr::get(module.getContext(),
                      llvm::Triple(target.getTriple()).computeDataLayout()));
  std::optional<SmallVector<char, 0>> text = Serializer(*module, target).run();
  if (!text)
    return failure();
  return levelLine(target) +
         fetchLines(std::string(text->begin(), text->end()));
}
