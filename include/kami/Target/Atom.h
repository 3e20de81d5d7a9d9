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
  /// AMD CDNA mfma, a wave of 64.
  Mfma,
  /// AMD RDNA wmma, a wave of 32.
  Wmma,
  /// SPIR-V cooperative matrices, whose fragments are opaque.
  CooperativeMatrix,
};

/// The spelling in IR: "mma_sync", "mfma", "wmma", "cooperative_matrix".
llvm::StringRef name(Instruction instruction);

struct Atom {
  /// "mma_sync.m16n8k16.f32.f16": unique over all targets.
  llvm::StringRef name;
  Instruction instruction;
  Extents shape;
  /// Type of A's and B's elements, and of the sums.
  ElementKind operand;
  ElementKind accumulator;
  /// Names of fragment maps; empty where the fragments are opaque.
  llvm::StringRef mapA, mapB, mapC;
  llvm::StringRef source;
};

llvm::ArrayRef<Atom> allAtoms();

/// The atom of that name, or null.
const Atom *findAtom(llvm::StringRef name);

} // namespace kami

#endif // KAMI_TARGET_ATOM_H
