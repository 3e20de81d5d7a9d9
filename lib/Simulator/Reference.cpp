//===- Reference.cpp ------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Simulator/Reference.h"
#include "ReferenceInterpreter.h"
#include <cstring>

using namespace kami;
using namespace kami::sim;
using namespace mlir;

/// Numbers that an element consists of.
static int64_t partsOf(Type element) {
  return isa<ComplexType>(element) ? 2 : 1;
}

MemRef ReferenceInterpreter::allocate(ArrayRef<int64_t> sizes, Type element) {
  int64_t parts = partsOf(element), count = parts;
  for (int64_t size : sizes)
    count *= size;
  Buffer &buffer = memory.allocate(
      "reference", count * sizeof(long double) * (sumUnit ? 2 : 1), 0);
  MemRef memref = contiguous(buffer, sizes, element);
  memref.elementBytes = parts * sizeof(long double);
  std::fill_n(data(memref), count, std::nanl(""));
  return memref;
}

Cell ReferenceInterpreter::loadElement(const MemRef &memref, int64_t address) {
  if (isa<ComplexType>(memref.elementType)) {
    Cell cell = loadElement(complexPart(memref, false), address);
    cell.imaginary =
        loadElement(complexPart(memref, true), address + sizeof(long double))
            .real;
    return cell;
  }
  long double value;
  std::memcpy(&value, memref.buffer->bytes.data() + address, sizeof(value));
  Cell cell = isa<FloatType>(memref.elementType)
                  ? Cell::ofReal(value)
                  : Cell::ofBits(uint64_t(int64_t(value)) &
                                 formatOf(memref.elementType)->mask());
  if (sumUnit)
    cell.error = errors(memref)[address / sizeof(value)];
  return cell;
}

void ReferenceInterpreter::storeElement(const MemRef &memref, int64_t address,
                                        const Cell &cell) {
  if (isa<ComplexType>(memref.elementType)) {
    Cell imaginary = cell;
    imaginary.real = cell.imaginary;
    storeElement(complexPart(memref, false), address, cell);
    storeElement(complexPart(memref, true), address + sizeof(long double),
                 imaginary);
    return;
  }
  long double value = isa<FloatType>(memref.elementType)
                          ? cell.real
                          : toSigned(*formatOf(memref.elementType), cell.bits);
  std::memcpy(memref.buffer->bytes.data() + address, &value, sizeof(value));
  if (sumUnit)
    errors(memref)[address / sizeof(value)] = cell.error;
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

/// The argument that an array stands for; nothing where it does not fit.
static std::optional<Cell> argumentOf(ReferenceInterpreter &interpreter,
                                      Type type, const ReferenceArray &input) {
  auto shaped = dyn_cast<ShapedType>(type);
  int64_t count = shaped ? partsOf(shaped.getElementType()) : 1;
  for (int64_t size : input.sizes)
    count *= size;
  if (count != int64_t(input.values.size()))
    return std::nullopt;
  if (!shaped) {
    if (!input.sizes.empty())
      return std::nullopt;
    return isa<FloatType>(type)
               ? Cell::ofReal(interpreter.magnitude(input.values[0]))
               : Cell::ofBits(int64_t(input.values[0]));
  }
  if (!shaped.hasRank() ||
      failed(verifyCompatibleShape(shaped.getShape(), input.sizes)))
    return std::nullopt;
  MemRef memref = interpreter.allocate(input.sizes, shaped.getElementType());
  bool isFloat = isa<FloatType, ComplexType>(shaped.getElementType());
  for (auto [i, element] : llvm::enumerate(input.values))
    data(memref)[i] = isFloat ? interpreter.magnitude(element) : element;
  return Cell::ofMemRef(memref);
}

static ReferenceArray arrayOf(Type type, const Cell &cell, bool ofErrors) {
  if (!isa<ShapedType>(type) && ofErrors)
    return ReferenceArray::scalar(cell.error);
  if (!isa<ShapedType>(type))
    return ReferenceArray::scalar(
        isa<FloatType>(type) ? cell.real : (long double)int64_t(cell.bits));
  ReferenceArray array{cell.memref.sizes, {}};
  array.values.reserve(cell.memref.elements());
  (void)forEachIndex(array.sizes, [&](ArrayRef<int64_t> index) {
    const long double *from =
        ofErrors ? errors(cell.memref) : data(cell.memref);
    int64_t first = cell.memref.address(index) / sizeof(long double);
    for (int64_t part = 0; part != partsOf(cell.memref.elementType); ++part)
      array.values.push_back(from[first + part]);
    return success();
  });
  return array;
}

static LogicalResult evaluate(func::FuncOp function,
                              ArrayRef<ReferenceArray> inputs, bool magnitudes,
                              std::optional<long double> sumUnit,
                              SmallVectorImpl<ReferenceArray> &outputs) {
  if (function.getNumArguments() != inputs.size())
    return function.emitError("expected ")
           << function.getNumArguments() << " arguments, but got "
           << inputs.size();
  Memory memory;
  ReferenceInterpreter interpreter(memory, magnitudes, sumUnit);
  Cells arguments, results;
  for (auto [type, input] :
       llvm::zip_equal(function.getArgumentTypes(), inputs)) {
    std::optional<Cell> argument = argumentOf(interpreter, type, input);
    if (!argument)
      return function.emitError("expected an argument of type ")
             << type << ", but got an array of " << input.values.size()
             << " elements in " << input.sizes.size() << " dimensions";
    arguments.push_back(std::move(*argument));
  }
  if (failed(interpreter.call(function, arguments, results)))
    return failure();
  outputs.clear();
  for (auto [type, cell] : llvm::zip_equal(function.getResultTypes(), results))
    outputs.push_back(arrayOf(type, cell, sumUnit.has_value()));
  for (auto [type, cell] :
       llvm::zip_equal(function.getArgumentTypes(), arguments))
    if (isa<MemRefType>(type))
      outputs.push_back(arrayOf(type, cell, sumUnit.has_value()));
  return success();
}

LogicalResult
kami::sim::evaluateReference(func::FuncOp function,
                             ArrayRef<ReferenceArray> inputs, bool magnitudes,
                             SmallVectorImpl<ReferenceArray> &outputs) {
  return evaluate(function, inputs, magnitudes, std::nullopt, outputs);
}

LogicalResult
kami::sim::evaluateErrors(func::FuncOp function,
                          ArrayRef<ReferenceArray> inputs, double sumUnit,
                          SmallVectorImpl<ReferenceArray> &bounds) {
  return evaluate(function, inputs, /*magnitudes=*/false, sumUnit, bounds);
}
