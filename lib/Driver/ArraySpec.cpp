//===- ArraySpec.cpp - A product of somebody's arrays --------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/ArraySpec.h"
#include "EpilogueBuilder.h"
#include "kami/Bridge/Bridge.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace kami;
using namespace mlir;

static MemRefType arrayType(const ArraySpec &array, int64_t rows,
                            int64_t columns, Type element) {
  SmallVector<int64_t> shape(array.batch);
  shape.append({rows, columns});
  if (!array.strides)
    return MemRefType::get(shape, element);
  auto layout = StridedLayoutAttr::get(element.getContext(), /*offset=*/0,
                                       *array.strides);
  return MemRefType::get(shape, element, layout);
}

/// An array of any strides.
static MemRefType stridedType(ArrayRef<int64_t> shape, Type element) {
  SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
  auto layout =
      StridedLayoutAttr::get(element.getContext(), /*offset=*/0, strides);
  return MemRefType::get(shape, element, layout);
}

namespace {
/// The types of the function's arguments, and what is written with them.
class ArrayTypes {
public:
  ArrayTypes(MLIRContext *context, const ArrayGemmSpec &spec)
      : context(context), spec(spec) {}

  Type element(ElementKind kind) const {
    Type type = elementType(context, kind);
    return spec.isComplex ? ComplexType::get(type) : type;
  }
  Type accumulator() const { return element(spec.accumulator); }

  SmallVector<Type> arguments() const {
    auto [m, n, k] = spec.extents;
    bool ta = spec.transposeA, tb = spec.transposeB;
    SmallVector<Type> types = {
        arrayType(spec.a, ta ? k : m, ta ? m : k, element(spec.a.type)),
        arrayType(spec.b, tb ? n : k, tb ? k : n, element(spec.b.type)),
        arrayType(spec.c, m, n, element(spec.c.type))};
    // A complex number is passed in two parts, as kernels have it.
    types.append((spec.hasAlpha + spec.hasBeta) * (spec.isComplex ? 2 : 1),
                 elementType(context, spec.accumulator));
    types.append(spec.hasLayers ? 2 : 0, IndexType::get(context));
    Type vector = element(spec.epilogueType);
    if (spec.epilogue.rowScale)
      types.push_back(stridedType({m}, vector));
    if (spec.epilogue.bias)
      types.push_back(stridedType({n}, vector));
    if (spec.epilogue.residual) {
      SmallVector<int64_t> shape(spec.c.batch);
      shape.append({m, n});
      types.push_back(stridedType(shape, element(spec.c.type)));
    }
    return types;
  }

private:
  MLIRContext *context;
  const ArrayGemmSpec &spec;
};
} // namespace

OwningOpRef<ModuleOp> kami::buildModule(MLIRContext *context,
                                        const ArrayGemmSpec &spec) {
  context->loadDialect<KamiDialect, func::FuncDialect, arith::ArithDialect,
                       math::MathDialect, memref::MemRefDialect,
                       complex::ComplexDialect>();
  ImplicitLocOpBuilder b(UnknownLoc::get(context), context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b);
  b.setInsertionPointToStart(module->getBody());
  ArrayTypes types(context, spec);
  auto function =
      func::FuncOp::create(b, "gemm", b.getFunctionType(types.arguments(), {}));
  b.setInsertionPointToStart(function.addEntryBlock());
  ValueRange arguments = function.getArguments();
  auto take = [&](bool isThere) {
    Value first = isThere ? arguments.front() : Value();
    arguments = arguments.drop_front(isThere);
    return first;
  };
  auto takeMatrix = [&]() -> Value {
    Value matrix = take(true);
    if (spec.alignment == 1)
      return matrix;
    return memref::AssumeAlignmentOp::create(b, matrix, spec.alignment);
  };
  Value a = takeMatrix(), matrixB = takeMatrix(), c = takeMatrix();
  auto takeScale = [&](bool isThere) -> Value {
    Value scale = take(isThere);
    if (!isThere || !spec.isComplex)
      return scale;
    return complex::CreateOp::create(b, types.accumulator(), scale, take(true));
  };
  Value alpha = takeScale(spec.hasAlpha), beta = takeScale(spec.hasBeta);
  Value layers = take(spec.hasLayers), layerK = take(spec.hasLayers);
  PrecisionAttr precision;
  if (std::optional<Precision> value = precisionOf(spec.a.type))
    precision = PrecisionAttr::get(context, *value);
  auto product = GemmOp::create(
      b, Type(), a, matrixB, c, alpha, beta, spec.transposeA, spec.transposeB,
      types.accumulator(), PlanAttr(), precision,
      spec.a.type == ElementKind::U8, spec.b.type == ElementKind::U8);
  product.setConjugateA(spec.conjugateA);
  product.setConjugateB(spec.conjugateB);
  product.setAlignedRows(spec.alignedRows);
  if (spec.hasLayers) {
    product.getLayersMutable().assign(layers);
    product.getLayerKMutable().assign(layerK);
  }
  if (spec.epilogue)
    EpilogueBuilder<GemmOp>(b, spec.epilogue, product, product.getBatchRank(),
                            product.getCType().getElementType())
        .build(arguments);
  func::ReturnOp::create(b);
  return module;
}

OwningOpRef<ModuleOp> kami::buildModule(MLIRContext *context,
                                        const GroupedArraySpec &spec) {
  context->loadDialect<KamiDialect, func::FuncDialect>();
  ImplicitLocOpBuilder b(UnknownLoc::get(context), context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b);
  b.setInsertionPointToStart(module->getBody());
  auto arrayOf = [](Type element) {
    return MemRefType::get({ShapedType::kDynamic}, element);
  };
  SmallVector<Type> types = {arrayOf(elementType(context, spec.typeA)),
                             arrayOf(elementType(context, spec.typeB)),
                             arrayOf(elementType(context, spec.typeC))};
  // Positions, sizes and leading dimensions.
  types.append(9, arrayOf(b.getI64Type()));
  Type accumulator = elementType(context, spec.accumulator);
  types.append(spec.hasAlpha + spec.hasBeta, accumulator);
  auto function =
      func::FuncOp::create(b, "grouped_gemm", b.getFunctionType(types, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
  ArrayRef<BlockArgument> arguments = function.getArguments();
  Value alpha = spec.hasAlpha ? Value(arguments[12]) : Value();
  Value beta = spec.hasBeta ? Value(arguments.back()) : Value();
  PrecisionAttr precision;
  if (std::optional<Precision> value = precisionOf(spec.typeA))
    precision = PrecisionAttr::get(context, *value);
  DenseI64ArrayAttr typical;
  if (spec.typical)
    typical = b.getDenseI64ArrayAttr(
        {spec.typical->m, spec.typical->n, spec.typical->k});
  auto unit = [&](bool isSet) { return isSet ? b.getUnitAttr() : UnitAttr(); };
  GroupedGemmOp::create(
      b, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
      arguments[5], arguments[6], arguments[7], arguments[8],
      ValueRange(arguments.slice(9, 3)), alpha, beta,
      /*epilogueOperands=*/ValueRange(), unit(spec.bytes),
      unit(spec.transposeA), unit(spec.transposeB), TypeAttr::get(accumulator),
      precision, unit(spec.typeA == ElementKind::U8),
      unit(spec.typeB == ElementKind::U8), b.getBoolAttr(true), typical,
      PlanAttr(), /*epilogueMaps=*/ArrayAttr());
  func::ReturnOp::create(b);
  return module;
}
