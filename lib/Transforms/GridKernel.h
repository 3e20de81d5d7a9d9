//===- GridKernel.h - A kernel that computes tile by tile -----*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks are numbered along x only: y and z of a grid end at 65 535. Tiles of
// the result are numbered row by row within a matrix, matrices one after the
// other.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_TRANSFORMS_GRIDKERNEL_H
#define KAMI_LIB_TRANSFORMS_GRIDKERNEL_H

#include "Epilogue.h"
#include "kami/Plan/Plan.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

namespace kami {

/// Which part of which matrix a block takes.
struct Tiling {
  /// The batch of matrices that is computed.
  mlir::Value result;
  /// Its dimensions, 0 or 1 after the batch's, that tiles number as rows and
  /// columns.
  unsigned rowDim = 0, columnDim = 1;
  int64_t tileM, tileN;
  /// Matrices along the last dimension of the batch that a block takes as one;
  /// 0 where it takes one without that dimension.
  int64_t packed = 0;
};

/// "gemm_64x32xd_f16": a `d` for each extent known only at run time.
std::string kernelName(llvm::StringRef kind, llvm::ArrayRef<int64_t> extents,
                       mlir::Type element);

/// The tile that a block takes after one, if `exists` says so; else, that one.
struct NextTile {
  BlockTile tile;
  mlir::Value exists;
  /// Turns that the block has taken so far; what writes a tile's work adds its
  /// own.
  mlir::Value turn;
};

/// Tells a product in turn which one follows it. Returns the turns that the
/// block has taken after it.
mlir::Value nameNext(mlir::ImplicitLocOpBuilder &b, GemmOp product,
                     const Plan &plan, mlir::Value nextA, mlir::Value nextB,
                     mlir::Value exists, mlir::Value turn);

class GridKernel {
public:
  /// `next` is null where nothing is prefetched.
  using EmitTile = llvm::function_ref<void(mlir::IRMapping &, const BlockTile &,
                                           NextTile *next)>;

  /// For an op all of whose operands but constants become the kernel's. Blocks
  /// of `threads` threads have so many teams, each of which takes a tile, or,
  /// if the number of blocks is limited, one after the other, of which the next
  /// may be prefetched.
  GridKernel(mlir::Operation *op, const Tiling &tiling, int64_t threads,
             int64_t teams = 1, int64_t blocks = 0, bool prefetches = false);

  /// Has a multiprocessor hold as many blocks at a time as the plan counts on.
  /// Blocks need so many bytes of shared memory beside the plan's.
  void keepResident(const Plan &plan, int64_t sums = 1,
                    int64_t sharedBytes = 0);
  /// Of shared memory, how much each of these may have; 0 if no chip is named.
  int64_t sharedRoom() const { return room; }

  /// Has blocks take the tiles of so many last turns by tickets, of which they
  /// keep two words there in shared memory, if they are more than none. For a
  /// kernel that prefetches.
  void takeTiles(int64_t turns, int64_t wordsAt) {
    taken = turns;
    ticketsAt = wordsAt;
  }

  /// Puts a kernel of that name into the module and launches it before the op,
  /// with `sharedBytes` of dynamic shared memory where they are known. `emit`
  /// writes the work of one tile, on the kernel's values of the op's operands.
  void run(mlir::SymbolTable &symbols, const std::string &name,
           std::optional<int64_t> sharedBytes, EmitTile emit);

  /// The same for a launch of the given number of blocks, whose work `emit`
  /// writes as a whole.
  void run(mlir::SymbolTable &symbols, const std::string &name,
           std::optional<int64_t> sharedBytes, mlir::Value blocks,
           llvm::function_ref<void(mlir::IRMapping &)> emit);

  /// The part of a matrix that one tile needs, as a matrix of its own (of
  /// packed ones, as a batch of them): of its batch's, and `tile` rows or
  /// columns from `offset` on (all, if that tile covers the extent, or without
  /// an offset).
  mlir::Value tileView(mlir::Value matrix, llvm::ArrayRef<mlir::Value> batch,
                       unsigned dim, mlir::Value offset, int64_t tile,
                       unsigned otherDim, mlir::Value otherOffset,
                       int64_t otherTile);

  mlir::Value constant(int64_t value);

  mlir::ImplicitLocOpBuilder b;

private:
  /// How many tiles there are. Extents are folded where known.
  struct TileCount {
    llvm::SmallVector<mlir::Value> batch;
    mlir::Value rows, columns, total;
  };

  TileCount countTiles(mlir::Value result);
  mlir::OpFoldResult packedSize(mlir::Value matrix, unsigned dim,
                                mlir::Value first);
  mlir::Value teamsBefore(mlir::Value blocks);
  /// Whether so many tiles are known to be no more than blocks along x may be.
  bool fitsInRow(std::optional<int64_t> tiles) const {
    return tiles && *tiles <= mostBlocks;
  }
  mlir::Value blockNumber(std::optional<int64_t> tiles);
  mlir::gpu::GPUFuncOp createKernel(mlir::SymbolTable &symbols,
                                    const std::string &name);
  mlir::IRMapping enter(mlir::gpu::GPUFuncOp kernel);
  void emitBody(mlir::gpu::GPUFuncOp kernel, EmitTile emit);
  BlockTile tileAt(mlir::Value index, const TileCount &count,
                   llvm::SmallVectorImpl<mlir::Value> &batch);
  void emitIndexedTile(mlir::Value index, const TileCount &count,
                       mlir::IRMapping &values, EmitTile emit);
  void markTileLoop(mlir::Operation *loop);
  mlir::Value emitTileInTurn(mlir::Value index, mlir::Value after,
                             mlir::Value turn, const TileCount &count,
                             mlir::IRMapping &values, EmitTile emit);
  void emitTilesTaken(mlir::Value first, const TileCount &count,
                      mlir::IRMapping &values, EmitTile emit);
  void emitLaunch(mlir::gpu::GPUFuncOp kernel,
                  std::optional<int64_t> sharedBytes);
  void launch(mlir::gpu::GPUFuncOp kernel, mlir::Value blocks, mlir::Value rows,
              std::optional<int64_t> sharedBytes);

  mlir::Operation *op;
  Tiling tiling;
  int64_t threads, teams;
  /// The most blocks of a launch along x, whether these are all, and those that
  /// are meant to share a multiprocessor, 0 for any number.
  int64_t mostBlocks;
  bool isLimited;
  int64_t resident = 0;
  int64_t room = 0;
  bool prefetches;
  /// Turns whose tiles are taken, and where the words of tickets are.
  int64_t taken = 0, ticketsAt = 0;
  /// The kernel's operands.
  llvm::SmallVector<mlir::Value> arguments;
};

} // namespace kami

#endif // KAMI_LIB_TRANSFORMS_GRIDKERNEL_H
