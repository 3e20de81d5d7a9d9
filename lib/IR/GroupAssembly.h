//===- GroupAssembly.h - Assembly of ops on many tiles -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_IR_GROUPASSEMBLY_H
#define KAMI_LIB_IR_GROUPASSEMBLY_H

#include "mlir/IR/OpImplementation.h"

namespace kami {

/// One type, which is that of all operands.
inline mlir::ParseResult parseTileTypes(
    mlir::OpAsmParser &parser, llvm::SmallVectorImpl<mlir::Type> &types,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands) {
  mlir::Type type;
  if (parser.parseType(type))
    return mlir::failure();
  types.assign(operands.size(), type);
  return mlir::success();
}

inline void printTileTypes(mlir::OpAsmPrinter &printer, mlir::Operation *,
                           mlir::TypeRange types, mlir::OperandRange) {
  if (!types.empty())
    printer << types.front();
}

} // namespace kami

#endif // KAMI_LIB_IR_GROUPASSEMBLY_H
