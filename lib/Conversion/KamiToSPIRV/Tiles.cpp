//===- Tiles.cpp - Tiles as matrices and as lanes' elements ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace kami;
using namespace kami::spirv_lowering;
using namespace mlir;

TileShape::TileShape(FragmentType fragment)
    : rows(fragment.getAtom().getRows(fragment.getRole())),
      columns(fragment.getAtom().getColumns(fragment.getRole())),
      lanes(fragment.getAtom().getLanes()) {}

std::pair<Value, Value> TileShape::place(ImplicitLocOpBuilder &b,
                                         int64_t v) const {
  Value lane = gpu::LaneIdOp::create(b, /*upper_bound=*/IntegerAttr());
  Value element = addIndex(b, lane, indexConstant(b, v * lanes));
  Value width = indexConstant(b, columns);
  return {b.createOrFold<arith::DivUIOp>(element, width),
          b.createOrFold<arith::RemUIOp>(element, width)};
}

spirv::CooperativeMatrixType spirv_lowering::matrixType(FragmentType fragment) {
  using Use = spirv::CooperativeMatrixUseKHR;
  TileShape shape(fragment);
  Role role = fragment.getRole();
  return spirv::CooperativeMatrixType::get(fragment.getStorageType(),
                                           shape.rows, shape.columns,
                                           spirv::Scope::Subgroup,
                                           role == Role::A   ? Use::MatrixA
                                           : role == Role::B ? Use::MatrixB
                                                             : Use::MatrixAcc);
}

void spirv_lowering::appendTypes(FragmentType fragment,
                                 SmallVectorImpl<Type> &types) {
  if (fragment.hasAtomElementType())
    types.append(fragment.getNumTiles(), matrixType(fragment));
  else
    types.append(fragment.getNumTiles() * TileShape(fragment).perLane(),
                 fragment.getStorageType());
}

void spirv_lowering::syncWarp(ImplicitLocOpBuilder &b,
                              const KernelContext &kernel) {
  using Semantics = spirv::MemorySemantics;
  Semantics semantics = Semantics::AcquireRelease | Semantics::WorkgroupMemory;
  // Where Vulkan's memory model holds, writes are made available and visible
  // explicitly ("Availability and Visibility Semantics").
  if (kernel.flavor() == SpirvFlavor::Vulkan)
    semantics = semantics | Semantics::MakeAvailable | Semantics::MakeVisible;
  if (kernel.chip.lockstepWarps)
    spirv::MemoryBarrierOp::create(b, spirv::Scope::Subgroup, semantics);
  else
    spirv::ControlBarrierOp::create(b, spirv::Scope::Subgroup,
                                    spirv::Scope::Subgroup, semantics);
}

//===----------------------------------------------------------------------===//
// Matrices in workgroup memory
//===----------------------------------------------------------------------===//

/// Of memory that other lanes wrote, or will read.
static spirv::MemoryAccessAttr sharedAccess(ImplicitLocOpBuilder &b,
                                            SpirvFlavor flavor) {
  if (flavor != SpirvFlavor::Vulkan)
    return {};
  return spirv::MemoryAccessAttr::get(b.getContext(),
                                      spirv::MemoryAccess::NonPrivatePointer);
}

namespace {
/// A matrix in rows of a variable, `pitch` elements from one to the next.
struct MatrixInRows {
  Value pointer, stride;

  MatrixInRows(ImplicitLocOpBuilder &b, const KernelContext &kernel,
               Value variable, Value first, int64_t pitch,
               spirv::CooperativeMatrixType type) {
    int64_t elements = elementsPerWord(variable, type.getElementType());
    pointer = elementPointer(
        b, variable,
        b.createOrFold<arith::DivUIOp>(first, indexConstant(b, elements)),
        kernel.flavor());
    stride = arith::ConstantIntOp::create(b, b.getI32Type(), pitch / elements);
  }
};
} // namespace

Value spirv_lowering::loadTile(ImplicitLocOpBuilder &b,
                               const KernelContext &kernel, Value variable,
                               Value first, int64_t pitch,
                               FragmentType fragment) {
  spirv::CooperativeMatrixType type = matrixType(fragment);
  MatrixInRows matrix(b, kernel, variable, first, pitch, type);
  return spirv::KHRCooperativeMatrixLoadOp::create(
      b, type, matrix.pointer, spirv::CooperativeMatrixLayoutKHR::RowMajor,
      matrix.stride, sharedAccess(b, kernel.flavor()),
      /*alignment=*/IntegerAttr());
}

void spirv_lowering::storeTile(ImplicitLocOpBuilder &b,
                               const KernelContext &kernel, Value variable,
                               Value first, int64_t pitch, Value tile) {
  auto type = cast<spirv::CooperativeMatrixType>(tile.getType());
  MatrixInRows matrix(b, kernel, variable, first, pitch, type);
  spirv::KHRCooperativeMatrixStoreOp::create(
      b, matrix.pointer, tile, spirv::CooperativeMatrixLayoutKHR::RowMajor,
      matrix.stride, sharedAccess(b, kernel.flavor()),
      /*alignment=*/IntegerAttr());
}

//===----------------------------------------------------------------------===//
// Between matrices and lanes
//===----------------------------------------------------------------------===//

/// The position of the lane's v-th element where the warp stages a tile.
static Value stagedElement(ImplicitLocOpBuilder &b, Value first,
                           const TileShape &shape, int64_t v) {
  Value lane = gpu::LaneIdOp::create(b, /*upper_bound=*/IntegerAttr());
  return addIndex(b, first,
                  addIndex(b, lane, indexConstant(b, v * shape.lanes)));
}

SmallVector<Value> spirv_lowering::spread(ImplicitLocOpBuilder &b,
                                          const KernelContext &kernel,
                                          FragmentType fragment, Value tile) {
  Type element = fragment.getStorageType();
  Value variable = kernel.memory.staging(element);
  Value first = kernel.memory.stagingOffset(b, element);
  TileShape shape(fragment);
  // What was staged before has been read by all.
  syncWarp(b, kernel);
  storeTile(b, kernel, variable, first, shape.columns, tile);
  syncWarp(b, kernel);
  SmallVector<Value> elements;
  for (int64_t v = 0; v != shape.perLane(); ++v)
    elements.push_back(
        memref::LoadOp::create(b, variable, stagedElement(b, first, shape, v)));
  return elements;
}

Value spirv_lowering::gather(ImplicitLocOpBuilder &b,
                             const KernelContext &kernel, FragmentType fragment,
                             ValueRange elements) {
  Type element = fragment.getStorageType();
  Value variable = kernel.memory.staging(element);
  Value first = kernel.memory.stagingOffset(b, element);
  TileShape shape(fragment);
  syncWarp(b, kernel);
  for (auto [v, value] : llvm::enumerate(elements))
    memref::StoreOp::create(b, value, variable,
                            stagedElement(b, first, shape, v));
  syncWarp(b, kernel);
  return loadTile(b, kernel, variable, first, shape.columns, fragment);
}

SmallVector<Value> spirv_lowering::elementsOf(ImplicitLocOpBuilder &b,
                                              const KernelContext &kernel,
                                              FragmentType fragment,
                                              ValueRange values, int64_t tile) {
  if (fragment.hasAtomElementType())
    return spread(b, kernel, fragment, values[tile]);
  int64_t count = TileShape(fragment).perLane();
  return llvm::to_vector(values.slice(tile * count, count));
}

void spirv_lowering::appendTile(ImplicitLocOpBuilder &b,
                                const KernelContext &kernel,
                                FragmentType fragment, ValueRange elements,
                                SmallVectorImpl<Value> &values) {
  if (fragment.hasAtomElementType())
    values.push_back(gather(b, kernel, fragment, elements));
  else
    llvm::append_range(values, elements);
}
