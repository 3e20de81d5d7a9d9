//===- OperandTiles.cpp ---------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Conversion/KamiToLanes/OperandTiles.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace kami;
using namespace kami::lanes;
using namespace mlir;

static bool mayWrite(Operation *op) {
  if (isMemoryEffectFree(op))
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  return !effects || !effects.onlyHasEffect<MemoryEffects::Read>();
}

/// Where the operand comes from, if that is shared memory that nobody may have
/// written since.
static FetchOp fetchOf(MmaOp op, Value operand) {
  auto fetch = operand.getDefiningOp<FetchOp>();
  if (!fetch || fetch->getBlock() != op->getBlock())
    return {};
  for (Operation *next = fetch->getNextNode(); next != op;
       next = next->getNextNode())
    if (mayWrite(next))
      return {};
  return fetch;
}

OperandTiles::OperandTiles(ImplicitLocOpBuilder &b, MmaOp op,
                           TypedValue<FragmentType> operand,
                           ValueRange registers)
    : registers(registers) {
  if (FetchOp fetch = fetchOf(op, operand))
    slot.emplace(b, operand.getType(), fetch.getBuffer(), fetch.getSlot());
}

Value OperandTiles::get(ImplicitLocOpBuilder &b, int64_t tile,
                        Value from) const {
  return slot ? slot->readTile(b, tile, from) : registers[tile];
}
