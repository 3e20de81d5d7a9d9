//===- CoreMatrixAccess.cpp -----------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CoreMatrixAccess.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kami;
using namespace kami::lanes;
using namespace kami::nvgpu_lowering;
using namespace mlir;

static constexpr int64_t registerBits = 32;

CoreMatrixAccess::CoreMatrixAccess(FragmentType fragment,
                                   const FragmentWindow &window,
                                   CoreOrder order)
    : fragment(fragment), window(window), order(order) {}

std::optional<CoreMatrixAccess>
CoreMatrixAccess::of(FragmentType fragment, const FragmentWindow &window) {
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(window.matrixType()) ||
      !window.mayAlign(coreLineBytes) || window.repeatsElements() ||
      !fragment.isPlain())
    return std::nullopt;
  std::optional<CoreOrder> order = coreOrderOf(
      fragment.getMap(), window.elementBytes(), *window.adjacentDimension());
  if (!order)
    return std::nullopt;
  return CoreMatrixAccess(fragment, window, *order);
}

int64_t CoreMatrixAccess::perRegister() const {
  return registerBits / (8 * window.elementBytes());
}

int64_t CoreMatrixAccess::coreMatrices() const {
  return fragment.getNumTiles() * fragment.getMap().valuesPerLane() /
         perRegister();
}

std::pair<int64_t, unsigned> CoreMatrixAccess::valueOf(int64_t coreMatrix,
                                                       int64_t position) const {
  int64_t value = coreMatrix * perRegister() + position;
  int64_t perTile = fragment.getMap().valuesPerLane();
  return {value / perTile, value % perTile};
}

MatrixPlace CoreMatrixAccess::corner(int64_t coreMatrix) const {
  auto [tile, value] = valueOf(coreMatrix, 0);
  return window.place(tile, value);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// The bits of a lane's number lead from the first corner to the others, by a
/// step each. So steps must add up, and go neither up nor left, as from a row's
/// last tile to the next one's first.
std::optional<CoreMatrixAccess::Group>
CoreMatrixAccess::groupAt(int64_t first, int64_t count) const {
  if (first + count > coreMatrices())
    return std::nullopt;
  Group group{first, count, {}};
  MatrixPlace origin = corner(first);
  for (int64_t bit = 0; int64_t(1) << bit < count; ++bit) {
    MatrixPlace next = corner(first + (int64_t(1) << bit));
    if (next[0] < origin[0] || next[1] < origin[1])
      return std::nullopt;
    group.steps[bit] = {unsigned(next[0] - origin[0]),
                        unsigned(next[1] - origin[1])};
  }
  if (count == 4) {
    MatrixPlace sum = origin;
    for (Coordinate step : group.steps) {
      sum[0] += step.row;
      sum[1] += step.column;
    }
    if (corner(first + 3) != sum)
      return std::nullopt;
  }
  return group;
}

SmallVector<CoreMatrixAccess::Group> CoreMatrixAccess::groups() const {
  SmallVector<Group> all;
  for (int64_t first = 0; first != coreMatrices(); first += all.back().count) {
    std::optional<Group> group = groupAt(first, 4);
    if (!group)
      group = groupAt(first, 2);
    all.push_back(group.value_or(Group{first, 1, {}}));
  }
  return all;
}

SmallVector<Value> CoreMatrixAccess::indices(ImplicitLocOpBuilder &b,
                                             const Group &group) const {
  // Lane l addresses line l mod 8 of the group's matrix l / 8.
  SmallVector<Coordinate> steps;
  for (unsigned line = 1; line != coreMatrixLines; line *= 2)
    steps.push_back(*window.adjacentDimension() == 1 ? Coordinate{line, 0}
                                                     : Coordinate{0, line});
  llvm::append_range(steps, group.steps);
  return window.lineIndices(b, laneOrigin(b, steps), corner(group.first));
}

VectorType CoreMatrixAccess::vectorType(const Group &group,
                                        Type element) const {
  return VectorType::get({group.count, perRegister()}, element);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

std::map<MatrixPlace, Value>
CoreMatrixAccess::load(ImplicitLocOpBuilder &b) const {
  std::map<MatrixPlace, Value> elements;
  for (const Group &group : groups()) {
    Value registers = nvgpu::LdMatrixOp::create(
        b, vectorType(group, window.elementType()), window.lineMatrix(),
        indices(b, group), /*transpose=*/order == CoreOrder::Transposed,
        /*numTiles=*/group.count);
    for (int64_t i = 0; i != group.count; ++i)
      for (int64_t position = 0; position != perRegister(); ++position) {
        auto [tile, value] = valueOf(group.first + i, position);
        elements[window.place(tile, value)] = vector::ExtractOp::create(
            b, registers, ArrayRef<int64_t>{i, position});
      }
  }
  return elements;
}

void CoreMatrixAccess::store(ImplicitLocOpBuilder &b, ValueRange tiles,
                             llvm::function_ref<Value(Value)> convert) const {
  for (const Group &group : groups()) {
    SmallVector<Value> elements;
    for (int64_t i = 0; i != group.count; ++i)
      for (int64_t position = 0; position != perRegister(); ++position) {
        auto [tile, value] = valueOf(group.first + i, position);
        elements.push_back(
            vector::ExtractOp::create(b, tiles[tile], int64_t(value)));
      }
    Value registers = convert(vector::FromElementsOp::create(
        b, vectorType(group, elements.front().getType()), elements));
    StMatrixOp::create(b, registers, window.lineMatrix(), indices(b, group),
                       /*transpose=*/order == CoreOrder::Transposed);
  }
}
