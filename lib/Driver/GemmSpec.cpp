//===- GemmSpec.cpp - A product given by numbers -------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/GemmSpec.h"
#include "kami/Bridge/Bridge.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace kami;
using namespace mlir;

static MemRefType matrixType(const GemmSpec &spec, int64_t rows,
                             int64_t columns, Type element,
                             const std::optional<MatrixStrides> &strides) {
  SmallVector<int64_t> shape, steps;
  if (spec.batch)
    shape.push_back(*spec.batch);
  shape.append({rows, columns});
  if (!strides)
    return MemRefType::get(shape, element);
  if (spec.batch)
    steps.push_back(strides->batch);
  steps.append({strides->row, strides->column});
  auto layout =
      StridedLayoutAttr::get(element.getContext(), strides->offset, steps);
  return MemRefType::get(shape, element, layout);
}

namespace {
/// The epilogue's region, part by part.
class EpilogueBuilder {
public:
  EpilogueBuilder(ImplicitLocOpBuilder &b, const GemmSpec &spec, GemmOp op)
      : b(b), spec(spec), op(op), isFloat(!isInteger(spec.accumulator)) {}

  /// The types of what it reads.
  static SmallVector<Type> argumentTypes(MLIRContext *context,
                                         const GemmSpec &spec);
  void build(ValueRange arguments);

private:
  /// The element of an argument at those of (m, n).
  Value read(ArrayRef<unsigned> dims);
  template <typename FloatOp, typename IntegerOp>
  Value apply(Value left, Value right) {
    return isFloat ? Value(FloatOp::create(b, left, right))
                   : Value(IntegerOp::create(b, left, right));
  }

  ImplicitLocOpBuilder &b;
  const GemmSpec &spec;
  GemmOp op;
  bool isFloat;
  ValueRange rest;
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
};
} // namespace

SmallVector<Type> EpilogueBuilder::argumentTypes(MLIRContext *context,
                                                 const GemmSpec &spec) {
  Type accumulator = elementType(context, spec.accumulator);
  auto [m, n, k] = spec.extents;
  SmallVector<Type> types;
  if (spec.epilogue.rowScale)
    types.push_back(MemRefType::get({m}, accumulator));
  if (spec.epilogue.bias)
    types.push_back(MemRefType::get({n}, accumulator));
  if (spec.epilogue.residual)
    types.push_back(MemRefType::get({m, n}, elementType(context, spec.output)));
  return types;
}

Value EpilogueBuilder::read(ArrayRef<unsigned> dims) {
  unsigned batch = op.getBatchRank();
  SmallVector<AffineExpr> results;
  for (unsigned dim : dims)
    results.push_back(b.getAffineDimExpr(batch + dim));
  operands.push_back(rest.front());
  maps.push_back(AffineMap::get(batch + 2, 0, results, b.getContext()));
  Type element = cast<MemRefType>(rest.front().getType()).getElementType();
  rest = rest.drop_front();
  return op.getEpilogue().front().addArgument(element, b.getLoc());
}

void EpilogueBuilder::build(ValueRange arguments) {
  rest = arguments;
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&op.getEpilogue());
  Type accumulator = op.getAccumulator();
  Value value = body->addArgument(accumulator, b.getLoc());
  if (spec.epilogue.rowScale)
    value = apply<arith::MulFOp, arith::MulIOp>(value, read({0}));
  if (spec.epilogue.bias)
    value = apply<arith::AddFOp, arith::AddIOp>(value, read({1}));
  if (spec.epilogue.residual) {
    Value old = read({0, 1});
    if (old.getType() != accumulator)
      old = arith::ExtFOp::create(b, accumulator, old);
    value = apply<arith::AddFOp, arith::AddIOp>(value, old);
  }
  if (spec.epilogue.relu) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(accumulator));
    value = apply<arith::MaximumFOp, arith::MaxSIOp>(value, zero);
  }
  if (Type stored = op.getCType().getElementType(); stored != accumulator)
    value = arith::TruncFOp::create(b, stored, value);
  YieldOp::create(b, value);
  op.getElementOperandsMutable(Role::C).assign(operands);
  op.setElementMaps(Role::C, maps);
}

/// α or β as a constant; null where it is neutral.
static Value makeScale(ImplicitLocOpBuilder &b, const GemmSpec &spec,
                       double real, double imaginary, double neutral) {
  if (real == neutral && imaginary == 0)
    return {};
  Type accumulator = elementType(b.getContext(), spec.accumulator);
  if (isInteger(spec.accumulator))
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(accumulator, int64_t(real)));
  auto number = [&](double value) {
    return b.getFloatAttr(accumulator, value);
  };
  if (!spec.isComplex)
    return arith::ConstantOp::create(b, number(real));
  return complex::ConstantOp::create(
      b, ComplexType::get(accumulator),
      b.getArrayAttr({number(real), number(imaginary)}));
}

OwningOpRef<ModuleOp> kami::buildModule(MLIRContext *context,
                                        const GemmSpec &spec) {
  context->loadDialect<KamiDialect, func::FuncDialect, arith::ArithDialect,
                       complex::ComplexDialect>();
  ImplicitLocOpBuilder b(UnknownLoc::get(context), context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b);
  b.setInsertionPointToStart(module->getBody());
  auto [m, n, k] = spec.extents;
  auto typeOf = [&](ElementKind kind) -> Type {
    Type type = elementType(context, kind);
    return spec.isComplex ? ComplexType::get(type) : type;
  };
  SmallVector<Type> types = {
      matrixType(spec, spec.transposeA ? k : m, spec.transposeA ? m : k,
                 typeOf(spec.operand), spec.strideA),
      matrixType(spec, spec.transposeB ? n : k, spec.transposeB ? k : n,
                 typeOf(spec.operandB()), spec.strideB),
      matrixType(spec, m, n, typeOf(spec.output), spec.strideC)};
  llvm::append_range(types, EpilogueBuilder::argumentTypes(context, spec));
  auto function = func::FuncOp::create(b, "gemm", b.getFunctionType(types, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
  Value alpha = makeScale(b, spec, spec.alpha, spec.alphaImaginary, 1),
        beta = makeScale(b, spec, spec.beta, spec.betaImaginary, 0);
  PrecisionAttr precision;
  if (std::optional<Precision> value = precisionOf(spec.operand))
    precision = PrecisionAttr::get(context, *value);
  auto product = GemmOp::create(
      b, Type(), function.getArgument(0), function.getArgument(1),
      function.getArgument(2), alpha, beta, spec.transposeA, spec.transposeB,
      typeOf(spec.accumulator), PlanAttr(), precision,
      spec.operand == ElementKind::U8, spec.operandB() == ElementKind::U8);
  product.setConjugateA(spec.conjugateA);
  product.setConjugateB(spec.conjugateB);
  if (spec.epilogue)
    EpilogueBuilder(b, spec, product)
        .build(function.getArguments().drop_front(3));
  func::ReturnOp::create(b);
  return module;
}
