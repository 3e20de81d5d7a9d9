//===- Alignment.cpp ------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Conversion/KamiToLanes/Alignment.h"
#include "kami/Conversion/KamiToLanes/Lanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;
using namespace kami::lanes;
using namespace mlir;

static constexpr int64_t maxDivisor = int64_t(1) << 16;
/// Chains of index arithmetic longer than this are not followed.
static constexpr unsigned maxDepth = 12;

/// Bytes to which dynamic shared memory is aligned without any promise: PTX's
/// bank width times the widest access.
static constexpr int64_t sharedAlignment = 16;

static int64_t divisorOf(int64_t value) {
  return value == 0 ? maxDivisor : std::min(maxDivisor, value & -value);
}

static int64_t product(int64_t left, int64_t right) {
  return std::min(maxDivisor, left * right);
}

static int64_t divisorOf(Value index, unsigned depth);

static int64_t divisorOf(OpFoldResult value, unsigned depth) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return divisorOf(*constant);
  return divisorOf(cast<Value>(value), depth);
}

/// Of what a loop counts.
static int64_t divisorOfArgument(BlockArgument argument, unsigned depth) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument != loop.getInductionVar())
    return 1;
  return std::min(divisorOf(loop.getLowerBound(), depth),
                  divisorOf(loop.getStep(), depth));
}

static int64_t divisorOf(Value index, unsigned depth) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return divisorOf(*constant);
  if (depth == 0)
    return 1;
  --depth;
  if (auto argument = dyn_cast<BlockArgument>(index))
    return divisorOfArgument(argument, depth);
  Operation *op = index.getDefiningOp();
  auto operand = [&](unsigned i) {
    return divisorOf(op->getOperand(i), depth);
  };
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MinUIOp,
            arith::MaxSIOp, arith::MaxUIOp, arith::RemUIOp, arith::RemSIOp>(
          [&](Operation *) { return std::min(operand(0), operand(1)); })
      .Case([&](arith::MulIOp) { return product(operand(0), operand(1)); })
      .Case([&](arith::SelectOp) { return std::min(operand(1), operand(2)); })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>(
          [&](Operation *) { return operand(0); })
      .Default(int64_t(1));
}

int64_t lanes::divisorOf(OpFoldResult index) {
  return ::divisorOf(index, maxDepth);
}

static ConstantIntRanges rangeOf(Value value, unsigned depth) {
  Type type = value.getType();
  unsigned width = ConstantIntRanges::getStorageBitwidth(type);
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return ConstantIntRanges::constant(
        APInt(width, *constant, /*isSigned=*/true));
  auto result = dyn_cast<OpResult>(value);
  if (!result || depth == 0)
    return ConstantIntRanges::maxRange(width);
  ConstantIntRanges range = ConstantIntRanges::maxRange(width);
  auto op = dyn_cast<InferIntRangeInterface>(result.getOwner());
  if (!op || !llvm::all_of(op->getOperandTypes(), llvm::IsaPred<IndexType>))
    return range;
  auto operands = llvm::map_to_vector(op->getOperands(), [&](Value operand) {
    return rangeOf(operand, depth - 1);
  });
  op.inferResultRanges(operands,
                       [&](Value of, const ConstantIntRanges &inferred) {
                         if (of == value)
                           range = inferred;
                       });
  return range;
}

std::optional<int64_t> lanes::largestOf(Value index) {
  // Sums of what is larger than any extent may overflow.
  constexpr unsigned mostBits = 32;
  ConstantIntRanges range = rangeOf(index, maxDepth);
  if (range.smin().isNegative() || range.smax().getActiveBits() > mostBits)
    return std::nullopt;
  return range.smax().getSExtValue();
}

static int64_t elementBytes(MemRefType type) {
  Type element = type.getElementType();
  int64_t bits = element.isIndex() ? 64 : 8;
  if (auto vector = dyn_cast<VectorType>(element))
    bits = vector.getNumElements() * vector.getElementTypeBitWidth();
  else if (element.isIntOrFloat())
    bits = element.getIntOrFloatBitWidth();
  return std::max<int64_t>(bits / 8, 1);
}

/// Of a subview's first element within its source, in bytes.
static int64_t divisorOfOffset(memref::SubViewOp op) {
  MemRefType type = op.getSourceType();
  SmallVector<int64_t> strides;
  int64_t offset, all = maxDivisor;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return 1;
  for (auto [start, stride] : llvm::zip_equal(op.getMixedOffsets(), strides)) {
    int64_t step = ShapedType::isDynamic(stride) ? 1 : divisorOf(stride);
    all = std::min(all, product(divisorOf(start, maxDepth), step));
  }
  return product(all, divisorOf(elementBytes(type)));
}

/// Of a kernel's argument or its workgroup memory, as an attribute promises.
static int64_t promisedAlignment(BlockArgument argument) {
  auto kernel = dyn_cast<gpu::GPUFuncOp>(argument.getOwner()->getParentOp());
  if (!kernel)
    return 1;
  StringRef name = LLVM::LLVMDialect::getAlignAttrName();
  unsigned number = argument.getArgNumber();
  unsigned arguments = kernel.getNumArguments();
  IntegerAttr align;
  if (number < arguments)
    align = kernel.getArgAttrOfType<IntegerAttr>(number, name);
  else if (number < arguments + kernel.getNumWorkgroupAttributions())
    align = dyn_cast_or_null<IntegerAttr>(
        kernel.getWorkgroupAttributionAttr(number - arguments, name));
  return align ? divisorOf(align.getInt()) : 1;
}

/// A memref's first element is as far from its buffer's as the type says.
static int64_t divisorOfStart(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset))
    return 1;
  return product(divisorOf(offset), divisorOf(elementBytes(type)));
}

/// Of the address of a memref's first element.
static int64_t knownAlignment(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t natural = divisorOf(elementBytes(type));
  if (auto argument = dyn_cast<BlockArgument>(memref))
    return std::max(
        natural, std::min(promisedAlignment(argument), divisorOfStart(type)));
  int64_t known =
      llvm::TypeSwitch<Operation *, int64_t>(memref.getDefiningOp())
          // The promise is the buffer's.
          .Case([&](memref::AssumeAlignmentOp op) {
            return std::max(
                knownAlignment(op.getMemref()),
                std::min(divisorOf(op.getAlignment()), divisorOfStart(type)));
          })
          .Case([&](memref::SubViewOp op) {
            return std::min(knownAlignment(op.getSource()),
                            divisorOfOffset(op));
          })
          .Case([&](memref::ViewOp op) {
            return std::min(knownAlignment(op.getSource()),
                            divisorOf(op.getByteShift(), maxDepth));
          })
          .Case<AsRealOp, memref::CastOp, memref::TransposeOp,
                memref::CollapseShapeOp, memref::ExpandShapeOp,
                memref::MemorySpaceCastOp>(
              [&](Operation *op) { return knownAlignment(op->getOperand(0)); })
          .Case([&](arith::SelectOp op) {
            return std::min(knownAlignment(op.getTrueValue()),
                            knownAlignment(op.getFalseValue()));
          })
          .Case([&](gpu::DynamicSharedMemoryOp) { return sharedAlignment; })
          .Default(int64_t(1));
  return std::max(natural, known);
}

/// Of an extent of a memref.
static int64_t divisorOfExtent(Value memref, unsigned dim) {
  int64_t size = cast<MemRefType>(memref.getType()).getDimSize(dim);
  if (!ShapedType::isDynamic(size))
    return divisorOf(size);
  Operation *op = memref.getDefiningOp();
  if (!op)
    return 1;
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([&](memref::TransposeOp op) {
        return divisorOfExtent(op.getIn(),
                               op.getPermutation().getDimPosition(dim));
      })
      .Case([&](memref::SubViewOp op) {
        SmallVector<OpFoldResult> kept;
        for (auto [source, extent] : llvm::enumerate(op.getMixedSizes()))
          if (!op.getDroppedDims().test(source))
            kept.push_back(extent);
        return divisorOf(kept[dim], maxDepth);
      })
      .Case([&](memref::ReinterpretCastOp op) {
        return divisorOf(op.getMixedSizes()[dim], maxDepth);
      })
      .Case([&](arith::SelectOp op) {
        return std::min(divisorOfExtent(op.getTrueValue(), dim),
                        divisorOfExtent(op.getFalseValue(), dim));
      })
      .Default(int64_t(1));
}

AlignmentAnalysis::AlignmentAnalysis(Operation *root) {
  auto add = [&](Operation *op, Value matrix, Value row, Value column) {
    known[op] = {knownAlignment(matrix),
                 {divisorOf(row), divisorOf(column)},
                 {divisorOfExtent(matrix, 0), divisorOfExtent(matrix, 1)}};
  };
  root->walk(
      [&](LoadOp op) { add(op, op.getSource(), op.getRow(), op.getColumn()); });
  root->walk(
      [&](StoreOp op) { add(op, op.getDest(), op.getRow(), op.getColumn()); });
  root->walk([&](CopyAsyncOp op) {
    copies[op] = {knownAlignment(op.getSource()), knownAlignment(op.getDest())};
  });
  root->walk([&](PlaceAsyncOp op) {
    copies[op] = {knownAlignment(op.getSource()),
                  knownAlignment(op.getBuffer())};
  });
  root->walk([&](RoundPlacedOp op) {
    copies[op] = {knownAlignment(op.getSource()),
                  knownAlignment(op.getBuffer())};
  });
  root->walk([&](CopyOutOp op) {
    copies[op] = {knownAlignment(op.getDest()), knownAlignment(op.getSource())};
  });
}

Value lanes::addressOf(ImplicitLocOpBuilder &b, Value memref) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(
      b, metadata.getBaseBuffer());
  Value offset = b.createOrFold<arith::MulIOp>(
      metadata.getOffset(),
      indexConstant(b, elementBytes(cast<MemRefType>(memref.getType()))));
  return addIndex(b, start, offset);
}
