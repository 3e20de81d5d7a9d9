//===- ToLLVMInterface.cpp ------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What deals in descriptors of memrefs is converted with everything else that
// does, by upstream's conversion of a kernel.
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/ConvertToLLVM/ToLLVMInterface.h"
#include "Descriptors.h"
#include "kami/Conversion/KamiToNVVM/KamiToNVVM.h"
#include "kami/IR/KamiOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace kami;
using namespace mlir;

namespace {

struct KamiToLLVMInterface : ConvertToLLVMPatternInterface {
  using ConvertToLLVMPatternInterface::ConvertToLLVMPatternInterface;

  void loadDependentDialects(MLIRContext *context) const final {
    context->loadDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
  }

  void populateConvertToLLVMConversionPatterns(
      ConversionTarget &target, LLVMTypeConverter &converter,
      RewritePatternSet &patterns) const final {
    populateComplexPartPatterns(converter, patterns);
    populateStMatrixPatterns(converter, patterns);
    target.addIllegalOp<AsRealOp, ComplexPartOp, StMatrixOp>();
  }
};

} // namespace

void kami::registerConvertKamiToLLVMInterface(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, KamiDialect *dialect) {
    dialect->addInterfaces<KamiToLLVMInterface>();
  });
}
