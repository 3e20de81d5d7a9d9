//===- Distributor.h - One op of a block, warp by warp --------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One distribution for all grids: see kami/Layout/Partition.h for who holds
// what. Everything here is unrolled over stages and slices, whose number is the
// plan's; only the sum over the tiles of k is a loop.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_TRANSFORMS_DISTRIBUTOR_H
#define KAMI_LIB_TRANSFORMS_DISTRIBUTOR_H

#include "Epilogue.h"
#include "Shares.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Layout/CopiedTile.h"
#include "kami/Model/SharedLayout.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kami {

/// One operand's side of the distribution. A travels along rows, from the
/// columns that own its slabs; B along columns, from the rows.
struct OperandSide {
  Role role;
  Group group;
  /// Warps in a group: with one there is nothing to send.
  int64_t receivers;
  /// Slices that a warp holds, and how many of them, the last, are parked.
  int64_t held;
  int64_t parked;
  /// Whether the parked ones lie in shared memory before the product.
  bool keepsParked;
  /// This warp's position among the owners.
  mlir::Value position;
  mlir::Value parkedBuffer;
  /// One buffer, or two that take turns.
  llvm::SmallVector<mlir::Value, 2> broadcastBuffers;
  /// The held slices of the current k tile, by index; null for those that are
  /// in shared memory or beyond the tile.
  llvm::SmallVector<mlir::Value> slices;
  /// What becomes of the elements that are loaded.
  WarpRegion prologue = {};
  /// Where the current k tile begins in the sum; null for the first.
  mlir::Value tileOffset = {};

  bool isParked(int64_t index) const { return index >= held - parked; }
  int64_t parkedIndex(int64_t index) const { return index - (held - parked); }
};

/// Writes the warp-level ops of one block-level op at the builder's insertion
/// point.
class Distributor {
public:
  Distributor(mlir::OpBuilder &builder, mlir::Location loc, PlanAttr attribute,
              const Plan &plan, const Exchange &exchange);

  /// This warp's share of the matrix; parked slices go to the block's shared
  /// memory from byte `home` on.
  llvm::SmallVector<mlir::Value> distribute(mlir::Value matrix, Role role,
                                            int64_t home, bool barrierFirst);

  /// The product. `a`, `b` and `c` are the shares of operands that are
  /// distributed, else empty. Returns the new C where it is distributed.
  mlir::Value multiply(GemmOp op, mlir::ValueRange a, mlir::ValueRange b,
                       mlir::ValueRange c, bool barrierFirst);

  /// Writes a share of C, as it is or scaled, to the matrix.
  void collect(mlir::Value share, mlir::Value matrix, mlir::Value alpha,
               mlir::Value beta);

  /// This warp's share of A, whose elements it has in its fragment of another
  /// product's C; the matrix has so many columns.
  llvm::SmallVector<mlir::Value> recast(mlir::Value sums, int64_t columns);

  /// The matrix in the first bytes of the scratch part of the block's shared
  /// memory, for a C on its way to being an operand.
  mlir::Value relay(DistributedType type);

  FragmentType fragmentType(Role role);
  mlir::Value rowOrigin();
  mlir::Value columnOrigin();

private:
  bool isGroup() const { return exchange.unit == Unit::WarpGroup; }
  void emitCoordinates();
  void emitBuffers();
  void takeShare(OperandSide &side, mlir::ValueRange share);
  mlir::Value emitZeros();
  mlir::Value emitStart(GemmOp op, mlir::ValueRange c);
  mlir::Value emitSum(GemmOp op, mlir::Value matrixA, mlir::Value matrixB,
                      mlir::Value start, bool barrierFirst);
  mlir::Value emitLayers(GemmOp op, mlir::Value matrixA, mlir::Value matrixB,
                         mlir::Value start);
  mlir::Value emitTile(mlir::Value aTile, mlir::Value bTile,
                       mlir::Value accumulator);
  void loadHeld(OperandSide &side, mlir::Value tile);
  mlir::Value emitGroupTile(mlir::Value aTile, mlir::Value bTile,
                            mlir::Value accumulator);
  mlir::Value loadRows(mlir::Value tile, mlir::Value skewedAs = {});
  mlir::Value loadRows(mlir::Value tile, mlir::Value first, FragmentType type);
  mlir::Value groupRow();
  void placeRows(mlir::Value tile, mlir::Value buffer);
  bool keepsSkew(Role role, mlir::MemRefType matrix);
  CopiedTile copiedTileOf(Role role, mlir::MemRefType matrix);
  mlir::Value copiedTileAt(Role role, mlir::MemRefType matrix,
                           mlir::Value stage);
  static unsigned adjacentDimension(mlir::MemRefType type);
  bool isPlaced(Role role);
  int64_t copyingThreads() { return partition.grid.warps() * atom.getLanes(); }
  SharedMatrixAttr copiedMatrix(Role role, mlir::MemRefType matrix);
  mlir::Value copiedTerms(Role role, mlir::Value matrix, mlir::Value offset,
                          mlir::OpFoldResult size);
  mlir::Value copiedBufferAt(Role role, mlir::Value stage);
  bool isInTurn(GemmOp op) const { return op.getTurn() && exchange.prefetches; }
  bool waitApart() const { return groupsWaitApart(exchange, partition.grid); }
  bool isBulk(Role role, mlir::MemRefType matrix);
  bool areBulk(mlir::Value matrixA, mlir::Value matrixB);
  mlir::Value bulkBarriers();
  mlir::Value freeBarriers();
  mlir::Value barriersFrom(int64_t first);
  int64_t copiesOfStage();
  mlir::Value mapsOf(Role role);
  void describe(Role role, mlir::Value matrix, mlir::Value number);
  void beginBulk(GemmOp op, mlir::Value matrixA, mlir::Value matrixB);
  bool areOfBatch(GemmOp op, mlir::Value matrixA, mlir::Value matrixB);
  mlir::Value wholeBatch(mlir::Value matrix);
  void atFirst(mlir::Value turn, llvm::function_ref<void()> emit);
  void acquireMaps(mlir::Value number);
  void acquireNextMaps(mlir::Value place, mlir::Value switchAt,
                       mlir::Value follows);
  void describeNext(GemmOp op);
  mlir::Value nextMapNumber();
  /// Where the engine finds an operand: in what the map of that number
  /// describes, in the matrix of that number (null where there is one), from
  /// that row and column on.
  struct BulkOperand {
    mlir::Value map, product, row, column;
  };
  struct BulkOperands {
    BulkOperand a, b;
  };
  BulkOperands bulkOperands(mlir::Value matrixA, mlir::Value matrixB,
                            mlir::Value map);
  BulkOperand bulkOperand(mlir::Value matrix, mlir::Value map);
  BulkOperands select(mlir::Value condition, const BulkOperands &one,
                      const BulkOperands &other);
  void startBulk(const BulkOperands &operands, mlir::Value offset,
                 mlir::Value stage);
  void endBulk(mlir::Value follows = {});
  void commitCopies();
  int64_t tailBytes(Role role, mlir::MemRefType matrix);
  mlir::Value tailsAt(Role role, mlir::MemRefType matrix, mlir::Value stage);
  void startCopies(mlir::Value matrixA, mlir::Value matrixB, mlir::Value offset,
                   mlir::OpFoldResult size, mlir::Value stage);
  void withTermsAt(mlir::Value offset, mlir::Value depth,
                   llvm::function_ref<void(mlir::OpFoldResult)> emit);
  /// Terms of a tile along k, the stage that they are in, and of what the
  /// engine brings the parity of the stage's phase.
  struct CopiedTerms {
    mlir::Value offset;
    mlir::OpFoldResult size;
    mlir::Value stage;
    mlir::Value parity = {};
  };
  void finishCopy(Role role, mlir::Value matrix, const CopiedTerms &terms,
                  bool isLast);
  bool finishesCopies(Role role, mlir::Value matrix);
  void awaitCopies(mlir::Value matrixA, mlir::Value matrixB, int64_t pending,
                   llvm::function_ref<CopiedTerms()> arrived,
                   mlir::Value exists = {},
                   llvm::function_ref<void()> startNext = {});
  mlir::Value skewedAs(Role role, mlir::Value matrix, mlir::Value offset);
  mlir::Value sumIf(mlir::Value condition, mlir::Value sum,
                    llvm::function_ref<mlir::Value()> emit);
  mlir::Value ifInside(mlir::Value operandA, mlir::Value operandB,
                       mlir::Value sum, llvm::function_ref<mlir::Value()> emit);
  mlir::Value multiplyCopied(mlir::Value operandA, mlir::Value operandB,
                             mlir::Value offset, mlir::Value stage,
                             mlir::Value accumulator, bool isPending = false,
                             llvm::function_ref<void()> startNext = {});
  mlir::Value stageNumber(int64_t value);
  mlir::Value step(mlir::Value number, int64_t last, int64_t end, int64_t by);
  mlir::Value stageAfter(mlir::Value number);
  mlir::Value stageBefore(mlir::Value number);
  mlir::Value asStage(mlir::Value number);
  /// Which stage is next, and of what the engine brings the parity of its
  /// phase.
  struct StagePhase {
    mlir::Value number, parity;
  };
  StagePhase stageOfTurn(mlir::Value turn);
  mlir::Value parityAfter(mlir::Value parity, mlir::Value number);
  mlir::Value parityBefore(mlir::Value parity, mlir::Value number);
  void splitParts(GemmOp op, mlir::Value matrixA, mlir::Value matrixB);
  mlir::Value emitByHalves(mlir::Value matrixA, mlir::Value matrixB,
                           llvm::function_ref<mlir::Value()> emit);
  mlir::Value emitCopied(GemmOp op, mlir::Value matrixA, mlir::Value matrixB,
                         mlir::Value start, bool barrierFirst);
  mlir::Value emitCopiedSum(GemmOp op, mlir::Value matrixA, mlir::Value matrixB,
                            mlir::Value start);
  /// Both operands, as a product sees them, and how many tiles of k they have.
  struct CopiedOperands {
    mlir::Value a, b;
    mlir::Value depth, tiles;
    BulkOperands engine;
  };
  CopiedOperands operandsOf(mlir::Value matrixA, mlir::Value matrixB,
                            mlir::Value map);
  mlir::OpFoldResult termsFrom(const CopiedOperands &operands,
                               mlir::Value offset);
  void startTile(const CopiedOperands &operands, mlir::Value tile,
                 mlir::Value exists, mlir::Value stage);
  bool startsOnce(mlir::Value matrixA, mlir::Value matrixB);
  mlir::Value emitSumStartedOnce(mlir::Value matrixA, mlir::Value matrixB,
                                 mlir::Value start);
  bool copiesApart(Role role, mlir::Value matrix);
  bool carriesSlice(mlir::Value matrixA, mlir::Value matrixB);
  mlir::Value emitCarriedSum(mlir::Value matrixA, mlir::Value matrixB,
                             mlir::Value start);
  mlir::Value emitSumInTurn(GemmOp op, mlir::Value matrixA, mlir::Value matrixB,
                            mlir::Value start, bool barrierFirst);
  /// A product whose A stays, as its stages are filled: where the engine finds
  /// its operands and, if another one `follows`, null if none does, that one's,
  /// from whose first place on stages are filled behind `switchAt`.
  struct PassingProduct {
    BulkOperands own, next;
    mlir::Value switchAt, nextPlaces, follows;
  };
  mlir::Value isBefore(mlir::Value one, mlir::Value other);
  mlir::Value stationaryStageAt(mlir::Value stage);
  void startStationary(const BulkOperands &operands, mlir::Value index,
                       mlir::Value stage);
  void startStationaryIf(mlir::Value exists, const BulkOperands &operands,
                         mlir::Value index, mlir::Value stage);
  void takeStage(const PassingProduct &product, mlir::Value place,
                 StagePhase &phase, llvm::function_ref<void(mlir::Value)> use,
                 llvm::function_ref<void()> finish = {});
  mlir::Value loadStationary(const PassingProduct &product, StagePhase &phase);
  void multiplyPassing(GemmOp op, const PassingProduct &product,
                       mlir::Value rows, mlir::Value place, StagePhase &phase);
  void forEachPlace(mlir::Value from, mlir::Value to, StagePhase &phase,
                    llvm::function_ref<void(mlir::Value, StagePhase &)> emit);
  void emitStationary(GemmOp op, mlir::Value matrixA, mlir::Value matrixB,
                      bool barrierFirst);
  FragmentType loadedType(Role role);
  void makePrologue(OperandSide &side, GemmOp op, mlir::Value matrix);
  mlir::Value loadFragment(OperandSide &side, mlir::Value tile, mlir::Value k,
                           int64_t coveredK, mlir::Value skewedAs = {});
  mlir::Value applyPrologue(OperandSide &side, mlir::Value tile,
                            mlir::Value elements, mlir::Value k,
                            FragmentPlace place);
  mlir::Value sliceStart(OperandSide &side, int64_t index);
  mlir::Value loadSlice(OperandSide &side, mlir::Value tile, int64_t index);
  bool park(OperandSide &side, mlir::Value tile);
  mlir::Value emitStage(int64_t stage, int64_t slice, mlir::Value accumulator);
  mlir::Value fetch(OperandSide &side, int64_t index, int64_t owner);
  bool keepAlignment(GemmOp op);
  bool storesPairs(GemmOp op);
  mlir::Value emitReduce(mlir::Value sum);
  mlir::Value applyEpilogue(GemmOp op, mlir::Value elements,
                            const FragmentPlace &place);
  void emitStore(GemmOp op, mlir::Value sum, const FragmentPlace &place);
  mlir::Value linesAt(mlir::Value start, mlir::Type element,
                      const CopiedTile &tile);
  mlir::Value relayBuffer();
  void relayTransposed(GemmOp op, mlir::Value sum, const FragmentPlace &place,
                       mlir::Value alpha);
  template <typename Emit> void ifFirstLayer(Emit emit);

  FragmentPlace placeOfC(mlir::Value matrix);
  mlir::Value loadC(mlir::Value matrix);
  mlir::Value constant(int64_t value);
  mlir::Value multiply(mlir::Value value, int64_t factor);
  mlir::Value add(mlir::Value left, mlir::Value right);
  mlir::Value coordinate(mlir::Value value, int64_t extent) {
    return extent == 1 ? constant(0) : value;
  }
  mlir::Value view(int64_t offset, int64_t bytes);
  mlir::Value logicalView(mlir::Value matrix, bool transposed);
  std::pair<mlir::Value, mlir::Value>
  multipliedMatrices(GemmOp op, mlir::Value a, mlir::Value b);
  mlir::Value viewOfC(mlir::Value matrix) {
    return logicalView(matrix, exchange.isTransposed);
  }
  int64_t sourceShift(Role role, mlir::MemRefType matrix, unsigned dim);
  int64_t inSource(Role role, mlir::MemRefType matrix, unsigned dim,
                   int64_t extent);
  int64_t multipliedSize(Role role, mlir::MemRefType matrix, unsigned dim);
  mlir::Value multipliedExtent(Role role, mlir::Value matrix, unsigned dim);
  mlir::Value tileOfK(Role role, mlir::Value matrix, mlir::OpFoldResult offset,
                      mlir::OpFoldResult size);
  OperandSide &side(Role role) { return role == Role::A ? sideA : sideB; }
  BarrierScopeKindAttr scopeAttr();
  void emitExchangeBarrier();
  mlir::DenseI64ArrayAttr gridAttr() {
    return b.getDenseI64ArrayAttr(
        {partition.grid.m, partition.grid.n, partition.grid.k});
  }

  mlir::ImplicitLocOpBuilder b;
  Partition partition;
  Exchange exchange;
  SharedLayout shared;
  /// The same where threads copy what the engine cannot.
  Exchange threadsExchange;
  SharedLayout threadsShared;
  Slicing slices;
  Interleave interleave;
  MmaAtomAttr atom;
  mlir::Value row, column, layer, warp;
  /// Whether a warp's rows and columns of C are in both halves of the block's.
  bool splitsRows = false, splitsColumns = false;
  /// The rows and columns of tiles of C that are multiplied; null if all are.
  mlir::DenseI64ArrayAttr firstTiles;
  mlir::Value sharedMemory;
  /// The stages of copied operands, and whether their rows are aligned.
  mlir::Value copied;
  bool alignedRows = false;
  /// Of complex numbers, whose conjugates are multiplied.
  bool conjugatesA = false, conjugatesB = false;
  /// Of bulk copies, how the engine sees the operands, and the number of the
  /// product's maps among theirs.
  SharedMatrixAttr bulkA, bulkB;
  mlir::Value mapNumber;
  /// Whether the first product's maps are of all products.
  bool mapsBatch = false;
  /// Of an operand that stays in registers.
  StationaryStages stationary = {};
  /// Broadcasts of this k tile so far: which buffer is next.
  int64_t broadcastCount = 0;
  OperandSide sideA, sideB;
};

} // namespace kami

#endif // KAMI_LIB_TRANSFORMS_DISTRIBUTOR_H
