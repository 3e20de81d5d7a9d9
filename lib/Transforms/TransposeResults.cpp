//===- TransposeResults.cpp - Narrow results in columns -------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of columns of C, a warp of NVIDIA's stores eight adjacent elements at a time,
// which are a sector of memory only where these are of four bytes: 4069
// products of f16 64³ took 266 µs instead of 27 (H200, 2026-11-28).
//
//===----------------------------------------------------------------------===//

#include "kami/Bridge/Bridge.h"
#include "kami/IR/Views.h"
#include "kami/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace kami {
#define GEN_PASS_DEF_KAMITRANSPOSERESULTS
#include "kami/Transforms/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace mlir;

/// Whether C's columns are adjacent, of elements that fill no sector so.
static bool isNarrowInColumns(MemRefType type) {
  constexpr unsigned sectorBits = 256, lanesInColumn = 8;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  ArrayRef<int64_t> extents = type.getShape().take_back(2),
                    steps = ArrayRef(strides).take_back(2);
  return type.getElementType().isIntOrFloat() &&
         type.getElementTypeBitWidth() * lanesInColumn < sectorBits &&
         extents[0] != 1 && extents[1] != 1 && steps[0] == 1 && steps[1] != 1;
}

static bool shouldTranspose(GemmOp op) {
  auto type = dyn_cast<MemRefType>(op.getC().getType());
  bool areMemrefs = isa<MemRefType>(op.getA().getType()) &&
                    isa<MemRefType>(op.getB().getType());
  return type && areMemrefs && !op.getPlan() &&
         !op->getParentOfType<gpu::GPUFuncOp>() && isNarrowInColumns(type);
}

/// An element region's maps, from the transpose's dimensions.
static ArrayAttr exchangedMaps(ArrayAttr maps) {
  if (!maps)
    return {};
  SmallVector<AffineMap> found;
  for (AffineMap map : maps.getAsValueRange<AffineMapAttr>()) {
    // A scalar's has none.
    if (unsigned rank = map.getNumDims())
      map = map.compose(exchangeOfLast(rank, map.getContext()));
    found.push_back(map);
  }
  return Builder(maps.getContext()).getAffineMapArrayAttr(found);
}

/// Makes it Cᵀ = Bᵀ · Aᵀ, of the same matrices.
static void transposeProduct(GemmOp op) {
  OpBuilder builder(op);
  Value a = op.getA(), b = op.getB();
  bool transposeA = op.getTransposeA(), unsignedA = op.getUnsignedA(),
       conjugateA = op.getConjugateA();
  op.getAMutable().assign(b);
  op.getBMutable().assign(a);
  op.getCMutable().assign(transposedView(builder, op.getLoc(), op.getC()));
  op.setTransposeA(!op.getTransposeB());
  op.setTransposeB(!transposeA);
  op.setUnsignedA(op.getUnsignedB());
  op.setUnsignedB(unsignedA);
  op.setConjugateA(op.getConjugateB());
  op.setConjugateB(conjugateA);

  Region prologue;
  prologue.takeBody(op.getPrologueA());
  op.getPrologueA().takeBody(op.getPrologueB());
  op.getPrologueB().takeBody(prologue);
  SmallVector<Value> operandsA(op.getPrologueAOperands()),
      operandsB(op.getPrologueBOperands());
  op.getPrologueAOperandsMutable().assign(operandsB);
  op.getPrologueBOperandsMutable().assign(operandsA);
  ArrayAttr mapsA = op.getPrologueAMapsAttr();
  op.setPrologueAMapsAttr(exchangedMaps(op.getPrologueBMapsAttr()));
  op.setPrologueBMapsAttr(exchangedMaps(mapsA));
  op.setEpilogueMapsAttr(exchangedMaps(op.getEpilogueMapsAttr()));
}

/// Of AMD's units, lanes have elements of a column; of Vulkan's, only the
/// driver knows.
static bool storesRows(const Chip &chip) {
  return chip.instruction == Instruction::MmaSync ||
         chip.instruction == Instruction::Wgmma;
}

namespace {
struct TransposeResults
    : kami::impl::KamiTransposeResultsBase<TransposeResults> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](GemmOp op) {
      if (!shouldTranspose(op))
        return WalkResult::advance();
      FailureOr<const Chip *> chip = targetOf(op);
      if (failed(chip))
        return WalkResult::interrupt();
      if (storesRows(**chip))
        transposeProduct(op);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
