//===- Registry.cpp - Chips by name ---------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tables.h"
#include "kami/Target/VulkanDevice.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <string>
#include <vector>

using namespace kami;

namespace {
struct Nickname {
  llvm::StringRef product;
  llvm::StringRef chip;
};
} // namespace

static constexpr Nickname nicknames[] = {
    {"a100", "sm_80"},     {"rtx4090", "sm_89"},   {"h100", "sm_90"},
    {"h200", "sm_90"},     {"gh200", "sm_90"},     {"b200", "sm_100"},
    {"rtx5090", "sm_120"}, {"mi210", "gfx90a"},    {"mi300x", "gfx942"},
    {"mi355x", "gfx950"},  {"7900xtx", "gfx1100"}, {"9070xt", "gfx1201"},
    {"max1100", "xe-hpc"}, {"b580", "xe2"},
};

llvm::StringRef kami::name(Provenance provenance) {
  switch (provenance) {
  case Provenance::Documented:
    return "documented";
  case Provenance::Measured:
    return "measured";
  case Provenance::Assumed:
    return "assumed";
  }
  llvm_unreachable("covered switch");
}

Chip kami::makeChip(Chip chip, const Product &product) {
  chip.name = product.chip;
  chip.product = product.name;
  chip.multiprocessors = product.multiprocessors;
  chip.boostMHz = product.boostMHz;
  chip.l2Bytes = product.l2MiB << 20;
  chip.memoryBandwidth = product.memoryBandwidth;
  chip.atoms = product.atoms;
  chip.groupAtoms = product.groupAtoms;
  chip.laneAtoms = product.laneAtoms;
  chip.citations = product.citations;
  chip.ptxVersion = product.ptxVersion;
  return chip;
}

llvm::ArrayRef<Chip> kami::allChips() {
  static const std::vector<Chip> chips = [] {
    std::vector<Chip> all;
    for (llvm::ArrayRef<Chip> table :
         {nvidiaChips(), amdChips(), intelChips(), vulkanChips()})
      all.insert(all.end(), table.begin(), table.end());
    return all;
  }();
  return chips;
}

llvm::Expected<const Chip *> kami::findChip(llvm::StringRef name) {
  llvm::StringRef wanted = name;
  for (const Nickname &nickname : nicknames)
    if (nickname.product == name)
      wanted = nickname.chip;
  for (const Chip &chip : allChips())
    if (chip.name == wanted)
      return &chip;
  if (const Chip *described = findVulkanChip(name))
    return described;
  if (llvm::StringRef path = name; path.consume_front("vulkan:")) {
    llvm::Expected<VulkanDescription> device = readVulkanDevice(path);
    if (!device)
      return device.takeError();
    return addVulkanChip(name, *device);
  }
  std::string known = llvm::join(
      llvm::map_range(allChips(),
                      [](const Chip &chip) { return chip.name.str(); }),
      ", ");
  return llvm::createStringError("unknown target '" + name.str() +
                                 "', expected one of: " + known);
}

static llvm::SmallVector<RatedAtom, 4>
fastestFirst(llvm::ArrayRef<AtomRate> rates, ElementKind a, ElementKind b,
             ElementKind accumulator) {
  llvm::SmallVector<RatedAtom, 4> found;
  for (const AtomRate &rate : rates) {
    const Atom *atom = findAtom(rate.atom);
    if (atom && atom->operand == a && atom->operandB() == b &&
        atom->accumulator == accumulator)
      found.push_back({atom, &rate});
  }
  llvm::stable_sort(found, [](const RatedAtom &left, const RatedAtom &right) {
    return left.rate->opsPerCycle * left.rate->reached >
           right.rate->opsPerCycle * right.rate->reached;
  });
  return found;
}

llvm::SmallVector<RatedAtom, 4> Chip::atomsFor(ElementKind a, ElementKind b,
                                               ElementKind accumulator) const {
  return fastestFirst(atoms, a, b, accumulator);
}

llvm::SmallVector<RatedAtom, 4>
Chip::groupAtomsFor(ElementKind a, ElementKind b,
                    ElementKind accumulator) const {
  return fastestFirst(groupAtoms, a, b, accumulator);
}

llvm::SmallVector<RatedAtom, 4>
Chip::laneAtomsFor(ElementKind a, ElementKind b,
                   ElementKind accumulator) const {
  return fastestFirst(laneAtoms, a, b, accumulator);
}

const AtomRate *Chip::findRate(const Atom &atom) const {
  for (llvm::ArrayRef<AtomRate> rates : atomLists())
    for (const AtomRate &rate : rates)
      if (rate.atom == atom.name)
        return &rate;
  return nullptr;
}

int64_t Chip::registersEach(int64_t threads) const {
  // The partition with the most warps decides.
  int64_t dealt = llvm::alignTo(threads, tensorCores * warpSize);
  return registers / dealt / registerGranularity * registerGranularity;
}

int64_t Chip::maxRegisters(int64_t threads) const {
  if (threads < 1 || threads > maxThreadsPerBlock)
    return 0;
  return std::min(maxRegistersPerThread, registersEach(threads));
}

ElementKind kami::defaultAccumulator(ElementKind operand) {
  switch (operand) {
  case ElementKind::F16:
  case ElementKind::BF16:
  case ElementKind::TF32:
  case ElementKind::TF32x3:
  case ElementKind::F32:
  case ElementKind::F8E4M3FN:
  case ElementKind::F8E5M2:
  case ElementKind::F8E4M3FNUZ:
  case ElementKind::F8E5M2FNUZ:
    return ElementKind::F32;
  case ElementKind::F64:
    return ElementKind::F64;
  case ElementKind::I8:
  case ElementKind::U8:
  case ElementKind::I32:
    return ElementKind::I32;
  }
  llvm_unreachable("covered switch");
}
