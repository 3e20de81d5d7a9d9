//===- OwnedModule.cpp - A module in a context of its own ----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OwnedModule.h"
#include "kami/Pipelines/Registration.h"

using namespace kami;
using namespace mlir;

static std::unique_ptr<MLIRContext> makeContext() {
  // No pool of threads: callers have their own, and may fork. Dialects are
  // loaded by what needs them, since all of them take milliseconds.
  auto context =
      std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false);
  DialectRegistry registry;
  registerAllKami(registry);
  registerKamiDependencies(registry);
  context->appendDialectRegistry(registry);
  return context;
}

namespace {
struct SpareContext {
  std::unique_ptr<MLIRContext> context;
  int64_t uses = 0;
};
} // namespace

/// A thread's own, not one of all threads behind a lock, which a fork could
/// leave held.
static thread_local SpareContext spare;

/// A context keeps every type and attribute that was ever made in it.
static constexpr int64_t mostUses = 64;

std::unique_ptr<MLIRContext> kami::takeContext() {
  if (spare.context)
    return std::move(spare.context);
  spare.uses = 0;
  return makeContext();
}

void kami::giveBack(OwnedModule &&used) {
  used.module = {};
  if (++spare.uses < mostUses)
    spare.context = std::move(used.context);
}
