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

/// The workgroup memory of a kernel.
class WorkgroupMemory {
public:
  /// Adds a variable to the kernel for each type of elements: for the views of
  /// dynamic shared memory that its ops exchange elements through, and to stage
  /// tiles in. Emits an error for a kernel whose warps are not known.
  static mlir::FailureOr<WorkgroupMemory> create(mlir::gpu::GPUFuncOp kernel);

  /// The part of a variable that a view's bytes became.
  struct Place {
    mlir::Value variable;
    int64_t element;
  };
  Place placeOf(mlir::Value view, mlir::Type element) const;

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

  /// Bytes that are viewed with a type, and elements of the largest staged tile
  /// of it.
  llvm::MapVector<mlir::Type, Range> views;
  llvm::MapVector<mlir::Type, int64_t> tiles;
  llvm::DenseMap<mlir::Type, mlir::Value> viewVariables, tileVariables;
};

/// The matrix that an op of a resolved kernel names.
FlatMatrix flatten(mlir::ImplicitLocOpBuilder &b, const WorkgroupMemory &memory,
                   mlir::Value matrix);

/// The pointer that a row of elements becomes.
mlir::spirv::PointerType pointerType(mlir::MemRefType memory,
                                     SpirvFlavor flavor);

/// A pointer to one of its elements.
mlir::Value elementPointer(mlir::ImplicitLocOpBuilder &b, mlir::Value memory,
                           mlir::Value index, SpirvFlavor flavor);

} // namespace kami::spirv_lowering

#endif // KAMI_LIB_CONVERSION_KAMITOSPIRV_MEMORY_H
