//===- ProductTypes.cpp ---------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductTypes.h"

using namespace kami;
using namespace mlir;

/// f16 has the numbers of all 8-bit floats.
static bool isHalf(Type type) {
  return type.isF16() ||
         (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8);
}

static LogicalResult verifyInterpretation(Operation *op,
                                          const ProductTypes &types) {
  if (types.precision && !(types.a.isF32() && types.accumulator.isF32()))
    return op->emitOpError("expected f32 elements and accumulator for "
                           "precision ")
           << stringifyPrecision(*types.precision) << ", but got " << types.a
           << " and " << types.accumulator;
  if ((types.unsignedA || types.unsignedB) && !isa<IntegerType>(types.a))
    return op->emitOpError("expected integer elements for ")
           << (types.unsignedA ? "unsigned_a" : "unsigned_b") << ", but got "
           << types.a;
  return success();
}

LogicalResult kami::verifyProductTypes(Operation *op,
                                       const ProductTypes &types) {
  auto [a, b, c, accumulator, convertsC, precision, unsignedA, unsignedB] =
      types;
  if (a != b && !(isHalf(a) && isHalf(b)))
    return op->emitOpError("expected A and B of one element type, but got ")
           << a << " and " << b;
  for (Type type : {a, c, accumulator})
    if (!type.isIntOrFloat())
      return op->emitOpError("expected integer or float elements, but got ")
             << type;
  if (isa<FloatType>(a) != isa<FloatType>(accumulator) ||
      (convertsC && isa<FloatType>(a) != isa<FloatType>(c)))
    return op->emitOpError("expected elements and accumulator that are all "
                           "floats or all integers, but got ")
           << a << ", " << c << " and " << accumulator;
  for (auto [type, name] : {std::pair(a, "A"), std::pair(b, "B")})
    if (accumulator.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
      return op->emitOpError("expected an accumulator at least as wide as ")
             << name << "'s " << type << ", but got " << accumulator;
  if (convertsC && !isStorable(accumulator, c))
    return op->emitOpError("expected C's elements of the accumulator's type ")
           << accumulator
           << (isa<FloatType>(accumulator) ? " or of a narrower one" : "")
           << ", but got " << c;
  return verifyInterpretation(op, types);
}
