//===- Lanes.cpp - What a lane knows of itself and its registers ---------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Conversion/KamiToLanes/Lanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;
using namespace kami::lanes;
using namespace mlir;

Value lanes::indexConstant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value).getResult();
}

Value lanes::addIndex(ImplicitLocOpBuilder &b, Value left, Value right) {
  return b.createOrFold<arith::AddIOp>(left, right);
}

/// x, or x + X·(y + Y·z) unless the kernel's blocks are known to be flat.
Value lanes::threadIndex(ImplicitLocOpBuilder &b) {
  Value x = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  auto kernel =
      b.getInsertionBlock()->getParentOp()->getParentOfType<gpu::GPUFuncOp>();
  if (!kernel)
    kernel = dyn_cast<gpu::GPUFuncOp>(b.getInsertionBlock()->getParentOp());
  std::optional<ArrayRef<int32_t>> block =
      kernel ? kernel.getKnownBlockSize() : std::nullopt;
  if (block && (*block)[1] == 1 && (*block)[2] == 1)
    return x;
  Value y = gpu::ThreadIdOp::create(b, gpu::Dimension::y);
  Value z = gpu::ThreadIdOp::create(b, gpu::Dimension::z);
  Value extentX = gpu::BlockDimOp::create(b, gpu::Dimension::x);
  Value extentY = gpu::BlockDimOp::create(b, gpu::Dimension::y);
  Value plane =
      arith::AddIOp::create(b, y, arith::MulIOp::create(b, extentY, z));
  return arith::AddIOp::create(b, x, arith::MulIOp::create(b, extentX, plane));
}

Value lanes::warpIndex(ImplicitLocOpBuilder &b, int64_t warpSize) {
  return arith::DivUIOp::create(b, threadIndex(b), indexConstant(b, warpSize));
}

Value lanes::laneIndex(ImplicitLocOpBuilder &b, int64_t warpSize) {
  return arith::RemUIOp::create(b, threadIndex(b), indexConstant(b, warpSize));
}

Place lanes::warpPlace(ImplicitLocOpBuilder &b, ArrayRef<int64_t> grid,
                       int64_t warpSize) {
  Value rest = warpIndex(b, warpSize);
  auto split = [&](int64_t extent) -> Value {
    if (extent == 1)
      return indexConstant(b, 0);
    Value divisor = indexConstant(b, extent);
    Value digit = arith::RemUIOp::create(b, rest, divisor);
    rest = arith::DivUIOp::create(b, rest, divisor);
    return digit;
  };
  Place place;
  place.column = split(grid[1]);
  place.row = split(grid[0]);
  place.layer = grid[2] == 1 ? indexConstant(b, 0) : rest;
  return place;
}

/// The sum of the steps along one dimension: runs of lane bits whose steps
/// double become one shift and mask.
static Value sumOfSteps(ImplicitLocOpBuilder &b, Value lane,
                        ArrayRef<Coordinate> steps,
                        unsigned Coordinate::*dimension) {
  Value sum = indexConstant(b, 0);
  for (unsigned bit = 0; bit != steps.size();) {
    unsigned first = steps[bit].*dimension;
    unsigned length = 1;
    while (bit + length != steps.size() &&
           steps[bit + length].*dimension == first << length)
      ++length;
    if (first != 0) {
      Value digits =
          b.createOrFold<arith::ShRUIOp>(lane, indexConstant(b, bit));
      digits = b.createOrFold<arith::AndIOp>(
          digits, indexConstant(b, (1 << length) - 1));
      digits = b.createOrFold<arith::MulIOp>(digits, indexConstant(b, first));
      sum = addIndex(b, sum, digits);
    }
    bit += first == 0 ? 1 : length;
  }
  return sum;
}

LaneOrigin lanes::laneOrigin(ImplicitLocOpBuilder &b,
                             ArrayRef<Coordinate> laneSteps) {
  Value lane = laneIndex(b, int64_t(1) << laneSteps.size());
  return {sumOfSteps(b, lane, laneSteps, &Coordinate::row),
          sumOfSteps(b, lane, laneSteps, &Coordinate::column)};
}

LaneOrigin lanes::laneOrigin(ImplicitLocOpBuilder &b, FragmentType fragment) {
  return laneOrigin(b, fragment.getLaneSteps());
}

VectorType lanes::tileType(FragmentType fragment) {
  return VectorType::get({int64_t(fragment.getMap().valuesPerLane())},
                         fragment.getStorageType());
}

Value lanes::writerIndex(ImplicitLocOpBuilder &b, const SharedOrder &order) {
  Value lane = laneIndex(b, order.warpSize());
  if (order.replicaMask == 0)
    return lane;
  // Each bit that tells writers apart counts, in their order.
  SmallVector<Coordinate> steps;
  for (unsigned bit = 0; 1u << bit != order.warpSize(); ++bit)
    steps.push_back({order.writes(1u << bit) ? order.writer(1u << bit) : 0, 0});
  return sumOfSteps(b, lane, steps, &Coordinate::row);
}

Value lanes::isWriter(ImplicitLocOpBuilder &b, const SharedOrder &order) {
  if (order.replicaMask == 0)
    return {};
  Value replica = arith::AndIOp::create(b, laneIndex(b, order.warpSize()),
                                        indexConstant(b, order.replicaMask));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, replica,
                               indexConstant(b, 0));
}

Value lanes::groupOf(ImplicitLocOpBuilder &b, const Place &place,
                     ArrayRef<int64_t> grid, BarrierScopeKind scope) {
  auto nth = [&](Value major, int64_t count, Value minor) {
    return addIndex(
        b, b.createOrFold<arith::MulIOp>(major, indexConstant(b, count)),
        minor);
  };
  switch (scope) {
  case BarrierScopeKind::Row:
    return nth(place.layer, grid[0], place.row);
  case BarrierScopeKind::Column:
    return nth(place.layer, grid[1], place.column);
  case BarrierScopeKind::Layer:
    return place.layer;
  case BarrierScopeKind::Block:
    return indexConstant(b, 0);
  }
  llvm_unreachable("covered switch");
}

void lanes::enter(ImplicitLocOpBuilder &b, Value condition) {
  if (condition)
    b.setInsertionPointToStart(
        scf::IfOp::create(b, condition, /*withElseRegion=*/false).thenBlock());
}
