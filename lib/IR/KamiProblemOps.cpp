//===- KamiProblemOps.cpp - What is computed -----------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComplexProduct.h"
#include "ElementRegion.h"
#include "MatrixOperands.h"
#include "ProductTypes.h"
#include "kami/IR/KamiOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace kami;
using namespace mlir;

//===----------------------------------------------------------------------===//
// GemmOp: shape
//===----------------------------------------------------------------------===//

int64_t GemmOp::getM() { return matrixExtent(getCType(), false, 0); }
int64_t GemmOp::getN() { return matrixExtent(getCType(), false, 1); }
int64_t GemmOp::getK() {
  int64_t k = multipliedExtent(Role::A, 1);
  return ShapedType::isDynamic(k) ? multipliedExtent(Role::B, 0) : k;
}

int64_t GemmOp::multipliedExtent(Role role, unsigned dim) {
  bool isA = role == Role::A,
       isTransposed = isA ? getTransposeA() : getTransposeB();
  int64_t extent =
      matrixExtent(isA ? getAType() : getBType(), isTransposed, dim);
  if (!getInterleavedParts() || ShapedType::isDynamic(extent))
    return extent;
  // Across rows of complex numbers there are half as many of them.
  bool isAcross = dim == (isTransposed ? 1 : 0);
  if (isA)
    return !isTransposed ? extent : isAcross ? 2 * extent : extent / 2;
  return isAcross ? 2 * extent : extent;
}

//===----------------------------------------------------------------------===//
// GemmOp: regions
//===----------------------------------------------------------------------===//

void GemmOp::build(OpBuilder &builder, OperationState &state, Type result,
                   Value a, Value b, Value c, Value alpha, Value beta,
                   bool transposeA, bool transposeB, Type accumulator,
                   PlanAttr plan, PrecisionAttr precision, bool unsignedA,
                   bool unsignedB) {
  build(builder, state, result, a, b, c, alpha, beta,
        /*prologueAOperands=*/ValueRange(), /*prologueBOperands=*/ValueRange(),
        /*epilogueOperands=*/ValueRange(), /*nextA=*/Value(),
        /*nextB=*/Value(), /*hasNext=*/Value(), /*turn=*/Value(),
        /*areRowsAligned=*/Value(), /*layers=*/Value(), /*layerK=*/Value(),
        transposeA, transposeB, accumulator, plan, precision, unsignedA,
        unsignedB, /*conjugateA=*/false,
        /*conjugateB=*/false, /*interleavedParts=*/false,
        /*reproducible=*/true, /*alignedRows=*/false,
        /*prologueAMaps=*/ArrayAttr(),
        /*prologueBMaps=*/ArrayAttr(),
        /*epilogueMaps=*/ArrayAttr());
}

static ShapedType typeOf(GemmOp op, Role role) {
  return role == Role::A   ? op.getAType()
         : role == Role::B ? op.getBType()
                           : op.getCType();
}

Type GemmOp::getMultipliedType(Role role) {
  assert(role != Role::C && "C is not multiplied");
  Type memory = typeOf(*this, role).getElementType();
  Region &prologue = getElementRegion(role);
  if (prologue.empty() || prologue.front().empty())
    return memory;
  auto yield = dyn_cast<YieldOp>(prologue.front().back());
  return yield ? yield.getValue().getType() : memory;
}

SmallVector<AffineMap> GemmOp::getElementMaps(Role role) {
  std::optional<ArrayAttr> maps = role == Role::A   ? getPrologueAMaps()
                                  : role == Role::B ? getPrologueBMaps()
                                                    : getEpilogueMaps();
  if (!maps)
    return {};
  return llvm::to_vector(maps->getAsValueRange<AffineMapAttr>());
}

void GemmOp::setElementMaps(Role role, ArrayRef<AffineMap> maps) {
  ArrayAttr attribute = Builder(getContext()).getAffineMapArrayAttr(maps);
  if (role == Role::A)
    setPrologueAMapsAttr(attribute);
  else if (role == Role::B)
    setPrologueBMapsAttr(attribute);
  else
    setEpilogueMapsAttr(attribute);
}

// mlir::clone tells a listener of blocks that have no parent yet.
GemmOp GemmOp::cloneWith(OpBuilder &builder, ValueRange operands) {
  SmallVector<Type> results;
  if (isa<TensorType>(operands[2].getType()))
    results.push_back(operands[2].getType());
  Operation *self = getOperation();
  Operation *fresh = Operation::create(
      getLoc(), self->getName(), results, operands,
      NamedAttrList(self->getDiscardableAttrDictionary()),
      self->getPropertiesStorage(), BlockRange(), self->getNumRegions());
  for (auto [from, to] :
       llvm::zip_equal(self->getRegions(), fresh->getRegions())) {
    IRMapping values;
    from.cloneInto(&to, values);
  }
  return cast<GemmOp>(builder.insert(fresh));
}

static StringRef regionName(Role role) {
  return role == Role::A   ? "prologue of A"
         : role == Role::B ? "prologue of B"
                           : "epilogue";
}

/// Extents of what a region's maps start from: C's batch, and the matrix.
static SmallVector<int64_t> domainOf(GemmOp op, Role role) {
  SmallVector<int64_t> domain(op.getCType().getShape().drop_back(2));
  domain.push_back(role == Role::B ? op.getK() : op.getM());
  domain.push_back(role == Role::A ? op.getK() : op.getN());
  return domain;
}

//===----------------------------------------------------------------------===//
// GemmOp: verifier
//===----------------------------------------------------------------------===//

/// (C1), (C2)
static LogicalResult verifyOperandKinds(GemmOp op) {
  bool tensors = op.hasTensorSemantics();
  if (isa<TensorType>(op.getA().getType()) != tensors ||
      isa<TensorType>(op.getB().getType()) != tensors)
    return op.emitOpError(
        "expected operands that are all tensors or all memrefs");
  bool inPlace = isa<MemRefType>(op.getC().getType());
  if (inPlace == (op.getNumResults() == 1))
    return op.emitOpError(inPlace ? "expected no result, since C is a memref"
                                  : "expected a result, since C is no memref");
  if (!inPlace && op.getResult().getType() != op.getC().getType())
    return op.emitOpError("expected a result of type ")
           << op.getC().getType() << ", C's, but got "
           << op.getResult().getType();
  for (auto [type, name] :
       {std::pair(op.getCType(), "C"), std::pair(op.getAType(), "A"),
        std::pair(op.getBType(), "B")}) {
    if (type.getRank() < 2)
      return op.emitOpError("expected at least two dimensions of ")
             << name << ", but got " << type.getRank();
    if (type.getRank() > op.getCType().getRank())
      return op.emitOpError("expected no more dimensions of ")
             << name << " than C's " << op.getCType().getRank() << ", but got "
             << type.getRank();
  }
  return success();
}

bool kami::isLoadable(Type element, Type type) {
  if (element == type)
    return true;
  auto from = dyn_cast<FloatType>(element), to = dyn_cast<FloatType>(type);
  return from && to &&
         APFloat::isRepresentableBy(from.getFloatSemantics(),
                                    to.getFloatSemantics());
}

bool kami::isStorable(Type accumulator, Type element) {
  return element == accumulator ||
         (isa<FloatType>(element) && isa<FloatType>(accumulator) &&
          element.getIntOrFloatBitWidth() <
              accumulator.getIntOrFloatBitWidth());
}

/// (C9), (C10), of operands whose elements a prologue makes.
static LogicalResult verifyInterpretation(GemmOp op) {
  for (auto [role, isUnsigned] : {std::pair(Role::A, op.getUnsignedA()),
                                  std::pair(Role::B, op.getUnsignedB())}) {
    if (!op.hasElementRegion(role))
      continue;
    if (op.getPrecision())
      return op.emitOpError("expected no ")
             << regionName(role) << " with precision "
             << stringifyPrecision(*op.getPrecision());
    if (isUnsigned)
      return op.emitOpError("expected no ")
             << regionName(role) << " with "
             << (role == Role::A ? "unsigned_a" : "unsigned_b");
  }
  return success();
}

/// (C11)
static LogicalResult verifyDistribution(GemmOp op) {
  PlanAttr plan = op.getPlanAttr();
  for (auto [value, role, transposed] :
       {std::tuple(op.getA(), Role::A, op.getTransposeA()),
        std::tuple(op.getB(), Role::B, op.getTransposeB()),
        std::tuple(op.getC(), Role::C, false)}) {
    auto type = dyn_cast<DistributedType>(value.getType());
    if (!type)
      continue;
    if (type.getRole() != role)
      return op.emitOpError("expected a distributed matrix of role ")
             << stringifyRole(role) << ", but got "
             << stringifyRole(type.getRole());
    if (transposed)
      return op.emitOpError("cannot transpose a distributed matrix");
    if (role != Role::C && op.hasElementRegion(role))
      return op.emitOpError("expected no ")
             << regionName(role) << " where the matrix is distributed";
    if (!plan)
      plan = type.getPlan();
    if (type.getPlan() != plan)
      return op.emitOpError("expected distributed matrices of one plan, the "
                            "product's, but got ")
             << plan << " and " << type.getPlan();
  }
  return success();
}

/// (C19)
static LogicalResult verifyNext(GemmOp op) {
  if (!op.getTurn())
    return success();
  if (!op.getPlan() ||
      !(op.getPlan()->getPrefetches() || op.getPlan()->getBulk()))
    return op.emitOpError("expected a plan that prefetches what comes next, or "
                          "copies in bulk");
  for (auto [next, own, name] : {std::tuple(op.getNextA(), op.getA(), "A"),
                                 std::tuple(op.getNextB(), op.getB(), "B")}) {
    if (next.getType() != own.getType())
      return op.emitOpError("expected the next ")
             << name << " of type " << own.getType() << ", but got "
             << next.getType();
  }
  return success();
}

/// (C20)
static LogicalResult verifyAlignedRows(GemmOp op) {
  if (!op.getAreRowsAligned())
    return success();
  if (op.getAlignedRows())
    return op.emitOpError("expected either rows that are aligned, or a "
                          "condition for it");
  if (!op.getPlan() || op.getPlan()->getTransport() != TransportKind::Copied)
    return op.emitOpError("expected a plan of copied operands where it depends "
                          "on a condition whether rows are aligned");
  return success();
}

/// (C21)
static LogicalResult verifyLayers(GemmOp op) {
  if (!op.getLayers())
    return success();
  for (Value matrix : {op.getA(), op.getB()})
    if (!isa<MemRefType>(matrix.getType()))
      return op.emitOpError("expected memrefs where it has layers, but got ")
             << matrix.getType();
  if (op.hasElementRegion(Role::A) || op.hasElementRegion(Role::B) ||
      op.getAlignedRows() || op.getAreRowsAligned() || op.getTurn())
    return op.emitOpError("expected neither prologues, aligned rows nor a next "
                          "product where it has layers");
  PlanAttr plan = op.getPlanAttr();
  if (plan && (plan.getGridK() != 1 || plan.isPacked() ||
               plan.getPrefetches() || plan.getBulk()))
    return op.emitOpError("expected a plan for one layer, which neither packs, "
                          "prefetches nor copies in bulk, but got ")
           << plan;
  return success();
}

PlanAttr GemmOp::getDistribution() {
  for (Value operand : {getA(), getB(), getC()})
    if (auto type = dyn_cast<DistributedType>(operand.getType()))
      return type.getPlan();
  return nullptr;
}

/// (C6)
static LogicalResult verifyScales(GemmOp op) {
  for (auto [scale, name] :
       {std::pair(op.getAlpha(), "alpha"), std::pair(op.getBeta(), "beta")})
    if (scale && getElementTypeOrSelf(scale.getType()) != op.getAccumulator())
      return op.emitOpError("expected ")
             << name << " of the accumulator's type " << op.getAccumulator()
             << ", but got " << scale.getType();
  return success();
}

/// (C3), (C6), (C7), (C8)
static LogicalResult verifyElementTypes(GemmOp op) {
  bool anyComplex = llvm::any_of(ArrayRef<Type>{op.getAType().getElementType(),
                                                op.getBType().getElementType(),
                                                op.getCType().getElementType(),
                                                op.getAccumulator()},
                                 llvm::IsaPred<ComplexType>);
  if (anyComplex)
    return failure(failed(verifyComplexProduct(op)) ||
                   failed(verifyScales(op)));
  if ((op.getConjugateA() || op.getConjugateB()) && !op.getInterleavedParts())
    return op.emitOpError("expected complex elements for ")
           << (op.getConjugateA() ? "conjugate_a" : "conjugate_b")
           << ", but got " << op.getAccumulator();
  ProductTypes types{op.getMultipliedType(Role::A),
                     op.getMultipliedType(Role::B),
                     op.getCType().getElementType(), op.getAccumulator()};
  // What the epilogue yields has nothing to do with the accumulator, but the
  // elements that β scales have.
  types.convertsC = !op.hasElementRegion(Role::C) || op.getBeta();
  types.precision = op.getPrecision();
  types.unsignedA = op.getUnsignedA();
  types.unsignedB = op.getUnsignedB();
  return failure(failed(verifyScales(op)) ||
                 failed(verifyProductTypes(op, types)) ||
                 failed(verifyInterpretation(op)));
}

/// (C14)
static LogicalResult verifyKind(GemmOp op, Value value, StringRef name) {
  Type type = value.getType();
  if (!isa<ShapedType>(type) ||
      isa<TensorType>(type) == op.hasTensorSemantics())
    return success();
  return op.emitOpError("expected ")
         << name << " that is a "
         << (op.hasTensorSemantics() ? "tensor" : "memref")
         << " as C is, or a scalar, but got " << type;
}

/// (C12), (C13), (C14), (C15)
static LogicalResult verifyRegion(GemmOp op, Role role) {
  OperandRange operands = op.getElementOperands(role);
  SmallVector<AffineMap> maps = op.getElementMaps(role);
  if (!op.hasElementRegion(role)) {
    if (operands.empty() && maps.empty())
      return success();
    return op.emitOpError("expected no operands without a region for the ")
           << regionName(role);
  }
  if (operands.size() != maps.size())
    return op.emitOpError("expected a map for each of the ")
           << operands.size() << " operands of the " << regionName(role)
           << ", but got " << maps.size();
  Type element =
      role == Role::C ? op.getAccumulator() : typeOf(op, role).getElementType();
  SmallVector<Type> arguments = {element};
  for (auto [operand, map] : llvm::zip_equal(operands, maps)) {
    if (failed(verifyKind(op, operand, "an operand")) ||
        failed(verifyElementMap(op, regionName(role), operand, map,
                                domainOf(op, role))))
      return failure();
    arguments.push_back(getElementTypeOrSelf(operand.getType()));
  }
  Type yielded = role == Role::C ? op.getCType().getElementType()
                                 : op.getMultipliedType(role);
  return verifyElementRegion(op, regionName(role), op.getElementRegion(role),
                             arguments, yielded);
}

/// (C18)
static LogicalResult verifyDestination(GemmOp op) {
  auto type = dyn_cast<MemRefType>(op.getC().getType());
  if (!type)
    return success();
  if (op.getC() == op.getA() || op.getC() == op.getB())
    return op.emitOpError("expected C to be another memref than ")
           << (op.getC() == op.getA() ? "A" : "B");
  if (overlapsItself(type))
    return op.emitOpError("expected no two elements of C at one address, but "
                          "got ")
           << type;
  return success();
}

LogicalResult GemmOp::verify() {
  if (failed(verifyOperandKinds(*this)) || failed(verifyElementTypes(*this)) ||
      failed(verifyDistribution(*this)) || failed(verifyNext(*this)) ||
      failed(verifyAlignedRows(*this)) || failed(verifyLayers(*this)) ||
      failed(verifyInterleavedParts(*this)))
    return failure();
  for (Value scale : {getAlpha(), getBeta()})
    if (scale && failed(verifyKind(*this, scale, "a scale")))
      return failure();
  ShapedType a = getAType(), b = getBType(), c = getCType();
  if (failed(verifyExtent(*this, "m", "C's", matrixExtent(c, false, 0), "A's",
                          multipliedExtent(Role::A, 0))) ||
      failed(verifyExtent(*this, "n", "C's", matrixExtent(c, false, 1), "B's",
                          multipliedExtent(Role::B, 1))) ||
      failed(verifyExtent(*this, "k", "A's", multipliedExtent(Role::A, 1),
                          "B's", multipliedExtent(Role::B, 0))))
    return failure();
  if (failed(verifyBatch(*this, c, a, "A")) ||
      failed(verifyBatch(*this, c, b, "B")) || failed(verifyDestination(*this)))
    return failure();
  for (Role role : {Role::A, Role::B, Role::C})
    if (failed(verifyRegion(*this, role)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// GemmOp: effects
//===----------------------------------------------------------------------===//

void GemmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (hasTensorSemantics())
    return;
  if (getDistribution()) {
    // Warps meet, as at a barrier.
    effects.emplace_back(MemoryEffects::Read::get());
    effects.emplace_back(MemoryEffects::Write::get());
  }
  for (OpOperand &operand : getOperation()->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()) && !isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  if (!isa<MemRefType>(getC().getType()))
    return;
  if (getBeta())
    effects.emplace_back(MemoryEffects::Read::get(), &getCMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getCMutable());
}

//===----------------------------------------------------------------------===//
// GemmOp: canonicalization
//===----------------------------------------------------------------------===//

template <typename FloatMatcher, typename IntegerMatcher>
static bool isConstant(Value value, FloatMatcher real, IntegerMatcher integer) {
  return matchPattern(value, real) || matchPattern(value, integer);
}

/// Whether it is that complex number without an imaginary part.
static bool isComplexConstant(Value value, double real) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return false;
  auto parts = dyn_cast_or_null<ArrayAttr>(constant);
  return parts && parts.size() == 2 &&
         cast<FloatAttr>(parts[0]).getValueAsDouble() == real &&
         cast<FloatAttr>(parts[1]).getValueAsDouble() == 0;
}

namespace {
/// A constant α of 1 or β of 0 is the same as none, and says more.
struct DropNeutralScale : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GemmOp op,
                                PatternRewriter &rewriter) const override {
    bool alpha =
        op.getAlpha() && (isConstant(op.getAlpha(), m_OneFloat(), m_One()) ||
                          isComplexConstant(op.getAlpha(), 1));
    bool beta =
        op.getBeta() && (isConstant(op.getBeta(), m_AnyZeroFloat(), m_Zero()) ||
                         isComplexConstant(op.getBeta(), 0));
    if (!alpha && !beta)
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      if (alpha)
        op.getAlphaMutable().clear();
      if (beta)
        op.getBetaMutable().clear();
    });
    return success();
  }
};

/// Whether the region does no more than the op does without it: a prologue that
/// yields the element, an epilogue that yields it, or rounds it to C's type.
static bool isIdentity(GemmOp op, Role role) {
  Region &region = op.getElementRegion(role);
  if (region.empty())
    return false;
  Value element = region.getArgument(0);
  Value value = cast<YieldOp>(region.front().getTerminator()).getValue();
  if (role == Role::C)
    if (auto rounding = value.getDefiningOp<arith::TruncFOp>();
        rounding && !rounding.getRoundingmode())
      value = rounding.getIn();
  return value == element;
}

struct DropIdentityRegion : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GemmOp op,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    for (Role role : {Role::A, Role::B, Role::C}) {
      if (!isIdentity(op, role))
        continue;
      changed = true;
      rewriter.eraseBlock(&op.getElementRegion(role).front());
      rewriter.modifyOpInPlace(op, [&] {
        op.getElementOperandsMutable(role).clear();
        if (role == Role::A)
          op.removePrologueAMapsAttr();
        else if (role == Role::B)
          op.removePrologueBMapsAttr();
        else
          op.removeEpilogueMapsAttr();
      });
    }
    return success(changed);
  }
};

/// What a region does not use, or has twice, it need not read.
struct DropElementOperands : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GemmOp op,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    for (Role role : {Role::A, Role::B, Role::C})
      while (dropOne(op, role, rewriter))
        changed = true;
    return success(changed);
  }

private:
  static bool dropOne(GemmOp op, Role role, PatternRewriter &rewriter) {
    OperandRange operands = op.getElementOperands(role);
    SmallVector<AffineMap> maps = op.getElementMaps(role);
    for (unsigned i = 0, e = operands.size(); i != e; ++i) {
      Region &region = op.getElementRegion(role);
      BlockArgument argument = region.getArgument(i + 1);
      unsigned first = 0;
      while (operands[first] != operands[i] || maps[first] != maps[i])
        ++first;
      if (!argument.use_empty() && first == i)
        continue;
      if (first != i)
        rewriter.replaceAllUsesWith(argument, region.getArgument(first + 1));
      rewriter.modifyOpInPlace(op, [&] {
        region.front().eraseArgument(i + 1);
        op.getElementOperandsMutable(role).erase(i);
        maps.erase(maps.begin() + i);
        op.setElementMaps(role, maps);
      });
      return true;
    }
    return false;
  }
};

/// A product has what is known of its matrices before casts make them more
/// general. Before MLIR's own pattern for casts of tensors, which clones ops in
/// a way that none with an empty region survives.
struct FoldCasts : OpRewritePattern<GemmOp> {
  FoldCasts(MLIRContext *context) : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(GemmOp op,
                                PatternRewriter &rewriter) const override {
    if (llvm::none_of(op->getOperands(), sourceOf))
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      for (OpOperand &operand : op->getOpOperands())
        if (Value source = sourceOf(operand.get()))
          operand.set(source);
    });
    if (op.hasTensorSemantics())
      castResult(op, rewriter);
    return success();
  }

private:
  static Value sourceOf(Value value) {
    if (auto cast = value.getDefiningOp<tensor::CastOp>())
      return tensor::canFoldIntoConsumerOp(cast) ? cast.getSource() : Value();
    if (auto cast = value.getDefiningOp<memref::CastOp>())
      return memref::CastOp::canFoldIntoConsumerOp(cast) ? cast.getSource()
                                                         : Value();
    return {};
  }

  /// C's type is the result's.
  static void castResult(GemmOp op, PatternRewriter &rewriter) {
    Value result = op->getResult(0);
    Type wanted = result.getType();
    if (wanted == op.getCType())
      return;
    rewriter.modifyOpInPlace(op, [&] { result.setType(op.getCType()); });
    rewriter.setInsertionPointAfter(op);
    auto cast = tensor::CastOp::create(rewriter, op.getLoc(), wanted, result);
    rewriter.replaceAllUsesExcept(result, cast, cast);
  }
};

/// A product without elements computes nothing.
struct DropEmptyProduct : OpRewritePattern<GemmOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GemmOp op,
                                PatternRewriter &rewriter) const override {
    if (!llvm::is_contained(op.getCType().getShape(), 0))
      return failure();
    if (op.hasTensorSemantics())
      rewriter.replaceOp(op, op.getC());
    else
      rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void GemmOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<DropNeutralScale, DropIdentityRegion, DropElementOperands,
               FoldCasts, DropEmptyProduct>(context);
}
