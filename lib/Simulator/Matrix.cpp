//===- Matrix.cpp ---------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix instructions.
//
// The operands are gathered from the lanes' registers into matrices by the
// fragment maps, multiplied, and dealt out again.
//
//===----------------------------------------------------------------------===//

#include "Matrix.h"
#include "kami/IR/KamiOps.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace kami;
using namespace kami::sim;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

double kami::sim::readElement(const ElementFormat &format, Reading reading,
                              uint64_t bits) {
  switch (reading) {
  case Reading::Plain:
    return toDouble(format, bits);
  case Reading::Unsigned:
    return double(bits & format.mask());
  case Reading::TF32:
    return toDouble(format, bits & ~0x1FFFull);
  case Reading::HighTF32:
    return toDouble(format, roundToTF32(bits));
  case Reading::LowTF32:
    break;
  }
  double rest = toDouble(format, bits) - toDouble(format, roundToTF32(bits));
  return toDouble(format, roundToTF32(fromDouble(format, rest)));
}

void kami::sim::gather(Execution &x, Warp &warp, Slot slot, int first,
                       ArrayRef<int> places, const ElementFormat &format,
                       Reading reading, double *matrix) {
  for (size_t v = 0, values = places.size() / x.width; v != values; ++v) {
    const uint64_t *registers = x.lanes(warp, slot, first + v);
    const int *place = places.data() + v * x.width;
    for (unsigned lane = 0; lane != x.width; ++lane)
      matrix[place[lane]] = readElement(format, reading, registers[lane]);
  }
}

void kami::sim::scatter(Execution &x, Warp &warp, Slot slot, int first,
                        ArrayRef<int> places, const ElementFormat &format,
                        const double *matrix) {
  for (size_t v = 0, values = places.size() / x.width; v != values; ++v) {
    uint64_t *registers = x.lanes(warp, slot, first + v);
    const int *place = places.data() + v * x.width;
    for (unsigned lane = 0; lane != x.width; ++lane)
      registers[lane] = fromDouble(format, matrix[place[lane]]);
  }
}

void kami::sim::multiply(const MatrixForm &form, const double *a,
                         const double *b, double *c) {
  bool isDouble = form.c.kind == ElementFormat::F64;
  for (int64_t i = 0; i != form.m; ++i) {
    double *row = c + i * form.n;
    for (int64_t k = 0; k != form.k; ++k) {
      double factor = a[i * form.k + k];
      const double *other = b + k * form.n;
      if (form.fused && isDouble)
        for (int64_t j = 0; j != form.n; ++j)
          row[j] = std::fma(factor, other[j], row[j]);
      else if (form.fused)
        for (int64_t j = 0; j != form.n; ++j)
          row[j] = std::fma(float(factor), float(other[j]), float(row[j]));
      else
        for (int64_t j = 0; j != form.n; ++j)
          row[j] += factor * other[j];
    }
    if (!form.fused)
      for (int64_t j = 0; j != form.n; ++j)
        row[j] = toDouble(form.c, fromDouble(form.c, row[j]));
  }
}

/// Lanes that hold one element of an operand have to hold the same: what the
/// instruction takes from which of them is its own business.
static LogicalResult requireReplicas(Execution &x, Warp &warp,
                                     const Instruction &instruction,
                                     unsigned operand, ArrayRef<int> places) {
  llvm::SmallDenseMap<int, uint64_t, 64> elements;
  for (size_t i = 0; i != places.size(); ++i) {
    unsigned lane = i % x.width;
    uint64_t bits =
        x.lanes(warp, instruction.operands[operand], i / x.width)[lane];
    if (elements.try_emplace(places[i], bits).first->second != bits)
      return x.fail(Violation::Unsupported, instruction)
             << "expected lanes to hold the same element of "
             << (operand == 0 ? "A" : "B") << " alike, but lane " << lane
             << " of warp " << warp.index << " does not";
  }
  return success();
}

static LogicalResult runMatrix(Execution &x, Warp &warp,
                               const Instruction &instruction) {
  if (failed(x.requireConverged(warp, instruction)))
    return failure();
  const MatrixForm &form = x.program.matrices[instruction.payload];
  if ((form.replicatesA &&
       failed(requireReplicas(x, warp, instruction, 0, form.placesA))) ||
      (form.replicatesB &&
       failed(requireReplicas(x, warp, instruction, 1, form.placesB))))
    return failure();
  x.scratchA.resize(form.m * form.k);
  x.scratchB.resize(form.k * form.n);
  x.scratchC.resize(form.m * form.n);
  ArrayRef<Slot> operands = instruction.operands;
  gather(x, warp, operands[0], 0, form.placesA, form.a, form.readA,
         x.scratchA.data());
  gather(x, warp, operands[1], 0, form.placesB, form.b, form.readB,
         x.scratchB.data());
  gather(x, warp, operands[2], 0, form.placesC, form.c, Reading::Plain,
         x.scratchC.data());
  multiply(form, x.scratchA.data(), x.scratchB.data(), x.scratchC.data());
  scatter(x, warp, instruction.results[0], 0, form.placesC, form.c,
          x.scratchC.data());
  ++x.matrixCounts[instruction.payload];
  return success();
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static std::vector<int> placesOf(const FragmentMap &map) {
  std::vector<int> places;
  for (unsigned value = 0; value != map.valuesPerLane(); ++value) {
    for (unsigned lane = 0; lane != map.lanes(); ++lane) {
      Coordinate at = map.at(lane, value);
      places.push_back(at.row * map.columns + at.column);
    }
  }
  return places;
}

/// How the matrix unit reads elements of the type. Those of NVIDIA have no f32.
static Reading readingOf(Type type, bool isTF32) {
  if (isTF32)
    return Reading::TF32;
  return type.isUnsignedInteger() ? Reading::Unsigned : Reading::Plain;
}

static void nameOperands(std::string &name, Type a, Type b, bool isTF32) {
  llvm::raw_string_ostream os(name);
  if (isTF32)
    os << "tf32";
  else
    os << a;
  if (a != b)
    os << " " << b;
}

FailureOr<MatrixForm> kami::sim::makeForm(Operation *op, Extents extents,
                                          const MatrixTypes &types,
                                          const MatrixMaps &maps,
                                          unsigned warpSize) {
  if (maps.a.lanes() != warpSize)
    return op->emitError("expected a warp of ")
           << maps.a.lanes() << " lanes, but got " << warpSize;
  Type a = types.a, b = types.b, c = types.c;
  auto formatA = formatOf(a), formatB = formatOf(b), formatC = formatOf(c);
  if (!formatA || !formatB || !formatC ||
      formatA->isFloat() != formatC->isFloat() ||
      formatB->isFloat() != formatC->isFloat())
    return op->emitError("cannot simulate a matrix instruction on ")
           << a << ", " << b << " and " << c;
  MatrixForm form{extents.m, extents.n, extents.k};
  form.a = *formatA;
  form.b = *formatB;
  form.c = *formatC;
  form.readA = readingOf(a, types.isTF32);
  form.readB = readingOf(b, types.isTF32);
  form.fused = c.isF64();
  form.lanes = warpSize;
  form.placesA = placesOf(maps.a);
  form.placesB = placesOf(maps.b);
  form.placesC = placesOf(maps.c);
  form.replicatesA = maps.a.replicas() > 1;
  form.replicatesB = maps.b.replicas() > 1;
  llvm::raw_string_ostream(form.name)
      << "m" << extents.m << "n" << extents.n << "k" << extents.k << " ";
  nameOperands(form.name, a, b, types.isTF32);
  llvm::raw_string_ostream(form.name) << " " << c;
  return form;
}

FailureOr<MatrixForm> kami::sim::matrixForm(Operation *op, MmaAtomAttr atom,
                                            unsigned warpSize) {
  FailureOr<MatrixForm> form = makeForm(
      op, atom.getExtents(),
      {atom.getAType(), atom.getBType(), atom.getCType(), atom.isTF32()},
      {atom.getMap(Role::A), atom.getMap(Role::B), atom.getMap(Role::C)},
      warpSize);
  if (failed(form))
    return failure();
  form->products = atom.getProducts();
  if (atom.getInstruction() == InstructionKind::Fma) {
    form->fused = true;
    form->name.clear();
    llvm::raw_string_ostream(form->name)
        << "m" << atom.getM() << "n" << atom.getN() << "k" << atom.getK()
        << " fma " << atom.getAType();
    if (atom.getBType() != atom.getAType())
      llvm::raw_string_ostream(form->name) << " " << atom.getBType();
    llvm::raw_string_ostream(form->name) << " " << atom.getCType();
  }
  return form;
}

/// NVIDIA's map of an operand of that many rows, columns and bits.
static const FragmentMap *nvidiaMap(StringRef role, int64_t rows,
                                    int64_t columns, Type element) {
  std::string name;
  llvm::raw_string_ostream(name)
      << "nv." << role << "." << rows << "x" << columns << ".b"
      << element.getIntOrFloatBitWidth();
  return findFragmentMap(name);
}

static FailureOr<MatrixForm> nvgpuForm(nvgpu::MmaSyncOp op, unsigned warpSize) {
  std::array<int64_t, 3> shape = op.getMmaShapeAsArray();
  auto a = op.getMatrixA().getType(), b = op.getMatrixB().getType(),
       c = op.getMatrixC().getType();
  const FragmentMap *mapA =
      nvidiaMap("a", shape[0], shape[2], a.getElementType());
  const FragmentMap *mapB =
      nvidiaMap("b", shape[2], shape[1], b.getElementType());
  const FragmentMap *mapC =
      nvidiaMap("c", shape[0], shape[1], c.getElementType());
  if (!mapA || !mapB || !mapC)
    return op.emitError("no fragment map is known for m")
           << shape[0] << "n" << shape[1] << "k" << shape[2] << " of "
           << a.getElementType() << ", " << b.getElementType() << " and "
           << c.getElementType();
  for (auto [type, map] :
       {std::pair(a, mapA), std::pair(b, mapB), std::pair(c, mapC)})
    if (type.getNumElements() != map->valuesPerLane())
      return op.emitError("expected a vector of ")
             << map->valuesPerLane() << " elements, but got " << type;
  if (a.getElementType().isF32() && !op.getTf32Enabled())
    return op.emitError("there is no matrix instruction on f32 without "
                        "'tf32Enabled'");
  return makeForm(op, {shape[0], shape[1], shape[2]},
                  {a.getElementType(), b.getElementType(), c.getElementType(),
                   op.getTf32Enabled().has_value()},
                  {*mapA, *mapB, *mapC}, warpSize);
}

LogicalResult kami::sim::emitMatrix(Decoder &decoder, Operation *op,
                                    FailureOr<MatrixForm> form) {
  if (failed(form))
    return failure();
  decoder.program.matrices.push_back(std::move(*form));
  return decoder.emit(op, runMatrix, decoder.program.matrices.size() - 1);
}

LogicalResult kami::sim::decodeMatrix(Decoder &decoder, Operation *op,
                                      bool &handled) {
  if (auto mma = dyn_cast<nvgpu::MmaSyncOp>(op))
    return emitMatrix(decoder, op, nvgpuForm(mma, decoder.warpSize));
  if (auto mma = dyn_cast<MmaSyncOp>(op))
    return emitMatrix(decoder, op,
                      matrixForm(op, mma.getAtom(), decoder.warpSize));
  handled = false;
  return success();
}
