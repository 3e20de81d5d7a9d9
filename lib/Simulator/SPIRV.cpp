//===- SPIRV.cpp - Cooperative matrices -----------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which lane has which element of a cooperative matrix, and which one moves it,
// is nobody's business (SPV_KHR_cooperative_matrix). Here elements lie row by
// row in the lanes, and are moved by other lanes than those that would load and
// store single elements in that order: who relies on such an order, without a
// barrier of the warp, races.
//
//===----------------------------------------------------------------------===//

#include "Matrix.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numeric>

using namespace kami;
using namespace kami::sim;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static std::vector<int> placesInRows(spirv::CooperativeMatrixType type) {
  std::vector<int> places(type.getRows() * type.getColumns());
  std::iota(places.begin(), places.end(), 0);
  return places;
}

/// The type that an instruction takes an operand's elements for.
static Type
signedType(Type element,
           std::optional<spirv::CooperativeMatrixOperandsKHR> operands,
           spirv::CooperativeMatrixOperandsKHR isSigned) {
  if (!isa<IntegerType>(element) ||
      spirv::bitEnumContainsAll(
          operands.value_or(spirv::CooperativeMatrixOperandsKHR::None),
          isSigned))
    return element;
  return IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth(),
                          IntegerType::Unsigned);
}

static FailureOr<MatrixForm> productForm(spirv::KHRCooperativeMatrixMulAddOp op,
                                         unsigned warpSize) {
  using Operands = spirv::CooperativeMatrixOperandsKHR;
  auto a = cast<spirv::CooperativeMatrixType>(op.getA().getType());
  auto b = cast<spirv::CooperativeMatrixType>(op.getB().getType());
  auto c = cast<spirv::CooperativeMatrixType>(op.getC().getType());
  std::optional<Operands> operands = op.getMatrixOperands();
  if (operands && spirv::bitEnumContainsAll(*operands, Operands::AccSat))
    return op.emitError("cannot simulate a product that saturates");
  FailureOr<MatrixForm> form =
      makeForm(op, {a.getRows(), b.getColumns(), a.getColumns()},
               {signedType(a.getElementType(), operands, Operands::ASigned),
                signedType(b.getElementType(), operands, Operands::BSigned),
                c.getElementType()},
               warpSize);
  if (failed(form))
    return failure();
  form->placesA = placesInRows(a);
  form->placesB = placesInRows(b);
  form->placesC = placesInRows(c);
  return form;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

namespace {
/// A matrix in memory, as an instruction names it: operands are the memref, the
/// position of the first element, and the distance of lines, both in elements
/// of the memref, which may be wider than the matrix's.
struct MatrixInMemory {
  MemRef memref;
  /// In bytes, from the memref's first element on.
  int64_t first, stride;
  int64_t rows, columns;
  unsigned bytes;
  bool isRowMajor;

  int64_t line() const { return isRowMajor ? columns : rows; }
  int64_t offset(int64_t element) const {
    int64_t row = element / columns, column = element % columns;
    int64_t line = isRowMajor ? row : column, rest = isRowMajor ? column : row;
    return first + line * stride + rest * bytes;
  }
  int64_t address(int64_t element) const {
    return memref.base + memref.offset * int64_t(memref.elementBytes) +
           offset(element);
  }
};
} // namespace

/// Vulkan, VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986: pointer and
/// stride are multiples of 16 bytes, or of a line if that is shorter.
static LogicalResult verifyAlignment(Execution &x, Warp &warp,
                                     const Instruction &instruction,
                                     const MatrixInMemory &matrix) {
  int64_t required = std::min<int64_t>(16, matrix.line() * matrix.bytes);
  for (auto [what, value] : {std::pair("address", matrix.address(0)),
                             std::pair("stride", matrix.stride)})
    if (value % required != 0)
      return x.fail(Violation::Unaligned, instruction)
             << "unaligned matrix: " << what << " " << value
             << " is not a multiple of " << required << " by "
             << x.place(warp, 0);
  return success();
}

static FailureOr<MatrixInMemory>
matrixInMemory(Execution &x, Warp &warp, const Instruction &instruction,
               spirv::CooperativeMatrixType type,
               spirv::CooperativeMatrixLayoutKHR layout) {
  MatrixInMemory matrix;
  matrix.memref = warp.memrefs[instruction.operands[0].index];
  matrix.rows = type.getRows();
  matrix.columns = type.getColumns();
  matrix.bytes = formatOf(type.getElementType())->bytes();
  matrix.isRowMajor = layout == spirv::CooperativeMatrixLayoutKHR::RowMajor;
  if (failed(x.requireConverged(warp, instruction)) ||
      failed(x.uniform(warp, instruction, instruction.operands[1],
                       matrix.first)) ||
      failed(
          x.uniform(warp, instruction, instruction.operands[2], matrix.stride)))
    return failure();
  matrix.first *= matrix.memref.elementBytes;
  matrix.stride *= matrix.memref.elementBytes;
  if (failed(verifyAlignment(x, warp, instruction, matrix)))
    return failure();
  return matrix;
}

/// Moves the elements of a matrix to the lanes' registers or back. The lane
/// that is said to move an element is `shift` after the one that has it.
static LogicalResult moveMatrix(Execution &x, Warp &warp,
                                const Instruction &instruction,
                                const MatrixInMemory &matrix, Slot slot,
                                unsigned shift, bool write) {
  const MemRef &memref = matrix.memref;
  int64_t size = memref.sizes.front() * memref.elementBytes;
  uint8_t *memory = memref.buffer->bytes.data();
  Access access;
  access.buffer = memref.buffer;
  access.mask = warp.mask;
  access.bytes = access.alignment = matrix.bytes;
  access.write = write;
  for (int v = 0; v != slot.count; ++v) {
    for (unsigned lane = 0; lane != x.width; ++lane) {
      int64_t element = int64_t(v) * x.width + lane;
      int64_t offset = matrix.offset(element);
      if (offset < 0 || offset + int64_t(matrix.bytes) > size)
        return x.fail(Violation::OutOfBounds, instruction)
               << "out-of-bounds access: byte " << offset << " of " << size
               << " by " << x.place(warp, lane);
      access.addresses[(lane + shift) % x.width] = matrix.address(element);
    }
    if (failed(x.access(warp, instruction, access)))
      return failure();
    uint64_t *registers = x.lanes(warp, slot, v);
    for (unsigned lane = 0; lane != x.width; ++lane) {
      uint8_t *at = memory + matrix.address(int64_t(v) * x.width + lane);
      if (write)
        writeBits(at, matrix.bytes, registers[lane]);
      else
        registers[lane] = readBits(at, matrix.bytes);
    }
  }
  return success();
}

static LogicalResult runMatrixLoad(Execution &x, Warp &warp,
                                   const Instruction &instruction) {
  auto op = cast<spirv::KHRCooperativeMatrixLoadOp>(instruction.op);
  FailureOr<MatrixInMemory> matrix = matrixInMemory(
      x, warp, instruction,
      cast<spirv::CooperativeMatrixType>(op.getResult().getType()),
      op.getMatrixLayout());
  if (failed(matrix))
    return failure();
  return moveMatrix(x, warp, instruction, *matrix, instruction.results[0],
                    /*shift=*/1, /*write=*/false);
}

static LogicalResult runMatrixStore(Execution &x, Warp &warp,
                                    const Instruction &instruction) {
  auto op = cast<spirv::KHRCooperativeMatrixStoreOp>(instruction.op);
  FailureOr<MatrixInMemory> matrix = matrixInMemory(
      x, warp, instruction,
      cast<spirv::CooperativeMatrixType>(op.getObject().getType()),
      op.getMatrixLayout());
  if (failed(matrix))
    return failure();
  return moveMatrix(x, warp, instruction, *matrix, instruction.operands[3],
                    /*shift=*/2, /*write=*/true);
}

/// Slots of the memref that a pointer points into, and of the position.
static FailureOr<SmallVector<Slot, 3>>
decodePointer(Decoder &decoder, Operation *op, Value pointer) {
  Value base, position;
  if (auto chain = pointer.getDefiningOp<spirv::AccessChainOp>()) {
    // A storage buffer is a structure of one array.
    if (llvm::all_of(chain.getIndices().drop_back(),
                     [](Value index) { return matchPattern(index, m_Zero()); }))
      base = chain.getBasePtr();
    position = chain.getIndices().back();
  } else if (auto chain =
                 pointer.getDefiningOp<spirv::InBoundsPtrAccessChainOp>()) {
    if (chain.getIndices().empty())
      base = chain.getBasePtr();
    position = chain.getElement();
  }
  if (!base || !base.getDefiningOp<UnrealizedConversionCastOp>())
    return op->emitError("cannot simulate a pointer that is not to an element "
                         "of a memref");
  return SmallVector<Slot, 3>{decoder.slot(base), decoder.slot(position)};
}

static LogicalResult decodeMatrixAccess(Decoder &decoder, Operation *op,
                                        Value pointer, Value stride,
                                        Value object, Type matrix,
                                        Handler handler) {
  if (!stride)
    return op->emitError("cannot simulate a matrix without a stride");
  FailureOr<SmallVector<Slot, 3>> operands =
      decodePointer(decoder, op, pointer);
  if (failed(operands))
    return failure();
  operands->push_back(decoder.slot(stride));
  if (object)
    operands->push_back(decoder.slot(object));
  decoder.accesses(*formatOf(getElementTypeOrSelf(matrix)));
  SmallVector<Slot, 1> results;
  for (Value result : op->getResults()) {
    FailureOr<Slot> slot = decoder.define(result);
    if (failed(slot))
      return failure();
    results.push_back(*slot);
  }
  Instruction &instruction = decoder.append(op, handler);
  instruction.operands = *operands;
  instruction.results = results;
  return success();
}

/// All of a row's memory as a row of other elements.
static LogicalResult runCast(Execution &, Warp &warp,
                             const Instruction &instruction) {
  auto type = cast<MemRefType>(instruction.op->getResult(0).getType());
  const MemRef &source = warp.memrefs[instruction.operands[0].index];
  MemRef row =
      contiguous(*source.buffer, type.getShape(), type.getElementType());
  row.base = source.base + source.offset * int64_t(source.elementBytes);
  warp.memrefs[instruction.results[0].index] = row;
  return success();
}

/// A pointer is the memref that it was made of.
static LogicalResult decodeCast(Decoder &decoder,
                                UnrealizedConversionCastOp op) {
  if (op.getNumOperands() == 1 && op.getNumResults() == 1) {
    auto from = dyn_cast<MemRefType>(op.getOperand(0).getType());
    auto to = dyn_cast<MemRefType>(op.getResult(0).getType());
    if (from && isa<spirv::PointerType>(op.getResult(0).getType())) {
      decoder.bind(op.getResult(0), decoder.slot(op.getOperand(0)));
      return success();
    }
    auto isRow = [](MemRefType type) {
      return type && type.getRank() == 1 && type.hasStaticShape() &&
             type.getLayout().isIdentity();
    };
    if (isRow(from) && isRow(to))
      return decoder.emit(op, runCast);
  }
  return op.emitError("cannot simulate a cast that is not of a memref to a "
                      "pointer, or of a row to a row");
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static LogicalResult runSubgroupBarrier(Execution &x, Warp &warp,
                                        const Instruction &instruction) {
  if (failed(x.requireConverged(warp, instruction)))
    return failure();
  x.meetLanes(warp);
  return success();
}

/// Lanes of a warp wait for each other where they execute in lockstep, too, and
/// only make their writes visible.
static LogicalResult decodeBarrier(Decoder &decoder, Operation *op,
                                   spirv::Scope memory,
                                   spirv::MemorySemantics semantics) {
  if (memory != spirv::Scope::Subgroup ||
      !spirv::bitEnumContainsAll(semantics,
                                 spirv::MemorySemantics::AcquireRelease |
                                     spirv::MemorySemantics::WorkgroupMemory))
    return op->emitError("expected a barrier of a subgroup that orders "
                         "workgroup memory");
  decoder.append(op, runSubgroupBarrier);
  return success();
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

LogicalResult kami::sim::decodeSPIRV(Decoder &decoder, Operation *op,
                                     bool &handled) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](spirv::KHRCooperativeMatrixMulAddOp product) {
        return emitMatrix(decoder, op, productForm(product, decoder.warpSize));
      })
      .Case([&](spirv::KHRCooperativeMatrixLoadOp load) {
        return decodeMatrixAccess(decoder, op, load.getPointer(),
                                  load.getStride(), /*object=*/Value(),
                                  load.getResult().getType(), runMatrixLoad);
      })
      .Case([&](spirv::KHRCooperativeMatrixStoreOp store) {
        return decodeMatrixAccess(decoder, op, store.getPointer(),
                                  store.getStride(), store.getObject(),
                                  store.getObject().getType(), runMatrixStore);
      })
      .Case([&](UnrealizedConversionCastOp cast) {
        return decodeCast(decoder, cast);
      })
      // Who loads and stores looks at them.
      .Case<spirv::AccessChainOp, spirv::InBoundsPtrAccessChainOp>(
          [](auto) { return success(); })
      .Case([&](spirv::ControlBarrierOp barrier) {
        if (barrier.getExecutionScope() != spirv::Scope::Subgroup)
          return LogicalResult(
              op->emitError("expected a barrier of a subgroup"));
        return decodeBarrier(decoder, op, barrier.getMemoryScope(),
                             barrier.getMemorySemantics());
      })
      .Case([&](spirv::MemoryBarrierOp barrier) {
        return decodeBarrier(decoder, op, barrier.getMemoryScope(),
                             barrier.getMemorySemantics());
      })
      .Default([&](Operation *) {
        handled = false;
        return success();
      });
}
