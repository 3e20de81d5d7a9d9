//===- MapToGrid.cpp - Give every tile a thread block --------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmptyProduct.h"
#include "GridKernel.h"
#include "MapChain.h"
#include "MapGrouped.h"
#include "PackedProduct.h"
#include "StationaryProduct.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Layout/CopiedTile.h"
#include "kami/Model/SharedLayout.h"
#include "kami/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kami {
#define GEN_PASS_DEF_KAMIMAPTOGRID
#include "kami/Transforms/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

/// What a tile needs of A or B.
static Value tileOf(Role role, GemmOp op, GridKernel &kernel, Value matrix,
                    const BlockTile &tile) {
  bool isA = role == Role::A,
       isTransposed = isA ? op.getTransposeA() : op.getTransposeB();
  unsigned dim = isA == isTransposed ? 1 : 0;
  Value first = isA ? tile.m : tile.n;
  int64_t width = isA ? tile.tileM : tile.tileN;
  // Of complex numbers by rows, A has two reals for a row, and B a line for two
  // columns.
  if (op.getInterleavedParts() && isTransposed) {
    Value two = arith::ConstantIndexOp::create(kernel.b, 2);
    first = isA ? kernel.b.createOrFold<arith::MulIOp>(first, two)
                : kernel.b.createOrFold<arith::DivUIOp>(first, two);
    width = isA ? 2 * width : width / 2;
  }
  return kernel.tileView(matrix, tile.batch, dim, first, width, 1 - dim,
                         /*otherOffset=*/Value(), 0);
}

/// Whether rows that begin at multiples of 16 bytes do so in every tile, too,
/// whichever way they are cut.
static bool keepsAlignment(GemmOp op, const BlockTile &block) {
  auto keeps = [&](ShapedType type, int64_t extent, int64_t tile) {
    return extent <= tile ||
           areWholePieces(tile, type.getElementTypeBitWidth() / 8);
  };
  return !op.isComplex() &&
         keeps(op.getAType(),
               ShapedType::isDynamic(op.getM()) ? maxExtent : op.getM(),
               block.tileM) &&
         keeps(op.getBType(),
               ShapedType::isDynamic(op.getN()) ? maxExtent : op.getN(),
               block.tileN);
}

/// The product of one tile, as a `kami.gemm` of one block.
static void emitTileProduct(GemmOp op, const Plan &plan, GridKernel &kernel,
                            IRMapping &values, const BlockTile &tile,
                            NextTile *next) {
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value value) { return values.lookup(value); });
  operands[0] = tileOf(Role::A, op, kernel, operands[0], tile);
  operands[1] = tileOf(Role::B, op, kernel, operands[1], tile);
  operands[2] = kernel.tileView(operands[2], tile.batch, 0, tile.m, tile.tileM,
                                1, tile.n, tile.tileN);
  SmallVector<std::pair<Role, SmallVector<AffineMap>>> newMaps;
  for (Role role : {Role::A, Role::B, Role::C}) {
    SmallVector<AffineMap> maps = op.getElementMaps(role);
    for (auto [operand, map] :
         llvm::zip_equal(op.getElementOperandsMutable(role), maps))
      std::tie(operands[operand.getOperandNumber()], map) = tileElements(
          kernel.b, role, operands[operand.getOperandNumber()], map, tile);
    if (op.hasElementRegion(role))
      newMaps.emplace_back(role, maps);
  }
  Value nextA, nextB;
  if (next) {
    nextA = tileOf(Role::A, op, kernel, values.lookup(op.getA()), next->tile);
    nextB = tileOf(Role::B, op, kernel, values.lookup(op.getB()), next->tile);
  }
  GemmOp product = op.cloneWith(kernel.b, operands);
  for (auto &[role, maps] : newMaps)
    product.setElementMaps(role, maps);
  bool isAligned = op.getAlignedRows() || (plan.bulk && areLinesAligned(op));
  product.setAlignedRows(isAligned && keepsAlignment(op, tile));
  if (next)
    next->turn = nameNext(kernel.b, product, plan, nextA, nextB, next->exists,
                          next->turn);
}

/// Whether the kernel is to have no more registers than the plan's resident
/// blocks leave. Where lanes multiply what is copied, ptxas takes more, to read
/// ahead of what other warps hide anyway: of f32 256³, 174 without a word, and
/// a third block fits with 168. Of groups, tf32 255³ has 137 instead of 125,
/// and one block instead of two: 1000 take 504 µs instead of 444 (H100,
/// 2026-11-25). But strides of run time need what they take.
static bool isHeldToPlan(GemmOp op, const Plan &plan) {
  if (plan.blocks > 0)
    return true;
  bool takesMore = plan.atom->instruction == Instruction::Fma ||
                   plan.unit() == Unit::WarpGroup;
  if (plan.transport != Transport::Copied || plan.isPacked() || !takesMore)
    return false;
  FailureOr<Problem> problem = problemOf(op);
  return succeeded(problem) && !problem->hasRuntimeStrides;
}

/// Has who calls the function look whether what is promised of its arguments'
/// rows is so.
static void markAlignedArguments(GemmOp op) {
  auto function = op->getParentOfType<func::FuncOp>();
  for (Value matrix : {op.getA(), op.getB()}) {
    // What neither moves where rows begin, nor leaves some of them out.
    while (Operation *view = matrix.getDefiningOp()) {
      if (!isa<AsRealOp, memref::AssumeAlignmentOp, memref::CollapseShapeOp,
               memref::TransposeOp>(view))
        break;
      matrix = view->getOperand(0);
    }
    auto argument = dyn_cast<BlockArgument>(matrix);
    if (function && argument && argument.getOwner()->getParentOp() == function)
      function.setArgAttr(argument.getArgNumber(), alignedRowsAttributeName,
                          UnitAttr::get(op.getContext()));
  }
}

/// The plan, but where its operand cannot stay, one of tiles as large that
/// threads copy, each by a block of its own, no deeper than there is room for.
static Plan settled(GemmOp op, Plan plan) {
  if (!plan.stationary || mayBeStationary(op, plan))
    return plan;
  plan.stationary = plan.bulk = plan.prefetches = false;
  plan.taken = plan.blocks = 0;
  plan.stages = 2;
  constexpr int64_t depth = 64;
  plan.tile.k = std::min(plan.tile.k, depth);
  op.setPlanAttr(toAttribute(op.getContext(), plan));
  return plan;
}

static LogicalResult mapProduct(GemmOp op, SymbolTable &symbols) {
  if (op.hasTensorSemantics())
    return op.emitOpError("expected memrefs; bufferize first");
  if (isEmpty(op)) {
    op.erase();
    return success();
  }
  if (!op.getPlan())
    return op.emitOpError("expected a plan; kami-assign-plan chooses one");
  hideEmptyExtents(op);
  if (op.getAlignedRows())
    markAlignedArguments(op);
  FailureOr<Plan> plan = toPlan(op, *op.getPlan());
  if (failed(plan))
    return failure();
  bool isPacked = plan->isPacked();
  if (isPacked && failed(verifyPackable(op, *plan)))
    return failure();
  *plan = settled(op, *plan);
  auto upTo = [](int64_t extent) {
    return ShapedType::isDynamic(extent) ? maxExtent : extent;
  };
  Extents block = plan->blockTile(upTo(op.getM()), upTo(op.getN()));
  Tiling tiling{op.getC(), 0,       1,
                block.m,   block.n, isPacked ? plan->packedProducts() : 0};
  GridKernel kernel(op, tiling, op.getPlan()->getThreads(),
                    isPacked ? 1 : plan->teams, plan->blocks, plan->prefetches);
  SharedLayout layout = kami::sharedLayout(*plan);
  if (plan->taken > 0 && !plan->prefetches)
    return op.emitOpError("expected tiles to be taken only where the next one "
                          "is prefetched");
  if (plan->dealsProducts)
    return op.emitOpError("expected products to be dealt only of products of "
                          "sizes of their own");
  kernel.takeTiles(plan->taken, layout.tickets.offset);
  if (isHeldToPlan(op, *plan))
    kernel.keepResident(*plan, op.isComplex() ? 2 : 1);
  kernel.run(symbols,
             kernelName("gemm", {op.getM(), op.getN(), op.getK()},
                        op.getAType().getElementType()),
             layout.bytes,
             [&](IRMapping &values, const BlockTile &tile, NextTile *next) {
               emitTileProduct(op, *plan, kernel, values, tile, next);
             });
  op.erase();
  return success();
}

namespace {
struct MapToGrid : kami::impl::KamiMapToGridBase<MapToGrid> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    SmallVector<Operation *> products;
    module.walk([&](Operation *op) {
      if (isa<GemmOp, ChainOp, GroupedGemmOp>(op) &&
          !op->getParentOfType<gpu::GPUFuncOp>())
        products.push_back(op);
    });
    for (Operation *op : products) {
      auto map = [&]() -> LogicalResult {
        if (auto product = dyn_cast<GemmOp>(op))
          return mapProduct(product, symbols);
        if (auto grouped = dyn_cast<GroupedGemmOp>(op))
          return mapGrouped(grouped, symbols);
        return mapChain(cast<ChainOp>(op), symbols);
      };
      if (failed(map()))
        return signalPassFailure();
    }
    if (!products.empty())
      module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                      UnitAttr::get(&getContext()));
  }
};
} // namespace
