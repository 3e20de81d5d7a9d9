//===- GlobalMemory.cpp - kami.load and kami.store -----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By lines, where the vendor moves those, else by words, where they are right;
// else element by element. An element beyond the matrix is never touched. What
// registers have in common, because the matrix has a stride of 0, is loaded
// once.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "kami/Conversion/KamiToLanes/KamiToLanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <map>
#include <set>

using namespace kami;
using namespace kami::lanes;
using namespace mlir;

namespace {

/// A pattern that knows what is aligned.
template <typename OpTy> struct ConvertAccess : LanePattern<OpTy> {
  ConvertAccess(const TypeConverter &converter, MLIRContext *context,
                LaneTargetRef target, AlignmentAnalysis alignments)
      : LanePattern<OpTy>(converter, context, std::move(target)),
        alignments(std::move(alignments)) {}
  AlignmentAnalysis alignments;
};

/// By lines of so many bytes where they are right, else as the lanes do by
/// themselves.
template <typename Lines, typename Elements, typename Lanes>
SmallVector<Value> chooseLines(ImplicitLocOpBuilder &b,
                               const FragmentWindow &window, int64_t lineBytes,
                               TypeRange types, Lines byLines,
                               Elements byElements, Lanes byLanes) {
  Value isRight = window.isRight(b, lineBytes);
  // Where only bounds are in question, words are no better off.
  if (window.isAligned(lineBytes))
    return choose(b, isRight, types, byLines, byElements);
  return choose(b, isRight, types, byLines, byLanes);
}

/// A tile of these elements, which are extended all at once: hardware does it
/// in pairs.
Value makeTile(ImplicitLocOpBuilder &b, FragmentType fragment,
               ArrayRef<Value> values) {
  VectorType type = tileType(fragment);
  Type element = values.front().getType();
  Value tile = vector::FromElementsOp::create(
      b, VectorType::get(type.getShape(), element), values);
  return element == type.getElementType()
             ? tile
             : arith::ExtFOp::create(b, type, tile).getResult();
}

/// The dimension by whose lines places had better be asked whether they are in
/// the matrix: a line is asked once for all that a lane has of it, and then its
/// places, as far as they may be outside. f16 33³ takes 475 M instructions to
/// compile so, and 568 with a question for each place.
unsigned dimensionOfLines(const FragmentWindow &window,
                          const std::set<MatrixPlace> &places) {
  auto questions = [&](unsigned dim) {
    std::set<int64_t> lines;
    int64_t within = 0;
    for (MatrixPlace place : places) {
      if (window.mayBeOutside(dim, place))
        lines.insert(place[dim]);
      within += window.mayBeOutside(1 - dim, place);
    }
    return within + int64_t(lines.size());
  };
  return questions(1) < questions(0);
}

/// What `load` reads where a condition holds, if there is one, else zeros.
template <typename Load>
SmallVector<Value> loadIf(ImplicitLocOpBuilder &b, Value condition,
                          TypeRange types, Load load) {
  return choose(b, condition, types, load, [&] {
    return llvm::map_to_vector(types, [&](Type type) -> Value {
      return arith::ConstantOp::create(b, b.getZeroAttr(type));
    });
  });
}

/// The registers of all tiles of a fragment, in one way or another.
class Loader {
public:
  Loader(ImplicitLocOpBuilder &b, FragmentType fragment,
         const FragmentWindow &window, const LaneTarget &target)
      : b(b), fragment(fragment), window(window), target(target) {}

  SmallVector<Value> byLines(const LineAccess &lines) const {
    std::map<MatrixPlace, Value> elements = lines.load(b);
    return collect([&](MatrixPlace place) { return elements.at(place); });
  }

  SmallVector<Value> byElements() const {
    std::map<MatrixPlace, Value> elements = loadInside(
        window.elementType(), [](MatrixPlace place) { return place; },
        [&](MatrixPlace place) { return window.load(b, place); });
    return collect([&](MatrixPlace place) { return elements.at(place); });
  }

  /// Where all of the fragment is in the matrix.
  SmallVector<Value> byWords() const {
    std::map<MatrixPlace, Value> words;
    return collect([&](MatrixPlace place) {
      Value &word = words[window.wordOf(place)];
      if (!word)
        word = window.loadWord(b, window.wordOf(place));
      return partOf(word, place);
    });
  }

  /// Where no word is in the matrix in part.
  SmallVector<Value> byWordsInside() const {
    auto type = VectorType::get({window.wordElements()}, window.elementType());
    std::map<MatrixPlace, Value> words = loadInside(
        type, [&](MatrixPlace place) { return window.wordOf(place); },
        [&](MatrixPlace word) { return window.loadWord(b, word); });
    return collect([&](MatrixPlace place) {
      return partOf(words.at(window.wordOf(place)), place);
    });
  }

private:
  Value partOf(Value word, MatrixPlace place) const {
    return vector::ExtractOp::create(b, word, window.positionInWord(place));
  }

  /// What `load` reads at each of the lane's places that `of` maps to, as far
  /// as it is in the matrix.
  template <typename Of, typename Load>
  std::map<MatrixPlace, Value> loadInside(Type type, Of of, Load load) const {
    std::set<MatrixPlace> places;
    for (int64_t tile = 0; tile != fragment.getNumTiles(); ++tile)
      for (unsigned i = 0; i != fragment.getMap().valuesPerLane(); ++i)
        places.insert(of(window.place(tile, i)));
    unsigned dim = dimensionOfLines(window, places);
    std::map<int64_t, SmallVector<MatrixPlace>> lines;
    for (MatrixPlace place : places)
      lines[place[dim]].push_back(place);
    std::map<MatrixPlace, Value> loaded;
    for (const auto &[at, line] : lines)
      for (auto [place, value] :
           llvm::zip_equal(line, loadLine(dim, line, type, load)))
        loaded[place] = value;
    return loaded;
  }

  template <typename Load>
  SmallVector<Value> loadLine(unsigned dim, ArrayRef<MatrixPlace> line,
                              Type type, Load load) const {
    auto loadPlace = [&](MatrixPlace place) {
      return loadIf(b, window.isInBounds(b, 1 - dim, place), type,
                    [&] { return SmallVector<Value>{load(place)}; })
          .front();
    };
    SmallVector<Type> types(line.size(), type);
    return loadIf(b, window.isInBounds(b, dim, line.front()), types,
                  [&] { return llvm::map_to_vector(line, loadPlace); });
  }

  /// `load` reads the element of a place, once.
  template <typename Load> SmallVector<Value> collect(Load load) const {
    std::map<MatrixPlace, Value> loaded;
    SmallVector<Value> tiles;
    for (int64_t tile = 0; tile != fragment.getNumTiles(); ++tile) {
      SmallVector<Value> values;
      for (unsigned i = 0; i != fragment.getMap().valuesPerLane(); ++i) {
        MatrixPlace place = window.place(tile, i);
        Value &element = loaded[place];
        if (!element)
          element = target.held(b, fragment, load(place));
        values.push_back(window.valueOf(b, element, tile, i));
      }
      tiles.push_back(makeTile(b, fragment, values));
    }
    return tiles;
  }

  ImplicitLocOpBuilder &b;
  FragmentType fragment;
  const FragmentWindow &window;
  const LaneTarget &target;
};

std::optional<InterleavedParts> partsOf(LoadOp op) {
  if (!op.getInterleavedParts())
    return std::nullopt;
  return InterleavedParts{op.getConjugateA(), op.getConjugateB()};
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
                          op.getColumnInBounds(), alignments.of(op),
                          op.getSkewedAs(), partsOf(op));
    SmallVector<Type> types(fragment.getNumTiles(), tileType(fragment));
    Loader load(b, fragment, window, *target);
    auto byElements = [&] { return load.byElements(); };
    auto byWords = [&] { return load.byWords(); };
    // What is loaded in one way or another is moved to where both ways have it,
    // for which all of it is waited for.
    auto byLanes = [&] {
      if (window.wordElements() == 1)
        return byElements();
      if (window.areWordsAlwaysWhole())
        return load.byWordsInside();
      return choose(b, window.areWordsRight(b), types, byWords, byElements);
    };
    // Elements that are extended do not lie in registers as in memory.
    std::unique_ptr<LineAccess> lines;
    if (window.elementType() == fragment.getStorageType() &&
        !op.getSkewedAs() && !op.getInterleavedParts())
      lines = target->linesToLoad(fragment, window);
    auto byLines = [&] { return load.byLines(*lines); };
    rewriter.replaceOpWithMultiple(
        op, {lines ? chooseLines(b, window, lines->lineBytes(), types, byLines,
                                 byElements, byLanes)
                   : byLanes()});
    return success();
  }
};

/// As many elements of a type as another type has.
Type likeType(Type element, Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? VectorType::get(vector.getShape(), element) : element;
}

Value multiply(ImplicitLocOpBuilder &b, Value scale, Value value) {
  if (isa<VectorType>(value.getType()))
    scale = vector::BroadcastOp::create(b, value.getType(), scale);
  if (isa<FloatType>(getElementTypeOrSelf(value.getType())))
    return arith::MulFOp::create(b, scale, value);
  return arith::MulIOp::create(b, scale, value);
}

Value scale(ImplicitLocOpBuilder &b, StoreOp op, Value sums) {
  return op.getAlpha() ? multiply(b, op.getAlpha(), sums) : sums;
}

/// To elements of the matrix.
Value convert(ImplicitLocOpBuilder &b, StoreOp op, Value value) {
  Type stored =
      likeType(cast<MemRefType>(op.getDest().getType()).getElementType(),
               value.getType());
  return stored == value.getType()
             ? value
             : arith::TruncFOp::create(b, stored, value).getResult();
}

/// result + β·C, if β is not 0.
Value addOld(ImplicitLocOpBuilder &b, StoreOp op, const FragmentWindow &window,
             MatrixPlace place, Value result, Value readsC) {
  Type type = result.getType();
  auto guard = scf::IfOp::create(b, TypeRange(type), readsC,
                                 /*withElseRegion=*/true);
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(guard.thenBlock());
  Value old =
      isa<VectorType>(type) ? window.loadWord(b, place) : window.load(b, place);
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

/// One element, or the vector of a word's.
void storePart(ImplicitLocOpBuilder &b, StoreOp op,
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

/// Each element is asked whether it is in the matrix. By lines, what is
/// adjacent would be stored apart: f64 65³ takes 55.8 instead of 48.5 µs so,
/// 256 products of tf32 up to 512 × 512 × 128 in aligned rows 48.4 instead
/// of 46.8 (H100, 2026-11-27).
void storeElements(ImplicitLocOpBuilder &b, StoreOp op, FragmentType fragment,
                   const FragmentWindow &window, ValueRange tiles,
                   Value readsC) {
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

/// All words of a fragment, of which none is in the matrix in part; `areInside`
/// if all are in it.
void storeWords(ImplicitLocOpBuilder &b, StoreOp op, FragmentType fragment,
                const FragmentWindow &window, ValueRange tiles, Value readsC,
                bool areInside) {
  std::map<MatrixPlace, SmallVector<Value>> words;
  for (auto [tile, registers] : llvm::enumerate(tiles))
    for (unsigned i = 0; i != fragment.getMap().valuesPerLane(); ++i) {
      MatrixPlace first = window.wordOf(window.place(tile, i));
      SmallVector<Value> &elements = words[first];
      elements.resize(window.wordElements());
      elements[window.positionInWord(window.place(tile, i))] =
          vector::ExtractOp::create(b, registers, int64_t(i));
      if (!llvm::all_of(elements, [](Value element) { return bool(element); }))
        continue;
      OpBuilder::InsertionGuard insertion(b);
      Value inBounds = areInside ? Value() : window.isInBounds(b, first);
      if (inBounds)
        b.setInsertionPointToStart(
            scf::IfOp::create(b, inBounds, /*withElseRegion=*/false)
                .thenBlock());
      storePart(b, op, window, first, elements, readsC);
    }
}

struct ConvertStore : ConvertAccess<StoreOp> {
  using ConvertAccess::ConvertAccess;

  LogicalResult
  matchAndRewrite(StoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getBuffer())
      return rewriter.notifyMatchFailure(op, "goes to a buffer first");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FragmentType fragment = op.getValue().getType();
    FragmentWindow window(b, fragment, op.getDest(), op.getRow(),
                          op.getColumn(), op.getRowInBounds(),
                          op.getColumnInBounds(), alignments.of(op));
    storeTiles(b, op, fragment, window, adaptor.getValue(), *target);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void lanes::storeTiles(ImplicitLocOpBuilder &b, StoreOp op,
                       FragmentType fragment, const FragmentWindow &window,
                       ValueRange tiles, const LaneTarget &target) {
  // β of 0 must not read C, which may hold anything.
  Value readsC;
  if (op.getBeta()) {
    Value zero =
        arith::ConstantOp::create(b, b.getZeroAttr(op.getBeta().getType()));
    if (isa<FloatType>(zero.getType()))
      readsC = arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, op.getBeta(),
                                     zero);
    else
      readsC = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, op.getBeta(),
                                     zero);
  }
  auto byWords = [&] {
    storeWords(b, op, fragment, window, tiles, readsC, /*areInside=*/true);
    return SmallVector<Value>();
  };
  auto byWordsInside = [&] {
    storeWords(b, op, fragment, window, tiles, readsC, /*areInside=*/false);
    return SmallVector<Value>();
  };
  auto byElements = [&] {
    storeElements(b, op, fragment, window, tiles, readsC);
    return SmallVector<Value>();
  };
  // At edges a sector that is written in parts takes twice as long.
  auto atEdges = [&] {
    return window.wordElements() == 1
               ? byElements()
               : choose(b, window.areWordsWhole(b), TypeRange(), byWordsInside,
                        byElements);
  };
  // Without words, too, it is worth it not to ask for every element whether
  // it is in the matrix.
  auto byLanes = [&] {
    return choose(b, window.areWordsRight(b), TypeRange(), byWords, atEdges);
  };
  // Old elements would have to be read where their sums are.
  std::unique_ptr<LineAccess> lines;
  if (!op.getBeta())
    lines = target.linesToStore(fragment, window);
  auto byLines = [&] {
    lines->store(b, tiles, [&](Value sums) {
      return convert(b, op, scale(b, op, sums));
    });
    return SmallVector<Value>();
  };
  if (lines)
    chooseLines(b, window, lines->lineBytes(), TypeRange(), byLines, byElements,
                byLanes);
  else
    byLanes();
}

void lanes::populateGlobalMemoryPatterns(const TypeConverter &converter,
                                         const AlignmentAnalysis &alignments,
                                         const LaneTargetRef &target,
                                         RewritePatternSet &patterns) {
  patterns.add<ConvertLoad, ConvertStore>(converter, patterns.getContext(),
                                          target, alignments);
}
