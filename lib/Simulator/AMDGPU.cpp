//===- AMDGPU.cpp - amdgpu.mfma, amdgpu.wmma and amdgpu.lds_barrier ------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which instruction it is, and so where its operands lie, follows from shape,
// types and the registers of a lane: RDNA 3 has all of A in each half of a wave
// of 32, RDNA 4 a half.
//
//===----------------------------------------------------------------------===//

#include "Matrix.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FormatVariadic.h"

using namespace kami;
using namespace kami::sim;
using namespace mlir;

namespace {
/// An operand of an instruction: rows, columns and what a lane has of it.
struct Operand {
  StringRef role;
  int64_t rows, columns;
  Type type;
};
} // namespace

static int64_t valuesOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

/// The map of an operand, if a lane has as many values as the op gives it.
static const FragmentMap *findMap(Operation *op, StringRef family,
                                  const Operand &operand) {
  Type element = getElementTypeOrSelf(operand.type);
  std::string name =
      llvm::formatv("{0}.{1}.{2}x{3}.b{4}", family, operand.role, operand.rows,
                    operand.columns, element.getIntOrFloatBitWidth());
  const FragmentMap *map = findFragmentMap(name);
  if (!map) {
    op->emitError("no fragment map '") << name << "' is known";
    return nullptr;
  }
  if (valuesOf(operand.type) != map->valuesPerLane()) {
    op->emitError("expected ") << map->valuesPerLane() << " values of '" << name
                               << "' in a lane, but got " << operand.type;
    return nullptr;
  }
  return map;
}

static FailureOr<MatrixForm> formOf(Operation *op, StringRef family,
                                    Extents extents, const Operand (&all)[3],
                                    MatrixTypes types, unsigned warpSize) {
  const FragmentMap *maps[3];
  for (auto [map, operand] : llvm::zip_equal(maps, all)) {
    map = findMap(op, family, operand);
    if (!map)
      return failure();
  }
  return makeForm(op, extents, types, {*maps[0], *maps[1], *maps[2]}, warpSize);
}

/// Blocks are simulated as one product of all blocks' rows, whose B is the same
/// in all of them: lanes that differ in it are a violation.
static FailureOr<MatrixForm> mfmaForm(amdgpu::MFMAOp op, unsigned warpSize) {
  if (op.getCbsz() != 0 || op.getAbid() != 0 ||
      op.getBlgp() != amdgpu::MFMAPermB::none || op.getReducePrecision() ||
      op.getNegateA() || op.getNegateB() || op.getNegateC())
    return op.emitError("cannot simulate an mfma with permuted, negated or "
                        "rounded operands");
  int64_t m = op.getM() * op.getBlocks(), n = op.getN(), k = op.getK();
  Type a = op.getSourceA().getType(), b = op.getSourceB().getType(),
       c = op.getDestC().getType();
  const Operand operands[] = {{"a", m, k, a}, {"b", k, n, b}, {"c", m, n, c}};
  return formOf(op, "cdna", {m, n, k}, operands,
                {getElementTypeOrSelf(a), getElementTypeOrSelf(b),
                 getElementTypeOrSelf(c)},
                warpSize);
}

static FailureOr<MatrixForm> wmmaForm(amdgpu::WMMAOp op, unsigned warpSize) {
  if (op.getClamp() || op.getSubwordOffset() != 0)
    return op.emitError("cannot simulate a wmma that clamps or writes upper "
                        "halves of registers");
  int64_t m = op.getM(), n = op.getN(), k = op.getK();
  Type a = op.getSourceA().getType(), b = op.getSourceB().getType(),
       c = op.getDestC().getType();
  auto typeOf = [&](Type type, bool isUnsigned) -> Type {
    Type element = getElementTypeOrSelf(type);
    return isUnsigned ? IntegerType::get(op.getContext(),
                                         element.getIntOrFloatBitWidth(),
                                         IntegerType::Unsigned)
                      : element;
  };
  const Operand operands[] = {{"a", m, k, a}, {"b", k, n, b}, {"c", m, n, c}};
  return formOf(op, valuesOf(a) == k ? "rdna3" : "rdna4", {m, n, k}, operands,
                {typeOf(a, op.getUnsignedA()), typeOf(b, op.getUnsignedB()),
                 getElementTypeOrSelf(c)},
                warpSize);
}

LogicalResult kami::sim::decodeAMDGPU(Decoder &decoder, Operation *op,
                                      bool &handled) {
  if (auto mfma = dyn_cast<amdgpu::MFMAOp>(op))
    return emitMatrix(decoder, op, mfmaForm(mfma, decoder.warpSize));
  if (auto wmma = dyn_cast<amdgpu::WMMAOp>(op))
    return emitMatrix(decoder, op, wmmaForm(wmma, decoder.warpSize));
  // Nobody hands anything over in device memory, which it does not order.
  if (isa<amdgpu::LDSBarrierOp>(op))
    return decoder.emit(op, runBarrier);
  handled = false;
  return success();
}
