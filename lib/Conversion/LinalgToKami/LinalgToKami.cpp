//===- LinalgToKami.cpp - From linalg's products to kami.gemm ------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Conversion/LinalgToKami/LinalgToKami.h"
#include "Contraction.h"
#include "Fusion.h"
#include "kami/IR/KamiOps.h"
#include "mlir/Analysis/AliasAnalysis/LocalAliasAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace kami {
#define GEN_PASS_DEF_CONVERTLINALGTOKAMI
#include "kami/Conversion/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Arranging operands
//===----------------------------------------------------------------------===//

/// For each dimension that is there already, those that it is expanded to. An
/// inserted dimension joins the one before it, which leaves static strides
/// static.
static SmallVector<ReassociationIndices> groupsOf(const Arrangement &how) {
  SmallVector<ReassociationIndices> groups(1);
  bool started = false;
  for (auto [dim, inserted] : llvm::enumerate(how.inserted)) {
    if (!inserted && started)
      groups.emplace_back();
    started |= !inserted;
    groups.back().push_back(dim);
  }
  return groups;
}

static Value expand(OpBuilder &builder, Location loc, Value value,
                    const Arrangement &how) {
  SmallVector<int64_t> shape;
  ArrayRef<int64_t> extents = cast<ShapedType>(value.getType()).getShape();
  for (bool inserted : how.inserted) {
    shape.push_back(inserted ? 1 : extents.front());
    if (!inserted)
      extents = extents.drop_front();
  }
  SmallVector<ReassociationIndices> groups = groupsOf(how);
  if (auto tensor = dyn_cast<RankedTensorType>(value.getType()))
    return tensor::ExpandShapeOp::create(
        builder, loc, RankedTensorType::get(shape, tensor.getElementType()),
        value, groups);
  return memref::ExpandShapeOp::create(builder, loc, shape, value, groups);
}

static Value materialize(OpBuilder &builder, Location loc,
                         const ArrangedOperand &operand) {
  Value value = operand.value;
  const Arrangement &how = operand.arrangement;
  if (how.permutes())
    value = memref::TransposeOp::create(
        builder, loc, value,
        AffineMapAttr::get(AffineMap::getPermutationMap(how.permutation,
                                                        builder.getContext())));
  return how.expands() ? expand(builder, loc, value, how) : value;
}

//===----------------------------------------------------------------------===//
// β
//===----------------------------------------------------------------------===//

/// Whether `op`, its regions included, may read or write the buffer.
static bool mayTouch(Operation *op, Value buffer) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  if (!effects)
    return true;
  return llvm::any_of(*effects, [&](const MemoryEffects::EffectInstance &it) {
    if (isa<MemoryEffects::Allocate>(it.getEffect()))
      return false;
    return !it.getValue() ||
           !LocalAliasAnalysis().alias(it.getValue(), buffer).isNo();
  });
}

/// The fill that sets C to 0 right before the product. For a buffer, nothing
/// between the two may touch it, so that the fill can go.
static linalg::FillOp findZeroFill(Operation *op, Value c) {
  auto isZero = [](linalg::FillOp fill) {
    Attribute value;
    if (auto parts = matchPattern(fill.value(), m_Constant(&value))
                         ? dyn_cast_or_null<ArrayAttr>(value)
                         : ArrayAttr())
      return llvm::all_of(parts.getAsRange<FloatAttr>(), [](FloatAttr part) {
        return part.getValue().isZero();
      });
    return matchPattern(fill.value(), m_AnyZeroFloat()) ||
           matchPattern(fill.value(), m_Zero());
  };
  if (isa<TensorType>(c.getType())) {
    auto fill = c.getDefiningOp<linalg::FillOp>();
    return fill && isZero(fill) ? fill : linalg::FillOp();
  }
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    auto fill = dyn_cast<linalg::FillOp>(before);
    if (fill && fill.output() == c)
      return isZero(fill) ? fill : linalg::FillOp();
    if (mayTouch(before, c))
      return {};
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Pattern and pass
//===----------------------------------------------------------------------===//

/// β = 1.
static Value makeOne(OpBuilder &builder, Location loc, Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  if (!complex)
    return arith::ConstantOp::create(builder, loc, builder.getOneAttr(type));
  Type part = complex.getElementType();
  return complex::ConstantOp::create(
      builder, loc, type,
      builder.getArrayAttr(
          {builder.getFloatAttr(part, 1), builder.getFloatAttr(part, 0)}));
}

namespace {
struct ConvertContraction : OpInterfaceRewritePattern<linalg::LinalgOp> {
  ConvertContraction(MLIRContext *context, std::optional<Precision> precision)
      : OpInterfaceRewritePattern(context), precision(precision) {}

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    FailureOr<Contraction> found = matchContraction(op);
    if (failed(found))
      return rewriter.notifyMatchFailure(op, "not a product for kami.gemm");

    Location loc = op.getLoc();
    linalg::FillOp fill = findZeroFill(op, found->c.value);
    bool tensors = op.hasPureTensorSemantics();
    if (fill && tensors)
      found->c.value = fill.output();
    Value a = materialize(rewriter, loc, found->a);
    Value b = materialize(rewriter, loc, found->b);
    Value c = materialize(rewriter, loc, found->c);
    Value beta;
    if (!fill)
      beta = makeOne(rewriter, loc, found->accumulator);
    PrecisionAttr allowed;
    Type part = getElementTypeOrSelf(a.getType());
    if (auto complex = dyn_cast<ComplexType>(part))
      part = complex.getElementType();
    if (precision && part.isF32())
      allowed = PrecisionAttr::get(op.getContext(), *precision);
    auto gemm =
        GemmOp::create(rewriter, loc, tensors ? c.getType() : Type(), a, b, c,
                       /*alpha=*/Value(), beta, found->a.transposed,
                       found->b.transposed, found->accumulator, PlanAttr(),
                       allowed, found->unsignedA, found->unsignedB);
    gemm.setConjugateA(found->conjugateA);
    gemm.setConjugateB(found->conjugateB);
    if (!tensors) {
      rewriter.eraseOp(op);
    } else if (found->c.arrangement.expands()) {
      rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
          op, op->getResult(0).getType(), gemm.getResult(),
          groupsOf(found->c.arrangement));
    } else {
      rewriter.replaceOp(op, gemm);
    }
    if (fill && fill->use_empty())
      rewriter.eraseOp(fill);
    return success();
  }

private:
  /// Of products of f32.
  std::optional<Precision> precision;
};

struct ConvertLinalgToKami
    : kami::impl::ConvertLinalgToKamiBase<ConvertLinalgToKami> {
  using ConvertLinalgToKamiBase::ConvertLinalgToKamiBase;

  void runOnOperation() override {
    std::optional<Precision> allowed = symbolizePrecision(precision);
    if (!allowed && precision != "exact") {
      getOperation()->emitError(
          "expected precision exact, tf32 or tf32x3, but got '")
          << precision << "'";
      return signalPassFailure();
    }
    RewritePatternSet patterns(&getContext());
    populateLinalgToKamiPatterns(patterns, allowed);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    if (!fuse)
      return;
    SmallVector<GemmOp> products;
    getOperation()->walk([&](GemmOp op) { products.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (GemmOp op : products)
      fuseElementwise(rewriter, op);
  }
};
} // namespace

void kami::populateLinalgToKamiPatterns(RewritePatternSet &patterns,
                                        std::optional<Precision> precision) {
  patterns.add<ConvertContraction>(patterns.getContext(), precision);
}
