//===- Program.h - A decoded kernel ---------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel, decoded once per launch into a flat list of instructions with
// numbered registers. Control flow is jumps and a stack of masks, and an op
// that contains barriers is several instructions, so that a warp stops and
// continues anywhere.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_SIMULATOR_PROGRAM_H
#define KAMI_LIB_SIMULATOR_PROGRAM_H

#include "kami/IR/KamiTypes.h"
#include "kami/Layout/FragmentMap.h"
#include "kami/Simulator/Scalar.h"
#include "kami/Simulator/Simulator.h"
#include "llvm/ADT/DenseMap.h"

namespace kami::sim {

class Execution;
struct Warp;
struct Instruction;

using Handler = mlir::LogicalResult (*)(Execution &execution, Warp &warp,
                                        const Instruction &instruction);

/// Where a value lives. A register holds one element for each lane; a value of
/// `count` elements per lane takes that many registers from `index` on. A
/// memref, which is uniform over the warp, has a table of its own, and count 0.
struct Slot {
  int index = -1;
  int count = 0;
};

struct Instruction {
  Handler handler = nullptr;
  mlir::Operation *op = nullptr;
  llvm::SmallVector<Slot, 3> operands;
  llvm::SmallVector<Slot, 1> results;
  /// Where a jump goes.
  int target = -1;
  /// Which row of the handler's table in the program it uses.
  int payload = -1;
  /// A barrier's or message's number within its op.
  int phase = 0;
};

/// Result register i is a copy of element `element` of operand `operand`.
struct ElementSource {
  int operand;
  int element;
};

/// Copies between slots that happen at once.
struct Move {
  Slot from;
  Slot to;
};
struct Moves {
  std::vector<Move> moves;
  /// A source is also a destination.
  bool overlap = false;
};

/// How a matrix instruction reads a register as a number.
enum class Reading : uint8_t {
  /// As its format says; integers have a sign.
  Plain,
  Unsigned,
  /// The low 13 bits of an f32 are ignored (PTX ISA 9.0, mma).
  TF32,
  /// The two tf32 numbers that an f32 is split into.
  HighTF32,
  LowTF32,
};

/// One matrix instruction. The places say, for value v of lane l at
/// [v * lanes + l], which element of the row-major operand it is.
struct MatrixForm {
  int64_t m, n, k;
  ElementFormat a, b, c;
  Reading readA = Reading::Plain, readB = Reading::Plain;
  /// Every product is added by itself, with one rounding.
  bool fused = false;
  /// Instructions: 3 for operands that are split.
  int64_t products = 1;
  unsigned lanes;
  std::vector<int> placesA, placesB, placesC;
  /// Several lanes hold the same elements.
  bool replicatesA = false, replicatesB = false;
  /// The name that the report counts it by.
  std::string name;
};

/// Instructions of four warps. Each is a row of the table of matrix
/// instructions with the shape of a warp's 8 columns and the name of the whole.
struct GroupForm {
  struct Part {
    int64_t tiles;
    int row;
  };
  /// The instructions that together compute all columns, from left to right.
  llvm::SmallVector<Part, 2> parts;
};

/// A fragment's shape: tiles of one map, numbered row by row.
struct FragmentForm {
  const FragmentMap *map;
  int64_t tileRows, tileColumns;
  TileOrder rowOrder, columnOrder;
  ElementFormat format;
  /// Its elements are tf32 numbers, rounded to when they are loaded.
  bool roundsToTF32 = false;

  int64_t tiles() const { return tileRows * tileColumns; }
  int values() const { return map->valuesPerLane(); }
  /// Row and column of an element, counted from the fragment's first.
  std::array<int64_t, 2> place(int64_t tile, unsigned lane, int value) const {
    Coordinate at = map->at(lane, value);
    return {rowOrder.position(tile / tileColumns, at.row),
            columnOrder.position(tile % tileColumns, at.column)};
  }
};

struct Program {
  std::vector<Instruction> instructions;
  int registers = 0;
  int memrefs = 0;

  /// Values that no instruction changes: set once per warp.
  struct Constant {
    Slot slot;
    llvm::SmallVector<uint64_t, 1> bits;
  };
  std::vector<Constant> constants;
  llvm::SmallVector<Slot> arguments;
  /// Slots and sizes of the kernel's static shared memory.
  struct Attribution {
    Slot slot;
    mlir::MemRefType type;
    int64_t alignment;
  };
  llvm::SmallVector<Attribution> attributions;

  std::vector<ScalarOp> scalars;
  std::vector<std::vector<ElementSource>> shuffles;
  std::vector<Moves> moves;
  std::vector<MatrixForm> matrices;
  std::vector<FragmentForm> fragments;
  std::vector<GroupForm> groups;

  /// The narrowest element that the kernel accesses, in bytes.
  unsigned granule = 8;
};

/// Builds a program from a kernel.
class Decoder {
public:
  Decoder(Program &program, unsigned warpSize)
      : program(program), warpSize(warpSize) {}

  mlir::LogicalResult decodeKernel(mlir::gpu::GPUFuncOp kernel);
  mlir::LogicalResult decodeBlock(mlir::Block &block);

  /// The slot of a value that was decoded, and a new one.
  Slot slot(mlir::Value value) const { return slots.lookup(value); }
  llvm::SmallVector<Slot, 3> slotsOf(mlir::ValueRange values) const;
  mlir::FailureOr<Slot> define(mlir::Value value);
  /// Gives a value the slot of another.
  void bind(mlir::Value value, Slot slot) { slots[value] = slot; }
  /// A scalar op that is applied to `count` elements of each lane, except for
  /// operands that are one.
  mlir::LogicalResult decodeElementwise(mlir::Operation *op, int count);
  /// A fresh slot of the same shape.
  Slot duplicate(Slot slot);

  /// Appends an instruction. With `op`'s operands and new slots for its
  /// results, or with neither.
  mlir::LogicalResult emit(mlir::Operation *op, Handler handler,
                           int payload = -1);
  Instruction &append(mlir::Operation *op, Handler handler);
  /// Copies at once; nothing where there is nothing to copy.
  void appendMoves(mlir::Operation *op, llvm::ArrayRef<Slot> from,
                   llvm::ArrayRef<Slot> to);
  int here() const { return program.instructions.size(); }
  void accesses(const ElementFormat &format);

  Program &program;
  const unsigned warpSize;

private:
  mlir::LogicalResult decodeOp(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, Slot> slots;
};

// One family of ops each. `handled` tells whether the op belongs to it.
mlir::LogicalResult decodeAsyncCopies(Decoder &, mlir::Operation *,
                                      bool &handled);
mlir::LogicalResult decodeBulkCopies(Decoder &, mlir::Operation *,
                                     bool &handled);
mlir::LogicalResult decodeGroupedOps(Decoder &, mlir::Operation *,
                                     bool &handled);
mlir::LogicalResult decodeCoreMatrixAccess(Decoder &, mlir::Operation *,
                                           bool &handled);
mlir::LogicalResult decodeControlFlow(Decoder &, mlir::Operation *,
                                      bool &handled);
mlir::LogicalResult decodeElements(Decoder &, mlir::Operation *, bool &handled);
mlir::LogicalResult decodeMemory(Decoder &, mlir::Operation *, bool &handled);
mlir::LogicalResult decodeGpu(Decoder &, mlir::Operation *, bool &handled);
mlir::LogicalResult decodeMatrix(Decoder &, mlir::Operation *, bool &handled);
mlir::LogicalResult decodeAMDGPU(Decoder &, mlir::Operation *, bool &handled);
mlir::LogicalResult decodeSPIRV(Decoder &, mlir::Operation *, bool &handled);
mlir::LogicalResult decodeWarpOps(Decoder &, mlir::Operation *, bool &handled);
mlir::LogicalResult decodeFragmentElements(Decoder &, mlir::Operation *,
                                           bool &handled);
mlir::LogicalResult decodeGroupOps(Decoder &, mlir::Operation *, bool &handled);

/// A row for the tables above.
mlir::FailureOr<FragmentForm>
fragmentForm(mlir::Operation *op, FragmentType type, unsigned warpSize);
mlir::FailureOr<MatrixForm> matrixForm(mlir::Operation *op, MmaAtomAttr atom,
                                       unsigned warpSize);

/// All warps of the block meet; also a part of other ops.
mlir::LogicalResult runBarrier(Execution &, Warp &, const Instruction &);

} // namespace kami::sim

#endif // KAMI_LIB_SIMULATOR_PROGRAM_H
