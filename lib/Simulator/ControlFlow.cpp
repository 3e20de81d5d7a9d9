//===- ControlFlow.cpp ----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// scf.for, scf.if and scf.while as jumps and masks.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace kami::sim;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

static void copyLanes(Execution &x, Warp &warp, const uint64_t *from,
                      uint64_t *to) {
  if (warp.mask == warp.full)
    std::copy(from, from + x.width, to);
  else
    forLanes(warp.mask, [&](unsigned lane) { to[lane] = from[lane]; });
}

static LogicalResult runMoves(Execution &x, Warp &warp,
                              const Instruction &instruction) {
  const Moves &table = x.program.moves[instruction.payload];
  std::vector<MemRef> memrefs;
  if (table.overlap) {
    x.scratch.clear();
    for (const Move &move : table.moves) {
      if (move.from.count == 0) {
        memrefs.push_back(warp.memrefs[move.from.index]);
        continue;
      }
      const uint64_t *from = x.lanes(warp, move.from);
      x.scratch.insert(x.scratch.end(), from,
                       from + size_t(move.from.count) * x.width);
    }
  }
  const uint64_t *next = x.scratch.data();
  size_t nextMemRef = 0;
  for (const Move &move : table.moves) {
    if (move.from.count == 0) {
      if (!warp.masks.empty() && warp.mask != warp.masks.back().saved)
        return x.fail(Violation::Unsupported, instruction)
               << "cannot simulate a memref that differs between the lanes of "
                  "a warp";
      warp.memrefs[move.to.index] =
          table.overlap ? memrefs[nextMemRef++] : warp.memrefs[move.from.index];
      continue;
    }
    for (int e = 0; e != move.from.count; ++e) {
      copyLanes(x, warp, table.overlap ? next : x.lanes(warp, move.from, e),
                x.lanes(warp, move.to, e));
      next += x.width;
    }
  }
  return success();
}

static LogicalResult runIfBegin(Execution &x, Warp &warp,
                                const Instruction &instruction) {
  const uint64_t *condition = x.lanes(warp, instruction.operands[0]);
  uint64_t taken = 0;
  forLanes(warp.mask,
           [&](unsigned lane) { taken |= (condition[lane] & 1) << lane; });
  warp.masks.push_back({warp.mask, warp.mask & ~taken});
  warp.mask = taken;
  if (!taken)
    warp.pc = instruction.target;
  return success();
}

static LogicalResult runIfElse(Execution &, Warp &warp,
                               const Instruction &instruction) {
  warp.mask = warp.masks.back().otherwise;
  if (!warp.mask)
    warp.pc = instruction.target;
  return success();
}

static LogicalResult runIfEnd(Execution &, Warp &warp, const Instruction &) {
  warp.mask = warp.masks.pop_back_val().saved;
  return success();
}

/// Sets the induction variable, result 0, from `from` and by the step, operand
/// 2, where that is to be, and returns which lanes are not at the upper bound,
/// operand 1.
static FailureOr<uint64_t> stepLanes(Execution &x, Warp &warp,
                                     const Instruction &instruction, Slot from,
                                     bool steps) {
  auto loop = cast<scf::ForOp>(instruction.op);
  ElementFormat format = *formatOf(loop.getInductionVar().getType());
  bool isSigned = !loop.getUnsignedCmp();
  const uint64_t *current = x.lanes(warp, from),
                 *upper = x.lanes(warp, instruction.operands[1]),
                 *step = x.lanes(warp, instruction.operands[2]);
  uint64_t *variable = x.lanes(warp, instruction.results.front());
  uint64_t more = 0, wrong = 0;
  forLanes(warp.mask, [&](unsigned lane) {
    uint64_t by = step[lane], end = upper[lane];
    wrong |= uint64_t((isSigned ? toSigned(format, by) : int64_t(by)) <= 0)
             << lane;
    uint64_t value = (current[lane] + (steps ? by : 0)) & format.mask();
    bool goesOn = isSigned ? toSigned(format, value) < toSigned(format, end)
                           : value < end;
    more |= uint64_t(goesOn) << lane;
    variable[lane] = value;
  });
  if (wrong)
    return x.fail(Violation::Unsupported, instruction)
           << "expected a positive step, but got "
           << toSigned(format, step[llvm::countr_zero(wrong)]);
  return more;
}

/// Operands: lower bound, upper bound, step. Result: induction variable. Lanes
/// that are at their upper bounds wait behind the loop.
static LogicalResult runForBegin(Execution &x, Warp &warp,
                                 const Instruction &instruction) {
  FailureOr<uint64_t> more =
      stepLanes(x, warp, instruction, instruction.operands[0], /*steps=*/false);
  if (failed(more))
    return failure();
  if (!*more) {
    warp.pc = instruction.target;
    return success();
  }
  warp.masks.push_back({warp.mask, 0});
  warp.mask = *more;
  return success();
}

static LogicalResult runForEnd(Execution &x, Warp &warp,
                               const Instruction &instruction) {
  FailureOr<uint64_t> more = stepLanes(
      x, warp, instruction, instruction.results.front(), /*steps=*/true);
  if (failed(more))
    return failure();
  warp.mask = *more;
  if (*more)
    warp.pc = instruction.target;
  else
    warp.mask = warp.masks.pop_back_val().saved;
  return success();
}

/// Leaves the loop where the condition, operand 0, is false.
static LogicalResult runWhile(Execution &x, Warp &warp,
                              const Instruction &instruction) {
  int64_t condition;
  if (failed(x.uniform(warp, instruction, instruction.operands[0], condition)))
    return failure();
  if (!condition)
    warp.pc = instruction.target;
  return success();
}

static LogicalResult runJump(Execution &, Warp &warp,
                             const Instruction &instruction) {
  warp.pc = instruction.target;
  return success();
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

void Decoder::appendMoves(Operation *op, ArrayRef<Slot> from,
                          ArrayRef<Slot> to) {
  Moves table;
  for (auto [source, destination] : llvm::zip_equal(from, to)) {
    if (source.count == destination.count && source.index == destination.index)
      continue;
    for (const Move &earlier : table.moves)
      table.overlap |= (earlier.to.count == 0) == (source.count == 0) &&
                       earlier.to.index == source.index;
    table.moves.push_back({source, destination});
  }
  if (table.moves.empty())
    return;
  append(op, runMoves).payload = program.moves.size();
  program.moves.push_back(std::move(table));
}

static FailureOr<SmallVector<Slot, 3>> defineAll(Decoder &decoder,
                                                 ValueRange values) {
  SmallVector<Slot, 3> slots;
  for (Value value : values) {
    FailureOr<Slot> slot = decoder.define(value);
    if (failed(slot))
      return failure();
    slots.push_back(*slot);
  }
  return slots;
}

static LogicalResult decodeIf(Decoder &decoder, scf::IfOp op) {
  auto results = defineAll(decoder, op.getResults());
  if (failed(results))
    return failure();
  int begin = decoder.here();
  decoder.append(op, runIfBegin).operands = {decoder.slot(op.getCondition())};
  if (failed(decoder.decodeBlock(*op.thenBlock())))
    return failure();
  decoder.appendMoves(op, decoder.slotsOf(op.thenYield().getOperands()),
                      *results);
  int otherwise = -1;
  if (op.elseBlock()) {
    otherwise = decoder.here();
    decoder.append(op, runIfElse);
    if (failed(decoder.decodeBlock(*op.elseBlock())))
      return failure();
    decoder.appendMoves(op, decoder.slotsOf(op.elseYield().getOperands()),
                        *results);
    decoder.program.instructions[otherwise].target = decoder.here();
  }
  decoder.program.instructions[begin].target =
      otherwise >= 0 ? otherwise : decoder.here();
  decoder.append(op, runIfEnd);
  return success();
}

static LogicalResult decodeFor(Decoder &decoder, scf::ForOp op) {
  auto variable = decoder.define(op.getInductionVar());
  auto carried = defineAll(decoder, op.getRegionIterArgs());
  auto results = defineAll(decoder, op.getResults());
  if (failed(variable) || failed(carried) || failed(results))
    return failure();
  decoder.appendMoves(op, decoder.slotsOf(op.getInitArgs()), *carried);
  auto bounds =
      decoder.slotsOf({op.getLowerBound(), op.getUpperBound(), op.getStep()});
  int begin = decoder.here();
  Instruction &first = decoder.append(op, runForBegin);
  first.operands = bounds;
  first.results = {*variable};
  if (failed(decoder.decodeBlock(*op.getBody())))
    return failure();
  decoder.appendMoves(
      op, decoder.slotsOf(op.getBody()->getTerminator()->getOperands()),
      *carried);
  Instruction &last = decoder.append(op, runForEnd);
  last.operands = bounds;
  last.results = {*variable};
  last.target = begin + 1;
  decoder.program.instructions[begin].target = decoder.here();
  decoder.appendMoves(op, *carried, *results);
  return success();
}

static LogicalResult decodeWhile(Decoder &decoder, scf::WhileOp op) {
  auto before = defineAll(decoder, op.getBeforeArguments());
  auto after = defineAll(decoder, op.getAfterArguments());
  auto results = defineAll(decoder, op.getResults());
  if (failed(before) || failed(after) || failed(results))
    return failure();
  decoder.appendMoves(op, decoder.slotsOf(op.getInits()), *before);
  int begin = decoder.here();
  if (failed(decoder.decodeBlock(*op.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  auto passed = decoder.slotsOf(condition.getArgs());
  int exit = decoder.here();
  decoder.append(op, runWhile).operands = {
      decoder.slot(condition.getCondition())};
  decoder.appendMoves(op, passed, *after);
  if (failed(decoder.decodeBlock(*op.getAfterBody())))
    return failure();
  decoder.appendMoves(op, decoder.slotsOf(op.getYieldOp().getOperands()),
                      *before);
  decoder.append(op, runJump).target = begin;
  decoder.program.instructions[exit].target = decoder.here();
  decoder.appendMoves(op, passed, *results);
  return success();
}

LogicalResult kami::sim::decodeControlFlow(Decoder &decoder, Operation *op,
                                           bool &handled) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::IfOp branch) { return decodeIf(decoder, branch); })
      .Case([&](scf::ForOp loop) { return decodeFor(decoder, loop); })
      .Case([&](scf::WhileOp loop) { return decodeWhile(decoder, loop); })
      // Their parents decode them.
      .Case<scf::YieldOp, scf::ConditionOp>([](auto) { return success(); })
      .Default([&](Operation *) {
        handled = false;
        return success();
      });
}
