//===- InputFlags.cpp - What to compile, from a command line -------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/InputFlags.h"
#include "kami/Driver/BlockKernel.h"
#include "kami/Driver/GroupedSpec.h"
#include "kami/Model/CalibrationFile.h"
#include "kami/Plan/Request.h"
#include "kami/Simulator/Memory.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include <cmath>

using namespace kami;
namespace cl = llvm::cl;

InputFlags::InputFlags(cl::OptionCategory &category)
    : file(cl::Positional, cl::desc("INPUT.mlir"), cl::cat(category)),
      gemm("gemm", cl::desc("A product by its extents, instead of a file"),
           cl::value_desc("MxNxK"), cl::cat(category)),
      grouped(
          "grouped",
          cl::desc("Products of sizes of their own, a line each: M N K, M N "
                   "K LDA LDB LDC, or M N K LDA LDB LDC A B C with the "
                   "matrices' first elements"),
          cl::value_desc("FILE"), cl::cat(category)),
      type("type",
           cl::desc("Type of A's and B's elements: f16, bf16, tf32, tf32x3, "
                    "f32, f64, f8E4M3FN, f8E5M2, i8, u8, or complex<...> of "
                    "tf32, tf32x3, f32 or f64"),
           cl::init("f16"), cl::cat(category)),
      typeB("type-b", cl::desc("Type of B's elements where it is not A's"),
            cl::cat(category)),
      accumulator("accumulator", cl::desc("Type of the sums"),
                  cl::cat(category)),
      outputType("output-type",
                 cl::desc("Type of C's elements; the accumulator's"),
                 cl::cat(category)),
      batch("batch", cl::desc("Number of products"), cl::cat(category)),
      alpha("alpha", cl::desc("Factor of A·B"), cl::init(1), cl::cat(category)),
      beta("beta", cl::desc("Factor of C's old contents"), cl::init(0),
           cl::cat(category)),
      transposeA("transpose-a", cl::desc("A is stored k × m"),
                 cl::cat(category)),
      transposeB("transpose-b", cl::desc("B is stored n × k"),
                 cl::cat(category)),
      target("target", cl::desc("The chip"), cl::init("sm_90"),
             cl::cat(category)),
      algorithm("algorithm", cl::desc("auto, 1d, 2d or 3d"), cl::init("auto"),
                cl::cat(category)),
      model("model", cl::desc("calibrated or paper"), cl::init("calibrated"),
            cl::cat(category)),
      warps("warps", cl::desc("Warps a block, or 0 to choose"), cl::init(0),
            cl::cat(category)),
      unit("unit", cl::desc("auto, warp, warpgroup or lane"), cl::init("auto"),
           cl::cat(category)),
      tile("tile",
           cl::desc("What a block computes, instead of the planner\'s choice"),
           cl::value_desc("MxNxK"), cl::cat(category)),
      precision("precision",
                cl::desc("How a file's linalg products of f32 are multiplied: "
                         "exact, tf32 or tf32x3"),
                cl::init("exact"), cl::cat(category)),
      calibration("calibration",
                  cl::desc("What the device was measured to do: a file of "
                           "kami-bench calibrate"),
                  cl::value_desc("FILE"), cl::cat(category)),
      stages("stages",
             cl::desc("Tiles along k that have room at a time, or 0 to choose"),
             cl::init(0), cl::cat(category)),
      copies("copies",
             cl::desc("auto, threads or bulk: what brings copied operands"),
             cl::init("auto"), cl::cat(category)),
      taken("taken",
            cl::desc("Of blocks in turn, the last turns of tiles that they "
                     "take as they are done with others, 0 to choose, or -1 "
                     "for none"),
            cl::init(0), cl::cat(category)),
      products("products",
               cl::desc("Products of a file's batch whose number is known only "
                        "at run time, or 0 for many"),
               cl::init(0), cl::cat(category)),
      alignment("alignment",
                cl::desc("Bytes that the matrices of --gemm begin at a "
                         "multiple of, a power of two: a promise of who "
                         "launches the kernel, not checked"),
                cl::value_desc("bytes"), cl::init(1), cl::cat(category)),
      block("block",
            cl::desc("The product of --gemm inside a block, of operands that "
                     "are distributed over it"),
            cl::cat(category)),
      verifyEach("verify-each",
                 cl::desc("Verify the IR after each pass, also where nobody "
                          "but kami has written it"),
                 cl::cat(category)) {}

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

/// Some types are how an operand is read, not what is stored.
static llvm::Error checkStored(llvm::StringRef what, ElementKind kind) {
  bool isStored = kind != ElementKind::TF32 && kind != ElementKind::TF32x3 &&
                  kind != ElementKind::U8;
  return isStored ? llvm::Error::success()
                  : fail("expected an " + what +
                         " that is stored as it is, but got " + name(kind));
}

/// Integers of this size and below are i32.
static constexpr double maxScale = 2147483647;

llvm::Expected<GemmSpec> InputFlags::parseGemm() const {
  // Of several products, only the types are asked for.
  ProblemText text{grouped.empty() ? gemm.getValue() : "1x1x1", type,
                   accumulator};
  if (!batch.empty())
    text.batch = batch;
  text.typeB = typeB;
  llvm::Expected<Problem> problem = parseProblem(text);
  if (!problem)
    return problem.takeError();
  GemmSpec spec;
  spec.extents = problem->extents;
  spec.operand = problem->operand;
  spec.otherOperand = problem->otherOperand;
  spec.accumulator = problem->accumulator;
  spec.isComplex = problem->isComplex;
  if (llvm::Error error = checkStored("accumulator", spec.accumulator))
    return error;
  spec.output = spec.accumulator;
  if (!outputType.empty()) {
    std::string text = outputType;
    bool isComplex = spec.isComplex && stripComplex(text);
    llvm::Expected<ElementKind> kind = parseType("output-type", text);
    if (!kind)
      return kind.takeError();
    spec.output = *kind;
    if (spec.isComplex && (!isComplex || spec.output != spec.accumulator))
      return fail("expected an output type of complex<" +
                  name(spec.accumulator) + ">, but got " + outputType);
    if (llvm::Error error = checkStored("output type", spec.output))
      return error;
  }
  if (byteWidth(spec.output) > byteWidth(spec.accumulator))
    return fail("expected an output type no wider than the accumulator " +
                name(spec.accumulator) + ", but got " + name(spec.output));
  for (const auto &[flag, value] : {std::pair("alpha", alpha.getValue()),
                                    std::pair("beta", beta.getValue())})
    if (isInteger(spec.accumulator) &&
        (value != std::trunc(value) || std::fabs(value) > maxScale))
      return fail("expected --" + llvm::Twine(flag) +
                  " to be an i32 integer, as the sums are, but got " +
                  llvm::formatv("{0}", value).str());
  if (!batch.empty())
    spec.batch = problem->batch;
  spec.alpha = alpha;
  spec.beta = beta;
  spec.transposeA = transposeA;
  spec.transposeB = transposeB;
  if (!isAlignment(alignment))
    return fail("expected --alignment to be a power of two up to " +
                llvm::Twine(mostAlignment) + ", but got " +
                llvm::Twine(alignment));
  spec.alignment = alignment;
  return spec;
}

/// Sums are C's elements there, neither scaled nor converted.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
InputFlags::planBlockModule(mlir::MLIRContext *context, bool runs) const {
  if (!batch.empty() || !outputType.empty() || alpha != 1 || beta != 0 ||
      transposeA || transposeB)
    return fail("expected --block without batch, output type, scales and "
                "transposes");
  ProblemText text{gemm, type, accumulator, "1", algorithm};
  text.warps = warps == 0 ? "" : std::to_string(warps);
  text.unit = unit;
  text.stages = stages == 0 ? "" : std::to_string(stages);
  text.copies = copies;
  text.tile = tile;
  text.typeB = typeB;
  llvm::Expected<Problem> problem = parseProblem(text);
  if (!problem)
    return problem.takeError();
  problem->source = Source::Block;
  llvm::Expected<const Chip *> chip = findChip(target);
  if (!chip)
    return chip.takeError();
  PlannerOptions options;
  options.kept = Kept::Best;
  llvm::Expected<std::optional<Calibration>> loaded =
      loadCalibration(calibration, **chip);
  if (!loaded)
    return loaded.takeError();
  options.calibration = *loaded ? &**loaded : nullptr;
  llvm::Expected<Choice> choice = choosePlan(*problem, **chip, options);
  if (!choice)
    return choice.takeError();
  const Plan &plan = choice->best()->plan;
  BlockOperands operands = {/*sets=*/1, /*blocks=*/1, problem->operand,
                            problem->operandB()};
  return runs ? buildBlockProgram(context, plan, operands, /*repeats=*/1)
              : buildBlockModule(context, plan, operands);
}

/// Types and scales are those of a `--gemm`.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
InputFlags::loadGrouped(mlir::MLIRContext *context) const {
  if (!batch.empty() || block || precision != "exact")
    return fail("expected --grouped without --batch, --block and --precision");
  llvm::Expected<GemmSpec> types = parseGemm();
  if (!types)
    return types.takeError();
  if (types->isComplex)
    return fail("expected real numbers with --grouped, but got --type '" +
                type + "'");
  auto text = llvm::MemoryBuffer::getFileOrSTDIN(grouped, /*IsText=*/true);
  if (!text)
    return fail("cannot read '" + grouped + "': " + text.getError().message());
  llvm::Expected<std::vector<GroupedProduct>> products =
      parseProducts((*text)->getBuffer(), transposeA, transposeB);
  if (!products)
    return fail(grouped + ": " + llvm::toString(products.takeError()));
  GroupedSpec spec;
  spec.products = std::move(*products);
  for (GroupedProduct &product : spec.products) {
    product.alpha = alpha;
    product.beta = beta;
  }
  spec.operand = types->operand;
  spec.otherOperand = types->otherOperand;
  spec.accumulator = types->accumulator;
  spec.output = types->output;
  spec.transposeA = transposeA;
  spec.transposeB = transposeB;
  spec.typical = typicalExtents(spec.products);
  return buildModule(context, spec);
}

llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
InputFlags::loadModule(mlir::MLIRContext *context, bool runs) const {
  if (int given = !file.empty() + !gemm.empty() + !grouped.empty(); given != 1)
    return fail(
        "expected an input file, --gemm=MxNxK or --grouped=FILE, but got " +
        llvm::StringRef(given == 0 ? "neither" : "several"));
  if (alignment != 1 && (gemm.empty() || block))
    return fail("expected --alignment only with --gemm=MxNxK in memory; a file "
                "says it by memref.assume_alignment");
  if (!grouped.empty())
    return loadGrouped(context);
  if (!gemm.empty() && precision != "exact")
    return fail("expected --type=" + precision +
                " instead of --precision for a product by its extents");
  if (block && gemm.empty())
    return fail("expected --gemm=MxNxK with --block, but got a file");
  if (block)
    return planBlockModule(context, runs);
  if (runs && alignment > sim::Buffer::alignment)
    return fail("expected --alignment up to " +
                llvm::Twine(sim::Buffer::alignment) +
                " of what is run, but got " + llvm::Twine(alignment));
  if (!gemm.empty()) {
    llvm::Expected<GemmSpec> spec = parseGemm();
    if (!spec)
      return spec.takeError();
    return buildModule(context, *spec);
  }
  if (file != "-" && !llvm::sys::fs::exists(file))
    return fail("no such file: '" + file + "'");
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(file, context);
  if (!module)
    return fail("cannot parse '" + file + "'");
  return module;
}

CompileOptions InputFlags::compileOptions() const {
  return {target,       algorithm, warps,       model,     tile,
          std::nullopt, precision, calibration, unit,      stages,
          copies,       taken,     products,    verifyEach};
}

int kami::reportError(llvm::StringRef tool, llvm::Error error) {
  llvm::WithColor::error(llvm::errs(), tool)
      << llvm::toString(std::move(error)) << "\n";
  return 1;
}
