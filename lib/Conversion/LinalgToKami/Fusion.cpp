//===- Fusion.cpp - Element-wise ops as regions of a product -------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace kami;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Element-wise ops
//===----------------------------------------------------------------------===//

static bool isScalar(Type type) { return type.isIntOrFloat(); }

/// Whether the body is what regions of kami.gemm may be, and what it takes from
/// outside are scalars.
static bool hasScalarBody(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  for (Operation &inner : body->without_terminator()) {
    StringRef dialect = inner.getName().getDialectNamespace();
    if ((dialect != "arith" && dialect != "math") || !isPure(&inner) ||
        !llvm::all_of(inner.getOperandTypes(), isScalar) ||
        !llvm::all_of(inner.getResultTypes(), isScalar))
      return false;
  }
  return isScalar(body->getTerminator()->getOperand(0).getType());
}

/// Whether each element of the op's only result, a tensor, is a function of one
/// element of each operand.
static bool isElementwise(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op->getNumResults() != 1 || op.getNumReductionLoops() != 0 ||
      op.getNumLoops() == 0 || op.hasIndexSemantics())
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true) ||
        !isScalar(getElementTypeOrSelf(operand.get().getType())))
      return false;
  }
  return op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isPermutation() &&
         hasScalarBody(op);
}

/// Where the operand's element lies that belongs to an element of the result.
static AffineMap mapFromResult(linalg::LinalgOp op, OpOperand &operand) {
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return op.getMatchingIndexingMap(&operand).compose(
      inversePermutation(result));
}

//===----------------------------------------------------------------------===//
// What a region reads
//===----------------------------------------------------------------------===//

namespace {
/// A value that a region reads, and from where. A scalar has a map without
/// dimensions.
struct ElementSource {
  Value value;
  AffineMap map;
};
} // namespace

/// A tensor that only repeats or permutes another one, or a scalar, is not
/// read: the other is. `builder` makes constants.
static ElementSource traced(OpBuilder &builder, ElementSource source) {
  while (true) {
    if (!isa<ShapedType>(source.value.getType()))
      return {source.value, AffineMap::get(builder.getContext())};
    DenseElementsAttr splat;
    if (matchPattern(source.value, m_Constant(&splat)) && splat.isSplat()) {
      auto scalar = splat.getSplatValue<TypedAttr>();
      source.value =
          arith::ConstantOp::create(builder, source.value.getLoc(), scalar);
      continue;
    }
    auto op = source.value.getDefiningOp<linalg::LinalgOp>();
    if (!op || !isElementwise(op))
      return source;
    auto yielded =
        dyn_cast<BlockArgument>(op.getBlock()->getTerminator()->getOperand(0));
    if (!yielded || yielded.getOwner() != op.getBlock() ||
        yielded.getArgNumber() >= op.getNumDpsInputs())
      return source;
    OpOperand &input = op->getOpOperand(yielded.getArgNumber());
    if (isa<ShapedType>(input.get().getType()))
      source.map = mapFromResult(op, input).compose(source.map);
    source.value = input.get();
  }
}

namespace {
/// A region under construction, with what it reads.
class RegionBuilder {
public:
  RegionBuilder(RewriterBase &rewriter, Location loc, Type element)
      : rewriter(rewriter), loc(loc) {
    region.push_back(new Block);
    region.front().addArgument(element, loc);
  }

  Value element() { return region.front().getArgument(0); }
  OpBuilder atEnd() {
    OpBuilder builder(rewriter.getContext());
    builder.setInsertionPointToEnd(&region.front());
    return builder;
  }

  /// The region's argument for an operand that is read.
  Value read(ElementSource source) {
    source = traced(rewriter, source);
    for (auto [i, known] : llvm::enumerate(sources))
      if (known.value == source.value && known.map == source.map)
        return region.front().getArgument(i + 1);
    sources.push_back(source);
    return region.front().addArgument(
        getElementTypeOrSelf(source.value.getType()), loc);
  }

  /// Appends a region of kami.gemm, applied to `value`; what it yields.
  Value append(Block &body, Value value, OperandRange operands,
               ArrayRef<AffineMap> maps) {
    IRMapping values;
    values.map(body.getArgument(0), value);
    for (auto [argument, operand, map] :
         llvm::zip_equal(body.getArguments().drop_front(), operands, maps))
      values.map(argument, read({operand, map}));
    return appendBody(body, values);
  }

  /// Appends the body of an element-wise op; what it yields. Operands for which
  /// `known` has a value are that, the others are read, at their place in the
  /// result composed with `map`.
  Value append(linalg::LinalgOp op, AffineMap map,
               llvm::function_ref<Value(OpOperand &)> known) {
    IRMapping values;
    for (BlockArgument argument : op.getBlock()->getArguments()) {
      OpOperand &operand = op->getOpOperand(argument.getArgNumber());
      if (argument.use_empty())
        continue;
      Value value = known(operand);
      if (!value)
        value = read({operand.get(), mapFromResult(op, operand).compose(map)});
      values.map(argument, value);
    }
    return appendBody(*op.getBlock(), values);
  }

  void finish(Value yielded) {
    OpBuilder builder = atEnd();
    YieldOp::create(builder, loc, yielded);
  }

  Region region;
  SmallVector<ElementSource> sources;

private:
  /// Clones all but the terminator. Constants from outside are cloned, too,
  /// other values from there are read.
  Value appendBody(Block &body, IRMapping &values) {
    OpBuilder builder = atEnd();
    auto import = [&](Value value) {
      if (values.contains(value) || value.getParentBlock() == &body)
        return;
      Attribute constant;
      if (matchPattern(value, m_Constant(&constant)))
        values.map(value, builder.clone(*value.getDefiningOp())->getResult(0));
      else
        values.map(value, read({value, AffineMap()}));
    };
    for (Operation &inner : body.without_terminator()) {
      llvm::for_each(inner.getOperands(), import);
      builder.clone(inner, values);
    }
    Value yielded = body.getTerminator()->getOperand(0);
    import(yielded);
    return values.lookup(yielded);
  }

  RewriterBase &rewriter;
  Location loc;
};
} // namespace

/// `op` with another region for a role, and other operands. Its type is C's.
static GemmOp rebuild(RewriterBase &rewriter, GemmOp op, Role role,
                      RegionBuilder &made, ArrayRef<Value> matrices,
                      Value beta) {
  SmallVector<Value> operands[3];
  SmallVector<AffineMap> maps;
  for (Role other : {Role::A, Role::B, Role::C})
    llvm::append_range(operands[int(other)], op.getElementOperands(other));
  operands[int(role)].clear();
  for (const ElementSource &source : made.sources) {
    operands[int(role)].push_back(source.value);
    maps.push_back(source.map);
  }
  auto fresh = GemmOp::create(
      rewriter, op.getLoc(), matrices[2].getType(), matrices[0], matrices[1],
      matrices[2], op.getAlpha(), beta, op.getTransposeA(), op.getTransposeB(),
      op.getAccumulator(), op.getPlanAttr(), op.getPrecisionAttr(),
      op.getUnsignedA(), op.getUnsignedB());
  fresh->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  fresh.setReproducible(op.getReproducible());
  for (Role other : {Role::A, Role::B, Role::C}) {
    Region &region = other == role ? made.region : op.getElementRegion(other);
    if (region.empty())
      continue;
    fresh.getElementOperandsMutable(other).assign(operands[int(other)]);
    fresh.setElementMaps(other,
                         other == role ? maps : op.getElementMaps(other));
    fresh.getElementRegion(other).takeBody(region);
  }
  return fresh;
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

/// The element-wise op that alone uses the product, element by element.
static linalg::LinalgOp findConsumer(GemmOp op) {
  Value result = op.getResult();
  if (result.use_empty() || !llvm::all_equal(result.getUsers()))
    return {};
  auto consumer = dyn_cast<linalg::LinalgOp>(*result.user_begin());
  if (!consumer || !isElementwise(consumer) ||
      consumer->getBlock() != op->getBlock())
    return {};
  for (OpOperand &operand : consumer->getOpOperands())
    if (operand.get() == result &&
        (consumer.isDpsInit(&operand) ||
         !mapFromResult(consumer, operand).isIdentity()))
      return {};
  return consumer;
}

/// What the product is without the consumer: its epilogue's result, or the sum
/// in C's type, as linalg rounds it. Null where there is no such conversion.
static Value productElement(RegionBuilder &made, GemmOp op, Value sum) {
  if (op.hasElementRegion(Role::C))
    return made.append(op.getEpilogue().front(), sum, op.getEpilogueOperands(),
                       op.getElementMaps(Role::C));
  Type type = op.getCType().getElementType();
  if (sum.getType() == type)
    return sum;
  if (!isa<FloatType>(type) || !isa<FloatType>(sum.getType()))
    return {};
  OpBuilder builder = made.atEnd();
  return arith::TruncFOp::create(builder, op.getLoc(), type, sum);
}

/// sum + C, for a β of 1 and a C that is not where the result goes.
static Value addOld(RegionBuilder &made, GemmOp op) {
  Value old =
      made.read({op.getC(), AffineMap::getMultiDimIdentityMap(
                                op.getCType().getRank(), op.getContext())});
  OpBuilder builder = made.atEnd();
  if (isa<IntegerType>(op.getAccumulator()))
    return arith::AddIOp::create(builder, op.getLoc(), made.element(), old);
  if (old.getType() != op.getAccumulator())
    old = arith::ExtFOp::create(builder, op.getLoc(), op.getAccumulator(), old);
  return arith::AddFOp::create(builder, op.getLoc(), made.element(), old);
}

static GemmOp fuseConsumer(RewriterBase &rewriter, GemmOp op) {
  linalg::LinalgOp consumer = findConsumer(op);
  if (!consumer)
    return {};
  OpOperand *init = consumer.getDpsInitOperand(0);
  // β adds to what lies where the result goes; an element of another type
  // cannot lie there.
  bool sameType = consumer->getResult(0).getType() == op.getC().getType();
  if (op.getBeta() && !sameType && !matchPattern(op.getBeta(), m_OneFloat()) &&
      !matchPattern(op.getBeta(), m_One()))
    return {};
  bool asOperand = op.getBeta() && !sameType;

  rewriter.setInsertionPoint(consumer);
  RegionBuilder made(rewriter, op.getLoc(), op.getAccumulator());
  Value sum = asOperand ? addOld(made, op) : made.element();
  Value product = productElement(made, op, sum);
  if (!product)
    return {};
  Value yielded =
      made.append(consumer,
                  AffineMap::getMultiDimIdentityMap(op.getCType().getRank(),
                                                    op.getContext()),
                  [&](OpOperand &operand) {
                    return operand.get() == op.getResult() ? product : Value();
                  });
  made.finish(yielded);
  bool keepsC = op.getBeta() && !asOperand;
  GemmOp fused =
      rebuild(rewriter, op, Role::C, made,
              {op.getA(), op.getB(), keepsC ? op.getC() : init->get()},
              keepsC ? op.getBeta() : Value());
  rewriter.replaceOp(consumer, fused);
  rewriter.eraseOp(op);
  return fused;
}

//===----------------------------------------------------------------------===//
// Prologues
//===----------------------------------------------------------------------===//

/// Blocks of one row or column of C each make their elements of A or B: what is
/// made must be cheap.
static bool isCheap(linalg::LinalgOp op) {
  return llvm::all_of(*op.getBlock(), [](Operation &inner) {
    return inner.getName().getDialectNamespace() != "math" &&
           !isa<arith::DivFOp, arith::RemFOp>(inner);
  });
}

/// From the dimensions of C's batch and (m, k) or (k, n) to A's or B's.
static AffineMap operandMap(GemmOp op, Role role) {
  ShapedType type = role == Role::A ? op.getAType() : op.getBType();
  bool transposed = role == Role::A ? op.getTransposeA() : op.getTransposeB();
  unsigned rank = op.getCType().getRank(), missing = rank - type.getRank();
  SmallVector<AffineExpr> results;
  for (unsigned dim = missing; dim != rank; ++dim) {
    bool repeated = dim + 2 < rank && type.getDimSize(dim - missing) == 1;
    results.push_back(repeated ? getAffineConstantExpr(0, op.getContext())
                               : getAffineDimExpr(dim, op.getContext()));
  }
  if (transposed)
    std::swap(results[results.size() - 2], results.back());
  return AffineMap::get(rank, 0, results, op.getContext());
}

static GemmOp fuseProducer(RewriterBase &rewriter, GemmOp op, Role role) {
  // How elements are read from memory says nothing of those that a region
  // makes.
  if (op.getPrecision() ||
      (role == Role::A ? op.getUnsignedA() : op.getUnsignedB()))
    return {};
  Value matrix = role == Role::A ? op.getA() : op.getB();
  auto producer = matrix.getDefiningOp<linalg::LinalgOp>();
  if (!producer || !matrix.hasOneUse() || !isElementwise(producer) ||
      !isCheap(producer) ||
      producer.payloadUsesValueFromOperand(producer.getDpsInitOperand(0)))
    return {};
  // The new matrix is an operand with an element of its own for each one.
  OpOperand *main = nullptr;
  for (OpOperand *input : producer.getDpsInputOperands())
    if (!main && isa<RankedTensorType>(input->get().getType()) &&
        producer.payloadUsesValueFromOperand(input) &&
        mapFromResult(producer, *input).isIdentity())
      main = input;
  if (!main)
    return {};

  rewriter.setInsertionPoint(op);
  RegionBuilder made(rewriter, op.getLoc(),
                     getElementTypeOrSelf(main->get().getType()));
  Value element =
      made.append(producer, operandMap(op, role), [&](OpOperand &operand) {
        return &operand == main ? made.element() : Value();
      });
  if (op.hasElementRegion(role))
    element = made.append(op.getElementRegion(role).front(), element,
                          op.getElementOperands(role), op.getElementMaps(role));
  made.finish(element);
  SmallVector<Value> matrices = {op.getA(), op.getB(), op.getC()};
  matrices[role == Role::A ? 0 : 1] = main->get();
  GemmOp fused = rebuild(rewriter, op, role, made, matrices, op.getBeta());
  rewriter.replaceOp(op, fused);
  rewriter.eraseOp(producer);
  return fused;
}

void kami::fuseElementwise(RewriterBase &rewriter, GemmOp op) {
  if (!op.hasTensorSemantics() || op.getPlan() || op.isComplex())
    return;
  for (Role role : {Role::A, Role::B})
    while (GemmOp fused = fuseProducer(rewriter, op, role))
      op = fused;
  while (GemmOp fused = fuseConsumer(rewriter, op))
    op = fused;
}
