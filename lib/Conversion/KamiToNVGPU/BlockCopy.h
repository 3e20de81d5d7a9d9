//===- BlockCopy.h - Copies that all threads share --------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CONVERSION_KAMITONVGPU_BLOCKCOPY_H
#define KAMI_LIB_CONVERSION_KAMITONVGPU_BLOCKCOPY_H

#include "CopiedLines.h"
#include "kami/Conversion/KamiToLanes/Alignment.h"

namespace kami::nvgpu_lowering {

/// Elements of 16 bits in a piece that is put together of words.
constexpr int64_t shiftedElements = 8;

/// A piece of the tile: where it begins, and whether it is one (null if
/// it is).
struct Piece {
  mlir::Value line, column;
  mlir::Value exists;
  /// The line is so many lines behind one that all of a thread's pieces share,
  /// in the same column; null where they share none.
  int64_t further = 0;
  mlir::Value shared;
};

/// One copy of a tile, or what its threads do with their parts of it.
class BlockCopy : CopiedLines {
public:
  BlockCopy(const CopiedLines &lines, int64_t threads, mlir::Value thread,
            const lanes::CopyAlignment &alignment, bool alignedRows = false)
      : CopiedLines(lines), alignment(alignment), alignedRows(alignedRows),
        threads(threads), thread(thread) {}
  /// Starts to bring the matrix to the tile.
  void copyIn();
  /// Rounds what the thread has brought, as soon as it is there.
  void roundCopied(const TF32Rounding &rounding);
  /// Stores the tile in the matrix, in the widest pieces that may be, or in
  /// pieces of so many bytes.
  void copyOut() { copyOut(widestPiece()); }
  void copyOut(int64_t bytes);
  /// Whether all lines are, in pieces of so many bytes; null if that is known.
  mlir::Value isCopyable(int64_t bytes);
  /// Bytes of the widest pieces that may be, or of an element.
  int64_t widestPiece() const;
  /// Lines are aligned where somebody has found out that they are.
  void expectAligned(mlir::Value found) { areAligned = found; }

private:
  bool isTileAligned(int64_t bytes) const;
  bool mayCopy(int64_t bytes) const;
  bool hasWidePieces() const;
  llvm::SmallVector<int64_t, 2> copiedSizes() const;
  int64_t places(int64_t elements) const;
  int64_t lineStep(int64_t perLine) const;
  mlir::Value dealtLine(mlir::Value line, int64_t perLine) const;
  Piece piece(mlir::Value round, int64_t first, int64_t elements, bool mayEnd);
  void forPieces(int64_t elements, bool throughRegisters,
                 llvm::function_ref<void(llvm::ArrayRef<Piece>)> emit,
                 int64_t rolledBy = 0, bool restApart = false);
  /// What a piece is moved between, and its line in both.
  struct Ends {
    mlir::Value matrix, tile, line;
  };
  Ends endsOf(const Piece &piece) const;
  void copyPiece(const Piece &piece, int64_t elements, int64_t parts);
  void copyPieces(int64_t bytes);
  void copyElements();
  llvm::SmallVector<mlir::Value> tileIndices(const Piece &piece) const;
  mlir::Value isInMatrix(const Piece &piece);
  mlir::Value loadElement(const Piece &piece);
  void choosePieces(llvm::ArrayRef<int64_t> sizes,
                    llvm::function_ref<void(int64_t)> emit);
  void roundPieces(int64_t elements, const TF32Rounding &rounding);
  // What leaves, in BlockStore.cpp.
  void storePieces(int64_t elements);
  void storeElements();
  void storeElement(const Piece &piece);
  void storeEnds(int64_t elements);
  // Rows at odd elements, in ShiftedPieces.cpp.
  bool mayShift() const;
  mlir::Value bitsOf(mlir::Value element);
  void copyShifted();
  llvm::SmallVector<mlir::Value> loadShifted(const Piece &piece);
  llvm::SmallVector<mlir::Value> loadWords(const Piece &piece);
  llvm::SmallVector<mlir::Value> loadSome(const Piece &piece);
  mlir::Value joinWords(llvm::ArrayRef<mlir::Value> loaded);

  lanes::CopyAlignment alignment;
  /// Whether somebody promises that lines begin at multiples of 16 bytes.
  bool alignedRows;
  mlir::Value areAligned;
  int64_t threads;
  mlir::Value thread;
};

/// A way of `choose` that gives one value.
template <typename Emit> auto inOne(Emit emit) {
  return [emit] { return llvm::SmallVector<mlir::Value>{emit()}; };
}

} // namespace kami::nvgpu_lowering

#endif // KAMI_LIB_CONVERSION_KAMITONVGPU_BLOCKCOPY_H
