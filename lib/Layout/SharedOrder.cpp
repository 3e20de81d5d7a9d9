//===- SharedOrder.cpp ----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Layout/SharedOrder.h"
#include <algorithm>

using namespace kami;

SharedOrder::SharedOrder(const FragmentMap &map)
    : wordBytes(std::min(map.bytesPerLane(), maxSharedWordBytes)),
      valuesPerWord(wordBytes / map.elementBytes),
      wordsPerLane(map.valuesPerLane() / valuesPerWord),
      lanes(map.lanes() / map.replicas()), replicaMask(map.replicaMask()) {}

unsigned SharedOrder::writer(unsigned lane) const {
  unsigned number = 0;
  for (unsigned bit = 0, position = 0; lane >> bit; ++bit) {
    if (replicaMask >> bit & 1)
      continue;
    number |= (lane >> bit & 1) << position++;
  }
  return number;
}
