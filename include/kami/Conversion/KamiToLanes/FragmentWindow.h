//===- FragmentWindow.h - A fragment's elements in a matrix --------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where in a matrix a lane's elements lie, and how many of them it may access
// at once. Elements that are adjacent in memory and belong to one lane form
// words of 4, 8 or 16 bytes. A word is accessed as a whole where its place is
// known to be in the matrix and a multiple of its size, or where a test at run
// time finds so; else every element is addressed by itself, so that any stride,
// offset and alignment works and nothing beyond the matrix is touched.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_CONVERSION_KAMITOLANES_FRAGMENTWINDOW_H
#define KAMI_CONVERSION_KAMITOLANES_FRAGMENTWINDOW_H

#include "kami/Conversion/KamiToLanes/Alignment.h"
#include "kami/Conversion/KamiToLanes/Lanes.h"
#include <optional>

namespace kami::lanes {

/// A row and a column, seen from a lane's first element.
using MatrixPlace = std::array<int64_t, 2>;

/// Of a matrix of complex numbers as reals, whose conjugates are multiplied.
struct InterleavedParts {
  bool conjugatesA = false, conjugatesB = false;
};

/// The lane's view of a fragment's place in a matrix.
class FragmentWindow {
public:
  FragmentWindow(mlir::ImplicitLocOpBuilder &b, FragmentType fragment,
                 mlir::Value matrix, mlir::Value row, mlir::Value column,
                 bool rowInBounds, bool columnInBounds,
                 const WindowAlignment &alignment, mlir::Value skewedAs = {},
                 std::optional<InterleavedParts> parts = {});

  /// Where a value of a tile lies. Values have one place if they are one
  /// element, because the matrix has a stride of 0, or complex numbers.
  MatrixPlace place(int64_t tile, unsigned value) const;
  /// A value of a tile, of the element at its place.
  mlir::Value valueOf(mlir::ImplicitLocOpBuilder &b, mlir::Value element,
                      int64_t tile, unsigned value) const;

  /// Whether some lane's place may be outside of the matrix in a dimension.
  bool mayBeOutside(unsigned dim, MatrixPlace place) const;
  /// Whether the lane's is inside in that dimension, and in both; null if that
  /// is known.
  mlir::Value isInBounds(mlir::ImplicitLocOpBuilder &b, unsigned dim,
                         MatrixPlace place) const;
  mlir::Value isInBounds(mlir::ImplicitLocOpBuilder &b,
                         MatrixPlace place) const;

  /// The most elements that form a word; 1 where none do.
  int64_t wordElements() const { return width; }
  /// The first element of a place's word.
  MatrixPlace wordOf(MatrixPlace place) const;
  /// The element's number within its word.
  int64_t positionInWord(MatrixPlace place) const;
  /// Whether all words are in the matrix, and aligned; null if that is known.
  mlir::Value areWordsRight(mlir::ImplicitLocOpBuilder &b) const;

  /// Whether no word is in the matrix in part, and all are aligned; null if
  /// that is known.
  mlir::Value areWordsWhole(mlir::ImplicitLocOpBuilder &b) const;
  /// Whether that is known.
  bool areWordsAlwaysWhole() const;

  /// The dimension in which elements are adjacent, if there is one.
  std::optional<unsigned> adjacentDimension() const;
  /// Whether pieces of so many bytes along it can be aligned in every row or
  /// column, as far as strides are known.
  bool mayAlign(int64_t bytes) const;
  /// Whether such pieces, which begin at multiples of their size from the
  /// fragment's corner on, are known to be aligned.
  bool isAligned(int64_t bytes) const;
  /// Whether the fragment is in the matrix as a whole, and such pieces are
  /// aligned; null if that is known. All of a warp's lanes get the same answer.
  mlir::Value isRight(mlir::ImplicitLocOpBuilder &b, int64_t bytes) const;

  /// Whether the matrix has a stride of 0.
  bool repeatsElements() const;
  mlir::MemRefType matrixType() const;
  /// What the matrix has, which may be narrower than what the fragment has.
  mlir::Type elementType() const;
  int64_t elementBytes() const;

  mlir::Value load(mlir::ImplicitLocOpBuilder &b, MatrixPlace place) const;
  void store(mlir::ImplicitLocOpBuilder &b, mlir::Value element,
             MatrixPlace place) const;
  /// The word that begins at a place, as a vector.
  mlir::Value loadWord(mlir::ImplicitLocOpBuilder &b, MatrixPlace place) const;
  void storeWord(mlir::ImplicitLocOpBuilder &b, mlir::Value word,
                 MatrixPlace place) const;

  /// The matrix, with the adjacent dimension last, and the indices in it of a
  /// place as seen from `origin`, which counts from the fragment's corner.
  mlir::Value lineMatrix() const { return lines; }
  llvm::SmallVector<mlir::Value, 2> lineIndices(mlir::ImplicitLocOpBuilder &b,
                                                const LaneOrigin &origin,
                                                MatrixPlace place) const;

private:
  void findParts(mlir::ImplicitLocOpBuilder &b, const LaneOrigin &lane);
  MatrixPlace inParts(MatrixPlace place) const;
  int64_t largestOfLanes(unsigned dim) const;
  std::optional<int64_t> largestOrigin(unsigned dim) const;
  int64_t widestWord() const;
  bool formWords(int64_t elements) const;
  bool areWordsWithinExtent() const;
  mlir::Value testAlignment(mlir::ImplicitLocOpBuilder &b, int64_t bytes) const;
  std::array<mlir::Value, 2> indices(mlir::ImplicitLocOpBuilder &b,
                                     MatrixPlace place) const;
  mlir::Value skewOf(mlir::ImplicitLocOpBuilder &b, mlir::Value line) const;
  llvm::SmallVector<mlir::Value, 2> wordIndices(mlir::ImplicitLocOpBuilder &b,
                                                MatrixPlace place) const;

  FragmentType fragment;
  mlir::Value matrix;
  /// The fragment's first element, and the lane's.
  mlir::Value corner[2];
  mlir::Value origins[2];
  /// Null where everything is in bounds.
  mlir::Value extents[2];
  /// Where not, the largest of all lanes' origins, as far as that is known.
  std::optional<int64_t> largest[2];
  llvm::SmallVector<int64_t, 2> strides;
  WindowAlignment alignment;
  /// All elements along the dimension are one, and all are in bounds.
  bool repeats[2] = {false, false};
  /// The dimension in which elements are adjacent, if there is one.
  int along = -1;
  int64_t width = 1;
  /// The matrix, with that dimension last.
  mlir::Value lines;
  /// The matrix in device memory that it is skewed as; null if it is not.
  mlir::Value skewedAs;
  /// Of complex numbers, with the parity of the lane's first row and column.
  std::optional<InterleavedParts> parts;
  mlir::Value parities[2];
};

} // namespace kami::lanes

#endif // KAMI_CONVERSION_KAMITOLANES_FRAGMENTWINDOW_H
