//===- WarpClocks.cpp -----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpClocks.h"
#include "llvm/ADT/STLExtras.h"

using namespace kami::sim;

void WarpClocks::startBlock(size_t warps) {
  uint32_t last = first;
  for (uint32_t time : times)
    last = std::max(last, time);
  first = last + 1;
  times.assign(warps, first);
  alone.assign(warps, 0);
  known.assign(warps * warps, first - 1);
}

uint32_t WarpClocks::mostPassed() const {
  uint32_t most = 0;
  for (size_t warp = 0; warp != times.size(); ++warp)
    most = std::max(most, passed(warp));
  return most;
}

void WarpClocks::meet(llvm::ArrayRef<int> warps) {
  size_t count = times.size();
  std::vector<uint32_t> together(count, 0);
  for (int warp : warps)
    for (size_t other = 0; other != count; ++other)
      together[other] =
          std::max(together[other], known[size_t(warp) * count + other]);
  for (int warp : warps)
    together[warp] = times[warp]++;
  for (int warp : warps)
    llvm::copy(together, known.begin() + size_t(warp) * count);
}

void WarpClocks::meetAlone(int warp) {
  meet(warp);
  ++alone[warp];
}

void WarpClocks::release(int warp, std::vector<uint32_t> &word) {
  meetAlone(warp);
  word.resize(times.size(), 0);
  for (size_t other = 0; other != times.size(); ++other)
    word[other] =
        std::max(word[other], known[size_t(warp) * times.size() + other]);
}

void WarpClocks::acquire(int warp, llvm::ArrayRef<uint32_t> word) {
  for (auto [other, time] : llvm::enumerate(word)) {
    uint32_t &heard = known[size_t(warp) * times.size() + other];
    heard = std::max(heard, time);
  }
}
