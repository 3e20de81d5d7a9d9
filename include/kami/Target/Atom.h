//===- Atom.h - Matrix instructions --------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An atom is one matrix instruction: what it multiplies, where its operands
// lie, how fast it is. Facts only, each with its source.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_TARGET_ATOM_H
#define KAMI_TARGET_ATOM_H

#include "kami/Layout/ElementKind.h"
#include "kami/Layout/FragmentMap.h"
#include "kami/Layout/Partition.h"

namespace kami {

/// The instruction family that executes an atom; one conversion serves one.
enum class Instruction {
  /// NVIDIA mma.sync, a warp wide, all operands in registers.
  MmaSync,
  /// Fused multiply-adds of the lanes themselves, without a matrix unit: for
  /// types that a chip's matrix unit does not multiply exactly, or not at all.
  Fma,
  /// AMD CDNA mfma, a wave of 64.
  Mfma,
  /// AMD RDNA wmma, a wave of 32.
  Wmma,
  /// SPIR-V cooperative matrices, whose fragments are opaque.
  CooperativeMatrix,
  /// NVIDIA wgmma: four warps in unison, B in shared memory. An atom is what
  /// one
  /// warp computes of 8 columns; an instruction has up to 32 of them side by
  /// side.
  Wgmma,
};

/// The spelling in IR: "mma_sync", "fma", "mfma", ...
llvm::StringRef name(Instruction instruction);

struct Atom {
  /// "mma_sync.m16n8k16.f32.f16": unique over all targets. That of a
  /// cooperative matrix says all there is to know of it:
  /// "cooperative_matrix.m8n16k16.f32.f16.lanes16".
  llvm::StringRef name;
  Instruction instruction;
  Extents shape;
  /// Type of A's elements, and of B's unless `otherOperand` says something
  /// else; and of the sums.
  ElementKind operand;
  ElementKind accumulator;
  /// Names of fragment maps; empty where the fragments are opaque.
  llvm::StringRef mapA, mapB, mapC;
  llvm::StringRef source;
  /// Type of B's elements where it is not A's; as wide.
  std::optional<ElementKind> otherOperand = std::nullopt;
  /// Lanes that execute it where no map says so.
  int64_t opaqueLanes = 0;

  /// Whether only the device knows which lane holds which element.
  bool isOpaque() const {
    return instruction == Instruction::CooperativeMatrix;
  }
  /// Whether a conversion emits it.
  bool isLowered() const { return isOpaque() || !mapA.empty(); }
  ElementKind operandB() const { return otherOperand.value_or(operand); }
  /// Products of the instruction's shape that the atom takes: three where each
  /// operand is a sum of two numbers.
  int64_t products() const { return operand == ElementKind::TF32x3 ? 3 : 1; }
  /// Whether a lane executes it by itself.
  bool isLane() const {
    return instruction == Instruction::Fma && shape == Extents();
  }
  Unit unit() const {
    if (isLane())
      return Unit::Lane;
    return instruction == Instruction::Wgmma ? Unit::WarpGroup : Unit::Warp;
  }
  /// Its extents in a product that units in such a grid compute.
  Extents shapeIn(const WarpGrid &grid) const {
    return isTransposed(unit(), grid) ? transposed(shape) : shape;
  }
  /// Lanes that execute it, of a warp of so many.
  int64_t lanes(int64_t warpSize) const { return isLane() ? 1 : warpSize; }
};

/// Every atom of a table. Cooperative matrices are in none, because their
/// shapes are a device's.
llvm::ArrayRef<Atom> allAtoms();

/// The product of cooperative matrices that `lanes` lanes compute. One object
/// for each, as long as the process lives.
const Atom *cooperativeMatrix(const Extents &shape, ElementKind operand,
                              ElementKind accumulator, int64_t lanes);

/// The atom of that name, or null.
const Atom *findAtom(llvm::StringRef name);

} // namespace kami

#endif // KAMI_TARGET_ATOM_H
