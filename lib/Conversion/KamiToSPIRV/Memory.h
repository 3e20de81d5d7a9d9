//===- Memory.h - Where matrices and variables of a kernel lie ------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SPIR-V has no strided matrices, and with logical addressing no bytes that are
// viewed as one type and then another. So memory is one row of elements here:
// an argument of the kernel, or a variable in workgroup memory for each type of
// elements.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CONVERSION_KAMITOSPIRV_MEMORY_H
#define KAMI_LIB_CONVERSION_KAMITOSPIRV_MEMORY_H

#include "kami/IR/KamiOps.h"
#include "kami/Target/Chip.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace kami::spirv_lowering {

mlir::Value indexConstant(mlir::ImplicitLocOpBuilder &b, int64_t value);
mlir::Value addIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value left,
                     mlir::Value right);
mlir::Value multiplyIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value left,
                          mlir::Value right);

/// A matrix in a row of elements.
struct FlatMatrix {
  mlir::Value memory;
  mlir::Value offset;
  mlir::Value sizes[2];
  mlir::Value strides[2];

  mlir::Type elementType() const;
  /// The position of an element.
  mlir::Value at(mlir::ImplicitLocOpBuilder &b, mlir::Value row,
                 mlir::Value column) const;
};

/// Writes every matrix that a kernel loads from or stores to as offset, sizes
/// and strides in an argument or a view of workgroup memory. Emits an error for
/// one whose place is not known at compile time.
mlir::LogicalResult resolveMatrices(mlir::gpu::GPUFuncOp kernel);

/// Emits an error at `op` for elements that kernels in SPIR-V cannot have.
mlir::LogicalResult verifyElements(mlir::Operation *op, mlir::Type element);

/// What lanes copy at once, and the type of its elements in a row of words.
constexpr int64_t wordBytes = 16;
mlir::VectorType wordType(mlir::MLIRContext *context);

int64_t bytesOf(mlir::Type element);

/// The buffers that an op exchanges elements of a fragment through.
llvm::SmallVector<std::pair<mlir::Value, FragmentType>>
buffersOf(mlir::Operation *op);

/// The elements of a load's or store's matrix if that is in workgroup memory.
std::optional<mlir::Type> viewedElement(mlir::Operation *op);

/// Offset and strides of a resolved matrix.
llvm::SmallVector<mlir::OpFoldResult> placesOf(mlir::Value matrix);

/// A load and the share that is all that it is for.
struct WordCopy {
  LoadOp load;
  ShareOp share;
};

/// How a fragment's elements lie in a slot of its buffer.
struct SlotLayout {
  int64_t tileRows, tileColumns;
  /// Tiles side by side.
  int64_t width;
  /// From row to row of a tile, in elements.
  int64_t pitch;

  /// Where a tile begins.
  int64_t offset(int64_t tile) const;
};

/// The workgroup memory of a kernel.
class WorkgroupMemory {
public:
  /// Adds a variable to the kernel for each type of elements: for the views of
  /// dynamic shared memory that its ops exchange elements through, and to stage
  /// tiles in. What copies write is in words of 16 bytes. Emits an error for a
  /// kernel whose warps are not known.
  static mlir::FailureOr<WorkgroupMemory>
  create(mlir::gpu::GPUFuncOp kernel, const Chip &chip,
         llvm::ArrayRef<WordCopy> copies);

  /// The part of a variable that a view's bytes became.
  struct Place {
    mlir::Value variable;
    int64_t element;
  };
  Place placeOf(mlir::Value view, mlir::Type element) const;
  /// Tiles follow each other, unless rows of the whole fragment do, a word
  /// apart.
  SlotLayout layoutOf(FragmentType fragment) const;
  /// Elements of one of a buffer's slots.
  int64_t slotElements(FragmentType fragment) const;

  /// Where the executing warp stages tiles: the variable, and its first
  /// element.
  mlir::Value staging(mlir::Type element) const;
  mlir::Value stagingOffset(mlir::ImplicitLocOpBuilder &b,
                            mlir::Type element) const;

private:
  struct Range {
    int64_t begin, end;
  };
  void noteView(mlir::Value view, mlir::Type element);
  void noteTile(FragmentType fragment);
  void spaceRows(mlir::Type element, llvm::ArrayRef<FragmentType> fragments);
  int64_t spaced(int64_t elements, mlir::Type element) const;
  int64_t viewElements(mlir::Type element, Range range) const;
  int64_t bytes(int64_t warps) const;
  void declareVariables(mlir::gpu::GPUFuncOp kernel, int64_t warps);

  /// Bytes that are viewed with a type, and elements of the largest staged tile
  /// of it.
  llvm::MapVector<mlir::Type, Range> views;
  llvm::MapVector<mlir::Type, int64_t> tiles;
  llvm::DenseMap<mlir::Type, mlir::Value> viewVariables, tileVariables;
  /// What is in words of 16 bytes in its variable of views.
  llvm::SetVector<mlir::Type> inWords;
  /// Elements of the shortest row of a type whose rows are a word apart.
  llvm::DenseMap<mlir::Type, int64_t> spacedRows;
};

/// What a load or store of a fragment is known to be a multiple of, in
/// elements: the position of its first one, and the strides.
struct KnownMultiples {
  int64_t position = 1;
  int64_t strides[2] = {1, 1};
};
/// Those of all loads and stores of a resolved kernel.
llvm::DenseMap<mlir::Operation *, KnownMultiples>
findMultiples(mlir::gpu::GPUFuncOp kernel);

/// The matrix that an op of a resolved kernel names.
FlatMatrix flatten(mlir::ImplicitLocOpBuilder &b, const WorkgroupMemory &memory,
                   mlir::Value matrix);

/// The pointer that a row of elements becomes.
mlir::spirv::PointerType pointerType(mlir::MemRefType memory,
                                     SpirvFlavor flavor);

/// A pointer to one of its elements.
mlir::Value elementPointer(mlir::ImplicitLocOpBuilder &b, mlir::Value memory,
                           mlir::Value index, SpirvFlavor flavor);

/// Elements of a type that are one of a memory's: those of a word, or one.
int64_t elementsPerWord(mlir::Value memory, mlir::Type element);

} // namespace kami::spirv_lowering

#endif // KAMI_LIB_CONVERSION_KAMITOSPIRV_MEMORY_H
