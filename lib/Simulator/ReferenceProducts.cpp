//===- ReferenceProducts.cpp ----------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceInterpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace kami;
using namespace kami::sim;
using namespace mlir;

/// C += A · B on strided views. The sum goes over the innermost loop.
static void accumulate(const MemRef &a, const MemRef &b, const MemRef &c,
                       int64_t m, int64_t n, int64_t k) {
  // Element strides of (m, k), (k, n) and (m, n).
  const long double *pa = data(a) + a.offset, *pb = data(b) + b.offset;
  long double *pc = data(c) + c.offset;
  std::vector<long double> row(n);
  for (int64_t i = 0; i != m; ++i) {
    for (int64_t j = 0; j != n; ++j)
      row[j] = pc[i * c.strides[0] + j * c.strides[1]];
    for (int64_t l = 0; l != k; ++l) {
      long double factor = pa[i * a.strides[0] + l * a.strides[1]];
      const long double *other = pb + l * b.strides[0];
      for (int64_t j = 0; j != n; ++j)
        row[j] += factor * other[j * b.strides[1]];
    }
    for (int64_t j = 0; j != n; ++j)
      pc[i * c.strides[0] + j * c.strides[1]] = row[j];
  }
}

/// The last two dimensions of a batch element. A missing batch dimension, or
/// one of extent 1, is repeated.
static MemRef matrixOf(const MemRef &operand, ArrayRef<int64_t> batch,
                       bool transpose) {
  MemRef matrix = operand;
  unsigned rank = operand.rank(), leading = rank - 2;
  for (unsigned d = 0; d != leading; ++d)
    if (operand.sizes[d] != 1)
      matrix.offset += batch[batch.size() - leading + d] * operand.strides[d];
  matrix.sizes = {operand.sizes[rank - 2], operand.sizes[rank - 1]};
  matrix.strides = {operand.strides[rank - 2], operand.strides[rank - 1]};
  if (transpose) {
    std::swap(matrix.sizes[0], matrix.sizes[1]);
    std::swap(matrix.strides[0], matrix.strides[1]);
  }
  return matrix;
}

/// The matrix with its 8-bit integers read as numbers without a sign.
static MemRef withoutSign(ReferenceInterpreter &interpreter,
                          const MemRef &matrix) {
  int64_t rows = matrix.sizes[0], columns = matrix.sizes[1];
  MemRef copy = interpreter.allocate({rows, columns}, matrix.elementType);
  for (int64_t i = 0; i != rows; ++i)
    for (int64_t j = 0; j != columns; ++j) {
      long double value = data(matrix)[matrix.offset + i * matrix.strides[0] +
                                       j * matrix.strides[1]];
      data(copy)[i * columns + j] = value < 0 ? value + 256 : value;
    }
  return copy;
}

LogicalResult ReferenceInterpreter::runGemm(GemmOp op) {
  MemRef a = get(op.getA()).memref, b = get(op.getB()).memref;
  MemRef c = get(op.getC()).memref;
  auto scale = [&](Value value, long double neutral) -> long double {
    if (!value)
      return neutral;
    if (isa<FloatType>(value.getType()))
      return get(value).real;
    return toSigned(*formatOf(value.getType()), get(value).bits);
  };
  long double alpha = scale(op.getAlpha(), 1), beta = scale(op.getBeta(), 0);
  if (op.hasTensorSemantics()) {
    c = clone(c);
    set(op.getResult(), Cell::ofMemRef(c));
  }
  return forEachIndex(
      ArrayRef<int64_t>(c.sizes).drop_back(2),
      [&](ArrayRef<int64_t> batch) -> LogicalResult {
        MemRef mc = matrixOf(c, batch, false);
        MemRef ma = matrixOf(a, batch, op.getTransposeA());
        MemRef mb = matrixOf(b, batch, op.getTransposeB());
        int64_t m = mc.sizes[0], n = mc.sizes[1], k = ma.sizes[1];
        if (ma.sizes[0] != m || mb.sizes[0] != k || mb.sizes[1] != n)
          return op.emitError("expected extents that agree, but got A ")
                 << ma.sizes[0] << "x" << k << ", B " << mb.sizes[0] << "x"
                 << mb.sizes[1] << " and C " << m << "x" << n;
        if (op.getUnsignedA())
          ma = withoutSign(*this, ma);
        if (op.getUnsignedB())
          mb = withoutSign(*this, mb);
        MemRef sum = allocate({m, n}, c.elementType);
        std::fill_n(data(sum), m * n, 0.0L);
        accumulate(ma, mb, sum, m, n, k);
        for (int64_t i = 0; i != m; ++i) {
          for (int64_t j = 0; j != n; ++j) {
            long double &out =
                data(mc)[mc.offset + i * mc.strides[0] + j * mc.strides[1]];
            long double product = alpha * data(sum)[i * n + j];
            // Where β is 0, C's old contents are not read: they may be NaN.
            out = beta == 0 ? product : product + beta * out;
          }
        }
        memory.release(sum.buffer);
        for (auto [copied, matrix] : {std::pair(op.getUnsignedA(), ma),
                                      std::pair(op.getUnsignedB(), mb)})
          if (copied)
            memory.release(matrix.buffer);
        return success();
      });
}

/// Follows the float extensions and truncations that are nothing here.
static Value strip(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// yield(c + a · b), in any order of operands, with casts anywhere.
static bool isMultiplyAdd(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return false;
  Block *body = op.getBlock();
  for (Operation &inner : body->without_terminator())
    if (!isa<arith::ExtFOp, arith::TruncFOp, arith::AddFOp, arith::MulFOp>(
            inner))
      return false;
  auto add = strip(body->getTerminator()->getOperand(0))
                 .getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  for (auto [sum, term] : {std::pair(add.getLhs(), add.getRhs()),
                           std::pair(add.getRhs(), add.getLhs())}) {
    auto multiply = strip(term).getDefiningOp<arith::MulFOp>();
    if (!multiply || strip(sum) != body->getArgument(2))
      continue;
    Value x = strip(multiply.getLhs()), y = strip(multiply.getRhs());
    Value a = body->getArgument(0), b = body->getArgument(1);
    return (x == a && y == b) || (x == b && y == a);
  }
  return false;
}

namespace {
/// A loop of a nest, and what it adds to the place in each of three operands.
struct NestLoop {
  int64_t extent;
  int64_t strides[3];
};
} // namespace

static void runNest(ArrayRef<NestLoop> loops, const long double *a,
                    const long double *b, long double *c) {
  if (loops.empty()) {
    *c += *a * *b;
    return;
  }
  const NestLoop &loop = loops.front();
  auto [sa, sb, sc] = loop.strides;
  if (loops.size() == 1 && sc == 0) {
    long double sum = *c;
    for (int64_t i = 0; i != loop.extent; ++i)
      sum += a[i * sa] * b[i * sb];
    *c = sum;
    return;
  }
  for (int64_t i = 0; i != loop.extent; ++i)
    runNest(loops.drop_front(), a + i * sa, b + i * sb, c + i * sc);
}

/// Contractions whose operands are indexed by loops directly.
bool ReferenceInterpreter::runFast(linalg::LinalgOp op,
                                   ArrayRef<MemRef> views) {
  if (!isMultiplyAdd(op))
    return false;
  SmallVector<NestLoop> loops(op.getNumLoops(), NestLoop{1, {0, 0, 0}});
  for (auto [i, view, map] :
       llvm::enumerate(views, op.getIndexingMapsArray())) {
    if (!view.buffer || !map.isProjectedPermutation())
      return false;
    for (auto [d, expression] : llvm::enumerate(map.getResults())) {
      NestLoop &loop = loops[cast<AffineDimExpr>(expression).getPosition()];
      // The general way says what is wrong.
      if (loop.extent != 1 && loop.extent != view.sizes[d])
        return false;
      loop.extent = view.sizes[d];
      loop.strides[i] = view.strides[d];
    }
    for (unsigned d = 0; d != view.rank(); ++d)
      if (view.sizes[d] == 0)
        return true;
  }
  runNest(loops, data(views[0]) + views[0].offset,
          data(views[1]) + views[1].offset, data(views[2]) + views[2].offset);
  return true;
}
