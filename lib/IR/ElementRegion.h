//===- ElementRegion.h - Regions on single elements ----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assembly and verification of the regions of kami.gemm and kami.map, which map
// elements to an element.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_IR_ELEMENTREGION_H
#define KAMI_LIB_IR_ELEMENTREGION_H

#include "kami/IR/KamiOps.h"
#include "mlir/IR/OpImplementation.h"

namespace kami {

/// `(%x: f32, %b = %bias : memref<48xf32> at #map) { ... }`
mlir::ParseResult parseElementRegion(
    mlir::OpAsmParser &parser,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands,
    llvm::SmallVectorImpl<mlir::Type> &types, mlir::ArrayAttr &maps,
    mlir::Region &region);
void printElementRegion(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                        mlir::OperandRange operands, mlir::TypeRange types,
                        mlir::ArrayAttr maps, mlir::Region &region);

/// `(%x = %f : !c64x32, %y = %g : !c64x32) -> !c64x32 { ... }`
mlir::ParseResult parseMappedFragments(
    mlir::OpAsmParser &parser,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands,
    llvm::SmallVectorImpl<mlir::Type> &types, mlir::Type &result,
    mlir::Region &region);
void printMappedFragments(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                          mlir::OperandRange operands, mlir::TypeRange types,
                          mlir::Type result, mlir::Region &region);

mlir::ParseResult parseMatrixDim(mlir::OpAsmParser &parser, MatrixDimAttr &dim);
void printMatrixDim(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                    MatrixDimAttr dim);

/// Whether the region takes `arguments`, yields a `yielded`, and has nothing
/// but pure scalar operations in it. `name` is what errors at `op` call it.
mlir::LogicalResult verifyElementRegion(mlir::Operation *op,
                                        llvm::StringRef name,
                                        mlir::Region &region,
                                        llvm::ArrayRef<mlir::Type> arguments,
                                        mlir::Type yielded);

/// Whether the operand of a region that `name` names is a scalar without a map,
/// or has one from the domain, which has such extents, as the product needs it.
mlir::LogicalResult verifyElementMap(mlir::Operation *op, llvm::StringRef name,
                                     mlir::Value operand, mlir::AffineMap map,
                                     llvm::ArrayRef<int64_t> domain);

/// Whether the fragment has its atom's elements, which is what matrix
/// instructions and shared memory deal with.
mlir::LogicalResult verifyAtomElement(mlir::Operation *op,
                                      FragmentType fragment);

} // namespace kami

#endif // KAMI_LIB_IR_ELEMENTREGION_H
