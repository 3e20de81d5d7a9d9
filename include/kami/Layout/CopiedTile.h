//===- CopiedTile.h - An operand's tile, copied as it lies ----*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies to shared memory move 16 bytes that are adjacent in device memory, so
// that elements stay adjacent along the dimension they were. What is left to
// choose is how far apart the lines of them begin, and that decides whether the
// lanes of a warp meet in a bank.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LAYOUT_COPIEDTILE_H
#define KAMI_LAYOUT_COPIEDTILE_H

#include "kami/Layout/SharedMatrix.h"
#include "llvm/ADT/ArrayRef.h"

namespace kami {

/// Bytes of the widest pieces that are copied without registers.
constexpr int64_t copiedPiece = 16;

/// Whether so many elements are whole ones of these.
inline bool areWholePieces(int64_t elements, int64_t elementBytes) {
  return elements * elementBytes % copiedPiece == 0;
}

struct CopiedTile {
  /// Rows, or columns, of adjacent elements, elements of each, and elements
  /// from the begin of one to that of the next.
  int64_t lines;
  int64_t lineElements;
  int64_t pitch;

  int64_t elements() const { return lines * pitch; }
};

/// A tile of `depth` terms of k and `extent` rows of A or columns of B, with
/// elements adjacent along `major`. Lines begin at multiples of 16 bytes, an
/// odd number of times 16 bytes apart where a warp reads 8 lines of 16 bytes at
/// a time (ldmatrix), of 32 where its lanes read 4 of 32 bytes: what is read at
/// once is in different banks.
CopiedTile copiedTile(int64_t extent, int64_t depth, Major major,
                      int64_t elementBytes);

/// Whether lanes read a tile's elements one by one for a matrix instruction:
/// ldmatrix takes those of 4 bytes only as they are multiplied, adjacent along
/// k, and of 8 bytes none. Where such lines begin anywhere between multiples of
/// 16 bytes, they stay in shared memory as they come, since it is all the same
/// where an element is. Other lines are put straight.
constexpr bool isReadByLanes(int64_t elementBytes, Major major) {
  return elementBytes == 8 || (elementBytes == 4 && major == Major::MN);
}

/// The same for lines that stay skewed: each has 16 bytes more.
CopiedTile skewedTile(int64_t extent, int64_t depth, Major major,
                      int64_t elementBytes);

/// Bytes that suffice whichever way the elements lie; of lines that may stay
/// skewed, too, if `maySkew`.
int64_t copiedBytes(int64_t extent, int64_t depth, int64_t elementBytes,
                    bool maySkew);

/// Pieces of a line that lie beside each other as they do in device memory,
/// where lines begin anywhere between multiples of 16 bytes: as many words of
/// 16 bytes hold them, and one more, which has a place of its own. A power of
/// two, so that lanes of one warp move them; 0 where a line is no whole pieces.
int64_t skewedRun(int64_t lineElements, int64_t elementBytes);

/// Bytes of these other words of so many lines.
int64_t skewedBytes(int64_t lines, int64_t lineElements, int64_t elementBytes);

/// What a warp sends of its `columns` columns of C to device memory at a time,
/// row by row: the `rows` rows of an instruction's tile, and of their elements
/// a cache line each at most. And the bytes that suffice for elements of so
/// many bytes at most.
CopiedTile relayedTile(int64_t rows, int64_t columns, int64_t elementBytes);
int64_t relayedBytes(int64_t rows, int64_t columns, int64_t mostBytes);

/// What a block that computes C's transpose sends at once: its `rows` rows of C
/// of `columns` columns each. A warp that writes 8 columns of four rows meets
/// no bank twice.
CopiedTile relayedBlock(int64_t rows, int64_t columns, int64_t elementBytes);

/// How wide C's elements may be that are sent so, where A's have so many bytes:
/// as wide, or 16 bits.
constexpr int64_t relayedWidth(int64_t operandBytes) {
  return operandBytes > 2 ? operandBytes : 2;
}

/// The matrices of several products, each of so many elements without gaps, one
/// a line. Lines follow each other without gaps, so that all of them together
/// can be copied in pieces of 16 bytes. But lines of a power of two of such
/// pieces, where lanes of several products would meet in a bank, begin one
/// piece further apart.
CopiedTile packedTile(int64_t products, int64_t elements, int64_t elementBytes);
int64_t packedBytes(int64_t products, int64_t elements, int64_t elementBytes);

/// Elements of the widest words, of 16 bytes at most, of which lines of so many
/// elements consist, wherever they begin at multiples of `pitch` elements.
int64_t packedWord(int64_t pitch, int64_t lineElements, int64_t elementBytes);

/// Terms that a lane reads of its rows of A before it multiplies them.
constexpr int64_t laneTerms = 8;

/// The most products of a pack, `limit` at most, all of whose matrices of so
/// many bytes together are whole pieces of 16 bytes; 0 where there is none.
int64_t wholePack(int64_t limit, llvm::ArrayRef<int64_t> matrixBytes);

} // namespace kami

#endif // KAMI_LAYOUT_COPIEDTILE_H
