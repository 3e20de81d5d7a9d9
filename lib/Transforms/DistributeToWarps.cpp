//===- DistributeToWarps.cpp - Write down every warp's part --------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockMemory.h"
#include "Distributor.h"
#include "EmptyProduct.h"
#include "PackedProduct.h"
#include "StationaryProduct.h"
#include "kami/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"

namespace kami {
#define GEN_PASS_DEF_KAMIDISTRIBUTETOWARPS
#include "kami/Transforms/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

//===----------------------------------------------------------------------===//
// What can be distributed
//===----------------------------------------------------------------------===//

/// Copied operands lie in device memory as they are multiplied.
static LogicalResult verifyCopies(GemmOp op, PlanAttr plan) {
  if (plan.getTransport() != TransportKind::Copied)
    return success();
  for (auto [role, operand] :
       {std::pair(Role::A, op.getA()), std::pair(Role::B, op.getB())}) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type || gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
      return op.emitOpError("expected operands in device memory where the plan "
                            "copies them, but got ")
             << operand.getType();
    if (plan.getUnit() == UnitKind::WarpGroup &&
        type.getElementType() != plan.getAtom().getElementType(role))
      return op.emitOpError("expected operands of the atom's type where the "
                            "matrix unit reads them as they are copied, but "
                            "got ")
             << type;
    if (op.hasElementRegion(role))
      return op.emitOpError("expected no prologue of ")
             << stringifyRole(role).upper()
             << " where the plan copies operands";
  }
  Type result = cast<ShapedType>(op.getC().getType()).getElementType();
  int64_t mostBits =
      8 * relayedWidth(plan.getAtom().getAType().getIntOrFloatBitWidth() / 8);
  if (plan.getRelaysC() && (!isa<MemRefType>(op.getC().getType()) ||
                            int64_t(result.getIntOrFloatBitWidth()) > mostBits))
    return op.emitOpError("expected C in memory, of elements of ")
           << mostBits << " bits at most, where the plan relays it, but got "
           << op.getC().getType();
  return success();
}

/// Warps find their place in the grid from their number in the block.
static LogicalResult verifyWarps(Operation *op, PlanAttr plan) {
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  int64_t threads = plan.getThreads();
  std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize();
  if (!block)
    return success();
  int64_t known = int64_t((*block)[0]) * (*block)[1] * (*block)[2];
  if (known != threads)
    return op->emitOpError("expected blocks of ")
           << threads << " threads, the plan's "
           << plan.getTeams() * plan.getGrid().warps()
           << (plan.getUnit() == UnitKind::Lane ? " lanes" : " warps")
           << ", but the kernel's known_block_size has " << known;
  return success();
}

/// Products of a batch that a block copies as one.
static LogicalResult verifyPack(GemmOp op) {
  PlanAttr plan = *op.getPlan();
  FailureOr<Plan> decisions = toPlan(op, plan);
  if (failed(decisions) || failed(verifyPackable(op, *decisions)) ||
      failed(verifyWarps(op, plan)))
    return failure();
  if (op.getBatchRank() != 1)
    return op.emitOpError("expected a batch in one dimension inside a kernel, "
                          "but got ")
           << op.getBatchRank();
  int64_t batch = op.getCType().getDimSize(0);
  int64_t most = decisions->packedProducts();
  if (ShapedType::isStatic(batch) && batch > most)
    return op.emitOpError("expected no more than the plan's ")
           << most << " products, but got " << batch;
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize();
  if (!block || (*block)[1] != 1 || (*block)[2] != 1)
    return op.emitOpError("expected a known_block_size along x alone where the "
                          "plan packs products");
  return success();
}

static LogicalResult verifyProduct(GemmOp op) {
  if (op.hasTensorSemantics())
    return op.emitOpError("expected memrefs inside a kernel; bufferize first");
  if (!op.getPlan())
    return op.emitOpError("expected a plan; kami-assign-plan chooses one");
  if (op.getPlan()->isPacked())
    return verifyPack(op);
  if (op.getBatchRank() != 0)
    return op.emitOpError(
        "expected one product inside a kernel, but got a batch");
  if (op.isComplex())
    return op.emitOpError(
        "expected real elements; kami-expand-complex makes products of them");
  PlanAttr plan = *op.getPlan();
  if (failed(verifyWarps(op, plan)))
    return failure();
  FailureOr<Plan> decisions = toPlan(op, plan);
  if (failed(decisions))
    return failure();
  Extents block = decisions->blockTile(op.getM(), op.getN());
  for (auto [name, extent, tile] : {std::tuple("m", op.getM(), block.m),
                                    std::tuple("n", op.getN(), block.n)})
    if (ShapedType::isStatic(extent) && extent > tile)
      return op.emitOpError("expected an extent of ")
             << name << " no larger than the plan's tile of " << tile
             << ", but got " << extent;
  if (plan.getUnit() == UnitKind::WarpGroup && plan.getSharedA() > 0 &&
      op.hasElementRegion(Role::A))
    return op.emitOpError("expected no prologue of A where warp groups read it "
                          "in shared memory");
  if (failed(verifyCopies(op, plan)))
    return failure();
  if (decisions->stationary && !mayBeStationary(op, *decisions))
    return op.emitOpError("expected one tile of k, and lines that the copy "
                          "engine brings, where an operand is stationary");
  if (!isa<DistributedType>(op.getC().getType()))
    return success();
  for (auto [name, scale] :
       {std::pair("alpha", op.getAlpha()), std::pair("beta", op.getBeta())})
    if (scale && !matchPattern(scale, m_OneFloat()) &&
        !matchPattern(scale, m_One()))
      return op.emitOpError("expected ")
             << name << " to be 1 where C is distributed; kami.collect scales";
  return success();
}

/// Whether every op of the kernel can be distributed.
static LogicalResult verifyKernel(gpu::GPUFuncOp kernel) {
  WalkResult result = kernel.walk([](Operation *op) {
    if (auto product = dyn_cast<GemmOp>(op))
      return WalkResult(verifyProduct(product));
    if (auto distribution = dyn_cast<DistributeOp>(op))
      return WalkResult(
          verifyWarps(op, distribution.getResult().getType().getPlan()));
    if (auto redistribution = dyn_cast<RedistributeOp>(op))
      return WalkResult(verifyWarps(op, redistribution.getType().getPlan()));
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

/// A pattern that knows the kernel's shared memory.
template <typename OpTy> struct Distribute : OpConversionPattern<OpTy> {
  Distribute(const TypeConverter &converter, MLIRContext *context,
             const BlockMemory &memory)
      : OpConversionPattern<OpTy>(converter, context), memory(memory) {}
  const BlockMemory &memory;
};

struct DistributeProduct : Distribute<GemmOp> {
  using Distribute::Distribute;

  LogicalResult
  matchAndRewrite(GemmOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<Plan> plan = toPlan(op, *op.getPlan());
    if (failed(plan))
      return failure();
    if (plan->isPacked()) {
      emitPackedProduct(rewriter, op, *plan, memory.needsBarrier(op));
      rewriter.eraseOp(op);
      return success();
    }
    auto share = [](Value operand, ValueRange values) {
      return isa<DistributedType>(operand.getType()) ? values : ValueRange();
    };
    Value result = Distributor(rewriter, op.getLoc(), *op.getPlan(), *plan,
                               exchangeOf(op, *plan))
                       .multiply(op, share(op.getA(), adaptor.getA()),
                                 share(op.getB(), adaptor.getB()),
                                 share(op.getC(), adaptor.getC()),
                                 memory.needsBarrier(op));
    if (result)
      rewriter.replaceOp(op, result);
    else
      rewriter.eraseOp(op);
    return success();
  }
};

struct DistributeMatrix : Distribute<DistributeOp> {
  using Distribute::Distribute;

  LogicalResult
  matchAndRewrite(DistributeOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    DistributedType type = op.getResult().getType();
    FailureOr<Plan> plan = toPlan(op, type.getPlan());
    if (failed(plan))
      return failure();
    Distributor distributor(rewriter, op.getLoc(), type.getPlan(), *plan,
                            plan->exchange(Source::Block));
    rewriter.replaceOpWithMultiple(
        op,
        {distributor.distribute(op.getSource(), type.getRole(),
                                memory.homeOf(op), memory.needsBarrier(op))});
    return success();
  }
};

/// C as an operand of another product: where it is, or through shared memory.
struct Redistribute : Distribute<RedistributeOp> {
  using Distribute::Distribute;

  LogicalResult
  matchAndRewrite(RedistributeOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    DistributedType from = op.getValue().getType(), to = op.getType();
    FailureOr<Plan> first = toPlan(op, from.getPlan());
    FailureOr<Plan> second = toPlan(op, to.getPlan());
    if (failed(first) || failed(second))
      return failure();
    Value sums = adaptor.getValue().front();
    Distributor target(rewriter, op.getLoc(), to.getPlan(), *second,
                       second->exchange(Source::Block));
    if (to.getRole() == Role::A && keepsRegisters(*first, *second)) {
      rewriter.replaceOpWithMultiple(op,
                                     {target.recast(sums, from.getShape()[1])});
      return success();
    }
    if (memory.needsBarrier(op))
      gpu::BarrierOp::create(rewriter, op.getLoc());
    Value matrix = target.relay(to);
    Distributor(rewriter, op.getLoc(), from.getPlan(), *first,
                first->exchange())
        .collect(sums, matrix, {}, {});
    gpu::BarrierOp::create(rewriter, op.getLoc());
    rewriter.replaceOpWithMultiple(
        op, {target.distribute(matrix, to.getRole(), memory.homeOf(op),
                               /*barrierFirst=*/false)});
    return success();
  }
};

struct DistributeSplat : OpConversionPattern<SplatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SplatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getResult().getType());
    rewriter.replaceOpWithNewOp<FillOp>(op, type, adaptor.getValue());
    return success();
  }
};

/// A warp's part of C is one fragment.
struct CombineMatrices : OpConversionPattern<CombineOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CombineOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getResult().getType());
    auto map =
        MapOp::create(rewriter, op.getLoc(), type, adaptor.getMatrices());
    rewriter.inlineRegionBefore(op.getBody(), map.getBody(),
                                map.getBody().begin());
    rewriter.replaceOp(op, map);
    return success();
  }
};

struct CollectMatrix : OpConversionPattern<CollectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CollectOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    PlanAttr attribute = op.getValue().getType().getPlan();
    FailureOr<Plan> plan = toPlan(op, attribute);
    if (failed(plan))
      return failure();
    Distributor(rewriter, op.getLoc(), attribute, *plan, plan->exchange())
        .collect(adaptor.getValue().front(), op.getDest(), op.getAlpha(),
                 op.getBeta());
    rewriter.eraseOp(op);
    return success();
  }
};

struct DistributeToWarps
    : kami::impl::KamiDistributeToWarpsBase<DistributeToWarps> {
  void runOnOperation() override {
    if (failed(distributeToWarps(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult kami::distributeToWarps(gpu::GPUFuncOp kernel) {
  SmallVector<GemmOp> products;
  kernel.walk([&](GemmOp op) { products.push_back(op); });
  for (GemmOp op : products) {
    bool isGone = !op.hasTensorSemantics() && isEmpty(op);
    if (isGone)
      op.erase();
    else
      hideEmptyExtents(op);
  }
  if (failed(verifyKernel(kernel)))
    return failure();
  FailureOr<BlockMemory> memory = BlockMemory::of(kernel);
  if (failed(memory))
    return failure();

  MLIRContext *context = kernel.getContext();
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  converter.addConversion(
      [&](DistributedType type, SmallVectorImpl<Type> &types) -> LogicalResult {
        FailureOr<Plan> plan = toPlan(kernel, type.getPlan());
        if (failed(plan))
          return failure();
        llvm::append_range(types, shareTypes(type, *plan));
        return success();
      });
  RewritePatternSet patterns(context);
  patterns.add<DistributeProduct, DistributeMatrix, Redistribute>(
      converter, context, *memory);
  patterns.add<DistributeSplat, CombineMatrices, CollectMatrix>(converter,
                                                                context);
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalOp<GemmOp, DistributeOp, RedistributeOp, SplatOp, CombineOp,
                      CollectOp>();
  scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                       target);
  if (failed(applyPartialConversion(kernel, target, std::move(patterns))))
    return failure();
  if (memory->bytes() > 0)
    kernel->setAttr(sharedBytesAttributeName,
                    Builder(context).getI64IntegerAttr(memory->bytes()));
  return success();
}
