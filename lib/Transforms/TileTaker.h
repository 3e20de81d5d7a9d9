//===- TileTaker.h - Tiles that no block was dealt -------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_TRANSFORMS_TILETAKER_H
#define KAMI_LIB_TRANSFORMS_TILETAKER_H

#include "IndexMath.h"
#include "kami/IR/KamiOps.h"
#include "kami/Model/SharedLayout.h"
#include "kami/Plan/GroupedPlanner.h"
#include "mlir/IR/IRMapping.h"

namespace kami {

/// Has a block take tiles that are no block's, of products of sizes of their
/// own, while it multiplies others. What it keeps of them is in shared memory,
/// since registers are few.
class TileTaker : IndexMath {
public:
  /// Lists the tile of that number of a product.
  using ListTile = llvm::function_ref<void(mlir::Value at, mlir::Value product,
                                           mlir::Value tile)>;

  /// In the shared memory from `at` on.
  TileTaker(mlir::ImplicitLocOpBuilder &b, GroupedGemmOp op, const Plan &plan,
            const SharedLayout &layout, int64_t at, mlir::IRMapping &values);

  /// Where products' places in the order of all tiles are.
  mlir::Value places();
  /// Keeps how many tiles are no block's.
  void keepLeft(DealTilesOp dealt);
  /// Before the first of `count` tiles that are listed; with the last but one
  /// of those that are dealt, the block takes its first ticket.
  void begin(mlir::Value count, mlir::Value isLast);
  /// How many tiles are listed so far, with those that were taken.
  mlir::Value listed();
  /// Whether the block takes a ticket with its tile of that number.
  mlir::Value takes(mlir::Value number);
  /// Before a tile with which it does: the ticket, which one thread has.
  mlir::Value takeTicket(mlir::Value takes);
  /// Behind it: lists the ticket's tile as the next one of the list.
  void listTaken(mlir::Value ticket, ListTile list);

private:
  /// How many tiles are listed in all, with which one the next ticket is taken,
  /// how many tiles are no block's, and which is the first.
  enum ProgressWord : unsigned {
    ListedWord,
    TakesFromWord,
    LeftWord,
    HeldWord,
    WordCount
  };
  static_assert(WordCount == progressWords);

  mlir::Value compare(mlir::arith::CmpIPredicate how, mlir::Value one,
                      mlir::Value other);
  void enterIf(mlir::Value condition);
  mlir::Value words(int64_t from, int64_t count);
  mlir::Value kept(ProgressWord which);
  void keep(ProgressWord which, mlir::Value value);
  mlir::Value ticketWords();
  int64_t threads();
  void listTile(mlir::Value tile, mlir::Value isThere, mlir::Value lane,
                ListTile list);

  GroupedGemmOp op;
  const Plan &plan;
  const SharedLayout &layout;
  int64_t at;
  mlir::IRMapping &values;
};

} // namespace kami

#endif // KAMI_LIB_TRANSFORMS_TILETAKER_H
