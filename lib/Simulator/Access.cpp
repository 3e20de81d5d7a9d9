//===- Access.cpp ---------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every access is checked for, and what is counted.
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include <cstring>
#include <limits>

using namespace kami::sim;
using namespace mlir;

SharedTraffic *Execution::interval(const Warp &warp) {
  return blockIndex == 0 ? &report.intervals[clocks.passed(warp.index)]
                         : nullptr;
}

/// The lanes that are served together with the first one.
static uint64_t lanesServed(const Access &access, unsigned warpSize,
                            const SimulatorOptions &options) {
  uint64_t lanes = 1;
  if (!access.write && access.bytes == 16 && !options.wideReadLanes.empty()) {
    llvm::SmallVector<unsigned> members = {0};
    for (unsigned step : options.wideReadLanes)
      for (unsigned i = 0, count = members.size(); i != count; ++i) {
        members.push_back(members[i] ^ step);
        lanes |= 1ull << members.back();
      }
    return lanes;
  }
  // As many neighbours as the banks together deliver.
  unsigned count = std::min<unsigned>(
      warpSize, options.banks * options.bankBytes /
                    std::max(access.bytes, options.bankBytes));
  return count == 64 ? ~0ull : (1ull << count) - 1;
}

/// `lanes`, with `lane` in the place of lane 0.
static uint64_t movedTo(unsigned lane, uint64_t lanes) {
  uint64_t moved = 0;
  for (; lanes; lanes &= lanes - 1)
    moved |= 1ull << (llvm::countr_zero(lanes) ^ lane);
  return moved;
}

/// Accesses wider than a bank are served for some lanes at a time. Within such
/// a group, a wavefront delivers one word of each bank, to all who want it.
void Execution::countBanks(const Access &access) {
  uint64_t first = lanesServed(access, width, options);
  uint64_t unserved = width == 64 ? ~0ull : (1ull << width) - 1;
  ++report.sharedAccesses;
  while (unserved) {
    uint64_t group = movedTo(llvm::countr_zero(unserved), first);
    unserved &= ~group;
    uint64_t mask = access.mask & group;
    if (!mask)
      continue;
    for (auto &words : bankWords)
      words.clear();
    int64_t most = 1;
    forLanes(mask, [&](unsigned lane) {
      int64_t begin = access.addresses[lane] / options.bankBytes;
      int64_t end =
          (access.addresses[lane] + access.bytes - 1) / options.bankBytes;
      for (int64_t word = begin; word <= end; ++word) {
        auto &words = bankWords[word % options.banks];
        if (!llvm::is_contained(words, word))
          words.push_back(word);
        most = std::max<int64_t>(most, words.size());
      }
    });
    report.wavefronts += most;
    ++report.idealWavefronts;
    report.maxBankConflict = std::max(report.maxBankConflict, most);
  }
}

LogicalResult Execution::failRace(Warp &warp, unsigned lane,
                                  const Instruction &instruction,
                                  const Buffer &buffer, int64_t address,
                                  bool write, bool otherWrite,
                                  int32_t otherThread,
                                  int32_t otherInstruction) {
  InFlightDiagnostic error = fail(Violation::Race, instruction);
  error << "race: byte " << address << " of "
        << (buffer.name.empty() ? "device memory" : buffer.name) << " is "
        << (write ? "written" : "read") << " by " << place(warp, lane)
        << ", and " << (otherWrite ? "written" : "read") << " by ";
  if (otherThread == ShadowCell::several)
    error << "other lanes";
  else if (otherThread == ShadowCell::earlierBlock)
    error << "another block";
  else
    error << "warp " << otherThread / int(width) << ", lane "
          << otherThread % int(width);
  error << ", with no barrier between";
  if (otherInstruction >= 0)
    error.attachNote(program.instructions[otherInstruction].op->getLoc())
        << "the other access is here";
  return error;
}

/// Until reads of a granule have several times, the cell says all of them.
std::optional<int32_t> Execution::unorderedReader(const ShadowCell &cell,
                                                  const Warp &warp,
                                                  int32_t thread) const {
  auto isOrdered = [&](int reader, ReadMark mark) {
    return clocks.isBefore(reader, mark.time, warp.index) ||
           (reader == warp.index && mark.reader == thread);
  };
  if (cell.readTable < 0) {
    for (uint64_t rest = cell.readers; rest; rest &= rest - 1)
      if (!isOrdered(llvm::countr_zero(rest), {cell.readTime, cell.reader}))
        return cell.reader;
    return std::nullopt;
  }
  for (auto [reader, mark] : llvm::enumerate(readTables[cell.readTable]))
    if (mark.time && !isOrdered(reader, mark))
      return mark.reader;
  return std::nullopt;
}

void Execution::noteRead(ShadowCell &cell, const Warp &warp, int32_t thread) {
  uint32_t now = clocks.now(warp.index);
  uint64_t self = 1ull << warp.index;
  if (cell.readTime < clocks.start()) {
    cell.readers = 0;
    cell.readTable = -1;
  }
  if (cell.readTable < 0) {
    bool isAgain = cell.readers == self && cell.readTime == now;
    // Who is ordered after what is ordered after a read is so after the read.
    bool isLater = !isAgain && !unorderedReader(cell, warp, thread);
    if (cell.readers == 0 || isLater) {
      cell.readers = self;
      cell.readTime = now;
      cell.reader = thread;
      return;
    }
    if (cell.readTime == now) {
      cell.readers |= self;
      if (cell.reader != thread)
        cell.reader = ShadowCell::several;
      return;
    }
    cell.readTable = readTables.size();
    std::vector<ReadMark> &marks = readTables.emplace_back(warps.size());
    for (uint64_t rest = cell.readers; rest; rest &= rest - 1)
      marks[llvm::countr_zero(rest)] = {cell.readTime, cell.reader};
  }
  ReadMark &mark = readTables[cell.readTable][warp.index];
  bool isOther = mark.time == now && mark.reader != thread;
  mark = {now, isOther ? ShadowCell::several : thread};
  cell.readTime = std::max(cell.readTime, now);
}

LogicalResult Execution::touch(Warp &warp, const Instruction &instruction,
                               const Access &access, unsigned lane,
                               bool again) {
  Buffer &buffer = *access.buffer;
  int32_t thread = warp.index * int(width) + int(lane);
  int32_t self = &instruction - program.instructions.data();
  int64_t address = access.addresses[lane];
  int64_t last = (address + access.bytes - 1) >> granuleShift;
  bool shared = buffer.shared;
  int64_t mostReads = 0;
  for (int64_t g = address >> granuleShift; g <= last; ++g) {
    ShadowCell &cell = buffer.shadow[g];
    int64_t byte = std::max(address, g << granuleShift);
    auto race = [&](bool otherWrite, int32_t thread, int32_t other) {
      return failRace(warp, lane, instruction, buffer, byte, access.write,
                      otherWrite, thread, other);
    };
    bool isWritten = cell.writeTime >= clocks.start();
    // A shared byte's past ends with its block.
    if (!shared && cell.writeTime && !isWritten)
      return race(true, ShadowCell::earlierBlock, cell.writeInstruction);
    if (isWritten && cell.writer != thread &&
        !clocks.isBefore(cell.writer / int(width), cell.writeTime, warp.index))
      return race(true, cell.writer, cell.writeInstruction);
    bool readEarlier = cell.readTime && cell.readTime < clocks.start();
    if (access.write) {
      if (!shared && (readEarlier || cell.readEarlier))
        return race(false, ShadowCell::earlierBlock, cell.readInstruction);
      if (cell.readTime && !readEarlier)
        if (std::optional<int32_t> reader = unorderedReader(cell, warp, thread))
          return race(false, *reader, cell.readInstruction);
      cell.writeTime = clocks.now(warp.index);
      cell.writer = thread;
      cell.writeInstruction = self;
      cell.writeClock = fenceClock;
      continue;
    }
    if (shared && !isWritten)
      return fail(Violation::UnwrittenRead, instruction)
             << "read of unwritten shared memory: byte " << byte << " by "
             << place(warp, lane);
    if (readEarlier) {
      cell.readEarlier = true;
      cell.reads = 0;
    }
    noteRead(cell, warp, thread);
    cell.readInstruction = self;
    cell.reads += again ? 0 : 1;
    mostReads = std::max<int64_t>(mostReads, cell.reads);
  }
  if (!shared && !access.write && buffer.traffic >= 0) {
    int64_t &most = report.buffers[buffer.traffic].maxReadsPerByte;
    most = std::max(most, mostReads);
  }
  return success();
}

/// The lanes whose address no lane before them has. Addresses that grow with
/// the lanes, as most do, need no search.
static uint64_t distinctLanes(const Access &access) {
  uint64_t distinct = 0, seen = 0;
  int64_t largest = std::numeric_limits<int64_t>::min();
  forLanes(access.mask, [&](unsigned lane) {
    int64_t address = access.addresses[lane];
    bool isNew = address > largest;
    if (!isNew) {
      isNew = true;
      forLanes(seen, [&](unsigned earlier) {
        isNew &= access.addresses[earlier] != address;
      });
    }
    largest = std::max(largest, address);
    seen |= 1ull << lane;
    if (isNew)
      distinct |= 1ull << lane;
  });
  return distinct;
}

LogicalResult Execution::access(Warp &warp, const Instruction &instruction,
                                const Access &access) {
  Buffer &buffer = *access.buffer;
  int64_t size = buffer.size();
  uint64_t counted = access.write ? access.mask : distinctLanes(access);
  for (uint64_t mask = access.mask; mask; mask &= mask - 1) {
    unsigned lane = llvm::countr_zero(mask);
    int64_t address = access.addresses[lane];
    if (address < 0 || address + access.bytes > size)
      return fail(Violation::OutOfBounds, instruction)
             << "out-of-bounds access: bytes " << address << " to "
             << address + access.bytes - 1 << " of "
             << (buffer.name.empty() ? "an allocation" : buffer.name) << " of "
             << size << " bytes by " << place(warp, lane);
    if (address % access.alignment != 0)
      return fail(Violation::Unaligned, instruction)
             << "unaligned access: address " << address
             << " is not a multiple of " << access.alignment << " by "
             << place(warp, lane);
    if (failed(touch(warp, instruction, access, lane,
                     /*again=*/!(counted >> lane & 1))))
      return failure();
  }
  int64_t bytes = int64_t(llvm::popcount(counted)) * access.bytes;
  if (buffer.shared) {
    (access.write ? report.shared.written : report.shared.read) += bytes;
    if (SharedTraffic *traffic = interval(warp))
      (access.write ? traffic->written : traffic->read) += bytes;
    countBanks(access);
  } else if (buffer.traffic >= 0) {
    BufferTraffic &traffic = report.buffers[buffer.traffic];
    (access.write ? traffic.bytesWritten : traffic.bytesRead) += bytes;
  }
  return success();
}

LogicalResult Execution::arrive(Warp &warp, const PendingCopy &copy) {
  const Access &access = copy.access;
  for (uint64_t mask = access.mask; mask; mask &= mask - 1) {
    unsigned lane = llvm::countr_zero(mask);
    if (failed(touch(warp, *copy.instruction, access, lane, /*again=*/false)))
      return failure();
  }
  forLanes(access.mask, [&](unsigned lane) {
    std::memcpy(access.buffer->bytes.data() + access.addresses[lane],
                copy.data.data() + size_t(lane) * access.bytes, access.bytes);
  });
  return success();
}
