//===- Execution.h - A launch in progress ---------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of a launch: warps with their registers, memory with its shadow,
// and the checks that every access passes.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_SIMULATOR_EXECUTION_H
#define KAMI_LIB_SIMULATOR_EXECUTION_H

#include "Program.h"
#include "WarpClocks.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/bit.h"
#include <deque>
#include <map>
#include <optional>
#include <random>

namespace kami::sim {

constexpr unsigned maxLanes = 64;

/// Masks at an `scf.if`.
struct MaskFrame {
  uint64_t saved;
  uint64_t otherwise;
};

/// An access of one warp: `bytes` at an address for each lane of the mask. What
/// several lanes read at one address is fetched once, and counted once.
struct Access {
  Buffer *buffer;
  uint64_t mask;
  unsigned bytes;
  unsigned alignment;
  bool write;
  int64_t addresses[maxLanes];
};

/// What lanes have started to copy to shared memory: until it is waited for,
/// nobody may see it.
struct PendingCopy {
  const Instruction *instruction;
  Access access;
  /// The bytes of each lane of the mask, one after the other.
  std::vector<uint8_t> data;
};

/// A place in shared memory.
using SharedPlace = std::pair<const Buffer *, int64_t>;

/// What the copy engine knows of a matrix.
struct TensorMap {
  MemRef source;
  SharedMatrixAttr matrix;
  bool rounded = false;
  /// Whether the engine sees it.
  bool isAcquired = false;
};

/// How many copies a phase takes, how many have started, its parity, and what
/// they bring.
struct MBarrier {
  int64_t arrivals;
  int64_t arrived = 0;
  int64_t parity = 0;
  std::vector<PendingCopy> copies = {};
  /// What those know who have arrived.
  std::vector<uint32_t> known = {};
};

struct Warp {
  /// Blocked: at an mbarrier, to be asked again.
  enum State { Ready, Waiting, Blocked, Done };

  int index = 0;
  /// Lanes that exist, and those that are active.
  uint64_t full = 0;
  uint64_t mask = 0;
  int pc = 0;
  State state = Ready;
  /// While it waits: the barrier's number, and the warps that meet there.
  int64_t barrier = 0;
  int64_t barrierWarps = 0;
  /// While it is blocked: the mbarrier, which is one for as long.
  const MBarrier *mbarrier = nullptr;
  /// Instructions of its group that it has executed since the last barrier.
  unsigned issued = 0;
  llvm::SmallVector<MaskFrame> masks;
  std::vector<uint64_t> registers;
  std::vector<MemRef> memrefs;
  /// Copies that are in no group yet, and groups that nobody has waited for.
  std::vector<PendingCopy> openCopies;
  std::deque<std::vector<PendingCopy>> copyGroups;
};

/// Lanes of a mask, in order.
template <typename F> static inline void forLanes(uint64_t mask, F f) {
  for (; mask; mask &= mask - 1)
    f(unsigned(llvm::countr_zero(mask)));
}

/// A window of a matrix in shared memory, as the matrix unit reads it: the
/// addresses of its elements.
struct GroupOperand {
  Buffer *buffer = nullptr;
  llvm::ArrayRef<int64_t> addresses;
};

/// An instruction that a group executes in unison, as far as its warps have to
/// agree: the op, where the operands in shared memory begin, and whether it
/// adds to C.
struct GroupIssue {
  const Instruction *instruction;
  const Buffer *buffers[2];
  int64_t starts[2];
  bool accumulates = true;
};

class Execution {
public:
  Execution(const Program &program, Dim3 grid, Dim3 block,
            const SimulatorOptions &options, SimulatorReport &report);

  mlir::LogicalResult launch(llvm::ArrayRef<Argument> arguments,
                             int64_t dynamicSharedBytes);

  uint64_t *lanes(Warp &warp, Slot slot, int element = 0) const {
    return warp.registers.data() + size_t(slot.index + element) * width;
  }
  int64_t numWarps() const { return warps.size(); }
  /// The value that all active lanes agree on.
  mlir::LogicalResult uniform(Warp &warp, const Instruction &instruction,
                              Slot slot, int64_t &value);

  /// Checks an access and counts it. The caller moves the data.
  mlir::LogicalResult access(Warp &warp, const Instruction &instruction,
                             const Access &access);
  /// What a copy brings is written, and counts as written now.
  mlir::LogicalResult arrive(Warp &warp, const PendingCopy &copy);
  /// The same for what the matrix unit reads: what was written there is fenced
  /// and behind a barrier.
  mlir::LogicalResult groupRead(Warp &warp, const Instruction &instruction,
                                const GroupOperand &operand, unsigned bytes);
  /// What the warp has written is fenced for the matrix unit.
  void fenceProxy(Warp &warp);
  /// The warp executes an instruction of its group.
  mlir::LogicalResult issue(Warp &warp, const GroupIssue &issue);
  /// Counts bytes that a group's matrix units read for a warp.
  void countMatrixRead(const Warp &warp, int64_t bytes);
  /// The warp waits for so many warps, itself included, at a barrier.
  mlir::LogicalResult wait(Warp &warp, const Instruction &instruction,
                           int64_t barrier, int64_t warps);
  /// The warp's lanes pass a barrier of their own.
  void meetLanes(const Warp &warp) { clocks.meetAlone(warp.index); }
  /// The warp arrives at an mbarrier, and has waited for one.
  void release(const Warp &warp, MBarrier &barrier) {
    clocks.release(warp.index, barrier.known);
  }
  void acquire(const Warp &warp, const MBarrier &barrier) {
    clocks.acquire(warp.index, barrier.known);
  }
  /// The warp executes its instruction again when others have gone on.
  void suspend(Warp &warp, const MBarrier &barrier) {
    --warp.pc;
    warp.state = Warp::Blocked;
    warp.mbarrier = &barrier;
  }
  /// Ops that a whole warp executes.
  mlir::LogicalResult requireConverged(Warp &warp,
                                       const Instruction &instruction);

  /// Starts an error at the instruction's op, and records why the launch fails.
  mlir::InFlightDiagnostic fail(Violation violation,
                                const Instruction &instruction);
  /// "warp 1, lane 3, block 0".
  std::string place(const Warp &warp, unsigned lane) const;

  const Program &program;
  const Dim3 grid;
  const Dim3 block;
  const SimulatorOptions &options;
  SimulatorReport &report;
  /// Lanes in a warp.
  const unsigned width;
  Dim3 blockId;
  int64_t blockIndex = 0;
  /// The one that `gpu.dynamic_shared_memory` returns.
  Buffer *dynamicShared = nullptr;
  /// Matrix instructions executed, by row of the program's table.
  std::vector<int64_t> matrixCounts;
  /// What the copy engine is told in this block.
  std::map<SharedPlace, TensorMap> tensorMaps;
  std::map<SharedPlace, MBarrier> barriers;
  /// Tickets that this block has taken, by the words that it keeps of them.
  std::map<SharedPlace, int64_t> tickets;
  /// Room for handlers, kept to save allocations.
  std::vector<uint64_t> scratch;
  std::vector<double> scratchA, scratchB, scratchC;

private:
  mlir::LogicalResult bindArguments(llvm::ArrayRef<Argument> arguments);
  void makeWarps(llvm::ArrayRef<Argument> arguments);
  mlir::LogicalResult runBlock();
  mlir::LogicalResult runWarp(Warp &warp, bool &isMoving);
  mlir::LogicalResult passBarriers(bool isMoving, bool &finished);
  mlir::LogicalResult passBarrier(const Warp &first);
  mlir::LogicalResult failStuck(const Warp &waiting);
  void orderWarps();

  /// `again`: another lane reads the same in this access.
  mlir::LogicalResult touch(Warp &warp, const Instruction &instruction,
                            const Access &access, unsigned lane, bool again);
  mlir::LogicalResult failRace(Warp &warp, unsigned lane,
                               const Instruction &instruction,
                               const Buffer &buffer, int64_t address,
                               bool write, bool otherWrite, int32_t otherThread,
                               int32_t otherInstruction);
  mlir::LogicalResult touchByUnit(Warp &warp, const Instruction &instruction,
                                  const Buffer &buffer, ShadowCell &cell,
                                  int64_t byte);
  /// One of those who read the granule, and not before what the thread does
  /// now; nothing if there is none.
  std::optional<int32_t> unorderedReader(const ShadowCell &cell,
                                         const Warp &warp,
                                         int32_t thread) const;
  void noteRead(ShadowCell &cell, const Warp &warp, int32_t thread);
  mlir::LogicalResult checkGroups();
  void countBanks(const Access &access);
  SharedTraffic *interval(const Warp &warp);

  Memory sharedMemory;
  std::vector<Warp> warps;
  llvm::SmallVector<int> order;
  std::mt19937_64 random;
  /// See ShadowCell.
  WarpClocks clocks;
  struct ReadMark {
    uint32_t time = 0;
    int32_t reader = 0;
  };
  std::vector<std::vector<ReadMark>> readTables;
  unsigned granuleShift = 0;
  /// Of each warp, its proxy fences in this block: their number among all
  /// warps' and their time. Of each group, what it has executed since the last
  /// barrier.
  struct ProxyFence {
    uint32_t clock, time;
  };
  std::vector<std::vector<ProxyFence>> proxyFences;
  std::vector<std::vector<GroupIssue>> groupIssues;
  uint32_t fenceClock = 0;
  /// Words that each bank serves in the wavefront at hand.
  std::vector<std::vector<int64_t>> bankWords;
};

} // namespace kami::sim

#endif // KAMI_LIB_SIMULATOR_EXECUTION_H
