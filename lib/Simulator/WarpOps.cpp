//===- WarpOps.cpp --------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of warp level. A broadcast is three or four instructions: owners
// write, barrier, others read, barrier.
//
//===----------------------------------------------------------------------===//

#include "Matrix.h"
#include "kami/IR/KamiOps.h"
#include "kami/Layout/Partition.h"
#include "kami/Layout/SharedOrder.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>

using namespace kami;
using namespace kami::sim;
using namespace mlir;

static WarpPlace placeIn(ArrayRef<int64_t> grid, int warp) {
  return warpPlace({grid[0], grid[1], grid[2]}, warp);
}

/// Ops that name a grid of warps need a block of exactly those.
static LogicalResult checkGrid(Execution &x, Warp &warp,
                               const Instruction &instruction,
                               ArrayRef<int64_t> grid) {
  if (failed(x.requireConverged(warp, instruction)))
    return failure();
  int64_t warps = grid[0] * grid[1] * grid[2];
  if (x.block.count() == warps * x.width)
    return success();
  return x.fail(Violation::Unsupported, instruction)
         << "expected a block of " << warps << " warps, but got "
         << x.block.count() << " threads";
}

static LogicalResult runCoordinates(Execution &x, Warp &warp,
                                    const Instruction &instruction) {
  auto op = cast<WarpCoordinatesOp>(instruction.op);
  if (failed(checkGrid(x, warp, instruction, op.getGrid())))
    return failure();
  WarpPlace place = placeIn(op.getGrid(), warp.index);
  int64_t values[] = {place.row, place.column, place.layer};
  for (auto [slot, value] : llvm::zip_equal(instruction.results, values)) {
    uint64_t *output = x.lanes(warp, slot);
    std::fill(output, output + x.width, value);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Load, store
//===----------------------------------------------------------------------===//

namespace {
/// A fragment over a part of a matrix in memory.
struct Window {
  const FragmentForm &form;
  const MemRef &matrix;
  int64_t row, column;
  bool rowInBounds, columnInBounds;
  /// The matrix that it is skewed as, if it is.
  const MemRef *skewedAs = nullptr;
  /// The fragment's role where the matrix is of complex numbers as reals.
  std::optional<Role> parts = {};
};
} // namespace

/// The addresses of register `value` of tile `tile`, with a mask of those lanes
/// whose element lies in the matrix.
static LogicalResult windowAccess(Execution &x, Warp &warp,
                                  const Instruction &instruction,
                                  const Window &window, int64_t tile,
                                  unsigned value, Access &access) {
  access.mask = 0;
  for (unsigned lane = 0; lane != x.width; ++lane) {
    auto [row, column] = window.form.place(tile, lane, value);
    int64_t index[2] = {window.row + row, window.column + column};
    if (window.parts) {
      bool isA = window.parts == Role::A;
      unsigned along = !isA && window.matrix.strides[1] == 1 ? 1 : 0;
      int64_t isSecond = index[1 - along] & 1;
      index[along] =
          isA ? 2 * index[along] + isSecond : index[along] ^ isSecond;
      index[1 - along] >>= 1;
    }
    bool inside = true;
    for (unsigned d : {0u, 1u}) {
      if (index[d] >= 0 && index[d] < window.matrix.sizes[d])
        continue;
      inside = false;
      if (index[d] < 0 || (d == 0 ? window.rowInBounds : window.columnInBounds))
        return x.fail(Violation::OutOfBounds, instruction)
               << "out-of-bounds access: index " << index[d] << " in dimension "
               << d << " of extent " << window.matrix.sizes[d] << " by "
               << x.place(warp, lane);
    }
    if (!inside)
      continue;
    access.mask |= 1ull << lane;
    if (window.skewedAs) {
      unsigned along = window.matrix.strides[1] == 1 ? 1 : 0;
      index[along] += skewOfLine(*window.skewedAs, along, index[1 - along]);
    }
    access.addresses[lane] = window.matrix.address(index);
  }
  return success();
}

/// Whether what the real matrix that complex numbers stand for has there is a
/// part with another sign.
static bool isNegated(LoadOp op, int64_t row, int64_t column) {
  bool isImaginary = row & 1, isOfImaginary = column & 1;
  if (isImaginary && isOfImaginary)
    return op.getConjugateA();
  if (isImaginary)
    return op.getConjugateA() == op.getConjugateB();
  return isOfImaginary && op.getConjugateB();
}

static LogicalResult runFragmentLoad(Execution &x, Warp &warp,
                                     const Instruction &instruction) {
  auto op = cast<LoadOp>(instruction.op);
  const FragmentForm &form = x.program.fragments[instruction.payload];
  const MemRef &matrix = warp.memrefs[instruction.operands[0].index];
  Window window{
      form, matrix, 0, 0, op.getRowInBounds(), op.getColumnInBounds()};
  if (op.getSkewedAs())
    window.skewedAs = &warp.memrefs[instruction.operands[3].index];
  Role role = op.getResult().getType().getRole();
  if (op.getInterleavedParts())
    window.parts = role;
  if (failed(x.requireConverged(warp, instruction)) ||
      failed(
          x.uniform(warp, instruction, instruction.operands[1], window.row)) ||
      failed(
          x.uniform(warp, instruction, instruction.operands[2], window.column)))
    return failure();
  ElementFormat outer = *formatOf(matrix.elementType);
  bool extends = outer.isFloat() && !(outer == form.format);
  unsigned width = outer.bytes();
  Access access{matrix.buffer, 0, width, width, /*write=*/false, {}};
  // Registers for which the matrix has one element, with a stride of 0, are
  // loaded once.
  bool repeats[2] = {matrix.strides[0] == 0 && window.rowInBounds,
                     matrix.strides[1] == 0 && window.columnInBounds};
  std::map<std::pair<int64_t, int64_t>, int> loaded;
  for (int64_t tile = 0; tile != form.tiles(); ++tile) {
    for (int value = 0; value != form.values(); ++value) {
      int element = tile * form.values() + value;
      uint64_t *output = x.lanes(warp, instruction.results[0], element);
      auto [row, column] = form.place(tile, /*lane=*/0, value);
      std::pair<int64_t, int64_t> place = {repeats[0] ? 0 : row,
                                           repeats[1] ? 0 : column};
      auto [at, isNew] = loaded.try_emplace(place, element);
      if (!isNew) {
        std::copy_n(x.lanes(warp, instruction.results[0], at->second), x.width,
                    output);
        continue;
      }
      if (failed(windowAccess(x, warp, instruction, window, tile, value,
                              access)) ||
          failed(x.access(warp, instruction, access)))
        return failure();
      std::fill(output, output + x.width, 0);
      forLanes(access.mask, [&](unsigned lane) {
        output[lane] = readBits(
            matrix.buffer->bytes.data() + access.addresses[lane], width);
        if (extends)
          output[lane] = fromDouble(form.format, toDouble(outer, output[lane]));
        if (form.roundsToTF32)
          output[lane] = roundToTF32(output[lane]);
        if (window.parts != Role::B)
          return;
        auto [row, column] = form.place(tile, lane, value);
        if (isNegated(op, window.row + row, window.column + column))
          output[lane] ^= uint64_t(1) << (8 * width - 1);
      });
    }
  }
  return success();
}

/// α·value + β·old, every operation rounded to the fragment's type. Integers
/// wrap.
static uint64_t scaled(const ElementFormat &format, const ElementFormat &outer,
                       uint64_t value, std::optional<double> alpha,
                       std::optional<double> beta, uint64_t old) {
  if (!format.isFloat()) {
    uint64_t factor = int64_t(alpha.value_or(1)),
             scale = int64_t(beta.value_or(0));
    return (factor * value + scale * old) & format.mask();
  }
  auto round = [&](double v) {
    return toDouble(format, fromDouble(format, v));
  };
  double result = toDouble(format, value);
  if (alpha)
    result = round(*alpha * result);
  if (beta)
    result = round(result + round(*beta * toDouble(outer, old)));
  return fromDouble(outer, result);
}

/// The lanes overwrite the buffer that they exchange elements in.
static LogicalResult clobber(Execution &x, Warp &warp,
                             const Instruction &instruction,
                             const MemRef &buffer, int64_t bytes) {
  constexpr int64_t word = 16;
  if (bytes > buffer.sizes[0])
    return x.fail(Violation::OutOfBounds, instruction)
           << "out-of-bounds access: " << bytes << " bytes of a buffer of "
           << buffer.sizes[0] << " by " << x.place(warp, 0);
  for (int64_t at = 0; at < bytes; at += x.width * word) {
    Access access{buffer.buffer, 0, word, word, /*write=*/true, {}};
    for (unsigned lane = 0; lane != x.width; ++lane) {
      if (at + lane * word >= bytes)
        break;
      access.mask |= 1ull << lane;
      access.addresses[lane] = buffer.address(at + lane * word);
    }
    if (failed(x.access(warp, instruction, access)))
      return failure();
    forLanes(access.mask, [&](unsigned lane) {
      std::fill_n(buffer.buffer->bytes.data() + access.addresses[lane], word,
                  0xff);
    });
  }
  x.meetLanes(warp);
  return success();
}

static LogicalResult runFragmentStore(Execution &x, Warp &warp,
                                      const Instruction &instruction) {
  auto op = cast<StoreOp>(instruction.op);
  const FragmentForm &form = x.program.fragments[instruction.payload];
  // Operands: value, matrix, row, column, α?, β?, buffer?
  ArrayRef<Slot> operands = instruction.operands;
  const MemRef &matrix = warp.memrefs[operands[1].index];
  Window window{
      form, matrix, 0, 0, op.getRowInBounds(), op.getColumnInBounds()};
  if (failed(x.requireConverged(warp, instruction)) ||
      failed(x.uniform(warp, instruction, operands[2], window.row)) ||
      failed(x.uniform(warp, instruction, operands[3], window.column)))
    return failure();
  std::optional<double> scales[2];
  for (unsigned i = 0, next = 4; i != 2; ++i) {
    if (!(i == 0 ? op.getAlpha() : op.getBeta()))
      continue;
    int64_t bits;
    if (failed(x.uniform(warp, instruction, operands[next++], bits)))
      return failure();
    scales[i] = toDouble(form.format, bits);
  }
  auto [alpha, beta] = scales;
  if (beta == 0.0)
    beta = std::nullopt;
  ElementFormat outer = *formatOf(matrix.elementType);
  unsigned width = outer.bytes();
  if (op.getBuffer() &&
      failed(clobber(x, warp, instruction, warp.memrefs[operands.back().index],
                     op.getRelayedTile().elements() * width)))
    return failure();
  Access access{matrix.buffer, 0, width, width, /*write=*/false, {}};
  for (int64_t tile = 0; tile != form.tiles(); ++tile) {
    for (int value = 0; value != form.values(); ++value) {
      if (failed(
              windowAccess(x, warp, instruction, window, tile, value, access)))
        return failure();
      access.write = false;
      if (beta && failed(x.access(warp, instruction, access)))
        return failure();
      access.write = true;
      if (failed(x.access(warp, instruction, access)))
        return failure();
      const uint64_t *input =
          x.lanes(warp, operands[0], tile * form.values() + value);
      forLanes(access.mask, [&](unsigned lane) {
        uint8_t *at = matrix.buffer->bytes.data() + access.addresses[lane];
        writeBits(at, width,
                  scaled(form.format, outer, input[lane], alpha, beta,
                         readBits(at, width)));
      });
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Moves a fragment between registers and the `index`-th fragment of a buffer.
static LogicalResult transferFragment(Execution &x, Warp &warp,
                                      const Instruction &instruction,
                                      const FragmentForm &form, Slot registers,
                                      const MemRef &buffer, int64_t index,
                                      bool write) {
  SharedOrder order(*form.map);
  unsigned width = form.map->elementBytes;
  int64_t bytes = form.tiles() * order.wordsPerTile() * order.wordBytes;
  int64_t begin = index * bytes;
  if (index < 0 || begin + bytes > buffer.sizes[0])
    return x.fail(Violation::OutOfBounds, instruction)
           << "out-of-bounds access: slot " << index << " of fragments of "
           << bytes << " bytes in a buffer of " << buffer.sizes[0]
           << " bytes by " << x.place(warp, 0);
  uint64_t mask = warp.mask;
  for (unsigned lane = 0; write && lane != x.width; ++lane)
    if (!order.writes(lane))
      mask &= ~(1ull << lane);
  Access access{buffer.buffer,   mask,  order.wordBytes,
                order.wordBytes, write, {}};
  uint8_t *memory = buffer.buffer->bytes.data();
  for (int64_t tile = 0; tile != form.tiles(); ++tile) {
    for (unsigned word = 0; word != order.wordsPerLane; ++word) {
      for (unsigned lane = 0; lane != x.width; ++lane)
        access.addresses[lane] = buffer.address(
            begin + order.wordIndex(tile, word, lane) * order.wordBytes);
      if (failed(x.access(warp, instruction, access)))
        return failure();
      for (unsigned i = 0; i != order.valuesPerWord; ++i) {
        uint64_t *values =
            x.lanes(warp, registers,
                    tile * form.values() + word * order.valuesPerWord + i);
        forLanes(mask, [&](unsigned lane) {
          uint8_t *at = memory + access.addresses[lane] + i * width;
          if (write)
            writeBits(at, width, values[lane]);
          else
            values[lane] = readBits(at, width);
        });
      }
    }
  }
  return success();
}

static LogicalResult runShare(Execution &x, Warp &warp,
                              const Instruction &instruction) {
  int64_t index;
  if (failed(x.requireConverged(warp, instruction)) ||
      failed(x.uniform(warp, instruction, instruction.operands[2], index)))
    return failure();
  return transferFragment(
      x, warp, instruction, x.program.fragments[instruction.payload],
      instruction.operands[0], warp.memrefs[instruction.operands[1].index],
      index, /*write=*/true);
}

static LogicalResult runFetch(Execution &x, Warp &warp,
                              const Instruction &instruction) {
  int64_t index;
  if (failed(x.requireConverged(warp, instruction)) ||
      failed(x.uniform(warp, instruction, instruction.operands[1], index)))
    return failure();
  return transferFragment(
      x, warp, instruction, x.program.fragments[instruction.payload],
      instruction.results[0], warp.memrefs[instruction.operands[0].index],
      index, /*write=*/false);
}

/// One message of a broadcast, for the phase before (`write`) or after the
/// barrier. Operands: fragment, buffer. Result: fragment.
static LogicalResult runMessage(Execution &x, Warp &warp,
                                const Instruction &instruction, bool write) {
  auto op = cast<BroadcastOp>(instruction.op);
  if (failed(checkGrid(x, warp, instruction, op.getGrid())))
    return failure();
  unsigned message = instruction.phase;
  ArrayRef<int64_t> grid = op.getGrid();
  WarpPlace place = placeIn(grid, warp.index);
  bool alongRow = op.getGroup(message) == Group::Row;
  int64_t position = alongRow ? place.column : place.row;
  int64_t group = alongRow ? place.layer * grid[0] + place.row
                           : place.layer * grid[1] + place.column;
  bool isOwner = position == op.getOwners()[message];
  Slot fragment = instruction.operands[0], result = instruction.results[0];
  if (write && isOwner)
    for (int e = 0; e != fragment.count; ++e)
      std::copy_n(x.lanes(warp, fragment, e), x.width,
                  x.lanes(warp, result, e));
  if (write != isOwner)
    return success();
  return transferFragment(
      x, warp, instruction, x.program.fragments[instruction.payload],
      write ? fragment : result, warp.memrefs[instruction.operands[1].index],
      group, write);
}

/// The block's barrier is 0, which the groups of a scope have one each of their
/// own after.
static LogicalResult waitWithin(Execution &x, Warp &warp,
                                const Instruction &instruction,
                                ArrayRef<int64_t> sizes, BarrierScope scope) {
  if (failed(checkGrid(x, warp, instruction, sizes)))
    return failure();
  WarpGrid grid = {sizes[0], sizes[1], sizes[2]};
  int64_t barrier = scope == BarrierScope::Block
                        ? 0
                        : 1 + groupOf(grid, scope, warpPlace(grid, warp.index));
  return x.wait(warp, instruction, barrier, warpsWithin(grid, scope));
}

static LogicalResult runBroadcastBarrier(Execution &x, Warp &warp,
                                         const Instruction &instruction) {
  auto op = cast<BroadcastOp>(instruction.op);
  return waitWithin(x, warp, instruction, op.getGrid(), toScope(op.getScope()));
}

static LogicalResult runScopedBarrier(Execution &x, Warp &warp,
                                      const Instruction &instruction) {
  auto op = cast<BarrierOp>(instruction.op);
  return waitWithin(x, warp, instruction, op.getGrid(), toScope(op.getScope()));
}

static LogicalResult runSend(Execution &x, Warp &warp,
                             const Instruction &instruction) {
  return runMessage(x, warp, instruction, /*write=*/true);
}

static LogicalResult runReceive(Execution &x, Warp &warp,
                                const Instruction &instruction) {
  return runMessage(x, warp, instruction, /*write=*/false);
}

/// Layer `phase` of a sum writes, or layer 0 adds what it wrote. Operands: the
/// fragment, the buffer, and a fragment of room. Result: the sum so far.
static LogicalResult runPartial(Execution &x, Warp &warp,
                                const Instruction &instruction, bool write) {
  auto op = cast<ReduceOp>(instruction.op);
  if (failed(checkGrid(x, warp, instruction, op.getGrid())))
    return failure();
  const FragmentForm &form = x.program.fragments[instruction.payload];
  WarpPlace place = placeIn(op.getGrid(), warp.index);
  if (place.layer != (write ? instruction.phase : 0))
    return success();
  int64_t index = place.row * op.getGrid()[1] + place.column;
  Slot partial = instruction.operands[write ? 0 : 2];
  if (failed(transferFragment(x, warp, instruction, form, partial,
                              warp.memrefs[instruction.operands[1].index],
                              index, write)))
    return failure();
  if (write)
    return success();
  for (int e = 0; e != partial.count; ++e) {
    const uint64_t *term = x.lanes(warp, partial, e);
    uint64_t *sum = x.lanes(warp, instruction.results[0], e);
    // Sums of two integers are exact in a double, and wrap.
    for (unsigned lane = 0; lane != x.width; ++lane)
      sum[lane] =
          fromDouble(form.format, toDouble(form.format, sum[lane]) +
                                      toDouble(form.format, term[lane]));
  }
  return success();
}

static LogicalResult runPartialWrite(Execution &x, Warp &warp,
                                     const Instruction &instruction) {
  return runPartial(x, warp, instruction, /*write=*/true);
}

static LogicalResult runPartialAdd(Execution &x, Warp &warp,
                                   const Instruction &instruction) {
  return runPartial(x, warp, instruction, /*write=*/false);
}

//===----------------------------------------------------------------------===//
// Multiply
//===----------------------------------------------------------------------===//

static LogicalResult runFragmentMma(Execution &x, Warp &warp,
                                    const Instruction &instruction) {
  if (failed(x.requireConverged(warp, instruction)))
    return failure();
  auto op = cast<MmaOp>(instruction.op);
  const MatrixForm &form = x.program.matrices[instruction.payload];
  int64_t rows = op.getC().getType().getTileRows();
  int64_t columns = op.getC().getType().getTileColumns();
  int64_t depth = op.getA().getType().getTileColumns();
  int64_t sizeA = form.m * form.k, sizeB = form.k * form.n;
  int valuesA = form.placesA.size() / x.width;
  int valuesB = form.placesB.size() / x.width;
  int valuesC = form.placesC.size() / x.width;
  // Where operands are split, their low parts lie behind the high ones.
  bool split = form.products == 3;
  int64_t lowA = sizeA * rows * depth, lowB = sizeB * depth * columns;
  x.scratchA.resize(lowA * (split ? 2 : 1));
  x.scratchB.resize(lowB * (split ? 2 : 1));
  x.scratchC.resize(form.m * form.n);
  auto gatherAll = [&](Reading readA, Reading readB, int64_t offsetA,
                       int64_t offsetB) {
    for (int64_t tile = 0; tile != rows * depth; ++tile)
      gather(x, warp, instruction.operands[0], tile * valuesA, form.placesA,
             form.a, readA, &x.scratchA[offsetA + tile * sizeA]);
    for (int64_t tile = 0; tile != depth * columns; ++tile)
      gather(x, warp, instruction.operands[1], tile * valuesB, form.placesB,
             form.b, readB, &x.scratchB[offsetB + tile * sizeB]);
  };
  if (split) {
    gatherAll(Reading::HighTF32, Reading::HighTF32, 0, 0);
    gatherAll(Reading::LowTF32, Reading::LowTF32, lowA, lowB);
  } else {
    gatherAll(form.readA, form.readB, 0, 0);
  }
  auto [firstRows, firstColumns] = op.getTiles();
  for (int64_t tile = 0; tile != rows * columns; ++tile) {
    gather(x, warp, instruction.operands[2], tile * valuesC, form.placesC,
           form.c, Reading::Plain, x.scratchC.data());
    bool isAmong = tile / columns < firstRows && tile % columns < firstColumns;
    for (int64_t k = 0; isAmong && k != depth; ++k) {
      const double *a = &x.scratchA[(tile / columns * depth + k) * sizeA];
      const double *b = &x.scratchB[(k * columns + tile % columns) * sizeB];
      if (split) {
        multiply(form, a + lowA, b, x.scratchC.data());
        multiply(form, a, b + lowB, x.scratchC.data());
      }
      multiply(form, a, b, x.scratchC.data());
    }
    scatter(x, warp, instruction.results[0], tile * valuesC, form.placesC,
            form.c, x.scratchC.data());
  }
  x.matrixCounts[instruction.payload] +=
      firstRows * firstColumns * depth * form.products;
  return success();
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

FailureOr<FragmentForm>
kami::sim::fragmentForm(Operation *op, FragmentType type, unsigned warpSize) {
  std::optional<ElementFormat> format = formatOf(type.getElementType());
  if (!format)
    return op->emitError("cannot simulate elements of type ")
           << type.getElementType();
  if (type.getMap().lanes() != warpSize)
    return op->emitError("expected a warp of ")
           << type.getMap().lanes() << " lanes, but got " << warpSize;
  bool rounds = type.getRole() != Role::C && type.hasAtomElementType() &&
                type.getAtom().roundsToTF32();
  return FragmentForm{&type.getMap(),
                      type.getTileRows(),
                      type.getTileColumns(),
                      type.getRowOrder(),
                      type.getColumnOrder(),
                      *format,
                      rounds};
}

/// Row of the table for the fragment type, and a note of its accesses.
static FailureOr<int> addFragment(Decoder &decoder, Operation *op, Type type) {
  FailureOr<FragmentForm> form =
      fragmentForm(op, cast<FragmentType>(type), decoder.warpSize);
  if (failed(form))
    return failure();
  decoder.accesses(form->format);
  decoder.program.fragments.push_back(*form);
  return int(decoder.program.fragments.size()) - 1;
}

static LogicalResult emitFragmentOp(Decoder &decoder, Operation *op, Type type,
                                    Handler handler) {
  FailureOr<int> form = addFragment(decoder, op, type);
  return failed(form) ? failure() : decoder.emit(op, handler, *form);
}

static LogicalResult decodeBroadcast(Decoder &decoder, BroadcastOp op) {
  SmallVector<int> forms;
  for (Value result : op.getResults()) {
    FailureOr<int> form = addFragment(decoder, op, result.getType());
    if (failed(form) || failed(decoder.define(result)))
      return failure();
    forms.push_back(*form);
  }
  for (Handler handler : {runSend, runReceive}) {
    for (auto [i, form] : llvm::enumerate(forms)) {
      Instruction &message = decoder.append(op, handler);
      message.operands = {decoder.slot(op.getFragments()[i]),
                          decoder.slot(op.getBuffers()[i])};
      message.results = {decoder.slot(op.getResults()[i])};
      message.payload = form;
      message.phase = i;
    }
    if (handler == runSend || !op.getNoTrailingBarrier())
      decoder.append(op, runBroadcastBarrier);
  }
  return success();
}

static LogicalResult decodeReduce(Decoder &decoder, ReduceOp op) {
  FailureOr<int> form = addFragment(decoder, op, op.getType());
  FailureOr<Slot> result = decoder.define(op.getResult());
  if (failed(form) || failed(result))
    return failure();
  Slot value = decoder.slot(op.getValue());
  Slot room = decoder.duplicate(value);
  decoder.appendMoves(op, value, *result);
  for (int64_t layer = 1; layer < op.getGrid()[2]; ++layer) {
    for (Handler handler : {runPartialWrite, runPartialAdd}) {
      decoder.append(op, runBarrier);
      Instruction &partial = decoder.append(op, handler);
      partial.operands = {value, decoder.slot(op.getBuffer()), room};
      partial.results = {*result};
      partial.payload = *form;
      partial.phase = layer;
    }
  }
  return success();
}

static LogicalResult decodeFragmentMma(Decoder &decoder, MmaOp op) {
  FailureOr<MatrixForm> form =
      matrixForm(op, op.getA().getType().getAtom(), decoder.warpSize);
  if (failed(form))
    return failure();
  decoder.program.matrices.push_back(std::move(*form));
  return decoder.emit(op, runFragmentMma, decoder.program.matrices.size() - 1);
}

LogicalResult kami::sim::decodeWarpOps(Decoder &decoder, Operation *op,
                                       bool &handled) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](WarpCoordinatesOp) { return decoder.emit(op, runCoordinates); })
      .Case([&](LoadOp load) {
        Type element = load.getSource().getType().getElementType();
        decoder.accesses(*formatOf(element));
        return emitFragmentOp(decoder, op, load.getType(), runFragmentLoad);
      })
      .Case([&](StoreOp store) {
        Type element = store.getDest().getType().getElementType();
        decoder.accesses(*formatOf(element));
        return emitFragmentOp(decoder, op, store.getValue().getType(),
                              runFragmentStore);
      })
      .Case([&](ShareOp share) {
        return emitFragmentOp(decoder, op, share.getValue().getType(),
                              runShare);
      })
      .Case([&](FetchOp fetch) {
        return emitFragmentOp(decoder, op, fetch.getType(), runFetch);
      })
      .Case([&](BroadcastOp broadcast) {
        return decodeBroadcast(decoder, broadcast);
      })
      .Case([&](BarrierOp) { return decoder.emit(op, runScopedBarrier); })
      .Case([&](ReduceOp reduce) { return decodeReduce(decoder, reduce); })
      .Case([&](MmaOp mma) { return decodeFragmentMma(decoder, mma); })
      .Default([&](Operation *) {
        handled = false;
        return success();
      });
}
