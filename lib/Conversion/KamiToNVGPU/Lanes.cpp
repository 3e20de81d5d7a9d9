//===- Lanes.cpp - What a lane knows of itself and its registers ---------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;
using namespace kami::nvgpu_lowering;
using namespace mlir;

Value nvgpu_lowering::indexConstant(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value).getResult();
}

Value nvgpu_lowering::addIndex(ImplicitLocOpBuilder &b, Value left,
                               Value right) {
  return b.createOrFold<arith::AddIOp>(left, right);
}

/// x, or x + X·(y + Y·z) unless the kernel's blocks are known to be flat.
Value nvgpu_lowering::threadIndex(ImplicitLocOpBuilder &b) {
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

Value nvgpu_lowering::warpIndex(ImplicitLocOpBuilder &b) {
  return arith::DivUIOp::create(b, threadIndex(b), indexConstant(b, warpSize));
}

Value nvgpu_lowering::laneIndex(ImplicitLocOpBuilder &b) {
  return arith::RemUIOp::create(b, threadIndex(b), indexConstant(b, warpSize));
}

Place nvgpu_lowering::warpPlace(ImplicitLocOpBuilder &b,
                                ArrayRef<int64_t> grid) {
  Value rest = warpIndex(b);
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

LaneOrigin nvgpu_lowering::laneOrigin(ImplicitLocOpBuilder &b,
                                      ArrayRef<Coordinate> laneSteps) {
  Value lane = laneIndex(b);
  return {sumOfSteps(b, lane, laneSteps, &Coordinate::row),
          sumOfSteps(b, lane, laneSteps, &Coordinate::column)};
}

LaneOrigin nvgpu_lowering::laneOrigin(ImplicitLocOpBuilder &b,
                                      FragmentType fragment) {
  return laneOrigin(b, fragment.getLaneSteps());
}

VectorType nvgpu_lowering::tileType(FragmentType fragment) {
  return VectorType::get({int64_t(fragment.getMap().valuesPerLane())},
                         fragment.getStorageType());
}

Value nvgpu_lowering::writerIndex(ImplicitLocOpBuilder &b,
                                  const SharedOrder &order) {
  Value lane = laneIndex(b);
  if (order.replicaMask == 0)
    return lane;
  // Each bit that tells writers apart counts, in their order.
  SmallVector<Coordinate> steps;
  for (unsigned bit = 0; 1u << bit != warpSize; ++bit)
    steps.push_back({order.writes(1u << bit) ? order.writer(1u << bit) : 0, 0});
  return sumOfSteps(b, lane, steps, &Coordinate::row);
}

Value nvgpu_lowering::isWriter(ImplicitLocOpBuilder &b,
                               const SharedOrder &order) {
  if (order.replicaMask == 0)
    return {};
  Value replica = arith::AndIOp::create(b, laneIndex(b),
                                        indexConstant(b, order.replicaMask));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, replica,
                               indexConstant(b, 0));
}

void nvgpu_lowering::fenceForMatrixUnit(ImplicitLocOpBuilder &b) {
  NVVM::FenceProxyOp::create(
      b, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

void nvgpu_lowering::syncWarp(ImplicitLocOpBuilder &b) {
  NVVM::SyncWarpOp::create(b,
                           arith::ConstantIntOp::create(b, b.getI32Type(), -1));
}

void nvgpu_lowering::enter(ImplicitLocOpBuilder &b, Value condition) {
  if (condition)
    b.setInsertionPointToStart(
        scf::IfOp::create(b, condition, /*withElseRegion=*/false).thenBlock());
}
