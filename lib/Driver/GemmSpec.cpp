//===- GemmSpec.cpp - A product given by numbers -------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/GemmSpec.h"
#include "EpilogueBuilder.h"
#include "kami/Bridge/Bridge.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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

std::string EpilogueSpec::str() const {
  std::string text;
  for (auto [part, has] :
       {std::pair(" row_scale", rowScale), std::pair(" bias", bias),
        std::pair(" residual", residual), std::pair(" relu", relu),
        std::pair(" gelu", gelu), std::pair(" silu", silu)})
    if (has)
      text += part;
  return text;
}

OwningOpRef<ModuleOp> kami::buildModule(MLIRContext *context,
                                        const GemmSpec &spec) {
  context->loadDialect<KamiDialect, func::FuncDialect, arith::ArithDialect,
                       complex::ComplexDialect, memref::MemRefDialect>();
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
  llvm::append_range(types, epilogueTypes(spec.epilogue, /*leading=*/{}, m, n,
                                          typeOf(spec.accumulator),
                                          typeOf(spec.output)));
  auto function = func::FuncOp::create(b, "gemm", b.getFunctionType(types, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
  Value alpha = makeScale(b, spec, spec.alpha, spec.alphaImaginary, 1),
        beta = makeScale(b, spec, spec.beta, spec.betaImaginary, 0);
  PrecisionAttr precision;
  if (std::optional<Precision> value = precisionOf(spec.operand))
    precision = PrecisionAttr::get(context, *value);
  auto matrix = [&](unsigned argument) -> Value {
    Value matrix = function.getArgument(argument);
    if (spec.alignment == 1)
      return matrix;
    return memref::AssumeAlignmentOp::create(b, matrix, spec.alignment);
  };
  Value matrixA = matrix(0), matrixB = matrix(1), matrixC = matrix(2);
  auto product = GemmOp::create(
      b, Type(), matrixA, matrixB, matrixC, alpha, beta, spec.transposeA,
      spec.transposeB, typeOf(spec.accumulator), PlanAttr(), precision,
      spec.operand == ElementKind::U8, spec.operandB() == ElementKind::U8);
  product.setConjugateA(spec.conjugateA);
  product.setConjugateB(spec.conjugateB);
  if (spec.layers) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(product);
    auto [number, terms] = *spec.layers;
    product.getLayersMutable().assign(
        arith::ConstantIndexOp::create(b, number));
    product.getLayerKMutable().assign(arith::ConstantIndexOp::create(b, terms));
  }
  if (spec.epilogue)
    EpilogueBuilder<GemmOp>(b, spec.epilogue, product, product.getBatchRank(),
                            product.getCType().getElementType())
        .build(function.getArguments().drop_front(3));
  func::ReturnOp::create(b);
  return module;
}
