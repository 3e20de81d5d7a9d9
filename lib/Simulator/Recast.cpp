//===- Recast.cpp ---------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kami.recast: each lane looks up, element by element, which of its own
// registers holds what the other fragment wants there.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include "kami/IR/KamiOps.h"

using namespace kami;
using namespace kami::sim;
using namespace mlir;

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

LogicalResult kami::sim::decodeRecast(Decoder &decoder, Operation *op,
                                      bool &handled) {
  auto recast = dyn_cast<RecastOp>(op);
  handled = bool(recast);
  if (!recast)
    return success();
  int first = decoder.program.fragments.size();
  for (FragmentType type : {recast.getValue().getType(), recast.getType()}) {
    FailureOr<FragmentForm> form = fragmentForm(op, type, decoder.warpSize);
    if (failed(form))
      return failure();
    decoder.program.fragments.push_back(*form);
  }
  return decoder.emit(op, runRecast, first);
}
