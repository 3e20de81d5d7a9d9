//===- Chip.h - Device facts ----------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a device is made of, by the name under which a compiler targets it.
// Facts only, each with its source; what to do with them is a planner's
// business. CUDA's words are used for all vendors: a warp is a wave or a
// subgroup, a multiprocessor a compute unit or an Xe core.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_TARGET_CHIP_H
#define KAMI_TARGET_CHIP_H

#include "kami/Target/Atom.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <array>

namespace kami {

/// How a figure became known.
enum class Provenance {
  /// Printed by the vendor, or in a paper that is cited.
  Documented,
  /// Read off a device.
  Measured,
  /// Neither; an estimate that the source explains.
  Assumed,
};

/// "documented", "measured", "assumed".
llvm::StringRef name(Provenance provenance);

/// Where some of a chip's figures come from.
struct Citation {
  /// The members it covers, as a reader would say them.
  llvm::StringRef figures;
  Provenance provenance;
  llvm::StringRef source;
};

/// How fast a chip executes an atom.
struct AtomRate {
  /// Name of the atom.
  llvm::StringRef atom;
  /// Arithmetic operations (a multiplication and an addition are two) per cycle
  /// of one tensor core, as documented: the paper's O_tc. For `fma`, of the
  /// lanes beside one tensor core.
  double opsPerCycle;
  /// The part of `opsPerCycle` that a loop of nothing but this atom reaches.
  double reached;
  /// How `reached` is known.
  Provenance provenance;
  llvm::StringRef source;
};

/// An atom that a chip has.
struct RatedAtom {
  const Atom *atom;
  const AtomRate *rate;
};

/// How a chip takes kernels in SPIR-V.
enum class SpirvFlavor {
  /// Not at all.
  None,
  /// As shaders of Vulkan: logical addressing, buffers as descriptors.
  Vulkan,
  /// As kernels of OpenCL or Level Zero: physical addresses as arguments.
  Kernel,
};

struct Chip {
  /// "sm_90"; what a command line and `#kami.target` say.
  llvm::StringRef name;
  /// The product whose figures stand here.
  llvm::StringRef product;
  llvm::StringRef vendor;
  /// The family of matrix instructions that kami emits for it, a warp each.
  Instruction instruction;

  /// Lanes of a warp.
  int64_t warpSize;
  int64_t multiprocessors;
  /// Tensor cores of one multiprocessor: the paper's n_tc.
  int64_t tensorCores;
  double boostMHz;

  /// 32-bit registers of one multiprocessor, the most that a thread may have,
  /// and the step in which a thread's share grows.
  int64_t registers;
  int64_t maxRegistersPerThread;
  int64_t registerGranularity;

  int64_t maxThreadsPerBlock;
  int64_t maxThreadsPerMultiprocessor;
  int64_t maxBlocksPerMultiprocessor;

  /// Bytes of shared memory: the most that a block may ask for (by opting in,
  /// where the vendor wants that), all of a multiprocessor's, and what the
  /// system takes for each block.
  int64_t sharedPerBlock;
  int64_t sharedPerMultiprocessor;
  int64_t sharedReservedPerBlock;
  int64_t sharedBanks;
  int64_t sharedBankBytes;
  /// The lanes that are served together when each reads 16 bytes: 0, and every
  /// exclusive or of these; for another lane, the exclusive or of it with them.
  /// Empty: as many neighbours as the banks have bytes for.
  llvm::ArrayRef<unsigned> wideReadLanes;
  /// The paper's L_sm in cycles and B_sm in bytes per cycle, without conflicts.
  double sharedLatency;
  double sharedBandwidth;

  int64_t l2Bytes;
  /// Device memory: 10^9 bytes per second, and cycles of an idle load.
  double memoryBandwidth;
  double memoryLatency;
  /// What an empty kernel costs, in microseconds.
  double launchMicroseconds;

  /// Barriers of a block, beside that of all its warps, which some of them can
  /// wait at.
  int64_t namedBarriers = 0;
  /// The lowest version of PTX that knows the chip, 78 for 7.8; 0 for chips
  /// that take none.
  int64_t ptxVersion = 0;
  /// Registers that the chip's compiler takes for addresses where strides are
  /// known only at run time and operands pass through registers.
  int64_t strideRegisters = 0;
  /// Whether an instruction extends floats of 8 bits to f16.
  bool extendsFloat8 = false;
  /// Whether a warp stores 8×8 matrices to shared memory by one instruction.
  bool storesMatrices = false;
  /// Whether an instruction makes the nearest tf32 number of an f32, ties to
  /// even.
  bool roundsToTF32 = false;
  /// Whether threads copy from device memory to shared memory without
  /// registers, and go on meanwhile.
  bool copiesAsync = false;
  /// Whether an engine copies boxes of a matrix to where the matrix unit reads
  /// them, by maps that kernels make.
  bool copiesBulk = false;
  /// Whether a block knows which launch it belongs to, so that those of one
  /// have counters of their own.
  bool numbersLaunches = false;
  SpirvFlavor spirv = SpirvFlavor::None;
  /// Of devices that take SPIR-V: whether a warp's lanes execute in lockstep,
  /// and a barrier among them would hold up the whole block.
  bool lockstepWarps = false;
  /// The most blocks of a launch, along x.
  int64_t maxBlocks = (int64_t(1) << 31) - 1;

  llvm::ArrayRef<AtomRate> atoms;
  llvm::ArrayRef<Citation> citations;
  /// Atoms that several warps execute in unison, of a family of their own. They
  /// need operands in shared memory, so that who plans for warps (`atomsFor`)
  /// does not see them.
  llvm::ArrayRef<AtomRate> groupAtoms = {};
  /// Atoms that a lane executes by itself, with operands in shared memory; for
  /// several small products in a block.
  llvm::ArrayRef<AtomRate> laneAtoms = {};

  /// The atoms that multiply A's elements with B's into `accumulator`, fastest
  /// first; empty where the chip has none.
  llvm::SmallVector<RatedAtom, 4> atomsFor(ElementKind a, ElementKind b,
                                           ElementKind accumulator) const;
  llvm::SmallVector<RatedAtom, 4> atomsFor(ElementKind operand,
                                           ElementKind accumulator) const {
    return atomsFor(operand, operand, accumulator);
  }
  /// The same of `groupAtoms`.
  llvm::SmallVector<RatedAtom, 4> groupAtomsFor(ElementKind a, ElementKind b,
                                                ElementKind accumulator) const;
  /// The same of `laneAtoms`.
  llvm::SmallVector<RatedAtom, 4> laneAtomsFor(ElementKind a, ElementKind b,
                                               ElementKind accumulator) const;
  /// All lists of atoms.
  std::array<llvm::ArrayRef<AtomRate>, 3> atomLists() const {
    return {atoms, groupAtoms, laneAtoms};
  }
  /// The rate of that atom, or null where the chip does not have it.
  const AtomRate *findRate(const Atom &atom) const;
  /// The 32-bit registers that there are for each of `threads` threads of a
  /// multiprocessor. Warps are dealt to as many partitions as there are matrix
  /// units, each with registers of its own (ptxas 13.0 gives each of 288
  /// threads 168, as of 384).
  int64_t registersEach(int64_t threads) const;
  /// The most of them that a thread can have of a block of so many; zero where
  /// a block cannot have so many threads.
  int64_t maxRegisters(int64_t threads) const;
};

/// Every chip, vendor by vendor.
llvm::ArrayRef<Chip> allChips();

/// The chip of that name, or of a product's nickname ("gh200", "7900xtx"), or
/// a described device ("vulkan:FILE", see VulkanDevice.h). The error lists the
/// names: "unknown target 'sm_42', expected one of: sm_80,
/// ...".
llvm::Expected<const Chip *> findChip(llvm::StringRef name);

/// The types that `operand` accumulates in when nothing else is said: f32 for
/// the floating-point types below it, i32 for i8, else the type itself.
ElementKind defaultAccumulator(ElementKind operand);

} // namespace kami

#endif // KAMI_TARGET_CHIP_H
