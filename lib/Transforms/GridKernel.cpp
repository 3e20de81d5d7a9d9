//===- GridKernel.cpp - A kernel that computes tile by tile --------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridKernel.h"
#include "Shares.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Model/Resources.h"
#include "kami/Model/SharedLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

using namespace kami;
using namespace mlir;

std::string kami::kernelName(StringRef kind, ArrayRef<int64_t> extents,
                             Type element) {
  std::string name;
  llvm::raw_string_ostream os(name);
  os << kind << "_";
  llvm::interleave(
      extents, os,
      [&](int64_t extent) {
        if (ShapedType::isDynamic(extent))
          os << "d";
        else
          os << extent;
      },
      "x");
  if (auto complex = dyn_cast<ComplexType>(element))
    os << "_complex_" << complex.getElementType();
  else
    os << "_" << element;
  return name;
}

/// The largest x extent of a grid: CUDA C++ Programming Guide, table "Technical
/// Specifications per Compute Capability".
static constexpr int64_t maxGridExtent = (int64_t(1) << 31) - 1;

GridKernel::GridKernel(Operation *op, const Tiling &tiling, int64_t threads,
                       int64_t teams, int64_t blocks, bool prefetches)
    : b(op->getLoc(), op), op(op), tiling(tiling), threads(threads),
      teams(teams), mostBlocks(blocks > 0 ? blocks : maxGridExtent),
      isLimited(blocks > 0), prefetches(prefetches) {
  auto add = [&](Value value) {
    if (!llvm::is_contained(arguments, value))
      arguments.push_back(value);
  };
  for (Value operand : op->getOperands())
    if (auto number = operand.getDefiningOp<complex::CreateOp>())
      llvm::for_each(number->getOperands(), add);
    else if (isa<MemRefType>(operand.getType()) ||
             !matchPattern(operand, m_Constant()))
      add(operand);
}

/// Stages that a product's operands come through: tiles along k, or, where one
/// operand stays, its parts and tiles of the other.
static Value copiedTiles(ImplicitLocOpBuilder &b, GemmOp product,
                         const Plan &plan) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  if (plan.stationary) {
    bool isTransposed = plan.isTransposed();
    StationaryStages stages =
        stationaryStages(plan.partition(), byteWidth(plan.atom->operand));
    Value passing = extentOf(b, product.getC(), isTransposed ? 0 : 1);
    return b.createOrFold<arith::AddIOp>(
        constant(stages.count),
        b.createOrFold<arith::CeilDivUIOp>(
            passing, constant(isTransposed ? plan.tile.m : plan.tile.n)));
  }
  Value depth = extentOf(b, product.getA(), product.getTransposeA() ? 0 : 1);
  if (product.getInterleavedParts() && product.getTransposeA())
    depth = b.createOrFold<arith::MulIOp>(depth, constant(2));
  return b.createOrFold<arith::CeilDivUIOp>(depth, constant(plan.tile.k));
}

Value kami::nameNext(ImplicitLocOpBuilder &b, GemmOp product, const Plan &plan,
                     Value nextA, Value nextB, Value exists, Value turn) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(product);
  product.getNextAMutable().assign(nextA);
  product.getNextBMutable().assign(nextB);
  product.getHasNextMutable().assign(exists);
  product.getTurnMutable().assign(turn);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  // Maps are made for a product at a time.
  if (!plan.prefetches)
    return b.createOrFold<arith::AddIOp>(turn, constant(1));
  Value turns = b.createOrFold<arith::MaxUIOp>(copiedTiles(b, product, plan),
                                               constant(plan.stages - 1));
  if (!plan.bulk)
    return b.createOrFold<arith::AddIOp>(turn, turns);
  // Which maps are whose is the lowest bit, and turns are counted above.
  Value after = b.createOrFold<arith::AddIOp>(
      turn, b.createOrFold<arith::MulIOp>(turns, constant(2)));
  return b.createOrFold<arith::XOrIOp>(after, constant(1));
}

/// Tells the block a ticket that it has taken, and returns it to all threads.
static Value tellTicket(ImplicitLocOpBuilder &b, Value ticket, Value words,
                        Value limit, int64_t blocks, int64_t threads) {
  PublishTicketOp::create(b, ticket, words, limit, blocks, threads);
  gpu::BarrierOp::create(b);
  Value first = arith::ConstantIndexOp::create(b, 0);
  return arith::IndexCastUIOp::create(b, b.getIndexType(),
                                      memref::LoadOp::create(b, words, first));
}

Value GridKernel::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, value).getResult();
}

GridKernel::TileCount GridKernel::countTiles(Value result) {
  unsigned rank = cast<MemRefType>(result.getType()).getRank() - 2;
  TileCount count;
  for (unsigned dim = 0; dim != rank; ++dim)
    count.batch.push_back(extentOf(b, result, dim));
  if (tiling.packed)
    count.batch.back() = b.createOrFold<arith::CeilDivUIOp>(
        count.batch.back(), constant(tiling.packed));
  auto tiles = [&](unsigned dim, int64_t tile) {
    return b.createOrFold<arith::CeilDivUIOp>(extentOf(b, result, rank + dim),
                                              constant(tile));
  };
  count.rows = tiles(tiling.rowDim, tiling.tileM);
  count.columns = tiles(tiling.columnDim, tiling.tileN);
  count.total = b.createOrFold<arith::MulIOp>(count.rows, count.columns);
  for (Value extent : count.batch)
    count.total = b.createOrFold<arith::MulIOp>(count.total, extent);
  return count;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

gpu::GPUFuncOp GridKernel::createKernel(SymbolTable &symbols,
                                        const std::string &name) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(cast<ModuleOp>(symbols.getOp()).getBody());
  auto module = gpu::GPUModuleOp::create(b, name + "_module");
  symbols.insert(module);
  b.setInsertionPointToStart(module.getBody());
  auto type = b.getFunctionType(TypeRange(ValueRange(arguments)), {});
  auto kernel = gpu::GPUFuncOp::create(b, name, type);
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  // What the launch promises of a matrix, the kernel knows.
  auto promiseOf = [](Value argument) {
    // A batch of one dimension begins where that of several does.
    while (auto flat = argument.getDefiningOp<memref::CollapseShapeOp>())
      argument = flat.getSrc();
    return argument.getDefiningOp<memref::AssumeAlignmentOp>();
  };
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (memref::AssumeAlignmentOp promise = promiseOf(argument))
      kernel.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                        b.getI64IntegerAttr(promise.getAlignment()));
  kernel.setKnownBlockSizeAttr(
      b.getDenseI32ArrayAttr({int32_t(threads), 1, 1}));
  if (resident > 0)
    kernel->setAttr(residentBlocksAttributeName, b.getI64IntegerAttr(resident));
  return kernel;
}

void GridKernel::keepResident(const Plan &plan, int64_t sums,
                              int64_t sharedBytes) {
  if (!namesTarget(op))
    return;
  FailureOr<const Chip *> chip = targetOf(op);
  if (failed(chip))
    return;
  Resources resources = resourcesOf(*plan.atom, plan.partition(), plan.slices,
                                    (*chip)->warpSize, plan.exchange(), sums);
  // Teams that each have a tile of their own count, too.
  resources.threads = threads;
  resources.shared.bytes += sharedBytes;
  resident = residentBlocks(resources, **chip);
  if (plan.blocks > 0)
    resident = std::min<int64_t>(
        resident, llvm::divideCeil(plan.blocks, (*chip)->multiprocessors));
  if (resident > 0)
    room = std::min((*chip)->sharedPerBlock,
                    (*chip)->sharedPerMultiprocessor / resident -
                        (*chip)->sharedReservedPerBlock);
}

/// How many matrices of a pack there are from that one on.
OpFoldResult GridKernel::packedSize(Value matrix, unsigned dim, Value first) {
  int64_t extent = cast<MemRefType>(matrix.getType()).getDimSize(dim);
  if (ShapedType::isStatic(extent) && extent % tiling.packed == 0)
    return b.getIndexAttr(tiling.packed);
  return arith::MinSIOp::create(
             b, constant(tiling.packed),
             arith::SubIOp::create(b, extentOf(b, matrix, dim), first))
      .getResult();
}

Value GridKernel::tileView(Value matrix, ArrayRef<Value> batch, unsigned dim,
                           Value offset, int64_t tile, unsigned otherDim,
                           Value otherOffset, int64_t otherTile) {
  auto type = cast<MemRefType>(matrix.getType());
  int64_t batchRank = type.getRank() - 2;
  ArrayRef<Value> indices = batch.take_back(batchRank);
  SmallVector<OpFoldResult> offsets, sizes;
  for (int64_t i = 0; i != batchRank; ++i) {
    bool repeated = type.getDimSize(i) == 1;
    offsets.push_back(repeated ? OpFoldResult(b.getIndexAttr(0)) : indices[i]);
    sizes.push_back(b.getIndexAttr(1));
  }
  SmallVector<int64_t> kept = {batchRank, batchRank + 1};
  if (tiling.packed) {
    kept.insert(kept.begin(), batchRank - 1);
    sizes[batchRank - 1] = packedSize(matrix, batchRank - 1, indices.back());
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
        size = arith::MinSIOp::create(
                   b, constant(width),
                   arith::SubIOp::create(b, extentOf(b, matrix, batchRank + i),
                                         from))
                   .getResult();
    }
    offsets.push_back(start);
    sizes.push_back(size);
  }
  if (whole)
    return matrix;
  return reducedSubview(b, matrix, offsets, sizes, kept);
}

/// The tile of that number. Its indices of the batch are put into `batch`.
BlockTile GridKernel::tileAt(Value index, const TileCount &count,
                             SmallVectorImpl<Value> &batch) {
  auto split = [&](Value extent, bool isLast) {
    // Nothing is left to divide by.
    if (isLast && !isConstantIntValue(extent, 1))
      return index;
    Value rest = b.createOrFold<arith::DivUIOp>(index, extent);
    Value digit = b.createOrFold<arith::RemUIOp>(index, extent);
    index = rest;
    return digit;
  };
  Value tileColumn = split(count.columns, /*isLast=*/false);
  Value tileRow = split(count.rows, count.batch.empty());
  batch.resize(count.batch.size());
  for (size_t dim = count.batch.size(); dim-- > 0;)
    batch[dim] = split(count.batch[dim], dim == 0);
  if (tiling.packed)
    batch.back() =
        b.createOrFold<arith::MulIOp>(batch.back(), constant(tiling.packed));
  return {batch, b.createOrFold<arith::MulIOp>(tileRow, constant(tiling.tileM)),
          b.createOrFold<arith::MulIOp>(tileColumn, constant(tiling.tileN)),
          tiling.tileM, tiling.tileN};
}

void GridKernel::emitIndexedTile(Value index, const TileCount &count,
                                 IRMapping &values, EmitTile emit) {
  SmallVector<Value> batch;
  emit(values, tileAt(index, count, batch), /*next=*/nullptr);
}

/// The same, before the tile `after`. Returns the turns taken by then.
Value GridKernel::emitTileInTurn(Value index, Value after, Value turn,
                                 const TileCount &count, IRMapping &values,
                                 EmitTile emit) {
  SmallVector<Value> batch, nextBatch;
  Value exists =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, after, count.total);
  // The views of the next tile's operands are of one that there is.
  after = arith::SelectOp::create(b, exists, after, index);
  NextTile next = {tileAt(after, count, nextBatch), exists, turn};
  emit(values, tileAt(index, count, batch), &next);
  return next.turn;
}

/// Of sizes known only at run time, LLVM moves more of what follows from a
/// thread's index out of the loop than there are registers for.
void GridKernel::markTileLoop(Operation *loop) {
  auto type = cast<ShapedType>(tiling.result.getType());
  if (type.isDynamicDim(tiling.rowDim) || type.isDynamicDim(tiling.columnDim))
    loop->setAttr(tileLoopAttributeName, b.getUnitAttr());
}

/// Tiles in turn, the last of them as a block is done with others. The tile
/// after the next is known when the next one begins: its ticket is taken before
/// a tile and published behind it. Two turns are always dealt, so that nobody
/// waits for the counter to be found.
void GridKernel::emitTilesTaken(Value first, const TileCount &count,
                                IRMapping &values, EmitTile emit) {
  Value blocks = constant(mostBlocks);
  Value dealt = b.createOrFold<arith::MaxUIOp>(
      b.createOrFold<arith::SubIOp>(
          count.total, b.createOrFold<arith::MinUIOp>(
                           count.total, constant(taken * mostBlocks))),
      constant(2 * mostBlocks));
  Value left = b.createOrFold<arith::SubIOp>(count.total, dealt);
  Value words = viewInShared(b, ticketsAt, {2}, b.getI32Type());
  auto compare = [&](arith::CmpIPredicate how, Value one,
                     Value other) -> Value {
    return b.createOrFold<arith::CmpIOp>(how, one, other);
  };
  constexpr auto isBefore = arith::CmpIPredicate::ult;

  SmallVector<Value> starts = {
      first, b.createOrFold<arith::AddIOp>(first, blocks), constant(0)};
  auto loop = scf::WhileOp::create(
      b, TypeRange(ValueRange(starts)), starts,
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        Value isThere = arith::CmpIOp::create(builder, loc, isBefore,
                                              arguments[0], count.total);
        scf::ConditionOp::create(builder, loc, isThere, arguments);
      },
      [](OpBuilder &, Location, ValueRange) {});
  markTileLoop(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getAfterBody());
  Value index = loop.getAfterArguments()[0];
  Value next = loop.getAfterArguments()[1];
  Value inTurn = arith::AddIOp::create(b, next, blocks);
  // Where there are two turns at most, nobody takes any.
  Value takes = b.createOrFold<arith::AndIOp>(
      b.createOrFold<arith::AndIOp>(compare(isBefore, dealt, count.total),
                                    compare(isBefore, next, count.total)),
      compare(arith::CmpIPredicate::uge, inTurn, dealt));
  Type word = b.getI32Type();
  auto taking = scf::IfOp::create(b, word, takes, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard takingGuard(b);
    b.setInsertionPointToStart(taking.thenBlock());
    auto opening = scf::IfOp::create(b, compare(isBefore, next, dealt),
                                     /*withElse=*/false);
    b.setInsertionPointToStart(opening.thenBlock());
    OpenTicketsOp::create(b, words, threads);
    b.setInsertionPointToEnd(taking.thenBlock());
    scf::YieldOp::create(
        b,
        TakeTicketOp::create(b, word, words, mostBlocks, threads).getResult());
    b.setInsertionPointToStart(taking.elseBlock());
    scf::YieldOp::create(b,
                         arith::ConstantIntOp::create(b, word, 0).getResult());
  }
  Value turn = emitTileInTurn(index, next, loop.getAfterArguments()[2], count,
                              values, emit);
  auto after = scf::IfOp::create(b, b.getIndexType(), takes,
                                 /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard afterGuard(b);
    b.setInsertionPointToStart(after.thenBlock());
    Value told =
        tellTicket(b, taking.getResult(0), words, left, mostBlocks, threads);
    scf::YieldOp::create(b, arith::AddIOp::create(b, dealt, told).getResult());
    b.setInsertionPointToStart(after.elseBlock());
    scf::YieldOp::create(b, inTurn);
  }
  scf::YieldOp::create(b, ValueRange{next, after.getResult(0), turn});
}

/// Teams of so many blocks.
Value GridKernel::teamsBefore(Value blocks) {
  return b.createOrFold<arith::MulIOp>(blocks, constant(teams));
}

/// Of so many tiles, or of any number. Rows of a grid are as long as they may
/// be.
Value GridKernel::blockNumber(std::optional<int64_t> tiles) {
  Value block = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  if (isLimited || fitsInRow(tiles))
    return block;
  Value row = gpu::BlockIdOp::create(b, gpu::Dimension::y);
  return arith::AddIOp::create(
      b, block, arith::MulIOp::create(b, row, constant(mostBlocks)));
}

/// Goes to the begin of the kernel, which has the op's operands: arguments,
/// constants, and complex numbers whose parts are arguments.
IRMapping GridKernel::enter(gpu::GPUFuncOp kernel) {
  b.setInsertionPointToStart(&kernel.getBody().front());
  IRMapping values;
  values.map(arguments, kernel.getArguments());
  for (Value operand : op->getOperands())
    if (!values.contains(operand))
      b.clone(*operand.getDefiningOp(), values);
  return values;
}

void GridKernel::emitBody(gpu::GPUFuncOp kernel, EmitTile emit) {
  OpBuilder::InsertionGuard guard(b);
  IRMapping values = enter(kernel);

  TileCount count = countTiles(values.lookup(tiling.result));
  std::optional<int64_t> total = getConstantIntValue(count.total);
  Value first = teamsBefore(blockNumber(total));
  if (teams > 1) {
    Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
    first = b.createOrFold<arith::AddIOp>(
        first,
        b.createOrFold<arith::DivUIOp>(thread, constant(threads / teams)));
  }
  if (!isLimited || fitsInRow(total)) {
    // The last block may have teams without a tile, and the last row of a grid
    // blocks. A loop over tiles, which would hardly ever have a second one,
    // takes registers: LLVM moves positions of threads out of it, 48 of them of
    // f16 101³.
    if (!fitsInRow(total) || *total % teams != 0)
      b.setInsertionPointToStart(
          scf::IfOp::create(b,
                            arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                                  first, count.total),
                            /*withElseRegion=*/false)
              .thenBlock());
    emitIndexedTile(first, count, values, emit);
  } else if (taken > 0) {
    emitTilesTaken(first, count, values, emit);
  } else {
    Value step = teamsBefore(gpu::GridDimOp::create(b, gpu::Dimension::x));
    SmallVector<Value> turns;
    if (prefetches)
      turns.push_back(constant(0));
    auto loop = scf::ForOp::create(b, first, count.total, step, turns);
    markTileLoop(loop);
    OpBuilder::InsertionGuard loopGuard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value index = loop.getInductionVar();
    if (prefetches)
      scf::YieldOp::create(
          b, emitTileInTurn(index, arith::AddIOp::create(b, index, step),
                            loop.getRegionIterArg(0), count, values, emit));
    else
      emitIndexedTile(index, count, values, emit);
  }
  b.setInsertionPointToEnd(&kernel.getBody().front());
  gpu::ReturnOp::create(b);
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

void GridKernel::emitLaunch(gpu::GPUFuncOp kernel,
                            std::optional<int64_t> sharedBytes) {
  TileCount count = countTiles(tiling.result);
  std::optional<int64_t> total = getConstantIntValue(count.total);
  Value blocks =
      b.createOrFold<arith::CeilDivUIOp>(count.total, constant(teams));
  Value rows = constant(1);
  if (!fitsInRow(total)) {
    if (!isLimited)
      rows = b.createOrFold<arith::CeilDivUIOp>(blocks, constant(mostBlocks));
    blocks = b.createOrFold<arith::MinUIOp>(blocks, constant(mostBlocks));
  }
  // A grid of no blocks cannot be launched.
  if (!total) {
    Value any =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, blocks, constant(0));
    auto guard = scf::IfOp::create(b, any, /*withElseRegion=*/false);
    b.setInsertionPointToStart(guard.thenBlock());
  }
  launch(kernel, blocks, rows, sharedBytes);
}

void GridKernel::launch(gpu::GPUFuncOp kernel, Value blocks, Value rows,
                        std::optional<int64_t> sharedBytes) {
  Value one = constant(1), bytes;
  if (sharedBytes)
    bytes = arith::ConstantIntOp::create(b, *sharedBytes, 32);
  gpu::LaunchFuncOp::create(b, kernel, gpu::KernelDim3{blocks, rows, one},
                            gpu::KernelDim3{constant(threads), one, one}, bytes,
                            arguments);
}

void GridKernel::run(SymbolTable &symbols, const std::string &name,
                     std::optional<int64_t> sharedBytes, EmitTile emit) {
  gpu::GPUFuncOp kernel = createKernel(symbols, name);
  emitBody(kernel, emit);
  emitLaunch(kernel, sharedBytes);
}

void GridKernel::run(SymbolTable &symbols, const std::string &name,
                     std::optional<int64_t> sharedBytes, Value blocks,
                     llvm::function_ref<void(IRMapping &)> emit) {
  gpu::GPUFuncOp kernel = createKernel(symbols, name);
  {
    OpBuilder::InsertionGuard guard(b);
    IRMapping values = enter(kernel);
    emit(values);
    b.setInsertionPointToEnd(&kernel.getBody().front());
    gpu::ReturnOp::create(b);
  }
  launch(kernel, blocks, constant(1), sharedBytes);
}
