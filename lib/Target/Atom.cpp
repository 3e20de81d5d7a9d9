//===- Atom.cpp - Matrix instructions -------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include <deque>
#include <mutex>
#include <string>
#include <vector>

using namespace kami;

using I = Instruction;

llvm::StringRef kami::name(Instruction instruction) {
  switch (instruction) {
  case Instruction::MmaSync:
    return "mma_sync";
  case Instruction::Fma:
    return "fma";
  case Instruction::Mfma:
    return "mfma";
  case Instruction::Wmma:
    return "wmma";
  case Instruction::CooperativeMatrix:
    return "cooperative_matrix";
  case Instruction::Wgmma:
    return "wgmma";
  }
  llvm_unreachable("covered switch");
}

llvm::ArrayRef<Atom> kami::allAtoms() {
  static const std::vector<Atom> atoms = [] {
    std::vector<Atom> all;
    for (llvm::ArrayRef<Atom> table : {nvidiaAtoms(), amdAtoms()})
      all.insert(all.end(), table.begin(), table.end());
    return all;
  }();
  return atoms;
}

/// Kept as long as the process lives: atoms are compared by their address.
static const Atom *internCooperativeMatrix(const Atom &described) {
  struct Entry {
    std::string name;
    Atom atom;
  };
  static std::mutex mutex;
  static std::deque<Entry> known;
  std::lock_guard<std::mutex> lock(mutex);
  for (const Entry &entry : known)
    if (entry.name == described.name)
      return &entry.atom;
  Entry &entry = known.emplace_back(Entry{described.name.str(), described});
  entry.atom.name = entry.name;
  return &entry.atom;
}

const Atom *kami::cooperativeMatrix(const Extents &shape, ElementKind operand,
                                    ElementKind accumulator, int64_t lanes) {
  std::string spelling;
  llvm::raw_string_ostream(spelling)
      << "cooperative_matrix.m" << shape.m << 'n' << shape.n << 'k' << shape.k
      << '.' << name(accumulator) << '.' << name(operand) << ".lanes" << lanes;
  Atom atom = {spelling,
               I::CooperativeMatrix,
               shape,
               operand,
               accumulator,
               "",
               "",
               "",
               "SPV_KHR_cooperative_matrix; the device lists it"};
  atom.opaqueLanes = lanes;
  return internCooperativeMatrix(atom);
}

/// The inverse of the spelling above.
static const Atom *parseCooperativeMatrix(llvm::StringRef spelling) {
  llvm::SmallVector<llvm::StringRef, 5> parts;
  spelling.split(parts, '.');
  Extents shape;
  int64_t lanes = 0;
  // The first number is read behind `prefix`, which is dropped with it.
  auto read = [](llvm::StringRef &text, llvm::StringRef prefix,
                 int64_t &value) {
    return text.consume_front(prefix) && !text.consumeInteger(10, value) &&
           value > 0;
  };
  if (parts.size() != 5 || parts[0] != name(I::CooperativeMatrix) ||
      !read(parts[1], "m", shape.m) || !read(parts[1], "n", shape.n) ||
      !read(parts[1], "k", shape.k) || !parts[1].empty() ||
      !read(parts[4], "lanes", lanes) || !parts[4].empty())
    return nullptr;
  std::optional<ElementKind> accumulator = parseElementKind(parts[2]);
  std::optional<ElementKind> operand = parseElementKind(parts[3]);
  if (!accumulator || !operand)
    return nullptr;
  return cooperativeMatrix(shape, *operand, *accumulator, lanes);
}

const Atom *kami::findAtom(llvm::StringRef name) {
  llvm::ArrayRef<Atom> atoms = allAtoms();
  const Atom *found =
      llvm::find_if(atoms, [&](const Atom &atom) { return atom.name == name; });
  return found == atoms.end() ? parseCooperativeMatrix(name) : found;
}
