//===- KeepConverged.cpp - Products that all lanes execute ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's intrinsics of mma.sync are not convergent. What only some lanes use,
// because the others' elements are beyond C, is moved to where they are alone,
// and mma.sync of some lanes is whatever it likes: of n = 1, wrong. A function
// of an intrinsic's name becomes the intrinsic, and the translation of calls
// finds it: with an attribute more.
//
//===----------------------------------------------------------------------===//

#include "kami/Conversion/KamiToNVVM/KamiToNVVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/IR/Intrinsics.h"

namespace kami {
#define GEN_PASS_DEF_KAMIKEEPCONVERGED
#include "kami/Conversion/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

/// The intrinsic that a product becomes; empty for any other op.
static StringRef intrinsicOf(Operation *op) {
  if (auto product = dyn_cast<NVVM::MmaOp>(op)) {
    NVVM::MMAShapeAttr shape = product.getShape();
    return llvm::Intrinsic::getBaseName(NVVM::MmaOp::getIntrinsicID(
        shape.getM(), shape.getN(), shape.getK(), product.getB1Op(),
        product.getIntOverflowBehavior(), product.getLayoutA(),
        product.getLayoutB(), *product.getMultiplicandAPtxType(),
        *product.getMultiplicandBPtxType(), product.accumPtxType(),
        product.resultPtxType()));
  }
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  return call && call.getIntrin().starts_with("llvm.nvvm.mma.")
             ? call.getIntrin()
             : StringRef();
}

namespace {
struct KeepConverged : kami::impl::KamiKeepConvergedBase<KeepConverged> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    OpBuilder b = OpBuilder::atBlockBegin(getOperation().getBody());
    getOperation().walk([&](Operation *op) {
      StringRef name = intrinsicOf(op);
      if (name.empty() || symbols.lookup(name))
        return;
      auto type = LLVM::LLVMFunctionType::get(
          op->getResult(0).getType(), llvm::to_vector(op->getOperandTypes()));
      auto intrinsic = LLVM::LLVMFuncOp::create(b, op->getLoc(), name, type);
      intrinsic.setConvergent(true);
      symbols.insert(intrinsic);
    });
  }
};
} // namespace
