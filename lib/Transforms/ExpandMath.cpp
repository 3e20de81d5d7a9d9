//===- ExpandMath.cpp - Transcendental functions as arithmetic -----------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Minimax polynomials, found by the exchange algorithm in 45 digits, around the
// classic range reductions. All branches are computed and one is selected: no
// lane diverges. How far results are from the true ones is said in Passes.td
// and checked in ExpandMathTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "kami/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace kami {
#define GEN_PASS_DEF_KAMIEXPANDMATH
#include "kami/Transforms/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Coefficients
//===----------------------------------------------------------------------===//

namespace {
/// What the functions need in one precision. Polynomials begin with the
/// constant term.
struct Coefficients {
  /// Bits of the significand that are stored, and the exponent's bias.
  int mantissa, bias;
  /// Beyond these e^x is 0 or infinity.
  double expLow, expHigh;
  /// ln 2 in two parts.
  double ln2, ln2Rest;
  /// (e^r − 1 − r) / r² for |r| ≤ ln(2)/2.
  ArrayRef<double> exp;
  /// (tanh(x)/x − 1) / x² in x² for |x| ≤ 0.55.
  ArrayRef<double> tanh;
  /// erf(x)/x − 1 in x² for |x| ≤ 0.875.
  ArrayRef<double> erf;
  /// ln(1 − erf(x)) in x − 0.875, from there to where erf is 1.
  ArrayRef<double> erfc;
  double erfEnd;
};
} // namespace

constexpr double tanhSplit = 0.55, erfSplit = 0.875;
constexpr double log2e = 1.4426950408889634074;

static const double expF32[] = {0.500000010, 0.166665188, 0.0416662062,
                                0.00836888928, 0.00139504640};
static const double tanhF32[] = {-0.333333185, 0.133326140, -0.0538549562,
                                 0.0210817438, -0.00628756434};
static const double erfF32[] = {0.128379167,   -0.376126363,  0.112837364,
                                -0.0268617738, 0.00520721960, -0.000821654881,
                                8.69896668e-5};
static const double erfcF32[] = {
    -1.53282444,    -2.43021977,    -0.826540653,   -0.0469046948, 0.0113579435,
    -0.00222016323, 0.000299645782, -1.93916190e-5, -1.95188633e-7};

static const double expF64[] = {
    0.500000000000001274,     0.166666666666666991,   0.0416666666665154224,
    0.00833333333330720733,   0.00138888889470149439, 0.000198412699173813524,
    0.0000248014899431402978, 2.75572163008136919e-6, 2.76312800365223266e-7,
    2.51178614850441552e-8};
static const double tanhF64[] = {
    -0.333333333333333047,    0.133333333333274593,
    -0.0539682539641731388,   0.0218694883962675836,
    -0.00886323275572923250,  0.00359209346479237059,
    -0.00145555145450782972,  0.000588477818031731779,
    -0.000233461974655915371, 0.0000834263703332058660,
    -0.0000195597244279033166};
static const double erfF64[] = {
    0.128379167095512574,    -0.376126389031837403,
    0.112837916709543679,    -0.0268661706449455499,
    0.00522397762309028717,  -0.000854832684756814561,
    0.000120553246329840534, -0.0000149253889393502557,
    1.64566348108159370e-6,  -1.62895072585266699e-7,
    1.41242321656327825e-8,  -8.66972874828709451e-10};
static const double erfcF64[] = {
    -1.53282443659855167,      -2.43021972295483857,
    -0.826541693333836666,     -0.0468960545606175031,
    0.0113233396911755639,     -0.00214399784322169972,
    0.000200788635106335521,   0.0000592748475311207103,
    -0.0000393450829750434954, 0.0000121115773877680475,
    -1.97078666727103407e-6,   -2.04401003825438054e-7,
    2.87572759599908995e-7,    -1.24378618629571550e-7,
    3.70534074932428830e-8,    -8.44442522820763319e-9,
    1.49951497807593875e-9,    -2.04296197334350607e-10,
    2.03867228169248038e-11,   -1.33326658694055196e-12,
    3.69323800016208331e-14,   1.97557702225214926e-15,
    -2.17488949302277120e-16,  6.14916517123673262e-18};

static const Coefficients coefficientsF32 = {
    23,      127,    -105,    89, 0x1.62e43p-1, -0x1.05c610p-29, expF32,
    tanhF32, erfF32, erfcF32, 4};
static const Coefficients coefficientsF64 = {52,
                                             1023,
                                             -746,
                                             710,
                                             0x1.62e42fefa39efp-1,
                                             0x1.abc9e3b39803fp-56,
                                             expF64,
                                             tanhF64,
                                             erfF64,
                                             erfcF64,
                                             6};

//===----------------------------------------------------------------------===//
// Expander
//===----------------------------------------------------------------------===//

namespace {
/// Emits functions of one float type: f32 or f64, or vectors of them.
class Expander {
public:
  Expander(OpBuilder &builder, Location loc, Type type)
      : b(loc, builder), type(type),
        c(getElementTypeOrSelf(type).isF64() ? coefficientsF64
                                             : coefficientsF32) {}

  Value exp(Value x);
  Value exp2(Value x);
  Value tanh(Value x);
  Value erf(Value x);
  Value rsqrt(Value x) {
    return arith::DivFOp::create(b, real(1), math::SqrtOp::create(b, x));
  }

private:
  /// 2^n · (1 + r + r²·q(r)), for whole n and r = `high` + `low`.
  Value scaledExp(Value n, Value high, Value low);
  Value powerOfTwo(Value n);

  Value constant(TypedAttr scalar) {
    if (auto vector = dyn_cast<ShapedType>(type))
      scalar = DenseElementsAttr::get(
          vector.clone(cast<TypedAttr>(scalar).getType()), Attribute(scalar));
    return arith::ConstantOp::create(b, scalar);
  }
  Value real(double value) {
    return constant(b.getFloatAttr(getElementTypeOrSelf(type), value));
  }
  Type integerType() {
    Type element =
        b.getIntegerType(getElementTypeOrSelf(type).getIntOrFloatBitWidth());
    auto vector = dyn_cast<ShapedType>(type);
    return vector ? Type(vector.clone(element)) : element;
  }
  Value whole(int64_t value) {
    return constant(
        b.getIntegerAttr(getElementTypeOrSelf(integerType()), value));
  }
  Value multiplyAdd(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  Value multiply(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value subtract(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value less(Value x, Value y) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  /// Also of a zero, whose sign a sum of zeros loses.
  Value withSign(Value size, Value x) {
    return math::CopySignOp::create(b, size, x);
  }
  Value magnitude(Value x) { return math::AbsFOp::create(b, x); }
  Value polynomial(ArrayRef<double> terms, Value x) {
    Value sum = real(terms.back());
    for (double term : llvm::reverse(terms.drop_back()))
      sum = multiplyAdd(sum, x, real(term));
    return sum;
  }

  ImplicitLocOpBuilder b;
  Type type;
  const Coefficients &c;
};
} // namespace

/// For n within the exponents of normal numbers.
Value Expander::powerOfTwo(Value n) {
  Value biased = arith::AddIOp::create(b, n, whole(c.bias));
  Value bits = arith::ShLIOp::create(b, biased, whole(c.mantissa));
  return arith::BitcastOp::create(b, type, bits);
}

Value Expander::scaledExp(Value n, Value high, Value low) {
  Value r = add(high, low);
  Value tail = multiplyAdd(multiply(r, r), polynomial(c.exp, r), low);
  Value sum = add(real(1), add(high, tail));
  // In two steps, of which only the last one rounds, and reaches subnormals
  // and infinity.
  Value count = arith::FPToSIOp::create(b, integerType(), n);
  Value half = arith::ShRSIOp::create(b, count, whole(1));
  Value rest = arith::SubIOp::create(b, count, half);
  return multiply(multiply(sum, powerOfTwo(half)), powerOfTwo(rest));
}

/// e^x = 2^n · e^r, where n is the nearest whole number to x·log2(e).
Value Expander::exp(Value x) {
  // Also what a NaN becomes on its way; it is put back at the end.
  Value bounded = select(less(real(c.expLow), x), x, real(c.expLow));
  bounded = select(less(bounded, real(c.expHigh)), bounded, real(c.expHigh));
  Value n = math::RoundEvenOp::create(b, multiply(bounded, real(log2e)));
  Value high = multiplyAdd(n, real(-c.ln2), bounded);
  Value result = scaledExp(n, high, multiply(n, real(-c.ln2Rest)));
  Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  return select(isNaN, x, result);
}

Value Expander::exp2(Value x) {
  double low = -c.bias - c.mantissa - 2, top = c.bias + 1;
  Value bounded = select(less(real(low), x), x, real(low));
  bounded = select(less(bounded, real(top)), bounded, real(top));
  Value n = math::RoundEvenOp::create(b, bounded);
  Value fraction = subtract(bounded, n);
  Value high = multiply(fraction, real(c.ln2));
  // What that product was rounded by, and the rest of ln 2.
  Value error =
      multiplyAdd(fraction, real(c.ln2), arith::NegFOp::create(b, high));
  Value result =
      scaledExp(n, high, multiplyAdd(fraction, real(c.ln2Rest), error));
  Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  return select(isNaN, x, result);
}

Value Expander::tanh(Value x) {
  Value size = magnitude(x);
  Value square = multiply(x, x);
  Value small = multiplyAdd(multiply(x, square), polynomial(c.tanh, square), x);
  // 1 − 2 / (e^2|x| + 1)
  Value power = add(exp(add(size, size)), real(1));
  Value large = subtract(real(1), arith::DivFOp::create(b, real(2), power));
  return withSign(select(less(size, real(tanhSplit)), small, large), x);
}

Value Expander::erf(Value x) {
  Value size = magnitude(x);
  Value square = multiply(x, x);
  Value small = multiplyAdd(x, polynomial(c.erf, square), x);
  // 1 − e^ln(1 − erf|x|); the comparison keeps a NaN.
  Value bounded = select(less(real(c.erfEnd), size), real(c.erfEnd), size);
  Value place = subtract(bounded, real(erfSplit));
  Value large = subtract(real(1), exp(polynomial(c.erfc, place)));
  return withSign(select(less(size, real(erfSplit)), small, large), x);
}

//===----------------------------------------------------------------------===//
// Patterns and pass
//===----------------------------------------------------------------------===//

namespace {
template <typename Op, Value (Expander::*function)(Value)>
struct Expand : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType(), element = getElementTypeOrSelf(type);
    if (!isa<FloatType>(element) || element.getIntOrFloatBitWidth() > 64)
      return rewriter.notifyMatchFailure(op, "wider than f64");
    Value x = op.getOperand();
    // Narrower ones are computed in f32 and rounded.
    Type wide = type;
    if (!element.isF32() && !element.isF64()) {
      auto shaped = dyn_cast<ShapedType>(type);
      wide = shaped ? Type(shaped.clone(rewriter.getF32Type()))
                    : rewriter.getF32Type();
      x = arith::ExtFOp::create(rewriter, op.getLoc(), wide, x);
    }
    Value result = (Expander(rewriter, op.getLoc(), wide).*function)(x);
    if (wide != type)
      result = arith::TruncFOp::create(rewriter, op.getLoc(), type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// What devices have an instruction for, or LLVM an exact sequence.
bool isElementary(Operation *op) {
  return isa<math::AbsFOp, math::CeilOp, math::CopySignOp, math::FloorOp,
             math::FmaOp, math::RoundEvenOp, math::SqrtOp, math::TruncOp>(op);
}

struct ExpandMath : kami::impl::KamiExpandMathBase<ExpandMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandMathPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    WalkResult result = getOperation()->walk([](Operation *op) {
      bool isMath = op->getName().getDialectNamespace() == "math";
      if (!isa<arith::RemFOp>(op) && (!isMath || isElementary(op)))
        return WalkResult::advance();
      op->emitError("no expansion of '")
          << op->getName() << "' on " << op->getResult(0).getType()
          << "; of functions that are no instructions, there are math.erf, "
             "math.exp, math.exp2, math.rsqrt and math.tanh";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

void kami::populateExpandMathPatterns(RewritePatternSet &patterns) {
  patterns.add<Expand<math::ExpOp, &Expander::exp>,
               Expand<math::Exp2Op, &Expander::exp2>,
               Expand<math::TanhOp, &Expander::tanh>,
               Expand<math::ErfOp, &Expander::erf>,
               Expand<math::RsqrtOp, &Expander::rsqrt>>(patterns.getContext());
}
