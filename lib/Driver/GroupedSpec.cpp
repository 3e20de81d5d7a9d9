//===- GroupedSpec.cpp ----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/GroupedSpec.h"
#include "EpilogueBuilder.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Driver/Run.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace kami;
using namespace mlir;

std::array<int64_t, 3> kami::packedLeading(const Extents &extents,
                                           bool transposeA, bool transposeB) {
  return {transposeA ? extents.m : extents.k,
          transposeB ? extents.k : extents.n, extents.n};
}

std::optional<std::pair<int64_t, int64_t>>
kami::findOverlap(std::vector<ElementRange> ranges) {
  llvm::sort(ranges, [](const ElementRange &left, const ElementRange &right) {
    return left.begin < right.begin;
  });
  for (size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].begin < ranges[i - 1].end)
      return std::minmax(ranges[i - 1].product, ranges[i].product);
  return std::nullopt;
}

llvm::Expected<std::vector<GroupedProduct>>
kami::parseProducts(llvm::StringRef text, bool transposeA, bool transposeB) {
  std::vector<GroupedProduct> products;
  constexpr int64_t most = int64_t(1) << 20, mostAt = int64_t(1) << 28;
  std::vector<int64_t> lineOf;
  std::vector<ElementRange> rowsOfC;
  SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (auto [index, line] : llvm::enumerate(lines)) {
    auto fail = [&](const llvm::Twine &message) {
      return llvm::createStringError("line " + llvm::Twine(index + 1) + ": " +
                                     message);
    };
    SmallVector<int64_t> numbers;
    for (llvm::StringRef rest = line.split('#').first;;) {
      llvm::StringRef number;
      std::tie(number, rest) = llvm::getToken(rest, " \t\r,");
      if (number.empty())
        break;
      int64_t value;
      int64_t largest = numbers.size() < 6 ? most : mostAt;
      if (number.getAsInteger(10, value) || value < 0 || value > largest)
        return fail(
            "expected " +
            llvm::StringRef(numbers.size() < 6 ? "numbers" : "positions") +
            " from 0 to " + llvm::Twine(largest) + ", but got '" + number +
            "'");
      numbers.push_back(value);
    }
    if (numbers.empty())
      continue;
    if (numbers.size() != 3 && numbers.size() != 6 && numbers.size() != 9)
      return fail("expected M N K, M N K LDA LDB LDC, or M N K LDA LDB LDC A B "
                  "C, but got " +
                  llvm::Twine(numbers.size()) + " numbers");
    GroupedProduct &product = products.emplace_back();
    product.extents = {numbers[0], numbers[1], numbers[2]};
    product.leading = packedLeading(product.extents, transposeA, transposeB);
    for (unsigned i = 0; i != 3 && numbers.size() >= 6; ++i) {
      if (numbers[3 + i] < product.leading[i])
        return fail("expected leading dimensions of at least " +
                    llvm::Twine(product.leading[0]) + ", " +
                    llvm::Twine(product.leading[1]) + " and " +
                    llvm::Twine(product.leading[2]));
      product.leading[i] = numbers[3 + i];
    }
    lineOf.push_back(index + 1);
    if (numbers.size() < 9)
      continue;
    product.at = {numbers[6], numbers[7], numbers[8]};
    for (int64_t row = 0; row != product.extents.m; ++row) {
      int64_t begin = numbers[8] + row * product.leading[2];
      if (product.extents.n > 0)
        rowsOfC.push_back(
            {begin, begin + product.extents.n, int64_t(products.size()) - 1});
    }
  }
  bool isPlaced = llvm::any_of(products, [](const GroupedProduct &product) {
    return product.at.has_value();
  });
  if (isPlaced && !llvm::all_of(products, [](const GroupedProduct &product) {
        return product.at.has_value();
      }))
    return llvm::createStringError(
        "expected positions of all products, or of none");
  if (auto overlap = findOverlap(rowsOfC))
    return llvm::createStringError(
        "line " + llvm::Twine(lineOf[overlap->second]) +
        ": expected a C of its own, but it overlaps that of line " +
        llvm::Twine(lineOf[overlap->first]));
  if (products.empty())
    return llvm::createStringError("expected at least one product");
  return products;
}

Extents kami::typicalExtents(llvm::ArrayRef<GroupedProduct> products) {
  Extents sums = {0, 0, 0}, largest = {0, 0, 0};
  int64_t count = 0, all = 0;
  for (const GroupedProduct &product : products) {
    auto [m, n, k] = product.extents;
    if (m == 0 || n == 0 || k == 0)
      continue;
    sums = {sums.m + m, sums.n + n, sums.k + k};
    largest = {std::max(largest.m, m), std::max(largest.n, n),
               std::max(largest.k, k)};
    all |= m | n | k;
    ++count;
  }
  if (count == 0)
    return {1, 1, 1};
  // The largest power of two that divides all extents, as far as it matters to
  // whether rows are aligned.
  constexpr int64_t most = 16;
  int64_t granule = std::min(all & -all, most);
  constexpr int64_t muchLarger = 4, small = 64;
  bool areSmall = std::max(largest.m, largest.n) <= small;
  auto typical = [&](int64_t sum, int64_t largest, bool isSmall) -> int64_t {
    // One large product takes longer than many small ones.
    int64_t extent = std::max(sum / count, largest / muchLarger);
    if (isSmall)
      extent = std::min(extent, largest / 2);
    if (isSmall && granule == most && extent < most)
      return most / 2;
    int64_t granules = std::max<int64_t>((extent + granule / 2) / granule, 1);
    return (granule == most ? granules : granules | 1) * granule;
  };
  return {typical(sums.m, largest.m, areSmall),
          typical(sums.n, largest.n, areSmall),
          typical(sums.k, largest.k, /*isSmall=*/false)};
}

namespace {
/// The arguments of the function.
struct Arguments {
  SmallVector<Type> types;
  SmallVector<DenseElementsAttr> contents;

  unsigned add(Type type, DenseElementsAttr elements = {}) {
    types.push_back(type);
    contents.push_back(elements);
    return types.size() - 1;
  }
};
} // namespace

OwningOpRef<ModuleOp> kami::buildModule(MLIRContext *context,
                                        const GroupedSpec &spec) {
  context->loadDialect<KamiDialect, func::FuncDialect, arith::ArithDialect>();
  ImplicitLocOpBuilder b(UnknownLoc::get(context), context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b);
  b.setInsertionPointToStart(module->getBody());
  int64_t count = spec.products.size();
  Type kinds[] = {elementType(context, spec.operand),
                  elementType(context, spec.operandB()),
                  elementType(context, spec.output)};
  std::vector<int64_t> at[3], leading[3], sizes[3];
  std::vector<double> alpha, beta;
  int64_t end[3] = {};
  for (const GroupedProduct &product : spec.products) {
    auto [m, n, k] = product.extents;
    int64_t extents[] = {m, n, k};
    int64_t rows[] = {spec.transposeA ? k : m, spec.transposeB ? n : k, m};
    std::array<int64_t, 3> packed =
        packedLeading(product.extents, spec.transposeA, spec.transposeB);
    for (unsigned i = 0; i != 3; ++i) {
      int64_t bytes = kinds[i].getIntOrFloatBitWidth() / 8;
      int64_t start = product.at ? (*product.at)[i] : end[i] + product.gap[i];
      at[i].push_back(spec.bytes ? start * bytes : start);
      leading[i].push_back(product.leading[i]);
      sizes[i].push_back(extents[i]);
      if (rows[i] > 0 && packed[i] > 0)
        end[i] = std::max(end[i], start + (rows[i] - 1) * product.leading[i] +
                                      packed[i]);
    }
    alpha.push_back(product.alpha);
    beta.push_back(product.beta);
  }

  Arguments arguments;
  for (unsigned i = 0; i != 3; ++i)
    arguments.add(MemRefType::get({end[i] + 1}, kinds[i]));
  auto addIntegers = [&](ArrayRef<int64_t> values, unsigned bits) {
    Type type = b.getIntegerType(bits);
    auto elements = llvm::map_to_vector(
        values, [&](int64_t value) { return APInt(bits, value); });
    return arguments.add(
        MemRefType::get({count}, type),
        DenseElementsAttr::get(RankedTensorType::get({count}, type), elements));
  };
  auto addScales = [&](ArrayRef<double> values) {
    Type type = elementType(context, spec.accumulator);
    auto elements = llvm::map_to_vector(values, [&](double value) -> Attribute {
      if (isInteger(spec.accumulator))
        return b.getIntegerAttr(type, int64_t(value));
      return b.getFloatAttr(type, value);
    });
    return arguments.add(
        MemRefType::get({count}, type),
        DenseElementsAttr::get(RankedTensorType::get({count}, type), elements));
  };
  unsigned firstAt = 0, firstSize = 0, firstLeading = 0;
  unsigned bits = spec.narrowSizes ? 32 : 64;
  for (unsigned i = 0; i != 3; ++i) {
    unsigned number = addIntegers(at[i], 64);
    firstAt = i == 0 ? number : firstAt;
  }
  for (unsigned i = 0; i != 3; ++i) {
    unsigned number = addIntegers(sizes[i], bits);
    firstSize = i == 0 ? number : firstSize;
  }
  for (unsigned i = 0; i != 3; ++i) {
    unsigned number = addIntegers(leading[i], bits);
    firstLeading = i == 0 ? number : firstLeading;
  }
  auto differs = [](double neutral) {
    return [neutral](double value) { return value != neutral; };
  };
  std::optional<unsigned> alphas, betas;
  if (llvm::any_of(alpha, differs(1)))
    alphas = addScales(alpha);
  if (llvm::any_of(beta, differs(0)))
    betas = addScales(beta);

  Extents largest;
  for (const GroupedProduct &product : spec.products) {
    largest.m = std::max(largest.m, product.extents.m);
    largest.n = std::max(largest.n, product.extents.n);
  }
  unsigned firstSource = arguments.types.size();
  for (Type type :
       epilogueTypes(spec.epilogue, count, largest.m, largest.n,
                     elementType(context, spec.accumulator), kinds[2]))
    arguments.add(type);
  auto function = func::FuncOp::create(b, "grouped_gemm",
                                       b.getFunctionType(arguments.types, {}));
  for (auto [index, elements] : llvm::enumerate(arguments.contents))
    if (elements)
      function.setArgAttr(index, contentsAttributeName, elements);
  b.setInsertionPointToStart(function.addEntryBlock());
  auto argument = [&](std::optional<unsigned> number) -> Value {
    return number ? function.getArgument(*number) : Value();
  };
  auto optionalUnit = [&](bool isSet) {
    return isSet ? b.getUnitAttr() : UnitAttr();
  };
  PrecisionAttr precision;
  if (std::optional<Precision> value = precisionOf(spec.operand))
    precision = PrecisionAttr::get(context, *value);
  DenseI64ArrayAttr typical;
  if (spec.typical)
    typical = b.getDenseI64ArrayAttr(
        {spec.typical->m, spec.typical->n, spec.typical->k});
  auto product = GroupedGemmOp::create(
      b, argument(0), argument(1), argument(2), argument(firstAt),
      argument(firstAt + 1), argument(firstAt + 2), argument(firstSize),
      argument(firstSize + 1), argument(firstSize + 2),
      ValueRange(function.getArguments().slice(firstLeading, 3)),
      argument(alphas), argument(betas), /*epilogueOperands=*/ValueRange(),
      optionalUnit(spec.bytes), optionalUnit(spec.transposeA),
      optionalUnit(spec.transposeB),
      TypeAttr::get(elementType(context, spec.accumulator)), precision,
      optionalUnit(spec.operand == ElementKind::U8),
      optionalUnit(spec.operandB() == ElementKind::U8), b.getBoolAttr(true),
      typical, PlanAttr(), /*epilogueMaps=*/ArrayAttr());
  if (spec.epilogue)
    EpilogueBuilder<GroupedGemmOp>(b, spec.epilogue, product, /*before=*/1,
                                   kinds[2])
        .build(function.getArguments().drop_front(firstSource));
  func::ReturnOp::create(b);
  return module;
}
