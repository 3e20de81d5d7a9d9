//===- ScalarOps.cpp ------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the operations of `arith` and `math` do to one element.
//
// Floats are computed in double and rounded once to the format. For +, -, ·, ÷
// and √ of formats up to f32 that is the correctly rounded result, since a
// double has more than twice their bits plus two.
//
//===----------------------------------------------------------------------===//

#include "kami/IR/KamiTypes.h"
#include "kami/Simulator/Scalar.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <limits>

using namespace kami::sim;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static int64_t signedOf(const ScalarOp &op, uint64_t bits) {
  return toSigned(op.from, bits);
}

template <typename F> static constexpr ScalarOp::Function integerFunction(F) {
  return [](const ScalarOp &op, uint64_t a, uint64_t b, uint64_t) -> uint64_t {
    return uint64_t(F()(a, b)) & op.to.mask();
  };
}

template <typename F> static constexpr ScalarOp::Function signedFunction(F) {
  return [](const ScalarOp &op, uint64_t a, uint64_t b, uint64_t) -> uint64_t {
    return uint64_t(F()(signedOf(op, a), signedOf(op, b))) & op.to.mask();
  };
}

namespace {
// Division by zero and the overflow of -2^63 / -1 are undefined in `arith`;
// inactive lanes get there, too, so they must not trap.
bool undefinedQuotient(int64_t a, int64_t b) {
  return b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min());
}
struct Add {
  uint64_t operator()(uint64_t a, uint64_t b) { return a + b; }
};
struct Sub {
  uint64_t operator()(uint64_t a, uint64_t b) { return a - b; }
};
struct Mul {
  uint64_t operator()(uint64_t a, uint64_t b) { return a * b; }
};
struct And {
  uint64_t operator()(uint64_t a, uint64_t b) { return a & b; }
};
struct Or {
  uint64_t operator()(uint64_t a, uint64_t b) { return a | b; }
};
struct Xor {
  uint64_t operator()(uint64_t a, uint64_t b) { return a ^ b; }
};
struct ShiftLeft {
  uint64_t operator()(uint64_t a, uint64_t b) { return b < 64 ? a << b : 0; }
};
struct ShiftRight {
  uint64_t operator()(uint64_t a, uint64_t b) { return b < 64 ? a >> b : 0; }
};
struct ShiftRightSigned {
  int64_t operator()(int64_t a, int64_t b) {
    return a >> (b >= 0 && b < 64 ? b : 63);
  }
};
struct DivU {
  uint64_t operator()(uint64_t a, uint64_t b) { return b ? a / b : 0; }
};
struct RemU {
  uint64_t operator()(uint64_t a, uint64_t b) { return b ? a % b : 0; }
};
struct CeilDivU {
  uint64_t operator()(uint64_t a, uint64_t b) {
    return b ? a / b + (a % b != 0) : 0;
  }
};
struct DivS {
  int64_t operator()(int64_t a, int64_t b) {
    return undefinedQuotient(a, b) ? 0 : a / b;
  }
};
struct RemS {
  int64_t operator()(int64_t a, int64_t b) {
    return undefinedQuotient(a, b) ? 0 : a % b;
  }
};
struct CeilDivS {
  int64_t operator()(int64_t a, int64_t b) {
    if (undefinedQuotient(a, b))
      return 0;
    return a / b + (a % b != 0 && (a < 0) == (b < 0));
  }
};
struct FloorDivS {
  int64_t operator()(int64_t a, int64_t b) {
    if (undefinedQuotient(a, b))
      return 0;
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
  }
};
struct MaxS {
  int64_t operator()(int64_t a, int64_t b) { return std::max(a, b); }
};
struct MinS {
  int64_t operator()(int64_t a, int64_t b) { return std::min(a, b); }
};
struct MaxU {
  uint64_t operator()(uint64_t a, uint64_t b) { return std::max(a, b); }
};
struct MinU {
  uint64_t operator()(uint64_t a, uint64_t b) { return std::min(a, b); }
};
} // namespace

static uint64_t compareIntegers(const ScalarOp &op, uint64_t a, uint64_t b,
                                uint64_t) {
  int64_t sa = signedOf(op, a), sb = signedOf(op, b);
  switch (arith::CmpIPredicate(op.predicate)) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return sa < sb;
  case arith::CmpIPredicate::sle:
    return sa <= sb;
  case arith::CmpIPredicate::sgt:
    return sa > sb;
  case arith::CmpIPredicate::sge:
    return sa >= sb;
  case arith::CmpIPredicate::ult:
    return a < b;
  case arith::CmpIPredicate::ule:
    return a <= b;
  case arith::CmpIPredicate::ugt:
    return a > b;
  case arith::CmpIPredicate::uge:
    return a >= b;
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

template <typename F> static constexpr ScalarOp::Function floatFunction(F) {
  return [](const ScalarOp &op, uint64_t a, uint64_t b, uint64_t) -> uint64_t {
    return fromDouble(op.to, F()(toDouble(op.from, a), toDouble(op.from, b)));
  };
}

namespace {
struct AddF {
  double operator()(double a, double b) { return a + b; }
};
struct SubF {
  double operator()(double a, double b) { return a - b; }
};
struct MulF {
  double operator()(double a, double b) { return a * b; }
};
struct DivF {
  double operator()(double a, double b) { return a / b; }
};
struct RemF {
  double operator()(double a, double b) { return std::fmod(a, b); }
};
struct MaximumF {
  double operator()(double a, double b) {
    if (std::isnan(a) || std::isnan(b))
      return std::numeric_limits<double>::quiet_NaN();
    return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
  }
};
struct MinimumF {
  double operator()(double a, double b) {
    if (std::isnan(a) || std::isnan(b))
      return std::numeric_limits<double>::quiet_NaN();
    return a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
  }
};
struct MaxNumF {
  double operator()(double a, double b) { return std::fmax(a, b); }
};
struct MinNumF {
  double operator()(double a, double b) { return std::fmin(a, b); }
};
struct SqrtF {
  double operator()(double a, double) { return std::sqrt(a); }
};
struct FloorF {
  double operator()(double a, double) { return std::floor(a); }
};
struct CeilF {
  double operator()(double a, double) { return std::ceil(a); }
};
struct TruncateF {
  double operator()(double a, double) { return std::trunc(a); }
};
/// In the default rounding mode, which nobody changes.
struct RoundEvenF {
  double operator()(double a, double) { return std::nearbyint(a); }
};
// What a kernel calls before it is expanded: at warp level.
struct ExpF {
  double operator()(double a, double) { return std::exp(a); }
};
struct Exp2F {
  double operator()(double a, double) { return std::exp2(a); }
};
struct TanhF {
  double operator()(double a, double) { return std::tanh(a); }
};
struct ErfF {
  double operator()(double a, double) { return std::erf(a); }
};
struct RsqrtF {
  double operator()(double a, double) { return 1 / std::sqrt(a); }
};
struct IdentityF {
  double operator()(double a, double) { return a; }
};
} // namespace

static uint64_t negate(const ScalarOp &op, uint64_t a, uint64_t, uint64_t) {
  return a ^ 1ull << (op.from.bits - 1);
}

static uint64_t absolute(const ScalarOp &op, uint64_t a, uint64_t, uint64_t) {
  return a & ~(1ull << (op.from.bits - 1));
}

static uint64_t copySign(const ScalarOp &op, uint64_t a, uint64_t b, uint64_t) {
  uint64_t sign = 1ull << (op.from.bits - 1);
  return (a & ~sign) | (b & sign);
}

static uint64_t fusedMultiplyAdd(const ScalarOp &op, uint64_t a, uint64_t b,
                                 uint64_t c) {
  double x = toDouble(op.from, a), y = toDouble(op.from, b),
         z = toDouble(op.from, c);
  if (op.to.kind == ElementFormat::F64)
    return fromDouble(op.to, std::fma(x, y, z));
  if (op.to.kind == ElementFormat::F32)
    return fromDouble(op.to, std::fma(float(x), float(y), float(z)));
  // The product is exact; the sum is rounded to odd, so that the second
  // rounding, to far fewer bits, does not see a tie that is none.
  double product = x * y, sum = product + z;
  double part = sum - product;
  double error = (product - (sum - part)) + (z - part);
  uint64_t raw = llvm::bit_cast<uint64_t>(sum);
  if (error != 0 && !(raw & 1) && std::isfinite(sum))
    raw += (error > 0) == (sum > 0) ? 1 : -1;
  return fromDouble(op.to, llvm::bit_cast<double>(raw));
}

bool kami::sim::holds(arith::CmpFPredicate predicate, bool less, bool equal,
                      bool greater) {
  // A bit for each of equal, greater, less, unordered, by predicate.
  static constexpr uint8_t accepted[] = {0, 1,  2,  3,  4,  5,  6, 7,
                                         9, 10, 11, 12, 13, 14, 8, 15};
  static_assert(int(arith::CmpFPredicate::ONE) == 6 &&
                int(arith::CmpFPredicate::UEQ) == 8 &&
                int(arith::CmpFPredicate::UNO) == 14);
  unsigned relation = equal ? 1 : greater ? 2 : less ? 4 : 8;
  return accepted[int(predicate)] & relation;
}

static uint64_t compareFloats(const ScalarOp &op, uint64_t a, uint64_t b,
                              uint64_t) {
  double x = toDouble(op.from, a), y = toDouble(op.from, b);
  return holds(arith::CmpFPredicate(op.predicate), x<y, x == y, x> y);
}

//===----------------------------------------------------------------------===//
// Casts and the rest
//===----------------------------------------------------------------------===//

static uint64_t selectElement(const ScalarOp &, uint64_t a, uint64_t b,
                              uint64_t c) {
  return a & 1 ? b : c;
}

static uint64_t signExtend(const ScalarOp &op, uint64_t a, uint64_t, uint64_t) {
  return uint64_t(signedOf(op, a)) & op.to.mask();
}

static uint64_t zeroExtend(const ScalarOp &op, uint64_t a, uint64_t, uint64_t) {
  return a & op.to.mask();
}

/// Integers of more than 53 bits are rounded to the result directly.
static uint64_t signedToFloat(const ScalarOp &op, uint64_t a, uint64_t,
                              uint64_t) {
  if (op.to.kind == ElementFormat::F32)
    return llvm::bit_cast<uint32_t>(float(signedOf(op, a)));
  return fromDouble(op.to, double(signedOf(op, a)));
}

static uint64_t unsignedToFloat(const ScalarOp &op, uint64_t a, uint64_t,
                                uint64_t) {
  if (op.to.kind == ElementFormat::F32)
    return llvm::bit_cast<uint32_t>(float(a));
  return fromDouble(op.to, double(a));
}

static uint64_t toTF32(const ScalarOp &, uint64_t a, uint64_t, uint64_t) {
  return roundToTF32(a);
}

/// The lower half of two words that are shifted to the right as one, by less
/// than a word's bits.
static uint64_t funnelShift(const ScalarOp &, uint64_t high, uint64_t low,
                            uint64_t bits) {
  return (high << 32 | low) >> (bits & 31) & 0xffffffff;
}

/// `arith` integers by op; null for any other.
static ScalarOp::Function integerOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, ScalarOp::Function>(op)
      .Case<arith::AddIOp, spirv::IAddOp>(
          [](auto) { return integerFunction(Add()); })
      .Case([](arith::SubIOp) { return integerFunction(Sub()); })
      .Case([](arith::MulIOp) { return integerFunction(Mul()); })
      .Case([](arith::AndIOp) { return integerFunction(And()); })
      .Case([](arith::OrIOp) { return integerFunction(Or()); })
      .Case([](arith::XOrIOp) { return integerFunction(Xor()); })
      .Case([](arith::ShLIOp) { return integerFunction(ShiftLeft()); })
      .Case([](arith::ShRUIOp) { return integerFunction(ShiftRight()); })
      .Case([](arith::ShRSIOp) { return signedFunction(ShiftRightSigned()); })
      .Case([](arith::DivUIOp) { return integerFunction(DivU()); })
      .Case([](arith::RemUIOp) { return integerFunction(RemU()); })
      .Case([](arith::CeilDivUIOp) { return integerFunction(CeilDivU()); })
      .Case([](arith::DivSIOp) { return signedFunction(DivS()); })
      .Case([](arith::RemSIOp) { return signedFunction(RemS()); })
      .Case([](arith::CeilDivSIOp) { return signedFunction(CeilDivS()); })
      .Case([](arith::FloorDivSIOp) { return signedFunction(FloorDivS()); })
      .Case([](arith::MaxSIOp) { return signedFunction(MaxS()); })
      .Case([](arith::MinSIOp) { return signedFunction(MinS()); })
      .Case([](arith::MaxUIOp) { return integerFunction(MaxU()); })
      .Case([](arith::MinUIOp) { return integerFunction(MinU()); })
      .Case([](arith::CmpIOp) { return compareIntegers; })
      .Default([](Operation *) { return nullptr; });
}

static ScalarOp::Function floatOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, ScalarOp::Function>(op)
      .Case<arith::AddFOp, spirv::FAddOp>(
          [](auto) { return floatFunction(AddF()); })
      .Case([](arith::SubFOp) { return floatFunction(SubF()); })
      .Case([](arith::MulFOp) { return floatFunction(MulF()); })
      .Case([](arith::DivFOp) { return floatFunction(DivF()); })
      .Case([](arith::RemFOp) { return floatFunction(RemF()); })
      .Case([](arith::MaximumFOp) { return floatFunction(MaximumF()); })
      .Case([](arith::MinimumFOp) { return floatFunction(MinimumF()); })
      .Case([](arith::MaxNumFOp) { return floatFunction(MaxNumF()); })
      .Case([](arith::MinNumFOp) { return floatFunction(MinNumF()); })
      .Case([](arith::NegFOp) { return negate; })
      .Case([](math::AbsFOp) { return absolute; })
      .Case([](math::SqrtOp) { return floatFunction(SqrtF()); })
      .Case([](math::CopySignOp) { return copySign; })
      .Case([](math::FloorOp) { return floatFunction(FloorF()); })
      .Case([](math::CeilOp) { return floatFunction(CeilF()); })
      .Case([](math::TruncOp) { return floatFunction(TruncateF()); })
      .Case([](math::RoundEvenOp) { return floatFunction(RoundEvenF()); })
      .Case([](math::ExpOp) { return floatFunction(ExpF()); })
      .Case([](math::Exp2Op) { return floatFunction(Exp2F()); })
      .Case([](math::TanhOp) { return floatFunction(TanhF()); })
      .Case([](math::ErfOp) { return floatFunction(ErfF()); })
      .Case([](math::RsqrtOp) { return floatFunction(RsqrtF()); })
      .Case([](math::FmaOp) { return fusedMultiplyAdd; })
      .Case([](arith::CmpFOp) { return compareFloats; })
      .Default([](Operation *) { return nullptr; });
}

static ScalarOp::Function castOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, ScalarOp::Function>(op)
      .Case<arith::ExtFOp, arith::TruncFOp, arith::FPToSIOp, spirv::FConvertOp>(
          [](auto) { return floatFunction(IdentityF()); })
      .Case([](arith::SIToFPOp) { return signedToFloat; })
      .Case([](arith::UIToFPOp) { return unsignedToFloat; })
      .Case<arith::ExtSIOp, arith::IndexCastOp>([](auto) { return signExtend; })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp, arith::TruncIOp,
            arith::BitcastOp>([](auto) { return zeroExtend; })
      .Case([](arith::SelectOp select) {
        return isa<MemRefType>(select.getType()) ? nullptr : selectElement;
      })
      // A matrix all of whose elements are one.
      .Case([](spirv::CompositeConstructOp) { return zeroExtend; })
      .Case([](LLVM::FshrOp shift) {
        return shift.getType().isInteger(32) ? funnelShift : nullptr;
      })
      .Case([](NVVM::ConvertFloatToTF32Op convert) -> ScalarOp::Function {
        bool isPlain = convert.getRnd() == NVVM::FPRoundingMode::RN &&
                       convert.getSat() == NVVM::SaturationMode::NONE &&
                       !convert.getRelu();
        return isPlain ? toTF32 : nullptr;
      })
      .Default([](Operation *) { return nullptr; });
}

/// Fragments are elementwise too, in a select.
static Type elementOf(Type type) {
  if (auto fragment = dyn_cast<kami::FragmentType>(type))
    return fragment.getElementType();
  return getElementTypeOrSelf(type);
}

std::optional<ScalarOp> kami::sim::decodeScalarOp(Operation *op) {
  ScalarOp decoded;
  decoded.function = integerOp(op);
  if (!decoded.function)
    decoded.function = floatOp(op);
  if (!decoded.function)
    decoded.function = castOp(op);
  if (!decoded.function || op->getNumResults() != 1 ||
      op->getNumOperands() == 0 || op->getNumOperands() > 3)
    return std::nullopt;
  decoded.operands = op->getNumOperands();
  std::optional<ElementFormat> from =
      formatOf(elementOf(op->getOperands().back().getType()));
  std::optional<ElementFormat> to =
      formatOf(elementOf(op->getResult(0).getType()));
  if (!from || !to)
    return std::nullopt;
  decoded.from = *from;
  decoded.to = *to;
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    decoded.predicate = int(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    decoded.predicate = int(compare.getPredicate());
  return decoded;
}
