//===- ElementRegion.cpp - Regions on single elements --------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementRegion.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace kami;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// `%x = %value : type`, where the type that the argument gets is up to the
/// caller.
static ParseResult
parseBinding(OpAsmParser &parser,
             SmallVectorImpl<OpAsmParser::Argument> &arguments,
             SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
             SmallVectorImpl<Type> &types) {
  return failure(parser.parseArgument(arguments.emplace_back()) ||
                 parser.parseEqual() ||
                 parser.parseOperand(operands.emplace_back()) ||
                 parser.parseColonType(types.emplace_back()));
}

static void printBinding(OpAsmPrinter &printer, BlockArgument argument,
                         Value value) {
  printer.printOperand(argument);
  printer << " = " << value << " : " << value.getType();
}

ParseResult kami::parseElementRegion(
    OpAsmParser &parser,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
    SmallVectorImpl<Type> &types, ArrayAttr &maps, Region &region) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Attribute> mapList;
  if (parser.parseLParen() ||
      parser.parseArgument(arguments.emplace_back(), /*allowType=*/true))
    return failure();
  while (succeeded(parser.parseOptionalComma())) {
    if (parseBinding(parser, arguments, operands, types))
      return failure();
    auto shaped = dyn_cast<ShapedType>(types.back());
    arguments.back().type = shaped ? shaped.getElementType() : types.back();
    AffineMapAttr map = AffineMapAttr::get(AffineMap::get(parser.getContext()));
    if (succeeded(parser.parseOptionalKeyword("at")) &&
        parser.parseAttribute(map))
      return failure();
    mapList.push_back(map);
  }
  maps = parser.getBuilder().getArrayAttr(mapList);
  return failure(parser.parseRParen() || parser.parseRegion(region, arguments));
}

void kami::printElementRegion(OpAsmPrinter &printer, Operation *,
                              OperandRange operands, TypeRange, ArrayAttr maps,
                              Region &region) {
  printer << '(';
  printer.printRegionArgument(region.getArgument(0));
  for (auto [argument, operand, map] :
       llvm::zip_equal(region.getArguments().drop_front(), operands, maps)) {
    printer << ", ";
    printBinding(printer, argument, operand);
    if (isa<ShapedType>(operand.getType()))
      printer << " at " << map;
  }
  printer << ") ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}

ParseResult kami::parseMappedFragments(
    OpAsmParser &parser,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands,
    SmallVectorImpl<Type> &types, Type &result, Region &region) {
  SmallVector<OpAsmParser::Argument> arguments;
  auto parseOne = [&]() -> ParseResult {
    llvm::SMLoc location = parser.getCurrentLocation();
    if (parseBinding(parser, arguments, operands, types))
      return failure();
    if (auto fragment = dyn_cast<FragmentType>(types.back()))
      arguments.back().type = fragment.getElementType();
    else if (auto matrix = dyn_cast<DistributedType>(types.back()))
      arguments.back().type = matrix.getElementType();
    else
      return parser.emitError(
                 location,
                 "expected a fragment or a distributed matrix, but got ")
             << types.back();
    return success();
  };
  return failure(
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne) ||
      parser.parseArrow() || parser.parseType(result) ||
      parser.parseRegion(region, arguments));
}

void kami::printMappedFragments(OpAsmPrinter &printer, Operation *,
                                OperandRange operands, TypeRange, Type result,
                                Region &region) {
  printer << '(';
  llvm::interleaveComma(llvm::zip_equal(region.getArguments(), operands),
                        printer, [&](auto pair) {
                          printBinding(printer, std::get<0>(pair),
                                       std::get<1>(pair));
                        });
  printer << ") -> " << result << ' ';
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}

ParseResult kami::parseMatrixDim(OpAsmParser &parser, MatrixDimAttr &dim) {
  FailureOr<MatrixDim> value = FieldParser<MatrixDim>::parse(parser);
  if (failed(value))
    return failure();
  dim = MatrixDimAttr::get(parser.getContext(), *value);
  return success();
}

void kami::printMatrixDim(OpAsmPrinter &printer, Operation *,
                          MatrixDimAttr dim) {
  printer << stringifyMatrixDim(dim.getValue());
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static bool isScalarOp(Operation &op) {
  auto isScalar = [](Type type) { return type.isIntOrFloat(); };
  StringRef dialect = op.getName().getDialectNamespace();
  return (dialect == "arith" || dialect == "math") && isPure(&op) &&
         llvm::all_of(op.getOperandTypes(), isScalar) &&
         llvm::all_of(op.getResultTypes(), isScalar);
}

LogicalResult kami::verifyElementMap(Operation *op, StringRef name,
                                     Value operand, AffineMap map,
                                     ArrayRef<int64_t> domain) {
  auto type = dyn_cast<ShapedType>(operand.getType());
  auto error = [&]() {
    return op->emitOpError("expected a map for ")
           << operand.getType() << " in the " << name;
  };
  if (!type) {
    if (map.getNumResults() == 0 && map.getNumInputs() == 0)
      return success();
    return op->emitOpError("expected no map for the scalar ")
           << operand.getType() << " in the " << name << ", but got "
           << AffineMapAttr::get(map);
  }
  if (map.getNumDims() != domain.size() || map.getNumSymbols() != 0 ||
      map.getNumResults() != type.getRank())
    return error() << " from " << domain.size() << " dimensions to "
                   << type.getRank() << ", but got " << AffineMapAttr::get(map);
  llvm::SmallBitVector used(domain.size());
  for (auto [dim, result] : llvm::enumerate(map.getResults())) {
    int64_t extent = type.getDimSize(dim), expected = 1;
    if (auto source = dyn_cast<AffineDimExpr>(result)) {
      unsigned position = source.getPosition();
      if (used.test(position))
        return error() << " that takes each dimension once, but got "
                       << AffineMapAttr::get(map);
      used.set(position);
      expected = domain[position];
    } else if (auto zero = dyn_cast<AffineConstantExpr>(result);
               !zero || zero.getValue() != 0) {
      return error() << " whose results are dimensions or 0, but got "
                     << AffineMapAttr::get(map);
    }
    if (ShapedType::isStatic(extent) && ShapedType::isStatic(expected) &&
        extent != expected)
      return op->emitOpError("expected extent ")
             << expected << " of dimension " << dim << " of "
             << operand.getType() << " in the " << name << ", but got "
             << extent;
  }
  return success();
}

LogicalResult kami::verifyElementRegion(Operation *op, StringRef name,
                                        Region &region,
                                        ArrayRef<Type> arguments,
                                        Type yielded) {
  if (region.getArgumentTypes() != TypeRange(arguments))
    return op->emitOpError("expected arguments of the ")
           << name << " of types (" << arguments << "), but got ("
           << region.getArgumentTypes() << ")";
  if (region.front().empty())
    return op->emitOpError("expected the ")
           << name << " to end in kami.yield, but got nothing";
  for (Operation &inner : region.front().without_terminator())
    if (!isScalarOp(inner)) {
      InFlightDiagnostic error = op->emitOpError("expected the ")
                                 << name
                                 << " to consist of pure arith and math "
                                    "operations on integers and floats, but "
                                    "got '"
                                 << inner.getName() << "'";
      error.attachNote(inner.getLoc()) << "here";
      return error;
    }
  auto yield = dyn_cast<YieldOp>(region.front().back());
  if (!yield)
    return op->emitOpError("expected the ")
           << name << " to end in kami.yield, but got '"
           << region.front().back().getName() << "'";
  if (yield.getValue().getType() != yielded)
    return op->emitOpError("expected the ")
           << name << " to yield " << yielded << ", but got "
           << yield.getValue().getType();
  return success();
}
