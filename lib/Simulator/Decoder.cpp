//===- Decoder.cpp --------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVTypes.h"
#include "llvm/ADT/STLExtras.h"

using namespace kami;
using namespace kami::sim;
using namespace mlir;

/// Elements that a lane holds of a value, 0 for a memref, nothing for a type
/// that has no registers here.
static std::optional<int> elementsPerLane(Type type, unsigned warpSize) {
  if (isa<MemRefType, MatrixDescriptorType, nvgpu::DeviceAsyncTokenType>(type))
    return 0;
  if (auto fragment = dyn_cast<FragmentType>(type)) {
    // Only a device knows where the elements of others are.
    if (fragment.getAtom().isOpaque())
      return std::nullopt;
    return fragment.getNumTiles() * fragment.getMap().valuesPerLane();
  }
  if (auto matrix = dyn_cast<spirv::CooperativeMatrixType>(type)) {
    int64_t elements = int64_t(matrix.getRows()) * matrix.getColumns();
    if (matrix.getScope() != spirv::Scope::Subgroup ||
        !formatOf(matrix.getElementType()) || elements % warpSize != 0)
      return std::nullopt;
    return elements / warpSize;
  }
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (vector.isScalable() || !formatOf(vector.getElementType()))
      return std::nullopt;
    return vector.getNumElements();
  }
  if (formatOf(type))
    return 1;
  return std::nullopt;
}

FailureOr<Slot> Decoder::define(Value value) {
  std::optional<int> count = elementsPerLane(value.getType(), warpSize);
  if (!count)
    return emitError(value.getLoc(), "cannot simulate a value of type ")
           << value.getType();
  Slot slot = duplicate({-1, *count});
  slots[value] = slot;
  return slot;
}

Slot Decoder::duplicate(Slot slot) {
  Slot fresh{slot.count == 0 ? program.memrefs : program.registers, slot.count};
  (slot.count == 0 ? program.memrefs : program.registers) +=
      std::max(slot.count, 1);
  return fresh;
}

SmallVector<Slot, 3> Decoder::slotsOf(ValueRange values) const {
  return llvm::map_to_vector<3>(values, [&](Value v) { return slot(v); });
}

Instruction &Decoder::append(Operation *op, Handler handler) {
  Instruction &instruction = program.instructions.emplace_back();
  instruction.op = op;
  instruction.handler = handler;
  return instruction;
}

LogicalResult Decoder::emit(Operation *op, Handler handler, int payload) {
  Instruction &instruction = append(op, handler);
  instruction.operands = slotsOf(op->getOperands());
  instruction.payload = payload;
  for (Value result : op->getResults()) {
    FailureOr<Slot> slot = define(result);
    if (failed(slot))
      return failure();
    instruction.results.push_back(*slot);
  }
  return success();
}

void Decoder::accesses(const ElementFormat &format) {
  program.granule = std::min(program.granule, format.bytes());
}

LogicalResult Decoder::decodeOp(Operation *op) {
  for (auto family :
       {decodeElements, decodeMemory, decodeAsyncCopies, decodeBulkCopies,
        decodeCoreMatrixAccess, decodeControlFlow, decodeGpu, decodeMatrix,
        decodeAMDGPU, decodeSPIRV, decodeWarpOps, decodeFragmentElements,
        decodeGroupOps, decodeGroupedOps}) {
    bool handled = true;
    if (failed(family(*this, op, handled)))
      return failure();
    if (handled)
      return success();
  }
  return op->emitError("cannot simulate '") << op->getName() << "'";
}

LogicalResult Decoder::decodeBlock(Block &block) {
  for (Operation &op : block)
    if (failed(decodeOp(&op)))
      return failure();
  return success();
}

LogicalResult Decoder::decodeKernel(gpu::GPUFuncOp kernel) {
  if (!llvm::hasSingleElement(kernel.getBody()))
    return kernel.emitError(
        "expected a kernel of one block: unstructured control flow cannot be "
        "simulated");
  unsigned arguments = kernel.getNumArguments();
  for (BlockArgument argument : kernel.getBody().front().getArguments()) {
    FailureOr<Slot> slot = define(argument);
    if (failed(slot))
      return failure();
    if (argument.getArgNumber() < arguments) {
      program.arguments.push_back(*slot);
      continue;
    }
    auto type = cast<MemRefType>(argument.getType());
    bool isWorkgroup = argument.getArgNumber() <
                       arguments + kernel.getNumWorkgroupAttributions();
    if (!isWorkgroup || !type.hasStaticShape() ||
        !type.getLayout().isIdentity())
      return kernel.emitError("cannot simulate the attribution of type ")
             << type;
    // What static shared memory is aligned to unless the kernel says more.
    int64_t alignment = elementBytes(type.getElementType());
    if (auto wanted =
            dyn_cast_or_null<IntegerAttr>(kernel.getWorkgroupAttributionAttr(
                argument.getArgNumber() - arguments, "llvm.align")))
      alignment = wanted.getInt();
    program.attributions.push_back({*slot, type, alignment});
  }
  return decodeBlock(kernel.getBody().front());
}
