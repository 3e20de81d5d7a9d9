//===- Lanes.h - What a lane knows of itself and its registers -----------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What conversions to lanes of any vendor's warps share: where the executing
// thread stands, and the vectors that its part of a fragment became.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_CONVERSION_KAMITOLANES_LANES_H
#define KAMI_CONVERSION_KAMITOLANES_LANES_H

#include "kami/IR/KamiOps.h"
#include "kami/Layout/SharedOrder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"

namespace kami::lanes {

mlir::Value indexConstant(mlir::ImplicitLocOpBuilder &b, int64_t value);
mlir::Value addIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value left,
                     mlir::Value right);

/// The thread's linear index in the block.
mlir::Value threadIndex(mlir::ImplicitLocOpBuilder &b);
/// The thread's warp and lane, from its linear index in the block, if warps
/// have so many lanes.
mlir::Value warpIndex(mlir::ImplicitLocOpBuilder &b, int64_t warpSize);
mlir::Value laneIndex(mlir::ImplicitLocOpBuilder &b, int64_t warpSize);

/// Row, column and layer of the warp in a grid; constants where an extent is 1.
struct Place {
  mlir::Value row, column, layer;
};
Place warpPlace(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<int64_t> grid,
                int64_t warpSize);
/// The number of a warp's group among those of the scope.
mlir::Value groupOf(mlir::ImplicitLocOpBuilder &b, const Place &place,
                    llvm::ArrayRef<int64_t> grid, BarrierScopeKind scope);

/// Where the lane's 0-th value of a tile lies in it. That of value v is as far
/// from there as `map.at(0, v)` from the origin, because maps are linear.
struct LaneOrigin {
  mlir::Value row, column;
};
LaneOrigin laneOrigin(mlir::ImplicitLocOpBuilder &b, FragmentType fragment);
/// The sum of the steps whose bits are set in the lane's number.
LaneOrigin laneOrigin(mlir::ImplicitLocOpBuilder &b,
                      llvm::ArrayRef<Coordinate> laneSteps);

/// The lane's number among those that write to shared memory, and whether it is
/// one of them; null where all are.
mlir::Value writerIndex(mlir::ImplicitLocOpBuilder &b,
                        const SharedOrder &order);
mlir::Value isWriter(mlir::ImplicitLocOpBuilder &b, const SharedOrder &order);

/// Goes on where the condition holds, if there is one.
void enter(mlir::ImplicitLocOpBuilder &b, mlir::Value condition);

/// What two ways of doing the same thing give: the first where the condition
/// holds, or there is none.
template <typename First, typename Second>
llvm::SmallVector<mlir::Value>
choose(mlir::ImplicitLocOpBuilder &b, mlir::Value condition,
       mlir::TypeRange types, First first, Second second) {
  if (!condition || mlir::matchPattern(condition, mlir::m_One()))
    return first();
  if (mlir::matchPattern(condition, mlir::m_Zero()))
    return second();
  auto choice =
      mlir::scf::IfOp::create(b, types, condition, /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(choice.thenBlock());
  llvm::SmallVector<mlir::Value> values = first();
  if (!types.empty())
    mlir::scf::YieldOp::create(b, values);
  b.setInsertionPointToStart(choice.elseBlock());
  values = second();
  if (!types.empty())
    mlir::scf::YieldOp::create(b, values);
  return choice.getResults();
}

/// The flat vector of a lane's registers for one tile. Integers have no sign
/// there.
mlir::VectorType tileType(FragmentType fragment);

} // namespace kami::lanes

#endif // KAMI_CONVERSION_KAMITOLANES_LANES_H
