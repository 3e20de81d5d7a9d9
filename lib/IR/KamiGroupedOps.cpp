//===- KamiGroupedOps.cpp - Products of many sizes ------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementRegion.h"
#include "ProductTypes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;
using namespace mlir;

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// (C2), (C3)
static LogicalResult verifyArrays(GroupedGemmOp op) {
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<MemRefType>(operand.getType());
        type && !type.getLayout().isIdentity())
      return op.emitOpError("expected contiguous memrefs, but got ") << type;
  int64_t count = ShapedType::kDynamic;
  auto verifyCount = [&](Value array) -> LogicalResult {
    auto type = dyn_cast_or_null<MemRefType>(array ? array.getType() : Type());
    if (!type || type.getRank() == 0 || type.isDynamicDim(0))
      return success();
    if (!ShapedType::isDynamic(count) && type.getDimSize(0) != count)
      return op.emitOpError("expected one number of products, but got ")
             << count << " and " << type.getDimSize(0);
    count = type.getDimSize(0);
    return success();
  };
  SmallVector<Value> arrays = {op.getM(),     op.getN(),   op.getK(),
                               op.getAAt(),   op.getBAt(), op.getCAt(),
                               op.getAlpha(), op.getBeta()};
  llvm::append_range(arrays, op.getLeading());
  for (Value array : arrays)
    if (failed(verifyCount(array)))
      return failure();
  return success();
}

SmallVector<AffineMap> GroupedGemmOp::getElementMaps(Role role) {
  assert(role == Role::C && "only C has a region");
  if (!getEpilogueMaps())
    return {};
  return llvm::to_vector(getEpilogueMaps()->getAsValueRange<AffineMapAttr>());
}

/// (C6)
static LogicalResult verifyEpilogue(GroupedGemmOp op) {
  OperandRange operands = op.getEpilogueOperands();
  SmallVector<AffineMap> maps = op.getElementMaps(Role::C);
  if (!op.hasElementRegion(Role::C)) {
    if (operands.empty() && maps.empty())
      return success();
    return op.emitOpError(
        "expected no operands without a region for the epilogue");
  }
  if (operands.size() != maps.size())
    return op.emitOpError("expected a map for each of the ")
           << operands.size() << " operands of the epilogue, but got "
           << maps.size();
  SmallVector<Type> arguments = {op.getAccumulator()};
  int64_t domain[] = {cast<MemRefType>(op.getM().getType()).getDimSize(0),
                      ShapedType::kDynamic, ShapedType::kDynamic};
  for (auto [operand, map] : llvm::zip_equal(operands, maps)) {
    if (isa<TensorType>(operand.getType()))
      return op.emitOpError("expected operands of the epilogue in memrefs, or "
                            "scalars, but got ")
             << operand.getType();
    if (failed(verifyElementMap(op, "epilogue", operand, map, domain)))
      return failure();
    arguments.push_back(getElementTypeOrSelf(operand.getType()));
  }
  return verifyElementRegion(op, "epilogue", op.getEpilogue(), arguments,
                             op.getElementType(Role::C));
}

LogicalResult GroupedGemmOp::verify() {
  for (auto [scale, name] :
       {std::pair(getAlpha(), "alpha"), std::pair(getBeta(), "beta")})
    if (scale && getElementTypeOrSelf(scale.getType()) != getAccumulator())
      return emitOpError("expected ")
             << name << " of the accumulator's type " << getAccumulator()
             << ", but got " << scale.getType();
  if (failed(verifyProductTypes(
          *this, {getElementType(Role::A), getElementType(Role::B),
                  getElementType(Role::C), getAccumulator(),
                  /*convertsC=*/!hasElementRegion(Role::C) || getBeta(),
                  getPrecision(), getUnsignedA(), getUnsignedB()})) ||
      failed(verifyArrays(*this)) || failed(verifyEpilogue(*this)))
    return failure();
  if (size_t given = getLeading().size(); given != 0 && given != 3)
    return emitOpError(
               "expected three leading dimensions, A's, B's and C's, or "
               "none, but got ")
           << given;
  if (std::optional<ArrayRef<int64_t>> typical = getTypical()) {
    constexpr int64_t most = int64_t(1) << 31;
    if (typical->size() != 3)
      return emitOpError("expected three typical extents, m, n and k, but got ")
             << typical->size();
    for (int64_t extent : *typical)
      if (extent < 1 || extent > most)
        return emitOpError("expected typical extents from 1 to ")
               << most << ", but got " << extent;
  }
  return success();
}

void GroupedGemmOp::getEffects(Effects &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()) &&
        (operand.get() != getC() || getBeta()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  effects.emplace_back(MemoryEffects::Write::get(), &getCMutable());
}

int64_t DealTilesOp::depthClass(int64_t tiles) {
  constexpr int64_t leading = 3, firstOfMany = 4;
  if (tiles < firstOfMany)
    return tiles;
  int64_t shift = llvm::Log2_64(tiles) - (leading - 1);
  return std::min(firstOfMany * shift + (tiles >> shift), depthClasses - 1);
}

int64_t DealTilesOp::dealtOf(int64_t all, int64_t held) {
  int64_t dealt = std::max(all - held, dealtAnyhow);
  int64_t beyond = dealt % listedTogether;
  return beyond < dealtAnyhow ? dealt - beyond : dealt;
}

int64_t DealTilesOp::countingThreads(int64_t threads) {
  // More would need more scratch than some plans have tiles.
  return std::min<int64_t>(threads, 128);
}

int64_t DealTilesOp::countBytes(int64_t threads) {
  // A count for each class, and one that keeps threads out of each other's
  // banks.
  constexpr int64_t warp = 32, counts = depthClasses + 1;
  int64_t counting = countingThreads(threads);
  int64_t bytes =
      (counting * counts + counting / warp) * int64_t(sizeof(int32_t));
  return llvm::alignTo(bytes, sizeof(int64_t));
}

int64_t DealTilesOp::turnBytes(int64_t threads) {
  constexpr int64_t sizes = 3;
  return sizes * countingThreads(threads) * int64_t(sizeof(int64_t));
}

/// Whether a block has so many threads.
static LogicalResult verifyThreads(Operation *op, int64_t threads) {
  constexpr int64_t warp = 32, most = 1024;
  if (threads < 1 || threads > most || threads % warp != 0)
    return op->emitOpError("expected whole warps of ")
           << warp << " threads, " << most << " at most, but got " << threads;
  return success();
}

static LogicalResult verifyBlocks(Operation *op, int64_t blocks) {
  if (blocks < 1)
    return op->emitOpError(
               "expected the number of blocks to be positive, but got ")
           << blocks;
  return success();
}

LogicalResult DealTilesOp::verify() {
  if (getExtents().size() != 3)
    return emitOpError("expected three extents of a tile, but got ")
           << getExtents().size();
  for (int64_t extent : getExtents())
    if (extent < 1)
      return emitOpError("expected a tile's extents to be positive, but got ")
             << extent;
  if (failed(verifyBlocks(*this, getBlocks())) ||
      failed(verifyThreads(*this, getThreads())))
    return failure();
  auto dealt = cast<MemRefType>(getDealt().getType());
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(dealt) ||
      !dealt.hasStaticShape() || dealt.getDimSize(0) < 1 ||
      dealt.getDimSize(1) != 2 || !dealt.getLayout().isIdentity())
    return emitOpError("expected rows of a product and a tile in workgroup "
                       "memory, but got ")
           << dealt;
  auto type = cast<MemRefType>(getScratch().getType());
  SmallVector<int64_t> strides;
  int64_t offset, bytes = scratchBytes(getThreads(), /*turns=*/1);
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) ||
      failed(type.getStridesAndOffset(strides, offset)) || offset != 0 ||
      !type.hasStaticShape() || type.getDimSize(0) < bytes)
    return emitOpError("expected at least ")
           << bytes << " bytes of workgroup memory, but got " << type;
  int64_t held = getHeld();
  if (held < 0 || (held > 0) != bool(getRest()))
    return emitOpError("expected a place for the rest where turns are held, "
                       "but got ")
           << held << " turns";
  if (!getRest())
    return success();
  auto rest = cast<MemRefType>(getRest().getType());
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(rest) ||
      !rest.hasStaticShape() || !rest.getLayout().isIdentity())
    return emitOpError("expected the rest in workgroup memory, dense, but got ")
           << rest;
  return success();
}

/// The words that a block keeps of its launch's counter.
static LogicalResult verifyWords(Operation *op, Value words) {
  auto type = cast<MemRefType>(words.getType());
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) ||
      !type.hasStaticShape() || type.getDimSize(0) != 2 ||
      !type.getLayout().isIdentity())
    return op->emitOpError("expected two words in workgroup memory, but got ")
           << type;
  return success();
}

LogicalResult OpenTicketsOp::verify() {
  if (failed(verifyThreads(*this, getThreads())))
    return failure();
  return verifyWords(*this, getWords());
}

/// Of a ticket of one of so many blocks.
template <typename TicketOp> static LogicalResult verifyTicket(TicketOp op) {
  if (failed(verifyThreads(op, op.getThreads())) ||
      failed(verifyBlocks(op, op.getBlocks())))
    return failure();
  return verifyWords(op, op.getWords());
}

LogicalResult TakeTicketOp::verify() { return verifyTicket(*this); }

LogicalResult PublishTicketOp::verify() { return verifyTicket(*this); }

void DealTilesOp::getEffects(Effects &effects) {
  for (OpOperand *sizes : {&getMMutable(), &getNMutable(), &getKMutable()})
    effects.emplace_back(MemoryEffects::Read::get(), sizes);
  for (OpOperand *written : {&getDealtMutable(), &getScratchMutable()})
    effects.emplace_back(MemoryEffects::Write::get(), written);
  if (getRest())
    effects.emplace_back(MemoryEffects::Write::get(), &getRestMutable()[0]);
  // Of the barriers.
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}
