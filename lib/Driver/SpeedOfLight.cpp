//===- SpeedOfLight.cpp ---------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpeedOfLight.h"
#include "CudaStatus.h"
#include "kami/Layout/ElementKind.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace kami;

/// Bytes of a word: the widest access of a thread.
constexpr int64_t wordBytes = 16;

int64_t LightOperands::mostBytes() const {
  return std::max({aBytes, bBytes, cBytes});
}

llvm::Error LightKernel::load(const Chip &chip) {
  std::string text = lightKernel(variant, chip);
  if (llvm::Error error = check(
          kamiCudaLoadModule(device, text.data(), text.size(), module.out())))
    return error;
  return check(
      kamiCudaGetFunction(device, module.get(), "kami_light", &function));
}

llvm::Error LightKernel::enqueue(const LightOperands &operands,
                                 KamiCudaStream stream) const {
  int64_t perBlock = variant.isBulk
                         ? variant.chunk
                         : variant.threads * variant.words * wordBytes;
  int64_t blocks =
      std::max<int64_t>(llvm::divideCeil(operands.mostBytes(), perBlock), 1);
  if (variant.blocks > 0)
    blocks = std::min(blocks, variant.blocks * multiprocessors);
  KamiCudaLaunch launch = {{unsigned(blocks), 1, 1},
                           {unsigned(variant.threads), 1, 1},
                           unsigned(variant.sharedBytes())};
  uint64_t fields[] = {operands.a,
                       operands.b,
                       operands.c,
                       uint64_t(operands.aBytes),
                       uint64_t(operands.bBytes),
                       uint64_t(operands.cBytes)};
  void *arguments[std::size(fields)];
  for (auto [field, argument] : llvm::zip_equal(fields, arguments))
    argument = &field;
  return check(
      kamiCudaLaunchKernel(device, function, &launch, stream, arguments));
}

llvm::Expected<bool> LightKernel::isRight(const LightOperands &operands) const {
  constexpr int64_t windows = 16, windowBytes = 4096;
  int64_t wholeWords = operands.cBytes / wordBytes * wordBytes;
  /// Bytes of an operand, zero behind its end.
  auto read = [&](KamiCudaPointer from, int64_t bytes, int64_t first,
                  std::vector<uint8_t> &window) -> llvm::Error {
    std::fill(window.begin(), window.end(), 0);
    int64_t count =
        std::clamp<int64_t>(bytes - first, 0, int64_t(window.size()));
    if (count == 0)
      return llvm::Error::success();
    return check(
        kamiCudaCopyToHost(device, window.data(), from + first, count));
  };
  int64_t size = std::min(windowBytes, operands.cBytes);
  std::vector<uint8_t> a(size), b(size), c(size);
  for (int64_t number = 0; number != windows; ++number) {
    // The first ends C's beginning, the last its end.
    int64_t first = (operands.cBytes - size) / (windows - 1) * number;
    if (number == windows - 1)
      first = operands.cBytes - size;
    for (auto [from, bytes, window] :
         {std::tuple(operands.a, operands.aBytes, &a),
          std::tuple(operands.b, operands.bBytes, &b),
          std::tuple(operands.c, operands.cBytes, &c)})
      if (llvm::Error error = read(from, bytes, first, *window))
        return error;
    for (int64_t i = 0; i != size; ++i) {
      // Words that A or B has only a part of are tails to it.
      auto isBehind = [&](int64_t bytes) {
        return first + i >= bytes / wordBytes * wordBytes;
      };
      bool isWord = first + i < wholeWords;
      // The copy engine leaves anything behind A's last word, and does not
      // look at B.
      if (isWord && (isBehind(operands.aBytes) ||
                     (!variant.isBulk && isBehind(operands.bBytes))))
        continue;
      // Tails of other lengths lie at other places.
      if (!isWord && (operands.aBytes != operands.cBytes ||
                      operands.bBytes != operands.cBytes))
        continue;
      uint8_t expected = variant.isBulk && isWord ? a[i] : uint8_t(a[i] ^ b[i]);
      if (c[i] != expected)
        return false;
    }
  }
  return true;
}

SpeedOfLight::SpeedOfLight(KamiCudaDevice *device, const Chip &chip,
                           int64_t multiprocessors, llvm::raw_ostream &log)
    : device(device) {
  for (const LightVariant &variant : lightVariants(chip)) {
    auto kernel =
        std::make_unique<LightKernel>(device, variant, multiprocessors);
    if (llvm::Error error = kernel->load(chip))
      log << "kami-bench: warning: speed of light, " << variant.describe()
          << ": " << llvm::toString(std::move(error)) << "\n";
    else
      kernels.push_back(std::move(kernel));
  }
}

llvm::Expected<std::vector<LightContestant>>
SpeedOfLight::contestants(const LightSets &sets, const GraphClock &clock,
                          llvm::raw_ostream &log) const {
  constexpr size_t kept = 3;
  std::vector<LightContestant> all;
  for (const std::unique_ptr<LightKernel> &kernel : kernels) {
    auto complain = [&](llvm::StringRef reason) {
      log << "kami-bench: warning: speed of light, "
          << kernel->variant.describe() << ": " << reason << "\n";
    };
    auto enqueue = [&](int64_t launch) {
      return kernel->enqueue(sets.operands(launch % sets.count), clock.stream);
    };
    // Of the last set alone: the kernel does not know which one it has got.
    LightOperands last = sets.operands(sets.count - 1);
    if (llvm::Error error =
            check(kamiCudaFillBytes(device, last.c, 0xFF, last.cBytes)))
      return error;
    if (llvm::Error error = enqueue(sets.count - 1)) {
      complain(llvm::toString(std::move(error)));
      continue;
    }
    if (llvm::Error error = check(kamiCudaSynchronize(device)))
      return error;
    llvm::Expected<bool> right = kernel->isRight(last);
    if (!right)
      return right.takeError();
    if (!*right) {
      complain("wrong result");
      continue;
    }
    LightContestant one{kernel.get(), std::make_unique<TimedGraph>(device)};
    if (llvm::Error error =
            one.graph->capture(sets.launches, clock.stream, enqueue))
      return error;
    all.push_back(std::move(one));
  }
  std::vector<TimedGraph *> graphs;
  for (const LightContestant &one : all)
    graphs.push_back(one.graph.get());
  llvm::Expected<std::vector<size_t>> places = findFastest(graphs, kept, clock);
  if (!places)
    return places.takeError();
  std::vector<LightContestant> best;
  for (size_t place : *places)
    best.push_back(std::move(all[place]));
  return best;
}

const LightContestant *
kami::fastest(llvm::ArrayRef<LightContestant> contestants) {
  const LightContestant *best = nullptr;
  for (const LightContestant &one : contestants)
    if (double median = one.graph->time().median;
        median > 0 && (!best || median < best->graph->time().median))
      best = &one;
  return best;
}

std::optional<OperationRate> kami::operationRate(const Chip &chip,
                                                 ElementKind type) {
  std::optional<OperationRate> best;
  ElementKind sums = defaultAccumulator(type);
  auto atoms = chip.atomsFor(type, sums);
  for (const RatedAtom &atom : chip.groupAtomsFor(type, type, sums))
    atoms.push_back(atom);
  double cores = double(chip.multiprocessors * chip.tensorCores);
  for (const RatedAtom &atom : atoms) {
    double teraflops = atom.rate->opsPerCycle * atom.rate->reached * cores *
                       chip.boostMHz / 1e6;
    if (!best || teraflops > best->teraflops)
      best = {teraflops, atom.rate->provenance};
  }
  return best;
}
