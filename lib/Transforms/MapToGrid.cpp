//===- MapToGrid.cpp - Give every tile a thread block --------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks are numbered along x only: y and z of a grid end at 65 535. Tiles of C
// are numbered row by row within a product, products one after the other.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Model/SharedLayout.h"
#include "kami/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"

namespace kami {
#define GEN_PASS_DEF_KAMIMAPTOGRID
#include "kami/Transforms/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

/// The largest x extent of a grid: CUDA C++ Programming Guide, table "Technical
/// Specifications per Compute Capability".
static constexpr int64_t maxGridExtent = (int64_t(1) << 31) - 1;

namespace {

/// How many tiles the products of a batch have. Extents are folded where known.
struct TileCount {
  SmallVector<Value> batch;
  Value rows;
  Value columns;
  Value total;
};

class GridMapper {
public:
  GridMapper(GemmOp op, const Plan &plan)
      : b(op.getLoc(), op.getOperation()), op(op), plan(plan) {}

  void run(SymbolTable &symbols);

private:
  TileCount countTiles(Value c);
  gpu::GPUFuncOp createKernel(SymbolTable &symbols);
  void emitKernelBody(gpu::GPUFuncOp kernel);
  void emitTileProduct(Value index, const TileCount &count, IRMapping &values);
  Value tileView(Value matrix, ArrayRef<Value> batch, unsigned dim,
                 Value offset, int64_t tile, unsigned otherDim,
                 Value otherOffset, int64_t otherTile);
  void emitLaunch(gpu::GPUFuncOp kernel);
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value).getResult();
  }
  Value extentOf(Value matrix, unsigned dim) {
    return getValueOrCreateConstantIndexOp(
        b, b.getLoc(), memref::getMixedSize(b, b.getLoc(), matrix, dim));
  }
  int64_t threads() {
    return plan.grid.warps() * op.getPlan()->getAtom().getLanes();
  }
  std::string kernelName();

  ImplicitLocOpBuilder b;
  GemmOp op;
  Plan plan;
  /// The kernel's operands: matrices, then what scales and regions need, but
  /// constants.
  SmallVector<Value> arguments;
};

} // namespace

std::string GridMapper::kernelName() {
  std::string name;
  llvm::raw_string_ostream os(name);
  auto extent = [](int64_t value) {
    return ShapedType::isDynamic(value) ? std::string("d")
                                        : std::to_string(value);
  };
  os << "gemm_" << extent(op.getM()) << "x" << extent(op.getN()) << "x"
     << extent(op.getK()) << "_" << op.getAType().getElementType();
  return name;
}

TileCount GridMapper::countTiles(Value c) {
  unsigned rank = op.getBatchRank();
  TileCount count;
  for (unsigned dim = 0; dim != rank; ++dim)
    count.batch.push_back(extentOf(c, dim));
  auto tiles = [&](unsigned dim, int64_t tile) {
    return b.createOrFold<arith::CeilDivUIOp>(extentOf(c, dim), constant(tile));
  };
  count.rows = tiles(rank, plan.tile.m);
  count.columns = tiles(rank + 1, plan.tile.n);
  count.total = b.createOrFold<arith::MulIOp>(count.rows, count.columns);
  for (Value extent : count.batch)
    count.total = b.createOrFold<arith::MulIOp>(count.total, extent);
  return count;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

gpu::GPUFuncOp GridMapper::createKernel(SymbolTable &symbols) {
  std::string name = kernelName();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(cast<ModuleOp>(symbols.getOp()).getBody());
  auto module = gpu::GPUModuleOp::create(b, name + "_module");
  symbols.insert(module);
  b.setInsertionPointToStart(module.getBody());
  auto type = b.getFunctionType(TypeRange(ValueRange(arguments)), {});
  auto kernel = gpu::GPUFuncOp::create(b, name, type);
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({int32_t(threads()), 1, 1}));
  return kernel;
}

/// The part of a matrix that one tile needs, as a matrix of its own: the
/// batch's product, and `tile` rows or columns from `offset` on (all, if that
/// tile covers the extent).
Value GridMapper::tileView(Value matrix, ArrayRef<Value> batch, unsigned dim,
                           Value offset, int64_t tile, unsigned otherDim,
                           Value otherOffset, int64_t otherTile) {
  auto type = cast<MemRefType>(matrix.getType());
  int64_t batchRank = type.getRank() - 2;
  ArrayRef<Value> indices = batch.take_back(batchRank);
  SmallVector<OpFoldResult> offsets, sizes,
      strides(type.getRank(), b.getIndexAttr(1));
  for (int64_t i = 0; i != batchRank; ++i) {
    bool repeated = type.getDimSize(i) == 1;
    offsets.push_back(repeated ? OpFoldResult(b.getIndexAttr(0)) : indices[i]);
    sizes.push_back(b.getIndexAttr(1));
  }
  bool whole = batchRank == 0;
  for (unsigned i = 0; i != 2; ++i) {
    int64_t extent = type.getDimSize(batchRank + i);
    OpFoldResult size =
        memref::getMixedSize(b, b.getLoc(), matrix, batchRank + i);
    OpFoldResult start = b.getIndexAttr(0);
    for (auto [tiled, from, width] :
         {std::tuple(dim, offset, tile),
          std::tuple(otherDim, otherOffset, otherTile)}) {
      if (tiled != i || !from ||
          (ShapedType::isStatic(extent) && extent <= width))
        continue;
      whole = false;
      start = from;
      size = b.getIndexAttr(width);
      if (ShapedType::isDynamic(extent) || extent % width != 0)
        size =
            arith::MinSIOp::create(
                b, constant(width),
                arith::SubIOp::create(b, extentOf(matrix, batchRank + i), from))
                .getResult();
    }
    offsets.push_back(start);
    sizes.push_back(size);
  }
  if (whole)
    return matrix;
  SmallVector<int64_t> shape;
  for (OpFoldResult size : ArrayRef(sizes).take_back(2))
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  auto result = memref::SubViewOp::inferRankReducedResultType(
      shape, type, offsets, sizes, strides);
  return memref::SubViewOp::create(b, cast<MemRefType>(result), matrix, offsets,
                                   sizes, strides);
}

/// The product of the `index`-th tile, as a `kami.gemm` of one block.
void GridMapper::emitTileProduct(Value index, const TileCount &count,
                                 IRMapping &values) {
  auto split = [&](Value extent) {
    Value rest = b.createOrFold<arith::DivUIOp>(index, extent);
    Value digit = b.createOrFold<arith::RemUIOp>(index, extent);
    index = rest;
    return digit;
  };
  Value tileColumn = split(count.columns);
  Value tileRow = split(count.rows);
  SmallVector<Value> batch(count.batch.size());
  for (size_t dim = count.batch.size(); dim-- > 0;)
    batch[dim] = split(count.batch[dim]);

  Value m = b.createOrFold<arith::MulIOp>(tileRow, constant(plan.tile.m));
  Value n = b.createOrFold<arith::MulIOp>(tileColumn, constant(plan.tile.n));
  unsigned rowsOfA = op.getTransposeA() ? 1 : 0;
  unsigned columnsOfB = op.getTransposeB() ? 0 : 1;
  Value none;
  Value a = tileView(values.lookup(op.getA()), batch, rowsOfA, m, plan.tile.m,
                     1 - rowsOfA, none, 0);
  Value bView = tileView(values.lookup(op.getB()), batch, columnsOfB, n,
                         plan.tile.n, 1 - columnsOfB, none, 0);
  Value c = tileView(values.lookup(op.getC()), batch, 0, m, plan.tile.m, 1, n,
                     plan.tile.n);
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value value) { return values.lookup(value); });
  operands[0] = a;
  operands[1] = bView;
  operands[2] = c;
  BlockTile tile{batch, m, n, plan.tile.m, plan.tile.n};
  SmallVector<std::pair<Role, SmallVector<AffineMap>>> newMaps;
  for (Role role : {Role::A, Role::B, Role::C}) {
    SmallVector<AffineMap> maps = op.getElementMaps(role);
    for (auto [operand, map] :
         llvm::zip_equal(op.getElementOperandsMutable(role), maps))
      std::tie(operands[operand.getOperandNumber()], map) = tileElements(
          b, role, operands[operand.getOperandNumber()], map, tile);
    if (op.hasElementRegion(role))
      newMaps.emplace_back(role, maps);
  }
  GemmOp product = op.cloneWith(b, operands);
  for (auto &[role, maps] : newMaps)
    product.setElementMaps(role, maps);
}

void GridMapper::emitKernelBody(gpu::GPUFuncOp kernel) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  IRMapping values;
  values.map(arguments, kernel.getArguments());
  for (Value operand : op->getOperands())
    if (!values.contains(operand))
      values.map(operand, b.clone(*operand.getDefiningOp())->getResult(0));

  TileCount count = countTiles(values.lookup(op.getC()));
  Value block = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  std::optional<int64_t> total = getConstantIntValue(count.total);
  if (total && *total <= maxGridExtent) {
    emitTileProduct(block, count, values);
  } else {
    Value blocks = gpu::GridDimOp::create(b, gpu::Dimension::x);
    auto loop = scf::ForOp::create(b, block, count.total, blocks);
    OpBuilder::InsertionGuard loopGuard(b);
    b.setInsertionPointToStart(loop.getBody());
    emitTileProduct(loop.getInductionVar(), count, values);
  }
  b.setInsertionPointToEnd(&kernel.getBody().front());
  gpu::ReturnOp::create(b);
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

void GridMapper::emitLaunch(gpu::GPUFuncOp kernel) {
  TileCount count = countTiles(op.getC());
  std::optional<int64_t> total = getConstantIntValue(count.total);
  Value blocks = count.total;
  if (!total || *total > maxGridExtent)
    blocks = arith::MinUIOp::create(b, blocks, constant(maxGridExtent));
  // A grid of no blocks cannot be launched.
  if (!total) {
    Value any =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, blocks, constant(0));
    auto guard = scf::IfOp::create(b, any, /*withElseRegion=*/false);
    b.setInsertionPointToStart(guard.thenBlock());
  }
  Value one = constant(1);
  Value bytes =
      arith::ConstantIntOp::create(b, kami::sharedLayout(plan).bytes, 32);
  gpu::LaunchFuncOp::create(b, kernel, gpu::KernelDim3{blocks, one, one},
                            gpu::KernelDim3{constant(threads()), one, one},
                            bytes, arguments);
}

void GridMapper::run(SymbolTable &symbols) {
  arguments = {op.getA(), op.getB(), op.getC()};
  for (Value operand : op->getOperands().drop_front(3))
    if (!matchPattern(operand, m_Constant()) &&
        !llvm::is_contained(arguments, operand))
      arguments.push_back(operand);
  gpu::GPUFuncOp kernel = createKernel(symbols);
  emitKernelBody(kernel);
  emitLaunch(kernel);
  op.erase();
}

namespace {
struct MapToGrid : kami::impl::KamiMapToGridBase<MapToGrid> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    SmallVector<GemmOp> products;
    module.walk([&](GemmOp op) {
      if (!op->getParentOfType<gpu::GPUFuncOp>())
        products.push_back(op);
    });
    for (GemmOp op : products) {
      FailureOr<Plan> plan = checked(op);
      if (failed(plan))
        return signalPassFailure();
      GridMapper(op, *plan).run(symbols);
    }
    if (!products.empty())
      module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                      UnitAttr::get(&getContext()));
  }

private:
  static FailureOr<Plan> checked(GemmOp op) {
    if (op.hasTensorSemantics())
      return op.emitOpError("expected memrefs; bufferize first");
    if (!op.getPlan())
      return op.emitOpError("expected a plan; kami-assign-plan chooses one");
    return toPlan(op, *op.getPlan());
  }
};
} // namespace
