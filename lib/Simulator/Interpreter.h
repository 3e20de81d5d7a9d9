//===- Interpreter.h - Walks structured code ------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks structured code op by op: scalars, control flow, memrefs, structured
// `linalg` ops, calls. What the elements of memory are, and what else there is,
// is up to those who derive from it.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_SIMULATOR_INTERPRETER_H
#define KAMI_LIB_SIMULATOR_INTERPRETER_H

#include "kami/Simulator/Memory.h"
#include "kami/Simulator/Scalar.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"

namespace kami::sim {

/// A value at run time: a view of memory (memrefs, tensors), raw bits, or a
/// wide float.
struct Cell {
  MemRef memref;
  uint64_t bits = 0;
  long double real = 0;
  /// By how much `real` may be off, where that is tracked; of a comparison's
  /// bit, whether it may be the other one.
  long double error = 0;
  /// Of a complex number.
  long double imaginary = 0;

  static Cell ofBits(uint64_t bits) {
    Cell cell;
    cell.bits = bits;
    return cell;
  }
  static Cell ofReal(long double real) {
    Cell cell;
    cell.real = real;
    return cell;
  }
  static Cell ofMemRef(MemRef memref) {
    Cell cell;
    cell.memref = std::move(memref);
    return cell;
  }
};

using Cells = llvm::SmallVector<Cell>;

class Interpreter {
public:
  explicit Interpreter(Memory &memory) : memory(memory) {}
  virtual ~Interpreter() = default;

  mlir::LogicalResult call(mlir::func::FuncOp function,
                           llvm::ArrayRef<Cell> arguments, Cells &results);

protected:
  /// Ops of a derived interpreter come first. `handled` is true before.
  virtual mlir::LogicalResult runOther(mlir::Operation *op, bool &handled) = 0;
  /// An op that maps scalars to a scalar, where it is known.
  virtual mlir::FailureOr<Cell>
  runScalar(mlir::Operation *op, llvm::ArrayRef<Cell> operands, bool &handled);
  virtual mlir::FailureOr<Cell> constant(mlir::Operation *op,
                                         mlir::TypedAttr value);
  virtual Cell loadElement(const MemRef &memref, int64_t address);
  virtual void storeElement(const MemRef &memref, int64_t address,
                            const Cell &value);
  /// Copies the element at an address to another.
  virtual void copyElement(const MemRef &from, int64_t source, const MemRef &to,
                           int64_t destination);
  /// New memory for a memref's or tensor's type.
  virtual MemRef allocate(llvm::ArrayRef<int64_t> sizes, mlir::Type element);
  /// Structured ops that have a faster way.
  virtual bool runFast(mlir::linalg::LinalgOp op,
                       llvm::ArrayRef<MemRef> views) {
    return false;
  }

  mlir::LogicalResult runOp(mlir::Operation *op);
  /// All but the terminator.
  mlir::LogicalResult runBlock(mlir::Block &block);
  mlir::LogicalResult runLinalg(mlir::linalg::LinalgOp op);

  const Cell &get(mlir::Value value) { return cells[value]; }
  Cells get(mlir::ValueRange values);
  int64_t integer(mlir::Value value) { return cells[value].bits; }
  void set(mlir::Value value, Cell cell) { cells[value] = std::move(cell); }
  void set(mlir::ValueRange values, llvm::ArrayRef<Cell> list);
  llvm::SmallVector<int64_t> integers(mlir::ValueRange values);
  /// Constants and values in their order.
  llvm::SmallVector<int64_t> mixed(llvm::ArrayRef<int64_t> fixed,
                                   mlir::ValueRange values);

  /// The address of an element, or an error at the op.
  mlir::FailureOr<int64_t> addressOf(mlir::Operation *op, const MemRef &memref,
                                     llvm::ArrayRef<int64_t> indices);
  mlir::LogicalResult copy(mlir::Operation *op, const MemRef &from,
                           const MemRef &to);
  /// A fresh contiguous array with the elements of another.
  MemRef clone(const MemRef &from);

  Memory &memory;

private:
  mlir::LogicalResult runControlFlow(mlir::Operation *op, bool &handled);
  mlir::LogicalResult runMemory(mlir::Operation *op, bool &handled);
  mlir::LogicalResult runAllocation(mlir::Operation *op);
  mlir::LogicalResult runMetadata(mlir::memref::ExtractStridedMetadataOp op);
  mlir::LogicalResult runFor(mlir::scf::ForOp op);
  mlir::LogicalResult runWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult runCall(mlir::func::CallOp op);
  mlir::LogicalResult runPoint(mlir::linalg::LinalgOp op,
                               llvm::ArrayRef<MemRef> views,
                               llvm::ArrayRef<mlir::AffineMap> maps,
                               llvm::ArrayRef<int64_t> point);

  llvm::DenseMap<mlir::Value, Cell> cells;
  llvm::DenseMap<mlir::Operation *, ScalarOp> decoded;
  llvm::SmallVector<llvm::SmallVector<int64_t>> points;
  int depth = 0;
};

/// Visits every index of a shape in row-major order, until `visit` fails.
template <typename F>
mlir::LogicalResult forEachIndex(llvm::ArrayRef<int64_t> sizes, F visit) {
  for (int64_t size : sizes)
    if (size <= 0)
      return mlir::success();
  llvm::SmallVector<int64_t> index(sizes.size(), 0);
  while (true) {
    if (failed(visit(llvm::ArrayRef<int64_t>(index))))
      return mlir::failure();
    int d = int(sizes.size()) - 1;
    while (d >= 0 && ++index[d] == sizes[d])
      index[d--] = 0;
    if (d < 0)
      return mlir::success();
  }
}

int64_t evaluateAffine(mlir::AffineExpr expression,
                       llvm::ArrayRef<int64_t> dims,
                       llvm::ArrayRef<int64_t> symbols);
/// The value of affine.apply, affine.min or affine.max.
int64_t evaluateAffineOp(mlir::Operation *op, llvm::ArrayRef<int64_t> operands);

} // namespace kami::sim

#endif // KAMI_LIB_SIMULATOR_INTERPRETER_H
