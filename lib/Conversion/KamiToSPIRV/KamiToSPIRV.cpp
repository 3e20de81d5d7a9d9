//===- KamiToSPIRV.cpp - Warp-level ops to cooperative matrices -----------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Conversion/KamiToSPIRV/KamiToSPIRV.h"
#include "Tiles.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Conversion/KamiToLanes/KamiToLanes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"

namespace kami {
#define GEN_PASS_DEF_CONVERTKAMITOSPIRV
#include "kami/Conversion/Passes.h.inc"
} // namespace kami

using namespace kami;
using namespace kami::spirv_lowering;
using namespace mlir;

/// Whether a fragment is of cooperative matrices whose elements SPIR-V has
/// types for, dealt evenly to the lanes.
static LogicalResult verifyFragment(Operation *op, FragmentType fragment) {
  if (!fragment.getAtom().isOpaque())
    return op->emitOpError("expected fragments of cooperative_matrix, but got ")
           << fragment.getAtom();
  if (failed(verifyElements(op, fragment.getStorageType())))
    return failure();
  TileShape shape(fragment);
  if (shape.elements() % shape.lanes != 0)
    return op->emitOpError("expected tiles whose elements ")
           << shape.lanes << " lanes share evenly, but got " << shape.rows
           << "x" << shape.columns;
  return success();
}

namespace {
struct ConvertKamiToSPIRV
    : kami::impl::ConvertKamiToSPIRVBase<ConvertKamiToSPIRV> {
  void runOnOperation() override {
    if (failed(convert(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult convert(gpu::GPUFuncOp kernel) {
    FailureOr<const Chip *> chip = targetOf(kernel);
    if (failed(chip))
      return failure();
    if ((*chip)->spirv == SpirvFlavor::None)
      return kernel.emitOpError("expected a target that takes SPIR-V, but got ")
             << (*chip)->name;
    if (failed(verifyFragments(kernel, verifyFragment)) ||
        failed(resolveMatrices(kernel)))
      return failure();
    llvm::DenseMap<Operation *, KnownMultiples> multiples =
        findMultiples(kernel);
    SmallVector<WordCopy> copies = findCopies(kernel, multiples);
    FailureOr<WorkgroupMemory> memory =
        WorkgroupMemory::create(kernel, **chip, copies);
    if (failed(memory))
      return failure();
    KernelContext context{**chip, *memory, std::move(multiples)};
    for (const WordCopy &copy : copies)
      emitCopy(copy, context);
    TypeConverter converter;
    converter.addConversion([](Type type) { return type; });
    converter.addConversion([](FragmentType fragment,
                               SmallVectorImpl<Type> &types) -> LogicalResult {
      appendTypes(fragment, types);
      return success();
    });
    RewritePatternSet patterns(&getContext());
    populateFragmentPatterns(converter, context, patterns);
    populateElementPatterns(converter, context, patterns);
    populateExchangePatterns(converter, context, patterns);
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalDialect<KamiDialect>();
    target.addDynamicallyLegalOp<arith::SelectOp>(
        [](arith::SelectOp op) { return !isa<FragmentType>(op.getType()); });
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    return applyPartialConversion(kernel, target, std::move(patterns));
  }
};
} // namespace
