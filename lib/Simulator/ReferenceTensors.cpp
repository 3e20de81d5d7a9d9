//===- ReferenceTensors.cpp -----------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceInterpreter.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace kami;
using namespace kami::sim;
using namespace mlir;

MemRef ReferenceInterpreter::slice(const MemRef &source,
                                   ArrayRef<int64_t> offsets,
                                   ArrayRef<int64_t> sizes,
                                   ArrayRef<int64_t> strides,
                                   const llvm::SmallBitVector &dropped) {
  MemRef view = source;
  view.sizes.clear();
  view.strides.clear();
  for (unsigned d = 0; d != source.rank(); ++d) {
    view.offset += offsets[d] * source.strides[d];
    if (dropped.test(d))
      continue;
    view.sizes.push_back(sizes[d]);
    view.strides.push_back(strides[d] * source.strides[d]);
  }
  return view;
}

LogicalResult ReferenceInterpreter::insertSlice(tensor::InsertSliceOp op) {
  MemRef whole = clone(get(op.getDest()).memref);
  MemRef part =
      slice(whole, mixed(op.getStaticOffsets(), op.getOffsets()),
            mixed(op.getStaticSizes(), op.getSizes()),
            mixed(op.getStaticStrides(), op.getStrides()), op.getDroppedDims());
  set(op, Cell::ofMemRef(whole));
  return copy(op, get(op.getSource()).memref, part);
}

/// An op on scalars, applied to every element of tensors.
LogicalResult ReferenceInterpreter::runElementwise(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Cells operands = get(op->getOperands());
  auto shape = llvm::find_if(
      operands, [](const Cell &cell) { return cell.memref.buffer; });
  MemRef result = allocate(shape->memref.sizes, type.getElementType());
  LogicalResult status =
      forEachIndex(result.sizes, [&](ArrayRef<int64_t> index) -> LogicalResult {
        Cells elements;
        for (const Cell &cell : operands) {
          if (!cell.memref.buffer) {
            elements.push_back(cell);
            continue;
          }
          FailureOr<int64_t> address = addressOf(op, cell.memref, index);
          if (failed(address))
            return failure();
          elements.push_back(loadElement(cell.memref, *address));
        }
        bool handled = true;
        FailureOr<Cell> value = runScalar(op, elements, handled);
        if (failed(value))
          return failure();
        if (!handled)
          return op->emitError("cannot interpret '") << op->getName() << "'";
        storeElement(result, result.address(index), *value);
        return success();
      });
  set(op->getResult(0), Cell::ofMemRef(result));
  return status;
}

/// A row-major tensor of the same elements.
static MemRef reshaped(MemRef contiguousSource, ArrayRef<int64_t> sizes) {
  MemRef view =
      contiguous(*contiguousSource.buffer, sizes, contiguousSource.elementType);
  view.elementBytes = contiguousSource.elementBytes;
  return view;
}

LogicalResult ReferenceInterpreter::runReshape(Operation *op, bool &handled) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tensor::CastOp cast) {
        Cell source = get(cast.getSource());
        set(cast, source);
        return success();
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        MemRef source = clone(get(collapse.getSrc()).memref);
        SmallVector<int64_t> sizes;
        for (const auto &group : collapse.getReassociationIndices()) {
          sizes.push_back(1);
          for (int64_t d : group)
            sizes.back() *= source.sizes[d];
        }
        set(collapse, Cell::ofMemRef(reshaped(source, sizes)));
        return success();
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        MemRef source = clone(get(expand.getSrc()).memref);
        set(expand,
            Cell::ofMemRef(reshaped(source, mixed(expand.getStaticOutputShape(),
                                                  expand.getOutputShape()))));
        return success();
      })
      .Default([&](Operation *) {
        handled = false;
        return success();
      });
}

LogicalResult ReferenceInterpreter::runTensor(Operation *op, bool &handled) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tensor::EmptyOp empty) {
        set(empty, Cell::ofMemRef(allocate(mixed(empty.getType().getShape(),
                                                 empty.getDynamicSizes()),
                                           empty.getType().getElementType())));
        return success();
      })
      .Case([&](tensor::ExtractSliceOp extract) -> LogicalResult {
        MemRef source = get(extract.getSource()).memref;
        MemRef view = slice(
            source, mixed(extract.getStaticOffsets(), extract.getOffsets()),
            mixed(extract.getStaticSizes(), extract.getSizes()),
            mixed(extract.getStaticStrides(), extract.getStrides()),
            extract.getDroppedDims());
        set(extract, Cell::ofMemRef(view));
        return success();
      })
      .Case([&](tensor::InsertSliceOp insert) { return insertSlice(insert); })
      .Case([&](tensor::DimOp dim) {
        int64_t size =
            get(dim.getSource()).memref.sizes[integer(dim.getIndex())];
        set(dim, Cell::ofBits(size));
        return success();
      })
      .Case([&](tensor::ExtractOp extract) -> LogicalResult {
        MemRef source = get(extract.getTensor()).memref;
        auto address = addressOf(op, source, integers(extract.getIndices()));
        if (failed(address))
          return failure();
        set(extract, loadElement(source, *address));
        return success();
      })
      .Case([&](tensor::SplatOp splat) {
        MemRef result =
            allocate(mixed(splat.getType().getShape(), splat.getDynamicSizes()),
                     splat.getType().getElementType());
        for (int64_t i = 0, e = result.elements(); i != e; ++i)
          storeElement(result, i * sizeof(long double), get(splat.getInput()));
        set(splat, Cell::ofMemRef(result));
        return success();
      })
      .Case([&](bufferization::ToTensorOp toTensor) {
        MemRef source = clone(get(toTensor.getBuffer()).memref);
        set(toTensor, Cell::ofMemRef(source));
        return success();
      })
      .Case([&](bufferization::MaterializeInDestinationOp write)
                -> LogicalResult {
        Cell source = get(write.getSource());
        if (write.getResult())
          set(write.getResult(), source);
        if (!isa<MemRefType>(write.getDest().getType()))
          return success();
        return copy(op, source.memref, get(write.getDest()).memref);
      })
      .Default([&](Operation *) {
        handled = false;
        return success();
      });
}

LogicalResult ReferenceInterpreter::runOther(Operation *op, bool &handled) {
  if (auto gemm = dyn_cast<GemmOp>(op))
    return gemm.isComplex() ? runComplexGemm(gemm) : runGemm(gemm);
  if (auto chain = dyn_cast<ChainOp>(op))
    return runChain(chain);
  if (auto grouped = dyn_cast<GroupedGemmOp>(op))
    return runGrouped(grouped);
  if (auto number = dyn_cast<complex::ConstantOp>(op)) {
    Cell cell = scalarConstant(number.getValue()[0]);
    cell.imaginary = scalarConstant(number.getValue()[1]).real;
    set(number, cell);
    return success();
  }
  for (auto family :
       {&ReferenceInterpreter::runTensor, &ReferenceInterpreter::runReshape}) {
    handled = true;
    if (failed((this->*family)(op, handled)))
      return failure();
    if (handled)
      return success();
  }
  handled = op->getNumResults() == 1 && op->getNumRegions() == 0 &&
            op->getNumOperands() > 0 && op->hasTrait<OpTrait::Elementwise>() &&
            isa<RankedTensorType>(op->getResult(0).getType());
  return handled ? runElementwise(op) : success();
}
