//===- KamiToNVGPU.cpp - Warp-level ops to NVIDIA's lanes ----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Conversion/KamiToNVGPU/KamiToNVGPU.h"
#include "NVIDIALanes.h"
#include "Patterns.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Conversion/KamiToLanes/KamiToLanes.h"
#include "kami/Conversion/KamiToLanes/TileProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace kami {
#define GEN_PASS_DEF_CONVERTKAMITONVGPU
#include "kami/Conversion/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace kami::lanes;
using namespace kami::nvgpu_lowering;
using namespace mlir;

namespace {

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
  ConvertMma(const TypeConverter &converter, MLIRContext *context,
             TF32Rounding rounding)
      : OpConversionPattern(converter, context), rounding(rounding) {}

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
    auto prepare = [&](Value tile) { return partsOf(b, atom, tile); };
    auto add = [&](const Parts &a, const Parts &other, Value sum) {
      if (atom.getProducts() == 3) {
        sum = multiply(b, atom, a.low, other.high, sum);
        sum = multiply(b, atom, a.high, other.low, sum);
      }
      return multiply(b, atom, a.high, other.high, sum);
    };
    rewriter.replaceOpWithMultiple(
        op, {multiplyTiles(b, op, adaptor, prepare, add)});
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
  Parts partsOf(ImplicitLocOpBuilder &b, MmaAtomAttr atom, Value tile) const {
    if (atom.getProducts() != 3)
      return {tile, {}};
    auto type = cast<VectorType>(tile.getType());
    SmallVector<Value> high, low;
    for (int64_t i = 0; i != type.getNumElements(); ++i) {
      Value value = vector::ExtractOp::create(b, tile, i);
      high.push_back(rounding.number(b, value));
      low.push_back(rounding.factor(
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

  TF32Rounding rounding;
};

/// The chip that the kernel is compiled for; null if none is named.
FailureOr<const Chip *> namedChip(gpu::GPUFuncOp kernel) {
  return namesTarget(kernel) ? targetOf(kernel) : nullptr;
}

struct ConvertKamiToNVGPU
    : kami::impl::ConvertKamiToNVGPUBase<ConvertKamiToNVGPU> {
  void runOnOperation() override {
    FailureOr<const Chip *> chip = namedChip(getOperation());
    if (failed(chip))
      return signalPassFailure();
    TypeConverter converter;
    addFragmentConversion(converter);
    RewritePatternSet patterns(&getContext());
    populateKamiToNVGPUPatterns(converter, getOperation(), patterns, *chip);
    auto markLegal = [](ConversionTarget &target) {
      target.addLegalOp<MmaSyncOp, MatrixDescriptorOp, StMatrixOp,
                        WgmmaCommitOp, WgmmaFenceOp, WgmmaOp, WgmmaWaitOp>();
      // Bulk copies and tickets know nothing of lanes.
      target.addLegalOp<AcquireMapOp, MBarrierArriveOp, MBarrierInitOp,
                        MBarrierInvalOp, MBarrierWaitOp, OpenTicketsOp,
                        PublishTicketOp, PlaceBulkOp, TakeTicketOp,
                        TensorMapOp>();
    };
    if (failed(convertToLanes(getOperation(), converter, std::move(patterns),
                              markLegal)))
      signalPassFailure();
  }
};

} // namespace

void kami::populateKamiToNVGPUPatterns(const TypeConverter &converter,
                                       Operation *root,
                                       RewritePatternSet &patterns,
                                       const Chip *chip) {
  AlignmentAnalysis alignments(root);
  auto target = std::make_shared<const NVIDIALanes>(chip);
  TF32Rounding rounding(chip);
  populateKamiToLanesPatterns(converter, alignments, target, patterns);
  patterns.add<ConvertMma>(converter, patterns.getContext(), rounding);
  populateBlockCopyPatterns(converter, alignments, rounding, patterns);
  populateRelayedStorePatterns(converter, alignments, target, patterns);
  populateGroupMmaPatterns(converter, patterns);
}
