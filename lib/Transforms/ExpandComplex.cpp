//===- ExpandComplex.cpp - Complex products as real ones -----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With A = P + iQ and B = R + iS, the sums of A·B are
//
//   real = P·R - Q·S          imaginary = P·S + Q·R
//
// each in one distributed matrix. Matrix instructions only add: a sum to be
// subtracted from is computed first and negated, which is exact.
//
//===----------------------------------------------------------------------===//

#include "kami/Bridge/Bridge.h"
#include "kami/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace kami {
#define GEN_PASS_DEF_KAMIEXPANDCOMPLEX
#include "kami/Transforms/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

namespace {

/// A complex number or matrix, part by part.
struct Parts {
  Value real, imaginary;

  explicit operator bool() const { return real != nullptr; }
};

/// α or β: null where it is missing, without an imaginary part where that is
/// known to be 0.
using Scale = Parts;

class ComplexProduct {
public:
  explicit ComplexProduct(GemmOp op)
      : b(op.getLoc(), op.getOperation()), op(op), plan(*op.getPlan()),
        part(cast<FloatType>(
            cast<ComplexType>(op.getAccumulator()).getElementType())),
        type(DistributedType::get(Role::C, plan)) {}

  void run();

private:
  using Body = llvm::function_ref<Value(ValueRange)>;

  Parts partsOf(Value matrix);
  Scale scaleOf(Value scale);
  Value constant(double value) {
    return arith::ConstantOp::create(b, b.getFloatAttr(part, value));
  }
  Value splat(Value value) { return SplatOp::create(b, type, value); }
  Value combine(ValueRange matrices, Body body);
  Value negated(Value matrix);
  Value multiply(Value a, Value bMatrix, Value sum);
  Value sumOfTwo(Value a, Value bMatrix, bool isNegative, Value otherA,
                 Value otherB, bool isOtherNegative);
  Parts oldParts(const Parts &c, const Scale &beta);
  Parts scaled(const Scale &scale, const Parts &matrix);

  ImplicitLocOpBuilder b;
  GemmOp op;
  PlanAttr plan;
  FloatType part;
  DistributedType type;
};

} // namespace

Parts ComplexProduct::partsOf(Value matrix) {
  return {ComplexPartOp::create(b, matrix, /*imaginary=*/false),
          ComplexPartOp::create(b, matrix, /*imaginary=*/true)};
}

Scale ComplexProduct::scaleOf(Value scale) {
  if (!scale)
    return {};
  if (FloatAttr real = realScale(scale))
    return {arith::ConstantOp::create(b, real), Value()};
  if (isa<MemRefType>(scale.getType())) {
    Parts places = partsOf(scale);
    return {memref::LoadOp::create(b, places.real),
            memref::LoadOp::create(b, places.imaginary)};
  }
  return {b.createOrFold<complex::ReOp>(scale),
          b.createOrFold<complex::ImOp>(scale)};
}

/// What `body` makes of the matrices' elements.
Value ComplexProduct::combine(ValueRange matrices, Body body) {
  auto made = CombineOp::create(b, type, matrices);
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(
      &made.getBody(), {}, SmallVector<Type>(matrices.size(), part),
      SmallVector<Location>(matrices.size(), b.getLoc()));
  Value result = body(ValueRange(block->getArguments()));
  YieldOp::create(b, result);
  return made;
}

Value ComplexProduct::negated(Value matrix) {
  return combine(matrix, [&](ValueRange elements) -> Value {
    return arith::NegFOp::create(b, elements[0]);
  });
}

/// A·B, added to `sum` where there is one.
Value ComplexProduct::multiply(Value a, Value bMatrix, Value sum) {
  Value beta = sum ? constant(1) : Value();
  if (!sum)
    sum = splat(constant(0));
  auto product = GemmOp::create(b, type, a, bMatrix, sum, /*alpha=*/Value(),
                                beta, op.getTransposeA(), op.getTransposeB(),
                                part, plan, op.getPrecisionAttr());
  if (op.getLayers()) {
    product.getLayersMutable().assign(op.getLayers());
    product.getLayerKMutable().assign(op.getLayerK());
  }
  return product.getResult();
}

/// ± A·B ± A'·B'.
Value ComplexProduct::sumOfTwo(Value a, Value bMatrix, bool isNegative,
                               Value otherA, Value otherB,
                               bool isOtherNegative) {
  // What has another sign than the whole comes first.
  if (isOtherNegative && !isNegative) {
    std::swap(a, otherA);
    std::swap(bMatrix, otherB);
    std::swap(isNegative, isOtherNegative);
  }
  Value sum = multiply(a, bMatrix, Value());
  if (isNegative != isOtherNegative)
    sum = negated(sum);
  sum = multiply(otherA, otherB, sum);
  return isOtherNegative ? negated(sum) : sum;
}

/// C as it was, or zeros where β is 0: then C may hold anything.
Parts ComplexProduct::oldParts(const Parts &c, const Scale &beta) {
  Value zero = constant(0), reads;
  for (Value value : {beta.real, beta.imaginary}) {
    if (!value)
      continue;
    Value one =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, value, zero);
    reads = reads ? arith::OrIOp::create(b, reads, one).getResult() : one;
  }
  auto guard = scf::IfOp::create(b, TypeRange{type, type}, reads,
                                 /*withElseRegion=*/true);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(guard.thenBlock());
  Value real = DistributeOp::create(b, type, c.real);
  Value imaginary = DistributeOp::create(b, type, c.imaginary);
  scf::YieldOp::create(b, ValueRange{real, imaginary});
  b.setInsertionPointToStart(guard.elseBlock());
  Value none = splat(zero);
  scf::YieldOp::create(b, ValueRange{none, none});
  return {guard.getResult(0), guard.getResult(1)};
}

Parts ComplexProduct::scaled(const Scale &scale, const Parts &matrix) {
  Value real = splat(scale.real);
  auto times = [&](Value left, Value right) -> Value {
    return arith::MulFOp::create(b, left, right);
  };
  if (!scale.imaginary) {
    auto byReal = [&](Value one) {
      return combine({one, real},
                     [&](ValueRange x) -> Value { return times(x[1], x[0]); });
    };
    return {byReal(matrix.real), byReal(matrix.imaginary)};
  }
  Value imaginary = splat(scale.imaginary);
  SmallVector<Value> all = {matrix.real, matrix.imaginary, real, imaginary};
  return {combine(all,
                  [&](ValueRange x) -> Value {
                    Value left = times(x[2], x[0]), right = times(x[3], x[1]);
                    return arith::SubFOp::create(b, left, right);
                  }),
          combine(all, [&](ValueRange x) -> Value {
            Value left = times(x[2], x[1]), right = times(x[3], x[0]);
            return arith::AddFOp::create(b, left, right);
          })};
}

void ComplexProduct::run() {
  Parts a = partsOf(op.getA()), other = partsOf(op.getB()),
        c = partsOf(op.getC());
  Scale alpha = scaleOf(op.getAlpha()), beta = scaleOf(op.getBeta());
  bool conjugateA = op.getConjugateA(), conjugateB = op.getConjugateB();
  Parts sum = {sumOfTwo(a.imaginary, other.imaginary, conjugateA == conjugateB,
                        a.real, other.real, false),
               sumOfTwo(a.real, other.imaginary, conjugateB, a.imaginary,
                        other.real, conjugateA)};
  bool scalesHere = alpha.imaginary || beta.imaginary;
  if (scalesHere) {
    if (alpha)
      sum = scaled(alpha, sum);
    if (beta) {
      Parts old = scaled(beta, oldParts(c, beta));
      auto add = [&](Value left, Value right) {
        return combine({left, right}, [&](ValueRange x) -> Value {
          return arith::AddFOp::create(b, x[0], x[1]);
        });
      };
      sum = {add(sum.real, old.real), add(sum.imaginary, old.imaginary)};
    }
    alpha = beta = {};
  }
  CollectOp::create(b, sum.real, c.real, alpha.real, beta.real);
  CollectOp::create(b, sum.imaginary, c.imaginary, alpha.real, beta.real);
  op.erase();
}

namespace {
struct ExpandComplex : kami::impl::KamiExpandComplexBase<ExpandComplex> {
  void runOnOperation() override {
    SmallVector<GemmOp> products;
    getOperation().walk([&](GemmOp op) {
      if (op.isComplex())
        products.push_back(op);
    });
    for (GemmOp op : products) {
      if (failed(verify(op)))
        return signalPassFailure();
      ComplexProduct(op).run();
    }
  }

private:
  static LogicalResult verify(GemmOp op) {
    if (op.hasTensorSemantics())
      return op.emitOpError(
          "expected memrefs inside a kernel; bufferize first");
    if (op.getBatchRank() != 0)
      return op.emitOpError(
          "expected one product inside a kernel, but got a batch");
    if (!op.getPlan())
      return op.emitOpError("expected a plan; kami-assign-plan chooses one");
    Type part = cast<ComplexType>(op.getAccumulator()).getElementType();
    if (op.getPlan()->getAtom().getCType() != part)
      return op.emitOpError("expected a plan whose sums are of ")
             << part << ", but got " << op.getPlan()->getAtom().getCType();
    return success();
  }
};
} // namespace
