//===- GroupOps.cpp -------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions of four warps, at warp level and at target level. At warp level
// an element's address is that of the matrix's layout; at target level it is
// where the unit looks for it, given the descriptor. Two transcriptions of one
// document, which must agree.
//
//===----------------------------------------------------------------------===//

#include "Matrix.h"
#include "kami/IR/KamiOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace kami;
using namespace kami::sim;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {
/// A matrix in a buffer, and a place in it: m or n, and k.
struct MatrixPlace {
  SharedMatrix matrix;
  Buffer *buffer;
  int64_t base;
  int64_t outer, k;
};
} // namespace

/// Reads the place from a buffer, a row and a column, and checks that the
/// matrix lies in the buffer, aligned, and that the place is a multiple of
/// `outerStep` × `kStep`.
static FailureOr<MatrixPlace> placeOf(Execution &x, Warp &warp,
                                      const Instruction &instruction,
                                      SharedMatrixAttr attribute, Slot buffer,
                                      Slot row, Slot column, int64_t outerStep,
                                      int64_t kStep) {
  const MemRef &memref = warp.memrefs[buffer.index];
  MatrixPlace place{attribute.getMatrix(), memref.buffer,
                    memref.base + memref.offset, 0, 0};
  bool isA = attribute.getRole() == Role::A;
  if (failed(x.requireConverged(warp, instruction)) ||
      failed(x.uniform(warp, instruction, isA ? row : column, place.outer)) ||
      failed(x.uniform(warp, instruction, isA ? column : row, place.k)))
    return failure();
  if (int64_t size = place.matrix.byteSize(); size > memref.sizes[0])
    return x.fail(Violation::OutOfBounds, instruction)
           << "out-of-bounds access: a matrix of " << size
           << " bytes in a buffer of " << memref.sizes[0];
  int64_t alignment = place.matrix.alignment();
  if (place.base % alignment != 0 ||
      memref.buffer->sharedAlignment % alignment != 0)
    return x.fail(Violation::Unaligned, instruction)
           << "expected a matrix that starts at a multiple of " << alignment
           << " bytes, but got byte " << place.base
           << " of shared memory that is aligned to "
           << memref.buffer->sharedAlignment;
  if (place.outer % outerStep != 0 || place.k % kStep != 0)
    return x.fail(Violation::Unaligned, instruction)
           << "expected a place that is a multiple of " << outerStep
           << " along " << (isA ? "m" : "n") << " and of " << kStep
           << " along k, but got " << place.outer << " and " << place.k;
  return place;
}

static LogicalResult checkWindow(Execution &x, const Instruction &instruction,
                                 const MatrixPlace &place, int64_t outer,
                                 int64_t k) {
  const SharedMatrix &matrix = place.matrix;
  if (place.outer >= 0 && place.k >= 0 && place.outer + outer <= matrix.outer &&
      place.k + k <= matrix.k)
    return success();
  return x.fail(Violation::OutOfBounds, instruction)
         << "out-of-bounds access: " << outer << " by k " << k << " from "
         << place.outer << " and k " << place.k << " of a matrix of "
         << matrix.outer << " by k " << matrix.k;
}

//===----------------------------------------------------------------------===//
// place and load_placed
//===----------------------------------------------------------------------===//

/// Accesses the fragment's elements in the matrix, and has `move` move a lane's
/// value, of so many bytes, between its register and memory. Operands from
/// `first` on: buffer, row, column.
template <typename Move>
static LogicalResult
accessPlaced(Execution &x, Warp &warp, const Instruction &instruction,
             SharedMatrixAttr attribute, FragmentType type, unsigned first,
             Slot fragment, bool isWrite, Move move) {
  const FragmentForm &form = x.program.fragments[instruction.payload];
  const FragmentMap &map = *form.map;
  bool isA = attribute.getRole() == Role::A;
  ArrayRef<Slot> operands =
      ArrayRef<Slot>(instruction.operands).drop_front(first);
  auto place = placeOf(x, warp, instruction, attribute, operands[0],
                       operands[1], operands[2], isA ? map.rows : map.columns,
                       isA ? map.columns : map.rows);
  if (failed(place) ||
      failed(checkWindow(x, instruction, *place,
                         isA ? type.getRows() : type.getColumns(),
                         isA ? type.getColumns() : type.getRows())))
    return failure();
  // Values that are adjacent in memory share an access.
  unsigned width = form.format.bytes();
  int together = map.adjacentValues(/*alongRows=*/isA ==
                                    (place->matrix.major != Major::K));
  Access access{place->buffer,    warp.mask, unsigned(together * width),
                together * width, isWrite,   {}};
  auto addressOf = [&](int64_t tile, unsigned lane, int value) {
    Coordinate at = map.at(lane, value);
    int64_t row = tile / form.tileColumns * map.rows + at.row;
    int64_t column = tile % form.tileColumns * map.columns + at.column;
    return place->base +
           place->matrix.byteOffset(place->outer + (isA ? row : column),
                                    place->k + (isA ? column : row));
  };
  for (int64_t tile = 0; tile != form.tiles(); ++tile) {
    for (int value = 0; value != form.values(); ++value) {
      uint64_t *registers =
          x.lanes(warp, fragment, tile * form.values() + value);
      for (unsigned lane = 0; lane != x.width; ++lane)
        access.addresses[lane] = addressOf(tile, lane, value);
      if (value % together == 0 && failed(x.access(warp, instruction, access)))
        return failure();
      for (unsigned lane = 0; lane != x.width; ++lane)
        move(registers[lane],
             place->buffer->bytes.data() + access.addresses[lane], width);
    }
  }
  return success();
}

/// Operands: value, buffer, row, column.
static LogicalResult runPlace(Execution &x, Warp &warp,
                              const Instruction &instruction) {
  auto op = cast<PlaceOp>(instruction.op);
  if (failed(accessPlaced(
          x, warp, instruction, op.getMatrix(), op.getValue().getType(),
          /*first=*/1, instruction.operands[0], /*isWrite=*/true,
          [](uint64_t &bits, uint8_t *at, unsigned width) {
            writeBits(at, width, bits);
          })))
    return failure();
  x.fenceProxy(warp);
  return success();
}

/// Operands: buffer, row, column.
static LogicalResult runLoadPlaced(Execution &x, Warp &warp,
                                   const Instruction &instruction) {
  auto op = cast<LoadPlacedOp>(instruction.op);
  return accessPlaced(x, warp, instruction, op.getMatrix(),
                      op.getResult().getType(), /*first=*/0,
                      instruction.results[0], /*isWrite=*/false,
                      [](uint64_t &bits, uint8_t *at, unsigned width) {
                        bits = readBits(at, width);
                      });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
/// A lane's registers of one tile.
struct TileRegisters {
  Slot slot;
  int first;
};

/// One instruction, as one warp of the group sees it.
struct GroupStep {
  int row;
  /// A's tile in registers, or the addresses of the warp's 16 rows.
  std::optional<TileRegisters> registersA;
  GroupOperand a;
  /// k rows of as many columns as there are tiles, 8 times.
  GroupOperand b;
  /// Read and written.
  ArrayRef<TileRegisters> c;
};
} // namespace

/// What the unit reads from shared memory, checked, as a row-major matrix.
static LogicalResult readOperand(Execution &x, Warp &warp,
                                 const Instruction &instruction,
                                 const GroupOperand &operand,
                                 const ElementFormat &format, Reading reading,
                                 std::vector<double> &matrix) {
  if (failed(x.groupRead(warp, instruction, operand, format.bytes())))
    return failure();
  matrix.clear();
  for (int64_t address : operand.addresses) {
    uint64_t bits =
        readBits(operand.buffer->bytes.data() + address, format.bytes());
    matrix.push_back(readElement(format, reading, bits));
  }
  return success();
}

static LogicalResult runStep(Execution &x, Warp &warp,
                             const Instruction &instruction,
                             const GroupStep &step) {
  const MatrixForm &form = x.program.matrices[step.row];
  bool isFirst = warp.index % warpsPerGroup == 0;
  x.scratchA.resize(form.m * form.k);
  if (step.registersA)
    gather(x, warp, step.registersA->slot, step.registersA->first, form.placesA,
           form.a, form.readA, x.scratchA.data());
  else if (failed(readOperand(x, warp, instruction, step.a, form.a, form.readA,
                              x.scratchA)))
    return failure();
  std::vector<double> b;
  if (failed(readOperand(x, warp, instruction, step.b, form.b, form.readB, b)))
    return failure();
  int64_t columns = step.c.size() * form.n;
  for (auto [tile, sums] : llvm::enumerate(step.c)) {
    x.scratchB.clear();
    for (int64_t k = 0; k != form.k; ++k) {
      auto row = b.begin() + k * columns + tile * form.n;
      x.scratchB.insert(x.scratchB.end(), row, row + form.n);
    }
    x.scratchC.resize(form.m * form.n);
    gather(x, warp, sums.slot, sums.first, form.placesC, form.c, Reading::Plain,
           x.scratchC.data());
    multiply(form, x.scratchA.data(), x.scratchB.data(), x.scratchC.data());
    scatter(x, warp, sums.slot, sums.first, form.placesC, form.c,
            x.scratchC.data());
  }
  if (isFirst) {
    ++x.matrixCounts[step.row];
    x.countMatrixRead(warp, step.b.addresses.size() * form.b.bytes());
  }
  x.countMatrixRead(warp, step.a.addresses.size() * form.a.bytes());
  return success();
}

static void copySlot(Execution &x, Warp &warp, Slot from, Slot to) {
  for (int e = 0; e != from.count; ++e)
    std::copy_n(x.lanes(warp, from, e), x.width, x.lanes(warp, to, e));
}

/// The addresses of `rows × columns` elements, row by row.
template <typename F>
static std::vector<int64_t> addresses(int64_t rows, int64_t columns,
                                      F addressOf) {
  std::vector<int64_t> list;
  list.reserve(rows * columns);
  for (int64_t row = 0; row != rows; ++row)
    for (int64_t column = 0; column != columns; ++column)
      list.push_back(addressOf(row, column));
  return list;
}

//===----------------------------------------------------------------------===//
// group_mma
//===----------------------------------------------------------------------===//

namespace {
struct GroupWindows {
  /// Nothing where A is in registers.
  std::optional<MatrixPlace> a;
  MatrixPlace b;
};
} // namespace

/// Operands: A, B, row, column, C, A's row and column if it is in memory.
static FailureOr<GroupWindows> windowsOf(Execution &x, Warp &warp,
                                         const Instruction &instruction) {
  auto op = cast<GroupMmaOp>(instruction.op);
  ArrayRef<Slot> operands = instruction.operands;
  FragmentType c = op.getC().getType();
  auto windowOf = [&](SharedMatrixAttr attribute, Slot buffer, Slot row,
                      Slot column, int64_t outer) -> FailureOr<MatrixPlace> {
    SharedMatrix layout = attribute.getMatrix();
    auto place = placeOf(x, warp, instruction, attribute, buffer, row, column,
                         layout.windowOuter(), layout.windowK());
    if (failed(place) ||
        failed(checkWindow(x, instruction, *place, outer, op.getK())))
      return failure();
    return place;
  };
  auto b = windowOf(op.getBMatrix(), operands[1], operands[2], operands[3],
                    c.getColumns());
  if (failed(b))
    return failure();
  GroupWindows windows{std::nullopt, *b};
  if (auto attribute = op.getAMatrix()) {
    auto a = windowOf(*attribute, operands[0], operands[5], operands[6],
                      c.getRows() * warpsPerGroup);
    if (failed(a))
      return failure();
    windows.a = *a;
  }
  return windows;
}

/// Adds the products over all of k to tiles of the result, from the tile row
/// and column on: one instruction a step.
static LogicalResult runPart(Execution &x, Warp &warp,
                             const Instruction &instruction,
                             const GroupWindows &windows, int64_t row,
                             int64_t column, const GroupForm::Part &part) {
  auto op = cast<GroupMmaOp>(instruction.op);
  FragmentType c = op.getC().getType();
  Extents atom = op.getAtom().getExtents();
  auto addressOf = [](const MatrixPlace &place, int64_t outer, int64_t k) {
    return place.base +
           place.matrix.byteOffset(place.outer + outer, place.k + k);
  };
  SmallVector<TileRegisters> sums;
  for (int64_t tile = 0; tile != part.tiles; ++tile)
    sums.push_back({instruction.results[0],
                    int((row * c.getTileColumns() + column + tile) *
                        c.getMap().valuesPerLane())});
  for (int64_t k = 0; k != op.getK(); k += atom.k) {
    GroupStep step;
    step.row = part.row;
    step.c = sums;
    std::vector<int64_t> listA, listB;
    listB = addresses(atom.k, part.tiles * atom.n, [&](int64_t i, int64_t j) {
      return addressOf(windows.b, column * atom.n + j, k + i);
    });
    step.b = {windows.b.buffer, listB};
    if (windows.a) {
      int64_t top = (row * warpsPerGroup + warp.index % warpsPerGroup) * atom.m;
      listA = addresses(atom.m, atom.k, [&](int64_t i, int64_t j) {
        return addressOf(*windows.a, top + i, k + j);
      });
      step.a = {windows.a->buffer, listA};
    } else {
      auto a = cast<FragmentType>(op.getA().getType());
      step.registersA = TileRegisters{
          instruction.operands[0], int((row * a.getTileColumns() + k / atom.k) *
                                       a.getMap().valuesPerLane())};
    }
    if (failed(runStep(x, warp, instruction, step)))
      return failure();
  }
  return success();
}

static LogicalResult runGroupMma(Execution &x, Warp &warp,
                                 const Instruction &instruction) {
  auto op = cast<GroupMmaOp>(instruction.op);
  auto windows = windowsOf(x, warp, instruction);
  if (failed(windows))
    return failure();
  GroupIssue issue{&instruction, {nullptr, nullptr}, {0, 0}};
  const MatrixPlace *places[] = {windows->a ? &*windows->a : nullptr,
                                 &windows->b};
  for (auto [i, place] : llvm::enumerate(places)) {
    if (!place)
      continue;
    issue.buffers[i] = place->buffer;
    issue.starts[i] =
        place->base + place->matrix.byteOffset(place->outer, place->k);
  }
  if (failed(x.issue(warp, issue)))
    return failure();
  copySlot(x, warp, instruction.operands[4], instruction.results[0]);
  const GroupForm &form = x.program.groups[instruction.payload];
  for (int64_t row = 0; row != op.getC().getType().getTileRows(); ++row) {
    int64_t column = 0;
    for (const GroupForm::Part &part : form.parts) {
      if (failed(runPart(x, warp, instruction, *windows, row, column, part)))
        return failure();
      column += part.tiles;
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Target level
//===----------------------------------------------------------------------===//

/// The result is a memref whose base is where the window starts.
static LogicalResult runDescriptor(Execution &x, Warp &warp,
                                   const Instruction &instruction) {
  auto op = cast<MatrixDescriptorOp>(instruction.op);
  ArrayRef<Slot> operands = instruction.operands;
  SharedMatrixAttr attribute = op.getType().getMatrix();
  SharedMatrix matrix = attribute.getMatrix();
  auto place =
      placeOf(x, warp, instruction, attribute, operands[0], operands[1],
              operands[2], matrix.windowOuter(), matrix.windowK());
  if (failed(place) || failed(checkWindow(x, instruction, *place, 0, 0)))
    return failure();
  MemRef &result = warp.memrefs[instruction.results[0].index];
  result = MemRef();
  result.buffer = place->buffer;
  result.base = matrix.descriptor(place->base, place->outer, place->k).start;
  return success();
}

static GroupDescriptor descriptorOf(Type type, const MemRef &start) {
  SharedMatrixAttr matrix = cast<MatrixDescriptorType>(type).getMatrix();
  GroupDescriptor descriptor = matrix.getMatrix().descriptor(0, 0, 0);
  descriptor.start = start.base;
  return descriptor;
}

static void clearSlot(Execution &x, Warp &warp, Slot slot) {
  for (int e = 0; e != slot.count; ++e)
    std::fill_n(x.lanes(warp, slot, e), x.width, 0);
}

/// Operands: A, B, tiles of C, and whether they count, if the op says so.
static LogicalResult runWgmma(Execution &x, Warp &warp,
                              const Instruction &instruction) {
  auto op = cast<WgmmaOp>(instruction.op);
  ArrayRef<Slot> operands = instruction.operands;
  Extents atom = op.getAtom().getExtents();
  if (failed(x.requireConverged(warp, instruction)))
    return failure();
  GroupStep step;
  step.row = x.program.groups[instruction.payload].parts.front().row;
  auto addressesOf = [&](Value value, const MemRef &start, int64_t rows,
                         int64_t columns, int64_t firstRow) {
    SharedMatrixAttr attribute =
        cast<MatrixDescriptorType>(value.getType()).getMatrix();
    SharedMatrix matrix = attribute.getMatrix();
    GroupDescriptor descriptor = descriptorOf(value.getType(), start);
    bool isA = attribute.getRole() == Role::A;
    return addresses(rows, columns, [&](int64_t row, int64_t column) {
      return descriptor.address(matrix.major, matrix.elementBytes,
                                isA ? firstRow + row : column,
                                isA ? column : row);
    });
  };
  const MemRef &b = warp.memrefs[operands[1].index];
  auto listB = addressesOf(op.getB(), b, atom.k, op.getN(), 0);
  step.b = {b.buffer, listB};
  std::vector<int64_t> listA;
  const MemRef *a = nullptr;
  if (isa<VectorType>(op.getA().getType())) {
    step.registersA = TileRegisters{operands[0], 0};
  } else {
    a = &warp.memrefs[operands[0].index];
    listA = addressesOf(op.getA(), *a, atom.m, atom.k,
                        warp.index % warpsPerGroup * atom.m);
    step.a = {a->buffer, listA};
  }
  int64_t accumulates = 1;
  if (op.getAccumulates() &&
      failed(x.uniform(warp, instruction, operands.back(), accumulates)))
    return failure();
  if (failed(x.issue(warp, {&instruction,
                            {a ? a->buffer : nullptr, b.buffer},
                            {a ? a->base : 0, b.base},
                            accumulates != 0})))
    return failure();
  SmallVector<TileRegisters> sums;
  for (auto [from, to] : llvm::zip_equal(operands.slice(2, op.getC().size()),
                                         instruction.results)) {
    if (accumulates)
      copySlot(x, warp, from, to);
    else
      clearSlot(x, warp, to);
    sums.push_back({to, 0});
  }
  step.c = sums;
  return runStep(x, warp, instruction, step);
}

/// The fence, the commit and the waits: results are the operands.
static LogicalResult runPass(Execution &x, Warp &warp,
                             const Instruction &instruction) {
  if (failed(x.requireConverged(warp, instruction)))
    return failure();
  for (auto [from, to] :
       llvm::zip_equal(instruction.operands, instruction.results))
    copySlot(x, warp, from, to);
  return success();
}

static LogicalResult runProxyFence(Execution &x, Warp &warp,
                                   const Instruction &instruction) {
  if (failed(x.requireConverged(warp, instruction)))
    return failure();
  x.fenceProxy(warp);
  return success();
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// Rows for the instructions that compute so many tiles of columns.
static FailureOr<int> addGroup(Decoder &decoder, Operation *op,
                               MmaAtomAttr atom, int64_t tiles) {
  GroupForm group;
  for (int64_t tile = 0, width; tile != tiles; tile += width) {
    width = widestGroupColumns((tiles - tile) * groupColumnGranule,
                               atom.getCType().isInteger()) /
            groupColumnGranule;
    FailureOr<MatrixForm> form = matrixForm(op, atom, decoder.warpSize);
    if (failed(form))
      return failure();
    decoder.accesses(form->a);
    decoder.accesses(form->b);
    form->name.clear();
    llvm::raw_string_ostream(form->name)
        << "m" << warpsPerGroup * atom.getM() << "n" << width * atom.getN()
        << "k" << atom.getK() << " " << atom.getAType() << " "
        << atom.getCType();
    group.parts.push_back({width, int(decoder.program.matrices.size())});
    decoder.program.matrices.push_back(std::move(*form));
  }
  decoder.program.groups.push_back(std::move(group));
  return int(decoder.program.groups.size()) - 1;
}

static LogicalResult emitGroupOp(Decoder &decoder, Operation *op,
                                 MmaAtomAttr atom, int64_t tiles,
                                 Handler handler) {
  FailureOr<int> group = addGroup(decoder, op, atom, tiles);
  return failed(group) ? failure() : decoder.emit(op, handler, *group);
}

/// Whether nobody but such uses has the results before they are written.
static LogicalResult
requireWait(Operation *op, llvm::function_ref<bool(OpOperand &)> isOrdered) {
  for (OpOperand &use : op->getUses()) {
    if (isOrdered(use))
      continue;
    InFlightDiagnostic error = use.getOwner()->emitError(
        "missing wait: a register is used that an instruction may not have "
        "written yet");
    error.attachNote(op->getLoc()) << "the instruction is here";
    return error;
  }
  return success();
}

/// An instruction is asynchronous: it reads registers that a fence handed over,
/// and nobody reads its results before the wait.
static LogicalResult decodeWgmma(Decoder &decoder, WgmmaOp op) {
  auto isHandedOver = [](Value value) {
    return value.getDefiningOp<WgmmaFenceOp>() != nullptr;
  };
  bool isOrdered = llvm::all_of(op.getC(), [&](Value value) {
    return isHandedOver(value) || value.getDefiningOp<WgmmaOp>();
  });
  if (isa<VectorType>(op.getA().getType()))
    isOrdered &= isHandedOver(op.getA());
  if (!isOrdered)
    return op.emitError("missing fence: a register of this instruction does "
                        "not come from 'kami.wgmma_fence'");
  if (failed(requireWait(op, [](OpOperand &use) {
        auto next = dyn_cast<WgmmaOp>(use.getOwner());
        return isa<WgmmaCommitOp>(use.getOwner()) ||
               (next && use.get() != next.getA());
      })))
    return failure();
  return emitGroupOp(decoder, op, op.getAtom(), op.getC().size(), runWgmma);
}

static LogicalResult decodeCommit(Decoder &decoder, WgmmaCommitOp op) {
  if (failed(requireWait(
          op, [](OpOperand &use) { return isa<WgmmaWaitOp>(use.getOwner()); })))
    return failure();
  return decoder.emit(op, runPass);
}

static LogicalResult decodeProxyFence(Decoder &decoder, NVVM::FenceProxyOp op) {
  if (op.getKind() != NVVM::ProxyKind::async_shared &&
      op.getKind() != NVVM::ProxyKind::async)
    return op.emitError("cannot simulate this kind of proxy fence");
  return decoder.emit(op, runProxyFence);
}

/// What `run` does to a fragment of that type.
template <typename Run>
static LogicalResult decodePlaced(Decoder &decoder, Operation *op,
                                  FragmentType type, Run run) {
  FailureOr<FragmentForm> form = fragmentForm(op, type, decoder.warpSize);
  if (failed(form))
    return failure();
  decoder.accesses(form->format);
  decoder.program.fragments.push_back(*form);
  return decoder.emit(op, run, decoder.program.fragments.size() - 1);
}

LogicalResult kami::sim::decodeGroupOps(Decoder &decoder, Operation *op,
                                        bool &handled) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](PlaceOp place) {
        return decodePlaced(decoder, place, place.getValue().getType(),
                            runPlace);
      })
      .Case([&](LoadPlacedOp load) {
        return decodePlaced(decoder, load, load.getResult().getType(),
                            runLoadPlaced);
      })
      .Case([&](GroupMmaOp mma) {
        return emitGroupOp(decoder, op, mma.getAtom(),
                           mma.getC().getType().getTileColumns(), runGroupMma);
      })
      .Case([&](MatrixDescriptorOp) { return decoder.emit(op, runDescriptor); })
      .Case([&](WgmmaOp mma) { return decodeWgmma(decoder, mma); })
      .Case([&](WgmmaCommitOp commit) { return decodeCommit(decoder, commit); })
      .Case<WgmmaFenceOp, WgmmaWaitOp, GroupWaitOp>(
          [&](auto) { return decoder.emit(op, runPass); })
      .Case([&](NVVM::FenceProxyOp fence) {
        return decodeProxyFence(decoder, fence);
      })
      .Default([&](Operation *) {
        handled = false;
        return success();
      });
}
