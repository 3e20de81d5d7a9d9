//===- Contraction.cpp - linalg ops that are matrix products -------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "kami/Bridge/Bridge.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace kami;
using namespace mlir;

bool Arrangement::permutes() const {
  return !llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size()));
}

bool Arrangement::expands() const { return llvm::is_contained(inserted, true); }

//===----------------------------------------------------------------------===//
// Types and body
//===----------------------------------------------------------------------===//

static bool isFloat8(Type type) {
  std::optional<ElementKind> kind = elementKind(type);
  return kind && kami::isFloat8(*kind);
}

/// Whether the types are equal, or floats of 8 bits that are multiplied with
/// each other.
static bool areMultiplied(Type a, Type b) {
  return a == b || (isFloat8(a) && isFloat8(b) &&
                    canMultiply(*elementKind(a), *elementKind(b)));
}

/// The accumulator with which kami.gemm is at least as exact as linalg's body
/// for products of `a` and `b` summed in `output`; null where there is none.
static Type accumulatorFor(Type a, Type b, Type output) {
  if (!areMultiplied(a, b))
    return {};
  if (isa<Float16Type, BFloat16Type>(a) || isFloat8(a)) {
    bool isOwn = output == a && a == b;
    return isOwn || output.isF32() ? Float32Type::get(a.getContext()) : Type();
  }
  if (auto complex = dyn_cast<ComplexType>(a)) {
    Type part = complex.getElementType();
    return output == a && (part.isF32() || part.isF64()) ? output : Type();
  }
  bool isExact = (a.isF32() && output.isF32()) ||
                 (a.isF64() && output.isF64()) ||
                 (a.isSignlessInteger(8) && output.isSignlessInteger(32));
  return isExact ? output : Type();
}

namespace {
/// A factor of the body's product: an argument, widened or not.
struct Factor {
  Value argument;
  bool isWidened = false;
  bool isUnsigned = false;
  bool isConjugate = false;
};

/// The body `c + a * b`.
struct MultiplyAccumulate {
  Factor a, b;
};
} // namespace

static Factor factorOf(Value value) {
  Operation *widening = value.getDefiningOp();
  if (auto conjugate = dyn_cast_or_null<complex::ConjOp>(widening))
    return {conjugate.getComplex(), false, false, true};
  if (!isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(widening))
    return {value};
  return {widening->getOperand(0), true, isa<arith::ExtUIOp>(widening)};
}

/// The body is `c + a * b`, a and b widened to c's type where they are
/// narrower, and nothing else.
static FailureOr<MultiplyAccumulate>
matchMultiplyAccumulate(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  if (body->getNumArguments() != 3 ||
      body->getTerminator()->getNumOperands() != 1)
    return failure();
  Value a = body->getArgument(0), b = body->getArgument(1),
        c = body->getArgument(2);
  Operation *add = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp, complex::AddOp>(add))
    return failure();
  unsigned sum = add->getOperand(0) == c ? 0 : 1;
  Operation *multiply = add->getOperand(1 - sum).getDefiningOp();
  if (add->getOperand(sum) != c ||
      !isa_and_nonnull<arith::MulFOp, arith::MulIOp, complex::MulOp>(multiply))
    return failure();
  Factor left = factorOf(multiply->getOperand(0)),
         right = factorOf(multiply->getOperand(1));
  if (left.argument == b && right.argument == a)
    std::swap(left, right);
  // Multiply, add, yield.
  size_t counted = 3 + left.isWidened + right.isWidened + left.isConjugate +
                   right.isConjugate;
  if (left.argument != a || right.argument != b ||
      counted != body->getOperations().size())
    return failure();
  return MultiplyAccumulate{left, right};
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {
/// The roles of the loops; `none` stands for a dimension of extent 1.
struct Loops {
  static constexpr int64_t none = -1;
  SmallVector<int64_t> batch;
  int64_t m = none, n = none, k = none;
};
} // namespace

static bool uses(AffineMap map, unsigned loop) {
  return map.getResultPosition(getAffineDimExpr(loop, map.getContext()))
      .has_value();
}

/// Rows of C are the last dimension that A and C have and B has not, columns
/// the last that B and C have and A has not; all others of C are the batch.
static FailureOr<Loops> classifyLoops(linalg::LinalgOp op, AffineMap a,
                                      AffineMap b, AffineMap c) {
  Loops loops;
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool reduction = iterator == utils::IteratorType::reduction;
    if (reduction == uses(c, loop))
      return failure();
    if (!reduction)
      continue;
    if (loops.k != Loops::none || !uses(a, loop) || !uses(b, loop))
      return failure();
    loops.k = loop;
  }
  for (AffineExpr result : c.getResults()) {
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    if (uses(a, loop) && !uses(b, loop))
      loops.m = loop;
    if (uses(b, loop) && !uses(a, loop))
      loops.n = loop;
  }
  // Neither rows nor columns: dot products, for which a matrix unit is no help.
  if (loops.k == Loops::none ||
      (loops.m == Loops::none && loops.n == Loops::none))
    return failure();
  for (AffineExpr result : c.getResults()) {
    int64_t loop = cast<AffineDimExpr>(result).getPosition();
    if (loop != loops.m && loop != loops.n)
      loops.batch.push_back(loop);
  }
  return loops;
}

//===----------------------------------------------------------------------===//
// Arrangement of operands
//===----------------------------------------------------------------------===//

/// What turns an operand indexed by `map` into one whose dimensions are the
/// loops `target`.
static Arrangement arrange(AffineMap map, ArrayRef<int64_t> target) {
  Arrangement arrangement;
  for (int64_t loop : target) {
    arrangement.inserted.push_back(loop == Loops::none);
    if (loop != Loops::none)
      arrangement.permutation.push_back(
          *map.getResultPosition(getAffineDimExpr(loop, map.getContext())));
  }
  return arrangement;
}

/// A or B as batch × rows × columns, or as its transpose if that saves moving
/// dimensions. Batch loops that it does not have are left out in front and of
/// extent 1 elsewhere.
static ArrangedOperand arrangeInput(Value value, AffineMap map,
                                    const Loops &loops, int64_t rows,
                                    int64_t columns) {
  SmallVector<int64_t> target;
  for (int64_t loop : loops.batch) {
    if (uses(map, loop))
      target.push_back(loop);
    else if (!target.empty())
      target.push_back(Loops::none);
  }
  target.append({rows, columns});
  Arrangement straight = arrange(map, target);
  std::swap(target[target.size() - 2], target.back());
  Arrangement transposed = arrange(map, target);
  if (straight.permutes() && !transposed.permutes())
    return {value, transposed, true};
  return {value, straight, false};
}

/// C as batch × rows × columns.
static Arrangement arrangeOutput(AffineMap map, const Loops &loops) {
  SmallVector<int64_t> target(loops.batch);
  target.append({loops.m, loops.n});
  return arrange(map, target);
}

/// Whether the arrangement costs nothing: a buffer's strides may be permuted, a
/// tensor would have to be copied.
static bool isView(const ArrangedOperand &operand) {
  if (isa<TensorType>(operand.value.getType()))
    return !operand.arrangement.permutes();
  return cast<MemRefType>(operand.value.getType()).isStrided();
}

//===----------------------------------------------------------------------===//
// matchContraction
//===----------------------------------------------------------------------===//

static bool hasMatrixOperands(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !(op.hasPureTensorSemantics() || op.hasPureBufferSemantics()))
    return false;
  return llvm::all_of(op->getOperands(),
                      [](Value value) {
                        return isa<RankedTensorType, MemRefType>(
                            value.getType());
                      }) &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

FailureOr<Contraction> kami::matchContraction(linalg::LinalgOp op) {
  if (!hasMatrixOperands(op))
    return failure();
  FailureOr<MultiplyAccumulate> body = matchMultiplyAccumulate(op);
  if (failed(body))
    return failure();
  Value a = op.getDpsInputOperand(0)->get(),
        b = op.getDpsInputOperand(1)->get();
  Value c = op.getDpsInitOperand(0)->get();
  Type accumulator = accumulatorFor(getElementTypeOrSelf(a.getType()),
                                    getElementTypeOrSelf(b.getType()),
                                    getElementTypeOrSelf(c.getType()));
  // kami.gemm's C must not be A or B: it would be overwritten while it is read.
  bool inPlace = op.hasPureBufferSemantics() && (a == c || b == c);
  if (!accumulator || inPlace)
    return failure();
  bool unsignedA = body->a.isUnsigned, unsignedB = body->b.isUnsigned;
  bool conjugateA = body->a.isConjugate, conjugateB = body->b.isConjugate;

  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  FailureOr<Loops> loops = classifyLoops(op, maps[0], maps[1], maps[2]);
  if (failed(loops))
    return failure();
  Arrangement arrangement = arrangeOutput(maps[2], *loops);
  // A transposed C is the product of the operands in the other order:
  // Cᵀ = Bᵀ·Aᵀ.
  Loops swapped = *loops;
  std::swap(swapped.m, swapped.n);
  if (arrangement.permutes() && !arrangeOutput(maps[2], swapped).permutes()) {
    loops = swapped;
    arrangement = arrangeOutput(maps[2], swapped);
    std::swap(a, b);
    std::swap(maps[0], maps[1]);
    std::swap(unsignedA, unsignedB);
    std::swap(conjugateA, conjugateB);
  }
  Contraction found{arrangeInput(a, maps[0], *loops, loops->m, loops->k),
                    arrangeInput(b, maps[1], *loops, loops->k, loops->n),
                    {c, arrangement, false},
                    accumulator,
                    unsignedA,
                    unsignedB,
                    conjugateA,
                    conjugateB};
  if (!isView(found.a) || !isView(found.b) || !isView(found.c))
    return failure();
  return found;
}
