//===- InputFlags.cpp - What to compile, from a command line -------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/InputFlags.h"
#include "kami/Plan/Problem.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/WithColor.h"

using namespace kami;
namespace cl = llvm::cl;

InputFlags::InputFlags(cl::OptionCategory &category)
    : file(cl::Positional, cl::desc("INPUT.mlir"), cl::cat(category)),
      gemm("gemm", cl::desc("A product by its extents, instead of a file"),
           cl::value_desc("MxNxK"), cl::cat(category)),
      type("type", cl::desc("Type of A's and B's elements: f16, bf16 or f64"),
           cl::init("f16"), cl::cat(category)),
      accumulator("accumulator", cl::desc("Type of the sums"),
                  cl::cat(category)),
      outputType("output-type",
                 cl::desc("Type of C's elements; the accumulator's"),
                 cl::cat(category)),
      batch("batch", cl::desc("Number of products"), cl::init(0),
            cl::cat(category)),
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
            cl::cat(category)) {}

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::createStringError(message);
}

static llvm::Expected<Extents> parseExtents(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, 'x');
  int64_t values[3] = {};
  bool valid = parts.size() == 3;
  for (size_t i = 0; valid && i != 3; ++i)
    valid = !parts[i].getAsInteger(10, values[i]) && values[i] >= 1 &&
            values[i] <= maxExtent;
  if (!valid)
    return fail("expected --gemm=MxNxK with extents from 1 to " +
                llvm::Twine(maxExtent) + ", but got '" + text + "'");
  return Extents{values[0], values[1], values[2]};
}

/// The kinds that the pipelines lower today.
static llvm::Expected<ElementKind> parseKind(llvm::StringRef flag,
                                             llvm::StringRef text) {
  std::optional<ElementKind> kind = parseElementKind(text);
  if (!kind) {
    std::string known;
    for (ElementKind one : allElementKinds())
      known += (known.empty() ? "" : ", ") + name(one).str();
    return fail("unknown " + flag + " '" + text +
                "', expected one of: " + known);
  }
  return *kind;
}

llvm::Expected<GemmSpec> InputFlags::parseGemm() const {
  GemmSpec spec;
  llvm::Expected<Extents> extents = parseExtents(gemm);
  if (!extents)
    return extents.takeError();
  spec.extents = *extents;
  llvm::Expected<ElementKind> operand = parseKind("--type", type);
  if (!operand)
    return operand.takeError();
  spec.operand = *operand;
  if (spec.operand != ElementKind::F16 && spec.operand != ElementKind::BF16 &&
      spec.operand != ElementKind::F64)
    return fail("no lowering yet for --type=" + name(spec.operand) +
                ", expected one of: f16, bf16, f64");
  spec.accumulator = defaultAccumulator(spec.operand);
  if (!accumulator.empty()) {
    llvm::Expected<ElementKind> kind = parseKind("--accumulator", accumulator);
    if (!kind)
      return kind.takeError();
    spec.accumulator = *kind;
  }
  spec.output = spec.accumulator;
  if (!outputType.empty()) {
    llvm::Expected<ElementKind> kind = parseKind("--output-type", outputType);
    if (!kind)
      return kind.takeError();
    spec.output = *kind;
  }
  if (byteWidth(spec.output) > byteWidth(spec.accumulator))
    return fail("expected an output type no wider than the accumulator " +
                name(spec.accumulator) + ", but got " + name(spec.output));
  if (batch < 0 || batch > maxExtent)
    return fail("expected --batch from 0 to " + llvm::Twine(maxExtent) +
                ", but got " + llvm::Twine(batch));
  spec.batch = batch;
  spec.alpha = alpha;
  spec.beta = beta;
  spec.transposeA = transposeA;
  spec.transposeB = transposeB;
  return spec;
}

llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
InputFlags::loadModule(mlir::MLIRContext *context) const {
  if (file.empty() == gemm.empty())
    return fail("expected an input file or --gemm=MxNxK, but got " +
                llvm::StringRef(file.empty() ? "neither" : "both"));
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
  return {target, algorithm, warps, model, std::nullopt};
}

int kami::reportError(llvm::StringRef tool, llvm::Error error) {
  llvm::WithColor::error(llvm::errs(), tool)
      << llvm::toString(std::move(error)) << "\n";
  return 1;
}
