//===- Elements.cpp -------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops on registers: arith and math element by element, constants, and the
// vector ops that only move elements.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include "Interpreter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace kami::sim;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

// All lanes are computed, active or not: nobody looks at an inactive lane's
// result, and a loop over all is the faster one.

static LogicalResult runScalar(Execution &x, Warp &warp,
                               const Instruction &instruction) {
  const ScalarOp &op = x.program.scalars[instruction.payload];
  Slot result = instruction.results.front();
  for (int e = 0; e != result.count; ++e) {
    const uint64_t *inputs[3] = {nullptr, nullptr, nullptr};
    for (unsigned i = 0; i != op.operands; ++i) {
      Slot operand = instruction.operands[i];
      inputs[i] = x.lanes(warp, operand, operand.count == 1 ? 0 : e);
    }
    for (unsigned i = op.operands; i != 3; ++i)
      inputs[i] = inputs[0];
    uint64_t *output = x.lanes(warp, result, e);
    for (unsigned lane = 0; lane != x.width; ++lane)
      output[lane] = op(inputs[0][lane], inputs[1][lane], inputs[2][lane]);
  }
  return success();
}

static LogicalResult runShuffle(Execution &x, Warp &warp,
                                const Instruction &instruction) {
  const auto &sources = x.program.shuffles[instruction.payload];
  auto source = sources.begin();
  for (Slot result : instruction.results) {
    for (int e = 0; e != result.count; ++e, ++source) {
      const uint64_t *from =
          x.lanes(warp, instruction.operands[source->operand], source->element);
      std::copy(from, from + x.width, x.lanes(warp, result, e));
    }
  }
  return success();
}

/// Reads the operand's elements as one run of bits.
static LogicalResult runBitCast(Execution &x, Warp &warp,
                                const Instruction &instruction) {
  auto op = cast<vector::BitCastOp>(instruction.op);
  unsigned from = formatOf(op.getSourceVectorType().getElementType())->bits;
  unsigned to = formatOf(op.getResultVectorType().getElementType())->bits;
  Slot source = instruction.operands[0], result = instruction.results[0];
  for (int e = 0; e != result.count; ++e) {
    uint64_t *output = x.lanes(warp, result, e);
    if (to <= from) {
      unsigned shift = e * to % from;
      const uint64_t *input = x.lanes(warp, source, e * to / from);
      uint64_t mask = to == 64 ? ~0ull : (1ull << to) - 1;
      for (unsigned lane = 0; lane != x.width; ++lane)
        output[lane] = input[lane] >> shift & mask;
      continue;
    }
    std::fill(output, output + x.width, 0);
    for (unsigned part = 0; part != to / from; ++part) {
      const uint64_t *input = x.lanes(warp, source, e * (to / from) + part);
      for (unsigned lane = 0; lane != x.width; ++lane)
        output[lane] |= input[lane] << (part * from);
    }
  }
  return success();
}

static LogicalResult runAffine(Execution &x, Warp &warp,
                               const Instruction &instruction) {
  uint64_t *output = x.lanes(warp, instruction.results[0]);
  SmallVector<int64_t> values(instruction.operands.size());
  for (unsigned lane = 0; lane != x.width; ++lane) {
    for (auto [value, operand] : llvm::zip_equal(values, instruction.operands))
      value = x.lanes(warp, operand)[lane];
    output[lane] = evaluateAffineOp(instruction.op, values);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Vector ops as lists of sources
//===----------------------------------------------------------------------===//

using Sources = std::vector<ElementSource>;

static Sources identity(int count, int operand = 0) {
  Sources sources;
  for (int i = 0; i != count; ++i)
    sources.push_back({operand, i});
  return sources;
}

static int elementCount(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

/// Row-major index of the first element at a leading position.
static int linearPosition(VectorType type, ArrayRef<int64_t> position) {
  int linear = 0;
  for (auto [i, extent] : llvm::enumerate(type.getShape()))
    linear = linear * extent + (i < position.size() ? position[i] : 0);
  return linear;
}

static bool isStatic(ArrayRef<int64_t> position) {
  return llvm::none_of(position, ShapedType::isDynamic);
}

static std::optional<Sources> extractSources(vector::ExtractOp op) {
  if (!isStatic(op.getStaticPosition()))
    return std::nullopt;
  int first = linearPosition(op.getSourceVectorType(), op.getStaticPosition());
  Sources sources = identity(elementCount(op.getType()));
  for (ElementSource &source : sources)
    source.element += first;
  return sources;
}

static std::optional<Sources> insertSources(vector::InsertOp op) {
  if (!isStatic(op.getStaticPosition()))
    return std::nullopt;
  Sources sources = identity(elementCount(op.getType()), 1);
  int first = linearPosition(op.getDestVectorType(), op.getStaticPosition());
  for (int i = 0, e = elementCount(op.getValueToStoreType()); i != e; ++i)
    sources[first + i] = {0, i};
  return sources;
}

/// Calls `visit(index in the slice, index in the whole)` for every element of a
/// slice of `shape` at `offsets`.
template <typename F>
static void forSlice(ArrayRef<int64_t> shape, ArrayRef<int64_t> offsets,
                     VectorType whole, F visit) {
  SmallVector<int64_t> index(shape.size(), 0);
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  for (int64_t i = 0; i != count; ++i) {
    SmallVector<int64_t> position(whole.getRank(), 0);
    int64_t rest = i;
    for (int d = int(shape.size()) - 1; d >= 0; --d) {
      position[d + whole.getRank() - shape.size()] = rest % shape[d];
      rest /= shape[d];
    }
    for (auto [d, offset] : llvm::enumerate(offsets))
      position[d] += offset;
    visit(i, linearPosition(whole, position));
  }
}

static SmallVector<int64_t> integers(ArrayAttr attribute) {
  return llvm::map_to_vector(attribute.getAsValueRange<IntegerAttr>(),
                             [](const APInt &i) { return i.getSExtValue(); });
}

static Sources sliceSources(vector::ExtractStridedSliceOp op) {
  Sources sources(elementCount(op.getType()));
  forSlice(op.getType().getShape(), integers(op.getOffsets()),
           op.getSourceVectorType(),
           [&](int part, int whole) { sources[part] = {0, whole}; });
  return sources;
}

static Sources insertSliceSources(vector::InsertStridedSliceOp op) {
  Sources sources = identity(elementCount(op.getType()), 1);
  forSlice(op.getSourceVectorType().getShape(), integers(op.getOffsets()),
           op.getDestVectorType(),
           [&](int part, int whole) { sources[whole] = {0, part}; });
  return sources;
}

static Sources broadcastSources(vector::BroadcastOp op) {
  auto from = dyn_cast<VectorType>(op.getSourceType());
  VectorType to = op.getResultVectorType();
  Sources sources(elementCount(to), ElementSource{0, 0});
  if (!from)
    return sources;
  for (int i = 0, e = sources.size(); i != e; ++i) {
    int64_t rest = i, stride = 1;
    for (int d = from.getRank() - 1; d >= 0; --d) {
      int64_t extent = to.getDimSize(d + to.getRank() - from.getRank());
      if (from.getDimSize(d) != 1)
        sources[i].element += rest % extent * stride;
      rest /= extent;
      stride *= from.getDimSize(d);
    }
  }
  return sources;
}

static Sources scalarSources(int count) {
  Sources sources;
  for (int i = 0; i != count; ++i)
    sources.push_back({i, 0});
  return sources;
}

static std::optional<Sources> shuffleSources(Operation *op) {
  using Result = std::optional<Sources>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([](vector::ExtractOp o) { return extractSources(o); })
      .Case([](vector::InsertOp o) { return insertSources(o); })
      .Case([](vector::ExtractStridedSliceOp o) -> Result {
        return sliceSources(o);
      })
      .Case([](vector::InsertStridedSliceOp o) -> Result {
        return insertSliceSources(o);
      })
      .Case([](vector::BroadcastOp o) -> Result { return broadcastSources(o); })
      .Case([](vector::FromElementsOp o) -> Result {
        return scalarSources(o.getNumOperands());
      })
      .Case([](vector::ToElementsOp o) -> Result {
        return identity(o.getNumResults());
      })
      .Case([](vector::ShapeCastOp o) -> Result {
        return identity(elementCount(o.getType()));
      })
      .Default([](Operation *) { return std::nullopt; });
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static LogicalResult decodeConstant(Decoder &decoder, Operation *op,
                                    Attribute value) {
  FailureOr<Slot> slot = decoder.define(op->getResult(0));
  if (failed(slot))
    return failure();
  Program::Constant constant{*slot, {}};
  if (!value)
    constant.bits.assign(slot->count, 0);
  else if (!constantBits(value, constant.bits))
    return op->emitError("cannot simulate this constant");
  decoder.program.constants.push_back(std::move(constant));
  return success();
}

LogicalResult Decoder::decodeElementwise(Operation *op, int count) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return decodeConstant(*this, op, constant.getValue());
  std::optional<ScalarOp> scalar = decodeScalarOp(op);
  if (!scalar)
    return op->emitError("cannot simulate '") << op->getName() << "'";
  program.scalars.push_back(*scalar);
  Instruction &instruction = append(op, runScalar);
  instruction.operands = slotsOf(op->getOperands());
  instruction.results = {duplicate({-1, count})};
  instruction.payload = program.scalars.size() - 1;
  bind(op->getResult(0), instruction.results.front());
  return success();
}

LogicalResult kami::sim::decodeElements(Decoder &decoder, Operation *op,
                                        bool &handled) {
  Program &program = decoder.program;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return decodeConstant(decoder, op, constant.getValue());
  if (auto constant = dyn_cast<spirv::ConstantOp>(op))
    return decodeConstant(decoder, op, constant.getValue());
  // Poison may be anything; whoever uses it for something is not caught.
  if (isa<ub::PoisonOp>(op) && !isa<MemRefType>(op->getResult(0).getType()))
    return decodeConstant(decoder, op, {});
  if (std::optional<ScalarOp> scalar = decodeScalarOp(op)) {
    program.scalars.push_back(*scalar);
    return decoder.emit(op, runScalar, program.scalars.size() - 1);
  }
  if (std::optional<Sources> sources = shuffleSources(op)) {
    program.shuffles.push_back(std::move(*sources));
    return decoder.emit(op, runShuffle, program.shuffles.size() - 1);
  }
  if (isa<vector::BitCastOp>(op))
    return decoder.emit(op, runBitCast);
  if (isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(op))
    return decoder.emit(op, runAffine);
  handled = false;
  return success();
}
