//===- KamiTypes.cpp - Types of the dialect ------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/IR/KamiTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace kami;

/// `64x16xf16`
static mlir::ParseResult parseShape(mlir::AsmParser &parser, int64_t &rows,
                                    int64_t &columns, mlir::Type &elementType) {
  llvm::SMLoc location = parser.getCurrentLocation();
  llvm::SmallVector<int64_t> extents;
  if (parser.parseDimensionList(extents, /*allowDynamic=*/false))
    return mlir::failure();
  if (extents.size() != 2)
    return parser.emitError(location, "expected rows x columns, but got ")
           << extents.size() << " extents";
  rows = extents[0];
  columns = extents[1];
  return parser.parseType(elementType);
}

static void printShape(mlir::AsmPrinter &printer, int64_t rows, int64_t columns,
                       mlir::Type elementType) {
  printer << rows << 'x' << columns << 'x' << elementType;
}

#define GET_TYPEDEF_CLASSES
#include "kami/IR/KamiTypes.cpp.inc"

void KamiDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "kami/IR/KamiTypes.cpp.inc"
      >();
}

mlir::LogicalResult
FragmentType::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                     int64_t rows, int64_t columns, mlir::Type elementType,
                     Role role, MmaAtomAttr atom) {
  if (elementType != atom.getElementType(role))
    return emitError() << "expected element type " << atom.getElementType(role)
                       << ", the atom's for role " << stringifyRole(role)
                       << ", but got " << elementType;
  int64_t tileRows = atom.getRows(role), tileColumns = atom.getColumns(role);
  if (rows < 1 || rows % tileRows != 0 || columns < 1 ||
      columns % tileColumns != 0)
    return emitError() << "expected a positive multiple of " << tileRows << "x"
                       << tileColumns << ", but got " << rows << "x" << columns;
  return mlir::success();
}
