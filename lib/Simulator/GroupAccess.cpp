//===- GroupAccess.cpp ----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is checked of instructions that four warps execute in unison, and of
// what their matrix units read from shared memory.
//
// The warps of a group run one after the other here, as all warps do. That is
// no difference as long as what they read does not change between them, which
// is a race, and as long as each executes the same instructions with the same
// windows, which is compared with what the first of them did.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include "llvm/ADT/STLExtras.h"

using namespace kami;
using namespace kami::sim;
using namespace mlir;

void Execution::fenceProxy(Warp &warp) {
  proxyFences[warp.index].push_back({++fenceClock, clocks.now(warp.index)});
}

LogicalResult Execution::touchByUnit(Warp &warp, const Instruction &instruction,
                                     const Buffer &buffer, ShadowCell &cell,
                                     int64_t byte) {
  if (cell.writeTime < clocks.start())
    return fail(Violation::UnwrittenRead, instruction)
           << "read of unwritten shared memory: byte " << byte
           << " by the matrix unit for warp " << warp.index << ", block "
           << blockIndex;
  // Other warps' units read the same, so that even the own store needs a
  // barrier.
  int writer = cell.writer / int(width);
  if (!clocks.isBefore(writer, cell.writeTime, warp.index))
    return failRace(warp, 0, instruction, buffer, byte, /*write=*/false,
                    /*otherWrite=*/true, cell.writer, cell.writeInstruction);
  const std::vector<ProxyFence> &fences = proxyFences[writer];
  auto fence = llvm::find_if(fences, [&](const ProxyFence &fence) {
    return fence.clock > cell.writeClock;
  });
  if (fence == fences.end() ||
      !clocks.isBefore(writer, fence->time, warp.index)) {
    InFlightDiagnostic error = fail(Violation::MissingFence, instruction);
    error << "missing fence: byte " << byte
          << " of shared memory is read by the matrix unit for warp "
          << warp.index << ", and warp " << writer << ", lane "
          << cell.writer % int(width)
          << " executes no proxy fence between writing it and the barrier";
    error.attachNote(program.instructions[cell.writeInstruction].op->getLoc())
        << "it is written here";
    return error;
  }
  noteRead(cell, warp, ShadowCell::several);
  cell.readInstruction = &instruction - program.instructions.data();
  return success();
}

LogicalResult Execution::groupRead(Warp &warp, const Instruction &instruction,
                                   const GroupOperand &operand,
                                   unsigned bytes) {
  Buffer &buffer = *operand.buffer;
  for (int64_t address : operand.addresses) {
    if (address < 0 || address + bytes > buffer.size())
      return fail(Violation::OutOfBounds, instruction)
             << "out-of-bounds access: bytes " << address << " to "
             << address + bytes - 1 << " of shared memory of " << buffer.size()
             << " bytes by the matrix unit for warp " << warp.index
             << ", block " << blockIndex;
    int64_t last = (address + bytes - 1) >> granuleShift;
    for (int64_t g = address >> granuleShift; g <= last; ++g)
      if (failed(touchByUnit(warp, instruction, buffer, buffer.shadow[g],
                             std::max(address, g << granuleShift))))
        return failure();
  }
  return success();
}

void Execution::countMatrixRead(const Warp &warp, int64_t bytes) {
  report.shared.matrixRead += bytes;
  if (SharedTraffic *traffic = interval(warp))
    traffic->matrixRead += bytes;
}

static bool isSame(const GroupIssue &a, const GroupIssue &b) {
  return a.instruction == b.instruction && llvm::equal(a.buffers, b.buffers) &&
         llvm::equal(a.starts, b.starts) && a.accumulates == b.accumulates;
}

LogicalResult Execution::issue(Warp &warp, const GroupIssue &issue) {
  size_t group = warp.index / warpsPerGroup;
  if (group >= groupIssues.size())
    return fail(Violation::DivergentGroup, *issue.instruction)
           << "expected " << warpsPerGroup << " warps from warp "
           << group * warpsPerGroup << " on, but the block has " << warps.size()
           << " warps";
  std::vector<GroupIssue> &issues = groupIssues[group];
  unsigned index = warp.issued++;
  if (index == issues.size()) {
    issues.push_back(issue);
    return success();
  }
  const GroupIssue &other = issues[index];
  if (isSame(issue, other))
    return success();
  InFlightDiagnostic error =
      fail(Violation::DivergentGroup, *issue.instruction);
  error << "divergent group: warp " << warp.index << " executes ";
  if (issue.instruction != other.instruction) {
    error << "it where another warp of its group executes something else";
    error.attachNote(other.instruction->op->getLoc())
        << "the other instruction is here";
    return error;
  }
  if (issue.accumulates != other.accumulates)
    return error << "it with another choice of whether C counts than another "
                    "warp of its group";
  return error << "it with other windows (bytes " << issue.starts[0] << " and "
               << issue.starts[1] << ") than another warp of its group (bytes "
               << other.starts[0] << " and " << other.starts[1] << ")";
}

/// At a barrier, or at the end: nobody waits for the others of the group. Where
/// its warps stop at different places, they are still to meet.
LogicalResult Execution::checkGroups() {
  for (auto [group, issues] : llvm::enumerate(groupIssues)) {
    auto members =
        MutableArrayRef(warps).slice(group * warpsPerGroup, warpsPerGroup);
    if (!llvm::all_of(members, [&](const Warp &warp) {
          return warp.pc == members.front().pc && warp.state != Warp::Blocked;
        }))
      continue;
    for (Warp &warp : members) {
      if (warp.issued < issues.size())
        return fail(Violation::DivergentGroup, *issues[warp.issued].instruction)
               << "divergent group: warp " << warp.index
               << " does not execute what other warps of its group do";
      warp.issued = 0;
    }
    issues.clear();
  }
  return success();
}
