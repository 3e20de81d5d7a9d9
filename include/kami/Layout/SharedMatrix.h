//===- SharedMatrix.h - Operands that the matrix unit reads itself --------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How an operand lies in shared memory when the matrix unit reads it there,
// without a detour through registers, and the descriptor that tells the unit
// so.
//
// An operand has an outer dimension (A's m, B's n) and k. One of them, the
// major one, runs along swizzle rows of 128, 64, 32 or 16 bytes. Swizzle rows
// of the other dimension's consecutive indices, the lines, lie one after the
// other; when the major dimension is longer than a swizzle row, whole blocks of
// lines follow each other. Within each 8 lines the 16-byte chunks of a row are
// permuted, so that 8 chunks that are above each other lie in different banks.
//
// From PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Shared Memory Layout",
// with its "Strides", "Canonical Layouts" and "Matrix Descriptor Format".
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LAYOUT_SHAREDMATRIX_H
#define KAMI_LAYOUT_SHAREDMATRIX_H

#include "kami/Layout/Partition.h"
#include <cstdint>

namespace kami {

/// The dimension of an operand along which elements are adjacent.
enum class Major { K, MN };

/// Bytes of k that one instruction multiplies, whatever the element type.
constexpr int64_t groupInstructionBytesK = 32;
/// The most columns of C that one instruction computes, and their granule.
constexpr int64_t maxGroupColumns = 256;
constexpr int64_t groupColumnGranule = 8;
/// Columns of the widest instruction that computes no more than that many,
/// which are a multiple of the granule: integers have none of 40, 56, 72, ...
int64_t widestGroupColumns(int64_t columns, bool isInteger);
/// Warps that execute an instruction in unison; the first one's index is a
/// multiple of this.
constexpr int64_t warpsPerGroup = 4;

/// Whether a block's groups wait apart for what the copy engine brings, and say
/// so when they have done with it, of products in turn: one multiplies while
/// another waits. One alone has nobody to leave the unit to, and is told at a
/// barrier: 256 products of tf32 up to 512 × 512 × 128 by one group a block
/// take 44.1 µs so, and 44.5 otherwise (H200, 2026-11-26).
inline bool groupsWaitApart(const Exchange &exchange, const WarpGrid &grid) {
  return exchange.bulk && exchange.prefetches &&
         (exchange.stationary || grid.warps() > warpsPerGroup);
}

/// Bytes of the longest swizzle rows.
constexpr int64_t longestSwizzleRow = 128;

/// Bytes to a multiple of which any matrix may start that the unit reads: 8 of
/// the longest swizzle rows.
constexpr int64_t groupMatrixAlignment = 8 * longestSwizzleRow;

/// What the unit is told of an operand's window in shared memory. Offsets are
/// in bytes and multiples of 16.
struct GroupDescriptor {
  /// Of the window's first element, from the start of shared memory.
  int64_t start = 0;
  /// The "leading dimension" and "stride dimension" byte offsets of the PTX
  /// ISA.
  int64_t leadingBytes = 0;
  int64_t strideBytes = 0;
  /// 128, 64 or 32, or 16 where nothing is permuted.
  int64_t swizzleBytes = 16;

  /// The descriptor as the instruction takes it. Swizzle patterns start at
  /// multiples of their size, so that its base offset is 0.
  uint64_t encode() const;

  /// Where the unit looks for the window's element (outer, k), in bytes from
  /// the start of shared memory: the canonical layouts, transcribed.
  int64_t address(Major major, unsigned elementBytes, int64_t outer,
                  int64_t k) const;
};

struct SharedMatrix {
  /// Extents in elements, padded: see `isValid`.
  int64_t outer;
  int64_t k;
  unsigned elementBytes;
  Major major;
  /// Bytes of a swizzle row: 128, 64 or 32; 16 for no permutation.
  int64_t swizzleBytes;

  /// The matrix with at least these extents and the widest swizzle whose row
  /// the major extent fills.
  static SharedMatrix fitting(int64_t outer, int64_t k, unsigned elementBytes,
                              Major major);

  /// Whether the extents are whole 8 × 16-byte core matrices, whole
  /// instructions of k and whole swizzle rows, and whether the unit takes such
  /// elements in this order: only 16-bit ones may be adjacent along m or n.
  bool isValid() const;

  /// The extent that swizzle rows run along, and the other one.
  int64_t majorExtent() const { return major == Major::K ? k : outer; }
  int64_t lines() const { return major == Major::K ? outer : k; }
  /// Elements of a swizzle row.
  int64_t rowElements() const { return swizzleBytes / elementBytes; }
  /// Bytes of all lines of one swizzle row, and of the whole matrix.
  int64_t blockBytes() const { return lines() * swizzleBytes; }
  int64_t byteSize() const { return outer * k * elementBytes; }
  /// What the address of the matrix must be a multiple of, in bytes: a swizzle
  /// pattern is a function of address bits.
  int64_t alignment() const {
    return swizzleBytes == 16 ? 16 : 8 * swizzleBytes;
  }

  /// Bytes from the matrix's start to an element.
  int64_t byteOffset(int64_t outerIndex, int64_t kIndex) const;

  /// What a window's origin must be multiples of, so that the unit walks it
  /// right from there.
  int64_t windowOuter() const { return major == Major::K ? 8 : rowElements(); }
  int64_t windowK() const { return groupInstructionBytesK / elementBytes; }

  /// The window that starts at such an origin, in a matrix that starts at
  /// `base`.
  GroupDescriptor descriptor(int64_t base, int64_t outerIndex,
                             int64_t kIndex) const;
};

inline bool operator==(const SharedMatrix &a, const SharedMatrix &b) {
  return a.outer == b.outer && a.k == b.k && a.elementBytes == b.elementBytes &&
         a.major == b.major && a.swizzleBytes == b.swizzleBytes;
}

/// Whether the unit reads elements of so many bytes in either order. Wider
/// ones, which are tf32, have to be adjacent along k, and rounded: those of a
/// copied A on their way through registers, those of a copied B where they lie.
constexpr bool readsEitherOrder(int64_t elementBytes) {
  return elementBytes == 2;
}

/// Whether the unit can multiply operands of such elements that were copied
/// from device memory, so that a warp's rows of C follow each other. What it
/// reads of A in shared memory it deals to warps in sixteens, of which a warp
/// then has one; from registers, a warp multiplies any rows.
bool unitReadsCopies(const Partition &partition, int64_t bytesA,
                     int64_t bytesB);

/// A and B of a partition of one column, as four warps in unison read them: all
/// of k. The rows of A are those of the groups, one after the other, and in a
/// group tile by tile: 16 rows of each warp.
SharedMatrix residentA(const Partition &partition, unsigned elementBytes);
SharedMatrix residentB(const Partition &partition, unsigned elementBytes);

/// XORed into the number of a 16-byte chunk of a swizzle row, for the line with
/// that number: 128-byte rows use the line's three low bits, 64-byte rows two
/// and 32-byte rows one of them.
int64_t chunkSwizzle(int64_t swizzleBytes, int64_t line);

} // namespace kami

#endif // KAMI_LAYOUT_SHAREDMATRIX_H
