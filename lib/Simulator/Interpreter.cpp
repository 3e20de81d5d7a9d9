//===- Interpreter.cpp ----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstring>

using namespace kami::sim;
using namespace mlir;

/// Deep enough for any program, shallow enough for the stack.
constexpr int maxDepth = 200;

Cells Interpreter::get(ValueRange values) {
  return llvm::map_to_vector<6>(values, [&](Value v) { return cells[v]; });
}

void Interpreter::set(ValueRange values, ArrayRef<Cell> list) {
  for (auto [value, cell] : llvm::zip_equal(values, list))
    cells[value] = cell;
}

SmallVector<int64_t> Interpreter::integers(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value v) { return integer(v); });
}

SmallVector<int64_t> Interpreter::mixed(ArrayRef<int64_t> fixed,
                                        ValueRange values) {
  SmallVector<int64_t> result(fixed);
  for (int64_t &value : result) {
    if (ShapedType::isDynamic(value)) {
      value = integer(values.front());
      values = values.drop_front();
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Cell Interpreter::loadElement(const MemRef &memref, int64_t address) {
  return Cell::ofBits(
      readBits(memref.buffer->bytes.data() + address, memref.elementBytes));
}

void Interpreter::storeElement(const MemRef &memref, int64_t address,
                               const Cell &value) {
  writeBits(memref.buffer->bytes.data() + address, memref.elementBytes,
            value.bits);
}

void Interpreter::copyElement(const MemRef &from, int64_t source,
                              const MemRef &to, int64_t destination) {
  // Those of complex f64 are wider than what bits hold.
  std::memcpy(to.buffer->bytes.data() + destination,
              from.buffer->bytes.data() + source, from.elementBytes);
}

MemRef Interpreter::allocate(ArrayRef<int64_t> sizes, Type element) {
  return memory.allocate("host allocation", sizes, element);
}

FailureOr<int64_t> Interpreter::addressOf(Operation *op, const MemRef &memref,
                                          ArrayRef<int64_t> indices) {
  for (auto [d, index] : llvm::enumerate(indices))
    if (index < 0 || index >= memref.sizes[d])
      return op->emitError("out-of-bounds access: index ")
             << index << " in dimension " << d << " of extent "
             << memref.sizes[d];
  int64_t address = memref.address(indices);
  if (!memref.contains(address, memref.elementBytes))
    return op->emitError("out-of-bounds access: byte ")
           << address << " of an allocation of " << memref.buffer->size()
           << " bytes";
  return address;
}

LogicalResult Interpreter::copy(Operation *op, const MemRef &from,
                                const MemRef &to) {
  if (from.sizes != to.sizes)
    return op->emitError("expected source and destination of one shape");
  return forEachIndex(from.sizes, [&](ArrayRef<int64_t> index) {
    FailureOr<int64_t> source = addressOf(op, from, index);
    FailureOr<int64_t> destination = addressOf(op, to, index);
    if (failed(source) || failed(destination))
      return failure();
    copyElement(from, *source, to, *destination);
    return success();
  });
}

MemRef Interpreter::clone(const MemRef &from) {
  MemRef fresh = allocate(from.sizes, from.elementType);
  (void)forEachIndex(from.sizes, [&](ArrayRef<int64_t> index) {
    copyElement(from, from.address(index), fresh, fresh.address(index));
    return success();
  });
  return fresh;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

FailureOr<Cell> Interpreter::runScalar(Operation *op, ArrayRef<Cell> operands,
                                       bool &handled) {
  auto [at, isNew] = decoded.try_emplace(op);
  if (isNew)
    if (std::optional<ScalarOp> scalar = decodeScalarOp(op))
      at->second = *scalar;
  const ScalarOp &scalar = at->second;
  handled = scalar.function != nullptr;
  if (!handled)
    return Cell();
  uint64_t bits[3] = {0, 0, 0};
  for (auto [i, operand] : llvm::enumerate(operands))
    bits[i] = operand.bits;
  return Cell::ofBits(scalar(bits[0], bits[1], bits[2]));
}

FailureOr<Cell> Interpreter::constant(Operation *op, TypedAttr value) {
  std::optional<uint64_t> bits = bitsOf(value);
  if (!bits)
    return op->emitError("cannot interpret this constant");
  return Cell::ofBits(*bits);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult Interpreter::runBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(runOp(&op)))
      return failure();
  return success();
}

LogicalResult Interpreter::runOp(Operation *op) {
  bool handled = true;
  if (failed(runOther(op, handled)))
    return failure();
  if (handled)
    return success();
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
    FailureOr<Cell> cell = constant(op, constantOp.getValue());
    if (succeeded(cell))
      set(constantOp, *cell);
    return cell;
  }
  if (isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
          op)) {
    set(op->getResult(0),
        Cell::ofBits(evaluateAffineOp(op, integers(op->getOperands()))));
    return success();
  }
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return runLinalg(linalgOp);
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    set(index, Cell::ofBits(points.back()[index.getDim()]));
    return success();
  }
  if (op->getNumResults() == 1 && op->getNumRegions() == 0 &&
      formatOf(op->getResult(0).getType())) {
    FailureOr<Cell> cell =
        runScalar(op, get(op->getOperands()), handled = true);
    if (failed(cell))
      return failure();
    if (handled) {
      set(op->getResult(0), *cell);
      return success();
    }
  }
  for (auto family : {&Interpreter::runControlFlow, &Interpreter::runMemory}) {
    handled = true;
    if (failed((this->*family)(op, handled)))
      return failure();
    if (handled)
      return success();
  }
  return op->emitError("cannot interpret '") << op->getName() << "'";
}

LogicalResult Interpreter::call(func::FuncOp function, ArrayRef<Cell> arguments,
                                Cells &results) {
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
    return function.emitError("expected a function with a body of one block");
  if (function.getNumArguments() != arguments.size())
    return function.emitError("expected ")
           << function.getNumArguments() << " arguments, but got "
           << arguments.size();
  if (depth == maxDepth)
    return function.emitError("calls are nested too deeply");
  ++depth;
  Block &body = function.getBody().front();
  set(body.getArguments(), arguments);
  LogicalResult status = runBlock(body);
  if (succeeded(status))
    results = get(body.getTerminator()->getOperands());
  --depth;
  return status;
}

LogicalResult Interpreter::runCall(func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  if (!callee)
    return op.emitError("calls no known function");
  Cells results;
  if (failed(call(callee, get(op.getOperands()), results)))
    return failure();
  set(op.getResults(), results);
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult Interpreter::runFor(scf::ForOp op) {
  ElementFormat format = *formatOf(op.getInductionVar().getType());
  int64_t step = toSigned(format, integer(op.getStep()));
  int64_t upper = toSigned(format, integer(op.getUpperBound()));
  if (step <= 0)
    return op.emitError("expected a positive step, but got ") << step;
  Cells carried = get(op.getInitArgs());
  for (int64_t i = toSigned(format, integer(op.getLowerBound())); i < upper;
       i += step) {
    set(op.getInductionVar(), Cell::ofBits(uint64_t(i) & format.mask()));
    set(op.getRegionIterArgs(), carried);
    if (failed(runBlock(*op.getBody())))
      return failure();
    carried = get(op.getBody()->getTerminator()->getOperands());
  }
  set(op.getResults(), carried);
  return success();
}

LogicalResult Interpreter::runWhile(scf::WhileOp op) {
  Cells carried = get(op.getInits());
  while (true) {
    set(op.getBeforeArguments(), carried);
    if (failed(runBlock(*op.getBeforeBody())))
      return failure();
    scf::ConditionOp condition = op.getConditionOp();
    Cells passed = get(condition.getArgs());
    if (!integer(condition.getCondition())) {
      set(op.getResults(), passed);
      return success();
    }
    set(op.getAfterArguments(), passed);
    if (failed(runBlock(*op.getAfterBody())))
      return failure();
    carried = get(op.getYieldOp().getOperands());
  }
}

LogicalResult Interpreter::runControlFlow(Operation *op, bool &handled) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp loop) { return runFor(loop); })
      .Case([&](scf::WhileOp loop) { return runWhile(loop); })
      .Case([&](scf::IfOp branch) -> LogicalResult {
        Block *taken = integer(branch.getCondition()) ? branch.thenBlock()
                                                      : branch.elseBlock();
        if (!taken)
          return success();
        if (failed(runBlock(*taken)))
          return failure();
        set(branch.getResults(), get(taken->getTerminator()->getOperands()));
        return success();
      })
      .Case([&](func::CallOp callOp) { return runCall(callOp); })
      .Default([&](Operation *) {
        handled = false;
        return success();
      });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult Interpreter::runAllocation(Operation *op) {
  auto type = cast<MemRefType>(op->getResult(0).getType());
  if (!type.getLayout().isIdentity())
    return op->emitError("cannot interpret an allocation with a layout");
  MemRef memref = allocate(mixed(type.getShape(), op->getOperands()),
                           type.getElementType());
  if (memref.elementBytes == 0)
    return op->emitError("cannot interpret elements of type ")
           << type.getElementType();
  set(op->getResult(0), Cell::ofMemRef(memref));
  return success();
}

LogicalResult Interpreter::runMetadata(memref::ExtractStridedMetadataOp op) {
  MemRef source = get(op.getSource()).memref;
  MemRef base = source;
  base.offset = 0;
  base.sizes.clear();
  base.strides.clear();
  set(op.getBaseBuffer(), Cell::ofMemRef(base));
  set(op.getOffset(), Cell::ofBits(source.offset));
  for (auto [value, size] : llvm::zip_equal(op.getSizes(), source.sizes))
    set(value, Cell::ofBits(size));
  for (auto [value, stride] : llvm::zip_equal(op.getStrides(), source.strides))
    set(value, Cell::ofBits(stride));
  return success();
}

LogicalResult Interpreter::runMemory(Operation *op, bool &handled) {
  if (isViewOp(op)) {
    MemRef source = get(op->getOperand(0)).memref;
    FailureOr<MemRef> view =
        evaluateView(op, source, integers(op->getOperands().drop_front()));
    if (succeeded(view))
      set(op->getResult(0), Cell::ofMemRef(*view));
    return view;
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<memref::AllocOp, memref::AllocaOp>(
          [&](auto) { return runAllocation(op); })
      // Its memory lives until the interpreter's owner lets go of it, since
      // results may point there.
      .Case([&](memref::DeallocOp) { return success(); })
      // Of anything but memrefs it is a scalar's.
      .Case([&](arith::SelectOp select) -> LogicalResult {
        bool isTrue = get(select.getCondition()).bits & 1;
        set(select,
            get(isTrue ? select.getTrueValue() : select.getFalseValue()));
        return success();
      })
      .Case([&](memref::LoadOp load) -> LogicalResult {
        MemRef memref = get(load.getMemRef()).memref;
        auto address = addressOf(op, memref, integers(load.getIndices()));
        if (failed(address))
          return failure();
        set(load, loadElement(memref, *address));
        return success();
      })
      .Case([&](memref::StoreOp store) -> LogicalResult {
        MemRef memref = get(store.getMemRef()).memref;
        auto address = addressOf(op, memref, integers(store.getIndices()));
        if (failed(address))
          return failure();
        storeElement(memref, *address, get(store.getValueToStore()));
        return success();
      })
      .Case([&](memref::CopyOp copyOp) {
        return copy(op, get(copyOp.getSource()).memref,
                    get(copyOp.getTarget()).memref);
      })
      .Case([&](memref::DimOp dim) -> LogicalResult {
        const MemRef &memref = get(dim.getSource()).memref;
        uint64_t index = integer(dim.getIndex());
        if (index >= memref.rank())
          return op->emitError("expected a dimension below ")
                 << memref.rank() << ", but got " << index;
        int64_t size = memref.sizes[index];
        set(dim, Cell::ofBits(size));
        return success();
      })
      .Case([&](memref::ExtractStridedMetadataOp metadata) {
        return runMetadata(metadata);
      })
      .Default([&](Operation *) {
        handled = false;
        return success();
      });
}

//===----------------------------------------------------------------------===//
// Structured ops
//===----------------------------------------------------------------------===//

LogicalResult Interpreter::runPoint(linalg::LinalgOp op, ArrayRef<MemRef> views,
                                    ArrayRef<AffineMap> maps,
                                    ArrayRef<int64_t> point) {
  Block *body = op.getBlock();
  SmallVector<int64_t, 8> addresses;
  for (auto [i, view, map] : llvm::enumerate(views, maps)) {
    if (!view.buffer) {
      set(body->getArgument(i), get(op->getOperand(i)));
      addresses.push_back(0);
      continue;
    }
    SmallVector<int64_t, 6> index;
    for (AffineExpr expression : map.getResults())
      index.push_back(evaluateAffine(expression, point, {}));
    FailureOr<int64_t> address = addressOf(op, view, index);
    if (failed(address))
      return failure();
    set(body->getArgument(i), loadElement(view, *address));
    addresses.push_back(*address);
  }
  if (failed(runBlock(*body)))
    return failure();
  unsigned inputs = op.getNumDpsInputs();
  for (auto [i, value] : llvm::enumerate(body->getTerminator()->getOperands()))
    storeElement(views[inputs + i], addresses[inputs + i], get(value));
  return success();
}

LogicalResult Interpreter::runLinalg(linalg::LinalgOp op) {
  SmallVector<MemRef> views;
  SmallVector<int64_t> sizes;
  for (OpOperand &operand : op->getOpOperands()) {
    MemRef view = get(operand.get()).memref;
    // A tensor is a value: what is written is a copy.
    if (op.isDpsInit(&operand) &&
        isa<RankedTensorType>(operand.get().getType())) {
      view = clone(view);
      set(op->getResult(operand.getOperandNumber() - op.getNumDpsInputs()),
          Cell::ofMemRef(view));
    }
    sizes.append(view.sizes.begin(), view.sizes.end());
    views.push_back(std::move(view));
  }
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap loops = op.getShapesToLoopsMap();
  if (!loops)
    return op.emitError("cannot infer the extents of the loops");
  SmallVector<int64_t> extents;
  for (AffineExpr expression : loops.getResults())
    extents.push_back(evaluateAffine(expression, sizes, {}));
  if (runFast(op, views))
    return success();
  points.push_back({});
  LogicalResult status = forEachIndex(extents, [&](ArrayRef<int64_t> point) {
    points.back().assign(point.begin(), point.end());
    return runPoint(op, views, maps, point);
  });
  points.pop_back();
  return status;
}
