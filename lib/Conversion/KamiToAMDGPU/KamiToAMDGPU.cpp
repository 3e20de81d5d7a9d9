//===- KamiToAMDGPU.cpp - Warp-level ops to AMD's lanes -----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Conversion/KamiToAMDGPU/KamiToAMDGPU.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Conversion/KamiToLanes/KamiToLanes.h"
#include "kami/Conversion/KamiToLanes/TileProduct.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace kami {
#define GEN_PASS_DEF_CONVERTKAMITOAMDGPU
#include "kami/Conversion/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace kami::lanes;
using namespace mlir;

namespace {

/// What is loaded of device memory meanwhile goes on.
class AMDLanes : public LaneTarget {
public:
  using LaneTarget::LaneTarget;

  void waitForShared(ImplicitLocOpBuilder &b, const Place &, ArrayRef<int64_t>,
                     BarrierScopeKind) const override {
    amdgpu::LDSBarrierOp::create(b);
  }
};

/// `amdgpu.mfma` takes a lane's only value by itself.
Value scalarIfOne(ImplicitLocOpBuilder &b, Value tile) {
  if (cast<VectorType>(tile.getType()).getNumElements() != 1)
    return tile;
  return vector::ExtractOp::create(b, tile, 0);
}

/// Of 4 columns, rows are blocks of 4, which are independent products to the
/// instruction. B's lanes have the same for all of them.
Value multiplyOnCDNA(ImplicitLocOpBuilder &b, MmaAtomAttr atom, Value left,
                     Value right, Value sum) {
  bool isInBlocks = atom.getN() == 4;
  int64_t blocks = isInBlocks ? atom.getM() / atom.getN() : 1;
  Value result = amdgpu::MFMAOp::create(
      b, atom.getM() / blocks, atom.getN(), atom.getK(), blocks,
      scalarIfOne(b, left), scalarIfOne(b, right), scalarIfOne(b, sum));
  return isa<VectorType>(result.getType())
             ? result
             : vector::FromElementsOp::create(b, sum.getType(), result)
                   .getResult();
}

Value multiplyOnRDNA(ImplicitLocOpBuilder &b, MmaAtomAttr atom, Value left,
                     Value right, Value sum) {
  return amdgpu::WMMAOp::create(
      b, sum.getType(), atom.getM(), atom.getN(), atom.getK(), left, right, sum,
      /*subwordOffset=*/0, atom.getAType().isUnsignedInteger(),
      atom.getBType().isUnsignedInteger());
}

struct ConvertMma : OpConversionPattern<MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    MmaAtomAttr atom = op.getC().getType().getAtom();
    bool isMfma = atom.getInstruction() == InstructionKind::Mfma;
    if (!isMfma && atom.getInstruction() != InstructionKind::Wmma)
      return rewriter.notifyMatchFailure(op, "not an AMD instruction");
    auto prepare = [](Value tile) { return tile; };
    auto multiply = [&](Value left, Value right, Value sum) {
      return isMfma ? multiplyOnCDNA(b, atom, left, right, sum)
                    : multiplyOnRDNA(b, atom, left, right, sum);
    };
    rewriter.replaceOpWithMultiple(
        op, {multiplyTiles(b, op, adaptor, prepare, multiply)});
    return success();
  }
};

struct ConvertKamiToAMDGPU
    : kami::impl::ConvertKamiToAMDGPUBase<ConvertKamiToAMDGPU> {
  void runOnOperation() override {
    FailureOr<const Chip *> chip = targetOf(getOperation());
    if (failed(chip))
      return signalPassFailure();
    TypeConverter converter;
    addFragmentConversion(converter);
    RewritePatternSet patterns(&getContext());
    populateKamiToAMDGPUPatterns(converter, getOperation(), (*chip)->warpSize,
                                 patterns);
    if (failed(convertToLanes(getOperation(), converter, std::move(patterns),
                              [](ConversionTarget &) {})))
      signalPassFailure();
  }
};

} // namespace

void kami::populateKamiToAMDGPUPatterns(const TypeConverter &converter,
                                        Operation *root, int64_t waveSize,
                                        RewritePatternSet &patterns) {
  populateKamiToLanesPatterns(converter, AlignmentAnalysis(root),
                              std::make_shared<const AMDLanes>(waveSize),
                              patterns);
  patterns.add<ConvertMma>(converter, patterns.getContext());
}
