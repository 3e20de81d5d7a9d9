//===- Descriptors.cpp - What grouped products are told ------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Descriptors.h"
#include "kami/Driver/GroupedSpec.h"
#include "kami/Driver/Run.h"
#include "kami/IR/KamiOps.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;
using namespace mlir;

namespace {
/// One grouped op, whose arrays are known.
class Descriptors {
public:
  explicit Descriptors(GroupedGemmOp op, func::FuncOp function)
      : op(op), function(function) {}

  LogicalResult verify();

private:
  /// An array's entries; nothing where only the run knows them.
  std::optional<SmallVector<int64_t>> contentsOf(Value array);
  LogicalResult verifyMatrix(Role role, int64_t product, int64_t rows,
                             int64_t columns);

  GroupedGemmOp op;
  func::FuncOp function;
  std::optional<SmallVector<int64_t>> at[3], leading[3];
  std::vector<ElementRange> rowsOfC;
};
} // namespace

std::optional<SmallVector<int64_t>> Descriptors::contentsOf(Value array) {
  auto argument = dyn_cast_or_null<BlockArgument>(array);
  if (!argument || argument.getOwner() != &function.getBody().front())
    return std::nullopt;
  auto contents = function.getArgAttrOfType<DenseIntElementsAttr>(
      argument.getArgNumber(), contentsAttributeName);
  if (!contents)
    return std::nullopt;
  return llvm::map_to_vector(
      contents.getValues<APInt>(),
      [](const APInt &value) { return value.getSExtValue(); });
}

/// Of `rows` times `columns` elements, as stored.
LogicalResult Descriptors::verifyMatrix(Role role, int64_t product,
                                        int64_t rows, int64_t columns) {
  unsigned number = unsigned(role);
  bool isUnknown = !at[number] || (op.getLeading(role) && !leading[number]);
  if (isUnknown || rows <= 0 || columns <= 0)
    return success();
  auto fail = [&]() {
    return op.emitOpError("product ")
           << product << ": expected " << stringifyRole(role).upper() << " ";
  };
  Value matrices = role == Role::A   ? op.getA()
                   : role == Role::B ? op.getB()
                                     : op.getC();
  int64_t stride = leading[number] ? (*leading[number])[product] : columns;
  if (stride < (role == Role::C ? columns : 0))
    return fail() << "with a leading dimension of at least "
                  << (role == Role::C ? columns : 0) << ", but got " << stride;
  int64_t first = (*at[number])[product];
  int64_t bytes = op.getElementType(role).getIntOrFloatBitWidth() / 8;
  if (op.getBytes() && first % bytes != 0)
    return fail() << "at a multiple of " << bytes << " bytes, but got "
                  << first;
  if (op.getBytes())
    first /= bytes;
  int64_t size = cast<MemRefType>(matrices.getType()).getDimSize(0);
  int64_t last;
  bool overflows = llvm::MulOverflow(rows - 1, stride, last) ||
                   llvm::AddOverflow(last, first, last) ||
                   llvm::AddOverflow(last, columns - 1, last);
  if (first < 0 || overflows || (ShapedType::isStatic(size) && last >= size)) {
    InFlightDiagnostic diagnostic = fail();
    diagnostic << "within the memref of " << size << " elements, but ";
    if (first < 0 || overflows)
      return diagnostic << "it begins at " << first;
    return diagnostic << "its elements are those from " << first << " to "
                      << last;
  }
  for (int64_t row = 0; role == Role::C && row != rows; ++row)
    rowsOfC.push_back(
        {first + row * stride, first + row * stride + columns, product});
  return success();
}

LogicalResult Descriptors::verify() {
  std::optional<SmallVector<int64_t>> m = contentsOf(op.getM()),
                                      n = contentsOf(op.getN()),
                                      k = contentsOf(op.getK());
  if (!m || !n || !k)
    return success();
  for (Role role : {Role::A, Role::B, Role::C}) {
    at[unsigned(role)] = contentsOf(op.getAt(role));
    leading[unsigned(role)] = contentsOf(op.getLeading(role));
  }
  for (int64_t product = 0, count = m->size(); product != count; ++product) {
    int64_t rows = (*m)[product], columns = (*n)[product],
            depth = (*k)[product];
    if (rows <= 0 || columns <= 0)
      continue;
    bool ta = op.getTransposeA(), tb = op.getTransposeB();
    if (failed(verifyMatrix(Role::A, product, ta ? depth : rows,
                            ta ? rows : depth)) ||
        failed(verifyMatrix(Role::B, product, tb ? columns : depth,
                            tb ? depth : columns)) ||
        failed(verifyMatrix(Role::C, product, rows, columns)))
      return failure();
  }
  if (auto overlap = findOverlap(std::move(rowsOfC)))
    return op.emitOpError("product ")
           << overlap->second
           << ": expected a C of its own, but it overlaps that of product "
           << overlap->first;
  return success();
}

LogicalResult kami::verifyDescriptors(func::FuncOp function) {
  WalkResult result = function.walk([&](GroupedGemmOp op) {
    return WalkResult(Descriptors(op, function).verify());
  });
  return failure(result.wasInterrupted());
}
