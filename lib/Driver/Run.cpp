//===- Run.cpp - Execute a function and judge the result -----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/Run.h"
#include "Descriptors.h"
#include "DeviceLauncher.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Driver/Binding.h"
#include "kami/Driver/VulkanInfo.h"
#include "kami/Pipelines/Pipelines.h"
#include "kami/Runtime/Cuda.h"
#include "kami/Simulator/Reference.h"
#include "kami/Simulator/Scalar.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include <cmath>
#include <random>

using namespace kami;
using namespace mlir;

llvm::StringRef kami::name(DeviceKind device) {
  switch (device) {
  case DeviceKind::Simulator:
    return "sim";
  case DeviceKind::Cuda:
    return "cuda";
  case DeviceKind::Hip:
    return "hip";
  case DeviceKind::Vulkan:
    return "vulkan";
  }
  llvm_unreachable("covered switch");
}

double kami::roundingUnit(ElementKind kind) {
  switch (kind) {
  case ElementKind::F16:
    return std::ldexp(1.0, -11);
  case ElementKind::BF16:
    return std::ldexp(1.0, -8);
  case ElementKind::F32:
  case ElementKind::TF32:
    return std::ldexp(1.0, -24);
  case ElementKind::F64:
    return std::ldexp(1.0, -53);
  case ElementKind::F8E4M3FN:
  case ElementKind::F8E4M3FNUZ:
    return std::ldexp(1.0, -4);
  case ElementKind::F8E5M2:
  case ElementKind::F8E5M2FNUZ:
    return std::ldexp(1.0, -3);
  default:
    return 0;
  }
}

double kami::errorBound(const Problem &problem, ElementKind output,
                        const Atom *atom) {
  double terms = problem.extents.k, operands = 0;
  // A part of a complex number is a sum of two products for each term.
  if (problem.isComplex)
    terms *= 2;
  double unit = roundingUnit(problem.accumulator);
  if (problem.operand == ElementKind::TF32) {
    operands = std::ldexp(1.0, -10);
  } else if (problem.operand == ElementKind::TF32x3) {
    operands = std::ldexp(1.0, -21);
    terms *= 3;
  }
  bool isMatrixUnit = !atom || atom->instruction != Instruction::Fma;
  if (isFloat8(problem.operand) && isMatrixUnit)
    unit = std::ldexp(1.0, -14);
  return roundingUnit(output) + 4 * (1 + std::sqrt(terms)) * unit + operands;
}

double kami::underflow(const sim::ElementFormat &format) {
  return format.isFloat() ? sim::toDouble(format, 1) / 2 : 0;
}

double kami::relativeError(double rounded, long double exact,
                           long double magnitude,
                           const sim::ElementFormat &format) {
  long double difference = std::fabs(rounded - exact);
  // A NaN is below nothing, and stays a NaN.
  return difference <= underflow(format)
             ? 0
             : double((difference - underflow(format)) / magnitude);
}

/// The most terms that a grouped op's sums have, as far as the arguments say
/// so; 0 without one.
static int64_t longestSum(func::FuncOp function) {
  int64_t longest = 0;
  function.walk([&](GroupedGemmOp op) {
    auto argument = dyn_cast<BlockArgument>(op.getK());
    auto contents =
        argument && argument.getOwner() == &function.getBody().front()
            ? function.getArgAttrOfType<DenseIntElementsAttr>(
                  argument.getArgNumber(), contentsAttributeName)
            : DenseIntElementsAttr();
    longest = std::max(longest, op.getTypicalExtents().k);
    if (contents)
      for (const APInt &k : contents.getValues<APInt>())
        longest = std::max(longest, k.getSExtValue());
  });
  return longest;
}

/// Whether elements go through anything but sums of products. `inexact` tells
/// whether integers would become something that is none.
static bool hasElementwise(func::FuncOp function, bool &inexact) {
  bool found = false;
  inexact = false;
  function.walk([&](Operation *op) {
    if (auto gemm = dyn_cast<GemmOp>(op))
      found |= gemm.hasElementRegions();
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    found |= structured && structured.getNumReductionLoops() == 0 &&
             !isa<linalg::FillOp, linalg::CopyOp>(op);
    inexact |= isa<arith::DivFOp>(op) ||
               (op->getName().getDialectNamespace() == "math" &&
                !isa<math::AbsFOp, math::FmaOp, math::FloorOp, math::CeilOp,
                     math::TruncOp, math::RoundEvenOp, math::CopySignOp>(op));
  });
  return found;
}

/// The type itself, or that of a complex number's two parts.
static Type partType(Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  return complex ? complex.getElementType() : type;
}

namespace {

/// One run: the inputs, once as bytes for the device and once as wide numbers
/// for the reference.
class Session {
public:
  Session(func::FuncOp original, const RunOptions &options)
      : original(original), options(options), random(options.seed) {}

  llvm::Error makeInputs(func::FuncOp lowered);
  llvm::Error execute(func::FuncOp lowered, const Compilation &compilation,
                      RunResult &result);
  llvm::Error compare(const Compilation &compilation, RunResult &result);

private:
  llvm::Error makeInput(unsigned number, Type type);
  sim::ReferenceArray read(const sim::Argument &argument, Type type);
  double draw(const sim::ElementFormat &format);

  func::FuncOp original;
  const RunOptions &options;
  std::mt19937_64 random;
  sim::Memory memory;
  SmallVector<sim::Argument> arguments, results;
  SmallVector<Type> argumentTypes, resultTypes;
  SmallVector<sim::ReferenceArray> references;
};

} // namespace

/// Calls `visit` with the indices of every element in row-major order.
static void forEachElement(ArrayRef<int64_t> sizes,
                           llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
  if (llvm::is_contained(sizes, 0))
    return;
  SmallVector<int64_t> indices(sizes.size(), 0);
  while (true) {
    visit(indices);
    int64_t dim = int64_t(sizes.size()) - 1;
    while (dim >= 0 && ++indices[dim] == sizes[dim])
      indices[dim--] = 0;
    if (dim < 0)
      return;
  }
}

/// A number of an attribute, in row-major order.
static double elementOf(DenseElementsAttr contents, int64_t position) {
  if (contents.getElementType().isIntOrIndex())
    return double(contents.getValues<APInt>()[position].getSExtValue());
  return contents.getValues<APFloat>()[position].convertToDouble();
}

double Session::draw(const sim::ElementFormat &format) {
  if (options.inputs == InputKind::Integers)
    return double(int64_t(random() % 9) - 4);
  if (!format.isFloat()) {
    unsigned bits = std::min(format.bits, 16u);
    return double(int64_t(random() >> (64 - bits)) -
                  (int64_t(1) << (bits - 1)));
  }
  // The same numbers from any standard library: its distributions may differ.
  double unit = std::ldexp(double(random() >> 11), -53);
  return sim::toDouble(format, sim::fromDouble(format, 2 * unit - 1));
}

llvm::Error Session::makeInput(unsigned number, Type type) {
  auto fail = [&](const llvm::Twine &message) {
    return llvm::createStringError("argument " + llvm::Twine(number) + ": " +
                                   message);
  };
  auto memref = dyn_cast<MemRefType>(type);
  Type element = memref ? memref.getElementType() : type;
  std::optional<sim::ElementFormat> format = sim::formatOf(partType(element));
  if (!format || (!memref && isa<ComplexType>(element)))
    return fail("expected integers or floats");
  int64_t parts = isa<ComplexType>(element) ? 2 : 1;
  auto bits = [&](double value) {
    return format->isFloat() ? sim::fromDouble(*format, value)
                             : uint64_t(int64_t(value)) & format->mask();
  };
  if (!memref) {
    double value = draw(*format);
    arguments.push_back(sim::Argument::scalar(bits(value)));
    references.push_back(sim::ReferenceArray::scalar(value));
    return llvm::Error::success();
  }
  SmallVector<int64_t> strides;
  int64_t offset;
  bool isKnown = memref.hasStaticShape() &&
                 succeeded(memref.getStridesAndOffset(strides, offset));
  // MLIR has no strides for a row-major memref without elements.
  if (isKnown && memref.getLayout().isIdentity()) {
    strides = computeStrides(memref.getShape());
    offset = 0;
  }
  if (!isKnown || ShapedType::isDynamic(offset) ||
      ShapedType::isDynamicShape(strides))
    return fail("expected extents and strides known at compile time to run it");
  int64_t last = offset;
  for (auto [size, stride] : llvm::zip_equal(memref.getShape(), strides)) {
    if (stride < 0)
      return fail("expected strides that are not negative");
    last += std::max<int64_t>(size - 1, 0) * stride;
  }
  // A margin behind the last element shows accesses that overrun it.
  constexpr int64_t margin = 64;
  sim::Buffer &buffer =
      memory.allocate("argument " + std::to_string(number),
                      (last + 1 + margin) * parts * format->bytes());
  sim::MemRef view;
  view.buffer = &buffer;
  view.offset = offset;
  view.sizes.assign(memref.getShape().begin(), memref.getShape().end());
  view.strides.assign(strides.begin(), strides.end());
  view.elementType = element;
  view.elementBytes = parts * format->bytes();
  bool poisoned = llvm::is_contained(options.poisoned, number);
  auto contents = original.getArgAttrOfType<DenseElementsAttr>(
      number, contentsAttributeName);
  if (contents && (contents.getElementType() != element ||
                   contents.getType().getShape() != memref.getShape()))
    return fail("expected contents of its type and shape");
  if (contents && isa<ComplexType>(element))
    return fail("expected contents of real numbers");
  int64_t position = 0;
  forEachElement(view.sizes, [&](ArrayRef<int64_t> indices) {
    // No integer is as telling as a NaN.
    double poison = format->isFloat() ? std::nan("") : 77;
    for (int64_t part = 0; part != parts; ++part) {
      double value = contents   ? elementOf(contents, position++)
                     : poisoned ? poison
                                : draw(*format);
      int64_t address = view.address(indices) + part * format->bytes();
      sim::writeBits(&buffer.bytes[address], format->bytes(), bits(value));
    }
  });
  arguments.push_back(view);
  // Of elements that share an address, the last one written is all of them.
  references.push_back(read(arguments.back(), type));
  return llvm::Error::success();
}

llvm::Error Session::makeInputs(func::FuncOp lowered) {
  argumentTypes.assign(lowered.getArgumentTypes().begin(),
                       lowered.getArgumentTypes().end());
  resultTypes.assign(lowered.getResultTypes().begin(),
                     lowered.getResultTypes().end());
  for (auto [number, type] : llvm::enumerate(argumentTypes))
    if (llvm::Error error = makeInput(number, type))
      return error;
  return llvm::Error::success();
}

sim::SimulatorOptions kami::simulatorOf(const Chip &chip) {
  sim::SimulatorOptions simulator;
  simulator.warpSize = chip.warpSize;
  simulator.banks = chip.sharedBanks;
  simulator.bankBytes = chip.sharedBankBytes;
  simulator.wideReadLanes = chip.wideReadLanes;
  return simulator;
}

llvm::Error Session::execute(func::FuncOp lowered,
                             const Compilation &compilation,
                             RunResult &result) {
  sim::SimulatorOptions simulator = simulatorOf(*compilation.chip);
  simulator.order = options.warpOrder;
  simulator.seed = options.seed;
  std::unique_ptr<DeviceLauncher> device;
  sim::LaunchHandler handler =
      sim::simulatingHandler(simulator, result.reports);
  result.device = "simulator";
  if (options.device != DeviceKind::Simulator) {
    llvm::Expected<std::unique_ptr<DeviceLauncher>> created =
        DeviceLauncher::create(options.device, compilation, options.repeats);
    if (!created)
      return created.takeError();
    device = std::move(*created);
    result.device = device->deviceName().str();
    handler = [&](const sim::Launch &launch) -> LogicalResult {
      if (llvm::Error error = device->launch(launch))
        return launch.op->emitError(llvm::toString(std::move(error)));
      return success();
    };
  }
  if (failed(sim::runHost(lowered, arguments, memory, handler, results)))
    return llvm::createStringError("the run failed");
  if (device)
    result.microseconds = device->totalMicroseconds();
  for (const sim::Argument &argument : arguments)
    if (argument.isMemRef())
      result.contents.push_back(argument.memref.buffer->bytes);
  return llvm::Error::success();
}

sim::ReferenceArray Session::read(const sim::Argument &argument, Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  Type element = memref ? memref.getElementType() : type;
  sim::ElementFormat format = *sim::formatOf(partType(element));
  int64_t parts = isa<ComplexType>(element) ? 2 : 1;
  auto value = [&](uint64_t bits) -> long double {
    return format.isFloat() ? sim::toDouble(format, bits)
                            : sim::toSigned(format, bits);
  };
  if (!memref)
    return sim::ReferenceArray::scalar(value(argument.bits));
  const sim::MemRef &view = argument.memref;
  sim::ReferenceArray array{view.sizes, {}};
  forEachElement(view.sizes, [&](ArrayRef<int64_t> indices) {
    for (int64_t part = 0; part != parts; ++part)
      array.values.push_back(value(sim::readBits(
          &view.buffer->bytes[view.address(indices) + part * format.bytes()],
          format.bytes())));
  });
  return array;
}

llvm::Error Session::compare(const Compilation &compilation,
                             RunResult &result) {
  SmallVector<sim::ReferenceArray> wide, magnitudes;
  if (failed(sim::evaluateReference(original, references, /*magnitudes=*/false,
                                    wide)) ||
      failed(sim::evaluateReference(original, references, /*magnitudes=*/true,
                                    magnitudes)))
    return llvm::createStringError("the reference failed");

  SmallVector<std::pair<sim::Argument, Type>> outputs;
  for (auto [argument, type] : llvm::zip_equal(results, resultTypes))
    outputs.push_back({argument, type});
  // The reference gives tensor arguments no final contents: they have none.
  for (auto [argument, type, originalType] :
       llvm::zip_equal(arguments, argumentTypes, original.getArgumentTypes()))
    if (isa<MemRefType>(originalType))
      outputs.push_back({argument, type});
  if (wide.size() != outputs.size())
    return llvm::createStringError(
        "the reference has another number of outputs");

  // Of products that feed each other the errors add up.
  bool inexact;
  bool elementwise = hasElementwise(original, inexact);
  bool exact = options.inputs == InputKind::Integers && !inexact;
  double bound = 0;
  if (!exact)
    for (const Kernel &kernel : compilation.kernels) {
      Problem problem = kernel.problem;
      problem.extents.k = std::max(problem.extents.k, longestSum(original));
      bound += errorBound(problem, kernel.output, kernel.plan.atom);
      for (const PlannedProduct &other : kernel.others)
        bound += errorBound(other.problem, other.output, other.plan.atom);
    }
  // What is done to elements scales their errors, too.
  if (elementwise && !exact) {
    if (failed(sim::evaluateErrors(original, references, bound, magnitudes)))
      return llvm::createStringError("the reference failed");
    // Sums of integers are exact, but what is made of them need not be.
    if (bound == 0)
      bound = 1;
    for (sim::ReferenceArray &array : magnitudes)
      for (long double &error : array.values)
        error /= bound;
  }
  result.bound = bound;
  result.ok = true;
  for (auto [number, output] : llvm::enumerate(outputs)) {
    Type type = output.second;
    if (auto memref = dyn_cast<MemRefType>(type))
      type = memref.getElementType();
    sim::ElementFormat format = *sim::formatOf(partType(type));
    sim::ReferenceArray computed = read(output.first, output.second);
    for (auto [value, expected, magnitude] : llvm::zip_equal(
             computed.values, wide[number].values, magnitudes[number].values)) {
      // Integers' sums are exact, so that the result is the reference rounded
      // once, to the output's type.
      if (format.isFloat() && exact)
        expected =
            sim::toDouble(format, sim::fromDouble(format, double(expected)));
      // Integers wrap.
      if (!format.isFloat())
        expected = sim::toSigned(format, uint64_t(int64_t(expected)));
      // NaN stays where nobody writes, and is what overflows an f8E4M3FN; other
      // floats overflow to infinity.
      if (value == expected || (std::isnan(value) && std::isnan(expected)))
        continue;
      double error = options.inputs == InputKind::Random
                         ? relativeError(value, expected, magnitude, format)
                         : double(std::fabs(value - expected) / magnitude);
      result.ok &= error <= bound;
      if (!(error <= result.maxError))
        result.maxError = error;
    }
  }
  return llvm::Error::success();
}

/// What the entry is compared with: the function that its `kami.reference`
/// names, or itself.
static llvm::Expected<func::FuncOp> referenceOf(func::FuncOp entry) {
  auto name = entry->getAttrOfType<FlatSymbolRefAttr>(referenceAttributeName);
  if (!name)
    return entry;
  auto reference =
      SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(entry, name);
  if (!reference || reference.isExternal() ||
      reference.getFunctionType() != entry.getFunctionType())
    return llvm::createStringError(
        "expected '" + referenceAttributeName + "' of '" + entry.getName() +
        "' to name a function with a body and of the same type, but got '" +
        name.getValue() + "'");
  return reference;
}

llvm::Expected<const Chip *> kami::chipOn(DeviceKind device,
                                          llvm::StringRef name) {
  return device == DeviceKind::Vulkan && name == "vulkan" ? chipOfVulkanDevice()
                                                          : findChip(name);
}

/// What a device loads.
static Level levelOf(DeviceKind device) {
  switch (device) {
  case DeviceKind::Hip:
    return Level::Hsaco;
  case DeviceKind::Vulkan:
    return Level::SPIRV;
  default:
    return Level::PTX;
  }
}

/// Whether the first device has a driver that takes what is not asked for as
/// well: bulk copies are of CUDA 12.7. Where nobody knows, it does.
static bool takesBulkCopies() {
  constexpr int least = 12070;
  KamiCudaDeviceInfo info;
  KamiStatus status = kamiCudaDescribeOrdinal(0, &info);
  return status != KAMI_STATUS_OK || info.driverVersion >= least;
}

llvm::Expected<RunResult>
kami::compileAndRun(ModuleOp module, const CompileOptions &compileOptions,
                    const RunOptions &options, Compilation &compilation) {
  OwningOpRef<ModuleOp> original = module.clone();
  llvm::Expected<func::FuncOp> originalEntry = entryPoint(*original);
  if (!originalEntry)
    return originalEntry.takeError();
  llvm::Expected<func::FuncOp> reference = referenceOf(*originalEntry);
  if (!reference)
    return reference.takeError();
  if (failed(verifyDescriptors(*originalEntry)))
    return llvm::createStringError("nothing was run");
  if (*reference != *originalEntry)
    module.lookupSymbol(reference->getName())->erase();
  CompileOptions chosen = compileOptions;
  if (options.device == DeviceKind::Vulkan) {
    llvm::Expected<const Chip *> chip = chipOn(options.device, chosen.chip);
    if (!chip)
      return chip.takeError();
    chosen.chip = (*chip)->name.str();
  }
  if (options.device == DeviceKind::Cuda && chosen.copies == "auto" &&
      !takesBulkCopies())
    chosen.copies = "threads";
  // The simulator takes lanes and registers; a device takes a binary, but the
  // host's part of the run is interpreted before the kernels leave MLIR.
  FailureOr<Compilation> compiled = compile(module, chosen, Level::Target);
  if (failed(compiled))
    return llvm::createStringError("compilation failed");
  compilation = *compiled;
  if (llvm::Error error = verifyDevice(options.device, *compilation.chip))
    return error;
  if (options.device != DeviceKind::Simulator) {
    OwningOpRef<ModuleOp> kernels = module.clone();
    if (failed(compileKernels(*kernels, compilation, levelOf(options.device))))
      return llvm::createStringError("compilation failed");
  }
  llvm::Expected<func::FuncOp> entry = entryPoint(module);
  if (!entry)
    return entry.takeError();
  RunResult result;
  Session session(*reference, options);
  if (llvm::Error error = session.makeInputs(*entry))
    return error;
  if (llvm::Error error = session.execute(*entry, compilation, result))
    return error;
  if (llvm::Error error = session.compare(compilation, result))
    return error;
  return result;
}
