//===- ReferenceInterpreter.h - Evaluates in a wider type -----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of memory are `long double`s, which also hold every 64-bit integer.
// Tensors are contiguous or strided views of memory that nobody writes any
// more.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_SIMULATOR_REFERENCEINTERPRETER_H
#define KAMI_LIB_SIMULATOR_REFERENCEINTERPRETER_H

#include "Interpreter.h"
#include "kami/IR/KamiOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cmath>
#include <optional>

namespace kami::sim {

class ReferenceInterpreter : public Interpreter {
public:
  ReferenceInterpreter(Memory &memory, bool magnitudes,
                       std::optional<long double> sumUnit = std::nullopt)
      : Interpreter(memory), magnitudes(magnitudes), sumUnit(sumUnit) {}

  MemRef allocate(llvm::ArrayRef<int64_t> sizes, mlir::Type element) override;
  Cell loadElement(const MemRef &memref, int64_t address) override;
  void storeElement(const MemRef &memref, int64_t address,
                    const Cell &value) override;
  void copyElement(const MemRef &from, int64_t source, const MemRef &to,
                   int64_t destination) override {
    storeElement(to, destination, loadElement(from, source));
  }
  long double magnitude(long double value) const {
    return magnitudes ? std::fabs(value) : value;
  }

protected:
  mlir::LogicalResult runOther(mlir::Operation *op, bool &handled) override;
  mlir::FailureOr<Cell> runScalar(mlir::Operation *op,
                                  llvm::ArrayRef<Cell> operands,
                                  bool &handled) override;
  mlir::FailureOr<Cell> constant(mlir::Operation *op,
                                 mlir::TypedAttr value) override;
  bool runFast(mlir::linalg::LinalgOp op,
               llvm::ArrayRef<MemRef> views) override;

private:
  mlir::LogicalResult runTensor(mlir::Operation *op, bool &handled);
  mlir::LogicalResult runReshape(mlir::Operation *op, bool &handled);
  mlir::LogicalResult runElementwise(mlir::Operation *op);
  mlir::LogicalResult runGemm(GemmOp op);
  mlir::LogicalResult runChain(ChainOp op);
  mlir::LogicalResult runGrouped(GroupedGemmOp op);
  long double scaleOf(mlir::Value value, long double missing);
  std::pair<long double, long double> scaled(const MemRef &sum, int64_t from,
                                             const MemRef &c, int64_t to,
                                             long double alpha,
                                             long double beta);
  mlir::LogicalResult runComplexGemm(GemmOp op);
  template <typename OpTy>
  mlir::FailureOr<Cell> runElement(OpTy op, Role role, Cell element,
                                   llvm::ArrayRef<int64_t> point);
  mlir::FailureOr<MemRef> runPrologue(GemmOp op, Role role, MemRef matrix,
                                      llvm::ArrayRef<int64_t> batch);
  MemRef withoutSign(const MemRef &matrix);
  MemRef multiplied(const MemRef &a, const MemRef &b, mlir::Type accumulator);
  template <typename OpTy>
  mlir::LogicalResult finishProduct(OpTy op, const MemRef &sum, const MemRef &c,
                                    long double alpha, long double beta,
                                    llvm::ArrayRef<int64_t> batch);
  MemRef slice(const MemRef &source, llvm::ArrayRef<int64_t> offsets,
               llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides,
               const llvm::SmallBitVector &dropped);
  mlir::LogicalResult insertSlice(mlir::tensor::InsertSliceOp op);
  Cell scalarConstant(mlir::Attribute value);
  mlir::FailureOr<Cell> evaluateScalar(mlir::Operation *op,
                                       llvm::ArrayRef<Cell> operands,
                                       bool &handled);
  long double boundError(mlir::Operation *op, llvm::ArrayRef<Cell> operands,
                         const Cell &result);
  MemRef shadow(const MemRef &of, bool withErrors);

  bool magnitudes;
  /// Where errors are tracked: of a sum of products, relative to the sum of
  /// their magnitudes.
  std::optional<long double> sumUnit;
};

/// The last two dimensions of a batch element. A missing batch dimension, or
/// one of extent 1, is repeated.
MemRef matrixOf(const MemRef &operand, llvm::ArrayRef<int64_t> batch,
                bool transpose);

/// The elements of the buffer that a memref views.
inline long double *data(const MemRef &memref) {
  return reinterpret_cast<long double *>(memref.buffer->bytes.data());
}

/// Where errors are tracked, the second half of a buffer has them.
inline long double *errors(const MemRef &memref) {
  return data(memref) + memref.buffer->size() / (2 * sizeof(long double));
}

} // namespace kami::sim

#endif // KAMI_LIB_SIMULATOR_REFERENCEINTERPRETER_H
