//===- Reference.cpp ------------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements of memory are `long double`s, which also hold every 64-bit integer.
// Tensors are contiguous or strided views of memory that nobody writes any
// more.
//
//===----------------------------------------------------------------------===//

#include "kami/Simulator/Reference.h"
#include "Interpreter.h"
#include "kami/IR/KamiOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <cstring>

using namespace kami;
using namespace kami::sim;
using namespace mlir;

namespace {
class ReferenceInterpreter : public Interpreter {
public:
  ReferenceInterpreter(Memory &memory, bool magnitudes)
      : Interpreter(memory), magnitudes(magnitudes) {}

  MemRef allocate(ArrayRef<int64_t> sizes, Type element) override;
  Cell loadElement(const MemRef &memref, int64_t address) override;
  void storeElement(const MemRef &memref, int64_t address,
                    const Cell &value) override;
  long double magnitude(long double value) const {
    return magnitudes ? std::fabs(value) : value;
  }

protected:
  LogicalResult runOther(Operation *op, bool &handled) override;
  FailureOr<Cell> runScalar(Operation *op, ArrayRef<Cell> operands,
                            bool &handled) override;
  FailureOr<Cell> constant(Operation *op, TypedAttr value) override;
  bool runFast(linalg::LinalgOp op, ArrayRef<MemRef> views) override;

private:
  LogicalResult runTensor(Operation *op, bool &handled);
  LogicalResult runElementwise(Operation *op);
  LogicalResult runGemm(GemmOp op);
  MemRef slice(const MemRef &source, ArrayRef<int64_t> offsets,
               ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
               const llvm::SmallBitVector &dropped);
  LogicalResult insertSlice(tensor::InsertSliceOp op);
  Cell scalarConstant(Attribute value);

  bool magnitudes;
};
} // namespace

static long double *data(const MemRef &memref) {
  return reinterpret_cast<long double *>(memref.buffer->bytes.data());
}

MemRef ReferenceInterpreter::allocate(ArrayRef<int64_t> sizes, Type element) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  Buffer &buffer = memory.allocate("reference", count * sizeof(long double), 0);
  MemRef memref = contiguous(buffer, sizes, element);
  memref.elementBytes = sizeof(long double);
  std::fill_n(data(memref), count, std::nanl(""));
  return memref;
}

Cell ReferenceInterpreter::loadElement(const MemRef &memref, int64_t address) {
  long double value;
  std::memcpy(&value, memref.buffer->bytes.data() + address, sizeof(value));
  return isa<FloatType>(memref.elementType) ? Cell::ofReal(value)
                                            : Cell::ofBits(int64_t(value));
}

void ReferenceInterpreter::storeElement(const MemRef &memref, int64_t address,
                                        const Cell &cell) {
  long double value =
      isa<FloatType>(memref.elementType) ? cell.real : int64_t(cell.bits);
  std::memcpy(memref.buffer->bytes.data() + address, &value, sizeof(value));
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Cell ReferenceInterpreter::scalarConstant(Attribute value) {
  if (auto real = dyn_cast<FloatAttr>(value))
    return Cell::ofReal(magnitude(real.getValueAsDouble()));
  return Cell::ofBits(*bitsOf(value));
}

FailureOr<Cell> ReferenceInterpreter::constant(Operation *op, TypedAttr value) {
  if (bitsOf(value))
    return scalarConstant(value);
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense || !formatOf(dense.getElementType()))
    return op->emitError("cannot interpret this constant");
  MemRef memref = allocate(dense.getType().getShape(), dense.getElementType());
  for (auto [i, element] : llvm::enumerate(dense.getValues<Attribute>()))
    storeElement(memref, i * sizeof(long double), scalarConstant(element));
  return Cell::ofMemRef(memref);
}

static bool compare(arith::CmpFPredicate predicate, long double a,
                    long double b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::AlwaysTrue:
    return true;
  case P::ORD:
    return !unordered;
  case P::UNO:
    return unordered;
  case P::OEQ:
    return a == b;
  case P::ONE:
    return !unordered && a != b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::UEQ:
    return unordered || a == b;
  case P::UNE:
    return a != b || unordered;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  }
  return false;
}

static long double maximum(long double a, long double b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
}
static long double minimum(long double a, long double b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::min(a, b);
}

/// Ops on floats; the others are exact as they are.
FailureOr<Cell> ReferenceInterpreter::runScalar(Operation *op,
                                                ArrayRef<Cell> operands,
                                                bool &handled) {
  auto a = [&] { return operands[0].real; };
  auto b = [&] { return operands[1].real; };
  auto real = [](long double value) { return Cell::ofReal(value); };
  auto integerOf = [&] {
    return toSigned(*formatOf(getElementTypeOrSelf(op->getOperand(0))),
                    operands[0].bits);
  };
  std::optional<Cell> result =
      llvm::TypeSwitch<Operation *, std::optional<Cell>>(op)
          .Case([&](arith::AddFOp) { return real(a() + b()); })
          .Case([&](arith::SubFOp) {
            return real(magnitudes ? a() + b() : a() - b());
          })
          .Case([&](arith::MulFOp) { return real(a() * b()); })
          .Case([&](arith::DivFOp) { return real(a() / b()); })
          .Case<arith::MaximumFOp, arith::MaxNumFOp>(
              [&](auto) { return real(maximum(a(), b())); })
          .Case<arith::MinimumFOp, arith::MinNumFOp>(
              [&](auto) { return real(minimum(a(), b())); })
          .Case([&](arith::NegFOp) { return real(magnitude(-a())); })
          .Case([&](math::AbsFOp) { return real(std::fabs(a())); })
          .Case([&](math::SqrtOp) { return real(std::sqrt(a())); })
          .Case([&](math::ExpOp) { return real(std::exp(a())); })
          .Case([&](math::TanhOp) { return real(std::tanh(a())); })
          .Case([&](math::ErfOp) { return real(std::erf(a())); })
          .Case([&](math::FmaOp) { return real(a() * b() + operands[2].real); })
          .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return real(a()); })
          .Case([&](arith::SIToFPOp) {
            return real(magnitude((long double)integerOf()));
          })
          .Case([&](arith::UIToFPOp) {
            return real((long double)operands[0].bits);
          })
          .Case([&](arith::FPToSIOp) {
            ElementFormat to =
                *formatOf(getElementTypeOrSelf(op->getResult(0)));
            return Cell::ofBits(fromDouble(to, double(std::trunc(a()))));
          })
          .Case([&](arith::CmpFOp cmp) {
            return Cell::ofBits(compare(cmp.getPredicate(), a(), b()));
          })
          .Case([&](arith::SelectOp) {
            return operands[0].bits & 1 ? operands[1] : operands[2];
          })
          .Default([](Operation *) { return std::nullopt; });
  handled = true;
  if (result)
    return *result;
  auto isFloat = [](Type type) {
    return isa<FloatType>(getElementTypeOrSelf(type));
  };
  handled = false;
  if (llvm::any_of(op->getOperandTypes(), isFloat) ||
      llvm::any_of(op->getResultTypes(), isFloat))
    return Cell();
  return Interpreter::runScalar(op, operands, handled);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// C += A · B on strided views. The sum goes over the innermost loop.
static void accumulate(const MemRef &a, const MemRef &b, const MemRef &c,
                       int64_t m, int64_t n, int64_t k) {
  // Element strides of (m, k), (k, n) and (m, n).
  const long double *pa = data(a) + a.offset, *pb = data(b) + b.offset;
  long double *pc = data(c) + c.offset;
  std::vector<long double> row(n);
  for (int64_t i = 0; i != m; ++i) {
    for (int64_t j = 0; j != n; ++j)
      row[j] = pc[i * c.strides[0] + j * c.strides[1]];
    for (int64_t l = 0; l != k; ++l) {
      long double factor = pa[i * a.strides[0] + l * a.strides[1]];
      const long double *other = pb + l * b.strides[0];
      for (int64_t j = 0; j != n; ++j)
        row[j] += factor * other[j * b.strides[1]];
    }
    for (int64_t j = 0; j != n; ++j)
      pc[i * c.strides[0] + j * c.strides[1]] = row[j];
  }
}

/// The last two dimensions of a batch element. A missing batch dimension, or
/// one of extent 1, is repeated.
static MemRef matrixOf(const MemRef &operand, ArrayRef<int64_t> batch,
                       bool transpose) {
  MemRef matrix = operand;
  unsigned rank = operand.rank(), leading = rank - 2;
  for (unsigned d = 0; d != leading; ++d)
    if (operand.sizes[d] != 1)
      matrix.offset += batch[batch.size() - leading + d] * operand.strides[d];
  matrix.sizes = {operand.sizes[rank - 2], operand.sizes[rank - 1]};
  matrix.strides = {operand.strides[rank - 2], operand.strides[rank - 1]};
  if (transpose) {
    std::swap(matrix.sizes[0], matrix.sizes[1]);
    std::swap(matrix.strides[0], matrix.strides[1]);
  }
  return matrix;
}

LogicalResult ReferenceInterpreter::runGemm(GemmOp op) {
  MemRef a = get(op.getA()).memref, b = get(op.getB()).memref;
  MemRef c = get(op.getC()).memref;
  long double alpha = op.getAlpha() ? get(op.getAlpha()).real : 1;
  long double beta = op.getBeta() ? get(op.getBeta()).real : 0;
  if (op.hasTensorSemantics()) {
    c = clone(c);
    set(op.getResult(), Cell::ofMemRef(c));
  }
  return forEachIndex(
      ArrayRef<int64_t>(c.sizes).drop_back(2),
      [&](ArrayRef<int64_t> batch) -> LogicalResult {
        MemRef mc = matrixOf(c, batch, false);
        MemRef ma = matrixOf(a, batch, op.getTransposeA());
        MemRef mb = matrixOf(b, batch, op.getTransposeB());
        int64_t m = mc.sizes[0], n = mc.sizes[1], k = ma.sizes[1];
        if (ma.sizes[0] != m || mb.sizes[0] != k || mb.sizes[1] != n)
          return op.emitError("expected extents that agree, but got A ")
                 << ma.sizes[0] << "x" << k << ", B " << mb.sizes[0] << "x"
                 << mb.sizes[1] << " and C " << m << "x" << n;
        MemRef sum = allocate({m, n}, c.elementType);
        std::fill_n(data(sum), m * n, 0.0L);
        accumulate(ma, mb, sum, m, n, k);
        for (int64_t i = 0; i != m; ++i) {
          for (int64_t j = 0; j != n; ++j) {
            long double &out =
                data(mc)[mc.offset + i * mc.strides[0] + j * mc.strides[1]];
            long double product = alpha * data(sum)[i * n + j];
            // Where β is 0, C's old contents are not read: they may be NaN.
            out = beta == 0 ? product : product + beta * out;
          }
        }
        memory.release(sum.buffer);
        return success();
      });
}

/// Follows the float extensions and truncations that are nothing here.
static Value strip(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// yield(c + a · b), in any order of operands, with casts anywhere.
static bool isMultiplyAdd(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return false;
  Block *body = op.getBlock();
  for (Operation &inner : body->without_terminator())
    if (!isa<arith::ExtFOp, arith::TruncFOp, arith::AddFOp, arith::MulFOp>(
            inner))
      return false;
  auto add = strip(body->getTerminator()->getOperand(0))
                 .getDefiningOp<arith::AddFOp>();
  if (!add)
    return false;
  for (auto [sum, term] : {std::pair(add.getLhs(), add.getRhs()),
                           std::pair(add.getRhs(), add.getLhs())}) {
    auto multiply = strip(term).getDefiningOp<arith::MulFOp>();
    if (!multiply || strip(sum) != body->getArgument(2))
      continue;
    Value x = strip(multiply.getLhs()), y = strip(multiply.getRhs());
    Value a = body->getArgument(0), b = body->getArgument(1);
    return (x == a && y == b) || (x == b && y == a);
  }
  return false;
}

namespace {
/// A loop of a nest, and what it adds to the place in each of three operands.
struct NestLoop {
  int64_t extent;
  int64_t strides[3];
};
} // namespace

static void runNest(ArrayRef<NestLoop> loops, const long double *a,
                    const long double *b, long double *c) {
  if (loops.empty()) {
    *c += *a * *b;
    return;
  }
  const NestLoop &loop = loops.front();
  auto [sa, sb, sc] = loop.strides;
  if (loops.size() == 1 && sc == 0) {
    long double sum = *c;
    for (int64_t i = 0; i != loop.extent; ++i)
      sum += a[i * sa] * b[i * sb];
    *c = sum;
    return;
  }
  for (int64_t i = 0; i != loop.extent; ++i)
    runNest(loops.drop_front(), a + i * sa, b + i * sb, c + i * sc);
}

/// Contractions whose operands are indexed by loops directly.
bool ReferenceInterpreter::runFast(linalg::LinalgOp op,
                                   ArrayRef<MemRef> views) {
  if (!isMultiplyAdd(op))
    return false;
  SmallVector<NestLoop> loops(op.getNumLoops(), NestLoop{1, {0, 0, 0}});
  for (auto [i, view, map] :
       llvm::enumerate(views, op.getIndexingMapsArray())) {
    if (!view.buffer || !map.isProjectedPermutation())
      return false;
    for (auto [d, expression] : llvm::enumerate(map.getResults())) {
      NestLoop &loop = loops[cast<AffineDimExpr>(expression).getPosition()];
      // The general way says what is wrong.
      if (loop.extent != 1 && loop.extent != view.sizes[d])
        return false;
      loop.extent = view.sizes[d];
      loop.strides[i] = view.strides[d];
    }
    for (unsigned d = 0; d != view.rank(); ++d)
      if (view.sizes[d] == 0)
        return true;
  }
  runNest(loops, data(views[0]) + views[0].offset,
          data(views[1]) + views[1].offset, data(views[2]) + views[2].offset);
  return true;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

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
    return runGemm(gemm);
  if (failed(runTensor(op, handled)))
    return failure();
  if (handled)
    return success();
  handled = op->getNumResults() == 1 && op->getNumRegions() == 0 &&
            op->getNumOperands() > 0 && op->hasTrait<OpTrait::Elementwise>() &&
            isa<RankedTensorType>(op->getResult(0).getType());
  return handled ? runElementwise(op) : success();
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

LogicalResult
kami::sim::evaluateReference(func::FuncOp function,
                             ArrayRef<ReferenceArray> inputs, bool magnitudes,
                             SmallVectorImpl<ReferenceArray> &outputs) {
  if (function.getNumArguments() != inputs.size())
    return function.emitError("expected ")
           << function.getNumArguments() << " arguments, but got "
           << inputs.size();
  Memory memory;
  ReferenceInterpreter interpreter(memory, magnitudes);
  Cells arguments, results;
  for (auto [value, input] : llvm::zip_equal(function.getArguments(), inputs)) {
    auto shaped = dyn_cast<ShapedType>(value.getType());
    int64_t count = 1;
    for (int64_t size : input.sizes)
      count *= size;
    if ((shaped &&
         (!shaped.hasRank() ||
          failed(verifyCompatibleShape(shaped.getShape(), input.sizes)))) ||
        (!shaped && !input.sizes.empty()) ||
        count != int64_t(input.values.size()))
      return function.emitError("expected an argument of type ")
             << value.getType() << ", but got an array of "
             << input.values.size() << " elements in " << input.sizes.size()
             << " dimensions";
    if (!shaped) {
      arguments.push_back(
          isa<FloatType>(value.getType())
              ? Cell::ofReal(interpreter.magnitude(input.values[0]))
              : Cell::ofBits(int64_t(input.values[0])));
      continue;
    }
    MemRef memref = interpreter.allocate(input.sizes, shaped.getElementType());
    bool isFloat = isa<FloatType>(shaped.getElementType());
    for (auto [i, element] : llvm::enumerate(input.values))
      data(memref)[i] = isFloat ? interpreter.magnitude(element) : element;
    arguments.push_back(Cell::ofMemRef(memref));
  }
  if (failed(interpreter.call(function, arguments, results)))
    return failure();

  outputs.clear();
  auto append = [&](Type type, const Cell &cell) {
    ReferenceArray &output = outputs.emplace_back();
    if (!isa<ShapedType>(type)) {
      output.values = {isa<FloatType>(type) ? cell.real
                                            : (long double)int64_t(cell.bits)};
      return;
    }
    output.sizes = cell.memref.sizes;
    (void)forEachIndex(output.sizes, [&](ArrayRef<int64_t> index) {
      output.values.push_back(
          data(cell.memref)[cell.memref.address(index) / sizeof(long double)]);
      return success();
    });
  };
  for (auto [type, cell] :
       llvm::zip_equal(function.getFunctionType().getResults(), results))
    append(type, cell);
  for (auto [value, cell] : llvm::zip_equal(function.getArguments(), arguments))
    if (isa<MemRefType>(value.getType()))
      append(value.getType(), cell);
  return success();
}
