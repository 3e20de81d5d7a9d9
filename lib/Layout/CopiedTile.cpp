//===- CopiedTile.cpp -----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Layout/CopiedTile.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>

using namespace kami;

/// Bytes of a line that a warp reads at once.
static int64_t pieceBytes(Major major, int64_t elementBytes) {
  return isReadByLanes(elementBytes, major) ? 32 : 16;
}

CopiedTile kami::copiedTile(int64_t extent, int64_t depth, Major major,
                            int64_t elementBytes) {
  CopiedTile tile;
  tile.lines = major == Major::K ? extent : depth;
  tile.lineElements = major == Major::K ? depth : extent;
  int64_t piece = pieceBytes(major, elementBytes);
  int64_t pieces = llvm::divideCeil(tile.lineElements * elementBytes, piece);
  tile.pitch = (pieces | 1) * piece / elementBytes;
  return tile;
}

CopiedTile kami::skewedTile(int64_t extent, int64_t depth, Major major,
                            int64_t elementBytes) {
  int64_t more = copiedPiece / elementBytes;
  return major == Major::K
             ? copiedTile(extent, depth + more, major, elementBytes)
             : copiedTile(extent + more, depth, major, elementBytes);
}

int64_t kami::copiedBytes(int64_t extent, int64_t depth, int64_t elementBytes,
                          bool maySkew) {
  auto elements = [&](Major major) {
    bool hasRoom = maySkew && isReadByLanes(elementBytes, major);
    return (hasRoom ? skewedTile(extent, depth, major, elementBytes)
                    : copiedTile(extent, depth, major, elementBytes))
        .elements();
  };
  return elementBytes * std::max(elements(Major::K), elements(Major::MN));
}

int64_t kami::skewedRun(int64_t lineElements, int64_t elementBytes) {
  constexpr int64_t mostLanes = 32;
  if (!areWholePieces(lineElements, elementBytes))
    return 0;
  int64_t pieces = lineElements * elementBytes / copiedPiece;
  return std::min(pieces & -pieces, mostLanes);
}

int64_t kami::skewedBytes(int64_t lines, int64_t lineElements,
                          int64_t elementBytes) {
  int64_t run = skewedRun(lineElements, elementBytes);
  return run == 0 ? 0 : lines * lineElements * elementBytes / run;
}

CopiedTile kami::relayedTile(int64_t rows, int64_t columns,
                             int64_t elementBytes) {
  constexpr int64_t cacheLine = 128;
  return copiedTile(rows, std::min(columns, cacheLine / elementBytes), Major::K,
                    elementBytes);
}

CopiedTile kami::relayedBlock(int64_t rows, int64_t columns,
                              int64_t elementBytes) {
  return copiedTile(rows, columns, Major::K, elementBytes);
}

CopiedTile kami::packedTile(int64_t products, int64_t elements,
                            int64_t elementBytes) {
  int64_t bytes = elements * elementBytes;
  bool meets = bytes % copiedPiece == 0 && bytes > copiedPiece &&
               llvm::isPowerOf2_64(bytes / copiedPiece);
  return {products, elements,
          elements + (meets ? copiedPiece / elementBytes : 0)};
}

int64_t kami::packedWord(int64_t pitch, int64_t lineElements,
                         int64_t elementBytes) {
  int64_t whole =
      std::gcd(std::gcd(pitch, lineElements) * elementBytes, copiedPiece);
  return std::max<int64_t>(whole / elementBytes, 1);
}

int64_t kami::wholePack(int64_t limit, llvm::ArrayRef<int64_t> matrixBytes) {
  int64_t multiple = 1;
  for (int64_t bytes : matrixBytes)
    multiple = std::lcm(multiple, copiedPiece / std::gcd(bytes, copiedPiece));
  return limit - limit % multiple;
}

int64_t kami::packedBytes(int64_t products, int64_t elements,
                          int64_t elementBytes) {
  return packedTile(products, elements, elementBytes).elements() * elementBytes;
}

int64_t kami::relayedBytes(int64_t rows, int64_t columns, int64_t mostBytes) {
  int64_t most = 0;
  for (int64_t width = 1; width <= mostBytes; width *= 2)
    most = std::max(most, width * relayedTile(rows, columns, width).elements());
  return most;
}
