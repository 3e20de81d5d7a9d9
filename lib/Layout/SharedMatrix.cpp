//===- SharedMatrix.cpp ---------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Layout/SharedMatrix.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <utility>

using namespace kami;
using llvm::alignTo;

/// Core matrices have 8 lines of 16 bytes.
static constexpr int64_t coreLines = 8;
static constexpr int64_t chunkBytes = 16;

// PTX ISA 9.0, wgmma.mma_async, table of shapes.
int64_t kami::widestGroupColumns(int64_t columns, bool isInteger) {
  int64_t widest = std::min(columns, maxGroupColumns);
  return isInteger && widest > 32 ? widest & ~int64_t(15) : widest;
}

//===----------------------------------------------------------------------===//
// GroupDescriptor
//===----------------------------------------------------------------------===//

uint64_t GroupDescriptor::encode() const {
  // Addresses and offsets without their 4 low bits, 14 bits each.
  auto field = [](int64_t bytes) { return uint64_t(bytes >> 4) & 0x3FFF; };
  uint64_t mode = swizzleBytes == 128  ? 1
                  : swizzleBytes == 64 ? 2
                  : swizzleBytes == 32 ? 3
                                       : 0;
  return field(start) | field(leadingBytes) << 16 | field(strideBytes) << 32 |
         mode << 62;
}

int64_t GroupDescriptor::address(Major major, unsigned elementBytes,
                                 int64_t outer, int64_t k) const {
  int64_t perChunk = chunkBytes / elementBytes;
  int64_t along = major == Major::K ? k : outer;
  int64_t line = major == Major::K ? outer : k;
  int64_t chunk = along / perChunk;
  int64_t group = line / coreLines;
  int64_t at =
      start + line % coreLines * swizzleBytes + along % perChunk * elementBytes;
  if (major == Major::K) {
    // K-major: ((8, n), 2) : ((row, SBO), 1), and LBO for the second chunk
    // where rows have one.
    at += group * strideBytes +
          chunk * (swizzleBytes == chunkBytes ? leadingBytes : chunkBytes);
  } else if (swizzleBytes == chunkBytes) {
    // MN-major without swizzle: ((1, n), (8, k)) : ((-, SBO), (1, LBO))
    at += chunk * strideBytes + group * leadingBytes;
  } else {
    // MN-major: ((row, n), (8, k)) : ((1, LBO), (row, SBO))
    int64_t perRow = swizzleBytes / chunkBytes;
    at += chunk / perRow * leadingBytes + chunk % perRow * chunkBytes +
          group * strideBytes;
  }
  // The permutation is of address bits: 4 to 6 by 7 to 9, as far as a row goes.
  return at ^ (at >> 3 & (swizzleBytes - chunkBytes));
}

//===----------------------------------------------------------------------===//
// SharedMatrix
//===----------------------------------------------------------------------===//

SharedMatrix SharedMatrix::fitting(int64_t outer, int64_t k,
                                   unsigned elementBytes, Major major) {
  SharedMatrix matrix;
  matrix.elementBytes = elementBytes;
  matrix.major = major;
  matrix.outer = alignTo(outer, coreLines);
  matrix.k = alignTo(k, groupInstructionBytesK / elementBytes);
  int64_t bytes = matrix.majorExtent() * elementBytes;
  matrix.swizzleBytes = bytes >= 128  ? 128
                        : bytes >= 64 ? 64
                        : bytes >= 32 ? 32
                                      : 16;
  int64_t &padded = major == Major::K ? matrix.k : matrix.outer;
  padded = alignTo(padded, matrix.rowElements());
  return matrix;
}

bool SharedMatrix::isValid() const {
  bool isRow = swizzleBytes == 16 || swizzleBytes == 32 || swizzleBytes == 64 ||
               swizzleBytes == 128;
  bool isElement =
      elementBytes == 2 ||
      (major == Major::K && (elementBytes == 1 || elementBytes == 4));
  return isRow && isElement && outer > 0 && k > 0 && outer % coreLines == 0 &&
         k % (groupInstructionBytesK / elementBytes) == 0 &&
         majorExtent() % rowElements() == 0;
}

int64_t kami::chunkSwizzle(int64_t swizzleBytes, int64_t line) {
  switch (swizzleBytes) {
  case 128:
    return line % 8;
  case 64:
    return line / 2 % 4;
  case 32:
    return line / 4 % 2;
  case 16:
    return 0;
  }
  llvm_unreachable("not the width of a swizzle row");
}

int64_t SharedMatrix::byteOffset(int64_t outerIndex, int64_t kIndex) const {
  int64_t line = major == Major::K ? outerIndex : kIndex;
  int64_t along = (major == Major::K ? kIndex : outerIndex) * elementBytes;
  int64_t chunk = along % swizzleBytes / chunkBytes;
  return along / swizzleBytes * blockBytes() + line * swizzleBytes +
         (chunk ^ chunkSwizzle(swizzleBytes, line)) * chunkBytes +
         along % chunkBytes;
}

GroupDescriptor SharedMatrix::descriptor(int64_t base, int64_t outerIndex,
                                         int64_t kIndex) const {
  GroupDescriptor descriptor;
  descriptor.swizzleBytes = swizzleBytes;
  // Without its permutation: the unit applies that itself.
  int64_t line = major == Major::K ? outerIndex : kIndex;
  int64_t along = (major == Major::K ? kIndex : outerIndex) * elementBytes;
  descriptor.start = base + along / swizzleBytes * blockBytes() +
                     line * swizzleBytes + along % swizzleBytes;
  descriptor.strideBytes = coreLines * swizzleBytes;
  descriptor.leadingBytes = blockBytes();
  if (major == Major::K && swizzleBytes != chunkBytes)
    // Not used: an instruction's k lies within one row.
    descriptor.leadingBytes = chunkBytes;
  else if (major == Major::MN && swizzleBytes == chunkBytes)
    std::swap(descriptor.strideBytes, descriptor.leadingBytes);
  return descriptor;
}

bool kami::unitReadsCopies(const Partition &partition, int64_t bytesA,
                           int64_t bytesB) {
  constexpr int64_t tf32 = 4, rowsOfWarp = 16;
  bool hasRows =
      readsEitherOrder(bytesA) ? partition.warpM == rowsOfWarp : bytesA == tf32;
  return bytesA == bytesB && hasRows && partition.warpN <= maxGroupColumns;
}

SharedMatrix kami::residentA(const Partition &partition,
                             unsigned elementBytes) {
  return SharedMatrix::fitting(partition.paddedM(), partition.paddedK(),
                               elementBytes, Major::K);
}

SharedMatrix kami::residentB(const Partition &partition,
                             unsigned elementBytes) {
  return SharedMatrix::fitting(partition.warpN, partition.paddedK(),
                               elementBytes, Major::K);
}
