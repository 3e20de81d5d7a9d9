//===- GlobalMemory.cpp - kami.load and kami.store -----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In workgroup memory by core matrices, elsewhere by words, where they are
// right; else element by element. An element beyond the matrix is never
// touched. What registers have in common, because the matrix has a stride of 0,
// is loaded once. What is stored via a buffer goes there in the same way, a
// tile at a time, and on from there in pieces of 16 bytes.
//
//===----------------------------------------------------------------------===//

#include "CoreMatrixAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include <map>

using namespace kami;
using namespace kami::nvgpu_lowering;
using namespace mlir;

namespace {

/// A pattern that knows what is aligned.
template <typename OpTy> struct ConvertAccess : OpConversionPattern<OpTy> {
  ConvertAccess(const TypeConverter &converter, MLIRContext *context,
                AlignmentAnalysis alignments)
      : OpConversionPattern<OpTy>(converter, context),
        alignments(std::move(alignments)) {}
  AlignmentAnalysis alignments;
};

/// By core matrices where lines are right, else as the lanes do by themselves.
template <typename Core, typename Elements, typename Lanes>
SmallVector<Value> chooseCore(ImplicitLocOpBuilder &b,
                              const FragmentWindow &window, TypeRange types,
                              Core byCoreMatrices, Elements byElements,
                              Lanes byLanes) {
  Value isRight = window.isRight(b, coreLineBytes);
  // Where only bounds are in question, words are no better off.
  if (window.isAligned(coreLineBytes))
    return choose(b, isRight, types, byCoreMatrices, byElements);
  return choose(b, isRight, types, byCoreMatrices, byLanes);
}

struct ConvertLoad : ConvertAccess<LoadOp> {
  using ConvertAccess::ConvertAccess;

  LogicalResult
  matchAndRewrite(LoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FragmentType fragment = op.getResult().getType();
    FragmentWindow window(b, fragment, op.getSource(), op.getRow(),
                          op.getColumn(), op.getRowInBounds(),
                          op.getColumnInBounds(), alignments.of(op));
    SmallVector<Type> types(fragment.getNumTiles(), tileType(fragment));
    auto byElements = [&] { return loadElements(b, fragment, window); };
    auto byWords = [&] { return loadWords(b, fragment, window); };
    auto byLanes = [&] {
      return window.wordElements() == 1 ? byElements()
                                        : choose(b, window.areWordsRight(b),
                                                 types, byWords, byElements);
    };
    std::optional<CoreMatrixAccess> core = coreMatrices(fragment, window);
    auto byCoreMatrices = [&] { return loadCore(b, fragment, window, *core); };
    rewriter.replaceOpWithMultiple(
        op, {core ? chooseCore(b, window, types, byCoreMatrices, byElements,
                               byLanes)
                  : byLanes()});
    return success();
  }

private:
  /// Elements that are extended do not lie in registers as in memory.
  static std::optional<CoreMatrixAccess>
  coreMatrices(FragmentType fragment, const FragmentWindow &window) {
    if (window.elementType() != fragment.getStorageType())
      return std::nullopt;
    return CoreMatrixAccess::of(fragment, window);
  }

  static SmallVector<Value> loadCore(ImplicitLocOpBuilder &b,
                                     FragmentType fragment,
                                     const FragmentWindow &window,
                                     const CoreMatrixAccess &core) {
    std::map<MatrixPlace, Value> elements = core.load(b);
    return collect(b, fragment, window,
                   [&](MatrixPlace place) { return elements.at(place); });
  }

  static SmallVector<Value> loadElements(ImplicitLocOpBuilder &b,
                                         FragmentType fragment,
                                         const FragmentWindow &window) {
    return collect(b, fragment, window, [&](MatrixPlace place) {
      return loadElement(b, window, place);
    });
  }

  static SmallVector<Value> loadWords(ImplicitLocOpBuilder &b,
                                      FragmentType fragment,
                                      const FragmentWindow &window) {
    std::map<MatrixPlace, Value> words;
    return collect(b, fragment, window, [&](MatrixPlace place) {
      Value &word = words[window.wordOf(place)];
      if (!word)
        word = window.loadWord(b, window.wordOf(place));
      return vector::ExtractOp::create(b, word, window.positionInWord(place))
          .getResult();
    });
  }

  /// The registers of all tiles. `load` reads the element of a place, once.
  template <typename Load>
  static SmallVector<Value> collect(ImplicitLocOpBuilder &b,
                                    FragmentType fragment,
                                    const FragmentWindow &window, Load load) {
    bool rounds = fragment.getRole() != Role::C &&
                  fragment.hasAtomElementType() &&
                  fragment.getAtom().roundsToTF32();
    std::map<MatrixPlace, Value> loaded;
    SmallVector<Value> tiles;
    for (int64_t tile = 0; tile != fragment.getNumTiles(); ++tile) {
      SmallVector<Value> values;
      for (unsigned i = 0; i != fragment.getMap().valuesPerLane(); ++i) {
        MatrixPlace place = window.place(tile, i);
        Value &element = loaded[place];
        if (!element) {
          element = load(place);
          // Floats narrower than f32 are numbers of tf32.
          if (rounds && element.getType().isF32())
            element = roundToTF32(b, element);
        }
        values.push_back(element);
      }
      tiles.push_back(makeTile(b, fragment, values));
    }
    return tiles;
  }

  /// A tile of these elements, which are extended all at once: hardware does it
  /// in pairs.
  static Value makeTile(ImplicitLocOpBuilder &b, FragmentType fragment,
                        ArrayRef<Value> values) {
    VectorType type = tileType(fragment);
    Type element = values.front().getType();
    Value tile = vector::FromElementsOp::create(
        b, VectorType::get(type.getShape(), element), values);
    return element == type.getElementType()
               ? tile
               : arith::ExtFOp::create(b, type, tile).getResult();
  }

  static Value loadElement(ImplicitLocOpBuilder &b,
                           const FragmentWindow &window, MatrixPlace place) {
    Value inBounds = window.isInBounds(b, place);
    if (!inBounds)
      return window.load(b, place);
    Type type = window.elementType();
    auto guard = scf::IfOp::create(b, TypeRange(type), inBounds,
                                   /*withElseRegion=*/true);
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(guard.thenBlock());
    scf::YieldOp::create(b, window.load(b, place));
    b.setInsertionPointToStart(guard.elseBlock());
    scf::YieldOp::create(
        b, arith::ConstantOp::create(b, b.getZeroAttr(type)).getResult());
    return guard.getResult(0);
  }
};

struct ConvertStore : ConvertAccess<StoreOp> {
  /// `storesMatrices` tells whether the chip has an instruction for it.
  ConvertStore(const TypeConverter &converter, MLIRContext *context,
               AlignmentAnalysis alignments, bool storesMatrices)
      : ConvertAccess(converter, context, std::move(alignments)),
        storesMatrices(storesMatrices) {}

  LogicalResult
  matchAndRewrite(StoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    if (op.getBuffer()) {
      relay(b, op, adaptor.getValue());
    } else {
      FragmentType fragment = op.getValue().getType();
      FragmentWindow window(b, fragment, op.getDest(), op.getRow(),
                            op.getColumn(), op.getRowInBounds(),
                            op.getColumnInBounds(), alignments.of(op));
      store(b, op, fragment, window, adaptor.getValue());
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Stores the fragment's tiles, which may be some of the op's.
  void store(ImplicitLocOpBuilder &b, StoreOp op, FragmentType fragment,
             const FragmentWindow &window, ValueRange tiles) const {
    // β of 0 must not read C, which may hold anything.
    Value readsC;
    if (op.getBeta()) {
      Value zero =
          arith::ConstantOp::create(b, b.getZeroAttr(op.getBeta().getType()));
      if (isa<FloatType>(zero.getType()))
        readsC = arith::CmpFOp::create(b, arith::CmpFPredicate::UNE,
                                       op.getBeta(), zero);
      else
        readsC = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                       op.getBeta(), zero);
    }
    auto byWords = [&] {
      storeWords(b, op, fragment, window, tiles, readsC);
      return SmallVector<Value>();
    };
    auto byElements = [&] {
      storeElements(b, op, fragment, window, tiles, readsC);
      return SmallVector<Value>();
    };
    // Without words, too, it is worth it not to ask for every element whether
    // it is in the matrix.
    auto byLanes = [&] {
      return choose(b, window.areWordsRight(b), TypeRange(), byWords,
                    byElements);
    };
    std::optional<CoreMatrixAccess> core = coreMatrices(op, fragment, window);
    auto byCoreMatrices = [&] {
      core->store(b, tiles, [&](Value sums) {
        return convert(b, op, scale(b, op, sums));
      });
      return SmallVector<Value>();
    };
    if (core)
      chooseCore(b, window, TypeRange(), byCoreMatrices, byElements, byLanes);
    else
      byLanes();
  }

  /// Old elements would have to be read where their sums are.
  std::optional<CoreMatrixAccess>
  coreMatrices(StoreOp op, FragmentType fragment,
               const FragmentWindow &window) const {
    if (!storesMatrices || op.getBeta())
      return std::nullopt;
    return CoreMatrixAccess::of(fragment, window);
  }

  /// A part of the fragment after the other: its lanes write it to the buffer,
  /// and copy it from there when all of them have.
  void relay(ImplicitLocOpBuilder &b, StoreOp op, ValueRange tiles) const {
    FragmentType fragment = op.getValue().getType();
    const FragmentMap &map = fragment.getMap();
    CopiedTile whole = op.getRelayedTile();
    auto type = cast<MemRefType>(op.getDest().getType());
    Value lines = memref::ViewOp::create(
        b,
        MemRefType::get(
            {whole.lines, whole.pitch}, type.getElementType(),
            MemRefLayoutAttrInterface(),
            cast<MemRefType>(op.getBuffer().getType()).getMemorySpace()),
        op.getBuffer(), indexConstant(b, 0), ValueRange());
    auto linesOf = [&](int64_t columns) -> Value {
      SmallVector<OpFoldResult> zeros(2, b.getIndexAttr(0)),
          ones(2, b.getIndexAttr(1)),
          sizes = {b.getIndexAttr(whole.lines), b.getIndexAttr(columns)};
      return memref::SubViewOp::create(b, lines, zeros, sizes, ones);
    };
    WindowAlignment known = alignments.of(op);
    int64_t bytes = type.getElementTypeBitWidth() / 8;
    Value areAligned = areLinesAligned(
        b, op.getDest(), linesOf(whole.lineElements),
        {std::min(known.matrix, known.corner[1] * bytes), copiedPiece});
    int64_t perLine = fragment.getTileColumns();
    int64_t most = llvm::divideCeil(whole.lineElements, map.columns);
    for (int64_t first = 0; first != int64_t(tiles.size());) {
      int64_t row = first / perLine, column = first % perLine;
      int64_t count = std::min(most, perLine - column);
      int64_t columns = count * map.columns;
      auto part = FragmentType::get(b.getContext(), map.rows, columns,
                                    fragment.getElementType(),
                                    fragment.getRole(), fragment.getAtom());
      Value zero = indexConstant(b, 0), tile = linesOf(columns);
      FragmentWindow place(b, part, tile, zero, zero, /*rowInBounds=*/true,
                           /*columnInBounds=*/true,
                           {copiedPiece, {copiedPiece, copiedPiece}});
      store(b, op, part, place, tiles.slice(first, count));
      syncWarp(b);
      Value target = window(
          b, op.getDest(),
          addIndex(b, op.getRow(), indexConstant(b, row * map.rows)),
          addIndex(b, op.getColumn(), indexConstant(b, column * map.columns)),
          map.rows, columns, op.getRowInBounds() && op.getColumnInBounds());
      copyOutByLanes(b, target, tile, areAligned);
      syncWarp(b);
      first += count;
    }
  }

  /// Rows and columns of a matrix from a place on, of which fewer may be
  /// inside, or none: no subview may begin beyond.
  static Value window(ImplicitLocOpBuilder &b, Value matrix, Value row,
                      Value column, int64_t rows, int64_t columns,
                      bool isInside) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, matrix);
    SmallVector<OpFoldResult> strides = metadata.getConstifiedMixedStrides(),
                              sizes;
    Value offset = getValueOrCreateConstantIndexOp(
        b, b.getLoc(), metadata.getConstifiedMixedOffset());
    for (auto [dim, at, most] :
         {std::tuple(0, row, rows), std::tuple(1, column, columns)}) {
      Value stride =
          getValueOrCreateConstantIndexOp(b, b.getLoc(), strides[dim]);
      offset = addIndex(b, offset, b.createOrFold<arith::MulIOp>(at, stride));
      if (isInside) {
        sizes.push_back(b.getIndexAttr(most));
        continue;
      }
      Value extent =
          b.createOrFold<memref::DimOp>(matrix, indexConstant(b, dim));
      Value rest = b.createOrFold<arith::MaxSIOp>(
          b.createOrFold<arith::SubIOp>(extent, at), indexConstant(b, 0));
      sizes.push_back(getAsOpFoldResult(
          b.createOrFold<arith::MinSIOp>(rest, indexConstant(b, most))));
    }
    SmallVector<int64_t> knownSizes, knownStrides;
    SmallVector<Value> unknown;
    dispatchIndexOpFoldResults(sizes, unknown, knownSizes);
    dispatchIndexOpFoldResults(strides, unknown, knownStrides);
    auto type = cast<MemRefType>(matrix.getType());
    auto part =
        MemRefType::get(knownSizes, type.getElementType(),
                        StridedLayoutAttr::get(
                            b.getContext(), ShapedType::kDynamic, knownStrides),
                        type.getMemorySpace());
    return memref::ReinterpretCastOp::create(b, part, metadata.getBaseBuffer(),
                                             OpFoldResult(offset), sizes,
                                             strides);
  }

  /// All of a fragment that is in the matrix as a whole.
  static void storeWords(ImplicitLocOpBuilder &b, StoreOp op,
                         FragmentType fragment, const FragmentWindow &window,
                         ValueRange tiles, Value readsC) {
    std::map<MatrixPlace, SmallVector<Value>> words;
    for (auto [tile, registers] : llvm::enumerate(tiles))
      for (unsigned i = 0; i != fragment.getMap().valuesPerLane(); ++i) {
        MatrixPlace first = window.wordOf(window.place(tile, i));
        SmallVector<Value> &elements = words[first];
        elements.resize(window.wordElements());
        elements[window.positionInWord(window.place(tile, i))] =
            vector::ExtractOp::create(b, registers, int64_t(i));
        if (llvm::all_of(elements, [](Value element) { return bool(element); }))
          storePart(b, op, window, first, elements, readsC);
      }
  }

  static void storeElements(ImplicitLocOpBuilder &b, StoreOp op,
                            FragmentType fragment, const FragmentWindow &window,
                            ValueRange tiles, Value readsC) {
    for (auto [tile, registers] : llvm::enumerate(tiles))
      for (unsigned i = 0; i != fragment.getMap().valuesPerLane(); ++i) {
        MatrixPlace place = window.place(tile, i);
        Value element = vector::ExtractOp::create(b, registers, int64_t(i));
        OpBuilder::InsertionGuard insertion(b);
        if (Value inBounds = window.isInBounds(b, place)) {
          auto guard = scf::IfOp::create(b, inBounds, /*withElseRegion=*/false);
          b.setInsertionPointToStart(guard.thenBlock());
        }
        storePart(b, op, window, place, element, readsC);
      }
  }

  /// One element, or the vector of a word's.
  static void storePart(ImplicitLocOpBuilder &b, StoreOp op,
                        const FragmentWindow &window, MatrixPlace place,
                        ArrayRef<Value> elements, Value readsC) {
    Value result = elements.front();
    if (elements.size() > 1)
      result = vector::FromElementsOp::create(
          b, VectorType::get({int64_t(elements.size())}, result.getType()),
          elements);
    result = scale(b, op, result);
    if (op.getBeta())
      result = addOld(b, op, window, place, result, readsC);
    result = convert(b, op, result);
    if (elements.size() > 1)
      window.storeWord(b, result, place);
    else
      window.store(b, result, place);
  }

  static Value scale(ImplicitLocOpBuilder &b, StoreOp op, Value sums) {
    return op.getAlpha() ? multiply(b, op.getAlpha(), sums) : sums;
  }

  /// To elements of the matrix.
  static Value convert(ImplicitLocOpBuilder &b, StoreOp op, Value value) {
    Type stored =
        likeType(cast<MemRefType>(op.getDest().getType()).getElementType(),
                 value.getType());
    return stored == value.getType()
               ? value
               : arith::TruncFOp::create(b, stored, value).getResult();
  }

  /// As many elements of a type as another type has.
  static Type likeType(Type element, Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? VectorType::get(vector.getShape(), element) : element;
  }

  static Value multiply(ImplicitLocOpBuilder &b, Value scale, Value value) {
    if (isa<VectorType>(value.getType()))
      scale = vector::BroadcastOp::create(b, value.getType(), scale);
    if (isa<FloatType>(getElementTypeOrSelf(value.getType())))
      return arith::MulFOp::create(b, scale, value);
    return arith::MulIOp::create(b, scale, value);
  }

  /// result + β·C, if β is not 0.
  static Value addOld(ImplicitLocOpBuilder &b, StoreOp op,
                      const FragmentWindow &window, MatrixPlace place,
                      Value result, Value readsC) {
    Type type = result.getType();
    auto guard = scf::IfOp::create(b, TypeRange(type), readsC,
                                   /*withElseRegion=*/true);
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(guard.thenBlock());
    Value old = isa<VectorType>(type) ? window.loadWord(b, place)
                                      : window.load(b, place);
    if (old.getType() != type)
      old = arith::ExtFOp::create(b, type, old);
    Value scaled = multiply(b, op.getBeta(), old);
    Value sum = isa<FloatType>(getElementTypeOrSelf(type))
                    ? arith::AddFOp::create(b, result, scaled).getResult()
                    : arith::AddIOp::create(b, result, scaled).getResult();
    scf::YieldOp::create(b, sum);
    b.setInsertionPointToStart(guard.elseBlock());
    scf::YieldOp::create(b, result);
    return guard.getResult(0);
  }

  bool storesMatrices;
};

} // namespace

void nvgpu_lowering::populateGlobalMemoryPatterns(
    const TypeConverter &converter, const AlignmentAnalysis &alignments,
    bool storesMatrices, RewritePatternSet &patterns) {
  patterns.add<ConvertLoad>(converter, patterns.getContext(), alignments);
  patterns.add<ConvertStore>(converter, patterns.getContext(), alignments,
                             storesMatrices);
}
