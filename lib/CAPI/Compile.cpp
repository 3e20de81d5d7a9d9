//===- Compile.cpp - Products and texts to programs -----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "kami/Driver/ArraySpec.h"
#include "kami/Layout/CopiedTile.h"
#include "kami/Plan/Problem.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;
using namespace mlir;

static_assert(KAMI_DYNAMIC == ShapedType::kDynamic);

static ProgramOptions toOptions(const KamiOptions *options) {
  ProgramOptions made;
  if (!options)
    return made;
  CompileOptions &compile = made.options;
  compile.chip = orElse(options->target, compile.chip);
  compile.algorithm = orElse(options->algorithm, compile.algorithm);
  compile.unit = orElse(options->unit, compile.unit);
  compile.tile = orElse(options->tile, compile.tile);
  compile.model = orElse(options->model, compile.model);
  compile.calibration = orElse(options->calibration, compile.calibration);
  compile.precision = orElse(options->precision, compile.precision);
  compile.warps = options->warps;
  compile.stages = options->stages;
  compile.copies = orElse(options->copies, compile.copies);
  compile.taken = options->taken;
  compile.products = options->products;
  made.plan = orElse(options->plan, "");
  return made;
}

static KamiError *compileSource(std::string source, const KamiOptions *given,
                                bool isText, KamiProgram **program) {
  ProgramOptions options = toOptions(given);
  options.isText = isText;
  llvm::Expected<std::shared_ptr<const Program>> compiled =
      Program::compile(std::move(source), std::move(options));
  if (!compiled)
    return toError(KAMI_ERROR_INVALID, compiled.takeError());
  *program = new KamiProgram{std::move(*compiled)};
  return nullptr;
}

/// The kind that `text` names, or what null stands for. Some are how an operand
/// is read, not what is stored.
static llvm::Error assignType(ElementKind &kind, const char *what,
                              const char *text,
                              std::optional<ElementKind> otherwise,
                              bool isStored) {
  if (!text && otherwise) {
    kind = *otherwise;
    return llvm::Error::success();
  }
  std::optional<ElementKind> parsed = parseElementKind(orElse(text, ""));
  if (!parsed) {
    auto names = llvm::map_range(
        allElementKinds(), [](ElementKind known) { return name(known).str(); });
    return llvm::createStringError("expected type of " + llvm::Twine(what) +
                                   " to be one of " + llvm::join(names, ", ") +
                                   ", but got '" + orElse(text, "") + "'");
  }
  kind = *parsed;
  bool isReading = kind == ElementKind::TF32 || kind == ElementKind::TF32x3 ||
                   kind == ElementKind::U8;
  if (isStored && isReading)
    return llvm::createStringError("expected type of " + llvm::Twine(what) +
                                   " to be one that is stored as it is, but "
                                   "got '" +
                                   name(kind) + "'");
  return llvm::Error::success();
}

static llvm::Error assignArray(ArraySpec &spec, const char *what,
                               const KamiArray &array,
                               std::optional<ElementKind> otherwise,
                               bool isStored) {
  if (llvm::Error error =
          assignType(spec.type, what, array.type, otherwise, isStored))
    return error;
  if (array.batchRank > 0 && !array.batch)
    return llvm::createStringError("expected the extents of " +
                                   llvm::Twine(what) + "'s batch");
  spec.batch.assign(array.batch, array.batch + array.batchRank);
  if (array.strides)
    spec.strides.emplace(array.strides, array.strides + array.batchRank + 2);
  for (int64_t extent : spec.batch)
    if (extent < 0 && extent != KAMI_DYNAMIC)
      return llvm::createStringError(
          "expected extents of " + llvm::Twine(what) +
          "'s batch from 0 on, but got " + llvm::Twine(extent));
  return llvm::Error::success();
}

static llvm::Error checkExtents(const Extents &extents) {
  for (auto [what, extent] :
       {std::pair("m", extents.m), std::pair("n", extents.n),
        std::pair("k", extents.k)})
    if (extent != KAMI_DYNAMIC && (extent < 0 || extent > maxExtent))
      return llvm::createStringError("expected " + llvm::Twine(what) +
                                     " from 0 to 2147483648, but got " +
                                     llvm::Twine(extent));
  return llvm::Error::success();
}

static llvm::Expected<ArrayGemmSpec> toSpec(const KamiGemm &gemm) {
  ArrayGemmSpec spec;
  spec.extents = {gemm.m, gemm.n, gemm.k};
  if (llvm::Error error = checkExtents(spec.extents))
    return error;
  if (llvm::Error error =
          assignArray(spec.a, "a", gemm.a, std::nullopt, /*isStored=*/false))
    return error;
  if (llvm::Error error =
          assignArray(spec.b, "b", gemm.b, spec.a.type, /*isStored=*/false))
    return error;
  if (llvm::Error error =
          assignType(spec.accumulator, "accumulator", gemm.accumulator,
                     defaultAccumulator(spec.a.type), /*isStored=*/true))
    return error;
  if (llvm::Error error =
          assignArray(spec.c, "c", gemm.c, spec.accumulator, /*isStored=*/true))
    return error;
  if (llvm::Error error =
          assignType(spec.epilogueType, "epilogueType", gemm.epilogueType,
                     spec.accumulator, /*isStored=*/true))
    return error;
  spec.isComplex = gemm.isComplex;
  spec.transposeA = gemm.transposeA;
  spec.transposeB = gemm.transposeB;
  spec.conjugateA = gemm.conjugateA;
  spec.conjugateB = gemm.conjugateB;
  spec.hasAlpha = gemm.hasAlpha;
  spec.hasBeta = gemm.hasBeta;
  spec.epilogue = {bool(gemm.rowScale), bool(gemm.bias), bool(gemm.residual),
                   bool(gemm.relu),     bool(gemm.gelu), bool(gemm.silu)};
  bool isFloat = !isInteger(spec.accumulator);
  if (spec.epilogue && spec.isComplex)
    return llvm::createStringError("expected no epilogue of complex numbers");
  if ((gemm.gelu || gemm.silu) && !isFloat)
    return llvm::createStringError(
        "expected gelu and silu of floats, but got sums of " +
        name(spec.accumulator));
  if (isInteger(spec.epilogueType) == isFloat ||
      byteWidth(spec.epilogueType) > byteWidth(spec.accumulator))
    return llvm::createStringError(
        "expected epilogueType to be no wider than the accumulator " +
        name(spec.accumulator) + ", but got " + name(spec.epilogueType));
  if (gemm.alignment != 0 && !isAlignment(gemm.alignment))
    return llvm::createStringError(
        "expected alignment to be 0 or a power of two up to " +
        llvm::Twine(mostAlignment) + ", but got " +
        llvm::Twine(gemm.alignment));
  spec.alignment = std::max<int64_t>(gemm.alignment, 1);
  spec.alignedRows = gemm.alignedRows;
  spec.hasLayers = gemm.hasLayers;
  if (gemm.hasLayers && gemm.alignedRows)
    return llvm::createStringError(
        "expected no aligned rows where sums have layers");
  if (gemm.alignedRows && gemm.alignment < copiedPiece)
    return llvm::createStringError("expected alignment of " +
                                   llvm::Twine(copiedPiece) +
                                   " or more where rows are aligned, but got " +
                                   llvm::Twine(gemm.alignment));
  return spec;
}

/// The source of a problem.
template <typename Spec> static std::string textOf(const Spec &spec) {
  OwnedModule built{takeContext(), {}};
  built.module = buildModule(built.context.get(), spec);
  std::string text = moduleText(*built.module);
  giveBack(std::move(built));
  return text;
}

KamiError *kamiCompileGemm(const KamiGemm *gemm, const KamiOptions *options,
                           KamiProgram **program) {
  *program = nullptr;
  llvm::Expected<ArrayGemmSpec> spec = toSpec(*gemm);
  if (!spec)
    return toError(KAMI_ERROR_INVALID, spec.takeError());
  return compileSource(textOf(*spec), options, /*isText=*/false, program);
}

static KamiError *giveSumOrder(std::string source, const KamiOptions *options,
                               KamiText **order) {
  llvm::Expected<std::string> text =
      Program::sumOrder(std::move(source), toOptions(options));
  if (!text)
    return toError(KAMI_ERROR_INVALID, text.takeError());
  *order = makeText(std::move(*text));
  return nullptr;
}

KamiError *kamiGetSumOrder(const KamiGemm *gemm, const KamiOptions *options,
                           KamiText **order) {
  *order = nullptr;
  llvm::Expected<ArrayGemmSpec> spec = toSpec(*gemm);
  if (!spec)
    return toError(KAMI_ERROR_INVALID, spec.takeError());
  return giveSumOrder(textOf(*spec), options, order);
}

static llvm::Expected<GroupedArraySpec> toSpec(const KamiGrouped &grouped) {
  GroupedArraySpec spec;
  if (llvm::Error error = assignType(spec.typeA, "a", grouped.typeA,
                                     std::nullopt, /*isStored=*/false))
    return error;
  if (llvm::Error error = assignType(spec.typeB, "b", grouped.typeB, spec.typeA,
                                     /*isStored=*/false))
    return error;
  if (llvm::Error error =
          assignType(spec.accumulator, "accumulator", grouped.accumulator,
                     defaultAccumulator(spec.typeA), /*isStored=*/true))
    return error;
  if (llvm::Error error = assignType(spec.typeC, "c", grouped.typeC,
                                     spec.accumulator, /*isStored=*/true))
    return error;
  spec.transposeA = grouped.transposeA;
  spec.transposeB = grouped.transposeB;
  spec.hasAlpha = grouped.hasAlpha;
  spec.hasBeta = grouped.hasBeta;
  spec.bytes = grouped.bytes;
  if (grouped.typicalM || grouped.typicalN || grouped.typicalK)
    spec.typical = {grouped.typicalM, grouped.typicalN, grouped.typicalK};
  return spec;
}

KamiError *kamiCompileGrouped(const KamiGrouped *grouped,
                              const KamiOptions *options,
                              KamiProgram **program) {
  *program = nullptr;
  llvm::Expected<GroupedArraySpec> spec = toSpec(*grouped);
  if (!spec)
    return toError(KAMI_ERROR_INVALID, spec.takeError());
  return compileSource(textOf(*spec), options, /*isText=*/false, program);
}

KamiError *kamiGetGroupedSumOrder(const KamiGrouped *grouped,
                                  const KamiOptions *options,
                                  KamiText **order) {
  *order = nullptr;
  llvm::Expected<GroupedArraySpec> spec = toSpec(*grouped);
  if (!spec)
    return toError(KAMI_ERROR_INVALID, spec.takeError());
  return giveSumOrder(textOf(*spec), options, order);
}

KamiError *kamiCompileText(const char *text, size_t bytes,
                           const KamiOptions *options, KamiProgram **program) {
  *program = nullptr;
  llvm::StringRef source(text, bytes);
  if (!llvm::json::isUTF8(source))
    return makeError(KAMI_ERROR_INVALID, "expected MLIR as text in UTF-8");
  return compileSource(source.str(), options, /*isText=*/true, program);
}

void kamiProgramDestroy(KamiProgram *program) { delete program; }

KamiError *kamiProgramSave(const KamiProgram *program, KamiText **image) {
  *image = makeText(program->program->save());
  return nullptr;
}

KamiError *kamiProgramRestore(const char *image, size_t bytes,
                              KamiProgram **program) {
  *program = nullptr;
  llvm::Expected<std::shared_ptr<const Program>> restored =
      Program::restore({image, bytes});
  if (!restored)
    return toError(KAMI_ERROR_INVALID, restored.takeError());
  *program = new KamiProgram{std::move(*restored)};
  return nullptr;
}

KamiError *kamiProgramGetCode(const KamiProgram *program, const char *level,
                              KamiText **code) {
  *code = nullptr;
  llvm::Expected<std::string> text = program->program->codeAt(level);
  if (!text)
    return toError(KAMI_ERROR_INVALID, text.takeError());
  *code = makeText(std::move(*text));
  return nullptr;
}

KamiError *kamiProgramDescribe(const KamiProgram *program, KamiText **json) {
  *json = makeText(program->program->description());
  return nullptr;
}
