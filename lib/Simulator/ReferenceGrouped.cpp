//===- ReferenceGrouped.cpp - Products of many sizes ----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceInterpreter.h"
#include "mlir/IR/TypeUtilities.h"

using namespace kami;
using namespace kami::sim;
using namespace mlir;

/// An entry of an array of integers.
static int64_t entry(const MemRef &array, int64_t index) {
  return int64_t(data(array)[array.offset + index]);
}

/// The last element of a matrix of rows of adjacent elements, -1 for none.
static int64_t lastElement(const MemRef &matrix) {
  if (matrix.sizes[0] == 0 || matrix.sizes[1] == 0)
    return -1;
  return matrix.offset + (matrix.sizes[0] - 1) * matrix.strides[0] +
         matrix.sizes[1] - 1;
}

LogicalResult ReferenceInterpreter::runGrouped(GroupedGemmOp op) {
  auto array = [&](Value value) { return get(value).memref; };
  MemRef sizes[] = {array(op.getM()), array(op.getN()), array(op.getK())};
  for (int64_t product = 0; product != sizes[0].sizes[0]; ++product) {
    int64_t extents[3];
    for (auto [extent, all] : llvm::zip_equal(extents, sizes))
      extent = std::max<int64_t>(entry(all, product), 0);
    auto [m, n, k] = extents;
    auto matrix = [&](Role role, Value all, int64_t rows, int64_t columns,
                      bool transposed) -> FailureOr<MemRef> {
      MemRef view = array(all);
      int64_t at = entry(array(op.getAt(role)), product);
      int64_t end = view.sizes[0];
      if (op.getBytes())
        at /= op.getElementType(role).getIntOrFloatBitWidth() / 8;
      if (transposed)
        std::swap(rows, columns);
      Value leading = op.getLeading(role);
      int64_t stride = leading ? entry(array(leading), product) : columns;
      view.offset += at;
      view.sizes = {rows, columns};
      view.strides = {stride, 1};
      if (lastElement(view) >= end || at < 0)
        return op.emitError("expected product ")
               << product << "'s elements within the " << end << " of its "
               << stringifyRole(role).upper() << ", but got " << at << " to "
               << lastElement(view);
      if (transposed) {
        std::swap(view.sizes[0], view.sizes[1]);
        std::swap(view.strides[0], view.strides[1]);
      }
      return view;
    };
    if (m == 0 || n == 0)
      continue;
    FailureOr<MemRef> a = matrix(Role::A, op.getA(), m, k, op.getTransposeA());
    FailureOr<MemRef> b = matrix(Role::B, op.getB(), k, n, op.getTransposeB());
    FailureOr<MemRef> c = matrix(Role::C, op.getC(), m, n, false);
    if (failed(a) || failed(b) || failed(c))
      return failure();
    if (op.getUnsignedA())
      a = withoutSign(*a);
    if (op.getUnsignedB())
      b = withoutSign(*b);
    auto scale = [&](Value value, long double missing) -> long double {
      auto type = value ? dyn_cast<MemRefType>(value.getType()) : MemRefType();
      if (!type || type.getRank() == 0)
        return scaleOf(value, missing);
      MemRef all = array(value);
      return data(all)[all.offset + product];
    };
    long double alpha = scale(op.getAlpha(), 1), beta = scale(op.getBeta(), 0);
    MemRef sum = multiplied(*a, *b, op.getAccumulator());
    LogicalResult status = finishProduct(op, sum, *c, alpha, beta, product);
    memory.release(sum.buffer);
    if (failed(status))
      return failure();
  }
  return success();
}
