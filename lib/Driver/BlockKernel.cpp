//===- BlockKernel.cpp - A product inside a block, over and over ---------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/BlockKernel.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Driver/Run.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace kami;
using namespace mlir;

/// Bytes to a multiple of which all matrices together start: CUDA C++
/// Programming Guide, "Device Memory Accesses".
static constexpr unsigned matrixAlignment = 256;

namespace {
class BlockKernelBuilder {
public:
  BlockKernelBuilder(MLIRContext *context, const Plan &plan,
                     const BlockOperands &operands)
      : b(UnknownLoc::get(context), context), plan(toAttribute(context, plan)),
        threads(plan.grid.warps() * this->plan.getAtom().getLanes()),
        staysInShared(sharedLayout(plan, plan.exchange(Source::Block)).kept >
                      0),
        keepsOpaque(isFloat8(plan.atom->operand) &&
                    plan.atom->instruction == Instruction::MmaSync &&
                    plan.slices.sharedA == 0),
        unsignedA(plan.atom->operand == ElementKind::U8),
        unsignedB(plan.atom->operandB() == ElementKind::U8),
        operands(operands) {
    if (std::optional<Precision> value = precisionOf(plan.atom->operand))
      precision = PrecisionAttr::get(context, *value);
  }

  OwningOpRef<ModuleOp> build();
  /// Adds the functions of a program to what `build` made.
  void addProgram(ModuleOp module, int64_t repeats);

private:
  /// Matrices of a role, `count` of them.
  MemRefType matrices(Role role, int64_t count) const {
    auto type = DistributedType::get(role, plan);
    Type element = type.getElementType();
    std::optional<ElementKind> given = role == Role::A   ? operands.typeA
                                       : role == Role::B ? operands.typeB
                                                         : std::nullopt;
    if (given)
      element = elementType(plan.getContext(), *given);
    return MemRefType::get({count, type.getShape()[0], type.getShape()[1]},
                           element);
  }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value).getResult();
  }
  Value matrix(Value matrices, Value index);
  Value repeat(Value a, Value bMatrix, Value count, Value never);
  void touchSharedMemory(Value condition, Value index);
  Value maybeAnother(Value a, Value condition);

  ImplicitLocOpBuilder b;
  PlanAttr plan;
  int64_t threads;
  /// Whether an operand stays in shared memory, in part or as a whole.
  bool staysInShared;
  /// Whether A, in registers, must not look the same in all repeats.
  bool keepsOpaque;
  /// How the elements are taken.
  PrecisionAttr precision;
  bool unsignedA, unsignedB;
  BlockOperands operands;
};
} // namespace

/// The matrix of that index.
Value BlockKernelBuilder::matrix(Value matrices, Value index) {
  auto type = cast<MemRefType>(matrices.getType());
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  SmallVector<OpFoldResult> offsets = {index, zero, zero};
  SmallVector<OpFoldResult> sizes = {one, b.getIndexAttr(type.getDimSize(1)),
                                     b.getIndexAttr(type.getDimSize(2))};
  SmallVector<OpFoldResult> strides(3, one);
  auto result = memref::SubViewOp::inferRankReducedResultType(
      type.getShape().drop_front(), type, offsets, sizes, strides);
  return memref::SubViewOp::create(b, cast<MemRefType>(result), matrices,
                                   offsets, sizes, strides);
}

/// A write to shared memory that compilers have to reckon with. Without it they
/// would read operands that stay there once, before the loop, instead of in
/// every repeat. `index` has to be a number that they do not know, or they
/// would find that most reads are of other places.
void BlockKernelBuilder::touchSharedMemory(Value condition, Value index) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(
      scf::IfOp::create(b, condition, /*withElseRegion=*/false).thenBlock());
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  Value memory = gpu::DynamicSharedMemoryOp::create(
      b, MemRefType::get({ShapedType::kDynamic}, b.getI8Type(),
                         MemRefLayoutAttrInterface(), space));
  Value zero = arith::ConstantIntOp::create(b, 0, 8);
  memref::StoreOp::create(b, zero, memory, index);
}

/// A, or, if the condition holds, A read again, so that no compiler can know
/// that it is the same in every repeat: where an instruction is expanded into a
/// product and a sum, the product would leave the loop.
Value BlockKernelBuilder::maybeAnother(Value a, Value condition) {
  Operation *distribution = a.getDefiningOp();
  auto choice = scf::IfOp::create(b, a.getType(), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, b.clone(*distribution)->getResult(0));
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, a);
  return choice.getResult(0);
}

/// A·B, `count` times added up. No repeat has the number `never`.
Value BlockKernelBuilder::repeat(Value a, Value bMatrix, Value count,
                                 Value never) {
  auto type = DistributedType::get(Role::C, plan);
  Type element = type.getElementType();
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
  Value one = arith::ConstantOp::create(b, b.getOneAttr(element));
  Value start = SplatOp::create(b, type, zero);
  auto loop =
      scf::ForOp::create(b, constant(0), count, constant(1), ValueRange{start});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  if (keepsOpaque)
    a = maybeAnother(a, arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                              loop.getInductionVar(), never));
  auto product = GemmOp::create(b, type, a, bMatrix, loop.getRegionIterArg(0),
                                Value(), one, false, false, element, plan,
                                precision, unsignedA, unsignedB);
  if (staysInShared)
    touchSharedMemory(arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                            loop.getInductionVar(), never),
                      loop.getInductionVar());
  scf::YieldOp::create(b, product.getResult());
  return loop.getResult(0);
}

OwningOpRef<ModuleOp> BlockKernelBuilder::build() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(b);
  (*module)->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                     b.getUnitAttr());
  b.setInsertionPointToStart(module->getBody());
  auto kernels = gpu::GPUModuleOp::create(b, "block_gemm_module");
  b.setInsertionPointToStart(kernels.getBody());
  Type types[] = {
      matrices(Role::A, operands.sets), matrices(Role::B, operands.sets),
      matrices(Role::C, operands.blocks), b.getIndexType(), b.getIndexType()};
  auto kernel =
      gpu::GPUFuncOp::create(b, "block_gemm", b.getFunctionType(types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({int32_t(threads), 1, 1}));
  b.setInsertionPointToStart(&kernel.getBody().front());
  Value block = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  Value set = arith::RemUIOp::create(b, block, constant(operands.sets));
  // What any allocator of a device promises.
  auto aligned = [&](unsigned argument) -> Value {
    return memref::AssumeAlignmentOp::create(b, kernel.getArgument(argument),
                                             matrixAlignment);
  };
  auto distribute = [&](unsigned argument, Role role) -> Value {
    return DistributeOp::create(b, DistributedType::get(role, plan),
                                matrix(aligned(argument), set));
  };
  Value a = distribute(0, Role::A), bMatrix = distribute(1, Role::B);
  Value sum = repeat(a, bMatrix, kernel.getArgument(3), kernel.getArgument(4));
  CollectOp::create(b, sum, matrix(aligned(2), block), Value(), Value());
  gpu::ReturnOp::create(b);
  return module;
}

void BlockKernelBuilder::addProgram(ModuleOp module, int64_t repeats) {
  auto kernels = cast<gpu::GPUModuleOp>(module.getBody()->front());
  auto kernel = cast<gpu::GPUFuncOp>(kernels.getBody()->front());
  Type types[] = {matrices(Role::A, operands.sets),
                  matrices(Role::B, operands.sets),
                  matrices(Role::C, operands.blocks)};
  auto addFunction = [&](StringRef name) {
    b.setInsertionPointToEnd(module.getBody());
    auto function = func::FuncOp::create(b, name, b.getFunctionType(types, {}));
    b.setInsertionPointToStart(function.addEntryBlock());
    return function;
  };
  func::FuncOp main = addFunction("main");
  main->setAttr(referenceAttributeName,
                b.getAttr<FlatSymbolRefAttr>("product"));
  Value one = constant(1);
  SmallVector<Value> arguments(main.getArguments());
  arguments.append({constant(repeats), constant(-1)});
  gpu::LaunchFuncOp::create(
      b, kernel, gpu::KernelDim3{constant(operands.blocks), one, one},
      gpu::KernelDim3{constant(threads), one, one}, Value(), arguments);
  func::ReturnOp::create(b);

  func::FuncOp product = addFunction("product");
  product.setPrivate();
  Type element = plan.getAtom().getCType();
  Value scale;
  if (isa<FloatType>(element))
    scale = arith::ConstantOp::create(b, b.getFloatAttr(element, repeats));
  else
    scale = arith::ConstantOp::create(b, b.getIntegerAttr(element, repeats));
  GemmOp::create(b, Type(), product.getArgument(0), product.getArgument(1),
                 product.getArgument(2), scale, Value(), false, false, element,
                 PlanAttr(), precision, unsignedA, unsignedB);
  func::ReturnOp::create(b);
}

OwningOpRef<ModuleOp> kami::buildBlockProgram(MLIRContext *context,
                                              const Plan &plan,
                                              const BlockOperands &operands,
                                              int64_t repeats) {
  context->loadDialect<func::FuncDialect>();
  OwningOpRef<ModuleOp> module = buildBlockModule(context, plan, operands);
  BlockKernelBuilder(context, plan, operands).addProgram(*module, repeats);
  return module;
}

OwningOpRef<ModuleOp> kami::buildBlockModule(MLIRContext *context,
                                             const Plan &plan,
                                             const BlockOperands &operands) {
  context->loadDialect<KamiDialect, gpu::GPUDialect, arith::ArithDialect,
                       scf::SCFDialect, memref::MemRefDialect>();
  return BlockKernelBuilder(context, plan, operands).build();
}
