//===- Launch.cpp - Launches without anything left to decide --------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <array>

using namespace kami;

/// A kernel may have 4 KiB of parameters (CUDA C++ Programming Guide, release
/// 13.0, section 10.1.10.2, before compute capability 7.0), each a word here.
static constexpr size_t maxWords = 512;

struct KamiLaunch {
  struct Step {
    KamiCudaFunction function;
    std::string name;
    KamiCudaLaunch shape;
    std::vector<ParameterWord> words;
  };

  std::shared_ptr<const Executable> executable;
  KamiCudaDevice *device;
  std::vector<Step> steps;
  /// Numbers of scalars that have to be what they were, and their bits.
  std::vector<std::pair<unsigned, uint64_t>> fixed;
  /// Numbers of arrays, and what divides their addresses.
  std::vector<std::pair<unsigned, uint64_t>> alignments;
  llvm::json::Value description = nullptr;
};

static llvm::json::Value describe(const KamiLaunch &launch,
                                  const Binding &binding) {
  llvm::json::Array kernels, results;
  for (const KamiLaunch::Step &step : launch.steps)
    kernels.push_back(
        llvm::json::Object{{"kernel", step.name},
                           {"grid", llvm::json::Array(step.shape.grid)},
                           {"block", llvm::json::Array(step.shape.block)},
                           {"shared_bytes", step.shape.dynamicSharedBytes}});
  for (const BoundResult &result : binding.results)
    results.push_back(
        llvm::json::Object{{"argument", result.number},
                           {"byte_offset", result.byteOffset},
                           {"element", typeText(result.elementType)},
                           {"sizes", llvm::json::Array(result.sizes)},
                           {"strides", llvm::json::Array(result.strides)}});
  return llvm::json::Object{
      {"kernels", std::move(kernels)},
      {"workspaces", llvm::json::Array(binding.workspaces)},
      {"results", std::move(results)}};
}

static llvm::Error makeLaunch(const Executable &executable,
                              const Binding &binding,
                              llvm::ArrayRef<HostArgument> arguments,
                              KamiLaunch &launch) {
  for (const BoundLaunch &bound : binding.launches) {
    if (bound.words.size() > maxWords)
      return llvm::createStringError(
          "expected at most " + llvm::Twine(maxWords) +
          " words of parameters, but got " + llvm::Twine(bound.words.size()));
    auto code = llvm::find_if(
        executable.program->kernels(),
        [&](const Program::Code &code) { return code.module == bound.module; });
    if (code == executable.program->kernels().end())
      return llvm::createStringError("expected a compiled kernel for '" +
                                     bound.module + "', but found none");
    launch.steps.push_back({executable.functions.lookup(bound.module),
                            code->name, bound.shape, bound.words});
  }
  for (auto [number, isFixed] : llvm::enumerate(binding.isFixed))
    if (isFixed)
      launch.fixed.push_back({unsigned(number), arguments[number].bits});
  launch.alignments = binding.alignments;
  launch.description = describe(launch, binding);
  return llvm::Error::success();
}

KamiError *kamiLaunchCreate(const KamiExecutable *executable,
                            const KamiArgument *arguments, size_t count,
                            KamiLaunch **launch) {
  *launch = nullptr;
  auto made = std::make_unique<KamiLaunch>();
  made->executable = executable->contents;
  made->device = made->executable->device.get();
  std::vector<HostArgument> given = toArguments(arguments, count);
  llvm::Error error = made->executable->program->withHost(
      [&](mlir::func::FuncOp host) -> llvm::Error {
        llvm::Expected<Binding> binding = bindArguments(host, given);
        if (!binding)
          return binding.takeError();
        return makeLaunch(*made->executable, *binding, given, *made);
      });
  if (error)
    return toError(KAMI_ERROR_INVALID, std::move(error));
  for (const KamiLaunch::Step &step : made->steps)
    if (KamiError *refused = toError(
            kamiCudaPrepareLaunch(made->device, step.function, &step.shape)))
      return refused;
  *launch = made.release();
  return nullptr;
}

KamiError *kamiLaunchDescribe(const KamiLaunch *launch, KamiText **json) {
  *json = makeText(launch->description);
  return nullptr;
}

static KamiStatus runStep(const KamiLaunch &launch,
                          const KamiLaunch::Step &step, KamiCudaStream stream,
                          const uint64_t *words) {
  uint64_t values[maxWords];
  void *parameters[maxWords];
  for (auto [index, word] : llvm::enumerate(step.words)) {
    switch (word.source) {
    case ParameterWord::Source::Constant:
      values[index] = word.value;
      break;
    case ParameterWord::Source::Address:
      values[index] = words[word.number] + word.value;
      break;
    case ParameterWord::Source::Scalar:
      values[index] = words[word.number];
      break;
    }
    parameters[index] = &values[index];
  }
  return kamiCudaLaunchPrepared(launch.device, step.function, &step.shape,
                                stream, parameters);
}

static KamiStatus runSteps(const KamiLaunch &launch, KamiCudaStream stream,
                           const uint64_t *words) {
  for (const KamiLaunch::Step &step : launch.steps)
    if (KamiStatus status = runStep(launch, step, stream, words);
        status != KAMI_STATUS_OK)
      return status;
  return KAMI_STATUS_OK;
}

KamiError *kamiLaunchRun(const KamiLaunch *launch, void *stream,
                         const uint64_t *words) {
  for (auto [number, bits] : launch->fixed)
    if (words[number] != bits)
      return makeError(KAMI_ERROR_INVALID,
                       "expected argument " + llvm::Twine(number) +
                           " to be what the launch was created with");
  for (auto [number, bytes] : launch->alignments)
    if (words[number] % bytes != 0)
      return makeError(KAMI_ERROR_UNALIGNED,
                       "expected argument " + llvm::Twine(number) +
                           " at a multiple of " + llvm::Twine(bytes) +
                           " bytes, but got address " +
                           llvm::Twine(words[number]));
  return toError(runSteps(*launch, static_cast<KamiCudaStream>(stream), words));
}

KamiError *kamiLaunchTime(const KamiLaunch *launch, const uint64_t *words,
                          size_t repeats, double *microseconds) {
  *microseconds = 0;
  if (KamiError *error = kamiLaunchRun(launch, nullptr, words))
    return error;
  CudaEvent start(launch->device), stop(launch->device);
  for (CudaEvent *event : {&start, &stop})
    if (KamiError *error =
            toError(kamiCudaCreateEvent(launch->device, event->out())))
      return error;
  std::vector<double> times(std::max<size_t>(repeats, 1));
  for (double &time : times)
    for (KamiStatus status :
         {kamiCudaRecordEvent(launch->device, start.get(), nullptr),
          runSteps(*launch, nullptr, words),
          kamiCudaRecordEvent(launch->device, stop.get(), nullptr),
          kamiCudaElapsed(launch->device, start.get(), stop.get(), &time)})
      if (KamiError *error = toError(status))
        return error;
  auto middle = times.begin() + times.size() / 2;
  std::nth_element(times.begin(), middle, times.end());
  *microseconds = *middle;
  return nullptr;
}

void kamiLaunchDestroy(KamiLaunch *launch) { delete launch; }
