//===- Kernels.cpp - Kernels of lanes to modules of SPIR-V ----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Conversion/KamiToSPIRV/KamiToSPIRV.h"
#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "llvm/ADT/SetVector.h"

namespace kami {
#define GEN_PASS_DEF_KAMIKERNELSTOSPIRV
#define GEN_PASS_DEF_KAMIDECLARECAPABILITIES
#include "kami/Conversion/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace kami::spirv_lowering;
using namespace mlir;

//===----------------------------------------------------------------------===//
// The environment
//===----------------------------------------------------------------------===//

/// All that a module may come to declare; what it uses is found afterwards.
static spirv::TargetEnvAttr environmentOf(MLIRContext *context,
                                          SpirvFlavor flavor) {
  using Capability = spirv::Capability;
  using Extension = spirv::Extension;
  SmallVector<Capability> capabilities = {
      Capability::Float16,
      Capability::Int8,
      Capability::Int16,
      Capability::GroupNonUniform,
      Capability::BFloat16TypeKHR,
      Capability::BFloat16CooperativeMatrixKHR,
      Capability::CooperativeMatrixKHR};
  SmallVector<Extension> extensions = {Extension::SPV_KHR_bfloat16,
                                       Extension::SPV_KHR_cooperative_matrix};
  bool isKernel = flavor == SpirvFlavor::Kernel;
  if (isKernel)
    capabilities.append({Capability::Kernel, Capability::Addresses,
                         Capability::Int64, Capability::Float16Buffer,
                         Capability::SubgroupDispatch});
  else
    capabilities.append({Capability::Shader, Capability::VulkanMemoryModel,
                         Capability::StorageBuffer16BitAccess,
                         Capability::StorageBuffer8BitAccess});
  auto triple = spirv::VerCapExtAttr::get(spirv::Version::V_1_6, capabilities,
                                          extensions, context);
  return spirv::TargetEnvAttr::get(
      triple, spirv::getDefaultResourceLimits(context),
      isKernel ? spirv::ClientAPI::OpenCL : spirv::ClientAPI::Vulkan,
      spirv::Vendor::Unknown, spirv::DeviceType::Unknown,
      spirv::TargetEnvAttr::kUnknownDeviceID);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

/// Memory that other invocations see is not private to this one: only then does
/// Vulkan's memory model order its accesses by barriers.
spirv::MemoryAccessAttr accessOf(MemRefType memory, SpirvFlavor flavor) {
  if (flavor != SpirvFlavor::Vulkan ||
      !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memory))
    return {};
  return spirv::MemoryAccessAttr::get(memory.getContext(),
                                      spirv::MemoryAccess::NonPrivatePointer);
}

template <typename OpTy> struct FlavoredPattern : OpConversionPattern<OpTy> {
  FlavoredPattern(const TypeConverter &converter, MLIRContext *context,
                  SpirvFlavor flavor)
      : OpConversionPattern<OpTy>(converter, context, /*benefit=*/2),
        flavor(flavor) {}
  SpirvFlavor flavor;
};

/// Where the element of a row lies that a load or store names.
Value pointerOf(ImplicitLocOpBuilder &b, Value memory, Value index) {
  Type pointee = cast<spirv::PointerType>(memory.getType()).getPointeeType();
  if (!isa<spirv::ArrayType, spirv::StructType>(pointee))
    return spirv::InBoundsPtrAccessChainOp::create(b, memory, index,
                                                   ValueRange());
  SmallVector<Value, 2> indices;
  if (isa<spirv::StructType>(pointee))
    indices.push_back(
        spirv::ConstantOp::getZero(index.getType(), b.getLoc(), b));
  indices.push_back(index);
  return spirv::AccessChainOp::create(b, memory, indices);
}

struct ConvertLoad : FlavoredPattern<memref::LoadOp> {
  using FlavoredPattern::FlavoredPattern;

  LogicalResult
  matchAndRewrite(memref::LoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MemRefType memory = op.getMemRefType();
    if (memory.getRank() != 1 || !memory.getLayout().isIdentity())
      return op.emitOpError("expected a row of elements, but got ") << memory;
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value pointer =
        pointerOf(b, adaptor.getMemref(), adaptor.getIndices().front());
    rewriter.replaceOpWithNewOp<spirv::LoadOp>(
        op, pointer, accessOf(memory, flavor), /*alignment=*/IntegerAttr());
    return success();
  }
};

struct ConvertStore : FlavoredPattern<memref::StoreOp> {
  using FlavoredPattern::FlavoredPattern;

  LogicalResult
  matchAndRewrite(memref::StoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MemRefType memory = op.getMemRefType();
    if (memory.getRank() != 1 || !memory.getLayout().isIdentity())
      return op.emitOpError("expected a row of elements, but got ") << memory;
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value pointer =
        pointerOf(b, adaptor.getMemref(), adaptor.getIndices().front());
    rewriter.replaceOpWithNewOp<spirv::StoreOp>(op, pointer, adaptor.getValue(),
                                                accessOf(memory, flavor),
                                                /*alignment=*/IntegerAttr());
    return success();
  }
};

/// All of an argument's memory is what its pointer leads to.
struct ConvertRow : FlavoredPattern<memref::ReinterpretCastOp> {
  using FlavoredPattern::FlavoredPattern;

  LogicalResult
  matchAndRewrite(memref::ReinterpretCastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getSource());
    return success();
  }
};

/// A memref's pointer, or the memref of a pointer: both are the pointer.
struct ConvertPointer : FlavoredPattern<UnrealizedConversionCastOp> {
  using FlavoredPattern::FlavoredPattern;

  LogicalResult
  matchAndRewrite(UnrealizedConversionCastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op.getOutputs().getTypes(),
                                                types)) ||
        adaptor.getInputs().getTypes() != TypeRange(types))
      return rewriter.notifyMatchFailure(op, "not a memref's pointer");
    rewriter.replaceOp(op, adaptor.getInputs());
    return success();
  }
};

struct ConvertBarrier : FlavoredPattern<gpu::BarrierOp> {
  using FlavoredPattern::FlavoredPattern;

  LogicalResult
  matchAndRewrite(gpu::BarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    using Semantics = spirv::MemorySemantics;
    Semantics semantics =
        Semantics::AcquireRelease | Semantics::WorkgroupMemory;
    if (flavor == SpirvFlavor::Vulkan)
      semantics = semantics | Semantics::MakeAvailable | Semantics::MakeVisible;
    rewriter.replaceOpWithNewOp<spirv::ControlBarrierOp>(
        op, spirv::Scope::Workgroup, spirv::Scope::Workgroup, semantics);
    return success();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

/// Makes the workgroup variables that a kernel uses the module's.
static void hoistVariables(gpu::GPUFuncOp kernel, SpirvFlavor flavor) {
  for (auto [index, attribution] :
       llvm::enumerate(kernel.getWorkgroupAttributions())) {
    BlockArgument variable = attribution;
    if (variable.use_empty())
      continue;
    auto type = cast<MemRefType>(variable.getType());
    ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
    auto global = spirv::GlobalVariableOp::create(
        b, pointerType(type, flavor),
        (kernel.getName() + "_workgroup_" + Twine(index)).str(),
        /*initializer=*/FlatSymbolRefAttr());
    b.setInsertionPointToStart(&kernel.getBody().front());
    Value address = spirv::AddressOfOp::create(b, global);
    variable.replaceAllUsesWith(
        UnrealizedConversionCastOp::create(b, type, address).getResult(0));
  }
  unsigned first = kernel.getNumArguments();
  kernel.getBody().front().eraseArguments(
      first, kernel.getBody().front().getNumArguments() - first);
  kernel.removeWorkgroupAttribAttrsAttr();
  kernel->removeAttr(gpu::GPUFuncOp::getNumWorkgroupAttributionsAttrName());
}

/// The argument that a row is all of.
static BlockArgument argumentOf(Value row) {
  if (auto cast = row.getDefiningOp<memref::ReinterpretCastOp>())
    row = cast.getSource();
  return cast<BlockArgument>(row);
}

/// The variable of an argument's words; one for each argument.
static spirv::GlobalVariableOp wordVariable(gpu::GPUFuncOp kernel,
                                            BlockArgument argument,
                                            spirv::PointerType type) {
  unsigned number = argument.getArgNumber();
  std::string name = (kernel.getName() + "_words_" + Twine(number)).str();
  auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
  if (auto made = module.lookupSymbol<spirv::GlobalVariableOp>(name))
    return made;
  OpBuilder builder(kernel);
  return spirv::GlobalVariableOp::create(builder, kernel.getLoc(), type, name,
                                         /*descriptorSet=*/0,
                                         /*binding=*/number);
}

/// Makes a row of words out of an argument's memory: another variable with the
/// argument's binding, or another type of a kernel's pointer. Nothing is
/// written through it.
static void bindWords(gpu::GPUFuncOp kernel, SpirvFlavor flavor) {
  kernel.walk([&](UnrealizedConversionCastOp op) {
    auto words = dyn_cast<MemRefType>(op.getResult(0).getType());
    if (!words || !isa<VectorType>(words.getElementType()))
      return;
    spirv::PointerType pointer = pointerType(words, flavor);
    auto row = cast<MemRefType>(op.getOperand(0).getType());
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Value address;
    if (flavor == SpirvFlavor::Kernel) {
      Value whole =
          UnrealizedConversionCastOp::create(
              b, TypeRange(Type(pointerType(row, flavor))), op.getOperand(0))
              .getResult(0);
      address = spirv::BitcastOp::create(b, pointer, whole);
    } else {
      address = spirv::AddressOfOp::create(
          b, wordVariable(kernel, argumentOf(op.getOperand(0)), pointer));
    }
    op.replaceAllUsesWith(ValueRange(
        UnrealizedConversionCastOp::create(b, TypeRange(Type(words)), address)
            .getResult(0)));
    op.erase();
  });
}

/// SPIR-V selects no cooperative matrices, but branches may.
static void branchForMatrices(gpu::GPUFuncOp kernel) {
  kernel.walk([](arith::SelectOp op) {
    if (!isa<spirv::CooperativeMatrixType>(op.getType()))
      return;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    auto choice = scf::IfOp::create(b, TypeRange(op.getType()),
                                    op.getCondition(), /*withElseRegion=*/true);
    for (auto [block, value] :
         {std::pair(choice.thenBlock(), op.getTrueValue()),
          std::pair(choice.elseBlock(), op.getFalseValue())}) {
      b.setInsertionPointToStart(block);
      scf::YieldOp::create(b, value);
    }
    op.replaceAllUsesWith(choice.getResult(0));
    op.erase();
  });
}

static LogicalResult prepareKernel(gpu::GPUFuncOp kernel, const Chip &chip) {
  std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize();
  if (!block)
    return kernel.emitOpError("expected a known_block_size, which is a "
                              "constant of a kernel in SPIR-V");
  branchForMatrices(kernel);
  bindWords(kernel, chip.spirv);
  hoistVariables(kernel, chip.spirv);
  for (unsigned i = 0; i != kernel.getNumArguments(); ++i)
    kernel.setArgAttrs(i, ArrayRef<NamedAttribute>());
  std::optional<int> subgroup;
  if (chip.spirv == SpirvFlavor::Kernel)
    subgroup = chip.warpSize;
  kernel->setAttr(
      spirv::getEntryPointABIAttrName(),
      spirv::getEntryPointABIAttr(kernel.getContext(), *block, subgroup));
  return success();
}

namespace {

struct KamiKernelsToSPIRV
    : kami::impl::KamiKernelsToSPIRVBase<KamiKernelsToSPIRV> {
  void runOnOperation() override {
    FailureOr<const Chip *> chip = targetOf(getOperation());
    if (failed(chip))
      return signalPassFailure();
    if ((*chip)->spirv == SpirvFlavor::None) {
      getOperation().emitError("expected a target that takes SPIR-V, but got ")
          << (*chip)->name;
      return signalPassFailure();
    }
    // Launches go on naming the kernels that they come from.
    for (auto module :
         llvm::to_vector(getOperation().getOps<gpu::GPUModuleOp>())) {
      OpBuilder builder(module);
      builder.setInsertionPointAfter(module);
      if (failed(
              convert(cast<gpu::GPUModuleOp>(builder.clone(*module)), **chip)))
        return signalPassFailure();
    }
  }

private:
  LogicalResult convert(gpu::GPUModuleOp module, const Chip &chip) {
    spirv::TargetEnvAttr environment = environmentOf(&getContext(), chip.spirv);
    module->setAttr(spirv::getTargetEnvAttrName(), environment);
    for (gpu::GPUFuncOp kernel : module.getOps<gpu::GPUFuncOp>())
      if (failed(prepareKernel(kernel, chip)))
        return failure();
    SPIRVConversionOptions options;
    options.use64bitIndex = chip.spirv == SpirvFlavor::Kernel;
    SPIRVTypeConverter converter(environment, options);
    converter.addConversion(
        [&](MemRefType type) -> Type { return pointerType(type, chip.spirv); });
    ScfToSPIRVContext scf;
    RewritePatternSet patterns(&getContext());
    populateGPUToSPIRVPatterns(converter, patterns);
    populateSCFToSPIRVPatterns(converter, scf, patterns);
    arith::populateArithToSPIRVPatterns(converter, patterns);
    populateMathToSPIRVPatterns(converter, patterns);
    patterns.add<ConvertLoad, ConvertStore, ConvertRow, ConvertPointer,
                 ConvertBarrier>(converter, &getContext(), chip.spirv);
    std::unique_ptr<ConversionTarget> target =
        SPIRVConversionTarget::get(environment);
    std::string name = module.getName().str();
    ModuleOp parent = getOperation();
    if (failed(applyFullConversion(module, *target, std::move(patterns))))
      return failure();
    if (chip.spirv == SpirvFlavor::Vulkan)
      for (auto made : parent.getOps<spirv::ModuleOp>())
        made.setMemoryModel(spirv::MemoryModel::Vulkan);
    return success();
  }
};

struct KamiDeclareCapabilities
    : kami::impl::KamiDeclareCapabilitiesBase<KamiDeclareCapabilities> {
  void runOnOperation() override {
    spirv::ModuleOp module = getOperation();
    std::optional<spirv::VerCapExtAttr> triple = module.getVceTriple();
    if (!triple)
      return;
    using Capability = spirv::Capability;
    bool isVulkan = module.getMemoryModel() == spirv::MemoryModel::Vulkan;
    llvm::SetVector<Capability> capabilities;
    capabilities.insert_range(triple->getCapabilities());
    if (isVulkan)
      capabilities.insert(Capability::VulkanMemoryModel);
    for (auto variable : module.getOps<spirv::GlobalVariableOp>()) {
      auto builtIn = variable.getBuiltIn()
                         ? spirv::symbolizeBuiltIn(*variable.getBuiltIn())
                         : std::nullopt;
      // Kernels have subgroups without being asked.
      if (isVulkan && (builtIn == spirv::BuiltIn::SubgroupId ||
                       builtIn == spirv::BuiltIn::SubgroupLocalInvocationId))
        capabilities.insert(Capability::GroupNonUniform);
    }
    module.walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        if (auto matrix = dyn_cast<spirv::CooperativeMatrixType>(type);
            matrix && matrix.getElementType().isBF16())
          capabilities.insert(Capability::BFloat16CooperativeMatrixKHR);
    });
    SmallVector<spirv::Extension> extensions(triple->getExtensions());
    module.setVceTripleAttr(spirv::VerCapExtAttr::get(
        triple->getVersion(), capabilities.getArrayRef(), extensions,
        &getContext()));
  }
};

} // namespace
