//===- BlockCopyPatterns.cpp - The ops that copy and wait -----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockCopy.h"
#include "NVIDIALanes.h"
#include "Patterns.h"
#include "kami/Bridge/Bridge.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace kami;
using namespace kami::lanes;
using namespace kami::nvgpu_lowering;
using namespace mlir;

namespace {

/// `op` brings such lines to shared memory.
template <typename OpTy>
void copyIn(const CopiedLines &lines, OpTy op, const CopyAlignment &alignment) {
  if (op.getTails())
    copySkewed(lines, op.getTails(), op.getThreads());
  else
    BlockCopy(lines, op.getThreads(), threadIndex(lines.b), alignment,
              op.getAlignedRows())
        .copyIn();
}

void convert(ImplicitLocOpBuilder &b, CopyAsyncOp op,
             const CopyAlignment &alignment) {
  CopiedLines lines(b, op.getSource(), op.getDest());
  if (op.getKeepsSkew())
    copySkewed(lines, /*tails=*/{}, op.getThreads());
  else
    copyIn(lines, op, alignment);
}

void convert(ImplicitLocOpBuilder &b, PlaceAsyncOp op,
             const CopyAlignment &alignment) {
  copyIn(CopiedLines(b, op.getSource(), op.getBuffer(), op.getMatrix()), op,
         alignment);
}

void convert(ImplicitLocOpBuilder &b, CopyOutOp op,
             const CopyAlignment &alignment) {
  BlockCopy(CopiedLines(b, op.getDest(), op.getSource()), op.getThreads(),
            threadIndex(b), alignment)
      .copyOut();
}

/// A copy in either direction.
template <typename OpTy> struct ConvertCopy : OpConversionPattern<OpTy> {
  ConvertCopy(const TypeConverter &converter, MLIRContext *context,
              AlignmentAnalysis alignments)
      : OpConversionPattern<OpTy>(converter, context),
        alignments(std::move(alignments)) {}

  LogicalResult
  matchAndRewrite(OpTy op, typename OpConversionPattern<OpTy>::OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    convert(b, op, alignments.ofCopy(op));
    rewriter.eraseOp(op);
    return success();
  }

  AlignmentAnalysis alignments;
};

struct ConvertRoundPlaced : OpConversionPattern<RoundPlacedOp> {
  ConvertRoundPlaced(const TypeConverter &converter, MLIRContext *context,
                     AlignmentAnalysis alignments, TF32Rounding rounding)
      : OpConversionPattern(converter, context),
        alignments(std::move(alignments)), rounding(rounding) {}

  LogicalResult
  matchAndRewrite(RoundPlacedOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    BlockCopy(CopiedLines(b, op.getSource(), op.getBuffer(), op.getMatrix()),
              op.getThreads(), threadIndex(b), alignments.ofCopy(op),
              op.getAlignedRows())
        .roundCopied(rounding);
    fenceForMatrixUnit(b);
    rewriter.eraseOp(op);
    return success();
  }

  AlignmentAnalysis alignments;
  TF32Rounding rounding;
};

struct ConvertCopyCommit : OpConversionPattern<CopyCommitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CopyCommitOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncCommitGroupOp>(op);
    return success();
  }
};

struct ConvertCopyWait : OpConversionPattern<CopyWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CopyWaitOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    NVVM::CpAsyncWaitGroupOp::create(b, op.getPending());
    if (op.getForMatrixUnit())
      fenceForMatrixUnit(b);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Whether threads have 128 registers or fewer, and lines begin where only
/// registers say.
bool areRegistersFew(DeskewOp op, const CopiedLines &lines) {
  auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
  constexpr int64_t manyThreads = 512;
  return kernel &&
         residentBlocksOf(kernel) * int64_t(op.getThreads()) >= manyThreads &&
         ShapedType::isDynamic(lines.stride(lines.matrix, 0));
}

struct ConvertDeskew : OpConversionPattern<DeskewOp> {
  ConvertDeskew(const TypeConverter &converter, MLIRContext *context,
                TF32Rounding rounding)
      : OpConversionPattern(converter, context), rounding(rounding) {}

  LogicalResult
  matchAndRewrite(DeskewOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    CopiedLines lines =
        op.getMatrix()
            ? CopiedLines(b, op.getSource(), op.getDest(), *op.getMatrix())
            : CopiedLines(b, op.getSource(), op.getDest());
    straighten(lines, op.getTails(), op.getThreads(),
               op.getRounded() ? &rounding : nullptr,
               areRegistersFew(op, lines));
    if (op.getForMatrixUnit())
      fenceForMatrixUnit(b);
    rewriter.eraseOp(op);
    return success();
  }

  TF32Rounding rounding;
};

} // namespace

LinePieces nvgpu_lowering::linePiecesOf(ImplicitLocOpBuilder &b, Value matrix,
                                        Value tile,
                                        const CopyAlignment &alignment) {
  BlockCopy copy(CopiedLines(b, matrix, tile), warpSize, laneIndex(b, warpSize),
                 alignment);
  int64_t bytes = copy.widestPiece();
  return {bytes, copy.isCopyable(bytes)};
}

/// The part alone does not say which pieces are aligned: it may be one line of
/// a matrix whose lines begin anywhere.
void nvgpu_lowering::copyOutByLanes(ImplicitLocOpBuilder &b, Value part,
                                    Value tile, const LinePieces &pieces) {
  BlockCopy copy(CopiedLines(b, part, tile), warpSize, laneIndex(b, warpSize),
                 {pieces.bytes, copiedPiece}, /*alignedRows=*/true);
  copy.expectAligned(pieces.areAligned);
  copy.copyOut(pieces.bytes);
}

void nvgpu_lowering::populateBlockCopyPatterns(
    const TypeConverter &converter, const AlignmentAnalysis &alignments,
    TF32Rounding rounding, RewritePatternSet &patterns) {
  patterns.add<ConvertCopy<CopyAsyncOp>, ConvertCopy<CopyOutOp>,
               ConvertCopy<PlaceAsyncOp>>(converter, patterns.getContext(),
                                          alignments);
  patterns.add<ConvertRoundPlaced>(converter, patterns.getContext(), alignments,
                                   rounding);
  patterns.add<ConvertDeskew>(converter, patterns.getContext(), rounding);
  patterns.add<ConvertCopyCommit, ConvertCopyWait>(converter,
                                                   patterns.getContext());
}
