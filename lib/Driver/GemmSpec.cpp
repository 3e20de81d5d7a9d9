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
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace kami;
using namespace mlir;

static MemRefType matrixType(const GemmSpec &spec, int64_t rows,
                             int64_t columns, Type element,
                             const std::optional<MatrixStrides> &strides) {
  SmallVector<int64_t> shape, steps;
  if (spec.batch)
    shape.push_back(spec.batch);
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

OwningOpRef<ModuleOp> kami::buildModule(MLIRContext *context,
                                        const GemmSpec &spec) {
  context->loadDialect<KamiDialect, func::FuncDialect, arith::ArithDialect>();
  ImplicitLocOpBuilder b(UnknownLoc::get(context), context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b);
  b.setInsertionPointToStart(module->getBody());
  auto [m, n, k] = spec.extents;
  Type types[] = {
      matrixType(spec, spec.transposeA ? k : m, spec.transposeA ? m : k,
                 elementType(context, spec.operand), spec.strideA),
      matrixType(spec, spec.transposeB ? n : k, spec.transposeB ? k : n,
                 elementType(context, spec.operandB()), spec.strideB),
      matrixType(spec, m, n, elementType(context, spec.output), spec.strideC)};
  auto function = func::FuncOp::create(b, "gemm", b.getFunctionType(types, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
  Type accumulator = elementType(context, spec.accumulator);
  auto scale = [&](double value, double neutral) -> Value {
    if (value == neutral)
      return {};
    if (isInteger(spec.accumulator))
      return arith::ConstantOp::create(
          b, b.getIntegerAttr(accumulator, int64_t(value)));
    return arith::ConstantOp::create(b, b.getFloatAttr(accumulator, value));
  };
  Value alpha = scale(spec.alpha, 1), beta = scale(spec.beta, 0);
  PrecisionAttr precision;
  if (std::optional<Precision> value = precisionOf(spec.operand))
    precision = PrecisionAttr::get(context, *value);
  GemmOp::create(b, Type(), function.getArgument(0), function.getArgument(1),
                 function.getArgument(2), alpha, beta, spec.transposeA,
                 spec.transposeB, accumulator, PlanAttr(), precision,
                 spec.operand == ElementKind::U8,
                 spec.operandB() == ElementKind::U8);
  func::ReturnOp::create(b);
  return module;
}
