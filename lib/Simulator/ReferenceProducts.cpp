//===- ReferenceProducts.cpp ----------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceInterpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/TypeUtilities.h"

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

MemRef kami::sim::matrixOf(const MemRef &operand, ArrayRef<int64_t> batch,
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

/// A view like `of` of the magnitudes of its elements, and their errors on top.
MemRef ReferenceInterpreter::shadow(const MemRef &of, bool withErrors) {
  MemRef view = of;
  int64_t count = of.buffer->size() / (2 * sizeof(long double));
  view.buffer = allocate({count}, of.elementType).buffer;
  for (int64_t i = 0; i != count; ++i)
    data(view)[i] = std::fabs(data(of)[i]) + (withErrors ? errors(of)[i] : 0);
  return view;
}

/// What a region makes of an element of the product at `point`, C's batch
/// dimensions and the two of the matrix.
template <typename OpTy>
FailureOr<Cell> ReferenceInterpreter::runElement(OpTy op, Role role,
                                                 Cell element,
                                                 ArrayRef<int64_t> point) {
  Block &body = op.getElementRegion(role).front();
  set(body.getArgument(0), std::move(element));
  for (auto [argument, operand, map] :
       llvm::zip_equal(body.getArguments().drop_front(),
                       op.getElementOperands(role), op.getElementMaps(role))) {
    Cell source = get(operand);
    if (isa<ShapedType>(operand.getType())) {
      SmallVector<int64_t> index;
      for (AffineExpr result : map.getResults())
        index.push_back(evaluateAffine(result, point, {}));
      FailureOr<int64_t> address = addressOf(op, source.memref, index);
      if (failed(address))
        return failure();
      source = loadElement(source.memref, *address);
    }
    set(argument, source);
  }
  if (failed(runBlock(body)))
    return failure();
  return get(cast<YieldOp>(body.getTerminator()).getValue());
}

/// The matrix that is multiplied: what the prologue makes of one of A or B.
FailureOr<MemRef> ReferenceInterpreter::runPrologue(GemmOp op, Role role,
                                                    MemRef matrix,
                                                    ArrayRef<int64_t> batch) {
  if (!op.hasElementRegion(role))
    return matrix;
  MemRef made = allocate(matrix.sizes, op.getMultipliedType(role));
  LogicalResult status =
      forEachIndex(made.sizes, [&](ArrayRef<int64_t> index) -> LogicalResult {
        SmallVector<int64_t> point(batch);
        llvm::append_range(point, index);
        FailureOr<Cell> element = runElement(
            op, role, loadElement(matrix, matrix.address(index)), point);
        if (succeeded(element))
          storeElement(made, made.address(index), *element);
        return element;
      });
  if (failed(status))
    return failure();
  return made;
}

/// The matrix with its 8-bit integers read as numbers without a sign.
MemRef ReferenceInterpreter::withoutSign(const MemRef &matrix) {
  MemRef copy = allocate(matrix.sizes, matrix.elementType);
  for (int64_t i = 0; i != matrix.sizes[0]; ++i)
    for (int64_t j = 0; j != matrix.sizes[1]; ++j) {
      int64_t from =
          matrix.offset + i * matrix.strides[0] + j * matrix.strides[1];
      int64_t to = i * matrix.sizes[1] + j;
      long double value = data(matrix)[from];
      data(copy)[to] = value < 0 ? value + 256 : value;
      if (sumUnit)
        errors(copy)[to] = errors(matrix)[from];
    }
  return copy;
}

/// α or β, which the host may have in memory.
long double ReferenceInterpreter::scaleOf(Value value, long double missing) {
  if (!value)
    return missing;
  Cell cell = get(value);
  Type type = getElementTypeOrSelf(value.getType());
  if (isa<ShapedType>(value.getType()))
    cell = loadElement(cell.memref, cell.memref.address({}));
  return isa<FloatType>(type) ? cell.real
                              : toSigned(*formatOf(type), cell.bits);
}

LogicalResult ReferenceInterpreter::runGemm(GemmOp op) {
  MemRef a = get(op.getA()).memref, b = get(op.getB()).memref;
  MemRef c = get(op.getC()).memref;
  long double alpha = scaleOf(op.getAlpha(), 1),
              beta = scaleOf(op.getBeta(), 0);
  if (op.hasTensorSemantics()) {
    c = clone(c);
    set(op.getResult(), Cell::ofMemRef(c));
  }
  return forEachIndex(
      ArrayRef<int64_t>(c.sizes).drop_back(2),
      [&](ArrayRef<int64_t> batch) -> LogicalResult {
        MemRef mc = matrixOf(c, batch, false);
        FailureOr<MemRef> ma = runPrologue(
            op, Role::A, matrixOf(a, batch, op.getTransposeA()), batch);
        FailureOr<MemRef> mb = runPrologue(
            op, Role::B, matrixOf(b, batch, op.getTransposeB()), batch);
        if (failed(ma) || failed(mb))
          return failure();
        int64_t m = mc.sizes[0], n = mc.sizes[1], k = ma->sizes[1];
        if (ma->sizes[0] != m || mb->sizes[0] != k || mb->sizes[1] != n)
          return op.emitError("expected extents that agree, but got A ")
                 << ma->sizes[0] << "x" << k << ", B " << mb->sizes[0] << "x"
                 << mb->sizes[1] << " and C " << m << "x" << n;
        if (op.getUnsignedA())
          ma = withoutSign(*ma);
        if (op.getUnsignedB())
          mb = withoutSign(*mb);
        MemRef sum = multiplied(*ma, *mb, op.getAccumulator());
        LogicalResult status = finishProduct(op, sum, mc, alpha, beta, batch);
        memory.release(sum.buffer);
        for (auto [copied, matrix] :
             {std::pair(op.getUnsignedA() || op.hasElementRegion(Role::A), *ma),
              std::pair(op.getUnsignedB() || op.hasElementRegion(Role::B),
                        *mb)})
          if (copied)
            memory.release(matrix.buffer);
        return status;
      });
}

/// The sums of products, with their errors where those are tracked.
MemRef ReferenceInterpreter::multiplied(const MemRef &a, const MemRef &b,
                                        Type accumulator) {
  int64_t m = a.sizes[0], k = a.sizes[1], n = b.sizes[1];
  auto product = [&](const MemRef &x, const MemRef &y) {
    MemRef sum = allocate({m, n}, accumulator);
    std::fill_n(data(sum), m * n, 0.0L);
    accumulate(x, y, sum, m, n, k);
    return sum;
  };
  MemRef sum = product(a, b);
  if (!sumUnit)
    return sum;
  MemRef least = product(shadow(a, false), shadow(b, false));
  MemRef most = product(shadow(a, true), shadow(b, true));
  for (int64_t i = 0; i != m * n; ++i)
    errors(sum)[i] = data(most)[i] - data(least)[i] + *sumUnit * data(most)[i];
  return sum;
}

/// α·sum + β·C, and its error.
std::pair<long double, long double>
ReferenceInterpreter::scaled(const MemRef &sum, int64_t from, const MemRef &c,
                             int64_t to, long double alpha, long double beta) {
  long double value = alpha * data(sum)[from], error = 0;
  if (sumUnit)
    error = std::fabs(alpha) * errors(sum)[from];
  // Where β is 0, C's old contents are not read: they may be NaN.
  if (beta != 0) {
    long double old = data(c)[to];
    value += beta * old;
    if (sumUnit)
      error += std::fabs(beta) * (errors(c)[to] + *sumUnit * std::fabs(old));
  }
  return {value, error};
}

/// α·sum + β·C, and what the epilogue makes of it.
template <typename OpTy>
LogicalResult
ReferenceInterpreter::finishProduct(OpTy op, const MemRef &sum, const MemRef &c,
                                    long double alpha, long double beta,
                                    ArrayRef<int64_t> batch) {
  return forEachIndex(sum.sizes, [&](ArrayRef<int64_t> index) -> LogicalResult {
    int64_t from = sum.address(index) / int64_t(sizeof(long double));
    int64_t to = c.address(index) / int64_t(sizeof(long double));
    auto [value, error] = scaled(sum, from, c, to, alpha, beta);
    if (!op.hasElementRegion(Role::C)) {
      data(c)[to] = value;
      if (sumUnit)
        errors(c)[to] = error;
      return success();
    }
    Cell element = Cell::ofReal(value);
    // Integers wrap.
    if (isa<IntegerType>(op.getAccumulator()))
      element = Cell::ofBits(uint64_t(int64_t(value)) &
                             formatOf(op.getAccumulator())->mask());
    element.error = error;
    SmallVector<int64_t> point(batch);
    llvm::append_range(point, index);
    FailureOr<Cell> made = runElement(op, Role::C, element, point);
    if (failed(made))
      return failure();
    storeElement(c, c.address(index), *made);
    return success();
  });
}

template LogicalResult ReferenceInterpreter::finishProduct<GroupedGemmOp>(
    GroupedGemmOp, const MemRef &, const MemRef &, long double, long double,
    ArrayRef<int64_t>);

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
    if (!isa<arith::ExtFOp, arith::TruncFOp, arith::AddFOp, arith::MulFOp,
             complex::AddOp, complex::MulOp>(inner))
      return false;
  Operation *add = strip(body->getTerminator()->getOperand(0)).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, complex::AddOp>(add))
    return false;
  Value left = add->getOperand(0), right = add->getOperand(1);
  for (auto [sum, term] : {std::pair(left, right), std::pair(right, left)}) {
    Operation *multiply = strip(term).getDefiningOp();
    if (!isa_and_nonnull<arith::MulFOp, complex::MulOp>(multiply) ||
        strip(sum) != body->getArgument(2))
      continue;
    Value x = strip(multiply->getOperand(0)),
          y = strip(multiply->getOperand(1));
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

/// c += sign · a · b
static void runNest(ArrayRef<NestLoop> loops, const long double *a,
                    const long double *b, long double *c,
                    long double sign = 1) {
  if (loops.empty()) {
    *c += sign * *a * *b;
    return;
  }
  const NestLoop &loop = loops.front();
  auto [sa, sb, sc] = loop.strides;
  if (loops.size() == 1 && sc == 0) {
    long double sum = *c;
    for (int64_t i = 0; i != loop.extent; ++i)
      sum += sign * a[i * sa] * b[i * sb];
    *c = sum;
    return;
  }
  for (int64_t i = 0; i != loop.extent; ++i)
    runNest(loops.drop_front(), a + i * sa, b + i * sb, c + i * sc, sign);
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
  if (isa<ComplexType>(views[0].elementType)) {
    // Errors are tracked for what regions do, which are real.
    if (sumUnit)
      return false;
    for (NestLoop &loop : loops)
      for (int64_t &stride : loop.strides)
        stride *= 2;
    MemRef parts[3][2];
    for (unsigned i : {0, 1, 2})
      for (bool imaginary : {false, true})
        parts[i][imaginary] = complexPart(views[i], imaginary);
    for (unsigned i : {0, 1})
      for (unsigned j : {0, 1}) {
        const MemRef &a = parts[0][i], &b = parts[1][j], &c = parts[2][i ^ j];
        runNest(loops, data(a) + a.offset, data(b) + b.offset,
                data(c) + c.offset, i && j && !magnitudes ? -1 : 1);
      }
    return true;
  }
  auto run = [&](const MemRef &a, const MemRef &b, const MemRef &c) {
    runNest(loops, data(a) + a.offset, data(b) + b.offset, data(c) + c.offset);
  };
  if (sumUnit) {
    MemRef least = shadow(views[2], false), most = shadow(views[2], true);
    run(shadow(views[0], false), shadow(views[1], false), least);
    run(shadow(views[0], true), shadow(views[1], true), most);
    (void)forEachIndex(views[2].sizes, [&](ArrayRef<int64_t> index) {
      int64_t at = views[2].address(index) / sizeof(long double);
      errors(views[2])[at] =
          data(most)[at] - data(least)[at] + *sumUnit * data(most)[at];
      return success();
    });
  }
  run(views[0], views[1], views[2]);
  return true;
}
