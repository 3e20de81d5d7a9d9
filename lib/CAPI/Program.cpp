//===- Program.cpp - A compiled module, and what is known of it -----------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "Handles.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Driver/Binding.h"
#include "kami/Pipelines/Pipelines.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/FormatVariadic.h"

using namespace kami;
using namespace mlir;

Diagnostics::Diagnostics(MLIRContext *context, bool saysLines)
    : handler(context, [this, saysLines](Diagnostic &diagnostic) {
        llvm::raw_string_ostream os(text);
        auto add = [&](const Diagnostic &one, StringRef before) {
          if (!text.empty())
            os << "; ";
          os << before;
          auto location = dyn_cast<FileLineColLoc>(one.getLocation());
          if (location && saysLines)
            os << "line " << location.getLine() << ": ";
          os << one.str();
        };
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return;
        add(diagnostic, "");
        for (const Diagnostic &note : diagnostic.getNotes())
          add(note, "note: ");
      }) {}

llvm::Error Diagnostics::error(StringRef otherwise) const {
  return llvm::createStringError(text.empty() ? otherwise : StringRef(text));
}

static llvm::Expected<OwnedModule> parse(StringRef text, bool saysLines) {
  OwnedModule parsed{takeContext(), {}};
  Diagnostics diagnostics(parsed.context.get(), saysLines);
  parsed.module = parseSourceString<ModuleOp>(text, parsed.context.get());
  if (!parsed.module)
    return diagnostics.error("cannot parse the module");
  return parsed;
}

/// The plan that a text says, if it says any.
static llvm::Expected<std::optional<Plan>> parsePlan(StringRef text,
                                                     ModuleOp module) {
  if (text.empty())
    return std::nullopt;
  Diagnostics diagnostics(module.getContext(), /*saysLines=*/false);
  Attribute attribute = parseAttribute(text, module.getContext());
  auto plan = dyn_cast_or_null<PlanAttr>(attribute);
  if (!plan) {
    if (attribute)
      return llvm::createStringError("expected a #kami.plan<...>, but got '" +
                                     text + "'");
    return diagnostics.error("cannot parse the plan");
  }
  FailureOr<Plan> made = toPlan(module, plan);
  if (failed(made))
    return diagnostics.error("no table has the plan's atom");
  return *made;
}

llvm::Error Program::compileTo(Level level, OwnedModule &made,
                               Compilation &compilation) const {
  llvm::Expected<OwnedModule> parsed = parse(source, options.isText);
  if (!parsed)
    return parsed.takeError();
  CompileOptions withPlan = options.options;
  llvm::Expected<std::optional<Plan>> plan =
      parsePlan(options.plan, *parsed->module);
  if (!plan)
    return plan.takeError();
  withPlan.plan = *plan;
  Diagnostics diagnostics(parsed->context.get(), options.isText);
  FailureOr<Compilation> compiled =
      kami::compile(*parsed->module, withPlan, level);
  if (failed(compiled))
    return diagnostics.error("compilation failed");
  compilation = std::move(*compiled);
  made = std::move(*parsed);
  return llvm::Error::success();
}

/// The extents or strides as JSON, null for those known at run time.
static llvm::json::Array numbers(ArrayRef<int64_t> values) {
  llvm::json::Array array;
  for (int64_t value : values)
    array.push_back(ShapedType::isStatic(value) ? llvm::json::Value(value)
                                                : llvm::json::Value(nullptr));
  return array;
}

static llvm::json::Array describeTypes(TypeRange types) {
  llvm::json::Array array;
  for (Type type : types) {
    llvm::json::Object object{{"type", typeText(type)}};
    if (auto memref = dyn_cast<MemRefType>(type)) {
      object["element"] = typeText(memref.getElementType());
      object["sizes"] = numbers(memref.getShape());
      SmallVector<int64_t> strides;
      int64_t offset;
      if (succeeded(memref.getStridesAndOffset(strides, offset)))
        object["strides"] = numbers(strides);
    }
    array.push_back(std::move(object));
  }
  return array;
}

/// Takes the bodies of the kernels away.
static void stripKernels(ModuleOp module) {
  module.walk([](gpu::GPUFuncOp function) {
    Region &body = function.getBody();
    while (body.getBlocks().size() > 1) {
      body.back().dropAllDefinedValueUses();
      body.back().erase();
    }
    Block &entry = body.front();
    entry.dropAllDefinedValueUses();
    entry.clear();
    OpBuilder builder = OpBuilder::atBlockEnd(&entry);
    gpu::ReturnOp::create(builder, function.getLoc());
  });
}

/// The level that a program keeps: what drivers take, or assemblers.
static StringRef codeKindOf(Backend backend) {
  switch (backend) {
  case Backend::NVVM:
    return "ptx";
  case Backend::ROCDL:
    return "asm";
  case Backend::SPIRV:
    return "spirv";
  }
  llvm_unreachable("unknown back end");
}

llvm::Error Program::compileAll() {
  Compilation compilation;
  OwnedModule made;
  if (llvm::Error error = compileTo(Level::Target, made, compilation))
    return error;
  llvm::scope_exit keeper([&] { giveBack(std::move(made)); });
  Diagnostics diagnostics(made.context.get(), options.isText);
  llvm::Expected<func::FuncOp> entry = entryPoint(*made.module);
  if (!entry)
    return entry.takeError();
  Backend backend = backendOf(*compilation.chip);
  kind = codeKindOf(backend);
  llvm::json::Array kernels;
  for (const Kernel &kernel : compilation.kernels)
    kernels.push_back(describe(kernel, *compilation.chip));
  described = llvm::json::Object{
      {"target", compilation.chip->name.str()},
      {"code", kind},
      {"kernels", std::move(kernels)},
      {"arguments", describeTypes(entry->getArgumentTypes())},
      {"results", describeTypes(entry->getResultTypes())}};
  OwningOpRef<ModuleOp> hostPart = made.module->clone();
  stripKernels(*hostPart);
  host = moduleText(*hostPart);
  OwningOpRef<ModuleOp> devicePart = made.module->clone();
  if (failed(compileKernels(*devicePart, compilation, *parseLevel(kind),
                            /*assembles=*/false)))
    return diagnostics.error("compilation failed");
  for (Kernel &kernel : compilation.kernels)
    codes.push_back({kernel.name, kernel.module, std::move(kernel.binary)});
  return llvm::Error::success();
}

llvm::Expected<std::shared_ptr<const Program>>
Program::compile(std::string source, ProgramOptions options) {
  std::shared_ptr<Program> program(
      new Program(std::move(source), std::move(options)));
  if (llvm::Error error = program->compileAll())
    return error;
  return program;
}

/// Equal for plans that add up in the same order, of programs for one chip.
static std::string orderText(const Plan &plan) {
  SumOrder order = sumOrderOf(plan);
  if (isInteger(order.atom->accumulator))
    return "any";
  StringRef instruction = order.atom->name;
  // Lanes add one term after the other, whatever shape they do it in.
  bool isOneByOne =
      order.atom->instruction == Instruction::Fma && order.interleaveK == 0;
  if (isOneByOne)
    instruction = instruction.split('.').second.split('.').second;
  // Of complex numbers, products of both parts follow each other, or all of one
  // come first.
  return llvm::formatv("{0}{1}{2}, interleaved {3}, layers {4} of {5} in {6}",
                       isOneByOne ? "fma." : "", instruction,
                       plan.interleavesParts ? " of both parts" : "",
                       order.interleaveK, order.layers, order.layerK,
                       order.tileK);
}

llvm::Expected<std::string> Program::sumOrder(std::string source,
                                              ProgramOptions options) {
  Program program(std::move(source), std::move(options));
  Compilation compilation;
  OwnedModule made;
  if (llvm::Error error = program.compileTo(Level::Planned, made, compilation))
    return error;
  llvm::scope_exit keeper([&] { giveBack(std::move(made)); });
  Diagnostics diagnostics(made.context.get(), program.options.isText);
  std::string text;
  WalkResult result = made.module->walk([&](Operation *op) {
    std::optional<PlanAttr> attribute;
    if (auto gemm = dyn_cast<GemmOp>(op))
      attribute = gemm.getPlan();
    else if (auto grouped = dyn_cast<GroupedGemmOp>(op))
      attribute = grouped.getPlan();
    if (!attribute)
      return WalkResult::advance();
    FailureOr<Plan> plan = toPlan(op, *attribute);
    if (failed(plan))
      return WalkResult::interrupt();
    text = orderText(*plan);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return diagnostics.error("no table has the plan's atom");
  return text;
}

llvm::Expected<std::string> Program::codeAt(StringRef spelling) const {
  if (spelling == kind) {
    std::string text;
    for (const Code &code : codes)
      text += code.binary;
    return text;
  }
  std::optional<Level> level = parseLevel(spelling);
  bool isObject = level == Level::Hsaco && kind == "asm";
  if (!isObject && (!level || *level > Level::LLVM))
    return llvm::createStringError(
        "expected level kami, planned, warp, target, llvm or " + kind +
        ", but got '" + spelling + "'");
  OwnedModule made;
  Compilation compilation;
  if (llvm::Error error = compileTo(*level, made, compilation))
    return error;
  if (!isObject)
    return moduleText(*made.module);
  // Unlike texts, objects cannot stand one behind the other.
  if (compilation.kernels.size() != 1)
    return llvm::createStringError(
        "expected one kernel to make a code object of, but got " +
        llvm::Twine(compilation.kernels.size()));
  return std::move(compilation.kernels.front().binary);
}

llvm::Error
Program::withHost(llvm::function_ref<llvm::Error(func::FuncOp)> use) const {
  std::lock_guard<std::mutex> lock(mutex);
  if (!parsedHost.module) {
    llvm::Expected<OwnedModule> parsed = parse(host, /*saysLines=*/false);
    if (!parsed)
      return parsed.takeError();
    parsedHost = std::move(*parsed);
  }
  Diagnostics diagnostics(parsedHost.context.get(), /*saysLines=*/false);
  llvm::Expected<func::FuncOp> entry = entryPoint(*parsedHost.module);
  if (!entry)
    return entry.takeError();
  llvm::Error error = use(*entry);
  if (!error)
    return error;
  return diagnostics.error(llvm::toString(std::move(error)));
}

llvm::Error Program::withLanes(
    llvm::function_ref<llvm::Error(func::FuncOp, const Chip &)> use) const {
  std::lock_guard<std::mutex> lock(mutex);
  if (!lanes.module) {
    Compilation compilation;
    if (llvm::Error error = compileTo(Level::Target, lanes, compilation))
      return error;
    chip = compilation.chip;
  }
  Diagnostics diagnostics(lanes.context.get(), options.isText);
  llvm::Expected<func::FuncOp> entry = entryPoint(*lanes.module);
  if (!entry)
    return entry.takeError();
  llvm::Error error = use(*entry, *chip);
  if (!error)
    return error;
  return diagnostics.error(llvm::toString(std::move(error)));
}

std::string Program::save() const {
  llvm::json::Array kernels;
  for (const Code &code : codes)
    kernels.push_back(llvm::json::Array{code.name, code.module,
                                        llvm::encodeBase64(code.binary)});
  const CompileOptions &given = options.options;
  llvm::json::Value image = llvm::json::Object{
      {"version", KAMI_VERSION},
      {"source", source},
      {"options",
       llvm::json::Array{given.chip, given.algorithm, given.unit, given.tile,
                         given.model, given.calibration, given.precision,
                         options.plan, given.copies, given.warps, given.stages,
                         given.taken, given.products, options.isText}},
      {"host", host},
      {"code", kind},
      {"kernels", std::move(kernels)},
      {"description", described}};
  std::string text;
  llvm::raw_string_ostream(text) << image;
  return text;
}

llvm::Expected<std::shared_ptr<const Program>>
Program::restore(StringRef image) {
  auto fail = [] {
    return llvm::createStringError(
        "expected a program that this version of kami has saved");
  };
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(image);
  if (!value) {
    llvm::consumeError(value.takeError());
    return fail();
  }
  const llvm::json::Object *object = value->getAsObject();
  if (!object || object->getString("version") != StringRef(KAMI_VERSION))
    return fail();
  auto source = object->getString("source"), host = object->getString("host"),
       code = object->getString("code");
  const llvm::json::Array *given = object->getArray("options"),
                          *kernels = object->getArray("kernels");
  const llvm::json::Value *description = object->get("description");
  if (!source || !host || !code || !given || given->size() != 14 || !kernels ||
      !description)
    return fail();
  ProgramOptions options;
  CompileOptions &compile = options.options;
  std::string *texts[] = {
      &compile.chip,      &compile.algorithm, &compile.unit,
      &compile.tile,      &compile.model,     &compile.calibration,
      &compile.precision, &options.plan,      &compile.copies};
  for (auto [text, entry] : llvm::zip(texts, *given))
    *text = entry.getAsString().value_or("").str();
  compile.warps = (*given)[9].getAsInteger().value_or(0);
  compile.stages = (*given)[10].getAsInteger().value_or(0);
  compile.taken = (*given)[11].getAsInteger().value_or(0);
  compile.products = (*given)[12].getAsInteger().value_or(0);
  options.isText = (*given)[13].getAsBoolean().value_or(false);
  std::shared_ptr<Program> program(
      new Program(source->str(), std::move(options)));
  program->host = host->str();
  program->kind = code->str();
  program->described = *description;
  for (const llvm::json::Value &kernel : *kernels) {
    const llvm::json::Array *parts = kernel.getAsArray();
    if (!parts || parts->size() != 3)
      return fail();
    auto part = [&](size_t i) {
      return (*parts)[i].getAsString().value_or("").str();
    };
    std::vector<char> binary;
    if (llvm::Error error = llvm::decodeBase64(part(2), binary)) {
      llvm::consumeError(std::move(error));
      return fail();
    }
    program->codes.push_back(
        {part(0), part(1), std::string(binary.begin(), binary.end())});
  }
  return program;
}
