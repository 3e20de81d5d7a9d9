//===- SoakCase.cpp - Kernels to try, and batches for them ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SoakCase.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Layout/CopiedTile.h"
#include "kami/Plan/GroupedPlanner.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace kami;
using namespace mlir;

//===----------------------------------------------------------------------===//
// What all cases have
//===----------------------------------------------------------------------===//

Type SoakCase::accumulatorType() const {
  Type part = elementType(context, types.accumulator);
  return types.isComplex ? ComplexType::get(part) : part;
}

static std::string toText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static std::string elementText(ElementKind kind, bool isComplex) {
  MLIRContext context;
  std::string text = toText(elementType(&context, kind));
  return isComplex ? "complex<" + text + ">" : text;
}

std::string SoakCase::scaleType(bool isMemory) const {
  std::string type = toText(accumulatorType());
  return isMemory ? "memref<" + type + ">" : type;
}

/// What an op says behind its scales.
std::string SoakCase::attributes() const {
  std::string text;
  for (auto [isSet, name] : {std::pair(types.transposeA, " transpose_a"),
                             std::pair(types.transposeB, " transpose_b"),
                             std::pair(types.conjugateA, " conjugate_a"),
                             std::pair(types.conjugateB, " conjugate_b")})
    text += isSet ? name : "";
  text += " accumulator(" + toText(accumulatorType()) + ")";
  if (std::optional<Precision> precision = precisionOf(types.operand))
    text += (" precision<" + stringifyPrecision(*precision) + ">").str();
  text += types.operand == ElementKind::U8 ? " unsigned_a" : "";
  text += types.operandB() == ElementKind::U8 ? " unsigned_b" : "";
  return text;
}

/// Scales are exact in every type; those of integers are integers.
double SoakCase::drawScale(Draw &draw,
                           std::initializer_list<double> scales) const {
  double scale = draw.pick(scales);
  return isInteger(types.accumulator) ? std::trunc(scale) : scale;
}

static constexpr std::initializer_list<double> alphas = {1, 1, -1, 2, 0.5, 0};
static constexpr std::initializer_list<double> betas = {0, 0, 1, -0.5, 3};

/// One of the plans that fit; of every other case the planner's.
llvm::Error SoakCase::drawPlan(Draw &draw, const Chip &chip, Problem problem) {
  if (draw.oneIn(2))
    return llvm::Error::success();
  problem.operand = types.operand;
  problem.otherOperand = types.otherOperand;
  problem.accumulator = types.accumulator;
  problem.output = types.output;
  problem.isComplex = types.isComplex;
  problem.majorA = problem.majorB = std::nullopt;
  if (!problem.isComplex) {
    problem.majorA = types.transposeA ? Major::MN : Major::K;
    problem.majorB = types.transposeB ? Major::K : Major::MN;
  }
  PlannerOptions planner;
  planner.kept = Kept::Fitting;
  llvm::Expected<Choice> choice = choosePlan(problem, chip, planner);
  if (!choice)
    return choice.takeError();
  plan = choice->candidates[draw.below(choice->candidates.size())].plan;
  if (plan->transport == Transport::Copied && draw.oneIn(2)) {
    plan->blocks = 1 + draw.below(300);
    drawStages(draw, *plan, problem, chip);
    drawStationary(draw, *plan, problem, chip);
  }
  return llvm::Error::success();
}

static int64_t roundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// A number up to `most`, small ones as likely as large ones.
static int64_t drawCount(Draw &draw, int64_t most) {
  double exponent = std::ldexp(double(draw.bits() >> 11), -53);
  return std::clamp<int64_t>(
      std::pow(double(std::max<int64_t>(most, 1)), exponent), 1,
      std::max<int64_t>(most, 1));
}

/// Elements behind the last one that show what is written there.
static constexpr int64_t margin = 64;

//===----------------------------------------------------------------------===//
// Strided batches
//===----------------------------------------------------------------------===//

namespace {

/// How a matrix lies in memory, as its memref's type says.
enum class Arrangement {
  /// Row behind row, matrix behind matrix.
  Packed,
  /// Gaps between rows, which are known at run time or to the compiler.
  Rows,
  KnownRows,
  Columns,
  /// Gaps between elements, too.
  Spread
};

struct StridedOperand {
  /// Of the batch's dimensions, the first that it has, and those that it has
  /// once.
  int64_t firstDim = 0;
  std::vector<bool> repeats;
  Arrangement arrangement = Arrangement::Packed;
  /// Of `KnownRows`.
  int64_t rowStride = 0;
};

class StridedCase : public SoakCase {
public:
  StridedCase(MLIRContext *context) : SoakCase(context) {}
  llvm::Error draw(Draw &draw, const Chip &chip, const SoakLimits &limits);
  std::string text() const override;
  SoakBatch drawBatch(Draw &draw, const SoakLimits &limits) const override;

private:
  std::string operandType(unsigned number) const;
  /// Rows and columns as stored.
  std::pair<int64_t, int64_t> stored(unsigned number, Extents extents) const;
  SoakOperand place(Draw &draw, unsigned number, Extents extents,
                    ArrayRef<int64_t> batch) const;
  std::vector<int64_t> drawDims(Draw &draw, const Extents &extents,
                                const SoakLimits &limits) const;
  int64_t bytesOf(unsigned number) const;

  Extents extents;
  bool isDynamic = false;
  /// Whether the op says that rows of A and B are aligned, whose strides are
  /// known only at run time.
  bool alignedRows = false;
  int64_t rank = 1;
  StridedOperand operands[3];
  bool hasAlpha = false, hasBeta = false, scalesInMemory = false;
};

} // namespace

std::pair<int64_t, int64_t> StridedCase::stored(unsigned number,
                                                Extents extents) const {
  auto [m, n, k] = extents;
  std::pair<int64_t, int64_t> seen = number == 0   ? std::pair(m, k)
                                     : number == 1 ? std::pair(k, n)
                                                   : std::pair(m, n);
  bool isTransposed =
      (number == 0 && types.transposeA) || (number == 1 && types.transposeB);
  return isTransposed ? std::pair(seen.second, seen.first) : seen;
}

int64_t StridedCase::bytesOf(unsigned number) const {
  ElementKind kind = number == 0   ? types.operand
                     : number == 1 ? types.operandB()
                                   : types.output;
  return byteWidth(kind) * (types.isComplex ? 2 : 1);
}

llvm::Error StridedCase::draw(Draw &draw, const Chip &chip,
                              const SoakLimits &limits) {
  extents = {draw.extent(limits.extent), draw.extent(limits.extent),
             draw.extent(limits.extent)};
  isDynamic = draw.oneIn(3);
  rank = draw.pick<int64_t>({1, 1, 1, 2, 3});
  for (unsigned number = 0; number != 3; ++number) {
    StridedOperand &operand = operands[number];
    if (number < 2 && draw.oneIn(4))
      operand.firstDim = draw.below(rank + 1);
    for (int64_t dim = 0; dim != rank; ++dim)
      operand.repeats.push_back(number < 2 && draw.oneIn(6));
    operand.arrangement = draw.pick(
        {Arrangement::Packed, Arrangement::Packed, Arrangement::Rows,
         Arrangement::KnownRows, Arrangement::Columns, Arrangement::Spread});
    if (operand.arrangement == Arrangement::KnownRows && isDynamic)
      operand.arrangement = Arrangement::Rows;
    int64_t unit = draw.pick<int64_t>({1, 1, 4, 8, 16});
    operand.rowStride =
        roundUp(stored(number, extents).second, unit) + unit * draw.below(3);
  }
  alignedRows = isDynamic && !types.isComplex && draw.oneIn(2) &&
                operands[0].arrangement != Arrangement::Spread &&
                operands[1].arrangement != Arrangement::Spread;
  hasAlpha = draw.oneIn(2);
  hasBeta = draw.oneIn(2);
  scalesInMemory = types.isComplex || draw.oneIn(4);
  Problem problem;
  auto planned = [&](int64_t extent) {
    return isDynamic ? dynamicExtent : std::max<int64_t>(extent, 1);
  };
  problem.extents = {planned(extents.m), planned(extents.n),
                     planned(extents.k)};
  problem.batch = 4096;
  return drawPlan(draw, chip, problem);
}

std::string StridedCase::operandType(unsigned number) const {
  const StridedOperand &operand = operands[number];
  std::string text = "memref<", batchStrides;
  for (int64_t dim = operand.firstDim; dim != rank; ++dim) {
    text += operand.repeats[dim] ? "1x" : "?x";
    batchStrides += "?, ";
  }
  auto [rows, columns] = stored(number, extents);
  text += isDynamic
              ? "?x?x"
              : std::to_string(rows) + "x" + std::to_string(columns) + "x";
  text += elementText(number == 0   ? types.operand
                      : number == 1 ? types.operandB()
                                    : types.output,
                      types.isComplex);
  std::string strides = operand.arrangement == Arrangement::Rows      ? "?, 1"
                        : operand.arrangement == Arrangement::Columns ? "1, ?"
                        : operand.arrangement == Arrangement::Spread  ? "?, ?"
                                                                      : "";
  if (operand.arrangement == Arrangement::KnownRows)
    strides = std::to_string(operand.rowStride) + ", 1";
  if (!strides.empty())
    text += ", strided<[" + batchStrides + strides + "], offset: ?>";
  return text + ">";
}

std::string StridedCase::text() const {
  std::string a = operandType(0), b = operandType(1), c = operandType(2);
  std::string scale = scaleType(scalesInMemory);
  std::string text = "func.func @soak(%a: " + a + ", %b: " + b + ", %c: " + c;
  text += hasAlpha ? ", %alpha: " + scale : "";
  text += hasBeta ? ", %beta: " + scale : "";
  text += ") {\n  kami.gemm ins(%a, %b : " + a + ", " + b + ") outs(%c : " + c +
          ")";
  text += hasAlpha ? " alpha(%alpha : " + scale + ")" : "";
  text += hasBeta ? " beta(%beta : " + scale + ")" : "";
  text += attributes();
  text += alignedRows ? " aligned_rows" : "";
  return text + "\n  return\n}\n";
}

/// The batch's extents: as many products as memory has room for, or fewer.
std::vector<int64_t> StridedCase::drawDims(Draw &draw, const Extents &extents,
                                           const SoakLimits &limits) const {
  int64_t bytes = 64;
  for (unsigned number = 0; number != 3; ++number) {
    auto [rows, columns] = stored(number, extents);
    bool isSpread = operands[number].arrangement == Arrangement::Spread;
    bytes += std::max<int64_t>((rows + 16) * (columns + 16), 1) *
             bytesOf(number) * (isSpread ? 3 : 1);
  }
  int64_t count =
      drawCount(draw, std::min(limits.products, limits.bytes / bytes));
  std::vector<int64_t> dims(rank, 1);
  for (int64_t dim = 0; dim + 1 < rank; ++dim) {
    dims[dim] = drawCount(draw, std::min<int64_t>(count, 40));
    count = std::max<int64_t>(count / dims[dim], 1);
  }
  dims.back() = count;
  std::swap(dims[draw.below(rank)], dims.back());
  if (draw.oneIn(40))
    dims[draw.below(rank)] = 0;
  return dims;
}

SoakOperand StridedCase::place(Draw &draw, unsigned number, Extents extents,
                               ArrayRef<int64_t> batch) const {
  const StridedOperand &operand = operands[number];
  auto [rows, columns] = stored(number, extents);
  bool isPacked = operand.arrangement == Arrangement::Packed;
  int64_t unit = draw.pick<int64_t>({1, 1, 2, 8, 16});
  // As many elements as a piece has bytes are whole pieces.
  if (alignedRows && number < 2)
    unit = copiedPiece;
  auto gap = [&] { return isPacked ? 0 : unit * draw.below(4); };
  int64_t row = columns, column = 1, span = rows * columns;
  if (operand.arrangement == Arrangement::KnownRows)
    row = operand.rowStride;
  if (operand.arrangement == Arrangement::Rows)
    row = roundUp(columns, unit) + gap();
  if (operand.arrangement == Arrangement::Spread) {
    column = draw.pick<int64_t>({1, 2, 3});
    row = column * columns + gap();
  }
  span = rows * row;
  if (operand.arrangement == Arrangement::Columns ||
      (operand.arrangement == Arrangement::Spread && draw.oneIn(2))) {
    int64_t inner = column;
    row = inner;
    column = roundUp(inner * rows, unit) + gap();
    span = columns * column;
  }
  SoakOperand placed;
  placed.offset = gap();
  for (int64_t dim = operand.firstDim; dim != rank; ++dim)
    placed.sizes.push_back(operand.repeats[dim] ? 1 : batch[dim]);
  placed.strides.resize(placed.sizes.size());
  // In any order of dimensions, from the innermost one on.
  std::vector<size_t> order;
  for (size_t dim = placed.sizes.size(); dim-- > 0;)
    order.push_back(dim);
  if (!isPacked)
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[draw.below(i)]);
  for (size_t dim : order) {
    // All take the same matrix.
    bool isBroadcast = number < 2 && !isPacked && draw.oneIn(8);
    placed.strides[dim] =
        isBroadcast ? 0 : roundUp(span, isPacked ? 1 : unit) + gap();
    if (!isBroadcast)
      span = placed.strides[dim] * placed.sizes[dim];
  }
  placed.sizes.insert(placed.sizes.end(), {rows, columns});
  placed.strides.insert(placed.strides.end(), {row, column});
  placed.elements = placed.offset + margin + 1;
  for (auto [size, stride] : llvm::zip_equal(placed.sizes, placed.strides))
    placed.elements += std::max<int64_t>(size - 1, 0) * stride;
  return placed;
}

/// Argument: a scale of all products.
static SoakArray makeScale(Type type, bool isMemory,
                           const std::array<double, 2> &value) {
  SoakArray array;
  array.type = type;
  array.isScalar = !isMemory;
  array.values = {value[0]};
  if (isa<ComplexType>(type))
    array.values.push_back(value[1]);
  return array;
}

SoakBatch StridedCase::drawBatch(Draw &draw, const SoakLimits &limits) const {
  SoakBatch batch;
  Extents sizes = extents;
  if (isDynamic)
    sizes = {draw.extent(limits.extent), draw.extent(limits.extent),
             draw.extent(limits.extent)};
  if (alignedRows)
    for (int64_t *extent : {&sizes.m, &sizes.n, &sizes.k})
      *extent = roundUp(*extent, copiedPiece);
  std::vector<int64_t> dims = drawDims(draw, sizes, limits);
  for (unsigned number = 0; number != 3; ++number)
    batch.operands[number] = place(draw, number, sizes, dims);
  SoakProduct product;
  product.extents = sizes;
  if (hasAlpha)
    product.alpha[0] = drawScale(draw, alphas);
  if (hasBeta)
    product.beta[0] = drawScale(draw, betas);
  if (hasAlpha && types.isComplex)
    product.alpha[1] = draw.pick({0.0, 1.0, -2.0});
  if (hasBeta && types.isComplex)
    product.beta[1] = draw.pick({0.0, 3.0, -1.0});
  if (hasAlpha)
    batch.arrays.push_back(
        makeScale(accumulatorType(), scalesInMemory, product.alpha));
  if (hasBeta)
    batch.arrays.push_back(
        makeScale(accumulatorType(), scalesInMemory, product.beta));
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  bool isTransposed[] = {types.transposeA, types.transposeB, false};
  for (int64_t index = 0; index != count; ++index) {
    for (unsigned number = 0; number != 3; ++number) {
      const SoakOperand &operand = batch.operands[number];
      SoakView &view = product.views[number];
      view.at = operand.offset;
      int64_t rest = index;
      for (int64_t dim = rank; dim-- > 0;) {
        int64_t digit = rest % dims[dim];
        rest /= dims[dim];
        int64_t own = dim - operands[number].firstDim;
        if (own >= 0 && !operands[number].repeats[dim])
          view.at += digit * operand.strides[own];
      }
      view.row = operand.strides[operand.strides.size() - 2];
      view.column = operand.strides.back();
      if (isTransposed[number])
        std::swap(view.row, view.column);
    }
    batch.products.push_back(product);
  }
  return batch;
}

//===----------------------------------------------------------------------===//
// Products of sizes of their own
//===----------------------------------------------------------------------===//

namespace {
class GroupedSoakCase : public SoakCase {
public:
  GroupedSoakCase(MLIRContext *context) : SoakCase(context) {}
  llvm::Error draw(Draw &draw, const Chip &chip);
  std::string text() const override;
  SoakBatch drawBatch(Draw &draw, const SoakLimits &limits) const override;

private:
  /// Where a scale is: nowhere, an argument, in memory, or one for each
  /// product.
  enum class Scale { None, Scalar, Memory, Each };
  std::string scaleText(Scale scale) const;
  SoakArray makeScales(const SoakBatch &batch, Scale scale,
                       std::array<double, 2> SoakProduct::*value) const;
  std::vector<std::array<int64_t, 3>> place(Draw &draw, SoakBatch &batch) const;

  Scale alpha = Scale::None, beta = Scale::None;
  bool countsBytes = false, hasLeading = false, narrowSizes = false;
};
} // namespace

llvm::Error GroupedSoakCase::draw(Draw &draw, const Chip &chip) {
  auto drawPlace = [&] {
    return draw.pick({Scale::None, Scale::Scalar, Scale::Memory, Scale::Each});
  };
  alpha = drawPlace();
  beta = drawPlace();
  countsBytes = draw.oneIn(2);
  hasLeading = !draw.oneIn(3);
  narrowSizes = draw.oneIn(2);
  Problem problem;
  auto typical = [&] { return draw.pick<int64_t>({16, 48, 100, 128}); };
  problem.extents = {typical(), typical(), typical()};
  problem.batch = 4096;
  constexpr int64_t mostBlocks = 7;
  Chip remaining = withoutTileList(chip, takenBytes(mostTaken) + ticketBytes);
  if (llvm::Error error = drawPlan(draw, remaining, problem))
    return error;
  if (plan) {
    plan->teams = 1;
    bool areFew = draw.oneIn(2);
    plan->blocks = areFew ? 1 + draw.below(mostBlocks)
                          : chip.multiprocessors * (1 + draw.below(8));
    if (areFew && chip.numbersLaunches)
      plan->taken = draw.pick<int64_t>({0, 1, 2, 3, mostTaken});
    plan->dealsProducts = plan->taken == 0 && draw.oneIn(2);
  }
  return llvm::Error::success();
}

std::string GroupedSoakCase::scaleText(Scale scale) const {
  if (scale == Scale::Each)
    return "memref<?x" + scaleType(/*isMemory=*/false) + ">";
  return scaleType(scale == Scale::Memory);
}

std::string GroupedSoakCase::text() const {
  auto flat = [&](ElementKind kind) {
    return "memref<?x" + elementText(kind, false) + ">";
  };
  std::string a = flat(types.operand), b = flat(types.operandB()),
              c = flat(types.output);
  std::string position = "memref<?xi64>",
              size = narrowSizes ? "memref<?xi32>" : position;
  std::string arguments = "%a: " + a + ", %b: " + b + ", %c: " + c;
  auto addThree = [&](StringRef first, StringRef second, StringRef third,
                      const std::string &type) {
    for (StringRef name : {first, second, third})
      arguments += (", %" + name + ": " + type).str();
    return ("(%" + first + ", %" + second + ", %" + third + " : " + type +
            ", " + type + ", " + type + ")")
        .str();
  };
  std::string op = "kami.grouped_gemm ins(%a, %b : " + a + ", " + b +
                   ") outs(%c : " + c + ") at" +
                   addThree("aAt", "bAt", "cAt", position);
  op += countsBytes ? " bytes" : "";
  op += " sizes" + addThree("m", "n", "k", size);
  if (hasLeading)
    op += " leading" + addThree("lda", "ldb", "ldc", size);
  for (auto [name, scale] :
       {std::pair("alpha", alpha), std::pair("beta", beta)}) {
    if (scale == Scale::None)
      continue;
    std::string type = scaleText(scale);
    arguments += std::string(", %") + name + ": " + type;
    op += std::string(" ") + name + "(%" + name + " : " + type + ")";
  }
  return "func.func @soak(" + arguments + ") {\n  " + op + attributes() +
         "\n  return\n}\n";
}

/// Matrices in any order, with gaps between them and between their rows. The
/// leading dimensions of each product.
std::vector<std::array<int64_t, 3>>
GroupedSoakCase::place(Draw &draw, SoakBatch &batch) const {
  std::vector<std::array<int64_t, 3>> leading(batch.products.size());
  std::vector<size_t> order(batch.products.size());
  for (size_t i = 0; i != order.size(); ++i)
    order[i] = i;
  if (draw.oneIn(2))
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[draw.below(i)]);
  int64_t unit = draw.pick<int64_t>({1, 1, 2, 8, 16});
  for (unsigned number = 0; number != 3; ++number) {
    int64_t end = 0;
    bool isTransposed =
        (number == 0 && types.transposeA) || (number == 1 && types.transposeB);
    for (size_t i : order) {
      SoakProduct &product = batch.products[i];
      auto [m, n, k] = product.extents;
      auto [rows, columns] = number == 0   ? std::pair(m, k)
                             : number == 1 ? std::pair(k, n)
                                           : std::pair(m, n);
      if (isTransposed)
        std::swap(rows, columns);
      int64_t stride = columns;
      if (hasLeading)
        stride = roundUp(columns, unit) + unit * draw.below(3);
      int64_t at = roundUp(end, unit) + unit * draw.below(3);
      leading[i][number] = stride;
      product.views[number] = {at, isTransposed ? 1 : stride,
                               isTransposed ? stride : 1};
      if (rows > 0 && columns > 0)
        end = at + (rows - 1) * stride + columns;
    }
    SoakOperand &operand = batch.operands[number];
    operand.elements = end + 3 * unit + margin + 1;
    operand.sizes = {operand.elements};
    operand.strides = {1};
  }
  return leading;
}

SoakArray
GroupedSoakCase::makeScales(const SoakBatch &batch, Scale scale,
                            std::array<double, 2> SoakProduct::*value) const {
  if (scale != Scale::Each)
    return makeScale(accumulatorType(), scale == Scale::Memory,
                     batch.products.front().*value);
  SoakArray array;
  array.type = accumulatorType();
  array.sizes = {int64_t(batch.products.size())};
  for (const SoakProduct &product : batch.products)
    array.values.push_back((product.*value)[0]);
  return array;
}

SoakBatch GroupedSoakCase::drawBatch(Draw &draw,
                                     const SoakLimits &limits) const {
  SoakBatch batch;
  int64_t count = drawCount(draw, limits.products);
  int64_t largest =
      std::min(limits.extent, draw.pick<int64_t>({8, 16, 32, 64, 1 << 20}));
  double first = drawScale(draw, alphas), second = drawScale(draw, betas);
  int64_t bytes = 0;
  while (int64_t(batch.products.size()) < count && bytes < limits.bytes) {
    SoakProduct &product = batch.products.emplace_back();
    product.extents = {draw.extent(largest), draw.extent(largest),
                       draw.extent(largest)};
    auto [m, n, k] = product.extents;
    bytes += (m * (k + 16) + k * (n + 16) + m * (n + 16)) * 8;
    if (alpha != Scale::None)
      product.alpha[0] = alpha == Scale::Each ? drawScale(draw, alphas) : first;
    if (beta != Scale::None)
      product.beta[0] = beta == Scale::Each ? drawScale(draw, betas) : second;
  }
  std::vector<std::array<int64_t, 3>> leading = place(draw, batch);
  auto addArray = [&](Type type, auto valueOf) {
    SoakArray &array = batch.arrays.emplace_back();
    array.type = type;
    array.sizes = {int64_t(batch.products.size())};
    for (auto [number, product] : llvm::enumerate(batch.products))
      array.values.push_back(double(valueOf(number, product)));
  };
  Type wide = IntegerType::get(context, 64);
  Type size = narrowSizes ? IntegerType::get(context, 32) : wide;
  ElementKind kinds[] = {types.operand, types.operandB(), types.output};
  for (unsigned i = 0; i != 3; ++i)
    addArray(wide, [&](size_t, const SoakProduct &product) {
      return product.views[i].at * (countsBytes ? byteWidth(kinds[i]) : 1);
    });
  for (int64_t Extents::*extent : {&Extents::m, &Extents::n, &Extents::k})
    addArray(size, [&](size_t, const SoakProduct &product) {
      return product.extents.*extent;
    });
  for (unsigned i = 0; i != 3 && hasLeading; ++i)
    addArray(size, [&](size_t number, const SoakProduct &) {
      return leading[number][i];
    });
  if (alpha != Scale::None)
    batch.arrays.push_back(makeScales(batch, alpha, &SoakProduct::alpha));
  if (beta != Scale::None)
    batch.arrays.push_back(makeScales(batch, beta, &SoakProduct::beta));
  return batch;
}

//===----------------------------------------------------------------------===//
// Drawing
//===----------------------------------------------------------------------===//

static SoakTypes drawTypes(Draw &draw, const SweepOptions &options,
                           const Chip &chip, bool allowsComplex) {
  SoakTypes types;
  types.operand = options.types[draw.below(options.types.size())];
  types.accumulator = types.output = defaultAccumulator(types.operand);
  types.transposeA = draw.oneIn(3);
  types.transposeB = draw.oneIn(3);
  bool isWide = !isInteger(types.operand) && byteWidth(types.operand) >= 4;
  if (allowsComplex && isWide && draw.oneIn(3)) {
    types.isComplex = true;
    types.conjugateA = draw.oneIn(3);
    types.conjugateB = draw.oneIn(3);
    return types;
  }
  if (types.operand == ElementKind::F16 && draw.oneIn(5) &&
      !chip.atomsFor(ElementKind::F16, ElementKind::F16).empty())
    types.accumulator = types.output = ElementKind::F16;
  bool canNarrow = !isInteger(types.operand) &&
                   byteWidth(types.operand) < byteWidth(types.accumulator);
  if (canNarrow && draw.oneIn(2))
    types.output = types.operand;
  std::vector<ElementKind> others;
  for (ElementKind kind : allElementKinds())
    if (kind != types.operand && canMultiply(types.operand, kind) &&
        types.accumulator == defaultAccumulator(types.operand) &&
        !chip.atomsFor(types.operand, kind, types.accumulator).empty())
      others.push_back(kind);
  if (!others.empty() && draw.oneIn(4))
    types.otherOperand = others[draw.below(others.size())];
  return types;
}

llvm::Expected<std::unique_ptr<SoakCase>>
kami::drawSoakCase(MLIRContext *context, const SweepOptions &options,
                   const Chip &chip, Draw &draw, const SoakLimits &limits) {
  if (draw.oneIn(3)) {
    auto grouped = std::make_unique<GroupedSoakCase>(context);
    grouped->types = drawTypes(draw, options, chip, /*allowsComplex=*/false);
    if (llvm::Error error = grouped->draw(draw, chip))
      return error;
    return grouped;
  }
  auto strided = std::make_unique<StridedCase>(context);
  strided->types = drawTypes(draw, options, chip, /*allowsComplex=*/true);
  if (llvm::Error error = strided->draw(draw, chip, limits))
    return error;
  return strided;
}
