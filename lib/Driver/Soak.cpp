//===- Soak.cpp - Random batches until the time is over ------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResidentLauncher.h"
#include "SoakCase.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Plan/Explain.h"
#include "kami/Simulator/Scalar.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>
#include <cmath>

using namespace kami;
using namespace mlir;

namespace {

using Clock = std::chrono::steady_clock;

/// What is counted over all cases.
struct SoakTotals {
  int64_t kernels = 0;
  int64_t batches = 0;
  int64_t products = 0;
  int64_t elements = 0;
  int64_t wrong = 0;
};

/// Elements of one batch that are not what they should be.
struct Mismatch {
  int64_t wrong = 0;
  /// As the kernel says it; -1 without one.
  int64_t first = -1;
};

/// Launches of the kernels that check.
struct CheckShape {
  int64_t blocks, chunks, threads;
  int64_t count() const { return blocks * chunks * threads; }
};

/// A, B and C of one batch.
struct Trial {
  Trial(const SoakTypes &types, const CheckShape &shape)
      : types(types), shape(shape),
        kinds{types.operand, types.operandB(), types.output} {}

  /// Of a number in memory.
  unsigned bytes(unsigned i) const { return byteWidth(kinds[i]); }
  llvm::StringRef inputsText() const {
    return inputs == InputKind::Integers ? "integers" : "random numbers";
  }

  const SoakTypes &types;
  CheckShape shape;
  InputKind inputs = InputKind::Random;
  std::array<ElementKind, 3> kinds;
  /// All numbers of the buffers, as bits; what they are filled from, and how.
  std::array<sim::MemRef, 3> flat, tables;
  std::array<uint64_t, 3> seeds = {};
};

class Soak {
public:
  Soak(const SweepOptions &options, const Chip &chip, llvm::raw_ostream &os,
       llvm::raw_ostream &log)
      : options(options), chip(chip), os(os), log(log) {
    loadAllDialects(context);
  }

  llvm::Expected<bool> run();

private:
  /// What is the same for all batches of a case.
  struct Compiled {
    ResidentProgram program;
    Problem problem;
    const Atom *atom = nullptr;
    Plan plan;
  };

  llvm::Error tryCase(int64_t number);
  llvm::Expected<Compiled> compileCase(const SoakCase &one);
  llvm::Expected<ResidentProgram *> fillProgram(unsigned bytes);
  llvm::Expected<ResidentProgram *> checkProgram(const CheckedTypes &types);
  llvm::Expected<ResidentProgram> loadCheck(OwningOpRef<ModuleOp> module);
  llvm::Error tryBatch(const SoakCase &one, Compiled &compiled,
                       const SoakBatch &batch, Draw &draw);
  llvm::Error fillOrCompare(const Trial &trial, unsigned i,
                            llvm::StringRef function, const sim::MemRef *found);
  llvm::Expected<SmallVector<sim::Argument>>
  prepare(Trial &trial, const SoakBatch &batch, Draw &draw);
  llvm::Error checkElements(const Trial &trial, const SoakBatch &batch,
                            const Compiled &compiled, const sim::MemRef &found);
  llvm::Error judgeElements(const Trial &trial, const SoakBatch &batch,
                            const sim::MemRef &found);
  llvm::Error checkRest(const Trial &trial, const sim::MemRef &found);

  llvm::Expected<sim::MemRef> upload(ArrayRef<uint8_t> bytes,
                                     ArrayRef<int64_t> sizes, Type element);
  llvm::Expected<sim::MemRef> uploadTable(ElementKind kind, InputKind inputs,
                                          bool isPoison);
  llvm::Expected<sim::Argument> uploadArray(const SoakArray &array);
  llvm::Expected<sim::MemRef> uploadProducts(const SoakBatch &batch);
  llvm::Expected<sim::MemRef> uploadScales(const SoakBatch &batch,
                                           const Compiled &compiled,
                                           ElementKind output,
                                           InputKind inputs);
  llvm::Expected<sim::MemRef>
  uploadRules(const SoakBatch &batch, const SoakTypes &types, InputKind inputs);
  llvm::Expected<sim::MemRef> allocateFound(int64_t threads);
  llvm::Expected<Mismatch> readFound(const sim::MemRef &found);
  llvm::Error spoil(const SoakBatch &batch, const SoakTypes &types,
                    const sim::MemRef &c);
  llvm::Error fail(const llvm::Twine &reason);
  void report(bool isLast);
  SoakLimits limits() const;
  Type bitsType(unsigned bytes) {
    return IntegerType::get(&context, 8 * bytes);
  }

  const SweepOptions &options;
  const Chip &chip;
  llvm::raw_ostream &os, &log;
  MLIRContext context;
  std::unique_ptr<ResidentLauncher> launcher;
  std::map<unsigned, ResidentProgram> fills;
  std::map<std::string, ResidentProgram> checks;
  SoakTotals totals;
  Clock::time_point start, reported;
  int64_t caseNumber = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Sizes of launches
//===----------------------------------------------------------------------===//

/// Batches of each kernel.
static constexpr int64_t batchesPerCase = 4;

/// What fits a simulator's patience, or a GPU's memory several times over.
SoakLimits Soak::limits() const {
  if (launcher->isSimulated())
    return {20000, 5, std::min<int64_t>(options.maxExtent, 40)};
  int64_t bytes = std::min<int64_t>(launcher->memoryBytes() / 8, 1 << 30);
  return {bytes, 100000, options.maxExtent};
}

static CheckShape shapeFor(const SoakBatch &batch, bool isSimulated) {
  int64_t count = std::max<int64_t>(batch.products.size(), 1), most = 1;
  if (isSimulated)
    return {std::min<int64_t>(count, 4), 1, 32};
  for (const SoakProduct &product : batch.products)
    most = std::max(most, product.extents.m * product.extents.n);
  int64_t blocks = std::min<int64_t>(count, 2048), threads = 128;
  int64_t chunks =
      std::clamp<int64_t>((most + threads - 1) / threads, 1, 4096 / blocks);
  return {blocks, chunks, threads};
}

static sim::Argument indexArgument(int64_t value) {
  return sim::Argument::scalar(uint64_t(value));
}

/// A memref without gaps in a whole buffer.
static sim::MemRef packed(sim::Buffer *buffer, ArrayRef<int64_t> sizes,
                          Type element) {
  sim::MemRef memref;
  memref.buffer = buffer;
  memref.sizes.assign(sizes.begin(), sizes.end());
  memref.strides.assign(sizes.size(), 1);
  for (size_t dim = sizes.size(); dim-- > 1;)
    memref.strides[dim - 1] = memref.strides[dim] * sizes[dim];
  memref.elementType = element;
  memref.elementBytes = sim::elementBytes(element);
  return memref;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

llvm::Expected<ResidentProgram> Soak::loadCheck(OwningOpRef<ModuleOp> module) {
  if (!module)
    return llvm::createStringError("cannot build the kernels that check");
  ResidentProgram program;
  if (!launcher->isSimulated()) {
    OwningOpRef<ModuleOp> lowered = module->clone();
    llvm::Expected<std::vector<Kernel>> kernels = lowerCheck(*lowered);
    if (!kernels)
      return kernels.takeError();
    if (llvm::Error error = launcher->load(program, *kernels))
      return error;
  }
  program.module = std::move(module);
  return program;
}

llvm::Expected<ResidentProgram *> Soak::fillProgram(unsigned bytes) {
  auto known = fills.find(bytes);
  if (known != fills.end())
    return &known->second;
  llvm::Expected<ResidentProgram> made =
      loadCheck(buildFill(&context, chip, bytes));
  if (!made)
    return made.takeError();
  return &fills.emplace(bytes, std::move(*made)).first->second;
}

llvm::Expected<ResidentProgram *>
Soak::checkProgram(const CheckedTypes &types) {
  std::string key =
      llvm::formatv("{0} {1} {2} {3}", name(types.a), name(types.b),
                    name(types.c), types.isComplex);
  auto known = checks.find(key);
  if (known != checks.end())
    return &known->second;
  llvm::Expected<ResidentProgram> made =
      loadCheck(buildCheck(&context, chip, types));
  if (!made)
    return made.takeError();
  return &checks.emplace(key, std::move(*made)).first->second;
}

llvm::Expected<Soak::Compiled> Soak::compileCase(const SoakCase &one) {
  CompileOptions compile;
  compile.chip = options.chip;
  compile.plan = one.plan;
  Compiled compiled;
  compiled.program.module = parseSourceString<ModuleOp>(one.text(), &context);
  if (!compiled.program.module)
    return llvm::createStringError("cannot parse the case");
  FailureOr<Compilation> compilation =
      kami::compile(*compiled.program.module, compile, Level::Target);
  if (failed(compilation))
    return llvm::createStringError("compilation failed");
  // Without elements there is no kernel.
  if (compilation->kernels.empty())
    return compiled;
  const Kernel &kernel = compilation->kernels.front();
  compiled.problem = kernel.problem;
  compiled.atom = kernel.plan.atom;
  compiled.plan = kernel.plan;
  if (launcher->isSimulated())
    return compiled;
  // One assembler, rather than its report and then the driver's.
  Level level = findPtxas().empty() ? Level::PTX : Level::Cubin;
  OwningOpRef<ModuleOp> kernels = compiled.program.module->clone();
  if (failed(compileKernels(*kernels, *compilation, level)))
    return llvm::createStringError("compilation failed");
  if (llvm::Error error =
          launcher->load(compiled.program, compilation->kernels))
    return error;
  return compiled;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

llvm::Expected<sim::MemRef>
Soak::upload(ArrayRef<uint8_t> bytes, ArrayRef<int64_t> sizes, Type element) {
  llvm::Expected<sim::Buffer *> buffer = launcher->allocate(bytes.size());
  if (!buffer)
    return buffer.takeError();
  if (llvm::Error error = launcher->write(*buffer, 0, bytes))
    return error;
  return packed(*buffer, sizes, element);
}

template <typename T> static ArrayRef<uint8_t> bytesOf(ArrayRef<T> values) {
  return {reinterpret_cast<const uint8_t *>(values.data()),
          values.size() * sizeof(T)};
}

/// The bits of a number in memory.
static uint64_t bitsOf(const sim::ElementFormat &format, double value) {
  return format.isFloat() ? sim::fromDouble(format, value)
                          : uint64_t(int64_t(value)) & format.mask();
}

/// What matrices are filled with: numbers as `kami-run` draws them, or what no
/// product may read.
llvm::Expected<sim::MemRef> Soak::uploadTable(ElementKind kind,
                                              InputKind inputs, bool isPoison) {
  sim::ElementFormat format = *sim::formatOf(elementType(&context, kind));
  uint64_t seed = uint64_t(kind);
  Draw draw(seed);
  std::vector<uint8_t> bytes(fillEntries * format.bytes());
  for (int64_t i = 0; i != fillEntries; ++i) {
    uint64_t bits;
    if (isPoison)
      bits = format.isFloat() ? format.mask() : 77;
    else if (inputs == InputKind::Integers)
      bits = bitsOf(format, double(draw.below(9) - 4));
    else if (!format.isFloat())
      bits = bitsOf(format, double(int16_t(draw.bits())));
    else
      bits = bitsOf(format, 2 * std::ldexp(double(draw.bits() >> 11), -53) - 1);
    sim::writeBits(&bytes[i * format.bytes()], format.bytes(), bits);
  }
  return upload(bytes, {fillEntries}, bitsType(format.bytes()));
}

llvm::Expected<sim::Argument> Soak::uploadArray(const SoakArray &array) {
  auto complex = dyn_cast<ComplexType>(array.type);
  sim::ElementFormat format =
      *sim::formatOf(complex ? complex.getElementType() : array.type);
  if (array.isScalar)
    return sim::Argument::scalar(bitsOf(format, array.values.front()));
  std::vector<uint8_t> bytes(array.values.size() * format.bytes());
  for (auto [i, value] : llvm::enumerate(array.values))
    sim::writeBits(&bytes[i * format.bytes()], format.bytes(),
                   bitsOf(format, value));
  llvm::Expected<sim::MemRef> memref =
      upload(bytes, ArrayRef<int64_t>(array.sizes), array.type);
  if (!memref)
    return memref.takeError();
  return sim::Argument(*memref);
}

llvm::Expected<sim::MemRef> Soak::uploadProducts(const SoakBatch &batch) {
  std::vector<int64_t> columns;
  for (const SoakProduct &product : batch.products) {
    auto [m, n, k] = product.extents;
    llvm::append_values(columns, m, n, k);
    for (const SoakView &view : product.views)
      llvm::append_values(columns, view.at, view.row, view.column);
  }
  return upload(bytesOf(ArrayRef<int64_t>(columns)),
                {int64_t(batch.products.size()), productColumns}, bitsType(8));
}

llvm::Expected<sim::MemRef> Soak::uploadScales(const SoakBatch &batch,
                                               const Compiled &compiled,
                                               ElementKind output,
                                               InputKind inputs) {
  std::vector<double> columns;
  Problem problem = compiled.problem;
  for (const SoakProduct &product : batch.products) {
    problem.extents.k = std::max<int64_t>(product.extents.k, 1);
    double bound = inputs == InputKind::Integers
                       ? 0
                       : errorBound(problem, output, compiled.atom);
    llvm::append_values(columns, product.alpha[0], product.alpha[1],
                        product.beta[0], product.beta[1], bound);
  }
  return upload(bytesOf(ArrayRef<double>(columns)),
                {int64_t(batch.products.size()), scaleColumns},
                Float64Type::get(&context));
}

/// The smallest number that becomes infinite or NaN when it is rounded.
static double overflowOf(ElementKind kind) {
  switch (kind) {
  case ElementKind::F16:
    return 65520;
  case ElementKind::F8E5M2:
  case ElementKind::F8E5M2FNUZ:
    return 61440;
  case ElementKind::F8E4M3FNUZ:
    return 248;
  case ElementKind::F8E4M3FN:
    return 464;
  default:
    return HUGE_VAL;
  }
}

/// What may be lost however small the result is: of C's format, and, where sums
/// are of a narrow one, too, of the sum's, times α, of this product's, and of
/// β·C's: an f16 of 10^-5 has few bits, and α = 2 doubles what it lost.
static double lostBelow(const SoakBatch &batch, const SoakTypes &types,
                        MLIRContext *context) {
  auto below = [&](ElementKind kind) {
    return underflow(*sim::formatOf(elementType(context, kind)));
  };
  double alpha = 1;
  for (const SoakProduct &product : batch.products)
    alpha = std::max(alpha, std::hypot(product.alpha[0], product.alpha[1]));
  return below(types.output) + (alpha + 2) * below(types.accumulator);
}

llvm::Expected<sim::MemRef> Soak::uploadRules(const SoakBatch &batch,
                                              const SoakTypes &types,
                                              InputKind inputs) {
  bool isExact = inputs == InputKind::Integers;
  std::array<double, rules> values;
  values[ruleHalfUnit] = isExact ? roundingUnit(types.output) : 0;
  values[ruleUnderflow] = isExact ? 0 : lostBelow(batch, types, &context);
  values[ruleOverflow] = overflowOf(types.output);
  values[ruleSignA] = types.conjugateA ? -1 : 1;
  values[ruleSignB] = types.conjugateB ? -1 : 1;
  return upload(bytesOf(ArrayRef<double>(values)), {rules},
                Float64Type::get(&context));
}

llvm::Expected<sim::MemRef> Soak::allocateFound(int64_t threads) {
  llvm::Expected<sim::Buffer *> buffer = launcher->allocate(threads * 16);
  if (!buffer)
    return buffer.takeError();
  return packed(*buffer, {threads, 2}, bitsType(8));
}

llvm::Expected<Mismatch> Soak::readFound(const sim::MemRef &found) {
  std::vector<int64_t> rows(found.elements());
  llvm::MutableArrayRef<uint8_t> bytes(reinterpret_cast<uint8_t *>(rows.data()),
                                       rows.size() * sizeof(int64_t));
  if (llvm::Error error = launcher->read(found.buffer, 0, bytes))
    return error;
  Mismatch mismatch;
  for (size_t i = 0; i != rows.size(); i += 2) {
    mismatch.wrong += rows[i];
    bool isFirst = rows[i + 1] >= 0 &&
                   (mismatch.first < 0 || rows[i + 1] < mismatch.first);
    if (isFirst)
      mismatch.first = rows[i + 1];
  }
  return mismatch;
}

//===----------------------------------------------------------------------===//
// One batch
//===----------------------------------------------------------------------===//

/// Makes one element wrong: one of C, or, every other time, one behind it.
llvm::Error Soak::spoil(const SoakBatch &batch, const SoakTypes &types,
                        const sim::MemRef &c) {
  sim::ElementFormat format =
      *sim::formatOf(elementType(&context, types.output));
  unsigned parts = types.isComplex ? 2 : 1;
  int64_t at = batch.operands[2].elements * parts - 1;
  if (totals.batches % 2 == 0)
    for (const SoakProduct &product : batch.products)
      if (product.extents.m > 0 && product.extents.n > 0)
        at = product.views[2].at * parts;
  uint8_t bytes[8] = {};
  llvm::MutableArrayRef<uint8_t> element(bytes, format.bytes());
  if (llvm::Error error =
          launcher->read(c.buffer, at * format.bytes(), element))
    return error;
  // A large number, or another integer.
  double large = types.output == ElementKind::F8E4M3FN ? 448 : 49152;
  uint64_t bits = format.isFloat() ? sim::fromDouble(format, large)
                                   : sim::readBits(bytes, format.bytes()) ^ 1;
  sim::writeBits(bytes, format.bytes(), bits);
  return launcher->write(c.buffer, at * format.bytes(), element);
}

llvm::Error Soak::fillOrCompare(const Trial &trial, unsigned i,
                                llvm::StringRef function,
                                const sim::MemRef *found) {
  llvm::Expected<ResidentProgram *> program = fillProgram(trial.bytes(i));
  if (!program)
    return program.takeError();
  SmallVector<sim::Argument> arguments = {
      trial.flat[i], trial.tables[i], sim::Argument::scalar(trial.seeds[i])};
  if (found)
    arguments.push_back(*found);
  arguments.push_back(indexArgument(trial.shape.blocks * trial.shape.chunks));
  arguments.push_back(indexArgument(trial.shape.threads));
  return launcher->run(**program, function, arguments);
}

/// Fills A, B and C. The arguments of the kernel that is tried.
llvm::Expected<SmallVector<sim::Argument>>
Soak::prepare(Trial &trial, const SoakBatch &batch, Draw &draw) {
  bool isComplex = trial.types.isComplex;
  bool readsC = llvm::any_of(batch.products, [](const SoakProduct &product) {
    return product.beta[0] != 0 || product.beta[1] != 0;
  });
  SmallVector<sim::Argument> arguments;
  for (unsigned i = 0; i != 3; ++i) {
    const SoakOperand &operand = batch.operands[i];
    int64_t numbers = operand.elements * (isComplex ? 2 : 1);
    llvm::Expected<sim::Buffer *> buffer =
        launcher->allocate(numbers * trial.bytes(i));
    if (!buffer)
      return buffer.takeError();
    trial.flat[i] = packed(*buffer, {numbers}, bitsType(trial.bytes(i)));
    llvm::Expected<sim::MemRef> table = uploadTable(
        trial.kinds[i], trial.inputs, /*isPoison=*/i == 2 && !readsC);
    if (!table)
      return table.takeError();
    trial.tables[i] = *table;
    trial.seeds[i] = draw.bits();
    Type element = elementType(&context, trial.kinds[i]);
    sim::MemRef view = packed(*buffer, operand.sizes,
                              isComplex ? ComplexType::get(element) : element);
    view.offset = operand.offset;
    view.strides.assign(operand.strides.begin(), operand.strides.end());
    arguments.push_back(view);
    if (llvm::Error error = fillOrCompare(trial, i, "fill", nullptr))
      return error;
  }
  for (const SoakArray &array : batch.arrays) {
    llvm::Expected<sim::Argument> argument = uploadArray(array);
    if (!argument)
      return argument.takeError();
    arguments.push_back(*argument);
  }
  return arguments;
}

/// Checks C's elements, and makes them what they were before.
llvm::Error Soak::checkElements(const Trial &trial, const SoakBatch &batch,
                                const Compiled &compiled,
                                const sim::MemRef &found) {
  llvm::Expected<ResidentProgram *> check = checkProgram(trial.types.checked());
  if (!check)
    return check.takeError();
  std::vector<double> decode = decodeTable(trial.types.checked());
  SmallVector<sim::Argument> arguments(trial.flat.begin(), trial.flat.end());
  arguments.push_back(trial.tables[2]);
  auto add = [&](llvm::Expected<sim::MemRef> memref) -> llvm::Error {
    if (!memref)
      return memref.takeError();
    arguments.push_back(*memref);
    return llvm::Error::success();
  };
  if (llvm::Error error = add(upload(bytesOf(ArrayRef<double>(decode)),
                                     {3, 256}, Float64Type::get(&context))))
    return error;
  if (llvm::Error error = add(uploadProducts(batch)))
    return error;
  if (llvm::Error error =
          add(uploadScales(batch, compiled, trial.types.output, trial.inputs)))
    return error;
  if (llvm::Error error = add(uploadRules(batch, trial.types, trial.inputs)))
    return error;
  arguments.push_back(found);
  arguments.push_back(sim::Argument::scalar(trial.seeds[2]));
  for (int64_t value :
       {trial.shape.blocks, trial.shape.chunks, trial.shape.threads})
    arguments.push_back(indexArgument(value));
  return launcher->run(**check, "check", arguments);
}

/// Counts what was found, and says where it is.
llvm::Error Soak::judgeElements(const Trial &trial, const SoakBatch &batch,
                                const sim::MemRef &found) {
  llvm::Expected<Mismatch> mismatch = readFound(found);
  if (!mismatch)
    return mismatch.takeError();
  int64_t elements = 0;
  for (const SoakProduct &product : batch.products)
    elements += product.extents.m * product.extents.n;
  ++totals.batches;
  totals.products += batch.products.size();
  totals.elements += elements;
  totals.wrong += mismatch->wrong;
  if (mismatch->wrong == 0)
    return llvm::Error::success();
  int64_t number = mismatch->first >> 32;
  int64_t element = mismatch->first & 0xFFFFFFFF;
  auto [m, n, k] = batch.products[number].extents;
  return llvm::createStringError(llvm::formatv(
      "{0} of {1} elements are wrong with {2}, the first at row {3} and column "
      "{4} of product {5} of {6}, {7}x{8}x{9}",
      mismatch->wrong, elements, trial.inputsText(), element / n, element % n,
      number, batch.products.size(), m, n, k));
}

/// A, B and what is around C's elements must be as they were filled.
llvm::Error Soak::checkRest(const Trial &trial, const sim::MemRef &found) {
  constexpr llvm::StringLiteral names[] = {"of A", "of B", "around C"};
  for (unsigned i = 0; i != 3; ++i) {
    if (llvm::Error error = fillOrCompare(trial, i, "compare", &found))
      return error;
    llvm::Expected<Mismatch> mismatch = readFound(found);
    if (!mismatch)
      return mismatch.takeError();
    totals.wrong += mismatch->wrong;
    if (mismatch->wrong > 0)
      return llvm::createStringError(llvm::formatv(
          "{0} numbers {1} were overwritten with {2}, the first at {3} of {4}",
          mismatch->wrong, names[i], trial.inputsText(), mismatch->first,
          trial.flat[i].sizes[0]));
  }
  return llvm::Error::success();
}

llvm::Error Soak::tryBatch(const SoakCase &one, Compiled &compiled,
                           const SoakBatch &batch, Draw &draw) {
  Trial trial(one.types, shapeFor(batch, launcher->isSimulated()));
  // Sums of integers would not be exact in f16.
  bool isExact = draw.oneIn(2) && one.types.accumulator != ElementKind::F16;
  trial.inputs = isExact ? InputKind::Integers : InputKind::Random;
  llvm::Expected<SmallVector<sim::Argument>> arguments =
      prepare(trial, batch, draw);
  if (!arguments)
    return arguments.takeError();
  llvm::Expected<sim::MemRef> found = allocateFound(trial.shape.count());
  if (!found)
    return found.takeError();
  if (llvm::Error error = launcher->run(compiled.program, "soak", *arguments))
    return error;
  if (options.spoils)
    if (llvm::Error error = spoil(batch, one.types, trial.flat[2]))
      return error;
  if (llvm::Error error = checkElements(trial, batch, compiled, *found))
    return error;
  if (llvm::Error error = judgeElements(trial, batch, *found))
    return error;
  return checkRest(trial, *found);
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

llvm::Error Soak::fail(const llvm::Twine &reason) {
  return llvm::createStringError("case " + llvm::Twine(caseNumber) + ": " +
                                 reason);
}

llvm::Error Soak::tryCase(int64_t number) {
  caseNumber = number;
  Draw draw(options.seed * 1000003 + number);
  llvm::Expected<std::unique_ptr<SoakCase>> one =
      drawSoakCase(&context, options, chip, draw, limits());
  if (!one)
    return fail(llvm::toString(one.takeError()));
  if (options.verbose) {
    os << "case " << number << "\n" << (*one)->text();
    os.flush();
  }
  llvm::Expected<Compiled> compiled = compileCase(**one);
  if (!compiled)
    return fail(llvm::toString(compiled.takeError()) + "\n" + (*one)->text());
  ++totals.kernels;
  for (int64_t index = 0; index != batchesPerCase; ++index) {
    SoakBatch batch = (*one)->drawBatch(draw, limits());
    llvm::Error error = tryBatch(**one, *compiled, batch, draw);
    launcher->releaseAll();
    if (error)
      return fail("batch " + llvm::Twine(index) + ": " +
                  llvm::toString(std::move(error)) + "\n" + (*one)->text() +
                  (compiled->atom ? summary(compiled->plan) : "no kernel"));
    report(/*isLast=*/false);
  }
  return llvm::Error::success();
}

/// Every ten seconds.
void Soak::report(bool isLast) {
  auto now = Clock::now();
  if (!isLast && now - reported < std::chrono::seconds(10))
    return;
  reported = now;
  auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(now - start).count();
  log << seconds << " s: " << totals.kernels << " kernels, " << totals.batches
      << " batches, " << totals.products << " products, " << totals.elements
      << " elements checked\n";
  log.flush();
}

/// True if all were right.
llvm::Expected<bool> Soak::run() {
  llvm::Expected<std::unique_ptr<ResidentLauncher>> made =
      ResidentLauncher::create(options.device, chip);
  if (!made)
    return made.takeError();
  launcher = std::move(*made);
  start = reported = Clock::now();
  bool isRight = true;
  auto isOver = [&] {
    return Clock::now() - start >=
           std::chrono::duration<double>(options.soakSeconds);
  };
  for (int64_t number = options.firstCase; isRight; ++number) {
    if (llvm::Error error = tryCase(number)) {
      isRight = false;
      os << llvm::toString(std::move(error)) << "\n"
         << "again: " << options.reproducer << " --case=" << number << "\n";
    }
    if (isOver())
      break;
  }
  report(/*isLast=*/true);
  os << "device " << launcher->deviceName() << ", seed " << options.seed << ", "
     << totals.kernels << " kernels\n"
     << totals.batches << " batches, " << totals.products << " products, "
     << totals.elements << " elements checked, " << totals.wrong << " wrong\n";
  os.flush();
  return isRight;
}

llvm::Expected<bool> kami::runSoak(const SweepOptions &options,
                                   llvm::raw_ostream &os,
                                   llvm::raw_ostream &log) {
  llvm::Expected<const Chip *> chip = findChip(options.chip);
  if (!chip)
    return chip.takeError();
  return Soak(options, **chip, os, log).run();
}
