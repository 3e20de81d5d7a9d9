//===- Lanes.h - What a lane knows of itself and its registers -----------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the files of this conversion: where the executing thread stands,
// and the vectors that its part of a fragment became.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CONVERSION_KAMITONVGPU_LANES_H
#define KAMI_LIB_CONVERSION_KAMITONVGPU_LANES_H

#include "kami/IR/KamiOps.h"
#include "kami/Layout/SharedOrder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"

namespace kami::nvgpu_lowering {

class AlignmentAnalysis;
struct CopyAlignment;

/// Lanes of NVIDIA's warps.
constexpr int64_t warpSize = 32;

mlir::Value indexConstant(mlir::ImplicitLocOpBuilder &b, int64_t value);
mlir::Value addIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value left,
                     mlir::Value right);

/// The thread's linear index in the block.
mlir::Value threadIndex(mlir::ImplicitLocOpBuilder &b);
/// The thread's warp and lane, from its linear index in the block.
mlir::Value warpIndex(mlir::ImplicitLocOpBuilder &b);
mlir::Value laneIndex(mlir::ImplicitLocOpBuilder &b);

/// Row, column and layer of the warp in a grid; constants where an extent is 1.
struct Place {
  mlir::Value row, column, layer;
};
Place warpPlace(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<int64_t> grid);

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

/// What the thread has written to shared memory, for instructions of warp
/// groups that read it behind the next barrier.
void fenceForMatrixUnit(mlir::ImplicitLocOpBuilder &b);

/// The f32 value as the nearest tf32 number.
mlir::Value roundToTF32(mlir::ImplicitLocOpBuilder &b, mlir::Value value);

/// What the thread has written to shared memory, the matrix unit reads after
/// the next barrier.
void fenceForMatrixUnit(mlir::ImplicitLocOpBuilder &b);
/// All lanes of the warp wait for each other, and see what they have written.
void syncWarp(mlir::ImplicitLocOpBuilder &b);

/// The flat vector of a lane's registers for one tile. Integers have no sign
/// there.
mlir::VectorType tileType(FragmentType fragment);

/// Whether all lines of the matrix, which go to or come from lines of the tile,
/// begin at multiples of 16 bytes; null if that is known.
mlir::Value areLinesAligned(mlir::ImplicitLocOpBuilder &b, mlir::Value matrix,
                            mlir::Value tile, const CopyAlignment &alignment);
/// The warp's lanes share the copy of the tile, in shared memory, to the
/// matrix.
void copyOutByLanes(mlir::ImplicitLocOpBuilder &b, mlir::Value matrix,
                    mlir::Value tile, mlir::Value areAligned);

void populateElementPatterns(const mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns);
void populateGlobalMemoryPatterns(const mlir::TypeConverter &converter,
                                  const AlignmentAnalysis &alignments,
                                  bool storesMatrices,
                                  mlir::RewritePatternSet &patterns);
/// Products on the lanes' own multiply-adds.
void populateBlockCopyPatterns(const mlir::TypeConverter &converter,
                               const AlignmentAnalysis &alignments,
                               mlir::RewritePatternSet &patterns);
void populateFindProductPatterns(const mlir::TypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);
void populateMultiplyAddPatterns(const mlir::TypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);
void populateSharedMemoryPatterns(const mlir::TypeConverter &converter,
                                  mlir::RewritePatternSet &patterns);
void populateGroupMmaPatterns(const mlir::TypeConverter &converter,
                              mlir::RewritePatternSet &patterns);

} // namespace kami::nvgpu_lowering

#endif // KAMI_LIB_CONVERSION_KAMITONVGPU_LANES_H
