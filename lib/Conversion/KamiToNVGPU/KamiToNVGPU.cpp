//===- KamiToNVGPU.cpp - Warp-level ops to NVIDIA's lanes ----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Conversion/KamiToNVGPU/KamiToNVGPU.h"
#include "Alignment.h"
#include "OperandTiles.h"
#include "kami/Bridge/Bridge.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace kami {
#define GEN_PASS_DEF_CONVERTKAMITONVGPU
#include "kami/Conversion/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace kami::nvgpu_lowering;
using namespace mlir;

namespace {

struct ConvertWarpCoordinates : OpConversionPattern<WarpCoordinatesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WarpCoordinatesOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Place place = warpPlace(b, op.getGrid());
    rewriter.replaceOp(op, {place.row, place.column, place.layer});
    return success();
  }
};

struct ConvertFill : OpConversionPattern<FillOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FillOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FragmentType fragment = op.getResult().getType();
    Value tile = vector::BroadcastOp::create(rewriter, op.getLoc(),
                                             tileType(fragment), op.getValue());
    rewriter.replaceOpWithMultiple(
        op, {SmallVector<Value>(fragment.getNumTiles(), tile)});
    return success();
  }
};

/// Whether `nvgpu.mma.sync` lowers the atom to the right instruction. Of what
/// it accepts in LLVM 22, bf16 is left unconverted, and integers saturate; f64
/// beyond m8n8k4 and floats of 8 bits it rejects.
bool isRightInNVGPU(MmaAtomAttr atom) {
  return atom.getAType().isF16() || atom.getAType().isF32() ||
         (atom.getAType().isF64() && atom.getM() == 8);
}

/// `nvgpu.mma.sync` wants a lane's values register by register: 32 bits or one
/// f64 each for A and B, pairs for C.
VectorType registerType(MmaAtomAttr atom, Role role) {
  int64_t values = atom.getMap(role).valuesPerLane();
  int64_t width = role == Role::C                     ? 2
                  : atom.getElementType(role).isF16() ? 2
                                                      : 1;
  return VectorType::get({values / width, width}, atom.getElementType(role));
}

struct ConvertMma : OpConversionPattern<MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FragmentType c = op.getC().getType();
    MmaAtomAttr atom = c.getAtom();
    if (atom.getInstruction() == InstructionKind::Wgmma)
      return op.emitOpError("cannot multiply with a B in registers by wgmma; "
                            "kami.group_mma reads it from shared memory");
    if (atom.getInstruction() != InstructionKind::MmaSync)
      return rewriter.notifyMatchFailure(op, "not an NVIDIA instruction");
    int64_t rows = c.getTileRows(), columns = c.getTileColumns();
    int64_t depth = op.getA().getType().getTileColumns();
    SmallVector<Value> sums(adaptor.getC());
    OperandTiles left(b, op, op.getA(), adaptor.getA());
    OperandTiles right(b, op, op.getB(), adaptor.getB());
    auto add = [&](const Parts &a, const Parts &other, Value &sum) {
      if (atom.getProducts() == 3) {
        sum = multiply(b, atom, a.low, other.high, sum);
        sum = multiply(b, atom, a.high, other.low, sum);
      }
      sum = multiply(b, atom, a.high, other.high, sum);
    };
    // Of each step of k, the smaller operand stays while the larger passes.
    bool staysA = rows <= columns;
    for (int64_t k = 0; k != depth; ++k) {
      auto partsA = [&](int64_t i) {
        return partsOf(b, atom, left.get(b, i * depth + k));
      };
      auto partsB = [&](int64_t j) {
        return partsOf(b, atom, right.get(b, k * columns + j));
      };
      SmallVector<Parts> staying;
      for (int64_t i = 0; i != (staysA ? rows : columns); ++i)
        staying.push_back(staysA ? partsA(i) : partsB(i));
      for (int64_t i = 0; i != (staysA ? columns : rows); ++i) {
        Parts passing = staysA ? partsB(i) : partsA(i);
        for (auto [other, parts] : llvm::enumerate(staying))
          if (staysA)
            add(parts, passing, sums[other * columns + i]);
          else
            add(passing, parts, sums[i * columns + other]);
      }
    }
    rewriter.replaceOpWithMultiple(op, {sums});
    return success();
  }

private:
  /// A tile as it is multiplied, in one part or, for three products, two.
  struct Parts {
    Value high, low;
  };

  /// For three products, a tile's elements, rounded to the nearest tf32 number,
  /// and what is lost, rounded as well: together they have at least 23 of f32's
  /// 24 bits.
  static Parts partsOf(ImplicitLocOpBuilder &b, MmaAtomAttr atom, Value tile) {
    if (atom.getProducts() != 3)
      return {tile, {}};
    auto type = cast<VectorType>(tile.getType());
    SmallVector<Value> high, low;
    for (int64_t i = 0; i != type.getNumElements(); ++i) {
      Value value = vector::ExtractOp::create(b, tile, i);
      high.push_back(roundToTF32(b, value));
      low.push_back(roundToTF32(
          b, arith::SubFOp::create(b, value, high.back()).getResult()));
    }
    return {vector::FromElementsOp::create(b, type, high),
            vector::FromElementsOp::create(b, type, low)};
  }

  static Value multiply(ImplicitLocOpBuilder &b, MmaAtomAttr atom, Value left,
                        Value right, Value sum) {
    if (!isRightInNVGPU(atom))
      return MmaSyncOp::create(b, sum.getType(), left, right, sum, atom);
    auto cast = [&](Value value, Role role) {
      return vector::ShapeCastOp::create(b, registerType(atom, role), value)
          .getResult();
    };
    Value result = nvgpu::MmaSyncOp::create(
        b, cast(left, Role::A), cast(right, Role::B), cast(sum, Role::C),
        ArrayRef<int64_t>{atom.getM(), atom.getN(), atom.getK()},
        /*tf32Enabled=*/atom.isTF32());
    return vector::ShapeCastOp::create(b, sum.getType(), result);
  }
};

/// One fragment or another.
struct ConvertSelect : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<FragmentType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a fragment");
    SmallVector<Value> tiles;
    for (auto [yes, no] :
         llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue()))
      tiles.push_back(arith::SelectOp::create(rewriter, op.getLoc(),
                                              op.getCondition(), yes, no));
    rewriter.replaceOpWithMultiple(op, {tiles});
    return success();
  }
};

/// Whether the chip that the kernel is compiled for, if any is named, stores
/// core matrices.
FailureOr<bool> hasMatrixStores(gpu::GPUFuncOp kernel) {
  if (!namesTarget(kernel))
    return false;
  FailureOr<const Chip *> chip = targetOf(kernel);
  if (failed(chip))
    return failure();
  return (*chip)->storesMatrices;
}

struct ConvertKamiToNVGPU
    : kami::impl::ConvertKamiToNVGPUBase<ConvertKamiToNVGPU> {
  void runOnOperation() override {
    FailureOr<bool> storesMatrices = hasMatrixStores(getOperation());
    if (failed(storesMatrices))
      return signalPassFailure();
    TypeConverter converter;
    addFragmentConversion(converter);
    RewritePatternSet patterns(&getContext());
    populateKamiToNVGPUPatterns(converter, getOperation(), patterns,
                                *storesMatrices);
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalDialect<KamiDialect>();
    target.addLegalOp<ComplexPartOp, MmaSyncOp, MatrixDescriptorOp, StMatrixOp,
                      WgmmaCommitOp, WgmmaFenceOp, WgmmaOp, WgmmaWaitOp>();
    target.addDynamicallyLegalOp<arith::SelectOp>(
        [](arith::SelectOp op) { return !isa<FragmentType>(op.getType()); });
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

void kami::addFragmentConversion(TypeConverter &converter) {
  converter.addConversion([](Type type) { return type; });
  converter.addConversion(
      [](FragmentType fragment, SmallVectorImpl<Type> &types) -> LogicalResult {
        types.append(fragment.getNumTiles(), tileType(fragment));
        return success();
      });
}

void kami::populateKamiToNVGPUPatterns(const TypeConverter &converter,
                                       Operation *root,
                                       RewritePatternSet &patterns,
                                       bool storesMatrices) {
  patterns.add<ConvertWarpCoordinates, ConvertFill, ConvertMma, ConvertSelect>(
      converter, patterns.getContext());
  populateElementPatterns(converter, patterns);
  populateMultiplyAddPatterns(converter, patterns);
  AlignmentAnalysis alignments(root);
  populateGlobalMemoryPatterns(converter, alignments, storesMatrices, patterns);
  populateBlockCopyPatterns(converter, alignments, patterns);
  populateFindProductPatterns(converter, patterns);
  populateSharedMemoryPatterns(converter, patterns);
  populateGroupMmaPatterns(converter, patterns);
}
