//===- AnnotateLoops.cpp - What loops ask of LLVM ------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The branch that closes a loop inherits the loop's `llvm.loop_annotation`
// (convert-scf-to-cf). Conversions to LLVM's dialect leave it at that (LLVM
// 22.1), where the translation to LLVM IR reads `loop_annotation` alone.
//
//===----------------------------------------------------------------------===//

#include "kami/Conversion/KamiToLLVM/KamiToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kami {
#define GEN_PASS_DEF_KAMIANNOTATELOOPS
#include "kami/Conversion/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

template <typename Branch> static void annotate(Branch branch) {
  constexpr StringLiteral inherited = "llvm.loop_annotation";
  if (auto annotation = dyn_cast_or_null<LLVM::LoopAnnotationAttr>(
          branch->removeDiscardableAttr(inherited)))
    branch.setLoopAnnotationAttr(annotation);
}

namespace {
struct AnnotateLoops : kami::impl::KamiAnnotateLoopsBase<AnnotateLoops> {
  void runOnOperation() override {
    getOperation()->walk([](LLVM::BrOp op) { annotate(op); });
    getOperation()->walk([](LLVM::CondBrOp op) { annotate(op); });
  }
};
} // namespace
