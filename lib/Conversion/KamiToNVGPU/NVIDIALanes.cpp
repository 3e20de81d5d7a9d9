//===- NVIDIALanes.cpp - What NVIDIA's lanes do in their own ways -------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NVIDIALanes.h"
#include "CoreMatrixAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kami;
using namespace kami::lanes;
using namespace kami::nvgpu_lowering;
using namespace mlir;

/// Barrier 0 is the block's.
void NVIDIALanes::wait(ImplicitLocOpBuilder &b, const Place &place,
                       ArrayRef<int64_t> sizes, BarrierScopeKind scope) const {
  constexpr int64_t namedBarriers = 15;
  WarpGrid grid = {sizes[0], sizes[1], sizes[2]};
  int64_t warps = warpsWithin(grid, toScope(scope));
  if (warps == grid.warps() || grid.warps() / warps > namedBarriers) {
    gpu::BarrierOp::create(b);
    return;
  }
  Value name =
      addIndex(b, groupOf(b, place, sizes, scope), indexConstant(b, 1));
  Value threads = arith::ConstantIntOp::create(
      b, b.getI32Type(), warps * nvgpu_lowering::warpSize);
  NVVM::BarrierOp::create(b, TypeRange(),
                          arith::IndexCastUIOp::create(b, b.getI32Type(), name),
                          threads, NVVM::BarrierReductionAttr(), Value());
}

void NVIDIALanes::startCopy(ImplicitLocOpBuilder &b, Value from, ValueRange at,
                            Value to, ValueRange toAt, Value exists) const {
  if (!copiesAsync)
    return LaneTarget::startCopy(b, from, at, to, toAt, exists);
  Value count = arith::IndexCastUIOp::create(b, b.getIndexType(), exists);
  nvgpu::DeviceAsyncCopyOp::create(
      b, nvgpu::DeviceAsyncTokenType::get(b.getContext()), to, toAt, from, at,
      /*dstElements=*/b.getIndexAttr(1), /*srcElements=*/count,
      /*bypassL1=*/UnitAttr());
}

void NVIDIALanes::waitForCopies(ImplicitLocOpBuilder &b) const {
  if (!copiesAsync)
    return;
  NVVM::CpAsyncCommitGroupOp::create(b);
  NVVM::CpAsyncWaitGroupOp::create(b, /*n=*/0);
}

Value NVIDIALanes::held(ImplicitLocOpBuilder &b, FragmentType fragment,
                        Value element) const {
  bool rounds = fragment.getRole() != Role::C &&
                fragment.hasAtomElementType() &&
                fragment.getAtom().roundsToTF32();
  // Floats narrower than f32 are numbers of tf32.
  return rounds && element.getType().isF32() ? rounding.factor(b, element)
                                             : element;
}

static std::unique_ptr<LineAccess> coreMatrices(FragmentType fragment,
                                                const FragmentWindow &window) {
  std::optional<CoreMatrixAccess> access =
      CoreMatrixAccess::of(fragment, window);
  return access ? std::make_unique<CoreMatrixAccess>(*access) : nullptr;
}

std::unique_ptr<LineAccess>
NVIDIALanes::linesToLoad(FragmentType fragment,
                         const FragmentWindow &window) const {
  return coreMatrices(fragment, window);
}

std::unique_ptr<LineAccess>
NVIDIALanes::linesToStore(FragmentType fragment,
                          const FragmentWindow &window) const {
  return storesMatrices ? coreMatrices(fragment, window) : nullptr;
}

/// The bits of `value` that `mask` keeps.
static Value keepBits(ImplicitLocOpBuilder &b, Value value, uint32_t mask) {
  Value bits = arith::BitcastOp::create(b, b.getI32Type(), value);
  bits = arith::AndIOp::create(
      b, bits, arith::ConstantIntOp::create(b, b.getI32Type(), mask));
  return arith::BitcastOp::create(b, value.getType(), bits);
}

/// `cvt.rn.tf32` is an instruction of the chips that have it. `cvt.rna.tf32` is
/// three on all of them, one under a predicate, of which there are too few to
/// round several elements at once; a mask and a multiply-add need none. Half a
/// unit of the last bit that counts is 2^-11 of the power of two that sign and
/// exponent are. Infinities and NaNs stay what they are.
Value TF32Rounding::factor(ImplicitLocOpBuilder &b, Value value) const {
  if (hasInstruction)
    return arith::BitcastOp::create(
        b, value.getType(),
        NVVM::ConvertFloatToTF32Op::create(b, b.getI32Type(), value,
                                           NVVM::FPRoundingMode::RN));
  Value power = keepBits(b, value, 0xFF800000);
  Value half =
      arith::ConstantOp::create(b, b.getFloatAttr(value.getType(), 0x1p-11));
  return math::FmaOp::create(b, power, half, value);
}

Value TF32Rounding::factors(ImplicitLocOpBuilder &b, Value vector) const {
  auto type = cast<VectorType>(vector.getType());
  SmallVector<Value> elements;
  for (int64_t i = 0; i != type.getNumElements(); ++i)
    elements.push_back(factor(b, vector::ExtractOp::create(b, vector, i)));
  return vector::FromElementsOp::create(b, type, elements);
}

Value TF32Rounding::number(ImplicitLocOpBuilder &b, Value value) const {
  Value rounded = factor(b, value);
  return hasInstruction ? rounded : keepBits(b, rounded, 0xFFFFE000);
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

Value nvgpu_lowering::shiftWords(ImplicitLocOpBuilder &b, Value low, Value high,
                                 Value bits) {
  return LLVM::FshrOp::create(b, b.getI32Type(), high, low, bits);
}
