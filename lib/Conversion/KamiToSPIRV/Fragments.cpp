//===- Fragments.cpp - Loads, stores and products of fragments ------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tiles.h"
#include "kami/Bridge/Bridge.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace kami;
using namespace kami::spirv_lowering;
using namespace mlir;

//===----------------------------------------------------------------------===//
// A fragment's window of a matrix
//===----------------------------------------------------------------------===//

namespace {
/// What a fragment's elements are of a matrix in memory.
class Window {
public:
  template <typename OpTy>
  Window(ImplicitLocOpBuilder &b, const KernelContext &kernel, OpTy op,
         Value matrix, FragmentType fragment)
      : fragment(fragment), shape(fragment), kernel(kernel),
        matrix(flatten(b, kernel.memory, matrix)),
        multiples(kernel.multiples.lookup(op)), row(op.getRow()),
        column(op.getColumn()), rowInBounds(op.getRowInBounds()),
        columnInBounds(op.getColumnInBounds()) {}

  /// Whether tiles can be moved between matrix and registers as a whole; null
  /// if they always can. Nothing if they never can.
  std::optional<Value> isDirect(ImplicitLocOpBuilder &b) const;
  Value loadMatrix(ImplicitLocOpBuilder &b, int64_t tile) const;
  /// Of sums that the device has narrower matrices for, narrows them.
  void storeMatrix(ImplicitLocOpBuilder &b, int64_t tile, Value value) const;

  /// Calls `access` with the position of the lane's v-th element of a tile, or
  /// not if the matrix does not have it.
  SmallVector<Value>
  ifInBounds(ImplicitLocOpBuilder &b, int64_t tile, int64_t v, TypeRange types,
             llvm::function_ref<SmallVector<Value>(Value position)> access,
             llvm::function_ref<SmallVector<Value>()> otherwise) const;

  Value memory() const { return matrix.memory; }
  Type elementType() const { return matrix.elementType(); }

private:
  /// The dimension along which elements are adjacent.
  std::optional<unsigned> minorDim() const;
  /// Whether a matrix of the fragment's can be made one of the memory's
  /// elements, which must be of a type that some product is summed in.
  bool canNarrow() const;
  Value pointerTo(ImplicitLocOpBuilder &b, int64_t tile) const;
  spirv::CooperativeMatrixLayoutKHR layout() const {
    return *minorDim() == 1 ? spirv::CooperativeMatrixLayoutKHR::RowMajor
                            : spirv::CooperativeMatrixLayoutKHR::ColumnMajor;
  }
  Value stride(ImplicitLocOpBuilder &b) const {
    return arith::IndexCastOp::create(b, b.getI32Type(),
                                      matrix.strides[1 - *minorDim()]);
  }
  Value tileRow(ImplicitLocOpBuilder &b, int64_t tile) const {
    int64_t first = tile / fragment.getTileColumns() * shape.rows;
    return addIndex(b, row, indexConstant(b, first));
  }
  Value tileColumn(ImplicitLocOpBuilder &b, int64_t tile) const {
    int64_t first = tile % fragment.getTileColumns() * shape.columns;
    return addIndex(b, column, indexConstant(b, first));
  }

  FragmentType fragment;
  TileShape shape;
  const KernelContext &kernel;
  FlatMatrix matrix;
  KnownMultiples multiples;
  Value row, column;
  bool rowInBounds, columnInBounds;
};
} // namespace

std::optional<unsigned> Window::minorDim() const {
  for (unsigned dim : {1u, 0u})
    if (isConstantIntValue(matrix.strides[dim], 1))
      return dim;
  return std::nullopt;
}

/// Whether `index`, which is a multiple of `known`, is one of `factor`; null if
/// that is certain. Nothing if it is certain not to be.
static std::optional<Value> isMultiple(ImplicitLocOpBuilder &b, Value index,
                                       int64_t known, int64_t factor) {
  if (known % factor == 0)
    return Value();
  Value rest = b.createOrFold<arith::RemUIOp>(index, indexConstant(b, factor));
  if (getConstantIntValue(rest))
    return std::nullopt;
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest,
                               indexConstant(b, 0))
      .getResult();
}

bool Window::canNarrow() const {
  Type from = fragment.getStorageType(), to = elementType();
  if (fragment.getRole() != Role::C || !isa<FloatType>(from) ||
      !isa<FloatType>(to))
    return false;
  return llvm::any_of(kernel.chip.atoms, [&](const AtomRate &rate) {
    const Atom &atom = *kami::findAtom(rate.atom);
    return atom.shape.m == shape.rows && atom.shape.n == shape.columns &&
           atom.accumulator == elementKind(to);
  });
}

std::optional<Value> Window::isDirect(ImplicitLocOpBuilder &b) const {
  std::optional<unsigned> minor = minorDim();
  if (!minor || !fragment.hasAtomElementType() ||
      (elementType() != fragment.getStorageType() && !canNarrow()))
    return std::nullopt;
  SmallVector<Value> conditions;
  // Vulkan, VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986: pointer and
  // stride are aligned to 16 bytes, or to a row of the matrix (a column, of a
  // column-major one) if that is less.
  int64_t bytes = elementType().getIntOrFloatBitWidth() / 8;
  int64_t line = *minor == 1 ? shape.columns : shape.rows;
  int64_t aligned = std::max<int64_t>(std::min<int64_t>(16 / bytes, line), 1);
  unsigned major = 1 - *minor;
  for (auto [index, known] :
       {std::pair(matrix.strides[major], multiples.strides[major]),
        std::pair(matrix.at(b, row, column), multiples.position)}) {
    std::optional<Value> condition = isMultiple(b, index, known, aligned);
    if (!condition)
      return std::nullopt;
    if (*condition)
      conditions.push_back(*condition);
  }
  auto isInside = [&](Value first, int64_t count, Value extent) {
    conditions.push_back(arith::CmpIOp::create(
        b, arith::CmpIPredicate::sle,
        addIndex(b, first, indexConstant(b, count)), extent));
  };
  if (!rowInBounds)
    isInside(row, fragment.getRows(), matrix.sizes[0]);
  if (!columnInBounds)
    isInside(column, fragment.getColumns(), matrix.sizes[1]);
  Value all;
  for (Value condition : conditions)
    all = all ? b.createOrFold<arith::AndIOp>(all, condition) : condition;
  return all;
}

Value Window::pointerTo(ImplicitLocOpBuilder &b, int64_t tile) const {
  return elementPointer(b, matrix.memory,
                        matrix.at(b, tileRow(b, tile), tileColumn(b, tile)),
                        kernel.flavor());
}

Value Window::loadMatrix(ImplicitLocOpBuilder &b, int64_t tile) const {
  Value pointer = pointerTo(b, tile);
  return spirv::KHRCooperativeMatrixLoadOp::create(
      b, matrixType(fragment), pointer, layout(), stride(b),
      spirv::MemoryAccessAttr(), /*alignment=*/IntegerAttr());
}

void Window::storeMatrix(ImplicitLocOpBuilder &b, int64_t tile,
                         Value value) const {
  if (elementType() != fragment.getStorageType()) {
    auto type = cast<spirv::CooperativeMatrixType>(value.getType());
    value = spirv::FConvertOp::create(
        b, type.cloneWith(std::nullopt, elementType()), value);
  }
  Value pointer = pointerTo(b, tile);
  spirv::KHRCooperativeMatrixStoreOp::create(
      b, pointer, value, layout(), stride(b), spirv::MemoryAccessAttr(),
      /*alignment=*/IntegerAttr());
}

SmallVector<Value> Window::ifInBounds(
    ImplicitLocOpBuilder &b, int64_t tile, int64_t v, TypeRange types,
    llvm::function_ref<SmallVector<Value>(Value position)> access,
    llvm::function_ref<SmallVector<Value>()> otherwise) const {
  auto [lineInTile, columnInTile] = shape.place(b, v);
  Value line = addIndex(b, tileRow(b, tile), lineInTile);
  Value place = addIndex(b, tileColumn(b, tile), columnInTile);
  Value inside;
  for (auto [isKnown, index, extent] :
       {std::tuple(rowInBounds, line, matrix.sizes[0]),
        std::tuple(columnInBounds, place, matrix.sizes[1])}) {
    if (isKnown)
      continue;
    Value below =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, index, extent);
    inside = inside ? Value(arith::AndIOp::create(b, inside, below)) : below;
  }
  Value position = matrix.at(b, line, place);
  if (!inside)
    return access(position);
  auto choice =
      scf::IfOp::create(b, types, inside, /*withElseRegion=*/!types.empty());
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(choice.thenBlock());
  SmallVector<Value> values = access(position);
  if (types.empty())
    return {};
  scf::YieldOp::create(b, values);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, otherwise());
  return choice.getResults();
}

//===----------------------------------------------------------------------===//
// Two ways of doing the same
//===----------------------------------------------------------------------===//

/// What `direct` gives where the condition holds, or there is none, and `other`
/// gives elsewhere, or if nothing can be direct.
static SmallVector<Value>
choose(ImplicitLocOpBuilder &b, std::optional<Value> isDirect, TypeRange types,
       llvm::function_ref<SmallVector<Value>()> direct,
       llvm::function_ref<SmallVector<Value>()> other) {
  if (!isDirect)
    return other();
  if (!*isDirect)
    return direct();
  auto choice = scf::IfOp::create(b, types, *isDirect, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard insertion(b);
  for (auto [block, emit] : {std::pair(choice.thenBlock(), direct),
                             std::pair(choice.elseBlock(), other)}) {
    b.setInsertionPointToStart(block);
    SmallVector<Value> values = emit();
    if (!types.empty())
      scf::YieldOp::create(b, values);
  }
  return choice.getResults();
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

struct ConvertLoad : KernelPattern<LoadOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(LoadOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getSkewedAs())
      return rewriter.notifyMatchFailure(op, "nothing is copied skewed here");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FragmentType fragment = op.getResult().getType();
    Window window(b, kernel, op, op.getSource(), fragment);
    SmallVector<Type> types;
    appendTypes(fragment, types);
    auto direct = [&] {
      SmallVector<Value> tiles;
      for (int64_t tile = 0; tile != fragment.getNumTiles(); ++tile)
        tiles.push_back(window.loadMatrix(b, tile));
      return tiles;
    };
    auto staged = [&] {
      SmallVector<Value> values;
      for (int64_t tile = 0; tile != fragment.getNumTiles(); ++tile)
        appendTile(b, kernel, fragment, loadElements(b, window, fragment, tile),
                   values);
      return values;
    };
    rewriter.replaceOpWithMultiple(
        op, {choose(b, window.isDirect(b), types, direct, staged)});
    return success();
  }

private:
  /// The lane's elements of a tile, 0 beyond the matrix.
  static SmallVector<Value> loadElements(ImplicitLocOpBuilder &b,
                                         const Window &window,
                                         FragmentType fragment, int64_t tile) {
    Type type = fragment.getStorageType();
    SmallVector<Value> elements;
    for (int64_t v = 0; v != TileShape(fragment).perLane(); ++v)
      llvm::append_range(
          elements,
          window.ifInBounds(
              b, tile, v, type,
              [&](Value position) -> SmallVector<Value> {
                Value element =
                    memref::LoadOp::create(b, window.memory(), position);
                if (element.getType() != type)
                  element = arith::ExtFOp::create(b, type, element);
                return {element};
              },
              [&]() -> SmallVector<Value> {
                return {arith::ConstantOp::create(b, b.getZeroAttr(type))};
              }));
    return elements;
  }
};

struct ConvertStore : KernelPattern<StoreOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(StoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getBuffer())
      return op.emitOpError("expected no buffer: lanes do not know which "
                            "elements of cooperative matrices they have");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FragmentType fragment = op.getValue().getType();
    Window window(b, kernel, op, op.getDest(), fragment);
    ValueRange values = adaptor.getValue();
    std::optional<Value> isDirect;
    if (!op.getAlpha() && !op.getBeta())
      isDirect = window.isDirect(b);
    auto direct = [&]() -> SmallVector<Value> {
      for (auto [tile, value] : llvm::enumerate(values))
        window.storeMatrix(b, tile, value);
      return {};
    };
    auto staged = [&]() -> SmallVector<Value> {
      Value readsC = isNonZero(b, op.getBeta());
      for (int64_t tile = 0; tile != fragment.getNumTiles(); ++tile)
        for (auto [v, element] :
             llvm::enumerate(elementsOf(b, kernel, fragment, values, tile)))
          storeElement(b, op, window, tile, v, element, readsC);
      return {};
    };
    choose(b, isDirect, {}, direct, staged);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static bool isFloat(Value value) { return isa<FloatType>(value.getType()); }

  /// Whether β is not 0; null without one.
  static Value isNonZero(ImplicitLocOpBuilder &b, Value beta) {
    if (!beta)
      return {};
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(beta.getType()));
    // A NaN is not 0.
    if (isFloat(beta))
      return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, beta, zero);
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, beta, zero);
  }

  static Value multiply(ImplicitLocOpBuilder &b, Value scale, Value value) {
    if (isFloat(value))
      return arith::MulFOp::create(b, scale, value);
    return arith::MulIOp::create(b, scale, value);
  }

  static Value add(ImplicitLocOpBuilder &b, Value left, Value right) {
    if (isFloat(left))
      return arith::AddFOp::create(b, left, right);
    return arith::AddIOp::create(b, left, right);
  }

  static void storeElement(ImplicitLocOpBuilder &b, StoreOp op,
                           const Window &window, int64_t tile, int64_t v,
                           Value element, Value readsC) {
    window.ifInBounds(
        b, tile, v, {},
        [&](Value position) -> SmallVector<Value> {
          Value result = element;
          if (op.getAlpha())
            result = multiply(b, op.getAlpha(), result);
          if (readsC)
            result = addOld(b, op, window, position, result, readsC);
          Type stored = window.elementType();
          if (stored != result.getType())
            result = arith::TruncFOp::create(b, stored, result);
          memref::StoreOp::create(b, result, window.memory(), position);
          return {};
        },
        {});
  }

  /// result + β·C, where C may be read.
  static Value addOld(ImplicitLocOpBuilder &b, StoreOp op, const Window &window,
                      Value position, Value result, Value readsC) {
    Type type = result.getType();
    auto choice =
        scf::IfOp::create(b, TypeRange(type), readsC, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(choice.thenBlock());
    Value old = memref::LoadOp::create(b, window.memory(), position);
    if (old.getType() != type)
      old = arith::ExtFOp::create(b, type, old);
    scf::YieldOp::create(b, add(b, result, multiply(b, op.getBeta(), old)));
    b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(b, result);
    return choice.getResult(0);
  }
};

struct ConvertFill : KernelPattern<FillOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(FillOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FragmentType fragment = op.getResult().getType();
    SmallVector<Type> types;
    appendTypes(fragment, types);
    Value filled = op.getValue();
    if (fragment.hasAtomElementType())
      filled = spirv::CompositeConstructOp::create(
          rewriter, op.getLoc(), types.front(), ValueRange(filled));
    rewriter.replaceOpWithMultiple(op,
                                   {SmallVector<Value>(types.size(), filled)});
    return success();
  }
};

struct ConvertMma : KernelPattern<MmaOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(MmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FragmentType c = op.getC().getType();
    int64_t rows = c.getTileRows(), columns = c.getTileColumns();
    int64_t depth = op.getA().getType().getTileColumns();
    SmallVector<Value> sums(adaptor.getC());
    for (int64_t k = 0; k != depth; ++k)
      for (int64_t i = 0; i != rows; ++i)
        for (int64_t j = 0; j != columns; ++j) {
          Value &sum = sums[i * columns + j];
          sum = spirv::KHRCooperativeMatrixMulAddOp::create(
              rewriter, op.getLoc(), sum.getType(),
              adaptor.getA()[i * depth + k], adaptor.getB()[k * columns + j],
              sum, operandsOf(c.getAtom()));
        }
    rewriter.replaceOpWithMultiple(op, {sums});
    return success();
  }

private:
  /// Which integers have a sign. Sums of products without sign have none
  /// either: devices list no others, and bits are the same.
  static spirv::CooperativeMatrixOperandsKHRAttr operandsOf(MmaAtomAttr atom) {
    using Operands = spirv::CooperativeMatrixOperandsKHR;
    auto isSigned = [](Type type) { return type.isSignlessInteger(); };
    Operands operands = Operands::None;
    if (isSigned(atom.getAType()))
      operands = operands | Operands::ASigned;
    if (isSigned(atom.getBType()))
      operands = operands | Operands::BSigned;
    if (operands == Operands::None)
      return {};
    return spirv::CooperativeMatrixOperandsKHRAttr::get(
        atom.getContext(),
        operands | Operands::CSigned | Operands::ResultSigned);
  }
};

/// One fragment or another.
struct ConvertSelect : KernelPattern<arith::SelectOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<FragmentType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a fragment");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> chosen;
    for (auto [one, other] :
         llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue()))
      chosen.push_back(
          arith::SelectOp::create(b, op.getCondition(), one, other));
    rewriter.replaceOpWithMultiple(op, {chosen});
    return success();
  }
};

} // namespace

void spirv_lowering::populateFragmentPatterns(const TypeConverter &converter,
                                              const KernelContext &kernel,
                                              RewritePatternSet &patterns) {
  patterns
      .add<ConvertLoad, ConvertStore, ConvertFill, ConvertMma, ConvertSelect>(
          converter, patterns.getContext(), kernel);
}
