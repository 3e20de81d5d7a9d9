//===- FragmentElements.cpp -----------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of warp level on registers alone: fill, map, clip and recast.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include "kami/IR/KamiOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace kami;
using namespace kami::sim;
using namespace mlir;

static LogicalResult runFill(Execution &x, Warp &warp,
                             const Instruction &instruction) {
  const uint64_t *input = x.lanes(warp, instruction.operands[0]);
  Slot result = instruction.results[0];
  for (int e = 0; e != result.count; ++e)
    std::copy(input, input + x.width, x.lanes(warp, result, e));
  return success();
}

/// Elements from the limit on are 0.
static LogicalResult runClip(Execution &x, Warp &warp,
                             const Instruction &instruction) {
  auto op = cast<ClipOp>(instruction.op);
  const FragmentForm &form = x.program.fragments[instruction.payload];
  int64_t limit;
  if (failed(x.requireConverged(warp, instruction)) ||
      failed(x.uniform(warp, instruction, instruction.operands[1], limit)))
    return failure();
  for (int64_t tile = 0; tile != form.tiles(); ++tile) {
    for (int value = 0; value != form.values(); ++value) {
      int e = tile * form.values() + value;
      const uint64_t *input = x.lanes(warp, instruction.operands[0], e);
      uint64_t *output = x.lanes(warp, instruction.results[0], e);
      for (unsigned lane = 0; lane != x.width; ++lane) {
        int64_t place = form.place(
            tile, lane, value)[op.getDim() == MatrixDim::Row ? 0 : 1];
        output[lane] = place < limit ? input[lane] : 0;
      }
    }
  }
  return success();
}

/// Tiles of each row, fragment by fragment.
static LogicalResult runJoin(Execution &x, Warp &warp,
                             const Instruction &instruction) {
  const FragmentForm &to = x.program.fragments[instruction.payload];
  int64_t rows = to.tiles() / to.tileColumns;
  int output = 0;
  for (int64_t row = 0; row != rows; ++row)
    for (const Slot &fragment : instruction.operands) {
      int count = fragment.count / rows;
      for (int e = 0; e != count; ++e) {
        const uint64_t *input = x.lanes(warp, fragment, row * count + e);
        std::copy(input, input + x.width,
                  x.lanes(warp, instruction.results[0], output++));
      }
    }
  return success();
}

/// Each lane looks up, element by element, which of its own registers holds
/// what the other fragment wants there.
static LogicalResult runRecast(Execution &x, Warp &warp,
                               const Instruction &instruction) {
  auto op = cast<RecastOp>(instruction.op);
  const FragmentForm &from = x.program.fragments[instruction.payload];
  const FragmentForm &to = x.program.fragments[instruction.payload + 1];
  bool converts = !(from.format == to.format);
  for (int64_t tile = 0; tile != to.tiles(); ++tile) {
    int64_t firstRow = tile / to.tileColumns * to.map->rows;
    int64_t firstColumn =
        op.getColumn() + tile % to.tileColumns * to.map->columns;
    for (int value = 0; value != to.values(); ++value) {
      uint64_t *output =
          x.lanes(warp, instruction.results[0], tile * to.values() + value);
      for (unsigned lane = 0; lane != x.width; ++lane) {
        Coordinate at = to.map->at(lane, value);
        int64_t row = firstRow + at.row, column = firstColumn + at.column;
        int64_t tileColumn = column / from.map->columns;
        output[lane] = 0;
        if (tileColumn >= from.tileColumns)
          continue;
        int64_t source = row / from.map->rows * from.tileColumns + tileColumn;
        std::optional<unsigned> held =
            from.map->valueAt(lane, {unsigned(row % from.map->rows),
                                     unsigned(column % from.map->columns)});
        if (!held)
          return x.fail(Violation::Unsupported, instruction)
                 << "lane " << lane << " does not hold element (" << row << ", "
                 << column << ")";
        uint64_t bits = x.lanes(warp, instruction.operands[0],
                                source * from.values() + *held)[lane];
        output[lane] = converts
                           ? fromDouble(to.format, toDouble(from.format, bits))
                           : bits;
      }
    }
  }
  return success();
}

/// A region becomes its operations, on as many elements as a lane has of the
/// fragments.
static LogicalResult decodeMap(Decoder &decoder, MapOp op) {
  FailureOr<Slot> result = decoder.define(op.getResult());
  if (failed(result))
    return failure();
  for (auto [argument, fragment] :
       llvm::zip_equal(op.getBody().getArguments(), op.getFragments()))
    decoder.bind(argument, decoder.slot(fragment));
  Block &body = op.getBody().front();
  for (Operation &inner : body.without_terminator())
    if (failed(decoder.decodeElementwise(&inner, result->count)))
      return failure();
  Slot made = decoder.slot(cast<YieldOp>(body.getTerminator()).getValue());
  // A constant is one for all elements.
  if (made.count != 1) {
    decoder.appendMoves(op, made, *result);
    return success();
  }
  Instruction &fill = decoder.append(op, runFill);
  fill.operands = {made};
  fill.results = {*result};
  return success();
}

/// Puts the forms of fragments into the program; the first one's number.
static FailureOr<int> addForms(Decoder &decoder, Operation *op,
                               ArrayRef<FragmentType> types) {
  int first = decoder.program.fragments.size();
  for (FragmentType type : types) {
    FailureOr<FragmentForm> form = fragmentForm(op, type, decoder.warpSize);
    if (failed(form))
      return failure();
    decoder.program.fragments.push_back(*form);
  }
  return first;
}

static LogicalResult emitOnForms(Decoder &decoder, Operation *op,
                                 ArrayRef<FragmentType> types,
                                 Handler handler) {
  FailureOr<int> first = addForms(decoder, op, types);
  return failed(first) ? failure() : decoder.emit(op, handler, *first);
}

LogicalResult kami::sim::decodeFragmentElements(Decoder &decoder, Operation *op,
                                                bool &handled) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](FillOp) { return decoder.emit(op, runFill); })
      .Case([&](MapOp map) { return decodeMap(decoder, map); })
      .Case([&](ClipOp clip) {
        return emitOnForms(decoder, op, clip.getType(), runClip);
      })
      .Case([&](JoinOp join) {
        return emitOnForms(decoder, op, join.getType(), runJoin);
      })
      .Case([&](RecastOp recast) {
        return emitOnForms(decoder, op,
                           {recast.getValue().getType(), recast.getType()},
                           runRecast);
      })
      .Default([&](Operation *) {
        handled = false;
        return success();
      });
}
