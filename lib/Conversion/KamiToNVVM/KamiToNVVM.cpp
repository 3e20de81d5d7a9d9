//===- KamiToNVVM.cpp - kami.mma_sync to NVVM ----------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Conversion/KamiToNVVM/KamiToNVVM.h"
#include "BulkCopies.h"
#include "ThreadIndex.h"
#include "Tickets.h"
#include "Wgmma.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Conversion/KamiToLLVM/KamiToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/Support/FormatVariadic.h"

namespace kami {
#define GEN_PASS_DEF_CONVERTKAMITONVVM
#define GEN_PASS_DEF_KAMIDECLAREDYNAMICSHARED
#include "kami/Conversion/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

/// The lane's values, one by one; narrow ones as 32-bit registers.
static SmallVector<Value> unpack(ImplicitLocOpBuilder &b, Value vector) {
  auto type = cast<VectorType>(vector.getType());
  int64_t count = type.getNumElements();
  if (type.getElementTypeBitWidth() < 32) {
    count = count * type.getElementTypeBitWidth() / 32;
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

/// The type's name in PTX where `nvvm.mma.sync` serves it.
static std::optional<NVVM::MMATypes> nvvmType(Type type) {
  if (type.isBF16())
    return NVVM::MMATypes::bf16;
  if (type.isInteger(8))
    return type.isUnsignedInteger() ? NVVM::MMATypes::u8 : NVVM::MMATypes::s8;
  return std::nullopt;
}

/// The intrinsic of an atom that NVVM's op lacks: it has f64 in the shape
/// m8n8k4 only, and no floats of 8 bits. Empty where there is none.
static std::string intrinsicName(MmaAtomAttr atom) {
  auto float8 = [](Type type) {
    return isa<Float8E4M3FNType>(type) ? StringRef("e4m3")
           : isa<Float8E5M2Type>(type) ? StringRef("e5m2")
                                       : StringRef();
  };
  std::string shape = llvm::formatv("llvm.nvvm.mma.m{0}n{1}k{2}.row.col",
                                    atom.getM(), atom.getN(), atom.getK());
  if (atom.getAType().isF64() && atom.getCType().isF64())
    return shape + ".f64";
  StringRef a = float8(atom.getAType()), b = float8(atom.getBType());
  if (!a.empty() && !b.empty() && atom.getCType().isF32())
    return (shape + ".f32." + a + "." + b + ".f32").str();
  return "";
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
    std::optional<NVVM::MMATypes> typeA = nvvmType(atom.getAType());
    std::optional<NVVM::MMATypes> typeB = nvvmType(atom.getBType());
    bool sums = atom.getAType().isBF16() ? atom.getCType().isF32()
                                         : atom.getCType().isInteger(32);
    std::string intrinsic = intrinsicName(atom);
    if (typeA && typeB && sums) {
      std::array<NVVM::MMATypes, 2> types = {*typeA, *typeB};
      std::array<NVVM::MMALayout, 2> layouts = {NVVM::MMALayout::row,
                                                NVVM::MMALayout::col};
      std::optional<NVVM::MMAIntOverflow> overflow;
      if (atom.getCType().isInteger(32))
        overflow = NVVM::MMAIntOverflow::wrapped;
      result = NVVM::MmaOp::create(
          b, structType, left, right, sum,
          ArrayRef<int64_t>{atom.getM(), atom.getN(), atom.getK()},
          /*b1Op=*/std::nullopt, overflow, types, layouts);
    } else if (!intrinsic.empty()) {
      SmallVector<Value> arguments = left;
      llvm::append_range(arguments, right);
      llvm::append_range(arguments, sum);
      result = LLVM::CallIntrinsicOp::create(
                   b, structType, b.getStringAttr(intrinsic), arguments)
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
    // Told the size of a block only, ptxas spills a few registers for another
    // resident block. How many there are is the plan's business.
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      if (!kernel.isKernel() || !kernel.getKnownBlockSize() ||
          kernel->hasAttr(NVVM::NVVMDialect::getMinctasmAttrName()))
        continue;
      int64_t blocks = std::max<int64_t>(residentBlocksOf(kernel), 1);
      kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      Builder(&getContext()).getI32IntegerAttr(blocks));
    }
    if (failed(verifyWgmmaTarget(getOperation())) ||
        failed(verifyInstructions()) || failed(expandWgmma(getOperation())) ||
        failed(expandBulkCopies(getOperation())) ||
        failed(expandTickets(getOperation())))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateKamiToNVVMPatterns(patterns);
    populateRereadPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    if (getOperation()
            .walk([](MmaSyncOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      signalPassFailure();
  }

private:
  /// LLVM would fail to select an instruction that a chip has not.
  LogicalResult verifyInstructions() {
    Operation *store = nullptr, *rounding = nullptr;
    getOperation().walk([&](StMatrixOp op) { store = op; });
    getOperation().walk([&](NVVM::ConvertFloatToTF32Op op) {
      // Every chip that has tf32 has the other mode, `rna`.
      if (op.getRnd() == NVVM::FPRoundingMode::RN)
        rounding = op;
    });
    return success(
        succeeded(verifyChips(store, &Chip::storesMatrices, "stmatrix")) &&
        succeeded(
            verifyChips(rounding, &Chip::roundsToTF32, "cvt.rn.tf32.f32")));
  }

  LogicalResult verifyChips(Operation *op, bool Chip::*has,
                            StringRef instruction) {
    if (!op)
      return success();
    for (StringRef name : targetChips(getOperation())) {
      StringRef generic = name;
      generic.consume_back(architectureSpecific);
      llvm::Expected<const Chip *> chip = findChip(generic);
      if (!chip)
        llvm::consumeError(chip.takeError());
      else if (!((*chip)->*has))
        return op->emitOpError("expected a target with ")
               << instruction << " (sm_90 or later), but got " << name;
    }
    return success();
  }

  /// The lowest version of PTX with all instructions, where the chip's own does
  /// not have them.
  std::string features(const Chip &chip) {
    int64_t needed = 0;
    getOperation().walk([&](MmaSyncOp op) {
      // PTX ISA 9.0, mma: ".e4m3 and .e5m2 ... introduced in PTX ISA 8.4".
      Type type = op.getAtom().getAType();
      if (isa<Float8E4M3FNType, Float8E5M2Type>(type))
        needed = std::max<int64_t>(needed, 84);
    });
    getOperation().walk([&](TensorMapOp) {
      needed = std::max<int64_t>(needed, tensorMapPtxVersion);
    });
    // The same, cp.async: `.level::prefetch_size`, which kami's serialization
    // adds, is of PTX ISA 7.4.
    getOperation().walk([&](nvgpu::DeviceAsyncCopyOp) {
      needed = std::max<int64_t>(needed, 74);
    });
    // The same, cvt: "... on sm_89 introduced in PTX ISA 8.1".
    getOperation().walk([&](arith::ExtFOp op) {
      if (chip.extendsFloat8 && isa<Float8E4M3FNType, Float8E5M2Type>(
                                    getElementTypeOrSelf(op.getIn())))
        needed = std::max<int64_t>(needed, 81);
    });
    return needed > chip.ptxVersion ? "+ptx" + std::to_string(needed) : "";
  }

  /// At 3 the back end numbers values twice more, which takes half of the time
  /// that a large kernel's compilation takes by upstream's serialization: 0.4
  /// of 0.8 s for f32 64, of which ptxas makes the same code either way.
  /// (kami's own does not let the back end do that.) LLVM's passes before
  /// differ, too, and make another kernel of a small one: f32 33 takes 15.5 µs
  /// instead of 14.9 at 2 (H200, 2000 products).
  int optLevel() {
    constexpr int64_t mostOps = 3000;
    int64_t ops = 0;
    getOperation().walk([&](Operation *) { ++ops; });
    return ops > mostOps ? 2 : 3;
  }

  /// The matrices that kernels take; none if one has extents or strides that
  /// are known only at run time.
  SmallVector<MemRefType> knownMatrices() {
    SmallVector<MemRefType> known;
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      for (Type type : kernel.getArgumentTypes()) {
        auto matrices = dyn_cast<MemRefType>(type);
        if (!matrices || matrices.getRank() < 2)
          continue;
        SmallVector<int64_t> strides;
        int64_t offset;
        if (failed(matrices.getStridesAndOffset(strides, offset)) ||
            ShapedType::isDynamicShape(matrices.getShape().take_back(2)) ||
            ShapedType::isDynamicShape(ArrayRef(strides).take_back(2)))
          return {};
        known.push_back(matrices);
      }
    return known;
  }

  /// Has ptxas optimize no more than is worth its time, which is half of what a
  /// first call waits for (H100, 2026-11-27; docs/Experiments.md, "How much
  /// ptxas is told to optimize").
  DictionaryAttr flags() {
    SmallVector<MemRefType> matrices = knownMatrices();
    if (matrices.empty())
      return {};
    auto optionsOf = [&](StringRef option) {
      Builder b(&getContext());
      return b.getDictionaryAttr(
          b.getNamedAttr("ptxas-cmd-options", b.getStrArrayAttr({option})));
    };
    // Kernels of warp groups take as long as at -O3, and 2 to 4 % less in odd
    // rows beyond 128; with strides known at run time they take 2 to 11 % more.
    if (hasWgmma(getOperation()))
      return optionsOf("-O1");
    // What -O3 does to loops of f64, for as much time as everything else, saves
    // nothing where they are short. From 144 terms on it saves 1 to 7 % on an
    // H200, where an H100 loses 1; from 240 on, 6 to 19 %.
    constexpr int64_t mostExtent = 128;
    bool isSmall = llvm::all_of(matrices, [](MemRefType matrix) {
      return matrix.getElementType().isF64() &&
             llvm::all_of(matrix.getShape().take_back(2),
                          [](int64_t extent) { return extent <= mostExtent; });
    });
    return isSmall ? optionsOf("-O2") : DictionaryAttr();
  }

  /// The module's chip, as upstream's serialization wants it. Without a PTX
  /// version LLVM takes the lowest that knows the chip.
  LogicalResult attachTarget() {
    FailureOr<const Chip *> chip = targetOf(getOperation());
    if (failed(chip))
      return failure();
    // What only one generation has is in the chip's variant of that name.
    std::string name = (*chip)->name.str();
    if (!(*chip)->groupAtoms.empty() && hasWgmma(getOperation()))
      name += architectureSpecific;
    Attribute target = NVVM::NVVMTargetAttr::get(&getContext(), optLevel(),
                                                 "nvptx64-nvidia-cuda", name,
                                                 features(**chip), flags());
    getOperation().setTargetsAttr(ArrayAttr::get(&getContext(), target));
    return success();
  }
};

struct DeclareDynamicShared
    : kami::impl::KamiDeclareDynamicSharedBase<DeclareDynamicShared> {
  void runOnOperation() override {
    bool isSpecific =
        llvm::any_of(targetChips(getOperation()), [](StringRef chip) {
          return chip.ends_with(architectureSpecific);
        });
    for (auto global : getOperation().getOps<LLVM::GlobalOp>()) {
      auto array = dyn_cast<LLVM::LLVMArrayType>(global.getType());
      if (array && array.getNumElements() == 0 &&
          global.getAddrSpace() == unsigned(NVVM::NVVMMemorySpace::Shared)) {
        global.setLinkage(LLVM::Linkage::External);
        if (isSpecific)
          global.setAlignment(groupMatrixAlignment);
      }
    }
  }
};
} // namespace

void kami::populateKamiToNVVMPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandMmaSync>(patterns.getContext());
  populateElementaryPatterns(patterns);
}
