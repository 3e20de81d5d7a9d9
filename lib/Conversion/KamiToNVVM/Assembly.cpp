//===- Assembly.cpp - What no op says -------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assembly.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace kami;
using namespace mlir;

Value kami::assemble(ImplicitLocOpBuilder &b, Type result, ValueRange operands,
                     StringRef text, StringRef constraints) {
  auto op = LLVM::InlineAsmOp::create(
      b, result ? TypeRange(result) : TypeRange(), operands, text, constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
      /*operand_attrs=*/ArrayAttr());
  return result ? op.getResult(0) : Value();
}

Value kami::makeVariable(ImplicitLocOpBuilder &b, gpu::GPUFuncOp kernel,
                         StringRef suffix, Type element, int64_t count,
                         int64_t alignment) {
  auto type = LLVM::LLVMArrayType::get(element, count);
  std::string name = (kernel.getName() + suffix).str();
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(kernel);
    auto global = LLVM::GlobalOp::create(
        b, type, /*isConstant=*/false, LLVM::Linkage::Internal, name,
        /*value=*/Attribute(), alignment,
        unsigned(NVVM::NVVMMemorySpace::Global));
    b.setInsertionPointToStart(b.createBlock(&global.getInitializerRegion()));
    Value zero = LLVM::ZeroOp::create(b, type);
    LLVM::ReturnOp::create(b, zero);
  }
  auto pointer = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::Global));
  Value address = LLVM::AddressOfOp::create(b, pointer, name);
  return LLVM::PtrToIntOp::create(b, b.getI64Type(), address);
}
