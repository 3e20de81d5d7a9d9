//===- KamiToNVVM.cpp - kami.mma_sync to NVVM ----------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Conversion/KamiToNVVM/KamiToNVVM.h"
#include "kami/Bridge/Bridge.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/Support/FormatVariadic.h"

namespace kami {
#define GEN_PASS_DEF_CONVERTKAMITONVVM
#define GEN_PASS_DEF_KAMIDECLAREDYNAMICSHARED
#include "kami/Conversion/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

/// The lane's values, one by one; 16-bit ones two by two, as 32-bit registers.
static SmallVector<Value> unpack(ImplicitLocOpBuilder &b, Value vector) {
  auto type = cast<VectorType>(vector.getType());
  int64_t count = type.getNumElements();
  if (type.getElementTypeBitWidth() == 16) {
    count /= 2;
    vector = vector::BitCastOp::create(
        b, VectorType::get({count}, b.getI32Type()), vector);
  }
  SmallVector<Value> registers;
  for (int64_t i = 0; i != count; ++i)
    registers.push_back(vector::ExtractOp::create(b, vector, i));
  return registers;
}

/// The members of an LLVM struct as a vector.
static Value pack(ImplicitLocOpBuilder &b, VectorType type, Value members) {
  SmallVector<Value> values;
  for (int64_t i = 0; i != type.getNumElements(); ++i)
    values.push_back(LLVM::ExtractValueOp::create(b, members, i));
  return vector::FromElementsOp::create(b, type, values);
}

namespace {
struct ExpandMmaSync : OpRewritePattern<MmaSyncOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MmaSyncOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    MmaAtomAttr atom = op.getAtom();
    auto type = cast<VectorType>(op.getC().getType());
    auto structType = LLVM::LLVMStructType::getLiteral(
        op.getContext(),
        SmallVector<Type>(type.getNumElements(), type.getElementType()));
    SmallVector<Value> left = unpack(b, op.getA()),
                       right = unpack(b, op.getB()), sum = unpack(b, op.getC());
    Value result;
    if (atom.getAType().isBF16() && atom.getCType().isF32()) {
      std::array<NVVM::MMATypes, 2> types = {NVVM::MMATypes::bf16,
                                             NVVM::MMATypes::bf16};
      std::array<NVVM::MMALayout, 2> layouts = {NVVM::MMALayout::row,
                                                NVVM::MMALayout::col};
      result = NVVM::MmaOp::create(
          b, structType, left, right, sum,
          ArrayRef<int64_t>{atom.getM(), atom.getN(), atom.getK()},
          /*b1Op=*/std::nullopt, /*intOverflow=*/std::nullopt, types, layouts);
    } else if (atom.getAType().isF64() && atom.getCType().isF64()) {
      // NVVM's op has f64 in the shape m8n8k4 only; the intrinsics have them
      // all.
      std::string name = llvm::formatv("llvm.nvvm.mma.m{0}n{1}k{2}.row.col.f64",
                                       atom.getM(), atom.getN(), atom.getK());
      SmallVector<Value> arguments = left;
      llvm::append_range(arguments, right);
      llvm::append_range(arguments, sum);
      result = LLVM::CallIntrinsicOp::create(b, structType,
                                             b.getStringAttr(name), arguments)
                   .getResult(0);
    } else {
      return op.emitOpError("no NVVM instruction for ") << atom;
    }
    rewriter.replaceOp(op, pack(b, type, result));
    return success();
  }
};

struct ConvertKamiToNVVM
    : kami::impl::ConvertKamiToNVVMBase<ConvertKamiToNVVM> {
  void runOnOperation() override {
    if (!getOperation().getTargetsAttr() && failed(attachTarget()))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateKamiToNVVMPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    if (getOperation()
            .walk([](MmaSyncOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      signalPassFailure();
  }

private:
  /// The module's chip, as upstream's serialization wants it. Without a PTX
  /// version LLVM takes the lowest that knows the chip.
  LogicalResult attachTarget() {
    FailureOr<const Chip *> chip = targetOf(getOperation());
    if (failed(chip))
      return failure();
    Attribute target = NVVM::NVVMTargetAttr::get(
        &getContext(), /*optLevel=*/3, "nvptx64-nvidia-cuda", (*chip)->name,
        /*features=*/"");
    getOperation().setTargetsAttr(ArrayAttr::get(&getContext(), target));
    return success();
  }
};

struct DeclareDynamicShared
    : kami::impl::KamiDeclareDynamicSharedBase<DeclareDynamicShared> {
  void runOnOperation() override {
    for (auto global : getOperation().getOps<LLVM::GlobalOp>()) {
      auto array = dyn_cast<LLVM::LLVMArrayType>(global.getType());
      if (array && array.getNumElements() == 0 &&
          global.getAddrSpace() == unsigned(NVVM::NVVMMemorySpace::Shared))
        global.setLinkage(LLVM::Linkage::External);
    }
  }
};
} // namespace

void kami::populateKamiToNVVMPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandMmaSync>(patterns.getContext());
}
