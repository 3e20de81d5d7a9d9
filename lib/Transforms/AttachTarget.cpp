//===- AttachTarget.cpp - Say which chip a module is compiled for --------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Bridge/Bridge.h"
#include "kami/Transforms/Passes.h"

namespace kami {
#define GEN_PASS_DEF_KAMIATTACHTARGET
#include "kami/Transforms/Passes.h.inc"
} // namespace kami

using namespace kami;

namespace {
struct AttachTarget : kami::impl::KamiAttachTargetBase<AttachTarget> {
  using KamiAttachTargetBase::KamiAttachTargetBase;

  void runOnOperation() override {
    mlir::ModuleOp module = getOperation();
    if (!chip.empty())
      module->setAttr(targetAttributeName,
                      TargetAttr::get(&getContext(), chip));
    if (failed(targetOf(module)))
      signalPassFailure();
  }
};
} // namespace
